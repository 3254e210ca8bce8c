// metrics.c - numbers, and the text that is made of them.
#include "common/app/metrics.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/app/version.h"
#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/model/value.h"

enum { TEXT_SIZE_MAX = 1024 * 1024 };

static const struct ss_metric_row rows[] = {
#define X(id, kind, name, unit, who, line, paragraph)                          \
    {name, SS_METRIC_##kind, SS_METRIC_OF_##who, unit, line, paragraph},
#include "common/app/metrics.def"
#undef X
};

// Upper bounds of the histograms, in microseconds: a fast disk, a slow one, a
// database in trouble.
static const int64_t bounds_us[] = {500, 1000, 2000, 5000, 10000, 20000, 50000,
    100000, 200000, 500000, 1000000, 5000000};
enum { BOUNDS = sizeof(bounds_us) / sizeof(*bounds_us) };

static _Atomic int64_t values[SS_METRICS_COUNT];
static struct times {
    _Atomic int64_t
        buckets[BOUNDS]; // each without the values of the buckets below
    _Atomic int64_t sum_us;
} times[SS_METRICS_COUNT];
static pthread_mutex_t limits_mutex = PTHREAD_MUTEX_INITIALIZER;
static json_t *limits[SS_METRICS_COUNT]; // NULL: none is known
static _Atomic int64_t turn_since_ms;    // 0: no turn is under way
static pthread_mutex_t trouble_mutex = PTHREAD_MUTEX_INITIALIZER;
static char trouble[SS_HEALTH_SIZE] = "starting"; // "": none

const struct ss_metric_row *ss_metric_row(enum ss_metric metric)
{
    ss_check((unsigned)metric < SS_METRICS_COUNT);
    return &rows[metric];
}

void ss_metric_add(enum ss_metric metric, int64_t more)
{
    ss_check(ss_metric_row(metric)->kind < SS_METRIC_TIMES);
    atomic_fetch_add_explicit(&values[metric], more, memory_order_relaxed);
}

void ss_metric_set(enum ss_metric metric, int64_t value)
{
    ss_check(ss_metric_row(metric)->kind < SS_METRIC_TIMES);
    atomic_store_explicit(&values[metric], value, memory_order_relaxed);
}

void ss_metric_set_limits(enum ss_metric metric, json_t *numbers)
{
    ss_check(ss_metric_row(metric)->kind == SS_METRIC_LIMITS);
    ss_check(pthread_mutex_lock(&limits_mutex) == 0);
    json_decref(limits[metric]);
    limits[metric] = numbers;
    ss_check(pthread_mutex_unlock(&limits_mutex) == 0);
}

void ss_metric_took(enum ss_metric metric, int64_t us)
{
    ss_check(ss_metric_row(metric)->kind == SS_METRIC_TIMES);
    struct times *it = &times[metric];
    for (size_t i = 0; i < BOUNDS; i++)
        if (us <= bounds_us[i]) {
            atomic_fetch_add_explicit(&it->buckets[i], 1, memory_order_relaxed);
            break;
        }
    atomic_fetch_add_explicit(&it->sum_us, us, memory_order_relaxed);
    atomic_fetch_add_explicit(&values[metric], 1, memory_order_relaxed);
}

int64_t ss_metric_get(enum ss_metric metric)
{
    ss_check((unsigned)metric < SS_METRICS_COUNT);
    return atomic_load_explicit(&values[metric], memory_order_relaxed);
}

int64_t ss_metric_sum_us(enum ss_metric metric)
{
    ss_check(ss_metric_row(metric)->kind == SS_METRIC_TIMES);
    return atomic_load_explicit(&times[metric].sum_us, memory_order_relaxed);
}

static void add_seconds(struct ss_buf *buf, int64_t us)
{
    ss_buf_addf(buf, "%" PRId64 ".%06" PRId64, us / 1000000, us % 1000000);
}

// Numbers may change while they are read: the last bucket, which holds all, is
// never shown smaller than the sum of those before it.
static void add_times(struct ss_buf *buf, size_t index)
{
    struct times *it = &times[index];
    const char *name = rows[index].name;
    int64_t below = 0;
    for (size_t i = 0; i < BOUNDS; i++) {
        below += atomic_load_explicit(&it->buckets[i], memory_order_relaxed);
        ss_buf_addf(buf, "%s_bucket{le=\"", name);
        add_seconds(buf, bounds_us[i]);
        ss_buf_addf(buf, "\"} %" PRId64 "\n", below);
    }
    int64_t count = atomic_load_explicit(&values[index], memory_order_relaxed);
    count = count < below ? below : count;
    ss_buf_addf(buf, "%s_bucket{le=\"+Inf\"} %" PRId64 "\n", name, count);
    ss_buf_addf(buf, "%s_sum ", name);
    add_seconds(buf, atomic_load_explicit(&it->sum_us, memory_order_relaxed));
    ss_buf_addf(buf, "\n%s_count %" PRId64 "\n", name, count);
}

static void add_limits(struct ss_buf *buf, size_t index)
{
    const char *name;
    json_t *number;
    ss_check(pthread_mutex_lock(&limits_mutex) == 0);
    json_object_foreach (limits[index], name, number) {
        ss_buf_addf(buf, "%s{limit=", rows[index].name);
        ss_json_add_string(buf, name, strlen(name));
        ss_buf_addf(buf, "} %lld\n", (long long)json_integer_value(number));
    }
    ss_check(pthread_mutex_unlock(&limits_mutex) == 0);
}

char *ss_metrics_text(enum ss_metric_who who, const char *program)
{
    static const char *const kinds[] = {
        "counter", "gauge", "histogram", "gauge"};
    struct ss_buf buf;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    ss_buf_addf(&buf,
        "# HELP superstep_build_info The program and its version.\n"
        "# TYPE superstep_build_info gauge\n"
        "superstep_build_info{program=\"%s\",version=\"%s\"} 1\n",
        program, SS_VERSION_TEXT);
    for (size_t i = 0; i < SS_METRICS_COUNT; i++) {
        if (rows[i].who != who)
            continue;
        ss_buf_addf(&buf, "# HELP %s %s\n# TYPE %s %s\n", rows[i].name,
            rows[i].line, rows[i].name, kinds[rows[i].kind]);
        if (rows[i].kind == SS_METRIC_TIMES)
            add_times(&buf, i);
        else if (rows[i].kind == SS_METRIC_LIMITS)
            add_limits(&buf, i);
        else
            ss_buf_addf(&buf, "%s %" PRId64 "\n", rows[i].name,
                atomic_load_explicit(&values[i], memory_order_relaxed));
    }
    return ss_buf_steal(&buf, NULL);
}

void ss_health_set(const char *text)
{
    ss_check(pthread_mutex_lock(&trouble_mutex) == 0);
    snprintf(trouble, sizeof(trouble), "%s", text ? text : "");
    ss_check(pthread_mutex_unlock(&trouble_mutex) == 0);
}

bool ss_health(char ret_trouble[SS_HEALTH_SIZE])
{
    ss_check(pthread_mutex_lock(&trouble_mutex) == 0);
    memcpy(ret_trouble, trouble, sizeof(trouble));
    ss_check(pthread_mutex_unlock(&trouble_mutex) == 0);
    return !*ret_trouble;
}

void ss_live_set(int64_t since_ms)
{
    atomic_store_explicit(&turn_since_ms, since_ms, memory_order_relaxed);
}

bool ss_live(int64_t now_ms, char ret_trouble[SS_HEALTH_SIZE])
{
    int64_t since_ms =
        atomic_load_explicit(&turn_since_ms, memory_order_relaxed);
    int64_t took_s = since_ms ? (now_ms - since_ms) / 1000 : 0;
    if (took_s <= SS_LIVE_TURN_S)
        return true;
    snprintf(ret_trouble, SS_HEALTH_SIZE,
        "its loop has not turned for %" PRId64 " s", took_s);
    return false;
}

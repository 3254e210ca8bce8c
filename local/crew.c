// crew.c - who is out, and for how long.
#include "local/crew.h"

#include <inttypes.h>
#include <poll.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/base/check.h"
#include "common/model/value.h"
#include "worker/execute.h"
#include "worker/host.h"

// One body on a thread. The thread has its order; what names it is here.
struct out {
    struct ss_assignment about; // attempt, task_id, node, timeouts
    int64_t started_ms;
    int64_t progress_ms; // when it last showed a sign of life
    bool is_over;        // its time: nobody waits for it
};

struct ss_crew {
    struct ss_host *host;
    unsigned threads;
    SS_VEC(struct out) out;                 // one a thread at most
    SS_VEC(struct ss_assignment *) waiting; // for a thread
    bool ends;
};

int ss_crew_new(const struct ss_application *application, unsigned threads,
    struct ss_crew **ret_crew, struct ss_error *error)
{
    struct ss_host *host;
    int status =
        ss_host_new(&(struct ss_host_options){.application = application,
                        .threads = threads},
            &host, error);
    if (status != SS_OK)
        return status;
    struct ss_crew *crew = ss_zalloc(1, sizeof(*crew));
    crew->host = host;
    crew->threads = threads;
    *ret_crew = crew;
    return SS_OK;
}

void ss_crew_destroy(struct ss_crew **crew)
{
    struct ss_crew *old = *crew;
    if (!old)
        return;
    *crew = NULL;
    ss_check(!ss_crew_is_out(old));
    bool is_joined = ss_host_destroy(&old->host);
    ss_check(is_joined);
    SS_VEC_FINI(&old->out);
    SS_VEC_FINI(&old->waiting);
    ss_free(old);
}

bool ss_crew_is_out(const struct ss_crew *crew)
{
    return crew->out.count + crew->waiting.count > 0;
}

// ------------------------------------------------------------------ orders

static void copy_json(json_t **json)
{
    *json = *json ? json_deep_copy(*json) : NULL;
}

static void copy_value(struct ss_value **value)
{
    *value = *value ? ss_value_alone(*value) : NULL;
}

// A copy that shares nothing; lists are whole in it. Gives.
static struct ss_assignment *alone(const struct ss_assignment *order)
{
    struct ss_assignment *copy = ss_assignment_new();
    *copy = *order;
    memset(&copy->lists, 0, sizeof(copy->lists));
    copy->kept.texts = NULL;
    ss_assignment_keep(copy);
    copy->fold.channel = ss_strdup(copy->fold.channel);
    copy_json(&copy->triggers);
    copy_json(&copy->given.answers);
    copy_json(&copy->given.error);
    copy_json(&copy->fresh.managed);
    copy_json(&copy->fold.writes);
    copy_value(&copy->input);
    copy_value(&copy->given.config);
    copy_value(&copy->given.context);
    copy_value(&copy->given.plain);
    copy_value(&copy->fresh.channels);
    copy_value(&copy->returned);
    copy_value(&copy->fold.value);
    return copy;
}

void ss_crew_start(struct ss_crew *crew, const struct ss_assignment *order)
{
    if (!crew->ends)
        SS_VEC_PUSH(&crew->waiting, alone(order));
}

static void begin(struct ss_crew *crew)
{
    size_t count = 0;
    while (count < crew->waiting.count && crew->out.count < crew->threads) {
        struct ss_assignment *order = crew->waiting.items[count++];
        int64_t now_ms = ss_clock_ms();
        struct out out = {.started_ms = now_ms, .progress_ms = now_ms};
        out.about.attempt = order->attempt;
        out.about.timeouts = order->timeouts;
        out.about.node = order->node;
        ss_assignment_keep(&out.about);
        memcpy(out.about.task_id, order->task_id, sizeof(order->task_id));
        SS_VEC_PUSH(&crew->out, out);
        ss_host_start(crew->host, order, INT64_MAX);
    }
    if (count == 0)
        return;
    crew->waiting.count -= count;
    memmove(crew->waiting.items, crew->waiting.items + count,
        crew->waiting.count * sizeof(*crew->waiting.items));
    ss_host_go(crew->host, false);
}

// ------------------------------------------------------------------ the end

static bool same(struct ss_attempt a, struct ss_attempt b)
{
    return a.epoch == b.epoch && a.dispatch == b.dispatch;
}

static struct out *find(struct ss_crew *crew, struct ss_attempt attempt)
{
    for (size_t i = 0; i < crew->out.count; i++)
        if (same(crew->out.items[i].about.attempt, attempt))
            return &crew->out.items[i];
    return NULL;
}

// An order that waits for a thread is gone at once, and nobody asks for it.
void ss_crew_cancel(struct ss_crew *crew, struct ss_attempt attempt)
{
    for (size_t i = 0; i < crew->waiting.count; i++)
        if (same(crew->waiting.items[i]->attempt, attempt)) {
            ss_assignment_destroy(&crew->waiting.items[i]);
            crew->waiting.items[i] = crew->waiting.items[--crew->waiting.count];
            return;
        }
    ss_host_stop_body(crew->host, attempt);
}

void ss_crew_end(struct ss_crew *crew)
{
    crew->ends = true;
    for (size_t i = 0; i < crew->waiting.count; i++)
        ss_assignment_destroy(&crew->waiting.items[i]);
    crew->waiting.count = 0;
    for (size_t i = 0; i < crew->out.count; i++)
        ss_host_stop_body(crew->host, crew->out.items[i].about.attempt);
}

struct ss_outcome *ss_crew_over_time(
    const struct ss_assignment *order, const char *what, int64_t limit_ms)
{
    return ss_outcome_failed(order, SS_ENODETIMEOUT, SS_RETRY_DEFAULT,
        "node \"%s\" ran over its %s timeout of %" PRId64 " ms", order->node,
        what, limit_ms);
}

static int64_t end_of(int64_t from_ms, int64_t limit_ms)
{
    return limit_ms > 0 ? from_ms + limit_ms : INT64_MAX;
}

static int64_t run_ends_ms(const struct out *out)
{
    return end_of(out->started_ms, out->about.timeouts.run_ms);
}

static int64_t idle_ends_ms(const struct out *out)
{
    return end_of(out->progress_ms, out->about.timeouts.idle_ms);
}

static void report(struct ss_local_reports *to, struct ss_outcome *outcome)
{
    struct ss_local_report one = {.outcome = outcome};
    SS_VEC_PUSH(&to->list, one);
}

static void expire(
    struct ss_crew *crew, int64_t now_ms, struct ss_local_reports *to)
{
    for (size_t i = 0; i < crew->out.count; i++) {
        struct out *out = &crew->out.items[i];
        const struct ss_timeouts *limits = &out->about.timeouts;
        bool ran = now_ms >= run_ends_ms(out);
        if (out->is_over || crew->ends || (!ran && now_ms < idle_ends_ms(out)))
            continue;
        out->is_over = true;
        ss_host_stop_body(crew->host, out->about.attempt);
        report(
            to, ran ? ss_crew_over_time(&out->about, "run", limits->run_ms)
                    : ss_crew_over_time(&out->about, "idle", limits->idle_ms));
    }
}

// Takes `outcome`. Who was told to stop at the end has not failed by that.
static void take_outcome(struct ss_crew *crew, struct ss_outcome *outcome,
    struct ss_local_reports *to)
{
    struct out *out = find(crew, outcome->attempt);
    ss_check(out != NULL);
    bool is_whole = outcome->kind != SS_OUTCOME_FAILED &&
                    outcome->kind != SS_OUTCOME_CANCELLED;
    if (out->is_over || (crew->ends && !is_whole))
        ss_outcome_destroy(&outcome);
    else
        report(to, outcome);
    ss_free(out->about.kept.texts);
    *out = crew->out.items[--crew->out.count];
}

static void take_sign(struct ss_crew *crew, const struct ss_host_sign *sign)
{
    struct out *out = find(crew, sign->attempt);
    if (out && (sign->is_heartbeat || !out->about.timeouts.heartbeat_only))
        out->progress_ms = ss_clock_ms();
}

static void take_item(struct ss_crew *crew, const struct ss_host_item *item,
    struct ss_local_reports *to)
{
    const struct out *out = find(crew, item->attempt);
    if (!out || out->is_over)
        return;
    struct ss_local_report one = {.is_live = true,
        .attempt = item->attempt,
        .kind = item->kind,
        .value = json_incref(ss_value_json(item->value))};
    SS_VEC_PUSH(&to->list, one);
}

void ss_crew_hear(struct ss_crew *crew, struct ss_local_reports *to)
{
    struct ss_host_reports heard;
    if (ss_host_take(crew->host, &heard)) {
        for (size_t i = 0; i < heard.signs_count; i++)
            take_sign(crew, &heard.signs[i]);
        for (size_t i = 0; i < heard.items_count; i++)
            take_item(crew, &heard.items[i], to);
        for (size_t i = 0; i < heard.outcomes_count; i++)
            take_outcome(crew, heard.outcomes[i], to);
        heard.outcomes_count = 0;
        ss_check(heard.unbegun_count == 0); // each may begin for ever
        ss_host_reports_fini(&heard);
    }
    expire(crew, ss_clock_ms(), to);
    begin(crew);
}

void ss_crew_wait(struct ss_crew *crew, int64_t left_ms)
{
    int64_t now_ms = ss_clock_ms();
    int64_t at_ms = ss_host_watch(crew->host, now_ms);
    if (left_ms < INT64_MAX - now_ms && now_ms + left_ms < at_ms)
        at_ms = now_ms + left_ms;
    for (size_t i = 0; i < crew->out.count; i++) {
        const struct out *out = &crew->out.items[i];
        int64_t run_ms = run_ends_ms(out), idle_ms = idle_ends_ms(out);
        int64_t ends_ms = run_ms < idle_ms ? run_ms : idle_ms;
        if (!out->is_over && !crew->ends && ends_ms < at_ms)
            at_ms = ends_ms;
    }
    struct pollfd fd = {.fd = ss_host_fd(crew->host), .events = POLLIN};
    poll(&fd, 1, ss_clock_left(at_ms, now_ms));
}

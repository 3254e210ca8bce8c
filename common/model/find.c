// find.c - reads what is looked for, and judges records by it.
#include "common/model/find.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"

// ------------------------------------------------ reading

#define BY_TIME "newest"
#define BY_KEY  "key"

bool ss_find_by_time(const struct ss_request *request)
{
    return request->order && strcmp(request->order, BY_TIME) == 0;
}

static int check_order(const struct ss_request *request, struct ss_error *error)
{
    struct ss_hint hint;
    if (!request->has.order || ss_find_by_time(request) ||
        (request->order && strcmp(request->order, BY_KEY) == 0))
        return SS_OK;
    ss_hint_init(&hint, request->order ? request->order : "");
    ss_hint_offer(&hint, BY_TIME);
    ss_hint_offer(&hint, BY_KEY);
    return ss_error_set(error, SS_EINVAL,
        "%s: there is no order \"%s\", only \"" BY_TIME "\" and \"" BY_KEY
        "\".%s",
        ss_request_name(request), request->order ? request->order : "",
        ss_hint_text(&hint));
}

static int check_status(
    const struct ss_request *request, struct ss_error *error)
{
    static const char *const of_threads[] = {SS_THREAD_IDLE,
        SS_THREAD_INTERRUPTED, SS_THREAD_FAILED, SS_THREAD_RUNNING};
    bool is_of_runs = request->op == SS_OP_RUNS;
    size_t count = is_of_runs ? SS_RUN_CANCELLED
                              : sizeof(of_threads) / sizeof(*of_threads);
    struct ss_hint hint;
    struct ss_buf names;
    if (!request->status)
        return SS_OK;
    ss_hint_init(&hint, request->status);
    ss_buf_init(&names, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        const char *word = is_of_runs
                               ? ss_run_status_name((enum ss_run_status)(i + 1))
                               : of_threads[i];
        if (strcmp(word, request->status) == 0) {
            ss_buf_fini(&names);
            return SS_OK;
        }
        ss_hint_offer(&hint, word);
        ss_buf_add_str(&names, i ? ", " : "");
        ss_buf_add_str(&names, word);
    }
    char *all = ss_buf_steal(&names, NULL);
    int status = ss_error_set(error, SS_EINVAL,
        "%s: there is no status \"%s\".%s There are %s",
        ss_request_name(request), request->status, ss_hint_text(&hint), all);
    ss_free(all);
    return status;
}

static int check_metadata(
    const struct ss_request *request, struct ss_error *error)
{
    if (!request->has.metadata || json_is_object(request->metadata))
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "%s: \"metadata\" must be an object, the pairs that are looked for",
        ss_request_name(request));
}

// The wall time of so long ago.
static int64_t ago_us(int64_t wall_us, json_int_t age_ms, int64_t otherwise)
{
    if (age_ms == SS_REQUEST_NO_INT)
        return otherwise;
    return age_ms <= 0                ? wall_us
           : age_ms >= wall_us / 1000 ? 0
                                      : wall_us - age_ms * 1000;
}

// "1732749000123456/KEY". False: it is none.
static bool read_place(const char *place, struct ss_find *ret)
{
    size_t digits = strspn(place, "0123456789");
    if (digits == 0 || digits > 18 || place[digits] != '/' ||
        !place[digits + 1])
        return false;
    ret->after_us = strtoll(place, NULL, 10);
    ret->after = ss_strdup(place + digits + 1);
    return true;
}

static int read_after(const struct ss_request *request, struct ss_find *ret,
    struct ss_error *error)
{
    if (!ss_find_by_time(request) || !request->after)
        return SS_OK;
    if (read_place(request->after, ret))
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "%s: \"%s\" is no place in a list of the newest: take the \"next\" of "
        "the page before",
        ss_request_name(request), request->after);
}

int ss_find_read(const struct ss_request *request, int64_t wall_us,
    struct ss_find *ret, struct ss_error *error)
{
    ss_check(request->op == SS_OP_RUNS || request->op == SS_OP_THREADS);
    *ret = (struct ss_find){.of_threads = request->op == SS_OP_THREADS,
        .thread = ss_strdup(request->thread),
        .prefix = ss_strdup(request->prefix),
        .graph = ss_strdup(request->graph),
        .status = ss_strdup(request->status),
        .metadata = json_deep_copy(request->metadata),
        .since_us = ago_us(wall_us, request->age_ms, 0),
        .until_us = ago_us(wall_us, request->age_min_ms, INT64_MAX)};
    int status = check_status(request, error);
    if (status == SS_OK)
        status = check_order(request, error);
    if (status == SS_OK)
        status = check_metadata(request, error);
    return status == SS_OK ? read_after(request, ret, error) : status;
}

void ss_find_fini(struct ss_find *find)
{
    ss_free(find->thread);
    ss_free(find->prefix);
    ss_free(find->graph);
    ss_free(find->status);
    ss_free(find->after);
    json_decref(find->metadata);
    *find = (struct ss_find){0};
}

void ss_find_copy(const struct ss_find *find, struct ss_find *ret)
{
    *ret = *find;
    ret->thread = ss_strdup(find->thread);
    ret->prefix = ss_strdup(find->prefix);
    ret->graph = ss_strdup(find->graph);
    ret->status = ss_strdup(find->status);
    ret->after = ss_strdup(find->after);
    ret->metadata = json_deep_copy(find->metadata);
}

bool ss_find_is_picky(const struct ss_find *find)
{
    return find->prefix || find->graph || find->status ||
           json_object_size(find->metadata) > 0 || find->since_us > 0 ||
           find->until_us < INT64_MAX;
}

// ------------------------------------------------ judging

int64_t ss_find_at_us(bool of_threads, const json_t *record)
{
    json_int_t made_us = ss_json_int(record, "created_us", 0);
    json_int_t at_us =
        of_threads ? ss_json_int(record, "updated_us", made_us) : made_us;
    return at_us > 0 ? at_us : 0;
}

const char *ss_find_status(
    bool of_threads, const char *index, const json_t *record)
{
    const char *told = ss_json_str(record, "status", NULL);
    if (!of_threads)
        return told;
    // Only threads that are not idle stand in the index. What an older program
    // put there tells nothing, and may leave what stood in the record.
    return index ? index : told ? SS_THREAD_IDLE : NULL;
}

static bool is_text(const char *wanted, const char *text)
{
    return !wanted || (text && strcmp(wanted, text) == 0);
}

static bool has_pairs(const json_t *wanted, const json_t *record)
{
    const json_t *own = json_object_get(record, SS_FIND_OWN);
    const json_t *metadata = json_object_get(record, "metadata");
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)wanted, key, value) {
        const json_t *said = json_object_get(own, key);
        if (!json_equal(said ? said : json_object_get(metadata, key), value))
            return false;
    }
    return true;
}

static bool fits_otherwise(
    const struct ss_find *find, const char *index, const json_t *record)
{
    const char *thread = ss_json_str(record, "thread", "");
    int64_t at_us = ss_find_at_us(find->of_threads, record);
    return at_us >= find->since_us && at_us < find->until_us &&
           is_text(find->thread, thread) &&
           is_text(find->graph, ss_json_str(record, "graph", NULL)) &&
           is_text(
               find->status, ss_find_status(find->of_threads, index, record)) &&
           (!find->prefix ||
               strncmp(thread, find->prefix, strlen(find->prefix)) == 0);
}

bool ss_find_fits(
    const struct ss_find *find, const char *index, const json_t *record)
{
    return fits_otherwise(find, index, record) &&
           has_pairs(find->metadata, record);
}

// Whether a text in quotes stands anywhere in a record. Most records of a long
// list are none of those that are looked for, and reading one takes many times
// as long as looking it through for a word. True where it might be written in
// another way: with escapes.
static bool may_have_text(const char *wanted, const char *text, size_t size)
{
    size_t length = strlen(wanted);
    const char *at = text, *end = text + size;
    for (const char *c = wanted; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\' || *c == '/')
            return true;
    while (length > 0 && (size_t)(end - at) >= length + 2) {
        at = memchr(at, wanted[0], (size_t)(end - at));
        if (!at || (size_t)(end - at) <= length)
            return false;
        if (at > text && at[-1] == '"' && at[length] == '"' &&
            memcmp(at, wanted, length) == 0)
            return true;
        at++;
    }
    return length == 0;
}

static bool may_have_value(const json_t *value, const char *text, size_t size)
{
    const char *word = json_string_value(value);
    return !word || strlen(word) != json_string_length(value) ||
           may_have_text(word, text, size);
}

bool ss_find_is_none(const struct ss_find *find, const char *text, size_t size)
{
    const char *key;
    json_t *value;
    ss_check(text || size == 0);
    if (find->graph && !may_have_text(find->graph, text, size))
        return true;
    json_object_foreach (find->metadata, key, value)
        if (!may_have_text(key, text, size) ||
            !may_have_value(value, text, size))
            return !may_have_text(SS_FIND_LONG, text, size);
    return false;
}

bool ss_find_may_fit(
    const struct ss_find *find, const char *index, const json_t *record)
{
    return find->metadata && ss_json_bool(record, SS_FIND_LONG, false) &&
           fits_otherwise(find, index, record);
}

// ------------------------------------------------ places

char *ss_find_place(int64_t at_us, const char *key)
{
    return ss_format("%lld/%s", (long long)at_us, key);
}

int ss_find_order(
    int64_t left_us, const char *left, int64_t right_us, const char *right)
{
    return left_us != right_us ? (left_us > right_us ? -1 : 1)
                               : strcmp(left, right);
}

// waiting.c - what tasks wait for, in a few words.
#include "client/cli/waiting.h"

#include "client/cli/text.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/model/wait_reason.h"

// How often those of a wait (requests.md, explained) failed, with what, and
// when they are tried again: "failed 2 times, last: busy; next try in 2.6 s".
// Gives.
static char *backoff_text(const json_t *wait)
{
    bool many = ss_json_int(wait, "count", 1) > 1;
    int64_t failures = ss_json_int(wait, "failures", 1);
    int64_t next_ms = ss_json_int(wait, "in_ms", 0);
    int64_t last_ms = ss_json_int(wait, "in_ms_last", next_ms);
    char *error = ss_text_plain(ss_json_str(wait, "error", ""));
    char *times = ss_text_count(failures, "time");
    char *next = ss_text_duration(next_ms * 1000);
    char *last = ss_text_duration(last_ms * 1000);
    char *text = ss_format("failed %s%s%s%s; next try in %s%s%s", times,
        many ? " at most" : "", *error ? ", last: " : "", error, next,
        last_ms > next_ms ? " to " : "", last_ms > next_ms ? last : "");
    ss_free(error);
    ss_free(times);
    ss_free(next);
    ss_free(last);
    return text;
}

static char *running(const json_t *wait)
{
    char *took = ss_text_duration(ss_json_int(wait, "for_ms", 0) * 1000);
    char *worker = ss_text_plain(ss_json_str(wait, "worker", "?"));
    char *text = ss_format("runs on worker %s (attempt %lld), for %s", worker,
        (long long)ss_json_int(wait, "attempt", 1), took);
    ss_free(took);
    ss_free(worker);
    return text;
}

static char *with_name(const char *text, const json_t *wait, const char *key)
{
    char *name = ss_text_plain(ss_json_str(wait, key, "?"));
    char *whole = ss_format("%s %s", text, name);
    ss_free(name);
    return whole;
}

char *ss_waiting_text(const json_t *wait)
{
    static const char *const texts[] = {
        [SS_WAIT_PLANNED] = "waits for its turn",
        [SS_WAIT_CACHE] = "waits for the cache",
        [SS_WAIT_PAUSED] = "waits: its graph is paused",
        [SS_WAIT_STORE] = "waits for the store",
        [SS_WAIT_MAX_CONCURRENCY] = "waits below max_concurrency",
        [SS_WAIT_NO_WORKER] = "waits: no worker serves its version",
        [SS_WAIT_WORKERS_BUSY] = "waits for room",
        [SS_WAIT_ANSWER] = "waits for an answer",
        [SS_WAIT_OTHER] = "waits"};
    enum ss_wait_reason reason = ss_wait_reason_of(wait);
    if (reason == SS_WAIT_RUNNING)
        return running(wait);
    if (reason == SS_WAIT_BACKOFF)
        return backoff_text(wait);
    if (reason == SS_WAIT_LIMIT)
        return with_name("waits for the limit", wait, "limit");
    if (reason == SS_WAIT_NO_LABEL)
        return with_name("waits: no worker offers", wait, "labels");
    return ss_strdup(texts[reason]);
}

// "fetch", "fetch \xc3\x972,431".
static json_t *waiting_row(const json_t *wait)
{
    bool backs_off = ss_wait_reason_of(wait) == SS_WAIT_BACKOFF;
    int64_t count = ss_json_int(wait, "count", 1);
    char *times = ss_text_thousands(count);
    char *node = ss_format("%s%s%s", ss_json_str(wait, "node", "?"),
        count > 1 ? " \xc3\x97" : "", count > 1 ? times : "");
    char *reason = ss_waiting_text(wait);
    json_t *row = json_pack("{s:s, s:s, s:O*, s:O*, s:s}", "state",
        backs_off ? "backoff" : "ready", "node", node, "thread",
        json_object_get(wait, "thread"), "run", json_object_get(wait, "run"),
        "reason", reason);
    if (count == 1)
        json_object_set(row, "attempt", json_object_get(wait, "attempt"));
    ss_free(times);
    ss_free(node);
    ss_free(reason);
    return row;
}

json_t *ss_waiting_rows(const json_t *answer)
{
    json_t *tasks = json_object_get(answer, "tasks"), *one;
    json_t *waits = json_object_get(answer, "waits");
    int64_t left = ss_json_int(answer, "ready", 0);
    if (!waits) // a coordinator of an older version
        return json_incref(tasks);
    json_t *rows = json_array();
    size_t i;
    json_array_foreach (tasks, i, one)
        if (json_object_get(one, "worker"))
            json_array_append(rows, one);
    json_array_foreach (waits, i, one) {
        json_array_append_new(rows, waiting_row(one));
        if (ss_wait_reason_of(one) != SS_WAIT_BACKOFF)
            left -= ss_json_int(one, "count", 1);
    }
    if (left > 0) { // more than it looked at
        one = json_pack(
            "{s:s, s:I}", "node", "others", "count", (json_int_t)left);
        json_array_append_new(rows, waiting_row(one));
        json_decref(one);
    }
    return rows;
}

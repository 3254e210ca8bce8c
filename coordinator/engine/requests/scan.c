// scan.c - what only the store's small tables know: threads, runs, cached
// results.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"

// A list may be longer than memory: it is read a page at a time.
static size_t page_of(const struct ss_request *request)
{
    json_int_t limit = ss_request_int(request->limit, SS_HISTORY_MAX);
    return limit > 0 && limit < SS_HISTORY_MAX ? (size_t)limit : SS_HISTORY_MAX;
}

// Only some runs are wanted: all others may be what is stored.
static bool has_filter(const struct ss_request *request)
{
    return request->op != SS_OP_CLEAR_CACHE &&
           (request->graph || request->status ||
               request->age_ms != SS_REQUEST_NO_INT);
}

// By which of its times a record is young or old.
static const char *time_of(const struct ss_request *request)
{
    return request->op == SS_OP_RUNS ? "created_us" : "updated_us";
}

// How it stands; NULL: a program of before put it, and did not say.
static const char *status_of(
    const struct ss_request *request, const struct ss_record *found)
{
    bool is_busy = request->op == SS_OP_THREADS && found->index &&
                   strcmp(found->index, SS_THREAD_RUNNING) == 0;
    return is_busy ? SS_THREAD_RUNNING
                   : ss_json_str(found->value, "status", NULL);
}

// How many records one answer looks at.
static size_t looked_at(const struct ss_request *request)
{
    return has_filter(request) ? SS_FIND_RECORDS_MAX : page_of(request);
}

static bool is_text(const char *wanted, const char *text)
{
    return !wanted || (text && strcmp(wanted, text) == 0);
}

static bool is_wanted(const struct engine *engine,
    const struct ss_request *request, const struct ss_record *found)
{
    json_int_t at = ss_json_int(found->value, time_of(request),
        ss_json_int(found->value, "created_us", 0));
    return !has_filter(request) ||
           (is_text(request->graph, ss_json_str(found->value, "graph", "")) &&
               is_text(request->status, status_of(request, found)) &&
               (request->age_ms == SS_REQUEST_NO_INT ||
                   (engine->wall_us - at) / 1000 <= request->age_ms));
}

static void scan_fini(struct scan_reply *wait)
{
    ss_request_unref(wait->request);
    json_decref(wait->found);
    ss_free(wait->thread);
}

void ss_scans_fini(struct engine *engine)
{
    struct requests *requests = engine->requests;
    for (size_t i = 0; i < requests->scans.count; i++)
        scan_fini(&requests->scans.items[i]);
    SS_VEC_FINI(&requests->scans);
}

// Behind which key a page begins. Gives; NULL: it is the first one.
static char *after_of(const struct ss_request *request)
{
    return request->after && request->op == SS_OP_RUNS
               ? ss_run_after(request->after)
               : ss_strdup(request->after);
}

// False: it was refused, as nothing has such a status.
static bool has_status(struct engine *engine, const struct ss_request *request)
{
    static const char *const of_threads[] = {SS_THREAD_IDLE,
        SS_THREAD_INTERRUPTED, SS_THREAD_FAILED, SS_THREAD_RUNNING};
    size_t count = request->op == SS_OP_RUNS
                       ? SS_RUN_CANCELLED
                       : sizeof(of_threads) / sizeof(*of_threads);
    struct ss_hint hint;
    if (!has_filter(request) || !request->status)
        return true;
    ss_hint_init(&hint, request->status);
    for (size_t i = 0; i < count; i++) {
        const char *word = request->op == SS_OP_RUNS
                               ? ss_run_status_name((enum ss_run_status)(i + 1))
                               : of_threads[i];
        if (strcmp(word, request->status) == 0)
            return true;
        ss_hint_offer(&hint, word);
    }
    ss_reply_error(engine, request, SS_EINVAL,
        "%s: there is no status \"%s\".%s", ss_request_name(request),
        request->status, ss_hint_text(&hint));
    return false;
}

// Runs that stand so have not ended: no others are read.
static bool is_of_open(const struct ss_request *request)
{
    return request->status &&
           !ss_run_status_has_ended(ss_run_status_by_name(request->status));
}

// The index by which threads that stand so are read; NULL: all are.
static const char *index_of(const char *status)
{
    return status && (strcmp(status, SS_THREAD_FAILED) == 0 ||
                         strcmp(status, SS_THREAD_INTERRUPTED) == 0)
               ? status
               : NULL;
}

void ss_request_scan(struct engine *engine, const struct ss_request *request)
{
    if (!has_status(engine, request))
        return;
    uint64_t tag = ++engine->tags;
    struct ss_command command = {.tag = tag, .type = SS_COMMAND_SCAN};
    if (request->op == SS_OP_THREADS) {
        command.table = SS_RECORD_THREAD;
        command.key = ss_strdup(index_of(request->status));
        command.after = after_of(request);
        command.limit = looked_at(request);
    } else if (request->op == SS_OP_RUNS) {
        command.table = is_of_open(request) ? SS_RECORD_OPEN : SS_RECORD_RUN;
        command.key = ss_strdup(request->thread);
        command.after = after_of(request);
        command.limit = looked_at(request);
    } else {
        command.table = SS_RECORD_CACHE;
        command.key = ss_strdup(request->graph);
        command.limit = SS_CACHE_PAGE_MAX;
    }
    SS_VEC_PUSH(&engine->requests->scans,
        (struct scan_reply){.tag = tag, .request = ss_request_ref(request)});
    ss_engine_command(engine, command);
}

static void show_time(json_t *shown, const char *key, const char *as)
{
    char text[SS_TIME_SIZE];
    ss_check(json_is_object(shown));
    json_int_t at = ss_json_int(shown, key, -1);
    if (at < 0)
        return;
    ss_time_text(at, text);
    json_object_set_new(shown, as, json_string(text));
}

// A record as it is shown. Gives.
static json_t *shown_of(const struct engine *engine,
    const struct ss_request *request, const struct ss_record *found)
{
    json_t *shown = request->op == SS_OP_RUNS ? ss_record_shown(found)
                                              : json_copy(found->value);
    json_object_del(shown, "head"); // how far rows went then
    const json_t *paused = ss_pause_of_record(engine, shown);
    if (paused)
        json_object_set(shown, "paused", (json_t *)paused);
    show_time(shown, "created_us", "created_at");
    show_time(shown, "updated_us", "updated_at");
    const char *status = status_of(request, found);
    if (status)
        json_object_set_new(shown, "status", json_string(status));
    return shown;
}

// A page that a filter made short, or empty, says behind what the next begins.
// Gives.
static json_t *list_records(const struct engine *engine,
    const struct ss_event *event, const struct ss_request *request)
{
    json_t *list = json_array();
    size_t limit = page_of(request);
    char *after = after_of(request);
    const struct ss_record *last = NULL;
    for (size_t i = 0; i < event->records.records_count; i++) {
        const struct ss_record *found = &event->records.records[i];
        if (after && strcmp(found->key, after) <= 0)
            continue;
        if (json_array_size(list) >= limit)
            break;
        last = found;
        if (is_wanted(engine, request, found))
            json_array_append_new(list, shown_of(engine, request, found));
    }
    ss_check(!last || !after || strcmp(last->key, after) > 0); // it goes on
    ss_check(json_array_size(list) <= limit);
    ss_check(request->op == SS_OP_RUNS || request->op == SS_OP_THREADS);
    char *next = !last || !has_filter(request) ? NULL
                 : request->op == SS_OP_RUNS   ? ss_run_place(last->key)
                                               : ss_strdup(last->key);
    json_t *answer =
        json_pack("{s:o, s:s*}", ss_request_name(request), list, "next", next);
    ss_free(next);
    ss_free(after);
    return answer;
}

static bool of_nodes(const char *key, const json_t *nodes)
{
    size_t i;
    json_t *node;
    const char *bar = strchr(key, '|');
    if (!json_is_array(nodes))
        return true;
    json_array_foreach ((json_t *)nodes, i, node) {
        size_t size = json_string_length(node);
        if (bar && strncmp(bar + 1, json_string_value(node), size) == 0 &&
            bar[1 + size] == '|')
            return true;
    }
    return false;
}

// Its time is over. One that is filled anew just now goes too: it is made
// again.
static bool is_expired(const struct engine *engine, const json_t *entry)
{
    json_int_t expires = ss_json_int(entry, "expires_us", 0);
    return expires > 0 && expires <= engine->wall_us;
}

// There may be more behind `after`.
static void clear_on(struct engine *engine, const struct scan_reply *wait,
    const char *after, json_int_t done)
{
    const struct ss_request *request = wait->request;
    uint64_t tag = ++engine->tags;
    SS_VEC_PUSH(&engine->requests->scans,
        (struct scan_reply){
            .tag = tag, .request = ss_request_ref(request), .done = done});
    ss_engine_command(engine, (struct ss_command){.tag = tag,
                                  .type = SS_COMMAND_SCAN,
                                  .table = SS_RECORD_CACHE,
                                  .key = ss_strdup(request->graph),
                                  .after = ss_strdup(after),
                                  .limit = SS_CACHE_PAGE_MAX});
}

static void clear_cache(struct engine *engine, const struct scan_reply *wait,
    const struct ss_event *event)
{
    json_int_t cleared = wait->done;
    const struct ss_record *last = NULL;
    bool expired = wait->request->expired;
    for (size_t i = 0; i < event->records.records_count; i++) {
        last = &event->records.records[i];
        if (!of_nodes(last->key, wait->request->nodes) ||
            (expired && !is_expired(engine, last->value)))
            continue;
        ss_engine_store_record(engine, SS_RECORD_CACHE, last->key, NULL, NULL);
        cleared++;
    }
    if (last && event->records.records_count >= SS_CACHE_PAGE_MAX)
        clear_on(engine, wait, last->key, cleared);
    else
        ss_reply(engine, wait->request, json_pack("{s:I}", "entries", cleared));
}

static void answer_records(struct engine *engine, const struct scan_reply *wait,
    const struct ss_event *event)
{
    bool missing = event->records.status == SS_ENOTFOUND;
    if (event->records.status == SS_EFENCED)
        return; // it ends, and who asked asks whoever comes after it
    if (event->records.status != SS_OK && !missing) {
        ss_reply_error(engine, wait->request, event->records.status, "%s: %s",
            ss_request_name(wait->request),
            event->records.message ? event->records.message : "");
    } else if (wait->request->op == SS_OP_CLEAR_CACHE) {
        clear_cache(engine, wait, event);
    } else {
        ss_reply(
            engine, wait->request, list_records(engine, event, wait->request));
    }
}

void ss_records(struct engine *engine, const struct ss_event *event)
{
    struct requests *requests = engine->requests;
    if (ss_task_looked(engine, event) || ss_claim_looked(engine, event) ||
        ss_graph_looked(engine, event))
        return;
    for (size_t i = 0; i < requests->scans.count; i++) {
        struct scan_reply wait = requests->scans.items[i];
        if (wait.tag != event->records.tag)
            continue;
        SS_VEC_REMOVE(&requests->scans, i);
        if (wait.found)
            ss_locate_answer(engine, &wait, event);
        else if (wait.thread)
            ss_outlived_answer(engine, &wait, event);
        else if (wait.request)
            answer_records(engine, &wait, event);
        scan_fini(&wait);
        return;
    }
}

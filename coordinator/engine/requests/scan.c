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
    return request->op == SS_OP_RUNS &&
           (request->graph || request->status ||
               request->age_ms != SS_REQUEST_NO_INT);
}

// How many records one answer looks at.
static size_t looked_at(const struct ss_request *request)
{
    return has_filter(request) ? SS_FIND_RECORDS_MAX : page_of(request);
}

static bool is_wanted(const struct engine *engine,
    const struct ss_request *request, const json_t *run)
{
    json_int_t created = ss_json_int(run, "created_us", 0);
    return !has_filter(request) ||
           ((!request->graph ||
                strcmp(request->graph, ss_json_str(run, "graph", "")) == 0) &&
               (!request->status || strcmp(request->status,
                                        ss_json_str(run, "status", "")) == 0) &&
               (request->age_ms == SS_REQUEST_NO_INT ||
                   (engine->wall_us - created) / 1000 <= request->age_ms));
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

// False: it was refused, as no run has such a status.
static bool has_status(struct engine *engine, const struct ss_request *request)
{
    struct ss_hint hint;
    if (request->op != SS_OP_RUNS || !request->status ||
        ss_run_status_by_name(request->status) != SS_RUN_OTHER)
        return true;
    ss_hint_init(&hint, request->status);
    for (int i = SS_RUN_OTHER + 1; i <= SS_RUN_CANCELLED; i++)
        ss_hint_offer(&hint, ss_run_status_name((enum ss_run_status)i));
    ss_reply_error(engine, request, SS_EINVAL,
        "runs: there is no status \"%s\".%s", request->status,
        ss_hint_text(&hint));
    return false;
}

void ss_request_scan(struct engine *engine, const struct ss_request *request)
{
    if (!has_status(engine, request))
        return;
    uint64_t tag = ++engine->tags;
    struct ss_command command = {.tag = tag, .type = SS_COMMAND_SCAN};
    if (request->op == SS_OP_THREADS) {
        command.table = SS_RECORD_THREAD;
        command.after = after_of(request);
        command.limit = page_of(request);
    } else if (request->op == SS_OP_RUNS) {
        command.table = SS_RECORD_RUN;
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

// A record as it is shown. Gives.
static json_t *shown_of(const struct engine *engine,
    const struct ss_request *request, const struct ss_record *found)
{
    char text[SS_TIME_SIZE];
    json_t *shown = request->op == SS_OP_RUNS ? ss_record_shown(found)
                                              : json_copy(found->value);
    json_object_del(shown, "head"); // how far rows went then
    const json_t *paused = ss_pause_of_record(engine, shown);
    if (paused)
        json_object_set(shown, "paused", (json_t *)paused);
    json_int_t created = ss_json_int(shown, "created_us", -1);
    if (created >= 0) {
        ss_time_text(created, text);
        json_object_set_new(shown, "created_at", json_string(text));
    }
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
        if (is_wanted(engine, request, found->value))
            json_array_append_new(list, shown_of(engine, request, found));
    }
    ss_check(!last || !after || strcmp(last->key, after) > 0); // it goes on
    ss_check(json_array_size(list) <= limit);
    char *next = last && has_filter(request) ? ss_run_place(last->key) : NULL;
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

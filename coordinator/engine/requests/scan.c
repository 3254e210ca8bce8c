// scan.c - what only the store's small tables know: threads, runs, cached
// results.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/find.h"
#include "common/model/name_before.h"
#include "common/model/request.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/facts.h"
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

// How many records one answer looks at.
static size_t looked_at(
    const struct ss_request *request, const struct ss_find *find)
{
    return ss_find_is_picky(find) ? SS_FIND_RECORDS_MAX : page_of(request);
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
    const char *said = request->after;
    ss_check(request->op == SS_OP_RUNS || request->op == SS_OP_THREADS);
    if (request->op == SS_OP_RUNS)
        return said ? ss_run_after(said) : NULL;
    if (!request->prefix)
        return ss_strdup(said);
    char *before = ss_name_before(request->prefix);
    if (!said || strcmp(before, said) >= 0)
        return before;
    ss_free(before);
    return ss_strdup(said);
}

// Names that begin so stand together: none follows.
static bool is_behind_prefix(
    const struct ss_request *request, const struct ss_record *found)
{
    return request->op == SS_OP_THREADS && request->prefix &&
           strncmp(found->key, request->prefix, strlen(request->prefix)) > 0;
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

// Takes `command`.
static void ask_store(struct engine *engine, const struct ss_request *request,
    struct ss_command command)
{
    command.tag = ss_engine_tag(engine);
    SS_VEC_PUSH(
        &engine->requests->scans, (struct scan_reply){.tag = command.tag,
                                      .request = ss_request_ref(request)});
    ss_engine_command(engine, command);
}

// By key. Takes `find`.
static void ask_by_key(struct engine *engine, const struct ss_request *request,
    struct ss_find *find)
{
    bool is_of_runs = request->op == SS_OP_RUNS;
    ask_store(engine, request,
        (struct ss_command){.type = SS_COMMAND_SCAN,
            .table = !is_of_runs           ? SS_RECORD_THREAD
                     : is_of_open(request) ? SS_RECORD_OPEN
                                           : SS_RECORD_RUN,
            .key = ss_strdup(
                is_of_runs ? request->thread : index_of(request->status)),
            .after = after_of(request),
            .limit = looked_at(request, find)});
    ss_find_fini(find);
}

// The newest first. Takes `find`.
static void ask_by_time(struct engine *engine, const struct ss_request *request,
    const struct ss_find *find)
{
    struct ss_command command = {
        .type = SS_COMMAND_FIND, .find = ss_zalloc(1, sizeof(*find))};
    *command.find = *find;
    command.find->limit = page_of(request);
    ask_store(engine, request, command);
}

void ss_request_scan(struct engine *engine, const struct ss_request *request)
{
    struct ss_find find;
    struct ss_error error;
    if (request->op == SS_OP_CLEAR_CACHE) {
        ask_store(engine, request,
            (struct ss_command){.type = SS_COMMAND_SCAN,
                .table = SS_RECORD_CACHE,
                .key = ss_strdup(request->graph),
                .limit = SS_CACHE_PAGE_MAX});
    } else if (ss_find_read(request, engine->wall_us, &find, &error) != SS_OK) {
        ss_find_fini(&find);
        ss_reply_error(engine, request, error.status, "%s", error.message);
    } else if (ss_find_by_time(request)) {
        ask_by_time(engine, request, &find);
    } else {
        ask_by_key(engine, request, &find);
    }
}

// A record as it is shown. Gives.
static json_t *shown_of(const struct engine *engine,
    const struct ss_request *request, const struct ss_record *found)
{
    bool is_of_threads = request->op == SS_OP_THREADS;
    const char *status =
        ss_find_status(is_of_threads, found->index, found->value);
    if (is_of_threads)
        return ss_thread_shown(found->value, status);
    json_t *shown = ss_record_shown(found);
    const json_t *paused = ss_pause_of_record(engine, shown);
    if (paused)
        json_object_set(shown, "paused", (json_t *)paused);
    ss_run_show(shown, status);
    return shown;
}

// Records in the order of their keys, of which some are wanted. Adds where the
// next page begins: a filter may make this one short, or empty. Gives.
static char *list_by_key(const struct engine *engine,
    const struct ss_event *event, const struct ss_request *request,
    json_t *list, size_t *unsearched)
{
    size_t limit = page_of(request);
    char *after = after_of(request);
    const struct ss_record *last = NULL;
    struct ss_error error;
    struct ss_find find;
    int status = ss_find_read(request, engine->wall_us, &find, &error);
    ss_check(status == SS_OK); // it was, when it was asked
    bool is_picky = ss_find_is_picky(&find);
    for (size_t i = 0; i < event->records.records_count; i++) {
        const struct ss_record *found = &event->records.records[i];
        if (after && strcmp(found->key, after) <= 0)
            continue;
        if (json_array_size(list) >= limit)
            break;
        if (is_behind_prefix(request, found)) {
            last = NULL;
            break;
        }
        last = found;
        if (!is_picky || ss_find_fits(&find, found->index, found->value))
            json_array_append_new(list, shown_of(engine, request, found));
        else if (ss_find_may_fit(&find, found->index, found->value))
            ++*unsearched;
    }
    ss_check(!last || !after || strcmp(last->key, after) > 0); // it goes on
    ss_check(json_array_size(list) <= limit);
    ss_find_fini(&find);
    ss_free(after);
    return !last || !is_picky          ? NULL
           : request->op == SS_OP_RUNS ? ss_run_place(last->key)
                                       : ss_strdup(last->key);
}

// Gives.
static json_t *list_records(const struct engine *engine,
    const struct ss_event *event, const struct ss_request *request)
{
    json_t *list = json_array();
    char *next = NULL;
    size_t unsearched = event->records.unsearched;
    ss_check(request->op == SS_OP_RUNS || request->op == SS_OP_THREADS);
    if (ss_find_by_time(request)) {
        for (size_t i = 0; i < event->records.records_count; i++)
            json_array_append_new(
                list, shown_of(engine, request, &event->records.records[i]));
        next = ss_strdup(event->records.place);
    } else {
        next = list_by_key(engine, event, request, list, &unsearched);
    }
    json_t *answer =
        json_pack("{s:o, s:s*}", ss_request_name(request), list, "next", next);
    if (event->records.lacks)
        json_object_set_new(answer, "lacks", json_true());
    if (unsearched > 0)
        json_object_set_new(
            answer, "unsearched", json_integer((json_int_t)unsearched));
    ss_free(next);
    return answer;
}

static bool is_of_node(const char *bar, const json_t *node)
{
    size_t size = json_string_length(node);
    return bar && strncmp(bar + 1, json_string_value(node), size) == 0 &&
           bar[1 + size] == '|';
}

static bool of_nodes(const char *key, const json_t *nodes)
{
    size_t i;
    json_t *node;
    const char *bar = strchr(key, '|');
    if (!nodes)
        return true;
    if (json_is_string(nodes))
        return is_of_node(bar, nodes);
    json_array_foreach ((json_t *)nodes, i, node)
        if (is_of_node(bar, node))
            return true;
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
    uint64_t tag = ss_engine_tag(engine);
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

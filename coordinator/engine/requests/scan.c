// scan.c - what only the store's small tables know: threads, runs, cached
// results.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/requests.h"
#include "common/model/run_key.h"
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

// A list may be longer than memory: it is read a page at a time.
static size_t page_of(const json_t *body)
{
    json_int_t limit = ss_json_int(body, "limit", SS_HISTORY_MAX);
    return limit > 0 && limit < SS_HISTORY_MAX ? (size_t)limit : SS_HISTORY_MAX;
}

static void scan_fini(struct scan_reply *wait)
{
    ss_free(wait->peer);
    ss_free(wait->op);
    json_decref(wait->body);
    json_decref(wait->found);
    ss_free(wait->thread);
}

void ss_scans_fini(struct engine *engine)
{
    for (size_t i = 0; i < engine->scans.count; i++)
        scan_fini(&engine->scans.items[i]);
    SS_VEC_FINI(&engine->scans);
}

// Behind which key a page begins. Gives; NULL: it is the first one.
static char *after_of(const char *op, const json_t *body)
{
    const char *after = ss_json_str(body, "after", NULL);
    return after && strcmp(op, "runs") == 0 ? ss_run_after(after)
                                            : ss_strdup(after);
}

void ss_request_scan(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    uint64_t tag = ++engine->tags;
    const char *op = engine->request_op;
    struct ss_command command = {.tag = tag, .type = SS_COMMAND_SCAN};
    if (strcmp(op, "threads") == 0) {
        command.table = SS_RECORD_THREAD;
        command.after = after_of(op, body);
        command.limit = page_of(body);
    } else if (strcmp(op, "runs") == 0) {
        command.table = SS_RECORD_RUN;
        command.key = ss_strdup(ss_json_str(body, "thread", NULL));
        command.after = after_of(op, body);
        command.limit = page_of(body);
    } else {
        command.table = SS_RECORD_CACHE;
        command.key = ss_strdup(ss_json_str(body, "graph", NULL));
        command.limit = SS_CACHE_PAGE_MAX;
    }
    SS_VEC_PUSH(&engine->scans, (struct scan_reply){.tag = tag,
                                    .peer = ss_strdup(peer),
                                    .id = id,
                                    .op = ss_strdup(op),
                                    .body = json_incref(body)});
    ss_engine_command(engine, command);
}

static json_t *list_records(const struct engine *engine,
    const struct ss_event *event, const struct scan_reply *wait)
{
    json_t *list = json_array();
    size_t limit = page_of(wait->body);
    bool of_runs = strcmp(wait->op, "runs") == 0;
    char *after = after_of(wait->op, wait->body);
    for (size_t i = 0; i < event->records.records_count; i++) {
        const struct ss_record *found = &event->records.records[i];
        if (after && strcmp(found->key, after) <= 0)
            continue;
        if (json_array_size(list) >= limit)
            break;
        json_t *shown =
            of_runs ? ss_record_shown(found) : json_copy(found->value);
        json_object_del(shown, "head"); // how far rows went then
        const json_t *paused = ss_pause_of_record(engine, shown);
        if (paused)
            json_object_set(shown, "paused", (json_t *)paused);
        json_int_t created = ss_json_int(shown, "created_us", -1);
        char text[SS_TIME_SIZE];
        if (created >= 0) {
            ss_time_text(created, text);
            json_object_set_new(shown, "created_at", json_string(text));
        }
        json_array_append_new(list, shown);
    }
    ss_free(after);
    return list;
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
    uint64_t tag = ++engine->tags;
    SS_VEC_PUSH(&engine->scans, (struct scan_reply){.tag = tag,
                                    .peer = ss_strdup(wait->peer),
                                    .id = wait->id,
                                    .op = ss_strdup(wait->op),
                                    .body = json_incref(wait->body),
                                    .done = done});
    ss_engine_command(
        engine, (struct ss_command){.tag = tag,
                    .type = SS_COMMAND_SCAN,
                    .table = SS_RECORD_CACHE,
                    .key = ss_strdup(ss_json_str(wait->body, "graph", NULL)),
                    .after = ss_strdup(after),
                    .limit = SS_CACHE_PAGE_MAX});
}

static void clear_cache(struct engine *engine, const struct scan_reply *wait,
    const struct ss_event *event)
{
    json_int_t cleared = wait->done;
    const struct ss_record *last = NULL;
    bool expired = ss_json_bool(wait->body, "expired", false);
    for (size_t i = 0; i < event->records.records_count; i++) {
        last = &event->records.records[i];
        if (!of_nodes(last->key, json_object_get(wait->body, "nodes")) ||
            (expired && !is_expired(engine, last->value)))
            continue;
        ss_engine_store_record(engine, SS_RECORD_CACHE, last->key, NULL, NULL);
        cleared++;
    }
    if (last && event->records.records_count >= SS_CACHE_PAGE_MAX)
        clear_on(engine, wait, last->key, cleared);
    else
        ss_reply(engine, wait->peer, wait->id,
            json_pack("{s:I}", "entries", cleared));
}

static void answer_records(struct engine *engine, const struct scan_reply *wait,
    const struct ss_event *event)
{
    bool missing = event->records.status == SS_ENOTFOUND;
    if (event->records.status == SS_EFENCED)
        return; // it ends, and who asked asks whoever comes after it
    if (event->records.status != SS_OK && !missing) {
        ss_reply_error(engine, wait->peer, wait->id, event->records.status,
            "%s: %s", wait->op,
            event->records.message ? event->records.message : "");
    } else if (strcmp(wait->op, "clear_cache") == 0) {
        clear_cache(engine, wait, event);
    } else {
        ss_reply(engine, wait->peer, wait->id,
            json_pack("{s:o}", wait->op, list_records(engine, event, wait)));
    }
}

void ss_records(struct engine *engine, const struct ss_event *event)
{
    if (ss_task_looked(engine, event) || ss_claim_looked(engine, event))
        return;
    for (size_t i = 0; i < engine->scans.count; i++) {
        struct scan_reply wait = engine->scans.items[i];
        if (wait.tag != event->records.tag)
            continue;
        SS_VEC_REMOVE(&engine->scans, i);
        if (wait.found)
            ss_locate_answer(engine, &wait, event);
        else if (wait.thread)
            ss_outlived_answer(engine, &wait, event);
        else if (wait.op)
            answer_records(engine, &wait, event);
        scan_fini(&wait);
        return;
    }
}

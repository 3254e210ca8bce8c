// scan.c - what only the store's small tables know: threads, runs, cached results,
// and on which thread a run is that is not under way here.
#include <string.h>

#include "coordinator/engine/internal.h"

// A list may be longer than memory: it is read a page at a time.
static size_t page_of(const json_t *body)
{
    json_int_t limit = ss_json_int(body, "limit", SS_HISTORY_MAX);
    return limit > 0 && limit < SS_HISTORY_MAX ? (size_t)limit
                                               : SS_HISTORY_MAX;
}

void ss_request_scan(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    uint64_t tag = ++engine->tags;
    const char *op = engine->request_op;
    struct ss_command command = {.tag = tag, .type = SS_COMMAND_SCAN};
    if (strcmp(op, "threads") == 0) {
        command.table = SS_RECORD_THREAD;
        command.after = ss_strdup(ss_json_str(body, "after", NULL));
        command.limit = page_of(body);
    } else if (strcmp(op, "runs") == 0) {
        command.table = SS_RECORD_RUN;
        command.key = ss_strdup(ss_json_str(body, "thread", NULL));
        command.after = ss_strdup(ss_json_str(body, "after", NULL));
        command.limit = page_of(body);
    } else if (strcmp(op, "clear_cache") == 0) {
        command.table = SS_RECORD_CACHE;
        command.key = ss_strdup(ss_json_str(body, "graph", NULL));
        command.limit = SS_CACHE_PAGE_MAX;
    } else {
        command.type = SS_COMMAND_GET;
        command.table = SS_RECORD_RUN;
        command.key = ss_strdup(ss_json_str(body, "run", ""));
    }
    SS_VEC_PUSH(&engine->scans,
        (struct scan_reply){tag, ss_strdup(peer), id, ss_strdup(op),
            json_incref(body), NULL, 0});
    ss_engine_command(engine, command);
}

static json_t *list_records(const struct engine *engine,
    const struct ss_event *event, const json_t *body)
{
    json_t *list = json_array();
    size_t limit = page_of(body);
    const char *after = ss_json_str(body, "after", NULL);
    for (size_t i = 0; i < event->records.records_count; i++) {
        const struct ss_record *found = &event->records.records[i];
        if (after && strcmp(found->key, after) <= 0)
            continue;
        if (json_array_size(list) >= limit)
            break;
        json_t *shown = json_copy(found->value);
        json_object_del(shown, "request"); // of one that waits for its turn
        json_object_del(shown, "place");
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
    return list;
}

static bool of_nodes(const char *key, const json_t *nodes)
{
    size_t i;
    json_t *node;
    const char *bar = strchr(key, '|');
    if (!json_is_array(nodes))
        return true;
    json_array_foreach((json_t *)nodes, i, node) {
        size_t size = json_string_length(node);
        if (bar && strncmp(bar + 1, json_string_value(node), size) == 0
            && bar[1 + size] == '|')
            return true;
    }
    return false;
}

// Its time is over. One that is filled anew just now goes too: it is made again.
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
    SS_VEC_PUSH(&engine->scans,
        (struct scan_reply){tag, ss_strdup(wait->peer), wait->id,
            ss_strdup(wait->op), json_incref(wait->body), NULL, done});
    ss_engine_command(engine,
        (struct ss_command){.tag = tag,
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
        if (!of_nodes(last->key, json_object_get(wait->body, "nodes"))
            || (expired && !is_expired(engine, last->value)))
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

static void run_found(struct engine *engine, const struct scan_reply *wait,
    const struct ss_event *event)
{
    const char *name = event->records.records_count
        ? ss_json_str(event->records.records[0].value, "thread", NULL)
        : NULL;
    if (!name) {
        ss_reply_error(engine, wait->peer, wait->id, SS_ENOTFOUND,
            "there is no run %s", ss_json_str(wait->body, "run", "?"));
        return;
    }
    if (ss_refer(engine, wait->peer, wait->id, name))
        return;
    ss_request_later(ss_thread_get(engine, name), wait->op, wait->peer,
        wait->id, wait->body);
}

static void answer_records(struct engine *engine,
    const struct scan_reply *wait, const struct ss_event *event)
{
    bool missing = event->records.status == SS_ENOTFOUND;
    if (event->records.status == SS_EFENCED)
        return; // it ends, and who asked asks whoever comes after it
    if (event->records.status != SS_OK && !missing) {
        ss_reply_error(engine, wait->peer, wait->id, event->records.status,
            "%s: %s", wait->op,
            event->records.message ? event->records.message : "");
    } else if (strcmp(wait->op, "attach") == 0
        || strcmp(wait->op, "cancel") == 0
        || strcmp(wait->op, "explain") == 0
        || strcmp(wait->op, "migrate") == 0
        || strcmp(wait->op, "release") == 0) {
        run_found(engine, wait, event);
    } else if (strcmp(wait->op, "clear_cache") == 0) {
        clear_cache(engine, wait, event);
    } else {
        ss_reply(engine, wait->peer, wait->id,
            json_pack("{s:o}", wait->op, list_records(engine, event, wait->body)));
    }
}

void ss_records(struct engine *engine, const struct ss_event *event)
{
    for (size_t i = 0; i < engine->scans.count; i++) {
        struct scan_reply wait = engine->scans.items[i];
        if (wait.tag != event->records.tag)
            continue;
        SS_VEC_REMOVE(&engine->scans, i);
        if (wait.task)
            ss_cache_answer(wait.task,
                event->records.status == SS_OK && event->records.records_count
                    ? event->records.records[0].value
                    : NULL);
        else if (wait.op)
            answer_records(engine, &wait, event);
        ss_free(wait.peer);
        ss_free(wait.op);
        json_decref(wait.body);
        return;
    }
}

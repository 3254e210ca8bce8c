// request.c - what clients ask: one table, and the few answers that need no
// thread (docs/reference/requests.md).
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/hint.h"
#include "coordinator/engine/internal.h"

typedef void thread_fn(
    struct thread *thread, const char *peer, uint64_t id, json_t *body);
typedef void plain_fn(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);

static void graphs(struct engine *, const char *, uint64_t, json_t *);
static void graph(struct engine *, const char *, uint64_t, json_t *);
static void draw(struct engine *, const char *, uint64_t, json_t *);
static void workers(struct engine *, const char *, uint64_t, json_t *);
static void compile(struct engine *, const char *, uint64_t, json_t *);
static void attach(struct engine *, const char *, uint64_t, json_t *);
static void status_of(struct engine *, const char *, uint64_t, json_t *);
static void explain(struct engine *, const char *, uint64_t, json_t *);

static const struct op {
    const char *name;
    thread_fn *on_thread; // called when the thread has been read
    plain_fn *plain;      // called at once, if there is one
    const char *keys; // what its body may hold
} ops[] = {
    {"run", ss_run_request, NULL,
        " graph thread input command checkpoint_id checkpoint_ns"
        " checkpoint_map stream subgraphs interrupt_before interrupt_after"
        " recursion_limit strict_resume max_concurrency durability"
        " output_keys config context run detach if_busy priority "},
    {"attach", NULL, attach, " run thread stream subgraphs after seen "},
    {"cancel", NULL, ss_cancel_request, " run thread action "},
    {"state", ss_read_state, NULL,
        " thread graph checkpoint_id checkpoint_ns subgraphs "},
    {"history", ss_read_history, NULL,
        " thread graph checkpoint_ns checkpoint_id limit before filter "},
    {"update", ss_change_request, NULL,
        " thread graph supersteps checkpoint_id checkpoint_ns key "},
    {"checkpoints", ss_read_checkpoints, NULL, " thread graph after limit "},
    {"import", ss_import_thread, NULL, " thread graph checkpoints after more "},
    {"journal", ss_read_journal, NULL, " thread from limit "},
    {"explain", ss_explain_thread, explain, " run thread "},
    {"migrate", ss_migrate_on_thread, ss_migrate_request, " run thread to "},
    {"release", ss_release_on_thread, ss_release_request, " run thread "},
    {"delete", ss_delete_thread, NULL, " thread idle_ms keep_waiting "},
    {"prune", ss_prune_thread, NULL, " thread idle_ms keep_waiting "},
    {"copy", ss_copy_thread, NULL, " thread to key "},
    {"threads", NULL, ss_request_scan, " limit after "},
    {"runs", NULL, ss_request_scan, " thread limit after "},
    {"clear_cache", NULL, ss_request_scan, " graph nodes "},
    {"graphs", NULL, graphs, " "},
    {"graph", NULL, graph, " graph "},
    {"draw", NULL, draw, " graph xray styles "},
    {"workers", NULL, workers, " "},
    {"drain", NULL, ss_worker_drain_request, " worker "},
    {"tasks", NULL, ss_show_tasks, " limit "},
    {"compile", NULL, compile, " description "},
    {"status", NULL, status_of, " "},
};

enum { OPS = sizeof(ops) / sizeof(ops[0]) };

// ------------------------------------------------ replies

json_t *ss_error_json(int status, const char *message)
{
    json_t *text = json_string(message);
    return json_pack("{s:s, s:o}", "code", ss_status_name(status), "message",
        text ? text : json_string("(not UTF-8)"));
}

void ss_reply(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    ss_check(body);
    ss_engine_command(engine,
        (struct ss_command){.type = SS_COMMAND_REPLY,
            .peer = ss_strdup(peer),
            .id = id,
            .json = body});
}

void ss_reply_durable(
    struct thread *thread, const char *peer, uint64_t id, json_t *body)
{
    ss_check(body);
    ss_thread_hold_all(thread, GATE_REPLY,
        (struct ss_command){.type = SS_COMMAND_REPLY,
            .peer = ss_strdup(peer),
            .id = id,
            .json = body});
}

void ss_reply_error(struct engine *engine, const char *peer, uint64_t id,
    int status, const char *format, ...)
{
    char text[SS_ERROR_SIZE];
    if (!peer)
        return; // nobody asked (a recovery)
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    ss_reply(engine, peer, id,
        json_pack("{s:o}", "error", ss_error_json(status, text)));
}

// ------------------------------------------------ graphs that are known

struct known_graph *ss_known_graph(
    struct engine *engine, const char *name, const char *version)
{
    if (!version)
        return ss_map_get(&engine->latest, name);
    char *key = ss_format("%s@%s", name, version);
    struct known_graph *known = ss_map_get(&engine->graphs, key);
    ss_free(key);
    return known;
}

// When a version was announced first stands in its record, so that any
// coordinator knows which one is the newest.
#define ANNOUNCED "announced_us"

static void store_graph(struct engine *engine, const struct known_graph *known,
    const json_t *description)
{
    json_t *record = json_copy((json_t *)description);
    json_object_set_new(
        record, ANNOUNCED, json_integer((json_int_t)known->announced_us));
    ss_engine_store_record(
        engine, SS_RECORD_GRAPH, known->key, known->graph->name, record);
}

// A worker that comes back with an old version makes it no newer.
static void date(struct engine *engine, struct known_graph *known, int64_t at)
{
    struct known_graph *latest =
        ss_map_get(&engine->latest, known->graph->name);
    if (at > known->announced_us)
        known->announced_us = at;
    if (known->announced_us > engine->announced_us)
        engine->announced_us = known->announced_us;
    if (!latest || known->announced_us >= latest->announced_us)
        ss_map_put(&engine->latest, known->graph->name, known);
}

static void learn(struct engine *engine, struct ss_graph *compiled,
    const json_t *description, int64_t at, bool announce)
{
    struct known_graph *known =
        ss_known_graph(engine, compiled->name, compiled->version);
    bool is_new = known == NULL;
    if (is_new) {
        known = ss_zalloc(1, sizeof(*known));
        known->key =
            ss_format("%s@%s", compiled->name, compiled->version);
        ss_map_put(&engine->graphs, known->key, known);
        engine->graphs_moved = true;
    } else {
        ss_graph_unref(known->graph);
    }
    known->graph = compiled;
    if (is_new && announce)
        at = engine->wall_us > engine->announced_us
            ? engine->wall_us
            : engine->announced_us + 1;
    date(engine, known, at);
    if (is_new && announce)
        store_graph(engine, known, description);
}

void ss_graph_learn(struct engine *engine, json_t *description, bool announce,
    struct ss_graph **ret_graph, struct ss_error *error)
{
    int64_t at = ss_json_int(description, ANNOUNCED, 0);
    json_t *plain = json_copy(description);
    json_object_del(plain, ANNOUNCED);
    error->status = SS_OK;
    if (ss_graph_compile(plain, ret_graph, error) == SS_OK)
        learn(engine, *ret_graph, plain, at, announce);
    json_decref(plain);
}

// What a new run takes: the newest version that a worker serves, else the newest.
static struct known_graph *newest_served(
    struct engine *engine, struct known_graph *latest)
{
    struct known_graph *best = NULL;
    if (ss_graph_workers(engine, latest->graph) > 0)
        return latest;
    for (const struct ss_map_entry *e = engine->graphs.first; e;
         e = e->next) {
        struct known_graph *it = e->value;
        if (strcmp(it->graph->name, latest->graph->name) == 0
            && (!best || it->announced_us > best->announced_us)
            && ss_graph_workers(engine, it->graph) > 0)
            best = it;
    }
    return best ? best : latest;
}

struct ss_graph *ss_request_graph(struct engine *engine,
    const struct thread *thread, const json_t *body, struct ss_error *error)
{
    const char *name = ss_json_str(body, "graph", NULL);
    if (!name)
        name = thread ? thread->graph : NULL;
    if (!name) {
        ss_error_set(error, SS_ENOTFOUND, "thread %s is not known; say which "
            "graph it is of", thread ? thread->id : "?");
        return NULL;
    }
    struct known_graph *known = ss_known_graph(engine, name, NULL);
    if (known)
        return newest_served(engine, known)->graph;
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (const struct ss_map_entry *e = engine->latest.first; e; e = e->next)
        ss_hint_offer(&hint, e->key);
    ss_error_set(error, SS_ENOTFOUND, "no worker has announced a graph "
        "\"%s\".%s", name, ss_hint_text(&hint));
    return NULL;
}

void ss_thread_graph_from_rows(struct thread *thread)
{
    for (uint64_t seq = ss_journal_head(thread->journal); seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(thread->journal, seq);
        const char *name =
            row ? ss_json_str(row->entry, "graph", NULL) : NULL;
        if (!name)
            name = row ? ss_json_str(
                       json_object_get(row->metadata, "__loop__"), "graph",
                       NULL)
                       : NULL;
        if (!name)
            continue;
        ss_free(thread->graph);
        thread->graph = ss_strdup(name);
        return;
    }
}

// ------------------------------------------------ requests on a thread

void ss_waiting_fini(struct waiting *waiting)
{
    ss_free(waiting->peer);
    ss_free(waiting->op);
    json_decref(waiting->body);
}

static const struct op *find_op(const char *name)
{
    for (size_t i = 0; i < OPS; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

// A run that was found and has not begun to go on: its graph is not known yet.
static bool is_awaited(const struct thread *thread, const char *run)
{
    for (size_t i = 0; run && i < thread->waiting.count; i++) {
        const struct waiting *w = &thread->waiting.items[i];
        if (!w->peer && strcmp(ss_json_str(w->body, "run", ""), run) == 0)
            return true;
    }
    return false;
}

// Serve one that waited; false: it must wait on.
static bool serve_waiting(struct thread *thread, const struct waiting *w)
{
    if (w->peer && (strcmp(w->op, "run") == 0 || strcmp(w->op, "attach") == 0)
        && is_awaited(thread, ss_json_str(w->body, "run", NULL)))
        return false;
    if (strcmp(w->op, "recover") == 0)
        return ss_run_recover(thread, ss_json_str(w->body, "run", ""));
    if (strcmp(w->op, SS_RUN_TAKEN_BACK) == 0) {
        ss_run_take_back_found(thread, ss_json_str(w->body, "run", ""));
        return true;
    }
    if (strcmp(w->op, "cancel") == 0) {
        ss_cancel_on_thread(thread, w->peer, w->id, w->body);
        return true;
    }
    if (strcmp(w->op, "attach") == 0) {
        ss_run_ask_again(thread, w->peer, w->id, w->body);
        return true;
    }
    if (strcmp(w->op, "copy_into") == 0) {
        ss_copy_into(thread, w->peer, w->id, w->body);
        return true;
    }
    find_op(w->op)->on_thread(thread, w->peer, w->id, w->body);
    return true;
}

// Each is looked at once: what cannot be served yet stays, in its order.
void ss_requests_resume(struct thread *thread)
{
    if (!ss_is_read(thread->engine, thread->id))
        return;
    for (size_t left = thread->waiting.count;
         left > 0 && thread->state == THREAD_HOT && thread->waiting.count > 0;
         left--) {
        struct waiting waiting = thread->waiting.items[0];
        SS_VEC_REMOVE(&thread->waiting, 0);
        if (serve_waiting(thread, &waiting))
            ss_waiting_fini(&waiting);
        else
            SS_VEC_PUSH(&thread->waiting, waiting);
    }
    ss_queue_later(thread);
}

void ss_request_later(struct thread *thread, const char *op, const char *peer,
    uint64_t id, json_t *body)
{
    if (thread->parked) {
        ss_parked_request(thread, op, peer, id, body);
        return;
    }
    if (thread->waiting.count >= SS_REQUESTS_WAITING_MAX) {
        ss_reply_error(thread->engine, peer, id, SS_EBUSY,
            "thread %s: %d requests wait already", thread->id,
            SS_REQUESTS_WAITING_MAX);
        return;
    }
    SS_VEC_PUSH(&thread->waiting,
        (struct waiting){
            ss_strdup(peer), id, ss_strdup(op), json_incref(body)});
    ss_requests_resume(thread);
}

// A thread for a run that names none. Who asks for the same run again comes to
// the same thread, and finds it there; else it is one that is ours.
static void make_thread(
    struct engine *engine, const char *run, char ret_name[SS_HEX128_SIZE])
{
    static const char alphabet[] = "0123456789abcdef";
    if (run) {
        ss_hash_hex(run, strlen(run), ret_name);
        return;
    }
    ret_name[SS_HEX128_SIZE - 1] = '\0';
    for (int tries = 0; tries < SS_NAME_TRIES_MAX; tries++) {
        for (size_t i = 0; i < SS_HEX128_SIZE - 1; i++)
            ret_name[i] = alphabet[ss_prng_below(&engine->prng, 16)];
        if (ss_is_ours(engine, ret_name))
            return;
    }
}

// Ask it of a thread: now, or when it has been read and its turn has come.
static void ask_thread(struct engine *engine, const char *name,
    const char *peer, uint64_t id, json_t *body)
{
    const struct op *op = find_op(engine->request_op);
    if (!name[0] || strlen(name) > SS_THREAD_SIZE_MAX) {
        ss_reply_error(engine, peer, id, SS_EINVAL,
            "thread: an id has 1 to %d bytes", SS_THREAD_SIZE_MAX);
        return;
    }
    if (ss_refer(engine, peer, id, name))
        return;
    struct thread *thread = ss_thread_get(engine, name);
    if (thread->state == THREAD_HOT && thread->waiting.count == 0
        && ss_is_read(engine, name)) {
        op->on_thread(thread, peer, id, body);
        return;
    }
    ss_request_later(thread, op->name, peer, id, body);
}

static void on_thread(struct engine *engine, const struct op *op,
    const struct ss_event *event)
{
    json_t *body = event->request.body;
    const char *name = ss_json_str(body, "thread", NULL);
    char made[SS_HEX128_SIZE];
    if (!name) {
        if (strcmp(op->name, "run") != 0) {
            ss_reply_error(engine, event->peer, event->request.id, SS_EINVAL,
                "%s: say which thread", op->name);
            return;
        }
        make_thread(engine, ss_json_str(body, "run", NULL), made);
        name = made;
    }
    ask_thread(engine, name, event->peer, event->request.id, body);
}

static bool check_keys(struct engine *engine, const struct op *op,
    const struct ss_event *event)
{
    const char *key;
    json_t *value;
    json_object_foreach(event->request.body, key, value) {
        char word[128];
        snprintf(word, sizeof(word), " %s ", key);
        if (strstr(op->keys, word))
            continue;
        ss_reply_error(engine, event->peer, event->request.id, SS_EINVAL,
            "%s: \"%s\" is nothing that it takes; it takes%s", op->name, key,
            op->keys[1] ? op->keys : " nothing");
        return false;
    }
    return true;
}

void ss_request(struct engine *engine, const struct ss_event *event)
{
    const struct op *op = find_op(event->request.op);
    if (!op) {
        struct ss_hint hint;
        ss_hint_init(&hint, event->request.op);
        for (size_t i = 0; i < OPS; i++)
            ss_hint_offer(&hint, ops[i].name);
        ss_reply_error(engine, event->peer, event->request.id, SS_EINVAL,
            "\"%s\" is no request.%s", event->request.op,
            ss_hint_text(&hint));
        return;
    }
    if (!json_is_object(event->request.body)) {
        ss_reply_error(engine, event->peer, event->request.id, SS_EINVAL,
            "%s: the body must be an object", op->name);
        return;
    }
    if (!check_keys(engine, op, event))
        return;
    if (op->plain)
        op->plain(engine, event->peer, event->request.id,
            event->request.body);
    else
        on_thread(engine, op, event);
}

// ------------------------------------------------ requests without a thread

static void graphs(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    (void)body;
    json_t *list = json_array();
    for (const struct ss_map_entry *e = engine->latest.first; e;
         e = e->next) {
        const struct known_graph *known = e->value;
        size_t serving = ss_graph_workers(engine, known->graph);
        json_array_append_new(list,
            json_pack("{s:s, s:s, s:I, s:I}", "name", known->graph->name,
                "version", known->graph->version, "nodes",
                (json_int_t)ss_graph_visible_nodes(known->graph), "workers",
                (json_int_t)serving));
    }
    ss_reply(engine, peer, id, json_pack("{s:o}", "graphs", list));
}

static struct ss_graph *named_graph(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    struct ss_error error = {0};
    struct ss_graph *found = NULL;
    if (!json_object_get(body, "graph"))
        ss_error_set(&error, SS_EINVAL, "say which graph");
    else
        found = ss_request_graph(engine, NULL, body, &error);
    if (!found)
        ss_reply_error(engine, peer, id, error.status, "%s", error.message);
    return found;
}

static void graph(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    const struct ss_graph *found = named_graph(engine, peer, id, body);
    if (found)
        ss_reply(engine, peer, id,
            json_pack("{s:O, s:s}", "graph", found->description, "version",
                found->version));
}

static void draw(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    struct ss_graph *found = named_graph(engine, peer, id, body);
    if (!found)
        return;
    const json_t *xray = json_object_get(body, "xray");
    int depth = json_is_true(xray) ? SS_GRAPH_DEPTH_MAX
                                   : (int)ss_json_int(body, "xray", 0);
    char *text = ss_graph_mermaid(
        found, ss_json_bool(body, "styles", true), depth);
    ss_reply(engine, peer, id, json_pack("{s:s}", "mermaid", text));
    ss_free(text);
}

static void workers(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    (void)body;
    ss_reply(engine, peer, id,
        json_pack("{s:o}", "workers", ss_workers_json(engine)));
}

static void compile(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    struct ss_error error = {0};
    struct ss_graph *compiled = NULL;
    int status = ss_graph_compile(
        json_object_get(body, "description"), &compiled, &error);
    if (status != SS_OK) {
        ss_reply_error(engine, peer, id, status, "%s", error.message);
        return;
    }
    ss_reply(engine, peer, id,
        json_pack("{s:s}", "version", compiled->version));
    ss_graph_unref(compiled);
}

static void status_of(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    (void)body;
    ss_reply(engine, peer, id,
        json_pack("{s:I, s:I, s:I, s:I, s:I}", "epoch",
            (json_int_t)engine->options.epoch, "threads",
            (json_int_t)engine->threads.count, "runs",
            (json_int_t)engine->runs.count, "workers",
            (json_int_t)engine->workers.count, "attempts",
            (json_int_t)engine->attempts.count));
}

// On the thread that is named, or on the one of the run.
static void explain(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    const char *run_id = ss_json_str(body, "run", NULL);
    const char *thread_id = ss_json_str(body, "thread", NULL);
    const struct run *run =
        run_id ? ss_map_get(&engine->runs, run_id) : NULL;
    if (run)
        ss_explain_thread(run->thread, peer, id, body);
    else if (thread_id)
        ask_thread(engine, thread_id, peer, id, body);
    else if (run_id)
        ss_request_scan(engine, peer, id, body);
    else
        ss_reply_error(engine, peer, id, SS_EINVAL,
            "explain: say which run, or which thread");
}

static void attach(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    const char *run_id = ss_json_str(body, "run", "");
    struct run *run = ss_map_get(&engine->runs, run_id);
    if (run) {
        ss_run_attach(engine, run, peer, id, body);
        return;
    }
    ss_request_scan(engine, peer, id, body);
}

// ------------------------------------------------ answers from the small tables

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
    } else {
        command.type = SS_COMMAND_GET;
        command.table = SS_RECORD_RUN;
        command.key = ss_strdup(ss_json_str(body, "run", ""));
    }
    SS_VEC_PUSH(&engine->scans,
        (struct scan_reply){tag, ss_strdup(peer), id, ss_strdup(op),
            json_incref(body), NULL});
    ss_engine_command(engine, command);
}

static json_t *list_records(const struct ss_event *event, const json_t *body)
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

static void clear_cache(struct engine *engine, const struct scan_reply *wait,
    const struct ss_event *event)
{
    json_int_t cleared = 0;
    for (size_t i = 0; i < event->records.records_count; i++) {
        const char *key = event->records.records[i].key;
        if (!of_nodes(key, json_object_get(wait->body, "nodes")))
            continue;
        ss_engine_store_record(engine, SS_RECORD_CACHE, key, NULL, NULL);
        cleared++;
    }
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
            json_pack("{s:o}", wait->op, list_records(event, wait->body)));
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
            ss_task_cache_answer(wait.task,
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

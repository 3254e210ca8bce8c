// request.c - what clients ask: the function for each request of
// common/model/requests.def. How one waits until its thread has been read is in
// resume.c.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/requests.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

typedef void thread_fn(
    struct thread *thread, const char *peer, uint64_t id, json_t *body);
typedef void plain_fn(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);

static void workers(struct engine *, const char *, uint64_t, json_t *);
static void status_of(struct engine *, const char *, uint64_t, json_t *);

// One that is of a thread has `on_thread`, called when the thread has been
// read; one that is of a run has it where `plain` may ask for that. `plain` is
// called at once.
static const struct handler {
    thread_fn *on_thread;
    plain_fn *plain;
} handlers[SS_OPS] = {
    [SS_OP_RUN] = {ss_run_request, NULL},
    [SS_OP_ATTACH] = {NULL, ss_locate},
    [SS_OP_CANCEL] = {NULL, ss_cancel_request},
    [SS_OP_STATE] = {ss_read_state, NULL},
    [SS_OP_HISTORY] = {ss_read_history, NULL},
    [SS_OP_UPDATE] = {ss_update_state_request, NULL},
    [SS_OP_CHECKPOINTS] = {ss_read_checkpoints, NULL},
    [SS_OP_IMPORT] = {ss_import_thread, NULL},
    [SS_OP_JOURNAL] = {ss_read_journal, NULL},
    [SS_OP_EXPLAIN] = {ss_explain_thread, ss_locate},
    [SS_OP_MIGRATE] = {ss_migrate_on_thread, ss_locate},
    [SS_OP_RELEASE] = {ss_release_on_thread, ss_locate},
    [SS_OP_DELETE] = {ss_delete_thread, NULL},
    [SS_OP_PRUNE] = {ss_prune_thread, NULL},
    [SS_OP_COPY] = {ss_copy_thread, NULL},
    [SS_OP_THREADS] = {NULL, ss_request_scan},
    [SS_OP_RUNS] = {NULL, ss_request_scan},
    [SS_OP_CLEAR_CACHE] = {NULL, ss_request_scan},
    [SS_OP_GRAPHS] = {NULL, ss_graphs_list},
    [SS_OP_GRAPH] = {NULL, ss_graphs_graph},
    [SS_OP_DRAW] = {NULL, ss_graphs_draw},
    [SS_OP_WORKERS] = {NULL, workers},
    [SS_OP_DRAIN] = {NULL, ss_worker_drain_request},
    [SS_OP_PAUSE] = {NULL, ss_pause_request},
    [SS_OP_UNPAUSE] = {NULL, ss_unpause_request},
    [SS_OP_PAUSES] = {NULL, ss_pauses_request},
    [SS_OP_TASKS] = {NULL, ss_show_tasks},
    [SS_OP_SETTINGS] = {NULL, ss_show_settings},
    [SS_OP_COMPILE] = {NULL, ss_graphs_compile},
    [SS_OP_STATUS] = {NULL, status_of},
};

// ------------------------------------------------ requests on a thread

// NULL: the engine has none that is called so.
static const struct ss_op_row *find_op(const char *name)
{
    const struct ss_op_row *row = ss_op_by_name(name);
    return row && row->home != SS_OP_OF_PROCESS ? row : NULL;
}

// What is copied must not be lost where the copy is there.
static bool is_early_copy(const struct thread *thread, const char *op)
{
    return strcmp(op, "copy") == 0 &&
           ss_thread_head(thread) > thread->durable && !ss_thread_busy(thread);
}

// It is served by the run of its name, where there is one.
static bool finds_a_run(const char *op)
{
    return strcmp(op, "run") == 0 || strcmp(op, "attach") == 0 ||
           strcmp(op, SS_NAME_CLAIMED_OP) == 0 ||
           strcmp(op, SS_NAME_KNOWN_OP) == 0 ||
           strcmp(op, SS_NAME_UNUSED_OP) == 0;
}

// It waited for the store to say whose its run's name is. False: it did not.
static bool serve_named(struct thread *thread, const struct waiting *w)
{
    static const struct {
        const char *op;
        enum name_state state;
    } named[] = {{SS_NAME_CLAIMED_OP, NAME_CLAIMED},
        {SS_NAME_KNOWN_OP, NAME_KNOWN}, {SS_NAME_UNUSED_OP, NAME_UNUSED}};
    for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
        if (strcmp(w->op, named[i].op) == 0) {
            ss_run_named(thread, w->peer, w->id, w->body, named[i].state);
            return true;
        }
    return false;
}

bool ss_request_serve(struct thread *thread, const struct waiting *w)
{
    if (w->peer && finds_a_run(w->op) &&
        ss_waiting_has_run(thread, ss_json_str(w->body, "run", NULL)))
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
    if (serve_named(thread, w))
        return true;
    if (strcmp(w->op, SS_RUN_UNKNOWN_OP) == 0) {
        ss_reply_no_run(
            thread, w->peer, w->id, ss_json_str(w->body, "run", "?"));
        return true;
    }
    if (strcmp(w->op, "attach") == 0) {
        ss_run_ask_again(thread, w->peer, w->id, w->body);
        return true;
    }
    if (is_early_copy(thread, w->op))
        return false;
    if (strcmp(w->op, "copy_into") == 0) {
        ss_copy_into(thread, w->peer, w->id, w->body);
        return true;
    }
    handlers[find_op(w->op)->op].on_thread(thread, w->peer, w->id, w->body);
    return true;
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
        if (ss_shard_owned(engine, ret_name))
            return;
    }
}

// Ask it of a thread: now, or when it has been read and its turn has come.
static void ask_thread(struct engine *engine, const char *name,
    const char *peer, uint64_t id, json_t *body)
{
    const struct ss_op_row *op = find_op(engine->request_op);
    if (!name[0] || strlen(name) > SS_THREAD_SIZE_MAX) {
        ss_reply_error(engine, peer, id, SS_EINVAL,
            "thread: an id has 1 to %d bytes", SS_THREAD_SIZE_MAX);
        return;
    }
    if (ss_redirect(engine, peer, id, name))
        return;
    struct thread *thread = ss_thread_get(engine, name);
    if (ss_requests_open(thread) && thread->waiting.count == 0 &&
        ss_is_read(engine, name) && !is_early_copy(thread, op->name)) {
        handlers[op->op].on_thread(thread, peer, id, body);
        return;
    }
    ss_request_later(thread, op->name, peer, id, body);
}

static void on_thread(struct engine *engine, const struct ss_op_row *op,
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

static bool check_keys(struct engine *engine, const struct ss_op_row *op,
    const struct ss_event *event)
{
    const char *key;
    json_t *value;
    json_object_foreach (event->request.body, key, value) {
        if (ss_op_takes(op, key))
            continue;
        char *text = ss_op_unknown_key(op, key);
        ss_reply_error(
            engine, event->peer, event->request.id, SS_EINVAL, "%s", text);
        ss_free(text);
        return false;
    }
    return true;
}

static void serve_request(struct engine *engine, const struct ss_event *event)
{
    const struct ss_op_row *op = find_op(event->request.op);
    if (!op) {
        struct ss_hint hint;
        ss_hint_init(&hint, event->request.op);
        for (enum ss_op i = 0; i < SS_OPS; i++)
            if (ss_op_row(i)->home != SS_OP_OF_PROCESS)
                ss_hint_offer(&hint, ss_op_row(i)->name);
        ss_reply_error(engine, event->peer, event->request.id, SS_EINVAL,
            "\"%s\" is no request.%s", event->request.op, ss_hint_text(&hint));
        return;
    }
    if (!json_is_object(event->request.body)) {
        ss_reply_error(engine, event->peer, event->request.id, SS_EINVAL,
            "%s: the body must be an object", op->name);
        return;
    }
    if (!check_keys(engine, op, event))
        return;
    plain_fn *plain = handlers[op->op].plain;
    if (plain)
        plain(engine, event->peer, event->request.id, event->request.body);
    else
        on_thread(engine, op, event);
}

void ss_request(struct engine *engine, const struct ss_event *event)
{
    engine->request_op = event->request.op;
    engine->request_by = event->request.by;
    serve_request(engine, event);
    engine->request_op = engine->request_by = NULL;
}

// ------------------------------------------------ requests without a thread

static void workers(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    (void)body;
    ss_reply(engine, peer, id,
        json_pack("{s:o}", "workers", ss_workers_json(engine)));
}

static void status_of(
    struct engine *engine, const char *peer, uint64_t id, json_t *body)
{
    (void)body;
    ss_reply(engine, peer, id,
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "epoch",
            (json_int_t)engine->options.epoch, "threads",
            (json_int_t)engine->threads.count, "runs",
            (json_int_t)ss_runs_all(engine)->count, "workers",
            (json_int_t)engine->workers.count, "attempts",
            (json_int_t)engine->attempts.count, "pauses",
            ss_pauses_json(engine)));
}

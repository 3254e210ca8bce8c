// request.c - what clients ask: the function for each request of
// common/model/requests.def. How one waits until its thread has been read is in
// resume.c.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/model/limits.h"
#include "common/model/request.h"
#include "common/model/suggest.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/facts.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/requests.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/waiting.h"

typedef void thread_fn(struct thread *thread, const struct ss_request *request);
typedef void plain_fn(struct engine *engine, const struct ss_request *request);

static void workers(struct engine *, const struct ss_request *);
static void status_of(struct engine *, const struct ss_request *);

// One that is of a thread has `on_thread`, called when the thread has been
// read; one that is of a run has it where `plain` may ask for that. `plain` is
// called at once.
static const struct handler {
    thread_fn *on_thread;
    plain_fn *plain;
} handlers[SS_OPS] = {
    [SS_OP_RUN] = {ss_run_request, NULL},
    [SS_OP_ATTACH] = {ss_run_ask_again, ss_locate},
    [SS_OP_CANCEL] = {ss_cancel_on_thread, ss_cancel_request},
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
    [SS_OP_THREAD_PUT] = {ss_facts_request, NULL},
    [SS_OP_THREAD] = {ss_facts_thread, NULL},
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
    [SS_OP_LIMIT] = {NULL, ss_limit_request},
    [SS_OP_LIMITS] = {NULL, ss_limits_request},
    [SS_OP_TASKS] = {NULL, ss_show_tasks},
    [SS_OP_SETTINGS] = {NULL, ss_show_settings},
    [SS_OP_COMPILE] = {NULL, ss_graphs_compile},
    [SS_OP_STATUS] = {NULL, status_of},
};

// ------------------------------------------------ requests on a thread

// What is copied must not be lost where the copy is there.
static bool is_early_copy(
    const struct thread *thread, const struct ss_request *request)
{
    return request->op == SS_OP_COPY &&
           ss_thread_head(thread) > ss_thread_facts(thread)->durable &&
           !ss_thread_busy(thread);
}

// It is served by the run of its name, which waits, too.
static bool waits_for_run(const struct thread *thread, const struct waiting *w)
{
    const struct ss_request *request = w->request;
    return request &&
           (request->op == SS_OP_RUN ||
               (request->op == SS_OP_ATTACH && w->turn == TURN_OP)) &&
           ss_waiting_has_run(thread, request->run);
}

// False: it must wait on.
static bool serve_waiting(struct thread *thread, const struct waiting *w)
{
    const struct ss_request *request = w->request;
    if (waits_for_run(thread, w))
        return false;
    switch (w->turn) {
    case TURN_OP:
        if (is_early_copy(thread, request))
            return false;
        handlers[request->op].on_thread(thread, request);
        break;
    case TURN_NAME_UNUSED:
    case TURN_NAME_KNOWN:
    case TURN_NAME_CLAIMED:
        ss_run_named(thread, request, w->turn);
        break;
    case TURN_RUN_UNKNOWN:
        ss_reply_no_run(thread, request, request->run);
        break;
    case TURN_COPY:
        ss_copy_into(thread, request);
        break;
    case TURN_RECOVER: // not yet, where its graph is unknown
        return ss_run_recover(thread, w->run);
    case TURN_TAKE_BACK:
        ss_run_take_back_found(thread, w->run);
        break;
    }
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
            ret_name[i] = alphabet[ss_prng_below(ss_engine_prng(engine), 16)];
        if (ss_shard_owned(engine, ret_name))
            return;
    }
}

// Ask it of a thread: now, or when it has been read and its turn has come.
static void ask_thread(
    struct engine *engine, const char *name, const struct ss_request *request)
{
    if (!name[0] || strlen(name) > SS_THREAD_SIZE_MAX) {
        ss_reply_error(engine, request, SS_EINVAL,
            "thread: an id has 1 to %d bytes", SS_THREAD_SIZE_MAX);
        return;
    }
    if (ss_redirect(engine, request, name))
        return;
    struct thread *thread = ss_thread_get(engine, name);
    if (ss_thread_is_open(thread) && ss_waiting_count(thread) == 0 &&
        ss_is_read(engine, name) && !is_early_copy(thread, request))
        handlers[request->op].on_thread(thread, request);
    else
        ss_request_later(thread, TURN_OP, request);
}

static void on_thread(struct engine *engine, const struct ss_request *request)
{
    char made[SS_HEX128_SIZE];
    if (request->thread) {
        ask_thread(engine, request->thread, request);
    } else if (request->op == SS_OP_RUN) {
        make_thread(engine, request->run, made);
        ask_thread(engine, made, request);
    } else {
        ss_reply_error(engine, request, SS_EINVAL, "%s: say which thread",
            ss_request_name(request));
    }
}

static void serve(struct engine *engine, const struct ss_request *request)
{
    plain_fn *plain = handlers[request->op].plain;
    char *fault = ss_request_fault(request);
    if (fault)
        ss_reply_error(engine, request, SS_EINVAL, "%s", fault);
    else if (plain)
        plain(engine, request);
    else
        on_thread(engine, request);
    ss_free(fault);
}

static char *no_request(const char *op)
{
    struct ss_hint hint;
    ss_hint_init(&hint, op);
    for (enum ss_op i = 0; i < SS_OPS; i++)
        if (ss_op_row(i)->home != SS_OP_OF_PROCESS)
            ss_hint_offer(&hint, ss_op_row(i)->name);
    return ss_format("\"%s\" is not a request.%s", op, ss_hint_text(&hint));
}

void ss_request(struct engine *engine, const struct ss_event *event)
{
    const struct ss_op_row *op = ss_op_by_name(event->request.op);
    char *wrong = NULL;
    if (!op || op->home == SS_OP_OF_PROCESS)
        wrong = no_request(event->request.op);
    else if (!json_is_object(event->request.body))
        wrong = ss_format("%s: the body must be an object", op->name);
    if (wrong) {
        ss_reply_refused(
            engine, event->peer, event->request.id, SS_EINVAL, wrong);
        ss_free(wrong);
        return;
    }
    ss_check(op != NULL);
    struct ss_request *request = ss_request_new(op->op, event->peer,
        event->request.id, event->request.by, event->request.body);
    request->is_alone = event->request.is_alone;
    serve(engine, request);
    ss_request_unref(request);
}

// ------------------------------------------------ requests without a thread

static void workers(struct engine *engine, const struct ss_request *request)
{
    ss_reply(engine, request,
        json_pack("{s:o, s:o}", "workers", ss_workers_json(engine), "crashes",
            ss_crashes_json(engine)));
}

static void status_of(struct engine *engine, const struct ss_request *request)
{
    ss_reply(engine, request,
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "epoch",
            (json_int_t)engine->options.epoch, "threads",
            (json_int_t)ss_threads_all(engine)->count, "runs",
            (json_int_t)ss_runs_all(engine)->count, "workers",
            (json_int_t)ss_workers_count(engine), "attempts",
            (json_int_t)ss_attempts_count(engine), "pauses",
            ss_pauses_json(engine)));
}

// ------------------------------------------------ all of them

void ss_requests_init(struct engine *engine)
{
    engine->requests = ss_zalloc(1, sizeof(*engine->requests));
    engine->requests->serve = serve_waiting;
}

void ss_requests_fini(struct engine *engine)
{
    ss_scans_fini(engine);
    ss_claims_fini(engine);
    ss_check(engine->requests->listeners.count == 0); // all runs have gone
    ss_map_fini(&engine->requests->listeners, NULL);
    ss_free(engine->requests);
}

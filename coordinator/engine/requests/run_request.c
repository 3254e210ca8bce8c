// run_request.c - the request `run`: looked at, named, and begun or put in its
// thread's queue.
//
//   named before? --> that run serves it (subscribers.c, outlived.c)
//   thread busy?  --> what `if_busy` says (queue.c)
//   its name must become the thread's first? --> claim.c, then here again
//   else it begins (run.c)

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/prng.h"
#include "common/base/status.h"
#include "common/model/request.h"
#include "common/model/run_key.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/requests/audience.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/run_requests.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

// Who names a thread may want no other than one that is there.
static int check_thread(const struct thread *thread,
    const struct ss_request *request, struct ss_error *error)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    static const char refuse[] = "refuse", make[] = "make";
    const char *said = request->if_absent;
    ss_check(its->state == THREAD_HOT); // else nobody knows
    if (!request->has.if_absent || (said && strcmp(said, make) == 0))
        return SS_OK;
    if (!said || strcmp(said, refuse) != 0)
        return ss_error_set(
            error, SS_EINVAL, "if_absent: say %s or %s", make, refuse);
    if (ss_thread_is_there(thread))
        return SS_OK;
    return ss_error_set(error, SS_ENOTFOUND, "there is no thread %s", its->id);
}

// What can be said before a run is made of the request: SS_OK, and what is to
// be done about a thread that is busy, and the graph (borrowed).
static int look_at(struct thread *thread, const struct ss_request *request,
    enum if_busy *ret_if_busy, struct ss_graph **ret_graph,
    struct ss_error *error)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *name = request->run;
    char with[SS_BUSY_TEXT_SIZE];
    if (name && !ss_run_name_fits(name))
        return ss_error_set(error, SS_EINVAL,
            "run: an id has 1 to %d characters", SS_UUID_SIZE - 1);
    int status = ss_queue_strategy(request, ret_if_busy, error);
    if (status == SS_OK)
        status = check_thread(thread, request, error);
    if (status != SS_OK)
        return status;
    if (*ret_if_busy == IF_BUSY_REJECT && ss_thread_busy(thread)) {
        ss_thread_busy_with(thread, with);
        return ss_error_set(error, SS_EBUSY,
            "thread %s is busy with %s: "
            "wait for it, cancel it, or say what to do (--if-busy, in a "
            "request if_busy)",
            its->id, with);
    }
    *ret_graph = ss_request_graph(its->engine, thread, request->graph, error);
    return *ret_graph ? SS_OK : error->status;
}

// It has begun, or who asked is told why not.
static void enter(struct run *run, const struct ss_request *request)
{
    struct engine *engine = ss_run_facts(run)->engine;
    struct ss_error error;
    ss_error_none(&error);
    int status = ss_run_enter(run, &error);
    if (status == SS_OK)
        return;
    ss_run_free(run);
    ss_reply_error(engine, request, status, "%s", error.message);
}

// It has its name, and begins or joins the queue.
static int begin(struct run *run, const struct ss_request *request,
    enum if_busy if_busy, struct ss_error *error)
{
    struct thread *thread = ss_run_facts(run)->thread;
    int status = ss_run_listen(run, request, error);
    if (status == SS_OK && ss_thread_busy(thread))
        status = ss_queue_make_way(run, if_busy, error);
    if (status != SS_OK)
        ss_run_free(run);
    else if (ss_thread_busy(thread))
        ss_queue_join(run);
    else
        enter(run, request);
    return status;
}

static void random_id(struct engine *engine, char ret_id[SS_UUID_SIZE])
{
    uint64_t high = ss_prng_next(ss_engine_prng(engine));
    ss_uuid4(high, ss_prng_next(ss_engine_prng(engine)), ret_id);
}

// Without the facts that it brings: a row of their own keeps these, and whoever
// finds the run is not to say them again. Gives.
static struct ss_request *but_facts(const struct ss_request *request)
{
    if (!request->has.facts)
        return ss_request_ref(request);
    json_t *body = json_copy(request->body);
    json_object_del(body, "facts");
    struct ss_request *rest = ss_request_new(
        request->op, request->peer, request->id, request->signed_by, body);
    json_decref(body);
    ss_check(!rest->has.facts && rest->op == request->op);
    return rest;
}

static int make(struct thread *thread, struct ss_graph *graph,
    const struct ss_request *request, struct run **ret_run,
    struct ss_error *error)
{
    const char *name = request->run;
    char made_up[SS_UUID_SIZE];
    if (!name)
        random_id(ss_thread_facts(thread)->engine, made_up);
    struct run *run = ss_run_new(thread, name ? name : made_up, graph);
    struct ss_request *rest = but_facts(request);
    json_t *facts = NULL;
    int status = ss_run_parse(run, rest, error);
    ss_request_unref(rest);
    if (status == SS_OK && request->has.facts)
        status = ss_facts_lay(thread, request->facts, &facts, error);
    if (facts)
        ss_run_brings(run, facts);
    if (status == SS_OK)
        *ret_run = run;
    else
        ss_run_free(run);
    return status;
}

static void ask(
    struct thread *thread, const struct ss_request *request, enum turn turn)
{
    struct engine *engine = ss_thread_facts(thread)->engine;
    struct ss_error error;
    enum if_busy if_busy = IF_BUSY_REJECT;
    struct ss_graph *graph = NULL;
    struct run *run = NULL;
    const char *name = request->run;
    bool is_ours = turn == TURN_NAME_KNOWN || turn == TURN_NAME_CLAIMED;
    ss_error_none(&error);
    ss_check(turn <= TURN_NAME_CLAIMED);
    if (ss_run_serve_repeated(thread, request, name))
        return;
    if (turn == TURN_OP && ss_outlived_look(thread, request))
        return;
    int status = look_at(thread, request, &if_busy, &graph, &error);
    if (status == SS_OK)
        status = make(thread, graph, request, &run, &error);
    if (status == SS_OK && name && !is_ours && !ss_records_are_keyed(engine)) {
        ss_run_free(run);
        ss_claim(thread, request);
        return;
    }
    if (status == SS_OK) {
        if (is_ours || !ss_records_are_keyed(engine))
            ss_record_is_old(thread, ss_run_facts(run)->id);
        status = begin(run, request, if_busy, &error);
    }
    if (status != SS_OK) {
        if (turn == TURN_NAME_CLAIMED)
            ss_record_drop(thread, name);
        ss_reply_error(engine, request, status, "%s", error.message);
    }
}

void ss_run_request(struct thread *thread, const struct ss_request *request)
{
    ask(thread, request, TURN_OP);
}

void ss_run_named(
    struct thread *thread, const struct ss_request *request, enum turn turn)
{
    ask(thread, request, turn);
}

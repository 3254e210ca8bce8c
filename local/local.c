// local.c - the core of a coordinator driven by one process and the thread that
// asks. Like the coordinator's shell it decides nothing: it carries out and
// reports back.
//
//   ask -> event -> core -> jobs, commands -> store, bodies, listener
//            ^                                  |       |
//            +------------ answers, outcomes ---+-------+
//
// Worker and client are in this process: they take the engine's commands
// directly, which never become messages.
#include "superstep/local.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/model/value.h"
#include "coordinator/core/core.h"
#include "coordinator/engine/limits.h"
#include "local/crew.h"
#include "local/storage.h"
#include "worker/application.h"
#include "worker/execute.h"

static const char worker_peer[] = "local-worker";
static const char client_peer[] = "local-client";

// Bytes that outcomes of one step write: a row is read, and stored, as a whole.
enum { TOGETHER_SIZE_MAX = 1024 * 1024 };

// The worker of this process is never lost.
#define LEASE_MS ((int64_t)1 << 50)

struct ss_local {
    struct ss_core *core;
    struct ss_storage *storage;
    struct ss_application *application;
    struct ss_crew *crew; // NULL: bodies run on the thread that asks
    unsigned threads;
    bool skip_waiting;
    int64_t skipped_ms;
    struct ss_local_reports reports;
    size_t reports_taken;
    struct ss_error refused; // why the engine refused our worker
    uint64_t requests;
    // the request under way
    const struct ss_local_listener *listener;
    json_t *answer;
};

// ------------------------------------------------------------------ time

static int64_t clock_us(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t now_ms(const struct ss_local *local)
{
    return clock_us(CLOCK_MONOTONIC) / 1000 + local->skipped_ms;
}

static int64_t wall_us(const struct ss_local *local)
{
    return clock_us(CLOCK_REALTIME) + local->skipped_ms * 1000;
}

static void wait_until(struct ss_local *local, int64_t at_ms)
{
    int64_t left_ms = at_ms - now_ms(local);
    if (left_ms <= 0)
        return;
    if (local->skip_waiting) {
        local->skipped_ms += left_ms;
        return;
    }
    struct timespec left = {.tv_sec = (time_t)(left_ms / 1000),
        .tv_nsec = (long)(left_ms % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

// ------------------------------------------------------------------ bodies

// One attempt while its body runs.
struct attempt {
    struct ss_local *local;
    int64_t started_ms;
    int64_t progress_ms; // when it last showed a sign of life
    bool was_idle;       // for longer than it may
};

static void note_progress(
    struct attempt *attempt, const struct ss_assignment *order)
{
    int64_t now = now_ms(attempt->local);
    if (order->timeouts.idle_ms > 0 &&
        now - attempt->progress_ms > order->timeouts.idle_ms)
        attempt->was_idle = true;
    attempt->progress_ms = now;
}

static void on_live(void *ctx, const struct ss_assignment *order,
    enum ss_live_kind kind, json_t *item)
{
    struct attempt *attempt = ctx;
    struct ss_local_report report = {.is_live = true,
        .attempt = order->attempt,
        .kind = kind,
        .value = json_incref(item)};
    SS_VEC_PUSH(&attempt->local->reports.list, report);
}

static void on_progress(
    void *ctx, const struct ss_assignment *order, bool is_heartbeat)
{
    if (is_heartbeat || !order->timeouts.heartbeat_only)
        note_progress(ctx, order);
}

static int64_t left_ms(void *ctx, const struct ss_assignment *order)
{
    const struct attempt *attempt = ctx;
    if (order->timeouts.run_ms == 0)
        return INT64_MAX;
    return attempt->started_ms + order->timeouts.run_ms -
           now_ms(attempt->local);
}

static void execute(struct ss_local *local, const struct ss_assignment *order)
{
    int64_t now = now_ms(local);
    struct attempt attempt = {
        .local = local, .started_ms = now, .progress_ms = now};
    const struct ss_execute_hooks hooks = {.live = on_live,
        .progress = on_progress,
        .left_ms = left_ms,
        .ctx = &attempt};
    struct ss_outcome *outcome = ss_execute(local->application, order, &hooks);
    note_progress(&attempt, order);
    struct ss_outcome *late = NULL;
    if (left_ms(&attempt, order) < 0)
        late = ss_crew_over_time(order, "run", order->timeouts.run_ms);
    else if (attempt.was_idle)
        late = ss_crew_over_time(order, "idle", order->timeouts.idle_ms);
    if (late) {
        ss_outcome_destroy(&outcome);
        outcome = late;
    }
    struct ss_local_report report = {.outcome = outcome};
    SS_VEC_PUSH(&local->reports.list, report);
}

// ------------------------------------------------------------------ the core

static void on_item(struct ss_local *local, json_t *item)
{
    if (local->listener && local->listener->on_item)
        local->listener->on_item(local->listener->ctx, item);
}

// What the core itself carries out is for the store.
static bool local_command(void *ctx, const struct ss_command *command)
{
    struct ss_local *local = ctx;
    switch (command->type) {
    case SS_COMMAND_DISPATCH:
        if (local->crew)
            ss_crew_start(local->crew, command->order);
        else
            execute(local, command->order);
        break;
    case SS_COMMAND_CANCEL: // without a crew it has ended before anyone asks
        if (local->crew)
            ss_crew_cancel(local->crew, command->attempt);
        break;
    case SS_COMMAND_READ:
    case SS_COMMAND_STORE:
    case SS_COMMAND_SCAN:
    case SS_COMMAND_FIND:
    case SS_COMMAND_GET:
        return false;
    case SS_COMMAND_REPLY:
        if (command->id == local->requests) {
            json_decref(local->answer);
            local->answer = json_incref(command->json);
        }
        break;
    case SS_COMMAND_EVENT:
        if (command->id == local->requests)
            on_item(local, command->json);
        break;
    case SS_COMMAND_REFUSE:
        ss_error_set(&local->refused, command->status, "%s", command->text);
        break;
    case SS_COMMAND_WELCOME:
    case SS_COMMAND_HEARD:
    case SS_COMMAND_MEMBERS:
    case SS_COMMAND_SEEK:
    case SS_COMMAND_ADOPT:
    case SS_COMMAND_DRAIN: // the worker here ends with its caller
    case SS_COMMAND_SETTLED:
    case SS_COMMAND_DAMAGED: // whoever asks for the thread gets the error
        break;
    }
    return true;
}

static int local_store(
    void *ctx, struct ss_store_unit *unit, struct ss_error *error)
{
    struct ss_local *local = ctx;
    return ss_storage_apply(local->storage, unit, error);
}

// A unit is applied when it is given: nothing that waits could make the thread
// known.
static bool local_is_new(void *ctx, const char *thread)
{
    struct ss_local *local = ctx;
    return !ss_storage_knows(local->storage, thread);
}

// The lines that a step logs are dropped: there is no log.
static void step(struct ss_local *local, struct ss_core_event event)
{
    struct ss_core_outputs outputs;
    event.now_ms = now_ms(local);
    event.wall_us = wall_us(local);
    ss_core_step(local->core, &event, &outputs);
    for (size_t i = 0; i < outputs.count; i++)
        if (outputs.items[i].type == SS_CORE_SUBMIT)
            ss_storage_submit(local->storage, outputs.items[i].job);
}

static void tell(struct ss_local *local, struct ss_event *event)
{
    step(local,
        (struct ss_core_event){.type = SS_CORE_HAPPENED, .happened = event});
}

static void tell_live(struct ss_local *local, struct ss_local_report report)
{
    struct ss_event event = {.type = SS_EVENT_TASK_LIVE, .peer = worker_peer};
    event.live.attempt = report.attempt;
    event.live.kind = report.kind;
    event.live.value = report.value;
    tell(local, &event);
    json_decref(report.value);
}

// How many bytes its writes take in a row, about.
static size_t outcome_size(const struct ss_outcome *outcome)
{
    size_t size = 0;
    for (size_t i = 0; i < outcome->writes.count; i++)
        size += ss_value_size_about(outcome->writes.items[i].value);
    return size;
}

// Outcomes that are there together are one step, and what they wrote is one
// row, unless it grows too large.
static void tell_outcomes(struct ss_local *local)
{
    const struct ss_local_reports *reports = &local->reports;
    size_t size = 0;
    bool more = true;
    while (more) {
        struct ss_event event = {
            .type = SS_EVENT_TASK_DONE, .peer = worker_peer};
        event.done.outcome =
            reports->list.items[local->reports_taken++].outcome;
        size += outcome_size(event.done.outcome);
        more = local->reports_taken < reports->list.count &&
               !reports->list.items[local->reports_taken].is_live &&
               size < TOGETHER_SIZE_MAX;
        step(local,
            (struct ss_core_event){
                .type = SS_CORE_HAPPENED, .happened = &event, .more = more});
    }
}

static bool step_report(struct ss_local *local)
{
    if (local->reports_taken == local->reports.list.count) {
        local->reports.list.count = local->reports_taken = 0;
        if (local->crew)
            ss_crew_hear(local->crew, &local->reports);
    }
    if (local->reports.list.count == 0)
        return false;
    if (local->reports.list.items[local->reports_taken].is_live)
        tell_live(local, local->reports.list.items[local->reports_taken++]);
    else
        tell_outcomes(local);
    return true;
}

static bool step_storage(struct ss_local *local)
{
    struct ss_job *job = ss_storage_take(local->storage);
    if (!job)
        return false;
    step(local, (struct ss_core_event){.type = SS_CORE_DONE, .job = job});
    ss_job_destroy(&job);
    return true;
}

// A step of what the core still owes its engine. False: nothing.
static bool step_owed(struct ss_local *local)
{
    if (ss_core_wake_at_ms(local->core) > 0)
        return false;
    step(local, (struct ss_core_event){.type = SS_CORE_TURN});
    return true;
}

// Let time pass: until a body reports, or the engine has something to do. What
// may be skipped is so when nobody is out. False: nothing will ever happen.
static bool wait(struct ss_local *local)
{
    int64_t wake_at_ms = ss_core_wake_at_ms(local->core);
    int64_t left_ms = wake_at_ms - now_ms(local);
    if (local->crew && ss_crew_is_out(local->crew)) {
        ss_crew_wait(local->crew, local->skip_waiting ? INT64_MAX : left_ms);
        if (now_ms(local) < wake_at_ms)
            return true;
    } else if (left_ms > LEASE_MS / 2) {
        return false;
    } else {
        wait_until(local, wake_at_ms);
    }
    step(local, (struct ss_core_event){.type = SS_CORE_TICK});
    return true;
}

// Do everything that is ready, then wait: until the answer is there, or nothing
// is left that could bring it.
static void pump(struct ss_local *local)
{
    while (!local->answer)
        if (!step_storage(local) && !step_report(local) && !step_owed(local) &&
            !wait(local))
            return;
}

// Do what is ready, without waiting.
static void settle(struct ss_local *local)
{
    while (step_storage(local) || step_report(local) || step_owed(local))
        continue;
    step(local, (struct ss_core_event){.type = SS_CORE_FLUSH});
}

// ------------------------------------------------------------------ opening

static int fail(
    struct ss_local_error *ret_error, const char *code, const char *message)
{
    if (ret_error) {
        snprintf(ret_error->code, sizeof(ret_error->code), "%s", code);
        snprintf(ret_error->message, sizeof(ret_error->message), "%s", message);
    }
    return -1;
}

static void hello(struct ss_local *local)
{
    size_t count = ss_application_count(local->application);
    json_t **graphs = ss_zalloc(count + 1, sizeof(*graphs));
    for (size_t i = 0; i < count; i++)
        graphs[i] =
            ss_application_graph(local->application, i)->graph->description;
    struct ss_event event = {
        .type = SS_EVENT_WORKER_HELLO, .peer = worker_peer};
    event.hello.name = "local";
    event.hello.capacity = // without threads they only queue up
        local->crew ? local->threads : SS_WORKER_CAPACITY_MAX;
    event.hello.graphs = graphs;
    event.hello.graphs_count = count;
    tell(local, &event);
    ss_free(graphs);
}

static struct ss_core *new_core(
    struct ss_local *local, uint64_t epoch, uint64_t seed)
{
    struct ss_prng mixed;
    ss_prng_init(&mixed, (uint64_t)clock_us(CLOCK_REALTIME) ^ epoch << 32);
    return ss_core_new(&(struct ss_core_options){
        .self = {.name = "local", .epoch = epoch},
        .outlives_store = true,
        .keeps_rows = ss_storage_keeps_rows(local->storage),
        .seed = seed ? seed : ss_prng_next(&mixed),
        .lease_ms = LEASE_MS,
        .heartbeat_ms = LEASE_MS,
        .command = local_command,
        .store = ss_storage_keeps_rows(local->storage) ? local_store : NULL,
        .is_new = ss_storage_keeps_rows(local->storage) ? local_is_new : NULL,
        .ctx = local});
}

static int start(struct ss_local *local, uint64_t seed, struct ss_error *error)
{
    uint64_t epoch;
    int status = ss_storage_epoch(local->storage, &epoch, error);
    if (status != SS_OK)
        return status;
    local->core = new_core(local, epoch, seed);
    settle(local);
    if (local->application)
        hello(local);
    settle(local);
    const struct ss_error *failure = ss_core_failure(local->core);
    *error = failure->status != SS_OK ? *failure : local->refused;
    return error->status;
}

static int open_crew(
    struct ss_local *local, unsigned threads, struct ss_error *error)
{
    local->threads = threads;
    if (threads > SS_LOCAL_THREADS_MAX)
        return ss_error_set(error, SS_EINVAL,
            ".threads is %d; give 0 (no thread of its own for a body) to %d",
            (int)threads, SS_LOCAL_THREADS_MAX);
    if (threads == 0 || !local->application)
        return SS_OK;
    return ss_crew_new(local->application, threads, &local->crew, error);
}

int ss_local_open(const struct ss_local_options *options,
    struct ss_local **ret_local, struct ss_local_error *ret_error)
{
    struct ss_error error = {.status = SS_OK};
    struct ss_local *local = ss_zalloc(1, sizeof(*local));
    ss_value_setup();
    local->skip_waiting = options->skip_waiting;
    int status = SS_OK;
    if (options->app)
        status = ss_application_new(
            options->app, options->app_arg, &local->application, &error);
    if (status == SS_OK)
        status = open_crew(local, options->threads, &error);
    if (status == SS_OK)
        status = ss_storage_open(options->store ? options->store : "memory:",
            &local->storage, &error);
    if (status == SS_OK)
        status = start(local, options->seed, &error);
    if (status != SS_OK) {
        ss_local_close(&local);
        return fail(ret_error, ss_status_name(status), error.message);
    }
    *ret_local = local;
    return 0;
}

// Wait for the bodies that are out, and store what they finished.
static void close_crew(struct ss_local *local)
{
    if (!local->crew)
        return;
    ss_crew_end(local->crew);
    while (ss_crew_is_out(local->crew)) {
        ss_crew_wait(local->crew, INT64_MAX);
        settle(local);
    }
    ss_crew_destroy(&local->crew);
}

void ss_local_close(struct ss_local **local)
{
    struct ss_local *old = *local;
    if (!old)
        return;
    *local = NULL;
    close_crew(old);
    for (size_t i = old->reports_taken; i < old->reports.list.count; i++) {
        json_decref(old->reports.list.items[i].value);
        ss_outcome_destroy(&old->reports.list.items[i].outcome);
    }
    SS_VEC_FINI(&old->reports.list);
    ss_core_destroy(&old->core);
    ss_storage_close(&old->storage);
    ss_application_destroy(&old->application);
    json_decref(old->answer);
    ss_free(old);
}

// ------------------------------------------------------------------ asking

static int answer_of(struct ss_local *local, json_t **ret_answer,
    struct ss_local_error *ret_error)
{
    json_t *answer = local->answer;
    local->answer = NULL;
    if (!answer)
        return fail(ret_error, "again",
            "nothing can go on: the graph is not part of this application, or "
            "it is paused");
    json_t *error = json_object_get(answer, "error");
    if (!error || json_object_get(answer, "status")) {
        *ret_answer = answer;
        return 0;
    }
    fail(ret_error, ss_json_str(error, "code", "invalid_state"),
        ss_json_str(error, "message", ""));
    json_decref(answer);
    return -1;
}

// "resume" is a run whose command holds the answer. Takes the body; gives that
// of the run, or NULL: there is no answer in it.
static json_t *resumed(json_t *body)
{
    json_t *value = json_object_get(body, "value");
    json_t *run =
        value && !json_object_get(body, "command") ? json_copy(body) : NULL;
    if (run) {
        json_object_set_new(
            run, "command", json_pack("{s:O}", "resume", value));
        json_object_del(run, "value");
    }
    json_decref(body);
    return run;
}

int ss_local_ask(struct ss_local *local, const char *op, json_t *body,
    const struct ss_local_listener *listener, json_t **ret_answer,
    struct ss_local_error *ret_error)
{
    struct ss_event event = {.type = SS_EVENT_REQUEST, .peer = client_peer};
    if (!body)
        body = json_object();
    if (strcmp(op, "resume") == 0) {
        op = "run";
        body = resumed(body);
        if (!body)
            return fail(ret_error, "invalid_argument",
                "resume: say \"thread\" and the answer, \"value\"");
    }
    local->listener = listener;
    event.request.id = ++local->requests;
    event.request.op = op;
    event.request.body = body;
    event.request.is_alone = !listener || !listener->on_item;
    tell(local, &event);
    pump(local);
    settle(local);
    local->listener = NULL;
    json_decref(body);
    return answer_of(local, ret_answer, ret_error);
}

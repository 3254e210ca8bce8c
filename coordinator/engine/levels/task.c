// task.c - one task's life, from its start to its commit (spec/engine.md 6).
//
//   NEW -> CACHE -> READY -> RUNNING -> DONE
//          CACHE -> CACHE               what is kept is used later (cache.c)
//       \-> CHILD (a graph) -> READY (its writers) ...
//                       RUNNING -> BACKOFF -> READY     a failure, retried
//                       RUNNING -> READY                its worker was lost
//                       RUNNING -> INTERRUPTED | HELD | FAILED | PARENT
//
// How it may be tried again is in retry.c, what it leaves behind in commit.c.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/loop_output.h"
#include "coordinator/engine/levels/resume_value.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

// ------------------------------------------------ start

static void start_child(struct task *task)
{
    struct loop *loop = task->facts.loop;
    struct ss_error error = {0};
    char *ns = ss_task_child_ns(task);
    ss_loop_destroy(&task->facts.child);
    ss_task_move(task, TASK_CHILD);
    task->facts.child = ss_loop_new(loop->facts.thread, loop->facts.run,
        task->facts.planned.node->subgraph, ns);
    ss_free(ns);
    task->facts.child->facts.parent = loop;
    task->facts.child->parent_task = task;
    if (ss_loop_enter_child(task->facts.child, &error) != SS_OK) {
        ss_loop_move(task->facts.child, LOOP_FAILED); // kept for what it asked
        ss_task_failed(
            task, error.status, NULL, SS_RETRY_DEFAULT, error.message);
    }
}

static void start_cached(struct task *task)
{
    if (task->facts.planned.node->cached && !task->cache_key)
        ss_cache_ask(task);
    else
        ss_task_start_body(task);
}

bool ss_task_looked(struct engine *engine, const struct ss_event *event)
{
    struct task *task = NULL;
    switch (ss_cache_looked(engine, event, &task)) {
    case CACHE_ANOTHERS:
        return false;
    case CACHE_WAITS:
        break;
    case CACHE_LACKS:
        ss_task_start_body(task);
        break;
    case CACHE_HAS:
        ss_task_succeeded(task, true);
        break;
    }
    return true;
}

void ss_task_back_off(struct task *task, const char *why)
{
    struct engine *engine = task->facts.loop->facts.engine;
    ss_task_move(task, TASK_BACKOFF);
    SS_VEC_PUSH(&engine->levels->backoff, task);
    ss_engine_wake(engine, task->facts.tries.retry_at_ms);
    ss_engine_narrate(engine,
        "task %s %s; attempt %" PRIu32 " in %" PRId64 " ms",
        task->facts.planned.node->name, why, task->facts.tries.failures + 1,
        task->facts.tries.retry_at_ms - engine->now_ms);
}

// The writers of a task that has its return value: here if they need no code
// of the application, else on a worker.
static void task_write(struct task *task)
{
    struct ss_error error;
    json_t *parent = NULL;
    ss_error_none(&error);
    task->facts.order_kind = SS_ORDER_WRITERS;
    if (ss_writers_need_worker(task->facts.planned.node)) {
        ss_task_ready(task);
        return;
    }
    struct ss_fresh fresh = {0};
    int status = ss_writers_run(task->facts.loop->facts.graph,
        task->facts.planned.node, ss_value_json(task->facts.returned), &fresh,
        NULL, task->facts.planned.id, &task->facts.writes, &parent, &error);
    if (status != SS_OK) {
        ss_task_failed(task, status, NULL, SS_RETRY_DEFAULT, error.message);
    } else if (parent) {
        task->parent = parent;
        ss_task_move(task, TASK_PARENT);
        task->facts.loop->facts.engine->watch->committed(task);
        ss_task_settled(task);
    } else {
        ss_task_succeeded(task, false);
    }
}

// Could this be taken for more than data (model/tag.h)?
static bool may_be_mark(const json_t *json)
{
    if (!json_is_object(json))
        return true;
    void *only =
        json_object_size(json) == 1 ? json_object_iter((json_t *)json) : NULL;
    return only && json_object_iter_key(only)[0] == '$';
}

void ss_task_start(struct task *task)
{
    if (task->facts.tries.retry_at_ms >
        task->facts.loop->facts.engine->now_ms) {
        ss_task_back_off(task, "has failed before");
        return;
    }
    ss_free(task->facts.error);
    task->facts.error = NULL;
    if (task->facts.planned.node->subgraph) {
        start_child(task);
        return;
    }
    task->facts.order_kind = SS_ORDER_NODE;
    if (!task->facts.planned.node->has_body) {
        // __start__: its input is what it returns, as data; but a command on a
        // fresh thread is one (enter.c)
        const struct loop *loop = task->facts.loop;
        bool is_command = !loop->facts.parent &&
                          run_of(loop)->options.command &&
                          !loop->entered.resuming;
        json_t *input = ss_value_json(task->facts.planned.input);
        task->facts.returned =
            is_command || !may_be_mark(input)
                ? ss_value_ref(task->facts.planned.input)
                : ss_value_new(json_pack("{s:O}", "$quote", input));
        task_write(task);
        return;
    }
    start_cached(task);
}

void ss_task_retry_due(struct task *task)
{
    ss_check(
        task->facts.state == TASK_BACKOFF || task->facts.state == TASK_CACHE);
    ss_free(task->facts.error);
    task->facts.error = NULL;
    if (task->facts.planned.node->subgraph) {
        start_child(task);
        return;
    }
    start_cached(task);
}

void ss_task_leave(struct task *task)
{
    struct levels *levels = task->facts.loop->facts.engine->levels;
    for (size_t i = levels->backoff.count; i-- > 0;)
        if (levels->backoff.items[i] == task)
            SS_VEC_REMOVE(&levels->backoff, i);
    ss_cache_forget(task);
    ss_resume_value_forget(task);
    ss_loop_destroy(&task->facts.child);
}

// ------------------------------------------------ the outcome of an attempt

static void use_answers(struct task *task, const struct ss_outcome *outcome)
{
    json_decref(task->used_answers);
    task->used_answers = json_incref(outcome->answers);
    if (json_array_size(outcome->answers) > json_array_size(task->answers)) {
        json_decref(task->answers);
        task->answers = json_copy(outcome->answers);
    }
}

void ss_task_outcome(struct task *task, struct ss_outcome *outcome)
{
    struct run *run = task->facts.loop->facts.run;
    size_t i;
    json_t *item;
    use_answers(task, outcome);
    bool refused = outcome->kind == SS_OUTCOME_FAILED &&
                   outcome->code == SS_EANSWER && task->resume_value_given;
    bool taken = outcome->took_plain || refused;
    if (taken)
        ss_resume_value_put(run, NULL);
    ss_resume_value_released(run, task);
    if (outcome->drain && !run->drain)
        run->drain = ss_strdup(outcome->drain);
    json_array_foreach (outcome->warnings, i, item)
        if (json_is_string(item))
            ss_loop_warn(task->facts.loop, "%s", json_string_value(item));
    switch (outcome->kind) {
    case SS_OUTCOME_DONE:
        ss_writes_fini(&task->facts.writes);
        task->facts.writes = outcome->writes;
        memset(&outcome->writes, 0, sizeof(outcome->writes));
        json_decref(task->facts.messages);
        task->facts.messages = json_incref(outcome->messages);
        ss_task_succeeded(task, false);
        break;
    case SS_OUTCOME_INTERRUPTED:
        ss_task_interrupted(task, outcome->question);
        break;
    case SS_OUTCOME_FAILED:
        ss_task_failed(task, outcome->code, outcome->error_kind,
            outcome->retryable, outcome->message ? outcome->message : "");
        break;
    case SS_OUTCOME_PARENT:
        task->parent = json_incref(outcome->parent);
        ss_task_move(task, TASK_PARENT);
        task->facts.loop->facts.engine->watch->committed(task);
        ss_task_settled(task);
        break;
    case SS_OUTCOME_CANCELLED:
        ss_task_failed(task, SS_ECANCELLED, NULL, SS_RETRY_NO,
            outcome->message ? outcome->message : "cancelled");
        break;
    }
    if (taken)
        ss_task_took_resume_value(task, outcome->kind != SS_OUTCOME_PARENT);
    ss_resume_value_settle(run);
}

// ------------------------------------------------ a graph inside has ended

// R6.11: a Command from inside counts as what the node returned.
static void child_parent(struct task *task, const struct loop *child)
{
    json_t *marked = json_object_get(child->result.parent_command, "$command");
    json_t *command = json_copy(marked ? marked : child->result.parent_command);
    json_object_del(command, "graph");
    task->facts.returned =
        ss_value_new(json_pack("{s:o}", "$command", command));
    task_write(task);
}

static void child_interrupted(struct task *task, const struct loop *child)
{
    json_decref(task->facts.interrupts);
    task->facts.interrupts = json_incref(child->result.interrupts);
    if (json_array_size(child->result.interrupts) > 0) {
        ss_task_commit_interrupt(task);
        return;
    }
    ss_task_move(
        task, TASK_INTERRUPTED); // a breakpoint inside: nothing is stored
    ss_task_settled(task);
}

void ss_task_child_ended(struct task *task, struct loop *child)
{
    ss_value_unref(task->facts.returned);
    task->facts.returned = NULL;
    switch (child->facts.status) {
    case LOOP_DONE:
        task->facts.returned = ss_loop_output(child)
                                   ? ss_value_new(json_pack("{s:O}", "$quote",
                                         ss_value_json(ss_loop_output(child))))
                                   : ss_value_null();
        task_write(task);
        break;
    case LOOP_INTERRUPTED:
        child_interrupted(task, child);
        break;
    case LOOP_FAILED:
        ss_task_failed(task, child->result.error->status, NULL,
            SS_RETRY_DEFAULT, child->result.error->message);
        break;
    case LOOP_DRAINED:
        ss_task_move(task, TASK_FAILED);
        ss_error_set(ss_error_at(&task->facts.error), SS_EDRAINED, "%s",
            child->result.drain);
        ss_task_settled(task);
        break;
    case LOOP_PARENT:
        child_parent(task, child);
        break;
    case LOOP_ENTERING:
    case LOOP_RUNNING:
    case LOOP_FOLDING:
        ss_unreachable();
    }
}

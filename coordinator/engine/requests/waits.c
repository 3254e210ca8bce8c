// waits.c - what tasks wait for, those of a node together: a fan-out is told in
// a line for each reason, not in one for each task.
#include "coordinator/engine/requests/waits.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"

static const enum ss_wait_reason reasons[] = {
    [WAIT_PLANNED] = SS_WAIT_PLANNED,
    [WAIT_CACHE] = SS_WAIT_CACHE,
    [WAIT_PAUSE] = SS_WAIT_PAUSED,
    [WAIT_ROWS] = SS_WAIT_STORE,
    [WAIT_LIMIT] = SS_WAIT_MAX_CONCURRENCY,
    [WAIT_SHARED] = SS_WAIT_LIMIT,
    [WAIT_SERVER] = SS_WAIT_NO_WORKER,
    [WAIT_LABEL] = SS_WAIT_NO_LABEL,
    [WAIT_STORE] = SS_WAIT_STORE,
    [WAIT_EARLIER] = SS_WAIT_WORKERS_BUSY,
    [WAIT_ROOM] = SS_WAIT_WORKERS_BUSY,
    [WAIT_OUTCOME] = SS_WAIT_RUNNING,
    [WAIT_BACKOFF] = SS_WAIT_BACKOFF,
    [WAIT_ANSWER] = SS_WAIT_ANSWER,
};

// From now. Nothing, where that time has come or is not known.
static int64_t next_try_ms(const struct task *task)
{
    int64_t left = ss_task_facts(task)->tries.retry_at_ms -
                   ss_task_level(task)->engine->now_ms;
    return left > 0 ? left : 0;
}

// Loops of a graph share its nodes; what is folded has none, but a channel.
static bool is_alike(const struct task *a, const struct task *b)
{
    const struct task_facts *facts = ss_task_facts(a);
    return facts->planned.node == ss_task_facts(b)->planned.node &&
           ss_task_root_graph(a) == ss_task_root_graph(b) &&
           (facts->planned.node ||
               strcmp(ss_task_label(a), ss_task_label(b)) == 0);
}

static void join(struct wait *wait, const struct task *task)
{
    int64_t next_ms = next_try_ms(task);
    ss_check(wait->count > 0 && wait->next_ms <= wait->last_ms);
    ss_check(is_alike(wait->task, task));
    wait->count++;
    wait->of_many |= ss_task_level(task)->run != ss_task_level(wait->task)->run;
    wait->of_limits |= !ss_limit_is_same(task, wait->task);
    if (next_ms < wait->next_ms)
        wait->next_ms = next_ms;
    if (next_ms > wait->last_ms)
        wait->last_ms = next_ms;
    if (ss_task_facts(task)->tries.failures >
        ss_task_facts(wait->task)->tries.failures)
        wait->task = task;
}

void ss_waits_add(struct waits *waits, const struct task *task)
{
    enum task_wait what = ss_task_waits_told(task);
    const char *worker = ss_attempt_worker(task);
    if (what == WAIT_NOTHING)
        return;
    for (size_t i = 0; i < waits->count; i++) {
        struct wait *it = &waits->items[i];
        if (it->why == reasons[what] && it->worker == worker &&
            is_alike(it->task, task)) {
            join(it, task);
            return;
        }
    }
    int64_t next_ms = next_try_ms(task);
    if (waits->count < SS_EXPLAIN_WAITS_MAX)
        SS_VEC_PUSH(waits, (struct wait){task, reasons[what], worker, 1,
                               next_ms, next_ms, false, false});
}

void ss_wait_set_backoff(json_t *json, const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    ss_check(facts->state == TASK_BACKOFF);
    json_object_set_new(
        json, "in_ms", json_integer((json_int_t)next_try_ms(task)));
    json_object_set_new(json, "failures", json_integer(facts->tries.failures));
    if (facts->error && facts->error->message[0])
        json_object_set_new(json, "error", json_string(facts->error->message));
}

static void set_backoff(json_t *json, const struct wait *wait)
{
    ss_wait_set_backoff(json, wait->task);
    json_object_set_new(json, "in_ms", json_integer((json_int_t)wait->next_ms));
    if (wait->count > 1)
        json_object_set_new(
            json, "in_ms_last", json_integer((json_int_t)wait->last_ms));
}

static void set_run(json_t *json, const struct wait *wait)
{
    const struct loop_facts *level = ss_task_level(wait->task);
    const struct ss_graph *graph = ss_task_root_graph(wait->task);
    json_object_set_new(json, "graph", json_string(graph->name));
    json_object_set_new(json, "version", json_string(graph->version));
    if (wait->of_many)
        return;
    json_object_set_new(
        json, "thread", json_string(ss_thread_facts(level->thread)->id));
    if (level->run)
        json_object_set_new(
            json, "run", json_string(ss_run_facts(level->run)->id));
}

static json_t *wait_json(const struct wait *wait, bool of_runs)
{
    const struct task *task = wait->task;
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "node", ss_task_label(task),
            "ns", level->ns, "why", ss_wait_reason_name(wait->why), "count",
            (json_int_t)wait->count, "step", (json_int_t)level->step, "attempt",
            (json_int_t)facts->tries.attempts);
    if (of_runs)
        set_run(json, wait);
    if (wait->worker) {
        json_object_set_new(json, "worker", json_string(wait->worker));
        json_object_set_new(
            json, "for_ms", json_integer((json_int_t)ss_attempt_ms(task)));
    }
    if (wait->why == SS_WAIT_BACKOFF)
        set_backoff(json, wait);
    if (wait->why == SS_WAIT_NO_LABEL) {
        char *labels = ss_placement_labels(task);
        json_object_set_new(json, "labels", json_string(labels));
        ss_free(labels);
    }
    if (wait->why == SS_WAIT_LIMIT)
        ss_limit_explain(task, wait->of_limits, json);
    if (facts->tries.redeliveries > 0) {
        json_object_set_new(
            json, "workers_lost", json_integer(facts->tries.redeliveries));
        json_object_set_new(
            json, "fails_at", json_integer(SS_REDELIVERIES_MAX + 1));
        char *how = ss_task_lost_how(task);
        if (how)
            json_object_set_new(json, "lost_how", json_string(how));
        if (ss_task_runs_alone(task))
            json_object_set_new(json, "alone", json_true());
        ss_free(how);
    }
    return json;
}

json_t *ss_waits_json(struct waits *waits, bool of_runs)
{
    json_t *list = json_array();
    ss_check(waits->count <= SS_EXPLAIN_WAITS_MAX);
    for (size_t i = 0; i < waits->count; i++)
        json_array_append_new(list, wait_json(&waits->items[i], of_runs));
    ss_free(waits->items);
    *waits = (struct waits){0};
    return list;
}

// alone.c - tasks that went down with their workers, and get one to themselves.
//
// When the process of a worker crashes under several tasks, nobody knows which
// of them did it, and each is sent anew. Beside a task that crashes each of its
// workers others would go down with it again and again, until they are lost for
// good. So a task under which workers have crashed is sent, before its last
// tries, to a worker that runs nothing, and that is given nothing else
// meanwhile: then whoever crashes it did so itself, and the others go on.
//
//   ready --> a worker that serves it is kept for it --> it runs nothing: sent
//             (nothing else goes there)                  --> given others again
//
// Workers that are kept or run such a task are half of all at most, or one: the
// other half is for everybody else. Only what a supervisor has said counts as a
// crash. A worker that is silent, or whose machine is gone, took its tasks with
// it and proves nothing.
#include "coordinator/engine/scheduler/alone.h"

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/invariant.h"

// Two tries alone before it fails, of four; one of the two of `dev`.
static uint32_t first_alone(const struct engine *engine)
{
    uint32_t most = engine->options.crashes_max;
    if (most == 0 || most > SS_REDELIVERIES_MAX + 1)
        most = SS_REDELIVERIES_MAX + 1;
    return most > 2 ? most - 2 : 1;
}

bool ss_task_runs_alone(const struct task *task)
{
    const struct engine *engine = ss_task_level(task)->engine;
    return attempt_of(task)->lost_with > 0 &&
           ss_task_facts(task)->tries.redeliveries >= first_alone(engine) &&
           ss_task_crashed(task);
}

// ------------------------------------------------ tasks

void ss_alone_wait(struct task *task)
{
    struct engine *engine = ss_task_level(task)->engine;
    ss_check(ss_task_facts(task)->state == TASK_READY);
    if (attempt_of(task)->waits_alone || !ss_task_runs_alone(task))
        return;
    attempt_of(task)->waits_alone = true;
    SS_VEC_PUSH(&engine->scheduler->alone, task);
    ss_engine_narrate(engine,
        "%s goes to a worker that runs nothing else: workers crashed under it",
        ss_task_label(task));
    ss_engine_ready_moved(engine);
}

void ss_alone_forget(struct task *task)
{
    struct engine *engine = ss_task_level(task)->engine;
    struct scheduler *scheduler = engine->scheduler;
    if (!attempt_of(task)->waits_alone)
        return;
    attempt_of(task)->waits_alone = false;
    for (size_t i = scheduler->alone.count; i-- > 0;)
        if (scheduler->alone.items[i] == task)
            SS_VEC_REMOVE(&scheduler->alone, i);
    ss_engine_ready_moved(engine); // the worker that was kept is not
}

void ss_alone_begins(const struct task *task, struct worker *worker)
{
    ss_check(!worker->alone && worker->running == 1);
    ss_check(attempt_of(task)->worker == worker);
    worker->alone = task;
}

void ss_alone_ends(const struct task *task)
{
    struct worker *worker = attempt_of(task)->worker;
    ss_check(worker != NULL);
    if (worker->alone == task)
        worker->alone = NULL;
}

// ------------------------------------------------ workers

size_t ss_alone_room(struct engine *engine)
{
    struct scheduler *scheduler = engine->scheduler;
    size_t most = scheduler->workers.count / 2, taken = 0;
    if (!scheduler->keeps_any && scheduler->alone.count == 0)
        return 0;
    for (const struct ss_map_entry *e = scheduler->workers.first; e;
         e = e->next) {
        struct worker *worker = e->value;
        worker->is_kept = false;
        taken += worker->alone != NULL;
    }
    scheduler->keeps_any = false;
    if (most == 0)
        most = 1;
    return taken < most ? most - taken : 0;
}

bool ss_alone_keep(const struct task *task)
{
    struct worker *best = NULL;
    const struct engine *engine = ss_task_level(task)->engine;
    ss_check(attempt_of(task)->waits_alone);
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next) {
        struct worker *worker = e->value;
        if (!ss_worker_leaves(worker) && !worker->alone && !worker->is_kept &&
            ss_placement_suits(worker, task) &&
            (!best || worker->running < best->running))
            best = worker;
    }
    if (!best)
        return false;
    ss_check(!best->is_kept && best->granted > 0);
    best->is_kept = engine->scheduler->keeps_any = true;
    return true;
}

// ------------------------------------------------ what holds

void ss_alone_verify(const struct engine *engine, struct census *census)
{
    const struct scheduler *scheduler = engine->scheduler;
    for (size_t i = 0; i < scheduler->alone.count; i++) {
        const struct task *task = scheduler->alone.items[i];
        ss_invariant(I271, attempt_of(task)->waits_alone &&
                               ss_task_facts(task)->state == TASK_READY);
    }
    for (const struct ss_map_entry *e = scheduler->workers.first; e;
         e = e->next) {
        const struct worker *worker = e->value;
        ss_invariant(I272,
            !worker->alone || attempt_of(worker->alone)->worker == worker);
    }
    census->seen += scheduler->alone.count;
}

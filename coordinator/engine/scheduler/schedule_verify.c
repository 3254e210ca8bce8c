// schedule_verify.c - what holds of workers, attempts and ready tasks between
// two steps (invariants.c has the list).
#include <inttypes.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/scheduler/alone.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ attempts

static void verify_attempts(const struct engine *engine)
{
    struct scheduler *scheduler = engine->scheduler;
    for (const struct task *task = NULL;
         (task = ss_attempts_after(engine, task));) {
        const struct task *named = ss_attempt_slab_find(
            &scheduler->out, attempt_of(task)->name.dispatch);
        ss_invariant(
            I99, ss_task_facts(task)->state == TASK_RUNNING && named == task);
        ss_invariant(
            I100, attempt_of(task)->name.epoch == engine->options.epoch &&
                      attempt_of(task)->name.dispatch <=
                          engine->scheduler->out.last_number);
        ss_invariant(I101,
            ss_map_get(&engine->scheduler->workers,
                attempt_of(task)->worker->peer) == attempt_of(task)->worker);
        ss_invariant(I161, attempt_of(task)->sent_ms <= engine->now_ms);
        ss_invariant(
            I151, ss_thread_facts(ss_task_level(task)->thread)->worked_on_by <=
                      scheduler->worker_numbers);
    }
}

static size_t count_attempts(const struct worker *worker)
{
    size_t count = 0;
    for (const struct task *task = NULL;
         (task = ss_attempts_after(worker->engine, task));)
        count += attempt_of(task)->worker == worker;
    return count;
}

// ------------------------------------------------ workers

static void verify_worker(const struct worker *worker)
{
    const struct engine *engine = worker->engine;
    ss_invariant(I105, worker->running == count_attempts(worker));
    ss_invariant(I163, worker->running + worker->lost <= worker->attempts);
    ss_invariant(I164, worker->number > 0 &&
                           worker->number <= engine->scheduler->worker_numbers);
    ss_invariant(
        I165, worker->graphs.count > 0 &&
                  json_array_size(worker->graph_names) == worker->graphs.count);
    ss_invariant(I166, worker->beat_ms <= worker->seen_ms);
    ss_invariant(I167, worker->members_said_ms <= engine->now_ms);
    ss_invariant(I168,
        engine->wake_at_ms <= worker->seen_ms + engine->options.lease_ms + 1);
    for (size_t i = 0; i < worker->let_go.count; i++)
        ss_invariant(I169,
            !ss_attempt_find((struct engine *)engine, worker->let_go.items[i]));
    ss_list_cache_verify(worker);
    ss_invariant(
        I106, worker->seen_ms <= engine->now_ms &&
                  engine->now_ms - worker->seen_ms <= engine->options.lease_ms);
    ss_invariant(I107, worker->let_go.count <= SS_WORKER_LET_GO_MAX);
    ss_invariant(I108, worker->cached_lists.count <=
                           (worker->keeps_lists ? SS_WORKER_LISTS_MAX : 0));
    ss_invariant(
        I109, worker->granted > 0 && worker->granted <= worker->capacity);
    ss_invariant(I170, worker->capacity <= SS_WORKER_CAPACITY_MAX);
}

static void verify_served(const struct engine *engine)
{
    for (const struct ss_map_entry *e = ss_graphs_all(engine)->first; e;
         e = e->next) {
        const struct known_graph *known = e->value;
        size_t serve = 0;
        for (const struct ss_map_entry *w = engine->scheduler->workers.first; w;
             w = w->next)
            serve += ss_map_get(&((const struct worker *)w->value)->graphs,
                         e->key) != NULL;
        ss_invariant(I110, known->workers == serve);
    }
}

// The first that ends is the first in the map: nobody looks at the others.
static void verify_vouched(const struct engine *engine)
{
    const struct ss_map_entry *first = engine->scheduler->vouched.first;
    int64_t last_ms = engine->now_ms;
    for (const struct ss_map_entry *e = first; e; e = e->next) {
        int64_t ends_ms = *(const int64_t *)e->value;
        ss_invariant(I111, ends_ms > engine->now_ms);
        ss_invariant(I171, ends_ms >= last_ms);
        ss_invariant(I172, ends_ms <= engine->now_ms + ss_begin_ms(engine));
        last_ms = ends_ms;
    }
    if (first)
        ss_invariant(
            I173, engine->wake_at_ms <= *(const int64_t *)first->value);
}

// The first of each line is sent as soon as nothing is missing but room, and a
// worker has that.
static void verify_ready(const struct engine *engine)
{
    const struct task *task = NULL;
    if (engine->ready_moved || engine->drains)
        return; // the next step looks
    while ((task = ss_ready_queue_after(engine, task, LINES_ALL)) != NULL)
        if (!attempt_of(task)->ready_prev &&
            ss_task_waits_for(task) == WAIT_ROOM)
            ss_invariant(I184, !ss_placement_find(task));
}

void ss_workers_verify(const struct engine *engine, struct census *census)
{
    const struct scheduler *scheduler = engine->scheduler;
    verify_attempts(engine);
    ss_invariant(I102, scheduler->out.count == census->tasks[TASK_RUNNING]);
    struct ss_map names = {0};
    for (const struct ss_map_entry *e = scheduler->workers.first; e;
         e = e->next) {
        struct worker *worker = e->value;
        ss_invariant(I103, strcmp(e->key, worker->peer) == 0);
        ss_invariant(I104, !ss_map_put(&names, worker->name, worker));
        verify_worker(worker);
        census->seen += 1 + scheduler->out.count;
    }
    ss_map_fini(&names, NULL);
    verify_served(engine);
    verify_ready(engine);
    ss_invariant(I174, engine->scheduler->workers.count <= SS_WORKERS_MAX);
    verify_vouched(engine);
    ss_limits_verify(engine);
    ss_alone_verify(engine, census);
}

// ------------------------------------------------ what this step sent

static void verify_dispatch(
    const struct engine *engine, const struct ss_command *command)
{
    const struct task *task =
        ss_attempt_find((struct engine *)engine, command->order->attempt);
    const struct loop_facts *level = ss_task_level(task);
    ss_invariant(I112,
        task && strcmp(attempt_of(task)->worker->peer, command->peer) == 0);
    const struct worker *worker = attempt_of(task)->worker;
    ss_invariant(I176, command->order->heard == worker->beat_sent);
    if (attempt_of(task)->sent_anew)
        return; // with its lists whole: it was sent in a step before
    ss_invariant(I113, !ss_worker_leaves(worker));
    ss_invariant(I114, worker->running <= worker->granted);
    ss_invariant(I115,
        ss_map_get(&worker->graphs, ss_task_root_graph(task)->key) != NULL);
    if (level->run)
        ss_invariant(I116, !ss_pause_of_run(level->run));
    ss_invariant(I117, !engine->drains);
}

// What it names is another owner's, and goes on under a name of ours.
static void verify_adopted(
    const struct engine *engine, const struct ss_command *command)
{
    const struct task *task =
        ss_attempt_find((struct engine *)engine, command->attempt);
    ss_invariant(I177,
        task && strcmp(attempt_of(task)->worker->peer, command->peer) == 0);
    ss_invariant(I178, command->held.epoch != engine->options.epoch);
}

// It is over, or another worker's.
static void verify_over(
    const struct engine *engine, const struct ss_command *command)
{
    const struct task *task =
        ss_attempt_find((struct engine *)engine, command->attempt);
    ss_invariant(I179,
        !task || strcmp(attempt_of(task)->worker->peer, command->peer) != 0);
}

void ss_dispatches_verify(const struct engine *engine)
{
    for (size_t i = 0; i < engine->commands.count; i++) {
        const struct ss_command *command = &engine->commands.items[i];
        if (command->type == SS_COMMAND_DISPATCH)
            verify_dispatch(engine, command);
        if (command->type == SS_COMMAND_ADOPT)
            verify_adopted(engine, command);
        if (command->type == SS_COMMAND_CANCEL ||
            command->type == SS_COMMAND_SETTLED)
            verify_over(engine, command);
        if (command->type == SS_COMMAND_WELCOME ||
            command->type == SS_COMMAND_HEARD)
            ss_invariant(I180,
                ss_map_get(&engine->scheduler->workers, command->peer) != NULL);
    }
}

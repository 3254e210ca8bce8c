// level_verify.c - what holds of levels and their tasks between two steps
// (invariants.c has the list).

#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/task.h"
#include "common/model/writers.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/thread.h"

static bool goes_on(const struct loop *loop)
{
    return loop->facts.status == LOOP_ENTERING ||
           loop->facts.status == LOOP_RUNNING ||
           loop->facts.status == LOOP_FOLDING;
}

// ------------------------------------------------ tasks

static void verify_attempt(const struct task *task)
{
    const struct thread *thread = task->facts.loop->facts.thread;
    const struct thread_facts *its = ss_thread_facts(thread);
    bool runs = task->facts.state == TASK_RUNNING;
    bool is_ready = task->facts.state == TASK_READY;
    if (!runs && !is_ready)
        return;
    ss_invariant(I43, task->facts.gate_seq <= ss_journal_head(its->journal));
    ss_invariant(I44, task->facts.tries.redeliveries <= SS_REDELIVERIES_MAX);
    if (task->facts.order_kind == SS_ORDER_WRITERS)
        ss_invariant(I45, task->facts.returned != NULL);
    if (task->facts.order_kind == SS_ORDER_FOLD)
        ss_invariant(I46, task->fold.channel && !task->fold.value);
    if (task->resume_value_given)
        ss_invariant(
            I191, task->facts.loop->facts.run->resume_value.holder == task);
    if (!runs)
        return;
    ss_invariant(I47, task->facts.gate_seq <= its->durable);
}

void ss_task_verify(const struct task *task, struct census *census)
{
    census->tasks[task->facts.state]++;
    census->seen++;
    verify_attempt(task);
    task->facts.loop->facts.engine->levels->sink->verify(task, census);
}

static void verify_end(const struct task *task)
{
    const struct ss_pendings *pending = &task->facts.loop->pending;
    bool stores =
        task->facts.state == TASK_DONE || task->facts.state == TASK_FAILED;
    if (stores &&
        !(task->facts.error && task->facts.error->status == SS_EDRAINED))
        ss_invariant(
            I192, ss_pendings_next(pending, task->facts.planned.id, NULL));
    if (task->facts.state == TASK_DONE && !task->restored)
        ss_invariant(I49, task->facts.writes.count > 0);
    if (task->facts.state == TASK_INTERRUPTED)
        ss_invariant(I50, json_is_array(task->facts.interrupts));
    if (task->facts.state == TASK_FAILED)
        ss_invariant(
            I51, task->facts.error && task->facts.error->status != SS_OK);
    if (task->facts.state == TASK_PARENT)
        ss_invariant(I52, task->parent != NULL);
    if (task->error_handled)
        ss_invariant(I53, task->facts.state == TASK_FAILED);
}

static void verify_planned(const struct loop *loop, const struct task *task)
{
    const struct ss_node *nodes = loop->facts.graph->nodes;
    ss_invariant(I54,
        task->facts.loop == loop && task->facts.planned.node >= nodes &&
            task->facts.planned.node < nodes + loop->facts.graph->nodes_count);
    ss_invariant(I193, task->facts.planned.id[0] && task->facts.planned.path &&
                           task->facts.planned.ns);
    ss_invariant(I194, (task->facts.planned.kind == SS_TASK_HANDLER) ==
                           (task->failed != NULL));
    ss_invariant(I195, task->facts.planned.kind != SS_TASK_UPDATE);
    if (task->facts.planned.kind == SS_TASK_HANDLER)
        ss_invariant(I55,
            task->failed->facts.loop == loop && task->failed->error_handled);
    if (task->facts.state == TASK_CHILD)
        ss_invariant(I57, task->facts.child && goes_on(task->facts.child));
    else if (task->facts.child)
        ss_invariant(I196, !goes_on(task->facts.child));
    if (task->facts.child)
        ss_invariant(I197, task->facts.child->parent_task == task);
    if (task->facts.state == TASK_NEW)
        ss_invariant(I198, loop->facts.run->resume_value.first == task);
    if (task->facts.state == TASK_CACHE)
        ss_invariant(I199, task->facts.planned.node->cached);
    verify_end(task);
}

// ------------------------------------------------ levels

static void verify_machine(const struct loop *loop)
{
    unsigned faults = ss_machine_faults(loop->machine);
    ss_invariant(I58, !(faults & SS_FAULT_VERSION_MAX));
    ss_invariant(I59, !(faults & SS_FAULT_VERSIONED));
    ss_invariant(I60, !(faults & SS_FAULT_SLOT));
    ss_invariant(I61, !(faults & SS_FAULT_SET));
    ss_invariant(I200, !(faults & SS_FAULT_VERSION));
    ss_invariant(I201, !(faults & SS_FAULT_SELF_CHANGING));
    ss_invariant(I202, !(faults & SS_FAULT_UPDATED));
    ss_invariant(I203, !(faults & SS_FAULT_MOVED));
    ss_invariant(I204, !(faults & SS_FAULT_UNKNOWN));
    ss_invariant(I205, !(faults & SS_FAULT_SEEN_MAX));
    ss_invariant(I206, !(faults & SS_FAULT_SEEN));
    ss_invariant(I246, !(faults & SS_FAULT_CANDIDATE));
}

static void verify_pending(const struct loop *loop, struct census *census)
{
    const struct ss_pendings *pending = &loop->pending;
    census->seen += pending->count;
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_pending *p = &pending->items[i];
        ss_invariant(I207, ss_pendings_next(pending, p->write.task_id, NULL));
        ss_invariant(I208, p->write.path && p->write.channel && p->write.value);
    }
}

static void verify_place(const struct loop *loop)
{
    ss_invariant(I211,
        loop->facts.engine == ss_thread_facts(loop->facts.thread)->engine);
    ss_invariant(I213, !loop->is_view && !loop->not_folded);
    if (loop->facts.run)
        ss_invariant(
            I214, (loop->facts.parent == NULL) == (loop->facts.ns[0] == '\0'));
    const struct task *around = loop->parent_task;
    ss_invariant(I62, (loop->facts.parent != NULL) == (around != NULL));
    if (around)
        ss_invariant(
            I63, around->facts.child == loop &&
                     around->facts.loop == loop->facts.parent &&
                     around->facts.planned.node->subgraph == loop->facts.graph);
    if (around)
        ss_invariant(
            I64, loop->facts.run == loop->facts.parent->facts.run &&
                     loop->facts.thread == loop->facts.parent->facts.thread);
}

static void verify_folds(const struct loop *loop, struct census *census)
{
    bool waits = false;
    ss_invariant(
        I67, (loop->facts.status == LOOP_FOLDING) == (loop->folds.count > 0));
    for (size_t i = 0; i < loop->folds.count; i++) {
        const struct task *fold = loop->folds.items[i];
        ss_task_verify(fold, census);
        ss_invariant(I68,
            fold->facts.loop == loop &&
                (fold->fold.value != NULL) == (fold->facts.state == TASK_DONE));
        waits = waits || !fold->fold.value;
    }
    if (loop->folds.count > 0)
        ss_invariant(I69, waits);
}

// That of a run: it goes on, and somebody sees to that.
static void verify_progress(const struct loop *loop, struct census *census)
{
    bool waits = false,
         rests = loop->facts.status == LOOP_RUNNING && !loop->ticked;
    ss_invariant(I70, loop->facts.status != LOOP_ENTERING);
    ss_invariant(I71, loop->ended_to <= loop->facts.tasks.count);
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        bool has_ended = ss_task_ended(loop->facts.tasks.items[i]);
        waits = waits || !has_ended;
        if (i < loop->ended_to)
            ss_invariant(I72, has_ended);
    }
    if (loop->facts.status == LOOP_RUNNING && loop->ticked)
        ss_invariant(I73, waits);
    if (rests)
        ss_invariant(I74, loop->facts.tasks.count == 0);
    if (loop->facts.status == LOOP_RUNNING && loop->ticked)
        ss_invariant(I75, loop->facts.step <= loop->stop);
    if (loop->entry && !loop->facts.parent)
        ss_invariant(I270, loop->facts.run->entry != NULL);
    census->resting += rests;
}

void ss_level_verify(const struct loop *loop, struct census *census)
{
    census->seen += 1 + loop->facts.graph->channels_count;
    verify_place(loop);
    verify_machine(loop);
    verify_pending(loop, census);
    ss_lineage_verify(&loop->lineage, loop->facts.thread, loop->facts.ns);
    verify_folds(loop, census);
    if (loop->facts.run)
        verify_progress(loop, census);
    for (size_t i = 0; loop->facts.run && i < loop->facts.tasks.count; i++) {
        const struct task *task = loop->facts.tasks.items[i];
        ss_task_verify(task, census);
        verify_planned(loop, task);
        if (task->facts.state == TASK_CHILD)
            ss_level_verify(task->facts.child, census);
    }
}

// ------------------------------------------------ who waits for what

// Of a task whose time has yet to come: is it to be asked for once more?
static bool verify_due(const struct task *task)
{
    bool asked = task->facts.state == TASK_CACHE && !task->cache_key;
    ss_invariant(I131, asked || task->facts.state == TASK_BACKOFF);
    ss_invariant(I56, task->facts.tries.retry_at_ms >
                              task->facts.loop->facts.engine->now_ms &&
                          task->facts.loop->facts.engine->wake_at_ms <=
                              task->facts.tries.retry_at_ms);
    return asked;
}

void ss_levels_verify_rest(const struct engine *engine)
{
    const struct levels *levels = engine->levels;
    ss_invariant(I2, levels->advance.count == 0);
    ss_invariant(I3, levels->ready.count == 0);
    ss_invariant(I6, levels->roots_ended.count == 0);
}

void ss_waits_verify(const struct engine *engine, struct census *census)
{
    const struct levels *levels = engine->levels;
    size_t asked = 0;
    for (size_t i = 0; i < levels->backoff.count; i++)
        asked += verify_due(levels->backoff.items[i]);
    ss_invariant(
        I132, levels->backoff.count == census->tasks[TASK_BACKOFF] + asked);
    for (size_t i = 0; i < levels->cache_looks.count; i++) {
        const struct task *task = levels->cache_looks.items[i].task;
        if (task)
            ss_invariant(I133, task->facts.state == TASK_CACHE);
        ss_invariant(I215, levels->cache_looks.items[i].tag <= engine->tags);
        asked += task != NULL;
    }
    ss_invariant(I134, asked == census->tasks[TASK_CACHE]);
    for (size_t i = 0; i < levels->resting.count; i++) {
        const struct loop *loop = levels->resting.items[i];
        ss_invariant(I135, !loop->ticked);
        ss_invariant(
            I216, loop->facts.run && run_of(loop)->state == RUN_ACTIVE);
    }
    ss_invariant(I136, levels->resting.count == census->resting);
}

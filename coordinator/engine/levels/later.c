// later.c - what goes on later: a loop at the end of the step, or in the next
// one; a task when a worker has room.
#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

// Plan and update of a superstep of some dozens of tasks: it is given back only
// when there were more.
enum { SCRATCH_SIZE = 16 * 1024 };

void ss_levels_init(struct engine *engine, const struct sink *sink)
{
    engine->levels = ss_zalloc(1, sizeof(*engine->levels));
    ss_check(sink->in_front % _Alignof(struct task) == 0);
    engine->levels->sink = sink;
    engine->levels->scratch.first = SCRATCH_SIZE;
}

void ss_levels_count(
    const struct engine *engine, struct ss_engine_counts *counts)
{
    counts->supersteps = (int64_t)engine->levels->saved;
    counts->attempts_failed = (int64_t)engine->levels->attempts_failed;
}

void ss_levels_fini(struct engine *engine)
{
    struct levels *levels = engine->levels;
    ss_check(levels->advance.count == 0 && levels->resting.count == 0);
    ss_check(levels->roots_ended.count == 0);
    ss_check(levels->backoff.count == 0);
    SS_VEC_FINI(&levels->advance);
    SS_VEC_FINI(&levels->resting);
    SS_VEC_FINI(&levels->roots_ended);
    SS_VEC_FINI(&levels->ready);
    SS_VEC_FINI(&levels->backoff);
    SS_VEC_FINI(&levels->cache_looks);
    ss_arena_fini(&levels->scratch);
    ss_pendings_fini(&levels->spare);
    ss_free(levels);
}

void ss_task_ready(struct task *task)
{
    struct loop *loop = task->facts.loop;
    ss_check(ss_thread_facts(loop->facts.thread)->state == THREAD_HOT);
    ss_task_move(task, TASK_READY);
    task->facts.gate_seq = ss_thread_gate(loop->facts.thread, GATE_DISPATCH,
        loop->facts.run ? run_of(loop)->options.durability : DURABLE_SYNC);
    SS_VEC_PUSH(&loop->facts.engine->levels->ready, task);
}

struct task *ss_task_next_ready(struct engine *engine)
{
    struct levels *levels = engine->levels;
    if (levels->ready_taken < levels->ready.count)
        return levels->ready.items[levels->ready_taken++];
    levels->ready.count = levels->ready_taken = 0;
    return NULL;
}

void ss_loop_later(struct loop *loop)
{
    struct levels *levels = loop->facts.engine->levels;
    for (size_t i = 0; i < levels->advance.count; i++)
        if (levels->advance.items[i] == loop)
            return;
    SS_VEC_PUSH(&levels->advance, loop);
}

struct loop *ss_loop_next(struct engine *engine)
{
    struct levels *levels = engine->levels;
    if (levels->advance.count == 0)
        return NULL;
    struct loop *loop = levels->advance.items[0];
    SS_VEC_REMOVE(&levels->advance, 0);
    return loop;
}

struct run *ss_loop_next_ended(struct engine *engine)
{
    struct levels *levels = engine->levels;
    if (levels->roots_ended.count == 0)
        return NULL;
    struct run *run = levels->roots_ended.items[0]->facts.run;
    SS_VEC_REMOVE(&levels->roots_ended, 0);
    return run;
}

void ss_loop_leave(const struct loop *loop)
{
    struct levels *levels = loop->facts.engine->levels;
    for (size_t i = levels->advance.count; i-- > 0;)
        if (levels->advance.items[i] == loop)
            SS_VEC_REMOVE(&levels->advance, i);
    for (size_t i = levels->resting.count; i-- > 0;)
        if (levels->resting.items[i] == loop)
            SS_VEC_REMOVE(&levels->resting, i);
    for (size_t i = levels->roots_ended.count; i-- > 0;)
        if (levels->roots_ended.items[i] == loop)
            SS_VEC_REMOVE(&levels->roots_ended, i);
}

// ------------------------------------------------ between two steps

// Not while the store has yet to take so many of its rows (its answer is an
// event), nor when the run is to be left to another coordinator.
static bool may_go_on(const struct loop *loop)
{
    const struct thread *thread = loop->facts.thread;
    return !loop->facts.engine->drains &&
           ss_thread_head(thread) <=
               ss_thread_facts(thread)->durable + SS_ASYNC_BACKLOG_MAX;
}

void ss_loops_rest(struct engine *engine)
{
    const struct levels *levels = engine->levels;
    for (size_t i = 0; i < levels->resting.count; i++)
        if (may_go_on(levels->resting.items[i]))
            ss_engine_wake(engine, engine->now_ms);
}

void ss_loops_go_on(struct engine *engine)
{
    struct levels *levels = engine->levels;
    size_t kept = 0;
    levels->supersteps = 0;
    for (size_t i = 0; i < levels->resting.count; i++) {
        struct loop *loop = levels->resting.items[i];
        if (may_go_on(loop))
            ss_loop_later(loop);
        else
            levels->resting.items[kept++] = loop;
    }
    levels->resting.count = kept;
}

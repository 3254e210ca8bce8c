// later.c - what goes on later: a loop at the end of the step, or in the next
// one; a task when a worker has room.
#include "common/base/mem.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

void ss_task_ready(struct task *task)
{
    struct loop *loop = task->loop;
    ss_task_move(task, TASK_READY);
    task->gate_seq = ss_thread_gate(loop->thread, GATE_DISPATCH,
        loop->run ? loop->run->durability : DURABLE_SYNC);
    SS_VEC_PUSH(&loop->engine->ready, task);
}

void ss_loop_later(struct loop *loop)
{
    struct engine *engine = loop->engine;
    for (size_t i = 0; i < engine->advance.count; i++)
        if (engine->advance.items[i] == loop)
            return;
    SS_VEC_PUSH(&engine->advance, loop);
}

// ------------------------------------------------ between two steps

// Not while the store has yet to take so many of its rows (its answer is an
// event), nor when the run is to be left to another coordinator.
static bool may_go_on(const struct loop *loop)
{
    const struct thread *thread = loop->thread;
    return !loop->engine->drains &&
           ss_thread_head(thread) <= thread->durable + SS_ASYNC_BACKLOG_MAX;
}

void ss_loops_rest(struct engine *engine)
{
    for (size_t i = 0; i < engine->resting.count; i++)
        if (may_go_on(engine->resting.items[i]))
            ss_engine_wake(engine, engine->now_ms);
}

void ss_loops_go_on(struct engine *engine)
{
    size_t kept = 0;
    engine->supersteps = 0;
    for (size_t i = 0; i < engine->resting.count; i++) {
        struct loop *loop = engine->resting.items[i];
        if (may_go_on(loop))
            ss_loop_later(loop);
        else
            engine->resting.items[kept++] = loop;
    }
    engine->resting.count = kept;
}

// task_state.c - the states of a task, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"

#define FROM(state) (1U << TASK_##state)

// What has ended stays as it is: DONE, INTERRUPTED, FAILED and PARENT lead
// nowhere. An attempt that is over leaves its task NEW, and what follows begins
// there.
static const struct ss_move_state states[] = {
    [TASK_NEW] = {"new",
        FROM(NEW) | FROM(CACHE) | FROM(RUNNING) | FROM(BACKOFF)},
    // once more where what it found came too early (cache.c)
    [TASK_CACHE] = {"asked of the cache",
        FROM(NEW) | FROM(BACKOFF) | FROM(CACHE)},
    [TASK_READY] = {"ready", FROM(NEW) | FROM(CHILD) | FROM(HELD)},
    [TASK_RUNNING] = {"running", FROM(READY)},
    [TASK_BACKOFF] = {"in back-off", FROM(NEW) | FROM(CHILD)},
    [TASK_CHILD] = {"a graph inside", FROM(NEW) | FROM(BACKOFF)},
    [TASK_HELD] = {"held", FROM(NEW)},
    [TASK_DONE] = {"done", FROM(NEW) | FROM(CACHE) | FROM(CHILD)},
    [TASK_INTERRUPTED] = {"interrupted", FROM(NEW) | FROM(CHILD) | FROM(HELD)},
    [TASK_FAILED] = {"failed", FROM(NEW) | FROM(CHILD)},
    [TASK_PARENT] = {"a command to the graph around", FROM(NEW) | FROM(CHILD)},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("task", states);

void ss_task_move(struct task *task, enum task_state to)
{
    ss_move(&moves, task->facts.state, to);
    task->facts.state = to;
}

void ss_task_show(struct task *task, enum task_state as)
{
    task->facts.state = as;
}

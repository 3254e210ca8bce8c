// task_state.c - the states of a task, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/levels/loop.h"

enum {
    NEW = 1 << TASK_NEW,
    CACHE = 1 << TASK_CACHE,
    READY = 1 << TASK_READY,
    RUNNING = 1 << TASK_RUNNING,
    BACKOFF = 1 << TASK_BACKOFF,
    CHILD = 1 << TASK_CHILD,
    HELD = 1 << TASK_HELD,
};

// What has ended stays as it is: DONE, INTERRUPTED, FAILED and PARENT lead
// nowhere. An attempt that is over leaves its task NEW, and what follows begins
// there.
static const struct ss_move_state states[] = {
    [TASK_NEW] = {"new", NEW | CACHE | RUNNING | BACKOFF},
    // once more where what it found came too early (cache.c)
    [TASK_CACHE] = {"asked of the cache", NEW | BACKOFF | CACHE},
    [TASK_READY] = {"ready", NEW | CHILD | HELD},
    [TASK_RUNNING] = {"running", READY},
    [TASK_BACKOFF] = {"in back-off", NEW | CHILD},
    [TASK_CHILD] = {"a graph inside", NEW | BACKOFF},
    [TASK_HELD] = {"held", NEW},
    [TASK_DONE] = {"done", NEW | CACHE | CHILD},
    [TASK_INTERRUPTED] = {"interrupted", NEW | CHILD | HELD},
    [TASK_FAILED] = {"failed", NEW | CHILD},
    [TASK_PARENT] = {"a command to the graph around", NEW | CHILD},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("task", states);

void ss_task_move(struct task *task, enum task_state to)
{
    ss_move(&moves, task->state, to);
    task->state = to;
}

void ss_task_show(struct task *task, enum task_state as)
{
    task->state = as;
}

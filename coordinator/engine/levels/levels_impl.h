// levels_impl.h - what waits in this room: loops and tasks that go on later,
// and what those above have yet to hear.
#ifndef SS_ENGINE_LEVELS_LEVELS_IMPL_H
#define SS_ENGINE_LEVELS_LEVELS_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/mem.h"
#include "coordinator/engine/levels/loop.h"

struct loop;
struct sink;
struct ss_error;
struct task;
struct task_fold;

// A result that is looked for in the store (cache.c).
struct cache_look {
    uint64_t tag;
    struct task *task; // NULL: it is gone
};

// Of all runs of an engine.
struct levels {
    const struct sink *sink;
    size_t supersteps;             // that ended in this step
    SS_VEC(struct loop *) advance; // loops that may have something to do
    SS_VEC(struct loop *) resting; // between two supersteps, until a later step
    SS_VEC(struct loop *) roots_ended; // their runs have yet to end
    SS_VEC(struct task *) ready;   // tasks that are, and stand in no line yet
    size_t ready_taken;            // of those
    SS_VEC(struct task *) backoff; // tasks that wait for a time
    SS_VEC(struct cache_look) cache_looks;
    // Of one update, from its tasks to its end, and of the lists of one plan.
    struct ss_arena scratch;
};

// ------------------------------------------------ ask_fold.c

void ss_fold_fini(struct task_fold *fold);

// ------------------------------------------------ task_state.c

// Nobody else changes them. A way that the table lacks is a bug of ours.
void ss_task_move(struct task *task, enum task_state to);
// A task of a run that is told again: it is shown as it ended, each time.
void ss_task_show(struct task *task, enum task_state as);

// ------------------------------------------------ loop_state.c

void ss_loop_move(struct loop *loop, enum loop_status to);

// ------------------------------------------------ loop.c

// It fails with that, and its enclosing task or its run is told.
void ss_loop_fail(struct loop *loop, const struct ss_error *error);

// ------------------------------------------------ later.c

// The loop goes: nobody finds it any more.
void ss_loop_leave(const struct loop *loop);

#endif

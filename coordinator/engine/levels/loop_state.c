// loop_state.c - the statuses of a loop, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"

#define FROM(state) (1U << LOOP_##state)

// One that folds its input is RUNNING before its entry is over, and then again.
// The loop of an update_state is entered by nobody: it folds from ENTERING on.
// A run that is told to end leaves its root FAILED, wherever that was: also one
// that has left by itself in this very step.
static const struct ss_move_state states[] = {
    [LOOP_ENTERING] = {"entering", 0},
    [LOOP_RUNNING] = {"running",
        FROM(ENTERING) | FROM(RUNNING) | FROM(FOLDING)},
    [LOOP_FOLDING] = {"folding", FROM(ENTERING) | FROM(RUNNING)},
    [LOOP_DONE] = {"done", FROM(RUNNING)},
    [LOOP_INTERRUPTED] = {"interrupted", FROM(RUNNING)},
    [LOOP_FAILED] = {"failed", FROM(ENTERING) | FROM(RUNNING) | FROM(FOLDING) |
                                   FROM(DONE) | FROM(INTERRUPTED) |
                                   FROM(FAILED) | FROM(DRAINED) | FROM(PARENT)},
    [LOOP_DRAINED] = {"drained", FROM(RUNNING)},
    [LOOP_PARENT] = {"left with a command", FROM(RUNNING)},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("loop", states);

void ss_loop_move(struct loop *loop, enum loop_status to)
{
    ss_move(&moves, loop->facts.status, to);
    loop->facts.status = to;
}

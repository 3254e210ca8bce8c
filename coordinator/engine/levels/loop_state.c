// loop_state.c - the statuses of a loop, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/levels/loop.h"

enum {
    ENTERING = 1 << LOOP_ENTERING,
    RUNNING = 1 << LOOP_RUNNING,
    FOLDING = 1 << LOOP_FOLDING,
    DONE = 1 << LOOP_DONE,
    INTERRUPTED = 1 << LOOP_INTERRUPTED,
    FAILED = 1 << LOOP_FAILED,
    DRAINED = 1 << LOOP_DRAINED,
    PARENT = 1 << LOOP_PARENT,
};

// One that folds its input is RUNNING before its entry is over, and then again.
// The loop of an update_state is entered by nobody: it folds from ENTERING on.
// A run that is told to end leaves its root FAILED, wherever that was: also one
// that has left by itself in this very step.
static const struct ss_move_state states[] = {
    [LOOP_ENTERING] = {"entering", 0},
    [LOOP_RUNNING] = {"running", ENTERING | RUNNING | FOLDING},
    [LOOP_FOLDING] = {"folding", ENTERING | RUNNING},
    [LOOP_DONE] = {"done", RUNNING},
    [LOOP_INTERRUPTED] = {"interrupted", RUNNING},
    [LOOP_FAILED] = {"failed", ENTERING | RUNNING | FOLDING | DONE |
                                   INTERRUPTED | FAILED | DRAINED | PARENT},
    [LOOP_DRAINED] = {"drained", RUNNING},
    [LOOP_PARENT] = {"left with a command", RUNNING},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("loop", states);

void ss_loop_move(struct loop *loop, enum loop_status to)
{
    ss_move(&moves, loop->status, to);
    loop->status = to;
}

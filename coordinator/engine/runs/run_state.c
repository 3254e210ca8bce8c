// run_state.c - the states of a run, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/runs_impl.h"

enum {
    NEW = 1 << RUN_NEW,
    QUEUED = 1 << RUN_QUEUED,
    ACTIVE = 1 << RUN_ACTIVE,
    TAKEN_BACK = 1 << RUN_TAKEN_BACK,
};

static const struct ss_move_state states[] = {
    [RUN_NEW] = {"new", 0},
    [RUN_QUEUED] = {"queued", NEW},
    [RUN_ACTIVE] = {"active", NEW | QUEUED},
    [RUN_TAKEN_BACK] = {"taken back", ACTIVE},
    [RUN_ENDED] = {"ended", QUEUED | ACTIVE | TAKEN_BACK},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("run", states);

void ss_run_move(struct run *run, enum run_state to)
{
    ss_move(&moves, run->state, to);
    run->state = to;
}

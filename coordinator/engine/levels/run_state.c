// run_state.c - the states of a run, and from which it comes into each.
#include "common/base/move.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/run.h"

#define FROM(state) (1U << RUN_##state)

static const struct ss_move_state states[] = {
    [RUN_NEW] = {"new", 0},
    [RUN_QUEUED] = {"queued", FROM(NEW)},
    [RUN_ACTIVE] = {"active", FROM(NEW) | FROM(QUEUED)},
    [RUN_TAKEN_BACK] = {"taken back", FROM(ACTIVE)},
    [RUN_ENDED] = {"ended", FROM(QUEUED) | FROM(ACTIVE) | FROM(TAKEN_BACK)},
};

static const struct ss_move_table moves = SS_MOVE_TABLE("run", states);

void ss_run_move(struct run *run, enum run_state to)
{
    ss_move(&moves, run->facts.state, to);
    run->facts.state = to;
}

// run_state.h - where a run is in its life.
#ifndef SS_ENGINE_RUN_STATE_H
#define SS_ENGINE_RUN_STATE_H

#include "coordinator/engine/state.h"

// Nobody else changes it. A way that the table lacks is a bug of ours.
void ss_run_move(struct run *run, enum run_state to);
// Its end is in the journal, or it is taken back.
static inline bool ss_run_has_ended(const struct run *run)
{
    return run->state == RUN_TAKEN_BACK || run->state == RUN_ENDED;
}

#endif

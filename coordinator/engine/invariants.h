// invariants.h - all invariants, looked at (invariants.c).
#ifndef SS_ENGINE_INVARIANTS_H
#define SS_ENGINE_INVARIANTS_H

struct ss_engine;

// At the end of a step: the cheap half, and all of it as often as
// options.verify_rate says.
void ss_invariants(struct ss_engine *it);

#endif

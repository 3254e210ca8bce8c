// trial.h - runs that may have ended their coordinator, and quarantine (trial.c).
#ifndef SS_ENGINE_RUNS_TRIAL_H
#define SS_ENGINE_RUNS_TRIAL_H

#include <stdbool.h>

struct engine;
struct ss_event;
struct thread;

// Frees all trials.
void ss_trials_fini(struct engine *engine);
// True: it was the answer to a trial's record.
bool ss_trial_stored(struct engine *engine, const struct ss_event *event);
// At the start of a step, and at its end.
void ss_trials_next(struct engine *engine);
void ss_trials_wake(struct engine *engine);
// Those of threads that have moved are their owners' to count.
void ss_trials_let_go(struct engine *engine);
// A quarantined run is to be cancelled: its thread is read. Where the cancel does
// not become durable it is parked again.
void ss_parked_doom(struct thread *thread);
// It goes on, on trial.
void ss_parked_release(struct thread *thread);

#endif

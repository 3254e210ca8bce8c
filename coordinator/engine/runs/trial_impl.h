// trial_impl.h - trials, as the files of runs see them.
#ifndef SS_ENGINE_RUNS_TRIAL_IMPL_H
#define SS_ENGINE_RUNS_TRIAL_IMPL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct run;
struct thread;

// A run that may have ended its coordinator (trial.c).
struct trial {
    char *thread;
    json_t *record; // as it is to be stored
    uint64_t tag;   // of that; 0: it waits for its turn
};

// A run found after a crash: it is counted before anything of it is read.
void ss_trial_add(struct thread *thread, json_t *record);
// A row of it is made: it is not what ended its coordinator.
void ss_run_survives(struct run *run);
// A quarantined run was found.
void ss_run_parked(struct thread *thread, json_t *record);
// A run whose cancel did not become durable is parked again. False: this is none.
bool ss_doomed_found(struct thread *thread, const char *run);
void ss_doomed_forget(struct thread *thread);

#endif

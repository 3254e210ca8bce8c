// quarantine_impl.h - suspects, as the files of runs see them.
#ifndef SS_ENGINE_RUNS_QUARANTINE_IMPL_H
#define SS_ENGINE_RUNS_QUARANTINE_IMPL_H

#include <jansson.h>
#include <stdbool.h>

struct engine;
struct run;
struct thread;

void ss_quarantine_init(struct engine *engine);
void ss_quarantine_fini(struct engine *engine);
void ss_suspects_verify(const struct engine *engine);
// A run found after a crash: it is counted before anything of it is read.
void ss_suspect_add(struct thread *thread, json_t *record);
// It is one of those already: what it was found as is older than that.
bool ss_suspect_known(const struct thread *thread, const char *run);
// A row of it is made: it is not what ended its coordinator.
void ss_run_survives(struct run *run);
// A quarantined run was found.
void ss_run_quarantined(struct thread *thread, json_t *record);
// A run whose cancel did not become durable is quarantined again. False: this
// is none.
bool ss_cancelled_found(struct thread *thread, const char *run);
void ss_cancelled_forget(struct thread *thread);

#endif

// quarantine.h - runs that may have ended their coordinator, and quarantine
// (quarantine.c).
#ifndef SS_ENGINE_RUNS_QUARANTINE_H
#define SS_ENGINE_RUNS_QUARANTINE_H

#include <jansson.h>
#include <stdbool.h>

struct engine;
struct ss_event;
struct thread;

// True: it was the answer to a suspect's record.
bool ss_suspect_stored(struct engine *engine, const struct ss_event *event);
// At the start of a step, and at its end.
void ss_suspects_next(struct engine *engine);
void ss_suspects_wake(struct engine *engine);
// Those of threads that have moved are their owners' to count.
void ss_suspects_let_go(struct engine *engine);
// The record of its quarantined run, borrowed; NULL: it has none.
json_t *ss_thread_quarantined(const struct thread *thread);
// A quarantined run is to be cancelled: its thread is read. Where the cancel
// does not become durable it is quarantined again.
void ss_quarantined_cancel(struct thread *thread);
// It goes on, on probation.
void ss_quarantined_release(struct thread *thread);

#endif

// queue_impl.h - the queue, as the files of runs see it.
#ifndef SS_ENGINE_RUNS_QUEUE_IMPL_H
#define SS_ENGINE_RUNS_QUEUE_IMPL_H

#include <jansson.h>
#include <stdbool.h>

struct run;
struct thread;

// One of a coordinator before us.
void ss_queue_found(struct thread *thread, json_t *record);
// A queued run is over before it began. `taken_back`: as if never asked for.
void ss_queue_leave(struct run *run, const char *why, bool taken_back);
// The thread's hot state is dropped: those that are durable wait on.
void ss_queue_broken(struct thread *thread, int status, const char *message);
void ss_queue_fini(struct thread *thread);

#endif

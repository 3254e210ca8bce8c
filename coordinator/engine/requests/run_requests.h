// run_requests.h - what is asked of runs: begin one, cancel, move, release
// it; and whose a run's name is.
#ifndef SS_ENGINE_REQUESTS_RUN_REQUESTS_H
#define SS_ENGINE_REQUESTS_RUN_REQUESTS_H

#include "coordinator/engine/threads/waiting.h"

struct engine;
struct ss_request;
struct thread;

// ------------------------------------------------ run_request.c

// Begin the run that is asked for; an error is answered.
void ss_run_request(struct thread *thread, const struct ss_request *request);
// The same, when its name was looked for: one of TURN_NAME_...
void ss_run_named(
    struct thread *thread, const struct ss_request *request, enum turn turn);

// ------------------------------------------------ steer.c

// The request `cancel`: as it comes, and on the run's thread.
void ss_cancel_request(struct engine *engine, const struct ss_request *request);
void ss_cancel_on_thread(
    struct thread *thread, const struct ss_request *request);
// The request `migrate`, on the run's thread.
void ss_migrate_on_thread(
    struct thread *thread, const struct ss_request *request);

// ------------------------------------------------ release.c

// What is asked of a thread whose run is quarantined.
void ss_quarantined_request(
    struct thread *thread, enum turn turn, const struct ss_request *request);
// The same for those who wait for the thread, if its run is quarantined.
void ss_quarantined_answer(struct thread *thread);
// The request `release`, on a thread that has no such run.
void ss_release_on_thread(
    struct thread *thread, const struct ss_request *request);

#endif

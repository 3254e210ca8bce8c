// run_requests.h - what is asked of runs: begin one, cancel, move, release
// it; and whose a run's name is.
#ifndef SS_ENGINE_REQUESTS_RUN_REQUESTS_H
#define SS_ENGINE_REQUESTS_RUN_REQUESTS_H

#include <jansson.h>
#include <stdint.h>

struct engine;
struct ss_request;
struct thread;

// Whose a run's name is, where names alone are keys (claim.c).
enum name_state {
    NAME_FREE,    // nobody has looked
    NAME_UNUSED,  // no record of the thread's has it
    NAME_KNOWN,   // the thread's: it has a record
    NAME_CLAIMED, // the thread's, by a record that says no more than that
};

// ------------------------------------------------ run_request.c

// Begin the run that is asked for; an error is answered.
void ss_run_request(struct thread *thread, const struct ss_request *request);
// The same, when its name was looked for.
void ss_run_named(struct thread *thread, const struct ss_request *request,
    enum name_state state);

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
    struct thread *thread, const char *op, const struct ss_request *request);
// The same for those who wait for the thread, if its run is quarantined.
void ss_quarantined_answer(struct thread *thread);
// The request `release`, on a thread that has no such run.
void ss_release_on_thread(
    struct thread *thread, const struct ss_request *request);

#endif

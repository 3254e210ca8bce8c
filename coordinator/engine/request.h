// request.h - requests: served at once, or when what they wait for is there.
#ifndef SS_ENGINE_REQUEST_H
#define SS_ENGINE_REQUEST_H

#include "coordinator/engine/state.h"

// ------------------------------------------------ request.c

void ss_request(struct engine *engine, const struct ss_event *event);
// Serve one that waited; false: it must wait on.
bool ss_request_serve(struct thread *thread, const struct waiting *w);

// ------------------------------------------------ resume.c

// It was read, and is not about to be deleted: requests may be served on it.
bool ss_requests_open(const struct thread *thread);
// A thread was loaded, or its run has ended: what waits may go on.
void ss_requests_resume(struct thread *thread);
// Once after a graph became known: runs found after a crash may wait for it.
void ss_requests_graphs_moved(struct engine *engine);
// A unit of it is durable (`is_deleted`: that deleted it).
void ss_requests_stored(struct thread *thread, bool is_deleted);
// All unfinished runs of these shards are known: who asked before goes on.
void ss_requests_read(struct engine *engine, const struct ss_shards *shards);
// Serve it when the thread is loaded: at once, if it is. Borrows all.
void ss_request_later(struct thread *thread, const char *op, const char *peer,
    uint64_t id, json_t *body);

// ------------------------------------------------ run_request.c

// Begin a run asked for by `peer`; an error is answered.
void ss_run_request(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
// Whose a run's name is, where names alone are keys (claim.c).
enum name_state {
    NAME_FREE,    // nobody has looked
    NAME_UNUSED,  // no record of the thread's has it
    NAME_KNOWN,   // the thread's: it has a record
    NAME_CLAIMED, // the thread's, by a record that says no more than that
};
// The same, when its name was looked for.
void ss_run_named(struct thread *thread, const char *peer, uint64_t id,
    json_t *body, enum name_state state);

// ------------------------------------------------ steer.c

// The request `cancel`: as it comes, and on the run's thread.
void ss_cancel_request(
    struct engine *engine, const char *peer, uint64_t id, json_t *body);
void ss_cancel_on_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body);
// The request `migrate`, on the run's thread.
void ss_migrate_on_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body);

// ------------------------------------------------ release.c

// What is asked of a thread whose run is quarantined.
void ss_parked_request(struct thread *thread, const char *op,
    const char *peer, uint64_t id, json_t *body);
// The same for those who wait for the thread, if its run is quarantined.
void ss_parked_answer(struct thread *thread);
// The request `release`, on a thread that has no such run.
void ss_release_on_thread(
    struct thread *thread, const char *peer, uint64_t id, json_t *body);

// ------------------------------------------------ claim.c

// Before a run of a client's own name begins where names alone are keys: the
// name becomes this thread's, durably, or the request is refused. Borrows all.
#define SS_NAME_CLAIMED_OP "claimed" // a run that has its name now
#define SS_NAME_KNOWN_OP   "known"   // and one that had it before
void ss_claim(struct thread *thread, const char *peer, uint64_t id,
    json_t *body);
void ss_claims_fini(struct engine *engine);
// True: it was the answer to a claim's look, or to its put.
bool ss_claim_looked(struct engine *engine, const struct ss_event *event);
bool ss_claim_stored(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ locate.c

// Serve a request that takes a run: on the thread that it names, else on the
// one thread that has a run of that name. Borrows all.
void ss_locate(struct engine *engine, const char *peer, uint64_t id,
    json_t *body);
// What the store's tables answered, one look after the other. Takes what is in
// `wait`.
void ss_locate_answer(struct engine *engine, struct scan_reply *wait,
    const struct ss_event *event);

// ------------------------------------------------ outlived.c

// No row tells of the run that `body` names. True: its thread lacks rows, so its
// record is looked at, and the request is answered then. Borrows all.
bool ss_outlived_look(struct thread *thread, const char *op, const char *peer,
    uint64_t id, json_t *body);
// What the store answered. Takes what is in `wait`.
void ss_outlived_answer(struct engine *engine, struct scan_reply *wait,
    const struct ss_event *event);
// What goes on where there is no such record: a run begins, or is not known.
#define SS_NAME_UNUSED_OP "unused"
#define SS_RUN_UNKNOWN_OP "unknown"

#endif

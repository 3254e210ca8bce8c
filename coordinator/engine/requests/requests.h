// requests.h - requests, as the step sees them: served at once, or when what
// they wait for is there.
#ifndef SS_ENGINE_REQUESTS_H
#define SS_ENGINE_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/engine/levels/watch.h"

struct census;
struct engine;
struct ss_event;
struct ss_shards;
struct thread;

// What those who listen make of what levels and runs tell.
extern const struct watch ss_audience_watch;

// ------------------------------------------------ scan.c

// What the store's small tables answered (RECORDS).
void ss_records(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ request_verify.c

// Of what is asked.
void ss_requests_verify(const struct engine *engine, struct census *census);

// ------------------------------------------------ request.c

void ss_requests_init(struct engine *engine);
void ss_requests_fini(struct engine *engine);
void ss_request(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ resume.c

// A thread was loaded, or its run has ended: what waits may go on.
void ss_requests_resume(struct thread *thread);
// Once after a graph became known: runs found after a crash may wait for it.
void ss_requests_graphs_moved(struct engine *engine);
// A unit of the thread is durable (`is_deleted`: that deleted it).
void ss_requests_stored(struct thread *thread, bool is_deleted);
// All unfinished runs of these shards are known: who asked before goes on.
void ss_requests_read(struct engine *engine, const struct ss_shards *shards);

// ------------------------------------------------ claim.c

// True: it was the answer to a claim's put.
bool ss_claim_stored(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ subscribers.c

// `id`: one request of that peer; 0: the peer itself is gone.
void ss_client_gone(struct engine *engine, const char *peer, uint64_t id);

#endif

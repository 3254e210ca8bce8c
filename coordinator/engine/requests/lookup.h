// lookup.h - requests that the store's small tables answer first.
#ifndef SS_ENGINE_REQUESTS_LOOKUP_H
#define SS_ENGINE_REQUESTS_LOOKUP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "coordinator/engine/threads/waiting.h"

struct engine;
struct ss_request;
struct ss_event;
struct thread;

// A name that is to be this thread's run (claim.c).
struct claim {
    uint64_t tag; // of the look or of the put that is under way
    bool is_put;
    int tries;
    char *thread;
    struct ss_request *request;
};

struct scan_reply { // a request that waits for records
    uint64_t tag;
    struct ss_request *request;
    json_int_t done; // entries that are cleared so far
    bool has_looked; // at the keys that name a thread
    json_t *found;   // threads that have a run of that name; or NULL
    char *thread;    // of a run whose rows are gone (outlived.c); or NULL
    int64_t born_us; // when that thread was made
    bool is_early;   // the prune that took them is not durable yet
};

// Those that the store is asked about, and how one goes on.
struct requests {
    // Serves one that waited for its thread (request.c).
    bool (*serve)(struct thread *thread, const struct waiting *w);
    SS_VEC(struct claim) claims;
    SS_VEC(struct scan_reply) scans;
    struct ss_map listeners; // peer -> struct listener (subscribers.c)
};

// ------------------------------------------------ scan.c

// Frees all scans.
void ss_scans_fini(struct engine *engine);
// Ask the store's small tables, then answer. Borrows all.
void ss_request_scan(struct engine *engine, const struct ss_request *request);

// ------------------------------------------------ resume.c

// Serve it when the thread is loaded: at once, if it is. Borrows all.
void ss_request_later(
    struct thread *thread, enum turn turn, const struct ss_request *request);

// ------------------------------------------------ claim.c

// Frees all claims.
void ss_claims_fini(struct engine *engine);
// Before a run of a client's own name begins where names alone are keys: the
// name becomes this thread's, durably, or the request is refused. Borrows all.
void ss_claim(struct thread *thread, const struct ss_request *request);
// True: it was the answer to a claim's look.
bool ss_claim_looked(struct engine *engine, const struct ss_event *event);

// ------------------------------------------------ locate.c

// Serve a request that takes a run: on the thread that it names, else on the
// one thread that has a run of that name. Borrows all.
void ss_locate(struct engine *engine, const struct ss_request *request);
// What the store's tables answered, one look after the other. Takes what is in
// `wait`.
void ss_locate_answer(struct engine *engine, struct scan_reply *wait,
    const struct ss_event *event);

// ------------------------------------------------ outlived.c

// No row tells of the run that it names. True: its thread lacks rows, so
// its record is looked at, and the request is answered then. Borrows all.
bool ss_outlived_look(struct thread *thread, const struct ss_request *request);
// What the store answered. Takes what is in `wait`.
void ss_outlived_answer(struct engine *engine, struct scan_reply *wait,
    const struct ss_event *event);

#endif

// audience.h - what the requests room keeps of a run: who listens to it, and
// how far they were told. It is there as long as the run is (watch.h), and
// nobody below this room looks into it.
#ifndef SS_ENGINE_REQUESTS_AUDIENCE_H
#define SS_ENGINE_REQUESTS_AUDIENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "coordinator/engine/levels/run.h"

struct replay;
struct run;
struct ss_request;
struct thread;

// A client that listens. It is found by its name, and what it listens to by the
// number of its request: of ten thousand runs, one is let go as fast as of ten.
struct listener {
    char *peer;
    size_t count;       // of its subscribers
    struct ss_map runs; // number of its request -> struct run
};

struct subscriber {
    struct listener *listener;
    uint64_t id;    // of its request
    unsigned modes; // bits of enum stream_mode
    bool subgraphs;
    bool told; // first answer sent
    bool detached;
    json_t *warning; // a text, for it alone; or NULL
};

// How the rows will tell what is told now (emit.c).
enum told_scope {
    SCOPE_NONE,
    SCOPE_NAMED, // an entry names it
    SCOPE_RAW,   // each has an entry that holds it
    SCOPE_MUTED, // it was told before a crash
};

struct audience {
    struct {
        struct subscriber *items;
        size_t count, capacity;
    } subscribers;
    bool any_subgraphs; // one of them wants what is told inside
    enum told_scope scope;
    uint64_t named_by;     // in a scope: the row whose entry names it; 0: none
    struct replay *replay; // its run is the shadow of one that is told again
    struct ss_map message_ids; // R10.13: seen in this run
    json_t *last_words; // answers to who does not wait, while it enters; NULL
};

static inline struct audience *audience_of(const struct run *run)
{
    return ss_run_facts(run)->audience;
}

// What its run tells those who listen (watch.h).
struct audience *ss_audience_make(void);
void ss_audience_free(struct run *run);
// Tell listeners that the run is accepted; those who do not wait leave.
void ss_audience_accept(struct run *run);
// It has entered: who does not wait is told what its input is warned of.
void ss_audience_entered(struct run *run);
// Who listened to `before` listens to `run`, which has no listeners yet.
void ss_audience_move(struct run *run, struct run *before);
// The answer that they wait for, when the thread's head is durable. Borrows it.
void ss_audience_answer(struct run *run, const json_t *result);
// The run is dropped, unfinished: they get this error.
void ss_audience_drop(struct run *run, int status, const char *message);

// Who asks listens to the run from now on; SS_EINVAL: it wants a mode that is
// none.
int ss_run_listen(struct run *run, const struct ss_request *request,
    struct ss_error *error) SS_MUST_USE;
// A run is asked for once more: true if there is one of this id, which serves
// the request, from its beginning. `run_id` may be NULL.
bool ss_run_serve_repeated(struct thread *thread,
    const struct ss_request *request, const char *run_id);
// `attach` on a loaded thread: the running one, or how it ended.
void ss_run_ask_again(struct thread *thread, const struct ss_request *request);

#endif

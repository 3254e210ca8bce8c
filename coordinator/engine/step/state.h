// state.h - the engine itself: what a step is made of, and where each of its
// rooms keeps what it has.
//
//   engine -- threads -- journal, rows on their way to the store
//          |          \- run -- loop (root graph) -- tasks
//          |                                           \- loop (a subgraph) ...
//          \- workers -- attempts -> tasks
//
// A *loop* is one graph in one checkpoint namespace (spec 5); a run is a tree
// of loops.
#ifndef SS_ENGINE_STEP_STATE_H
#define SS_ENGINE_STEP_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/base/prng.h"
#include "coordinator/engine/engine.h"

struct graphs;
struct levels;
struct pauses;
struct quarantine;
struct requests;
struct runs;
struct scheduler;
struct shards;
struct thread;
struct threads;
struct watch;

// What the store said of a STORE that it took at once.
struct unit_answer {
    struct thread *thread; // whose unit it was; NULL: records alone
    uint64_t tag;
    int status;
    char *message; // owned; NULL: there is none
};

struct engine {
    // What a step is made of: this room alone writes it (step.h).
    struct ss_engine_options options;
    struct ss_prng prng;
    int64_t now_ms, wall_us;
    int64_t wake_at_ms;
    SS_VEC(struct ss_command) commands;
    SS_VEC(struct unit_answer)
    stored;             // what the store took at once, to be told
    uint64_t tags;      // that were given, to what the store answers
    int32_t row_format; // rows of newer ones are not written: who reads them?
    bool drains;        // no more tasks are sent
    bool in_step;       // more events of this step follow
    bool ready_moved;   // a task that waits for a worker may find one
    // What each room keeps, set by who makes it; its files alone know what
    // that is.
    struct threads *threads;
    struct shards *shards;
    struct graphs *graphs;
    struct levels *levels;
    const struct watch *watch; // who is told what levels and runs do
    struct runs *runs;
    struct quarantine *quarantine;
    struct pauses *pauses;
    struct scheduler *scheduler;
    struct requests *requests;
};

// A task that waits for a worker may find one.
static inline void ss_engine_ready_moved(struct engine *engine)
{
    engine->ready_moved = true;
}

// True: one may, since this was asked last.
static inline bool ss_engine_take_ready_moved(struct engine *engine)
{
    bool moved = engine->ready_moved;
    engine->ready_moved = false;
    return moved;
}

// A number that was not given yet, under which the store answers.
static inline uint64_t ss_engine_tag(struct engine *engine)
{
    return ++engine->tags;
}

#endif

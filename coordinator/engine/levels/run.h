// run.h - a run, as its levels know it; what is done with it stands in runs.
#ifndef SS_ENGINE_LEVELS_RUN_H
#define SS_ENGINE_LEVELS_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/model/graph.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/threads/thread.h"

struct audience;
struct engine;
struct ss_value;

enum stream_mode {
    STREAM_VALUES = 1 << 0,
    STREAM_UPDATES = 1 << 1,
    STREAM_CUSTOM = 1 << 2,
    STREAM_MESSAGES = 1 << 3,
    STREAM_TASKS = 1 << 4,
    STREAM_CHECKPOINTS = 1 << 5,
    STREAM_DEBUG = 1 << 6,
    STREAM_PROGRESS = 1 << 7,
};

enum run_state {
    RUN_NEW,        // or a shadow, which only shows
    RUN_QUEUED,     // waits for its turn
    RUN_ACTIVE,     // the thread's
    RUN_TAKEN_BACK, // its rows are about to be void
    RUN_ENDED,
};

// What its request asks of a run (run_options.c).
struct run_options {
    json_t *command;        // or NULL
    json_t *checkpoint_map; // what it begins from, by namespace; or NULL
    json_t *metadata;       // of its config, for people; or NULL
    enum durability durability;
    int64_t recursion_limit;
    int64_t max_concurrency; // 0: none
    int64_t priority;        // higher ones are served first (ready_queue.c)
    bool strict_resume;
    struct ss_names before, after;     // per call; empty: the graph's
    json_t *meta;                      // merged into checkpoint metadata (R1.6)
    struct ss_value *config, *context; // as its orders carry them; or NULL
    bool has_output_keys;
    struct ss_keys output_keys; // owned
};

// How far its levels are.
struct run_stats {
    uint64_t supersteps, tasks;
    uint64_t restored;    // tasks that need not run again
    size_t planned, done; // tasks of this superstep, for progress
};

// What the rooms above may know of a run; ss_run_facts() shows it.
struct run_facts {
    enum run_state state;
    struct engine *engine;
    struct thread *thread;
    char id[SS_UUID_SIZE];      // a client's own id: any text that fits
    struct ss_graph *graph;     // own reference; NULL: not known yet
    struct ss_request *request; // how it is entered; NULL: it was
    struct run_options options;
    struct run_stats stats;
    uint64_t entry_seq; // of the row that says how it was entered; 0: none does
    struct loop *root;  // NULL: it was not begun
    struct audience *audience; // who listens: the requests room's (audience.h)
    unsigned modes;            // what all of them want together, as it says
    size_t running;            // attempts out
    bool recovering;           // its first superstep here is that of a crash
    bool keeps_output;         // its end row does: no fold of rows gives it
    json_t *warnings;          // or NULL
};

// It lies in front of what levels alone know (levels_impl.h).
static inline const struct run_facts *ss_run_facts(const struct run *run)
{
    return (const struct run_facts *)run;
}

// Its end is in the journal, or it is taken back.
static inline bool ss_run_has_ended(const struct run *run)
{
    enum run_state state = ss_run_facts(run)->state;
    return state == RUN_TAKEN_BACK || state == RUN_ENDED;
}

// ------------------------------------------------ run_kept.c

// One that nobody knows yet, of that name and graph (NULL: not known yet). In
// front of it lie so many bytes, zero, that are its
// maker's. ss_run_destroy(), with as many.
struct run *ss_run_make(struct thread *thread, const char *id,
    struct ss_graph *graph, size_t in_front);
void ss_run_destroy(struct run **place, size_t in_front);
// What is asked of it, once. Takes what is in `options`.
void ss_run_asked(struct run *run, const struct ss_request *request,
    const struct run_options *options);
// It is of that graph, before a superstep of it is planned.
void ss_run_is_of(struct run *run, struct ss_graph *graph);
// What all who listen to it want together: bits of enum stream_mode.
void ss_run_wants(struct run *run, unsigned modes);
// That row says how it was entered. Borrows its entry part, which is there
// until the run has entered at least; NULL: it is there no more.
void ss_run_borrows(struct run *run, uint64_t seq, json_t *entry);
// It goes on in the place of `before`, the same run: what that did counts.
void ss_run_follows(struct run *run, const struct run *before);
// Between two steps: of a run that is under way, `held` of whose tasks wait for
// the resume value.
void ss_run_verify(const struct run *run, size_t held);

// ------------------------------------------------ run_state.c

// Nobody else changes its state. A way that the table lacks is a bug of ours.
void ss_run_move(struct run *run, enum run_state to);

#endif

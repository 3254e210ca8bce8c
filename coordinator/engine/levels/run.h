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
};

// The resume value without an id, and whose it is (resume_value.c).
struct resume_value {
    struct ss_value *value; // NULL: none, or taken
    struct task *holder;    // whom it went out to
    struct task *first;     // who goes first, until graphs inside are planned
    bool aimed;             // it went to whose question was open
    size_t held;            // tasks that asked and wait for its way
};

// What supersteps know of their run.
struct terms {
    bool recovering;    // the first of them is that of a crash
    json_t *resume_map; // id -> answer, or NULL
    bool has_output_keys;
    struct ss_keys output_keys; // owned
    uint64_t tasks_restored;
};

// How far its levels are.
struct run_stats {
    uint64_t supersteps, tasks;
    size_t planned, done; // tasks of this superstep, for progress
};

struct run {
    enum run_state state;
    struct engine *engine;
    struct thread *thread;
    char id[SS_UUID_SIZE]; // a client's own id: any text that fits
    struct terms terms;
    struct ss_graph *graph;
    struct ss_request *request; // how it is entered; NULL: it was
    json_t *facts; // to be said of its thread as it begins; NULL: none are
    struct run_options options;
    struct resume_value resume_value;
    struct run_stats stats;
    json_t *questions; // ids that were open when it was entered (R7.12)
    // The entry part of its first row, borrowed, while it enters; may be NULL
    // once it has (runs/thread_owner.c).
    json_t *entry;
    uint64_t entry_seq;
    char replay_id[SS_UUID_SIZE]; // replay state (R5.13); "" none
    struct ss_map replay_visited; // logical namespaces (R12.14)
    struct loop *root;
    struct audience *audience; // who listens: the requests room's (audience.h)
    unsigned modes;            // what all of them want together, as it says
    size_t running;            // attempts out
    char *drain;               // a node asked to stop
    int64_t recoveries;        // counted without a row since; 0: it is innocent
    bool cancelled;
    // while it waits for its turn (queue.c)
    json_t *record;    // what is stored of it, with its request; NULL: it runs
    uint64_t unit;     // that stores it
    bool keeps_output; // its end row does: no fold of rows gives it
    json_t *warnings;
    int64_t created_us; // when it was asked for
    int64_t began_us;   // when its turn came; 0: it waits
};

// ------------------------------------------------ resume_value.c

// Nobody else is given what was there before. Borrows `value`; NULL: none.
void ss_resume_value_put(struct run *run, struct ss_value *value);
// As many tasks of it are held.
void ss_resume_value_verify(const struct run *run, size_t held);

// Its end is in the journal, or it is taken back.
static inline bool ss_run_has_ended(const struct run *run)
{
    return run->state == RUN_TAKEN_BACK || run->state == RUN_ENDED;
}

#endif

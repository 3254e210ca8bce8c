// loop.h - a loop and its tasks: the state of one graph in one namespace, and
// the superstep that is under way.
#ifndef SS_ENGINE_PREGEL_LOOP_H
#define SS_ENGINE_PREGEL_LOOP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/task.h"
#include "common/model/writers.h"
#include "coordinator/engine/pregel/pending.h"

struct change;
struct engine;
struct entry;
struct line;
struct loop;
struct run;
struct ss_channel;
struct ss_row_channel;
struct ss_value;
struct thread;
struct worker;

enum task_state {
    TASK_NEW,         // planned
    TASK_CACHE,       // the cache is asked
    TASK_READY,       // waits for a worker (or for its gate)
    TASK_RUNNING,     // an attempt is out
    TASK_BACKOFF,     // waits for its next attempt
    TASK_CHILD,       // its graph runs as a nested loop
    TASK_DONE,        // has its writes
    TASK_INTERRUPTED, // asks, or stopped at a breakpoint inside
    TASK_HELD, // asked; the resume value without an id may still come its way
    TASK_FAILED,
    TASK_PARENT, // ended with a Command to the graph around
};

enum task_kind { TASK_PULL, TASK_PUSH, TASK_HANDLER, TASK_UPDATE };

struct task {
    struct loop *loop;
    enum task_kind kind;
    enum task_state state;
    const struct ss_node *node; // borrowed from the graph
    char id[SS_UUID_SIZE];
    char *path;       // path_str (R3.14)
    size_t index;     // PUSH: its place in the topic
    char *ns;         // task_checkpoint_ns
    bool may_be_out;  // of a found run: a worker may still have it
    bool is_expected; // stands among the seekers (takeover.c)
    struct ss_value *input;
    struct ss_writes writes; // output, once done or restored
    json_t *answers;         // resume list (R3.18)
    json_t *used_answers;    // those that the last attempt was given back
    bool resume_value_given; // the resume value without an id went out with its
                             // attempt
    bool goes_first;         // it may be, unless a question is open elsewhere
    bool took_plain;         // a task inside, that stores nothing, took it
    bool restored;           // writes came from earlier pending writes
    bool cached;             // or from the cache
    json_t *interrupts;      // INTERRUPTED: [{value, id, ...}], may be empty
    json_t *messages;        // returned by the body
    json_t *items;           // live ones of this attempt: [[mode, value]...]
    size_t items_size;
    uint64_t items_count;
    struct ss_error error; // FAILED
    char *error_kind;
    bool error_handled;  // a handler took it
    struct task *failed; // HANDLER: whose failure it handles
    json_t *parent;      // PARENT: the command
    char *cache_key;
    int64_t timeout_ms; // a send's own
    // attempts
    enum ss_assignment_kind order_kind;
    struct ss_value *returned; // WRITERS: what the subgraph gave
    uint32_t failures;         // R6.20
    uint32_t redeliveries;
    uint32_t attempts;
    int64_t first_attempt_us;
    int64_t retry_at_ms;
    bool retry_resuming; // R6.23
    uint64_t tried_seq;  // rows up to here are of tries before
    struct ss_attempt attempt;
    struct worker *worker;
    int64_t sent_ms;
    bool sent_anew;    // its worker lacked a list: it went again, whole
    uint64_t gate_seq; // rows up to here must be durable before it is sent
    struct task *ready_next, *ready_prev; // in its line (ready_queue.c)
    struct line *line;                    // NULL: it is not ready
    struct loop *child;
    struct change *change; // UPDATE: the update_state that it belongs to
    char *fold_channel;    // a custom reducer's fold, see fold.c
    json_t *fold_writes;
    struct ss_value *folded;
};

// What a superstep says at once to the rooms above it, or asks them; they fill
// this table when the engine is made.
struct sink {
    // The task goes: nobody may know it any more when this returns.
    void (*dropped)(struct task *task);
    // A send to `node` (NULL: it names none), which the graph lacks, is left
    // out.
    void (*ignored)(struct loop *loop, const char *node);
    // Until then an attempt of before may be begun. Not later than now: none
    // may.
    int64_t (*begins_until)(const struct task *task);
};

enum loop_status {
    LOOP_ENTERING,
    LOOP_RUNNING, // tasks are out
    LOOP_FOLDING, // custom reducers are asked before the update
    LOOP_DONE,
    LOOP_INTERRUPTED,
    LOOP_FAILED,
    LOOP_DRAINED,
    LOOP_PARENT, // leaves with a Command to the graph around
};

struct index_list {
    size_t *items;
    size_t count;
    size_t capacity;
};

// Some of the channels or nodes of a graph, by index: asked for, and walked
// without a look at the others.
struct index_set {
    bool *has; // of each
    struct index_list list;
};

static inline void index_set_init(struct index_set *set, size_t size)
{
    *set = (struct index_set){.has = ss_zalloc(size, sizeof(*set->has))};
}

static inline void index_set_fini(struct index_set *set)
{
    ss_free(set->has);
    SS_VEC_FINI(&set->list);
}

static inline void index_set_add(struct index_set *set, size_t index)
{
    if (set->has[index])
        return;
    set->has[index] = true;
    SS_VEC_PUSH(&set->list, index);
}

static inline void index_set_clear(struct index_set *set)
{
    for (size_t i = 0; i < set->list.count; i++)
        set->has[set->list.items[i]] = false;
    set->list.count = 0;
}

struct seen_change {
    char *node;
    char *channel; // NULL: the entry itself
    int64_t version;
};

// Who asked for folds, and goes on when they are there (ask_fold.c). Either may
// free the loop.
struct fold_then {
    void (*folded)(struct loop *loop);
    // That channel's reducer gave none.
    void (*failed)(
        struct loop *loop, size_t channel, const struct ss_error *error);
};

// What supersteps know of their run.
struct terms {
    bool recovering;    // the first of them is that of a crash
    json_t *resume_map; // id -> answer, or NULL
    bool has_output_keys;
    struct ss_keys output_keys; // owned
    uint64_t tasks_restored;
};

struct loop {
    struct engine *engine;
    const struct sink *sink;
    struct thread *thread;
    struct run *run;     // NULL: a view (state, history) or an update
    struct terms *terms; // the run's; NULL: it has none
    bool not_folded;     // of a view: a custom reducer's writes wait
    bool is_view; // shown and dropped: no versions, nothing "updated" (R4.4)
    struct loop *parent;
    struct task *parent_task;
    struct ss_graph *graph; // own reference
    char *ns;
    enum loop_status status;
    int64_t step, stop;

    // the checkpoint being worked on
    char id[SS_UUID_SIZE];
    int64_t *versions;   // by channel index; 0: none
    int64_t version_max; // over all channels, unknown ones too
    struct ss_map seen;  // node -> struct ss_map * (channel -> int64_t *)
    struct ss_channel *channels; // by channel index
    bool updated_known;
    struct index_set updated;      // channels
    struct index_set updated_last; // those that the last update updated
    // A superstep looks at what moved, never at all of a graph:
    struct index_set versioned; // channels that have a version
    struct index_set
        self_changing; // channels that change though nobody writes them
    struct index_set candidates; // nodes: all that are triggered are among them
    bool candidates_known;       // else any may be
    bool changed_since_break,
        changed_since_break_known; // something moved since the last breakpoint
    bool has_custom;               // a custom reducer folds some channel
    size_t *slots; // by channel index, of an update under way; else 0
    char parent_id[SS_UUID_SIZE]; // of the checkpoint; "" none
    char source[8];
    int64_t meta_step;
    json_t *metadata; // loaded one's, all but source and step
    int64_t wall_us;  // when it was made

    // for the next save: where it hangs, what moved since
    char saved_id[SS_UUID_SIZE]; // parent of the next save; "" none
    uint64_t saved_seq;          // its row; 0: none
    uint64_t base_seq;
    size_t base_bytes; // about, since the base
    size_t whole_bytes;
    struct { // channels that the graph lacks and the journal has
        struct ss_row_channel *items;
        size_t count, capacity;
    } foreign;
    bool dirty; // the checkpoint is not in the journal (exit)
    char answer_taken_of[SS_UUID_SIZE]; // under `exit`: its resume value
                                        // without an id; or ""
    bool unsaved_state; // its channels are not those of its saved checkpoint
    bool untracked;     // some channels are never saved
    uint32_t told[8]; // by enum ss_told: told before a crash, of what comes now
    bool force_whole; // the next row holds all (a copy beside its original)
    struct index_set moved;   // channels
    struct ss_value **stored; // by channel index: what the journal holds
    size_t *stored_size;      // its bytes, about
    struct {
        struct seen_change *items;
        size_t count, capacity;
    } seen_moved;

    struct pendings pending;
    uint64_t tried_seq; // rows up to here are of a try of its task before
    uint64_t put_calls;
    struct ss_writes inherited_writes; // R5.7d, R5.12
    struct {
        struct task **items;
        size_t count, capacity;
    } tasks;

    // how it was entered (R5.1, R5.5, R5.6)
    bool persists; // it has a checkpointer
    bool addressed, superseded, loaded_latest;
    bool resuming; // is_resuming
    bool time_traveling;
    bool replaying;
    bool resuming_flag, has_resuming_flag; // inherited by children
    bool first_superstep;
    json_t *checkpoint_map;
    bool ticked;     // its first tick was made
    size_t ended_to; // tasks before this one have ended, for ever

    // what it gives
    struct ss_value *output; // last values payload; NULL: none was emitted
    json_t *interrupts;      // INTERRUPTED
    struct ss_error error;
    char *error_node;
    json_t *parent_command;
    char *drain;
    struct change *change; // an update_state works on it
    struct entry *entry;   // it is being entered (enter.c)
    struct task *folds;    // FOLDING: one pseudo task for each channel
    size_t folds_count;
    const struct fold_then *fold_then;
};

// ------------------------------------------------ task_state.c

// Nobody else changes them. A way that the table lacks is a bug of ours.
void ss_task_move(struct task *task, enum task_state to);
// A task of a run that is told again: it is shown as it ended, each time.
void ss_task_show(struct task *task, enum task_state as);

// ------------------------------------------------ loop_state.c

void ss_loop_move(struct loop *loop, enum loop_status to);

#endif

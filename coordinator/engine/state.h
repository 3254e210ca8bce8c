// state.h - what the engine knows: threads, runs, loops, tasks, workers.
//
//   engine -- threads -- journal, rows on their way to the store
//          |          \- run -- loop (root graph) -- tasks
//          |                                           \- loop (a subgraph) ...
//          \- workers -- attempts -> tasks
//
// A *loop* is one graph in one checkpoint namespace (spec 5); a run is a tree of
// loops. Only files of this folder include this header.
#ifndef SS_ENGINE_STATE_H
#define SS_ENGINE_STATE_H

#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"

struct engine;
struct thread;
struct run;
struct loop;
struct task;
struct watch;

// ------------------------------------------------------------------ tasks

enum task_state {
    TASK_NEW,         // planned
    TASK_CACHE,       // the cache is asked
    TASK_READY,       // waits for a worker (or for its gate)
    TASK_RUNNING,     // an attempt is out
    TASK_BACKOFF,     // waits for its next attempt
    TASK_CHILD,       // its graph runs as a nested loop
    TASK_DONE,        // has its writes
    TASK_INTERRUPTED, // asks, or stopped at a breakpoint inside
    TASK_HELD,        // asked; the plain answer may still come its way
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
    char *path; // path_str (R3.14)
    size_t index; // PUSH: its place in the topic
    char *ns;   // task_checkpoint_ns
    bool may_be_out; // of a found run: a worker may still have it
    bool seeks;      // stands among the seekers (adopt.c)
    struct ss_value *input;
    struct ss_writes writes; // output, once done or restored
    json_t *answers;         // resume list (R3.18)
    json_t *used_answers;    // those that the last attempt was given back
    bool plain_given;        // the plain answer went out with its attempt
    bool goes_first;         // it may be, unless a question is open elsewhere
    bool took_plain;         // a task inside, that stores nothing, took it
    bool restored;           // writes came from earlier pending writes
    bool cached;             // or from the cache
    json_t *interrupts;      // INTERRUPTED: [{value, id, ...}], may be empty
    json_t *messages;        // returned by the body
    json_t *items;           // live ones of this attempt: [[mode, value]...]
    size_t items_size;
    uint64_t items_count;
    struct ss_error error;   // FAILED
    char *error_kind;
    bool error_handled; // a handler took it
    struct task *failed; // HANDLER: whose failure it handles
    json_t *parent;      // PARENT: the command
    char *cache_key;
    int64_t timeout_ms;  // a send's own
    // attempts
    enum ss_order_kind order_kind;
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
    bool sent_anew; // its worker lacked a list: it went again, whole
    uint64_t gate_seq; // rows up to here must be durable before it is sent
    struct task *ready_next, *ready_prev; // in its line (fair.c)
    struct line *line;                    // NULL: it is not ready
    struct loop *child;
    struct change *change; // UPDATE: the update_state that it belongs to
    char *fold_channel;    // a custom reducer's fold, see fold.c
    json_t *fold_writes;
    struct ss_value *folded;
};

// ------------------------------------------------------------------ loops

// What a superstep says at once to the rooms above it, or asks them; they fill this
// table when the engine is made.
struct sink {
    // The task goes: nobody may know it any more when this returns.
    void (*dropped)(struct task *task);
    // A send to `node` (NULL: it names none), which the graph lacks, is left out.
    void (*ignored)(struct loop *loop, const char *node);
    // Until then an attempt of before may be begun. Not later than now: none may.
    int64_t (*begins_until)(const struct task *task);
};

enum loop_status {
    LOOP_ENTERING,
    LOOP_RUNNING,  // tasks are out
    LOOP_FOLDING,  // custom reducers are asked before the update
    LOOP_DONE,
    LOOP_INTERRUPTED,
    LOOP_FAILED,
    LOOP_DRAINED,
    LOOP_PARENT, // leaves with a Command to the graph around
};

// A pending write in memory (R1.7).
struct pending {
    char task_id[SS_UUID_SIZE];
    char *path;
    int32_t idx;
    char *channel;
    struct ss_value *value;
    bool of_this_run; // written by this run (recovery, R5.28)
    bool is_left;     // an exit has stored it; there may be another one
    uint64_t seq;     // which came later: the row, then a counter
};

struct pendings {
    struct pending *items;
    size_t count;
    size_t capacity;
    struct ss_map tasks; // task id -> anything: whose writes are here
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
    bool recovering; // the first of them is that of a crash
    json_t *resume_map; // id -> answer, or NULL
    bool has_output_keys;
    struct ss_keys output_keys; // owned
    uint64_t tasks_restored;
};

struct loop {
    struct engine *engine;
    const struct sink *sink;
    struct thread *thread;
    struct run *run; // NULL: a view (state, history) or an update
    struct terms *terms; // the run's; NULL: it has none
    bool not_folded; // of a view: a custom reducer's writes wait
    bool is_view;    // shown and dropped: no versions, nothing "updated" (R4.4)
    struct loop *parent;
    struct task *parent_task;
    struct ss_graph *graph; // own reference
    char *ns;
    enum loop_status status;
    int64_t step, stop;

    // the checkpoint being worked on
    char id[SS_UUID_SIZE];
    int64_t *versions; // by channel index; 0: none
    int64_t version_max; // over all channels, unknown ones too
    struct ss_map seen;  // node -> struct ss_map * (channel -> int64_t *)
    struct ss_channel *channels; // by channel index
    bool updated_known;
    struct index_set updated; // channels
    struct index_set news;    // those that the last update updated
    // A superstep looks at what moved, never at all of a graph:
    struct index_set versioned; // channels that have a version
    struct index_set restless; // channels that change though nobody writes them
    struct index_set maybe;    // nodes: all that are triggered are among them
    bool maybe_known;          // else any may be
    bool stirred, stirred_known; // something moved since the last breakpoint
    bool has_custom;   // a custom reducer folds some channel
    size_t *slots;     // by channel index, of an update under way; else 0
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
    char answer_taken_of[SS_UUID_SIZE]; // under `exit`: its plain answer; or ""
    bool drifted;   // its channels are not those of its saved checkpoint
    bool untracked; // some channels are never saved
    uint32_t told[8]; // by enum ss_told: told before a crash, of what comes now
    bool force_whole; // the next row holds all (a copy beside its original)
    struct index_set moved; // channels
    struct ss_value **stored; // by channel index: what the journal holds
    size_t *stored_size;      // its bytes, about
    struct {
        struct seen_change *items;
        size_t count, capacity;
    } seen_moved;

    struct pendings pending;
    uint64_t tried_seq; // rows up to here are of a try of its task before
    uint64_t put_calls;
    struct ss_writes carried; // R5.7d, R5.12
    struct {
        struct task **items;
        size_t count, capacity;
    } tasks;

    // how it was entered (R5.1, R5.5, R5.6)
    bool persists; // it has a checkpointer
    bool addressed, superseded, loaded_latest;
    bool resuming;       // is_resuming
    bool time_traveling;
    bool replaying;
    bool resuming_flag, has_resuming_flag; // inherited by children
    bool first_superstep;
    json_t *checkpoint_map;
    bool ticked; // its first tick was made
    size_t ended_to; // tasks before this one have ended, for ever

    // what it gives
    struct ss_value *output; // last values payload; NULL: none was emitted
    json_t *interrupts;  // INTERRUPTED
    struct ss_error error;
    char *error_node;
    json_t *parent_command;
    char *drain;
    struct change *change; // an update_state works on it
    struct entry *entry;   // it is being entered (enter.c)
    struct task *folds; // FOLDING: one pseudo task for each channel
    size_t folds_count;
    const struct fold_then *fold_then;
};

// ------------------------------------------------------------------ runs

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

enum durability { DURABLE_SYNC, DURABLE_ASYNC, DURABLE_EXIT };

struct audience;

enum run_state {
    RUN_NEW,        // or a shadow, which only shows
    RUN_QUEUED,     // waits for its turn
    RUN_ACTIVE,     // the thread's
    RUN_TAKEN_BACK, // its rows are about to be void
    RUN_ENDED,
};

struct run {
    enum run_state state;
    struct engine *engine;
    struct thread *thread;
    char id[SS_UUID_SIZE]; // a client's own id: any text that fits
    struct terms terms;
    struct ss_graph *graph;
    json_t *body; // the request: how it was entered
    json_t *input; // borrowed from body, or NULL
    json_t *command;
    enum durability durability;
    int64_t recursion_limit;
    int64_t max_concurrency; // 0: none
    int64_t priority;        // higher ones are served first (fair.c)
    bool strict_resume;
    struct ss_names before, after; // per call; empty: the graph's
    json_t *config, *context;
    json_t *meta;       // merged into checkpoint metadata (R1.6)
    struct ss_value *plain; // the plain answer; NULL: none, or taken
    struct task *plain_holder; // whom it went out to
    struct task *plain_waits;  // who goes first, until graphs inside are planned
    bool plain_aimed; // it went to whose question was open
    size_t held; // tasks that asked and wait for the plain answer's way
    json_t *questions; // ids that were open when it was entered (R7.12)
    json_t *entry;     // the entry part of its first row, borrowed
    char replay_id[SS_UUID_SIZE]; // replay state (R5.13); "" none
    struct ss_map replay_visited; // logical namespaces (R12.14)
    struct loop *root;
    struct audience *audience; // who listens: the requests room's (audience.h)
    unsigned modes;            // what all of them want together, as it says
    size_t running;            // attempts out
    char *drain;               // a node asked to stop
    uint64_t entry_seq;
    int64_t recoveries;  // counted without a row since; 0: it is innocent
    bool cancelled;
    // while it waits for its turn (queue.c)
    json_t *record;  // what is stored of it, with its request; NULL: it runs
    uint64_t unit;   // that stores it
    bool keeps_output; // its end row does: no fold of rows gives it
    json_t *warnings;
    uint64_t supersteps, tasks_run;
    int64_t created_us;
    size_t tasks_planned, tasks_done; // of this superstep, for progress
};

// ------------------------------------------------------------------ threads

// A command that waits for rows to be durable.
struct held {
    uint64_t seq;
    uint64_t unit; // and for this unit, which may hold records alone
    struct ss_command command;
};

// A request that waits: for the thread to be loaded, or for its turn.
struct waiting {
    char *peer; // NULL: ours
    uint64_t id;
    char *op;
    json_t *body;
};

struct waiting_list {
    struct waiting *items;
    size_t count, capacity;
};

enum thread_state { THREAD_COLD, THREAD_LOADING, THREAD_HOT };

struct thread {
    struct engine *engine;
    char *id;
    enum thread_state state;
    uint64_t load_tag;
    struct ss_journal *journal;
    struct ss_row *open; // the row being made in this step
    size_t open_writes;  // its capacity for writes
    uint64_t issued;     // rows handed to the store
    uint64_t durable;
    uint64_t store_tag; // of the unit in flight; 0: none
    uint64_t worked_on_by; // number of the worker that had its last task
    uint64_t store_to;
    uint64_t units; // handed to the store
    uint64_t units_durable;
    struct {
        struct ss_command_put *items;
        size_t count, capacity;
    } puts;
    struct {
        struct held *items;
        size_t count, capacity;
    } held;
    struct waiting_list waiting;
    struct run *run;       // the active one
    struct run *taken_back; // one that ended so; its rows are not void yet
    struct {
        struct run **items;
        size_t count, capacity;
    } queue; // those that wait for their turn, in order (queue.c)
    int64_t queue_last;    // the place of the last one that joined
    bool turn;             // in engine's list of threads that may begin one
    struct change *change; // an update_state that waits for a worker
    bool dirty;            // in engine's list of threads to flush
    bool known;            // has a record
    char *record;          // that, as JSON text; NULL: none
    int64_t born_us;       // when it was made; 0: it has no record
    uint64_t delete_to;    // void rows to delete when that is durable; 0: none
    bool delete_all;       // the next unit deletes every row
    bool deleting;         // until that is durable who asks for the thread waits
    bool barred;           // not to be read yet: a run of it is on trial
    struct ss_map old_records; // runs whose name alone is their key (record.c)
    json_t *parked;        // the record of its quarantined run, or NULL
    json_t *doomed;        // of one that is being cancelled; or NULL
    int64_t recoveries;    // of the run that it is read for
    char *graph;           // last used
    uint64_t last_ticks;
    uint64_t event_seq; // numbering of events
    uint32_t event_index;
    int64_t used_ms;
    struct thread *idle_prev, *idle_next; // the longest idle first
    bool is_idle;                         // it is in that list
    size_t idle_size;                     // bytes of memory, about
};

// ------------------------------------------------------------------ workers

enum worker_state {
    WORKER_SERVES,
    WORKER_SENT_AWAY, // it was told to leave, and has not said that it does
    WORKER_DRAINS,    // it said so: it is given nothing more
};

struct worker {
    enum worker_state state;
    struct engine *engine;
    char *peer;
    char *name;
    uint64_t number;   // no other one has it
    uint32_t capacity; // as it was announced
    uint32_t granted;  // what it leaves to us of that
    uint32_t running;
    int64_t seen_ms;
    // Its newest beat (beat.c): by its clock, and when it came. 0: it says none.
    uint64_t beat_sent;
    int64_t beat_ms;
    int64_t members_said_ms; // when it was told last who the members are
    struct ss_map graphs; // "name@version" -> itself
    struct ss_map labels;
    uint64_t attempts, lost;
    json_t *graph_names;
    json_t *settings; // for people; or NULL
    struct { // of threads that have moved: its result is another's
        struct ss_attempt *items;
        size_t count, capacity;
    } let_go;
    bool keeps_lists;
    struct ss_map holdings; // what it holds (hold.c), least used first
};

struct known_graph {
    struct ss_graph *graph;
    int64_t announced_us; // when it was, first; the newest rules; 0: never
    size_t workers;       // that serve it, as the scheduler says
};

// A run that may have ended its coordinator (trial.c).
struct trial {
    char *thread;
    json_t *record; // as it is to be stored
    uint64_t tag;   // of that; 0: it waits for its turn
};

// A change of what is paused, on its way to the store (pause.c).
struct pausing {
    uint64_t tag;
    char *peer;
    uint64_t id;
    char *key;
    json_t *record; // NULL: it goes on
};

// A name that is to be this thread's run (claim.c).
struct claim {
    uint64_t tag; // of the look or of the put that is under way
    bool is_put;
    int tries;
    char *thread;
    char *peer;
    uint64_t id;
    json_t *body;
};

// A result that is looked for in the store (cache.c).
struct cache_look {
    uint64_t tag;
    struct task *task; // NULL: it is gone
};

struct scan_reply { // a request that waits for records
    uint64_t tag;
    char *peer;
    uint64_t id;
    char *op;
    json_t *body;
    json_int_t done;   // entries that are cleared so far
    bool has_looked;   // at the keys that name a thread
    json_t *found;     // threads that have a run of that name; or NULL
    char *thread;      // of a run whose rows are gone (outlived.c); or NULL
    int64_t born_us;   // when that thread was made
    bool is_early;     // the prune that took them is not durable yet
};

struct engine {
    const struct sink *sink;
    struct ss_engine_options options;
    const struct watch *watch; // who is told what levels and runs do
    // Serves a request that waited for its thread (request.c).
    bool (*serve)(struct thread *thread, const struct waiting *w);
    struct ss_engine_counts counts;
    struct ss_prng prng;
    int64_t now_ms, wall_us;
    struct {
        struct ss_command *items;
        size_t count, capacity;
    } commands;
    const struct thread_owner *owner; // of all threads: the room of runs
    struct ss_map threads; // id -> struct thread *
    struct ss_map awaited; // tag of a unit or a read -> whose it is
    struct thread *idle_first, *idle_last;
    size_t idle_count, idle_size;
    struct ss_map runs;    // run and thread (record.c) -> struct run *
    struct ss_map graphs;  // "name@version" -> struct known_graph *
    struct ss_map latest;  // name -> struct known_graph *
    struct ss_map workers; // peer -> struct worker *
    struct ss_map attempts; // dispatch number as text -> struct task *
    // adopt.c: what workers hold of owners before us, and who looks for it
    uint64_t worker_numbers;
    size_t stores_out; // units of threads that the store has not answered
    struct ss_map offers;  // task and thread -> struct offered *
    struct ss_map seekers; // the same -> struct task *
    bool offers_moved;
    int64_t adopt_until_ms; // found tasks wait for offers until then; 0: not
    struct ss_map vouched; // beat.c: task and thread -> when it may be sent anew
    int32_t row_format; // rows of newer ones are not written: who reads them?
    json_t *members; // endpoints of all coordinators; NULL: not told
    struct ss_shards owned; // if shared
    struct ss_shards unread; // of those: not all their runs are known yet
    uint64_t shard_epochs[SS_SHARDS];
    uint16_t owners[SS_SHARDS]; // index in members, or SS_NOBODY
    struct {
        struct trial *items;
        size_t count, capacity;
    } trials;
    char *on_trial; // the thread whose run goes on alone, or NULL
    int64_t trial_ends_ms;
    struct ss_map pauses; // key -> json_t *, its record (pause.c)
    size_t pauses_of_versions; // of those
    struct {
        struct pausing *items;
        size_t count, capacity;
    } pausings;
    struct {
        struct claim *items;
        size_t count, capacity;
    } claims;
    bool letting_go; // threads are leaving: their attempts go on
    bool drains;
    struct {
        struct thread **items;
        size_t count, capacity;
    } gone; // freed at the end of the step
    struct {
        struct thread **items;
        size_t count, capacity;
    } dirty;
    struct {
        struct thread **items;
        size_t count, capacity;
    } turns;
    size_t queued; // runs that wait for their turn, on all threads
    size_t verify_in; // steps until all invariants are looked at again
    struct {
        struct scan_reply *items;
        size_t count, capacity;
    } scans;
    struct {
        struct task **items;
        size_t count, capacity;
    } ready; // tasks that are, and stand in no line yet (ss_schedule_ready)
    struct {
        struct line **items;
        size_t count, capacity;
    } lines; // of ready tasks (fair.c)
    uint64_t line_turns;
    bool ready_moved;
    struct {
        struct run **items;
        size_t count, capacity;
    } ended; // freed at the end of the step
    uint64_t dispatches;
    uint64_t tags;
    uint64_t stamps; // of lists that workers hold
    int64_t announced_us; // of the newest graph
    int64_t evict_at_ms;
    bool graphs_moved; // one became known in this step
    const char *request_op; // of the request being served
    const char *request_by; // the key of who asks, or NULL
    int64_t wake_at_ms;
    struct {
        struct task **items;
        size_t count, capacity;
    } backoff;
    struct {
        struct cache_look *items;
        size_t count, capacity;
    } cache_looks;
    struct {
        struct loop **items;
        size_t count, capacity;
    } advance; // loops that may have something to do
    size_t supersteps; // that ended in this step
    struct {
        struct loop **items;
        size_t count, capacity;
    } resting; // between two supersteps, until a later step
    struct {
        struct loop **items;
        size_t count, capacity;
    } roots_ended; // their runs have yet to end (ss_runs_end)
};

#endif

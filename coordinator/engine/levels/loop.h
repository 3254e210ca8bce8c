// loop.h - a loop and its tasks: one graph in one namespace, and the superstep
// that is under way. The state of the graph is its machine's (common/pregel).
#ifndef SS_ENGINE_LEVELS_LOOP_H
#define SS_ENGINE_LEVELS_LOOP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/source.h"
#include "common/model/task.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/threads/lineage.h"

struct census;
struct change;
struct engine;
struct entry;
struct loop;
struct run;
struct ss_value;
struct thread;

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

// How a task is tried (retry.c); attempts are counted as they are sent
// (scheduler/schedule.c), and an update's losses go on (runs/update_state.c).
struct task_attempts {
    uint32_t failures; // R6.20; behind one its graph is gone on with (R6.23)
    uint32_t redeliveries;
    uint32_t attempts;
    int64_t first_attempt_us;
    int64_t retry_at_ms;
    uint64_t tried_seq; // rows up to here are of tries before
};

// Live items of the attempt that is out; told.c keeps them.
struct task_items {
    json_t *kept; // owned: [[mode, value]...], or NULL
    size_t size;  // of those
    uint64_t count;
};

// A custom reducer's fold (ask_fold.c); of zeros in any other task. Owned.
struct task_fold {
    char *channel;
    json_t *writes;
    struct ss_value *value; // the answer
};

struct task {
    struct loop *loop;
    struct ss_planned_task planned;
    enum task_state state;
    struct ss_writes writes; // output, once done or restored
    json_t *answers;         // resume list (R3.18), or NULL
    json_t *used_answers;    // those that the last attempt was given back
    bool resume_value_given; // the resume value without an id went out with its
                             // attempt
    bool goes_first;         // it may be, unless a question is open elsewhere
    bool took_plain;         // a task inside, that stores nothing, took it
    bool restored;           // writes came from earlier pending writes
    bool cached;             // or from the cache
    json_t *interrupts;      // INTERRUPTED: [{value, id, ...}], may be empty
    json_t *messages;        // returned by the body
    struct task_items items;
    struct ss_error *error; // FAILED
    bool error_handled;     // a handler took it
    struct task *failed;    // HANDLER: whose failure it handles
    json_t *parent;         // PARENT: the command
    char *cache_key;
    // attempts
    enum ss_assignment_kind order_kind;
    struct ss_value *returned; // WRITERS: what the subgraph gave
    struct task_attempts tries;
    uint64_t gate_seq; // rows up to here must be durable before it is sent
    struct loop *child;
    struct task_fold fold;
};

// What people know a task by: its node, or the key whose writes it folds.
static inline const char *ss_task_label(const struct task *task)
{
    return task->planned.node ? task->planned.node->name : task->fold.channel;
}

// What a level says at once to the rooms above it, or asks them; they fill this
// table when the engine is made.
struct sink {
    // Bytes of a task with what they keep of it: it lies in front, and they
    // find the zero bytes behind it when it is made.
    size_t task_size;
    // The task goes: nobody may know it any more when this returns.
    void (*dropped)(struct task *task);
    // Until then an attempt of before may be begun. Not later than now: none
    // may.
    int64_t (*begins_until)(const struct task *task);
    // What they keep of it holds.
    void (*verify)(const struct task *task, struct census *census);
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

// The checkpoint that a level works on. Loading makes it, and each save
// (level.c, checkpoint.c); `told` is counted in told.c.
struct loop_checkpoint {
    char id[SS_UUID_SIZE];
    char parent_id[SS_UUID_SIZE]; // "" none
    enum ss_source source;
    int64_t step;
    json_t *metadata;   // owned: all but source and step
    int64_t wall_us;    // when it was made; 0: it was loaded
    bool dirty;         // it is not in the journal (exit)
    bool answer_taken;  // under `exit`: its resume value without an id
    bool unsaved_state; // the channels are not those that are saved
    uint32_t told[8]; // by enum ss_told: told before a crash, of what comes now
};

// Of the graph around a level, where that is in its first superstep.
enum inherited { INHERITED_NOTHING, INHERITED_ANEW, INHERITED_RESUMING };

// How a level was entered (R5.1, R5.5, R5.6). Entering writes it
// (enter_child.c, enter_root.c), and nobody afterwards.
struct loop_entry {
    bool superseded;          // at a checkpoint that the thread has left
    bool resuming;            // is_resuming
    bool replaying;           // in its first superstep
    enum inherited inherited; // also by those inside
    uint64_t tried_seq;       // rows up to here are of a try of its task before
};

// What custom reducers are asked (ask_fold.c).
struct loop_folds {
    struct task **items; // FOLDING: owned, one pseudo task for each channel
    size_t count;
    const struct fold_then *then;
};

// What a level gives when it leaves (loop.c), or why its run ended (runs). It
// owns all of it.
struct loop_result {
    struct ss_value *output; // last values payload; NULL: none was emitted
    json_t *interrupts;      // INTERRUPTED
    struct ss_error *error;  // NULL: none
    char *error_node;
    json_t *parent_command;
    char *drain;
};

struct loop {
    struct engine *engine;
    struct thread *thread;
    struct run *run;     // NULL: a view (state, history) or an update
    struct terms *terms; // the run's; NULL: it has none
    bool not_folded;     // of a view: a custom reducer's writes wait
    bool is_view; // shown and dropped: no versions, nothing "updated" (R4.4)
    struct loop *parent;
    struct task *parent_task;
    struct ss_graph *graph; // own reference
    struct ss_machine *machine;
    char *ns;
    enum loop_status status;
    int64_t step, stop;

    struct loop_checkpoint checkpoint;
    struct lineage lineage; // where the next one hangs
    struct ss_pendings pending;
    uint64_t put_calls;
    struct {
        struct task **items;
        size_t count, capacity;
        struct ss_arena memory; // of them and their texts: it goes with them
    } tasks;
    bool persists; // it has a checkpointer
    struct loop_entry entered;
    struct entry *entry; // it is being entered (enter.c)
    bool first_superstep;
    json_t *checkpoint_map;
    bool ticked;     // its first tick was made
    size_t ended_to; // tasks before this one have ended, for ever
    struct loop_folds folds;
    struct loop_result result;
    struct change *change; // an update_state works on it
};

// Where its superstep stands.
static inline struct ss_superstep ss_loop_stands(struct loop *loop)
{
    return (struct ss_superstep){.ns = loop->ns,
        .checkpoint_id = loop->checkpoint.id,
        .step = loop->step,
        .stop = loop->stop,
        .memory = &loop->tasks.memory};
}

// Writes that belong to no task, as those of a pseudo task `__input__` (R5.8).
static inline struct ss_update_task ss_loop_input(
    const struct loop *loop, const struct ss_writes *writes)
{
    return (struct ss_update_task){.path = "~",
        .name = SS_NAME_INPUT,
        .id = loop->checkpoint.id,
        .writes = writes};
}

// ------------------------------------------------ superstep.c

// The tasks of its next superstep replace those it has (common/pregel/plan.c).
void ss_loop_plan(struct loop *loop, bool execute);
// One more: that of the node which handles `failed`.
struct task *ss_loop_plan_handler(struct loop *loop, struct task *failed);
void ss_loop_drop_tasks(struct loop *loop);
// Of nothing yet, and in no list: not one of a superstep, whose tasks lie in
// one memory.
struct task *ss_task_new(struct loop *loop);
void ss_task_destroy(struct task **place);
// What these wrote, with the folds that are there, becomes the machine's state.
// *ret_channel: the one at fault, or SS_NONE. Resets the scratch memory, which
// `tasks` may lie in.
int ss_loop_apply(struct loop *loop, const struct ss_update_task *tasks,
    size_t count, size_t *ret_channel, struct ss_error *error) SS_MUST_USE;
// The keys of `values` and `updates` events, and of the final output (R10.4).
// Borrowed from the graph or the run.
void ss_loop_keys(
    struct loop *loop, struct ss_keys *ret_shown, struct ss_keys *ret_final);
// What these keys hold, whole: to be shown. Gives.
json_t *ss_loop_output_json(struct loop *loop, const struct ss_keys *keys);

// ------------------------------------------------ retry.c

// The one at that place of those that wait for their next try. Borrowed; NULL:
// there are no more.
const struct task *ss_task_backing_off(
    const struct engine *engine, size_t index);

// ------------------------------------------------ sent.c

// An attempt of it goes out: it is RUNNING, at `wall_us`.
void ss_task_sent(struct task *task, int64_t wall_us);
// That attempt is out no more; the task is NEW, and what follows says how it
// goes on.
void ss_task_attempt_over(struct task *task);
// The attempt that was out had not begun: it does not count.
void ss_task_not_begun(struct task *task);

#endif

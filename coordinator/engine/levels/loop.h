// loop.h - a loop and its tasks, as other rooms see them: one graph in one
// namespace, and the superstep that is under way. What else there is of them
// levels alone know (levels_impl.h).
#ifndef SS_ENGINE_LEVELS_LOOP_H
#define SS_ENGINE_LEVELS_LOOP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/source.h"
#include "common/model/task.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"

struct census;
struct change;
struct engine;
struct loop;
struct run;
struct ss_assignment;
struct ss_pendings;
struct ss_value;
struct task;
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
};

// What the rooms above may know of a task; ss_task_facts() shows it.
struct task_facts {
    struct loop *loop;
    struct ss_planned_task planned;
    enum task_state state;
    enum ss_assignment_kind order_kind;
    struct task_attempts tries;
    uint64_t gate_seq;  // rows up to here must be durable before it is sent
    struct loop *child; // the graph inside
    bool cached;        // its writes came from the cache
    struct ss_writes writes;   // output, once done or restored
    struct ss_value *returned; // WRITERS: what the subgraph gave
    json_t *interrupts;        // INTERRUPTED: [{value, id, ...}], may be empty
    json_t *messages;          // returned by the body
    struct ss_error *error;    // FAILED
};

// What a level says at once to the rooms above it, or asks them; they fill this
// table when the engine is made.
struct sink {
    // Bytes that they keep of a task: these lie in front of it, and are zero
    // when it is made.
    size_t in_front;
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

// The checkpoint that a level works on. Loading makes it, and each save
// (level.c, checkpoint.c).
struct loop_checkpoint {
    char id[SS_UUID_SIZE];
    char parent_id[SS_UUID_SIZE]; // "" none
    enum ss_source source;
    int64_t step;
    json_t *metadata; // owned: all but source and step
};

// What the rooms above may know of a loop; ss_loop_facts() shows it.
struct loop_facts {
    struct engine *engine;
    struct thread *thread;
    struct run *run; // NULL: a view (state, history) or an update
    struct loop *parent;
    struct ss_graph *graph; // own reference
    char *ns;
    enum loop_status status;
    bool persists; // it has a checkpointer
    int64_t step;
    struct loop_checkpoint checkpoint;
    json_t *checkpoint_map;
    struct {
        struct task **items;
        size_t count, capacity;
    } tasks;               // of this superstep
    struct change *change; // an update_state works on it
};

// Both lie in front of what levels alone know (levels_impl.h).
static inline const struct task_facts *ss_task_facts(const struct task *task)
{
    return (const struct task_facts *)task;
}

static inline const struct loop_facts *ss_loop_facts(const struct loop *loop)
{
    return (const struct loop_facts *)loop;
}

// Of the loop that the task is one of.
static inline const struct loop_facts *ss_task_level(const struct task *task)
{
    return ss_loop_facts(ss_task_facts(task)->loop);
}

// Writes that belong to no task, as those of a pseudo task `__input__` (R5.8).
static inline struct ss_update_task ss_loop_input(
    const struct loop *loop, const struct ss_writes *writes)
{
    return (struct ss_update_task){.path = "~",
        .name = SS_NAME_INPUT,
        .id = ss_loop_facts(loop)->checkpoint.id,
        .writes = writes};
}

// ------------------------------------------------ describe.c

// What people know a task by: its node, or the key whose writes it folds.
const char *ss_task_label(const struct task *task);
// What a worker is asked to do: all that the task and its loop say of it. Its
// texts are the task's.
void ss_task_describe(const struct task *task, struct ss_assignment *order);
// What stands beside its checkpoint. Borrowed.
const struct ss_pendings *ss_loop_pending(const struct loop *loop);
// What a custom reducer is asked for the loop, at that place. Borrowed; NULL:
// there are no more.
const struct task *ss_loop_fold_asked(const struct loop *loop, size_t index);

// ------------------------------------------------ superstep.c

// The tasks of its next superstep replace those it has (common/pregel/plan.c).
void ss_loop_plan(struct loop *loop, bool execute);
void ss_loop_drop_tasks(struct loop *loop);
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

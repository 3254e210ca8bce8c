// pregel.h - the superstep: plan, update, delta, load, restore, fold, output.
#ifndef SS_ENGINE_PREGEL_H
#define SS_ENGINE_PREGEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

struct index_list;
struct loop;
struct ss_checkpoint;
struct ss_graph;
struct ss_keys;
struct ss_node;
struct ss_row_checkpoint;
struct ss_value;
struct ss_writes;
struct task;

// One task as the update sees it (R4.1): real tasks, the pseudo task
// `__input__`, and the tasks of update_state.
struct update_task {
    const char *path;       // decides the order
    const char *name;       // whose versions_seen entry it is
    const char *id;         // owner of its writes (made-up message ids)
    const size_t *triggers; // channel indexes
    size_t triggers_count;
    bool bumps; // has triggers, though they may not be channels (push, update)
    const struct ss_writes *writes; // or NULL
};

enum {
    ROW_BYTES = 128,
    SLOT_BYTES = 24
}; // about what each takes besides values

struct delta_form {
    bool whole;   // all of the state, not only what moved
    bool edits;   // whoever reads it knows edits of lists
    bool updated; // which channels were updated is said
};

// ------------------------------------------------ update.c

// A planned task as the update sees it.
struct update_task ss_update_task(const struct task *task);

// Apply the writes of one superstep (R4, steps 1 to 9). On success the
// channels, versions and versions_seen of `loop` are new, and loop->news says
// which channels were updated. On error (SS_EUPDATE, SS_EINVAL) nothing
// changed; *ret_channel is the channel at fault, or SS_NONE. `writes_values`:
// by name, the fold of custom reducers, or NULL.
int ss_update_apply(struct loop *loop, const struct update_task *tasks,
    size_t count, size_t *ret_channel, struct ss_error *error) SS_MUST_USE;

// loop->news replace, or add to, what the loop knows as updated_channels (R5.8,
// R5.17).
void ss_loop_set_updated(struct loop *loop, bool add);
void ss_loop_forget_updated(struct loop *loop); // null: unknown

// The version that `node` has seen of `channel`; false: no entry at all. *ret
// is 0 where the entry lacks the channel.
bool ss_seen_get(const struct loop *loop, const char *node, const char *channel,
    int64_t *ret);
// Set; a NULL channel makes the empty entry.
void ss_seen_set(
    struct loop *loop, const char *node, const char *channel, int64_t version);

// ------------------------------------------------ load.c

// The state of a saved checkpoint, or (NULL) none.
int ss_loop_take_state(struct loop *loop,
    const struct ss_checkpoint *checkpoint, struct ss_error *error) SS_MUST_USE;

// ------------------------------------------------ delta.c

// Fill the part of a row, and weigh it.
void ss_delta_fill(struct loop *loop, struct ss_row_checkpoint *part,
    const struct delta_form *form);
// What moved is saved, or given up.
void ss_loop_drop_moved(struct loop *loop);
// A send's argument without the keys of untracked channels (R5.25). Gives.
json_t *ss_delta_tracked(const struct ss_graph *graph, json_t *send);

// ------------------------------------------------ plan.c

// Prepare the tasks of the next superstep. `execute`: candidates in name order
// through updated_channels (R3.2); else in the order of declaration. Replaces
// loop->tasks.
void ss_plan(struct loop *loop, bool execute);
struct task *ss_plan_handler(struct loop *loop, struct task *failed);
void ss_loop_drop_tasks(struct loop *loop);
void ss_task_destroy(struct task **task);
// Its triggers as sorted names (R3.6). Gives.
json_t *ss_task_triggers(const struct task *task);
// path_str of a task of an update.
char *ss_path_update(size_t index);
// What its routers will read (R0.8): for the order. Gives both.
void ss_plan_fresh(struct loop *loop, const struct ss_node *node,
    struct ss_value **ret_channels, json_t **ret_managed);

// ------------------------------------------------ restore.c

// Finished tasks keep what they wrote, the others get their answers. Handlers
// of what had failed are added to the tasks.
void ss_loop_restore(struct loop *loop);

// ------------------------------------------------ fold.c

// The channels with custom reducers that are written, in their order.
void ss_fold_channels(const struct loop *loop, const struct update_task *tasks,
    size_t count, struct index_list *list);
// The writes to one channel, in the order in which the update applies them.
// Gives.
json_t *ss_fold_writes(
    const char *channel, const struct update_task *tasks, size_t count);

// ------------------------------------------------ output.c

// The keys of `values` and `updates` events, and of the final output (R10.4).
// Borrowed from the graph or the run.
void ss_loop_keys(
    struct loop *loop, struct ss_keys *ret_shown, struct ss_keys *ret_final);
// The current output values of the loop (R10.4). Gives.
struct ss_value *ss_loop_output(struct loop *loop, const struct ss_keys *keys);
// The same, whole: to be shown. Gives.
json_t *ss_loop_output_json(struct loop *loop, const struct ss_keys *keys);

#endif

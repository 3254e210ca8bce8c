// pregel.h - the superstep machine: which tasks a graph is to run, and what its
// state is once they have.
//
// A machine is the state of one graph at one checkpoint. It knows no thread,
// journal, run, worker or stream, calls nobody above it, and does nothing by
// itself. Who drives it goes round:
//
//   load     ss_machine_load()   the state of a checkpoint, or none
//   plan     ss_plan()           tasks: a function of that state and of where
//                                the superstep stands, nothing else
//   restore  ss_restore()        what a task left there when it ran before
//                                (pending.h)
//   (run)                        whoever drives it has the tasks run, and keeps
//                                what each wrote
//   folds    ss_folds()          what reducers of the application fold first
//   update   ss_update_apply()   all writes at once, or none and an error
//   delta    ss_delta_fill()     what moved, as the part of a row
//
// The state is that of a load and the updates since, never of who finished
// first: tasks are sorted by their paths. A machine belongs to one thread of
// the program. What is planned holds names of the graph and lives no longer
// than that; a machine keeps its graph by a reference of its own.
//
// The rules: spec/engine.md 3 (plan), 4 (update), 1 (delta, load), R5.15
// (restore), R7.13 (breakpoints), R10.4 (output).
#ifndef SS_PREGEL_H
#define SS_PREGEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/ids.h"
#include "common/base/status.h"

struct ss_checkpoint;
struct ss_graph;
struct ss_keys;
struct ss_machine;
struct ss_node;
struct ss_row;
struct ss_value;
struct ss_writes;

enum {
    SS_SENDS_MAX = 1000000, // tasks that one superstep sends: each is kept
};

// ------------------------------------------------ machine.c

// Without a state: ss_machine_load() gives it one.
struct ss_machine *ss_machine_new(struct ss_graph *graph);
void ss_machine_destroy(struct ss_machine **place);
// Something was written, ever (R3.4).
bool ss_machine_has_versions(const struct ss_machine *machine);
// About what a row of all of it weighs.
size_t ss_machine_size(const struct ss_machine *machine);

// What does not hold, as bits; 0: all holds.
enum ss_machine_fault {
    SS_FAULT_VERSION_MAX = 1 << 0,   // a version is above the greatest
    SS_FAULT_VERSIONED = 1 << 1,     // not exactly those that have a version
    SS_FAULT_SLOT = 1 << 2,          // a slot is taken between two updates
    SS_FAULT_SET = 1 << 3,           // a set's list and its flags differ
    SS_FAULT_VERSION = 1 << 4,       // a version is below zero
    SS_FAULT_SELF_CHANGING = 1 << 5, // not all that change by themselves
    SS_FAULT_UPDATED = 1 << 6,       // what was updated has no version
    SS_FAULT_MOVED = 1 << 7,         // what moved since the last row has none
    SS_FAULT_UNKNOWN = 1 << 8,       // updated, where nobody knows what was
    SS_FAULT_SEEN_MAX = 1 << 9,      // a node saw a version above the greatest
    SS_FAULT_SEEN = 1 << 10,         // or above its channel's
    SS_FAULT_CANDIDATE = 1 << 11,    // a node is triggered and no candidate
};

unsigned ss_machine_faults(const struct ss_machine *machine);

// ------------------------------------------------ load.c

// The state of a saved checkpoint, or (NULL) none, for a machine that has no
// state yet. SS_ECORRUPT: a channel's stored form is damaged.
int ss_machine_load(struct ss_machine *machine,
    const struct ss_checkpoint *checkpoint, struct ss_error *error) SS_MUST_USE;

// ------------------------------------------------ plan.c

enum ss_task_kind {
    SS_TASK_PULL,    // a channel that it reads has moved
    SS_TASK_PUSH,    // it was sent
    SS_TASK_HANDLER, // it handles another's failure
    SS_TASK_UPDATE,  // somebody writes in its place; nothing plans it
};

// What is to run. It stays as it was planned.
struct ss_planned_task {
    enum ss_task_kind kind;
    const struct ss_node *node; // borrowed from the graph; NULL: of no node
    char id[SS_UUID_SIZE];
    const char *path; // path_str (R3.14)
    size_t index;     // PULL: its node; PUSH: its place in the topic
    const char *ns;   // task_checkpoint_ns
    struct ss_value *input;
    int64_t timeout_ms; // a send's own
};

// A superstep's, and the sends that came to nothing: the nodes (NULL: none is
// named) that the graph lacks.
struct ss_planned_tasks {
    struct ss_planned_task *items;
    size_t count, capacity;
    struct {
        char **items;
        size_t count, capacity;
    } ignored;
    struct ss_arena *memory; // of both lists
};

// Where a superstep stands: the names of its tasks rest on it, and what they
// read of the recursion limit. Texts of tasks are cut from its memory, and live
// as long; the lists of a plan are cut from `lists`.
struct ss_superstep {
    const char *ns, *checkpoint_id;
    int64_t step, stop;
    struct ss_arena *memory, *lists;
};

// The tasks of the next superstep. `execute`: candidates in name order through
// updated_channels (R3.2); else in the order of declaration. Gives the tasks.
void ss_plan(struct ss_machine *machine, const struct ss_superstep *at,
    bool execute, struct ss_planned_tasks *ret);
// That of the node which handles `failed` (R3.10). Gives.
void ss_plan_handler(const struct ss_machine *machine,
    const struct ss_superstep *at, const struct ss_planned_task *failed,
    struct ss_planned_task *ret);
// What its routers will read (R0.8): for the order. Gives both; NULL: they read
// no managed value.
void ss_plan_fresh(struct ss_machine *machine, const struct ss_superstep *at,
    const struct ss_node *node, struct ss_value **ret_channels,
    json_t **ret_managed);
void ss_planned_task_fini(struct ss_planned_task *task);
// Its triggers as sorted names (R3.6). Gives.
json_t *ss_task_triggers(
    const struct ss_graph *graph, const struct ss_planned_task *task);
// path_str of a task of an update. Borrowed from `memory`.
char *ss_path_update(struct ss_arena *memory, size_t index);

// ------------------------------------------------ update.c

// One task as the update sees it (R4.1): real tasks, the pseudo task
// `__input__`, and the tasks of update_state.
struct ss_update_task {
    const char *path;           // decides the order
    const char *name;           // whose versions_seen entry it is
    const struct ss_node *node; // the same, of the machine's graph; NULL: it is
                                // looked for by name
    const char *id;             // owner of its writes (made-up message ids)
    const size_t *triggers;     // channel indexes
    size_t triggers_count;
    bool bumps; // has triggers, though they may not be channels (push, update)
    const struct ss_writes *writes; // or NULL
};

// A planned one, that wrote `writes`. Borrows both.
struct ss_update_task ss_update_task(
    const struct ss_planned_task *task, const struct ss_writes *writes);

// What the application made of a channel. Borrows both.
struct ss_fold_value {
    const char *channel;
    struct ss_value *value;
};

struct ss_update {
    const struct ss_update_task *tasks;
    size_t count;
    const struct ss_fold_value *folds;
    size_t folds_count;
    int64_t step; // what an error calls it
    bool is_view; // shown and dropped: nothing is "updated" (R4.4), and what
                  // has no fold stays as it is
    struct ss_arena *memory; // what it needs meanwhile is cut from it
    // What came of it.
    size_t channel;  // the one at fault, or SS_NONE
    bool changed;    // the state may be another one
    bool not_folded; // of a view: a custom reducer's writes wait
};

// Apply the writes of one superstep (R4, steps 1 to 9). On an error
// (SS_EUPDATE, SS_EINVAL, SS_ELIMIT) nothing changed.
int ss_update_apply(struct ss_machine *machine, struct ss_update *update,
    struct ss_error *error) SS_MUST_USE;
// Did the last update move one of these?
bool ss_update_moved(
    const struct ss_machine *machine, const struct ss_keys *keys);
// What the last update moved replaces, or adds to, what is known as
// updated_channels (R5.8, R5.17).
void ss_updated_set(struct ss_machine *machine, bool add);
void ss_updated_forget(struct ss_machine *machine); // null: unknown

// ------------------------------------------------ fold.c

// What the application is to fold before an update: what a channel holds
// (borrowed, or NULL), and the writes to it, in the order in which the update
// applies them.
struct ss_channel_fold {
    size_t channel;
    const char *name;
    struct ss_value *held;
    json_t *writes; // owned
};

// One for each channel with a custom reducer that is written, in their order.
// Gives the list, or NULL where there is none.
struct ss_channel_fold *ss_folds(struct ss_machine *machine,
    const struct ss_update_task *tasks, size_t count, size_t *ret_count);

// ------------------------------------------------ seen.c

// The node that saw the newest version (R9.12); NULL: two did. False: no node
// has seen any.
bool ss_seen_newest(
    const struct ss_machine *machine, const struct ss_node **ret_node);
// Has a channel moved since the last breakpoint (R7.13)?
bool ss_break_moved(struct ss_machine *machine);
// A breakpoint is passed: what is there has been seen.
void ss_break_pass(struct ss_machine *machine);

// ------------------------------------------------ delta.c

struct ss_delta_form {
    bool whole;   // all of the state, not only what moved
    bool edits;   // whoever reads it knows edits of lists
    bool updated; // which channels were updated is said, if it is known
};

// Fill the checkpoint part of a row, which is to be stored: the next one stands
// on it. Returns about what it weighs.
size_t ss_delta_fill(struct ss_machine *machine, struct ss_row *row,
    const struct ss_delta_form *form);
// What moved is saved, or given up.
void ss_delta_drop(struct ss_machine *machine);
// A send's argument without the keys of untracked channels (R5.25). Gives.
json_t *ss_delta_tracked(const struct ss_graph *graph, json_t *send);

// ------------------------------------------------ output.c

// What these keys hold now (R10.4). Gives.
struct ss_value *ss_machine_output(
    struct ss_machine *machine, const struct ss_keys *keys);

#endif

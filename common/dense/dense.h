// dense.h - the superstep machine over dense ids: what pregel.h does, with the
// state in flat arrays, values as sixteen bytes on encoded text, and tasks and
// updates in an arena. It stands beside the machine behind pregel.h, which asks
// it the same in the builds of the tests (shadow.h).
//
//   load -> plan -> (tasks) -> update -> part -> plan ...
//
// One block holds all arrays, by channel, by node, and by slot (a trigger of a
// node). Tasks do not hold their inputs: the state stands still until the
// update. An update is made aside: each touched channel gets its next value,
// then all are swapped, or none.
#ifndef SS_DENSE_H
#define SS_DENSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/dense/handle.h"
#include "common/dense/ranks.h"

enum {
    SS_DENSE_SENDS_MAX = 1000000, // as SS_SENDS_MAX
};

struct ss_checkpoint;
struct ss_dense_machine;
struct ss_row_checkpoint;

// Without a state. Keeps a reference of the graph.
struct ss_dense_machine *ss_dense_new(struct ss_dense_graph *graph);
void ss_dense_destroy(struct ss_dense_machine **machine);
// The state of a checkpoint, by names; or (NULL) of none, for a machine that
// has none yet. SS_ECORRUPT: a stored form is damaged; it has none then.
int ss_dense_load(struct ss_dense_machine *machine,
    const struct ss_checkpoint *checkpoint) SS_MUST_USE;

// ------------------------------------------------ what it holds

struct ss_handle ss_dense_value(
    const struct ss_dense_machine *machine, uint32_t channel); // borrowed
bool ss_dense_available(
    const struct ss_dense_machine *machine, uint32_t channel);
int64_t ss_dense_version(
    const struct ss_dense_machine *machine, uint32_t channel);
// What a row says of it. Gives; MISSING: nothing is stored.
struct ss_handle ss_dense_stored(
    const struct ss_dense_machine *machine, uint32_t channel);
// The version that a node, or what stands for one, has seen of a channel; NULL:
// of its entry, 0. Below 0: there is none.
int64_t ss_dense_seen(const struct ss_dense_machine *machine, const char *node,
    const char *channel);
bool ss_dense_is_updated(
    const struct ss_dense_machine *machine, uint32_t channel);
// How many are known as updated; SIZE_MAX: nobody knows.
size_t ss_dense_updated_count(const struct ss_dense_machine *machine);
// The last update moved it, and it is available.
bool ss_dense_is_news(const struct ss_dense_machine *machine, uint32_t channel);
size_t ss_dense_news_count(const struct ss_dense_machine *machine);

// ------------------------------------------------ plan.c

enum ss_dense_task_kind { SS_DENSE_PULL, SS_DENSE_PUSH, SS_DENSE_HANDLER };

// Lives until the next plan; what it was sent, too.
struct ss_dense_task {
    enum ss_dense_task_kind kind;
    uint32_t node;
    uint32_t index; // PUSH: its place among the sends
    uint32_t shape; // PULL: the node as whose its input is put together (R3.7)
    const struct ss_dense_task *failed; // HANDLER: whom it handles
    struct ss_handle arg;               // PUSH; borrowed
    int64_t timeout_ms;                 // a send's own
    bool has_id;
    uint8_t id[16]; // once ss_dense_task_id() was asked
};

struct ss_dense_tasks {
    struct ss_dense_task *items;
    uint32_t count;
    uint32_t ignored; // sends that came to nothing: no such node
};

// Where a superstep stands.
struct ss_dense_place {
    const char *ns, *checkpoint_id;
    int64_t step, stop;
};

// The tasks of the next superstep, in order (R3.1, R3.2).
void ss_dense_plan(
    struct ss_dense_machine *machine, bool execute, struct ss_dense_tasks *ret);
struct ss_dense_task *ss_dense_handler(
    struct ss_dense_machine *machine, const struct ss_dense_task *failed);
// R3.12. Borrowed.
const uint8_t *ss_dense_task_id(const struct ss_dense_machine *machine,
    const struct ss_dense_place *at, struct ss_dense_task *task);
// As text: 8-4-4-4-12.
void ss_dense_id_text(const uint8_t id[16], char ret[SS_UUID_SIZE]);
// path_str (R3.14), and the input (R3.7): appended.
void ss_dense_add_path(const struct ss_dense_machine *machine,
    const struct ss_dense_task *task, struct ss_buf *buf);
void ss_dense_add_input(const struct ss_dense_machine *machine,
    const struct ss_dense_place *at, const struct ss_dense_task *task,
    struct ss_buf *buf);

// ------------------------------------------------ update.c

struct ss_dense_write {
    uint32_t channel;
    struct ss_handle value; // borrowed
};

// One task as the update sees it (R4.1).
struct ss_dense_writer {
    uint64_t path;     // as ss_dense_path_*() say; decides the order
    uint32_t node;     // or SS_RANK_NONE:
    const char *name;  // ... what stands for one
    const char *owner; // of its writes: made-up ids; or NULL
    const uint32_t *triggers;
    uint32_t triggers_count;
    bool bumps;
    const struct ss_dense_write *writes;
    uint32_t writes_count;
};

// Places of paths: what text they have, they sort as.
uint64_t ss_dense_path_input(void);
uint64_t ss_dense_path_update(uint64_t index);
uint64_t ss_dense_path_pull(
    const struct ss_dense_graph *graph, uint32_t node, bool is_handled);
uint64_t ss_dense_path_push(uint64_t index, bool is_handled);

struct ss_dense_update {
    const struct ss_dense_writer *writers;
    uint32_t count;
    const struct ss_dense_write *folds; // what the application folded
    uint32_t folds_count;
    bool is_view;      // as ss_update's
    uint32_t at_fault; // a channel, or SS_RANK_NONE
    bool changed, not_folded;
};

// All writes at once, or none (R4). SS_EUPDATE, SS_EINVAL, SS_ELIMIT: nothing
// changed.
int ss_dense_update(struct ss_dense_machine *machine,
    struct ss_dense_update *update) SS_MUST_USE;
void ss_dense_updated_set(struct ss_dense_machine *machine, bool add);
void ss_dense_updated_forget(struct ss_dense_machine *machine);
bool ss_dense_break_moved(struct ss_dense_machine *machine); // R7.13
void ss_dense_break_pass(struct ss_dense_machine *machine);

// ------------------------------------------------ part.c

struct ss_dense_form {
    bool whole;   // all of the state, not only what moved
    bool edits;   // whoever reads it knows edits of lists
    bool updated; // which channels were updated is said, if it is known
};

// Fill the part of a row, which is to be stored: the next one stands on it. Of
// a list it tells what was added, or its edits. Returns about what it weighs.
size_t ss_dense_part(struct ss_dense_machine *machine,
    const struct ss_dense_form *form, struct ss_row_checkpoint *part);
// About what a row of all of it weighs.
size_t ss_dense_size(const struct ss_dense_machine *machine);
// What moved is saved, or given up.
void ss_dense_part_drop(struct ss_dense_machine *machine);

#endif

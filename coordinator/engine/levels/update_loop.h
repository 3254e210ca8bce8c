// update_loop.h - the loop of an update from outside: the state that it
// changes, and its tasks, which run no body.
#ifndef SS_ENGINE_LEVELS_UPDATE_LOOP_H
#define SS_ENGINE_LEVELS_UPDATE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/model/source.h"

struct change;
struct loop;
struct ss_checkpoint_entry;
struct ss_error;
struct ss_graph;
struct ss_node;
struct ss_planned_task;
struct ss_value;
struct ss_writes;
struct task;
struct thread;

// ------------------------------------------------ update_loop.c

// Of one superstep of `change`. ss_loop_destroy().
struct loop *ss_update_loop_new(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct change *change);
// What it changes: that checkpoint, or (NULL) nothing yet.
int ss_update_loop_load(struct loop *loop, struct ss_checkpoint_entry *mark,
    struct ss_error *error) SS_MUST_USE;
// The node that saw the newest version, as the machine finds it; false: no node
// saw any. *ret NULL: more than one did.
bool ss_update_loop_saw_newest(
    const struct loop *loop, const struct ss_node **ret);
// The superstep's checkpoint is made, of that source.
void ss_update_loop_save(struct loop *loop, enum ss_source source);
// The thread's first checkpoint, which it saves next, is that of an input.
void ss_update_loop_is_input(struct loop *loop);
// What it saves next stands beside that checkpoint, as its copy (R9.18).
void ss_update_loop_copies(
    struct loop *loop, const struct ss_checkpoint_entry *mark);
// A task of it: `planned`, copied, as whose node the values are written; so
// many workers were lost with it before. Takes `values`; ss_task_destroy().
struct task *ss_update_loop_task(struct loop *loop,
    const struct ss_planned_task *planned, struct ss_value *values,
    uint32_t losses);
// That task is done. Takes what is in `writes`.
void ss_update_loop_wrote(struct task *task, struct ss_writes *writes);
// So many workers were lost with what is folded for it before.
void ss_loop_folds_lost(struct loop *loop, uint32_t losses);

#endif

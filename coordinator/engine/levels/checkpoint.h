// checkpoint.h - a loop's way into rows, and into a graph inside.
#ifndef SS_ENGINE_LEVELS_CHECKPOINT_H
#define SS_ENGINE_LEVELS_CHECKPOINT_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/status.h"
#include "common/model/source.h"

struct loop;
struct ss_checkpoint_entry;
struct task;

// ------------------------------------------------ enter.c

// The checkpoint belongs to what this very task began.
bool ss_enter_begun_by(
    const struct ss_checkpoint_entry *mark, const struct task *task);

// ------------------------------------------------ checkpoint.c

// Make the current state a checkpoint: a new id; saved if the loop persists now
// (R5.22). Then step += 1.
void ss_loop_save(struct loop *loop, enum ss_source source);
// Under `exit`: write the current checkpoint as it is, and what is pending
// beside it, of the tasks that wrote in this run (R5.28).
void ss_loop_save_at_exit(struct loop *loop);
// What was pending is applied, and stands in the checkpoint.
void ss_loop_drop_pending(struct loop *loop);
// How often the task's workers were lost, beside what stands for it. Takes
// `lost`.
void ss_loop_put_lost(struct loop *loop, const struct task *task, json_t *lost);
// The resume value without an id was taken: no later run may be given it
// (R7.10, not copied). `taker`: whose task took it; the row of its writes says
// so.
void ss_loop_drop_resume_value(struct loop *root, const struct loop *taker);

// ------------------------------------------------ ask_fold.c

// All folds are there, and the loop goes on.
bool ss_loop_folded(struct loop *loop);

// ------------------------------------------------ enter_child.c

// Enter a nested loop, for its parent_task.
int ss_loop_enter_child(struct loop *loop, struct ss_error *error);

// ------------------------------------------------ level.c

// Start from a saved checkpoint, or (NULL) from the synthetic empty one; sets
// step, channels, versions, pending writes (R5.3-R5.4).
int ss_loop_load(struct loop *loop, struct ss_checkpoint_entry *mark,
    struct ss_error *error) SS_MUST_USE;

#endif

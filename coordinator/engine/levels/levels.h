// levels.h - the loops of a run: made, advanced, saved; and their tasks, as
// those above see them.
#ifndef SS_ENGINE_LEVELS_H
#define SS_ENGINE_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

struct census;
struct engine;
struct fold_then;
struct loop;
struct run;
struct sink;
struct ss_event;
struct ss_graph;
struct ss_engine_counts;
struct ss_outcome;
struct ss_writes;
struct task;
struct thread;
struct ss_update_task;

// ------------------------------------------------ level_verify.c

// A level that lives, and those inside.
void ss_level_verify(const struct loop *loop, struct census *census);
// A task that a superstep, an update or a fold has.
void ss_task_verify(const struct task *task, struct census *census);
// At the end of each step: nobody has anything to do in it.
void ss_levels_verify_rest(const struct engine *engine);
// Of what waits to go on.
void ss_waits_verify(const struct engine *engine, struct census *census);

// ------------------------------------------------ level.c

struct loop *ss_loop_new(struct thread *thread, struct run *run,
    struct ss_graph *graph, const char *ns);
void ss_loop_destroy(struct loop **place);

// ------------------------------------------------ checkpoint.c

// Store pending writes of a task (R5.30), in memory and in the journal: these,
// and behind them those of `output`, which may be NULL.
void ss_loop_put_writes(struct loop *loop, const char *task_id,
    const char *path, const struct ss_writes *writes,
    const struct ss_writes *output);
// The namespace in which the graph called by `task` keeps its rows (R12.2).
// Gives.
char *ss_task_child_ns(const struct task *task);

// ------------------------------------------------ warn.c

// Something that the client should know and that stops nothing.
void ss_loop_warn(struct loop *loop, const char *format, ...) SS_PRINTF(2, 3);
// An answer was given, and nobody asked.
void ss_loop_warn_unasked(struct loop *loop);
// A send to a node (NULL: it names none) that the graph lacks.
void ss_loop_warn_send(struct loop *loop, const char *node);

// ------------------------------------------------ later.c

void ss_levels_init(struct engine *engine, const struct sink *sink);
// What it counts, of what an engine does.
void ss_levels_count(
    const struct engine *engine, struct ss_engine_counts *counts);
// When every loop is freed.
void ss_levels_fini(struct engine *engine);
// It waits for a worker.
void ss_task_ready(struct task *task);
// The scheduler asks which ones do, in the order of those calls. NULL: no
// other.
struct task *ss_task_next_ready(struct engine *engine);
void ss_loop_later(struct loop *loop); // advance it at the end of this step
// Which one is to be advanced next. NULL: none.
struct loop *ss_loop_next(struct engine *engine);
// Whose root loop has left, and the run has yet to end. NULL: nobody's.
struct run *ss_loop_next_ended(struct engine *engine);
// Those that left a step between two supersteps, having had their share of it,
// go on in the next one; at the end of each step that one is asked for.
void ss_loops_go_on(struct engine *engine);
void ss_loops_rest(struct engine *engine);

// ------------------------------------------------ loop.c

// One tick after another, until tasks are out or the loop has ended; then its
// enclosing task or its run is told.
void ss_loop_advance(struct loop *loop);
// Under `exit`: store what this loop leaves behind (R5.28).
void ss_loop_exits(struct loop *loop, bool ended_well);
// The superstep's writes could not be applied: the loop fails.
void ss_loop_update_failed(
    struct loop *loop, size_t channel, const struct ss_error *error);

// ------------------------------------------------ ask_fold.c

// Custom reducers fold on a worker before the update. True: asked, wait; `then`
// is called, and what wanted the update comes here again.
bool ss_loop_fold(struct loop *loop, const struct ss_update_task *tasks,
    size_t count, const struct fold_then *then);
void ss_loop_drop_folds(struct loop *loop);
// A worker folded, or could not.
void ss_fold_outcome(struct task *task, struct ss_outcome *outcome);

// ------------------------------------------------ task.c

// True: it was the answer to a look into the cache, and its task goes on.
bool ss_task_looked(struct engine *engine, const struct ss_event *event);
// What an attempt came to. Takes what is in `outcome`.
void ss_task_outcome(struct task *task, struct ss_outcome *outcome);
// The task goes: out of the lists of those that wait, with the graph inside.
void ss_task_leave(struct task *task);

// ------------------------------------------------ commit.c

// The task has ended, whichever way.
bool ss_task_ended(const struct task *task);

// ------------------------------------------------ retry.c

// Those whose time has come are tried again.
void ss_tasks_retry(struct engine *engine);
// Its worker was lost: it is ready again, or it has failed. Gives the outcome
// of one without a body (an update's writers, a fold) that no worker survives,
// for who waits for it; else NULL. `how` its process crashed; NULL: it did not,
// as far as anybody says. `before`: how that of the last worker did that it was
// lost with before, or NULL.
struct ss_outcome *ss_task_lost(struct task *task, const char *why,
    const char *how, const char *before) SS_MUST_USE;

#endif

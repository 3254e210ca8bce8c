// view.h - loops that nobody runs: a checkpoint that is shown, and one of a run
// that is told again.
#ifndef SS_ENGINE_LEVELS_VIEW_H
#define SS_ENGINE_LEVELS_VIEW_H

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct run;
struct ss_checkpoint_entry;
struct ss_error;
struct ss_graph;
struct ss_row;
struct ss_update_task;
struct task;
struct thread;

// ------------------------------------------------ view.c

// What a checkpoint holds, and what waits beside it. NULL after an error was
// set. ss_loop_destroy().
struct loop *ss_view_new(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark, struct ss_error *error);
// The loop of a run that is told again (`shadow`), with its tasks planned and
// nothing pending. NULL: its rows contradict each other.
struct loop *ss_view_replayed(struct run *shadow, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark);
// A custom reducer's writes wait: what it shows lacks them.
bool ss_view_is_not_folded(const struct loop *view);
// The loop of such a run of which nothing is known but where it is: raw events
// are told of it. ss_loop_destroy().
struct loop *ss_view_bare(struct run *shadow, const char *ns);
// What that row put beside the view's checkpoint is pending; other rows of the
// thread put nothing there.
void ss_view_pending(struct loop *view, const struct ss_row *row);
// A task of a run that is told again ended as that row says.
void ss_view_task_ended(struct task *task, const struct ss_row *row);
// What tasks wrote that had finished, from what is pending, in the order of the
// tasks. `all`: those that had not are there, too, without writes. Borrows;
// `list` has room for all. How many they are.
size_t ss_loop_finished(
    struct loop *loop, bool all, struct ss_update_task *list);

#endif

// placement.h - where a task goes, and what its worker holds.
#ifndef SS_ENGINE_SCHEDULER_PLACEMENT_H
#define SS_ENGINE_SCHEDULER_PLACEMENT_H

#include <stdbool.h>

struct ss_event;
struct ss_assignment;
struct task;
struct worker;

// ------------------------------------------------ placement.c

// The worker that should have it; NULL: it must wait.
struct worker *ss_placement_find(const struct task *task);
// The worker serves the task's graph, and offers what its node asks for.
bool ss_placement_suits(const struct worker *worker, const struct task *task);
// Workers may serve its graph, but none of them offers what its node asks for.
bool ss_placement_lacks_labels(const struct task *task);
// What it offers, as it says.
void ss_worker_labels(struct worker *worker, const struct ss_event *event);

// ------------------------------------------------ list_cache.c

// Lists of `order` go as edits of what the task's worker holds. `anew`: it said
// that it does not.
void ss_list_cache_order(
    struct task *task, struct ss_assignment *order, bool anew);
// The worker is gone.
void ss_list_cache_fini(struct worker *worker);
void ss_list_cache_verify(const struct worker *worker);

#endif

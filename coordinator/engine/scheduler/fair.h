// fair.h - whose turn it is among ready tasks (fair.c).
#ifndef SS_ENGINE_SCHEDULER_FAIR_H
#define SS_ENGINE_SCHEDULER_FAIR_H

struct engine;
struct task;

// A task is ready; it is no more (nothing, if it was not).
void ss_fair_add(struct task *task);
void ss_fair_remove(struct task *task);
// A dispatch begins: each ready task is given once by the calls that follow, in
// the order in which they should be served. NULL: that was all.
void ss_fair_begin(struct engine *engine);
struct task *ss_fair_next(struct engine *engine);
// Its line had its turn.
void ss_fair_served(struct task *task);

#endif

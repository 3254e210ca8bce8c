// ready_queue.h - whose turn it is among ready tasks (ready_queue.c).
#ifndef SS_ENGINE_SCHEDULER_READY_QUEUE_H
#define SS_ENGINE_SCHEDULER_READY_QUEUE_H

#include <stdbool.h>

struct engine;
struct limit;
struct ready_queue;
struct task;

struct ready_queue *ss_ready_queue_new(void);
// When no task is in it.
void ss_ready_queue_destroy(struct ready_queue **place);
// A task is ready, and stands aside until the rows that it rests on are
// durable; it is ready no more (nothing, if it was not).
void ss_ready_queue_add(struct task *task);
void ss_ready_queue_remove(struct task *task);
// Those whose rows have become durable stand aside no longer.
void ss_ready_queue_let_in(struct engine *engine);
// A dispatch begins: each ready task is given once by the calls that follow, in
// the order in which they should be served. NULL: that was all.
void ss_ready_queue_begin(struct engine *engine);
struct task *ss_ready_queue_next(struct engine *engine);
// Of a ready task, the first of its limits that has no place for it now: it is
// used up, or lines that were looked at before keep what is left of it. NULL:
// none stops it.
struct limit *ss_limit_that_stops(const struct task *task);
// How many tasks each limit stops, and how many lines are to have a place of it
// that another one stops, or stopped until this look: into these.
void ss_lines_count(const struct engine *engine, bool is_look);
// Its line had its turn.
void ss_ready_queue_served(struct task *task);

#endif

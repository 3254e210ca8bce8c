// alone.h - tasks that went down with their workers, and get one to themselves
// (alone.c).
#ifndef SS_ENGINE_SCHEDULER_ALONE_H
#define SS_ENGINE_SCHEDULER_ALONE_H

#include <stdbool.h>
#include <stddef.h>

struct census;
struct engine;
struct task;
struct worker;

// It is ready: it waits for a worker of its own, if it runs alone.
void ss_alone_wait(struct task *task);
// It is sent, or is ready no more.
void ss_alone_forget(struct task *task);
// It is out at that worker, which is given nothing else. It is out no more.
void ss_alone_begins(const struct task *task, struct worker *worker);
void ss_alone_ends(const struct task *task);
// Before tasks are sent: no worker is kept any more, and so many may be.
size_t ss_alone_room(struct engine *engine);
// Keep the worker that will soonest run nothing for a task that waits for one
// of its own. False: there is none.
bool ss_alone_keep(const struct task *task);
void ss_alone_verify(const struct engine *engine, struct census *census);

#endif

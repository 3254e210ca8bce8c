// attempts.h - attempts: begun, lost, let go, vouched for.
#ifndef SS_ENGINE_SCHEDULER_ATTEMPTS_H
#define SS_ENGINE_SCHEDULER_ATTEMPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/task.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"

struct engine;
struct task;

// Names of attempts. Zero bytes are none.
struct attempts {
    struct ss_attempt *items;
    size_t count, capacity;
};

// ------------------------------------------------ order.c

// Do workers hold attempts and results that may outlive this process? Not where
// the rows end with it: there they are threads of it.
bool ss_attempts_outlive_us(const struct engine *engine);
// Task and answers -> the worker's order (order.c), with texts of the task's.
// Gives.
struct ss_assignment *ss_task_order(struct task *task);

// ------------------------------------------------ schedule.c

// The task that is out under this name; NULL: it is no more.
struct task *ss_attempt_find(struct engine *engine, struct ss_attempt attempt);
// They are over without an outcome. Frees the list.
// `gone`: what ss_worker_goes() gave; 0: the worker goes on.
void ss_attempts_lose(struct worker *worker, struct attempts *lost,
    const char *why, uint32_t gone);
void ss_worker_refuse(
    struct engine *engine, const char *peer, int status, const char *text);
// The word of who the members are may have been lost: each lease the worker
// hears it again, with a beat.
void ss_members_remind(struct worker *worker);
// Its next attempt is at that worker: not sent yet.
void ss_attempt_begin(struct task *task, struct worker *worker);

// ------------------------------------------------ worker_state.c

// worker_state.c: nobody else changes its state.
void ss_worker_move(struct worker *worker, enum worker_state to);

// ------------------------------------------------ beat.c

// So long a worker may begin what it was given, from the last beat that we
// heard before we gave it. 0: for ever.
int64_t ss_begin_ms(const struct engine *engine);
// An attempt of the task is over, and its worker has not said so: until it can
// begin it no more the task is not sent anew.
void ss_vouched(const struct task *task);
bool ss_vouched_waits(const struct task *task);
int64_t ss_begins_until(const struct task *task);
// Its thread has moved: its result is the new owner's, and is not settled here.
void ss_attempt_let_go(struct worker *worker, struct ss_attempt attempt);
bool ss_attempt_was_let_go(
    const struct worker *worker, struct ss_attempt attempt);

// ------------------------------------------------ ended.c

// The process of a worker has ended, its supervisor says.
void ss_worker_ended(struct engine *engine, const struct ss_event *event);
// Look whether that is so, for a while.
void ss_worker_ended_try(struct worker *worker);
// It goes, with what it runs: how its process ended may be said later. Returns
// what these tasks are to keep in lost_with; 0: it runs none.
uint32_t ss_worker_goes(const struct worker *worker);

// ------------------------------------------------ drain_worker.c

// Tell it again, if it was sent away and has not heard it.
void ss_worker_remind(const struct worker *worker);

#endif

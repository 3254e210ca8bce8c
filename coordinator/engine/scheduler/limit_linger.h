// limit_linger.h - what becomes of the places of attempts that are over, or
// come and go with shards (limit_linger.c, limit_shards.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_LINGER_H
#define SS_ENGINE_SCHEDULER_LIMIT_LINGER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/model/task.h"

struct engine;
struct task;
struct worker;

// ------------------------------------------------ limit_linger.c

// The attempt of the task is over here, before it ended at its worker.
void ss_limit_linger(struct task *task, bool is_lost);
// It has ended at its worker; the worker names those that it has; it is gone.
void ss_lingering_ended(struct engine *engine, struct ss_attempt name);
void ss_lingering_named(const struct worker *worker,
    const struct ss_attempt *running, size_t count);
void ss_lingering_gone(const struct worker *worker);
// The process of a worker that is gone has ended: its bodies went with it.
void ss_lingering_over(struct engine *engine, uint64_t worker_number);
void ss_lingering_expire(struct engine *engine);

// ------------------------------------------------ limit_shards.c

// The task's attempt of an owner before us goes on.
void ss_limit_claimed(const struct task *task);
// The task leaves with its shard.
void ss_limit_leaves(const struct task *task);
// An unfinished run was found.
void ss_limits_found(struct engine *engine);
// Time has passed.
void ss_limits_expire(struct engine *engine);
// ------------------------------------------------ limit_reckon.c

void ss_limits_fini(struct engine *engine);

#endif

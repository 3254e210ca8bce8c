// limit.h - how many tasks of one name may be out, over all runs, graphs and
// coordinators (limit.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_H
#define SS_ENGINE_SCHEDULER_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct task;

// Of a limit as many parts as this have a shard, whose owner has them.
enum { LIMIT_PARTS = 256 };

struct limit {
    char *name;
    int64_t tasks_max;            // the least that graphs say that are served
    int64_t share;                // of these, as many are ours
    int64_t out;                  // attempts of ours
    uint16_t shards[LIMIT_PARTS]; // where its parts are
};

// The one that holds the task, if it is sent. Borrowed, while the engine lives;
// NULL: none does.
struct limit *ss_limit_of(const struct task *task);
// No task of it may be sent: as many are out as may be, or may be out of before
// (takeover.c).
bool ss_limit_is_full(const struct engine *engine, const struct limit *limit);
// As many are out as may be: what is offered cannot be taken.
bool ss_limit_is_used_up(const struct limit *limit);
void ss_limits_fini(struct engine *engine);
void ss_limits_verify(const struct engine *engine);

#endif

// limit_rate.h - limits of how many tasks begin in a time (limit_rate.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_RATE_H
#define SS_ENGINE_SCHEDULER_LIMIT_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct limit;
struct ss_shards;
struct task;

// It is of so many in this time from now on; 0: of so many at once.
void ss_limit_per(struct engine *engine, struct limit *limit, int64_t per_ms);
// The store knows that tasks of it may have begun: without that none does.
bool ss_limit_is_marked(const struct engine *engine, const struct limit *limit);
// A task of it waits, or is sent.
void ss_limit_waits(const struct task *task);
void ss_limit_begun(const struct task *task);
void ss_limit_rates_count(struct engine *engine);
// Shards came: what was begun of their parts nobody knows.
void ss_limit_rates_gain(struct engine *engine, const struct ss_shards *shards);
// Time has passed.
void ss_limit_rates_expire(struct engine *engine);

#endif

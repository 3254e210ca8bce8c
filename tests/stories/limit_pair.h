// limit_pair.h - two coordinators, "one" and "two", whose shards are by halves,
// and runs of graph g, whose node a falls under a limit.
#ifndef SS_TESTS_STORIES_LIMIT_PAIR_H
#define SS_TESTS_STORIES_LIMIT_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "common/model/cluster.h"
#include "coordinator/engine/engine.h"

enum { HALF = SS_SHARDS / 2, LOOKS = 12 };

extern bool pair_has_open; // in a shard of anybody, by what the core has read
bool pair_is_any_open(void);

struct ss_shards pair_shards(int first, int count);
// The first `first` shards are the first coordinator's.
void pair_see(int first, int32_t format);
void pair_hear(enum ss_event_type type, struct ss_shards shards);
void pair_at(const char *coordinator, const char *worker);
// It looks at what is stored, and some time passes; both, one after the other.
void pair_look(const char *coordinator);
void pair_both_look(int times);
// Node a of g has that limit, and the parts of it are by halves.
void pair_halves(const char *limit);
// `count` runs on threads of shards `from`.. below `end`, with such names; or
// on threads of one half.
void pair_begin_within(int from, int end, const char *name, int count);
void pair_begin(const char *coordinator, const char *name, int count);
int64_t pair_told(const char *coordinator, const char *key);
int64_t pair_out(void);
// With this limit six tasks are out at "one", of 30 runs; a quarter of all
// shards go from it, and no other task is sent: how many of the six went. Gives
// these shards.
int64_t pair_parts_go(const char *limit, struct ss_shards *ret_gone);
// What is out at one of them ends.
void pair_end_all(const char *coordinator);
// Both have runs all the time, and one task is out at most: each of them has
// its turn, so many times at least.
void pair_go_round(int times, int least);

#endif

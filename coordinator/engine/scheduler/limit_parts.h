// limit_parts.h - where the parts of limits are (limit_parts.c).
#ifndef SS_ENGINE_SCHEDULER_LIMIT_PARTS_H
#define SS_ENGINE_SCHEDULER_LIMIT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct engine;
struct limit;
struct part;

// Of a limit with a key each value has parts, and it has none.
size_t ss_limit_parts(const struct limit *limit);
int64_t ss_part_size(const struct limit *limit, size_t part);
// It is in a shard of ours, and stays.
bool ss_part_is_ours(const struct engine *engine, const struct part *part);
// What was out by it before us may be out still, or what began then may count
// (limit_rate.c).
bool ss_part_is_held(
    const struct engine *engine, const struct limit *limit, size_t part);
// Of our share, what attempts of owners before us may have.
int64_t ss_limit_held(const struct engine *engine, const struct limit *limit);
int64_t ss_limit_share(const struct engine *engine, const struct limit *limit);
// Where its parts are from the first of these on, as the records say; the same
// of those that were not placed before, up to so many.
void ss_limit_place(struct engine *engine, struct limit *limit, size_t first);
void ss_limit_grow(struct engine *engine, struct limit *limit, size_t parts);
// The shard where it is as long as nobody moves it. It is ours, or on its way
// from us, and a record says so.
uint16_t ss_part_home(const struct limit *limit, size_t part);
bool ss_part_is_away(
    const struct engine *engine, const struct limit *limit, size_t part);
// The shard of ours that parts are moved into; SS_NOBODY: we have none.
uint16_t ss_part_place(const struct engine *engine);
// A part goes to that shard: with the batch that is under way last.
void ss_part_move(
    struct engine *engine, struct limit *limit, size_t part, uint16_t to);
// The same of a part whose shard we have just let go: it stays with us.
void ss_part_keep(
    struct engine *engine, struct limit *limit, size_t part, uint16_t to);

// ------------------------------------------------ limit_even.c

// The store was read: what stood idle until now; and then, when it is known
// where parts are, what others lack goes to them, and what we lack is said.
void ss_limits_idle(struct engine *engine);
void ss_limits_even_out(struct engine *engine);

#endif

// limit_parts.c - where the parts of limits are, and what goes with them.
//
// A part that nobody moved is in a shard that follows from its limit's name and
// its number: at home. One that was moved has a record, which says in which
// shard it is (limit_store.c): the owner of the shard that it is in writes
// that, and nobody else. So a part is one coordinator's at any time, as its
// shard is:
//
//   ours --moved: we count it no more--> on its way --stored--> another's,
//        once that one has read the record
#include "coordinator/engine/scheduler/limit_parts.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/value.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/shards.h"

// Of more parts than tasks the last ones are empty.
size_t ss_limit_parts(const struct limit *limit)
{
    if (limit->each)
        return 0;
    return limit->tasks_max < LIMIT_PARTS ? (size_t)limit->tasks_max
                                          : LIMIT_PARTS;
}

int64_t ss_part_size(const struct limit *limit, size_t part)
{
    ss_check(part < LIMIT_PARTS);
    return limit->tasks_max / LIMIT_PARTS +
           ((int64_t)part < limit->tasks_max % LIMIT_PARTS);
}

bool ss_part_is_ours(const struct engine *engine, const struct part *part)
{
    return part->to == SS_NOBODY && part->shard != SS_NOBODY &&
           ss_shard_is_ours(engine, part->shard);
}

static int64_t held_until_ms(
    const struct engine *engine, const struct limit *limit)
{
    return limit->per_ms > 0 ? limit->fresh_until_ms
                             : engine->scheduler->limits.held_until_ms;
}

bool ss_part_is_held(
    const struct engine *engine, const struct limit *limit, size_t part)
{
    const struct ss_shards *shards =
        limit->per_ms > 0 ? &limit->fresh : &engine->scheduler->limits.held;
    return engine->now_ms < held_until_ms(engine, limit) &&
           ss_shards_have(shards, limit->parts[part].shard);
}

int64_t ss_limit_share(const struct engine *engine, const struct limit *limit)
{
    int64_t share = 0;
    if (!engine->options.shared)
        return limit->each ? 0 : limit->tasks_max;
    for (size_t i = 0; i < ss_limit_parts(limit); i++)
        if (ss_part_is_ours(engine, &limit->parts[i]))
            share += ss_part_size(limit, i);
    return share;
}

int64_t ss_limit_held(const struct engine *engine, const struct limit *limit)
{
    int64_t held = 0;
    if (engine->now_ms >= held_until_ms(engine, limit))
        return 0;
    for (size_t i = 0; i < ss_limit_parts(limit); i++)
        if (ss_part_is_ours(engine, &limit->parts[i]) &&
            ss_part_is_held(engine, limit, i))
            held += ss_part_size(limit, i);
    ss_check(held <= limit->tasks_max);
    return held > limit->claimed ? held - limit->claimed : 0;
}

uint16_t ss_part_home(const struct limit *limit, size_t part)
{
    char *place = ss_format("%zu %s", part, limit->said.name);
    uint16_t shard = ss_shard_of(place);
    ss_free(place);
    return shard;
}

void ss_limit_place(struct engine *engine, struct limit *limit, size_t first)
{
    for (size_t i = first; i < limit->placed; i++) {
        struct part *part = &limit->parts[i];
        const json_t *record =
            ss_limit_record(engine, "part", (int64_t)i, limit->said.name);
        int64_t shard =
            record ? ss_json_int(record, "shard", -1) : ss_part_home(limit, i);
        if (part->to == SS_NOBODY)
            part->shard =
                shard >= 0 && shard < SS_SHARDS ? (uint16_t)shard : SS_NOBODY;
    }
}

void ss_limit_grow(struct engine *engine, struct limit *limit, size_t parts)
{
    size_t first = limit->placed;
    ss_check(parts <= LIMIT_PARTS);
    if (parts <= first)
        return;
    limit->placed = parts;
    ss_limit_place(engine, limit, first);
}

bool ss_part_is_away(
    const struct engine *engine, const struct limit *limit, size_t part)
{
    const struct part *it = &limit->parts[part];
    bool may_be_ours = it->to != SS_NOBODY || ss_part_is_ours(engine, it);
    return may_be_ours &&
           ss_limit_record(engine, "part", (int64_t)part, limit->said.name);
}

uint16_t ss_part_place(const struct engine *engine)
{
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shard_is_ours(engine, i))
            return i;
    return SS_NOBODY;
}

static void put(
    struct engine *engine, struct limit *limit, size_t part, uint16_t to)
{
    ss_check(to < SS_SHARDS);
    bool comes_home = to == ss_part_home(limit, part);
    limit->parts[part].to = to;
    ss_limit_put(engine, "part", (int64_t)part, limit->said.name,
        json_pack("{s:s, s:I, s:I, s:o*}", "limit", limit->said.name, "part",
            (json_int_t)part, "shard", (json_int_t)to, "home",
            comes_home ? json_true() : NULL));
}

void ss_part_move(
    struct engine *engine, struct limit *limit, size_t part, uint16_t to)
{
    ss_check(ss_part_is_ours(engine, &limit->parts[part]));
    limit->share -=
        part < ss_limit_parts(limit) ? ss_part_size(limit, part) : 0;
    ss_check(limit->share >= 0);
    put(engine, limit, part, to);
}

void ss_part_keep(
    struct engine *engine, struct limit *limit, size_t part, uint16_t to)
{
    ss_check(limit->parts[part].to == SS_NOBODY);
    ss_check(!ss_part_is_ours(engine, &limit->parts[part]));
    put(engine, limit, part, to);
}

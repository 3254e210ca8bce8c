// limit_parts.c - where the parts of limits are, and what goes with them.
//
// A part that nobody moved is in a shard that follows from its limit's name and
// its number. One that was moved has a record, which says in which shard it is
// (limit_record.c): the owner of the shard that it is in writes that, and
// nobody else. So a part is one coordinator's at any time, as its shard is:
//
//   ours --moved: we count it no more--> on its way --stored--> another's,
//        once that one has read the record
#include "coordinator/engine/scheduler/limit_parts.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/shards.h"

// Of more parts than tasks the last ones are empty.
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
        return limit->tasks_max;
    for (size_t i = 0; i < LIMIT_PARTS; i++)
        if (ss_part_is_ours(engine, &limit->parts[i]))
            share += ss_part_size(limit, i);
    return share;
}

int64_t ss_limit_held(const struct engine *engine, const struct limit *limit)
{
    int64_t held = 0;
    if (engine->now_ms >= held_until_ms(engine, limit))
        return 0;
    for (size_t i = 0; i < LIMIT_PARTS; i++)
        if (ss_part_is_ours(engine, &limit->parts[i]) &&
            ss_part_is_held(engine, limit, i))
            held += ss_part_size(limit, i);
    ss_check(held <= limit->tasks_max);
    return held > limit->claimed ? held - limit->claimed : 0;
}

static uint16_t home_of(const struct limit *limit, size_t part)
{
    char *place = ss_format("%zu %s", part, limit->name);
    uint16_t shard = ss_shard_of(place);
    ss_free(place);
    return shard;
}

void ss_limit_place(struct engine *engine, struct limit *limit)
{
    for (size_t i = 0; i < LIMIT_PARTS; i++) {
        struct part *part = &limit->parts[i];
        const json_t *record =
            ss_limit_record(engine, "part", (int64_t)i, limit->name);
        int64_t shard =
            record ? ss_json_int(record, "shard", -1) : home_of(limit, i);
        if (part->to == SS_NOBODY)
            part->shard =
                shard >= 0 && shard < SS_SHARDS ? (uint16_t)shard : SS_NOBODY;
    }
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
    limit->parts[part].to = to;
    ss_limit_put(engine, "part", (int64_t)part, limit->name,
        json_pack("{s:s, s:I, s:I}", "limit", limit->name, "part",
            (json_int_t)part, "shard", (json_int_t)to));
}

void ss_part_move(
    struct engine *engine, struct limit *limit, size_t part, uint16_t to)
{
    ss_check(ss_part_is_ours(engine, &limit->parts[part]));
    limit->share -= ss_part_size(limit, part);
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

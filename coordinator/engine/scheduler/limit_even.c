// limit_even.c - parts of limits go to members that lack them.
//
//   a: tasks wait, no part is free --says so in the store--> b: reads it, and
//   moves parts that are free into a shard of a's --> a: reads where they are
//
// All of it is done when the store was read (with each look at the members), so
// a limit costs a few records for each look, however many tasks it has, and a
// part that changes hands waits for two looks.
//
// What is free at a look is what our own tasks did not take since the last one:
// it may go to others. Where nothing is free and others lack, they are to have
// what we have more than a fair share of (of all that is ours and theirs, by as
// many as we are): as much is owed, and is not used for tasks of ours any more,
// until it is free and goes. Where there are fewer parts than members the
// shares are of none, and the last part goes round: who has had it between two
// looks while others wait owes it, and of those that have none the next one in
// the order of their shards gets it.
//
// A task may wait for several limits. What it lacks is the first one that stops
// it, by the order of limits (limit.c). A place of each before that one is
// reserved for it: it is not free to others, and where the last part goes round
// it stays until it was used. Of limits behind that one it has nothing: what is
// free of these goes to others.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/cluster.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/shards.h"

// ------------------------------------------------ what others lack

static int64_t had_by(
    const struct engine *engine, const struct limit *limit, uint16_t owner)
{
    int64_t has = 0;
    for (size_t i = 0; i < ss_limit_parts(limit); i++) {
        const struct part *part = &limit->parts[i];
        uint16_t shard = part->to != SS_NOBODY ? part->to : part->shard;
        if (shard != SS_NOBODY && ss_shard_owner(engine, shard) == owner)
            has += ss_part_size(limit, i);
    }
    return has;
}

// One of a shard of ours is what we said ourselves, or who had it before us.
static void hear(struct engine *engine, const json_t *record)
{
    int64_t lacks = ss_json_int(record, "lacks", 0);
    int64_t shard = ss_json_int(record, "shard", -1);
    struct limit *limit = ss_map_get(
        &engine->scheduler->limits.by_name, ss_json_str(record, "limit", ""));
    if (lacks <= 0 || shard < 0 || shard >= SS_SHARDS || !limit ||
        ss_shard_is_ours(engine, (uint16_t)shard))
        return;
    struct wish wish = {.owner = ss_shard_owner(engine, (uint16_t)shard),
        .shard = (uint16_t)shard,
        .lacks = lacks,
        .over = ss_json_int(record, "over", 0)};
    if (wish.owner == SS_NOBODY)
        return;
    wish.has = had_by(engine, limit, wish.owner);
    SS_VEC_PUSH(&limit->wishes, wish);
}

static void hear_all(struct engine *engine)
{
    const struct limits *limits = &engine->scheduler->limits;
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next)
        ((struct limit *)e->value)->wishes.count = 0;
    for (const struct ss_map_entry *e = limits->records.first; e; e = e->next)
        hear(engine, e->value);
}

// ------------------------------------------------ giving

// How far the shard is behind ours, all the way round.
static int behind(uint16_t us, uint16_t shard)
{
    return (shard - us + SS_SHARDS) % SS_SHARDS;
}

// Who has least; of two the next one behind us.
static struct wish *next_of(struct limit *limit, uint16_t us)
{
    struct wish *best = NULL;
    for (size_t i = 0; i < limit->wishes.count; i++) {
        struct wish *it = &limit->wishes.items[i];
        bool is_next = best && it->has == best->has &&
                       behind(us, it->shard) < behind(us, best->shard);
        if (it->lacks > 0 && (!best || it->has < best->has || is_next))
            best = it;
    }
    return best;
}

static bool may_go(
    const struct engine *engine, const struct limit *limit, size_t part)
{
    return ss_part_size(limit, part) > 0 &&
           ss_part_is_ours(engine, &limit->parts[part]) &&
           !ss_part_is_held(engine, limit, part);
}

// Of what is free, to those that have least.
static void give(struct engine *engine, struct limit *limit, int64_t free)
{
    uint16_t us = ss_part_place(engine);
    for (size_t i = 0; i < ss_limit_parts(limit) && free > 0; i++) {
        int64_t size = ss_part_size(limit, i);
        struct wish *wish = next_of(limit, us);
        if (!wish)
            return;
        if (size > free || !may_go(engine, limit, i))
            continue;
        ss_part_move(engine, limit, i, wish->shard);
        ss_engine_narrate(engine, "part %zu of limit %s goes to who lacks it",
            i, limit->said.name);
        ss_check(limit->parts[i].to == wish->shard);
        wish->has += size;
        wish->lacks -= size;
        free -= size;
    }
}

// What we have more than a fair share of, as far as others have less.
static int64_t owed(struct limit *limit)
{
    int64_t all = limit->share, less = 0;
    for (size_t i = 0; i < limit->wishes.count; i++)
        all += limit->wishes.items[i].has;
    int64_t fair = all / (int64_t)(limit->wishes.count + 1);
    for (size_t i = 0; i < limit->wishes.count; i++) {
        const struct wish *it = &limit->wishes.items[i];
        int64_t lacks = fair > 0 ? fair - it->has : 1;
        lacks = lacks < it->lacks ? lacks : it->lacks;
        less += lacks > 0 ? lacks : 0;
    }
    if (fair == 0 && limit->lines_now.reserved > 0)
        return 0;
    limit->rounds = fair == 0 && limit->share > 0 ? limit->rounds + 1 : 0;
    if (fair == 0 && limit->rounds < 2)
        return 0;
    ss_check(fair >= 0);
    int64_t more = limit->share - fair;
    return more < less ? more : less;
}

// Of what is held for tasks that may be out: another member has such, and no
// part for them. What it has found nobody else will.
static void give_held(struct engine *engine, struct limit *limit)
{
    for (size_t i = 0; i < limit->wishes.count; i++) {
        struct wish *it = &limit->wishes.items[i];
        for (size_t k = 0; k < ss_limit_parts(limit) && it->over > 0; k++) {
            int64_t size = ss_part_size(limit, k);
            if (size == 0 || size > ss_limit_held(engine, limit) ||
                !ss_part_is_ours(engine, &limit->parts[k]) ||
                !ss_part_is_held(engine, limit, k))
                continue;
            ss_part_move(engine, limit, k, it->shard);
            ss_engine_narrate(engine,
                "part %zu of limit %s goes to who has its task out", k,
                limit->said.name);
            ss_check(limit->parts[k].to == it->shard);
            it->over -= size;
            it->lacks -= size;
            it->has += size;
        }
    }
}

static void serve(struct engine *engine, struct limit *limit)
{
    give_held(engine, limit);
    int64_t room = ss_limit_room(engine, limit);
    int64_t idle = room < limit->idle ? room : limit->idle;
    if (idle > 0)
        idle = idle > limit->lines_now.reserved
                   ? idle - limit->lines_now.reserved
                   : 0;
    int64_t free = limit->owed + idle; // what is owed was kept for this
    limit->owed = 0;
    if (limit->wishes.count == 0 || limit->share == 0) {
        limit->rounds = 0;
        return;
    }
    if (free > 0) {
        give(engine, limit, free);
        limit->rounds = 0;
        return;
    }
    int64_t owes = owed(limit);
    limit->owed = owes > 0 ? owes : 0;
}

// Nobody has used it here for a while: of a part that is at home nothing is
// stored, and the next task of the value may come to another member.
static void take_home(struct engine *engine, struct limit *limit)
{
    if (!limit->whole || limit->tasks_max == 0)
        return;
    if (!ss_limit_is_idle(limit))
        limit->used_ms = engine->now_ms;
    if (engine->now_ms < limit->used_ms + SS_LIMIT_VALUE_IDLE_MS)
        return;
    for (size_t i = 0; i < limit->placed; i++)
        if (limit->parts[i].to == SS_NOBODY &&
            ss_part_is_away(engine, limit, i) &&
            !ss_part_is_held(engine, limit, i))
            ss_part_move(engine, limit, i, ss_part_home(limit, i));
}

// ------------------------------------------------ lacking

// More are out than we have parts for: behind a takeover, where those are with
// another member.
static int64_t over(const struct limit *limit)
{
    int64_t more = limit->out + limit->lingering - limit->share;
    return limit->per_ms == 0 && !limit->each && more > 0 ? more : 0;
}

static int64_t lacks(const struct engine *engine, const struct limit *limit)
{
    int64_t rest = limit->tasks_max - limit->share;
    bool has_room = ss_limit_room(engine, limit) > limit->lines_now.reserved;
    if (has_room || rest <= 0 || limit->each)
        return 0;
    ss_check(limit->lines_now.stopped >= 0);
    ss_check(limit->lines_now.stopped <= limit->waiting);
    int64_t lack = limit->lines_now.stopped + over(limit);
    return lack < rest ? lack : rest;
}

static json_t *lack_record(
    const struct limit *limit, uint16_t shard, int64_t lack)
{
    const struct limit *whole = limit->whole ? limit->whole : limit;
    json_t *record = json_pack("{s:s, s:I, s:I, s:I, s:I, s:s*}", "limit",
        limit->said.name, "shard", (json_int_t)shard, "lacks", (json_int_t)lack,
        "of", (json_int_t)limit->tasks_max, "per_ms", (json_int_t)limit->per_ms,
        "each", whole->each);
    if (over(limit) > 0)
        json_object_set_new(
            record, "over", json_integer((json_int_t)over(limit)));
    return record;
}

// A number that is half or twice is as good: it is written less often.
static void ask(struct engine *engine, struct limit *limit)
{
    int64_t lack = lacks(engine, limit);
    uint16_t at = ss_part_place(engine);
    // Who had that shard in between took it away (forget_others).
    if (limit->asked.number > 0 &&
        !ss_limit_record(engine, "lack", limit->asked.at, limit->said.name))
        limit->asked.number = 0;
    bool is_alike = lack > 0 && limit->asked.number > 0 &&
                    lack <= 2 * limit->asked.number &&
                    limit->asked.number <= 2 * lack &&
                    over(limit) <= limit->asked.over;
    bool is_same =
        lack == limit->asked.number && over(limit) == limit->asked.over;
    if (is_same || (is_alike && at == limit->asked.at) || at == SS_NOBODY)
        return;
    if (limit->asked.number > 0 && limit->asked.at != at)
        ss_limit_put(engine, "lack", limit->asked.at, limit->said.name, NULL);
    if (lack > 0 || limit->asked.at == at)
        ss_limit_put(engine, "lack", at, limit->said.name,
            lack > 0 ? lack_record(limit, at, lack) : NULL);
    ss_check(lack >= 0);
    ss_check(at < SS_SHARDS);
    limit->asked.number = lack;
    limit->asked.over = over(limit);
    limit->asked.at = at;
}

// What others lack we may have parts of, and have never heard of it. Of a value
// that nobody has had here, parts of ours are to come home.
static void learn(struct engine *engine, const json_t *record)
{
    struct ss_node_limit said = {
        .name = (char *)ss_json_str(record, "limit", NULL),
        .tasks_max = ss_json_int(record, "of", 0),
        .per_ms = ss_json_int(record, "per_ms", 0),
        .each = (char *)ss_json_str(record, "each", NULL)};
    int64_t part = ss_json_int(record, "part", -1);
    int64_t shard = ss_json_int(record, "shard", -1);
    if (said.name && said.tasks_max > 0) {
        (void)ss_limit_named(engine, &said);
        return;
    }
    if (!said.name || part < 0 || part >= LIMIT_PARTS || shard < 0 ||
        shard >= SS_SHARDS || !strstr(said.name, LIMIT_VALUE) ||
        !ss_shard_is_ours(engine, (uint16_t)shard))
        return;
    ss_limit_grow(engine, ss_limit_named(engine, &said), (size_t)part + 1);
}

// What a member before us said by a shard that is ours now.
static void forget_others(struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->scheduler->limits.records.first;
         e; e = e->next) {
        const char *name = ss_json_str(e->value, "limit", "");
        int64_t shard = ss_json_int(e->value, "shard", -1);
        const struct limit *limit =
            ss_map_get(&engine->scheduler->limits.by_name, name);
        bool is_lack = ss_json_int(e->value, "lacks", 0) > 0;
        bool is_said =
            limit && limit->asked.number > 0 && limit->asked.at == shard;
        if (is_lack && !is_said && shard >= 0 && shard < SS_SHARDS &&
            ss_shard_is_ours(engine, (uint16_t)shard))
            ss_limit_put(engine, "lack", shard, name, NULL);
    }
}

void ss_limits_idle(struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next) {
        struct limit *limit = e->value;
        limit->idle = ss_limit_room(engine, limit);
    }
}

void ss_limits_even_out(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    if (!engine->options.shared || engine->row_format < SS_ROW_FORMAT_7 ||
        limits->under_way.count > 0)
        return;
    for (const struct ss_map_entry *e = limits->records.first; e; e = e->next)
        learn(engine, e->value);
    hear_all(engine);
    ss_lines_count(engine, true);
    ss_limit_batch(engine, NULL);
    forget_others(engine);
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next) {
        serve(engine, e->value);
        ask(engine, e->value);
        take_home(engine, e->value);
    }
    ss_limit_batch_send(engine);
}

// limit_shards.c - shards that are gained and lost, and what goes with them of
// limits.
//
// A shard takes tasks that are out along to its next owner, and those that may
// be out of an owner before us and were not claimed yet. At least as many tasks
// as these may be out by the parts that go with it: we move parts of ours
// there, if there are fewer. And as many parts stay as tasks do that are out:
// of those that would go with it we move some to a shard that stays. The
// records leave before the hand-over does.
//
// What comes with a shard that was gained, or found at a start, may be used up
// by tasks that are out still: it is held for as long as a worker may be silent
// before it is lost. Attempts that are claimed in that time (takeover.c) are
// out by what is held, but those that are claimed with their results: the owner
// before us may have had the result and given the place to another task.
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/model/cluster.h"
#include "common/model/journal.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_rate.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/shards.h"

// ------------------------------------------------ shards that are lost

void ss_limit_leaves(const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    ss_check(ss_shards_let_go(level->engine));
    bool may_be_out =
        attempt_of(task)->may_be_out &&
        level->engine->now_ms < level->engine->scheduler->limits.held_until_ms;
    bool is_out = facts->state == TASK_RUNNING;
    if (!is_out && facts->state != TASK_READY)
        return;
    for (EACH_LIMIT(it, attempt_of(task)->limits)) {
        struct limit *limit = *it;
        if (limit->per_ms > 0)
            continue; // what has begun of a rate counts here
        limit->gone += is_out;
        if (is_out && attempt_of(task)->is_claimed && limit->claimed > 0)
            limit->claimed--; // what is held for the others stays so
        limit->gone_unclaimed += !is_out && may_be_out;
    }
}

static uint16_t first_of(const struct ss_shards *shards)
{
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(shards, i))
            return i;
    return SS_NOBODY;
}

// Gives how many still lack. `held`: of those that are held, or of the others.
static int64_t move_along(struct engine *engine, struct limit *limit,
    uint16_t to, bool held, int64_t lack)
{
    for (size_t i = 0; i < ss_limit_parts(limit) && lack > 0; i++) {
        const struct part *part = &limit->parts[i];
        int64_t size = ss_part_size(limit, i);
        if (size == 0 || !ss_part_is_ours(engine, part) ||
            ss_part_is_held(engine, limit, i) != held)
            continue;
        ss_part_move(engine, limit, i, to);
        lack -= size;
        ss_check(part->to == to);
    }
    return lack;
}

static bool goes(const struct engine *engine, const struct part *part)
{
    const struct ss_shards *going = &engine->scheduler->limits.going;
    return part->to == SS_NOBODY && part->shard != SS_NOBODY &&
           ss_shards_have(going, part->shard);
}

// What may be out of owners before us in shards that stay.
static int64_t unclaimed(const struct engine *engine, const struct limit *limit)
{
    int64_t held = -limit->claimed - limit->gone_unclaimed;
    for (size_t i = 0; i < ss_limit_parts(limit); i++)
        if ((goes(engine, &limit->parts[i]) ||
                ss_part_is_ours(engine, &limit->parts[i])) &&
            ss_part_is_held(engine, limit, i))
            held += ss_part_size(limit, i);
    return held > 0 ? held : 0;
}

// So many of what would go need not: parts by which tasks that stay are out,
// and what is held for such, come into a shard of ours.
static void keep_back(struct engine *engine, struct limit *limit, int64_t most)
{
    int64_t lack =
        limit->out + limit->lingering + unclaimed(engine, limit) - limit->share;
    uint16_t at = ss_part_place(engine);
    for (size_t i = 0; i < ss_limit_parts(limit) && lack > 0 && at != SS_NOBODY;
         i++) {
        int64_t size = ss_part_size(limit, i);
        if (size == 0 || size > most || !goes(engine, &limit->parts[i]))
            continue;
        if (ss_part_is_held(engine, limit, i))
            ss_shards_add(&engine->scheduler->limits.held, at);
        ss_part_keep(engine, limit, i, at);
        most -= size;
        lack -= size;
    }
}

// What went with the shards that are lost is known by what is left.
static void send_along(struct engine *engine, struct limit *limit, uint16_t to)
{
    int64_t went = limit->share - ss_limit_share(engine, limit);
    bool held_first = limit->gone_unclaimed > 0;
    int64_t gone = limit->gone + limit->gone_unclaimed;
    ss_check(went >= 0);
    ss_check(gone >= 0);
    limit->share -= went;
    ss_check(limit->share >= 0);
    int64_t lack = move_along(engine, limit, to, held_first, gone - went);
    (void)move_along(engine, limit, to, !held_first, lack);
    if (limit->per_ms == 0) // what began of a rate counts here
        keep_back(engine, limit, went - gone);
}

void ss_limits_let_go(struct engine *engine, const struct ss_shards *shards)
{
    struct ss_shards *going = &engine->scheduler->limits.going;
    *going = (struct ss_shards){{0}};
    for (uint16_t i = 0; i < SS_SHARDS; i++)
        if (ss_shards_have(shards, i) && ss_shard_is_ours(engine, i))
            ss_shards_add(going, i);
}

static void were_lost(struct engine *engine, const struct ss_shards *shards)
{
    uint16_t to = first_of(shards);
    bool may_move = engine->row_format >= SS_ROW_FORMAT_7 && to != SS_NOBODY;
    if (may_move)
        ss_limit_batch(engine, NULL);
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next) {
        struct limit *limit = e->value;
        if (may_move) // else a member does not know that parts move
            send_along(engine, limit, to);
        limit->gone = limit->gone_unclaimed = 0;
    }
    if (may_move)
        ss_limit_batch_send(engine);
}

// ------------------------------------------------ shards that are gained

void ss_limits_found(struct engine *engine)
{
    engine->scheduler->limits.has_found = true;
}

// Without a run that has not ended nothing is out. One of another shard counts,
// too: its tasks may be out by parts that are in these, where both were the
// same owner's, and the parts are not in the shards of the tasks.
static void were_read(
    struct engine *engine, const struct ss_shards *shards, bool has_open)
{
    struct limits *limits = &engine->scheduler->limits;
    int64_t lease_ms = engine->options.lease_ms;
    int64_t adopt_ms = engine->options.adopt_ms;
    if ((limits->has_found || has_open) && adopt_ms > 0) {
        limits->held_until_ms =
            engine->now_ms + (lease_ms > adopt_ms ? lease_ms : adopt_ms);
        ss_shards_join(&limits->held, shards);
        ss_check(limits->held_until_ms > engine->now_ms);
    }
    limits->has_found = false;
    ss_limit_rates_gain(engine, shards);
}

void ss_limits_shards(struct engine *engine, const struct ss_event *event)
{
    if (event->type == SS_EVENT_SHARDS_LOST)
        were_lost(engine, event->shards.shards);
    if (event->type == SS_EVENT_SHARDS_READ)
        were_read(engine, event->shards.shards, event->shards.has_open);
    ss_limits_reckon(engine);
}

void ss_limit_claimed(const struct task *task)
{
    const struct engine *engine = ss_task_level(task)->engine;
    attempt_of(task)->is_claimed =
        engine->now_ms < engine->scheduler->limits.held_until_ms;
    for (EACH_LIMIT(it, attempt_of(task)->limits))
        if (attempt_of(task)->is_claimed && (*it)->per_ms == 0)
            (*it)->claimed++;
}

static void hold_expire(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    if (limits->held_until_ms == 0)
        return;
    if (limits->held_until_ms > engine->now_ms) {
        ss_engine_wake(engine, limits->held_until_ms);
        return;
    }
    limits->held_until_ms = 0;
    limits->held = (struct ss_shards){{0}};
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next)
        ((struct limit *)e->value)->claimed = 0;
    ss_engine_ready_moved(engine);
}

void ss_limits_expire(struct engine *engine)
{
    hold_expire(engine);
    ss_limit_values_expire(engine);
    ss_lingering_expire(engine);
    ss_limit_rates_expire(engine);
}

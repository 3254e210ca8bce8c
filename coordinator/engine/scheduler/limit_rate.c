// limit_rate.c - how many tasks of one name may begin in a time.
//
// A rate is cut into parts as a number is, and its parts move as those do. A
// task takes up its place from when it is sent for the time of the rate, in
// place of until it ends: so in any time as long as that no more are sent than
// the rate says, by all who have parts of it. What is free was not used for
// that long, wherever it goes.
//
// The engine's clock is monotonic: a wall clock that is set grants nothing.
// What was begun is in no record. So parts that come with shards are fresh:
// they stand unused for the time of the rate; and so does the whole rate behind
// a start, if tasks of it may have begun before. Of that there is a record,
// which is stored before the first one begins ("used"), one for all values of a
// key; who is alone deletes it when none has begun for that long.
#include "coordinator/engine/scheduler/limit_rate.h"
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/model/cluster.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

// So many counts of one limit are kept apart: the last of a count's tasks takes
// up its place for as much less than the others.
enum { GRAINS = 256 };

static bool is_used(const struct engine *engine, const struct limit *limit)
{
    const struct limit *whole = limit->whole ? limit->whole : limit;
    return ss_limit_record(engine, "used", -1, whole->said.name) != NULL;
}

bool ss_limit_is_marked(const struct engine *engine, const struct limit *limit)
{
    const struct limit *whole = limit->whole ? limit->whole : limit;
    return whole->marking == 0 && is_used(engine, limit);
}

// Later by as much as a grain, at most: never too early.
static void add_begun(
    const struct engine *engine, struct limit *limit, int64_t number)
{
    int64_t grain_ms = limit->per_ms / GRAINS + 1;
    int64_t until_ms = engine->now_ms + limit->per_ms;
    until_ms = (until_ms / grain_ms + 1) * grain_ms;
    size_t count = limit->begun.count;
    ss_check(until_ms > engine->now_ms);
    if (count > 0 && limit->begun.items[count - 1].until_ms == until_ms)
        limit->begun.items[count - 1].count += number;
    else
        SS_VEC_PUSH(&limit->begun, (struct begun_part){until_ms, number});
    limit->begun_now += number;
}

// What was begun under another time, or is out by a number, counts as begun
// now.
void ss_limit_per(struct engine *engine, struct limit *limit, int64_t per_ms)
{
    const struct limits *limits = &engine->scheduler->limits;
    const struct limit *whole = limit->whole;
    int64_t gained_until_ms = limits->gained_ms + per_ms;
    int64_t begun = limit->per_ms > 0 ? limit->begun_now : limit->out;
    if (limit->per_ms == per_ms)
        return;
    limit->per_ms = per_ms;
    limit->claimed = 0;
    SS_VEC_FINI(&limit->begun);
    limit->begun_now = 0;
    if (per_ms > 0 && begun > 0)
        add_begun(engine, limit, begun);
    if (whole) { // a value of which nothing has begun since shards came
        limit->fresh = whole->fresh;
        limit->fresh_until_ms = whole->fresh_until_ms;
        return;
    }
    if (per_ms == 0 || !is_used(engine, limit) || limits->gained_ms == 0 ||
        engine->now_ms >= gained_until_ms)
        return;
    ss_shards_fill(&limit->fresh);
    limit->fresh_until_ms = gained_until_ms;
}

void ss_limit_rates_count(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    limits->rates = 0;
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next)
        limits->rates += ((const struct limit *)e->value)->per_ms > 0;
    ss_check(limits->rates <= limits->by_name.count);
}

void ss_limit_waits(const struct task *task)
{
    struct engine *engine = ss_task_level(task)->engine;
    for (EACH_LIMIT(it, attempt_of(task)->limits)) {
        (*it)->waiting++;
        if ((*it)->per_ms > 0 && !ss_limit_is_marked(engine, *it))
            ss_engine_wake(engine, engine->now_ms); // then the store is told
    }
}

void ss_limit_begun(const struct task *task)
{
    for (EACH_LIMIT(it, attempt_of(task)->limits))
        if ((*it)->per_ms > 0)
            add_begun(ss_task_level(task)->engine, *it, 1);
}

void ss_limit_rates_gain(struct engine *engine, const struct ss_shards *shards)
{
    struct limits *limits = &engine->scheduler->limits;
    limits->gained_ms = engine->now_ms;
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next) {
        struct limit *limit = e->value;
        if (limit->per_ms == 0 || !is_used(engine, limit))
            continue;
        ss_shards_join(&limit->fresh, shards);
        limit->fresh_until_ms = engine->now_ms + limit->per_ms;
    }
}

// ------------------------------------------------ time passes

static void pass(struct engine *engine, struct limit *limit)
{
    while (limit->begun.count > 0 &&
           limit->begun.items[0].until_ms <= engine->now_ms) {
        limit->begun_now -= limit->begun.items[0].count;
        SS_VEC_REMOVE(&limit->begun, 0);
        ss_engine_ready_moved(engine);
    }
    ss_check(limit->begun_now >= 0);
    if (limit->fresh_until_ms > 0 && limit->fresh_until_ms <= engine->now_ms) {
        limit->fresh_until_ms = 0;
        limit->fresh = (struct ss_shards){{0}};
        ss_engine_ready_moved(engine);
    }
    if (limit->waiting == 0)
        return;
    if (limit->begun.count > 0)
        ss_engine_wake(engine, limit->begun.items[0].until_ms);
    if (limit->fresh_until_ms > 0)
        ss_engine_wake(engine, limit->fresh_until_ms);
}

static void mark(struct engine *engine, struct limit *limit, json_t *record)
{
    ss_limit_batch(engine, NULL);
    limit->marking = engine->tags;
    ss_limit_put(engine, "used", -1, limit->said.name, record);
    ss_limit_batch_send(engine);
}

static void tell_store(struct engine *engine, struct limit *limit)
{
    struct limit *whole = limit->whole ? limit->whole : limit;
    bool used = is_used(engine, limit);
    bool is_idle = limit->waiting == 0 && limit->begun_now == 0 &&
                   limit->fresh_until_ms == 0 && limit->values == 0;
    if (whole->marking > 0)
        return;
    if (limit->waiting > 0 && !used)
        mark(engine, whole,
            json_pack("{s:s, s:b}", "limit", whole->said.name, "used", 1));
    else if (is_idle && used && limit == whole && !engine->options.shared)
        mark(engine, whole, NULL);
}

void ss_limit_rates_expire(struct engine *engine)
{
    const struct limits *limits = &engine->scheduler->limits;
    if (limits->rates == 0)
        return;
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next) {
        struct limit *limit = e->value;
        if (limit->per_ms == 0)
            continue;
        pass(engine, limit);
        tell_store(engine, limit);
    }
}

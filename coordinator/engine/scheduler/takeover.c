// takeover.c - attempts that began under another owner of their thread.
//
// A coordinator that comes after another one (it was started again, or gained
// shards) finds runs whose tasks may be out. Workers offer what they hold: with
// their Hello, or asked by a Seek. Tasks of a found run's first superstep wait
// for that a little, also when all whom we know have answered: one that we do
// not know of may begin what it was given as long as that (beat.c). One that is
// offered with the same task, run and digest (model/task.h) goes on under a
// name of ours, all others are sent anew. What is offered and not taken in time
// is void.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/cluster.h"
#include "common/model/task.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/takeover.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

struct claimed {
    struct ss_offer offer;
    char *peer;
    int64_t until_ms; // then it is void
};

// What workers hold of owners before us, and who looks for it.
struct takeover {
    struct ss_map offers;   // task and thread -> struct claimed *
    struct ss_map expected; // the same -> struct task *
    bool has_moved;         // one of these did
};

// Task ids are those of checkpoints, which copies of a thread share.
static char *key_of(const char *thread, const char *task_id)
{
    return ss_format("%s %s", task_id, thread);
}

static void free_offered(void *value)
{
    struct claimed *it = value;
    ss_offer_fini(&it->offer);
    ss_free(it->peer);
    ss_free(it);
}

struct takeover *ss_takeover_new(void)
{
    return ss_zalloc(1, sizeof(struct takeover));
}

void ss_takeover_destroy(struct takeover **place)
{
    struct takeover *takeover = *place;
    *place = NULL;
    ss_check(takeover->expected.count == 0);
    ss_map_fini(&takeover->offers, free_offered);
    ss_map_fini(&takeover->expected, NULL);
    ss_free(takeover);
}

static void settle(
    struct engine *engine, const char *peer, struct ss_attempt attempt)
{
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_SETTLED,
                                  .peer = ss_strdup(peer),
                                  .attempt = attempt});
}

// ------------------------------------------------ tasks that may be out

void ss_takeover_wait(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    const struct run *run = level->run;
    struct takeover *takeover = level->engine->scheduler->takeover;
    attempt_of(task)->may_be_out = run && ss_run_facts(run)->recovering &&
                                   facts->planned.node &&
                                   facts->order_kind == SS_ORDER_NODE;
    if (!attempt_of(task)->may_be_out || attempt_of(task)->is_expected)
        return;
    char *key = key_of(ss_thread_facts(level->thread)->id, facts->planned.id);
    attempt_of(task)->is_expected = !ss_map_get(&takeover->expected, key);
    if (attempt_of(task)->is_expected)
        ss_map_put(&takeover->expected, key, task);
    takeover->has_moved = true;
    ss_free(key);
}

void ss_takeover_forget(struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    if (!attempt_of(task)->is_expected)
        return;
    char *key = key_of(
        ss_thread_facts(level->thread)->id, ss_task_facts(task)->planned.id);
    ss_map_remove(&level->engine->scheduler->takeover->expected, key);
    ss_free(key);
    attempt_of(task)->is_expected = false;
}

bool ss_takeover_waits(const struct task *task)
{
    const struct engine *engine = ss_task_level(task)->engine;
    return attempt_of(task)->may_be_out &&
           engine->now_ms < engine->scheduler->takeover_until_ms;
}

// ------------------------------------------------ looking for them

static void begin(struct engine *engine)
{
    int64_t until = engine->now_ms + engine->options.adopt_ms;
    if (until > engine->scheduler->takeover_until_ms)
        engine->scheduler->takeover_until_ms = until;
}

void ss_takeover_found(struct engine *engine, bool goes_on)
{
    ss_limits_found(engine);
    if (goes_on && !engine->options.shared)
        begin(engine);
}

static void seek(
    struct worker *worker, const struct ss_shards *shards, uint64_t epoch)
{
    struct ss_shards *copy = ss_zalloc(1, sizeof(*copy));
    *copy = *shards;
    ss_engine_command(
        worker->engine, (struct ss_command){.type = SS_COMMAND_SEEK,
                            .peer = ss_strdup(worker->peer),
                            .tag = epoch,
                            .shards = copy});
}

void ss_seek_gained(
    struct engine *engine, const struct ss_shards *shards, uint64_t epoch)
{
    begin(engine);
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next)
        seek(e->value, shards, epoch);
}

// Those of one epoch with each message.
void ss_seek_all(struct worker *worker)
{
    struct engine *engine = worker->engine;
    struct ss_shards left = *ss_shards_ours(engine);
    while (engine->options.shared && ss_shards_count(&left) > 0) {
        struct ss_shards same = {{0}};
        uint64_t epoch = 0;
        for (uint16_t i = 0; i < SS_SHARDS; i++) {
            if (!ss_shards_have(&left, i) ||
                (epoch && ss_shard_epoch(engine, i) != epoch))
                continue;
            epoch = ss_shard_epoch(engine, i);
            ss_shards_add(&same, i);
        }
        ss_shards_leave(&left, &same);
        seek(worker, &same, epoch);
    }
}

// ------------------------------------------------ offers

static bool is_better(const struct claimed *known, const struct ss_offer *offer)
{
    return offer->ended && !known->offer.ended;
}

static void keep(
    struct worker *worker, const struct ss_offer *offer, const char *key)
{
    struct engine *engine = worker->engine;
    struct takeover *takeover = engine->scheduler->takeover;
    struct claimed *it = ss_zalloc(1, sizeof(*it));
    it->offer = *offer;
    it->offer.thread = ss_strdup(offer->thread);
    it->offer.run = ss_strdup(offer->run);
    it->peer = ss_strdup(worker->peer);
    it->until_ms =
        engine->now_ms + engine->options.adopt_ms + SS_OFFER_EXTRA_MS;
    struct claimed *before = ss_map_put(&takeover->offers, key, it);
    if (before) {
        settle(engine, before->peer, before->offer.attempt);
        free_offered(before);
    }
    takeover->has_moved = true;
}

// One offer. Those of threads that are another's are left to it.
static void take(struct worker *worker, const struct ss_offer *offer)
{
    struct engine *engine = worker->engine;
    struct takeover *takeover = engine->scheduler->takeover;
    if (!ss_shard_owned(engine, offer->thread) ||
        offer->attempt.epoch == engine->options.epoch)
        return;
    char *key = key_of(offer->thread, offer->task_id);
    const struct claimed *known = ss_map_get(&takeover->offers, key);
    bool is_same = known &&
                   known->offer.attempt.epoch == offer->attempt.epoch &&
                   known->offer.attempt.dispatch == offer->attempt.dispatch;
    bool has_room = takeover->offers.count < SS_OFFERS_MAX;
    if (!is_same && has_room && (!known || is_better(known, offer)))
        keep(worker, offer, key);
    else if (!is_same)
        settle(engine, worker->peer, offer->attempt);
    ss_free(key);
}

void ss_claimed_take(
    struct worker *worker, const struct ss_offer *offers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        take(worker, &offers[i]);
}

void ss_worker_offers(struct engine *engine, const struct ss_event *event)
{
    struct worker *worker =
        ss_map_get(&engine->scheduler->workers, event->peer);
    if (!worker)
        return;
    worker->seen_ms = engine->now_ms;
    ss_claimed_take(worker, event->offers.items, event->offers.count);
}

void ss_claimed_drop(struct worker *worker)
{
    struct takeover *takeover = worker->engine->scheduler->takeover;
    for (struct ss_map_entry *e = takeover->offers.first, *next; e; e = next) {
        next = e->next;
        struct claimed *it = e->value;
        if (strcmp(it->peer, worker->peer) == 0)
            free_offered(ss_map_remove(&takeover->offers, e->key));
    }
}

void ss_claimed_expire(struct engine *engine)
{
    struct takeover *takeover = engine->scheduler->takeover;
    if (engine->scheduler->takeover_until_ms > engine->now_ms)
        ss_engine_wake(engine, engine->scheduler->takeover_until_ms);
    else if (engine->scheduler->takeover_until_ms > 0) {
        engine->scheduler->takeover_until_ms = 0;
        ss_engine_ready_moved(engine);
    }
    for (struct ss_map_entry *e = takeover->offers.first, *next; e; e = next) {
        next = e->next;
        struct claimed *it = e->value;
        if (it->until_ms > engine->now_ms) {
            ss_engine_wake(engine, it->until_ms);
            continue;
        }
        settle(engine, it->peer, it->offer.attempt);
        free_offered(ss_map_remove(&takeover->offers, e->key));
    }
}

// ------------------------------------------------ adopting

static bool matches(struct task *task, const struct ss_offer *offer)
{
    const struct run *run = ss_task_level(task)->run;
    struct ss_assignment *order = ss_task_order(task);
    bool is_same = strcmp(ss_run_facts(run)->id, offer->run) == 0 &&
                   order->digest == offer->digest;
    ss_assignment_destroy(&order);
    return is_same;
}

// Behind its time, what the owner before us counted may be out anew.
static bool has_room(const struct task *task)
{
    if (ss_takeover_waits(task))
        return true;
    for (EACH_LIMIT(it, attempt_of(task)->limits))
        if (ss_limit_is_used_up(ss_task_level(task)->engine, *it))
            return false;
    return true;
}

static void adopt(struct task *task, struct claimed *it, struct worker *worker)
{
    struct engine *engine = worker->engine;
    ss_attempt_begin(task, worker);
    // Whoever had it before may have had its result, too, and sent another one
    // in its place.
    if (!it->offer.ended)
        ss_limit_claimed(task);
    ss_engine_narrate(engine,
        "%s of superstep %" PRId64 " goes on at worker"
        " %s, which %s it",
        ss_task_facts(task)->planned.node->name, ss_task_level(task)->step,
        worker->name, it->offer.ended ? "has done" : "had begun");
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_ADOPT,
                                  .peer = ss_strdup(worker->peer),
                                  .held = it->offer.attempt,
                                  .attempt = attempt_of(task)->name});
}

void ss_takeover_all(struct engine *engine)
{
    struct takeover *takeover = engine->scheduler->takeover;
    if (!takeover->has_moved)
        return;
    takeover->has_moved = false;
    for (struct ss_map_entry *e = takeover->offers.first, *next; e; e = next) {
        next = e->next;
        struct claimed *it = e->value;
        struct task *task = ss_map_get(&takeover->expected, e->key);
        const struct task_facts *facts = ss_task_facts(task);
        struct worker *worker =
            ss_map_get(&engine->scheduler->workers, it->peer);
        ss_check(worker != NULL);
        if (!task || facts->state != TASK_READY)
            continue;
        if (facts->gate_seq >
            ss_thread_facts(ss_task_level(task)->thread)->durable) {
            takeover->has_moved = true;
            continue;
        }
        if (matches(task, &it->offer) && has_room(task))
            adopt(task, it, worker);
        else
            settle(engine, it->peer, it->offer.attempt);
        free_offered(ss_map_remove(&takeover->offers, e->key));
    }
}

// ------------------------------------------------ what holds

void ss_offers_verify(const struct engine *engine, struct census *census)
{
    const struct takeover *takeover = engine->scheduler->takeover;
    for (const struct ss_map_entry *e = takeover->offers.first; e;
         e = e->next) {
        const struct claimed *it = e->value;
        char *key = key_of(it->offer.thread, it->offer.task_id);
        ss_invariant(I187, strcmp(key, e->key) == 0);
        ss_free(key);
        ss_invariant(I188, engine->wake_at_ms <= it->until_ms);
        ss_invariant(
            I125, ss_map_get(&engine->scheduler->workers, it->peer) != NULL);
        ss_invariant(I126, it->until_ms > engine->now_ms);
        ss_invariant(I127, it->offer.attempt.epoch != engine->options.epoch);
    }
    ss_invariant(I128, takeover->offers.count <= SS_OFFERS_MAX);
    for (const struct ss_map_entry *e = takeover->expected.first; e;
         e = e->next) {
        const struct task *task = e->value;
        char *key = key_of(ss_thread_facts(ss_task_level(task)->thread)->id,
            ss_task_facts(task)->planned.id);
        ss_invariant(I189, strcmp(key, e->key) == 0);
        ss_free(key);
        ss_invariant(I129, attempt_of(task)->is_expected);
    }
    if (engine->scheduler->takeover_until_ms > engine->now_ms)
        ss_invariant(
            I190, engine->wake_at_ms <= engine->scheduler->takeover_until_ms);
    ss_invariant(I130, takeover->expected.count == census->expected);
    census->seen += takeover->offers.count;
}

// limit_linger.c - bodies of a limit that may go on when their attempts are
// over here.
//
// An attempt that was cancelled is over here at once, and its body goes on
// until it hears of that. One whose worker's connection broke is over, too, and
// nobody knows whether the worker is. They go on taking up their places:
//
//   cancelled    until its worker says how it ended, or does not name it any
//                more, or is lost
//   connection   until the worker would be lost anyway: for what is left of
//   broken       its lease, or until its supervisor says that its process has
//                ended; one that comes back and names it says how it ends
//   lost, or     not at all: a worker that is silent for a lease is dead to
//   ended        everybody, and one whose process has ended has no bodies
#include "coordinator/engine/scheduler/limit_linger.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

// A moment more than a lease: then the worker is lost.
static int64_t lease_end(const struct worker *worker)
{
    return worker->seen_ms + worker->engine->options.lease_ms + 1;
}

void ss_limit_linger(struct task *task, bool is_lost)
{
    const struct worker *worker = attempt_of(task)->worker;
    struct engine *engine = ss_task_level(task)->engine;
    if (is_lost && (worker->ended || lease_end(worker) <= engine->now_ms))
        return;
    ss_check(ss_task_facts(task)->state == TASK_RUNNING);
    for (EACH_LIMIT(it, attempt_of(task)->limits)) {
        ss_check((*it)->out > 0);
        if ((*it)->per_ms > 0)
            continue;
        (*it)->lingering++;
        SS_VEC_PUSH(&engine->scheduler->limits.lingering,
            (struct lingering_attempt){.name = attempt_of(task)->name,
                .worker = is_lost ? 0 : worker->number,
                .was_of = worker->number,
                .limit = *it,
                .sent_ms = attempt_of(task)->sent_ms,
                .until_ms = is_lost ? lease_end(worker) : INT64_MAX});
    }
}

static void is_over(struct engine *engine, size_t i)
{
    struct limits *limits = &engine->scheduler->limits;
    ss_check(i < limits->lingering.count);
    struct limit *limit = limits->lingering.items[i].limit;
    ss_check(limit->lingering > 0);
    limit->lingering--;
    SS_VEC_REMOVE(&limits->lingering, i);
    ss_engine_ready_moved(engine);
}

static bool are_same(struct ss_attempt a, struct ss_attempt b)
{
    return a.epoch == b.epoch && a.dispatch == b.dispatch;
}

void ss_lingering_ended(struct engine *engine, struct ss_attempt name)
{
    const struct limits *limits = &engine->scheduler->limits;
    for (size_t i = limits->lingering.count; i-- > 0;)
        if (are_same(limits->lingering.items[i].name, name))
            is_over(engine, i);
}

static bool names(
    const struct ss_attempt *running, size_t count, struct ss_attempt name)
{
    for (size_t i = 0; i < count; i++)
        if (are_same(running[i], name))
            return true;
    return false;
}

// What was sent a lease ago has reached it, or never will. What it names it
// has, though its connection broke in between.
void ss_lingering_named(
    const struct worker *worker, const struct ss_attempt *running, size_t count)
{
    struct engine *engine = worker->engine;
    struct limits *limits = &engine->scheduler->limits;
    for (size_t i = limits->lingering.count; i-- > 0;) {
        struct lingering_attempt *it = &limits->lingering.items[i];
        bool is_named = names(running, count, it->name);
        bool is_old = engine->now_ms - it->sent_ms > engine->options.lease_ms;
        if (is_named) {
            it->worker = worker->number;
            it->until_ms = INT64_MAX;
        } else if (it->worker == worker->number && is_old) {
            is_over(engine, i);
        }
    }
}

void ss_lingering_gone(const struct worker *worker)
{
    struct engine *engine = worker->engine;
    struct limits *limits = &engine->scheduler->limits;
    for (size_t i = limits->lingering.count; i-- > 0;) {
        struct lingering_attempt *it = &limits->lingering.items[i];
        if (it->worker != worker->number)
            continue;
        it->worker = 0;
        it->until_ms = lease_end(worker);
        if (worker->ended || it->until_ms <= engine->now_ms)
            is_over(engine, i);
    }
}

void ss_lingering_over(struct engine *engine, uint64_t worker_number)
{
    const struct limits *limits = &engine->scheduler->limits;
    ss_check(worker_number > 0);
    for (size_t i = limits->lingering.count; i-- > 0;)
        if (limits->lingering.items[i].worker == 0 &&
            limits->lingering.items[i].was_of == worker_number)
            is_over(engine, i);
}

void ss_lingering_expire(struct engine *engine)
{
    const struct limits *limits = &engine->scheduler->limits;
    for (size_t i = limits->lingering.count; i-- > 0;) {
        int64_t until_ms = limits->lingering.items[i].until_ms;
        if (until_ms <= engine->now_ms)
            is_over(engine, i);
        else if (until_ms < INT64_MAX)
            ss_engine_wake(engine, until_ms);
    }
}

// beat.c - what a worker's beat says, and what its answer promises.
//
// A beat vouches for the orders that it names, and for those that were sent to
// its worker from when it was heard until the next one is: the worker may begin
// them for `begin_ms`, counted by its own clock from when it sent the beat,
// which is before we heard it. So what we hold against a worker comes later
// than the last moment in which it can begin:
//
//   it is lost             a lease after its last sign: begin_ms is no longer
//   not in its beats       a lease after the order was sent
//   cancelled, or the      the task waits until begin_ms is over, here
//   connection is gone     (ss_vouched), before it is sent anew
//   another owner          tasks that may be out wait adopt_ms after a start or
//   a
//                          gain (takeover.c): begin_ms is no longer
//   handed back (BYE)      the worker forgot it, and remembers its name
//
// A kept result that would be used in a task's place waits as the task does
// (ss_begins_until).
//
// docs/reference/protocol.md tells the worker's half.

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/task.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"

int64_t ss_begin_ms(const struct engine *engine)
{
    int64_t adopt_ms = engine->options.adopt_ms;
    int64_t lease_ms = engine->options.lease_ms;
    return adopt_ms < lease_ms ? adopt_ms : lease_ms;
}

// ------------------------------------------------ tasks that may yet begin

// Task ids are those of checkpoints, which copies of a thread share.
static char *key_of(const struct task *task)
{
    return ss_format("%s %s", ss_task_facts(task)->planned.id,
        ss_thread_facts(ss_task_level(task)->thread)->id);
}

void ss_vouched(const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct worker *worker = attempt_of(task)->worker;
    struct engine *engine = ss_task_level(task)->engine;
    int64_t until_ms = worker->beat_ms + ss_begin_ms(engine);
    bool may_begin = worker->beat_sent != 0 && engine->now_ms < until_ms;
    if (!may_begin || !facts->planned.node ||
        facts->order_kind != SS_ORDER_NODE)
        return;
    char *key = key_of(task);
    // Not `until_ms`: in the order of the map the first one ends first.
    int64_t *ends_ms = ss_zalloc(1, sizeof(*ends_ms));
    *ends_ms = engine->now_ms + ss_begin_ms(engine);
    ss_free(ss_map_remove(&engine->scheduler->vouched, key));
    ss_map_put(&engine->scheduler->vouched, key, ends_ms);
    ss_free(key);
}

bool ss_vouched_waits(const struct task *task)
{
    const struct engine *engine = ss_task_level(task)->engine;
    if (engine->scheduler->vouched.count == 0 ||
        ss_task_facts(task)->order_kind != SS_ORDER_NODE)
        return false;
    char *key = key_of(task);
    bool waits = ss_map_get(&engine->scheduler->vouched, key) != NULL;
    ss_free(key);
    return waits;
}

int64_t ss_begins_until(const struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    const struct engine *engine = level->engine;
    const struct run *run = level->run;
    int64_t until_ms = run && ss_run_facts(run)->recovering
                           ? engine->scheduler->takeover_until_ms
                           : 0;
    char *key = key_of(task);
    const int64_t *vouched_ms = ss_map_get(&engine->scheduler->vouched, key);
    ss_free(key);
    return vouched_ms && *vouched_ms > until_ms ? *vouched_ms : until_ms;
}

void ss_vouched_expire(struct engine *engine)
{
    struct scheduler *scheduler = engine->scheduler;
    while (scheduler->vouched.first) {
        const int64_t *ends_ms = scheduler->vouched.first->value;
        if (*ends_ms > engine->now_ms) {
            ss_engine_wake(engine, *ends_ms);
            return;
        }
        ss_free(
            ss_map_remove(&scheduler->vouched, scheduler->vouched.first->key));
        ss_engine_ready_moved(engine);
    }
}

// ------------------------------------------------ beats

static bool beats(const struct ss_event *event, struct ss_attempt attempt)
{
    for (size_t i = 0; i < event->beat.running_count; i++)
        if (event->beat.running[i].epoch == attempt.epoch &&
            event->beat.running[i].dispatch == attempt.dispatch)
            return true;
    return false;
}

// What is left of it for us: other coordinators use it too.
static void grant(struct worker *worker, uint32_t capacity)
{
    if (capacity == 0 || capacity > worker->capacity)
        capacity = worker->capacity;
    if (capacity > worker->granted)
        ss_engine_ready_moved(worker->engine);
    worker->granted = capacity;
}

// False: a newer one was heard, and this one came late, or twice.
static bool is_news(struct worker *worker, uint64_t sent)
{
    if (sent != 0 && sent <= worker->beat_sent)
        return false;
    worker->beat_sent = sent;
    worker->beat_ms = worker->engine->now_ms;
    return true;
}

// Those that it names and that are not out at it are to be stopped, unless they
// are another owner's now; none of them may begin.
static void answer(struct worker *worker, const struct ss_event *event)
{
    struct attempts gone = {0};
    struct engine *engine = worker->engine;
    for (size_t i = 0; i < event->beat.running_count; i++) {
        struct ss_attempt name = event->beat.running[i];
        const struct task *task = ss_attempt_find(engine, name);
        if (!task || attempt_of(task)->worker != worker)
            SS_VEC_PUSH(&gone, name);
        if (!task && !ss_attempt_was_let_go(worker, name))
            ss_engine_command(
                engine, (struct ss_command){.type = SS_COMMAND_CANCEL,
                            .peer = ss_strdup(event->peer),
                            .attempt = name});
    }
    if (event->beat.sent == 0 || ss_begin_ms(engine) == 0) {
        SS_VEC_FINI(&gone);
        return;
    }
    ss_engine_command(engine, (struct ss_command){.type = SS_COMMAND_HEARD,
                                  .peer = ss_strdup(event->peer),
                                  .tag = event->beat.sent,
                                  .attempts = gone.items,
                                  .attempts_count = gone.count});
}

void ss_worker_beat(struct engine *engine, const struct ss_event *event)
{
    struct worker *worker =
        ss_map_get(&engine->scheduler->workers, event->peer);
    if (!worker) { // we forgot it: it must say again what it serves
        ss_worker_refuse(engine, event->peer, SS_EAGAIN, "say hello first");
        return;
    }
    if (!is_news(worker, event->beat.sent))
        return;
    worker->seen_ms = engine->now_ms;
    grant(worker, event->beat.capacity);
    ss_worker_remind(worker);
    ss_members_remind(worker);
    answer(worker, event);
    ss_lingering_named(worker, event->beat.running, event->beat.running_count);
    struct attempts lost = {0};
    for (const struct task *task = NULL;
         (task = ss_attempts_after(engine, task));) {
        if (attempt_of(task)->worker == worker &&
            !beats(event, attempt_of(task)->name) &&
            engine->now_ms - attempt_of(task)->sent_ms >
                engine->options.lease_ms)
            SS_VEC_PUSH(
                &lost, attempt_of(task)->name); // a message was lost on the way
    }
    ss_attempts_lose(worker, &lost, "the worker does not know of it", 0);
}

// ------------------------------------------------ attempts that were let go

void ss_attempt_let_go(struct worker *worker, struct ss_attempt attempt)
{
    if (worker->let_go.count == SS_WORKER_LET_GO_MAX)
        SS_VEC_REMOVE(&worker->let_go, 0);
    SS_VEC_PUSH(&worker->let_go, attempt);
}

bool ss_attempt_was_let_go(
    const struct worker *worker, struct ss_attempt attempt)
{
    for (size_t i = 0; i < worker->let_go.count; i++)
        if (worker->let_go.items[i].epoch == attempt.epoch &&
            worker->let_go.items[i].dispatch == attempt.dispatch)
            return true;
    return false;
}

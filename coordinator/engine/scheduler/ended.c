// ended.c - what a supervisor says: that the process of a worker has ended.
//
// Its word ends nothing. It may come late, or be wrong, and the worker goes on
// with its tasks: so the worker's link is tried, which breaks with the process.
// A link that is broken ends attempts as it always does (ss_worker_bye,
// ss_vouched), and so does a lease; the word is only the reason that is told.
// Under load the link breaks first: the next order finds it so, while the word
// is still on its way. So it is kept who went with which tasks, and a late word
// is the reason that is told of these tasks from then on.
//
//   said --> the link is tried, each SS_ENDED_EACH_MS --> it is broken: lost
//              |
//              +--> SS_ENDED_LOOK_MS later it still speaks: it was not so
//
//   it is broken: lost --> said --> told with the next loss, and by explain
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"

// The oldest one makes room.
static void remember(struct engine *engine, const char *name, const char *how)
{
    struct scheduler *scheduler = engine->scheduler;
    struct crash *crash =
        &scheduler->crashes[scheduler->crashes_count++ % SS_CRASHES_MAX];
    snprintf(crash->worker, sizeof(crash->worker), "%s", name);
    snprintf(crash->how, sizeof(crash->how), "%s", how);
    crash->at_ms = engine->now_ms;
}

json_t *ss_crashes_json(const struct engine *engine)
{
    const struct scheduler *scheduler = engine->scheduler;
    json_t *list = json_array();
    uint64_t count = scheduler->crashes_count;
    uint64_t from = count > SS_CRASHES_MAX ? count - SS_CRASHES_MAX : 0;
    for (uint64_t i = from; i < count; i++) {
        const struct crash *crash = &scheduler->crashes[i % SS_CRASHES_MAX];
        int64_t ago_ms = engine->now_ms - crash->at_ms;
        ss_check(ago_ms >= 0);
        if (ago_ms < SS_CRASH_KNOWN_MS)
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:I}", "worker", crash->worker,
                          "how", crash->how, "ago_ms", (json_int_t)ago_ms));
    }
    return list;
}

// The newest of that name whose end nobody has told.
static struct gone_worker *gone_named(
    struct scheduler *scheduler, const char *name)
{
    for (uint32_t i = 0; i < SS_GONE_MAX && i < scheduler->gone_count; i++) {
        struct gone_worker *gone =
            &scheduler->gone[(scheduler->gone_count - 1 - i) % SS_GONE_MAX];
        if (strcmp(gone->name, name) == 0)
            return *gone->how ? NULL : gone;
    }
    return NULL;
}

// Its link broke before the word came: with both it is as if the word had come
// first.
static void ended_before(
    struct engine *engine, const char *name, const char *how)
{
    struct gone_worker *gone = gone_named(engine->scheduler, name);
    if (!gone)
        return; // it ran nothing here, or is another coordinator's
    snprintf(gone->how, sizeof(gone->how), "%s", how);
    ss_lingering_over(engine, gone->number);
    ss_engine_narrate(
        engine, "worker %s had ended, its supervisor says: %s", name, how);
    engine->scheduler->has_late_word = true;
    ss_engine_ready_moved(engine);
}

void ss_worker_ended(struct engine *engine, const struct ss_event *event)
{
    struct worker *worker = ss_worker_named(engine, event->bye.ended);
    const char *how = event->bye.how;
    if (!how || strlen(how) > SS_ENDED_HOW_SIZE_MAX)
        how = "nobody says how";
    remember(engine, event->bye.ended, how);
    if (!worker) {
        ended_before(engine, event->bye.ended, how);
        return;
    }
    ss_free(worker->ended);
    worker->ended = ss_strdup(how);
    worker->ended_ms = engine->now_ms;
    worker->tried_ms = engine->now_ms - SS_ENDED_EACH_MS;
    ss_engine_narrate(engine, "worker %s has ended, its supervisor says: %s",
        worker->name, how);
}

static void forget(struct worker *worker)
{
    ss_check(worker->ended && worker->seen_ms >= worker->ended_ms);
    ss_engine_narrate(
        worker->engine, "worker %s is there all the same", worker->name);
    ss_free(worker->ended);
    worker->ended = NULL;
}

void ss_worker_ended_try(struct worker *worker)
{
    struct engine *engine = worker->engine;
    int64_t until_ms = worker->ended_ms + SS_ENDED_LOOK_MS;
    if (!worker->ended)
        return;
    ss_check(worker->ended_ms <= engine->now_ms);
    ss_check(worker->tried_ms <= engine->now_ms);
    if (engine->now_ms >= until_ms) {
        if (worker->seen_ms >= until_ms)
            forget(worker);
        return; // its lease decides
    }
    if (engine->now_ms >= worker->tried_ms + SS_ENDED_EACH_MS) {
        worker->tried_ms = engine->now_ms;
        // Of no attempt: whoever is there does nothing.
        ss_engine_command(
            engine, (struct ss_command){.type = SS_COMMAND_SETTLED,
                        .peer = ss_strdup(worker->peer),
                        .attempt = {engine->options.epoch, 0}});
    }
    ss_engine_wake(engine, worker->tried_ms + SS_ENDED_EACH_MS);
}

uint32_t ss_worker_goes(const struct worker *worker)
{
    struct scheduler *scheduler = worker->engine->scheduler;
    if (worker->running == 0)
        return 0;
    struct gone_worker *gone =
        &scheduler->gone[scheduler->gone_count++ % SS_GONE_MAX];
    snprintf(gone->name, sizeof(gone->name), "%s", worker->name);
    snprintf(
        gone->how, sizeof(gone->how), "%s", worker->ended ? worker->ended : "");
    gone->number = worker->number;
    gone->ran = worker->running;
    return scheduler->gone_count;
}

// NULL: it was lost with none, with one that is not known any more, or nobody
// said how that ended.
static const struct gone_worker *crashed_with(const struct task *task)
{
    const struct scheduler *scheduler = ss_task_level(task)->engine->scheduler;
    uint32_t count = attempt_of(task)->lost_with;
    ss_check(count <= scheduler->gone_count);
    if (count == 0 || scheduler->gone_count - count >= SS_GONE_MAX)
        return NULL;
    const struct gone_worker *gone =
        &scheduler->gone[(count - 1) % SS_GONE_MAX];
    ss_check(gone->ran > 0);
    return *gone->how ? gone : NULL;
}

bool ss_task_crashed(const struct task *task)
{
    return crashed_with(task) != NULL;
}

// Who of several did it, nobody knows.
char *ss_task_lost_how(const struct task *task)
{
    const struct gone_worker *gone = crashed_with(task);
    if (!gone)
        return NULL;
    return gone->ran == 1
               ? ss_format("crashed its worker: %s", gone->how)
               : ss_format("went down with its worker, which ran %u tasks: %s",
                     (unsigned)gone->ran, gone->how);
}

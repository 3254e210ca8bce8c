// trial.c - runs that may be what ended their coordinator.
//
//   found after a crash: recoveries n -> n + 1, durably --> loaded, goes on
//                           |  n = 3                          | a new row: 0
//                           v                                 v
//                       quarantined --release--> n = 1     (innocent)
//                           |
//                           +--cancel--> ended; parked again if that fails
//
// Whoever finds a run of a coordinator that crashed counts that before anything
// of it is read, so that a run which ends every coordinator that touches it is
// parked at last, wherever it is found. Runs go on together the first times. The
// last time each goes on alone, until it makes a row or a while has passed: who
// gets over that only stood beside the guilty one, and is counted less again.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/trial.h"
#include "coordinator/engine/runs/trial_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

#define QUARANTINED "quarantined"

static void trial_fini(struct trial *trial)
{
    ss_free(trial->thread);
    json_decref(trial->record);
}

void ss_trials_fini(struct engine *engine)
{
    for (size_t i = 0; i < engine->trials.count; i++)
        trial_fini(&engine->trials.items[i]);
    SS_VEC_FINI(&engine->trials);
    ss_free(engine->on_trial);
}

// ------------------------------------------------ parked

static const char *parked_run(const struct thread *thread)
{
    return ss_json_str(thread->parked, "run", "");
}

// Who waits for the thread is told so by release.c.
static void park(struct thread *thread, json_t *record)
{
    json_decref(thread->parked);
    thread->parked = json_incref(record);
    ss_engine_narrate(thread->engine, "run %s on thread %s has ended its "
        "coordinator %d times and is parked", parked_run(thread), thread->id,
        SS_RECOVERIES_MAX + 1);
    thread->barred = true;
}

// ------------------------------------------------ on trial

static void begin(struct engine *engine, struct trial *trial)
{
    trial->tag = ss_record_store(ss_thread_find(engine, trial->thread),
        ss_json_str(trial->record, "run", ""), json_incref(trial->record));
}

// A record like this one, with other words for two things. Gives.
static json_t *record_with(
    json_t *record, const char *status, int64_t recoveries)
{
    json_t *copy = json_copy(record);
    json_object_set_new(copy, "status", json_string(status));
    json_object_set_new(copy, "recoveries", json_integer(recoveries));
    return copy;
}

static void add(struct thread *thread, json_t *record, const char *status,
    int64_t recoveries)
{
    struct engine *engine = thread->engine;
    SS_VEC_PUSH(&engine->trials,
        (struct trial){.thread = ss_strdup(thread->id),
            .record = record_with(record, status, recoveries)});
    thread->barred = true;
    ss_waiting_add_run(thread, ss_json_str(record, "run", ""),
        strcmp(status, SS_RUN_TAKEN_BACK) == 0 ? status : "recover");
    if (recoveries < SS_RECOVERIES_MAX) // else it waits for its turn
        begin(engine, &engine->trials.items[engine->trials.count - 1]);
}

void ss_trial_add(struct thread *thread, json_t *record)
{
    int64_t recoveries = ss_json_int(record, "recoveries", 0);
    const char *run = ss_json_str(record, "run", "");
    if (recoveries < SS_RECOVERIES_MAX) {
        add(thread, record, ss_json_str(record, "status", ""), recoveries + 1);
        return;
    }
    ss_record_store(
        thread, run, record_with(record, QUARANTINED, recoveries));
    park(thread, record);
}

void ss_run_parked(struct thread *thread, json_t *record)
{
    park(thread, record);
}

static void load(struct engine *engine, const struct trial *trial)
{
    struct thread *thread = ss_map_get(&engine->threads, trial->thread);
    if (!thread || !thread->barred)
        return; // it has moved
    thread->barred = false;
    thread->recoveries = ss_json_int(trial->record, "recoveries", 0);
    if (thread->recoveries == SS_RECOVERIES_MAX) {
        ss_free(engine->on_trial);
        engine->on_trial = ss_strdup(thread->id);
        engine->trial_ends_ms = engine->now_ms + SS_TRIAL_MS;
    }
    ss_thread_get(engine, thread->id);
}

bool ss_trial_stored(struct engine *engine, const struct ss_event *event)
{
    for (size_t i = 0; i < engine->trials.count; i++) {
        struct trial trial = engine->trials.items[i];
        if (trial.tag == 0 || trial.tag != event->stored.tag)
            continue;
        SS_VEC_REMOVE(&engine->trials, i);
        if (event->stored.status == SS_OK)
            load(engine, &trial);
        trial_fini(&trial);
        return true;
    }
    return false;
}

// It has lived long enough: the last count is taken back.
static void acquit(struct run *run)
{
    json_t *record = ss_run_record(run, "running");
    ss_record_store(run->thread, run->id,
        record_with(record, "running", SS_RECOVERIES_MAX - 1));
    json_decref(record);
}

// Its run made a row, has ended, has moved, waits for its graph, or lives.
static bool is_over(const struct engine *engine)
{
    const struct thread *thread =
        engine->on_trial ? ss_map_get(&engine->threads, engine->on_trial)
                         : NULL;
    if (!thread || thread->state == THREAD_COLD)
        return true;
    if (thread->state == THREAD_LOADING)
        return false;
    return !thread->run || thread->run->recoveries == 0
        || engine->now_ms >= engine->trial_ends_ms;
}

void ss_trials_next(struct engine *engine)
{
    if ((!engine->on_trial && engine->trials.count == 0) || !is_over(engine))
        return;
    const struct thread *thread =
        engine->on_trial ? ss_map_get(&engine->threads, engine->on_trial)
                         : NULL;
    if (thread && thread->run && thread->run->recoveries > 0)
        acquit(thread->run);
    ss_free(engine->on_trial);
    engine->on_trial = NULL;
    size_t next = SS_NONE;
    for (size_t i = engine->trials.count; i-- > 0;) {
        const struct trial *trial = &engine->trials.items[i];
        bool alone = ss_json_int(trial->record, "recoveries", 0)
            == SS_RECOVERIES_MAX;
        if (alone && trial->tag != 0)
            return; // one is on its way
        next = alone ? i : next;
    }
    if (next != SS_NONE)
        begin(engine, &engine->trials.items[next]);
}

void ss_trials_let_go(struct engine *engine)
{
    for (size_t i = engine->trials.count; i-- > 0;) {
        struct trial trial = engine->trials.items[i];
        if (ss_is_ours(engine, trial.thread))
            continue;
        SS_VEC_REMOVE(&engine->trials, i);
        trial_fini(&trial);
    }
}

void ss_trials_wake(struct engine *engine)
{
    if (!engine->on_trial)
        ss_trials_next(engine);
    else if (is_over(engine))
        ss_engine_wake(engine, engine->now_ms);
    else if (engine->trial_ends_ms > engine->now_ms)
        ss_engine_wake(engine, engine->trial_ends_ms);
    // else it is read, and its rows come by themselves
}

void ss_run_survives(struct run *run)
{
    run->recoveries = 0;
    ss_record_put(run->thread, run->id, ss_run_record(run, "running"));
}

// ------------------------------------------------ what people do about it

// Its record stays as it is until the end row is durable: if reading it ends us
// once more, it is parked as before.
void ss_parked_doom(struct thread *thread)
{
    ss_doomed_forget(thread);
    thread->doomed = thread->parked;
    thread->parked = NULL;
    thread->barred = false;
    ss_thread_get(thread->engine, thread->id);
}

void ss_doomed_forget(struct thread *thread)
{
    json_decref(thread->doomed);
    thread->doomed = NULL;
}

bool ss_doomed_found(struct thread *thread, const char *run)
{
    if (strcmp(ss_json_str(thread->doomed, "run", ""), run) != 0)
        return false;
    json_t *record = json_incref(thread->doomed);
    struct waiting_list waiting = thread->waiting;
    ss_doomed_forget(thread);
    memset(&thread->waiting, 0, sizeof(thread->waiting));
    ss_thread_break(thread, SS_EQUARANTINED, "its run was not cancelled");
    for (size_t i = 0; i < waiting.count; i++)
        SS_VEC_PUSH(&thread->waiting, waiting.items[i]);
    SS_VEC_FINI(&waiting);
    park(thread, record);
    json_decref(record);
    return true;
}

void ss_parked_release(struct thread *thread)
{
    json_t *record = thread->parked;
    ss_engine_narrate(thread->engine, "run %s on thread %s is released",
        parked_run(thread), thread->id);
    thread->parked = NULL;
    add(thread, record, "running", 1);
    json_decref(record);
}

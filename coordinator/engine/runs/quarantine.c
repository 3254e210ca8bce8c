// quarantine.c - runs that may be what ended their coordinator.
//
//   found after a crash: recoveries n -> n + 1, durably --> loaded, goes on
//                           |  n = 3                          | a new row: 0
//                           v                                 v
//                       quarantined --release--> n = 1     (innocent)
//                           |
//                           +--cancel--> ended; quarantined again if that fails
//
// Whoever finds a run of a coordinator that crashed counts that before anything
// of it is read, so that a run which ends every coordinator that touches it is
// quarantined at last, wherever it is found. Runs go on together the first
// times. The last time each goes on alone, until it makes a row or a while has
// passed: who gets over that only stood beside the guilty one, and is counted
// less again.
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/quarantine.h"
#include "coordinator/engine/runs/quarantine_impl.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/waiting.h"

// A run that may have ended its coordinator.
struct suspect {
    char *thread;
    json_t *record; // as it is to be stored
    uint64_t tag;   // of that; 0: it waits for its turn
};

struct quarantine {
    SS_VEC(struct suspect) suspects;
    char *on_probation; // the thread whose run goes on alone, or NULL
    int64_t probation_ends_ms;
};

static void suspect_fini(struct suspect *suspect)
{
    ss_free(suspect->thread);
    json_decref(suspect->record);
}

void ss_quarantine_init(struct engine *engine)
{
    engine->quarantine = ss_zalloc(1, sizeof(*engine->quarantine));
}

void ss_quarantine_fini(struct engine *engine)
{
    struct quarantine *quarantine = engine->quarantine;
    for (size_t i = 0; i < quarantine->suspects.count; i++)
        suspect_fini(&quarantine->suspects.items[i]);
    SS_VEC_FINI(&quarantine->suspects);
    ss_free(quarantine->on_probation);
    ss_free(engine->quarantine);
}

// ------------------------------------------------ quarantined

json_t *ss_thread_quarantined(const struct thread *thread)
{
    return ss_seat(thread)->quarantined;
}

static const char *quarantined_run(const struct thread *thread)
{
    return ss_json_str(ss_seat(thread)->quarantined, "run", "");
}

// Who waits for the thread is told so by release.c.
static void park(struct thread *thread, json_t *record)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    json_decref(ss_seat(thread)->quarantined);
    ss_seat(thread)->quarantined = json_incref(record);
    ss_engine_narrate(its->engine,
        "run %s on thread %s has ended its "
        "coordinator %d times and is parked",
        quarantined_run(thread), its->id, SS_RECOVERIES_MAX + 1);
    ss_thread_leave_unread(thread);
}

// ------------------------------------------------ on probation

static void begin(struct engine *engine, struct suspect *suspect)
{
    suspect->tag = ss_record_store(ss_thread_find(engine, suspect->thread),
        ss_json_str(suspect->record, "run", ""), json_incref(suspect->record));
}

// A record like this one, with other words for two things. Gives.
static json_t *record_with(
    json_t *record, enum ss_run_status status, int64_t recoveries)
{
    json_t *copy = json_copy(record);
    if (status != SS_RUN_OTHER) // a word of a newer program stays
        json_object_set_new(
            copy, "status", json_string(ss_run_status_name(status)));
    json_object_set_new(copy, "recoveries", json_integer(recoveries));
    return copy;
}

static void add(struct thread *thread, json_t *record,
    enum ss_run_status status, int64_t recoveries)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct engine *engine = its->engine;
    struct quarantine *quarantine = engine->quarantine;
    SS_VEC_PUSH(&quarantine->suspects,
        (struct suspect){.thread = ss_strdup(its->id),
            .record = record_with(record, status, recoveries)});
    ss_thread_leave_unread(thread);
    ss_waiting_add_run(thread, ss_json_str(record, "run", ""),
        status == SS_RUN_TAKEN_BACK ? TURN_TAKE_BACK : TURN_RECOVER);
    if (recoveries < SS_RECOVERIES_MAX) // else it waits for its turn
        begin(engine,
            &quarantine->suspects.items[quarantine->suspects.count - 1]);
}

bool ss_suspect_known(const struct thread *thread, const char *run)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct quarantine *quarantine = its->engine->quarantine;
    for (size_t i = 0; i < quarantine->suspects.count; i++) {
        const struct suspect *suspect = &quarantine->suspects.items[i];
        if (strcmp(suspect->thread, its->id) == 0 &&
            strcmp(ss_json_str(suspect->record, "run", ""), run) == 0)
            return true;
    }
    return false;
}

void ss_suspect_add(struct thread *thread, json_t *record)
{
    int64_t recoveries = ss_json_int(record, "recoveries", 0);
    const char *run = ss_json_str(record, "run", "");
    if (recoveries < SS_RECOVERIES_MAX) {
        add(thread, record, ss_run_status_of(record), recoveries + 1);
        return;
    }
    ss_record_store(
        thread, run, record_with(record, SS_RUN_QUARANTINED, recoveries));
    park(thread, record);
}

void ss_run_quarantined(struct thread *thread, json_t *record)
{
    park(thread, record);
}

static void load(struct engine *engine, const struct suspect *suspect)
{
    struct quarantine *quarantine = engine->quarantine;
    struct thread *thread = ss_map_get(ss_threads_all(engine), suspect->thread);
    const struct thread_facts *its = ss_thread_facts(thread);
    if (!thread || !its->is_unread)
        return; // it has moved
    ss_seat(thread)->recoveries = ss_json_int(suspect->record, "recoveries", 0);
    if (ss_seat(thread)->recoveries == SS_RECOVERIES_MAX) {
        ss_free(quarantine->on_probation);
        quarantine->on_probation = ss_strdup(its->id);
        quarantine->probation_ends_ms = engine->now_ms + SS_TRIAL_MS;
    }
    ss_thread_read_after_all(thread);
}

bool ss_suspect_stored(struct engine *engine, const struct ss_event *event)
{
    struct quarantine *quarantine = engine->quarantine;
    for (size_t i = 0; i < quarantine->suspects.count; i++) {
        struct suspect suspect = quarantine->suspects.items[i];
        if (suspect.tag == 0 || suspect.tag != event->stored.tag)
            continue;
        SS_VEC_REMOVE(&quarantine->suspects, i);
        if (event->stored.status == SS_OK)
            load(engine, &suspect);
        suspect_fini(&suspect);
        return true;
    }
    return false;
}

// It has lived long enough: the last count is taken back.
static void acquit(struct run *run)
{
    json_t *record = ss_run_record(run, SS_RUN_RUNNING);
    ss_record_store(ss_run_facts(run)->thread, ss_run_facts(run)->id,
        record_with(record, SS_RUN_RUNNING, SS_RECOVERIES_MAX - 1));
    json_decref(record);
}

// Its run made a row, has ended, has moved, waits for its graph, or lives.
static bool is_over(const struct engine *engine)
{
    const struct quarantine *quarantine = engine->quarantine;
    const struct thread *thread =
        quarantine->on_probation
            ? ss_map_get(ss_threads_all(engine), quarantine->on_probation)
            : NULL;
    if (!thread || ss_thread_facts(thread)->state == THREAD_COLD)
        return true;
    if (ss_thread_facts(thread)->state == THREAD_LOADING)
        return false;
    return !ss_seat(thread)->run ||
           part_of(ss_seat(thread)->run)->recoveries == 0 ||
           engine->now_ms >= quarantine->probation_ends_ms;
}

void ss_suspects_next(struct engine *engine)
{
    struct quarantine *quarantine = engine->quarantine;
    if ((!quarantine->on_probation && quarantine->suspects.count == 0) ||
        !is_over(engine))
        return;
    const struct thread *thread =
        quarantine->on_probation
            ? ss_map_get(ss_threads_all(engine), quarantine->on_probation)
            : NULL;
    if (thread && ss_seat(thread)->run &&
        part_of(ss_seat(thread)->run)->recoveries > 0)
        acquit(ss_seat(thread)->run);
    ss_free(quarantine->on_probation);
    quarantine->on_probation = NULL;
    size_t next = SS_NONE;
    for (size_t i = quarantine->suspects.count; i-- > 0;) {
        const struct suspect *suspect = &quarantine->suspects.items[i];
        bool alone =
            ss_json_int(suspect->record, "recoveries", 0) == SS_RECOVERIES_MAX;
        if (alone && suspect->tag != 0)
            return; // one is on its way
        next = alone ? i : next;
    }
    if (next != SS_NONE)
        begin(engine, &quarantine->suspects.items[next]);
}

void ss_suspects_let_go(struct engine *engine)
{
    struct quarantine *quarantine = engine->quarantine;
    for (size_t i = quarantine->suspects.count; i-- > 0;) {
        struct suspect suspect = quarantine->suspects.items[i];
        if (ss_shard_owned(engine, suspect.thread))
            continue;
        SS_VEC_REMOVE(&quarantine->suspects, i);
        suspect_fini(&suspect);
    }
}

void ss_suspects_wake(struct engine *engine)
{
    const struct quarantine *quarantine = engine->quarantine;
    if (!quarantine->on_probation)
        ss_suspects_next(engine);
    else if (is_over(engine))
        ss_engine_wake(engine, engine->now_ms);
    else if (quarantine->probation_ends_ms > engine->now_ms)
        ss_engine_wake(engine, quarantine->probation_ends_ms);
    // else it is read, and its rows come by themselves
}

void ss_run_survives(struct run *run)
{
    part_of(run)->recoveries = 0;
    ss_run_record_put(run, SS_RUN_RUNNING);
}

// ------------------------------------------------ what people do about it

// Its record stays as it is until the end row is durable: if reading it ends us
// once more, it is quarantined as before.
void ss_quarantined_cancel(struct thread *thread)
{
    ss_cancelled_forget(thread);
    ss_seat(thread)->cancelled_record = ss_seat(thread)->quarantined;
    ss_seat(thread)->quarantined = NULL;
    ss_thread_read_after_all(thread);
}

void ss_cancelled_forget(struct thread *thread)
{
    json_decref(ss_seat(thread)->cancelled_record);
    ss_seat(thread)->cancelled_record = NULL;
}

bool ss_cancelled_found(struct thread *thread, const char *run)
{
    if (strcmp(ss_json_str(ss_seat(thread)->cancelled_record, "run", ""),
            run) != 0)
        return false;
    json_t *record = json_incref(ss_seat(thread)->cancelled_record);
    struct waiting_list waiting = ss_waiting_take_all(thread);
    ss_cancelled_forget(thread);
    ss_thread_break(thread, SS_EQUARANTINED, "its run was not cancelled");
    for (size_t i = 0; i < waiting.count; i++)
        ss_waiting_put(thread, waiting.items[i]);
    SS_VEC_FINI(&waiting);
    park(thread, record);
    json_decref(record);
    return true;
}

void ss_quarantined_release(struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    json_t *record = ss_seat(thread)->quarantined;
    ss_engine_narrate(its->engine, "run %s on thread %s is released",
        quarantined_run(thread), its->id);
    ss_seat(thread)->quarantined = NULL;
    add(thread, record, SS_RUN_RUNNING, 1);
    json_decref(record);
}

// ------------------------------------------------ what holds

static bool is_suspect(const struct engine *engine, const char *thread)
{
    for (size_t i = 0; i < engine->quarantine->suspects.count; i++)
        if (strcmp(engine->quarantine->suspects.items[i].thread, thread) == 0)
            return true;
    return false;
}

void ss_suspects_verify(const struct engine *engine)
{
    const struct quarantine *quarantine = engine->quarantine;
    size_t alone = 0;
    bool waits = false;
    for (size_t i = 0; i < quarantine->suspects.count; i++) {
        const struct suspect *suspect = &quarantine->suspects.items[i];
        const struct thread *thread =
            ss_map_get(ss_threads_all(engine), suspect->thread);
        int64_t recoveries = ss_json_int(suspect->record, "recoveries", 0);
        ss_invariant(I90, thread && ss_thread_facts(thread)->is_unread);
        ss_invariant(I227, recoveries > 0 && recoveries <= SS_RECOVERIES_MAX);
        ss_invariant(I228, recoveries == SS_RECOVERIES_MAX || suspect->tag);
        ss_invariant(I229, suspect->tag <= engine->tags);
        waits = waits || suspect->tag == 0;
        alone += suspect->tag != 0 && recoveries == SS_RECOVERIES_MAX;
    }
    ss_invariant(I91, alone <= 1);
    if (waits)
        ss_invariant(I230, quarantine->on_probation || alone > 0);
    for (const struct ss_map_entry *e = ss_threads_all(engine)->first; e;
         e = e->next) {
        const struct thread *thread = e->value;
        const struct seat *seat = ss_seat(thread);
        if (seat->quarantined)
            ss_invariant(I27,
                ss_thread_facts(thread)->is_unread && !seat->cancelled_record);
        else if (ss_thread_facts(thread)->is_unread)
            ss_invariant(I232, is_suspect(engine, ss_thread_facts(thread)->id));
    }
}

// queue.c - runs on one thread, one after the other.
//
//   asked for, thread free -------------------------> enters (run.c)
//   asked for, thread busy, and `if_busy` is
//     reject     refused
//     enqueue    QUEUED --its turn--> enters
//     interrupt  those before it are cancelled, then its turn
//     rollback   those before it are cancelled and taken back, then its turn
//
// A queued run is a record in `runs`, with its request and its place; it has no
// row until it enters or is cancelled. It is accepted when that record is
// durable, and a coordinator that comes after us finds it there (RUN_FOUND) and
// gives it its turn behind the run that was under way.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/queue_impl.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

// ------------------------------------------------ what keeps a thread busy

struct run *ss_thread_run(const struct thread *thread)
{
    return ss_seat(thread)->run;
}

// It has a run or an update, or its rows are about to be void.
static bool is_taken(const struct seat *seat)
{
    return seat->run || seat->change || seat->taken_back;
}

bool ss_thread_busy(const struct thread *thread)
{
    return is_taken(ss_seat(thread)) || ss_queue_waits(thread) ||
           ss_waiting_run(thread);
}

void ss_thread_busy_with(
    const struct thread *thread, char ret_text[SS_BUSY_TEXT_SIZE])
{
    const struct seat *seat = ss_seat(thread);
    const struct run *run = seat->run ? seat->run : seat->taken_back;
    const char *id = run ? ss_run_facts(run)->id : ss_waiting_run(thread);
    if (!id && !seat->change && seat->queue.count > 0)
        id = ss_run_facts(seat->queue.items[0])->id;
    snprintf(ret_text, SS_BUSY_TEXT_SIZE, "%s%s", id ? "run " : "an update",
        id ? id : "");
}

// A run begun and not ended: it must be recovered first. Runs of a thread come
// one after the other, so the last one tells.
static bool has_unfinished(const struct thread *thread)
{
    const struct ss_run_rows *last =
        ss_journal_newest_run(ss_thread_facts(thread)->journal);
    return last && !last->end;
}

// ------------------------------------------------ strategies

int ss_queue_strategy(
    const struct ss_request *request, enum if_busy *ret, struct ss_error *error)
{
    static const char *const names[] = {
        "reject", "enqueue", "interrupt", "rollback"};
    enum { NAMES = sizeof(names) / sizeof(*names) };
    const char *name = request->has.if_busy ? request->if_busy : names[0];
    for (size_t i = 0; name && i < NAMES; i++)
        if (strcmp(name, names[i]) == 0) {
            *ret = (enum if_busy)i;
            return SS_OK;
        }
    struct ss_hint hint;
    ss_hint_init(&hint, name ? name : "");
    for (size_t i = 0; i < NAMES; i++)
        ss_hint_offer(&hint, names[i]);
    return ss_error_set(error, SS_EINVAL,
        "if_busy: say reject, enqueue, "
        "interrupt or rollback.%s",
        ss_hint_text(&hint));
}

static int check_room(const struct thread *thread, struct ss_error *error)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    if (ss_seat(thread)->queue.count >= SS_QUEUE_THREAD_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "thread %s: %zu runs wait for "
            "their turn already, and %d are the most: ask again when some "
            "have ended, or cancel some",
            its->id, ss_seat(thread)->queue.count, SS_QUEUE_THREAD_MAX);
    if (its->engine->runs->queued >= SS_QUEUE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "%zu runs wait for their turn "
            "on all threads, and %d are the most: ask again later",
            its->engine->runs->queued, SS_QUEUE_MAX);
    return SS_OK;
}

int ss_queue_make_way(
    struct run *run, enum if_busy if_busy, struct ss_error *error)
{
    struct thread *thread = ss_run_facts(run)->thread;
    const struct seat *seat = ss_seat(thread);
    bool back = if_busy == IF_BUSY_ROLLBACK;
    const char *found = NULL;
    char why[SS_UUID_SIZE + 64];
    if (if_busy == IF_BUSY_ENQUEUE)
        return check_room(thread, error);
    snprintf(why, sizeof(why), "run %s came in its place (if_busy: %s)",
        ss_run_facts(run)->id, back ? "rollback" : "interrupt");
    while (seat->queue.count > 0)
        ss_queue_leave(seat->queue.items[seat->queue.count - 1], why, back);
    if (seat->run)
        ss_run_cancel(seat->run, why, back);
    while ((found = ss_waiting_run(thread)) != NULL &&
           ss_run_cancel_awaited(thread, found, why, back))
        continue;
    return SS_OK;
}

// ------------------------------------------------ joining

// In order of their places, which grow over all coordinators of a thread.
static void insert(struct thread *thread, struct run *run, int64_t place)
{
    struct seat *seat = ss_seat(thread);
    size_t at = seat->queue.count;
    ss_check(part_of(run)->record && !ss_run_facts(run)->root);
    while (at > 0 && ss_json_int(part_of(seat->queue.items[at - 1])->record,
                         "place", 0) > place)
        at--;
    SS_VEC_PUSH(&seat->queue, run);
    memmove(&seat->queue.items[at + 1], &seat->queue.items[at],
        (seat->queue.count - 1 - at) * sizeof(struct run *));
    seat->queue.items[at] = run;
    if (place > seat->queue_last)
        seat->queue_last = place;
    ss_run_move(run, RUN_QUEUED);
    ss_thread_facts(thread)->engine->runs->queued++;
    ss_run_enlist(run);
    ss_queue_later(thread);
}

// Takes `record`; NULL: nobody finds it any more.
static void put_record(struct run *run, json_t *record)
{
    const struct run_facts *its = ss_run_facts(run);
    if (record)
        ss_record_put(its->thread, its->id, record);
    else
        ss_record_drop(its->thread, its->id);
    part_of(run)->unit = ss_thread_unit(its->thread);
}

void ss_queue_join(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    struct run_part *part = part_of(run);
    struct thread *thread = its->thread;
    struct engine *engine = its->engine;
    int64_t place = engine->wall_us > ss_seat(thread)->queue_last
                        ? engine->wall_us
                        : ss_seat(thread)->queue_last + 1;
    ss_check(!part->record && its->request);
    part->record = ss_run_record(run, SS_RUN_QUEUED);
    json_object_set_new(part->record, "place", json_integer(place));
    json_object_set(part->record, "request", its->request->body);
    ss_engine_narrate(engine,
        "run of graph %s waits for its turn on thread "
        "%s, behind %zu",
        its->graph->name, ss_thread_facts(thread)->id,
        ss_seat(thread)->queue.count +
            (ss_seat(thread)->run || ss_seat(thread)->taken_back));
    insert(thread, run, place);
    ss_run_say_facts(run);
    put_record(run, json_incref(part->record));
    its->engine->watch->accepted(run);
}

void ss_queue_found(struct thread *thread, json_t *record)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct known_graph *known = ss_known_graph(its->engine,
        ss_json_str(record, "graph", ""), ss_json_str(record, "version", NULL));
    struct run *run = ss_run_new(
        thread, ss_json_str(record, "run", ""), known ? known->graph : NULL);
    part_of(run)->record = json_incref(record);
    part_of(run)->created_us = ss_json_int(record, "created_us", 0);
    ss_engine_narrate(its->engine,
        "run of graph %s on thread %s is found "
        "waiting for its turn",
        ss_json_str(record, "graph", "?"), its->id);
    insert(thread, run, ss_json_int(record, "place", 0));
}

// ------------------------------------------------ leaving

static void take_out(struct run *run)
{
    struct thread *thread = ss_run_facts(run)->thread;
    const struct thread_facts *its = ss_thread_facts(thread);
    for (size_t i = ss_seat(thread)->queue.count; i-- > 0;)
        if (ss_seat(thread)->queue.items[i] == run)
            SS_VEC_REMOVE(&ss_seat(thread)->queue, i);
    ss_check(its->engine->runs->queued > 0);
    its->engine->runs->queued--;
}

static json_t *cancelled_json(const struct run *run, const char *why)
{
    return json_pack("{s:s, s:s, s:s, s:n, s:[], s:o, s:{s:i, s:i, s:i}}",
        "run", ss_run_facts(run)->id, "thread",
        ss_thread_facts(ss_run_facts(run)->thread)->id, "status",
        ss_run_status_name(SS_RUN_CANCELLED), "output", "interrupts", "error",
        ss_error_json(SS_ECANCELLED, why), "stats", "supersteps", 0, "tasks", 0,
        "restored", 0);
}

void ss_queue_leave(struct run *run, const char *why, bool taken_back)
{
    const struct run_facts *its = ss_run_facts(run);
    struct thread *thread = its->thread;
    json_t *result = cancelled_json(run, why);
    json_t *record = NULL;
    take_out(run);
    if (!taken_back) {
        struct ss_row *row = ss_thread_row_for_end(thread, its->id);
        row->end = json_incref(result);
        record = json_copy(part_of(run)->record);
        json_object_del(record, "request");
        json_object_del(record, "place");
        json_object_set_new(record, "status",
            json_string(ss_run_status_name(SS_RUN_CANCELLED)));
        json_object_set_new(record, "changed_us",
            json_integer((json_int_t)its->engine->wall_us));
        json_object_set(record, "error", json_object_get(result, "error"));
    }
    put_record(run, record);
    ss_engine_narrate(its->engine, "the run that waited on thread %s ends: %s",
        ss_thread_facts(thread)->id, taken_back ? "taken back" : "cancelled");
    its->engine->watch->ended(run, result);
    json_decref(result);
    ss_run_move(run, RUN_ENDED);
    ss_run_forget(run);
}

void ss_queue_broken(struct thread *thread, int status, const char *message)
{
    for (size_t i = ss_seat(thread)->queue.count; i-- > 0;) {
        struct run *run = ss_seat(thread)->queue.items[i];
        if (!ss_thread_is_anothers(status) &&
            ss_thread_unit_is_durable(thread, part_of(run)->unit))
            continue;
        take_out(run);
        ss_run_abandon(run, status, message);
    }
}

void ss_queue_fini(struct thread *thread)
{
    struct runs *runs = ss_thread_facts(thread)->engine->runs;
    struct seat *seat = ss_seat(thread);
    for (size_t i = 0; i < seat->queue.count; i++)
        ss_run_free(seat->queue.items[i]);
    if (seat->taken_back)
        ss_run_free(seat->taken_back);
    for (size_t i = seat->turn ? runs->turns.count : 0; i-- > 0;)
        if (runs->turns.items[i] == thread)
            SS_VEC_REMOVE(&runs->turns, i);
    SS_VEC_FINI(&seat->queue);
}

// ------------------------------------------------ turns

void ss_queue_later(struct thread *thread)
{
    struct seat *seat = ss_seat(thread);
    if (seat->turn || (seat->queue.count == 0 && !seat->taken_back))
        return;
    seat->turn = true;
    SS_VEC_PUSH(&ss_thread_facts(thread)->engine->runs->turns, thread);
}

// Its graph as the version that it was asked for; NULL: not known yet.
static struct ss_graph *graph_of(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    struct known_graph *known =
        its->graph ? NULL
                   : ss_known_graph(its->engine,
                         ss_json_str(part_of(run)->record, "graph", ""),
                         ss_json_str(part_of(run)->record, "version", NULL));
    if (known)
        ss_run_is_of(run, known->graph);
    return its->graph;
}

// The next one begins, if nothing is before it.
static bool begin_next(struct thread *thread)
{
    const struct seat *seat = ss_seat(thread);
    if (!ss_thread_is_open(thread) || seat->queue.count == 0 ||
        is_taken(seat) || ss_waiting_run(thread))
        return false;
    ss_thread_seal(thread); // the end of the one before is in the journal
    if (has_unfinished(thread))
        return false;
    struct run *run = seat->queue.items[0];
    if (!graph_of(run))
        return false; // it waits for a worker that announces it
    take_out(run);
    ss_run_enter_queued(run);
    return true;
}

bool ss_queue_waits(const struct thread *thread)
{
    return ss_seat(thread)->queue.count > 0;
}

const json_t *ss_queue_record(
    const struct thread *thread, const char *run, size_t *ret_before)
{
    const struct seat *seat = ss_seat(thread);
    for (size_t i = 0; i < seat->queue.count; i++) {
        if (strcmp(ss_run_facts(seat->queue.items[i])->id, run) == 0) {
            *ret_before = i;
            return part_of(seat->queue.items[i])->record;
        }
    }
    return NULL;
}

bool ss_queue_turns(struct engine *engine)
{
    struct runs *runs = engine->runs;
    bool any = false;
    if (runs->turns.count == 0)
        return false; // there may be no list at all
    for (size_t i = 0; i < runs->turns.count; i++)
        ss_seat(runs->turns.items[i])->turn = false;
    size_t count = runs->turns.count;
    for (size_t i = 0; i < count; i++) { // more may join behind them
        struct thread *thread = runs->turns.items[i];
        any = ss_run_take_back(thread) || any;
        any = begin_next(thread) || any;
    }
    if (count > 0)
        memmove(runs->turns.items, &runs->turns.items[count],
            (runs->turns.count - count) * sizeof(struct thread *));
    runs->turns.count -= count;
    return any;
}

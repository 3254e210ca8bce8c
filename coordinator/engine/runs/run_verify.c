// run_verify.c - what holds of runs between two steps (invariants.c has the
// list).

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/journal.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/quarantine_impl.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/runs/update_state_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/waiting.h"

static void verify_listed(const struct run *run, struct census *census)
{
    const struct run_facts *its = ss_run_facts(run);
    char *key = ss_run_key(its->id, ss_thread_facts(its->thread)->id);
    ss_invariant(I76, ss_map_get(&its->engine->runs->by_name, key) == run);
    ss_free(key);
    census->runs++;
}

// ------------------------------------------------ one that is under way

static void add(struct census *all, const struct census *one)
{
    for (size_t i = 0; i <= TASK_PARENT; i++)
        all->tasks[i] += one->tasks[i];
    all->expected += one->expected;
    all->resting += one->resting;
    all->seen += one->seen;
}

static void verify_active(const struct run *run, struct census *census)
{
    const struct run_facts *its = ss_run_facts(run);
    const struct run_part *part = part_of(run);
    const struct thread *thread = its->thread;
    const struct loop_facts *level = ss_loop_facts(its->root);
    struct census inside = {0};
    ss_invariant(I80, its->state == RUN_ACTIVE && ss_seat(thread)->run == run);
    ss_invariant(
        I217, its->engine == ss_thread_facts(thread)->engine && its->graph);
    ss_invariant(I219, !part->cancelled);
    ss_invariant(
        I220, part->recoveries >= 0 && part->recoveries <= SS_RECOVERIES_MAX);
    if (its->options.max_concurrency > 0)
        ss_invariant(
            I221, (int64_t)its->running <= its->options.max_concurrency);
    ss_invariant(I222, !ss_waiting_has_run(thread, its->id));
    ss_invariant(I81, level && level->run == run && !level->parent &&
                          level->thread == thread &&
                          level->graph == its->graph);
    ss_invariant(
        I82, level->status == LOOP_RUNNING || level->status == LOOP_FOLDING);
    ss_invariant(I83,
        its->entry_seq <= ss_journal_head(ss_thread_facts(thread)->journal));
    ss_level_verify(its->root, &inside);
    ss_invariant(I84, its->running == inside.tasks[TASK_RUNNING]);
    ss_run_verify(run, inside.tasks[TASK_HELD]);
    verify_listed(run, census);
    add(census, &inside);
}

// ------------------------------------------------ those that wait

// Its record is read and its key is made: one takes as long as so many others.
enum { QUEUED_COST = 8 };

static void verify_queue(const struct thread *thread, struct census *census)
{
    const struct seat *seat = ss_seat(thread);
    int64_t last = 0;
    for (size_t i = 0; i < seat->queue.count; i++) {
        const struct run *run = seat->queue.items[i];
        const struct run_facts *its = ss_run_facts(run);
        const struct run_part *part = part_of(run);
        int64_t place = ss_json_int(part->record, "place", 0);
        ss_invariant(I87, its->state == RUN_QUEUED && its->thread == thread);
        ss_invariant(I88, part->record && !its->root);
        ss_invariant(I223, ss_run_status_of(part->record) == SS_RUN_QUEUED);
        ss_invariant(I224, part->unit <= ss_thread_unit(thread));
        ss_invariant(I225, its->running == 0 && !part->cancelled);
        ss_invariant(I89, place >= last && place <= seat->queue_last);
        last = place;
        verify_listed(run, census);
    }
    ss_invariant(I226, seat->queue.count <= SS_QUEUE_THREAD_MAX);
    census->queued += seat->queue.count;
    census->seen += QUEUED_COST * seat->queue.count;
}

// ------------------------------------------------ a thread's

static void verify_seat(const struct thread *thread, struct census *census)
{
    const struct seat *seat = ss_seat(thread);
    const struct run *taken_back = seat->taken_back;
    const struct run_facts *its = ss_run_facts(taken_back);
    int users =
        (seat->run != NULL) + (seat->change != NULL) + (taken_back != NULL);
    ss_invariant(I24, users <= 1);
    if (users > 0) {
        ss_invariant(I25, ss_thread_facts(thread)->state == THREAD_HOT);
        ss_invariant(I29, ss_thread_is_open(thread));
    }
    ss_invariant(
        I152, seat->recoveries >= 0 && seat->recoveries <= SS_RECOVERIES_MAX);
    if (seat->run)
        verify_active(seat->run, census);
    if (taken_back) {
        ss_invariant(I93, its->state == RUN_TAKEN_BACK &&
                              its->thread == thread &&
                              ss_loop_facts(its->root)->tasks.count == 0);
        ss_invariant(I231, its->running == 0 && part_of(taken_back)->cancelled);
        verify_listed(taken_back, census);
    }
    if (seat->change)
        ss_update_state_verify(seat->change, census);
    verify_queue(thread, census);
}

void ss_runs_verify_rest(const struct engine *engine)
{
    const struct runs *runs = engine->runs;
    ss_invariant(I4, runs->turns.count == 0);
    ss_invariant(I5, runs->ended.count == 0);
}

void ss_runs_verify(const struct engine *engine, struct census *census)
{
    size_t turns = 0;
    for (const struct ss_map_entry *e = ss_threads_all(engine)->first; e;
         e = e->next) {
        const struct thread *thread = e->value;
        verify_seat(thread, census);
        turns += ss_seat(thread)->turn;
    }
    ss_invariant(I94, engine->runs->by_name.count == census->runs);
    ss_invariant(I95, engine->runs->queued == census->queued);
    ss_invariant(I23, engine->runs->turns.count == turns);
    ss_suspects_verify(engine);
    ss_pauses_verify(engine);
}

// thread_owner.c - what becomes of a thread's runs when the thread tells of
// itself (struct thread_owner): a row of one begins, its hot state is dropped,
// it is idle, it goes.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/journal.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/quarantine_impl.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/queue_impl.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/update_state_impl.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

static struct seat *made(void)
{
    return ss_zalloc(1, sizeof(struct seat));
}

// A run that makes a row is not what ended its coordinator (quarantine.c).
static void row_begins(struct thread *thread, const char *run)
{
    struct run *active = ss_seat(thread)->run;
    if (active && part_of(active)->recoveries > 0 &&
        strcmp(ss_run_facts(active)->id, run) == 0)
        ss_run_survives(active);
}

// They go on when the thread is read again: those whose end is not durable, and
// `run`, the one under way (or NULL).
static void await_runs(struct thread *thread, const char *run)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    bool is_hot = its->state == THREAD_HOT;
    uint64_t head = is_hot ? ss_journal_head(its->journal) : 0;
    for (uint64_t seq = its->durable + 1; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        if (row && row->end && row->run[0])
            ss_waiting_add_run(thread, row->run, TURN_RECOVER);
    }
    if (run)
        ss_waiting_add_run(thread, run, TURN_RECOVER);
}

static void broken(struct thread *thread, int status, const char *message)
{
    struct seat *seat = ss_seat(thread);
    char *run = seat->run ? ss_strdup(ss_run_facts(seat->run)->id) : NULL;
    if (seat->run)
        ss_run_abandon(seat->run, status, message);
    if (seat->change)
        ss_update_state_abandon(seat->change, status, message);
    if (seat->taken_back) { // its record says what is to be done
        ss_waiting_add_run(
            thread, ss_run_facts(seat->taken_back)->id, TURN_TAKE_BACK);
        ss_run_abandon(seat->taken_back, status, message);
        seat->taken_back = NULL;
    }
    ss_queue_broken(thread, status, message);
    if (ss_thread_is_anothers(status))
        ss_cancelled_forget(thread);
    else
        await_runs(thread, run);
    ss_free(run);
}

// Whatever ended is durable.
static void rests(struct thread *thread)
{
    ss_cancelled_forget(thread);
    ss_records_rest(thread);
}

// An entry under way, an update from outside and what is taken back read rows
// again. A run that has entered knows what its first row says.
static bool packs(struct thread *thread)
{
    const struct seat *seat = ss_seat(thread);
    const struct run_facts *its = ss_run_facts(seat->run);
    if (!its || seat->change || seat->taken_back ||
        ss_loop_facts(its->root)->status != LOOP_RUNNING)
        return false;
    ss_run_borrows(seat->run, its->entry_seq, NULL);
    return true;
}

static bool unserved(const struct thread *thread)
{
    const struct run_facts *its = ss_run_facts(ss_seat(thread)->run);
    return its && ss_graph_workers(its->engine, its->graph) == 0;
}

static void gone(struct thread *thread)
{
    ss_check(!ss_seat(thread)->run && !ss_seat(thread)->change);
    ss_queue_fini(thread);
    json_decref(ss_seat(thread)->quarantined);
    rests(thread);
    ss_free(ss_seat(thread));
}

const struct thread_owner ss_runs_owner = {
    .made = made,
    .row_begins = row_begins,
    .broken = broken,
    .busy = ss_thread_busy,
    .rests = rests,
    .packs = packs,
    .unserved = unserved,
    .gone = gone,
};

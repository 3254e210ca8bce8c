// cancel.c - runs that are told to end, wherever they are.
//
//   waits for its turn           its record says so, and one row (queue.c)
//   under way                    open tasks fail as cancelled, an end row
//   found, and not loaded yet    when its thread is
//   found, its graph not known   an end row, and nobody runs it
//   ended                        nothing: how it ended is the answer
//
// A run may be taken back too: as if it had never been asked for. Rows must
// have left for the store before others can make them void, so its record says
// first that it is to be taken back; whoever finds that finishes it.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/queue_impl.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

// ------------------------------------------------ one that is under way

static void cancel_tasks(struct loop *loop, const char *why)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    for (size_t i = 0; i < level->tasks.count; i++) {
        struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (ss_task_ended(task))
            continue;
        struct ss_writes writes = {0};
        ss_writes_add(&writes, SS_NAME_ERROR,
            ss_value_new(ss_error_json(SS_ECANCELLED, why)));
        ss_loop_put_writes(
            loop, facts->planned.id, facts->planned.path, &writes, NULL);
        ss_writes_fini(&writes);
    }
    if (level->status != LOOP_ENTERING)
        ss_loop_exits(loop, false);
}

// After the end of the run, which counts as soon as its row is there.
static void cancel_inside(struct loop *loop, const char *why)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    for (size_t i = 0; i < level->tasks.count; i++) {
        struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (facts->state != TASK_CHILD || !facts->child)
            continue;
        cancel_tasks(facts->child, why);
        cancel_inside(facts->child, why);
    }
}

static void stop(struct run *run, const char *why)
{
    struct ss_error error;
    ss_error_set(&error, SS_ECANCELLED, "%s", why);
    part_of(run)->cancelled = true;
    ss_root_failed(ss_run_facts(run)->root, &error);
}

// Its rows are void when all of them have left for the store.
static void begin_taking_back(struct run *run)
{
    struct thread *thread = ss_run_facts(run)->thread;
    ss_check(ss_seat(thread)->run == run && !ss_seat(thread)->taken_back);
    ss_run_move(run, RUN_TAKEN_BACK);
    ss_seat(thread)->run = NULL;
    ss_seat(thread)->taken_back = run;
    ss_run_record_put(run, SS_RUN_TAKEN_BACK);
    ss_engine_narrate(ss_run_facts(run)->engine,
        "the run on thread %s is taken back", ss_thread_facts(thread)->id);
    ss_queue_later(thread);
}

void ss_run_cancel(struct run *run, const char *why, bool taken_back)
{
    const struct run_facts *its = ss_run_facts(run);
    if (its->state == RUN_QUEUED) {
        ss_queue_leave(run, why, taken_back);
        return;
    }
    if (ss_run_has_ended(run))
        return;
    if (!taken_back)
        cancel_tasks(its->root, why);
    stop(run, why);
    if (taken_back)
        begin_taking_back(run);
    else
        ss_run_finish(
            run, SS_RUN_CANCELLED, ss_run_result(run, SS_RUN_CANCELLED));
    if (!taken_back)
        cancel_inside(its->root, why);
    ss_loop_drop_tasks(its->root);
    ss_loop_drop_folds(its->root);
}

// ------------------------------------------------ taking back

static bool goes(const struct thread *thread, uint64_t seq, const char *run,
    bool but_entries)
{
    const struct ss_row *row =
        ss_journal_row(ss_thread_facts(thread)->journal, seq);
    return row && strcmp(row->run, run) == 0 && !(row->entry && but_entries);
}

// The last ones first: no checkpoint stands then whose parent is gone.
void ss_run_void_rows(
    struct thread *thread, const char *id, uint64_t from, bool but_entries)
{
    char *run = ss_strdup(id); // what the journal lends goes with the rows
    for (uint64_t to = ss_journal_head(ss_thread_facts(thread)->journal);
         to >= from; to--) {
        uint64_t first = to;
        if (!goes(thread, to, run, but_entries))
            continue;
        while (first > from && goes(thread, first - 1, run, but_entries))
            first--;
        ss_thread_void(thread, "", first, to);
        to = first;
    }
    ss_free(run);
}

static void take_back(struct thread *thread, const char *id)
{
    const struct ss_run_rows *facts =
        ss_journal_run(ss_thread_facts(thread)->journal, id);
    if (facts)
        ss_run_void_rows(thread, id, facts->first_seq, false);
    ss_record_drop(thread, id);
}

bool ss_run_take_back(struct thread *thread)
{
    struct run *run = ss_seat(thread)->taken_back;
    if (!run || ss_thread_facts(thread)->state != THREAD_HOT ||
        ss_thread_owes_rows(thread))
        return false;
    json_t *result = ss_run_result(run, SS_RUN_CANCELLED);
    json_object_set_new(result, "output", json_null());
    take_back(thread, ss_run_facts(run)->id);
    ss_run_facts(run)->engine->watch->ended(run, result);
    json_decref(result);
    ss_seat(thread)->taken_back = NULL;
    ss_run_move(run, RUN_ENDED);
    ss_run_forget(run);
    return true;
}

void ss_run_take_back_found(struct thread *thread, const char *id)
{
    take_back(thread, id);
    ss_queue_later(thread);
}

// ------------------------------------------------ one that nobody runs

bool ss_run_cancel_awaited(
    struct thread *thread, const char *id, const char *why, bool taken_back)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const struct ss_run_rows *facts =
        its->state == THREAD_HOT ? ss_journal_run(its->journal, id) : NULL;
    struct waiting waiting;
    if (!facts || !facts->entry ||
        !ss_waiting_take_run(thread, id, TURN_RECOVER, &waiting))
        return false;
    const char *run = waiting.run;
    json_t *entry = facts->entry;
    json_t *record = json_pack("{s:s, s:s, s:O*, s:O*, s:s, s:O*, s:I, s:o}",
        "run", run, "thread", its->id, "graph", json_object_get(entry, "graph"),
        "version", json_object_get(entry, "version"), "status",
        ss_run_status_name(SS_RUN_CANCELLED), "created_us",
        json_object_get(entry, "created_us"), "changed_us",
        (json_int_t)its->engine->wall_us, "error",
        ss_error_json(SS_ECANCELLED, why));
    if (taken_back) {
        json_decref(record);
        take_back(thread, run);
    } else {
        struct ss_row *row = ss_thread_row_for_end(thread, run);
        row->end = json_pack("{s:s, s:s, s:s, s:[], s:o}", "run", run, "thread",
            its->id, "status", ss_run_status_name(SS_RUN_CANCELLED),
            "interrupts", "error", ss_error_json(SS_ECANCELLED, why));
        ss_record_put(thread, run, record);
        ss_thread_seal(thread);
    }
    ss_engine_narrate(its->engine,
        "the run that waited to go on on thread "
        "%s ends: %s",
        its->id, taken_back ? "taken back" : "cancelled");
    ss_waiting_fini(&waiting);
    ss_queue_later(thread);
    return true;
}

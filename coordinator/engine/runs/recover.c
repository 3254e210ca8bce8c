// recover.c - runs that were found unfinished: each goes on from its rows, as
// itself, when its thread has been read.

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/run_key.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/runs/quarantine_impl.h"
#include "coordinator/engine/runs/queue_impl.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/waiting.h"

struct thread *ss_run_found(
    struct engine *engine, json_t *record_json, bool crashed)
{
    const char *id = ss_json_str(record_json, "run", NULL);
    const char *thread_id = ss_json_str(record_json, "thread", NULL);
    enum ss_run_status status = ss_run_status_of(record_json);
    if (!id || !ss_run_name_fits(id) || !thread_id || !thread_id[0] ||
        !ss_shard_owned(engine, thread_id))
        return NULL; // damaged, or another one's
    struct thread *thread = ss_thread_find(engine, thread_id);
    if (ss_run_live(thread, id) || ss_suspect_known(thread, id))
        return NULL;
    ss_record_found(thread, record_json);
    if (status == SS_RUN_QUARANTINED)
        ss_run_quarantined(thread, record_json);
    else if (status == SS_RUN_QUEUED)
        ss_queue_found(thread, record_json);
    else if (crashed)
        ss_suspect_add(thread, record_json);
    else if (status == SS_RUN_RUNNING)
        ss_waiting_add_run(thread, id, TURN_RECOVER);
    else if (status == SS_RUN_TAKEN_BACK)
        ss_waiting_add_run(thread, id, TURN_TAKE_BACK);
    return ss_thread_get(engine, thread_id);
}

// False: its graph is not known yet; wait for a worker that announces it.
bool ss_run_recover(struct thread *thread, const char *id)
{
    return ss_run_recover_as(thread, id, NULL);
}

static void take_over(struct run *run, struct run *before)
{
    ss_run_facts(run)->engine->watch->moved(run, before);
    ss_run_follows(run, before);
}

// Under `exit`: what the run left beside its entry (a graph inside that keeps
// its state) is part of an end that did not come. It is void, and the run
// starts again.
static int recover_root(struct run *run, struct ss_error *error)
{
    const struct run_facts *its = ss_run_facts(run);
    struct thread *thread = its->thread;
    ss_check(ss_seat(thread)->run == run && its->entry_seq > 0);
    if (its->options.durability == DURABLE_EXIT &&
        ss_journal_head(ss_thread_facts(thread)->journal) > its->entry_seq) {
        ss_run_void_rows(thread, its->id, its->entry_seq + 1, true);
        ss_run_borrows(run, its->entry_seq,
            ss_journal_run(ss_thread_facts(thread)->journal, its->id)->entry);
    }
    return ss_root_recover(its->root, error);
}

bool ss_run_recover_as(
    struct thread *thread, const char *id, struct run *before)
{
    struct engine *engine = ss_thread_facts(thread)->engine;
    struct ss_error error = {0};
    const struct ss_run_rows *rows =
        ss_journal_run(ss_thread_facts(thread)->journal, id);
    if (!rows || rows->end || !rows->entry || ss_seat(thread)->run)
        return true;
    if (ss_cancelled_found(thread, id))
        return true;
    struct known_graph *known =
        ss_known_graph(engine, ss_json_str(rows->entry, "graph", ""),
            ss_json_str(rows->entry, "version", NULL));
    if (!known)
        return false;
    struct run *run = ss_run_new(thread, id, known->graph);
    const struct run_facts *its = ss_run_facts(run);
    struct run_part *part = part_of(run);
    ss_run_borrows(run, rows->first_seq, rows->entry);
    part->created_us = ss_json_int(rows->entry, "created_us", 0);
    const struct ss_row *row =
        ss_journal_row(ss_thread_facts(thread)->journal, rows->first_seq);
    part->began_us = row ? row->wall_us : 0;
    part->recoveries = ss_seat(thread)->recoveries;
    ss_seat(thread)->recoveries = 0;
    if (before)
        take_over(run, before);
    int status = ss_run_parse_stored(
        run, json_object_get(rows->entry, "request"), &error);
    ss_root_make(run);
    ss_seat(thread)->run = run;
    ss_run_move(run, RUN_ACTIVE);
    ss_check(its->entry_seq > 0);
    ss_run_enlist(run);
    engine->runs->started++;
    ss_engine_narrate(engine,
        "run of graph %s on thread %s is found "
        "unfinished and goes on",
        its->graph->name, ss_thread_facts(thread)->id);
    if (status == SS_OK)
        status = recover_root(run, &error);
    if (status != SS_OK) {
        ss_root_failed(its->root, &error);
        ss_run_root_ended(run);
    }
    return true;
}

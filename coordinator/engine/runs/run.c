// run.c - a run's life: asked for, entered, ended; recover.c finds it again
// after a crash.
//
//   request --> entry row --> loop ... --> end row --> reply
//                  |                          ^
//                  +-- crash, found, recover --+   (the same run goes on)
//
// The entry row says how the run was entered and what recovery could not see
// any more; the record in `runs` changes in the same units as those two rows.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/runs_impl.h"
#include "coordinator/engine/runs/seat.h"
#include "coordinator/engine/runs/stands.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ making and freeing

void ss_run_free(struct run *run)
{
    json_decref(part_of(run)->facts);
    json_decref(part_of(run)->record);
    ss_run_destroy(&run, sizeof(struct run_part));
}

struct run *ss_run_new(
    struct thread *thread, const char *id, struct ss_graph *graph)
{
    struct run *run = ss_run_make(thread, id, graph, sizeof(struct run_part));
    part_of(run)->created_us = ss_thread_facts(thread)->engine->wall_us;
    return run;
}

// ------------------------------------------------ the beginning

static void add(json_t *object, const char *key, json_t *member)
{
    int status = json_object_set_new_nocheck(object, key, member);
    ss_check(status == 0);
}

// A text that is UTF-8 for sure: it was read from JSON, or is ours.
static json_t *known_text(const char *text)
{
    return json_string_nocheck(text);
}

// Most runs are of the version that the run before was of.
static void name_version(const struct thread *thread, struct ss_row *row)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const struct ss_run_rows *before =
        its->engine->row_format >= SS_ROW_FORMAT_10
            ? ss_journal_newest_run(its->journal)
            : NULL;
    const struct ss_row *from =
        before ? ss_journal_row(its->journal, before->first_seq) : NULL;
    if (from)
        ss_row_add_source(row, from,
            from->writes_count + from->checkpoint.channels_count, false);
}

void ss_run_brings(struct run *run, json_t *facts)
{
    ss_check(ss_run_facts(run)->state == RUN_NEW && !part_of(run)->facts);
    part_of(run)->facts = facts;
}

void ss_run_say_facts(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    struct run_part *part = part_of(run);
    ss_check(its->state == RUN_ACTIVE || its->state == RUN_QUEUED);
    if (part->facts)
        ss_facts_bring(its->thread, part->facts);
    json_decref(part->facts);
    part->facts = NULL;
}

// It says how the run was entered.
static void begin_row(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    ss_run_say_facts(run);
    struct ss_row *row = ss_thread_row_anew(its->thread, its->id, "");
    name_version(its->thread, row);
    row->entry = json_object();
    add(row->entry, "graph", known_text(its->graph->name));
    add(row->entry, "version", known_text(its->graph->version));
    add(row->entry, "request", json_incref(its->request->body));
    add(row->entry, "created_us",
        json_integer((json_int_t)part_of(run)->created_us));
    ss_run_borrows(run, row->seq, row->entry);
    part_of(run)->began_us = its->engine->wall_us;
    bool is_long;
    (void)ss_run_metadata(run, &is_long);
    if (is_long)
        ss_loop_warn(its->root,
            "the metadata of the run is more than %d bytes of JSON: it is kept "
            "with the run, and no list shows or finds it by that",
            SS_METADATA_SIZE_MAX);
    ss_run_record_put(run, SS_RUN_RUNNING);
    ss_thread_remember(its->thread, its->graph);
    its->engine->runs->started++;
    ss_engine_narrate(its->engine, "run of graph %s begins on thread %s",
        its->graph->name, ss_thread_facts(its->thread)->id);
    its->engine->watch->accepted(run);
}

// ------------------------------------------------ the end

static json_t *stats_of(const struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    json_t *stats = json_object();
    add(stats, "supersteps", json_integer((json_int_t)its->stats.supersteps));
    add(stats, "tasks", json_integer((json_int_t)its->stats.tasks));
    add(stats, "restored", json_integer((json_int_t)its->stats.restored));
    return stats;
}

json_t *ss_run_result(const struct run *run, enum ss_run_status status)
{
    const struct run_facts *its = ss_run_facts(run);
    const struct loop_result *root = ss_root_result(its->root);
    json_t *result = json_object();
    add(result, "run", known_text(its->id));
    add(result, "thread", known_text(ss_thread_facts(its->thread)->id));
    add(result, "status", known_text(ss_run_status_name(status)));
    add(result, "output",
        root->output ? json_incref(ss_value_json(root->output)) : json_null());
    add(result, "interrupts",
        root->interrupts ? json_incref(root->interrupts) : json_array());
    add(result, "stats", stats_of(run));
    json_t *error = ss_run_error(run);
    if (error)
        add(result, "error", error);
    if (json_array_size(its->warnings) > 0)
        json_object_set(result, "warnings", its->warnings);
    return result;
}

// What its row says: an output that the journal has already is not in it.
static json_t *end_of(json_t *result, bool keeps_output)
{
    static const char output[] = "output";
    json_t *end = json_object();
    for (void *at = json_object_iter(result); at;
         at = json_object_iter_next(result, at)) {
        const char *key = json_object_iter_key(at);
        json_t *value = json_object_iter_value(at);
        if (keeps_output || json_is_null(value) || strcmp(key, output) != 0)
            add(end, key, json_incref(value));
    }
    return end;
}

void ss_run_finish(struct run *run, enum ss_run_status status, json_t *result)
{
    const struct run_facts *its = ss_run_facts(run);
    struct thread *thread = its->thread;
    struct engine *engine = its->engine;
    ss_check(ss_run_status_has_ended(status) && ss_seat(thread)->run == run);
    ss_run_move(run, RUN_ENDED);
    struct ss_row *row = ss_thread_row_for_end(thread, its->id);
    row->end = end_of(result, its->keeps_output);
    ss_run_record_put(run, status);
    ss_thread_ran(run, status, result);
    if (status == SS_RUN_FAILED)
        engine->runs->failed++;
    else
        engine->runs->done++;
    ss_engine_narrate(engine, "the run ends: %s", ss_run_status_name(status));
    its->engine->watch->ended(run, result);
    json_decref(result);
    ss_seat(thread)->run = NULL;
    ss_run_forget(run);
}

// The thread is free for the next one.
void ss_run_forget(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    ss_check(its->state == RUN_ENDED);
    ss_run_unlist(run);
    SS_VEC_PUSH(&its->engine->runs->ended, run);
    ss_queue_later(its->thread);
}

void ss_runs_free_ended(struct engine *engine)
{
    struct runs *runs = engine->runs;
    for (size_t i = 0; i < runs->ended.count; i++)
        ss_run_free(runs->ended.items[i]);
    runs->ended.count = 0;
}

void ss_run_root_ended(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    enum ss_run_status status = SS_RUN_DONE;
    if (ss_loop_facts(its->root)->status == LOOP_INTERRUPTED)
        status = SS_RUN_INTERRUPTED;
    else if (ss_loop_facts(its->root)->status == LOOP_FAILED)
        status = SS_RUN_FAILED;
    else if (ss_loop_facts(its->root)->status == LOOP_DRAINED)
        status = SS_RUN_DRAINED;
    ss_run_finish(run, status, ss_run_result(run, status));
}

void ss_runs_end(struct engine *engine)
{
    struct run *run;
    while ((run = ss_loop_next_ended(engine)) != NULL)
        ss_run_root_ended(run);
}

void ss_run_abandon(struct run *run, int status, const char *message)
{
    const struct run_facts *its = ss_run_facts(run);
    its->engine->watch->dropped(run, status, message);
    ss_run_move(run, RUN_ENDED);
    if (ss_seat(its->thread)->run == run)
        ss_seat(its->thread)->run = NULL;
    if (its->root) {
        ss_loop_drop_tasks(its->root);
        ss_loop_drop_folds(its->root);
        ss_root_failed(its->root, NULL);
    }
    ss_run_forget(run);
}

// ------------------------------------------------ beginning

struct run *ss_run_shadow(struct thread *thread, const struct ss_run_rows *rows)
{
    struct ss_error error = {0};
    struct known_graph *known = ss_known_graph(ss_thread_facts(thread)->engine,
        ss_json_str(rows->entry, "graph", ""),
        ss_json_str(rows->entry, "version", NULL));
    if (!known)
        return NULL;
    struct run *run = ss_run_new(thread, rows->id, known->graph);
    if (ss_run_parse_stored(
            run, json_object_get(rows->entry, "request"), &error) == SS_OK)
        return run;
    ss_run_free(run);
    return NULL;
}

static int enter_root(struct run *run, struct ss_error *error)
{
    int status = ss_root_prepare(ss_run_facts(run)->root, error);
    if (status != SS_OK)
        return status;
    begin_row(run);
    status = ss_root_enter(ss_run_facts(run)->root, error);
    ss_run_facts(run)->engine->watch->entered(run);
    return status;
}

void ss_run_enter_queued(struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    struct ss_error error = {0};
    int status =
        its->request
            ? SS_OK
            : ss_run_parse_stored(run,
                  json_object_get(part_of(run)->record, "request"), &error);
    ss_check(!ss_seat(its->thread)->run && !ss_seat(its->thread)->change);
    ss_run_move(run, RUN_ACTIVE);
    ss_seat(its->thread)->run = run;
    ss_root_make(run);
    if (status == SS_OK)
        status = enter_root(run, &error);
    if (status == SS_OK)
        return;
    ss_root_failed(its->root, &error);
    ss_run_root_ended(run);
}

int ss_run_enter(struct run *run, struct ss_error *error)
{
    const struct run_facts *its = ss_run_facts(run);
    struct thread *thread = its->thread;
    ss_check(!ss_seat(thread)->run && !ss_seat(thread)->change);
    ss_root_make(run);
    ss_seat(thread)->run = run;
    ss_run_move(run, RUN_ACTIVE);
    ss_run_enlist(run);
    int status = enter_root(run, error);
    if (status == SS_OK)
        return SS_OK;
    if (its->entry_seq > 0) { // it has begun: it fails in the journal too
        ss_root_failed(its->root, error);
        ss_run_root_ended(run);
        return SS_OK;
    }
    ss_seat(thread)->run = NULL;
    ss_run_move(run, RUN_ENDED); // before it began
    ss_run_unlist(run);
    return status;
}

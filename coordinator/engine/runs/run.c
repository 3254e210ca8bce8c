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
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/request.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
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
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/said.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ making and freeing

static void free_names(struct ss_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        ss_free(names->items[i]);
    ss_free(names->items);
    memset(names, 0, sizeof(*names));
}

void ss_run_free(struct run *run)
{
    ss_loop_destroy(&run->root);
    run->engine->watch->freed(run);
    free_names(&run->options.before);
    free_names(&run->options.after);
    for (size_t i = 0; i < run->terms.output_keys.count; i++)
        ss_free(run->terms.output_keys.items[i]);
    ss_free(run->terms.output_keys.items);
    ss_map_fini(&run->replay_visited, NULL);
    json_decref(run->record);
    ss_request_unref(run->request);
    json_decref(run->facts);
    json_decref(run->options.command);
    json_decref(run->options.checkpoint_map);
    json_decref(run->options.metadata);
    json_decref(run->options.meta);
    ss_value_unref(run->options.config);
    ss_value_unref(run->options.context);
    json_decref(run->terms.resume_map);
    json_decref(run->questions);
    json_decref(run->warnings);
    ss_resume_value_put(run, NULL);
    ss_free(run->drain);
    ss_graph_unref(run->graph);
    ss_free(run);
}

struct run *ss_run_new(struct thread *thread, struct ss_graph *graph)
{
    struct run *run = ss_zalloc(1, sizeof(*run));
    run->engine = thread->engine;
    run->thread = thread;
    run->graph = graph ? ss_graph_ref(graph) : NULL;
    run->created_us = thread->engine->wall_us;
    run->engine->watch->made(run);
    return run;
}

// ------------------------------------------------ the beginning

static void add(json_t *object, const char *key, json_t *member)
{
    int status = json_object_set_new_nocheck(object, key, member);
    ss_check(status == 0);
}

// Most runs are of the version that the run before was of.
static void name_version(const struct thread *thread, struct ss_row *row)
{
    const struct ss_run_rows *before =
        thread->engine->row_format >= SS_ROW_FORMAT_10
            ? ss_journal_newest_run(thread->journal)
            : NULL;
    const struct ss_row *from =
        before ? ss_journal_row(thread->journal, before->first_seq) : NULL;
    if (from)
        ss_row_add_source(row, from,
            from->writes_count + from->checkpoint.channels_count, false);
}

void ss_run_brings(struct run *run, json_t *facts)
{
    ss_check(run->state == RUN_NEW && !run->facts);
    run->facts = facts;
}

void ss_run_say_facts(struct run *run)
{
    ss_check(run->state == RUN_ACTIVE || run->state == RUN_QUEUED);
    if (run->facts)
        ss_facts_bring(run->thread, run->facts);
    json_decref(run->facts);
    run->facts = NULL;
}

// It says how the run was entered; run->entry is its entry part.
static void begin_row(struct run *run)
{
    ss_run_say_facts(run);
    struct ss_row *row = ss_thread_row_anew(run->thread, run->id, "");
    name_version(run->thread, row);
    run->entry = row->entry = json_object();
    add(row->entry, "graph", json_string(run->graph->name));
    add(row->entry, "version", json_string(run->graph->version));
    add(row->entry, "request", json_incref(run->request->body));
    add(row->entry, "created_us", json_integer((json_int_t)run->created_us));
    run->entry_seq = row->seq;
    run->began_us = run->engine->wall_us;
    bool is_long;
    (void)ss_run_metadata(run, &is_long);
    if (is_long)
        ss_loop_warn(run->root,
            "the metadata of the run is more than %d bytes of JSON: it is kept "
            "with the run, and no list shows or finds it by that",
            SS_METADATA_SIZE_MAX);
    ss_run_record_put(run, SS_RUN_RUNNING);
    ss_thread_remember(run->thread, run->graph);
    run->engine->counts.runs_started++;
    ss_engine_narrate(run->engine, "run of graph %s begins on thread %s",
        run->graph->name, run->thread->id);
    run->engine->watch->accepted(run);
}

// ------------------------------------------------ the end

static json_t *stats_of(const struct run *run)
{
    json_t *stats = json_object();
    add(stats, "supersteps", json_integer((json_int_t)run->stats.supersteps));
    add(stats, "tasks", json_integer((json_int_t)run->stats.tasks));
    add(stats, "restored", json_integer((json_int_t)run->terms.tasks_restored));
    return stats;
}

json_t *ss_run_result(const struct run *run, enum ss_run_status status)
{
    const struct loop_result *root = ss_root_result(run->root);
    json_t *result = json_object();
    add(result, "run", json_string(run->id));
    add(result, "thread", json_string(run->thread->id));
    add(result, "status", json_string(ss_run_status_name(status)));
    add(result, "output",
        root->output ? json_incref(ss_value_json(root->output)) : json_null());
    add(result, "interrupts",
        root->interrupts ? json_incref(root->interrupts) : json_array());
    add(result, "stats", stats_of(run));
    json_t *error = ss_run_error(run);
    if (error)
        add(result, "error", error);
    if (json_array_size(run->warnings) > 0)
        json_object_set(result, "warnings", run->warnings);
    return result;
}

void ss_run_finish(struct run *run, enum ss_run_status status, json_t *result)
{
    struct thread *thread = run->thread;
    struct engine *engine = run->engine;
    ss_check(ss_run_status_has_ended(status) && thread->seat->run == run);
    ss_run_move(run, RUN_ENDED);
    struct ss_row *row = ss_thread_row_for_end(thread, run->id);
    row->end = json_copy(result);
    if (!json_is_null(json_object_get(row->end, "output")) &&
        !run->keeps_output)
        json_object_del(row->end, "output"); // the journal has it already
    ss_run_record_put(run, status);
    ss_thread_ran(run, status, result);
    if (status == SS_RUN_FAILED)
        engine->counts.runs_failed++;
    else
        engine->counts.runs_done++;
    ss_engine_narrate(engine, "the run ends: %s", ss_run_status_name(status));
    run->engine->watch->ended(run, result);
    json_decref(result);
    thread->seat->run = NULL;
    ss_run_forget(run);
}

// The thread is free for the next one.
void ss_run_forget(struct run *run)
{
    ss_check(run->state == RUN_ENDED);
    ss_run_unlist(run);
    SS_VEC_PUSH(&run->engine->runs->ended, run);
    ss_queue_later(run->thread);
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
    enum ss_run_status status = SS_RUN_DONE;
    if (ss_loop_facts(run->root)->status == LOOP_INTERRUPTED)
        status = SS_RUN_INTERRUPTED;
    else if (ss_loop_facts(run->root)->status == LOOP_FAILED)
        status = SS_RUN_FAILED;
    else if (ss_loop_facts(run->root)->status == LOOP_DRAINED)
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
    run->engine->watch->dropped(run, status, message);
    ss_run_move(run, RUN_ENDED);
    if (run->thread->seat->run == run)
        run->thread->seat->run = NULL;
    if (run->root) {
        ss_loop_drop_tasks(run->root);
        ss_loop_drop_folds(run->root);
        ss_root_failed(run->root, NULL);
    }
    ss_run_forget(run);
}

// ------------------------------------------------ beginning

struct run *ss_run_shadow(
    struct thread *thread, const struct ss_run_rows *facts)
{
    struct ss_error error = {0};
    struct known_graph *known =
        ss_known_graph(thread->engine, ss_json_str(facts->entry, "graph", ""),
            ss_json_str(facts->entry, "version", NULL));
    if (!known)
        return NULL;
    struct run *run = ss_run_new(thread, known->graph);
    ss_id_copy(run->id, facts->id);
    if (ss_run_parse_stored(
            run, json_object_get(facts->entry, "request"), &error) == SS_OK)
        return run;
    ss_run_free(run);
    return NULL;
}

static int enter_root(struct run *run, struct ss_error *error)
{
    int status = ss_root_prepare(run->root, error);
    if (status != SS_OK)
        return status;
    begin_row(run);
    return ss_root_enter(run->root, error);
}

void ss_run_enter_queued(struct run *run)
{
    struct ss_error error = {0};
    int status = run->request
                     ? SS_OK
                     : ss_run_parse_stored(run,
                           json_object_get(run->record, "request"), &error);
    ss_check(!run->thread->seat->run && !run->thread->seat->change);
    ss_run_move(run, RUN_ACTIVE);
    run->thread->seat->run = run;
    run->root = ss_loop_new(run->thread, run, run->graph, "");
    if (status == SS_OK)
        status = enter_root(run, &error);
    if (status == SS_OK)
        return;
    ss_root_failed(run->root, &error);
    ss_run_root_ended(run);
}

int ss_run_enter(struct run *run, struct ss_error *error)
{
    struct thread *thread = run->thread;
    ss_check(!thread->seat->run && !thread->seat->change);
    run->root = ss_loop_new(thread, run, run->graph, "");
    thread->seat->run = run;
    ss_run_move(run, RUN_ACTIVE);
    ss_run_enlist(run);
    int status = enter_root(run, error);
    if (status == SS_OK)
        return SS_OK;
    if (run->entry) { // it has begun: it fails in the journal too
        ss_root_failed(run->root, error);
        ss_run_root_ended(run);
        return SS_OK;
    }
    thread->seat->run = NULL;
    ss_run_move(run, RUN_ENDED); // before it began
    ss_run_unlist(run);
    return status;
}

// explain.c - what happened to a run, and why it waits.
//
// The journal tells the past: how the run was entered, its supersteps with
// their tasks (planned again from their checkpoints), how it ended. What is in
// memory tells the present: each task that has not ended, and what it waits
// for. People get it as prose from `superstep explain`; here it is facts. Only
// what is durable is told of the past.
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
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/requests/lookup.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/requests/thread_requests.h"
#include "coordinator/engine/requests/waits.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ the present

// Loops nest as deep as graphs do, and no deeper.
static void collect(struct waits *waits, const struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    for (size_t i = 0; i < level->tasks.count; i++) {
        const struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        ss_waits_add(waits, task);
        if (facts->state == TASK_CHILD && facts->child)
            collect(waits, facts->child);
    }
    const struct task *asked;
    for (size_t i = 0; (asked = ss_loop_fold_asked(loop, i)); i++)
        ss_waits_add(waits, asked);
}

static json_t *waits_json(const struct run *run)
{
    struct waits waits = {0};
    if (ss_run_facts(run)->root)
        collect(&waits, ss_run_facts(run)->root);
    return ss_waits_json(&waits, false);
}

// ------------------------------------------------ the past

// "created_at" for people, "created_us" for those who count.
static void set_time(json_t *json, const char *name, int64_t wall_us)
{
    char text[SS_TIME_SIZE], key[16];
    if (wall_us < 0)
        return;
    ss_time_text(wall_us, text);
    snprintf(key, sizeof(key), "%s_at", name);
    json_object_set_new(json, key, json_string(text));
    snprintf(key, sizeof(key), "%s_us", name);
    json_object_set_new(json, key, json_integer((json_int_t)wall_us));
}

// A failure of that node is its error handler's.
static bool has_handler(const struct ss_graph *graph, const char *node)
{
    size_t index = ss_graph_node(graph, node);
    ss_check(index == SS_NONE || index < graph->nodes_count);
    return index != SS_NONE && graph->nodes[index].handler != SIZE_MAX;
}

// What a checkpoint's tasks came to, by node: planned again from it.
static json_t *tasks_json(struct thread *thread, struct ss_graph *graph,
    struct ss_checkpoint_entry *mark)
{
    json_t *snapshot = ss_snapshot(thread, graph, "", mark, false, false);
    json_t *list = json_array();
    size_t i;
    json_t *task;
    json_array_foreach (json_object_get(snapshot, "tasks"), i, task) {
        json_t *one =
            json_pack("{s:O*}", "name", json_object_get(task, "name"));
        json_object_update_missing(one, json_object_get(task, "tries"));
        const char *error =
            ss_json_str(json_object_get(task, "error"), "message", NULL);
        if (error)
            json_object_set_new(one, "error", json_string(error));
        if (error && has_handler(graph, ss_json_str(one, "name", "")))
            json_object_set_new(one, "has_handler", json_true());
        json_t *asks = json_object_get(task, "interrupts");
        if (json_array_size(asks) > 0)
            json_object_set(one, "interrupts", asks);
        json_array_append_new(list, one);
    }
    json_decref(snapshot);
    return list;
}

// The checkpoint of another run that this one went on from; NULL: it began with
// an input of its own. `first`: its own first one, or NULL.
static struct ss_checkpoint_entry *begun_from(const struct thread *thread,
    const struct ss_run_rows *facts, const struct ss_checkpoint_entry *first)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const json_t *request = json_object_get(facts->entry, "request");
    const char *at = ss_json_str(request, "checkpoint_id", NULL);
    const json_t *input = json_object_get(request, "input");
    size_t count = 0;
    if (first)
        return first->row->source == SS_SOURCE_LOOP && first->row->parent_id[0]
                   ? ss_journal_find(its->journal, "", first->row->parent_id)
                   : NULL;
    if (input && !json_is_null(input))
        return NULL;
    if (at)
        return ss_journal_find(its->journal, "", at);
    struct ss_checkpoint_entry *const *marks =
        ss_journal_list(its->journal, "", &count);
    while (count > 0 && marks[count - 1]->row->seq >= facts->first_seq)
        count--;
    // an older version told the run before the checkpoint where it stood
    return count > 0 ? marks[count - 1]
                     : ss_journal_find(its->journal, "",
                           ss_json_str(facts->entry, "base", ""));
}

// A prune took some: all but what its last checkpoint led to, or that, too.
// Where an older version pruned, its first checkpoint of a superstep was not
// the first, but for the one that only takes the input in.
static bool lacks_steps(
    const struct ss_run_rows *facts, const struct ss_checkpoint_entry *first)
{
    const json_t *said = json_object_get(facts->entry, SS_STEPS_PRUNED);
    ss_check(!first || strcmp(first->row->run, facts->id) == 0);
    return said ? json_is_true(said)
                : first && first->row->kind == SS_ROW_SNAPSHOT &&
                      first->row->source == SS_SOURCE_LOOP &&
                      first->row->step > 0;
}

// `since_us`: nothing of it was this run's before.
static json_t *step_json(struct thread *thread, struct ss_graph *graph,
    struct ss_checkpoint_entry *mark, int64_t since_us)
{
    json_t *step =
        json_pack("{s:I, s:s, s:s, s:o}", "step", (json_int_t)mark->row->step,
            "source", ss_source_name(mark->row->source), "checkpoint_id",
            mark->row->checkpoint_id, "tasks",
            graph ? tasks_json(thread, graph, mark) : json_array());
    set_time(step, "made",
        mark->row->wall_us > since_us ? mark->row->wall_us : since_us);
    return step;
}

// The last supersteps of a run; *ret_before: how many are left out;
// *ret_pruned: whether some are there no more.
static json_t *steps_json(struct thread *thread, struct ss_graph *graph,
    const struct ss_run_rows *facts, json_int_t *ret_before, bool *ret_pruned)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    SS_VEC(struct ss_checkpoint_entry *) own = {0};
    size_t count = 0;
    int64_t since_us = ss_json_int(facts->entry, "created_us", 0);
    struct ss_checkpoint_entry *const *marks =
        ss_journal_list(its->journal, "", &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(marks[i]->row->run, facts->id) == 0 &&
            marks[i]->row->seq <= its->durable)
            SS_VEC_PUSH(&own, marks[i]);
    size_t from =
        own.count > SS_EXPLAIN_STEPS_MAX ? own.count - SS_EXPLAIN_STEPS_MAX : 0;
    json_t *list = json_array();
    struct ss_checkpoint_entry *first = own.count > 0 ? own.items[0] : NULL;
    struct ss_checkpoint_entry *before = begun_from(thread, facts, first);
    *ret_pruned = lacks_steps(facts, first);
    if (before && from == 0)
        json_array_append_new(list, step_json(thread, graph, before, since_us));
    for (size_t i = from; i < own.count; i++)
        json_array_append_new(
            list, step_json(thread, graph, own.items[i], since_us));
    SS_VEC_FINI(&own);
    *ret_before = (json_int_t)from;
    return list;
}

// The row that ended it, if that is durable.
static const struct ss_row *end_row(
    const struct thread *thread, const char *run)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    for (uint64_t seq = its->durable; seq > 0; seq--) {
        const struct ss_row *row = ss_journal_row(its->journal, seq);
        if (row && row->end && strcmp(row->run, run) == 0)
            return row;
    }
    return NULL;
}

// It was cancelled, or could not begin, while it waited for its turn: a row of
// its end is all there is, and its record alone has the graph.
static bool never_began(
    const struct ss_run_rows *facts, const struct ss_row *end)
{
    const json_t *stats = end ? json_object_get(end->end, "stats") : NULL;
    ss_check(!end || strcmp(end->run, facts->id) == 0);
    return !facts->entry && stats && facts->first_seq == end->seq &&
           ss_json_int(stats, "supersteps", 1) == 0 &&
           ss_json_int(stats, "tasks", 1) == 0;
}

static json_t *past(struct thread *thread, const struct ss_run_rows *facts,
    const struct ss_row *end)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const char *name = ss_json_str(facts->entry, "graph", "?");
    const char *version = ss_json_str(facts->entry, "version", "");
    struct known_graph *known = ss_known_graph(its->engine, name, version);
    json_int_t before = 0;
    bool pruned = false;
    json_t *steps = steps_json(
        thread, known ? known->graph : NULL, facts, &before, &pruned);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s, s:O*, s:o, s:I, s:O*, s:b}",
        "run", facts->id, "thread", its->id, "graph", name, "version", version,
        "request", json_object_get(facts->entry, "request"), "steps", steps,
        "steps_before", before, "end", end ? end->end : NULL, "graph_known",
        known != NULL);
    if (never_began(facts, end))
        json_object_set_new(json, "never_began", json_true());
    if (pruned)
        json_object_set_new(json, SS_STEPS_PRUNED, json_true());
    set_time(json, "created", ss_json_int(facts->entry, "created_us", -1));
    set_time(json, "ended", end ? end->wall_us : -1);
    return json;
}

// ------------------------------------------------ a run that has not begun

// Its place in the line of its thread; NULL: it is not there.
static json_t *queued(const struct thread *thread, const char *run)
{
    char busy[SS_BUSY_TEXT_SIZE];
    size_t before = 0;
    const json_t *record = run ? ss_queue_record(thread, run, &before) : NULL;
    if (!record)
        return NULL;
    ss_thread_busy_with(thread, busy);
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:O*, s:s, s:I, s:s, s:[], s:[]}",
            "run", run, "thread", ss_thread_facts(thread)->id, "graph",
            ss_json_str(record, "graph", "?"), "version",
            ss_json_str(record, "version", "?"), "request",
            json_object_get(record, "request"), "status",
            ss_run_status_name(SS_RUN_QUEUED), "before", (json_int_t)before,
            "busy_with", busy, "steps", "waits");
    set_time(json, "created", ss_json_int(record, "created_us", 0));
    return json;
}

// ------------------------------------------------ the answer

// Since when, and why, no task of it is sent; nothing, if it goes on.
static void set_pause(const struct engine *engine, json_t *json)
{
    const json_t *record = ss_pause_of_record(engine, json);
    if (record)
        json_object_set(json, "paused", (json_t *)record);
}

static const struct ss_run_rows *facts_of(
    const struct thread *thread, const char *run)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const struct run *active = ss_thread_run(thread);
    if (!run && active)
        run = ss_run_facts(active)->id;
    return run ? ss_journal_run(its->journal, run)
               : ss_journal_newest_run(its->journal);
}

json_t *ss_explain_outlived(const struct engine *engine, const json_t *record)
{
    json_t *json = json_pack(
        "{s:O, s:O, s:O, s:O*, s:O, s:[], s:I, s:b, s:[], s:I, s:b, s:b}",
        "run", json_object_get(record, "run"), "thread",
        json_object_get(record, "thread"), "graph",
        json_object_get(record, "graph"), "version",
        json_object_get(record, "version"), "status",
        json_object_get(record, "status"), "steps", "steps_before",
        (json_int_t)0, "graph_known", 1, "waits", "rows_on_their_way",
        (json_int_t)0, "pruned", 1, SS_STEPS_PRUNED, 1);
    set_time(json, "created", ss_json_int(record, "created_us", -1));
    set_time(json, "ended", ss_json_int(record, "changed_us", -1));
    set_time(json, "now", engine->wall_us);
    return json;
}

void ss_explain_thread(struct thread *thread, const struct ss_request *request)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct engine *engine = its->engine;
    const char *wanted = request->run;
    const struct ss_run_rows *facts = facts_of(thread, wanted);
    json_t *waiting = facts ? NULL : queued(thread, wanted);
    if (waiting) {
        set_time(waiting, "now", engine->wall_us);
        set_pause(engine, waiting);
        ss_reply(engine, request, json_pack("{s:o}", "explain", waiting));
        return;
    }
    if (!facts && ss_outlived_look(thread, request))
        return;
    if (!facts) {
        ss_reply_error(engine, request, SS_ENOTFOUND,
            "thread %s has no run%s%s", its->id, wanted ? " " : " yet",
            wanted ? wanted : "");
        return;
    }
    const struct run *live = ss_run_live(thread, facts->id);
    const struct ss_row *end = end_row(thread, facts->id);
    json_t *json = past(thread, facts, end);
    json_object_set_new(json, "status",
        json_string(end    ? ss_json_str(end->end, "status", "?")
                    : live ? ss_run_status_name(SS_RUN_RUNNING)
                           : ss_run_status_name(SS_RUN_WAITING)));
    set_pause(engine, json);
    json_object_set_new(json, "waits", live ? waits_json(live) : json_array());
    json_object_set_new(json, "rows_on_their_way",
        json_integer((json_int_t)(ss_thread_head(thread) - its->durable)));
    set_time(json, "now", engine->wall_us);
    // It shows what waits for the store: so it does not wait for it.
    ss_reply(engine, request, json_pack("{s:o}", "explain", json));
}

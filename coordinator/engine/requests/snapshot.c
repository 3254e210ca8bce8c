// snapshot.c - a checkpoint as people see it (spec/engine.md 9.1-9.2).
//
// A snapshot is a view: a loop made from the saved checkpoint, planned, shown
// and dropped. Read without an id (live) it has what finished tasks wrote; read
// by id it shows the checkpoint as it was.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/view.h"
#include "coordinator/engine/requests/snapshot.h"
#include "coordinator/engine/requests/stream.h"
#include "coordinator/engine/requests/waits.h"
#include "coordinator/engine/runs/queue.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ pieces

json_t *ss_metadata_json(
    enum ss_source source, int64_t step, const json_t *metadata)
{
    json_t *shown = json_pack("{s:s, s:I}", "source", ss_source_name(source),
        "step", (json_int_t)step);
    json_object_update(shown, (json_t *)metadata);
    json_object_del(shown, "__loop__");
    return shown;
}

static json_t *path_json(const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    if (facts->planned.kind == SS_TASK_PULL)
        return json_pack("[s, s]", SS_NAME_PULL, facts->planned.node->name);
    return json_pack(
        "[s, I, b]", SS_NAME_PUSH, (json_int_t)facts->planned.index, 0);
}

json_t *ss_snapshot_empty(
    const struct thread *thread, const char *ns, const char *checkpoint_id)
{
    return json_pack("{s:{}, s:[], s:o, s:n, s:n, s:n, s:[], s:[]}", "values",
        "next", "config", ss_config_json(thread, ns, checkpoint_id, NULL),
        "metadata", "created_at", "parent_config", "tasks", "interrupts");
}

// ------------------------------------------------ tasks

static json_t *inner_state(
    struct loop *loop, const struct task *task, bool subgraphs)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    struct ss_graph *inner = ss_task_facts(task)->planned.node->subgraph;
    if (!inner || inner->checkpointer == SS_CHECKPOINTER_NONE ||
        !level->persists)
        return json_null();
    char *ns = ss_task_child_ns(task);
    json_t *state = NULL;
    if (subgraphs) {
        struct ss_checkpoint_entry *mark =
            ss_journal_find(ss_thread_facts(level->thread)->journal, ns, NULL);
        state = mark ? ss_snapshot(level->thread, inner, ns, mark, true, true)
                     : ss_snapshot_empty(level->thread, ns, NULL);
    } else {
        state = ss_config_json(level->thread, ns, NULL, NULL);
    }
    ss_free(ns);
    return state;
}

static json_t *task_json(struct loop *loop, const struct task *task,
    const struct ss_keys *keys, bool live, bool subgraphs)
{
    struct ss_pending_facts facts = ss_pendings_facts(
        ss_loop_pending(loop), ss_task_facts(task)->planned.id);
    bool shows = live ? ss_pendings_asks(ss_loop_pending(loop),
                            ss_task_facts(task)->planned.id)
                      : facts.interrupts != NULL;
    json_t *result = json_null();
    if (facts.finished) {
        struct ss_writes writes = {0};
        ss_pendings_output(
            ss_loop_pending(loop), ss_task_facts(task)->planned.id, &writes);
        result = ss_writes_result(keys, &writes);
        ss_writes_fini(&writes);
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "id",
        ss_task_facts(task)->planned.id, "name",
        ss_task_facts(task)->planned.node->name, "path", path_json(task),
        "error", facts.error ? json_incref(facts.error) : json_null(),
        "interrupts", shows ? json_incref(facts.interrupts) : json_array(),
        "state", inner_state(loop, task, subgraphs), "result", result);
}

json_t *ss_snapshot_tasks(
    struct loop *loop, const struct ss_keys *keys, bool live, bool subgraphs)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    json_t *list = json_array();
    for (size_t i = 0; i < level->tasks.count; i++)
        json_array_append_new(list,
            task_json(loop, level->tasks.items[i], keys, live, subgraphs));
    return list;
}

// The loop of that namespace in a run that is under way; NULL: it has none.
// Loops nest as deep as graphs do, and no deeper.
static const struct loop *loop_at(const struct loop *loop, const char *ns)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    if (strcmp(level->ns, ns) == 0)
        return loop;
    for (size_t i = 0; i < level->tasks.count; i++) {
        const struct loop *child = ss_task_facts(level->tasks.items[i])->child;
        const struct loop *found = child ? loop_at(child, ns) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

// What each failed with before, and, where its run is under way, what it waits
// for: a run plans the tasks that a view of its checkpoint does.
static void set_tries(const struct loop *view, json_t *tasks, bool live)
{
    const struct loop_facts *level = ss_loop_facts(view);
    const struct run *run = live ? ss_thread_run(level->thread) : NULL;
    const struct loop *now = run && ss_run_facts(run)->root
                                 ? loop_at(ss_run_facts(run)->root, level->ns)
                                 : NULL;
    ss_check(json_array_size(tasks) == level->tasks.count);
    ss_check(!now || ss_loop_facts(now)->thread == level->thread);
    for (size_t i = 0; i < level->tasks.count; i++) {
        json_t *task = json_array_get(tasks, i);
        const char *id = ss_task_facts(level->tasks.items[i])->planned.id;
        const json_t *tried =
            ss_pendings_facts(ss_loop_pending(view), id).tried;
        struct waits waits = {0};
        if (tried)
            json_object_set_new(task, "tries",
                json_pack("{s:O*, s:O*}", "failed_before",
                    json_object_get(tried, "failed"), "last_error",
                    json_object_get(tried, "error")));
        if (now && i < ss_loop_facts(now)->tasks.count &&
            strcmp(
                ss_task_facts(ss_loop_facts(now)->tasks.items[i])->planned.id,
                id) == 0)
            ss_waits_add(&waits, ss_loop_facts(now)->tasks.items[i]);
        if (waits.count == 0)
            continue;
        json_t *list = ss_waits_json(&waits, false);
        json_object_set(task, "wait", json_array_get(list, 0));
        json_decref(list);
    }
}

// ------------------------------------------------ the view

static void apply_null(struct loop *view)
{
    struct ss_writes writes = {0};
    struct ss_error error = {0};
    size_t channel = SS_NONE;
    ss_pendings_null_writes(ss_loop_pending(view), &writes);
    struct ss_update_task input = ss_loop_input(view, &writes);
    // What cannot be applied is shown as saved: the run that made it failed so.
    int status = writes.count > 0
                     ? ss_loop_apply(view, &input, 1, &channel, &error)
                     : SS_OK;
    (void)status;
    ss_writes_fini(&writes);
}

// What finished tasks wrote, applied to the view (live).
static void apply_finished(struct loop *view)
{
    bool any = false;
    size_t channel = SS_NONE;
    struct ss_error error = {0};
    struct ss_update_task *list =
        ss_zalloc(ss_loop_facts(view)->tasks.count + 1, sizeof(*list));
    size_t count = ss_loop_finished(view, false, list);
    for (size_t i = 0; i < count; i++)
        any = any || list[i].writes->count > 0;
    int status =
        any ? ss_loop_apply(view, list, count, &channel, &error) : SS_OK;
    (void)status; // as above
    ss_free(list);
}

static json_t *next_json(const struct loop *view, bool live)
{
    const struct loop_facts *level = ss_loop_facts(view);
    json_t *next = json_array();
    for (size_t i = 0; i < level->tasks.count; i++) {
        const struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (!live ||
            !ss_pendings_facts(ss_loop_pending(view), facts->planned.id)
                 .finished)
            json_array_append_new(next, json_string(facts->planned.node->name));
    }
    return next;
}

static json_t *interrupts_of(const json_t *tasks)
{
    json_t *all = json_array(), *task;
    size_t i;
    json_array_foreach ((json_t *)tasks, i, task)
        json_array_extend(all, json_object_get(task, "interrupts"));
    return all;
}

struct loop *ss_snapshot_view(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark, struct ss_error *error)
{
    ss_check(ss_thread_facts(thread)->state == THREAD_HOT && mark);
    struct loop *view = ss_view_new(thread, graph, ns, mark, error);
    if (!view)
        return NULL;
    apply_null(view);
    ss_loop_plan(view, false);
    return view;
}

json_t *ss_snapshot(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark, bool live, bool subgraphs)
{
    char created[SS_TIME_SIZE];
    struct ss_error error = {0};
    struct loop *view = ss_snapshot_view(thread, graph, ns, mark, &error);
    if (!view)
        return json_pack(
            "{s:o}", "error", ss_error_json(error.status, error.message));
    json_t *tasks = ss_snapshot_tasks(view, &graph->stream, live, subgraphs);
    set_tries(view, tasks, live);
    json_t *next = next_json(view, live);
    if (live)
        apply_finished(view);
    const struct ss_row *row = mark->row;
    const json_t *parents = json_object_get(row->metadata, "parents");
    ss_time_text(row->wall_us, created);
    json_t *snapshot = json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o}",
        "values", ss_loop_output_json(view, &graph->stream), "next", next,
        "config", ss_config_json(thread, ns, row->checkpoint_id, parents),
        "metadata", ss_metadata_json(row->source, row->step, row->metadata),
        "created_at", created, "parent_config",
        row->parent_id[0] ? ss_config_json(thread, ns, row->parent_id, parents)
                          : json_null(),
        "tasks", tasks, "interrupts", interrupts_of(tasks));
    if (ss_view_is_not_folded(
            view)) // the application's reducer has not seen all yet
        json_object_set_new(snapshot, "not_folded", json_true());
    json_t *orphaned =
        live ? ss_pendings_orphaned(ss_loop_pending(view), graph) : NULL;
    if (orphaned) // asked in another version, and stays open for it
        json_object_set_new(snapshot, "asks_elsewhere", orphaned);
    ss_loop_destroy(&view);
    return snapshot;
}

json_t *ss_snapshot_output(struct thread *thread, struct ss_graph *graph,
    struct ss_checkpoint_entry *mark, bool live, const struct ss_keys *keys)
{
    struct ss_error error = {0};
    struct loop *view = ss_view_new(thread, graph, "", mark, &error);
    if (!view)
        return json_null();
    apply_null(view);
    ss_loop_plan(view, false);
    if (live)
        apply_finished(view);
    json_t *output = ss_loop_output_json(view, keys);
    ss_loop_destroy(&view);
    return output;
}

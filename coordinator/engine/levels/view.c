// view.c - loops that nobody runs: they are made from a checkpoint, shown, and
// dropped.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/levels/view.h"
#include "coordinator/engine/threads/thread.h"

struct loop *ss_view_new(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark, struct ss_error *error)
{
    struct loop *view = ss_loop_new(thread, NULL, graph, ns);
    view->is_view = true;
    if (ss_loop_load(view, mark, error) != SS_OK)
        ss_loop_destroy(&view);
    else
        view->stop = view->facts.step + 2;
    return view;
}

struct loop *ss_view_bare(struct run *shadow, const char *ns)
{
    struct loop *view = ss_zalloc(1, sizeof(*view));
    ss_check(shadow->facts.state == RUN_NEW);
    view->facts.engine = shadow->facts.engine;
    view->facts.thread = shadow->facts.thread;
    view->facts.run = shadow;
    view->facts.parent = ns[0] ? shadow->facts.root : NULL;
    view->facts.ns = ss_strdup(ns);
    return view;
}

static int64_t stop_of(
    const struct loop *view, const struct ss_checkpoint_entry *mark)
{
    const struct run *shadow = view->facts.run;
    const json_t *facts = json_object_get(mark->row->metadata, "__loop__");
    if (!view->facts.parent)
        facts = ss_journal_run(
            ss_thread_facts(view->facts.thread)->journal, shadow->facts.id)
                    ->entry;
    else if (!facts || strcmp(mark->row->run, shadow->facts.id) != 0)
        return view->facts.step + shadow->facts.options.recursion_limit + 1;
    return ss_json_int(facts, "stop", view->facts.step + 2);
}

struct loop *ss_view_replayed(struct run *shadow, struct ss_graph *graph,
    const char *ns, struct ss_checkpoint_entry *mark)
{
    struct ss_error error;
    struct loop *view = ss_loop_new(shadow->facts.thread, shadow, graph, ns);
    ss_check(shadow->facts.state == RUN_NEW);
    view->facts.parent = ns[0] ? shadow->facts.root : NULL;
    if (ss_loop_load(view, mark, &error) != SS_OK) {
        ss_loop_destroy(&view);
        return NULL;
    }
    view->stop = stop_of(view, mark);
    if (ns[0])
        view->facts.checkpoint_map =
            json_incref(json_object_get(mark->row->metadata, "parents"));
    ss_loop_plan(view, true);
    ss_pendings_fini(&view->pending); // rows tell which were there, and when
    return view;
}

bool ss_view_is_not_folded(const struct loop *view)
{
    ss_check(view->is_view);
    return view->not_folded;
}

void ss_view_pending(struct loop *view, const struct ss_row *row)
{
    if (strcmp(row->of, view->facts.checkpoint.id) != 0 ||
        strcmp(row->ns, view->facts.ns) != 0)
        return;
    for (size_t i = 0; i < row->writes_count; i++)
        if (row->writes[i].value)
            ss_pendings_add(&view->pending, &row->writes[i],
                strcmp(row->run, run_of(view)->id) == 0, row->seq);
}

// ------------------------------------------------ its tasks

static void take_write(struct task *task, const struct ss_row_write *write)
{
    json_t *json = ss_value_json(write->value);
    if (strcmp(write->channel, SS_NAME_INTERRUPT) == 0) {
        ss_task_show(task, TASK_INTERRUPTED);
        json_decref(task->facts.interrupts);
        task->facts.interrupts = json_incref(json);
    } else if (strcmp(write->channel, SS_NAME_ERROR) == 0) {
        ss_task_show(task, TASK_FAILED);
        int code = ss_status_by_name(ss_json_str(json, "code", "node_failed"));
        ss_error_set(ss_error_at(&task->facts.error), code, "%s",
            ss_json_str(json, "message", ""));
    } else if (ss_name_special(write->channel) == 0) {
        ss_writes_add(
            &task->facts.writes, write->channel, ss_value_ref(write->value));
    }
}

void ss_view_task_ended(struct task *task, const struct ss_row *row)
{
    ss_check(run_of(task->facts.loop)->state == RUN_NEW); // a shadow's
    ss_writes_fini(&task->facts.writes);
    ss_task_show(task, TASK_DONE);
    for (size_t i = 0; i < row->writes_count; i++)
        if (strcmp(row->writes[i].task_id, task->facts.planned.id) == 0)
            take_write(task, &row->writes[i]);
    if (task->facts.state == TASK_FAILED)
        ss_writes_fini(&task->facts.writes);
}

size_t ss_loop_finished(
    struct loop *loop, bool all, struct ss_update_task *list)
{
    size_t used = 0;
    ss_check(!loop->facts.run); // what a run's tasks wrote comes from workers
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        struct task *task = loop->facts.tasks.items[i];
        bool finished =
            ss_pendings_facts(&loop->pending, task->facts.planned.id).finished;
        if (finished)
            ss_pendings_output(
                &loop->pending, task->facts.planned.id, &task->facts.writes);
        if (finished || all)
            list[used++] =
                ss_update_task(&task->facts.planned, &task->facts.writes);
    }
    return used;
}

// migrate.c - a run moves to another version of its graph, when it is told.
//
//   it waits for its turn           its record says the new version
//   it waits for its graph          one row, and it is recovered with the new
//   one under way                       one row; tasks that are out are
//   cancelled; it
//                                   goes on from its rows, as after a crash
//
// That row repeats how the run was entered, with another version; it counts
// from then on (model/journal_index.c). What finished before it is not run
// again: a task is known by its checkpoint, node and triggers, not by the
// version.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/map.h"
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
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ which version

enum { PREFIX_MIN = 4 }; // versions are hashes: so much of one may name it

struct ss_graph *ss_graph_version(struct engine *engine, const char *name,
    const char *version, struct ss_error *error)
{
    struct known_graph *known = ss_known_graph(engine, name, version);
    size_t found = known ? 1 : 0, size = version ? strlen(version) : 0;
    for (const struct ss_map_entry *e = ss_graphs_all(engine)->first;
         e && !known && size >= PREFIX_MIN && found < 2; e = e->next) {
        struct known_graph *it = e->value;
        if (strcmp(it->graph->name, name) == 0 &&
            strncmp(it->graph->version, version, size) == 0 && found++ == 0)
            known = it;
    }
    if (found == 1)
        return known->graph;
    ss_error_set(error, SS_ENOTFOUND, "graph %s: %s version \"%s\" is known%s",
        name, found ? "more than one" : "no", version ? version : "(latest)",
        found ? "; give more of it" : "; start a worker that serves it");
    return NULL;
}

// ------------------------------------------------ moving

// How it was entered, once more, with the new version. Gives.
static json_t *moved_entry(const json_t *entry, const struct ss_graph *graph)
{
    json_t *moved = json_deep_copy(entry);
    json_object_set(moved, "moved_from", json_object_get(entry, "version"));
    json_object_set_new(moved, "version", json_string(graph->version));
    return moved;
}

static void put_moved(struct thread *thread, const char *run,
    const json_t *entry, const struct ss_graph *graph)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct ss_row *row = ss_thread_row_anew(thread, run, "");
    row->entry = moved_entry(entry, graph);
    ss_record_put(thread, run,
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:O*, s:I}", "run", run, "thread",
            its->id, "graph", graph->name, "version", graph->version, "status",
            ss_run_status_name(SS_RUN_RUNNING), "created_us",
            json_object_get(entry, "created_us"), "changed_us",
            (json_int_t)its->engine->wall_us));
    ss_thread_seal(thread);
    ss_engine_narrate(its->engine,
        "the run on thread %s moves to another "
        "version of graph %s",
        its->id, graph->name);
}

// What attempts that are taken back have shown is void.
static void tell_restarted(struct loop *loop)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    for (size_t i = 0; i < level->tasks.count; i++) {
        struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (facts->state == TASK_CHILD && facts->child)
            tell_restarted(facts->child);
        else if (facts->state == TASK_RUNNING)
            ss_task_level(task)->engine->watch->restarted(task);
    }
}

static void move_running(struct run *run, const struct ss_graph *graph)
{
    const struct run_facts *its = ss_run_facts(run);
    struct thread *thread = its->thread;
    char id[SS_UUID_SIZE];
    memcpy(id, its->id, sizeof(id));
    tell_restarted(its->root);
    put_moved(thread, id,
        ss_journal_run(ss_thread_facts(thread)->journal, id)->entry, graph);
    ss_loop_drop_tasks(its->root);
    ss_loop_drop_folds(its->root);
    ss_root_failed(its->root, NULL); // nobody advances it any more
    ss_run_move(run, RUN_ENDED);
    ss_seat(thread)->run = NULL;
    ss_run_forget(run);
    ss_check(ss_run_recover_as(thread, id, run));
}

static void move_queued(struct run *run, struct ss_graph *graph)
{
    const struct run_facts *its = ss_run_facts(run);
    struct run_part *part = part_of(run);
    ss_run_is_of(run, graph);
    json_object_set_new(part->record, "version", json_string(graph->version));
    ss_record_put(its->thread, its->id, json_deep_copy(part->record));
    part->unit = ss_thread_unit(its->thread);
    ss_queue_later(its->thread);
}

// ------------------------------------------------ which run

// What the run is of now: {"graph", "version"}. Borrowed; NULL: it is no run
// that has not ended.
static const json_t *stands_at(const struct thread *thread, const char *id)
{
    const struct run *run = ss_run_live(thread, id);
    const struct ss_run_rows *facts =
        ss_journal_run(ss_thread_facts(thread)->journal, id);
    if (run && ss_run_facts(run)->state == RUN_QUEUED)
        return part_of(run)->record;
    if (run && ss_run_has_ended(run))
        return NULL;
    return facts && !facts->end ? facts->entry : NULL;
}

static void move(struct thread *thread, const char *id, struct ss_graph *to)
{
    struct run *run = ss_run_live(thread, id);
    if (run && ss_run_facts(run)->state == RUN_QUEUED) {
        move_queued(run, to);
    } else if (run) {
        move_running(run, to);
    } else {
        put_moved(thread, id,
            ss_journal_run(ss_thread_facts(thread)->journal, id)->entry, to);
    }
}

json_t *ss_run_migrate(struct thread *thread, const char *run_id,
    const char *version, struct ss_error *error)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    const json_t *at = stands_at(thread, run_id);
    struct ss_graph *to = NULL;
    if (!at)
        ss_error_set(error, SS_ENOTFOUND,
            "thread %s has no run %s that has "
            "not ended",
            its->id, run_id);
    else
        to = ss_graph_version(
            its->engine, ss_json_str(at, "graph", "?"), version, error);
    // under `exit` it begins again, and rows on their way cannot be made void
    if (to && ss_thread_owes_rows(thread)) {
        ss_error_set(error, SS_EAGAIN,
            "thread %s: its last rows are on their way: ask again", its->id);
        to = NULL;
    }
    // of one that waits for its turn there is no row
    const struct run *run = ss_run_live(thread, run_id);
    if (to && !(run && ss_run_facts(run)->state == RUN_QUEUED) &&
        its->engine->row_format < SS_ROW_FORMAT_2) {
        ss_error_set(error, SS_EAGAIN,
            "run %s: a coordinator of an older version is at work, which does"
            " not know that runs move: upgrade it, and ask again",
            run_id);
        to = NULL;
    }
    if (!to)
        return NULL;
    json_t *moved = json_pack("{s:s, s:s, s:s, s:s, s:s}", "run", run_id,
        "thread", its->id, "graph", to->name, "from",
        ss_json_str(at, "version", "?"), "to", to->version);
    if (strcmp(ss_json_str(at, "version", ""), to->version) != 0)
        move(thread, run_id, to);
    return moved;
}

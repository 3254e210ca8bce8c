// level.c - levels: the loops of a run, one a graph and namespace. Made, freed,
// and loaded from what the thread has of them.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/enter.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"

// ------------------------------------------------ making and freeing

enum { TEXTS_SIZE = 128 }; // of a task: its namespace, and where it is listed

struct loop *ss_loop_new(struct thread *thread, struct run *run,
    struct ss_graph *graph, const char *ns)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct loop *loop = ss_zalloc(1, sizeof(*loop));
    loop->facts.engine = its->engine;
    loop->tasks_memory.first =
        (uint32_t)(TEXTS_SIZE + its->engine->levels->sink->in_front +
                   sizeof(struct task));
    loop->facts.thread = thread;
    loop->facts.run = run;
    loop->facts.graph = ss_graph_ref(graph);
    loop->facts.ns = ss_strdup(ns);
    loop->machine = ss_machine_new(graph);
    loop->facts.persists = true;
    return loop;
}

static void fini_result(struct loop_result *result)
{
    ss_value_unref(result->output);
    json_decref(result->interrupts);
    json_decref(result->parent_command);
    ss_free(result->error);
    ss_free(result->error_node);
    ss_free(result->drain);
}

void ss_loop_destroy(struct loop **place)
{
    struct loop *loop = *place;
    if (!loop)
        return;
    *place = NULL;
    ss_loop_leave(loop);
    ss_loop_drop_tasks(loop);
    ss_loop_drop_folds(loop);
    ss_entry_destroy(&loop->entry);
    ss_machine_destroy(&loop->machine);
    ss_pendings_fini(&loop->pending);
    SS_VEC_FINI(&loop->facts.tasks);
    ss_arena_fini(&loop->tasks_memory);
    json_decref(loop->facts.checkpoint.metadata);
    json_decref(loop->facts.checkpoint_map);
    fini_result(&loop->result);
    ss_free(loop->saved.told);
    ss_free(loop->facts.ns);
    ss_graph_unref(loop->facts.graph);
    ss_free(loop);
}

// ------------------------------------------------ loading

static bool is_lost(const struct ss_row_write *write)
{
    return strcmp(write->channel, SS_NAME_LOST) == 0;
}

// The writes of one row replace what stood for their tasks, as they did when
// they were made (R5.30-3); how often it was lost stands beside.
static void load_row_writes(struct loop *loop, const struct ss_row *row)
{
    for (size_t w = 0; w < row->writes_count; w++) {
        const struct ss_row_write *write = &row->writes[w];
        bool first = !is_lost(write);
        for (size_t i = 0; i < w && first; i++)
            first = is_lost(&row->writes[i]) ||
                    strcmp(row->writes[i].task_id, write->task_id) != 0;
        if (!write->value || strcmp(write->task_id, SS_NULL_TASK) == 0)
            continue;
        if (is_lost(write))
            ss_pendings_drop_write(
                &loop->pending, write->task_id, write->channel);
        if (first)
            ss_pendings_drop(&loop->pending, write->task_id);
        ss_pendings_add(&loop->pending, write, true, row->seq);
    }
}

// A run that goes on after a crash goes on with what it wrote itself, also on a
// checkpoint where another run's writes were first.
static void load_own_writes(
    struct loop *loop, const struct ss_checkpoint_entry *mark)
{
    const struct ss_journal *journal =
        ss_thread_facts(loop->facts.thread)->journal;
    uint64_t head = ss_journal_head(journal);
    for (uint64_t seq = run_of(loop)->entry_seq; seq <= head; seq++) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        if (row && strcmp(row->run, run_of(loop)->id) == 0 &&
            strcmp(row->of, mark->row->checkpoint_id) == 0 &&
            strcmp(row->ns, loop->facts.ns) == 0)
            load_row_writes(loop, row);
    }
}

int ss_loop_load(
    struct loop *loop, struct ss_checkpoint_entry *mark, struct ss_error *error)
{
    struct loop_checkpoint *at = &loop->facts.checkpoint;
    struct ss_checkpoint *checkpoint =
        mark ? ss_journal_fold(
                   ss_thread_facts(loop->facts.thread)->journal, mark)
             : NULL;
    int status = mark && !checkpoint
                     ? ss_thread_torn(loop->facts.thread, mark, error)
                     : SS_OK;
    if (status == SS_OK)
        status = ss_machine_load(loop->machine, checkpoint, error);
    if (status == SS_OK && mark) {
        ss_journal_pending(
            mark, loop->facts.run ? run_of(loop)->id : NULL, &loop->pending);
        if (loop->facts.run && run_of(loop)->recovering)
            load_own_writes(loop, mark);
        ss_lineage_load(&loop->lineage, mark);
        ss_id_copy(at->id, mark->row->checkpoint_id);
        ss_id_copy(at->parent_id, mark->row->parent_id);
        at->source = mark->row->source;
        at->step = mark->row->step;
        at->metadata = json_incref(mark->row->metadata);
    } else if (status == SS_OK) { // R1.5: the synthetic empty one
        ss_thread_new_id(loop->facts.thread, -2, at->id);
        at->step = -2;
    }
    loop->saved.unsaved_state = false;
    loop->facts.step = at->step + 1;
    ss_checkpoint_unref(checkpoint);
    return status;
}

// enter_child.c - how a graph inside begins: with its task's input, or where
// this very task had left it (spec/engine.md 12; better than R12.6 on purpose).
#include <string.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/reserved.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/enter.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/threads/thread.h"

// The bookkeeping of first visits: the namespace without its last task id.
static bool first_visit(struct run *run, const char *ns)
{
    char *key = ss_strdup(ns), *colon = strrchr(key, ':');
    if (colon)
        *colon = '\0';
    bool first = !ss_map_get(&run->replay_visited, key);
    ss_map_put(&run->replay_visited, key, run);
    ss_free(key);
    return first;
}

static void inherit(struct loop *loop)
{
    const struct loop *parent = loop->facts.parent;
    const struct task *task = loop->parent_task;
    // also inside a graph that never saves: the run's store is inherited
    loop->facts.persists =
        loop->facts.graph->checkpointer != SS_CHECKPOINTER_NONE;
    loop->facts.checkpoint_map =
        parent->facts.checkpoint_map
            ? json_deep_copy(parent->facts.checkpoint_map)
            : json_object();
    json_object_set_new(loop->facts.checkpoint_map, parent->facts.ns,
        json_string(parent->facts.checkpoint.id));
    loop->entered.inherited =
        task->facts.tries.failures > 0 ? INHERITED_RESUMING
        : parent->first_superstep      ? parent->entered.inherited
                                       : INHERITED_NOTHING;
    loop->first_superstep = true;
    loop->entered.tried_seq = task->tried_seq > parent->entered.tried_seq
                                  ? task->tried_seq
                                  : parent->entered.tried_seq;
}

// The checkpoint that the run names for this very namespace (R12.16), or NULL.
static const char *named_id(const struct loop *loop)
{
    return ss_json_str(
        run_of(loop)->options.checkpoint_map, loop->facts.ns, NULL);
}

// R5.3 for a nested loop.
static struct ss_checkpoint_entry *child_start(
    struct loop *loop, bool *ret_addressed)
{
    struct run *run = loop->facts.run;
    const struct ss_journal *journal =
        ss_thread_facts(loop->facts.thread)->journal;
    const char *id = named_id(loop);
    if (!loop->facts.persists)
        return NULL;
    if (id) {
        struct ss_checkpoint_entry *mark =
            ss_journal_find(journal, loop->facts.ns, id);
        const struct ss_checkpoint_entry *newest =
            ss_journal_find(journal, loop->facts.ns, NULL);
        *ret_addressed = true;
        loop->entered.superseded = mark && newest != mark;
        return mark;
    }
    if (run->replay_id[0] && loop->parent_task->facts.tries.failures == 0) {
        *ret_addressed = true;
        loop->entered.inherited = INHERITED_NOTHING;
        return first_visit(run, loop->facts.ns)
                   ? ss_journal_before(journal, loop->facts.ns, run->replay_id)
                   : ss_journal_find(journal, loop->facts.ns, NULL);
    }
    return ss_journal_find(journal, loop->facts.ns, NULL);
}

// Has its task's newest try left anything? Else that try begins now.
static bool began(const struct loop *loop)
{
    const struct ss_journal *journal =
        ss_thread_facts(loop->facts.thread)->journal;
    bool any = loop->entered.tried_seq == 0;
    for (uint64_t seq = ss_journal_head(journal);
         !any && seq > loop->entered.tried_seq; seq--) {
        const struct ss_row *row = ss_journal_row(journal, seq);
        any = row && strcmp(row->ns, loop->facts.ns) == 0 &&
              strcmp(row->run, run_of(loop)->id) == 0;
    }
    return any;
}

// After a crash: this very task's loop goes on at the tick (journal.md).
static bool recover_child(struct loop *loop, struct ss_error *error)
{
    struct ss_checkpoint_entry *mark =
        loop->facts.persists
            ? ss_journal_find(ss_thread_facts(loop->facts.thread)->journal,
                  loop->facts.ns, NULL)
            : NULL;
    if (!mark || !run_of(loop)->recovering || !began(loop) ||
        !ss_enter_begun_by(mark, loop->parent_task) ||
        strcmp(mark->row->run, run_of(loop)->id) != 0 ||
        ss_loop_load(loop, mark, error) != SS_OK)
        return false;
    const json_t *facts = json_object_get(mark->row->metadata, "__loop__");
    loop->stop = (int64_t)ss_json_int(facts, "stop", 0);
    loop->first_superstep = mark->row->source != SS_SOURCE_LOOP;
    loop->saved.unsaved_state = mark->row->source == SS_SOURCE_FORK;
    loop->entered.resuming = loop->entered.inherited == INHERITED_RESUMING;
    ss_enter_recover_output(loop);
    ss_loop_move(loop, LOOP_RUNNING);
    return true;
}

static void child_folded(struct loop *loop);

static const struct fold_then child_folds = {
    .folded = child_folded, .failed = ss_loop_update_failed};

static int child_input(struct loop *loop, struct ss_error *error)
{
    struct ss_writes writes = {0};
    json_t *input = ss_value_json(loop->parent_task->facts.planned.input);
    int status = json_is_null(input) ? SS_OK
                                     : ss_writers_input(loop->facts.graph,
                                           input, &writes, NULL, error);
    if (status == SS_OK && writes.count > 0) {
        status = ss_enter_input(loop, &writes, &child_folds, error);
        if (status == SS_OK)
            ss_loop_save(loop, SS_SOURCE_INPUT);
    } else if (status == SS_OK &&
               loop->entered.inherited == INHERITED_NOTHING) {
        status = ss_error_set(error, SS_EEMPTYINPUT,
            "graph %s: its task gave it no input", loop->facts.graph->name);
    }
    ss_writes_fini(&writes);
    return status;
}

// What may have to wait for folds: it is called again when they are there.
static int finish_child(struct loop *loop, struct ss_error *error)
{
    struct entry *start = loop->entry;
    int status = start->null_done
                     ? SS_OK
                     : ss_enter_null_writes(loop, &child_folds, error);
    start->null_done = start->null_done || status == SS_OK;
    if (status == SS_OK && loop->entered.resuming)
        ss_enter_resume(loop, start->forks, false);
    else if (status == SS_OK)
        status = child_input(loop, error);
    if (status == SS_EAGAIN)
        return SS_OK;
    ss_entry_destroy(&loop->entry);
    if (status == SS_OK) {
        ss_loop_move(loop, LOOP_RUNNING);
        ss_loop_later(loop);
    }
    return status;
}

static void child_folded(struct loop *loop)
{
    struct ss_error error = {0};
    if (finish_child(loop, &error) != SS_OK) {
        ss_loop_move(loop, LOOP_FAILED);
        ss_task_failed(loop->parent_task, error.status, NULL, SS_RETRY_DEFAULT,
            error.message);
    }
}

// What this graph saved last may stand in the open row still: its last call
// ended in this very step, and a graph around it that saves nothing closed no
// row since.
static void close_own_row(const struct loop *loop)
{
    const struct ss_row *row = ss_thread_facts(loop->facts.thread)->open;
    if (row && strcmp(row->ns, loop->facts.ns) == 0)
        ss_thread_seal(loop->facts.thread);
}

int ss_loop_enter_child(struct loop *loop, struct ss_error *error)
{
    inherit(loop);
    close_own_row(loop);
    if (run_of(loop)->recovering &&
        run_of(loop)->options.durability != DURABLE_EXIT)
        loop->facts.engine->watch->recovered(loop);
    if (recover_child(loop, error)) {
        ss_loop_later(loop);
        return SS_OK;
    }
    bool addressed = false;
    struct loop_entry *entered = &loop->entered;
    struct ss_checkpoint_entry *mark = child_start(loop, &addressed);
    int status = ss_loop_load(loop, mark, error);
    if (status != SS_OK)
        return status;
    loop->stop = loop->facts.step + run_of(loop)->options.recursion_limit + 1;
    bool named = named_id(loop) != NULL;
    // Only what this very task began is gone on with (better than R12.6).
    if (entered->inherited == INHERITED_RESUMING && mark && !named &&
        !ss_enter_begun_by(mark, loop->parent_task))
        entered->inherited = INHERITED_ANEW;
    bool is_told_to = entered->inherited == INHERITED_RESUMING;
    entered->resuming =
        ss_machine_has_versions(loop->machine) &&
        (is_told_to ||
            (entered->inherited == INHERITED_NOTHING &&
                ss_value_is_null(loop->parent_task->facts.planned.input)));
    bool time_traveling = addressed && (named || !is_told_to);
    if (time_traveling)
        ss_enter_drop_writes(loop, SS_NAME_RESUME);
    entered->replaying = time_traveling || entered->superseded;
    if (entered->resuming && !entered->replaying)
        status = ss_enter_check_askers(loop, error);
    if (status != SS_OK)
        return status;
    loop->entry = ss_zalloc(1, sizeof(*loop->entry));
    loop->entry->forks = entered->resuming && time_traveling &&
                         (!ss_enter_is_edited(mark) || entered->superseded);
    return finish_child(loop, error);
}

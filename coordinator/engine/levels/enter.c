// enter.c - how a loop begins: new input, going on, a command, time travel.
//
//   input, thread new or finished   apply it, save "input", run
//   null or command, thread known   resume: mark breakpoints as seen; addressed
//                                   at an old checkpoint: save a "fork"
//   nested                          its task's input; or go on with what this
//                                   very task began
//
// spec/engine.md 5.2-5.3 and 12.2. What may be refused is refused before the
// first thing is stored.
#include <string.h>

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
#include "coordinator/engine/levels/enter.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/loop_output.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/threads/thread.h"

void ss_entry_destroy(struct entry **place)
{
    if (*place) {
        ss_writes_fini(&(*place)->writes);
        ss_writes_fini(&(*place)->inherited);
    }
    ss_free(*place);
    *place = NULL;
}

bool ss_resume_is_id_map(const json_t *resume)
{
    const char *key;
    json_t *value;
    if (!json_is_object(resume))
        return false;
    json_object_foreach ((json_t *)resume, key, value) {
        if (strlen(key) != 32 || strspn(key, "0123456789abcdef") != 32)
            return false;
    }
    return true;
}

void ss_enter_drop_writes(struct loop *loop, const char *channel)
{
    for (size_t i = loop->pending.count; i-- > 0;) {
        struct ss_pending *p = &loop->pending.items[i];
        bool ours =
            loop->facts.run && run_of(loop)->recovering && p->of_this_run;
        if (strcmp(p->write.channel, channel) == 0 && !ours)
            ss_pendings_remove(&loop->pending, i);
    }
}

// Apply writes that belong to no task, as pseudo task `__input__` (R5.8).
// SS_EAGAIN: a worker folds first; the entry goes on when it has.
static int apply_null(struct loop *loop, const struct ss_writes *writes,
    const struct fold_then *then, struct ss_error *error)
{
    size_t channel = SS_NONE;
    struct ss_update_task input = ss_loop_input(loop, writes);
    if (ss_loop_fold(loop, &input, 1, then))
        return SS_EAGAIN;
    int status = ss_loop_apply(loop, &input, 1, &channel, error);
    ss_loop_drop_folds(loop);
    if (status == SS_OK)
        ss_updated_set(loop->machine, true);
    return status;
}

int ss_enter_null_writes(
    struct loop *loop, const struct fold_then *then, struct ss_error *error)
{
    struct ss_writes writes = {0};
    ss_pendings_null_writes(&loop->pending, &writes);
    const struct ss_writes *inherited = &loop->entry->inherited;
    for (size_t i = 0; i < inherited->count; i++)
        ss_writes_add(&writes, inherited->items[i].channel,
            ss_value_ref(inherited->items[i].value));
    for (size_t i = 0; i < writes.count; i++) {
        const char *channel = writes.items[i].channel;
        const size_t prefix = strlen(SS_NAME_BRANCH);
        bool is_goto = strncmp(channel, SS_NAME_BRANCH, prefix) == 0;
        if (!ss_name_ignored(channel) &&
            ss_graph_channel(loop->facts.graph, channel) == SS_NONE)
            ss_loop_warn(loop,
                "graph %s has no %s \"%s\": that part of the "
                "command was ignored",
                loop->facts.graph->name, is_goto ? "node" : "key",
                is_goto ? channel + prefix : channel);
    }
    int status = writes.count ? apply_null(loop, &writes, then, error) : SS_OK;
    ss_writes_fini(&writes);
    return status;
}

// The node would not run, nobody would take the answer, and the run would go on
// as if nothing had been asked.
int ss_enter_check_askers(const struct loop *loop, struct ss_error *error)
{
    const struct ss_graph *root = loop->facts.run->facts.graph;
    json_t *nodes = ss_pendings_orphaned(&loop->pending, loop->facts.graph);
    if (!nodes)
        return SS_OK;
    ss_error_set(error, SS_ESTATE,
        "thread %s: node \"%.200s\" asks there, which version %.8s of graph "
        "%s does not have: nobody would take the answer. Serve the version "
        "that asked in place of this one, or go on without the question: give "
        "a new input, or superstep update --as NODE",
        ss_thread_facts(loop->facts.thread)->id,
        json_string_value(json_array_get(nodes, 0)), root->version, root->name);
    json_decref(nodes);
    return SS_ESTATE;
}

// R5.10: what was pending is consumed, then the input is applied.
int ss_enter_input(struct loop *loop, const struct ss_writes *writes,
    const struct fold_then *then, struct ss_error *error)
{
    size_t channel = SS_NONE;
    ss_loop_plan(loop, false);
    size_t count = loop->facts.tasks.count;
    struct ss_update_task *tasks = ss_zalloc(count + 1, sizeof(*tasks));
    for (size_t i = 0; i < count; i++) {
        tasks[i] = ss_update_task(&loop->facts.tasks.items[i]->facts.planned,
            &loop->facts.tasks.items[i]->facts.writes);
        tasks[i].writes = NULL;
    }
    // made-up message ids rest on the owner: not that of the null writes
    static const char tail[] = "/input";
    char owner[SS_UUID_SIZE + sizeof(tail)];
    size_t id_size = strlen(loop->facts.checkpoint.id);
    memcpy(owner, loop->facts.checkpoint.id, id_size);
    memcpy(owner + id_size, tail, sizeof(tail));
    tasks[count] = (struct ss_update_task){
        .path = "~", .name = SS_NAME_INPUT, .id = owner, .writes = writes};
    int status = ss_loop_fold(loop, &tasks[count], 1, then)
                     ? SS_EAGAIN
                     : ss_loop_apply(loop, tasks, count + 1, &channel, error);
    ss_loop_drop_tasks(loop);
    if (status != SS_EAGAIN)
        ss_loop_drop_folds(loop);
    if (status == SS_OK) {
        ss_updated_set(loop->machine, false);
        ss_loop_drop_pending(loop);
    }
    ss_free(tasks);
    return status;
}

// R5.9: go on; where time travels, on a branch of its own. `again`: after a
// crash, with no checkpoint of the run: the fork is not there, and what was
// shown is, if the entry did not wait for a fold.
void ss_enter_resume(struct loop *loop, bool forks, bool again)
{
    ss_break_pass(loop->machine);
    if (forks) {
        ss_enter_drop_writes(loop, SS_NAME_INTERRUPT);
        ss_loop_save(loop, SS_SOURCE_FORK);
    }
    struct ss_keys shown, final;
    ss_loop_keys(loop, &shown, &final);
    ss_loop_make_output(loop, &final);
    loop->facts.engine->watch->values(loop, again);
}

bool ss_enter_is_edited(const struct ss_checkpoint_entry *mark)
{
    return mark && (mark->row->source == SS_SOURCE_UPDATE ||
                       mark->row->source == SS_SOURCE_FORK);
}

bool ss_enter_begun_by(
    const struct ss_checkpoint_entry *mark, const struct task *task)
{
    const json_t *metadata = mark ? mark->row->metadata : NULL;
    const char *by =
        ss_json_str(json_object_get(metadata, "__loop__"), "task", NULL);
    if (by)
        return strcmp(by, task->facts.planned.id) == 0;
    // an import knows only the superstep, and that namespace is one task's
    const char *around = ss_json_str(
        json_object_get(metadata, "parents"), task->facts.loop->facts.ns, "");
    return strcmp(around, task->facts.loop->facts.checkpoint.id) == 0;
}

static bool began_here(
    const struct loop *loop, const struct ss_checkpoint_entry *mark)
{
    return strcmp(mark->row->run, run_of(loop)->id) == 0 &&
           (!loop->parent_task || ss_enter_begun_by(mark, loop->parent_task));
}

// The last values that were shown before the crash are shown no more, but they
// are the loop's output: there are some if one of its checkpoints moved a key
// of the output, or it went on with a thread's values.
void ss_enter_recover_output(struct loop *loop)
{
    struct ss_keys shown, final;
    size_t count = 0;
    struct ss_checkpoint_entry *const *marks = ss_journal_list(
        ss_thread_facts(loop->facts.thread)->journal, loop->facts.ns, &count);
    bool any = loop->entered.resuming;
    ss_loop_keys(loop, &shown, &final);
    for (size_t i = count; !any && i-- > 0 && began_here(loop, marks[i]);) {
        const struct ss_row_checkpoint *part = &marks[i]->row->checkpoint;
        if (marks[i]->row->source != SS_SOURCE_LOOP)
            break;
        for (size_t u = 0; u < part->updated_count; u++)
            any = any || ss_keys_have(&final, part->updated[u]);
    }
    if (any)
        ss_loop_make_output(loop, &final);
}

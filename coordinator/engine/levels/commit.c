// commit.c - what a task leaves behind: writes, questions, failure (R6.4).
//
// A task is committed once: its pending writes are stored and its events shown.
// A failure stops no sibling; the superstep raises it when all have ended.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pending.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/threads/answers.h"

bool ss_task_ended(const struct task *task)
{
    switch (task->facts.state) {
    case TASK_DONE:
    case TASK_INTERRUPTED:
    case TASK_FAILED:
    case TASK_PARENT:
        return true;
    case TASK_NEW:
    case TASK_CACHE:
    case TASK_READY:
    case TASK_RUNNING:
    case TASK_BACKOFF:
    case TASK_CHILD:
    case TASK_HELD:
        return false;
    }
    return false;
}

void ss_task_settled(struct task *task)
{
    ss_check(ss_task_ended(task));
    run_of(task->facts.loop)->stats.done++;
    task->facts.loop->facts.engine->watch->progressed(task->facts.loop, task);
    ss_loop_later(task->facts.loop);
}

// Nobody else may be given it: said beside the writes that hold it. Where a
// task has none (a command to the graph around, a graph without a store) they
// are those of the task around.
void ss_task_took_resume_value(struct task *task, bool stored)
{
    struct loop *loop = task->facts.loop;
    if (loop->parent_task && !(stored && loop->facts.persists))
        loop->parent_task->took_plain = true;
    else
        ss_loop_drop_resume_value(run_of(loop)->root, loop);
}

// It stands with what it leaves behind: what says how it ended (taken), and
// `output` (borrowed), or NULL.
static void commit_task(
    struct task *task, struct ss_writes *how, const struct ss_writes *output)
{
    ss_check(ss_task_ended(task));
    ss_loop_put_writes(task->facts.loop, task->facts.planned.id,
        task->facts.planned.path, how, output);
    ss_writes_fini(how);
    if (task->took_plain)
        ss_task_took_resume_value(task, true);
    task->took_plain = false;
}

static bool has_output(const struct ss_writes *writes)
{
    for (size_t i = 0; i < writes->count; i++)
        if (ss_name_special(writes->items[i].channel) == 0)
            return true;
    return false;
}

static void add_answers(const struct task *task, struct ss_writes *writes)
{
    if (json_array_size(task->used_answers) > 0)
        ss_writes_add(writes, SS_NAME_RESUME,
            ss_value_new(json_incref(task->used_answers)));
}

// Who applies the write need not look for its channel again.
static bool find_channel(const struct ss_graph *graph, struct ss_write *write)
{
    size_t channel = ss_write_channel(graph, write);
    if (channel != SS_NONE)
        write->found = (uint32_t)channel + 1;
    return channel != SS_NONE;
}

static void warn_unknown(struct task *task)
{
    struct loop *loop = task->facts.loop;
    const char *known = ""; // the last that is: many sends are to one channel
    for (size_t i = 0; i < task->facts.writes.count; i++) {
        const char *channel = task->facts.writes.items[i].channel;
        if (strcmp(channel, known) == 0)
            continue;
        if (ss_name_ignored(channel) ||
            find_channel(loop->facts.graph, &task->facts.writes.items[i]) ||
            ss_graph_managed(loop->facts.graph, channel)) {
            known = channel;
            continue;
        }
        size_t prefix = strlen(SS_NAME_BRANCH);
        if (strncmp(channel, SS_NAME_BRANCH, prefix) == 0)
            ss_loop_warn(loop,
                "node \"%s\" went to \"%s\", which is not a node "
                "of graph %s: ignored",
                task->facts.planned.node->name, channel + prefix,
                loop->facts.graph->name);
    }
}

void ss_task_succeeded(struct task *task, bool cached)
{
    struct ss_writes stored = {0};
    warn_unknown(task);
    if (!has_output(&task->facts.writes))
        ss_writes_add(&task->facts.writes, SS_NAME_NO_WRITES, ss_value_null());
    add_answers(task, &stored);
    ss_task_move(task, TASK_DONE);
    task->facts.cached = cached;
    commit_task(task, &stored, &task->facts.writes);
    if (task->cache_key && !cached)
        ss_cache_fill(task);
    run_of(task->facts.loop)->stats.tasks += !cached;
    task->facts.loop->facts.engine->watch->committed(task);
    ss_task_settled(task);
}

// ------------------------------------------------ questions

void ss_task_commit_interrupt(struct task *task)
{
    struct ss_writes stored = {0};
    ss_check(json_array_size(task->facts.interrupts) > 0);
    ss_task_move(task, TASK_INTERRUPTED);
    ss_writes_add(&stored, SS_NAME_INTERRUPT,
        ss_value_new(json_incref(task->facts.interrupts)));
    add_answers(task, &stored);
    commit_task(task, &stored, NULL);
    task->facts.loop->facts.engine->watch->committed(task);
    ss_task_settled(task);
}

void ss_task_interrupted(struct task *task, json_t *question)
{
    struct run *run = task->facts.loop->facts.run;
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(
        task->facts.planned.ns, json_array_size(task->used_answers), id);
    json_decref(task->facts.interrupts);
    json_t *value = json_object_get(question, "value"); // a worker may lack it
    json_t *interrupt =
        json_pack("{s:O, s:s}", "value", value ? value : json_null(), "id", id);
    json_t *schema = json_object_get(question, "response_schema");
    if (schema && !json_is_null(schema))
        json_object_set(interrupt, "response_schema", schema);
    task->facts.interrupts = json_pack("[o]", interrupt);
    if (run->resume_value.value && run->facts.root->first_superstep) {
        run->resume_value.held++;
        ss_task_move(task, TASK_HELD); // the answer may still come its way
        return;
    }
    ss_task_commit_interrupt(task);
}

// ------------------------------------------------ failure

// Was the question that the task asked last not answered before it failed?
static bool still_asks(
    const struct task *task, const struct ss_pending_facts *facts)
{
    char id[SS_HEX128_SIZE];
    json_t *answers = task->used_answers ? task->used_answers : facts->answers;
    json_t *asked = json_array_get(facts->interrupts, 0);
    ss_interrupt_id(task->facts.planned.ns, json_array_size(answers), id);
    return strcmp(ss_json_str(asked, "id", ""), id) == 0;
}

// A question stays open beside the failure (R7.21); one that was answered
// before, also inside a graph, is not (R7.12b). A graph that keeps nothing
// keeps no answer either: it begins again, and asks again what it asked.
static void add_open_questions(
    const struct task *task, struct ss_writes *writes)
{
    struct ss_pending_facts facts =
        ss_pendings_facts(&task->facts.loop->pending, task->facts.planned.id);
    if (json_array_size(facts.interrupts) == 0)
        return;
    bool begins_again = task->facts.child && !task->facts.child->facts.persists;
    if (task->facts.child && !begins_again)
        ss_writes_add(writes, SS_NAME_INTERRUPT,
            ss_value_new(ss_pendings_open(&task->facts.child->pending)));
    else if (begins_again || still_asks(task, &facts))
        ss_writes_add(writes, SS_NAME_INTERRUPT,
            ss_value_new(json_incref(facts.interrupts)));
}

void ss_task_commit_failure(
    struct task *task, int code, const char *message, bool handled)
{
    struct ss_writes stored = {0};
    ss_check(code != SS_OK);
    ss_writes_fini(
        &task->facts.writes); // a failed task leaves none (spec 17.3)
    ss_task_move(task, TASK_FAILED);
    ss_error_set(ss_error_at(&task->facts.error), code, "%s", message);
    add_answers(task, &stored);
    add_open_questions(task, &stored);
    ss_writes_add(
        &stored, SS_NAME_ERROR, ss_value_new(ss_error_json(code, message)));
    if (handled)
        ss_writes_add(&stored, SS_NAME_ERROR_SOURCE,
            ss_value_new(json_string(task->facts.planned.node->name)));
    commit_task(task, &stored, NULL);
    task->facts.loop->facts.engine->watch->committed(task);
}

// stands.c - how a thread stands, in its record: who looks for the threads that
// failed, or that wait for an answer, reads no rows.
//
// It is put in the unit of the rows that say so. That a run of it is under way
// is not: the record of that run tells it.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/find.h"
#include "common/model/graph.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/stands.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"

// A question as the record tells it: without what is too long for a list, which
// it takes off *room. Gives.
static json_t *question_of(
    const json_t *interrupt, const struct task *task, size_t *room)
{
    const struct task_facts *facts = ss_task_facts(task);
    ss_check(facts->planned.node && *room <= SS_QUESTIONS_SIZE_MAX);
    ss_check(json_is_string(json_object_get(interrupt, "id")));
    char *text = ss_json_text(interrupt);
    bool is_long = strlen(text) > *room;
    json_t *told = is_long ? json_pack("{s:O, s:b}", "id",
                                 json_object_get(interrupt, "id"), "is_long", 1)
                           : json_copy((json_t *)interrupt);
    json_object_set_new(told, "node", json_string(facts->planned.node->name));
    *room -= is_long ? 0 : strlen(text);
    ss_free(text);
    return told;
}

// What is asked, by task. Gives.
static json_t *questions_of(const struct loop *root)
{
    const struct loop_facts *level = ss_loop_facts(root);
    size_t room = SS_QUESTIONS_SIZE_MAX, left = SS_QUESTIONS_MAX, j;
    json_t *all = json_object(), *interrupt;
    for (size_t i = 0; i < level->tasks.count && left > 0; i++) {
        const struct task *task = level->tasks.items[i];
        const struct task_facts *facts = ss_task_facts(task);
        if (facts->state != TASK_INTERRUPTED ||
            json_array_size(facts->interrupts) == 0)
            continue; // of a breakpoint inside: nothing is asked
        json_t *list = json_array();
        json_array_foreach (facts->interrupts, j, interrupt)
            if (left > 0) {
                json_array_append_new(
                    list, question_of(interrupt, task, &room));
                left--;
            }
        json_object_set_new(all, facts->planned.id, list);
    }
    ss_check(json_object_size(all) > 0);
    return all;
}

json_t *ss_run_metadata(const struct run *run, bool *ret_is_long)
{
    json_t *metadata = run->options.metadata;
    *ret_is_long = false;
    if (!json_is_object(metadata) || json_object_size(metadata) == 0)
        return NULL;
    char *text = ss_json_text(metadata);
    *ret_is_long = strlen(text) > SS_METADATA_SIZE_MAX;
    ss_free(text);
    return *ret_is_long ? NULL : metadata;
}

json_t *ss_run_error(const struct run *run)
{
    const struct loop *root = run->root;
    const struct loop_facts *level = ss_loop_facts(root);
    ss_check(root && run->state != RUN_QUEUED);
    const struct loop_result *result = ss_root_result(root);
    if (level->status == LOOP_DRAINED)
        return ss_error_json(SS_EDRAINED, result->drain);
    if (level->status != LOOP_FAILED)
        return NULL;
    json_t *error =
        ss_error_json(result->error->status, result->error->message);
    if (result->error_node)
        json_object_set_new(error, "node", json_string(result->error_node));
    return error;
}

void ss_thread_remember(struct thread *thread, const struct ss_graph *graph)
{
    if (thread->known && thread->graph &&
        strcmp(thread->graph, graph->name) == 0)
        return;
    thread->known = true;
    ss_free(thread->graph);
    thread->graph = ss_strdup(graph->name);
    if (thread->record.text)
        ss_thread_put_record(
            thread, json_pack("{s:s, s:s}", "graph", graph->name, "version",
                        graph->version));
    else
        ss_thread_tell(thread, &(struct thread_facts){.graph = graph->name,
                                   .version = graph->version});
}

void ss_thread_ran(
    const struct run *run, enum ss_run_status status, const json_t *result)
{
    ss_check(ss_run_status_has_ended(status) && run->graph);
    bool asks = status == SS_RUN_INTERRUPTED &&
                json_array_size(json_object_get(result, "interrupts")) > 0;
    json_t *questions = asks ? questions_of(run->root) : NULL;
    bool is_long;
    json_t *metadata = ss_run_metadata(run, &is_long);
    struct thread_facts facts = {.graph = run->graph->name,
        .version = run->graph->version,
        .run = run->id,
        .metadata = metadata,
        .metadata_is_long = is_long,
        .status = status == SS_RUN_DONE     ? SS_THREAD_IDLE
                  : status == SS_RUN_FAILED ? SS_THREAD_FAILED
                                            : SS_THREAD_INTERRUPTED,
        .error =
            status == SS_RUN_FAILED ? json_object_get(result, "error") : NULL,
        .interrupts = questions};
    ss_thread_tell(run->thread, &facts);
    json_decref(questions);
}

void ss_thread_was_changed(struct thread *thread, bool has_next)
{
    ss_thread_put_record(thread,
        json_pack("{s:s, s:I, s:n, s:n}", "status",
            has_next ? SS_THREAD_INTERRUPTED : SS_THREAD_IDLE, "updated_us",
            (json_int_t)thread->engine->wall_us, "interrupts", "error"));
}

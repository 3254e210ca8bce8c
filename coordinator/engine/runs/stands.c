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
#include "common/model/pending.h"
#include "common/model/reserved.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/root.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/stands.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/answers.h"
#include "coordinator/engine/threads/thread.h"

// What is asked, by task, as far as there is room for it in a list.
struct asked {
    json_t *by_task;
    size_t room, left;
};

static struct asked nothing_asked(void)
{
    return (struct asked){.by_task = json_object(),
        .room = SS_QUESTIONS_SIZE_MAX,
        .left = SS_QUESTIONS_MAX};
}

// A question as the record tells it: without what is too long for a list, which
// it takes off *room. Gives.
static json_t *question_of(
    const json_t *interrupt, const char *node, size_t *room)
{
    ss_check(*room <= SS_QUESTIONS_SIZE_MAX);
    char *text = ss_json_text(interrupt);
    bool is_long = strlen(text) > *room;
    json_t *told = is_long ? json_pack("{s:O*, s:b}", "id",
                                 json_object_get(interrupt, "id"), "is_long", 1)
                           : json_copy((json_t *)interrupt);
    if (node)
        json_object_set_new(told, "node", json_string(node));
    *room -= is_long ? 0 : strlen(text);
    ss_free(text);
    return told;
}

// `node`: whose task it is; NULL: nobody knows.
static void add_asked(struct asked *asked, const char *task, const char *node,
    const json_t *interrupts)
{
    size_t i;
    json_t *interrupt, *list = json_array();
    ss_check(task[0] && json_is_object(asked->by_task));
    ss_check(asked->left <= SS_QUESTIONS_MAX);
    json_array_foreach ((json_t *)interrupts, i, interrupt)
        if (asked->left > 0 && json_is_object(interrupt)) {
            json_array_append_new(
                list, question_of(interrupt, node, &asked->room));
            asked->left--;
        }
    if (json_array_size(list) > 0)
        json_object_set(asked->by_task, task, list);
    json_decref(list);
}

// What is asked, by task. Gives.
static json_t *questions_of(const struct loop *root)
{
    struct asked asked = nothing_asked();
    const struct loop_facts *level = ss_loop_facts(root);
    for (size_t i = 0; i < level->tasks.count; i++) {
        const struct task_facts *task = ss_task_facts(level->tasks.items[i]);
        if (task->state == TASK_INTERRUPTED) // none: of a breakpoint inside
            add_asked(&asked, task->planned.id, task->planned.node->name,
                task->interrupts);
    }
    ss_check(json_object_size(asked.by_task) > 0);
    return asked.by_task;
}

json_t *ss_run_metadata(const struct run *run, bool *ret_is_long)
{
    json_t *metadata = ss_run_facts(run)->options.metadata;
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
    struct loop *root = ss_run_facts(run)->root;
    const struct loop_facts *level = ss_loop_facts(root);
    ss_check(root && ss_run_facts(run)->state != RUN_QUEUED);
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

void ss_thread_ran(
    const struct run *run, enum ss_run_status status, const json_t *result)
{
    const struct run_facts *its = ss_run_facts(run);
    ss_check(ss_run_status_has_ended(status) && its->graph);
    bool asks = status == SS_RUN_INTERRUPTED &&
                json_array_size(json_object_get(result, "interrupts")) > 0;
    json_t *questions = asks ? questions_of(its->root) : NULL;
    bool is_long;
    json_t *metadata = ss_run_metadata(run, &is_long);
    struct thread_report report = {.graph = its->graph->name,
        .version = its->graph->version,
        .run = its->id,
        .metadata = metadata,
        .metadata_is_long = is_long,
        .status = status == SS_RUN_DONE     ? SS_THREAD_IDLE
                  : status == SS_RUN_FAILED ? SS_THREAD_FAILED
                                            : SS_THREAD_INTERRUPTED,
        .error =
            status == SS_RUN_FAILED ? json_object_get(result, "error") : NULL,
        .interrupts = questions};
    ss_thread_tell(its->thread, &report);
    json_decref(questions);
}

void ss_thread_was_changed(struct thread *thread, bool has_next)
{
    ss_thread_put_record(thread,
        json_pack("{s:s, s:I, s:n, s:n, s:n}", "status",
            has_next ? SS_THREAD_INTERRUPTED : SS_THREAD_IDLE, "updated_us",
            (json_int_t)ss_thread_facts(thread)->engine->wall_us, "state_us",
            "interrupts", "error"));
}

// ------------------------------------------------ made elsewhere

// How it stands that nobody ran here.
struct stands {
    struct asked asked;
    json_t *error; // of a task; NULL: none failed
    bool has_next;
};

static void look_at_tasks(const struct loop *view, struct stands *stands)
{
    const struct loop_facts *level = ss_loop_facts(view);
    const struct ss_pendings *pending = ss_loop_pending(view);
    ss_check(!level->run && !stands->has_next);
    for (size_t i = 0; i < level->tasks.count; i++) {
        const struct ss_planned_task *task =
            &ss_task_facts(level->tasks.items[i])->planned;
        struct ss_pending_facts facts = ss_pendings_facts(pending, task->id);
        if (facts.finished)
            continue;
        stands->has_next = true;
        if (ss_pendings_asks(pending, task->id)) {
            add_asked(
                &stands->asked, task->id, task->node->name, facts.interrupts);
        } else if (json_is_object(facts.error) && !stands->error) {
            stands->error = json_copy(facts.error);
            json_object_set_new(
                stands->error, "node", json_string(task->node->name));
        }
    }
}

// Whose task a write is of, as its path has it: "~__pregel_pull, NODE".
static const char *node_in(const char *path)
{
    static const char of_node[] = "~" SS_NAME_PULL ", ";
    bool has = path && strncmp(path, of_node, strlen(of_node)) == 0;
    return has ? path + strlen(of_node) : NULL;
}

static void look_at_writes(
    const struct ss_pendings *pending, struct stands *stands)
{
    for (size_t i = 0; i < pending->count; i++) {
        const struct ss_row_write *write = &pending->items[i].write;
        if (strcmp(write->channel, SS_NAME_INTERRUPT) == 0 &&
            ss_pendings_asks(pending, write->task_id))
            add_asked(&stands->asked, write->task_id, node_in(write->path),
                ss_pendings_facts(pending, write->task_id).interrupts);
    }
}

void ss_thread_was_made(struct thread *thread, const struct loop *view,
    const struct ss_pendings *pending, int64_t wall_us)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    struct stands stands = {.asked = nothing_asked()};
    int64_t now_us = its->engine->wall_us;
    ss_check(its->state == THREAD_HOT && (view || pending));
    if (view)
        look_at_tasks(view, &stands);
    else
        look_at_writes(pending, &stands);
    bool asks = json_object_size(stands.asked.by_task) > 0;
    const char *status = asks              ? SS_THREAD_INTERRUPTED
                         : stands.error    ? SS_THREAD_FAILED
                         : stands.has_next ? SS_THREAD_INTERRUPTED
                         : view            ? SS_THREAD_IDLE
                                           : NULL; // nobody knows its graph
    ss_check(!stands.error || view);
    ss_thread_put_record(thread,
        json_pack("{s:o, s:I, s:I, s:o, s:o}", "status",
            status ? json_string(status) : json_null(), "updated_us",
            (json_int_t)now_us, "state_us",
            (json_int_t)(wall_us < now_us ? wall_us : now_us), "interrupts",
            asks ? json_incref(stands.asked.by_task) : json_null(), "error",
            status && strcmp(status, SS_THREAD_FAILED) == 0
                ? json_incref(stands.error)
                : json_null()));
    json_decref(stands.asked.by_task);
    json_decref(stands.error);
}

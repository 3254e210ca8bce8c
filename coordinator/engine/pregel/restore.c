// restore.c - what planned tasks find in their checkpoint's pending writes
// (spec/engine.md R5.15-5, R3.18, R6.19).
//
//   finished                   its writes: it does not run again
//   failed, with a handler     its failure: the handler runs instead
//   failed, asked; a recovery  how it ended, in this very run: it stands
//   else                       it runs
//
// Each is given the answers to its questions. In a replay only what this very
// run left counts.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/pregel/pending.h"
#include "coordinator/engine/pregel/pregel.h"
#include "coordinator/engine/pregel/pregel_impl.h"

// R3.18: the answers that a task has, and the one that this run's map adds.
static void give_answers(struct task *task, const struct task_facts *facts)
{
    const struct loop *loop = task->loop;
    json_t *map = loop->terms->resume_map;
    task->answers = json_is_array(facts->answers) ? json_copy(facts->answers)
                                                  : json_array();
    // after a crash: what this run gave it before stands with its answers
    if (!map ||
        (loop->terms->recovering && ss_pendings_ours(&loop->pending, task->id)))
        return;
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(task->ns, json_array_size(task->answers), id);
    json_t *answer = json_object_get(map, id);
    if (!answer) {
        // a question answered before, on a checkpoint that the thread has left
        for (size_t k = 0;
             loop->superseded && k < json_array_size(task->answers); k++) {
            ss_interrupt_id(task->ns, k, id);
            if ((answer = json_object_get(map, id)) == NULL)
                continue;
            while (json_array_size(task->answers) > k)
                json_array_remove(task->answers, k);
            break;
        }
    }
    // the first question's id answers a later one, if that was ever asked
    if (!answer && ss_pendings_asks(&loop->pending, task->id)) {
        ss_interrupt_id(task->ns, 0, id);
        answer = json_object_get(map, id);
    }
    if (answer)
        json_array_append(task->answers, answer);
}

static void restore_failure(struct task *task, const struct task_facts *facts)
{
    ss_task_move(task, TASK_FAILED);
    int code =
        ss_status_by_name(ss_json_str(facts->error, "code", "node_failed"));
    ss_error_set(
        &task->error, code, "%s", ss_json_str(facts->error, "message", ""));
}

// After a crash: what has failed or asked in this very run does so no more. Its
// body may have effects outside, and might even end otherwise.
static void recover_ended(struct task *task, const struct task_facts *facts)
{
    const struct loop *loop = task->loop;
    const char *how =
        loop->terms->recovering
            ? ss_pendings_ended(&loop->pending, task->id, loop->tried_seq)
            : NULL;
    if (how && strcmp(how, SS_NAME_ERROR) == 0) {
        restore_failure(task, facts);
    } else if (how) {
        ss_task_move(task, TASK_INTERRUPTED);
        task->interrupts = json_incref(facts->interrupts);
    }
}

// R6.19: its handler runs, not it.
static void restore_handler(struct task *failed)
{
    struct loop *loop = failed->loop;
    failed->error_handled = true;
    struct task *handler = ss_plan_handler(loop, failed);
    struct task_facts its = ss_pendings_facts(&loop->pending, handler->id);
    give_answers(handler, &its);
    // a resume runs it anew (R6.19); a recovery keeps what it did
    if (its.finished && loop->terms->recovering &&
        ss_pendings_ours(&loop->pending, handler->id)) {
        ss_pendings_output(&loop->pending, handler->id, &handler->writes);
        ss_task_move(handler, TASK_DONE);
        handler->restored = true;
    } else {
        recover_ended(handler, &its);
    }
}

void ss_loop_restore(struct loop *loop)
{
    size_t count = loop->tasks.count;
    for (size_t i = 0; i < count; i++) {
        struct task *task = loop->tasks.items[i];
        struct task_facts facts = ss_pendings_facts(&loop->pending, task->id);
        give_answers(task, &facts);
        if (loop->replaying && !(loop->terms->recovering &&
                                   ss_pendings_ours(&loop->pending, task->id)))
            continue;
        if (facts.finished) {
            ss_pendings_output(&loop->pending, task->id, &task->writes);
            ss_task_move(task, TASK_DONE);
            task->restored = true;
            loop->terms->tasks_restored++;
        } else if (facts.error_source && facts.error &&
                   task->node->handler != SS_NONE) {
            restore_failure(task, &facts);
            restore_handler(task);
        } else {
            recover_ended(task, &facts);
        }
    }
}

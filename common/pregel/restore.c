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

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/graph.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

// R3.18: the answers that a task has, and the one that this run's map adds.
// Gives, or NULL: most tasks have none.
static json_t *answers_of(const struct ss_planned_task *task,
    const struct ss_restore_options *options,
    const struct ss_pending_facts *facts)
{
    json_t *map = options->resume_map;
    json_t *answers =
        json_is_array(facts->answers) ? json_copy(facts->answers) : NULL;
    // after a crash: what this run gave it before stands with its answers
    if (!map ||
        (options->recovering && ss_pendings_ours(options->pending, task->id)))
        return answers;
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(task->ns, json_array_size(answers), id);
    json_t *answer = json_object_get(map, id);
    if (!answer) {
        // a question answered before, on a checkpoint that the thread has left
        for (size_t k = 0; options->superseded && k < json_array_size(answers);
             k++) {
            ss_interrupt_id(task->ns, k, id);
            if ((answer = json_object_get(map, id)) == NULL)
                continue;
            while (json_array_size(answers) > k)
                json_array_remove(answers, k);
            break;
        }
    }
    // the first question's id answers a later one, if that was ever asked
    if (!answer && ss_pendings_asks(options->pending, task->id)) {
        ss_interrupt_id(task->ns, 0, id);
        answer = json_object_get(map, id);
    }
    if (answer && !answers)
        answers = json_array();
    if (answer)
        json_array_append(answers, answer);
    return answers;
}

// After a crash: what has failed or asked in this very run does so no more. Its
// body may have effects outside, and might even end otherwise.
static enum ss_found recover_ended(const struct ss_planned_task *task,
    const struct ss_restore_options *options)
{
    return options->recovering ? ss_pendings_ended(options->pending, task->id,
                                     options->since_seq)
                               : SS_FOUND_NOTHING;
}

enum ss_found ss_restore(const struct ss_planned_task *task,
    const struct ss_restore_options *options, json_t **ret_answers)
{
    struct ss_pending_facts facts =
        ss_pendings_facts(options->pending, task->id);
    bool stays =
        options->recovering && ss_pendings_ours(options->pending, task->id);
    ss_check(task->node && task->kind != SS_TASK_UPDATE);
    *ret_answers = answers_of(task, options, &facts);
    // a resume runs a handler anew (R6.19); a recovery keeps what it did
    if (task->kind == SS_TASK_HANDLER)
        return facts.finished && stays ? SS_FOUND_OUTPUT
                                       : recover_ended(task, options);
    if (options->replaying && !stays)
        return SS_FOUND_NOTHING;
    if (facts.finished)
        return SS_FOUND_OUTPUT;
    if (facts.error_source && facts.error && task->node->handler != SS_NONE)
        return SS_FOUND_HANDLED;
    return recover_ended(task, options);
}

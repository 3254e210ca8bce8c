// restore_tasks.c - tasks of a level begin as their checkpoint's pending writes
// say (common/pregel/restore.c).
#include "common/base/status.h"
#include "common/pregel/pending.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/tasks.h"

static void restore_failure(struct task *task, const struct ss_pendings *from)
{
    struct ss_pending_facts facts =
        ss_pendings_facts(from, task->facts.planned.id);
    ss_task_move(task, TASK_FAILED);
    int code =
        ss_status_by_name(ss_json_str(facts.error, "code", "node_failed"));
    // a later program may have words that this one lacks
    ss_error_set(ss_error_at(&task->facts.error),
        code == SS_OK ? SS_ENODE : code, "%s",
        ss_json_str(facts.error, "message", ""));
}

static void restore_task(
    struct task *task, const struct ss_restore_options *options);

// R6.19: its handler runs, not it.
static void restore_handler(
    struct task *failed, const struct ss_restore_options *options)
{
    restore_failure(failed, options->pending);
    failed->error_handled = true;
    restore_task(ss_loop_plan_handler(failed->facts.loop, failed), options);
}

static void restore_task(
    struct task *task, const struct ss_restore_options *options)
{
    const char *id = task->facts.planned.id;
    switch (ss_restore(&task->facts.planned, options, &task->answers)) {
    case SS_FOUND_NOTHING:
        break;
    case SS_FOUND_OUTPUT:
        ss_pendings_output(options->pending, id, &task->facts.writes);
        ss_task_move(task, TASK_DONE);
        task->restored = true;
        if (task->facts.planned.kind != SS_TASK_HANDLER)
            run_of(task->facts.loop)->stats.restored++;
        break;
    case SS_FOUND_HANDLED:
        restore_handler(task, options);
        break;
    case SS_FOUND_FAILURE:
        restore_failure(task, options->pending);
        break;
    case SS_FOUND_QUESTION:
        ss_task_move(task, TASK_INTERRUPTED);
        task->facts.interrupts =
            json_incref(ss_pendings_facts(options->pending, id).interrupts);
        break;
    }
}

void ss_loop_restore(struct loop *loop)
{
    size_t count = loop->facts.tasks.count;
    const struct ss_restore_options options = {.pending = &loop->pending,
        .resume_map = loop->facts.run->resume_map,
        .recovering = run_of(loop)->recovering,
        .replaying = loop->first_superstep && loop->entered.replaying,
        .superseded = loop->entered.superseded,
        .since_seq = loop->entered.tried_seq};
    for (size_t i = 0; i < count; i++)
        restore_task(loop->facts.tasks.items[i], &options);
}

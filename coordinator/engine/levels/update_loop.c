// update_loop.c - the loop of an update from outside (runs/update_state.c).
#include "coordinator/engine/levels/update_loop.h"
#include "common/base/check.h"
#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/model/task.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/threads/lineage.h"

struct loop *ss_update_loop_new(struct thread *thread, struct ss_graph *graph,
    const char *ns, struct change *change)
{
    struct loop *loop = ss_loop_new(thread, NULL, graph, ns);
    ss_check(change != NULL);
    loop->facts.change = change;
    return loop;
}

int ss_update_loop_load(
    struct loop *loop, struct ss_checkpoint_entry *mark, struct ss_error *error)
{
    int status = ss_loop_load(loop, mark, error);
    if (status == SS_OK && mark) {
        json_t *parents = json_object_get(mark->row->metadata, "parents");
        if (json_object_size(parents) > 0)
            loop->facts.checkpoint_map = json_deep_copy(parents);
    } else {
        loop->facts.step = 0; // R9.9: -1, and one more
    }
    loop->stop = loop->facts.step + 2;
    return status;
}

bool ss_update_loop_saw_newest(
    const struct loop *loop, const struct ss_node **ret)
{
    ss_check(loop->facts.change != NULL);
    return ss_seen_newest(loop->machine, ret);
}

void ss_update_loop_save(struct loop *loop, enum ss_source source)
{
    ss_check(loop->facts.change != NULL);
    ss_updated_forget(loop->machine);
    ss_loop_save(loop, source);
}

void ss_update_loop_is_input(struct loop *loop)
{
    ss_check(loop->facts.change && loop->facts.step == 0);
    loop->facts.step = -1;
}

void ss_update_loop_copies(
    struct loop *loop, const struct ss_checkpoint_entry *mark)
{
    ss_lineage_copy(&loop->lineage, mark);
}

struct task *ss_update_loop_task(struct loop *loop,
    const struct ss_planned_task *planned, struct ss_value *values,
    uint32_t losses)
{
    struct task *task = ss_task_new(loop);
    ss_check(loop->facts.change && planned->kind == SS_TASK_UPDATE);
    task->facts.planned = *planned;
    task->facts.order_kind = SS_ORDER_WRITERS;
    task->facts.returned = values;
    task->facts.tries.redeliveries = losses;
    return task;
}

void ss_update_loop_wrote(struct task *task, struct ss_writes *writes)
{
    ss_check(task->facts.loop->facts.change && task->facts.writes.count == 0);
    task->facts.writes = *writes;
    *writes = (struct ss_writes){0};
    ss_task_move(task, TASK_DONE);
}

void ss_loop_folds_lost(struct loop *loop, uint32_t losses)
{
    ss_check(loop->facts.change || losses == 0);
    for (size_t i = 0; i < loop->folds.count; i++)
        loop->folds.items[i]->facts.tries.redeliveries = losses;
}

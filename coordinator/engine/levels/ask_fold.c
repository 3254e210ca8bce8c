// ask_fold.c - custom reducers: the application folds on a worker, before the
// update.
//
// One pseudo task for each channel with a custom reducer that got writes. They
// are leased, retried and named like any attempt; their results are used by the
// update that waits for them (update.c) and count once its row is durable.

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"

void ss_fold_fini(struct task_fold *fold)
{
    ss_free(fold->channel);
    json_decref(fold->writes);
    ss_value_unref(fold->value);
}

void ss_loop_drop_folds(struct loop *loop)
{
    for (size_t i = 0; i < loop->folds.count; i++)
        ss_task_destroy(&loop->folds.items[i]);
    ss_free(loop->folds.items);
    loop->folds = (struct loop_folds){0};
}

// Takes what it asks.
static void add_fold(struct loop *loop, const struct ss_channel_fold *asks)
{
    struct task *fold = ss_task_new(loop);
    loop->folds.items[loop->folds.count++] = fold;
    fold->facts.planned.kind = SS_TASK_UPDATE;
    fold->facts.order_kind = SS_ORDER_FOLD;
    fold->fold.channel = ss_strdup(asks->name);
    fold->fold.writes = asks->writes;
    fold->facts.returned = ss_value_ref(asks->held);
    fold->facts.planned.path = "";
    fold->facts.planned.ns = loop->facts.ns;
    // named by the checkpoint and the channel: the same after a crash
    const char *parts[] = {"fold", fold->fold.channel};
    ss_task_uuid(
        loop->facts.checkpoint.id, 4, parts, 2, fold->facts.planned.id);
    ss_task_ready(fold);
}

bool ss_loop_fold(struct loop *loop, const struct ss_update_task *tasks,
    size_t count, const struct fold_then *then)
{
    if (loop->folds.items || !loop->facts.graph->has_custom)
        return false; // they are there, or there are none
    size_t folds_count = 0;
    struct ss_channel_fold *folds =
        ss_folds(loop->machine, tasks, count, &folds_count);
    loop->folds.items = ss_zalloc(folds_count + 1, sizeof(struct task *));
    for (size_t i = 0; i < folds_count; i++)
        add_fold(loop, &folds[i]);
    ss_free(folds);
    loop->folds.then = then;
    if (folds_count > 0)
        ss_loop_move(loop, LOOP_FOLDING);
    return folds_count > 0;
}

bool ss_loop_folded(struct loop *loop)
{
    for (size_t i = 0; i < loop->folds.count; i++)
        if (!loop->folds.items[i]->fold.value)
            return false;
    ss_loop_move(loop, LOOP_RUNNING);
    return true;
}

void ss_fold_outcome(struct task *task, struct ss_outcome *outcome)
{
    struct loop *loop = task->facts.loop;
    if (outcome->kind == SS_OUTCOME_DONE && outcome->folded) {
        task->fold.value = ss_value_ref(outcome->folded);
        ss_task_move(task, TASK_DONE);
        ss_loop_later(loop);
        return;
    }
    struct ss_error error;
    // Writes that the reducer refused belong to tasks that have failed. Those
    // that no worker lived to fold are as good as before: their tasks are not
    // run again.
    size_t channel =
        outcome->code == SS_ELOST
            ? SS_NONE
            : ss_graph_channel(loop->facts.graph, task->fold.channel);
    ss_error_set(&error, outcome->code ? outcome->code : SS_ENODE,
        "graph %s, key \"%s\": its reducer failed: %s", loop->facts.graph->name,
        task->fold.channel, outcome->message ? outcome->message : "no result");
    const struct fold_then *then = loop->folds.then;
    ss_loop_drop_folds(loop);
    ss_loop_move(loop, LOOP_RUNNING);
    then->failed(loop, channel, &error);
}

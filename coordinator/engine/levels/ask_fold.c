// ask_fold.c - custom reducers: the application folds on a worker, before the
// update.
//
// One pseudo task for each channel with a custom reducer that got writes. They
// are leased, retried and named like any attempt; their results are used by the
// update that waits for them (update.c) and count once its row is durable.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/checkpoint.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/pregel/pregel.h"

void ss_loop_drop_folds(struct loop *loop)
{
    for (size_t i = 0; i < loop->folds_count; i++) {
        struct task *fold = &loop->folds[i];
        loop->sink->dropped(fold);
        ss_value_unref(fold->returned);
        ss_value_unref(fold->folded);
        ss_free(fold->fold_channel);
        json_decref(fold->fold_writes);
        ss_free(fold->path);
        ss_free(fold->ns);
    }
    ss_free(loop->folds);
    loop->folds = NULL;
    loop->folds_count = 0;
}

static void add_fold(struct loop *loop, size_t channel, json_t *writes)
{
    struct task *fold = &loop->folds[loop->folds_count++];
    fold->loop = loop;
    fold->kind = TASK_UPDATE;
    fold->order_kind = SS_ORDER_FOLD;
    fold->fold_channel = ss_strdup(loop->graph->channels[channel].name);
    fold->fold_writes = writes;
    fold->returned = ss_value_ref(ss_channel_get(&loop->channels[channel]));
    fold->path = ss_strdup("");
    fold->ns = ss_strdup(loop->ns);
    // named by the checkpoint and the channel: the same after a crash
    const char *parts[] = {"fold", fold->fold_channel};
    ss_task_uuid(loop->id, 4, parts, 2, fold->id);
    ss_task_ready(fold);
}

bool ss_loop_fold(struct loop *loop, const struct update_task *tasks,
    size_t count, const struct fold_then *then)
{
    if (loop->folds)
        return false; // they are there
    if (!loop->has_custom)
        return false;
    struct index_list written = {0};
    ss_fold_channels(loop, tasks, count, &written);
    loop->folds = ss_zalloc(written.count + 1, sizeof(*loop->folds));
    for (size_t i = 0; i < written.count; i++)
        add_fold(loop, written.items[i],
            ss_fold_writes(
                loop->graph->channels[written.items[i]].name, tasks, count));
    bool folds = written.count > 0;
    SS_VEC_FINI(&written);
    loop->fold_then = then;
    if (folds)
        ss_loop_move(loop, LOOP_FOLDING);
    return folds;
}

bool ss_loop_folded(struct loop *loop)
{
    for (size_t i = 0; i < loop->folds_count; i++)
        if (!loop->folds[i].folded)
            return false;
    ss_loop_move(loop, LOOP_RUNNING);
    return true;
}

void ss_fold_outcome(struct task *task, struct ss_outcome *outcome)
{
    struct loop *loop = task->loop;
    if (outcome->kind == SS_OUTCOME_DONE && outcome->folded) {
        task->folded = ss_value_ref(outcome->folded);
        ss_task_move(task, TASK_DONE);
        ss_loop_later(loop);
        return;
    }
    struct ss_error error;
    // Writes that the reducer refused belong to tasks that have failed. Those
    // that no worker lived to fold are as good as before: their tasks are not
    // run again.
    size_t channel = outcome->code == SS_ELOST
                         ? SS_NONE
                         : ss_graph_channel(loop->graph, task->fold_channel);
    ss_error_set(&error, outcome->code ? outcome->code : SS_ENODE,
        "graph %s, key \"%s\": its reducer failed: %s", loop->graph->name,
        task->fold_channel, outcome->message ? outcome->message : "no result");
    ss_loop_drop_folds(loop);
    ss_loop_move(loop, LOOP_RUNNING);
    loop->fold_then->failed(loop, channel, &error);
}

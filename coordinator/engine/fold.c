// fold.c - custom reducers: the application folds on a worker, before the update.
//
// One pseudo task for each channel with a custom reducer that got writes. They
// are leased, retried and named like any attempt; their results are used by the
// update that waits for them (update.c) and count once its row is durable.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "coordinator/engine/internal.h"

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

static int by_path(const void *a, const void *b)
{
    const struct update_task *const *left = a, *const *right = b;
    return strcmp((*left)->path, (*right)->path);
}

// The writes to one channel, in the order in which the update applies them.
static json_t *writes_to(const char *channel, const struct update_task *tasks,
    size_t count)
{
    const struct update_task **sorted =
        ss_zalloc(count + 1, sizeof(*sorted));
    for (size_t t = 0; t < count; t++)
        sorted[t] = &tasks[t];
    if (count)
        qsort(sorted, count, sizeof(*sorted), by_path);
    json_t *list = json_array();
    for (size_t t = 0; t < count; t++)
        for (size_t w = 0; sorted[t]->writes && w < sorted[t]->writes->count;
             w++)
            if (strcmp(sorted[t]->writes->items[w].channel, channel) == 0)
                json_array_append(
                    list, ss_value_json(sorted[t]->writes->items[w].value));
    ss_free(sorted);
    return list;
}

static void add_fold(struct loop *loop, size_t channel, json_t *writes)
{
    struct task *fold = &loop->folds[loop->folds_count++];
    fold->loop = loop;
    fold->kind = TASK_UPDATE;
    fold->order_kind = SS_ORDER_FOLD;
    if (loop->change)
        fold->redeliveries = ss_change_losses(loop->change);
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

static int by_index(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

// The channels with custom reducers that are written, in their order.
static void custom_writes(const struct loop *loop,
    const struct update_task *tasks, size_t count, struct index_list *list)
{
    const struct ss_graph *graph = loop->graph;
    for (size_t t = 0; t < count; t++)
        for (size_t w = 0; tasks[t].writes && w < tasks[t].writes->count;
             w++) {
            size_t c =
                ss_graph_channel(graph, tasks[t].writes->items[w].channel);
            if (c != SS_NONE
                && graph->channels[c].reducer == SS_REDUCER_CUSTOM)
                SS_VEC_PUSH(list, c);
        }
    if (list->count == 0)
        return;
    qsort(list->items, list->count, sizeof(*list->items), by_index);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; i++)
        if (list->items[i] != list->items[kept - 1])
            list->items[kept++] = list->items[i];
    list->count = kept;
}

bool ss_loop_fold(
    struct loop *loop, const struct update_task *tasks, size_t count)
{
    if (loop->folds)
        return false; // they are there
    if (!loop->has_custom)
        return false;
    struct index_list written = {0};
    custom_writes(loop, tasks, count, &written);
    loop->folds = ss_zalloc(written.count + 1, sizeof(*loop->folds));
    for (size_t i = 0; i < written.count; i++)
        add_fold(loop, written.items[i],
            writes_to(loop->graph->channels[written.items[i]].name, tasks,
                count));
    bool folds = written.count > 0;
    SS_VEC_FINI(&written);
    if (folds)
        loop->status = LOOP_FOLDING;
    return folds;
}

bool ss_loop_folded(struct loop *loop)
{
    for (size_t i = 0; i < loop->folds_count; i++)
        if (!loop->folds[i].folded)
            return false;
    loop->status = LOOP_RUNNING;
    return true;
}

void ss_fold_outcome(struct task *task, struct ss_outcome *outcome)
{
    struct loop *loop = task->loop;
    if (outcome->kind == SS_OUTCOME_DONE && outcome->folded) {
        task->folded = ss_value_ref(outcome->folded);
        task->state = TASK_DONE;
        ss_loop_later(loop);
        return;
    }
    struct ss_error error;
    ss_error_set(&error, outcome->code ? outcome->code : SS_ENODE,
        "graph %s, key \"%s\": its reducer failed: %s", loop->graph->name,
        task->fold_channel, outcome->message ? outcome->message : "no result");
    ss_loop_fold_failed(loop, task->fold_channel, &error);
}

// fold.c - custom reducers: which channels of a superstep the application
// folds, and what (ask_fold.c asks it).
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/pregel/pregel.h"

static int by_index(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

void ss_fold_channels(const struct loop *loop, const struct update_task *tasks,
    size_t count, struct index_list *list)
{
    const struct ss_graph *graph = loop->graph;
    for (size_t t = 0; t < count; t++)
        for (size_t w = 0; tasks[t].writes && w < tasks[t].writes->count; w++) {
            size_t c =
                ss_graph_channel(graph, tasks[t].writes->items[w].channel);
            if (c != SS_NONE && graph->channels[c].reducer == SS_REDUCER_CUSTOM)
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

static int by_path(const void *a, const void *b)
{
    const struct update_task *const *left = a, *const *right = b;
    return strcmp((*left)->path, (*right)->path);
}

json_t *ss_fold_writes(
    const char *channel, const struct update_task *tasks, size_t count)
{
    const struct update_task **sorted = ss_zalloc(count + 1, sizeof(*sorted));
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

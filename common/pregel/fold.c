// fold.c - custom reducers: which channels of a superstep the application
// folds, and what.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

// Channels, by index.
struct index_list {
    size_t *items;
    size_t count, capacity;
};

static int by_index(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

static void written(const struct ss_graph *graph,
    const struct ss_update_task *tasks, size_t count, struct index_list *list)
{
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
    const struct ss_update_task *const *left = a, *const *right = b;
    return strcmp((*left)->path, (*right)->path);
}

static json_t *writes_to(
    const char *channel, const struct ss_update_task *tasks, size_t count)
{
    const struct ss_update_task **sorted =
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

struct ss_channel_fold *ss_folds(struct ss_machine *machine,
    const struct ss_update_task *tasks, size_t count, size_t *ret_count)
{
    struct index_list list = {0};
    written(machine->graph, tasks, count, &list);
    struct ss_channel_fold *folds = NULL;
    ss_check(list.count <= machine->graph->channels_count);
    if (list.count > 0)
        folds = ss_zalloc(list.count, sizeof(*folds));
    for (size_t i = 0; i < list.count; i++) {
        size_t c = list.items[i];
        const char *name = machine->graph->channels[c].name;
        folds[i] = (struct ss_channel_fold){.channel = c,
            .name = name,
            .held = ss_channel_get(&machine->channels[c]),
            .writes = writes_to(name, tasks, count)};
    }
    *ret_count = list.count;
    SS_VEC_FINI(&list);
    return folds;
}

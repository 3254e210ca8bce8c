// graph.c - looking things up in a lowered graph, and freeing it.
#include "common/model/graph.h"

#include <stdint.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/ranks.h"

static size_t index_of(const struct ss_map *map, const char *name)
{
    return (size_t)(uintptr_t)ss_map_get(map, name) - 1;
}

size_t ss_graph_channel(const struct ss_graph *graph, const char *name)
{
    return index_of(&graph->channel_index, name);
}

size_t ss_graph_node(const struct ss_graph *graph, const char *name)
{
    return index_of(&graph->node_index, name);
}

const struct ss_managed_spec *ss_graph_managed(
    const struct ss_graph *graph, const char *name)
{
    for (size_t i = 0; i < graph->managed_count; i++)
        if (strcmp(graph->managed[i].name, name) == 0)
            return &graph->managed[i];
    return NULL;
}

bool ss_keys_have(const struct ss_keys *keys, const char *name)
{
    for (size_t i = 0; i < keys->count; i++)
        if (strcmp(keys->items[i], name) == 0)
            return true;
    return false;
}

bool ss_names_have(const struct ss_names *names, const struct ss_node *node)
{
    if (names->all)
        return !node->hidden;
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], node->name) == 0)
            return true;
    return false;
}

struct ss_graph *ss_graph_inside(struct ss_graph *graph, const char *path)
{
    while (graph && *path) {
        size_t size = strcspn(path, "|");
        char *name = ss_memdup(path, size);
        size_t node = ss_graph_node(graph, name);
        ss_free(name);
        graph = node == SS_NONE ? NULL : graph->nodes[node].subgraph;
        if (graph && graph->checkpointer == SS_CHECKPOINTER_NONE)
            graph = NULL;
        path += size;
        if (*path == '|')
            path++;
    }
    return graph;
}

struct ss_graph *ss_graph_ref(struct ss_graph *graph)
{
    __atomic_add_fetch(&graph->refs, 1, __ATOMIC_RELAXED);
    return graph;
}

static void free_list(char **items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ss_free(items[i]);
    ss_free(items);
}

static void free_channel(struct ss_channel_spec *channel)
{
    ss_free(channel->name);
    ss_free(channel->reducer_name);
    json_decref(channel->zero);
    free_list(channel->names, channel->names_count);
    ss_free(channel->nodes);
}

static void free_node(struct ss_graph *graph, struct ss_node *node)
{
    ss_free(node->name);
    ss_free(node->triggers);
    // A node that reads the whole state shares the graph's one list of keys.
    if (node->reads.items != graph->all_keys.items)
        free_list(node->reads.items, node->reads.count);
    ss_free(node->edges);
    ss_free(node->joins);
    for (size_t i = 0; i < node->branches_count; i++) {
        struct ss_branch *branch = &node->branches[i];
        ss_free(branch->name);
        json_decref(branch->map);
        if (branch->has_own_reads)
            free_list(branch->reads.items, branch->reads.count);
    }
    ss_free(node->branches);
    for (size_t i = 0; i < node->raw_writes_count; i++)
        ss_free(node->raw_writes[i].channel);
    ss_free(node->raw_writes);
    for (size_t i = 0; i < node->retries_count; i++)
        free_list(node->retries[i].retry_on, node->retries[i].retry_on_count);
    ss_free(node->retries);
    ss_graph_unref(node->subgraph);
    json_decref(node->metadata);
    free_list(node->destinations, node->destinations_count);
    free_list(node->labels.items, node->labels.count);
    for (size_t i = 0; i < node->limits.count; i++) {
        ss_free(node->limits.items[i].name);
        ss_free(node->limits.items[i].each);
    }
    ss_free(node->limits.items);
}

static void free_keys(struct ss_keys *keys)
{
    free_list(keys->items, keys->count);
}

void ss_graph_unref(struct ss_graph *graph)
{
    if (!graph || __atomic_sub_fetch(&graph->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < graph->channels_count; i++)
        free_channel(&graph->channels[i]);
    ss_free(graph->channels);
    for (size_t i = 0; i < graph->managed_count; i++)
        ss_free(graph->managed[i].name);
    ss_free(graph->managed);
    for (size_t i = 0; i < graph->nodes_count; i++)
        free_node(graph, &graph->nodes[i]);
    ss_free(graph->nodes);
    free_keys(&graph->all_keys);
    free_keys(&graph->input);
    free_keys(&graph->input_keys);
    free_keys(&graph->output);
    free_keys(&graph->stream);
    free_list(graph->interrupt_before.items, graph->interrupt_before.count);
    free_list(graph->interrupt_after.items, graph->interrupt_after.count);
    ss_ranks_destroy(&graph->ranks);
    ss_map_fini(&graph->channel_index, NULL);
    ss_map_fini(&graph->node_index, NULL);
    json_decref(graph->description);
    ss_free(graph->name);
    ss_free(graph->key);
    ss_free(graph);
}

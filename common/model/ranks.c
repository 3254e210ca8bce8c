// ranks.c - places among names, and bytes that never change.
#include "common/model/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"

struct named {
    const char *name;
    uint32_t index;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(
        ((const struct named *)a)->name, ((const struct named *)b)->name);
}

// Sorted in place.
static void sort_names(struct named *names, size_t count)
{
    if (count > 1)
        qsort(names, count, sizeof(*names), by_name);
}

static void rank_names(struct ss_ranks *ranks, const struct ss_graph *graph)
{
    size_t channels = graph->channels_count, nodes = graph->nodes_count;
    size_t most = channels > nodes ? channels : nodes;
    struct named *names = ss_zalloc(most + 1, sizeof(*names));
    for (size_t c = 0; c < channels; c++)
        names[c] = (struct named){graph->channels[c].name, (uint32_t)c};
    sort_names(names, channels);
    for (size_t i = 0; i < channels; i++)
        ranks->channels[names[i].index] = (uint32_t)i;
    for (size_t n = 0; n < nodes; n++)
        names[n] = (struct named){graph->nodes[n].name, (uint32_t)n};
    sort_names(names, nodes);
    for (size_t i = 0; i < nodes; i++)
        ranks->nodes[names[i].index].rank = (uint32_t)i;
    ss_free(names);
}

// ------------------------------------------------ slots

static void make_slots(struct ss_ranks *ranks, const struct ss_graph *graph)
{
    size_t count = 0;
    for (size_t n = 0; n < graph->nodes_count; n++)
        count += graph->nodes[n].triggers_count;
    ss_check(count < UINT32_MAX);
    ranks->slots_count = (uint32_t)count;
    ranks->slot_nodes = ss_zalloc(count + 1, sizeof(*ranks->slot_nodes));
    count = 0;
    for (size_t n = 0; n < graph->nodes_count; n++) {
        ranks->nodes[n].slot = (uint32_t)count;
        for (size_t i = 0; i < graph->nodes[n].triggers_count; i++)
            ranks->slot_nodes[count++] = (uint32_t)n;
    }
}

// ------------------------------------------------ reads

// Nodes that read the whole state share one list of keys.
static bool shares_reads(const struct ss_graph *graph, size_t n, size_t *whole)
{
    bool is_whole = graph->nodes[n].reads.items == graph->all_keys.items;
    bool is_first = is_whole && *whole == SS_NONE;
    if (is_first)
        *whole = n;
    return is_whole && !is_first;
}

// A channel or a managed value; UINT32_MAX: neither.
static uint32_t read_of(
    const struct ss_graph *graph, const struct ss_keys *keys, size_t i)
{
    size_t c = ss_graph_channel(graph, keys->items[i]);
    const struct ss_managed_spec *managed =
        c == SS_NONE && !keys->scalar ? ss_graph_managed(graph, keys->items[i])
                                      : NULL;
    if (managed)
        return SS_READS_MANAGED | (uint32_t)(managed - graph->managed);
    return c == SS_NONE ? UINT32_MAX : (uint32_t)c;
}

static uint32_t fill_reads(
    const struct ss_graph *graph, const struct ss_keys *keys, uint32_t *reads)
{
    struct ss_map names = {0};
    uint32_t count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        uint32_t read = read_of(graph, keys, i);
        if (read != UINT32_MAX && !ss_map_put(&names, keys->items[i], &names))
            reads[count++] = read;
    }
    ss_map_fini(&names, NULL);
    return count;
}

static void make_reads(struct ss_ranks *ranks, const struct ss_graph *graph)
{
    size_t size = 1, at = 0, whole = SS_NONE;
    for (size_t n = 0; n < graph->nodes_count; n++)
        if (!shares_reads(graph, n, &whole))
            size += graph->nodes[n].reads.count;
    ranks->reads = ss_zalloc(size, sizeof(*ranks->reads));
    whole = SS_NONE;
    for (size_t n = 0; n < graph->nodes_count; n++) {
        struct ss_node_ranks *node = &ranks->nodes[n];
        if (shares_reads(graph, n, &whole)) {
            node->reads = ranks->nodes[whole].reads;
            node->reads_count = ranks->nodes[whole].reads_count;
            continue;
        }
        node->reads = ranks->reads + at;
        node->reads_count =
            fill_reads(graph, &graph->nodes[n].reads, ranks->reads + at);
        at += node->reads_count;
    }
    ss_check(at < size);
}

// ------------------------------------------------ bytes

static void make_hashes(struct ss_ranks *ranks, const struct ss_graph *graph)
{
    struct ss_buf buf;
    size_t at = 0;
    ss_buf_init(&buf, SIZE_MAX);
    for (size_t n = 0; n < graph->nodes_count; n++) {
        const struct ss_node *node = &graph->nodes[n];
        size_t from = buf.size;
        ss_buf_add_str(&buf, SS_NAME_PULL);
        for (size_t i = 0; i < node->triggers_count; i++)
            ss_buf_add_str(&buf, graph->channels[node->triggers[i]].name);
        ranks->nodes[n].hash_size = (uint32_t)(buf.size - from);
    }
    ss_check(buf.status == SS_OK);
    ranks->hashes = ss_buf_steal(&buf, NULL);
    for (size_t n = 0; n < graph->nodes_count; n++) {
        ranks->nodes[n].hash = ranks->hashes + at;
        at += ranks->nodes[n].hash_size;
    }
}

static void make_paths(struct ss_ranks *ranks, const struct ss_graph *graph)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    for (size_t n = 0; n < graph->nodes_count; n++) {
        ss_buf_add_str(&buf, "~" SS_NAME_PULL ", ");
        ss_buf_add(
            &buf, graph->nodes[n].name, strlen(graph->nodes[n].name) + 1);
    }
    ss_check(buf.status == SS_OK);
    const char *at = ranks->paths = ss_buf_steal(&buf, NULL);
    for (size_t n = 0; n < graph->nodes_count; n++) {
        ranks->nodes[n].path = at;
        at += strlen(at) + 1;
    }
}

// ------------------------------------------------ the output

// A superstep in which nobody writes to it leaves it as it is.
static bool stands(enum ss_channel_kind kind)
{
    switch (kind) {
    case SS_CHANNEL_LAST_VALUE:
    case SS_CHANNEL_REDUCER:
    case SS_CHANNEL_DELTA:
        return true;
    case SS_CHANNEL_LAST_VALUE_AFTER_FINISH:
    case SS_CHANNEL_ANY_VALUE:
    case SS_CHANNEL_EPHEMERAL:
    case SS_CHANNEL_UNTRACKED:
    case SS_CHANNEL_BARRIER:
    case SS_CHANNEL_BARRIER_AFTER_FINISH:
    case SS_CHANNEL_TOPIC:
        return false;
    }
    return false;
}

static bool output_stands(const struct ss_graph *graph)
{
    for (size_t i = 0; i < graph->output.count; i++) {
        size_t c = ss_graph_channel(graph, graph->output.items[i]);
        if (c != SS_NONE && !stands(graph->channels[c].kind))
            return false;
    }
    return true;
}

// ------------------------------------------------ the whole

struct ss_ranks *ss_ranks_new(const struct ss_graph *graph)
{
    struct ss_ranks *ranks = ss_zalloc(1, sizeof(*ranks));
    ss_check(graph->channels_count < SS_READS_MANAGED);
    ss_check(graph->nodes_count < UINT32_MAX);
    ranks->channels =
        ss_zalloc(graph->channels_count + 1, sizeof(*ranks->channels));
    ranks->nodes = ss_zalloc(graph->nodes_count + 1, sizeof(*ranks->nodes));
    ranks->nodes_count = graph->nodes_count;
    rank_names(ranks, graph);
    make_slots(ranks, graph);
    make_reads(ranks, graph);
    make_hashes(ranks, graph);
    make_paths(ranks, graph);
    ranks->triggers_of_push = json_pack("[s]", SS_NAME_PUSH);
    ranks->output_stands = output_stands(graph);
    return ranks;
}

void ss_ranks_destroy(struct ss_ranks **place)
{
    struct ss_ranks *ranks = *place;
    if (!ranks)
        return;
    *place = NULL;
    for (size_t n = 0; n < ranks->nodes_count; n++) {
        json_decref(ranks->nodes[n].triggers);
        ss_free(ranks->nodes[n].coded);
        ss_free(ranks->nodes[n].coded_triggers);
    }
    ss_free(ranks->coded);
    ss_free(ranks->coded_push);
    ss_free(ranks->channels);
    ss_free(ranks->nodes);
    ss_free(ranks->slot_nodes);
    ss_free(ranks->reads);
    ss_free(ranks->hashes);
    ss_free(ranks->paths);
    json_decref(ranks->triggers_of_push);
    ss_free(ranks);
}

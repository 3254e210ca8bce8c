// ranks.c - from a lowered graph to dense ids, and to bytes that never change.
#include "common/dense/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/reserved.h"

// ------------------------------------------------ ranks

struct named {
    const char *name;
    uint32_t index;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(
        ((const struct named *)a)->name, ((const struct named *)b)->name);
}

// The ranks of so many names, sorted in place. Gives: by index.
static uint32_t *rank(struct named *names, uint32_t count)
{
    uint32_t *ranks = ss_zalloc(count + 1, sizeof(*ranks));
    if (count > 1)
        qsort(names, count, sizeof(*names), by_name);
    for (uint32_t i = 0; i < count; i++)
        ranks[names[i].index] = i;
    return ranks;
}

static void rank_channels(struct ss_dense_graph *dense)
{
    const struct ss_graph *graph = dense->graph;
    uint32_t count = dense->channels_count;
    struct named *names = ss_zalloc(count, sizeof(*names));
    for (uint32_t c = 0; c < count; c++)
        names[c] = (struct named){graph->channels[c].name, c};
    dense->channel_ranks = rank(names, count);
    ss_free(names);
    for (uint32_t c = 0; c < count; c++) {
        const struct ss_channel_spec *spec = &graph->channels[c];
        struct ss_dense_channel *channel =
            &dense->channels[dense->channel_ranks[c]];
        channel->spec = spec;
        channel->kind = spec->kind;
        channel->is_barrier = spec->kind == SS_CHANNEL_BARRIER ||
                              spec->kind == SS_CHANNEL_BARRIER_AFTER_FINISH;
        if (spec->zero)
            channel->zero = ss_handle_of_json(spec->zero);
        dense->has_untracked =
            dense->has_untracked || spec->kind == SS_CHANNEL_UNTRACKED;
        channel->words = dense->words_count;
        if (channel->is_barrier)
            channel->words_count = (uint32_t)(spec->names_count + 63) / 64;
        dense->words_count += channel->words_count;
    }
    dense->tasks_channel = dense->channel_ranks[graph->tasks_channel];
}

static void rank_nodes(struct ss_dense_graph *dense)
{
    const struct ss_graph *graph = dense->graph;
    uint32_t count = dense->nodes_count;
    struct named *names = ss_zalloc(count + 1, sizeof(*names));
    for (uint32_t n = 0; n < count; n++)
        names[n] = (struct named){graph->nodes[n].name, n};
    dense->node_ranks = rank(names, count);
    ss_free(names);
    for (uint32_t n = 0; n < count; n++) {
        const struct ss_node *spec = &graph->nodes[n];
        struct ss_dense_node *node = &dense->nodes[dense->node_ranks[n]];
        node->spec = spec;
        node->name_size = (uint32_t)strlen(spec->name);
        node->declared = n;
        node->handler = spec->handler == SS_NONE
                            ? SS_RANK_NONE
                            : dense->node_ranks[spec->handler];
    }
}

// Paths are sorted as text. That of a handled failure ends with more than its
// node's name, and other names may lie between the two.
static void place_paths(struct ss_dense_graph *dense)
{
    uint32_t count = dense->nodes_count;
    struct named *names = ss_zalloc(2 * count + 1, sizeof(*names));
    char **longer = ss_zalloc(count + 1, sizeof(*longer));
    for (uint32_t n = 0; n < count; n++) {
        const char *name = dense->nodes[n].spec->name;
        longer[n] = ss_format("%s, %s, %010d", name, SS_NAME_HANDLER_PATH, 0);
        names[2 * n] = (struct named){name, 2 * n};
        names[2 * n + 1] = (struct named){longer[n], 2 * n + 1};
    }
    uint32_t *ranks = rank(names, 2 * count);
    for (uint32_t n = 0; n < count; n++) {
        dense->nodes[n].place = ranks[2 * n];
        dense->nodes[n].place_handled = ranks[2 * n + 1];
        ss_free(longer[n]);
    }
    ss_free(ranks);
    ss_free(names);
    ss_free(longer);
}

// ------------------------------------------------ spans

static size_t ids_size(const struct ss_graph *graph)
{
    size_t size = 1;
    for (size_t c = 0; c < graph->channels_count; c++)
        size += graph->channels[c].nodes_count;
    for (size_t n = 0; n < graph->nodes_count; n++)
        size += graph->nodes[n].triggers_count + graph->nodes[n].reads.count;
    return size;
}

static int by_id(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

// Indexes of the lowered graph as ranks, ascending.
static struct ss_dense_span span_of(struct ss_dense_graph *dense,
    const size_t *items, size_t count, const uint32_t *ranks, uint32_t *at)
{
    struct ss_dense_span span = {*at, (uint32_t)count};
    for (size_t i = 0; i < count; i++)
        dense->ids[(*at)++] = ranks[items[i]];
    if (count > 1)
        qsort(dense->ids + span.from, count, sizeof(*dense->ids), by_id);
    return span;
}

static struct ss_dense_span span_of_reads(
    struct ss_dense_graph *dense, const struct ss_keys *keys, uint32_t *at)
{
    const struct ss_graph *graph = dense->graph;
    struct ss_dense_span span = {.from = *at};
    bool *marks = ss_zalloc(
        graph->channels_count + graph->managed_count + 1, sizeof(*marks));
    for (size_t i = 0; i < keys->count; i++) {
        size_t c = ss_graph_channel(graph, keys->items[i]);
        const struct ss_managed_spec *managed =
            c == SS_NONE && !keys->scalar
                ? ss_graph_managed(graph, keys->items[i])
                : NULL;
        if (c == SS_NONE && !managed)
            continue;
        uint32_t id =
            managed ? SS_RANK_MANAGED | (uint32_t)(managed - graph->managed)
                    : dense->channel_ranks[c];
        bool *is_there = managed ? &marks[graph->channels_count +
                                          (size_t)(managed - graph->managed)]
                                 : &marks[c];
        if (*is_there)
            continue; // of a name that stands twice the first one counts
        *is_there = true;
        dense->ids[(*at)++] = id;
        span.count++;
    }
    ss_free(marks);
    return span;
}

static void make_spans(struct ss_dense_graph *dense)
{
    uint32_t at = 0;
    dense->ids = ss_zalloc(ids_size(dense->graph), sizeof(*dense->ids));
    for (uint32_t c = 0; c < dense->channels_count; c++) {
        struct ss_dense_channel *channel = &dense->channels[c];
        channel->nodes = span_of(dense, channel->spec->nodes,
            channel->spec->nodes_count, dense->node_ranks, &at);
    }
    for (uint32_t n = 0; n < dense->nodes_count; n++) {
        struct ss_dense_node *node = &dense->nodes[n];
        node->triggers = span_of(dense, node->spec->triggers,
            node->spec->triggers_count, dense->channel_ranks, &at);
        node->reads = span_of_reads(dense, &node->spec->reads, &at);
        node->slot = dense->slots_count;
        dense->slots_count += node->triggers.count;
    }
    dense->slot_nodes =
        ss_zalloc(dense->slots_count + 1, sizeof(*dense->slot_nodes));
    for (uint32_t n = 0; n < dense->nodes_count; n++)
        for (uint32_t i = 0; i < dense->nodes[n].triggers.count; i++)
            dense->slot_nodes[dense->nodes[n].slot + i] = n;
}

// ------------------------------------------------ bytes

static size_t add_text(char *to, const char *text)
{
    size_t size = strlen(text);
    memcpy(to, text, size);
    return size;
}

static void make_hashes(struct ss_dense_graph *dense)
{
    size_t size = 1, at = 0;
    for (uint32_t n = 0; n < dense->nodes_count; n++) {
        const uint32_t *ids = ss_dense_ids(dense, dense->nodes[n].triggers);
        size += strlen(SS_NAME_PULL);
        for (uint32_t i = 0; i < dense->nodes[n].triggers.count; i++)
            size += strlen(dense->channels[ids[i]].spec->name);
    }
    dense->hashes = ss_alloc(size);
    for (uint32_t n = 0; n < dense->nodes_count; n++) {
        struct ss_dense_node *node = &dense->nodes[n];
        const uint32_t *ids = ss_dense_ids(dense, node->triggers);
        size_t from = at;
        at += add_text(dense->hashes + at, SS_NAME_PULL);
        for (uint32_t i = 0; i < node->triggers.count; i++)
            at += add_text(
                dense->hashes + at, dense->channels[ids[i]].spec->name);
        node->hash = dense->hashes + from;
        node->hash_size = (uint32_t)(at - from);
    }
    ss_check(at < size);
}

// ------------------------------------------------ the whole

struct ss_dense_graph *ss_dense_graph_new(struct ss_graph *graph)
{
    struct ss_dense_graph *dense = ss_zalloc(1, sizeof(*dense));
    ss_check(graph->channels_count < SS_RANK_MANAGED);
    dense->refs = 1;
    dense->graph = ss_graph_ref(graph);
    dense->channels_count = (uint32_t)graph->channels_count;
    dense->nodes_count = (uint32_t)graph->nodes_count;
    dense->channels =
        ss_zalloc(graph->channels_count, sizeof(*dense->channels));
    dense->nodes = ss_zalloc(graph->nodes_count + 1, sizeof(*dense->nodes));
    rank_channels(dense);
    rank_nodes(dense);
    place_paths(dense);
    make_spans(dense);
    make_hashes(dense);
    return dense;
}

struct ss_dense_graph *ss_dense_graph_ref(struct ss_dense_graph *graph)
{
    graph->refs++;
    return graph;
}

void ss_dense_graph_unref(struct ss_dense_graph *graph)
{
    if (!graph || --graph->refs > 0)
        return;
    for (uint32_t c = 0; c < graph->channels_count; c++)
        ss_handle_unref(graph->channels[c].zero);
    ss_free(graph->channels);
    ss_free(graph->nodes);
    ss_free(graph->ids);
    ss_free(graph->slot_nodes);
    ss_free(graph->channel_ranks);
    ss_free(graph->node_ranks);
    ss_free(graph->hashes);
    ss_graph_unref(graph->graph);
    ss_free(graph);
}

uint32_t ss_dense_graph_channel(
    const struct ss_dense_graph *graph, const char *name)
{
    size_t c = ss_graph_channel(graph->graph, name);
    return c == SS_NONE ? SS_RANK_NONE : graph->channel_ranks[c];
}

uint32_t ss_dense_graph_node(
    const struct ss_dense_graph *graph, const char *name)
{
    size_t n = ss_graph_node(graph->graph, name);
    return n == SS_NONE ? SS_RANK_NONE : graph->node_ranks[n];
}

// ranks.h - a graph by dense ids: channels and nodes numbered in the order of
// their names, so that what must be in that order is in the order of ids.
// Immutable and counted; made once from the lowered graph, whose texts it
// borrows, with the parts that ids and paths of tasks always have.
#ifndef SS_DENSE_RANKS_H
#define SS_DENSE_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/dense/handle.h"
#include "common/model/graph.h"

#define SS_RANK_NONE    UINT32_MAX
// Of a node's reads: a managed value, by its index.
#define SS_RANK_MANAGED ((uint32_t)1 << 31)

struct ss_dense_span { // of ss_dense_graph.ids
    uint32_t from, count;
};

struct ss_dense_channel {
    const struct ss_channel_spec *spec; // borrowed
    enum ss_channel_kind kind;
    bool is_barrier; // of either kind
    struct ss_handle zero;
    struct ss_dense_span nodes;  // whom it triggers, ascending
    uint32_t words, words_count; // a barrier's: bits of who has arrived
};

struct ss_dense_node {
    const struct ss_node *spec; // borrowed
    uint32_t name_size;
    uint32_t declared;             // its place in the order of declaration
    uint32_t handler;              // its error handler, or SS_RANK_NONE
    struct ss_dense_span triggers; // channels, ascending
    uint32_t slot;                 // of its first trigger: what it has seen
    struct ss_dense_span reads;    // as described; what is not there is left
                                   // out
    // Where its PULL task, and the handler of that, stand among all paths.
    uint32_t place, place_handled;
    const char *hash; // __pregel_pull and its triggers: the end of its ids
    uint32_t hash_size;
};

struct ss_dense_graph {
    uint32_t refs;
    struct ss_graph *graph; // own reference
    struct ss_dense_channel *channels;
    struct ss_dense_node *nodes;
    uint32_t channels_count, nodes_count, slots_count, words_count;
    uint32_t *ids;        // all spans
    uint32_t *slot_nodes; // by slot: whose it is
    uint32_t tasks_channel;
    uint32_t *channel_ranks, *node_ranks; // by index in the lowered graph
    char *hashes;                         // what node->hash points into
    bool has_untracked;
};

// Gives. `graph` stays as it is.
struct ss_dense_graph *ss_dense_graph_new(struct ss_graph *graph);
struct ss_dense_graph *ss_dense_graph_ref(struct ss_dense_graph *graph);
void ss_dense_graph_unref(struct ss_dense_graph *graph); // NULL is fine

// By name; SS_RANK_NONE: it has none.
uint32_t ss_dense_graph_channel(
    const struct ss_dense_graph *graph, const char *name);
uint32_t ss_dense_graph_node(
    const struct ss_dense_graph *graph, const char *name);
static inline const uint32_t *ss_dense_ids(
    const struct ss_dense_graph *graph, struct ss_dense_span span)
{
    return graph->ids + span.from;
}

#endif

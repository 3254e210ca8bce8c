// ranks.h - what a machine asks of a lowered graph each superstep, made once:
// where names stand among names, and the parts of ids that never change.
#ifndef SS_MODEL_RANKS_H
#define SS_MODEL_RANKS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct ss_coded;
struct ss_graph;

// Of what a node reads: a managed value, by its index.
#define SS_READS_MANAGED ((uint32_t)1 << 31)

struct ss_node_ranks {
    uint32_t rank; // its place in the order of names
    uint32_t slot; // of its first trigger: a place for each node and trigger
    uint32_t hash_size;
    uint32_t reads_count;
    const char *hash; // __pregel_pull and its triggers: the end of its ids
    const char *path; // path_str of its PULL task
    // Channels, as it names them; what is not there, or stands twice, is left
    // out.
    const uint32_t *reads;
    json_t *triggers; // their names, once somebody asked for them; or NULL
    // What its orders share (task.h), once somebody wrote one; or NULL.
    struct ss_coded *coded, *coded_triggers;
    uint64_t digest; // the same of what their digests share; or 0
};

// Immutable but for these. Belongs to its graph, whose texts it does not need.
struct ss_ranks {
    uint32_t *channels; // by channel: its place in the order of names
    struct ss_node_ranks *nodes;
    size_t nodes_count;
    uint32_t *slot_nodes; // by slot: whose it is
    uint32_t slots_count;
    uint32_t *reads;                     // what nodes->reads points into
    char *hashes;                        // what nodes->hash points into
    char *paths;                         // what nodes->path points into
    json_t *triggers_of_push;            // what any task says that was sent
    struct ss_coded *coded, *coded_push; // of the graph; of these; as above
    bool output_stands; // only a write changes a channel of graph->output
};

// Of a graph whose channels and nodes stand. Gives.
struct ss_ranks *ss_ranks_new(const struct ss_graph *graph);
void ss_ranks_destroy(struct ss_ranks **place); // NULL is fine

#endif

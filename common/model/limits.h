// limits.h - the bounds of what the model takes from outside, each with its
// reason.
#ifndef SS_MODEL_LIMITS_H
#define SS_MODEL_LIMITS_H

#include <stdint.h>

enum {
    SS_VALUE_DEPTH_MAX = 512, // nesting of JSON: decoding recurses
    // The longest time of a rate: for so long nothing of it may begin behind a
    // start or a takeover, as nobody knows what had begun before.
    SS_LIMIT_PER_MS_MAX = 3600000,
    SS_NAME_SIZE_MAX = 512,    // a node, key, channel or graph name
    SS_THREAD_SIZE_MAX = 1024, // a thread id
    SS_NODES_MAX = 200000,     // nodes of one graph
    SS_NODE_LIMITS_MAX = 4,    // that a node says, or a graph of its nodes
    SS_CHANNELS_MAX = 400000,  // channels of one graph
    SS_MANAGED_MAX = 64,       // keys that are managed: looked at one by one
    SS_GRAPH_DEPTH_MAX = 16,   // graphs within graphs
    // Nodes and ways of a picture, with those of the graphs that it opens: each
    // is compared with every other, while requests wait for the coordinator.
    SS_DRAWN_MAX = 4000,
    // Ways that a dry run finds before they are settled, level by level.
    SS_DRAWN_FOUND_MAX = 1 << 19,
    SS_RECURSION_LIMIT_DEFAULT = 10007, // spec/engine.md R5.18
};

// Versions and steps that come from outside: each is counted on by one for a
// superstep, and must not come to the end of its integers.
#define SS_COUNTED_MAX (INT64_MAX / 2)

// One value or one input, in bytes of JSON: what a coordinator holds in memory.
#define SS_VALUE_SIZE_MAX  (64u * 1024u * 1024u)
// The longest duration that counts, in milliseconds: 31,700 years. A longer one
// is cut to this, so that no sum with a clock overflows, in microseconds
// either.
#define SS_DURATION_MS_MAX INT64_C(1000000000000000)
static inline int64_t ss_duration_ms(int64_t asked)
{
    return asked < SS_DURATION_MS_MAX ? asked : SS_DURATION_MS_MAX;
}

#endif

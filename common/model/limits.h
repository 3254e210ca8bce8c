// limits.h - the bounds of what the model takes from outside, each with its reason.
#ifndef SS_MODEL_LIMITS_H
#define SS_MODEL_LIMITS_H

enum {
    SS_VALUE_DEPTH_MAX = 512,      // nesting of JSON: decoding recurses
    SS_NAME_SIZE_MAX = 512,        // a node, key, channel or graph name
    SS_THREAD_SIZE_MAX = 1024,     // a thread id
    SS_NODES_MAX = 200000,         // nodes of one graph
    SS_CHANNELS_MAX = 400000,      // channels of one graph
    SS_GRAPH_DEPTH_MAX = 16,       // graphs within graphs
    SS_RECURSION_LIMIT_DEFAULT = 10007, // spec/engine.md R5.18
};

// One value or one input, in bytes of JSON: what a coordinator holds in memory.
#define SS_VALUE_SIZE_MAX (64u * 1024u * 1024u)
// A graph's description, in bytes of JSON.
#define SS_DESCRIPTION_SIZE_MAX (64u * 1024u * 1024u)

#endif

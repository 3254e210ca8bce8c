// graph.h - a graph as the engine runs it: channels, triggers, writers.
//
// A graph is described by one JSON document (spec.h builds it; workers announce
// it; the store keeps it) and lowered from that by ss_graph_compile()
// (spec/engine.md 0.2, spec/graph.md 2): the same code on every side, so the
// coordinator needs no user code. A lowered graph is immutable and counted.
//
//   description                       lowered
//   state keys          ->  channels: key..., __start__, __pregel_tasks,
//   nodes                               branch:to:N..., join:A+B:C...
//   edges, joins, branches ->  nodes: triggers, reads, writers
#ifndef SS_MODEL_GRAPH_H
#define SS_MODEL_GRAPH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/status.h"

enum ss_channel_kind {
    SS_CHANNEL_LAST_VALUE,
    SS_CHANNEL_LAST_VALUE_AFTER_FINISH,
    SS_CHANNEL_ANY_VALUE,
    SS_CHANNEL_EPHEMERAL,
    SS_CHANNEL_UNTRACKED,
    SS_CHANNEL_BARRIER,
    SS_CHANNEL_BARRIER_AFTER_FINISH,
    SS_CHANNEL_TOPIC,
    SS_CHANNEL_REDUCER, // BinaryOperatorAggregate
    SS_CHANNEL_DELTA,   // as REDUCER; its batch rule is spec R2.4
};

enum ss_reducer {
    SS_REDUCER_NONE,
    SS_REDUCER_ADD, // numbers add, text and lists concatenate
    SS_REDUCER_OR,  // maps merge, right wins; booleans or
    SS_REDUCER_MAX,
    SS_REDUCER_MIN,
    SS_REDUCER_APPEND, // the written value becomes one more item
    SS_REDUCER_ADD_MESSAGES,
    SS_REDUCER_CUSTOM, // the application's: a worker folds
};

struct ss_channel_spec {
    char *name;
    enum ss_channel_kind kind;
    enum ss_reducer reducer;
    char *reducer_name; // of a custom one, else NULL
    json_t *zero;       // what it holds before any write; NULL: nothing
    bool guard;         // EPHEMERAL, UNTRACKED: one write a superstep
    bool accumulate;    // TOPIC
    bool is_state_key;
    unsigned char type; // of what is written (enum ss_type); 0: any
    char **names;       // BARRIER: who must arrive, sorted, each once
    size_t names_count;
    int64_t snapshot_frequency; // DELTA
    size_t *nodes;              // whom it triggers, ascending node index
    size_t nodes_count;
};

enum ss_managed { SS_MANAGED_IS_LAST_STEP, SS_MANAGED_REMAINING_STEPS };

struct ss_managed_spec {
    char *name;
    enum ss_managed kind;
};

// A list of names, or one name in scalar mode (R0.1, R0.2).
struct ss_keys {
    bool scalar;
    char **items;
    size_t count;
};

// Node names, or "*".
struct ss_names {
    bool all;
    char **items;
    size_t count;
};

struct ss_branch {
    char *name;
    json_t *map;          // result -> node, or NULL
    bool has_own_reads;   // has a schema of its own (R0.8)
    struct ss_keys reads; // channels and managed values that the router reads
};

// A write of a raw node: what it returned, or a function of that, to a channel.
struct ss_raw_write {
    char *channel;
    bool mapped; // through a function of the application
    bool skip_null;
};

struct ss_retry {
    int64_t initial_interval_ms;
    double backoff_factor;
    int64_t max_interval_ms;
    int64_t attempts_max; // first try included
    bool jitter;
    char **retry_on; // error kinds; NULL: the default predicate (R6.22)
    size_t retry_on_count;
};

// How long an attempt may take.
struct ss_timeouts {
    int64_t run_ms;      // 0: none
    int64_t idle_ms;     // without a sign of progress; 0: none
    bool heartbeat_only; // idle: only explicit heartbeats count
};

// How many tasks that are under one name may be out at once, or begin in a
// time, over all runs, graphs and coordinators.
struct ss_node_limit {
    char *name; // NULL: none
    int64_t tasks_max;
    int64_t per_ms; // so many may begin in this time; 0: be out at once
    char *each;     // so many for each value of this key; NULL: together
};

struct ss_node_limits {
    struct ss_node_limit *items;
    size_t count;
};

struct ss_node {
    char *name;
    bool hidden;     // __start__: no events, not in "*"
    bool has_body;   // false: __start__ alone, its input is its return value
    bool is_handler; // an error handler's node
    bool defer;
    size_t *triggers; // channel indexes, sorted by channel name (R3.6)
    size_t triggers_count;
    struct ss_keys reads;
    // writers (R0.7), in this order: state keys, edges, joins, branches
    bool writes_input_keys; // __start__: only keys of the input schema
    size_t *edges;          // channel indexes of branch:to:T
    size_t edges_count;
    size_t *joins; // channel indexes
    size_t joins_count;
    struct ss_branch *branches;
    size_t branches_count;
    struct ss_raw_write *raw_writes; // of a raw graph's node
    size_t raw_writes_count;
    bool has_writers; // update_state as this node is possible
    // policies
    struct ss_retry *retries;
    size_t retries_count;
    struct ss_timeouts timeouts;
    bool cached;
    int64_t cache_ttl_ms; // 0: for ever
    size_t handler;       // node index of its error handler; SIZE_MAX: none
    struct ss_graph *subgraph; // a node that is a graph, or NULL; owned ref
    json_t *metadata;          // or NULL
    char **destinations;       // declared goto targets
    size_t destinations_count;
    struct ss_keys labels;        // what a worker must offer
    struct ss_node_limits limits; // all hold: its own, then its graph's
};

enum ss_checkpointer {
    SS_CHECKPOINTER_INHERIT, // unset
    SS_CHECKPOINTER_KEEP,    // true: one lineage for each place of call
    SS_CHECKPOINTER_NONE,    // false
};

struct ss_graph {
    unsigned refs;
    char *name;
    char version[SS_HEX128_SIZE]; // hash of what decides plan and update
    char *key;                    // "name@version", by which workers serve it
    json_t *description;
    bool is_state;   // else raw
    bool root_state; // its state is the one value __root__
    struct ss_channel_spec
        *channels; // state keys, __start__, tasks, branches, joins
    size_t channels_count;
    struct ss_managed_spec *managed;
    size_t managed_count;
    struct ss_keys all_keys; // state keys and managed values, as described
    struct ss_node *nodes;   // __start__ first (state graphs), then as defined
    size_t nodes_count;
    struct ss_keys input;      // input channels
    struct ss_keys input_keys; // state graphs: keys of the input schema
    struct ss_keys output;
    struct ss_keys stream;
    struct ss_names interrupt_before;
    struct ss_names interrupt_after;
    enum ss_checkpointer checkpointer;
    bool is_strict; // a goto, route or send to no node is an error (SS_EROUTE)
    struct ss_map channel_index; // name -> index + 1
    struct ss_map node_index;    // name -> index + 1
    size_t tasks_channel;        // index of __pregel_tasks
    bool has_untracked;          // some channels are never saved
    bool has_custom;             // a custom reducer folds some channel
    struct ss_ranks *ranks;      // what is derived for machines (ranks.h)
};

#define SS_NONE ((size_t)-1)

// Validate a description and lower it. Borrows `description` (a reference is
// kept). Gives *ret_graph. Errors: SS_EINVAL with a message that names graph,
// node or edge, and a near miss ("Did you mean ...?"); SS_ELIMIT.
// Sources: spec/engine.md R0.4-R0.10, spec/graph.md 1.2-1.3, 2.
int ss_graph_compile(json_t *description, struct ss_graph **ret_graph,
    struct ss_error *error) SS_MUST_USE;

// Counting is atomic: threads may share a graph.
struct ss_graph *ss_graph_ref(struct ss_graph *graph);
void ss_graph_unref(struct ss_graph *graph); // NULL is fine

// Index of a channel or node by name; SS_NONE if there is none.
size_t ss_graph_channel(const struct ss_graph *graph, const char *name);
size_t ss_graph_node(const struct ss_graph *graph, const char *name);
// Whether what is written to the channel is of its declared type: a value of a
// key without reducer; null and marks are of every type, whole numbers are
// floats, too. False: *ret_holds says what it holds, as "a text".
bool ss_channel_takes(const struct ss_channel_spec *channel, json_t *value,
    const char **ret_holds);
// The managed value of that name, or NULL.
const struct ss_managed_spec *ss_graph_managed(
    const struct ss_graph *graph, const char *name);
bool ss_keys_have(const struct ss_keys *keys, const char *name);
bool ss_names_have(const struct ss_names *names, const struct ss_node *node);

// The graph found inside `graph` under a path of node names joined by "|"
// (R12.4); `graph` itself for "". NULL if there is none, or if a graph on the
// way is never stored (R12.11). Borrowed.
struct ss_graph *ss_graph_inside(struct ss_graph *graph, const char *path);

// Mermaid text (spec/graph.md 5.2). `xray` expands subgraphs. Gives; NULL: more
// than SS_DRAWN_MAX nodes and ways.
char *ss_graph_mermaid(struct ss_graph *graph, bool styles, int xray);
// What that picture cannot show: the nodes with a router that has no map, where
// the node does not say either where it may lead ("destinations"). A list of
// ids as in the picture. Gives.
json_t *ss_graph_unmapped(const struct ss_graph *graph, int xray);

#endif

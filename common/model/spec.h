// spec.h - building a graph's description.
//
// A description is JSON, whole in itself (subgraphs are inside):
//   {"name": "digest", "app_version": "1", "kind": "state" | "raw",
//    "state": [{"key", "type"?, "reducer"? | "channel"? | "managed"?,
//               "guard"?, "accumulate"?, "names"?, "snapshot_frequency"?,
//               "default"?, "custom"?: name of a custom reducer}],
//    "input": [key...]?, "output": [key...]?,
//    "nodes": [{"name", "reads"?: [key...], "defer"?, "metadata"?,
//               "retry"?: [{"initial_interval_ms", "backoff_factor",
//                 "max_interval_ms", "max_attempts", "jitter", "retry_on"?}],
//               "timeout_ms"?, "idle_timeout_ms"?, "refresh_on"?,
//               "cache"?: {"ttl_ms"?}, "error_handler"?: bool,
//               "destinations"?: [...], "subgraph"?: name, "labels"?: [...],
//               "limit"?: {"name"?, "tasks_max", "each"?: key}, or
//                   {"name"?, "begun_max", "per_ms", "each"?: key}, or a list
//                   of these, which hold together}],
//    "edges": [[from, to] | [[from...], to]],
//    "branches": [{"from", "name", "map"?: {result: node} | [node...],
//                  "reads"?: [key...]}],
//    "interrupt_before"?, "interrupt_after"?: [node...] | "*",
//    "checkpointer"?: true | false, "strict"?: bool,
//    "limit"?: of all nodes together, beside what each has,
//    "defaults"?: {"retry"?, "timeout_ms"?, "idle_timeout_ms"?, "cache"?,
//                  "error_handler"?: bool},
//    "subgraphs"?: {name: description}}
// A raw graph has "channels": [{"name", "kind", ...as a state key...}] and
// nodes with "subscribe_only" | "subscribe" + "read", "writes": [{"channel",
// "mapped"?, "skip_null"?}]; "input", "output", "stream" are a name or a list.
//
// The builder checks what spec/graph.md 1.2 says is refused at once; the first
// error sticks, later calls do nothing, and ss_spec_end() reports it.
#ifndef SS_MODEL_SPEC_H
#define SS_MODEL_SPEC_H

#include <jansson.h>

#include "common/base/status.h"

struct ss_spec;

// `kind`: "state" or "raw". Gives.
struct ss_spec *ss_spec_new(const char *name, const char *kind);
void ss_spec_destroy(struct ss_spec **spec);
// Each takes the reference of `options` (a JSON object of the keys above, or
// NULL). Errors stick and are returned.
int ss_spec_key(struct ss_spec *spec, const char *key, json_t *options);
int ss_spec_channel(struct ss_spec *spec, const char *name, json_t *options);
int ss_spec_node(struct ss_spec *spec, const char *name, json_t *options);
int ss_spec_edge(struct ss_spec *spec, const char *from, const char *to);
int ss_spec_join(struct ss_spec *spec, const char *const *from, size_t count,
    const char *to);
int ss_spec_branch(
    struct ss_spec *spec, const char *from, const char *name, json_t *options);
// One more limit of a node that was added before; NULL: of all of the graph.
int ss_spec_limit(struct ss_spec *spec, const char *node, json_t *limit);
// A subgraph that nodes may name. Borrows `description`.
int ss_spec_subgraph(struct ss_spec *spec, json_t *description);
// Any other top-level key (input, output, stream, interrupt_before, ...).
int ss_spec_set(struct ss_spec *spec, const char *key, json_t *value);
// The description, or the first error. Gives *ret_description.
int ss_spec_end(struct ss_spec *spec, json_t **ret_description,
    struct ss_error *error) SS_MUST_USE;

#endif

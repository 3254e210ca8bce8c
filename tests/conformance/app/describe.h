// describe.h - from the graphs of a scenario to descriptions as Superstep has
// them (docs/reference: descriptions).
#ifndef SCENARIO_DESCRIBE_H
#define SCENARIO_DESCRIBE_H

#include <jansson.h>
#include <stdbool.h>

// The description of one graph of a scenario, without the graphs inside it.
// `inner`: it stands inside another one, where its checkpointer counts. Gives.
json_t *describe_alone(const char *name, json_t *graph, bool inner);
// The whole of it, with the graphs inside. Gives; NULL if it, or one inside it,
// is not there.
json_t *describe(json_t *graphs, const char *name);
// The names of the graphs that nodes of `graph` are, each once. Gives a list.
json_t *describe_inner_names(json_t *graph);
// The writes of a raw graph's node: list of {"channel", "mapped"?,
// "skip_null"?, "expression"?}. Gives.
json_t *describe_writes(json_t *node);
// The name of branch `index` of a graph.
void describe_branch_name(
    json_t *branch, size_t index, char *ret_name, size_t size);

#endif

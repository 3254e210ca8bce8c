// build.h - what the files of compilation share: compile.c, key.c, policy.c,
// lower_state.c and lower_raw.c. No other file includes it.
#ifndef SS_MODEL_BUILD_H
#define SS_MODEL_BUILD_H

#include "common/base/mem.h"
#include "common/model/graph.h"

// A graph on its way from description to lowered form.
struct ss_build {
    struct ss_graph *graph;
    json_t *description; // borrowed
    struct ss_error *error;
    int depth; // of graphs within graphs
    size_t channels_capacity;
    size_t nodes_capacity;
    struct ss_map subgraphs; // name -> struct ss_graph, owned
};

// SS_EINVAL with "graph \"name\": ..." before the message.
int ss_build_fail(struct ss_build *build, const char *format, ...)
    SS_PRINTF(2, 3);
// The same for the name of a node or channel that does not exist, with the
// nearest ones that do. `where` starts the message.
int ss_build_no_node(
    struct ss_build *build, const char *where, const char *name);
int ss_build_no_channel(
    struct ss_build *build, const char *where, const char *name);

// A channel of that kind; SS_EINVAL if there is one of this name, SS_ELIMIT.
// *ret_index may be NULL.
int ss_build_channel(struct ss_build *build, const char *name,
    enum ss_channel_kind kind, size_t *ret_index);
// A node; the same errors.
int ss_build_node(struct ss_build *build, const char *name, size_t *ret_index);
// `channel` starts `node`.
void ss_build_trigger(struct ss_build *build, size_t node, size_t channel);
// Append an index to a list of them.
void ss_index_add(size_t **items, size_t *count, size_t index);

// A list of texts of a JSON array (or, if `or_one`, one text: scalar mode).
// `what` names it in errors. NULL and null give none. Gives.
int ss_build_keys(struct ss_build *build, const json_t *json, bool or_one,
    const char *what, struct ss_keys *ret_keys);
void ss_keys_fini(struct ss_keys *keys);
void ss_keys_add(struct ss_keys *keys, const char *name);

void ss_names_sort(char **names, size_t *count); // key.c
// key.c: one state key or raw channel.
int ss_build_key(struct ss_build *build, const json_t *json, bool is_state);
// policy.c: what a node's description and the defaults say beside its wiring.
int ss_build_policies(
    struct ss_build *build, size_t index, const json_t *described);
int ss_build_node_name(struct ss_build *build, const char *name);
int ss_build_positive(struct ss_build *build, const char *where,
    const json_t *object, const char *key, int64_t *ret_value);

// lower_state.c, lower_raw.c
int ss_lower_state(struct ss_build *build);
int ss_lower_raw(struct ss_build *build);

#endif

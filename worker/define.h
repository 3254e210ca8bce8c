// define.h - a graph while its author defines it. Only define.c, options.c,
// bind.c and application.c include it.
#ifndef SS_WORKER_DEFINE_H
#define SS_WORKER_DEFINE_H

#include <superstep/superstep.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/spec.h"
#include "worker/application.h"

// A function of the author's and what belongs to it.
struct ss_binding {
    union {
        ss_node_fn *body;
        ss_router_fn *router;
        ss_write_fn *write;
        ss_reducer_fn *reducer;
    };
    void *ctx;
};

struct ss_graph_def {
    char *name;
    ss_graph_ctx_fn *define;
    void *ctx;
    const struct ss_graph_def *outer; // whose define() runs; NULL: a root
    struct ss_spec *spec;             // made by the first call that needs it
    struct ss_map bodies;             // node -> struct ss_binding
    struct ss_map routers;            // from, branch -> struct ss_binding
    struct ss_map writes;             // node, index -> struct ss_binding
    struct ss_map reducers;           // key -> struct ss_binding
    struct ss_map typed;              // keys whose types are meant -> the graph
    struct ss_map inner;              // subgraph -> struct ss_graph_def
    struct ss_map branches; // from -> how many unnamed ones, as a number
    struct ss_error error;  // the first one; sticks
    bool is_endless;        // that names a graph with all that is around it
};

struct ss_app_builder {
    struct ss_application *application;
    struct ss_error error;
};

// Run `define` and give the definition; its errors stick in it. `outer`: the
// graph that it is inside, or NULL.
struct ss_graph_def *ss_graph_def_new(const struct ss_graph_def *outer,
    const char *name, ss_graph_ctx_fn *define, void *ctx);
void ss_graph_def_destroy(struct ss_graph_def **graph);
// The spec of the graph; a state graph's if the kind was not set before.
// Borrowed.
struct ss_spec *ss_graph_def_spec(struct ss_graph_def *graph);
// Remember the first error.
void ss_graph_def_fail(struct ss_graph_def *graph, const char *format, ...)
    SS_PRINTF(2, 3);
// Keys for the maps above that have two parts. Give.
char *ss_graph_def_pair(const char *first, const char *second);

// options.c: the author's options as parts of a description (spec.h). Give; a
// bad option is a sticky error, and the object is given all the same.
json_t *ss_options_key(struct ss_graph_def *graph, const char *key,
    enum ss_type type, const struct ss_key_options *options);
json_t *ss_options_node(struct ss_graph_def *graph, const char *node,
    const struct ss_node_options *options);
json_t *ss_options_branch(struct ss_graph_def *graph, const char *from,
    const struct ss_branch_options *options);
// A list of texts that ends with NULL, as a JSON list. Gives.
json_t *ss_options_names(const char *const *names);

// bind.c: give each node, branch and reducer of the compiled `graph` its
// function. SS_EINVAL names what lacks one.
int ss_bind_graph(const struct ss_graph_def *def, struct ss_graph *graph,
    struct ss_bound_graph **ret_bound, struct ss_error *error) SS_MUST_USE;
void ss_bound_graph_destroy(struct ss_bound_graph *bound);

#endif

// application.h - an application as a worker runs it: its graphs, compiled, and
// the author's functions, found by graph and node.
//
//   descriptor -> define functions -> descriptions -> compiled graphs
//                                 \-> functions -------/ bound by index
//
// Immutable once made: any number of threads may use one.
#ifndef SS_WORKER_APPLICATION_H
#define SS_WORKER_APPLICATION_H

#include <superstep/superstep.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/graph.h"

struct ss_bound_router {
    ss_router_fn *function;
    void *ctx;
};

struct ss_bound_write {
    ss_write_fn *function;
    void *ctx;
};

struct ss_bound_reducer {
    ss_reducer_fn *function;
    void *ctx;
};

struct ss_bound_node {
    ss_node_fn *body; // NULL: __start__, or a node that is a graph
    void *ctx;
    struct ss_bound_router *routers; // by branch index
    struct ss_bound_write *writes;   // by raw write index; NULL where unmapped
};

// One graph with its functions.
struct ss_bound_graph {
    struct ss_graph *graph;            // owned reference
    struct ss_bound_node *nodes;       // by node index
    struct ss_bound_reducer *reducers; // by channel index; NULL where built in
    bool *typed; // by channel index: what bodies write must be of its type
};

// A graph that is announced, and the graphs inside it.
struct ss_root_graph {
    char *name;
    struct ss_graph *graph; // owned reference; has description and version
    struct ss_map bound;    // graph name -> struct ss_bound_graph *
};

struct ss_application;

// Build an application: calls its define and build functions. Borrows `app` for
// its life, `arg` (may be NULL) for the call. Gives *ret_application.
// Errors, with a message that names graph and node: SS_EVERSION (another ABI;
// both numbers), SS_EINVAL (a graph that does not compile, a node without a
// body, a branch without a router, two graphs of one name, what the build
// function said), SS_ELIMIT.
int ss_application_new(const struct ss_app *app, const char *arg,
    struct ss_application **ret_application,
    struct ss_error *error) SS_MUST_USE;
void ss_application_destroy(struct ss_application **application);

// The graphs that it announces, by index. Borrowed.
size_t ss_application_count(const struct ss_application *application);
const struct ss_root_graph *ss_application_graph(
    const struct ss_application *application, size_t index);
// The root graph of that name, or NULL.
const struct ss_root_graph *ss_application_find(
    const struct ss_application *application, const char *name);
// The graph `inner` inside `root` (or the root itself), or NULL.
const struct ss_bound_graph *ss_application_bound(
    const struct ss_root_graph *root, const char *inner);
// The application's own version, or NULL. Borrowed.
const char *ss_application_version(const struct ss_application *application);

#endif

// draw.h - the nodes and edges that a picture shows.
#ifndef SS_MODEL_DRAW_H
#define SS_MODEL_DRAW_H

#include "common/base/mem.h"
#include "common/model/graph.h"

struct ss_drawn_node {
    char *id; // "a", or "sub:a" where a subgraph is opened up
    char *name;
    json_t *metadata; // or NULL
};

struct ss_drawn_edge {
    char *source; // ids
    char *target;
    char *label; // or NULL
    bool is_conditional;
};

struct ss_drawing {
    SS_VEC(struct ss_drawn_node) nodes;
    SS_VEC(struct ss_drawn_edge) edges;
};

// The picture of a graph: its declared possibilities, found by a dry run
// (spec/graph.md 5.1). xray: levels of subgraphs to open up; below 0: all.
// False: the picture is over SS_DRAWN_MAX; then there is nothing to free.
bool ss_drawing_init(
    struct ss_drawing *drawing, const struct ss_graph *graph, int xray);
void ss_drawing_fini(struct ss_drawing *drawing);
// The one node that no edge goes to (or comes from), or SS_NONE. Node `without`
// and its edges do not count (SS_NONE: all count).
size_t ss_drawing_first(const struct ss_drawing *drawing, size_t without);
size_t ss_drawing_last(const struct ss_drawing *drawing, size_t without);

// Whether a node has a router that says nowhere where it may lead.
bool ss_drawing_is_unmapped(const struct ss_node *node);

// A way that the dry run found. Names and labels are borrowed from the graph.
struct ss_found_edge {
    const char *source;
    const char *target;
    const char *label; // "" for none
    bool is_conditional;
};

struct ss_dry_run {
    SS_VEC(struct ss_found_edge) edges; // sorted, one for each pair
    size_t *first;                      // nodes of the first level
    size_t first_count;
    size_t *last; // nodes of the last level
    size_t last_count;
};

// dry_run.c: run a graph with nothing in it, taking every declared way. False:
// the run finds over SS_DRAWN_FOUND_MAX ways; then there is nothing to free.
bool ss_dry_run_init(struct ss_dry_run *run, const struct ss_graph *graph);
void ss_dry_run_fini(struct ss_dry_run *run);

#endif

// draw.c - from a graph to nodes and edges of a picture (spec/graph.md 5.1).
#include "common/model/draw.h"

#include <string.h>

#include "common/model/limits.h"
#include "common/model/reserved.h"

static void add_node(struct ss_drawing *drawing, const char *id, json_t *more)
{
    SS_VEC_PUSH(&drawing->nodes,
        (struct ss_drawn_node){
            .id = ss_strdup(id), .name = ss_strdup(id), .metadata = more});
}

static size_t find_node(const struct ss_drawing *drawing, const char *id)
{
    for (size_t i = 0; i < drawing->nodes.count; i++)
        if (strcmp(drawing->nodes.items[i].id, id) == 0)
            return i;
    return SS_NONE;
}

static void add_edge(struct ss_drawing *drawing, const char *source,
    const char *target, const char *label, bool is_conditional)
{
    for (size_t i = 0; i < drawing->edges.count; i++)
        if (strcmp(drawing->edges.items[i].source, source) == 0 &&
            strcmp(drawing->edges.items[i].target, target) == 0)
            return;
    if (strcmp(target, SS_NAME_END) == 0 &&
        find_node(drawing, SS_NAME_END) == SS_NONE)
        add_node(drawing, SS_NAME_END, NULL);
    bool is_labelled = label && *label && strcmp(label, target) != 0;
    SS_VEC_PUSH(
        &drawing->edges, (struct ss_drawn_edge){.source = ss_strdup(source),
                             .target = ss_strdup(target),
                             .label = is_labelled ? ss_strdup(label) : NULL,
                             .is_conditional = is_conditional});
}

static void free_node(struct ss_drawn_node *node)
{
    ss_free(node->id);
    ss_free(node->name);
    json_decref(node->metadata);
}

static void free_edge(struct ss_drawn_edge *edge)
{
    ss_free(edge->source);
    ss_free(edge->target);
    ss_free(edge->label);
}

void ss_drawing_fini(struct ss_drawing *drawing)
{
    for (size_t i = 0; i < drawing->nodes.count; i++)
        free_node(&drawing->nodes.items[i]);
    for (size_t i = 0; i < drawing->edges.count; i++)
        free_edge(&drawing->edges.items[i]);
    SS_VEC_FINI(&drawing->nodes);
    SS_VEC_FINI(&drawing->edges);
}

static bool is_listed(const struct ss_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return true;
    return false;
}

static json_t *metadata_of(
    const struct ss_graph *graph, const struct ss_node *node)
{
    json_t *shown = node->metadata ? json_copy(node->metadata) : json_object();
    bool is_before = is_listed(&graph->interrupt_before, node->name);
    bool is_after = is_listed(&graph->interrupt_after, node->name);
    if (node->defer)
        json_object_set_new(shown, "defer", json_true());
    if (is_before || is_after)
        json_object_set_new(shown, "__interrupt",
            json_string(!is_after   ? "before"
                        : is_before ? "before,after"
                                    : "after"));
    return shown;
}

// Is the node at `index` an end (or a beginning) of some edge that counts?
static size_t only_one(
    const struct ss_drawing *drawing, size_t without, bool want_first)
{
    size_t found = SS_NONE;
    const char *gone =
        without == SS_NONE ? NULL : drawing->nodes.items[without].id;
    for (size_t i = 0; i < drawing->nodes.count; i++) {
        const char *id = drawing->nodes.items[i].id;
        bool is_touched = i == without;
        for (size_t e = 0; e < drawing->edges.count && !is_touched; e++) {
            const struct ss_drawn_edge *edge = &drawing->edges.items[e];
            const char *here = want_first ? edge->target : edge->source;
            const char *there = want_first ? edge->source : edge->target;
            is_touched =
                strcmp(here, id) == 0 && !(gone && strcmp(there, gone) == 0);
        }
        if (is_touched)
            continue;
        if (found != SS_NONE)
            return SS_NONE;
        found = i;
    }
    return found;
}

size_t ss_drawing_first(const struct ss_drawing *drawing, size_t without)
{
    return only_one(drawing, without, true);
}

size_t ss_drawing_last(const struct ss_drawing *drawing, size_t without)
{
    return only_one(drawing, without, false);
}

static void remove_node(struct ss_drawing *drawing, size_t index)
{
    struct ss_drawn_node *node = &drawing->nodes.items[index];
    for (size_t e = drawing->edges.count; e-- > 0;) {
        struct ss_drawn_edge *edge = &drawing->edges.items[e];
        if (strcmp(edge->source, node->id) == 0 ||
            strcmp(edge->target, node->id) == 0) {
            free_edge(edge);
            SS_VEC_REMOVE(&drawing->edges, e);
        }
    }
    free_node(node);
    SS_VEC_REMOVE(&drawing->nodes, index);
}

// The entry (or the end) of a subgraph goes, if one edge alone leads from it
// and another node can stand for it.
static void trim(struct ss_drawing *drawing, bool is_first)
{
    size_t index = only_one(drawing, SS_NONE, is_first), edges = 0;
    if (index == SS_NONE || only_one(drawing, index, is_first) == SS_NONE)
        return;
    const char *id = drawing->nodes.items[index].id;
    for (size_t e = 0; e < drawing->edges.count; e++) {
        const struct ss_drawn_edge *edge = &drawing->edges.items[e];
        edges += strcmp(is_first ? edge->source : edge->target, id) == 0;
    }
    if (edges == 1)
        remove_node(drawing, index);
}

static void prefix(char **id, const char *name)
{
    char *longer = ss_format("%s:%s", name, *id);
    ss_free(*id);
    *id = longer;
}

static void retarget(char **id, const char *from, const char *to)
{
    if (strcmp(*id, from) == 0) {
        ss_free(*id);
        *id = ss_strdup(to);
    }
}

// Node `name` gives way to the nodes and edges of its graph.
static void open_node(
    struct ss_drawing *drawing, const char *name, struct ss_drawing *inner)
{
    trim(inner, true);
    trim(inner, false);
    size_t first = ss_drawing_first(inner, SS_NONE);
    size_t last = ss_drawing_last(inner, SS_NONE);
    size_t index = find_node(drawing, name);
    free_node(&drawing->nodes.items[index]);
    SS_VEC_REMOVE(&drawing->nodes, index);
    for (size_t i = 0; i < inner->nodes.count; i++)
        prefix(&inner->nodes.items[i].id, name);
    for (size_t i = 0; i < drawing->edges.count; i++) {
        struct ss_drawn_edge *edge = &drawing->edges.items[i];
        retarget(&edge->source, name, inner->nodes.items[last].id);
        retarget(&edge->target, name, inner->nodes.items[first].id);
    }
    for (size_t i = 0; i < inner->nodes.count; i++)
        SS_VEC_PUSH(&drawing->nodes, inner->nodes.items[i]);
    for (size_t i = 0; i < inner->edges.count; i++) {
        prefix(&inner->edges.items[i].source, name);
        prefix(&inner->edges.items[i].target, name);
        SS_VEC_PUSH(&drawing->edges, inner->edges.items[i]);
    }
    // Moved, not copied.
    inner->nodes.count = inner->edges.count = 0;
}

// Draw; `left` is what the whole picture may still take, and becomes less.
static bool draw(struct ss_drawing *drawing, const struct ss_graph *graph,
    int xray, size_t *left);

static bool open_subgraphs(struct ss_drawing *drawing,
    const struct ss_graph *graph, int xray, size_t *left)
{
    for (size_t n = 0; n < graph->nodes_count; n++) {
        const struct ss_node *node = &graph->nodes[n];
        struct ss_drawing inner;
        if (!node->subgraph)
            continue;
        if (!draw(&inner, node->subgraph, xray > 0 ? xray - 1 : xray, left))
            return false;
        if (inner.nodes.count > 1 &&
            ss_drawing_first(&inner, SS_NONE) != SS_NONE &&
            ss_drawing_last(&inner, SS_NONE) != SS_NONE)
            open_node(drawing, node->name, &inner);
        ss_drawing_fini(&inner);
    }
    return true;
}

static bool is_source(const struct ss_dry_run *run, const char *name)
{
    for (size_t i = 0; i < run->edges.count; i++)
        if (strcmp(run->edges.items[i].source, name) == 0)
            return true;
    return false;
}

static bool is_target(const struct ss_dry_run *run, const char *name)
{
    for (size_t i = 0; i < run->edges.count; i++)
        if (strcmp(run->edges.items[i].target, name) == 0)
            return true;
    return false;
}

// A node that edges lead to, and none lead from, is an end; ends are in the
// order of their names.
static void add_ends(struct ss_drawing *drawing, const struct ss_graph *graph,
    const struct ss_dry_run *run)
{
    struct ss_keys ends = {0};
    for (size_t n = 0; n < graph->nodes_count; n++) {
        const char *name = graph->nodes[n].name;
        if (is_target(run, name) && !is_source(run, name)) {
            ends.items =
                ss_realloc(ends.items, (ends.count + 1) * sizeof(*ends.items));
            size_t i = ends.count++;
            for (; i > 0 && strcmp(ends.items[i - 1], name) > 0; i--)
                ends.items[i] = ends.items[i - 1];
            ends.items[i] = graph->nodes[n].name;
        }
    }
    for (size_t i = 0; i < ends.count; i++)
        add_edge(drawing, ends.items[i], SS_NAME_END, NULL, false);
    if (ends.count == 0 && run->last_count == 1 && !is_target(run, SS_NAME_END))
        add_edge(
            drawing, graph->nodes[run->last[0]].name, SS_NAME_END, NULL, true);
    ss_free(ends.items);
}

// The nodes of a graph, and the ways that they declare.
static size_t weight_of(const struct ss_graph *graph)
{
    size_t weight = graph->nodes_count;
    for (size_t n = 0; n < graph->nodes_count; n++) {
        const struct ss_node *node = &graph->nodes[n];
        weight += node->edges_count + node->joins_count +
                  node->raw_writes_count + node->destinations_count;
        for (size_t i = 0; i < node->branches_count; i++)
            weight += json_object_size(node->branches[i].map);
    }
    return weight;
}

static void fill(struct ss_drawing *drawing, const struct ss_graph *graph,
    const struct ss_dry_run *run)
{
    for (size_t n = 0; n < graph->nodes_count; n++)
        add_node(drawing, graph->nodes[n].name,
            metadata_of(graph, &graph->nodes[n]));
    if (ss_graph_node(graph, SS_NAME_START) == SS_NONE) {
        add_node(drawing, SS_NAME_START, NULL);
        for (size_t i = 0; i < run->first_count; i++)
            add_edge(drawing, SS_NAME_START, graph->nodes[run->first[i]].name,
                NULL, false);
    }
    for (size_t i = 0; i < run->edges.count; i++) {
        const struct ss_found_edge *edge = &run->edges.items[i];
        add_edge(drawing, edge->source, edge->target, edge->label,
            edge->is_conditional);
    }
    add_ends(drawing, graph, run);
}

static bool draw(struct ss_drawing *drawing, const struct ss_graph *graph,
    int xray, size_t *left)
{
    struct ss_dry_run run;
    size_t weight = weight_of(graph);
    *drawing = (struct ss_drawing){0};
    if (weight > *left || !ss_dry_run_init(&run, graph))
        return false;
    *left -= weight;
    // A node that waits for all others has an edge from each of them.
    bool fits = run.edges.count <= SS_DRAWN_MAX;
    if (fits)
        fill(drawing, graph, &run);
    ss_dry_run_fini(&run);
    if (fits && xray != 0)
        fits = open_subgraphs(drawing, graph, xray, left);
    if (!fits)
        ss_drawing_fini(drawing);
    return fits;
}

bool ss_drawing_is_unmapped(const struct ss_node *node)
{
    bool is_unmapped = false;
    for (size_t i = 0; i < node->branches_count; i++)
        is_unmapped |= !node->branches[i].map;
    return is_unmapped && node->destinations_count == 0;
}

static void add_unmapped(
    const struct ss_graph *graph, const char *prefix, int xray, json_t *list)
{
    for (size_t n = 0; n < graph->nodes_count; n++) {
        const struct ss_node *node = &graph->nodes[n];
        char *id = ss_format("%s%s", prefix, node->name);
        if (ss_drawing_is_unmapped(node))
            json_array_append_new(list, json_string(id));
        if (node->subgraph && xray != 0) {
            char *inside = ss_format("%s:", id);
            add_unmapped(
                node->subgraph, inside, xray > 0 ? xray - 1 : xray, list);
            ss_free(inside);
        }
        ss_free(id);
    }
}

json_t *ss_graph_unmapped(const struct ss_graph *graph, int xray)
{
    json_t *list = json_array();
    add_unmapped(graph, "", xray, list);
    return list;
}

bool ss_drawing_init(
    struct ss_drawing *drawing, const struct ss_graph *graph, int xray)
{
    size_t left = SS_DRAWN_MAX;
    return draw(drawing, graph, xray, &left);
}

// define.c - the half of superstep.h that defines graphs: each call adds to a
// description (common/model/spec.h) and remembers the author's function.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"
#include "worker/define.h"

void ss_graph_def_fail(struct ss_graph_def *graph, const char *format, ...)
{
    if (graph->error.status != SS_OK)
        return;
    char text[SS_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ss_error_set(
        &graph->error, SS_EINVAL, "graph \"%s\": %s", graph->name, text);
}

struct ss_spec *ss_graph_def_spec(struct ss_graph_def *graph)
{
    if (!graph->spec)
        graph->spec = ss_spec_new(graph->name, "state");
    return graph->spec;
}

char *ss_graph_def_pair(const char *first, const char *second)
{
    return ss_format("%zu:%s:%s", strlen(first), first, second);
}

static void graph_def_bind(
    struct ss_map *map, char *key, struct ss_binding binding)
{
    struct ss_binding *copy = ss_alloc(sizeof(*copy));
    *copy = binding;
    ss_free(ss_map_put(map, key, copy));
    ss_free(key);
}

struct ss_graph_def *ss_graph_def_new(const struct ss_graph_def *outer,
    const char *name, ss_graph_ctx_fn *define, void *ctx)
{
    struct ss_graph_def *graph = ss_zalloc(1, sizeof(*graph));
    graph->name = ss_strdup(name);
    graph->define = define;
    graph->ctx = ctx;
    graph->outer = outer;
    define(graph, ctx);
    return graph;
}

static void free_inner(void *value)
{
    struct ss_graph_def *graph = value;
    ss_graph_def_destroy(&graph);
}

void ss_graph_def_destroy(struct ss_graph_def **graph)
{
    struct ss_graph_def *old = *graph;
    if (!old)
        return;
    *graph = NULL;
    ss_spec_destroy(&old->spec);
    ss_map_fini(&old->bodies, ss_free);
    ss_map_fini(&old->routers, ss_free);
    ss_map_fini(&old->writes, ss_free);
    ss_map_fini(&old->reducers, ss_free);
    ss_map_fini(&old->typed, NULL);
    ss_map_fini(&old->inner, free_inner);
    ss_map_fini(&old->branches, ss_free);
    ss_free(old->name);
    ss_free(old);
}

// A name is copied into the description, which would silently leave out a name
// that is not UTF-8.
static bool is_name(
    struct ss_graph_def *graph, const char *what, const char *name)
{
    json_t *text = json_string(name);
    bool is_text = text != NULL;
    json_decref(text);
    if (!is_text)
        ss_graph_def_fail(
            graph, "%s is %s", what, name ? "not text in UTF-8" : "NULL");
    return is_text;
}

// ------------------------------------------------------------------ state

// Errors of the spec stick in it; ss_spec_end() reports the first.
static void ignore(int status)
{
    (void)status;
}

void ss_key_with(struct ss_graph_def *graph, const char *key, enum ss_type type,
    const struct ss_key_options *options)
{
    if (!is_name(graph, "the name of a key", key))
        return;
    ignore(ss_spec_key(ss_graph_def_spec(graph), key,
        ss_options_key(graph, key, type, options)));
    // An application that was built before types were looked at says no typed_.
    if (options && options->typed_)
        ss_map_put(&graph->typed, key, graph);
    if (options && options->reduce)
        ss_bind_reducer(graph, key, options->reduce, options->reduce_ctx);
}

static void set(struct ss_graph_def *graph, const char *key, json_t *value)
{
    ignore(ss_spec_set(ss_graph_def_spec(graph), key, value));
}

void ss_input_keys(struct ss_graph_def *graph, const char *const *keys)
{
    set(graph, "input", ss_options_names(keys));
}

void ss_output_keys(struct ss_graph_def *graph, const char *const *keys)
{
    set(graph, "output", ss_options_names(keys));
}

// ------------------------------------------------------------------ nodes

static void bind_handler(struct ss_graph_def *graph, char *name,
    const struct ss_node_options *options)
{
    graph_def_bind(&graph->bodies, name,
        (struct ss_binding){.body = options->on_error, .ctx = options->ctx});
}

void ss_node_with(struct ss_graph_def *graph, const char *name,
    ss_node_fn *body, const struct ss_node_options *options)
{
    if (!is_name(graph, "the name of a node", name))
        return;
    bool is_graph = options && options->subgraph;
    if (body && is_graph)
        ss_graph_def_fail(graph,
            "node \"%s\" has a body and a .subgraph; it can be only one", name);
    ignore(ss_spec_node(
        ss_graph_def_spec(graph), name, ss_options_node(graph, name, options)));
    if (body)
        ss_bind_node(graph, name, body, options ? options->ctx : NULL);
    if (options && options->on_error)
        bind_handler(graph, ss_format(SS_NAME_HANDLER "%s", name), options);
}

void ss_limit_with(struct ss_graph_def *graph, const char *node,
    const struct ss_limit_options *options)
{
    if (node && !is_name(graph, "the node of a limit", node))
        return;
    if (options->name && !is_name(graph, "the name of a limit", options->name))
        return;
    json_t *limit = json_pack("{s:s*}", "name", options->name);
    if (options->tasks_max != 0 || options->begun_max == 0)
        json_object_set_new(
            limit, "tasks_max", json_integer((json_int_t)options->tasks_max));
    if (options->begun_max != 0)
        json_object_set_new(
            limit, "begun_max", json_integer((json_int_t)options->begun_max));
    if (options->per_ms != 0)
        json_object_set_new(
            limit, "per_ms", json_integer((json_int_t)options->per_ms));
    bool has_each = options->size_ > offsetof(struct ss_limit_options, each);
    if (has_each && options->each)
        json_object_set_new(limit, "each", json_string(options->each));
    ignore(ss_spec_limit(ss_graph_def_spec(graph), node, limit));
}

void ss_defaults_with(
    struct ss_graph_def *graph, const struct ss_node_options *options)
{
    set(graph, "defaults", ss_options_node(graph, "(defaults)", options));
    if (options->on_error)
        bind_handler(graph, ss_strdup(SS_NAME_DEFAULT_HANDLER), options);
}

void ss_edge(struct ss_graph_def *graph, const char *from, const char *to)
{
    if (is_name(graph, "the beginning of an edge", from) &&
        is_name(graph, "the end of an edge", to))
        ignore(ss_spec_edge(ss_graph_def_spec(graph), from, to));
}

void ss_join(
    struct ss_graph_def *graph, const char *to, const char *const *from)
{
    size_t count = 0;
    if (!is_name(graph, "the end of a join", to))
        return;
    while (from && from[count])
        if (!is_name(graph, "the beginning of a join", from[count++]))
            return;
    if (count == 0)
        ss_graph_def_fail(graph,
            "the join to \"%s\" waits for nothing: name the nodes that it waits"
            " for, as in ss_join(graph, \"%s\", SS_ALL(\"a\", \"b\"))",
            to, to);
    ignore(ss_spec_join(ss_graph_def_spec(graph), from, count, to));
}

// "branch", and from the second unnamed branch of a node on "branch2" ...
static char *branch_name(struct ss_graph_def *graph, const char *from)
{
    size_t *count = ss_map_get(&graph->branches, from);
    if (!count) {
        count = ss_zalloc(1, sizeof(*count));
        ss_map_put(&graph->branches, from, count);
    }
    *count += 1;
    return *count == 1 ? ss_strdup("branch") : ss_format("branch%zu", *count);
}

void ss_branch_with(struct ss_graph_def *graph, const char *from,
    ss_router_fn *router, const struct ss_branch_options *options)
{
    if (!is_name(graph, "the beginning of a branch", from) ||
        (options && options->name &&
            !is_name(graph, "the name of a branch", options->name)))
        return;
    char *name = options && options->name ? ss_strdup(options->name)
                                          : branch_name(graph, from);
    ignore(ss_spec_branch(ss_graph_def_spec(graph), from, name,
        ss_options_branch(graph, from, options)));
    if (router)
        ss_bind_router(
            graph, from, name, router, options ? options->ctx : NULL);
    ss_free(name);
}

// ------------------------------------------------------------------ graphs

// "a > b > " from `first` down to `last`, which is inside it. Gives.
static char *path_of(
    const struct ss_graph_def *first, const struct ss_graph_def *last)
{
    char *path = ss_strdup("");
    for (const struct ss_graph_def *it = last; it; it = it->outer) {
        char *longer = ss_format("%s > %s", it->name, path);
        ss_free(path);
        path = longer;
        if (it == first)
            break;
    }
    return path;
}

// Whether a definition inside this one has an end, as far as it can be seen: a
// function that defines itself runs until the stack ends.
static bool has_end(struct ss_graph_def *graph, const char *name,
    ss_graph_ctx_fn *define, const void *ctx)
{
    size_t depth = 1;
    const struct ss_graph_def *root = graph;
    for (const struct ss_graph_def *it = graph; it; it = it->outer, depth++) {
        root = it;
        if (it->define != define || it->ctx != ctx ||
            strcmp(it->name, name) != 0)
            continue;
        char *path = path_of(it, graph);
        ss_error_set(&graph->error, SS_EINVAL,
            "graph \"%s\" contains itself: %s%s", name, path, name);
        ss_free(path);
        return false;
    }
    if (depth <= SS_GRAPH_DEPTH_MAX)
        return true;
    ss_error_set(&graph->error, SS_ELIMIT,
        "graph \"%s\": graphs within graphs deeper than %d: does \"%s\" "
        "contain itself?",
        root->name, SS_GRAPH_DEPTH_MAX, name);
    return false;
}

void ss_subgraph(struct ss_graph_def *graph, const char *name,
    ss_graph_ctx_fn *define, void *ctx)
{
    if (!is_name(graph, "the name of a subgraph", name))
        return;
    if (graph->error.status != SS_OK)
        return; // which is told; and each would go as deep as the one before
    if (!has_end(graph, name, define, ctx)) {
        graph->is_endless = true;
        return;
    }
    if (ss_map_get(&graph->inner, name)) {
        ss_graph_def_fail(graph, "subgraph \"%s\" is defined twice", name);
        return;
    }
    struct ss_graph_def *inner = ss_graph_def_new(graph, name, define, ctx);
    ss_map_put(&graph->inner, name, inner);
    if (inner->is_endless && graph->error.status == SS_OK) {
        graph->error = inner->error;
        graph->is_endless = true;
        return;
    }
    json_t *description = NULL;
    struct ss_error error = inner->error;
    int status = error.status;
    if (status == SS_OK)
        status = ss_spec_end(ss_graph_def_spec(inner), &description, &error);
    if (status != SS_OK) {
        ss_graph_def_fail(graph, "subgraph: %s", error.message);
        return;
    }
    ignore(ss_spec_subgraph(ss_graph_def_spec(graph), description));
    json_decref(description);
}

void ss_checkpointer(struct ss_graph_def *graph, bool keep)
{
    set(graph, "checkpointer", json_boolean(keep));
}

static json_t *names_or_all(const char *const *nodes)
{
    if (nodes && nodes[0] && strcmp(nodes[0], "*") == 0 && !nodes[1])
        return json_string("*");
    return ss_options_names(nodes);
}

void ss_interrupt_before(struct ss_graph_def *graph, const char *const *nodes)
{
    set(graph, "interrupt_before", names_or_all(nodes));
}

void ss_interrupt_after(struct ss_graph_def *graph, const char *const *nodes)
{
    set(graph, "interrupt_after", names_or_all(nodes));
}

void ss_strict(struct ss_graph_def *graph)
{
    set(graph, "strict", json_true());
}

// ------------------------------------------------------------------ functions

void ss_bind_node(
    struct ss_graph_def *graph, const char *node, ss_node_fn *body, void *ctx)
{
    if (!is_name(graph, "the node of a body", node))
        return;
    graph_def_bind(&graph->bodies, ss_strdup(node),
        (struct ss_binding){.body = body, .ctx = ctx});
}

void ss_bind_router(struct ss_graph_def *graph, const char *from,
    const char *branch, ss_router_fn *router, void *ctx)
{
    if (!is_name(graph, "the node of a router", from) ||
        !is_name(graph, "the branch of a router", branch))
        return;
    graph_def_bind(&graph->routers, ss_graph_def_pair(from, branch),
        (struct ss_binding){.router = router, .ctx = ctx});
}

void ss_bind_write(struct ss_graph_def *graph, const char *node, size_t write,
    ss_write_fn *function, void *ctx)
{
    char index[24];
    if (!is_name(graph, "the node of a write", node))
        return;
    snprintf(index, sizeof(index), "%zu", write);
    graph_def_bind(&graph->writes, ss_graph_def_pair(node, index),
        (struct ss_binding){.write = function, .ctx = ctx});
}

void ss_bind_reducer(struct ss_graph_def *graph, const char *key,
    ss_reducer_fn *reduce, void *ctx)
{
    if (!is_name(graph, "the key of a reducer", key))
        return;
    graph_def_bind(&graph->reducers, ss_strdup(key),
        (struct ss_binding){.reducer = reduce, .ctx = ctx});
}

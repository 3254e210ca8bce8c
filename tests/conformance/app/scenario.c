// scenario.c - an application whose graphs are data: --app-arg names a scenario
// file, and its graphs are served.
//
// What counts over the whole scenario lies in FILE.counters, which all workers
// that were given the same file share.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "expression.h"
#include "script.h"
#include "superstep/superstep.h"

// Made when the application is loaded, and kept for the life of the process.
struct world {
    json_t *graphs;
    char *counters;
};

struct place {
    struct world *world;
    const char *name;
    json_t *graph;
    bool inner;
};

// All that is made is kept: workers may ask for it as long as they live.
struct kept {
    struct kept *next;
    max_align_t block[];
};

static struct kept *all_kept;

static void *make(size_t size)
{
    struct kept *kept = calloc(1, sizeof(*kept) + size);
    if (!kept)
        abort();
    kept->next = all_kept;
    all_kept = kept;
    return kept->block;
}

static struct script *new_script(struct world *world, json_t *body)
{
    struct script *script = make(sizeof(*script));
    *script = (struct script){.body = body, .counters = world->counters};
    return script;
}

static int route(struct ss_route *route_)
{
    struct scope scope;
    scope_init(&scope, ss_state(route_));
    json_t *answer = expression_value(&scope, ss_route_ctx(route_));
    int result = answer
                     ? ss_route_return(route_, answer)
                     : ss_route_fail(route_, scope.failed, "%s", scope.failed);
    scope_fini(&scope);
    return result;
}

static json_t *map_write(struct ss_route *route_, json_t *returned)
{
    struct scope scope;
    scope_init(&scope, returned);
    json_t *value = expression_value(&scope, ss_route_ctx(route_));
    if (!value)
        ss_route_fail(route_, scope.failed, "%s", scope.failed);
    scope_fini(&scope);
    return value;
}

static void bind_writes(
    struct ss_graph_def *graph, const char *name, json_t *node)
{
    json_t *writes = describe_writes(node);
    for (size_t i = 0; i < json_array_size(writes); i++) {
        json_t *expression =
            json_object_get(json_array_get(writes, i), "expression");
        if (expression) // the scenario holds it
            ss_bind_write(graph, name, i, map_write, expression);
    }
    json_decref(writes);
}

static void bind_node(
    struct ss_graph_def *graph, struct world *world, json_t *node)
{
    const char *name = json_string_value(json_object_get(node, "name"));
    json_t *handler = json_object_get(node, "error_handler");
    if (!name)
        return;
    if (!json_object_get(node, "subgraph"))
        ss_bind_node(graph, name, script_node,
            new_script(world, json_object_get(node, "do")));
    if (handler) {
        char handler_name[600];
        snprintf(
            handler_name, sizeof(handler_name), "__error_handler__%s", name);
        ss_bind_node(
            graph, handler_name, script_node, new_script(world, handler));
    }
    bind_writes(graph, name, node);
}

static void bind(struct ss_graph_def *graph, const struct place *place)
{
    json_t *nodes = json_object_get(place->graph, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++)
        bind_node(graph, place->world, json_array_get(nodes, i));
    json_t *branches = json_object_get(place->graph, "branches");
    for (size_t i = 0; i < json_array_size(branches); i++) {
        json_t *branch = json_array_get(branches, i);
        char name[512];
        describe_branch_name(branch, i, name, sizeof(name));
        ss_bind_router(graph,
            json_string_value(json_object_get(branch, "from")), name, route,
            json_object_get(branch, "path"));
    }
}

static void define(struct ss_graph_def *graph, void *ctx);

static struct place *new_place(
    struct world *world, const char *name, bool inner)
{
    struct place *place = make(sizeof(*place));
    *place = (struct place){.world = world,
        .name = name,
        .graph = json_object_get(world->graphs, name),
        .inner = inner};
    return place;
}

static void define(struct ss_graph_def *graph, void *ctx)
{
    struct place *place = ctx;
    json_t *description =
        describe_alone(place->name, place->graph, place->inner);
    // The kind first: it says what the other parts mean.
    ss_describe(
        graph, "kind", json_incref(json_object_get(description, "kind")));
    json_t *names = describe_inner_names(place->graph);
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (json_object_get(place->world->graphs, name))
            ss_subgraph(
                graph, name, define, new_place(place->world, name, true));
    }
    json_decref(names);
    const char *key;
    json_t *value;
    json_object_del(description, "kind");
    json_object_del(description, "name");
    json_object_foreach (description, key, value)
        ss_describe(graph, key, json_incref(value));
    json_decref(description);
    bind(graph, place);
}

static struct world *load(struct ss_app_builder *app, const char *file)
{
    json_error_t error;
    json_t *scenario = json_load_file(file, 0, &error);
    if (!scenario) {
        ss_app_error(app, "%s:%d: %s", file, error.line, error.text);
        return NULL;
    }
    struct world *world = make(sizeof(*world));
    size_t size = strlen(file) + sizeof(".counters");
    world->counters = make(size);
    snprintf(world->counters, size, "%s.counters", file);
    world->graphs = json_incref(json_object_get(scenario, "graphs"));
    json_decref(scenario);
    json_int_t next = 0;
    script_number(world->graphs, &next);
    return world;
}

static int build(struct ss_app_builder *app, const char *arg)
{
    if (!arg)
        return ss_app_error(app, "which scenario? Say --app-arg FILE.json");
    struct world *world = load(app, arg);
    if (!world)
        return -1;
    const char *name;
    json_t *graph;
    json_object_foreach (world->graphs, name, graph)
        if (ss_app_graph(app, name, define, new_place(world, name, false)) != 0)
            return -1;
    return 0;
}

SS_APP_BUILD(NULL, build)

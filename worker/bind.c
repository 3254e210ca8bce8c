// bind.c - the author's functions, from names to indexes: found once, when the
// application is built, so that running a task looks nothing up.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "worker/define.h"

static const struct ss_binding *find_pair(
    const struct ss_map *map, const char *first, const char *second)
{
    char *key = ss_graph_def_pair(first, second);
    const struct ss_binding *binding = ss_map_get(map, key);
    ss_free(key);
    return binding;
}

static int missing(const struct ss_graph_def *def, struct ss_error *error,
    const char *what, const char *name)
{
    return ss_error_set(error, SS_EINVAL,
        "graph \"%s\": %s \"%s\" has no "
        "function",
        def->name, what, name);
}

static int bind_body(const struct ss_graph_def *def, const struct ss_node *node,
    struct ss_bound_node *bound, struct ss_error *error)
{
    if (!node->has_body || node->hidden || node->subgraph)
        return SS_OK;
    const struct ss_binding *binding = ss_map_get(&def->bodies, node->name);
    if (!binding || !binding->body)
        return ss_error_set(error, SS_EINVAL,
            "graph \"%s\": node \"%s\" has no body; give ss_node() a "
            "function, or a .subgraph",
            def->name, node->name);
    bound->body = binding->body;
    bound->ctx = binding->ctx;
    return SS_OK;
}

static int bind_routers(const struct ss_graph_def *def,
    const struct ss_node *node, struct ss_bound_node *bound,
    struct ss_error *error)
{
    bound->routers = ss_zalloc(node->branches_count, sizeof(*bound->routers));
    for (size_t i = 0; i < node->branches_count; i++) {
        const char *branch = node->branches[i].name;
        const struct ss_binding *binding =
            find_pair(&def->routers, node->name, branch);
        if (!binding || !binding->router)
            return ss_error_set(error, SS_EINVAL,
                "graph \"%s\": the branch \"%s\" from node \"%s\" has no "
                "router; give ss_branch() a function",
                def->name, branch, node->name);
        bound->routers[i] = (struct ss_bound_router){
            .function = binding->router, .ctx = binding->ctx};
    }
    return SS_OK;
}

static int bind_writes(const struct ss_graph_def *def,
    const struct ss_node *node, struct ss_bound_node *bound,
    struct ss_error *error)
{
    bound->writes = ss_zalloc(node->raw_writes_count, sizeof(*bound->writes));
    for (size_t i = 0; i < node->raw_writes_count; i++) {
        if (!node->raw_writes[i].mapped)
            continue;
        char index[24];
        snprintf(index, sizeof(index), "%zu", i);
        const struct ss_binding *binding =
            find_pair(&def->writes, node->name, index);
        if (!binding || !binding->write)
            return ss_error_set(error, SS_EINVAL,
                "graph \"%s\": write %zu of node \"%s\" is mapped and has no "
                "function; give it one with ss_bind_write()",
                def->name, i, node->name);
        bound->writes[i] = (struct ss_bound_write){
            .function = binding->write, .ctx = binding->ctx};
    }
    return SS_OK;
}

static int bind_reducers(const struct ss_graph_def *def,
    const struct ss_graph *graph, struct ss_bound_graph *bound,
    struct ss_error *error)
{
    bound->reducers =
        ss_zalloc(graph->channels_count, sizeof(*bound->reducers));
    for (size_t i = 0; i < graph->channels_count; i++) {
        const struct ss_channel_spec *channel = &graph->channels[i];
        if (channel->reducer != SS_REDUCER_CUSTOM)
            continue;
        const struct ss_binding *binding =
            ss_map_get(&def->reducers, channel->name);
        if (!binding || !binding->reducer)
            return missing(def, error, "the reducer of key", channel->name);
        bound->reducers[i] = (struct ss_bound_reducer){
            .function = binding->reducer, .ctx = binding->ctx};
    }
    return SS_OK;
}

static void bind_types(const struct ss_graph_def *def,
    const struct ss_graph *graph, struct ss_bound_graph *bound)
{
    bound->typed = ss_zalloc(graph->channels_count + 1, sizeof(*bound->typed));
    for (size_t i = 0; i < graph->channels_count; i++)
        bound->typed[i] = ss_map_get(&def->typed, graph->channels[i].name);
}

// A function bound to a node that does not exist is a spelling mistake.
static int check_bodies(const struct ss_graph_def *def,
    const struct ss_graph *graph, struct ss_error *error)
{
    for (struct ss_map_entry *e = def->bodies.first; e; e = e->next) {
        bool is_handler =
            strncmp(e->key, SS_NAME_HANDLER, strlen(SS_NAME_HANDLER)) == 0 ||
            strcmp(e->key, SS_NAME_DEFAULT_HANDLER) == 0;
        if (!is_handler && ss_graph_node(graph, e->key) == SS_NONE)
            return ss_error_set(error, SS_EINVAL,
                "graph \"%s\": a body is bound to \"%s\", which is not a node",
                def->name, e->key);
    }
    return SS_OK;
}

int ss_bind_graph(const struct ss_graph_def *def, struct ss_graph *graph,
    struct ss_bound_graph **ret_bound, struct ss_error *error)
{
    struct ss_bound_graph *bound = ss_zalloc(1, sizeof(*bound));
    bound->graph = ss_graph_ref(graph);
    bound->nodes = ss_zalloc(graph->nodes_count, sizeof(*bound->nodes));
    int status = check_bodies(def, graph, error);
    for (size_t i = 0; i < graph->nodes_count && status == SS_OK; i++) {
        const struct ss_node *node = &graph->nodes[i];
        status = bind_body(def, node, &bound->nodes[i], error);
        if (status == SS_OK)
            status = bind_routers(def, node, &bound->nodes[i], error);
        if (status == SS_OK)
            status = bind_writes(def, node, &bound->nodes[i], error);
    }
    if (status == SS_OK)
        status = bind_reducers(def, graph, bound, error);
    bind_types(def, graph, bound);
    if (status == SS_OK)
        *ret_bound = bound;
    else
        ss_bound_graph_destroy(bound);
    return status;
}

void ss_bound_graph_destroy(struct ss_bound_graph *bound)
{
    for (size_t i = 0; i < bound->graph->nodes_count; i++) {
        ss_free(bound->nodes[i].routers);
        ss_free(bound->nodes[i].writes);
    }
    ss_free(bound->nodes);
    ss_free(bound->reducers);
    ss_free(bound->typed);
    ss_graph_unref(bound->graph);
    ss_free(bound);
}

// lower_state.c - from a state graph to channels and triggers (spec/engine.md
// R0.5-R0.10, spec/graph.md 2).
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/model/build.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

// Keys of a list must exist; `managed` ones only where they may stand.
static int check_keys(struct ss_build *build, const struct ss_keys *keys,
    const char *where, bool may_be_managed)
{
    for (size_t i = 0; i < keys->count; i++) {
        const char *key = keys->items[i];
        if (ss_graph_managed(build->graph, key)) {
            if (may_be_managed)
                continue;
            return ss_build_fail(build,
                "%s: \"%s\" is a managed value: nodes and routers may read "
                "it, inputs and outputs do not have it",
                where, key);
        }
        size_t channel = ss_graph_channel(build->graph, key);
        if (channel == SS_NONE || !build->graph->channels[channel].is_state_key)
            return ss_build_no_channel(build, where, key);
    }
    return SS_OK;
}

static void add_real_keys(const struct ss_graph *graph, struct ss_keys *keys)
{
    for (size_t i = 0; i < graph->all_keys.count; i++)
        if (!ss_graph_managed(graph, graph->all_keys.items[i]))
            ss_keys_add(keys, graph->all_keys.items[i]);
}

static int lower_schema(
    struct ss_build *build, const char *name, struct ss_keys *ret_keys)
{
    const json_t *json = json_object_get(build->description, name);
    if (!json || json_is_null(json)) {
        add_real_keys(build->graph, ret_keys);
        return SS_OK;
    }
    int status = ss_build_keys(build, json, false, name, ret_keys);
    if (status == SS_OK)
        status = check_keys(build, ret_keys, name, false);
    return status;
}

static int lower_keys(struct ss_build *build)
{
    struct ss_graph *graph = build->graph;
    const json_t *keys = json_object_get(build->description, "state");
    if (!json_is_array(keys))
        return ss_build_fail(build, "\"state\" must be a list of keys");
    for (size_t i = 0; i < json_array_size(keys); i++) {
        const json_t *key = json_array_get(keys, i);
        int status = ss_build_key(build, key, true);
        if (status != SS_OK)
            return status;
        ss_keys_add(&graph->all_keys, ss_json_str(key, "key", ""));
    }
    graph->root_state = graph->channels_count == 1 &&
                        graph->managed_count == 0 &&
                        strcmp(graph->channels[0].name, SS_NAME_ROOT) == 0;
    graph->all_keys.scalar = graph->root_state;
    int status = lower_schema(build, "input", &graph->input_keys);
    if (status == SS_OK)
        status = lower_schema(build, "output", &graph->output);
    if (status != SS_OK)
        return status;
    add_real_keys(graph, &graph->stream);
    graph->output.scalar = graph->stream.scalar = graph->root_state;
    graph->input.scalar = true;
    ss_keys_add(&graph->input, SS_NAME_START);
    return SS_OK;
}

static int add_start(struct ss_build *build)
{
    struct ss_graph *graph = build->graph;
    size_t channel, node;
    int status =
        ss_build_channel(build, SS_NAME_START, SS_CHANNEL_EPHEMERAL, &channel);
    if (status != SS_OK)
        return status;
    graph->channels[channel].guard = true;
    status = ss_build_channel(
        build, SS_NAME_TASKS, SS_CHANNEL_TOPIC, &graph->tasks_channel);
    if (status == SS_OK)
        status = ss_build_node(build, SS_NAME_START, &node);
    if (status != SS_OK)
        return status;
    struct ss_node *start = &graph->nodes[node];
    start->hidden = true;
    start->has_body = false;
    start->writes_input_keys = true;
    start->has_writers = true;
    start->reads.scalar = true;
    ss_keys_add(&start->reads, SS_NAME_START);
    ss_build_trigger(build, node, channel);
    return SS_OK;
}

// A node and the channel that triggers it.
static int add_node(
    struct ss_build *build, const char *name, bool defer, size_t *ret_index)
{
    size_t index, channel;
    int status = ss_build_node(build, name, &index);
    if (status != SS_OK)
        return status;
    char *trigger = ss_format("%s%s", SS_NAME_BRANCH, name);
    status = ss_build_channel(build, trigger,
        defer ? SS_CHANNEL_LAST_VALUE_AFTER_FINISH : SS_CHANNEL_EPHEMERAL,
        &channel);
    ss_free(trigger);
    if (status != SS_OK)
        return status;
    struct ss_node *node = &build->graph->nodes[index];
    node->defer = defer;
    node->has_writers = true;
    node->reads = build->graph->all_keys; // shared, see graph.c
    ss_build_trigger(build, index, channel);
    *ret_index = index;
    return SS_OK;
}

static int lower_reads(
    struct ss_build *build, size_t index, const json_t *described)
{
    const json_t *json = json_object_get(described, "reads");
    if (!json || json_is_null(json))
        return SS_OK;
    struct ss_keys keys;
    char *where =
        ss_format("node \"%s\" reads", build->graph->nodes[index].name);
    int status = ss_build_keys(build, json, false, where, &keys);
    if (status == SS_OK) {
        keys.scalar = build->graph->root_state;
        build->graph->nodes[index].reads = keys;
        status = check_keys(build, &keys, where, true);
    }
    ss_free(where);
    return status;
}

// `__error_handler__N` goes right before N (R0.10).
static int add_handler(struct ss_build *build, const char *name,
    const json_t *described, size_t *ret_index)
{
    int status = add_node(build, name, false, ret_index);
    if (status != SS_OK)
        return status;
    build->graph->nodes[*ret_index].is_handler = true;
    status = ss_build_policies(build, *ret_index, NULL);
    if (status == SS_OK)
        status = lower_reads(build, *ret_index, described);
    return status;
}

static int lower_node(struct ss_build *build, const json_t *described)
{
    const char *name = ss_json_str(described, "name", "");
    size_t handler = SS_NONE, index;
    int status = ss_build_node_name(build, name);
    if (status == SS_OK && ss_graph_node(build->graph, name) != SS_NONE)
        return ss_build_fail(build, "node \"%s\" is defined twice", name);
    if (status == SS_OK && ss_json_bool(described, "error_handler", false)) {
        char *handler_name = ss_format("%s%s", SS_NAME_HANDLER, name);
        status = add_handler(build, handler_name, described, &handler);
        ss_free(handler_name);
    }
    if (status == SS_OK)
        status = add_node(
            build, name, ss_json_bool(described, "defer", false), &index);
    if (status != SS_OK)
        return status;
    build->graph->nodes[index].handler = handler;
    status = ss_build_policies(build, index, described);
    if (status == SS_OK)
        status = lower_reads(build, index, described);
    return status;
}

static int lower_nodes(struct ss_build *build)
{
    struct ss_graph *graph = build->graph;
    const json_t *nodes = json_object_get(build->description, "nodes");
    if (nodes && !json_is_array(nodes))
        return ss_build_fail(build, "\"nodes\" must be a list");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        int status = lower_node(build, json_array_get(nodes, i));
        if (status != SS_OK)
            return status;
    }
    if (!ss_json_bool(json_object_get(build->description, "defaults"),
            "error_handler", false))
        return SS_OK;
    size_t handler;
    int status = add_handler(build, SS_NAME_DEFAULT_HANDLER, NULL, &handler);
    for (size_t i = 0; status == SS_OK && i < graph->nodes_count; i++) {
        struct ss_node *node = &graph->nodes[i];
        if (!node->hidden && !node->is_handler && node->handler == SS_NONE)
            node->handler = handler;
    }
    return status;
}

static int check_source(
    struct ss_build *build, const char *name, const char *where, bool may_start)
{
    if (strcmp(name, SS_NAME_END) == 0)
        return ss_build_fail(build, "%s: nothing follows the end", where);
    size_t node = ss_graph_node(build->graph, name);
    if (node == SS_NONE || (!may_start && build->graph->nodes[node].hidden))
        return ss_build_no_node(build, where, name);
    return SS_OK;
}

static int check_target(
    struct ss_build *build, const char *name, const char *where)
{
    if (strcmp(name, SS_NAME_START) == 0)
        return ss_build_fail(build, "%s: nothing goes to the entry", where);
    if (strcmp(name, SS_NAME_END) != 0 &&
        ss_graph_node(build->graph, name) == SS_NONE)
        return ss_build_no_node(build, where, name);
    return SS_OK;
}

static size_t trigger_of(const struct ss_graph *graph, const char *node)
{
    char *name = ss_format("%s%s", SS_NAME_BRANCH, node);
    size_t channel = ss_graph_channel(graph, name);
    ss_free(name);
    return channel;
}

// What lowering of edges remembers: the edges so far, and the entry.
struct edges {
    struct ss_build *build;
    struct ss_map seen;     // "from:to"; no node's name holds a colon
    struct ss_map branches; // "from:name"
    bool has_entry;
};

static int lower_edge(struct edges *edges, const char *from, const char *to)
{
    struct ss_graph *graph = edges->build->graph;
    char *where = ss_format("edge from \"%s\" to \"%s\"", from, to);
    int status = check_source(edges->build, from, where, true);
    if (status == SS_OK)
        status = check_target(edges->build, to, where);
    ss_free(where);
    if (status != SS_OK)
        return status;
    edges->has_entry |= strcmp(from, SS_NAME_START) == 0;
    if (strcmp(to, SS_NAME_END) == 0)
        return SS_OK;
    char *key = ss_format("%s:%s", from, to);
    if (!ss_map_put(&edges->seen, key, edges)) {
        struct ss_node *node = &graph->nodes[ss_graph_node(graph, from)];
        ss_index_add(&node->edges, &node->edges_count, trigger_of(graph, to));
    }
    ss_free(key);
    return SS_OK;
}

static char *join_name(const struct ss_keys *from, const char *to)
{
    struct ss_buf name;
    ss_buf_init(&name, SIZE_MAX);
    ss_buf_add_str(&name, "join:");
    for (size_t i = 0; i < from->count; i++) {
        if (i > 0)
            ss_buf_add_str(&name, "+");
        ss_buf_add_str(&name, from->items[i]);
    }
    ss_buf_add_str(&name, ":");
    ss_buf_add_str(&name, to);
    return ss_buf_steal(&name, NULL);
}

static int add_join(
    struct edges *edges, struct ss_keys *from, const char *name, const char *to)
{
    struct ss_graph *graph = edges->build->graph;
    size_t target = ss_graph_node(graph, to), channel;
    int status = ss_build_channel(edges->build, name,
        graph->nodes[target].defer ? SS_CHANNEL_BARRIER_AFTER_FINISH
                                   : SS_CHANNEL_BARRIER,
        &channel);
    if (status != SS_OK)
        return status;
    ss_names_sort(from->items, &from->count);
    for (size_t i = 0; i < from->count; i++) {
        struct ss_node *node =
            &graph->nodes[ss_graph_node(graph, from->items[i])];
        ss_index_add(&node->joins, &node->joins_count, channel);
    }
    graph->channels[channel].names = from->items;
    graph->channels[channel].names_count = from->count;
    *from = (struct ss_keys){0};
    ss_build_trigger(edges->build, target, channel);
    return SS_OK;
}

// A second join of this name collapses if it has the same sources; ["a+b"] and
// ["a", "b"] do not.
static int check_same_join(
    struct edges *edges, struct ss_keys *from, const char *where, size_t index)
{
    const struct ss_channel_spec *channel =
        &edges->build->graph->channels[index];
    ss_names_sort(from->items, &from->count);
    bool is_same = from->count == channel->names_count;
    for (size_t i = 0; i < from->count && is_same; i++)
        is_same = strcmp(from->items[i], channel->names[i]) == 0;
    return is_same ? SS_OK
                   : ss_build_fail(edges->build,
                         "%s: a join of other nodes has the same name", where);
}

static int lower_join(
    struct edges *edges, const json_t *sources, const char *to)
{
    struct ss_keys from;
    int status = ss_build_keys(edges->build, sources, false, "edge", &from);
    if (status != SS_OK)
        return status;
    char *name = join_name(&from, to);
    char *where = ss_format("edge \"%.300s\"", name);
    for (size_t i = 0; i < from.count && status == SS_OK; i++)
        status = check_source(edges->build, from.items[i], where, false);
    if (status == SS_OK)
        status = check_target(edges->build, to, where);
    size_t there = ss_graph_channel(edges->build->graph, name);
    if (status == SS_OK && there != SS_NONE)
        status = check_same_join(edges, &from, where, there);
    else if (status == SS_OK && strcmp(to, SS_NAME_END) != 0)
        status = add_join(edges, &from, name, to);
    ss_keys_fini(&from);
    ss_free(where);
    ss_free(name);
    return status;
}

static int lower_edges(struct edges *edges)
{
    const json_t *all = json_object_get(edges->build->description, "edges");
    if (all && !json_is_array(all))
        return ss_build_fail(edges->build, "\"edges\" must be a list");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *edge = json_array_get(all, i);
        const json_t *from = json_array_get(edge, 0);
        const char *to = json_string_value(json_array_get(edge, 1));
        if (json_array_size(edge) != 2 || !to ||
            !(json_is_string(from) || json_is_array(from)))
            return ss_build_fail(edges->build,
                "edge %zu is not [from, to] or [[from...], to]", i);
        int status = json_is_string(from)
                         ? lower_edge(edges, json_string_value(from), to)
                         : lower_join(edges, from, to);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

// The map of a router: result -> node; a list maps each node to itself.
static int lower_map(
    struct ss_build *build, json_t *given, const char *where, json_t **ret_map)
{
    json_t *map;
    if (json_is_object(given)) {
        map = json_incref(given);
    } else if (json_is_array(given)) {
        map = json_object();
        for (size_t i = 0; i < json_array_size(given); i++) {
            json_t *node = json_array_get(given, i);
            if (json_is_string(node))
                json_object_set(map, json_string_value(node), node);
        }
        if (json_object_size(map) < json_array_size(given)) {
            json_decref(map);
            return ss_build_fail(build,
                "%s: its list of nodes holds one twice, or what is not a name",
                where);
        }
    } else {
        return ss_build_fail(
            build, "%s: its map must be a map or a list", where);
    }
    *ret_map = map;
    for (void *at = json_object_iter(map); at;
         at = json_object_iter_next(map, at)) {
        const char *to = json_string_value(json_object_iter_value(at));
        if (!to)
            return ss_build_fail(build, "%s: \"%s\" does not map to a name",
                where, json_object_iter_key(at));
        int status = check_target(build, to, where);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static int fill_branch(struct ss_build *build, const json_t *json,
    const struct ss_node *node, const char *where, struct ss_branch *branch)
{
    const json_t *reads = json_object_get(json, "reads");
    json_t *map = json_object_get(json, "map");
    int status = SS_OK;
    // START's routers see the whole state, others what their node reads.
    branch->reads = node->hidden ? build->graph->all_keys : node->reads;
    if (reads && !json_is_null(reads)) {
        struct ss_keys keys;
        status = ss_build_keys(build, reads, false, where, &keys);
        if (status != SS_OK)
            return status;
        keys.scalar = build->graph->root_state;
        branch->reads = keys;
        branch->has_own_reads = true;
        status = check_keys(build, &keys, where, true);
    }
    if (status == SS_OK && map && !json_is_null(map))
        status = lower_map(build, map, where, &branch->map);
    return status;
}

static int lower_branch(struct edges *edges, const json_t *json)
{
    struct ss_build *build = edges->build;
    const char *from = ss_json_str(json, "from", "");
    const char *name = ss_json_str(json, "name", "condition");
    char *where = ss_format("branch \"%s\" of \"%s\"", name, from);
    char *key = ss_format("%s:%s", from, name);
    int status = check_source(build, from, where, true);
    if (status == SS_OK) {
        struct ss_node *node =
            &build->graph->nodes[ss_graph_node(build->graph, from)];
        if (ss_map_put(&edges->branches, key, edges))
            status = ss_build_fail(build, "%s is defined twice", where);
        if (status == SS_OK) {
            node->branches = ss_realloc(node->branches,
                (node->branches_count + 1) * sizeof(*node->branches));
            struct ss_branch *branch = &node->branches[node->branches_count++];
            *branch = (struct ss_branch){.name = ss_strdup(name)};
            status = fill_branch(build, json, node, where, branch);
        }
        edges->has_entry |= node->hidden;
    }
    ss_free(key);
    ss_free(where);
    return status;
}

static int lower_branches(struct edges *edges)
{
    const json_t *all = json_object_get(edges->build->description, "branches");
    if (all && !json_is_array(all))
        return ss_build_fail(edges->build, "\"branches\" must be a list");
    for (size_t i = 0; i < json_array_size(all); i++) {
        int status = lower_branch(edges, json_array_get(all, i));
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static int check_destinations(struct ss_build *build)
{
    for (size_t n = 0; n < build->graph->nodes_count; n++) {
        const struct ss_node *node = &build->graph->nodes[n];
        for (size_t i = 0; i < node->destinations_count; i++) {
            char *where = ss_format("node \"%s\" goes to", node->name);
            int status = check_target(build, node->destinations[i], where);
            ss_free(where);
            if (status != SS_OK)
                return status;
        }
    }
    return SS_OK;
}

int ss_lower_state(struct ss_build *build)
{
    struct edges edges = {.build = build};
    int status = lower_keys(build);
    if (status == SS_OK)
        status = add_start(build);
    if (status == SS_OK)
        status = lower_nodes(build);
    if (status == SS_OK)
        status = lower_edges(&edges);
    if (status == SS_OK)
        status = lower_branches(&edges);
    if (status == SS_OK && !edges.has_entry)
        status = ss_build_fail(build,
            "it has no entry: no edge and no branch starts at \"%s\"",
            SS_NAME_START);
    if (status == SS_OK)
        status = check_destinations(build);
    ss_map_fini(&edges.seen, NULL);
    ss_map_fini(&edges.branches, NULL);
    return status;
}

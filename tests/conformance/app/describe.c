// describe.c - scenario graphs as descriptions.
#include "describe.h"

#include <stdio.h>
#include <string.h>

static void copy_keys(json_t *to, json_t *from, const char *const *keys)
{
    for (size_t i = 0; keys[i]; i++) {
        json_t *value = json_object_get(from, keys[i]);
        if (value)
            json_object_set(to, keys[i], value);
    }
}

// {name: {...}} as [{label: name, ...}].
static json_t *named_list(json_t *map, const char *label)
{
    json_t *list = json_array();
    const char *name;
    json_t *value;
    json_object_foreach (map, name, value) {
        json_t *item = json_pack("{s:s}", label, name);
        json_object_update(item, value);
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *describe_retry(json_t *retry)
{
    // The reference waits a millisecond between attempts, too.
    return json_pack("[{s:i, s:b, s:O*}]", "initial_interval_ms", 1, "jitter",
        0, "max_attempts", json_object_get(retry, "max_attempts"));
}

static json_t *describe_cache(json_t *cache)
{
    json_t *result = json_object();
    json_t *ttl = json_object_get(cache, "ttl");
    if (json_is_number(ttl))
        json_object_set_new(result, "ttl_ms",
            json_integer((json_int_t)(json_number_value(ttl) * 1000)));
    return result;
}

static json_t *describe_state_node(json_t *node)
{
    static const char *const same[] = {
        "name", "reads", "defer", "subgraph", NULL};
    json_t *result = json_object();
    copy_keys(result, node, same);
    json_t *part = json_object_get(node, "retry");
    if (part)
        json_object_set_new(result, "retry", describe_retry(part));
    part = json_object_get(node, "cache");
    if (part)
        json_object_set_new(result, "cache", describe_cache(part));
    if (json_object_get(node, "error_handler"))
        json_object_set_new(result, "error_handler", json_true());
    part = json_object_get(node, "goes_to");
    if (part)
        json_object_set(result, "destinations", part);
    return result;
}

static void add_write(
    json_t *writes, const char *channel, json_t *expression, json_t *skip_null)
{
    json_t *write = json_pack("{s:s}", "channel", channel);
    if (expression) {
        json_object_set_new(write, "mapped", json_true());
        json_object_set(write, "expression", expression);
    }
    if (skip_null)
        json_object_set(write, "skip_null", skip_null);
    json_array_append_new(writes, write);
}

json_t *describe_writes(json_t *node)
{
    json_t *writes = json_array();
    json_t *skip_null = json_object_get(node, "skip_null");
    json_t *given = json_object_get(node, "write");
    for (size_t i = 0; i < json_array_size(given); i++) {
        json_t *write = json_array_get(given, i);
        if (json_is_string(write)) {
            add_write(writes, json_string_value(write), NULL, skip_null);
            continue;
        }
        const char *channel;
        json_t *expression;
        json_object_foreach (write, channel, expression)
            add_write(writes, channel, expression, skip_null);
    }
    return writes;
}

static json_t *describe_raw_node(json_t *node)
{
    static const char *const same[] = {
        "name", "subscribe_only", "subscribe", "read", NULL};
    json_t *result = json_object();
    copy_keys(result, node, same);
    json_t *writes = describe_writes(node);
    for (size_t i = 0; i < json_array_size(writes); i++)
        json_object_del(json_array_get(writes, i), "expression");
    json_object_set_new(result, "writes", writes);
    return result;
}

void describe_branch_name(
    json_t *branch, size_t index, char *ret_name, size_t size)
{
    const char *name = json_string_value(json_object_get(branch, "name"));
    if (name)
        snprintf(ret_name, size, "%s", name);
    else
        snprintf(ret_name, size, "branch_%zu", index);
}

static json_t *describe_branches(json_t *branches)
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(branches); i++) {
        static const char *const same[] = {"from", "map", NULL};
        json_t *branch = json_array_get(branches, i);
        char name[512];
        describe_branch_name(branch, i, name, sizeof(name));
        json_t *described = json_pack("{s:s}", "name", name);
        copy_keys(described, branch, same);
        json_array_append_new(result, described);
    }
    return result;
}

static json_t *describe_nodes(json_t *nodes, json_t *(*one)(json_t *node))
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(nodes); i++)
        json_array_append_new(result, one(json_array_get(nodes, i)));
    return result;
}

// In an order in which a graph can be built: nodes before what names them.
json_t *describe_alone(const char *name, json_t *graph, bool inner)
{
    static const char *const same[] = {"input", "output", "stream", "edges",
        "interrupt_before", "interrupt_after", NULL};
    json_t *channels = json_object_get(graph, "channels");
    json_t *nodes = json_object_get(graph, "nodes");
    json_t *result = json_pack(
        "{s:s, s:s}", "name", name, "kind", channels ? "raw" : "state");
    if (channels)
        json_object_set_new(result, "channels", named_list(channels, "name"));
    else
        json_object_set_new(result, "state",
            named_list(json_object_get(graph, "state"), "key"));
    json_object_set_new(result, "nodes",
        describe_nodes(
            nodes, channels ? describe_raw_node : describe_state_node));
    copy_keys(result, graph, same);
    if (channels)
        return result;
    json_object_set_new(result, "branches",
        describe_branches(json_object_get(graph, "branches")));
    json_t *checkpointer = json_object_get(graph, "checkpointer");
    if (inner && json_is_boolean(checkpointer))
        json_object_set(result, "checkpointer", checkpointer);
    return result;
}

json_t *describe_inner_names(json_t *graph)
{
    json_t *seen = json_object();
    json_t *names = json_array();
    json_t *nodes = json_object_get(graph, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        json_t *name = json_object_get(json_array_get(nodes, i), "subgraph");
        if (!name || json_object_get(seen, json_string_value(name)))
            continue;
        json_object_set(seen, json_string_value(name), name);
        json_array_append(names, name);
    }
    json_decref(seen);
    return names;
}

static json_t *describe_whole(
    json_t *graphs, const char *name, bool inner, int depth)
{
    enum { depth_max = 16 };
    json_t *graph = json_object_get(graphs, name);
    if (!graph || depth > depth_max)
        return NULL;
    json_t *result = describe_alone(name, graph, inner);
    json_t *names = describe_inner_names(graph);
    json_t *inside = json_object();
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *inner_name = json_string_value(json_array_get(names, i));
        json_t *one = describe_whole(graphs, inner_name, true, depth + 1);
        if (one) {
            json_object_set_new(inside, inner_name, one);
        } else {
            json_decref(result);
            result = NULL;
            break;
        }
    }
    if (result && json_object_size(inside) > 0)
        json_object_set(result, "subgraphs", inside);
    json_decref(inside);
    json_decref(names);
    return result;
}

json_t *describe(json_t *graphs, const char *name)
{
    return describe_whole(graphs, name, false, 0);
}

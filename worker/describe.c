// describe.c - graphs that are data: ss_describe() gives a part of a
// description to the same builder that the calls of define.c use.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/define.h"

static void ignore(int status)
{
    (void)status; // sticks in the spec
}

// A copy of `item` without `key`, which is the item's name. Gives.
static json_t *without(json_t *item, const char *key)
{
    json_t *options = json_copy(item);
    json_object_del(options, key);
    return options;
}

static void describe_kind(struct ss_graph_def *graph, json_t *value)
{
    const char *kind = json_string_value(value);
    if (!kind || (strcmp(kind, "state") != 0 && strcmp(kind, "raw") != 0))
        ss_graph_def_fail(graph, "its kind must be \"state\" or \"raw\"");
    else if (graph->spec)
        ss_graph_def_fail(graph, "its kind must be said before anything else");
    else
        graph->spec = ss_spec_new(graph->name, kind);
}

static void describe_key(struct ss_graph_def *graph, json_t *item)
{
    ignore(ss_spec_key(ss_graph_def_spec(graph), ss_json_str(item, "key", ""),
        without(item, "key")));
}

static void describe_channel(struct ss_graph_def *graph, json_t *item)
{
    ignore(ss_spec_channel(ss_graph_def_spec(graph),
        ss_json_str(item, "name", ""), without(item, "name")));
}

static void describe_node(struct ss_graph_def *graph, json_t *item)
{
    ignore(ss_spec_node(ss_graph_def_spec(graph), ss_json_str(item, "name", ""),
        without(item, "name")));
}

static void describe_branch(struct ss_graph_def *graph, json_t *item)
{
    json_t *options = without(item, "name");
    json_object_del(options, "from");
    ignore(
        ss_spec_branch(ss_graph_def_spec(graph), ss_json_str(item, "from", ""),
            ss_json_str(item, "name", "branch"), options));
}

static void describe_edge(struct ss_graph_def *graph, json_t *item)
{
    json_t *from = json_array_get(item, 0);
    const char *to = json_string_value(json_array_get(item, 1));
    size_t count = json_array_size(from);
    if (json_array_size(item) != 2 || !to ||
        (!json_is_string(from) && !json_is_array(from))) {
        ss_graph_def_fail(graph,
            "an edge is [from, to], or [[from, from...], to] for a join");
        return;
    }
    if (json_is_string(from)) {
        ignore(ss_spec_edge(
            ss_graph_def_spec(graph), json_string_value(from), to));
        return;
    }
    const char **names = ss_zalloc(count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(from, i));
        names[i] = name ? name : "";
    }
    ignore(ss_spec_join(ss_graph_def_spec(graph), names, count, to));
    ss_free(names);
}

static const struct {
    const char *key;
    void (*describe)(struct ss_graph_def *graph, json_t *item);
} lists[] = {
    {"state", describe_key},
    {"channels", describe_channel},
    {"nodes", describe_node},
    {"edges", describe_edge},
    {"branches", describe_branch},
};
enum { LISTS_COUNT = sizeof(lists) / sizeof(*lists) };

static bool describe_list(
    struct ss_graph_def *graph, const char *key, json_t *value)
{
    for (size_t i = 0; i < LISTS_COUNT; i++) {
        if (strcmp(lists[i].key, key) != 0)
            continue;
        size_t index;
        json_t *item;
        if (!json_is_array(value))
            ss_graph_def_fail(graph, "its \"%s\" must be a list", key);
        json_array_foreach (value, index, item)
            lists[i].describe(graph, item);
        return true;
    }
    return false;
}

void ss_describe(struct ss_graph_def *graph, const char *key, json_t *value)
{
    const char *name;
    json_t *inner;
    if (!value) {
        ss_graph_def_fail(graph, "its \"%s\" is NULL", key);
        return;
    }
    if (strcmp(key, "kind") == 0) {
        describe_kind(graph, value);
    } else if (strcmp(key, "subgraphs") == 0) {
        json_object_foreach (value, name, inner)
            ignore(ss_spec_subgraph(ss_graph_def_spec(graph), inner));
    } else if (!describe_list(graph, key, value)) {
        ignore(ss_spec_set(ss_graph_def_spec(graph), key, json_incref(value)));
    }
    json_decref(value);
}

// compile.c - a description becomes a graph: the parts that state graphs and
// raw graphs share. Order and rules: spec/graph.md 1.3, 2.3.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/build.h"
#include "common/model/limits.h"
#include "common/model/ranks.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

static int compile(json_t *description, int depth, struct ss_graph **ret_graph,
    struct ss_error *error);

int ss_build_fail(struct ss_build *build, const char *format, ...)
{
    char message[SS_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    return ss_error_set(build->error, SS_EINVAL, "graph \"%s\": %s",
        build->graph->name, message);
}

int ss_build_no_node(
    struct ss_build *build, const char *where, const char *name)
{
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t i = 0; i < build->graph->nodes_count; i++)
        if (!build->graph->nodes[i].hidden)
            ss_hint_offer(&hint, build->graph->nodes[i].name);
    return ss_build_fail(build, "%s: there is no node \"%s\".%s", where, name,
        ss_hint_text(&hint));
}

int ss_build_no_channel(
    struct ss_build *build, const char *where, const char *name)
{
    const struct ss_graph *graph = build->graph;
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t i = 0; i < graph->channels_count; i++)
        if (!graph->is_state || graph->channels[i].is_state_key)
            ss_hint_offer(&hint, graph->channels[i].name);
    for (size_t i = 0; i < graph->managed_count; i++)
        ss_hint_offer(&hint, graph->managed[i].name);
    return ss_build_fail(build, "%s: there is no %s \"%s\".%s", where,
        graph->is_state ? "state key" : "channel", name, ss_hint_text(&hint));
}

int ss_build_channel(struct ss_build *build, const char *name,
    enum ss_channel_kind kind, size_t *ret_index)
{
    struct ss_graph *graph = build->graph;
    if (graph->channels_count >= SS_CHANNELS_MAX)
        return ss_error_set(build->error, SS_ELIMIT,
            "graph \"%s\": more than %d channels", graph->name,
            SS_CHANNELS_MAX);
    if (ss_graph_channel(graph, name) != SS_NONE ||
        ss_graph_managed(graph, name))
        return ss_build_fail(build, "%s \"%s\" is defined twice",
            graph->is_state ? "state key" : "channel", name);
    graph->channels = ss_vec_grow(graph->channels, &build->channels_capacity,
        graph->channels_count + 1, sizeof(*graph->channels));
    size_t index = graph->channels_count++;
    graph->channels[index] =
        (struct ss_channel_spec){.name = ss_strdup(name), .kind = kind};
    ss_map_put(&graph->channel_index, name, (void *)(uintptr_t)(index + 1));
    if (ret_index)
        *ret_index = index;
    return SS_OK;
}

int ss_build_node(struct ss_build *build, const char *name, size_t *ret_index)
{
    struct ss_graph *graph = build->graph;
    if (graph->nodes_count >= SS_NODES_MAX)
        return ss_error_set(build->error, SS_ELIMIT,
            "graph \"%s\": more than %d nodes", graph->name, SS_NODES_MAX);
    if (ss_graph_node(graph, name) != SS_NONE)
        return ss_build_fail(build, "node \"%s\" is defined twice", name);
    graph->nodes = ss_vec_grow(graph->nodes, &build->nodes_capacity,
        graph->nodes_count + 1, sizeof(*graph->nodes));
    size_t index = graph->nodes_count++;
    graph->nodes[index] = (struct ss_node){
        .name = ss_strdup(name), .has_body = true, .handler = SS_NONE};
    ss_map_put(&graph->node_index, name, (void *)(uintptr_t)(index + 1));
    *ret_index = index;
    return SS_OK;
}

void ss_index_add(size_t **items, size_t *count, size_t index)
{
    // Doubled when the count is a power of two: no capacity to keep.
    if ((*count & (*count - 1)) == 0)
        *items =
            ss_realloc(*items, (*count ? 2 * *count : 1) * sizeof(**items));
    (*items)[(*count)++] = index;
}

void ss_build_trigger(struct ss_build *build, size_t node, size_t channel)
{
    struct ss_node *started = &build->graph->nodes[node];
    ss_index_add(&started->triggers, &started->triggers_count, channel);
}

void ss_keys_add(struct ss_keys *keys, const char *name)
{
    if ((keys->count & (keys->count - 1)) == 0)
        keys->items = ss_realloc(keys->items,
            (keys->count ? 2 * keys->count : 1) * sizeof(*keys->items));
    keys->items[keys->count++] = ss_strdup(name);
}

int ss_build_keys(struct ss_build *build, const json_t *json, bool or_one,
    const char *what, struct ss_keys *ret_keys)
{
    struct ss_keys keys = {0};
    if (or_one && json_is_string(json)) {
        keys.scalar = true;
        ss_keys_add(&keys, json_string_value(json));
    } else if (json && !json_is_null(json)) {
        if (!json_is_array(json))
            return ss_build_fail(build, "%s: expected %sa list of names", what,
                or_one ? "a name or " : "");
        for (size_t i = 0; i < json_array_size(json); i++) {
            const char *name = json_string_value(json_array_get(json, i));
            if (!name) {
                ss_keys_fini(&keys);
                return ss_build_fail(
                    build, "%s: item %zu is not a name", what, i);
            }
            ss_keys_add(&keys, name);
        }
    }
    *ret_keys = keys;
    return SS_OK;
}

void ss_keys_fini(struct ss_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        ss_free(keys->items[i]);
    ss_free(keys->items);
    *keys = (struct ss_keys){0};
}

static int compile_subgraphs(struct ss_build *build)
{
    json_t *all = json_object_get(build->description, "subgraphs");
    if (all && !json_is_object(all))
        return ss_build_fail(build, "\"subgraphs\" must be a map");
    for (void *at = all ? json_object_iter(all) : NULL; at;
         at = json_object_iter_next(all, at)) {
        struct ss_graph *inner;
        const char *name = json_object_iter_key(at);
        int status = compile(
            json_object_iter_value(at), build->depth + 1, &inner, build->error);
        if (status != SS_OK) {
            ss_error_wrap(build->error, "graph \"%s\": subgraph \"%s\"",
                build->graph->name, name);
            return status;
        }
        ss_map_put(&build->subgraphs, name, inner);
    }
    return SS_OK;
}

// Interrupt lists name nodes that users see, or all of them by "*".
static int compile_interrupts(
    struct ss_build *build, const char *key, struct ss_names *ret_names)
{
    const json_t *json = json_object_get(build->description, key);
    const char *text = json_string_value(json);
    if (text && strcmp(text, "*") == 0) {
        ret_names->all = true;
        return SS_OK;
    }
    struct ss_keys keys;
    int status = ss_build_keys(build, json, false, key, &keys);
    if (status != SS_OK)
        return status;
    ret_names->items = keys.items;
    ret_names->count = keys.count;
    for (size_t i = 0; i < keys.count; i++) {
        size_t node = ss_graph_node(build->graph, keys.items[i]);
        if (node == SS_NONE || build->graph->nodes[node].hidden)
            return ss_build_no_node(build, key, keys.items[i]);
    }
    return SS_OK;
}

static int compile_settings(struct ss_build *build)
{
    struct ss_graph *graph = build->graph;
    const json_t *kept = json_object_get(build->description, "checkpointer");
    if (json_is_boolean(kept))
        graph->checkpointer =
            json_is_true(kept) ? SS_CHECKPOINTER_KEEP : SS_CHECKPOINTER_NONE;
    else if (kept && !json_is_null(kept))
        return ss_build_fail(
            build, "\"checkpointer\" must be true, false or absent");
    int status =
        compile_interrupts(build, "interrupt_before", &graph->interrupt_before);
    if (status == SS_OK)
        status = compile_interrupts(
            build, "interrupt_after", &graph->interrupt_after);
    return status;
}

static int check_policies_of_graph(struct ss_build *build)
{
    const json_t *defaults = json_object_get(build->description, "defaults");
    if (defaults && !json_is_object(defaults))
        return ss_build_fail(build, "\"defaults\" must be a map");
    return SS_OK;
}

struct trigger {
    const char *name;
    size_t channel;
};

static int compare_triggers(const void *a, const void *b)
{
    const struct trigger *x = a, *y = b;
    return strcmp(x->name, y->name);
}

// By channel name (R3.6): no two channels have one name.
static void sort_triggers(const struct ss_graph *graph, struct ss_node *node)
{
    size_t count = node->triggers_count;
    if (count < 2)
        return;
    struct trigger *sorted = ss_zalloc(count, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct trigger){
            graph->channels[node->triggers[i]].name, node->triggers[i]};
    qsort(sorted, count, sizeof(*sorted), compare_triggers);
    for (size_t i = 0; i < count; i++)
        node->triggers[i] = sorted[i].channel;
    ss_free(sorted);
}

// Sorted triggers, and whom each channel triggers.
static void index_triggers(struct ss_graph *graph)
{
    for (size_t n = 0; n < graph->nodes_count; n++) {
        struct ss_node *node = &graph->nodes[n];
        sort_triggers(graph, node);
        for (size_t i = 0; i < node->triggers_count; i++) {
            struct ss_channel_spec *channel =
                &graph->channels[node->triggers[i]];
            ss_index_add(&channel->nodes, &channel->nodes_count, n);
        }
    }
}

// Keys of a description that do not influence plan and update.
static const char *const cosmetic_keys[] = {"metadata", "labels", "retry",
    "timeout_ms", "idle_timeout_ms", "refresh_on", "cache", "limit", NULL};

static void strip(json_t *object)
{
    for (size_t i = 0; cosmetic_keys[i]; i++)
        json_object_del(object, cosmetic_keys[i]);
}

static json_t *decisive_part(json_t *description)
{
    json_t *part = json_copy(description);
    json_t *nodes = json_object_get(description, "nodes"), *stripped;
    strip(part);
    if (nodes) {
        stripped = json_array();
        for (size_t i = 0; i < json_array_size(nodes); i++) {
            json_t *node = json_copy(json_array_get(nodes, i));
            strip(node);
            json_array_append_new(stripped, node);
        }
        json_object_set_new(part, "nodes", stripped);
    }
    if (json_object_get(part, "defaults")) {
        stripped = json_copy(json_object_get(part, "defaults"));
        strip(stripped);
        json_object_set_new(part, "defaults", stripped);
        if (json_object_size(stripped) == 0)
            json_object_del(part, "defaults");
    }
    json_t *inner = json_object_get(description, "subgraphs");
    if (inner) {
        stripped = json_object();
        for (void *at = json_object_iter(inner); at;
             at = json_object_iter_next(inner, at))
            json_object_set_new(stripped, json_object_iter_key(at),
                decisive_part(json_object_iter_value(at)));
        json_object_set_new(part, "subgraphs", stripped);
    }
    return part;
}

static void set_version(struct ss_graph *graph)
{
    json_t *part = decisive_part(graph->description);
    char *text = ss_json_canonical(part);
    ss_hash_hex(text, strlen(text), graph->version);
    graph->key = ss_format("%s@%s", graph->name, graph->version);
    ss_free(text);
    json_decref(part);
}

static int compile_parts(struct ss_build *build)
{
    const char *kind = ss_json_str(build->description, "kind", "state");
    build->graph->is_state = strcmp(kind, "state") == 0;
    if (!build->graph->is_state && strcmp(kind, "raw") != 0)
        return ss_build_fail(
            build, "kind \"%s\" is neither \"state\" nor \"raw\"", kind);
    build->graph->is_strict = ss_json_bool(build->description, "strict", false);
    int status = check_policies_of_graph(build);
    if (status == SS_OK)
        status = compile_subgraphs(build);
    if (status == SS_OK)
        status = build->graph->is_state ? ss_lower_state(build)
                                        : ss_lower_raw(build);
    if (status == SS_OK)
        status = compile_settings(build);
    return status;
}

static void unref_graph(void *graph)
{
    ss_graph_unref(graph);
}

static int check_description(
    const json_t *description, int depth, struct ss_error *error)
{
    if (!json_is_object(description))
        return ss_error_set(
            error, SS_EINVAL, "a graph's description must be a map");
    const char *name = ss_json_str(description, "name", "");
    if (!*name || strlen(name) > SS_NAME_SIZE_MAX)
        return ss_error_set(error, SS_EINVAL,
            "a graph's \"name\" must be a text of 1 to %d bytes",
            SS_NAME_SIZE_MAX);
    if (depth > SS_GRAPH_DEPTH_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "graph \"%s\": graphs within graphs deeper than %d", name,
            SS_GRAPH_DEPTH_MAX);
    return SS_OK;
}

static int compile(json_t *description, int depth, struct ss_graph **ret_graph,
    struct ss_error *error)
{
    int status = check_description(description, depth, error);
    if (status != SS_OK)
        return status;
    struct ss_graph *graph = ss_zalloc(1, sizeof(*graph));
    graph->refs = 1;
    graph->name = ss_strdup(ss_json_str(description, "name", ""));
    graph->description = json_incref(description);
    graph->tasks_channel = SS_NONE;
    struct ss_build build = {.graph = graph,
        .description = description,
        .error = error,
        .depth = depth};
    status = compile_parts(&build);
    ss_map_fini(&build.subgraphs, unref_graph);
    if (status != SS_OK) {
        ss_graph_unref(graph);
        return status;
    }
    index_triggers(graph);
    set_version(graph);
    for (size_t c = 0; c < graph->channels_count; c++) {
        const struct ss_channel_spec *spec = &graph->channels[c];
        graph->has_untracked =
            graph->has_untracked || spec->kind == SS_CHANNEL_UNTRACKED;
        graph->has_custom =
            graph->has_custom || spec->reducer == SS_REDUCER_CUSTOM;
    }
    ss_check(graph->tasks_channel < graph->channels_count);
    graph->ranks = ss_ranks_new(graph);
    *ret_graph = graph;
    return SS_OK;
}

int ss_graph_compile(
    json_t *description, struct ss_graph **ret_graph, struct ss_error *error)
{
    return compile(description, 1, ret_graph, error);
}

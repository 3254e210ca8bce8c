// options.c - the author's options as parts of a description.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/define.h"

static const char *const type_names[] = {
    [SS_ANY] = "any",
    [SS_INT] = "int",
    [SS_FLOAT] = "float",
    [SS_STR] = "str",
    [SS_BOOL] = "bool",
    [SS_LIST] = "list",
    [SS_DICT] = "dict",
};
enum { TYPES_COUNT = sizeof(type_names) / sizeof(*type_names) };

static const char *const reducer_names[] = {
    [SS_LAST] = NULL,
    [SS_ADD] = "add",
    [SS_OR] = "or",
    [SS_MAX] = "max",
    [SS_MIN] = "min",
    [SS_APPEND] = "append",
    [SS_ADD_MESSAGES] = "add_messages",
};
enum { REDUCERS_COUNT = sizeof(reducer_names) / sizeof(*reducer_names) };

static const char *const kind_names[] = {
    [SS_KIND_DEFAULT] = NULL,
    [SS_KIND_ANY_VALUE] = "AnyValue",
    [SS_KIND_EPHEMERAL] = "EphemeralValue",
    [SS_KIND_UNTRACKED] = "UntrackedValue",
    [SS_KIND_TOPIC] = "Topic",
    [SS_KIND_BARRIER] = "NamedBarrierValue",
    [SS_KIND_DELTA] = "DeltaChannel",
};
enum { KINDS_COUNT = sizeof(kind_names) / sizeof(*kind_names) };

// A value that JSON cannot hold (a text that is not UTF-8, a NaN) becomes null,
// which the graph's compiler refuses: left out, it would silently make another
// graph.
static json_t *or_null(json_t *value)
{
    return value ? value : json_null();
}

json_t *ss_options_names(const char *const *names)
{
    json_t *list = json_array();
    for (; names && *names; names++)
        json_array_append_new(list, or_null(json_string(*names)));
    return list;
}

static void set_str(json_t *object, const char *key, const char *text)
{
    if (text)
        json_object_set_new(object, key, json_string(text));
}

static void set_names(json_t *object, const char *key, const char *const *names)
{
    if (names)
        json_object_set_new(object, key, ss_options_names(names));
}

// JSON text among the options; `where` and `key` name it in the error.
static void set_text(struct ss_graph_def *graph, const char *where,
    json_t *object, const char *key, const char *text)
{
    if (!text)
        return;
    json_t *json;
    struct ss_error error;
    if (ss_json_parse(text, strlen(text), &json, &error) == SS_OK)
        json_object_set_new(object, key, json);
    else
        ss_graph_def_fail(graph, "%s: its %s is not JSON text: %s", where, key,
            error.message);
}

static void set_key_kind(struct ss_graph_def *graph, const char *key,
    enum ss_type type, json_t *object, const struct ss_key_options *options)
{
    size_t kind = (size_t)options->kind;
    size_t reducer = (size_t)options->reducer;
    if (kind >= KINDS_COUNT || reducer >= REDUCERS_COUNT) {
        ss_graph_def_fail(graph, "key \"%s\": there is no such %s", key,
            kind >= KINDS_COUNT ? ".kind" : ".reducer");
        return;
    }
    bool is_list = reducer == SS_APPEND || reducer == SS_ADD_MESSAGES;
    if (options->typed_ && is_list && type != SS_ANY && type != SS_LIST)
        ss_graph_def_fail(graph,
            "key \"%s\": %s makes a list: its type is SS_LIST", key,
            reducer == SS_APPEND ? "SS_APPEND" : "SS_ADD_MESSAGES");
    set_str(object, "channel", kind_names[kind]);
    set_str(object, "reducer", reducer_names[reducer]);
    bool guardable = options->kind == SS_KIND_EPHEMERAL ||
                     options->kind == SS_KIND_UNTRACKED;
    if (guardable)
        json_object_set_new(object, "guard", json_boolean(!options->unguarded));
}

json_t *ss_options_key(struct ss_graph_def *graph, const char *key,
    enum ss_type type, const struct ss_key_options *options)
{
    json_t *object = json_object();
    if ((size_t)type >= TYPES_COUNT)
        ss_graph_def_fail(graph, "key \"%s\": there is no such type", key);
    else if (type != SS_ANY)
        set_str(object, "type", type_names[type]);
    if (!options)
        return object;
    set_key_kind(graph, key, type, object, options);
    set_str(object, "managed", options->managed);
    set_names(object, "names", options->names);
    if (options->reduce)
        set_str(object, "custom", key);
    if (options->accumulate)
        json_object_set_new(object, "accumulate", json_true());
    if (options->snapshot_frequency != 0)
        json_object_set_new(object, "snapshot_frequency",
            json_integer(options->snapshot_frequency));
    char *where = ss_format("key \"%s\"", key);
    set_text(graph, where, object, "default", options->initial);
    ss_free(where);
    return object;
}

static void set_ms(json_t *object, const char *key, int64_t ms)
{
    if (ms != 0)
        json_object_set_new(object, key, json_integer(ms));
}

static bool has_factor(const struct ss_retry_policy *retry)
{
    // NaN is one too: it is refused where the graph is compiled.
    return !(retry->backoff_factor >= 0 && retry->backoff_factor <= 0);
}

// A policy that says anything is a policy, as LangGraph's are.
static bool is_said(const struct ss_retry_policy *retry)
{
    return retry->attempts_max > 0 || retry->initial_interval_ms != 0 ||
           retry->max_interval_ms != 0 || has_factor(retry) ||
           retry->no_jitter || retry->retry_on;
}

static json_t *retry_json(const struct ss_retry_policy *retry)
{
    json_t *object = json_object();
    if (retry->attempts_max > 0)
        json_object_set_new(
            object, "max_attempts", json_integer(retry->attempts_max));
    set_ms(object, "initial_interval_ms", retry->initial_interval_ms);
    set_ms(object, "max_interval_ms", retry->max_interval_ms);
    if (has_factor(retry))
        json_object_set_new(object, "backoff_factor",
            or_null(json_real(retry->backoff_factor)));
    if (retry->no_jitter)
        json_object_set_new(object, "jitter", json_false());
    set_names(object, "retry_on", retry->retry_on);
    return json_pack("[o]", object);
}

static void check_labels(
    struct ss_graph_def *graph, const char *node, const char *const *labels)
{
    for (const char *const *it = labels; it && *it; it++)
        if (!**it)
            ss_graph_def_fail(graph,
                "node \"%s\": one of its .labels is an empty text; no worker "
                "offers that",
                node);
        else if (strchr(*it, ','))
            ss_graph_def_fail(graph,
                "node \"%s\": the label \"%s\" has a comma, which stands "
                "between labels; give each one by itself: .labels = "
                "SS_ALL(\"gpu\", \"large\")",
                node, *it);
}

json_t *ss_options_node(struct ss_graph_def *graph, const char *node,
    const struct ss_node_options *options)
{
    json_t *object = json_object();
    if (!options)
        return object;
    if (options->retry.attempts_max < 0)
        ss_graph_def_fail(graph,
            "node \"%s\": its .retry.attempts_max is %d: it counts the first"
            " try, and 1 is no retries",
            node, options->retry.attempts_max);
    else if (is_said(&options->retry))
        json_object_set_new(object, "retry", retry_json(&options->retry));
    if (options->cache_ttl_ms != 0 && !options->cache)
        ss_graph_def_fail(graph,
            "node \"%s\": it has a .cache_ttl_ms and no .cache = true", node);
    if (options->heartbeat_only && options->idle_timeout_ms == 0)
        ss_graph_def_fail(graph,
            "node \"%s\": it is .heartbeat_only and has no .idle_timeout_ms "
            "that beats could hold off",
            node);
    set_ms(object, "timeout_ms", options->timeout_ms);
    set_ms(object, "idle_timeout_ms", options->idle_timeout_ms);
    if (options->heartbeat_only)
        set_str(object, "refresh_on", "heartbeat");
    set_names(object, "reads", options->reads);
    if (options->defer)
        json_object_set_new(object, "defer", json_true());
    if (options->cache) {
        json_t *cache = json_object();
        set_ms(cache, "ttl_ms", options->cache_ttl_ms);
        json_object_set_new(object, "cache", cache);
    }
    if (options->on_error)
        json_object_set_new(object, "error_handler", json_true());
    set_names(object, "destinations", options->goes_to);
    set_str(object, "subgraph", options->subgraph);
    check_labels(graph, node, options->labels);
    set_names(object, "labels", options->labels);
    char *where = ss_format("node \"%s\"", node);
    set_text(graph, where, object, "metadata", options->metadata);
    ss_free(where);
    return object;
}

static void check_map(
    struct ss_graph_def *graph, const char *where, const json_t *map)
{
    if ((json_is_object(map) && json_object_size(map) == 0) ||
        (json_is_array(map) && json_array_size(map) == 0))
        ss_graph_def_fail(graph,
            "%s: its .map is empty, so that no answer of its router would "
            "lead anywhere; give it {\"answer\": \"node\"}, or leave it out "
            "where answers are names of nodes",
            where);
}

json_t *ss_options_branch(struct ss_graph_def *graph, const char *from,
    const struct ss_branch_options *options)
{
    json_t *object = json_object();
    if (!options)
        return object;
    set_names(object, "reads", options->reads);
    char *where = ss_format("the branch from node \"%s\"", from);
    set_text(graph, where, object, "map", options->map);
    check_map(graph, where, json_object_get(object, "map"));
    ss_free(where);
    return object;
}

// policy.c - what a node's description says beside its wiring: names, retry,
// timeouts, cache, labels, limit (spec/graph.md 7). A node's own policy
// overrides the graph's default.
#include <string.h>

#include "common/model/build.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

int ss_build_node_name(struct ss_build *build, const char *name)
{
    if (!*name)
        return ss_build_fail(build, "a node without a name");
    if (strlen(name) > SS_NAME_SIZE_MAX)
        return ss_build_fail(build,
            "node \"%.40s...\": a name is at most %d bytes", name,
            SS_NAME_SIZE_MAX);
    if (build->graph->is_state &&
        (strcmp(name, SS_NAME_START) == 0 || strcmp(name, SS_NAME_END) == 0))
        return ss_build_fail(build,
            "node \"%s\": this is the name of a graph's %s", name,
            strcmp(name, SS_NAME_START) == 0 ? "entry" : "end");
    if (ss_name_reserved(name) || strcmp(name, SS_NAME_TASKS) == 0)
        return ss_build_fail(build, "node \"%s\": this name is reserved", name);
    if (strpbrk(name, "|:"))
        return ss_build_fail(
            build, "node \"%s\": a name may not contain \"|\" or \":\"", name);
    return SS_OK;
}

int ss_build_positive(struct ss_build *build, const char *where,
    const json_t *object, const char *key, int64_t *ret_value)
{
    const json_t *given = json_object_get(object, key);
    if (!given || json_is_null(given))
        return SS_OK;
    if (!json_is_integer(given) || json_integer_value(given) <= 0)
        return ss_build_fail(
            build, "%s: %s must be a whole number above 0", where, key);
    *ret_value = json_integer_value(given);
    return SS_OK;
}

static int parse_retry(struct ss_build *build, const char *where,
    const json_t *json, struct ss_retry *retry)
{
    *retry = (struct ss_retry){.initial_interval_ms = 500,
        .backoff_factor = 2.0,
        .max_interval_ms = 128000,
        .attempts_max = 3,
        .jitter = ss_json_bool(json, "jitter", true)};
    const json_t *factor = json_object_get(json, "backoff_factor");
    if (factor)
        retry->backoff_factor = json_number_value(factor);
    if (!json_is_object(json) || (factor && retry->backoff_factor <= 0))
        return ss_build_fail(build,
            "%s: a retry policy must be a map with a backoff_factor above 0",
            where);
    int status = ss_build_positive(
        build, where, json, "max_attempts", &retry->attempts_max);
    retry->initial_interval_ms =
        ss_json_int(json, "initial_interval_ms", retry->initial_interval_ms);
    retry->max_interval_ms =
        ss_json_int(json, "max_interval_ms", retry->max_interval_ms);
    retry->initial_interval_ms = ss_duration_ms(retry->initial_interval_ms);
    retry->max_interval_ms = ss_duration_ms(retry->max_interval_ms);
    if (status == SS_OK &&
        (retry->initial_interval_ms < 0 || retry->max_interval_ms < 0))
        status = ss_build_fail(
            build, "%s: a retry's intervals must not be below 0", where);
    const json_t *kinds = json_object_get(json, "retry_on");
    if (status != SS_OK || !kinds || json_is_null(kinds))
        return status;
    struct ss_keys keys;
    status = ss_build_keys(build, kinds, false, "retry_on", &keys);
    if (status == SS_OK) {
        // An empty list is not NULL: it retries nothing.
        retry->retry_on =
            keys.items ? keys.items : ss_zalloc(1, sizeof(char *));
        retry->retry_on_count = keys.count;
    }
    return status;
}

static int parse_retries(struct ss_build *build, struct ss_node *node,
    const char *where, const json_t *json)
{
    if (!json || json_is_null(json))
        return SS_OK;
    size_t count = json_is_array(json) ? json_array_size(json) : 1;
    node->retries = ss_zalloc(count, sizeof(*node->retries));
    int status = SS_OK;
    for (size_t i = 0; i < count && status == SS_OK; i++) {
        node->retries_count = i + 1;
        status = parse_retry(build, where,
            json_is_array(json) ? json_array_get(json, i) : json,
            &node->retries[i]);
    }
    return status;
}

static const json_t *own_or_default(
    const struct ss_build *build, const json_t *described, const char *key)
{
    const json_t *own = json_object_get(described, key);
    bool is_given = own && !json_is_null(own) &&
                    !(json_is_array(own) && json_array_size(own) == 0);
    return is_given ? own
                    : json_object_get(
                          json_object_get(build->description, "defaults"), key);
}

static int parse_times(struct ss_build *build, struct ss_node *node,
    const char *where, const json_t *described)
{
    const json_t *defaults = json_object_get(build->description, "defaults");
    int status = ss_build_positive(
        build, "defaults", defaults, "timeout_ms", &node->timeouts.run_ms);
    if (status == SS_OK)
        status = ss_build_positive(build, "defaults", defaults,
            "idle_timeout_ms", &node->timeouts.idle_ms);
    if (status == SS_OK)
        status = ss_build_positive(
            build, where, described, "timeout_ms", &node->timeouts.run_ms);
    if (status == SS_OK)
        status = ss_build_positive(build, where, described, "idle_timeout_ms",
            &node->timeouts.idle_ms);
    node->timeouts.run_ms = ss_duration_ms(node->timeouts.run_ms);
    node->timeouts.idle_ms = ss_duration_ms(node->timeouts.idle_ms);
    const char *refresh =
        json_string_value(own_or_default(build, described, "refresh_on"));
    if (status != SS_OK || !refresh)
        return status;
    node->timeouts.heartbeat_only = strcmp(refresh, "heartbeat") == 0;
    if (!node->timeouts.heartbeat_only && strcmp(refresh, "auto") != 0)
        return ss_build_fail(build,
            "%s: refresh_on is \"auto\" or \"heartbeat\", not \"%s\"", where,
            refresh);
    return SS_OK;
}

static int parse_cache(struct ss_build *build, struct ss_node *node,
    const char *where, const json_t *json)
{
    if (!json || json_is_null(json) || json_is_false(json))
        return SS_OK;
    node->cached = true;
    int status =
        ss_build_positive(build, where, json, "ttl_ms", &node->cache_ttl_ms);
    node->cache_ttl_ms = ss_duration_ms(node->cache_ttl_ms);
    return status;
}

static int parse_subgraph(struct ss_build *build, struct ss_node *node,
    const char *where, const char *name)
{
    struct ss_graph *inner = ss_map_get(&build->subgraphs, name);
    if (inner) {
        node->subgraph = ss_graph_ref(inner);
        return SS_OK;
    }
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (struct ss_map_entry *e = build->subgraphs.first; e; e = e->next)
        ss_hint_offer(&hint, e->key);
    return ss_build_fail(build, "%s: there is no subgraph \"%s\".%s", where,
        name, ss_hint_text(&hint));
}

static int parse_lists(
    struct ss_build *build, struct ss_node *node, const json_t *described)
{
    struct ss_keys keys;
    int status =
        ss_build_keys(build, json_object_get(described, "destinations"), false,
            "destinations", &keys);
    if (status != SS_OK)
        return status;
    node->destinations = keys.items;
    node->destinations_count = keys.count;
    return ss_build_keys(build, json_object_get(described, "labels"), false,
        "labels", &node->labels);
}

// So many tasks at once, or so many in a time.
static int parse_numbers(struct ss_build *build, const char *where,
    const json_t *json, struct ss_node_limit *limit)
{
    int64_t begun_max = 0;
    int status =
        ss_build_positive(build, where, json, "tasks_max", &limit->tasks_max);
    if (status == SS_OK)
        status = ss_build_positive(build, where, json, "begun_max", &begun_max);
    if (status == SS_OK)
        status =
            ss_build_positive(build, where, json, "per_ms", &limit->per_ms);
    bool is_rate = begun_max > 0 && limit->per_ms > 0;
    bool is_half = (begun_max > 0) != (limit->per_ms > 0);
    if (status == SS_OK && (is_half || is_rate == (limit->tasks_max > 0)))
        status = ss_build_fail(build,
            "%s: a limit needs tasks_max, or begun_max and per_ms", where);
    if (status == SS_OK && limit->per_ms > SS_LIMIT_PER_MS_MAX)
        status = ss_build_fail(build, "%s: per_ms is at most %d: an hour",
            where, SS_LIMIT_PER_MS_MAX);
    if (is_rate)
        limit->tasks_max = begun_max;
    return status;
}

// It may stand in the name of a limit, or stand for the values that have some.
static int check_word(struct ss_build *build, const char *where,
    const char *what, const char *text)
{
    size_t size = text ? strlen(text) : 1;
    for (size_t i = 0; text && i < size; i++)
        if ((unsigned char)text[i] < ' ')
            size = 0;
    return size > 0 && size <= SS_NAME_SIZE_MAX
               ? SS_OK
               : ss_build_fail(build, "%s: %s is text of 1 to %d bytes", where,
                     what, SS_NAME_SIZE_MAX);
}

// A limit without a name is of that node, or of that graph, alone: `name`.
static int parse_limit(struct ss_build *build, const char *where,
    const char *name, const json_t *json, struct ss_node_limit *limit)
{
    const char *said = ss_json_str(json, "name", NULL);
    const char *each = ss_json_str(json, "each", NULL);
    int status = parse_numbers(build, where, json, limit);
    if (status == SS_OK)
        status = check_word(build, where, "the name of a limit", said);
    if (status == SS_OK && json_object_get(json, "each"))
        status = check_word(
            build, where, "each of a limit, a key,", each ? each : "");
    if (status != SS_OK)
        return status;
    limit->each = each ? ss_strdup(each) : NULL;
    limit->name = ss_strdup(said ? said : name);
    return SS_OK;
}

// One limit, or a list of them. A name that is there already adds nothing: what
// a node says goes before what its graph says.
static int add_limits(struct ss_build *build, struct ss_node *node,
    const char *where, const char *name, const json_t *said)
{
    size_t count = json_is_array(said) ? json_array_size(said) : said != NULL;
    int status = SS_OK;
    if (count > SS_NODE_LIMITS_MAX)
        return ss_build_fail(
            build, "%s: it has more than %d limits", where, SS_NODE_LIMITS_MAX);
    for (size_t i = 0; i < count && status == SS_OK; i++) {
        struct ss_node_limit limit = {0};
        bool is_new = true;
        status = parse_limit(build, where, name,
            json_is_array(said) ? json_array_get(said, i) : said, &limit);
        for (size_t k = 0; k < node->limits.count && limit.name; k++)
            is_new &= strcmp(node->limits.items[k].name, limit.name) != 0;
        if (status == SS_OK && is_new) {
            node->limits.items[node->limits.count++] = limit;
            continue;
        }
        ss_free(limit.name);
        ss_free(limit.each);
    }
    return status;
}

// A node's own limits and its graph's hold together.
static int parse_limits(struct ss_build *build, struct ss_node *node,
    const char *where, const json_t *described)
{
    const json_t *own = json_object_get(described, "limit");
    const json_t *all = json_object_get(build->description, "limit");
    if ((!own && !all) || node->is_handler || (node->subgraph && !own))
        return SS_OK;
    if (node->subgraph)
        return ss_build_fail(build,
            "%s: a limit is of a node with a body, and it is a graph", where);
    node->limits.items =
        ss_zalloc((size_t)2 * SS_NODE_LIMITS_MAX, sizeof(*node->limits.items));
    char *name = ss_format("%s/%s", build->graph->name, node->name);
    int status = add_limits(build, node, where, name, own);
    ss_free(name);
    if (status == SS_OK)
        status = add_limits(build, node, where, build->graph->name, all);
    return status;
}

int ss_build_policies(
    struct ss_build *build, size_t index, const json_t *described)
{
    struct ss_node *node = &build->graph->nodes[index];
    char *where = ss_format("node \"%s\"", node->name);
    const json_t *metadata = json_object_get(described, "metadata");
    const char *inner = ss_json_str(described, "subgraph", NULL);
    int status = SS_OK;
    if (metadata && !json_is_object(metadata) && !json_is_null(metadata))
        status = ss_build_fail(build, "%s: its metadata must be a map", where);
    else if (json_is_object(metadata))
        node->metadata = json_incref((json_t *)metadata);
    if (status == SS_OK)
        status = parse_retries(
            build, node, where, own_or_default(build, described, "retry"));
    if (status == SS_OK)
        status = parse_times(build, node, where, described);
    if (status == SS_OK && !node->is_handler)
        status = parse_cache(
            build, node, where, own_or_default(build, described, "cache"));
    if (status == SS_OK && inner)
        status = parse_subgraph(build, node, where, inner);
    if (status == SS_OK)
        status = parse_lists(build, node, described);
    if (status == SS_OK)
        status = parse_limits(build, node, where, described);
    ss_free(where);
    return status;
}

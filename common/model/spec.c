// spec.c - the builder: collects a description, refuses at once what can be
// seen at once (spec/graph.md 1.2). ss_graph_compile() checks the rest.
#include "common/model/spec.h"

#include <string.h>

#include "common/model/build.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

struct ss_spec {
    json_t *description;
    struct ss_error error; // the first one; SS_OK: none
    struct ss_map nodes;   // names in use, handlers' too
    struct ss_map keys;
    struct ss_map branches; // "from:name"; no node's name has a colon
    // The checks that compilation has too want one of these.
    struct ss_graph graph;
    struct ss_build build;
};

// Descriptions are JSON: such a name would be left out in silence.
static int not_text(struct ss_spec *spec, const char *what, const char *name)
{
    return ss_build_fail(
        &spec->build, "%s \"%s\": its name is not UTF-8", what, name);
}

struct ss_spec *ss_spec_new(const char *name, const char *kind)
{
    struct ss_spec *spec = ss_zalloc(1, sizeof(*spec));
    spec->graph.name = ss_strdup(name);
    spec->graph.is_state = strcmp(kind, "state") == 0;
    spec->build.graph = &spec->graph;
    spec->build.error = &spec->error;
    spec->description = json_pack("{s:s, s:s}", "name", name, "kind", kind);
    if (!spec->description) {
        not_text(spec, "the graph", name);
        spec->description = json_object();
    }
    const char *lists[] = {spec->graph.is_state ? "state" : "channels", "nodes",
        "edges", "branches"};
    for (size_t i = 0; i < 4; i++)
        json_object_set_new(spec->description, lists[i], json_array());
    return spec;
}

void ss_spec_destroy(struct ss_spec **spec)
{
    if (!*spec)
        return;
    json_decref((*spec)->description);
    ss_map_fini(&(*spec)->nodes, NULL);
    ss_map_fini(&(*spec)->keys, NULL);
    ss_map_fini(&(*spec)->branches, NULL);
    ss_free((*spec)->graph.name);
    ss_free(*spec);
    *spec = NULL;
}

// Remember a name; SS_EINVAL if it was there.
static int claim(struct ss_spec *spec, struct ss_map *map, const char *what,
    const char *name)
{
    bool is_there = ss_map_put(map, name, spec) != NULL;
    return is_there ? ss_build_fail(&spec->build, "%s \"%s\" is defined twice",
                          what, name)
                    : SS_OK;
}

// `options` with `key`: name in front, on the list. Takes options.
static int append(struct ss_spec *spec, const char *list, const char *key,
    const char *name, json_t *options)
{
    json_t *item = json_pack("{s:s}", key, name);
    if (!item)
        return not_text(spec, key, name);
    if (options)
        json_object_update_missing(item, options);
    json_array_append_new(json_object_get(spec->description, list), item);
    return SS_OK;
}

static int check_options(
    struct ss_spec *spec, const char *what, const json_t *options)
{
    if (!options || json_is_object(options))
        return SS_OK;
    return ss_build_fail(&spec->build, "%s: its options must be a map", what);
}

static int add_key(struct ss_spec *spec, const char *list, const char *field,
    const char *name, json_t *options)
{
    const char *what = spec->graph.is_state ? "state key" : "channel";
    int status = spec->error.status;
    if (status == SS_OK && !json_object_get(spec->description, list))
        status = ss_build_fail(&spec->build,
            "\"%s\": a graph has state keys or, if it is raw, channels", name);
    if (status == SS_OK)
        status = check_options(spec, name, options);
    if (status == SS_OK)
        status = claim(spec, &spec->keys, what, name);
    if (status == SS_OK)
        status = append(spec, list, field, name, options);
    json_decref(options);
    return status;
}

int ss_spec_key(struct ss_spec *spec, const char *key, json_t *options)
{
    return add_key(spec, "state", "key", key, options);
}

int ss_spec_channel(struct ss_spec *spec, const char *name, json_t *options)
{
    return add_key(spec, "channels", "name", name, options);
}

static int check_node(
    struct ss_spec *spec, const char *name, const json_t *options)
{
    int64_t ms;
    char *where = ss_format("node \"%s\"", name);
    int status =
        ss_build_positive(&spec->build, where, options, "timeout_ms", &ms);
    if (status == SS_OK)
        status = ss_build_positive(
            &spec->build, where, options, "idle_timeout_ms", &ms);
    if (status == SS_OK)
        status = ss_build_node_name(&spec->build, name);
    if (status == SS_OK)
        status = claim(spec, &spec->nodes, "node", name);
    if (status == SS_OK && ss_json_bool(options, "error_handler", false)) {
        char *handler = ss_format("%s%s", SS_NAME_HANDLER, name);
        status = claim(spec, &spec->nodes, "node", handler);
        ss_free(handler);
    }
    ss_free(where);
    return status;
}

int ss_spec_node(struct ss_spec *spec, const char *name, json_t *options)
{
    int status = spec->error.status;
    if (status == SS_OK)
        status = check_options(spec, name, options);
    if (status == SS_OK)
        status = check_node(spec, name, options);
    if (status == SS_OK)
        status = append(spec, "nodes", "name", name, options);
    json_decref(options);
    return status;
}

static int check_source(struct ss_spec *spec, const char *from)
{
    return strcmp(from, SS_NAME_END) == 0
               ? ss_build_fail(
                     &spec->build, "an edge from the end: nothing follows it")
               : SS_OK;
}

static int check_target(struct ss_spec *spec, const char *to)
{
    return strcmp(to, SS_NAME_START) == 0
               ? ss_build_fail(
                     &spec->build, "an edge to the entry: nothing goes there")
               : SS_OK;
}

int ss_spec_edge(struct ss_spec *spec, const char *from, const char *to)
{
    int status = spec->error.status;
    if (status == SS_OK)
        status = check_source(spec, from);
    if (status == SS_OK)
        status = check_target(spec, to);
    if (status == SS_OK &&
        json_array_append_new(json_object_get(spec->description, "edges"),
            json_pack("[s, s]", from, to)) != 0)
        status = not_text(spec, from, to);
    return status;
}

// A join is between nodes that are there already, or to the end.
static int check_known(struct ss_spec *spec, const char *name)
{
    if (ss_map_get(&spec->nodes, name))
        return SS_OK;
    return ss_build_fail(&spec->build,
        "a join names \"%s\", and no such node was added before it", name);
}

int ss_spec_join(
    struct ss_spec *spec, const char *const *from, size_t count, const char *to)
{
    int status = spec->error.status;
    for (size_t i = 0; i < count && status == SS_OK; i++) {
        status = check_source(spec, from[i]);
        if (status == SS_OK)
            status = check_known(spec, from[i]);
    }
    if (status == SS_OK)
        status = check_target(spec, to);
    if (status == SS_OK && strcmp(to, SS_NAME_END) != 0)
        status = check_known(spec, to);
    if (status != SS_OK)
        return status;
    json_t *sources = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(sources, json_string(from[i]));
    // All of them are known, and so are text; or the end.
    json_array_append_new(json_object_get(spec->description, "edges"),
        json_pack("[o, s]", sources, to));
    return SS_OK;
}

int ss_spec_branch(
    struct ss_spec *spec, const char *from, const char *name, json_t *options)
{
    int status = spec->error.status;
    char *place = ss_format("%s:%s", from, name);
    if (status == SS_OK)
        status = check_options(spec, place, options);
    if (status == SS_OK)
        status = claim(spec, &spec->branches, "branch", place);
    if (status == SS_OK) {
        json_t *item = json_pack("{s:s, s:s}", "from", from, "name", name);
        if (item && options)
            json_object_update_missing(item, options);
        if (json_array_append_new(
                json_object_get(spec->description, "branches"), item) != 0)
            status = not_text(spec, "branch", place);
    }
    ss_free(place);
    json_decref(options);
    return status;
}

// The first one stands as it is, several stand in a list. One of a name that is
// there already takes its place.
static void add_limit(json_t *place, json_t *limit)
{
    const char *name = ss_json_str(limit, "name", "");
    json_t *said = json_object_get(place, "limit"), *it;
    json_t *list = json_array();
    size_t i;
    if (json_is_array(said))
        json_array_extend(list, said);
    else if (said)
        json_array_append(list, said);
    json_array_foreach (list, i, it)
        if (strcmp(ss_json_str(it, "name", ""), name) == 0)
            break;
    if (i < json_array_size(list))
        json_array_set(list, i, limit);
    else
        json_array_append(list, limit);
    bool is_one = json_array_size(list) == 1;
    json_object_set(place, "limit", is_one ? limit : list);
    json_decref(list);
}

int ss_spec_limit(struct ss_spec *spec, const char *node, json_t *limit)
{
    int status = spec->error.status;
    json_t *place = status == SS_OK && !node ? spec->description : NULL, *item;
    size_t i;
    json_array_foreach (json_object_get(spec->description, "nodes"), i, item)
        if (node && strcmp(ss_json_str(item, "name", ""), node) == 0)
            place = item;
    if (status == SS_OK && !place)
        status = ss_build_fail(&spec->build,
            "a limit of node \"%s\", and no such node was added before it",
            node);
    if (status == SS_OK)
        add_limit(place, limit);
    json_decref(limit);
    return status;
}

int ss_spec_subgraph(struct ss_spec *spec, json_t *description)
{
    if (spec->error.status != SS_OK)
        return spec->error.status;
    const char *name = ss_json_str(description, "name", NULL);
    if (!name)
        return ss_build_fail(&spec->build, "a subgraph without a name");
    json_t *all = json_object_get(spec->description, "subgraphs");
    if (!all) {
        all = json_object();
        json_object_set_new(spec->description, "subgraphs", all);
    }
    const json_t *there = json_object_get(all, name);
    // Several nodes may name one graph.
    if (there && !json_equal((json_t *)there, description))
        return ss_build_fail(
            &spec->build, "two different subgraphs have the name \"%s\"", name);
    json_object_set(all, name, description);
    return SS_OK;
}

int ss_spec_set(struct ss_spec *spec, const char *key, json_t *value)
{
    static const char *const made[] = {"name", "kind", "state", "channels",
        "nodes", "edges", "branches", "subgraphs", NULL};
    int status = spec->error.status;
    for (size_t i = 0; made[i] && status == SS_OK; i++)
        if (strcmp(key, made[i]) == 0)
            status =
                ss_build_fail(&spec->build, "\"%s\" is not set but built", key);
    if (status == SS_OK)
        json_object_set(spec->description, key, value);
    json_decref(value);
    return status;
}

int ss_spec_end(
    struct ss_spec *spec, json_t **ret_description, struct ss_error *error)
{
    if (spec->error.status != SS_OK)
        return ss_error_set(
            error, spec->error.status, "%s", spec->error.message);
    *ret_description = json_deep_copy(spec->description);
    return SS_OK;
}

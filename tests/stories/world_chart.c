// world_chart.c - graphs in a line of text.
#include <check.h>
#include <string.h>

#include "tests/stories/world_impl.h"

json_t *js(const char *text)
{
    char *copy = ss_strdup(text);
    for (char *c = copy; *c; c++)
        if (*c == '\'')
            *c = '"';
    json_t *json = NULL;
    struct ss_error error;
    if (ss_json_parse(copy, strlen(copy), &json, &error) != SS_OK)
        ck_abort_msg("%s in %s", error.message, text);
    ss_free(copy);
    return json;
}

static bool is_end(const char *name)
{
    return strcmp(name, "__start__") == 0 || strcmp(name, "__end__") == 0;
}

// The name at *text, up to one of `stops`. Takes note of a new node.
static json_t *name_at(const char **text, const char *stops, json_t *nodes)
{
    size_t size = strcspn(*text, stops);
    json_t *name = json_stringn(*text, size);
    *text += size;
    if (strcmp(json_string_value(name), "start") == 0)
        json_string_set(name, "__start__");
    if (strcmp(json_string_value(name), "end") == 0)
        json_string_set(name, "__end__");
    size_t i;
    json_t *node;
    bool known = is_end(json_string_value(name));
    json_array_foreach (nodes, i, node)
        known = known || strcmp(ss_json_str(node, "name", ""),
                             json_string_value(name)) == 0;
    if (!known)
        json_array_append_new(nodes, json_pack("{s:O}", "name", name));
    return name;
}

static json_t *edge_at(const char **text, json_t *nodes)
{
    json_t *from = json_array();
    for (;;) {
        json_array_append_new(from, name_at(text, "+> ", nodes));
        if (**text != '+')
            break;
        ++*text;
    }
    if (**text != '>') { // a node without an edge
        json_decref(from);
        return NULL;
    }
    ++*text;
    json_t *to = name_at(text, " ", nodes);
    json_t *one = json_array_size(from) == 1
                      ? json_incref(json_array_get(from, 0))
                      : json_incref(from);
    json_decref(from);
    return json_pack("[o, o]", one, to);
}

static void set_options(json_t *nodes, const char *name, json_t *options)
{
    size_t i;
    json_t *node;
    json_array_foreach (nodes, i, node) {
        if (strcmp(ss_json_str(node, "name", ""), name) == 0) {
            json_object_update(node, options);
            return;
        }
    }
    node = json_pack("{s:s}", "name", name);
    json_object_update(node, options);
    json_array_append_new(nodes, node);
}

json_t *chart(const char *name, const char *edges, const char *extra)
{
    json_t *nodes = json_array(), *list = json_array();
    while (*edges) {
        json_t *edge = edge_at(&edges, nodes);
        if (edge)
            json_array_append_new(list, edge);
        edges += strspn(edges, " ");
    }
    json_t *description = json_pack("{s:s, s:s, s:[{s:s, s:s, s:s}], s:o, s:o}",
        "name", name, "kind", "state", "state", "key", "x", "type", "list",
        "reducer", "add", "nodes", nodes, "edges", list);
    json_t *more = extra ? js(extra) : json_object(), *options;
    const char *key;
    json_object_foreach (json_object_get(more, "nodes"), key, options)
        set_options(nodes, key, options);
    json_object_del(more, "nodes");
    json_object_update(description, more);
    json_decref(more);
    return description;
}

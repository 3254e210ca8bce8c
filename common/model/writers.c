// writers.c - what a node returned becomes its task's writes: state updates,
// control, edges, joins, branches, in this order (spec/engine.md R0.7).
#include "common/model/writers.h"

#include <string.h>

#include "common/model/compare.h"
#include "common/model/reserved.h"
#include "common/model/suggest.h"
#include "common/model/tag.h"
#include "common/model/writer.h"

void ss_writes_add(
    struct ss_writes *writes, const char *channel, struct ss_value *value)
{
    SS_VEC_PUSH(writes,
        (struct ss_write){.channel = ss_strdup(channel), .value = value});
}

size_t ss_write_channel(
    const struct ss_graph *graph, const struct ss_write *write)
{
    size_t found = write->found;
    return found > 0 && found <= graph->channels_count &&
                   strcmp(graph->channels[found - 1].name, write->channel) == 0
               ? found - 1
               : ss_graph_channel(graph, write->channel);
}

static void cut(struct ss_writes *writes, size_t count)
{
    while (writes->count > count) {
        struct ss_write *last = &writes->items[--writes->count];
        if (!last->is_lent)
            ss_free((char *)last->channel);
        ss_value_unref(last->value);
    }
}

void ss_writes_fini(struct ss_writes *writes)
{
    cut(writes, 0);
    SS_VEC_FINI(writes);
}

void ss_writes_copy(struct ss_writes *to, const struct ss_writes *from)
{
    *to = (struct ss_writes){0};
    for (size_t i = 0; i < from->count; i++)
        ss_writes_add(
            to, from->items[i].channel, ss_value_ref(from->items[i].value));
}

bool ss_writers_need_worker(const struct ss_node *node)
{
    for (size_t i = 0; i < node->raw_writes_count; i++)
        if (node->raw_writes[i].mapped)
            return true;
    return node->branches_count > 0;
}

static void writer_add(struct ss_writer *w, const char *channel, json_t *value)
{
    ss_writes_add(w->writes, channel, ss_value_new(json_incref(value)));
}

// To a channel of the graph: its name is lent. Takes the reference of `value`.
static void writer_add_to(
    struct ss_writer *w, size_t channel, struct ss_value *value)
{
    SS_VEC_PUSH(w->writes,
        (struct ss_write){.channel = w->graph->channels[channel].name,
            .value = value,
            .found = (uint32_t)channel + 1,
            .is_lent = true});
}

static int refuse_return(
    struct ss_writer *w, const json_t *returned, const char *expected)
{
    char *text = ss_json_text(returned);
    int status = ss_error_set(w->error, SS_EUPDATE,
        "node \"%s\": expected %s, got %s: %.200s", w->node->name, expected,
        ss_type_text(returned), text);
    ss_free(text);
    return status;
}

// Strict graphs: what is sent to no node is an error, not a warning.
static int check_target(const struct ss_graph *graph, const char *from,
    const char *name, struct ss_error *error)
{
    if (!graph->is_strict || strcmp(name, SS_NAME_END) == 0 ||
        ss_graph_node(graph, name) != SS_NONE)
        return SS_OK;
    struct ss_hint hint;
    ss_hint_init(&hint, name);
    for (size_t i = 0; i < graph->nodes_count; i++)
        if (!graph->nodes[i].hidden)
            ss_hint_offer(&hint, graph->nodes[i].name);
    return ss_error_set(error, SS_EROUTE,
        "%s leads to \"%s\": there is no such node.%s", from, name,
        ss_hint_text(&hint));
}

static int check_node_target(struct ss_writer *w, const char *name)
{
    if (!w->graph->is_strict)
        return SS_OK;
    char *from = ss_format("node \"%s\"", w->node->name);
    int status = check_target(w->graph, from, name, w->error);
    ss_free(from);
    return status;
}

int ss_writer_send(struct ss_writer *w, json_t *mark)
{
    const json_t *send = ss_tag_get(mark, "$send");
    const char *node = ss_json_str(send, "node", NULL);
    if (!node)
        return ss_error_set(w->error, SS_EINVAL,
            "node \"%s\": a send without a node's name", w->node->name);
    int status = check_node_target(w, node);
    if (status == SS_OK)
        writer_add(w, SS_NAME_TASKS, mark);
    return status;
}

int ss_writer_go(struct ss_writer *w, const char *name)
{
    if (strcmp(name, SS_NAME_END) == 0)
        return SS_OK;
    int status = check_node_target(w, name);
    if (status != SS_OK)
        return status;
    enum { PREFIX_SIZE = sizeof(SS_NAME_BRANCH) - 1 };
    size_t size = strlen(name) + 1;
    char most[128]; // are not longer
    char *text = PREFIX_SIZE + size <= sizeof(most)
                     ? most
                     : ss_alloc(PREFIX_SIZE + size);
    memcpy(text, SS_NAME_BRANCH, PREFIX_SIZE);
    memcpy(text + PREFIX_SIZE, name, size);
    size_t channel = ss_graph_channel(w->graph, text);
    if (channel != SS_NONE)
        writer_add_to(w, channel, ss_value_null());
    else
        ss_writes_add(w->writes, text, ss_value_null());
    if (text != most)
        ss_free(text);
    return SS_OK;
}

// Is `key`, of that channel or of none, one that this node's updates may hold?
// Others vanish.
static bool is_known(const struct ss_writer *w, const char *key, size_t channel)
{
    if (w->node->writes_input_keys)
        return ss_keys_have(&w->graph->input_keys, key);
    if (channel != SS_NONE)
        return w->graph->channels[channel].is_state_key;
    // Kept, and then ignored as the unknown channel that it is.
    return ss_graph_managed(w->graph, key) != NULL;
}

// A key that is mistyped is the only trace of what went wrong. Who has nobody
// to warn writes what another graph made: there others' keys are not mistakes.
static int leave_out(struct ss_writer *w, const char *key)
{
    enum { TOLD_MAX = 8 }; // one that is mistyped, not all of another's map
    struct ss_hint hint;
    struct ss_error text;
    if (!w->hooks || !w->hooks->warn ||
        (w->left_out++ >= TOLD_MAX && !w->graph->is_strict))
        return SS_OK;
    ss_hint_init(&hint, key);
    for (size_t i = 0; i < w->graph->channels_count; i++)
        if (is_known(w, w->graph->channels[i].name, i))
            ss_hint_offer(&hint, w->graph->channels[i].name);
    ss_error_set(&text, SS_EUPDATE,
        "node \"%s\": \"%s\" of its update is not a key of graph "
        "%s%s%s",
        w->node->name, key, w->graph->name,
        w->graph->is_strict ? "." : ", and was ignored.", ss_hint_text(&hint));
    if (w->graph->is_strict)
        return ss_error_set(w->error, text.status, "%s", text.message);
    w->hooks->warn(w->hooks->ctx, text.message);
    return SS_OK;
}

static int write_key(struct ss_writer *w, const char *key, json_t *value)
{
    size_t channel = ss_graph_channel(w->graph, key);
    if (!is_known(w, key, channel))
        return leave_out(w, key);
    if (channel == SS_NONE)
        writer_add(w, key, value);
    else
        writer_add_to(w, channel, ss_value_new(json_incref(value)));
    return SS_OK;
}

static int write_map(struct ss_writer *w, json_t *map)
{
    int status = SS_OK;
    for (void *at = json_object_iter(map); at && status == SS_OK;
         at = json_object_iter_next(map, at))
        status =
            write_key(w, json_object_iter_key(at), json_object_iter_value(at));
    return status;
}

static void write_root(struct ss_writer *w, json_t *update)
{
    if (!json_is_object(update)) {
        writer_add(w, SS_NAME_ROOT, update);
        return;
    }
    for (void *at = json_object_iter(update); at;
         at = json_object_iter_next(update, at))
        writer_add(w, json_object_iter_key(at), json_object_iter_value(at));
}

// A list of [key, value] pairs, the empty one too?
static bool is_pairs(const json_t *update)
{
    if (!json_is_array(update))
        return false;
    for (size_t i = 0; i < json_array_size(update); i++) {
        const json_t *pair = json_array_get(update, i);
        if (json_array_size(pair) != 2 ||
            !json_is_string(json_array_get(pair, 0)))
            return false;
    }
    return true;
}

// A Command's update. A root state has no keys: there a list is a value.
static int write_update(struct ss_writer *w, json_t *update)
{
    int status = SS_OK;
    if (!update || json_is_null(update))
        return SS_OK;
    if (w->graph->root_state)
        write_root(w, update);
    else if (json_is_object(update))
        return write_map(w, update);
    else if (is_pairs(update))
        for (size_t i = 0; i < json_array_size(update) && status == SS_OK;
             i++) {
            const json_t *pair = json_array_get(update, i);
            status = write_key(w, json_string_value(json_array_get(pair, 0)),
                json_array_get(pair, 1));
        }
    return status;
}

static int write_goto(struct ss_writer *w, json_t *to)
{
    if (!to || json_is_null(to))
        return SS_OK;
    json_t *list = ss_tag_get(to, "$list");
    if (list)
        to = list;
    if (json_is_array(to)) {
        int status = SS_OK;
        for (size_t i = 0; i < json_array_size(to) && status == SS_OK; i++) {
            json_t *item = json_array_get(to, i);
            status = json_is_array(item)
                         ? ss_error_set(w->error, SS_EINVAL,
                               "node \"%s\": a list within the list of goto",
                               w->node->name)
                         : write_goto(w, item);
        }
        return status;
    }
    if (json_is_string(to))
        return ss_writer_go(w, json_string_value(to));
    if (ss_tag_get(to, "$send"))
        return ss_writer_send(w, to);
    return ss_error_set(w->error, SS_EINVAL,
        "node \"%s\": goto takes names and sends, not %s", w->node->name,
        ss_type_text(to));
}

static bool holds_command(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (ss_tag_get(json_array_get(list, i), "$command"))
            return true;
    return false;
}

static int write_state(struct ss_writer *w, json_t *returned);

// What stands in a list with Commands.
static int write_items(struct ss_writer *w, json_t *list)
{
    int status = SS_OK;
    for (size_t i = 0; i < json_array_size(list) && status == SS_OK; i++) {
        json_t *item = json_array_get(list, i);
        json_t *command = ss_tag_get(item, "$command");
        status = command ? write_update(w, json_object_get(command, "update"))
                         : write_state(w, item);
    }
    return status;
}

// What is not a mark.
static int write_value(struct ss_writer *w, json_t *value)
{
    if (json_is_null(value))
        return SS_OK;
    if (w->graph->root_state) {
        writer_add(w, SS_NAME_ROOT, value);
        return SS_OK;
    }
    if (!json_is_object(value))
        return refuse_return(w, value, "a map of state keys or a Command");
    return write_map(w, value);
}

// Updates of the state alone (spec/graph.md 2.7, 2.8).
static int write_state(struct ss_writer *w, json_t *returned)
{
    json_t *command = ss_tag_get(returned, "$command");
    json_t *list = ss_tag_get(returned, "$list");
    json_t *quoted = ss_tag_get(returned, "$quote");
    if (json_is_null(returned) || ss_tag_get(returned, "$send"))
        return SS_OK;
    if (command)
        return write_update(w, json_object_get(command, "update"));
    if (list && holds_command(list))
        return write_items(w, list);
    return write_value(w, quoted ? quoted : list ? list : returned);
}

static bool is_to_parent(const json_t *command)
{
    return strcmp(ss_json_str(command, "graph", ""), SS_NAME_PARENT) == 0;
}

// The Command that leaves this graph, if one is among what was returned.
static json_t *parent_command(json_t *returned)
{
    json_t *command = ss_tag_get(returned, "$command");
    if (command && is_to_parent(command))
        return command;
    json_t *list = ss_tag_get(returned, "$list");
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *found = parent_command(json_array_get(list, i));
        if (found)
            return found;
    }
    return NULL;
}

static int write_control(struct ss_writer *w, json_t *returned)
{
    json_t *command = ss_tag_get(returned, "$command");
    json_t *list = ss_tag_get(returned, "$list");
    if (ss_tag_get(returned, "$send"))
        return ss_writer_send(w, returned);
    if (command)
        return write_goto(w, json_object_get(command, "goto"));
    int status = SS_OK;
    if (list && holds_command(list))
        for (size_t i = 0; i < json_array_size(list) && status == SS_OK; i++)
            status = write_control(w, json_array_get(list, i));
    return status;
}

static void write_edges(struct ss_writer *w)
{
    for (size_t i = 0; i < w->node->edges_count; i++)
        writer_add_to(w, w->node->edges[i], ss_value_null());
    for (size_t i = 0; i < w->node->joins_count; i++)
        writer_add_to(
            w, w->node->joins[i], ss_value_new(json_string(w->node->name)));
}

// A raw node wrote to channels by name.
static int write_directly(struct ss_writer *w, json_t *pairs)
{
    if (!is_pairs(pairs))
        return refuse_return(w, pairs, "a list of [channel, value] pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i);
        const char *channel = json_string_value(json_array_get(pair, 0));
        if (strcmp(channel, SS_NAME_TASKS) == 0 || ss_name_special(channel) ||
            ss_name_ignored(channel))
            return ss_error_set(w->error, SS_EUPDATE,
                "node \"%s\": nobody writes to the reserved channel \"%s\"",
                w->node->name, channel);
        writer_add(w, channel, json_array_get(pair, 1));
    }
    return SS_OK;
}

// What most nodes return: keys of the state alone, or nothing. No mark is to be
// looked for: that is an object of one key, with a dollar in front.
static bool is_unmarked(const json_t *returned)
{
    if (!json_is_object(returned))
        return json_is_null(returned);
    return json_object_size(returned) != 1 ||
           json_object_iter_key(json_object_iter((json_t *)returned))[0] != '$';
}

static int write_raw(struct ss_writer *w, json_t *returned)
{
    json_t *direct = ss_tag_get(returned, "$writes");
    if (direct)
        return write_directly(w, direct);
    json_t *quoted = ss_tag_get(returned, "$quote");
    if (quoted)
        returned = quoted;
    for (size_t i = 0; i < w->node->raw_writes_count; i++) {
        const struct ss_raw_write *write = &w->node->raw_writes[i];
        json_t *value = json_incref(returned);
        if (strcmp(write->channel, SS_NAME_TASKS) == 0) {
            json_decref(value);
            return ss_error_set(w->error, SS_EUPDATE,
                "node \"%s\": nobody writes to the reserved channel \"%s\"",
                w->node->name, write->channel);
        }
        if (write->mapped) {
            json_decref(value);
            int status = w->hooks && w->hooks->map
                             ? w->hooks->map(w->hooks->ctx, w->node, i,
                                   returned, &value, w->error)
                             : ss_error_set(w->error, SS_ESTATE,
                                   "node \"%s\": its writes are computed by an "
                                   "application",
                                   w->node->name);
            if (status != SS_OK)
                return status;
        }
        if (!write->skip_null || !json_is_null(value))
            writer_add(w, write->channel, value);
        json_decref(value);
    }
    return SS_OK;
}

static int write_all(struct ss_writer *w, json_t *returned)
{
    if (!w->graph->is_state)
        return write_raw(w, returned);
    int status = SS_OK;
    if (!is_unmarked(returned)) {
        status = write_state(w, returned);
        if (status == SS_OK)
            status = write_control(w, returned);
    } else if (!json_is_null(returned)) {
        status = write_value(w, returned);
    }
    if (status != SS_OK)
        return status;
    write_edges(w);
    return ss_writer_branches(w, returned);
}

int ss_writers_run(const struct ss_graph *graph, const struct ss_node *node,
    json_t *returned, const struct ss_fresh *fresh,
    const struct ss_writer_hooks *hooks, const char *task_id,
    struct ss_writes *writes, json_t **ret_parent, struct ss_error *error)
{
    struct ss_writer w = {.graph = graph,
        .node = node,
        .fresh = fresh,
        .hooks = hooks,
        .task_id = task_id,
        .writes = writes,
        .error = error};
    size_t before = writes->count;
    *ret_parent = NULL;
    json_t *parent = graph->is_state && !is_unmarked(returned)
                         ? parent_command(returned)
                         : NULL;
    int status = SS_OK;
    if (parent) {
        json_t *local = json_copy(parent);
        json_object_del(local, "graph");
        *ret_parent = json_pack("{s:o}", "$command", local);
    } else {
        status = write_all(&w, returned);
    }
    if (status != SS_OK)
        cut(writes, before);
    return status;
}

int ss_writers_targets(const struct ss_graph *graph,
    const struct ss_writes *writes, struct ss_error *error)
{
    size_t prefix = strlen(SS_NAME_BRANCH);
    int status = SS_OK;
    for (size_t i = 0; i < writes->count && status == SS_OK; i++) {
        const struct ss_write *write = &writes->items[i];
        const char *name = NULL;
        if (strncmp(write->channel, SS_NAME_BRANCH, prefix) == 0)
            name = write->channel + prefix;
        else if (strcmp(write->channel, SS_NAME_TASKS) == 0)
            name = ss_json_str(
                ss_tag_get(ss_value_json(write->value), "$send"), "node", "");
        if (name)
            status = check_target(graph, "the command", name, error);
    }
    return status;
}

// lower_raw.c - raw graphs: channels, and nodes that subscribe to them
// (spec/engine.md R0.1-R0.4).

#include "common/model/build.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

static int lower_channels(struct ss_build *build)
{
    struct ss_graph *graph = build->graph;
    const json_t *all = json_object_get(build->description, "channels");
    if (!json_is_array(all))
        return ss_build_fail(build, "\"channels\" must be a list");
    for (size_t i = 0; i < json_array_size(all); i++) {
        int status = ss_build_key(build, json_array_get(all, i), false);
        if (status != SS_OK)
            return status;
    }
    graph->tasks_channel = ss_graph_channel(graph, SS_NAME_TASKS);
    if (graph->tasks_channel == SS_NONE)
        return ss_build_channel(
            build, SS_NAME_TASKS, SS_CHANNEL_TOPIC, &graph->tasks_channel);
    if (graph->channels[graph->tasks_channel].kind != SS_CHANNEL_TOPIC)
        return ss_build_fail(build,
            "channel \"%s\" holds sends: it must be a Topic", SS_NAME_TASKS);
    return SS_OK;
}

static int subscribe(
    struct ss_build *build, size_t index, const char *name, const char *where)
{
    size_t channel = ss_graph_channel(build->graph, name);
    if (channel == SS_NONE)
        return ss_build_no_channel(build, where, name);
    ss_build_trigger(build, index, channel);
    return SS_OK;
}

// Subscribe to each channel once, however often the list names it.
static int subscribe_all(
    struct ss_build *build, size_t index, const json_t *list, const char *where)
{
    struct ss_map seen = {0};
    int status = SS_OK;
    for (size_t i = 0; i < json_array_size(list) && status == SS_OK; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        if (!ss_map_put(&seen, name, build))
            status = subscribe(build, index, name, where);
    }
    ss_map_fini(&seen, NULL);
    return status;
}

static int read_channels(
    struct ss_build *build, size_t index, const json_t *list, const char *where)
{
    struct ss_keys *reads = &build->graph->nodes[index].reads;
    struct ss_keys keys;
    int status = ss_build_keys(build, list, false, where, &keys);
    if (status != SS_OK)
        return status;
    for (size_t i = 0; i < keys.count && status == SS_OK; i++) {
        const char *name = keys.items[i];
        if (ss_graph_channel(build->graph, name) == SS_NONE &&
            !ss_graph_managed(build->graph, name))
            status = ss_build_no_channel(build, where, name);
        // A channel that is subscribed to and read stands twice: inputs are
        // told apart by the list as it was given (R3.7).
        if (status == SS_OK)
            ss_keys_add(reads, name);
    }
    ss_keys_fini(&keys);
    return status;
}

static int lower_reads(struct ss_build *build, size_t index,
    const json_t *described, const char *where)
{
    struct ss_node *node = &build->graph->nodes[index];
    const char *only = ss_json_str(described, "subscribe_only", NULL);
    const json_t *list = json_object_get(described, "subscribe");
    const json_t *read = json_object_get(described, "read");
    if (only) {
        if (list || read)
            return ss_build_fail(build,
                "%s: with subscribe_only it reads that one channel alone",
                where);
        node->reads.scalar = true;
        ss_keys_add(&node->reads, only);
        return subscribe(build, index, only, where);
    }
    int status = read_channels(build, index, list, where);
    if (status == SS_OK)
        status = subscribe_all(build, index, list, where);
    if (status == SS_OK)
        status = read_channels(build, index, read, where);
    return status;
}

static int lower_writes(struct ss_build *build, size_t index,
    const json_t *described, const char *where)
{
    struct ss_node *node = &build->graph->nodes[index];
    const json_t *writes = json_object_get(described, "writes");
    bool skips = ss_json_bool(described, "skip_null", false);
    if (writes && !json_is_array(writes))
        return ss_build_fail(build, "%s: its writes must be a list", where);
    size_t count = json_array_size(writes);
    node->raw_writes = ss_zalloc(count + 1, sizeof(*node->raw_writes));
    node->has_writers = count > 0;
    for (size_t i = 0; i < count; i++) {
        const json_t *write = json_array_get(writes, i);
        const char *channel = json_is_string(write)
                                  ? json_string_value(write)
                                  : ss_json_str(write, "channel", NULL);
        if (!channel)
            return ss_build_fail(
                build, "%s: write %zu names no channel", where, i);
        node->raw_writes[node->raw_writes_count++] =
            (struct ss_raw_write){.channel = ss_strdup(channel),
                .mapped = ss_json_bool(write, "mapped", false),
                .skip_null = ss_json_bool(write, "skip_null", skips)};
        if (build->graph->is_strict &&
            ss_graph_channel(build->graph, channel) == SS_NONE)
            return ss_build_no_channel(build, where, channel);
    }
    return SS_OK;
}

static int lower_node(struct ss_build *build, const json_t *described)
{
    const char *name = ss_json_str(described, "name", "");
    size_t index;
    int status = ss_build_node_name(build, name);
    if (status == SS_OK)
        status = ss_build_node(build, name, &index);
    if (status != SS_OK)
        return status;
    char *where = ss_format("node \"%s\"", name);
    status = lower_reads(build, index, described, where);
    if (status == SS_OK)
        status = lower_writes(build, index, described, where);
    if (status == SS_OK)
        status = ss_build_policies(build, index, described);
    ss_free(where);
    return status;
}

static int lower_nodes(struct ss_build *build)
{
    const json_t *nodes = json_object_get(build->description, "nodes");
    if (!json_is_array(nodes))
        return ss_build_fail(build, "\"nodes\" must be a list");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        int status = lower_node(build, json_array_get(nodes, i));
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static int lower_ports(
    struct ss_build *build, const char *name, struct ss_keys *ret_keys)
{
    int status = ss_build_keys(
        build, json_object_get(build->description, name), true, name, ret_keys);
    for (size_t i = 0; status == SS_OK && i < ret_keys->count; i++)
        if (ss_graph_channel(build->graph, ret_keys->items[i]) == SS_NONE)
            status = ss_build_no_channel(build, name, ret_keys->items[i]);
    return status;
}

// Does any node subscribe to any input channel?
static bool has_entry(const struct ss_graph *graph)
{
    bool *is_input = ss_zalloc(graph->channels_count + 1, sizeof(*is_input));
    bool found = false;
    for (size_t i = 0; i < graph->input.count; i++)
        is_input[ss_graph_channel(graph, graph->input.items[i])] = true;
    for (size_t n = 0; n < graph->nodes_count && !found; n++)
        for (size_t i = 0; i < graph->nodes[n].triggers_count && !found; i++)
            found = is_input[graph->nodes[n].triggers[i]];
    ss_free(is_input);
    return found;
}

static int check_input(struct ss_build *build)
{
    const struct ss_graph *graph = build->graph;
    if (has_entry(graph))
        return SS_OK;
    return ss_build_fail(build, "no node subscribes to %s%s",
        graph->input.scalar ? "the input channel " : "an input channel",
        graph->input.scalar ? graph->input.items[0] : "");
}

int ss_lower_raw(struct ss_build *build)
{
    struct ss_graph *graph = build->graph;
    int status = lower_channels(build);
    if (status == SS_OK)
        status = lower_nodes(build);
    if (status == SS_OK)
        status = lower_ports(build, "input", &graph->input);
    if (status == SS_OK)
        status = check_input(build);
    if (status == SS_OK)
        status = lower_ports(build, "output", &graph->output);
    if (status == SS_OK)
        status = lower_ports(build, "stream", &graph->stream);
    if (status == SS_OK && graph->stream.count == 0)
        for (size_t i = 0; i < graph->channels_count; i++)
            ss_keys_add(&graph->stream, graph->channels[i].name);
    return status;
}

// migrate.c - channels, sends and task ids of older formats.
#include "client/langgraph/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

// What is worked on: a checkpoint, and the graph of its namespace.
struct migrating {
    struct ss_migration *all;
    const struct ss_graph *graph;
    json_t *saved;
    json_t *values; // of `saved`; borrowed
    json_t *versions;
    json_t *seen;
    char *ns; // as it is today
};

void ss_migration_fini(struct ss_migration *migration)
{
    json_decref(migration->sends);
    json_decref(migration->tasks);
}

// ---------------------------------------------------------------- namespaces

// The namespace with the ids of today: "sub:OLD|inner:OLD".
static char *ns_today(const struct ss_migration *all, const char *ns)
{
    struct ss_buf text;
    ss_buf_init(&text, SIZE_MAX / 8);
    while (*ns) {
        size_t size = strcspn(ns, ":|");
        ss_buf_add(&text, ns, size + (ns[size] != '\0'));
        ns += size + (ns[size] != '\0');
        if (!text.size || text.data[text.size - 1] != ':')
            continue;
        size = strcspn(ns, "|");
        char *id = ss_memdup(ns, size);
        json_t *today = json_object_get(all->tasks, id);
        ss_buf_add_str(
            &text, today ? json_string_value(json_array_get(today, 0)) : id);
        ss_free(id);
        ns += size;
    }
    char *result = ss_strdup(ss_buf_str(&text));
    ss_buf_fini(&text);
    return result;
}

// The names of a namespace's nodes: "sub|inner".
static char *names_of(const char *ns)
{
    char *names = ss_strdup(ns), *to = names;
    for (const char *from = names; *from;) {
        if (*from == ':')
            from += strcspn(from, "|");
        else
            *to++ = *from++;
    }
    *to = '\0';
    return names;
}

// ---------------------------------------------------------------- channels

// The node that an old channel triggers: of start:N and branch:S:C:N. NULL: it
// is another one.
static const char *target_of(const struct ss_graph *graph, const char *channel)
{
    const char *last = strrchr(channel, ':');
    size_t colons = 0;
    for (const char *c = channel; *c; c++)
        colons += *c == ':';
    bool is_old = (strncmp(channel, "start:", 6) == 0 && colons == 1) ||
                  (strncmp(channel, "branch:", 7) == 0 && colons == 3);
    return is_old && ss_graph_node(graph, last + 1) != SS_NONE ? last + 1
                                                               : NULL;
}

// The node of which an old channel has its name; NULL: it is another one.
static const struct ss_node *source_of(
    const struct ss_graph *graph, const char *channel)
{
    size_t node = ss_graph_node(graph, channel);
    return node == SS_NONE || strcmp(channel, SS_NAME_START) == 0
               ? NULL
               : &graph->nodes[node];
}

// What a channel of format 1 or 2 is called today, in a list: none, where its
// node has no edge. NULL: the same. Gives.
static json_t *names_today(const struct ss_graph *graph, const char *channel)
{
    const char *target = target_of(graph, channel);
    const struct ss_node *source = source_of(graph, channel);
    json_t *names = target || source ? json_array() : NULL;
    if (target)
        json_array_append_new(names, json_sprintf(SS_NAME_BRANCH "%s", target));
    for (size_t i = 0; source && !target && i < source->edges_count; i++)
        json_array_append_new(
            names, json_string(graph->channels[source->edges[i]].name));
    return names;
}

static json_int_t version_in(const json_t *versions, const char *channel)
{
    return ss_json_int(versions, channel, 0);
}

static void raise_to(json_t *versions, const char *channel, json_int_t version)
{
    if (version > version_in(versions, channel) ||
        !json_object_get(versions, channel))
        json_object_set_new(versions, channel, json_integer(version));
}

// Both what the node has seen of `old`, and what breakpoints have.
static void rename_seen(
    struct migrating *one, const char *old, const char *today)
{
    json_t *maps[] = {
        json_object_get(one->seen, today + sizeof(SS_NAME_BRANCH) - 1),
        json_object_get(one->seen, SS_NAME_INTERRUPT)};
    for (size_t i = 0; i < 2; i++)
        if (json_object_get(maps[i], old))
            raise_to(maps[i], today, version_in(maps[i], old));
}

static void rename_channel(
    struct migrating *one, const char *old, const json_t *names)
{
    size_t i;
    json_t *name, *value = json_object_get(one->values, old);
    json_array_foreach (names, i, name) {
        const char *today = json_string_value(name);
        rename_seen(one, old, today);
        if (value && !json_object_get(one->values, today))
            json_object_set(one->values, today, value);
        raise_to(one->versions, today, version_in(one->versions, old));
    }
    json_object_del(one->values, old);
    json_object_del(one->versions, old);
    json_object_del(json_object_get(one->seen, SS_NAME_INTERRUPT), old);
}

static void rename_channels(struct migrating *one)
{
    json_t *before = json_copy(one->versions), *version;
    const char *old;
    json_object_foreach (before, old, version) {
        json_t *names = names_today(one->graph, old);
        if (names)
            rename_channel(one, old, names);
        json_decref(names);
    }
    json_decref(before);
}

// ---------------------------------------------------------------- tasks

// A barrier's value are those who have arrived, sorted as its names are.
static bool is_complete(
    const struct ss_channel_spec *channel, const json_t *value)
{
    return channel->kind != SS_CHANNEL_BARRIER ||
           json_array_size(value) == channel->names_count;
}

// Put the channel among the triggers of the node if it has what that has not
// seen.
static void note_trigger(const struct migrating *one, json_t *triggers,
    const char *node, const char *channel)
{
    const json_t *seen = json_object_get(one->seen, node);
    if (version_in(one->versions, channel) <= version_in(seen, channel))
        return;
    json_t *map = json_object_get(triggers, node);
    if (!map)
        json_object_set_new(triggers, node, map = json_object());
    json_object_set_new(map, channel, json_true());
}

// What triggers which node, by the names that the channels have now: {node:
// {channel: true}}. Gives.
static json_t *triggers_of(const struct migrating *one)
{
    const struct ss_graph *graph = one->graph;
    json_t *triggers = json_object(), *value, *name;
    const char *channel;
    size_t i;
    json_object_foreach (one->values, channel, value) {
        json_t *names = names_today(graph, channel);
        size_t index = ss_graph_channel(graph, channel);
        json_array_foreach (names, i, name) {
            note_trigger(one, triggers,
                json_string_value(name) + sizeof(SS_NAME_BRANCH) - 1, channel);
        }
        for (i = 0; !names && index != SS_NONE &&
                    i < graph->channels[index].nodes_count;
             i++)
            if (is_complete(&graph->channels[index], value))
                note_trigger(one, triggers,
                    graph->nodes[graph->channels[index].nodes[i]].name,
                    channel);
        json_decref(names);
    }
    return triggers;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum { PARTS_BEFORE = 4 };

// The id of a task as the format makes it, of its triggers, or of the place of
// a send.
static void task_id(const struct migrating *one, int format, const char *ns,
    const char *node, const char *place, const json_t *triggers,
    char ret_id[SS_UUID_SIZE])
{
    char step[24];
    size_t count = PARTS_BEFORE;
    const char *name;
    json_t *value;
    const char **parts = ss_zalloc(
        PARTS_BEFORE + 1 + json_object_size(triggers), sizeof(*parts));
    char *prefix = ns[0] ? ss_format("%s|%s", ns, node) : ss_strdup(node);
    snprintf(step, sizeof(step), "%" JSON_INTEGER_FORMAT,
        ss_json_int(one->saved, "step", 0) + 1);
    parts[0] = prefix;
    parts[1] = step;
    parts[2] = node;
    parts[3] = place ? SS_NAME_PUSH : SS_NAME_PULL;
    if (place)
        parts[count++] = place;
    json_object_foreach ((json_t *)triggers, name, value)
        parts[count++] = name;
    if (!place)
        qsort(parts + PARTS_BEFORE, count - PARTS_BEFORE, sizeof(*parts),
            by_name);
    ss_task_uuid(
        ss_json_str(one->saved, "id", ""), format, parts, count, ret_id);
    ss_free(parts);
    ss_free(prefix);
}

// Remember which id a task has today. Takes `path`.
static void note_task(struct migrating *one, const char *ns, const char *node,
    const char *place, const json_t *before, const json_t *now, char *path)
{
    char old[SS_UUID_SIZE], today[SS_UUID_SIZE];
    task_id(one, 2, one->ns, node, place, now, today);
    for (int format = 1; format <= 2; format++) {
        task_id(one, format, ns, node, place, before, old);
        json_object_set_new(
            one->all->tasks, old, json_pack("[s, s]", today, path));
    }
    ss_free(path);
}

static void note_sends(struct migrating *one, const char *ns)
{
    size_t i;
    json_t *item;
    json_array_foreach (json_object_get(one->values, SS_NAME_TASKS), i, item) {
        char place[24];
        snprintf(place, sizeof(place), "%zu", i);
        note_task(one, ns,
            ss_json_str(json_object_get(item, "$send"), "node", ""), place,
            NULL, NULL, ss_format("~" SS_NAME_PUSH ", %010zu, 0000000000", i));
    }
}

static void note_pulled(
    struct migrating *one, const char *ns, const json_t *before)
{
    json_t *now = triggers_of(one), *triggers;
    const char *node;
    json_object_foreach (now, node, triggers) {
        const json_t *old = json_object_get(before, node);
        if (old)
            note_task(one, ns, node, NULL, old, triggers,
                ss_format("~" SS_NAME_PULL ", %s", node));
    }
    json_decref(now);
}

// ---------------------------------------------------------------- writes

// A write to an old channel as writes to those of today; the first keeps its
// place, others come behind all of the task's.
static void add_today(
    json_t *writes, json_t *write, const json_t *names, json_int_t behind)
{
    json_t *name = json_array_get(names, 0);
    json_object_set_new(write, "channel",
        name ? json_incref(name) : json_string(SS_NAME_NO_WRITES));
    json_object_set_new(write, "value", json_null());
    json_array_append(writes, write);
    for (size_t i = 1; i < json_array_size(names); i++) {
        json_t *more = json_copy(write);
        json_object_set(more, "channel", json_array_get(names, i));
        json_object_set_new(more, "idx", json_integer(behind + (json_int_t)i));
        json_array_append_new(writes, more);
    }
}

static void rename_writes(struct migrating *one)
{
    json_t *list = json_object_get(one->saved, "pending_writes"), *write;
    json_t *writes = json_array();
    size_t i;
    json_int_t behind = 0;
    json_array_foreach (list, i, write) {
        if (ss_json_int(write, "idx", 0) > behind)
            behind = ss_json_int(write, "idx", 0);
    }
    json_array_foreach (list, i, write) {
        json_t *names =
            names_today(one->graph, ss_json_str(write, "channel", ""));
        if (names)
            add_today(writes, write, names, behind);
        else
            json_array_append(writes, write);
        behind += (json_int_t)json_array_size(names);
        json_decref(names);
    }
    json_object_set_new(one->saved, "pending_writes", writes);
}

// Questions of LangGraph before 0.6 name a namespace in place of an id.
static void identify(struct migrating *one, json_t *question)
{
    const char *ns = ss_json_str(question, "ns", NULL);
    char id[SS_HEX128_SIZE];
    if (!ns)
        return;
    char *today = ns_today(one->all, ns);
    ss_interrupt_id(today, 0, id);
    ss_free(today);
    json_object_set_new(question, "id", json_string(id));
    json_object_del(question, "ns");
}

static void identify_writes(struct migrating *one)
{
    size_t i, q;
    json_t *write, *question;
    json_array_foreach (
        json_object_get(one->saved, "pending_writes"), i, write) {
        json_t *today =
            json_object_get(one->all->tasks, ss_json_str(write, "task_id", ""));
        if (today) {
            json_object_set(write, "task_id", json_array_get(today, 0));
            json_object_set(write, "path", json_array_get(today, 1));
        }
        if (strcmp(ss_json_str(write, "channel", ""), SS_NAME_INTERRUPT) != 0)
            continue;
        json_array_foreach (json_object_get(write, "value"), q, question)
            identify(one, question);
    }
}

// ---------------------------------------------------------------- sends

static char *place_of(const json_t *saved, const char *id)
{
    return ss_format("%s\n%s", ss_json_str(saved, "ns", ""), id);
}

// Remember what the checkpoint's tasks send to those that come after it.
static void keep_sends(struct migrating *one)
{
    json_t *sends = json_array(), *write;
    size_t i;
    json_array_foreach (
        json_object_get(one->saved, "pending_writes"), i, write) {
        if (strcmp(ss_json_str(write, "channel", ""), SS_NAME_TASKS) == 0)
            json_array_append(sends, json_object_get(write, "value"));
    }
    if (json_array_size(sends) > 0) {
        char *place = place_of(one->saved, ss_json_str(one->saved, "id", ""));
        json_object_set(one->all->sends, place, sends);
        ss_free(place);
    }
    json_decref(sends);
}

static void take_sends(struct migrating *one)
{
    const char *parent = ss_json_str(one->saved, "parent_id", "");
    char *place = place_of(one->saved, parent);
    json_t *sends = json_object_get(one->saved, "pending_sends"), *version;
    const char *name;
    json_int_t greatest = 1;
    if (!sends)
        sends = json_object_get(one->all->sends, place);
    ss_free(place);
    if (json_array_size(sends) == 0)
        return;
    json_object_foreach (one->versions, name, version) {
        if (json_integer_value(version) > greatest)
            greatest = json_integer_value(version);
    }
    json_object_set(one->values, SS_NAME_TASKS, sends);
    json_object_set_new(one->versions, SS_NAME_TASKS, json_integer(greatest));
}

// ---------------------------------------------------------------- all of it

static void rename_parents(struct migrating *one)
{
    json_t *metadata = json_object_get(one->saved, "metadata"), *id;
    json_t *parents = json_object_get(metadata, "parents");
    json_t *today = json_object();
    const char *ns;
    json_object_foreach (parents, ns, id) {
        char *name = ns_today(one->all, ns);
        json_object_set(today, name, id);
        ss_free(name);
    }
    if (json_is_object(parents))
        json_object_set(metadata, "parents", today);
    json_decref(today);
}

// Channels and task ids, where both had other names. `ns`: as it was.
static void rename_all(struct migrating *one, const char *ns)
{
    json_t *before = triggers_of(one);
    note_sends(one, ns);
    rename_channels(one);
    note_pulled(one, ns, before);
    rename_writes(one);
    json_decref(before);
}

static void migrate(struct migrating *one, json_int_t format)
{
    const char *ns = ss_json_str(one->saved, "ns", "");
    keep_sends(one);
    take_sends(one);
    if (format < 3 && one->graph)
        rename_all(one, ns);
    identify_writes(one);
    rename_parents(one);
    json_object_set_new(one->saved, "ns", json_string(one->ns));
    json_object_del(one->saved, "v");
    json_object_del(one->saved, "pending_sends");
}

int ss_migrate(
    struct ss_migration *migration, json_t *saved, struct ss_error *error)
{
    json_int_t format = ss_json_int(saved, "v", 4);
    struct migrating one = {.all = migration,
        .saved = saved,
        .values = json_object_get(saved, "channel_values"),
        .versions = json_object_get(saved, "channel_versions"),
        .seen = json_object_get(saved, "versions_seen")};
    if (!migration->sends) {
        migration->sends = json_object();
        migration->tasks = json_object();
    }
    if (format < 3 && !migration->is_learnt)
        return ss_error_set(error, SS_EAGAIN,
            "it has format %d, whose channels had other names: say which graph "
            "it is of (--graph), one that a worker has announced",
            (int)format);
    char *names = names_of(ss_json_str(saved, "ns", ""));
    one.graph = ss_graph_inside(migration->graph, names);
    one.ns = ns_today(migration, ss_json_str(saved, "ns", ""));
    migrate(&one, format);
    ss_free(names);
    ss_free(one.ns);
    return SS_OK;
}

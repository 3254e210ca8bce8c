// migrate.c - channels, sends and task ids of older formats.
#include "client/langgraph/migrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/model/reserved.h"
#include "common/model/value.h"

enum { FORMAT = 4, FORMAT_OF_NAMES = 3 };

// What is worked on: a checkpoint, and the graph of its namespace.
struct migrating {
    struct ss_migration *all;
    const struct ss_graph *graph;
    json_t *saved;
    json_t *values; // of `saved`; borrowed
    json_t *versions;
    json_t *seen;
    bool is_old; // its channels have other names
    char *ns;    // as it is today
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
static json_t *names_today(const struct migrating *one, const char *channel)
{
    const struct ss_graph *graph = one->graph;
    if (!one->is_old)
        return NULL;
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
    json_object_del(maps[0], old);
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
        json_t *names = names_today(one, old);
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
        json_t *names = names_today(one, channel);
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

enum { PARTS_BEFORE = 4, SCRIPT = 0, ANSWERS_MAX = 4 };

// What a task's id is made of.
struct planned {
    char *prefix; // of its namespace
    const char *node;
    const char *place; // of a send; or NULL
    json_t *triggers;  // names; none of a send
    char step[24];
};

// LangGraph.js makes them in its own way.
static void script_id(const struct planned *task, const char *checkpoint,
    char ret_id[SS_UUID_SIZE])
{
    json_t *parts = json_pack("[s, s, s, s, o]", task->prefix, task->step,
        task->node, task->place ? SS_NAME_PUSH : SS_NAME_PULL,
        task->place ? json_string(task->place) : json_incref(task->triggers));
    char *text = ss_json_text(parts);
    ss_uuid5(checkpoint, text, ret_id);
    ss_free(text);
    json_decref(parts);
}

static void task_id(const struct migrating *one, const struct planned *task,
    int format, char ret_id[SS_UUID_SIZE])
{
    const char *checkpoint = ss_json_str(one->saved, "id", "");
    if (format == SCRIPT) {
        script_id(task, checkpoint, ret_id);
        return;
    }
    size_t count = json_array_size(task->triggers);
    const char **parts = ss_zalloc(PARTS_BEFORE + 1 + count, sizeof(*parts));
    parts[0] = task->prefix;
    parts[1] = task->step;
    parts[2] = task->node;
    parts[3] = task->place ? SS_NAME_PUSH : SS_NAME_PULL;
    parts[PARTS_BEFORE] = task->place;
    for (size_t i = 0; i < count; i++)
        parts[PARTS_BEFORE + i] =
            json_string_value(json_array_get(task->triggers, i));
    ss_task_uuid(checkpoint, format, parts,
        PARTS_BEFORE + (task->place ? 1 : count), ret_id);
    ss_free(parts);
}

static void interrupt_of(
    const char *prefix, const char *id, size_t answers, char *ret_hex)
{
    char *ns = ss_format("%s:%s", prefix, id);
    ss_interrupt_id(ns, answers, ret_hex);
    ss_free(ns);
}

// `old` is the id of the task that `today` names.
static void note_id(struct migrating *one, const char *old, const json_t *today)
{
    if (strcmp(old, json_string_value(json_array_get(today, 0))) != 0)
        json_object_set(one->all->tasks, old, (json_t *)today);
}

// The same for LangGraph.js's, and the ids of its questions.
static void note_script(struct migrating *one, const struct planned *old,
    const char *prefix, const json_t *today)
{
    const char *id = json_string_value(json_array_get(today, 0));
    char before[SS_UUID_SIZE];
    task_id(one, old, SCRIPT, before);
    note_id(one, before, today);
    for (size_t answers = 0; answers < ANSWERS_MAX; answers++) {
        char from[SS_HEX128_SIZE], to[SS_HEX128_SIZE];
        interrupt_of(old->prefix, before, answers, from);
        interrupt_of(prefix, id, answers, to);
        json_object_set_new(one->all->tasks, from, json_pack("[s]", to));
    }
}

static struct planned planned_of(const struct migrating *one, const char *ns,
    const char *node, const char *place, json_t *triggers)
{
    struct planned task = {
        .prefix = ns[0] ? ss_format("%s|%s", ns, node) : ss_strdup(node),
        .node = node,
        .place = place,
        .triggers = triggers};
    snprintf(task.step, sizeof(task.step), "%" JSON_INTEGER_FORMAT,
        ss_json_int(one->saved, "step", 0) + 1);
    return task;
}

// Whether the task says itself that it is the node's: by a write to the channel
// of its name, or a question that names it.
static bool is_of(
    const struct migrating *one, const json_t *write, const char *node)
{
    const char *channel = ss_json_str(write, "channel", "");
    if (one->is_old && strcmp(channel, node) == 0 &&
        source_of(one->graph, channel))
        return true;
    char *place = ss_format("%s:%s", node, ss_json_str(write, "task_id", ""));
    const char *ns = ss_json_str(
        json_array_get(json_object_get(write, "value"), 0), "ns", "");
    bool names_it =
        strcmp(channel, SS_NAME_INTERRUPT) == 0 && strstr(ns, place);
    ss_free(place);
    return names_it;
}

// LangGraph 0.3 hashed triggers that nothing had been written to, too: nobody
// knows their names any more.
static void note_named(
    struct migrating *one, const char *node, const json_t *today)
{
    size_t i;
    json_t *write;
    json_array_foreach (
        json_object_get(one->saved, "pending_writes"), i, write) {
        const char *id = ss_json_str(write, "task_id", "");
        if (!json_object_get(one->all->tasks, id) && is_of(one, write, node))
            note_id(one, id, today);
    }
}

// Remember which id a task has today, by each that it may have had. `before`
// and `now`: its triggers, sorted. Takes `path`.
static void note_task(struct migrating *one, const char *ns, const char *node,
    const char *place, json_t *before, json_t *now, char *path)
{
    char id[SS_UUID_SIZE];
    struct planned old = planned_of(one, ns, node, place, before);
    struct planned new = planned_of(one, one->ns, node, place, now);
    task_id(one, &new, 2, id);
    json_t *today = json_pack("[s, s]", id, path);
    if (!place)
        note_named(one, node, today);
    for (int format = 1; format <= 2; format++) {
        task_id(one, &old, format, id);
        note_id(one, id, today);
    }
    if (one->all->is_script)
        note_script(one, &old, new.prefix, today);
    // today it knows one trigger of each task
    for (size_t i = 0; one->all->is_script && i < json_array_size(before);
         i++) {
        old.triggers = json_pack("[O]", json_array_get(before, i));
        note_script(one, &old, new.prefix, today);
        json_decref(old.triggers);
    }
    json_decref(today);
    ss_free(old.prefix);
    ss_free(new.prefix);
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

// The keys of a map, sorted. Gives.
static json_t *keys_of(const json_t *map)
{
    size_t count = 0;
    const char **keys = ss_zalloc(json_object_size(map) + 1, sizeof(*keys));
    const char *key;
    json_t *value, *list = json_array();
    json_object_foreach ((json_t *)map, key, value)
        keys[count++] = key;
    qsort(keys, count, sizeof(*keys), ss_text_order);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(keys[i]));
    ss_free(keys);
    return list;
}

// All of a node's, whether something was written to them or not. Gives.
static json_t *triggers_today(const struct ss_graph *graph, const char *name)
{
    const struct ss_node *node = &graph->nodes[ss_graph_node(graph, name)];
    json_t *list = json_array();
    for (size_t i = 0; i < node->triggers_count; i++)
        json_array_append_new(
            list, json_string(graph->channels[node->triggers[i]].name));
    return list;
}

static void note_pulled(
    struct migrating *one, const char *ns, const json_t *before)
{
    json_t *now = triggers_of(one), *triggers;
    const char *node;
    json_object_foreach (now, node, triggers) {
        json_t *new = triggers_today(one->graph, node);
        json_t *old = keys_of(json_object_get(before, node));
        note_task(one, ns, node, NULL, old, new,
            ss_format("~" SS_NAME_PULL ", %s", node));
        json_decref(old);
        json_decref(new);
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
        json_t *names = names_today(one, ss_json_str(write, "channel", ""));
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
    json_t *known =
        json_object_get(one->all->tasks, ss_json_str(question, "id", ""));
    if (known)
        json_object_set(question, "id", json_array_get(known, 0));
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
    if (one->is_old)
        rename_channels(one);
    note_pulled(one, ns, before);
    if (one->is_old)
        rename_writes(one);
    json_decref(before);
}

static void migrate(struct migrating *one, json_int_t format)
{
    const char *ns = ss_json_str(one->saved, "ns", "");
    if (format < FORMAT) {
        keep_sends(one);
        take_sends(one);
    }
    if (one->graph && one->all->is_learnt)
        rename_all(one, ns);
    identify_writes(one);
    rename_parents(one);
    json_object_set_new(one->saved, "ns", json_string(one->ns));
    json_object_del(one->saved, "v");
    json_object_del(one->saved, "foreign");
    json_object_del(one->saved, "pending_sends");
}

int ss_migrate(
    struct ss_migration *migration, json_t *saved, struct ss_error *error)
{
    json_int_t format = ss_json_int(saved, "v", FORMAT);
    struct migrating one = {.all = migration,
        .saved = saved,
        .values = json_object_get(saved, "channel_values"),
        .versions = json_object_get(saved, "channel_versions"),
        .seen = json_object_get(saved, "versions_seen"),
        .is_old = format < FORMAT_OF_NAMES};
    if (!migration->sends) {
        migration->sends = json_object();
        migration->tasks = json_object();
    }
    bool is_foreign = json_object_get(saved, "foreign") != NULL;
    migration->is_script = migration->is_script || is_foreign;
    if (one.is_old && !migration->is_learnt)
        return ss_error_set(error, SS_EAGAIN,
            "it has format %d, whose channels had other names: say which graph "
            "it is of (--graph), one that a worker has announced",
            (int)format);
    if (is_foreign && !migration->is_learnt)
        return ss_error_set(error, SS_EAGAIN,
            "it is LangGraph.js's, which makes other task ids: say which graph "
            "it is of (--graph), one that a worker has announced");
    char *names = names_of(ss_json_str(saved, "ns", ""));
    one.graph = ss_graph_inside(migration->graph, names);
    one.ns = ns_today(migration, ss_json_str(saved, "ns", ""));
    migrate(&one, format);
    ss_free(names);
    ss_free(one.ns);
    return SS_OK;
}

// plan.c - who runs next: prepare the tasks of a superstep (spec/engine.md 3).
//
// A node is triggered when one of its trigger channels is available and newer
// than what the node has seen of it. Only nodes of channels that moved are
// looked at. `next` is never stored: it is this function of a checkpoint.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/limits.h"
#include "common/model/requests.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "coordinator/engine/pregel/loop.h"
#include "coordinator/engine/pregel/pregel.h"
#include "coordinator/engine/pregel/pregel_impl.h"

char *ss_path_pull(const char *node)
{
    return ss_format("~%s, %s", SS_NAME_PULL, node);
}

char *ss_path_push(size_t index)
{
    return ss_format("~%s, %010zu, %010d", SS_NAME_PUSH, index, 0);
}

char *ss_path_update(size_t index)
{
    return ss_format("~%s, %010zu", SS_NAME_INTERRUPT, index);
}

void ss_task_destroy(struct task **place)
{
    struct task *task = *place;
    if (!task)
        return;
    *place = NULL;
    task->loop->sink->dropped(task);
    ss_free(task->path);
    ss_free(task->ns);
    ss_value_unref(task->input);
    ss_writes_fini(&task->writes);
    json_decref(task->answers);
    json_decref(task->used_answers);
    json_decref(task->interrupts);
    json_decref(task->messages);
    json_decref(task->items);
    json_decref(task->parent);
    ss_free(task->error_kind);
    ss_free(task->cache_key);
    ss_value_unref(task->returned);
    ss_free(task->fold_channel);
    json_decref(task->fold_writes);
    ss_value_unref(task->folded);
    ss_free(task);
}

void ss_loop_drop_tasks(struct loop *loop)
{
    for (size_t i = 0; i < loop->tasks.count; i++)
        ss_task_destroy(&loop->tasks.items[i]);
    loop->tasks.count = 0;
    loop->ended_to = 0;
}

// ------------------------------------------------ what a task reads

static json_t *managed_value(
    const struct loop *loop, const struct ss_managed_spec *spec)
{
    if (spec->kind == SS_MANAGED_IS_LAST_STEP)
        return json_boolean(loop->step == loop->stop - 1);
    return json_integer(loop->stop - loop->step);
}

// The members of what a task reads: values, put together without a look.
struct reads {
    struct loop *loop;
    struct ss_field *items;
    size_t count, capacity;
};

// Takes `value`; NULL is left out.
static void read_add(
    struct reads *reads, const char *key, struct ss_value *value)
{
    if (value)
        SS_VEC_PUSH(reads, (struct ss_field){key, value});
}

static struct ss_value *reads_close(struct reads *reads)
{
    struct ss_value *value = ss_value_of_fields(reads->items, reads->count);
    for (size_t i = 0; i < reads->count; i++)
        ss_value_unref(reads->items[i].value);
    SS_VEC_FINI(reads);
    return value;
}

static void read_input(struct reads *reads, const char *key)
{
    struct loop *loop = reads->loop;
    size_t c = ss_graph_channel(loop->graph, key);
    const struct ss_managed_spec *managed =
        c == SS_NONE ? ss_graph_managed(loop->graph, key) : NULL;
    if (managed)
        read_add(reads, key, ss_value_new(managed_value(loop, managed)));
    else if (c != SS_NONE)
        read_add(reads, key, ss_value_ref(ss_channel_get(&loop->channels[c])));
}

struct ss_value *ss_plan_input(struct loop *loop, const struct ss_keys *keys)
{
    if (keys->scalar) {
        size_t c = ss_graph_channel(loop->graph, keys->items[0]);
        return c == SS_NONE ? NULL
                            : ss_value_ref(ss_channel_get(&loop->channels[c]));
    }
    struct reads reads = {.loop = loop};
    for (size_t i = 0; i < keys->count; i++)
        read_input(&reads, keys->items[i]);
    return reads_close(&reads);
}

// The stored form, as it is live.
static void read_fresh(struct reads *reads, const char *key, json_t *managed)
{
    struct loop *loop = reads->loop;
    size_t c = ss_graph_channel(loop->graph, key);
    if (c == SS_NONE) {
        const struct ss_managed_spec *spec = ss_graph_managed(loop->graph, key);
        if (spec && !json_object_get(managed, key))
            json_object_set_new(managed, key, managed_value(loop, spec));
        return;
    }
    for (size_t i = 0; i < reads->count; i++)
        if (strcmp(reads->items[i].name, key) == 0)
            return;
    read_add(reads, key, ss_channel_store(&loop->channels[c], true));
}

void ss_plan_fresh(struct loop *loop, const struct ss_node *node,
    struct ss_value **ret_channels, json_t **ret_managed)
{
    struct reads reads = {.loop = loop};
    *ret_managed = json_object();
    for (size_t b = 0; b < node->branches_count; b++)
        for (size_t i = 0; i < node->branches[b].reads.count; i++)
            read_fresh(&reads, node->branches[b].reads.items[i], *ret_managed);
    *ret_channels = reads_close(&reads);
}

// ------------------------------------------------ ids

static struct task *task_new(struct loop *loop, enum task_kind kind,
    const struct ss_node *node, char *path)
{
    struct task *task = ss_zalloc(1, sizeof(*task));
    task->loop = loop;
    task->kind = kind;
    task->node = node;
    task->path = path;
    return task;
}

// The id and the namespace of a task (R3.11, R3.12); `parts` end the hash.
static void name_task(struct task *task, const char *const *parts, size_t count)
{
    const struct loop *loop = task->loop;
    const char *all[64];
    char step[24];
    char *prefix = loop->ns[0] ? ss_format("%s|%s", loop->ns, task->node->name)
                               : ss_strdup(task->node->name);
    snprintf(step, sizeof(step), "%" PRId64, loop->step);
    const char **list =
        count + 3 <= 64 ? all : ss_zalloc(count + 3, sizeof(*list));
    list[0] = prefix;
    list[1] = step;
    list[2] = task->node->name;
    for (size_t i = 0; i < count; i++)
        list[3 + i] = parts[i];
    ss_task_uuid(loop->id, 4, list, count + 3, task->id);
    task->ns = ss_format("%s:%s", prefix, task->id);
    if (list != all)
        ss_free(list);
    ss_free(prefix);
}

static void name_pull(struct task *task)
{
    size_t count = task->node->triggers_count;
    const char **parts = ss_zalloc(count + 1, sizeof(*parts));
    parts[0] = SS_NAME_PULL;
    for (size_t i = 0; i < count; i++)
        parts[1 + i] =
            task->loop->graph->channels[task->node->triggers[i]].name;
    name_task(task, parts, count + 1);
    ss_free(parts);
}

static void name_push(struct task *task)
{
    char index[24];
    snprintf(index, sizeof(index), "%zu", task->index);
    const char *parts[] = {SS_NAME_PUSH, index};
    name_task(task, parts, 2);
}

// ------------------------------------------------ PULL and PUSH

static bool triggered(struct loop *loop, const struct ss_node *node)
{
    bool has_entry = ss_seen_has(loop, node->name);
    for (size_t i = 0; i < node->triggers_count; i++) {
        size_t c = node->triggers[i];
        int64_t seen = 0;
        if (!ss_channel_available(&loop->channels[c]))
            continue;
        if (!has_entry)
            return true; // R3.5: versions are not looked at
        ss_seen_get(loop, node->name, loop->graph->channels[c].name, &seen);
        if (loop->versions[c] > seen)
            return true;
    }
    return false;
}

// R3.7: nodes that read the same one channel share what the first of them was
// given, also where one reads it by itself and another in a map.
static struct ss_value *shared_input(
    struct loop *loop, const struct ss_keys *keys, struct ss_map *shared)
{
    if (keys->count != 1)
        return ss_plan_input(loop, keys);
    struct ss_value *input = ss_map_get(shared, keys->items[0]);
    if (input)
        return ss_value_ref(input);
    input = ss_plan_input(loop, keys);
    if (input)
        ss_map_put(shared, keys->items[0], ss_value_ref(input));
    return input;
}

static void unref_value(void *value)
{
    ss_value_unref(value);
}

// False: it is not triggered.
static bool plan_pull(struct loop *loop, size_t index, struct ss_map *shared)
{
    const struct ss_node *node = &loop->graph->nodes[index];
    if (!triggered(loop, node))
        return false;
    struct ss_value *input = shared_input(loop, &node->reads, shared);
    if (!input)
        return true;
    struct task *task =
        task_new(loop, TASK_PULL, node, ss_path_pull(node->name));
    task->input = input;
    task->index = index;
    name_pull(task);
    SS_VEC_PUSH(&loop->tasks, task);
    return true;
}

static void plan_push(struct loop *loop, json_t *item, size_t index)
{
    json_t *inner = json_object_get(item, "$send");
    json_t *send = inner ? inner : item;
    const char *name = ss_json_str(send, "node", NULL);
    size_t n = name ? ss_graph_node(loop->graph, name) : SS_NONE;
    if (n == SS_NONE) {
        loop->sink->ignored(loop, name);
        return;
    }
    json_t *arg = json_object_get(send, "arg");
    struct task *task =
        task_new(loop, TASK_PUSH, &loop->graph->nodes[n], ss_path_push(index));
    task->input = arg ? ss_value_new(json_incref(arg)) : ss_value_null();
    task->index = index;
    task->timeout_ms = ss_duration_ms(ss_json_int(send, "timeout_ms", 0));
    name_push(task);
    SS_VEC_PUSH(&loop->tasks, task);
}

// A node and its name, to be sorted.
struct candidate {
    const char *name;
    size_t node;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct candidate *)a)->name,
        ((const struct candidate *)b)->name);
}

// R3.2: in the order of names, through the channels that were updated.
static void plan_updated(struct loop *loop, struct ss_map *shared)
{
    const struct ss_graph *graph = loop->graph;
    const struct index_list *updated = &loop->updated.list;
    SS_VEC(struct candidate) list = {0};
    for (size_t u = 0; u < updated->count; u++) {
        const struct ss_channel_spec *spec =
            &graph->channels[updated->items[u]];
        for (size_t i = 0; i < spec->nodes_count; i++)
            SS_VEC_PUSH(
                &list, (struct candidate){
                           graph->nodes[spec->nodes[i]].name, spec->nodes[i]});
    }
    if (list.count > 1)
        qsort(list.items, list.count, sizeof(*list.items), by_name);
    for (size_t i = 0; i < list.count; i++)
        if (i == 0 || list.items[i].node != list.items[i - 1].node)
            plan_pull(loop, list.items[i].node, shared);
    SS_VEC_FINI(&list);
}

static int by_index(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

// All that are triggered, in the order of declaration. The first time every
// node is looked at; then those whose channels moved since.
static void plan_all(struct loop *loop, struct ss_map *shared)
{
    struct index_set *maybe = &loop->candidates;
    struct index_list *list = &maybe->list;
    for (size_t n = 0; !loop->candidates_known && n < loop->graph->nodes_count;
         n++)
        index_set_add(maybe, n);
    loop->candidates_known = true;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), by_index);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t n = list->items[i];
        maybe->has[n] = plan_pull(loop, n, shared);
        if (maybe->has[n])
            list->items[kept++] = n;
    }
    list->count = kept;
}

void ss_plan(struct loop *loop, bool execute)
{
    ss_loop_drop_tasks(loop);
    struct ss_channel *topic = &loop->channels[loop->graph->tasks_channel];
    if (ss_channel_available(topic)) {
        json_t *sends = ss_value_json(ss_channel_get(topic)), *send;
        size_t i;
        json_array_foreach (sends, i, send)
            plan_push(loop, send, i);
    }
    if (loop->version_max == 0)
        return; // R3.4: nothing was ever written
    struct ss_map shared = {0};
    if (execute && loop->updated_known && loop->updated.list.count > 0)
        plan_updated(loop, &shared);
    else
        plan_all(loop, &shared);
    ss_map_fini(&shared, unref_value);
}

struct task *ss_plan_handler(struct loop *loop, struct task *failed)
{
    const struct ss_node *node = &loop->graph->nodes[failed->node->handler];
    char *path = NULL;
    // the failed task's path, cut to three parts (R3.10)
    if (failed->kind == TASK_PULL)
        path = ss_format("~%s, %s, %s, %010d", SS_NAME_PULL, failed->node->name,
            SS_NAME_HANDLER_PATH, 0);
    else
        path = ss_format("~%s, %010zu, %010d, %s, %010d", SS_NAME_PUSH,
            failed->index, 0, SS_NAME_HANDLER_PATH, 0);
    struct task *task = task_new(loop, TASK_HANDLER, node, path);
    const char *parts[] = {SS_NAME_PUSH, SS_NAME_HANDLER_PATH, failed->id};
    name_task(task, parts, 3);
    task->input = ss_value_ref(failed->input);
    task->failed = failed;
    SS_VEC_PUSH(&loop->tasks, task);
    return task;
}

json_t *ss_task_triggers(const struct task *task)
{
    json_t *list = json_array();
    if (task->kind != TASK_PULL) {
        json_array_append_new(list, json_string(SS_NAME_PUSH));
        return list;
    }
    for (size_t i = 0; i < task->node->triggers_count; i++)
        json_array_append_new(list,
            json_string(
                task->loop->graph->channels[task->node->triggers[i]].name));
    return list;
}

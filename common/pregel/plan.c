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
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"
#include "common/pregel/shadow.h"

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

void ss_planned_task_fini(struct ss_planned_task *task)
{
    ss_free(task->path);
    ss_free(task->ns);
    ss_value_unref(task->input);
}

// ------------------------------------------------ what a task reads

static json_t *managed_value(
    const struct ss_superstep *at, const struct ss_managed_spec *spec)
{
    if (spec->kind == SS_MANAGED_IS_LAST_STEP)
        return json_boolean(at->step == at->stop - 1);
    return json_integer(at->stop - at->step);
}

// The members of what a task reads: values, put together without a look.
struct reads {
    struct ss_machine *machine;
    const struct ss_superstep *at;
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
    struct ss_machine *machine = reads->machine;
    size_t c = ss_graph_channel(machine->graph, key);
    const struct ss_managed_spec *managed =
        c == SS_NONE ? ss_graph_managed(machine->graph, key) : NULL;
    if (managed)
        read_add(reads, key, ss_value_new(managed_value(reads->at, managed)));
    else if (c != SS_NONE)
        read_add(
            reads, key, ss_value_ref(ss_channel_get(&machine->channels[c])));
}

// The input of a node now (R3.7); NULL: no task. Gives.
static struct ss_value *plan_input(struct ss_machine *machine,
    const struct ss_superstep *at, const struct ss_keys *keys)
{
    if (keys->scalar) {
        size_t c = ss_graph_channel(machine->graph, keys->items[0]);
        return c == SS_NONE
                   ? NULL
                   : ss_value_ref(ss_channel_get(&machine->channels[c]));
    }
    struct reads reads = {.machine = machine, .at = at};
    for (size_t i = 0; i < keys->count; i++)
        read_input(&reads, keys->items[i]);
    return reads_close(&reads);
}

// The stored form, as it is live.
static void read_fresh(struct reads *reads, const char *key, json_t *managed)
{
    struct ss_machine *machine = reads->machine;
    size_t c = ss_graph_channel(machine->graph, key);
    if (c == SS_NONE) {
        const struct ss_managed_spec *spec =
            ss_graph_managed(machine->graph, key);
        if (spec && !json_object_get(managed, key))
            json_object_set_new(managed, key, managed_value(reads->at, spec));
        return;
    }
    for (size_t i = 0; i < reads->count; i++)
        if (strcmp(reads->items[i].name, key) == 0)
            return;
    read_add(reads, key, ss_channel_store(&machine->channels[c], true));
}

void ss_plan_fresh(struct ss_machine *machine, const struct ss_superstep *at,
    const struct ss_node *node, struct ss_value **ret_channels,
    json_t **ret_managed)
{
    struct reads reads = {.machine = machine, .at = at};
    *ret_managed = json_object();
    for (size_t b = 0; b < node->branches_count; b++)
        for (size_t i = 0; i < node->branches[b].reads.count; i++)
            read_fresh(&reads, node->branches[b].reads.items[i], *ret_managed);
    *ret_channels = reads_close(&reads);
}

// ------------------------------------------------ ids

// The id and the namespace of a task (R3.11, R3.12); `parts` end the hash.
static void name_task(struct ss_planned_task *task,
    const struct ss_superstep *at, const char *const *parts, size_t count)
{
    const char *all[64];
    char step[24];
    char *prefix = at->ns[0] ? ss_format("%s|%s", at->ns, task->node->name)
                             : ss_strdup(task->node->name);
    snprintf(step, sizeof(step), "%" PRId64, at->step);
    const char **list =
        count + 3 <= 64 ? all : ss_zalloc(count + 3, sizeof(*list));
    list[0] = prefix;
    list[1] = step;
    list[2] = task->node->name;
    for (size_t i = 0; i < count; i++)
        list[3 + i] = parts[i];
    ss_task_uuid(at->checkpoint_id, 4, list, count + 3, task->id);
    task->ns = ss_format("%s:%s", prefix, task->id);
    if (list != all)
        ss_free(list);
    ss_free(prefix);
}

static void name_pull(struct ss_planned_task *task,
    const struct ss_superstep *at, const struct ss_graph *graph)
{
    size_t count = task->node->triggers_count;
    const char **parts = ss_zalloc(count + 1, sizeof(*parts));
    parts[0] = SS_NAME_PULL;
    for (size_t i = 0; i < count; i++)
        parts[1 + i] = graph->channels[task->node->triggers[i]].name;
    name_task(task, at, parts, count + 1);
    ss_free(parts);
}

static void name_push(
    struct ss_planned_task *task, const struct ss_superstep *at)
{
    char index[24];
    snprintf(index, sizeof(index), "%zu", task->index);
    const char *parts[] = {SS_NAME_PUSH, index};
    name_task(task, at, parts, 2);
}

// ------------------------------------------------ PULL and PUSH

// A plan under way.
struct planning {
    struct ss_machine *machine;
    const struct ss_superstep *at;
    struct ss_planned_tasks *tasks;
    struct ss_map inputs; // of one channel, by its name
};

bool ss_plan_triggers(
    const struct ss_machine *machine, const struct ss_node *node)
{
    bool has_entry = ss_seen_has(machine, node->name);
    for (size_t i = 0; i < node->triggers_count; i++) {
        size_t c = node->triggers[i];
        int64_t seen = 0;
        if (!ss_channel_available(&machine->channels[c]))
            continue;
        if (!has_entry)
            return true; // R3.5: versions are not looked at
        ss_seen_get(
            machine, node->name, machine->graph->channels[c].name, &seen);
        if (machine->versions[c] > seen)
            return true;
    }
    return false;
}

// R3.7: nodes that read the same one channel share what the first of them was
// given, also where one reads it by itself and another in a map.
static struct ss_value *shared_input(
    struct planning *planning, const struct ss_keys *keys)
{
    struct ss_machine *machine = planning->machine;
    if (keys->count != 1)
        return plan_input(machine, planning->at, keys);
    struct ss_value *input = ss_map_get(&planning->inputs, keys->items[0]);
    if (input)
        return ss_value_ref(input);
    input = plan_input(machine, planning->at, keys);
    if (input)
        ss_map_put(&planning->inputs, keys->items[0], ss_value_ref(input));
    return input;
}

static void unref_value(void *value)
{
    ss_value_unref(value);
}

// False: it is not triggered.
static bool plan_pull(struct planning *planning, size_t index)
{
    const struct ss_graph *graph = planning->machine->graph;
    const struct ss_node *node = &graph->nodes[index];
    if (!ss_plan_triggers(planning->machine, node))
        return false;
    struct ss_value *input = shared_input(planning, &node->reads);
    if (!input)
        return true;
    struct ss_planned_task task = {.kind = SS_TASK_PULL,
        .node = node,
        .path = ss_path_pull(node->name),
        .index = index,
        .input = input};
    name_pull(&task, planning->at, graph);
    SS_VEC_PUSH(planning->tasks, task);
    return true;
}

static void plan_push(struct planning *planning, json_t *item, size_t index)
{
    const struct ss_graph *graph = planning->machine->graph;
    json_t *inner = json_object_get(item, "$send");
    json_t *send = inner ? inner : item;
    const char *name = ss_json_str(send, "node", NULL);
    size_t n = name ? ss_graph_node(graph, name) : SS_NONE;
    if (n == SS_NONE) {
        SS_VEC_PUSH(&planning->tasks->ignored, name ? ss_strdup(name) : NULL);
        return;
    }
    json_t *arg = json_object_get(send, "arg");
    struct ss_planned_task task = {.kind = SS_TASK_PUSH,
        .node = &graph->nodes[n],
        .path = ss_path_push(index),
        .index = index,
        .input = arg ? ss_value_new(json_incref(arg)) : ss_value_null(),
        .timeout_ms = ss_duration_ms(ss_json_int(send, "timeout_ms", 0))};
    name_push(&task, planning->at);
    SS_VEC_PUSH(planning->tasks, task);
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
static void plan_updated(struct planning *planning)
{
    const struct ss_machine *machine = planning->machine;
    const struct ss_graph *graph = machine->graph;
    const struct index_list *updated = &machine->updated.list;
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
            plan_pull(planning, list.items[i].node);
    SS_VEC_FINI(&list);
}

static int by_index(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return left < right ? -1 : left > right;
}

// All that are triggered, in the order of declaration. The first time every
// node is looked at; then those whose channels moved since.
static void plan_all(struct planning *planning)
{
    struct ss_machine *machine = planning->machine;
    struct index_set *maybe = &machine->candidates;
    struct index_list *list = &maybe->list;
    for (size_t n = 0;
         !machine->candidates_known && n < machine->graph->nodes_count; n++)
        index_set_add(maybe, n);
    machine->candidates_known = true;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof(*list->items), by_index);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t n = list->items[i];
        maybe->has[n] = plan_pull(planning, n);
        if (maybe->has[n])
            list->items[kept++] = n;
    }
    list->count = kept;
}

void ss_plan(struct ss_machine *machine, const struct ss_superstep *at,
    bool execute, struct ss_planned_tasks *ret)
{
    struct planning planning = {.machine = machine, .at = at, .tasks = ret};
    struct ss_channel *topic =
        &machine->channels[machine->graph->tasks_channel];
    ss_check(at->ns && at->checkpoint_id[0]);
    *ret = (struct ss_planned_tasks){0};
    if (ss_channel_available(topic)) {
        json_t *sends = ss_value_json(ss_channel_get(topic)), *send;
        size_t i;
        json_array_foreach (sends, i, send)
            plan_push(&planning, send, i);
    }
    bool by_updated =
        execute && machine->updated_known && machine->updated.list.count > 0;
    if (machine->version_max > 0 && by_updated) // R3.4: something was written
        plan_updated(&planning);
    else if (machine->version_max > 0)
        plan_all(&planning);
    ss_map_fini(&planning.inputs, unref_value);
    ss_shadow_plan(machine, at, execute, ret);
}

void ss_plan_handler(const struct ss_machine *machine,
    const struct ss_superstep *at, const struct ss_planned_task *failed,
    struct ss_planned_task *ret)
{
    char *path = NULL;
    ss_check(failed->node->handler < machine->graph->nodes_count);
    // the failed task's path, cut to three parts (R3.10)
    if (failed->kind == SS_TASK_PULL)
        path = ss_format("~%s, %s, %s, %010d", SS_NAME_PULL, failed->node->name,
            SS_NAME_HANDLER_PATH, 0);
    else
        path = ss_format("~%s, %010zu, %010d, %s, %010d", SS_NAME_PUSH,
            failed->index, 0, SS_NAME_HANDLER_PATH, 0);
    *ret = (struct ss_planned_task){.kind = SS_TASK_HANDLER,
        .node = &machine->graph->nodes[failed->node->handler],
        .path = path,
        .input = ss_value_ref(failed->input)};
    const char *parts[] = {SS_NAME_PUSH, SS_NAME_HANDLER_PATH, failed->id};
    name_task(ret, at, parts, 3);
    ss_shadow_handler(machine, at, failed, ret);
}

json_t *ss_task_triggers(
    const struct ss_graph *graph, const struct ss_planned_task *task)
{
    json_t *list = json_array();
    if (task->kind != SS_TASK_PULL) {
        json_array_append_new(list, json_string(SS_NAME_PUSH));
        return list;
    }
    for (size_t i = 0; i < task->node->triggers_count; i++)
        json_array_append_new(
            list, json_string(graph->channels[task->node->triggers[i]].name));
    return list;
}

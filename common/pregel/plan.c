// plan.c - who runs next: prepare the tasks of a superstep (spec/engine.md 3).
//
// A node is triggered when one of its trigger channels is available and newer
// than what the node has seen of it. Only nodes of channels that moved are
// looked at. `next` is never stored: it is this function of a checkpoint.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/limits.h"
#include "common/model/persistent_vector.h"
#include "common/model/ranks.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

// A name, a number of ten digits or more, and `tail`: by hand, as each of many
// sends has one.
static char *path_of(
    struct ss_arena *memory, const char *name, size_t index, const char *tail)
{
    enum { DIGITS = 10, SIZE_MAX_OF_BOTH = 64 };
    char digits[SS_NUMBER_SIZE], path[SIZE_MAX_OF_BOTH + SS_NUMBER_SIZE];
    size_t name_size = strlen(name), tail_size = strlen(tail) + 1;
    size_t count = ss_number_text(index, digits);
    size_t zeros = count < DIGITS ? DIGITS - count : 0;
    ss_check(name_size + DIGITS + tail_size <= SIZE_MAX_OF_BOTH);
    char *to = path;
    memcpy(to, name, name_size);
    to += name_size;
    memset(to, '0', zeros);
    to += zeros;
    memcpy(to, digits, count);
    memcpy(to + count, tail, tail_size);
    return ss_arena_text(memory, path);
}

char *ss_path_push(struct ss_arena *memory, size_t index)
{
    return path_of(memory, "~" SS_NAME_PUSH ", ", index, ", 0000000000");
}

char *ss_path_update(struct ss_arena *memory, size_t index)
{
    return path_of(memory, "~" SS_NAME_INTERRUPT ", ", index, "");
}

void ss_planned_task_fini(struct ss_planned_task *task)
{
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
    struct ss_field *items; // at first: `few`
    size_t count, capacity;
    struct ss_field few[8];
};

static void reads_init(struct reads *reads, struct ss_machine *machine,
    const struct ss_superstep *at)
{
    reads->machine = machine;
    reads->at = at;
    reads->items = reads->few;
    reads->count = 0;
    reads->capacity = sizeof(reads->few) / sizeof(reads->few[0]);
}

// Takes `value`; NULL is left out.
static void read_add(
    struct reads *reads, const char *key, struct ss_value *value)
{
    if (!value)
        return;
    if (reads->count == reads->capacity && reads->items == reads->few) {
        reads->capacity = 0;
        reads->items = ss_vec_grow(
            NULL, &reads->capacity, 2 * reads->count, sizeof(*reads->items));
        memcpy(reads->items, reads->few, sizeof(reads->few));
    }
    SS_VEC_PUSH(reads, (struct ss_field){key, value});
}

static struct ss_value *reads_close(struct reads *reads)
{
    struct ss_value *value = ss_value_of_fields(reads->items, reads->count);
    for (size_t i = 0; i < reads->count; i++)
        ss_value_unref(reads->items[i].value);
    if (reads->items != reads->few)
        ss_free(reads->items);
    return value;
}

// The input of a node now (R3.7); NULL: no task. Gives.
static struct ss_value *plan_input(
    struct ss_machine *machine, const struct ss_superstep *at, size_t node)
{
    const struct ss_graph *graph = machine->graph;
    const struct ss_node_ranks *ranks = &graph->ranks->nodes[node];
    struct reads reads;
    if (graph->nodes[node].reads.scalar)
        return ranks->reads_count == 0
                   ? NULL
                   : ss_value_ref(
                         ss_channel_get(&machine->channels[ranks->reads[0]]));
    reads_init(&reads, machine, at);
    for (uint32_t i = 0; i < ranks->reads_count; i++) {
        uint32_t c = ranks->reads[i];
        if (c & SS_READS_MANAGED) {
            const struct ss_managed_spec *managed =
                &graph->managed[c & ~SS_READS_MANAGED];
            read_add(&reads, managed->name,
                ss_value_new(managed_value(at, managed)));
        } else {
            read_add(&reads, graph->channels[c].name,
                ss_value_ref(ss_channel_get(&machine->channels[c])));
        }
    }
    return reads_close(&reads);
}

// The stored form, as it is live.
static void read_fresh(
    struct reads *reads, const char *key, json_t **ret_managed)
{
    struct ss_machine *machine = reads->machine;
    size_t c = ss_graph_channel(machine->graph, key);
    if (c == SS_NONE) {
        const struct ss_managed_spec *spec =
            ss_graph_managed(machine->graph, key);
        if (spec && !*ret_managed)
            *ret_managed = json_object();
        if (spec && !json_object_get(*ret_managed, key))
            json_object_set_new(
                *ret_managed, key, managed_value(reads->at, spec));
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
    struct reads reads;
    reads_init(&reads, machine, at);
    *ret_managed = NULL;
    for (size_t b = 0; b < node->branches_count; b++)
        for (size_t i = 0; i < node->branches[b].reads.count; i++)
            read_fresh(&reads, node->branches[b].reads.items[i], ret_managed);
    *ret_channels = reads_close(&reads);
}

// ------------------------------------------------ ids

// The bytes that an id is the hash of (R3.12). Those of one node in one
// superstep differ in their end alone: what comes before is put together once.
//
//   checkpoint id | namespace it is called from, and its name | step | name |
//                 ^ prefix: also of the task's own namespace          head ^
struct naming {
    const struct ss_superstep *at;
    const struct ss_node *node; // whose head that is; NULL: nobody's yet
    size_t prefix, prefix_size, head, capacity;
    char *bytes; // at first: `few`
    char few[512];
};

static void naming_init(struct naming *it, const struct ss_superstep *at)
{
    it->at = at;
    it->node = NULL;
    it->head = 0;
    it->bytes = it->few;
    it->capacity = sizeof(it->few);
}

static void naming_fini(struct naming *it)
{
    if (it->bytes != it->few)
        ss_free(it->bytes);
}

// Room for so many bytes behind the head.
static char *naming_room(struct naming *it, size_t size)
{
    ss_check(it->head <= it->capacity);
    if (it->capacity - it->head < size) {
        char *bytes = ss_alloc(it->head + size);
        memcpy(bytes, it->bytes, it->head);
        naming_fini(it);
        it->bytes = bytes;
        it->capacity = it->head + size;
    }
    return it->bytes + it->head;
}

// There is room for it.
static inline void add(struct naming *it, const char *text, size_t size)
{
    memcpy(it->bytes + it->head, text, size);
    it->head += size;
}

static void name_node(struct naming *it, const struct ss_node *node)
{
    const struct ss_superstep *at = it->at;
    size_t ns_size = strlen(at->ns), name_size = strlen(node->name);
    char step[1 + SS_NUMBER_SIZE] = "-"; // an input's is below zero
    uint64_t count = at->step < 0 ? -(uint64_t)at->step : (uint64_t)at->step;
    size_t step_size = at->step < 0;
    step_size += ss_number_text(count, step + step_size);
    it->node = node;
    it->head = 0;
    (void)naming_room(it, strlen(at->checkpoint_id) + SS_UUID_BYTES + ns_size +
                              1 + 2 * name_size + step_size);
    it->head = ss_task_seed(at->checkpoint_id, it->bytes);
    it->prefix = it->head;
    add(it, at->ns, ns_size);
    add(it, "|", ns_size > 0);
    add(it, node->name, name_size);
    it->prefix_size = it->head - it->prefix;
    ss_check(it->prefix_size >= name_size);
    add(it, step, step_size);
    add(it, node->name, name_size);
}

// The id and the namespace of a task (R3.11, R3.12); `end` ends the hash.
static void name_task(struct naming *it, struct ss_planned_task *task,
    const char *end, size_t end_size)
{
    ss_check(task->node && it->at->memory);
    if (it->node != task->node)
        name_node(it, task->node);
    memcpy(naming_room(it, end_size), end, end_size);
    ss_task_uuid_of(it->bytes, it->head + end_size, task->id);
    char *ns =
        ss_arena_take(it->at->memory, it->prefix_size + 1 + sizeof(task->id));
    memcpy(ns, it->bytes + it->prefix, it->prefix_size);
    ns[it->prefix_size] = ':';
    memcpy(ns + it->prefix_size + 1, task->id, sizeof(task->id));
    task->ns = ns;
}

static void name_pull(struct naming *it, struct ss_planned_task *task,
    const struct ss_graph *graph)
{
    const struct ss_node_ranks *ranks = &graph->ranks->nodes[task->index];
    name_task(it, task, ranks->hash, ranks->hash_size);
}

static void name_push(struct naming *it, struct ss_planned_task *task)
{
    enum { NAME_SIZE = sizeof(SS_NAME_PUSH) - 1 };
    char end[NAME_SIZE + SS_NUMBER_SIZE] = SS_NAME_PUSH;
    size_t digits = ss_number_text(task->index, end + NAME_SIZE);
    name_task(it, task, end, NAME_SIZE + digits);
}

// ------------------------------------------------ PULL and PUSH

// A plan under way.
struct planning {
    struct ss_machine *machine;
    const struct ss_superstep *at;
    struct ss_planned_tasks *tasks;
    struct naming names;
    struct ss_value *whole; // what nodes that read just that are given; or NULL
    const struct ss_node_ranks *whole_of; // one of them
};

bool ss_plan_triggers(const struct ss_machine *machine, size_t node)
{
    const struct ss_node *spec = &machine->graph->nodes[node];
    const int64_t *seen =
        machine->seen + machine->graph->ranks->nodes[node].slot;
    // R3.5: of a node without an entry versions are not looked at
    bool has_entry = bit_has(machine->entered, node);
    for (size_t i = 0; i < spec->triggers_count; i++) {
        size_t c = spec->triggers[i];
        if ((!has_entry || machine->versions[c] > seen[i]) &&
            ss_channel_available(&machine->channels[c]))
            return true;
    }
    return false;
}

// The one channel that a node reads; SS_NONE: more, none, or no channel.
static size_t only_read(const struct ss_graph *graph, size_t node)
{
    const struct ss_node_ranks *ranks = &graph->ranks->nodes[node];
    if (graph->nodes[node].reads.count != 1 || ranks->reads_count != 1 ||
        (ranks->reads[0] & SS_READS_MANAGED))
        return SS_NONE;
    return ranks->reads[0];
}

// Nodes that read the whole state have one list of channels (ranks.c).
static struct ss_value *whole_input(struct planning *planning, size_t node)
{
    const struct ss_graph *graph = planning->machine->graph;
    const struct ss_node_ranks *ranks = &graph->ranks->nodes[node];
    const struct ss_node_ranks *before = planning->whole_of;
    if (before && before->reads == ranks->reads &&
        before->reads_count == ranks->reads_count)
        return ss_value_ref(planning->whole);
    struct ss_value *input = plan_input(planning->machine, planning->at, node);
    if (ranks->reads_count > 1) {
        planning->whole = input;
        planning->whole_of = ranks;
    }
    return input;
}

// R3.7: nodes that read the same one channel share what the first of them was
// given, also where one reads it by itself and another in a map. What others
// are given is alike where they read the same: they share it, too.
static struct ss_value *shared_input(struct planning *planning, size_t node)
{
    struct ss_machine *machine = planning->machine;
    size_t read = only_read(machine->graph, node);
    if (read == SS_NONE)
        return whole_input(planning, node);
    uint32_t first = machine->touched[read];
    if (first)
        return ss_value_ref(planning->tasks->items[first - 1].input);
    struct ss_value *input = plan_input(machine, planning->at, node);
    if (input)
        machine->touched[read] = (uint32_t)planning->tasks->count + 1;
    return input;
}

static void forget_shared(struct planning *planning)
{
    const struct ss_machine *machine = planning->machine;
    for (size_t i = 0; i < planning->tasks->count; i++) {
        const struct ss_planned_task *task = &planning->tasks->items[i];
        size_t read = task->kind == SS_TASK_PULL
                          ? only_read(machine->graph, task->index)
                          : SS_NONE;
        if (read != SS_NONE)
            machine->touched[read] = 0;
    }
}

static void plan_add(
    struct planning *planning, const struct ss_planned_task *task)
{
    struct ss_planned_tasks *tasks = planning->tasks;
    tasks->items = ss_arena_grow(tasks->memory, tasks->items, &tasks->capacity,
        tasks->count + 1, sizeof(*tasks->items));
    tasks->items[tasks->count++] = *task;
}

static void plan_ignore(struct planning *planning, const char *name)
{
    struct ss_planned_tasks *tasks = planning->tasks;
    tasks->ignored.items = ss_arena_grow(tasks->memory, tasks->ignored.items,
        &tasks->ignored.capacity, tasks->ignored.count + 1,
        sizeof(*tasks->ignored.items));
    tasks->ignored.items[tasks->ignored.count++] =
        ss_arena_text(tasks->memory, name);
}

// False: it is not triggered.
static bool plan_pull(struct planning *planning, size_t index)
{
    const struct ss_graph *graph = planning->machine->graph;
    const struct ss_node *node = &graph->nodes[index];
    if (!ss_plan_triggers(planning->machine, index))
        return false;
    struct ss_value *input = shared_input(planning, index);
    if (!input)
        return true;
    struct ss_planned_task task = {.kind = SS_TASK_PULL,
        .node = node,
        .path = graph->ranks->nodes[index].path,
        .index = index,
        .input = input};
    name_pull(&planning->names, &task, graph);
    plan_add(planning, &task);
    return true;
}

// Most often many are sent to one node.
static const struct ss_node *node_of(
    const struct planning *planning, const char *name)
{
    const struct ss_graph *graph = planning->machine->graph;
    const struct ss_node *before = planning->names.node;
    if (!name || (before && strcmp(before->name, name) == 0))
        return name ? before : NULL;
    size_t n = ss_graph_node(graph, name);
    return n == SS_NONE ? NULL : &graph->nodes[n];
}

// What a send carries is not decoded where its text is long.
static void plan_push(
    struct planning *planning, struct ss_value *send, size_t index)
{
    const char *name = json_string_value(ss_value_member_json(send, "node"));
    const struct ss_node *node = node_of(planning, name);
    if (!node) {
        plan_ignore(planning, name);
        return;
    }
    struct ss_value *arg = ss_value_member(send, "arg");
    json_t *timeout = ss_value_member_json(send, "timeout_ms");
    struct ss_planned_task task = {.kind = SS_TASK_PUSH,
        .node = node,
        .path = ss_path_push(planning->at->memory, index),
        .index = index,
        .input = arg ? arg : ss_value_null(),
        .timeout_ms = ss_duration_ms(json_integer_value(timeout))};
    name_push(&planning->names, &task);
    plan_add(planning, &task);
}

struct pushing {
    struct planning *planning;
    size_t index; // of the next send
};

// Each item is a send, or the mark of one.
static void plan_item(void *ctx, uint64_t number, struct ss_value *item)
{
    struct pushing *pushing = ctx;
    struct ss_value *inner = ss_value_member(item, "$send");
    (void)number;
    plan_push(pushing->planning, inner ? inner : item, pushing->index++);
    ss_value_unref(inner);
}

// A node, and what it is sorted by.
struct candidate {
    uint32_t rank, node;
};

static int by_rank(const void *a, const void *b)
{
    uint32_t left = ((const struct candidate *)a)->rank;
    uint32_t right = ((const struct candidate *)b)->rank;
    return left < right ? -1 : left > right;
}

// R3.2: in the order of names, through the channels that were updated.
static void plan_updated(struct planning *planning)
{
    struct ss_machine *machine = planning->machine;
    const struct ss_graph *graph = machine->graph;
    const struct index_set *updated = &machine->updated;
    size_t count = 0;
    for (uint32_t u = 0; u < updated->count; u++)
        count += graph->channels[updated->items[u]].nodes_count;
    struct candidate *list =
        ss_arena_take(planning->tasks->memory, count * sizeof(*list));
    count = 0;
    for (uint32_t u = 0; u < updated->count; u++) {
        const struct ss_channel_spec *spec =
            &graph->channels[updated->items[u]];
        for (size_t i = 0; i < spec->nodes_count; i++)
            list[count++] =
                (struct candidate){graph->ranks->nodes[spec->nodes[i]].rank,
                    (uint32_t)spec->nodes[i]};
    }
    if (count > 1)
        qsort(list, count, sizeof(*list), by_rank);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || list[i].node != list[i - 1].node)
            plan_pull(planning, list[i].node);
}

static int by_index(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

// All that are triggered, in the order of declaration. The first time every
// node is looked at; then those whose channels moved since.
static void plan_all(struct planning *planning)
{
    struct ss_machine *machine = planning->machine;
    struct index_set *maybe = &machine->candidates;
    for (size_t n = 0;
         !machine->candidates_known && n < machine->graph->nodes_count; n++)
        index_set_add(maybe, n);
    machine->candidates_known = true;
    if (maybe->count > 1)
        qsort(maybe->items, maybe->count, sizeof(*maybe->items), by_index);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < maybe->count; i++) {
        uint32_t n = maybe->items[i];
        bool stays = plan_pull(planning, n);
        bit_put(maybe->bits, n, stays);
        if (stays)
            maybe->items[kept++] = n;
    }
    ss_check(kept <= maybe->count);
    maybe->count = kept;
}

void ss_plan(struct ss_machine *machine, const struct ss_superstep *at,
    bool execute, struct ss_planned_tasks *ret)
{
    struct planning planning;
    planning.machine = machine;
    planning.at = at;
    planning.tasks = ret;
    planning.whole = NULL;
    planning.whole_of = NULL;
    struct ss_channel *topic =
        &machine->channels[machine->graph->tasks_channel];
    ss_check(at->ns && at->checkpoint_id[0]);
    *ret = (struct ss_planned_tasks){.memory = at->lists};
    ss_check(at->memory && at->lists);
    naming_init(&planning.names, at);
    if (ss_channel_available(topic)) { // R3.1: sends come first
        struct ss_list *sends = ss_value_list(ss_channel_get(topic));
        struct pushing pushing = {&planning, 0};
        if (sends)
            ss_list_each(sends, plan_item, &pushing);
    }
    bool by_updated =
        execute && machine->updated_known && machine->updated.count > 0;
    if (machine->version_max > 0 && by_updated) // R3.4: something was written
        plan_updated(&planning);
    else if (machine->version_max > 0)
        plan_all(&planning);
    forget_shared(&planning);
    naming_fini(&planning.names);
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
        .path = ss_arena_text(at->memory, path),
        .input = ss_value_ref(failed->input)};
    ss_free(path);
    char end[128];
    int size = snprintf(
        end, sizeof(end), SS_NAME_PUSH SS_NAME_HANDLER_PATH "%s", failed->id);
    struct naming names;
    naming_init(&names, at);
    name_task(&names, ret, end, (size_t)size);
    naming_fini(&names);
}

// Made once a node: each order and each event of a task has them.
json_t *ss_task_triggers(
    const struct ss_graph *graph, const struct ss_planned_task *task)
{
    if (task->kind != SS_TASK_PULL) // one list for all of them
        return json_incref(graph->ranks->triggers_of_push);
    json_t **list = &graph->ranks->nodes[task->node - graph->nodes].triggers;
    if (*list)
        return json_incref(*list);
    *list = json_array();
    for (size_t i = 0; i < task->node->triggers_count; i++)
        json_array_append_new(
            *list, json_string(graph->channels[task->node->triggers[i]].name));
    return json_incref(*list);
}

// plan.c - who runs next (spec/engine.md 3): tasks, without their inputs.
#define XXH_INLINE_ALL
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "common/base/check.h"
#include "common/dense/dense_impl.h"
#include "common/dense/scan.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"

static int by_id(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

// Most lists have one, two or three.
static void sort_ids(uint32_t *ids, uint32_t count)
{
    enum { FEW = 16 };
    if (count > FEW) {
        qsort(ids, count, sizeof(*ids), by_id);
        return;
    }
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && ids[k - 1] > ids[k]; k--) {
            uint32_t id = ids[k];
            ids[k] = ids[k - 1];
            ids[k - 1] = id;
        }
}

static bool is_triggered(const struct ss_dense_machine *machine, uint32_t node)
{
    const struct ss_dense_node *it = &machine->graph->nodes[node];
    const uint32_t *triggers = ss_dense_ids(machine->graph, it->triggers);
    bool has_entry = bit_has(machine->entered, node);
    for (uint32_t i = 0; i < it->triggers.count; i++)
        if ((!has_entry ||
                machine->versions[triggers[i]] > machine->seen[it->slot + i]) &&
            ss_dense_available(machine, triggers[i]))
            return true;
    return false;
}

// R3.7: one that reads one value runs when there is one.
static bool has_input(const struct ss_dense_machine *machine, uint32_t node)
{
    const struct ss_dense_node *it = &machine->graph->nodes[node];
    if (!it->spec->reads.scalar)
        return true;
    return it->reads.count > 0 && ss_dense_available(machine,
                                      *ss_dense_ids(machine->graph, it->reads));
}

// ------------------------------------------------ PULL

// R3.2: nodes of the channels that were updated, by name.
static uint32_t updated_nodes(
    struct ss_dense_machine *machine, uint32_t **ret_nodes)
{
    const struct ss_dense_graph *graph = machine->graph;
    const struct ss_rank_set *updated = &machine->updated;
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < updated->count; i++)
        count += graph->channels[updated->items[i]].nodes.count;
    uint32_t *nodes =
        ss_arena_take(&machine->planned, (count + 1) * sizeof(*nodes));
    count = 0;
    for (uint32_t i = 0; i < updated->count; i++) {
        struct ss_dense_span span = graph->channels[updated->items[i]].nodes;
        const uint32_t *ids = ss_dense_ids(graph, span);
        for (uint32_t k = 0; k < span.count; k++)
            nodes[count++] = ids[k];
    }
    sort_ids(nodes, count);
    for (uint32_t i = 0; i < count; i++)
        if ((i == 0 || nodes[i] != nodes[i - 1]) &&
            is_triggered(machine, nodes[i]))
            nodes[kept++] = nodes[i];
    *ret_nodes = nodes;
    return kept;
}

// All that are triggered, in the order of declaration. The first time every
// node is looked at; then those whose channels moved since.
static uint32_t all_nodes(
    struct ss_dense_machine *machine, uint32_t **ret_nodes)
{
    const struct ss_dense_graph *graph = machine->graph;
    struct ss_rank_set *set = &machine->candidates;
    uint32_t kept = 0;
    for (uint32_t n = 0; !machine->candidates_known && n < graph->nodes_count;
         n++)
        rank_set_add(set, n);
    machine->candidates_known = true;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t n = set->items[i];
        bool stays = is_triggered(machine, n);
        bit_put(set->bits, n, stays);
        if (stays)
            set->items[kept++] = n;
    }
    set->count = kept;
    uint32_t *nodes =
        ss_arena_take(&machine->planned, (kept + 1) * sizeof(*nodes));
    for (uint32_t i = 0; i < kept; i++)
        nodes[i] = graph->nodes[set->items[i]].declared;
    sort_ids(nodes, kept);
    for (uint32_t i = 0; i < kept; i++)
        nodes[i] = graph->node_ranks[nodes[i]];
    *ret_nodes = nodes;
    return kept;
}

// The one channel that a node reads; SS_RANK_NONE: more, none, or no channel.
static uint32_t only_read(const struct ss_dense_machine *machine, uint32_t node)
{
    const struct ss_dense_node *it = &machine->graph->nodes[node];
    const uint32_t *reads = ss_dense_ids(machine->graph, it->reads);
    bool is_one = it->spec->reads.count == 1 && it->reads.count == 1;
    return is_one && !(reads[0] & SS_RANK_MANAGED) ? reads[0] : SS_RANK_NONE;
}

// R3.7: nodes that read the same one channel share what the first of them was
// given, also where one reads it by itself and another in a map.
static void plan_pulls(
    struct ss_dense_machine *machine, const uint32_t *nodes, uint32_t count)
{
    uint32_t from = machine->tasks_count;
    for (uint32_t i = 0; i < count; i++) {
        struct ss_dense_task *task = &machine->tasks[machine->tasks_count];
        uint32_t read = only_read(machine, nodes[i]);
        uint32_t first = read == SS_RANK_NONE ? 0 : machine->touched[read];
        *task = (struct ss_dense_task){.kind = SS_DENSE_PULL,
            .node = nodes[i],
            .shape = first ? machine->tasks[first - 1].shape : nodes[i]};
        if (!has_input(machine, task->shape))
            continue;
        machine->tasks_count++;
        if (read != SS_RANK_NONE && !first)
            machine->touched[read] = machine->tasks_count;
    }
    for (uint32_t t = from; t < machine->tasks_count; t++) {
        uint32_t read = only_read(machine, machine->tasks[t].node);
        if (read != SS_RANK_NONE)
            machine->touched[read] = 0;
    }
}

// ------------------------------------------------ PUSH

static uint32_t node_of_send(
    const struct ss_dense_graph *graph, struct ss_handle send)
{
    struct ss_handle name;
    uint32_t node = SS_RANK_NONE;
    if (!ss_handle_member(send, "node", &name))
        return SS_RANK_NONE;
    char *text = ss_handle_string(name);
    ss_handle_unref(name);
    if (text)
        node = ss_dense_graph_node(graph, text);
    ss_free(text);
    return node;
}

// False: it comes to nothing.
static bool plan_push(struct ss_dense_machine *machine, struct ss_handle item,
    uint32_t index, struct ss_dense_task *task)
{
    struct ss_handle send, timeout = {0};
    if (!ss_handle_member(item, "$send", &send))
        send = ss_handle_ref(item);
    *task = (struct ss_dense_task){.kind = SS_DENSE_PUSH,
        .node = node_of_send(machine->graph, send),
        .index = index};
    if (task->node != SS_RANK_NONE) {
        if (!ss_handle_member(send, "arg", &task->arg))
            task->arg = ss_handle_null();
        if (ss_handle_member(send, "timeout_ms", &timeout) &&
            timeout.kind == SS_HANDLE_INT)
            task->timeout_ms = ss_duration_ms(timeout.as.number);
        ss_handle_unref(timeout);
    }
    ss_handle_unref(send);
    return task->node != SS_RANK_NONE;
}

// ------------------------------------------------ the plan

static void drop_tasks(struct ss_dense_machine *machine)
{
    for (uint32_t t = 0; t < machine->tasks_count; t++)
        ss_handle_unref(machine->tasks[t].arg);
    machine->tasks_count = 0;
    ss_arena_reset(&machine->planned);
}

void ss_dense_plan(
    struct ss_dense_machine *machine, bool execute, struct ss_dense_tasks *ret)
{
    const struct ss_dense_graph *graph = machine->graph;
    bool by_updated =
        execute && machine->updated_known && machine->updated.count > 0;
    uint32_t *nodes = NULL, count = 0;
    struct ss_handle sends = {0};
    drop_tasks(machine);
    if (ss_dense_available(machine, graph->tasks_channel))
        sends = machine->values[graph->tasks_channel];
    if (machine->version_max > 0) // R3.4: something was ever written
        count = by_updated ? updated_nodes(machine, &nodes)
                           : all_nodes(machine, &nodes);
    machine->tasks = ss_arena_take(
        &machine->planned, (sends.count + count + 1) * sizeof(*machine->tasks));
    *ret = (struct ss_dense_tasks){.items = machine->tasks};
    for (uint32_t i = 0; i < sends.count; i++) {
        if (plan_push(machine, ss_handle_item(sends, i), i,
                &machine->tasks[machine->tasks_count]))
            machine->tasks_count++;
        else
            ret->ignored++;
    }
    plan_pulls(machine, nodes, count);
    ret->count = machine->tasks_count;
}

struct ss_dense_task *ss_dense_handler(
    struct ss_dense_machine *machine, const struct ss_dense_task *failed)
{
    struct ss_dense_task *task =
        ss_arena_take(&machine->planned, sizeof(*task));
    uint32_t handler = machine->graph->nodes[failed->node].handler;
    ss_check(handler != SS_RANK_NONE);
    *task = (struct ss_dense_task){
        .kind = SS_DENSE_HANDLER, .node = handler, .failed = failed};
    return task;
}

// ------------------------------------------------ what tasks are called

enum {
    DIGITS_SIZE = 24,
    ENDS_SIZE_MAX = 128, // words, numbers and an id at the end of a hash
};

// The bytes that an id is the hash of.
struct hashed {
    char *at;
    char bytes[512];
};

static void hash_text(struct hashed *hashed, const char *text, size_t size)
{
    memcpy(hashed->at, text, size);
    hashed->at += size;
}

static void hash_number(struct hashed *hashed, int64_t number)
{
    char digits[DIGITS_SIZE];
    int size = snprintf(digits, sizeof(digits), "%" PRId64, number);
    hash_text(hashed, digits, (size_t)size);
}

// The parts that PULL, PUSH and handlers end with.
static void hash_kind(struct hashed *hashed, const struct ss_dense_node *node,
    const struct ss_dense_task *task)
{
    char id[SS_UUID_SIZE];
    if (task->kind == SS_DENSE_PULL) {
        hash_text(hashed, node->hash, node->hash_size);
        return;
    }
    hash_text(hashed, SS_NAME_PUSH, strlen(SS_NAME_PUSH));
    if (task->kind == SS_DENSE_PUSH) {
        hash_number(hashed, task->index);
        return;
    }
    ss_check(task->failed->has_id);
    ss_dense_id_text(task->failed->id, id);
    hash_text(hashed, SS_NAME_HANDLER_PATH, strlen(SS_NAME_HANDLER_PATH));
    hash_text(hashed, id, strlen(id));
}

void ss_dense_id_text(const uint8_t id[16], char ret[SS_UUID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    char *at = ret;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        *at++ = digits[id[i] >> 4];
        *at++ = digits[id[i] & 15];
    }
    *at = '\0';
}

const uint8_t *ss_dense_task_id(const struct ss_dense_machine *machine,
    const struct ss_dense_place *at, struct ss_dense_task *task)
{
    const struct ss_dense_node *node = &machine->graph->nodes[task->node];
    size_t ns_size = strlen(at->ns), id_size = strlen(at->checkpoint_id);
    size_t most = id_size + ns_size + 2 * node->name_size + node->hash_size +
                  ENDS_SIZE_MAX;
    uint8_t checkpoint[16];
    struct hashed small, *hashed = &small;
    XXH128_canonical_t canonical;
    if (task->has_id)
        return task->id;
    if (most > sizeof(small.bytes))
        hashed = ss_alloc(sizeof(small) + most);
    hashed->at = hashed->bytes;
    if (ss_uuid_parse(at->checkpoint_id, checkpoint))
        hash_text(hashed, (const char *)checkpoint, sizeof(checkpoint));
    else
        hash_text(hashed, at->checkpoint_id, id_size);
    hash_text(hashed, at->ns, ns_size);
    if (ns_size)
        hash_text(hashed, "|", 1);
    hash_text(hashed, node->spec->name, node->name_size);
    hash_number(hashed, at->step);
    hash_text(hashed, node->spec->name, node->name_size);
    hash_kind(hashed, node, task);
    XXH128_canonicalFromHash(&canonical,
        XXH3_128bits(hashed->bytes, (size_t)(hashed->at - hashed->bytes)));
    memcpy(task->id, canonical.digest, sizeof(task->id));
    task->has_id = true;
    if (hashed != &small)
        ss_free(hashed);
    return task->id;
}

void ss_dense_add_path(const struct ss_dense_machine *machine,
    const struct ss_dense_task *task, struct ss_buf *buf)
{
    const char *name = machine->graph->nodes[task->node].spec->name;
    if (task->kind == SS_DENSE_PULL) {
        ss_buf_addf(buf, "~%s, ", SS_NAME_PULL);
        ss_buf_add_str(buf, name);
    } else if (task->kind == SS_DENSE_PUSH) {
        ss_buf_addf(
            buf, "~%s, %010" PRIu32 ", %010d", SS_NAME_PUSH, task->index, 0);
    } else {
        ss_dense_add_path(machine, task->failed, buf);
        ss_buf_addf(buf, ", %s, %010d", SS_NAME_HANDLER_PATH, 0);
    }
}

// ------------------------------------------------ what they read

static void add_managed(const struct ss_dense_machine *machine,
    const struct ss_dense_place *at, size_t index, struct ss_buf *buf)
{
    enum ss_managed kind = machine->graph->graph->managed[index].kind;
    if (kind == SS_MANAGED_IS_LAST_STEP)
        ss_buf_add_str(buf, at->step == at->stop - 1 ? "true" : "false");
    else
        ss_buf_addf(buf, "%" PRId64, at->stop - at->step);
}

static void add_key(struct ss_buf *buf, const char *name, bool is_first)
{
    if (!is_first)
        ss_buf_add_str(buf, ",");
    ss_json_add_string(buf, name, strlen(name));
    ss_buf_add_str(buf, ":");
}

static void add_reads(const struct ss_dense_machine *machine,
    const struct ss_dense_place *at, const struct ss_dense_node *node,
    struct ss_buf *buf)
{
    const struct ss_dense_graph *graph = machine->graph;
    const uint32_t *reads = ss_dense_ids(graph, node->reads);
    bool is_first = true;
    ss_buf_add_str(buf, "{");
    for (uint32_t i = 0; i < node->reads.count; i++) {
        bool is_managed = reads[i] & SS_RANK_MANAGED;
        size_t managed = reads[i] & ~SS_RANK_MANAGED;
        if (!is_managed && !ss_dense_available(machine, reads[i]))
            continue;
        add_key(buf,
            is_managed ? graph->graph->managed[managed].name
                       : graph->channels[reads[i]].spec->name,
            is_first);
        if (is_managed)
            add_managed(machine, at, managed, buf);
        else
            ss_handle_add(buf, ss_dense_value(machine, reads[i]));
        is_first = false;
    }
    ss_buf_add_str(buf, "}");
}

void ss_dense_add_input(const struct ss_dense_machine *machine,
    const struct ss_dense_place *at, const struct ss_dense_task *task,
    struct ss_buf *buf)
{
    const struct ss_dense_node *node = &machine->graph->nodes[task->shape];
    if (task->kind == SS_DENSE_HANDLER)
        ss_dense_add_input(machine, at, task->failed, buf);
    else if (task->kind == SS_DENSE_PUSH)
        ss_handle_add(buf, task->arg);
    else if (node->spec->reads.scalar)
        ss_handle_add(buf, ss_dense_value(machine,
                               *ss_dense_ids(machine->graph, node->reads)));
    else
        add_reads(machine, at, node, buf);
}

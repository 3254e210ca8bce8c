// part.c - what a superstep changed, as the part of a row that holds it.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/dense/dense_impl.h"
#include "common/model/journal.h"
#include "common/model/persistent_vector.h"
#include "common/model/reserved.h"

// ------------------------------------------------ stored forms

// An object without the members that are untracked channels. Gives.
static struct ss_handle without_untracked(
    const struct ss_dense_graph *graph, struct ss_handle arg)
{
    struct ss_handle member;
    bool is_cut = false;
    for (uint32_t c = 0; !is_cut && c < graph->channels_count; c++) {
        const struct ss_channel_spec *spec = graph->channels[c].spec;
        is_cut = spec->kind == SS_CHANNEL_UNTRACKED &&
                 ss_handle_member(arg, spec->name, &member);
        if (is_cut)
            ss_handle_unref(member);
    }
    if (!is_cut)
        return ss_handle_ref(arg);
    json_t *json = ss_handle_json(arg);
    for (uint32_t c = 0; c < graph->channels_count; c++)
        if (graph->channels[c].kind == SS_CHANNEL_UNTRACKED)
            json_object_del(json, graph->channels[c].spec->name);
    struct ss_handle kept = ss_handle_of_json(json);
    json_decref(json);
    return kept;
}

// R5.25. Gives.
static struct ss_handle tracked_send(
    const struct ss_dense_graph *graph, struct ss_handle item)
{
    struct ss_handle arg, send, kept;
    bool is_marked = ss_handle_member(item, "$send", &send);
    if (!is_marked)
        send = ss_handle_ref(item);
    if (!ss_handle_member(send, "arg", &arg)) {
        ss_handle_unref(send);
        return ss_handle_ref(item);
    }
    json_t *json = ss_handle_json(send), *copy = json_copy(json);
    json_decref(json);
    kept = without_untracked(graph, arg);
    json_object_set_new(copy, "arg", ss_handle_json(kept));
    if (is_marked)
        copy = json_pack("{s:o}", "$send", copy);
    ss_handle_unref(kept);
    ss_handle_unref(arg);
    ss_handle_unref(send);
    kept = ss_handle_of_json(copy);
    json_decref(copy);
    return kept;
}

struct ss_handle ss_dense_stored(
    const struct ss_dense_machine *machine, uint32_t c)
{
    const struct ss_dense_graph *graph = machine->graph;
    struct ss_dense_held held = ss_dense_hold(machine, c);
    struct ss_handle value = ss_held_store(&graph->channels[c], &held);
    if (c != graph->tasks_channel || !graph->has_untracked ||
        value.kind != SS_HANDLE_LIST)
        return value;
    struct ss_handle clean = ss_handle_list(value.count);
    for (uint32_t i = 0; i < value.count; i++)
        ss_handle_push(&clean, tracked_send(graph, ss_handle_item(value, i)));
    ss_handle_unref(value);
    return clean;
}

// ------------------------------------------------ channels

// What was added to a list that rows have; a small one is told in full. Gives;
// NULL: it is told in full.
static struct ss_value *grown(
    const struct ss_dense_machine *machine, uint32_t c, struct ss_handle value)
{
    uint32_t from = machine->stored[c];
    if (from == SS_RANK_NONE || from < 2 || value.kind != SS_HANDLE_LIST)
        return NULL;
    struct ss_handle added = ss_handle_list(value.count - from);
    for (uint32_t i = from; i < value.count; i++)
        ss_handle_push(&added, ss_handle_ref(ss_handle_item(value, i)));
    struct ss_value *list = ss_handle_value(added);
    ss_handle_unref(added);
    return list;
}

// What became of it since rows were told. Gives; NULL: it is told in full.
static struct ss_value *delta_of(const struct ss_dense_machine *machine,
    uint32_t c, struct ss_handle value, bool edits, enum ss_delta_op *ret_op)
{
    bool is_edits = false;
    struct ss_value *delta =
        value.kind == SS_HANDLE_VALUE
            ? ss_list_delta(machine->told[c], value.as.value, edits, &is_edits)
            : grown(machine, c, value);
    if (delta)
        *ret_op = is_edits ? SS_DELTA_EDIT : SS_DELTA_APPEND;
    return delta;
}

static void note_told(
    struct ss_dense_machine *machine, uint32_t c, struct ss_handle value)
{
    ss_value_unref(machine->told[c]);
    machine->told[c] =
        value.kind == SS_HANDLE_VALUE ? ss_value_ref(value.as.value) : NULL;
    machine->stored[c] = SS_RANK_NONE;
    if (ss_handle_shares(value, machine->values[c]))
        machine->stored[c] = value.count;
}

// What was added is weighed, never the whole list again.
static size_t weigh(struct ss_dense_machine *machine, uint32_t c,
    struct ss_value *told, bool is_delta)
{
    size_t size = ss_dense_weight(told);
    if (!is_delta) {
        ss_check(machine->whole_bytes >= machine->told_bytes[c]);
        machine->whole_bytes -= machine->told_bytes[c];
        machine->told_bytes[c] = 0;
    }
    machine->told_bytes[c] += size;
    machine->whole_bytes += size;
    return size;
}

static size_t fill_channel(struct ss_dense_machine *machine, uint32_t c,
    const struct ss_dense_form *form, struct ss_row_channel *slot)
{
    struct ss_handle value = ss_dense_stored(machine, c);
    enum ss_delta_op op =
        ss_handle_is_held(value) ? SS_DELTA_SET : SS_DELTA_CLEAR;
    struct ss_value *delta =
        form->whole ? NULL : delta_of(machine, c, value, form->edits, &op);
    *slot = (struct ss_row_channel){
        .name = ss_strdup(machine->graph->channels[c].spec->name),
        .version = machine->versions[c],
        .op = op,
        .value = delta ? delta : ss_handle_value(value)};
    note_told(machine, c, value);
    ss_handle_unref(value);
    return weigh(machine, c, slot->value, delta != NULL);
}

static int by_channel(const void *a, const void *b)
{
    const struct ss_row_channel *left = a, *right = b;
    return strcmp(left->name, right->name);
}

static size_t fill_channels(struct ss_dense_machine *machine,
    const struct ss_dense_form *form, struct ss_row_checkpoint *part)
{
    bool whole = form->whole;
    size_t size = 0;
    const struct ss_rank_set *set =
        whole ? &machine->versioned : &machine->moved;
    size_t capacity = set->count + (whole ? machine->foreign.count : 0);
    part->channels = ss_zalloc(capacity + 1, sizeof(*part->channels));
    for (uint32_t i = 0; i < set->count; i++)
        if (machine->versions[set->items[i]])
            size += fill_channel(machine, set->items[i], form,
                &part->channels[part->channels_count++]);
    for (size_t i = 0; whole && i < machine->foreign.count; i++) {
        const struct ss_dense_foreign *it = &machine->foreign.items[i];
        bool is_held = ss_handle_is_held(it->value);
        part->channels[part->channels_count++] =
            (struct ss_row_channel){.name = ss_strdup(it->name),
                .version = it->version,
                .op = is_held ? SS_DELTA_SET : SS_DELTA_CLEAR,
                .value = ss_handle_value(it->value)};
    }
    if (part->channels_count > 1)
        qsort(part->channels, part->channels_count, sizeof(*part->channels),
            by_channel);
    return size;
}

// ------------------------------------------------ what was seen

static void add_seen(struct ss_row_checkpoint *part, const char *node,
    const char *channel, int64_t version)
{
    part->seen[part->seen_count++] =
        (struct ss_row_seen){ss_strdup(node), ss_strdup(channel), version};
}

static const char *name_of_channel(
    const struct ss_dense_machine *machine, uint32_t c)
{
    return machine->graph->channels[c].spec->name;
}

static void add_slot(const struct ss_dense_machine *machine, uint32_t slot,
    struct ss_row_checkpoint *part)
{
    const struct ss_dense_graph *graph = machine->graph;
    const struct ss_dense_node *node = &graph->nodes[graph->slot_nodes[slot]];
    const uint32_t *triggers = ss_dense_ids(graph, node->triggers);
    add_seen(part, node->spec->name,
        name_of_channel(machine, triggers[slot - node->slot]),
        machine->seen[slot]);
}

// Of the graph's own nodes: all, or what moved.
static void fill_nodes(const struct ss_dense_machine *machine, bool whole,
    struct ss_row_checkpoint *part)
{
    const struct ss_dense_graph *graph = machine->graph;
    const struct ss_rank_set *entries = &machine->entries_moved;
    const struct ss_rank_set *slots = &machine->seen_moved;
    for (uint32_t n = 0; whole && n < graph->nodes_count; n++)
        if (bit_has(machine->entered, n))
            add_seen(part, graph->nodes[n].spec->name, NULL, 0);
    for (uint32_t s = 0; whole && s < graph->slots_count; s++)
        if (machine->seen[s])
            add_slot(machine, s, part);
    for (uint32_t i = 0; !whole && i < entries->count; i++)
        add_seen(part, graph->nodes[entries->items[i]].spec->name, NULL, 0);
    for (uint32_t i = 0; !whole && i < slots->count; i++)
        add_slot(machine, slots->items[i], part);
}

static void fill_breaks(const struct ss_dense_machine *machine, bool whole,
    struct ss_row_checkpoint *part)
{
    if (whole ? machine->has_breaks : machine->breaks_entered)
        add_seen(part, SS_NAME_INTERRUPT, NULL, 0);
    for (uint32_t c = 0; whole && c < machine->graph->channels_count; c++)
        if (machine->breaks[c])
            add_seen(part, SS_NAME_INTERRUPT, name_of_channel(machine, c),
                machine->breaks[c]);
    for (uint32_t i = 0; !whole && i < machine->breaks_moved.count; i++) {
        uint32_t c = machine->breaks_moved.items[i];
        add_seen(part, SS_NAME_INTERRUPT, name_of_channel(machine, c),
            machine->breaks[c]);
    }
}

static void fill_seen(struct ss_dense_machine *machine, bool whole,
    struct ss_row_checkpoint *part)
{
    size_t capacity = machine->strangers.count + 2;
    if (whole)
        capacity += machine->graph->nodes_count + machine->graph->slots_count +
                    machine->graph->channels_count;
    else
        capacity += machine->entries_moved.count + machine->seen_moved.count +
                    machine->breaks_moved.count;
    part->seen = ss_zalloc(capacity, sizeof(*part->seen));
    fill_nodes(machine, whole, part);
    fill_breaks(machine, whole, part);
    for (size_t i = 0; i < machine->strangers.count; i++) {
        const struct ss_dense_stranger *it = &machine->strangers.items[i];
        if (whole || it->moved)
            add_seen(part, it->node, it->channel, it->version);
    }
    ss_check(part->seen_count <= capacity);
}

// ------------------------------------------------ the part

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void fill_updated(
    const struct ss_dense_machine *machine, struct ss_row_checkpoint *part)
{
    part->updated = ss_zalloc(machine->updated.count + 1, sizeof(char *));
    for (uint32_t i = 0; i < machine->updated.count; i++)
        part->updated[part->updated_count++] =
            ss_strdup(name_of_channel(machine, machine->updated.items[i]));
    if (part->updated_count > 1)
        qsort(part->updated, part->updated_count, sizeof(char *), by_name);
}

size_t ss_dense_part(struct ss_dense_machine *machine,
    const struct ss_dense_form *form, struct ss_row_checkpoint *part)
{
    part->whole = form->whole;
    size_t size = fill_channels(machine, form, part);
    fill_seen(machine, form->whole, part);
    part->updated_known = form->updated && machine->updated_known;
    if (part->updated_known)
        fill_updated(machine, part);
    return size;
}

size_t ss_dense_size(const struct ss_dense_machine *machine)
{
    return machine->whole_bytes;
}

size_t ss_dense_weight(struct ss_value *value)
{
    enum { BESIDE = 24 }; // about what a channel takes besides its value
    size_t size = 0;
    if (value)
        ss_value_text(value, &size);
    return size + BESIDE;
}

void ss_dense_part_drop(struct ss_dense_machine *machine)
{
    rank_set_clear(&machine->moved);
    rank_set_clear(&machine->breaks_moved);
    rank_set_clear(&machine->entries_moved);
    rank_set_clear(&machine->seen_moved);
    machine->breaks_entered = false;
    for (size_t i = 0; i < machine->strangers.count; i++)
        machine->strangers.items[i].moved = false;
}

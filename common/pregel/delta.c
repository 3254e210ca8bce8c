// delta.c - what a superstep changed, as the part of a row that holds it.
//
// A machine holds its state live, by channel index. What moved since its last
// save is what the next row holds: a delta. A whole part holds everything.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/persistent_vector.h"
#include "common/model/ranks.h"
#include "common/model/requests.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

json_t *ss_delta_tracked(const struct ss_graph *graph, json_t *send)
{
    json_t *inner = json_object_get(send, "$send");
    json_t *arg = json_object_get(inner ? inner : send, "arg");
    json_t *kept = NULL;
    for (size_t c = 0; json_is_object(arg) && c < graph->channels_count; c++) {
        const struct ss_channel_spec *spec = &graph->channels[c];
        if (spec->kind != SS_CHANNEL_UNTRACKED ||
            !json_object_get(arg, spec->name))
            continue;
        if (!kept)
            kept = json_copy(arg);
        json_object_del(kept, spec->name);
    }
    if (!kept)
        return json_incref(send);
    json_t *copy = json_copy(inner ? inner : send);
    json_object_set_new(copy, "arg", kept);
    return inner ? json_pack("{s:o}", "$send", copy) : copy;
}

static struct ss_value *stored_form(struct ss_machine *machine, size_t c)
{
    struct ss_value *value = ss_channel_store(&machine->channels[c], false);
    if (!value || c != machine->graph->tasks_channel ||
        !machine->graph->has_untracked)
        return value;
    json_t *clean = json_array(), *send;
    size_t i;
    json_array_foreach (ss_value_json(value), i, send)
        json_array_append_new(clean, ss_delta_tracked(machine->graph, send));
    ss_value_unref(value);
    return ss_value_new(clean);
}

// Returns about what it weighs.
static size_t row_channel(struct ss_machine *machine, struct ss_row *row,
    size_t c, const struct ss_delta_form *form)
{
    struct ss_row_channel *slot =
        &row->checkpoint.channels[row->checkpoint.channels_count++];
    struct ss_value *value = stored_form(machine, c);
    enum ss_delta_op op = value ? SS_DELTA_SET : SS_DELTA_CLEAR;
    bool is_edits = false;
    struct ss_value *delta = form->whole ? NULL
                                         : ss_list_delta(machine->stored[c],
                                               value, form->edits, &is_edits);
    if (delta)
        op = is_edits ? SS_DELTA_EDIT : SS_DELTA_APPEND;
    slot->name = machine->graph->channels[c].name;
    slot->version = machine->versions[c];
    slot->op = op;
    slot->value = delta ? delta : ss_value_ref(value);
    // what was added is weighed, never the whole list again
    size_t size = ss_row_value_size(row, slot->value) + SLOT_BYTES;
    if (!delta) {
        ss_check(machine->whole_bytes >= machine->stored_size[c]);
        machine->whole_bytes -= machine->stored_size[c];
        machine->stored_size[c] = 0;
    }
    machine->stored_size[c] += size;
    machine->whole_bytes += size;
    ss_value_unref(machine->stored[c]);
    machine->stored[c] = value;
    return size;
}

// Channels are told in the order of their names: a rank, and behind it the
// index of the channel.
static int by_rank(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

enum { FEW = 16 }; // they are sorted by hand

// `few`, or where there are more, cut from the row's memory.
static uint64_t *ranked(const struct ss_machine *machine, struct ss_row *row,
    const struct index_set *set, uint64_t few[FEW])
{
    const uint32_t *ranks = machine->graph->ranks->channels;
    const uint32_t count = set->count;
    uint64_t *order = count <= FEW
                          ? few
                          : ss_arena_take(&row->memory, count * sizeof(*order));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        uint64_t next = (uint64_t)ranks[set->items[i]] << 32 | set->items[i];
        for (; count <= FEW && at > 0 && order[at - 1] > next; at--)
            order[at] = order[at - 1];
        order[at] = next;
    }
    if (count > FEW)
        qsort(order, count, sizeof(*order), by_rank);
    return order;
}

static int by_channel(const void *a, const void *b)
{
    const struct ss_row_channel *left = a, *right = b;
    return strcmp(left->name, right->name);
}

// A delta leaves out what this version of the graph does not know; who folds
// finds it further back.
static void fill_foreign(const struct ss_machine *machine, struct ss_row *row)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    for (size_t i = 0; i < machine->foreign.count; i++) {
        struct ss_row_channel *slot = &part->channels[part->channels_count++];
        *slot = machine->foreign.items[i];
        slot->name = ss_arena_text(&row->memory, slot->name);
        slot->value = ss_value_ref(slot->value);
    }
    if (machine->foreign.count > 0)
        qsort(part->channels, part->channels_count, sizeof(*part->channels),
            by_channel);
}

static size_t fill_channels(struct ss_machine *machine, struct ss_row *row,
    const struct ss_delta_form *form)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    const struct index_set *set =
        form->whole ? &machine->versioned : &machine->moved;
    uint64_t few[FEW];
    const uint64_t *order = ranked(machine, row, set, few);
    const uint32_t count = set->count;
    size_t size = 0;
    size_t capacity = count + (form->whole ? machine->foreign.count : 0);
    part->channels =
        ss_arena_take(&row->memory, capacity * sizeof(*part->channels));
    for (uint32_t i = 0; i < count; i++) {
        size_t c = (uint32_t)order[i];
        if (machine->versions[c])
            size += row_channel(machine, row, c, form);
    }
    if (form->whole)
        fill_foreign(machine, row);
    ss_check(part->channels_count <= capacity);
    return size;
}

static void count_seen(
    void *count, const char *node, const char *channel, int64_t version)
{
    (void)node;
    (void)channel;
    (void)version;
    ++*(size_t *)count;
}

// A node's versions stand together, and tell one name.
struct told_seen {
    struct ss_row *row;
    const char *node; // the last, as the machine names it
    bool is_stranger; // the names are the machine's alone
};

static char *seen_name(struct told_seen *told, const char *name)
{
    return told->is_stranger ? ss_arena_text(&told->row->memory, name)
                             : (char *)name;
}

static void add_seen(
    void *ctx, const char *node, const char *channel, int64_t version)
{
    struct told_seen *told = ctx;
    struct ss_row_checkpoint *part = &told->row->checkpoint;
    struct ss_row_seen *seen = &part->seen[part->seen_count++];
    seen->node = node == told->node ? seen[-1].node : seen_name(told, node);
    seen->channel = seen_name(told, channel);
    seen->version = version;
    told->node = node;
}

static void fill_seen(
    struct ss_machine *machine, struct ss_row *row, bool whole)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    struct told_seen told = {.row = row};
    size_t capacity = machine->moved_seen.count + machine->moved_breaks.count +
                      machine->moved_strangers.count;
    if (whole) {
        capacity = 0;
        ss_seen_each(machine, count_seen, &capacity);
    }
    part->seen = ss_arena_take(&row->memory, capacity * sizeof(*part->seen));
    if (whole)
        ss_seen_each_known(machine, add_seen, &told);
    else
        ss_seen_each_known_moved(machine, add_seen, &told);
    told.is_stranger = true;
    told.node = NULL;
    if (whole)
        ss_seen_each_stranger(machine, add_seen, &told);
    else
        ss_seen_each_stranger_moved(machine, add_seen, &told);
    ss_check(part->seen_count == capacity);
}

static void fill_updated(const struct ss_machine *machine, struct ss_row *row)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    const struct index_set *updated = &machine->updated;
    uint64_t few[FEW];
    const uint64_t *order = ranked(machine, row, updated, few);
    part->updated =
        ss_arena_take(&row->memory, updated->count * sizeof(char *));
    for (uint32_t i = 0; i < updated->count; i++)
        part->updated[part->updated_count++] =
            machine->graph->channels[(uint32_t)order[i]].name;
}

size_t ss_delta_fill(struct ss_machine *machine, struct ss_row *row,
    const struct ss_delta_form *form)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    ss_check(!row->life.names);
    row->life.names = ss_graph_ref(machine->graph);
    part->whole = form->whole;
    size_t size = fill_channels(machine, row, form);
    fill_seen(machine, row, form->whole);
    part->updated_known = form->updated && machine->updated_known;
    if (part->updated_known)
        fill_updated(machine, row);
    return size;
}

void ss_delta_drop(struct ss_machine *machine)
{
    index_set_clear(&machine->moved);
    ss_seen_drop_moved(machine);
}

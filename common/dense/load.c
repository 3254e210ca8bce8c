// load.c - the state of a checkpoint, by names: that of another version of the
// graph fits, and what this one lacks is kept aside.
#include <string.h>

#include "common/base/check.h"
#include "common/dense/dense_impl.h"
#include "common/model/journal.h"

static int load_channel(
    struct ss_dense_machine *machine, uint32_t c, const struct ss_slot *slot)
{
    const struct ss_dense_channel *channel = &machine->graph->channels[c];
    struct ss_value *stored = slot ? slot->value : NULL;
    struct ss_dense_held held = ss_dense_hold(machine, c);
    int status = ss_held_restore(channel, &held, stored);
    machine->values[c] = held.value;
    bit_put(machine->finished, c, held.finished);
    machine->stored[c] = // what rows have of a list that may grow
        stored && held.value.kind == SS_HANDLE_LIST ? held.value.count
                                                    : SS_RANK_NONE;
    machine->told[c] =
        held.value.kind == SS_HANDLE_VALUE ? ss_value_ref(stored) : NULL;
    machine->versions[c] = slot ? slot->version : 0;
    if (machine->versions[c])
        rank_set_add(&machine->versioned, c);
    if (status == SS_OK)
        ss_dense_stir(machine, c);
    return status;
}

// Who failed to load may load something else.
static void unload(struct ss_dense_machine *machine)
{
    const struct ss_dense_graph *graph = machine->graph;
    for (uint32_t c = 0; c < graph->channels_count; c++) {
        ss_handle_unref(machine->values[c]);
        machine->values[c] = (struct ss_handle){0};
        ss_value_unref(machine->told[c]);
        machine->told[c] = NULL;
        machine->versions[c] = 0;
        bit_put(machine->finished, c, false);
    }
    if (graph->words_count)
        memset(machine->words, 0, graph->words_count * sizeof(*machine->words));
    rank_set_clear(&machine->versioned);
    rank_set_clear(&machine->self_changing);
}

static void load_rest(
    struct ss_dense_machine *machine, const struct ss_checkpoint *checkpoint)
{
    const struct ss_dense_graph *graph = machine->graph;
    for (const struct ss_map_entry *e = checkpoint->channels.first; e;
         e = e->next) {
        const struct ss_slot *slot = e->value;
        if (slot->version > machine->version_max)
            machine->version_max = slot->version;
        uint32_t c = ss_dense_graph_channel(graph, e->key);
        size_t size = ss_dense_weight(slot->value);
        machine->whole_bytes += size;
        if (c != SS_RANK_NONE)
            machine->told_bytes[c] = size;
        else
            SS_VEC_PUSH(&machine->foreign,
                (struct ss_dense_foreign){ss_strdup(e->key), slot->version,
                    ss_handle_of_value(slot->value)});
    }
    for (const struct ss_map_entry *e = checkpoint->seen.first; e;
         e = e->next) {
        uint32_t node = ss_dense_graph_node(graph, e->key);
        const struct ss_map *entry = e->value;
        machine->whole_bytes += ss_dense_weight(NULL) * (entry->count + 1);
        ss_dense_see(machine, node, e->key, NULL, 0);
        for (const struct ss_map_entry *v = entry->first; v; v = v->next)
            ss_dense_see(
                machine, node, e->key, v->key, *(const int64_t *)v->value);
    }
    // an empty list says no more than none (R3.2, R5.8)
    machine->updated_known = checkpoint->updated_count > 0;
    for (size_t i = 0; i < checkpoint->updated_count; i++) {
        uint32_t c = ss_dense_graph_channel(graph, checkpoint->updated[i]);
        if (c != SS_RANK_NONE)
            rank_set_add(&machine->updated, c);
    }
}

int ss_dense_load(
    struct ss_dense_machine *machine, const struct ss_checkpoint *checkpoint)
{
    int status = SS_OK;
    ss_check(machine->version_max == 0 && machine->strangers.count == 0);
    machine->candidates_known = machine->changed_since_break_known = false;
    for (uint32_t c = 0; c < machine->graph->channels_count && status == SS_OK;
         c++) {
        const char *name = machine->graph->channels[c].spec->name;
        status = load_channel(machine, c,
            checkpoint ? ss_map_get(&checkpoint->channels, name) : NULL);
    }
    if (status != SS_OK)
        unload(machine);
    else if (checkpoint)
        load_rest(machine, checkpoint);
    ss_dense_part_drop(machine);
    return status;
}

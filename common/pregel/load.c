// load.c - a machine's state from a checkpoint.
//
// A machine holds its state live, by channel index; who loads it folds what
// rows say (common/model/journal) into that.

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

static int restore_channels(struct ss_machine *machine,
    const struct ss_checkpoint *checkpoint, struct ss_error *error)
{
    machine->candidates_known = machine->changed_since_break_known = false;
    for (size_t c = 0; c < machine->graph->channels_count; c++) {
        const struct ss_channel_spec *spec = &machine->graph->channels[c];
        const struct ss_slot *slot =
            checkpoint ? ss_map_get(&checkpoint->channels, spec->name) : NULL;
        struct ss_value *stored = slot ? slot->value : NULL;
        int status =
            ss_channel_restore(&machine->channels[c], spec, stored, error);
        if (status != SS_OK)
            return status;
        machine->versions[c] = slot ? slot->version : 0;
        if (machine->versions[c])
            index_set_add(&machine->versioned, c);
        machine->stored[c] = ss_value_ref(stored);
        ss_machine_stir(machine, c);
    }
    return SS_OK;
}

// None of it: who failed to load may load something else.
static void drop_channels(struct ss_machine *machine)
{
    for (size_t c = 0; c < machine->graph->channels_count; c++) {
        if (machine->channels[c].spec)
            ss_channel_fini(&machine->channels[c]);
        machine->channels[c] = (struct ss_channel){0};
        ss_value_unref(machine->stored[c]);
        machine->stored[c] = NULL;
        machine->versions[c] = 0;
    }
    index_set_clear(&machine->self_changing);
    index_set_clear(&machine->versioned);
    index_set_clear(&machine->candidates);
}

// Another version of the graph left it, and may want it again: a row that holds
// all of the state tells it, too.
static void load_foreign(
    struct ss_machine *machine, const char *name, const struct ss_slot *slot)
{
    SS_VEC_PUSH(&machine->foreign,
        (struct ss_row_channel){.name = ss_strdup(name),
            .version = slot->version,
            .op = slot->value ? SS_DELTA_SET : SS_DELTA_CLEAR,
            .value = ss_value_ref(slot->value)});
}

static void load_seen(
    struct ss_machine *machine, const struct ss_checkpoint *checkpoint)
{
    for (const struct ss_map_entry *e = checkpoint->channels.first; e;
         e = e->next) {
        const struct ss_slot *slot = e->value;
        if (slot->version > machine->version_max)
            machine->version_max = slot->version;
        size_t size = 0, c = ss_graph_channel(machine->graph, e->key);
        if (c == SS_NONE)
            load_foreign(machine, e->key, slot);
        if (slot->value)
            size = ss_value_text_size(slot->value);
        machine->whole_bytes += size + SLOT_BYTES;
        if (c != SS_NONE)
            machine->stored_size[c] = size + SLOT_BYTES;
    }
    for (const struct ss_map_entry *e = checkpoint->seen.first; e;
         e = e->next) {
        const struct ss_map *entry = e->value;
        ss_seen_set(machine, e->key, NULL, 0);
        for (const struct ss_map_entry *v = entry->first; v; v = v->next)
            ss_seen_set(machine, e->key, v->key, *(const int64_t *)v->value);
        machine->whole_bytes += SLOT_BYTES * (entry->count + 1);
    }
    // an empty list says no more than none: all nodes are looked at (R3.2,
    // R5.8)
    machine->updated_known = checkpoint->updated_count > 0;
    for (size_t i = 0; i < checkpoint->updated_count; i++) {
        size_t c = ss_graph_channel(machine->graph, checkpoint->updated[i]);
        if (c != SS_NONE)
            index_set_add(&machine->updated, c);
    }
}

int ss_machine_load(struct ss_machine *machine,
    const struct ss_checkpoint *checkpoint, struct ss_error *error)
{
    ss_check(!machine->channels[0].spec && machine->version_max == 0);
    int status = restore_channels(machine, checkpoint, error);
    if (status != SS_OK)
        drop_channels(machine);
    else if (checkpoint)
        load_seen(machine, checkpoint);
    ss_delta_drop(machine);
    return status;
}

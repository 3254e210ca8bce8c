// machine.c - a machine made and freed, and what must hold of one between two
// calls.
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"
#include "common/pregel/shadow.h"

struct ss_machine *ss_machine_new(struct ss_graph *graph)
{
    struct ss_machine *machine = ss_zalloc(1, sizeof(*machine));
    size_t count = graph->channels_count;
    ss_check(graph->tasks_channel < count);
    machine->graph = ss_graph_ref(graph);
    machine->versions = ss_zalloc(count, sizeof(*machine->versions));
    machine->channels = ss_zalloc(count, sizeof(*machine->channels));
    machine->slots = ss_zalloc(count, sizeof(*machine->slots));
    index_set_init(&machine->updated, count);
    index_set_init(&machine->updated_last, count);
    index_set_init(&machine->moved, count);
    index_set_init(&machine->versioned, count);
    index_set_init(&machine->self_changing, count);
    index_set_init(&machine->candidates, graph->nodes_count);
    machine->stored = ss_zalloc(count, sizeof(struct ss_value *));
    machine->stored_size = ss_zalloc(count, sizeof(*machine->stored_size));
    ss_shadow_begin(machine);
    return machine;
}

static void free_seen(void *entry)
{
    ss_map_fini(entry, ss_free);
    ss_free(entry);
}

static void free_sets(struct ss_machine *machine)
{
    index_set_fini(&machine->updated);
    index_set_fini(&machine->updated_last);
    index_set_fini(&machine->moved);
    index_set_fini(&machine->versioned);
    index_set_fini(&machine->self_changing);
    index_set_fini(&machine->candidates);
}

void ss_machine_destroy(struct ss_machine **place)
{
    struct ss_machine *machine = *place;
    if (!machine)
        return;
    *place = NULL;
    ss_shadow_end(machine);
    ss_delta_drop(machine);
    free_sets(machine);
    SS_VEC_FINI(&machine->seen_moved);
    for (size_t c = 0; c < machine->graph->channels_count; c++) {
        if (machine->channels[c].spec)
            ss_channel_fini(&machine->channels[c]);
        ss_value_unref(machine->stored[c]);
    }
    for (size_t i = 0; i < machine->foreign.count; i++) {
        ss_free(machine->foreign.items[i].name);
        ss_value_unref(machine->foreign.items[i].value);
    }
    SS_VEC_FINI(&machine->foreign);
    ss_free(machine->channels);
    ss_free(machine->stored);
    ss_free(machine->stored_size);
    ss_free(machine->versions);
    ss_free(machine->slots);
    ss_map_fini(&machine->seen, free_seen);
    ss_graph_unref(machine->graph);
    ss_free(machine);
}

bool ss_machine_has_versions(const struct ss_machine *machine)
{
    return machine->version_max > 0;
}

size_t ss_machine_size(const struct ss_machine *machine)
{
    return machine->whole_bytes;
}

// ------------------------------------------------ what holds

static bool is_set(const struct index_set *set, size_t size)
{
    size_t flags = 0;
    for (size_t i = 0; i < size; i++)
        flags += set->has[i];
    for (size_t i = 0; i < set->list.count; i++)
        if (!set->has[set->list.items[i]])
            return false;
    return flags == set->list.count;
}

static bool are_sets(const struct ss_machine *machine)
{
    size_t count = machine->graph->channels_count;
    return is_set(&machine->versioned, count) &&
           is_set(&machine->updated, count) &&
           is_set(&machine->updated_last, count) &&
           is_set(&machine->moved, count) &&
           is_set(&machine->self_changing, count) &&
           is_set(&machine->candidates, machine->graph->nodes_count);
}

static unsigned channel_faults(const struct ss_machine *machine, size_t c)
{
    bool has_version = machine->versioned.has[c];
    unsigned faults = 0;
    if (machine->versions[c] > machine->version_max)
        faults |= SS_FAULT_VERSION_MAX;
    if ((machine->versions[c] != 0) != has_version)
        faults |= SS_FAULT_VERSIONED;
    if (machine->slots[c] != 0)
        faults |= SS_FAULT_SLOT;
    if (machine->versions[c] < 0)
        faults |= SS_FAULT_VERSION;
    if (!machine->self_changing.has[c] &&
        ss_channel_self_changing(&machine->channels[c]))
        faults |= SS_FAULT_SELF_CHANGING;
    if (!has_version &&
        (machine->updated.has[c] || machine->updated_last.has[c]))
        faults |= SS_FAULT_UPDATED;
    if (!has_version && machine->moved.has[c])
        faults |= SS_FAULT_MOVED;
    return faults;
}

// Of what one node has seen.
static unsigned seen_faults(
    const struct ss_machine *machine, const struct ss_map *seen)
{
    unsigned faults = 0;
    for (const struct ss_map_entry *e = seen->first; e; e = e->next) {
        size_t c = ss_graph_channel(machine->graph, e->key);
        int64_t version = *(const int64_t *)e->value;
        if (version > machine->version_max)
            faults |= SS_FAULT_SEEN_MAX;
        if (c != SS_NONE && version > machine->versions[c])
            faults |= SS_FAULT_SEEN;
    }
    return faults;
}

static bool lacks_candidate(const struct ss_machine *machine)
{
    for (size_t n = 0; n < machine->graph->nodes_count; n++)
        if (!machine->candidates.has[n] &&
            ss_plan_triggers(machine, &machine->graph->nodes[n]))
            return true;
    return false;
}

unsigned ss_machine_faults(const struct ss_machine *machine)
{
    unsigned faults = are_sets(machine) ? 0 : SS_FAULT_SET;
    for (size_t c = 0; c < machine->graph->channels_count; c++)
        faults |= channel_faults(machine, c);
    for (const struct ss_map_entry *e = machine->seen.first; e; e = e->next)
        faults |= seen_faults(machine, e->value);
    if (!machine->updated_known && machine->updated.list.count > 0)
        faults |= SS_FAULT_UNKNOWN;
    if (machine->candidates_known && lacks_candidate(machine))
        faults |= SS_FAULT_CANDIDATE;
    return faults;
}

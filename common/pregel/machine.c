// machine.c - a machine made and freed, and what must hold of one between two
// calls.
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/ranks.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

// ------------------------------------------------ one block

static void *cut(char **at, size_t count, size_t size)
{
    void *memory = *at;
    *at += (count * size + 7) & ~(size_t)7;
    return memory;
}

static void *cut_bits(char **at, size_t count)
{
    return cut(at, count / 64 + 1, sizeof(uint64_t));
}

static void cut_set(char **at, struct index_set *set, size_t count)
{
    set->bits = cut_bits(at, count);
    set->items = cut(at, count, sizeof(*set->items));
}

// Where the arrays lie from `at` on; returns behind the last.
static char *lay_out(struct ss_machine *machine, char *at)
{
    size_t channels = machine->graph->channels_count;
    size_t nodes = machine->graph->nodes_count;
    size_t slots = machine->graph->ranks->slots_count;
    ss_check(slots + nodes < UINT32_MAX && channels < UINT32_MAX);
    machine->channels = cut(&at, channels, sizeof(*machine->channels));
    machine->versions = cut(&at, channels, sizeof(*machine->versions));
    machine->breaks = cut(&at, channels, sizeof(*machine->breaks));
    machine->stored = cut(&at, channels, sizeof(*machine->stored));
    machine->stored_size = cut(&at, channels, sizeof(*machine->stored_size));
    machine->touched = cut(&at, channels, sizeof(*machine->touched));
    machine->seen = cut(&at, slots, sizeof(*machine->seen));
    machine->entered = cut_bits(&at, nodes);
    cut_set(&at, &machine->updated, channels);
    cut_set(&at, &machine->updated_last, channels);
    cut_set(&at, &machine->versioned, channels);
    cut_set(&at, &machine->self_changing, channels);
    cut_set(&at, &machine->candidates, nodes);
    cut_set(&at, &machine->moved, channels);
    cut_set(&at, &machine->moved_seen, slots + nodes);
    cut_set(&at, &machine->moved_breaks, channels);
    return at;
}

struct ss_machine *ss_machine_new(struct ss_graph *graph)
{
    struct ss_machine sizes = {.graph = graph};
    size_t size = (size_t)(lay_out(&sizes, (char *)&sizes) - (char *)&sizes);
    size_t head = (sizeof(sizes) + 7) & ~(size_t)7;
    struct ss_machine *machine = ss_zalloc(1, head + size);
    ss_check(graph->tasks_channel < graph->channels_count);
    machine->graph = ss_graph_ref(graph);
    char *end = lay_out(machine, (char *)machine + head);
    ss_check(end == (char *)machine + head + size);
    return machine;
}

void ss_machine_destroy(struct ss_machine **place)
{
    struct ss_machine *machine = *place;
    if (!machine)
        return;
    *place = NULL;
    ss_seen_fini(machine);
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
        flags += index_set_has(set, i);
    for (uint32_t i = 0; i < set->count; i++)
        if (!index_set_has(set, set->items[i]))
            return false;
    return flags == set->count;
}

static bool are_sets(const struct ss_machine *machine)
{
    size_t channels = machine->graph->channels_count;
    size_t nodes = machine->graph->nodes_count;
    return is_set(&machine->versioned, channels) &&
           is_set(&machine->updated, channels) &&
           is_set(&machine->updated_last, channels) &&
           is_set(&machine->moved, channels) &&
           is_set(&machine->moved_breaks, channels) &&
           is_set(&machine->self_changing, channels) &&
           is_set(&machine->moved_seen,
               machine->graph->ranks->slots_count + nodes) &&
           is_set(&machine->candidates, nodes);
}

static unsigned channel_faults(const struct ss_machine *machine, size_t c)
{
    bool has_version = index_set_has(&machine->versioned, c);
    unsigned faults = 0;
    if (machine->versions[c] > machine->version_max)
        faults |= SS_FAULT_VERSION_MAX;
    if ((machine->versions[c] != 0) != has_version)
        faults |= SS_FAULT_VERSIONED;
    if (machine->touched[c] != 0)
        faults |= SS_FAULT_SLOT;
    if (machine->versions[c] < 0)
        faults |= SS_FAULT_VERSION;
    if (!index_set_has(&machine->self_changing, c) &&
        ss_channel_self_changing(&machine->channels[c]))
        faults |= SS_FAULT_SELF_CHANGING;
    if (!has_version && (index_set_has(&machine->updated, c) ||
                            index_set_has(&machine->updated_last, c)))
        faults |= SS_FAULT_UPDATED;
    if (!has_version && index_set_has(&machine->moved, c))
        faults |= SS_FAULT_MOVED;
    return faults;
}

// What was found so far of what nodes have seen.
struct seen_faults {
    const struct ss_machine *machine;
    unsigned faults;
};

static void check_seen(
    void *ctx, const char *node, const char *channel, int64_t version)
{
    struct seen_faults *found = ctx;
    const struct ss_machine *machine = found->machine;
    size_t c = channel ? ss_graph_channel(machine->graph, channel) : SS_NONE;
    (void)node;
    if (version > machine->version_max)
        found->faults |= SS_FAULT_SEEN_MAX;
    if (c != SS_NONE && version > machine->versions[c])
        found->faults |= SS_FAULT_SEEN;
}

static bool lacks_candidate(const struct ss_machine *machine)
{
    for (size_t n = 0; n < machine->graph->nodes_count; n++)
        if (!index_set_has(&machine->candidates, n) &&
            ss_plan_triggers(machine, n))
            return true;
    return false;
}

unsigned ss_machine_faults(const struct ss_machine *machine)
{
    struct seen_faults found = {machine, are_sets(machine) ? 0 : SS_FAULT_SET};
    for (size_t c = 0; c < machine->graph->channels_count; c++)
        found.faults |= channel_faults(machine, c);
    ss_seen_each(machine, check_seen, &found);
    if (!machine->updated_known && machine->updated.count > 0)
        found.faults |= SS_FAULT_UNKNOWN;
    if (machine->candidates_known && lacks_candidate(machine))
        found.faults |= SS_FAULT_CANDIDATE;
    return found.faults;
}

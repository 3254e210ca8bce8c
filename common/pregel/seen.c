// seen.c - which versions nodes have seen, and what moved since a breakpoint.
#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"
#include "common/pregel/shadow.h"

bool ss_seen_has(const struct ss_machine *machine, const char *node)
{
    return ss_map_get(&machine->seen, node) != NULL;
}

bool ss_seen_get(const struct ss_machine *machine, const char *node,
    const char *channel, int64_t *ret)
{
    const struct ss_map *entry = ss_map_get(&machine->seen, node);
    if (!entry)
        return false;
    const int64_t *version = ss_map_get(entry, channel);
    *ret = version ? *version : 0;
    return true;
}

void ss_seen_set(struct ss_machine *machine, const char *node,
    const char *channel, int64_t version)
{
    struct ss_map *entry = ss_map_get(&machine->seen, node);
    ss_check(version >= 0);
    if (entry && !channel)
        return;
    if (!entry) {
        entry = ss_zalloc(1, sizeof(*entry));
        ss_map_put(&machine->seen, node, entry);
    }
    if (channel) {
        int64_t *place = ss_map_get(entry, channel);
        if (place && *place == version)
            return;
        if (!place) {
            place = ss_alloc(sizeof(*place));
            ss_map_put(entry, channel, place);
        }
        *place = version;
    }
    SS_VEC_PUSH(&machine->seen_moved,
        (struct seen_change){ss_strdup(node), ss_strdup(channel), version});
}

bool ss_seen_newest(
    const struct ss_machine *machine, const struct ss_node **ret_node)
{
    const struct ss_graph *graph = machine->graph;
    bool any = false, tie = false;
    int64_t best = -1;
    const struct ss_node *node = NULL;
    for (const struct ss_map_entry *e = machine->seen.first; e; e = e->next)
        any = any || ((const struct ss_map *)e->value)->count > 0;
    for (size_t n = 0; any && n < graph->nodes_count; n++) {
        const struct ss_map *seen =
            ss_map_get(&machine->seen, graph->nodes[n].name);
        for (const struct ss_map_entry *v = seen ? seen->first : NULL; v;
             v = v->next) {
            int64_t version = *(const int64_t *)v->value;
            tie = version == best || (version < best && tie);
            if (version > best) {
                best = version;
                node = &graph->nodes[n];
            }
        }
    }
    *ret_node = tie ? NULL : node;
    return any;
}

// ------------------------------------------------ breakpoints

static bool moved_since_break(const struct ss_machine *machine)
{
    const struct index_list *list = &machine->versioned.list;
    bool moved = false;
    for (size_t i = 0; i < list->count && !moved; i++) {
        size_t c = list->items[i];
        int64_t seen = 0;
        ss_seen_get(machine, SS_NAME_INTERRUPT,
            machine->graph->channels[c].name, &seen);
        moved = machine->versions[c] > seen;
    }
    return moved;
}

// Looked for once after a load; then who moves a channel, or stops, says so.
bool ss_break_moved(struct ss_machine *machine)
{
    if (!machine->changed_since_break_known)
        machine->changed_since_break = moved_since_break(machine);
    machine->changed_since_break_known = true;
    ss_shadow_break_moved(machine, machine->changed_since_break);
    return machine->changed_since_break;
}

void ss_break_pass(struct ss_machine *machine)
{
    for (size_t i = 0; i < machine->versioned.list.count; i++) {
        size_t c = machine->versioned.list.items[i];
        ss_seen_set(machine, SS_NAME_INTERRUPT,
            machine->graph->channels[c].name, machine->versions[c]);
    }
    machine->changed_since_break = false;
    machine->changed_since_break_known = true;
    ss_shadow_break_pass(machine);
}

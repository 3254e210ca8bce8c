// seen.c - which versions nodes have seen, and what moved since a breakpoint.
//
// A node and each of its triggers have a slot. What else has an entry is a
// breakpoint (__interrupt__, by channel), or a stranger: a pseudo node, or a
// node or a channel of another version of the graph.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/ranks.h"
#include "common/model/reserved.h"
#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"

// The slot of a node's trigger; SS_NONE: it has no such trigger. Triggers are
// sorted by name.
static size_t slot_of(const struct ss_graph *graph, size_t node, size_t channel)
{
    const uint32_t *ranks = graph->ranks->channels;
    const size_t *triggers = graph->nodes[node].triggers;
    size_t low = 0, high = graph->nodes[node].triggers_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (triggers[middle] == channel)
            return graph->ranks->nodes[node].slot + middle;
        if (ranks[triggers[middle]] < ranks[channel])
            low = middle + 1;
        else
            high = middle;
    }
    return SS_NONE;
}

void ss_seen_entry(struct ss_machine *machine, size_t node)
{
    ss_check(node < machine->graph->nodes_count);
    if (bit_has(machine->entered, node))
        return;
    bit_put(machine->entered, node, true);
    index_set_add(
        &machine->moved_seen, machine->graph->ranks->slots_count + node);
}

static void see_slot(struct ss_machine *machine, size_t slot, int64_t version)
{
    ss_check(slot < machine->graph->ranks->slots_count && version >= 0);
    if (machine->seen[slot] == version)
        return;
    machine->seen[slot] = version;
    index_set_add(&machine->moved_seen, slot);
}

static void see_break(struct ss_machine *machine, size_t c, int64_t version)
{
    if (machine->breaks[c] == version)
        return;
    machine->breaks[c] = version;
    index_set_add(&machine->moved_breaks, c);
}

static void see_stranger(struct ss_machine *machine, const char *node,
    bool is_node, const char *channel, int64_t version)
{
    struct stranger *stranger = ss_map_get(&machine->strangers, node);
    if (stranger && !channel)
        return;
    if (!stranger) {
        stranger = ss_zalloc(1, sizeof(*stranger));
        stranger->is_node = is_node;
        ss_map_put(&machine->strangers, node, stranger);
    }
    if (channel) {
        int64_t *place = ss_map_get(&stranger->saw, channel);
        if (place && *place == version)
            return;
        if (!place) {
            place = ss_alloc(sizeof(*place));
            ss_map_put(&stranger->saw, channel, place);
        }
        *place = version;
    }
    SS_VEC_PUSH(&machine->moved_strangers,
        (struct seen_change){ss_strdup(node), ss_strdup(channel), version});
}

void ss_seen_set(struct ss_machine *machine, const char *node,
    const char *channel, int64_t version)
{
    const struct ss_graph *graph = machine->graph;
    size_t n = ss_graph_node(graph, node), slot = SS_NONE;
    size_t c = channel ? ss_graph_channel(graph, channel) : SS_NONE;
    bool is_break = n == SS_NONE && strcmp(node, SS_NAME_INTERRUPT) == 0;
    ss_check(version >= 0);
    machine->has_breaks = machine->has_breaks || is_break;
    if (n != SS_NONE)
        ss_seen_entry(machine, n);
    if (n != SS_NONE && c != SS_NONE)
        slot = slot_of(graph, n, c);
    if (slot != SS_NONE)
        see_slot(machine, slot, version);
    else if (is_break && c != SS_NONE)
        see_break(machine, c, version);
    else if (channel || (n == SS_NONE && !is_break))
        see_stranger(machine, node, n != SS_NONE || is_break, channel, version);
}

void ss_seen_triggers(struct ss_machine *machine, size_t node)
{
    const struct ss_node *spec = &machine->graph->nodes[node];
    size_t slot = machine->graph->ranks->nodes[node].slot;
    ss_seen_entry(machine, node);
    for (size_t i = 0; i < spec->triggers_count; i++)
        if (machine->versions[spec->triggers[i]])
            see_slot(machine, slot + i, machine->versions[spec->triggers[i]]);
}

// ------------------------------------------------ each of them

static void visit_slot(const struct ss_machine *machine, size_t slot,
    ss_seen_visit *visit, void *ctx)
{
    const struct ss_graph *graph = machine->graph;
    size_t n = graph->ranks->slot_nodes[slot];
    const struct ss_node *node = &graph->nodes[n];
    size_t trigger = slot - graph->ranks->nodes[n].slot;
    ss_check(trigger < node->triggers_count);
    size_t c = node->triggers[trigger];
    visit(ctx, node->name, graph->channels[c].name, machine->seen[slot]);
}

static void visit_nodes(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx)
{
    const struct ss_graph *graph = machine->graph;
    for (size_t n = 0; n < graph->nodes_count; n++) {
        size_t slot = graph->ranks->nodes[n].slot;
        if (!bit_has(machine->entered, n))
            continue;
        visit(ctx, graph->nodes[n].name, NULL, 0);
        for (size_t i = 0; i < graph->nodes[n].triggers_count; i++)
            if (machine->seen[slot + i])
                visit_slot(machine, slot + i, visit, ctx);
    }
}

void ss_seen_each_known(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx)
{
    const struct ss_graph *graph = machine->graph;
    visit_nodes(machine, visit, ctx);
    if (machine->has_breaks)
        visit(ctx, SS_NAME_INTERRUPT, NULL, 0);
    for (size_t c = 0; machine->has_breaks && c < graph->channels_count; c++)
        if (machine->breaks[c])
            visit(ctx, SS_NAME_INTERRUPT, graph->channels[c].name,
                machine->breaks[c]);
}

void ss_seen_each_stranger(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx)
{
    for (const struct ss_map_entry *e = machine->strangers.first; e;
         e = e->next) {
        const struct stranger *stranger = e->value;
        if (!stranger->is_node)
            visit(ctx, e->key, NULL, 0);
        for (const struct ss_map_entry *v = stranger->saw.first; v; v = v->next)
            visit(ctx, e->key, v->key, *(const int64_t *)v->value);
    }
}

void ss_seen_each(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx)
{
    ss_seen_each_known(machine, visit, ctx);
    ss_seen_each_stranger(machine, visit, ctx);
}

void ss_seen_each_known_moved(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx)
{
    const struct ss_graph *graph = machine->graph;
    const struct index_set *seen = &machine->moved_seen;
    const struct index_set *breaks = &machine->moved_breaks;
    size_t slots = graph->ranks->slots_count;
    for (uint32_t i = 0; i < seen->count; i++)
        if (seen->items[i] < slots)
            visit_slot(machine, seen->items[i], visit, ctx);
        else
            visit(ctx, graph->nodes[seen->items[i] - slots].name, NULL, 0);
    for (uint32_t i = 0; i < breaks->count; i++)
        visit(ctx, SS_NAME_INTERRUPT, graph->channels[breaks->items[i]].name,
            machine->breaks[breaks->items[i]]);
}

void ss_seen_each_stranger_moved(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx)
{
    for (size_t i = 0; i < machine->moved_strangers.count; i++) {
        const struct seen_change *it = &machine->moved_strangers.items[i];
        visit(ctx, it->node, it->channel, it->version);
    }
}

void ss_seen_drop_moved(struct ss_machine *machine)
{
    index_set_clear(&machine->moved_seen);
    index_set_clear(&machine->moved_breaks);
    for (size_t i = 0; i < machine->moved_strangers.count; i++) {
        ss_free(machine->moved_strangers.items[i].node);
        ss_free(machine->moved_strangers.items[i].channel);
    }
    SS_VEC_FINI(&machine->moved_strangers);
}

static void free_stranger(void *value)
{
    struct stranger *stranger = value;
    ss_map_fini(&stranger->saw, ss_free);
    ss_free(stranger);
}

void ss_seen_fini(struct ss_machine *machine)
{
    ss_seen_drop_moved(machine);
    ss_map_fini(&machine->strangers, free_stranger);
}

// ------------------------------------------------ the newest

// Versions so far: the greatest one, whose it is, and whether another node has
// it, too.
struct newest {
    const struct ss_graph *graph;
    int64_t version;
    const char *node; // of the graph; NULL: none of those
    bool any, tie;
};

static void compare_newest(
    void *ctx, const char *node, const char *channel, int64_t version)
{
    struct newest *newest = ctx;
    newest->any = newest->any || channel;
    if (!channel || ss_graph_node(newest->graph, node) == SS_NONE)
        return;
    newest->tie = version == newest->version ||
                  (version < newest->version && newest->tie);
    if (version > newest->version) {
        newest->version = version;
        newest->node = node;
    }
}

bool ss_seen_newest(
    const struct ss_machine *machine, const struct ss_node **ret_node)
{
    const struct ss_graph *graph = machine->graph;
    struct newest newest = {.graph = graph, .version = -1};
    ss_seen_each(machine, compare_newest, &newest);
    *ret_node = newest.node && !newest.tie
                    ? &graph->nodes[ss_graph_node(graph, newest.node)]
                    : NULL;
    return newest.any;
}

// ------------------------------------------------ breakpoints

static bool moved_since_break(const struct ss_machine *machine)
{
    const struct index_set *set = &machine->versioned;
    bool moved = false;
    for (uint32_t i = 0; i < set->count && !moved; i++)
        moved =
            machine->versions[set->items[i]] > machine->breaks[set->items[i]];
    return moved;
}

// Looked for once after a load; then who moves a channel, or stops, says so.
bool ss_break_moved(struct ss_machine *machine)
{
    if (!machine->changed_since_break_known)
        machine->changed_since_break = moved_since_break(machine);
    machine->changed_since_break_known = true;
    return machine->changed_since_break;
}

void ss_break_pass(struct ss_machine *machine)
{
    machine->has_breaks = machine->has_breaks || machine->versioned.count > 0;
    for (uint32_t i = 0; i < machine->versioned.count; i++) {
        size_t c = machine->versioned.items[i];
        see_break(machine, c, machine->versions[c]);
    }
    machine->changed_since_break = false;
    machine->changed_since_break_known = true;
}

// machine.c - a dense machine made and freed, and what it holds.
#include <string.h>

#include "common/base/check.h"
#include "common/dense/dense_impl.h"
#include "common/model/reserved.h"

// ------------------------------------------------ one block

static void *cut(char **at, size_t count, size_t size)
{
    void *memory = *at;
    *at += (count * size + 15) & ~(size_t)15;
    return memory;
}

static void *cut_bits(char **at, size_t count)
{
    return cut(at, (count + 63) / 64, sizeof(uint64_t));
}

static void cut_set(char **at, struct ss_rank_set *set, size_t count)
{
    set->bits = cut_bits(at, count);
    set->items = cut(at, count, sizeof(uint32_t));
}

// Where the arrays lie from `at` on; returns behind the last.
static char *lay_out(struct ss_dense_machine *machine, char *at)
{
    const struct ss_dense_graph *graph = machine->graph;
    size_t c = graph->channels_count, n = graph->nodes_count;
    size_t s = graph->slots_count;
    machine->values = cut(&at, c, sizeof(*machine->values));
    machine->versions = cut(&at, c, sizeof(*machine->versions));
    machine->breaks = cut(&at, c, sizeof(*machine->breaks));
    machine->finished = cut_bits(&at, c);
    machine->words = cut(&at, graph->words_count, sizeof(*machine->words));
    machine->stored = cut(&at, c, sizeof(*machine->stored));
    machine->told = cut(&at, c, sizeof(struct ss_value *));
    machine->told_bytes = cut(&at, c, sizeof(*machine->told_bytes));
    machine->touched = cut(&at, c, sizeof(*machine->touched));
    machine->seen = cut(&at, s, sizeof(*machine->seen));
    machine->entered = cut_bits(&at, n);
    cut_set(&at, &machine->updated, c);
    cut_set(&at, &machine->updated_last, c);
    cut_set(&at, &machine->versioned, c);
    cut_set(&at, &machine->self_changing, c);
    cut_set(&at, &machine->moved, c);
    cut_set(&at, &machine->breaks_moved, c);
    cut_set(&at, &machine->candidates, n);
    cut_set(&at, &machine->entries_moved, n);
    cut_set(&at, &machine->seen_moved, s);
    return at;
}

struct ss_dense_machine *ss_dense_new(struct ss_dense_graph *graph)
{
    struct ss_dense_machine sizes = {.graph = graph};
    size_t size = (size_t)(lay_out(&sizes, (char *)&sizes) - (char *)&sizes);
    size_t head = (sizeof(sizes) + 15) & ~(size_t)15;
    struct ss_dense_machine *machine = ss_zalloc(1, head + size);
    machine->graph = ss_dense_graph_ref(graph);
    lay_out(machine, (char *)machine + head);
    for (uint32_t c = 0; c < graph->channels_count; c++)
        machine->stored[c] = SS_RANK_NONE;
    return machine;
}

void ss_dense_destroy(struct ss_dense_machine **place)
{
    struct ss_dense_machine *machine = *place;
    if (!machine)
        return;
    *place = NULL;
    for (uint32_t c = 0; c < machine->graph->channels_count; c++) {
        ss_handle_unref(machine->values[c]);
        ss_value_unref(machine->told[c]);
    }
    for (uint32_t t = 0; t < machine->tasks_count; t++)
        ss_handle_unref(machine->tasks[t].arg);
    for (size_t i = 0; i < machine->strangers.count; i++) {
        ss_free(machine->strangers.items[i].node);
        ss_free(machine->strangers.items[i].channel);
    }
    SS_VEC_FINI(&machine->strangers);
    for (size_t i = 0; i < machine->foreign.count; i++) {
        ss_free(machine->foreign.items[i].name);
        ss_handle_unref(machine->foreign.items[i].value);
    }
    SS_VEC_FINI(&machine->foreign);
    ss_arena_fini(&machine->planned);
    ss_arena_fini(&machine->work);
    ss_dense_graph_unref(machine->graph);
    ss_free(machine);
}

// ------------------------------------------------ what it holds

struct ss_dense_held ss_dense_hold(
    const struct ss_dense_machine *machine, uint32_t c)
{
    return (struct ss_dense_held){.value = machine->values[c],
        .words = machine->words + machine->graph->channels[c].words,
        .finished = bit_has(machine->finished, c)};
}

struct ss_handle ss_dense_value(
    const struct ss_dense_machine *machine, uint32_t c)
{
    if (!ss_dense_available(machine, c))
        return (struct ss_handle){0};
    return machine->graph->channels[c].is_barrier ? ss_handle_null()
                                                  : machine->values[c];
}

bool ss_dense_available(const struct ss_dense_machine *machine, uint32_t c)
{
    struct ss_dense_held held = ss_dense_hold(machine, c);
    return ss_held_available(&machine->graph->channels[c], &held);
}

int64_t ss_dense_version(const struct ss_dense_machine *machine, uint32_t c)
{
    return machine->versions[c];
}

bool ss_dense_is_updated(const struct ss_dense_machine *machine, uint32_t c)
{
    return bit_has(machine->updated.bits, c);
}

size_t ss_dense_updated_count(const struct ss_dense_machine *machine)
{
    return machine->updated_known ? machine->updated.count : SIZE_MAX;
}

bool ss_dense_is_news(const struct ss_dense_machine *machine, uint32_t c)
{
    return bit_has(machine->updated_last.bits, c);
}

size_t ss_dense_news_count(const struct ss_dense_machine *machine)
{
    return machine->updated_last.count;
}

void ss_dense_stir(struct ss_dense_machine *machine, uint32_t c)
{
    const struct ss_dense_channel *channel = &machine->graph->channels[c];
    struct ss_dense_held held = ss_dense_hold(machine, c);
    const uint32_t *nodes = ss_dense_ids(machine->graph, channel->nodes);
    if (ss_held_self_changing(channel, &held))
        rank_set_add(&machine->self_changing, c);
    for (uint32_t i = 0; machine->candidates_known && i < channel->nodes.count;
         i++)
        rank_set_add(&machine->candidates, nodes[i]);
}

// ------------------------------------------------ what was seen

// The slot of a node's trigger; SS_RANK_NONE: it has no such trigger.
static uint32_t slot_of(
    const struct ss_dense_graph *graph, uint32_t node, uint32_t channel)
{
    const struct ss_dense_node *it = &graph->nodes[node];
    const uint32_t *triggers = ss_dense_ids(graph, it->triggers);
    for (uint32_t i = 0; i < it->triggers.count; i++)
        if (triggers[i] == channel)
            return it->slot + i;
    return SS_RANK_NONE;
}

static struct ss_dense_stranger *stranger_of(
    const struct ss_dense_machine *machine, const char *node,
    const char *channel)
{
    for (size_t i = 0; i < machine->strangers.count; i++) {
        struct ss_dense_stranger *it = &machine->strangers.items[i];
        if (strcmp(it->node, node) == 0 && !it->channel == !channel &&
            (!channel || strcmp(it->channel, channel) == 0))
            return it;
    }
    return NULL;
}

static void see_stranger(struct ss_dense_machine *machine, const char *node,
    const char *channel, int64_t version)
{
    struct ss_dense_stranger *it = stranger_of(machine, node, channel);
    if (it && it->version == version)
        return;
    if (!it) {
        SS_VEC_PUSH(&machine->strangers,
            (struct ss_dense_stranger){
                .node = ss_strdup(node), .channel = ss_strdup(channel)});
        it = &machine->strangers.items[machine->strangers.count - 1];
    }
    it->version = version;
    it->moved = true;
}

static void see_break(
    struct ss_dense_machine *machine, uint32_t c, int64_t version)
{
    if (c == SS_RANK_NONE || machine->breaks[c] == version)
        return;
    machine->breaks[c] = version;
    rank_set_add(&machine->breaks_moved, c);
}

void ss_dense_see_node(struct ss_dense_machine *machine, uint32_t node)
{
    if (bit_has(machine->entered, node))
        return;
    bit_put(machine->entered, node, true);
    rank_set_add(&machine->entries_moved, node);
}

void ss_dense_see_slot(
    struct ss_dense_machine *machine, uint32_t slot, int64_t version)
{
    if (machine->seen[slot] == version)
        return;
    machine->seen[slot] = version;
    rank_set_add(&machine->seen_moved, slot);
}

void ss_dense_see(struct ss_dense_machine *machine, uint32_t node,
    const char *name, const char *channel, int64_t version)
{
    uint32_t c = channel ? ss_dense_graph_channel(machine->graph, channel)
                         : SS_RANK_NONE;
    uint32_t slot = SS_RANK_NONE;
    bool is_break =
        node == SS_RANK_NONE && strcmp(name, SS_NAME_INTERRUPT) == 0;
    ss_check(version >= 0);
    if (node != SS_RANK_NONE)
        ss_dense_see_node(machine, node);
    if (is_break && !machine->has_breaks) {
        machine->has_breaks = true;
        machine->breaks_entered = !channel;
    }
    if (node != SS_RANK_NONE && c != SS_RANK_NONE)
        slot = slot_of(machine->graph, node, c);
    if (slot != SS_RANK_NONE) {
        ss_dense_see_slot(machine, slot, version);
    } else if (is_break && (c != SS_RANK_NONE || !channel)) {
        see_break(machine, c, version);
    } else if (channel || node == SS_RANK_NONE) {
        see_stranger(machine, name, channel, version);
        if (channel && node == SS_RANK_NONE && !is_break &&
            !stranger_of(machine, name, NULL))
            see_stranger(machine, name, NULL, 0);
    }
}

int64_t ss_dense_seen(const struct ss_dense_machine *machine, const char *node,
    const char *channel)
{
    const struct ss_dense_graph *graph = machine->graph;
    uint32_t n = ss_dense_graph_node(graph, node);
    uint32_t c = channel ? ss_dense_graph_channel(graph, channel) : 0;
    const struct ss_dense_stranger *it = stranger_of(machine, node, channel);
    uint32_t slot = SS_RANK_NONE;
    if (it)
        return it->version;
    if (n != SS_RANK_NONE && !channel)
        return bit_has(machine->entered, n) ? 0 : -1;
    if (n != SS_RANK_NONE && c != SS_RANK_NONE)
        slot = slot_of(graph, n, c);
    if (slot != SS_RANK_NONE)
        return machine->seen[slot] ? machine->seen[slot] : -1;
    if (strcmp(node, SS_NAME_INTERRUPT) != 0 || !machine->has_breaks)
        return -1;
    if (!channel)
        return 0;
    return c != SS_RANK_NONE && machine->breaks[c] ? machine->breaks[c] : -1;
}

// ------------------------------------------------ breakpoints

bool ss_dense_break_moved(struct ss_dense_machine *machine)
{
    const struct ss_rank_set *set = &machine->versioned;
    if (machine->changed_since_break_known)
        return machine->changed_since_break;
    machine->changed_since_break = false;
    for (uint32_t i = 0; i < set->count && !machine->changed_since_break; i++)
        machine->changed_since_break =
            machine->versions[set->items[i]] > machine->breaks[set->items[i]];
    machine->changed_since_break_known = true;
    return machine->changed_since_break;
}

void ss_dense_break_pass(struct ss_dense_machine *machine)
{
    for (uint32_t i = 0; i < machine->versioned.count; i++) {
        uint32_t c = machine->versioned.items[i];
        machine->has_breaks = true; // its versions say so, without an entry
        see_break(machine, c, machine->versions[c]);
    }
    machine->changed_since_break = false;
    machine->changed_since_break_known = true;
}

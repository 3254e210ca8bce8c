// dry_run.c - which way leads where: the graph is run level by level with
// nothing in it, and every declared way is taken (spec/graph.md 5.1).
#include <stdlib.h>
#include <string.h>

#include "common/model/draw.h"
#include "common/model/limits.h"
#include "common/model/reserved.h"

enum {
    LEVELS_MAX = 251, // a loop of plain edges would go on for ever
};

// `source` may start what `channel` triggers.
struct way {
    size_t channel;
    size_t source;
    const char *label; // "" for none
    bool is_conditional;
};

struct ways {
    struct way *items;
    size_t count;
    size_t capacity;
};

// What a channel is to the run: of most kinds only whether it was written.
struct state {
    bool *seen; // BARRIER: by index of its names
    size_t seen_count;
    bool has_value; // LAST_VALUE_AFTER_FINISH
    bool finished;
};

struct walk {
    const struct ss_graph *graph;
    struct ss_dry_run *run;
    struct state *states; // by channel
    bool *was_run;        // by node: its declared ways were written once
    struct ways *ways;    // by node: where its last run led to
    bool *in_level;       // by node: it ran in this level
    bool *is_next;        // by node: it runs in the next one
    size_t *level;        // the nodes of this level
    size_t level_count;
    bool is_over; // it found too many ways
};

static bool is_after_finish(const struct ss_channel_spec *channel)
{
    return channel->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH ||
           channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH;
}

static bool is_barrier(const struct ss_channel_spec *channel)
{
    return channel->kind == SS_CHANNEL_BARRIER ||
           channel->kind == SS_CHANNEL_BARRIER_AFTER_FINISH;
}

static bool is_ready(const struct walk *walk, size_t channel)
{
    const struct ss_channel_spec *spec = &walk->graph->channels[channel];
    const struct state *state = &walk->states[channel];
    if (is_barrier(spec) && state->seen_count < spec->names_count)
        return false;
    return !is_after_finish(spec) || state->finished;
}

static void consume(struct walk *walk, size_t channel)
{
    struct state *state = &walk->states[channel];
    const struct ss_channel_spec *spec = &walk->graph->channels[channel];
    if (!is_ready(walk, channel))
        return;
    if (is_barrier(spec))
        memset(state->seen, 0, spec->names_count * sizeof(*state->seen));
    state->seen_count = 0;
    state->has_value = state->finished = false;
}

static void start_readers(struct walk *walk, size_t channel)
{
    const struct ss_channel_spec *spec = &walk->graph->channels[channel];
    for (size_t i = 0; i < spec->nodes_count; i++)
        walk->is_next[spec->nodes[i]] = true;
}

static void write_channel(struct walk *walk, size_t channel, size_t source)
{
    const struct ss_channel_spec *spec = &walk->graph->channels[channel];
    struct state *state = &walk->states[channel];
    bool has_changed = !is_barrier(spec);
    for (size_t i = 0; is_barrier(spec) && i < spec->names_count; i++) {
        if (state->seen[i] ||
            strcmp(spec->names[i], walk->graph->nodes[source].name) != 0)
            continue;
        state->seen[i] = has_changed = true;
        state->seen_count++;
    }
    if (spec->kind == SS_CHANNEL_LAST_VALUE_AFTER_FINISH) {
        state->has_value = true;
        state->finished = false;
    }
    if (has_changed && is_ready(walk, channel))
        start_readers(walk, channel);
}

// No node is left to run: nodes that wait for that are ready now.
static void finish_all(struct walk *walk)
{
    for (size_t c = 0; c < walk->graph->channels_count; c++) {
        const struct ss_channel_spec *spec = &walk->graph->channels[c];
        struct state *state = &walk->states[c];
        bool is_held = is_barrier(spec) ? state->seen_count == spec->names_count
                                        : state->has_value;
        if (is_after_finish(spec) && is_held && !state->finished) {
            state->finished = true;
            start_readers(walk, c);
        }
    }
}

static void add_way(struct ways *ways, struct way way)
{
    for (size_t i = 0; i < ways->count; i++)
        if (ways->items[i].channel == way.channel &&
            ways->items[i].is_conditional == way.is_conditional &&
            strcmp(ways->items[i].label, way.label) == 0)
            return;
    SS_VEC_PUSH(ways, way);
}

static void found(struct walk *walk, size_t source, const char *target,
    const char *label, bool is_conditional)
{
    if (walk->run->edges.count >= SS_DRAWN_FOUND_MAX) {
        walk->is_over = true;
        return;
    }
    SS_VEC_PUSH(&walk->run->edges,
        (struct ss_found_edge){.source = walk->graph->nodes[source].name,
            .target = target,
            .label = label,
            .is_conditional = is_conditional});
}

static size_t trigger_of(const struct ss_graph *graph, const char *node)
{
    char *name = ss_format("%s%s", SS_NAME_BRANCH, node);
    size_t channel = ss_graph_channel(graph, name);
    ss_free(name);
    return channel;
}

// A way that only a router or a Command takes; a way to the end becomes an edge
// at once. Declared ways are written on the node's first run alone.
static void declare(struct walk *walk, size_t node, struct ways *declared,
    const char *target, const char *label)
{
    if (strcmp(target, SS_NAME_END) == 0) {
        if (!walk->was_run[node])
            found(walk, node, SS_NAME_END, label, true);
        return;
    }
    size_t channel = trigger_of(walk->graph, target);
    if (channel != SS_NONE)
        SS_VEC_PUSH(declared, (struct way){.channel = channel,
                                  .source = node,
                                  .label = label,
                                  .is_conditional = true});
}

static void declare_all(struct walk *walk, size_t index, struct ways *declared)
{
    const struct ss_node *node = &walk->graph->nodes[index];
    for (size_t i = 0; i < node->destinations_count; i++)
        declare(walk, index, declared, node->destinations[i], "");
    for (size_t i = 0; i < node->branches_count; i++) {
        json_t *map = node->branches[i].map;
        for (void *at = json_object_iter(map); at;
             at = json_object_iter_next(map, at))
            declare(walk, index, declared,
                json_string_value(json_object_iter_value(at)),
                json_object_iter_key(at));
    }
}

// A plain edge looks like the declared way to the same node, where that is
// written in the same run.
static struct way plain_way(const struct walk *walk, size_t index,
    size_t channel, const struct ways *declared)
{
    struct way way = {.channel = channel, .source = index, .label = ""};
    for (size_t i = 0; !walk->was_run[index] && i < declared->count; i++)
        if (declared->items[i].channel == channel)
            way = declared->items[i];
    return way;
}

static void take_plain(struct walk *walk, size_t index, size_t channel,
    const struct ways *declared)
{
    add_way(&walk->ways[index], plain_way(walk, index, channel, declared));
    write_channel(walk, channel, index);
}

static void run_node(struct walk *walk, size_t index)
{
    const struct ss_node *node = &walk->graph->nodes[index];
    struct ways declared = {0};
    walk->ways[index].count = 0;
    declare_all(walk, index, &declared);
    for (size_t i = 0; i < node->edges_count; i++)
        take_plain(walk, index, node->edges[i], &declared);
    for (size_t i = 0; i < node->joins_count; i++)
        take_plain(walk, index, node->joins[i], &declared);
    for (size_t i = 0; i < node->raw_writes_count; i++) {
        size_t channel =
            ss_graph_channel(walk->graph, node->raw_writes[i].channel);
        if (channel != SS_NONE)
            take_plain(walk, index, channel, &declared);
    }
    for (size_t i = 0; i < declared.count; i++) {
        add_way(&walk->ways[index], declared.items[i]);
        if (!walk->was_run[index])
            write_channel(walk, declared.items[i].channel, index);
    }
    walk->was_run[index] = true;
    SS_VEC_FINI(&declared);
}

static int compare_ways(const void *a, const void *b)
{
    const struct way *x = a, *y = b;
    return (x->channel > y->channel) - (x->channel < y->channel);
}

// All ways known now, by channel. Gives.
static struct ways ways_by_channel(const struct walk *walk)
{
    struct ways all = {0};
    for (size_t n = 0; n < walk->graph->nodes_count; n++)
        for (size_t i = 0; i < walk->ways[n].count; i++)
            SS_VEC_PUSH(&all, walk->ways[n].items[i]);
    if (all.count > 0)
        qsort(all.items, all.count, sizeof(*all.items), compare_ways);
    return all;
}

static size_t first_of(const struct ways *all, size_t channel)
{
    size_t low = 0, high = all->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->items[middle].channel < channel)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// A way of an earlier level leads on once.
static void forget_way(struct walk *walk, const struct way *way)
{
    struct ways *ways = &walk->ways[way->source];
    for (size_t i = 0; i < ways->count; i++)
        if (ways->items[i].channel == way->channel &&
            ways->items[i].is_conditional == way->is_conditional &&
            strcmp(ways->items[i].label, way->label) == 0) {
            SS_VEC_REMOVE(ways, i);
            return;
        }
}

// The edges into a node of the next level. Where none of them comes from this
// level (a deferred node), all nodes of this level lead to it.
static void connect(struct walk *walk, const struct ways *all, size_t index)
{
    const struct ss_node *node = &walk->graph->nodes[index];
    bool is_connected = false;
    for (size_t t = 0; t < node->triggers_count; t++) {
        size_t channel = node->triggers[t];
        for (size_t i = first_of(all, channel);
             i < all->count && all->items[i].channel == channel; i++) {
            const struct way *way = &all->items[i];
            found(
                walk, way->source, node->name, way->label, way->is_conditional);
            if (walk->in_level[way->source])
                is_connected = true;
            else
                forget_way(walk, way);
        }
    }
    for (size_t i = 0; !is_connected && !walk->is_over && i < walk->level_count;
         i++)
        found(walk, walk->level[i], node->name, "", true);
}

// The nodes that are next become the level.
static void enter_next(struct walk *walk)
{
    size_t count = walk->graph->nodes_count;
    walk->level_count = 0;
    for (size_t n = 0; n < count; n++) {
        walk->in_level[n] = walk->is_next[n];
        if (walk->is_next[n])
            walk->level[walk->level_count++] = n;
        walk->is_next[n] = false;
    }
}

static void remember(const struct walk *walk, size_t **list, size_t *count)
{
    ss_free(*list);
    *list = ss_alloc(walk->level_count * sizeof(**list));
    memcpy(*list, walk->level, walk->level_count * sizeof(**list));
    *count = walk->level_count;
}

static void walk_level(struct walk *walk)
{
    for (size_t i = 0; i < walk->level_count; i++) {
        const struct ss_node *node = &walk->graph->nodes[walk->level[i]];
        for (size_t t = 0; t < node->triggers_count; t++)
            consume(walk, node->triggers[t]);
    }
    for (size_t i = 0; i < walk->level_count; i++)
        run_node(walk, walk->level[i]);
    bool has_next = false;
    for (size_t n = 0; n < walk->graph->nodes_count && !has_next; n++)
        has_next = walk->is_next[n];
    if (!has_next)
        finish_all(walk);
    struct ways all = ways_by_channel(walk);
    for (size_t n = 0; n < walk->graph->nodes_count && !walk->is_over; n++)
        if (walk->is_next[n])
            connect(walk, &all, n);
    SS_VEC_FINI(&all);
    remember(walk, &walk->run->last, &walk->run->last_count);
}

static int compare_edges(const void *a, const void *b)
{
    const struct ss_found_edge *x = a, *y = b;
    int order = strcmp(x->source, y->source);
    if (order == 0)
        order = strcmp(x->target, y->target);
    if (order == 0)
        order = x->is_conditional - y->is_conditional;
    return order != 0 ? order : strcmp(x->label, y->label);
}

// Sorted; of several edges between two nodes the first one counts.
static void settle(struct ss_dry_run *run)
{
    if (run->edges.count == 0)
        return;
    qsort(run->edges.items, run->edges.count, sizeof(*run->edges.items),
        compare_edges);
    size_t kept = 1;
    for (size_t i = 1; i < run->edges.count; i++) {
        const struct ss_found_edge *edge = &run->edges.items[i];
        const struct ss_found_edge *last = &run->edges.items[kept - 1];
        if (strcmp(edge->source, last->source) != 0 ||
            strcmp(edge->target, last->target) != 0)
            run->edges.items[kept++] = *edge;
    }
    run->edges.count = kept;
}

static void walk_init(
    struct walk *walk, struct ss_dry_run *run, const struct ss_graph *graph)
{
    size_t nodes = graph->nodes_count + 1, channels = graph->channels_count;
    *walk = (struct walk){.graph = graph,
        .run = run,
        .states = ss_zalloc(channels + 1, sizeof(*walk->states)),
        .was_run = ss_zalloc(nodes, sizeof(bool)),
        .ways = ss_zalloc(nodes, sizeof(*walk->ways)),
        .in_level = ss_zalloc(nodes, sizeof(bool)),
        .is_next = ss_zalloc(nodes, sizeof(bool)),
        .level = ss_zalloc(nodes, sizeof(*walk->level))};
    for (size_t c = 0; c < channels; c++)
        if (is_barrier(&graph->channels[c]))
            walk->states[c].seen =
                ss_zalloc(graph->channels[c].names_count + 1, sizeof(bool));
}

static void walk_fini(struct walk *walk)
{
    for (size_t c = 0; c < walk->graph->channels_count; c++)
        ss_free(walk->states[c].seen);
    for (size_t n = 0; n < walk->graph->nodes_count; n++)
        SS_VEC_FINI(&walk->ways[n]);
    ss_free(walk->states);
    ss_free(walk->was_run);
    ss_free(walk->ways);
    ss_free(walk->in_level);
    ss_free(walk->is_next);
    ss_free(walk->level);
}

static void walk_on(struct walk *walk)
{
    for (int i = 0; i < LEVELS_MAX && walk->level_count > 0 && !walk->is_over;
         i++) {
        walk_level(walk);
        enter_next(walk);
    }
}

// A router that does not say where it leads may lead to any node: what those
// that nothing led to declare is known, too.
static void enter_unreached(struct walk *walk)
{
    bool leads_anywhere = false;
    for (size_t n = 0; n < walk->graph->nodes_count; n++)
        leads_anywhere |= ss_drawing_is_unmapped(&walk->graph->nodes[n]);
    for (size_t n = 0; n < walk->graph->nodes_count; n++)
        walk->is_next[n] = leads_anywhere && !walk->was_run[n];
    enter_next(walk);
}

bool ss_dry_run_init(struct ss_dry_run *run, const struct ss_graph *graph)
{
    struct walk walk;
    *run = (struct ss_dry_run){0};
    walk_init(&walk, run, graph);
    for (size_t i = 0; i < graph->input.count; i++)
        start_readers(&walk, ss_graph_channel(graph, graph->input.items[i]));
    enter_next(&walk);
    remember(&walk, &run->first, &run->first_count);
    walk_on(&walk);
    enter_unreached(&walk);
    walk_on(&walk);
    bool is_over = walk.is_over;
    walk_fini(&walk);
    if (is_over)
        ss_dry_run_fini(run);
    else
        settle(run);
    return !is_over;
}

void ss_dry_run_fini(struct ss_dry_run *run)
{
    SS_VEC_FINI(&run->edges);
    ss_free(run->first);
    ss_free(run->last);
    *run = (struct ss_dry_run){0};
}

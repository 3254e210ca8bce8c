// limit.c - how many tasks of one name may be out.
//
//   limit openai of 5   parts  0 1 2 3 4      each is in a shard, as threads
//                       shard  a b b c a      are, and its owner's: so no two
//                                             coordinators have one part
//
// A coordinator sends a task of a limit while fewer are out than its parts
// hold. A coordinator that is alone has all parts, and asks nobody. While what
// was out of before us may be offered still (takeover.c), nothing of a limit is
// sent, and what is offered is taken: it was counted by the owner before us.
//
// Several nodes may say one name, in several graphs and versions. If they say
// different numbers the least holds, of graphs that somebody serves.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/shards.h"

// ------------------------------------------------ parts

// Of more parts than tasks the last ones are empty.
static int64_t part_size(const struct limit *limit, size_t part)
{
    return limit->tasks_max / LIMIT_PARTS +
           ((int64_t)part < limit->tasks_max % LIMIT_PARTS);
}

static int64_t share_of(const struct engine *engine, const struct limit *limit)
{
    int64_t share = 0;
    if (!engine->options.shared)
        return limit->tasks_max;
    for (size_t i = 0; i < LIMIT_PARTS; i++)
        if (ss_shard_is_ours(engine, limit->shards[i]))
            share += part_size(limit, i);
    return share;
}

// ------------------------------------------------ which there are

static struct limit *limit_named(
    struct engine *engine, const struct ss_node_limit *said)
{
    struct limit *limit = ss_map_get(&engine->scheduler->limits, said->name);
    if (limit)
        return limit;
    limit = ss_zalloc(1, sizeof(*limit));
    limit->name = ss_strdup(said->name);
    limit->tasks_max = said->tasks_max;
    for (size_t i = 0; i < LIMIT_PARTS; i++) {
        char *place = ss_format("%zu %s", i, said->name);
        limit->shards[i] = ss_shard_of(place);
        ss_free(place);
    }
    limit->share = share_of(engine, limit);
    ss_map_put(&engine->scheduler->limits, limit->name, limit);
    return limit;
}

struct limit *ss_limit_of(const struct task *task)
{
    const struct ss_node *node = task->planned.node;
    if (!node || !node->limit.name || task->order_kind != SS_ORDER_NODE)
        return NULL;
    return limit_named(task->loop->engine, &node->limit);
}

// Graphs nest as deep as their descriptions may.
static void hear(
    struct engine *engine, struct ss_map *heard, const struct ss_graph *graph)
{
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct ss_node *node = &graph->nodes[i];
        if (node->subgraph)
            hear(engine, heard, node->subgraph);
        if (!node->limit.name)
            continue;
        struct limit *limit = limit_named(engine, &node->limit);
        if (!ss_map_put(heard, limit->name, limit) ||
            node->limit.tasks_max < limit->tasks_max)
            limit->tasks_max = node->limit.tasks_max;
    }
}

void ss_limits_reckon(struct engine *engine)
{
    struct ss_map heard = {0};
    for (const struct ss_map_entry *e = ss_graphs_all(engine)->first; e;
         e = e->next) {
        const struct known_graph *known = e->value;
        if (known->workers > 0)
            hear(engine, &heard, known->graph);
    }
    ss_map_fini(&heard, NULL);
    for (const struct ss_map_entry *e = engine->scheduler->limits.first; e;
         e = e->next) {
        struct limit *limit = e->value;
        limit->share = share_of(engine, limit);
    }
    engine->ready_moved = true;
}

static void free_limit(void *value)
{
    struct limit *limit = value;
    ss_check(limit->out == 0);
    ss_free(limit->name);
    ss_free(limit);
}

void ss_limits_fini(struct engine *engine)
{
    ss_map_fini(&engine->scheduler->limits, free_limit);
}

// ------------------------------------------------ how many are out

bool ss_limit_is_used_up(const struct limit *limit)
{
    return limit->out >= limit->share;
}

static bool looks_back(const struct engine *engine)
{
    return engine->now_ms < engine->scheduler->takeover_until_ms;
}

bool ss_limit_is_full(const struct engine *engine, const struct limit *limit)
{
    return ss_limit_is_used_up(limit) || looks_back(engine);
}

void ss_limit_explain(const struct task *task, json_t *json)
{
    const struct limit *limit = attempt_of(task)->limit;
    json_object_set_new(json, "limit", json_string(limit->name));
    json_object_set_new(
        json, "limit_max", json_integer((json_int_t)limit->tasks_max));
    json_object_set_new(
        json, "limit_here", json_integer((json_int_t)limit->share));
    json_object_set_new(
        json, "limit_out", json_integer((json_int_t)limit->out));
    if (!ss_limit_is_used_up(limit))
        json_object_set_new(json, "limit_looks_back", json_true());
}

// ------------------------------------------------ what holds

void ss_limits_verify(const struct engine *engine)
{
    for (const struct ss_map_entry *e = engine->scheduler->limits.first; e;
         e = e->next) {
        const struct limit *limit = e->value;
        int64_t out = 0;
        for (const struct ss_map_entry *a = engine->scheduler->attempts.first;
             a; a = a->next)
            out += attempt_of(a->value)->limit == limit;
        ss_invariant(I253, limit->out == out);
        ss_invariant(I254,
            limit->tasks_max > 0 && limit->share == share_of(engine, limit));
    }
}

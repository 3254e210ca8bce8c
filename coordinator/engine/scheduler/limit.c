// limit.c - how many tasks of one name may be out.
//
//   limit openai of 5   parts  0 1 2 3 4      each is in a shard, as threads
//                       shard  a b b c a      are, and its owner's: so no two
//                                             coordinators have one part
//
// A coordinator sends a task of a limit while fewer are out than its parts
// hold. A coordinator that is alone has all parts, and asks nobody. What takes
// up a part:
//
//   an attempt that is out
//   an attempt that is over here while its body may go on   limit_linger.c
//   what an owner before us may have out                    limit_parts.c
//   what others lack and are to have                        limit_even.c
//
// Several nodes may say one name, in several graphs and versions. If they say
// different numbers the least holds, of graphs that somebody serves; if an
// operator says one (limit_record.c), that one holds. An operator may also say
// one for a node or a graph that says none: its name is "graph/node" or
// "graph", as that of a limit without a name.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/value.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_rate.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/shards.h"

// ------------------------------------------------ which there are

// What holds now, by what graphs and operators say.
static void settle(struct engine *engine, struct limit *limit)
{
    const json_t *set = ss_limit_record(engine, "set", -1, limit->name);
    int64_t per_ms = ss_json_int(set, "per_ms", 0);
    limit->tasks_max = ss_json_int(set, "tasks_max", limit->said_max);
    ss_limit_per(engine, limit, set ? per_ms : limit->said_per_ms);
    limit->share = ss_limit_share(engine, limit);
    if (limit->owed > limit->tasks_max)
        limit->owed = limit->tasks_max;
    ss_check(limit->share >= 0);
    ss_check(limit->share <= limit->tasks_max);
}

struct limit *ss_limit_named(
    struct engine *engine, const struct ss_node_limit *said)
{
    const char *name = said->name;
    struct limits *limits = &engine->scheduler->limits;
    struct limit *limit = ss_map_get(&limits->by_name, name);
    if (limit)
        return limit;
    ss_check(*name);
    ss_check(said->tasks_max >= 0);
    limit = ss_zalloc(1, sizeof(*limit));
    limit->name = ss_strdup(name);
    limit->said_max = said->tasks_max;
    limit->said_per_ms = said->per_ms;
    for (size_t i = 0; i < LIMIT_PARTS; i++)
        limit->parts[i].to = SS_NOBODY;
    ss_limit_place(engine, limit);
    settle(engine, limit);
    ss_map_put(&limits->by_name, limit->name, limit);
    return limit;
}

// Of a node or a graph that says none, an operator may have said one.
static struct limit *set_for(const struct task *task, const char *node)
{
    struct engine *engine = task->loop->engine;
    const char *graph = task->loop->graph->name;
    char *name = node ? ss_format("%s/%s", graph, node) : ss_strdup(graph);
    struct limit *limit =
        ss_limit_record(engine, "set", -1, name)
            ? ss_limit_named(engine, &(struct ss_node_limit){.name = name})
            : NULL;
    ss_free(name);
    return limit;
}

struct limit *ss_limit_of(const struct task *task)
{
    const struct ss_node *node = task->planned.node;
    struct engine *engine = task->loop->engine;
    bool are_set = engine->scheduler->limits.records.count > 0;
    if (!node || task->order_kind != SS_ORDER_NODE)
        return NULL;
    struct limit *limit = are_set ? set_for(task, node->name) : NULL;
    if (!limit && node->limit.name)
        limit = ss_limit_named(engine, &node->limit);
    if (!limit && are_set)
        limit = set_for(task, NULL);
    return limit;
}

// A rate is less than a number, and of two rates the one that takes longer.
static bool is_less(const struct ss_node_limit *said, const struct limit *limit)
{
    if ((said->per_ms > 0) != (limit->said_per_ms > 0))
        return said->per_ms > 0;
    if (said->per_ms == 0)
        return said->tasks_max < limit->said_max;
    return (double)said->per_ms / (double)said->tasks_max >
           (double)limit->said_per_ms / (double)limit->said_max;
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
        struct limit *limit = ss_limit_named(engine, &node->limit);
        if (ss_map_put(heard, limit->name, limit) &&
            !is_less(&node->limit, limit))
            continue;
        limit->said_max = node->limit.tasks_max;
        limit->said_per_ms = node->limit.per_ms;
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
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next)
        settle(engine, e->value);
    ss_limit_rates_count(engine);
    engine->ready_moved = true;
}

// ------------------------------------------------ how many are out

// Where parts are of several tasks, a member keeps one part less one task to
// itself: so it can give up a whole part for the tasks that go with a shard.
static int64_t slack(const struct engine *engine, const struct limit *limit)
{
    return engine->options.shared ? ss_part_size(limit, 0) - 1 : 0;
}

int64_t ss_limit_room(const struct engine *engine, const struct limit *limit)
{
    if (limit->per_ms > 0 && !ss_limit_is_marked(engine, limit))
        return 0;
    if (limit->per_ms > 0)
        return limit->share - slack(engine, limit) -
               ss_limit_held(engine, limit) - limit->begun_now - limit->owed;
    return limit->share - slack(engine, limit) - ss_limit_held(engine, limit) -
           limit->out - limit->lingering - limit->owed;
}

bool ss_limit_is_full(const struct engine *engine, const struct limit *limit)
{
    return ss_limit_room(engine, limit) <= 0;
}

bool ss_limit_is_used_up(const struct engine *engine, const struct limit *limit)
{
    return ss_limit_held(engine, limit) <= 0 && ss_limit_is_full(engine, limit);
}

static void set_int(json_t *json, const char *key, int64_t value)
{
    json_object_set_new(json, key, json_integer((json_int_t)value));
}

void ss_limit_explain(const struct task *task, json_t *json)
{
    const struct engine *engine = task->loop->engine;
    const struct limit *limit = attempt_of(task)->limit;
    json_object_set_new(json, "limit", json_string(limit->name));
    set_int(json, "limit_max", limit->tasks_max);
    set_int(json, "limit_here", limit->share);
    set_int(json, "limit_out", limit->out);
    if (limit->per_ms > 0) {
        set_int(json, "limit_per_ms", limit->per_ms);
        set_int(json, "limit_begun", limit->begun_now);
    }
    if (limit->lingering > 0)
        set_int(json, "limit_lingering", limit->lingering);
    if (ss_limit_held(engine, limit) > 0)
        json_object_set_new(json, "limit_looks_back", json_true());
}

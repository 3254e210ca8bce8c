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
// operator says one (limit_store.c), that one holds. An operator may also say
// one for a node or a graph: its name is "graph/node" or "graph", as that of a
// limit without a name. One that has a key is of so many tasks for each value
// of that (limit_value.c).
//
// A task is held by all limits of its node and of its graph at once. Their
// places are taken in one order, whoever takes them: those of values first,
// then those of nodes, then the others, by name. Who waits for a place keeps
// those that come before it (ready_queue.c, limit_even.c), and asks for none
// behind it. So of two that wait for each other's places there are none.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/limits.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_rate.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"

// ------------------------------------------------ which there are

static void count_for(
    struct engine *engine, struct limit *limit, const char *each)
{
    bool is_same = each && limit->each && strcmp(each, limit->each) == 0;
    if (is_same || (!each && !limit->each))
        return;
    ss_free(limit->each);
    limit->each = each ? ss_strdup(each) : NULL;
    engine->scheduler->limits.has_moved = true;
}

// What holds now, by what graphs and operators say.
void ss_limit_settle(struct engine *engine, struct limit *limit)
{
    const struct limit *whole = limit->whole ? limit->whole : limit;
    const json_t *set = ss_limit_record(engine, "set", -1, whole->said.name);
    int64_t per_ms = ss_json_int(set, "per_ms", 0);
    limit->tasks_max = ss_json_int(set, "tasks_max", whole->said.tasks_max);
    ss_limit_per(engine, limit, set ? per_ms : whole->said.per_ms);
    if (whole == limit)
        count_for(engine, limit, ss_json_str(set, "each", limit->said.each));
    ss_limit_grow(engine, limit, ss_limit_parts(limit));
    limit->share = ss_limit_share(engine, limit);
    if (limit->owed > limit->tasks_max)
        limit->owed = limit->tasks_max;
    ss_check(limit->share >= 0);
    ss_check(limit->share <= limit->tasks_max);
}

// Whose value's the limit is that has this name; NULL: nobody's.
static struct limit *whole_of(
    struct engine *engine, const struct ss_node_limit *said)
{
    size_t size = strcspn(said->name, LIMIT_VALUE);
    struct ss_node_limit whole = *said;
    if (!said->name[size])
        return NULL;
    whole.name = ss_format("%.*s", (int)size, said->name);
    struct limit *limit = ss_limit_named(engine, &whole);
    ss_free(whole.name);
    limit->values++;
    engine->scheduler->limits.values++;
    return limit;
}

struct limit *ss_limit_named(
    struct engine *engine, const struct ss_node_limit *said)
{
    struct limits *limits = &engine->scheduler->limits;
    struct limit *limit = ss_map_get(&limits->by_name, said->name);
    if (limit)
        return limit;
    ss_check(*said->name);
    ss_check(said->tasks_max >= 0);
    limit = ss_zalloc(1, sizeof(*limit));
    limit->whole = whole_of(engine, said);
    limit->said = *said;
    limit->said.name = ss_strdup(said->name);
    limit->said.each =
        said->each && !limit->whole ? ss_strdup(said->each) : NULL;
    for (size_t i = 0; i < LIMIT_PARTS; i++)
        limit->parts[i].to = SS_NOBODY;
    ss_limit_settle(engine, limit);
    ss_map_put(&limits->by_name, limit->said.name, limit);
    return limit;
}

// Of a node or a graph that says none, an operator may have said one.
static struct limit *set_for(const struct task *task, const char *node)
{
    const struct loop_facts *level = ss_task_level(task);
    struct engine *engine = level->engine;
    const char *graph = level->graph->name;
    char *name = node ? ss_format("%s/%s", graph, node) : ss_strdup(graph);
    struct limit *limit =
        ss_limit_record(engine, "set", -1, name)
            ? ss_limit_named(engine, &(struct ss_node_limit){.name = name})
            : NULL;
    ss_free(name);
    return limit;
}

// Of the limit `whole`, that of the value which the task has of its key; or
// `whole`, where there are as many values as may be.
static struct limit *of_value(const struct task *task, struct limit *whole)
{
    const struct loop_facts *level = ss_task_level(task);
    struct engine *engine = level->engine;
    const struct limits *limits = &engine->scheduler->limits;
    ss_check(whole->each && !whole->whole);
    char *value = ss_limit_value(task, whole->each);
    char *name = ss_format("%s" LIMIT_VALUE "%s", whole->said.name, value);
    struct limit *limit = ss_map_get(&limits->by_name, name);
    // What is out, or may be, is counted however many there are.
    bool may_be_out = ss_task_facts(task)->state == TASK_RUNNING ||
                      (level->run && ss_run_facts(level->run)->recovering);
    if (!limit && (may_be_out || limits->values < SS_LIMIT_VALUES_MAX))
        limit = ss_limit_named(engine, &(struct ss_node_limit){.name = name});
    ss_free(value);
    ss_free(name);
    ss_check(!limit || limit->whole == whole);
    return limit ? limit : whole;
}

// ------------------------------------------------ those of a task

// What its node and its graph say, and an operator of each.
enum { TASK_LIMITS_MAX = 2 * SS_NODE_LIMITS_MAX + 2 };

// The narrower ones first, so that what waits for its turn among its like keeps
// nothing of what others need as well.
static int rank_of(const struct limit *limit)
{
    return strstr(limit->said.name, LIMIT_VALUE) ? 0
           : strchr(limit->said.name, '/')       ? 1
                                                 : 2;
}

static bool comes_before(const struct limit *a, const struct limit *b)
{
    int one = rank_of(a), other = rank_of(b);
    return one != other ? one < other : strcmp(a->said.name, b->said.name) < 0;
}

static size_t add(const struct task *task, struct limit **list, size_t count,
    struct limit *limit)
{
    size_t at = 0;
    if (limit && limit->each)
        limit = of_value(task, limit);
    while (limit && at < count && comes_before(list[at], limit))
        at++;
    if (!limit || (at < count && list[at] == limit))
        return count;
    ss_check(count < TASK_LIMITS_MAX);
    memmove(&list[at + 1], &list[at], (count - at) * sizeof(*list));
    list[at] = limit;
    return count + 1;
}

struct limit **ss_limits_of(const struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct ss_node *node = facts->planned.node;
    struct engine *engine = ss_task_level(task)->engine;
    bool are_set = engine->scheduler->limits.records.count > 0;
    struct limit *list[TASK_LIMITS_MAX + 1] = {NULL};
    size_t count = 0;
    if (!node || facts->order_kind != SS_ORDER_NODE)
        return NULL;
    for (size_t i = 0; i < node->limits.count; i++)
        count = add(
            task, list, count, ss_limit_named(engine, &node->limits.items[i]));
    if (are_set) {
        count = add(task, list, count, set_for(task, node->name));
        count = add(task, list, count, set_for(task, NULL));
    }
    if (count == 0)
        return NULL;
    struct limit **copy = ss_zalloc(count + 1, sizeof(struct limit *));
    memcpy(copy, list, count * sizeof(*list));
    return copy;
}

bool ss_limits_are_same(struct limit *const *a, struct limit *const *b)
{
    if (!a || !b)
        return a == b;
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

// ------------------------------------------------ how many are out

// Where parts are of several tasks, a member keeps one part less one task to
// itself: so it can give up a whole part for the tasks that go with a shard.
static int64_t slack(const struct engine *engine, const struct limit *limit)
{
    int64_t size = ss_part_size(limit, 0);
    return engine->options.shared && size > 1 ? size - 1 : 0;
}

int64_t ss_limit_room(const struct engine *engine, const struct limit *limit)
{
    bool is_rate = limit->per_ms > 0;
    int64_t used = is_rate ? limit->begun_now : limit->out + limit->lingering;
    if (is_rate && !ss_limit_is_marked(engine, limit))
        return 0;
    return limit->share - slack(engine, limit) - ss_limit_held(engine, limit) -
           used - limit->owed;
}

bool ss_limit_is_idle(const struct limit *limit)
{
    return limit->out == 0 && limit->waiting == 0 && limit->lingering == 0 &&
           limit->claimed == 0 && limit->begun_now == 0 &&
           limit->asked.number == 0 && limit->wishes.count == 0;
}

bool ss_limit_is_used_up(const struct engine *engine, const struct limit *limit)
{
    return ss_limit_held(engine, limit) <= 0 &&
           ss_limit_room(engine, limit) <= 0;
}

bool ss_limit_is_same(const struct task *a, const struct task *b)
{
    return ss_limits_are_same(attempt_of(a)->limits, attempt_of(b)->limits);
}

static void set_int(json_t *json, const char *key, int64_t value)
{
    json_object_set_new(json, key, json_integer((json_int_t)value));
}

// `limit` NULL: they wait for several.
static void explain_each(
    const struct limit *whole, const struct limit *limit, json_t *json)
{
    json_object_set_new(json, "limit_each", json_string(whole->each));
    if (limit && limit != whole)
        json_object_set_new(json, "limit_value",
            json_string(strstr(limit->said.name, LIMIT_VALUE) + 1));
    if (limit == whole)
        set_int(json, "limit_values", (int64_t)whole->values);
}

// Those that hold it besides.
static void explain_others(
    struct limit **limits, const struct limit *limit, json_t *json)
{
    json_t *others = json_array();
    for (EACH_LIMIT(it, limits))
        if (*it != limit)
            json_array_append_new(others,
                json_string(
                    (*it)->whole ? (*it)->whole->said.name : (*it)->said.name));
    if (json_array_size(others) > 0)
        json_object_set(json, "limits_also", others);
    json_decref(others);
}

void ss_limit_explain(const struct task *task, bool of_many, json_t *json)
{
    const struct engine *engine = ss_task_level(task)->engine;
    const struct limit *limit = ss_limit_that_stops(task);
    if (!limit)
        limit = attempt_of(task)->limits[0];
    const struct limit *whole = limit->whole ? limit->whole : limit;
    json_object_set_new(json, "limit", json_string(whole->said.name));
    explain_others(attempt_of(task)->limits, limit, json);
    set_int(json, "limit_max", limit->tasks_max);
    if (limit->per_ms > 0)
        set_int(json, "limit_per_ms", limit->per_ms);
    if (whole->each)
        explain_each(whole, of_many ? NULL : limit, json);
    if (of_many || limit->each)
        return;
    set_int(json, "limit_here", limit->share);
    set_int(json, "limit_out", limit->out);
    if (limit->per_ms > 0)
        set_int(json, "limit_begun", limit->begun_now);
    if (limit->lingering > 0)
        set_int(json, "limit_lingering", limit->lingering);
    if (ss_limit_held(engine, limit) > 0)
        json_object_set_new(json, "limit_looks_back", json_true());
}

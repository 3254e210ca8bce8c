// limit_reckon.c - what holds of limits when graphs, operators or values come
// and go, and whose tasks are whose then.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_linger.h"
#include "coordinator/engine/scheduler/limit_parts.h"
#include "coordinator/engine/scheduler/limit_rate.h"
#include "coordinator/engine/scheduler/limit_store.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/graphs.h"
#include "coordinator/engine/threads/invariant.h"

enum { SWEEP_MS = 250 };

// ------------------------------------------------ whose tasks they are

static void count_out(struct limit **limits, int64_t more)
{
    for (EACH_LIMIT(it, limits))
        (*it)->out += more;
}

static bool has_moved(const struct task *task)
{
    struct limit **limits = ss_limits_of(task);
    bool moved = !ss_limits_are_same(limits, attempt_of(task)->limits);
    ss_free(limits);
    return moved;
}

static void assign(struct engine *engine)
{
    SS_VEC(struct task *) moved = {0};
    engine->scheduler->limits.has_moved = false;
    for (struct task *task = NULL; (task = ss_attempts_after(engine, task));) {
        struct attempt *attempt = attempt_of(task);
        struct limit **limits = ss_limits_of(task_of(attempt));
        count_out(attempt->limits, -1);
        count_out(limits, 1);
        ss_free(attempt->limits);
        attempt->limits = limits;
    }
    for (const struct task *task = NULL;
         (task = ss_ready_queue_after(engine, task, LINES_ALL));)
        if (has_moved(task))
            SS_VEC_PUSH(&moved, (struct task *)task);
    for (size_t i = 0; i < moved.count; i++) {
        ss_ready_queue_remove(moved.items[i]);
        ss_ready_queue_add(moved.items[i]);
    }
    SS_VEC_FINI(&moved);
    ss_engine_ready_moved(engine);
}

// ------------------------------------------------ what graphs say

// One of all tasks is less than one of each value's, a rate than a number, and
// of two rates the one that takes longer.
static bool is_less(
    const struct ss_node_limit *said, const struct ss_node_limit *than)
{
    if (!said->each != !than->each)
        return !said->each;
    if (said->each && strcmp(said->each, than->each) != 0)
        return strcmp(said->each, than->each) < 0;
    if ((said->per_ms > 0) != (than->per_ms > 0))
        return said->per_ms > 0;
    if (said->per_ms == 0)
        return said->tasks_max < than->tasks_max;
    return (double)said->per_ms / (double)said->tasks_max >
           (double)than->per_ms / (double)than->tasks_max;
}

static void hear_one(struct engine *engine, struct ss_map *heard,
    const struct ss_node_limit *limit)
{
    struct ss_node_limit *said = &ss_limit_named(engine, limit)->said;
    if (ss_map_put(heard, said->name, said) && !is_less(limit, said))
        return;
    said->tasks_max = limit->tasks_max;
    said->per_ms = limit->per_ms;
    ss_free(said->each);
    said->each = limit->each ? ss_strdup(limit->each) : NULL;
}

// Graphs nest as deep as their descriptions may.
static void hear(
    struct engine *engine, struct ss_map *heard, const struct ss_graph *graph)
{
    for (size_t i = 0; i < graph->nodes_count; i++) {
        const struct ss_node *node = &graph->nodes[i];
        if (node->subgraph)
            hear(engine, heard, node->subgraph);
        for (size_t k = 0; k < node->limits.count; k++)
            hear_one(engine, heard, &node->limits.items[k]);
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
        ss_limit_settle(engine, e->value);
    ss_limit_rates_count(engine);
    if (engine->scheduler->limits.has_moved)
        assign(engine);
    ss_engine_ready_moved(engine);
}

// ------------------------------------------------ values that vanish

static void free_limit(void *it)
{
    struct limit *limit = it;
    ss_check(limit->out == 0 && limit->waiting == 0);
    ss_check(!limit->lines);
    SS_VEC_FINI(&limit->begun);
    SS_VEC_FINI(&limit->wishes);
    ss_free(limit->each);
    ss_free(limit->said.each);
    ss_free(limit->said.name);
    ss_free(limit);
}

static bool may_vanish(const struct engine *engine, const struct limit *limit)
{
    if (!limit->whole || !ss_limit_is_idle(limit))
        return false;
    for (size_t i = 0; i < limit->placed && engine->options.shared; i++)
        if (limit->parts[i].to != SS_NOBODY ||
            limit->parts[i].shard == SS_NOBODY ||
            ss_part_is_away(engine, limit, i))
            return false;
    return true;
}

static void vanish(struct limits *limits, struct limit *limit)
{
    ss_check(limits->values > 0);
    ss_check(limit->whole->values > 0);
    limits->values--;
    limit->whole->values--;
    ss_map_remove(&limits->by_name, limit->said.name);
    free_limit(limit);
}

void ss_limit_values_expire(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    bool has_room = false, is_wanted = false;
    if (limits->values == 0)
        return;
    if (engine->now_ms < limits->swept_ms + SWEEP_MS) {
        ss_engine_wake(engine, limits->swept_ms + SWEEP_MS);
        return;
    }
    limits->swept_ms = engine->now_ms;
    for (const struct ss_map_entry *e = limits->by_name.first, *next; e;
         e = next) {
        struct limit *limit = e->value;
        next = e->next;
        is_wanted |= limit->each && limit->waiting > 0;
        if (!may_vanish(engine, limit))
            continue;
        vanish(limits, limit);
        has_room = true;
    }
    if (has_room && is_wanted)
        assign(engine);
    ss_engine_wake(engine, engine->now_ms + SWEEP_MS);
}

// ------------------------------------------------ the end

void ss_limits_fini(struct engine *engine)
{
    struct limits *limits = &engine->scheduler->limits;
    for (size_t i = 0; i < limits->under_way.count; i++)
        ss_limit_batch_free(&limits->under_way.items[i]);
    SS_VEC_FINI(&limits->under_way);
    SS_VEC_FINI(&limits->lingering);
    ss_map_fini(&limits->records, ss_limit_record_free);
    ss_map_fini(&limits->by_name, free_limit);
}

// ------------------------------------------------ what holds

// Attempts that are out, ready tasks, and attempts that linger: limit -> count.
struct counted {
    struct ss_map out, waiting, lingering;
};

static void count_one(struct ss_map *counts, const struct limit *limit)
{
    uintptr_t before = (uintptr_t)ss_map_get_number(counts, (uintptr_t)limit);
    ss_map_put_number(counts, (uintptr_t)limit, (void *)(before + 1));
}

static void count_all(struct ss_map *counts, struct limit **limits)
{
    for (EACH_LIMIT(it, limits))
        count_one(counts, *it);
}

static bool is_count(
    const struct ss_map *counts, const struct limit *limit, int64_t count)
{
    return (int64_t)(uintptr_t)ss_map_get_number(counts, (uintptr_t)limit) ==
           count;
}

static void verify(const struct engine *engine, const struct limit *limit,
    const struct counted *counted)
{
    int64_t begun = 0;
    ss_invariant(I253, is_count(&counted->out, limit, limit->out) &&
                           is_count(&counted->waiting, limit, limit->waiting));
    ss_invariant(I254, limit->share == ss_limit_share(engine, limit));
    ss_invariant(I255, is_count(&counted->lingering, limit, limit->lingering));
    for (size_t i = 0; i < limit->begun.count; i++)
        begun += limit->begun.items[i].count;
    ss_invariant(I260, limit->begun_now == begun);
    ss_invariant(I259, limit->gone == 0 && limit->gone_unclaimed == 0);
    ss_invariant(I261, limit->placed >= ss_limit_parts(limit) &&
                           (!limit->whole || limit->whole->values > 0));
    ss_invariant(I256, limit->owed >= 0 && limit->owed <= limit->tasks_max &&
                           limit->claimed >= 0);
}

void ss_limits_verify(const struct engine *engine)
{
    const struct limits *limits = &engine->scheduler->limits;
    struct counted counted = {.out = {0}};
    size_t values = 0;
    for (const struct task *task = NULL;
         (task = ss_attempts_after(engine, task));)
        count_all(&counted.out, attempt_of(task)->limits);
    for (const struct task *task = NULL;
         (task = ss_ready_queue_after(engine, task, LINES_ALL));)
        count_all(&counted.waiting, attempt_of(task)->limits);
    for (size_t i = 0; i < limits->lingering.count; i++)
        count_one(&counted.lingering, limits->lingering.items[i].limit);
    for (const struct ss_map_entry *e = limits->by_name.first; e; e = e->next) {
        verify(engine, e->value, &counted);
        values += ((const struct limit *)e->value)->whole != NULL;
    }
    ss_map_fini(&counted.out, NULL);
    ss_map_fini(&counted.waiting, NULL);
    ss_map_fini(&counted.lingering, NULL);
    ss_invariant(I262, limits->values == values);
    for (size_t i = 0; i < limits->lingering.count; i++)
        ss_invariant(
            I257, engine->wake_at_ms <= limits->lingering.items[i].until_ms);
    if (limits->held_until_ms > engine->now_ms)
        ss_invariant(I258, engine->wake_at_ms <= limits->held_until_ms);
}

// order.c - a task as a worker is asked to do it: self-contained
// (model/task.h).

#include "common/model/graph.h"
#include "common/model/ranks.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

bool ss_attempts_outlive_us(const struct engine *engine)
{
    return !engine->options.keeps_rows;
}

static void add_run(struct ss_assignment *order, const struct run *run)
{
    const struct run_facts *its = ss_run_facts(run);
    order->run = run ? its->id : "";
    if (!run)
        return;
    order->given.config = ss_value_ref(its->options.config);
    order->given.context = ss_value_ref(its->options.context);
    order->want_custom = (its->modes & STREAM_CUSTOM) != 0;
    order->want_messages = (its->modes & STREAM_MESSAGES) != 0;
}

struct ss_assignment *ss_task_order(struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    const struct thread_facts *its = ss_thread_facts(level->thread);
    struct ss_assignment *order = ss_assignment_new();
    const struct ss_graph *root = ss_task_root_graph(task);
    order->attempt = attempt_of(task)->name;
    order->app_graph = root->name;
    order->version = root->version;
    order->thread = its->id;
    order->shard_epoch = ss_shard_epoch(level->engine, ss_shard_of(its->id));
    ss_task_describe(task, order);
    order->kept.root = &root->ranks->coded;
    add_run(order, level->run);
    const struct ss_node *node = ss_task_facts(task)->planned.node;
    if (ss_attempts_outlive_us(level->engine) && level->run && node &&
        order->kind == SS_ORDER_NODE) {
        if (level->graph == root) // an inner graph's version is its root's
            order->kept.digest = &root->ranks->nodes[node - root->nodes].digest;
        order->digest = ss_assignment_digest(order);
    }
    return order;
}

// describe.c - what other rooms ask of a task and of its loop that several
// members say together, or that is another's to look into.
#include <jansson.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/ranks.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/loop_output.h"
#include "coordinator/engine/levels/root.h"

const char *ss_task_label(const struct task *task)
{
    ss_check(task->facts.planned.node || task->fold.channel);
    return task->facts.planned.node ? task->facts.planned.node->name
                                    : task->fold.channel;
}

// ------------------------------------------------ a worker's order

static void describe_node(const struct task *task, struct ss_assignment *order)
{
    const struct ss_node *node = task->facts.planned.node;
    const struct ss_graph *graph = task->facts.loop->facts.graph;
    ss_check(node != NULL);
    order->triggers = ss_task_triggers(graph, &task->facts.planned);
    struct ss_node_ranks *ranks = &graph->ranks->nodes[node - graph->nodes];
    order->kept.node = &ranks->coded;
    order->kept.triggers = task->facts.planned.kind == SS_TASK_PULL
                               ? &ranks->coded_triggers
                               : &graph->ranks->coded_push;
    const struct ss_superstep at = ss_loop_stands(task->facts.loop);
    if (node->branches_count > 0) // else nobody reads anything
        ss_plan_fresh(task->facts.loop->machine, &at, node,
            &order->fresh.channels, &order->fresh.managed);
    order->returned = ss_value_ref(task->facts.returned);
    order->timeouts = node->timeouts;
    if (task->facts.planned.timeout_ms)
        order->timeouts.run_ms = task->facts.planned.timeout_ms;
    if (task->failed)
        order->given.error = json_pack("{s:s, s:s, s:s}", "node",
            task->failed->facts.planned.node->name, "code",
            ss_status_name(task->failed->facts.error->status), "message",
            task->failed->facts.error->message);
}

static void describe_fold(const struct task *task, struct ss_assignment *order)
{
    ss_check(task->fold.channel != NULL);
    order->fold.channel = ss_strdup(task->fold.channel);
    order->fold.value = ss_value_ref(task->facts.returned);
    order->fold.writes = json_incref(task->fold.writes);
}

void ss_task_describe(const struct task *task, struct ss_assignment *order)
{
    const struct loop *loop = task->facts.loop;
    order->kind = task->facts.order_kind;
    order->graph = loop->facts.graph->name;
    order->node =
        task->facts.planned.node ? task->facts.planned.node->name : "";
    ss_id_put(order->task_id, task->facts.planned.id);
    ss_id_put(order->checkpoint_id, loop->facts.checkpoint.id);
    order->ns = task->facts.planned.ns;
    order->path = task->facts.planned.path;
    order->step = loop->facts.step;
    order->stop = loop->stop;
    order->attempt_number = task->facts.tries.attempts;
    order->first_attempt_us = task->facts.tries.first_attempt_us;
    order->input = task->facts.planned.input
                       ? ss_value_ref(task->facts.planned.input)
                       : ss_value_null();
    order->given.answers = json_incref(task->answers);
    if (task->resume_value_given)
        order->given.plain = ss_value_ref(loop->facts.run->resume_value.value);
    if (task->facts.order_kind == SS_ORDER_FOLD)
        describe_fold(task, order);
    else
        describe_node(task, order);
}

// ------------------------------------------------ what a loop has

const struct ss_pendings *ss_loop_pending(const struct loop *loop)
{
    return &loop->pending;
}

const struct task *ss_loop_fold_asked(const struct loop *loop, size_t index)
{
    return index < loop->folds.count ? loop->folds.items[index] : NULL;
}

const struct loop_result *ss_root_result(struct loop *root)
{
    ss_check(!root->facts.parent);
    (void)ss_loop_output(root);
    return &root->result;
}

// order.c - a task as a worker is asked to do it: self-contained
// (model/task.h).

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/task.h"
#include "common/model/value.h"
#include "common/model/writers.h"
#include "common/pregel/pregel.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/scheduler/attempts.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"

static void add_run(struct ss_assignment *order, struct task *task)
{
    struct run *run = task->loop->run;
    order->run = run ? run->id : "";
    if (!run)
        return;
    order->given.config = ss_value_ref(run->options.config);
    order->given.context = ss_value_ref(run->options.context);
    order->want_custom = (run->modes & STREAM_CUSTOM) != 0;
    order->want_messages = (run->modes & STREAM_MESSAGES) != 0;
    if (task->resume_value_given)
        order->given.plain = ss_value_ref(run->resume_value.value);
}

static void add_node(struct ss_assignment *order, struct task *task)
{
    const struct ss_node *node = task->planned.node;
    ss_check(node != NULL);
    order->triggers = ss_task_triggers(task->loop->graph, &task->planned);
    const struct ss_superstep at = ss_loop_stands(task->loop);
    if (node->branches_count > 0) // else nobody reads anything
        ss_plan_fresh(task->loop->machine, &at, node, &order->fresh.channels,
            &order->fresh.managed);
    order->returned = ss_value_ref(task->returned);
    order->timeouts = node->timeouts;
    if (task->planned.timeout_ms)
        order->timeouts.run_ms = task->planned.timeout_ms;
    if (task->failed)
        order->given.error = json_pack("{s:s, s:s, s:s}", "node",
            task->failed->planned.node->name, "code",
            ss_status_name(task->failed->error->status), "message",
            task->failed->error->message);
}

struct ss_assignment *ss_task_order(struct task *task)
{
    struct loop *loop = task->loop;
    struct ss_assignment *order = ss_assignment_new();
    const struct ss_graph *root =
        loop->run ? loop->run->graph : ss_update_state_graph(loop->change);
    order->attempt = attempt_of(task)->name;
    order->kind = task->order_kind;
    order->app_graph = root->name;
    order->version = root->version;
    order->graph = loop->graph->name;
    order->node = task->planned.node ? task->planned.node->name : "";
    order->thread = loop->thread->id;
    order->shard_epoch =
        ss_shard_epoch(loop->engine, ss_shard_of(loop->thread->id));
    ss_id_copy(order->task_id, task->planned.id);
    ss_id_copy(order->checkpoint_id, loop->checkpoint.id);
    order->ns = task->planned.ns;
    order->path = task->planned.path;
    order->step = loop->step;
    order->stop = loop->stop;
    order->attempt_number = task->tries.attempts;
    order->first_attempt_us = task->tries.first_attempt_us;
    order->input = task->planned.input ? ss_value_ref(task->planned.input)
                                       : ss_value_null();
    order->given.answers = json_incref(task->answers);
    add_run(order, task);
    if (task->order_kind == SS_ORDER_FOLD) {
        order->fold.channel = ss_strdup(task->fold.channel);
        order->fold.value = ss_value_ref(task->returned);
        order->fold.writes = json_incref(task->fold.writes);
    } else {
        add_node(order, task);
    }
    if (loop->run && task->planned.node && task->order_kind == SS_ORDER_NODE)
        order->digest = ss_assignment_digest(order);
    return order;
}

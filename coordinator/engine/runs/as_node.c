// as_node.c - whose turn an update takes: as which node it is made, and as
// which of its tasks (spec/engine.md R9.12, R9.13).
//
//   it says as_node            that node
//   the graph has one node     that one
//   nothing has run yet        the node that is named as the input's channel is
//   else                       the one that saw the newest version; two: nobody
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/update_loop.h"
#include "coordinator/engine/runs/update_state_impl.h"
#include "coordinator/engine/threads/thread.h"

// R9.12: by the versions that nodes have seen.
static const struct ss_node *infer(const struct loop *loop)
{
    const struct ss_graph *graph = ss_loop_facts(loop)->graph;
    const struct ss_node *node = NULL;
    if (graph->nodes_count == 1)
        return &graph->nodes[0];
    if (!ss_update_loop_saw_newest(loop, &node)) {
        size_t n = graph->input.scalar
                       ? ss_graph_node(graph, graph->input.items[0])
                       : SS_NONE;
        return n == SS_NONE ? NULL : &graph->nodes[n];
    }
    return node;
}

const struct ss_node *ss_as_node_find(struct loop *loop, const json_t *update,
    bool single, struct ss_error *error)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    const char *name = ss_json_str(update, "as_node", NULL);
    const struct ss_node *node = NULL;
    if (!name && !single) {
        ss_error_set(error, SS_EUPDATE,
            "several updates in one superstep: each must say as_node");
        return NULL;
    }
    if (!name) {
        node = infer(loop);
        if (!node)
            ss_error_set(error, SS_EUPDATE,
                "update of thread %s: it is "
                "ambiguous whose turn it was; say as_node",
                ss_thread_facts(level->thread)->id);
    } else {
        size_t n = ss_graph_node(level->graph, name);
        node = n == SS_NONE ? NULL : &level->graph->nodes[n];
        if (!node)
            ss_error_set(error, SS_EUPDATE,
                "update as \"%s\": graph %s has no such node", name,
                level->graph->name);
    }
    if (node && !node->has_writers) {
        ss_error_set(error, SS_EUPDATE,
            "update as \"%s\": that node writes nothing", node->name);
        return NULL;
    }
    return node;
}

void ss_as_node_name(const struct loop *loop, const json_t *update, bool *used,
    struct ss_planned_task *task)
{
    const struct loop_facts *level = ss_loop_facts(loop);
    const char *given = ss_json_str(update, "task_id", NULL);
    if (given) {
        ss_id_copy(task->id, given);
        return;
    }
    for (size_t i = 0; i < level->tasks.count; i++) {
        if (used[i] ||
            ss_task_facts(level->tasks.items[i])->planned.node != task->node)
            continue;
        used[i] = true;
        ss_id_copy(task->id, ss_task_facts(level->tasks.items[i])->planned.id);
        return;
    }
    char *name = task->index == 0
                     ? ss_strdup(SS_NAME_INTERRUPT)
                     : ss_format("%s:%zu", SS_NAME_INTERRUPT, task->index);
    ss_uuid5(level->checkpoint.id, name, task->id);
    ss_free(name);
}

// placement.c - which worker gets a task.
//
// One that serves the graph, offers all labels that the node asks for, is not
// draining, has room and neither runs nor is kept for a task that runs alone
// (alone.c); of those the least loaded, relative to its size. Among
// equals the one that worked on the thread last: it holds its lists already
// (list_cache.c), and what the application caches.

#include "coordinator/engine/scheduler/placement.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/update_state.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"

const struct ss_graph *ss_task_root_graph(const struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    return level->run ? ss_run_facts(level->run)->graph
                      : ss_update_state_graph(level->change);
}

static bool serves(const struct worker *worker, const struct ss_graph *graph)
{
    return ss_map_get(&worker->graphs, graph->key) != NULL;
}

static bool has_labels(const struct worker *worker, const struct task *task)
{
    const struct ss_node *node = ss_task_facts(task)->planned.node;
    for (size_t i = 0; node && i < node->labels.count; i++)
        if (!ss_map_get(&worker->labels, node->labels.items[i]))
            return false;
    return true;
}

bool ss_placement_suits(const struct worker *worker, const struct task *task)
{
    return has_labels(worker, task) && serves(worker, ss_task_root_graph(task));
}

bool ss_placement_lacks_labels(const struct task *task)
{
    const struct engine *engine = ss_task_level(task)->engine;
    const struct ss_node *node = ss_task_facts(task)->planned.node;
    if (!node || node->labels.count == 0)
        return false;
    for (const struct ss_map_entry *e = engine->scheduler->workers.first; e;
         e = e->next)
        if (ss_placement_suits(e->value, task))
            return false;
    return true;
}

char *ss_placement_labels(const struct task *task)
{
    char *text = ss_strdup("");
    const struct ss_node *node = ss_task_facts(task)->planned.node;
    for (size_t i = 0; node && i < node->labels.count; i++) {
        char *more =
            ss_format("%s%s%s", text, i ? ", " : "", node->labels.items[i]);
        ss_free(text);
        text = more;
    }
    return text;
}

void ss_worker_labels(struct worker *worker, const struct ss_event *event)
{
    ss_map_fini(&worker->labels, NULL);
    for (size_t i = 0; i < event->hello.labels_count; i++)
        ss_map_put(&worker->labels, event->hello.labels[i], worker);
}

// Whether `a` should be taken rather than `b`.
static bool is_better(
    const struct worker *a, const struct worker *b, const struct thread *thread)
{
    const struct thread_facts *its = ss_thread_facts(thread);
    uint64_t load_a = (uint64_t)a->running * b->granted;
    uint64_t load_b = (uint64_t)b->running * a->granted;
    if (load_a != load_b)
        return load_a < load_b;
    return a->number == its->worked_on_by && b->number != its->worked_on_by;
}

// A task that runs alone has one that is kept, and runs nothing; all others
// have the others.
static bool may_have(const struct worker *worker, const struct task *task)
{
    if (attempt_of(task)->waits_alone)
        return worker->is_kept && !worker->alone && worker->running == 0;
    return !worker->is_kept && !worker->alone;
}

struct worker *ss_placement_find(const struct task *task)
{
    struct worker *best = NULL;
    const struct loop_facts *level = ss_task_level(task);
    for (const struct ss_map_entry *e = level->engine->scheduler->workers.first;
         e; e = e->next) {
        struct worker *worker = e->value;
        if (ss_worker_leaves(worker) || worker->running >= worker->granted ||
            (best && !is_better(worker, best, level->thread)) ||
            !may_have(worker, task) || !ss_placement_suits(worker, task))
            continue;
        best = worker;
    }
    return best;
}

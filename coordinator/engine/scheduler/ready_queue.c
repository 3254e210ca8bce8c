// ready_queue.c - whose ready task is next.
//
//   priority 5   graph a: t t
//   priority 0   graph a: t t t t t t t t      <- these two take turns,
//                graph b: t                    <- one task each
//   priority -1  graph b: t t t
//
// Ready tasks stand in lines, one for each graph and priority, in the order in
// which they became ready. Lines of a higher priority are served first,
// whatever their graph. Among those of one priority the one whose turn is
// longest ago comes next (round robin: each task costs one turn), so that a
// flood of one graph does not starve another; a line that begins anew joins
// behind the others, so that a short one that comes again and again does not
// starve the flood.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"

struct line {
    int64_t priority;
    char *graph;
    bool of_runs;  // else of updates, which no pause holds back
    uint64_t turn; // when it was served last; smaller: longer ago
    struct task *first, *last;
    struct task *next; // to be looked at in this dispatch
};

struct ready_queue {
    SS_VEC(struct line *) lines;
    uint64_t turns; // that lines had
};

struct ready_queue *ss_ready_queue_new(void)
{
    return ss_zalloc(1, sizeof(struct ready_queue));
}

void ss_ready_queue_destroy(struct ready_queue **place)
{
    struct ready_queue *queue = *place;
    *place = NULL;
    ss_check(queue->lines.count == 0);
    SS_VEC_FINI(&queue->lines);
    ss_free(queue);
}

// ------------------------------------------------ lines

static struct line *line_of(const struct task *task)
{
    struct ready_queue *queue = task->loop->engine->scheduler->queue;
    const char *graph = ss_task_root_graph(task)->name;
    int64_t priority = task->loop->run ? task->loop->run->options.priority : 0;
    bool of_runs = task->loop->run != NULL;
    for (size_t i = 0; i < queue->lines.count; i++) {
        struct line *line = queue->lines.items[i];
        if (line->priority == priority && line->of_runs == of_runs &&
            strcmp(line->graph, graph) == 0)
            return line;
    }
    struct line *line = ss_zalloc(1, sizeof(*line));
    line->priority = priority;
    line->graph = ss_strdup(graph);
    line->of_runs = of_runs;
    line->turn = ++queue->turns;
    SS_VEC_PUSH(&queue->lines, line);
    return line;
}

void ss_ready_queue_add(struct task *task)
{
    struct line *line = line_of(task);
    ss_check(!attempt_of(task)->line && task->state == TASK_READY);
    attempt_of(task)->line = line;
    task->loop->engine->counts.tasks_ready++;
    attempt_of(task)->ready_prev = line->last;
    attempt_of(task)->ready_next = NULL;
    if (line->last)
        attempt_of(line->last)->ready_next = task;
    else
        line->first = task;
    line->last = task;
}

static void drop_line(struct engine *engine, struct line *line)
{
    struct ready_queue *queue = engine->scheduler->queue;
    for (size_t i = queue->lines.count; i-- > 0;)
        if (queue->lines.items[i] == line)
            SS_VEC_REMOVE(&queue->lines, i);
    ss_free(line->graph);
    ss_free(line);
}

void ss_ready_queue_remove(struct task *task)
{
    struct line *line = attempt_of(task)->line;
    if (!line)
        return;
    if (attempt_of(task)->ready_prev)
        attempt_of(attempt_of(task)->ready_prev)->ready_next =
            attempt_of(task)->ready_next;
    else
        line->first = attempt_of(task)->ready_next;
    if (attempt_of(task)->ready_next)
        attempt_of(attempt_of(task)->ready_next)->ready_prev =
            attempt_of(task)->ready_prev;
    else
        line->last = attempt_of(task)->ready_prev;
    if (line->next == task)
        line->next = attempt_of(task)->ready_next;
    attempt_of(task)->ready_next = attempt_of(task)->ready_prev = NULL;
    attempt_of(task)->line = NULL;
    ss_check(task->loop->engine->counts.tasks_ready > 0);
    task->loop->engine->counts.tasks_ready--;
    if (!line->first)
        drop_line(task->loop->engine, line);
}

const struct task *ss_ready_queue_after(
    const struct engine *engine, const struct task *task, enum line_kind kind)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    if (task && attempt_of(task)->ready_next)
        return attempt_of(task)->ready_next;
    size_t i = 0;
    while (task && i < queue->lines.count &&
           queue->lines.items[i++] != attempt_of(task)->line)
        continue;
    while (kind == LINES_OF_UPDATES && i < queue->lines.count &&
           queue->lines.items[i]->of_runs)
        i++;
    return i < queue->lines.count ? queue->lines.items[i]->first : NULL;
}

// ------------------------------------------------ turns

void ss_ready_queue_begin(struct engine *engine)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    for (size_t i = 0; i < queue->lines.count; i++) {
        struct line *line = queue->lines.items[i];
        bool waits =
            line->of_runs && ss_pause_of(engine, line->graph, NULL) != NULL;
        line->next = waits ? NULL : line->first;
    }
}

static bool comes_before(const struct line *a, const struct line *b)
{
    return a->priority != b->priority ? a->priority > b->priority
                                      : a->turn < b->turn;
}

struct task *ss_ready_queue_next(struct engine *engine)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    struct line *best = NULL;
    for (size_t i = 0; i < queue->lines.count; i++) {
        struct line *line = queue->lines.items[i];
        if (line->next && (!best || comes_before(line, best)))
            best = line;
    }
    struct task *task = best ? best->next : NULL;
    if (task)
        best->next = attempt_of(task)->ready_next;
    return task;
}

void ss_ready_queue_served(struct task *task)
{
    ss_check(attempt_of(task)->line);
    attempt_of(task)->line->turn =
        ++task->loop->engine->scheduler->queue->turns;
}

// ------------------------------------------------ what holds

static bool is_alike(const struct line *a, const struct line *b)
{
    return a->priority == b->priority && a->of_runs == b->of_runs &&
           strcmp(a->graph, b->graph) == 0;
}

static size_t verify_line(const struct line *line)
{
    const struct task *before = NULL;
    size_t count = 0;
    bool is_there = line->next == NULL;
    for (const struct task *it = line->first; it;
         before = it, it = attempt_of(it)->ready_next) {
        ss_invariant(I118, attempt_of(it)->line == line &&
                               attempt_of(it)->ready_prev == before);
        ss_invariant(I119, it->state == TASK_READY);
        ss_invariant(I185,
            strcmp(line->graph, ss_task_root_graph(it)->name) == 0 &&
                line->of_runs == (it->loop->run != NULL) &&
                line->priority ==
                    (it->loop->run ? it->loop->run->options.priority : 0));
        is_there = is_there || it == line->next;
        count++;
    }
    ss_invariant(I120, count > 0 && line->last == before);
    ss_invariant(I186, is_there);
    return count;
}

void ss_lines_verify(const struct engine *engine, struct census *census)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    size_t count = 0;
    for (size_t i = 0; i < queue->lines.count; i++) {
        const struct line *line = queue->lines.items[i];
        for (size_t k = 0; k < i; k++)
            ss_invariant(I121, !is_alike(line, queue->lines.items[k]) &&
                                   line->turn != queue->lines.items[k]->turn);
        ss_invariant(I122, line->turn <= queue->turns);
        count += verify_line(line);
    }
    ss_invariant(I123, count == census->tasks[TASK_READY]);
    ss_invariant(I124, engine->counts.tasks_ready == (int64_t)count);
    census->seen += count;
}

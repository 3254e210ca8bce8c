// ready_queue.c - whose ready task is next.
//
//   priority 5   graph a: t t
//   priority 0   graph a: t t t t t t t t      <- these two take turns,
//                graph b: t                    <- one task each
//   priority -1  graph b: t t t
//
// Ready tasks stand in lines, one for each graph, priority and limit, in the
// order in which they became ready. Lines of a higher priority are served
// first, whatever their graph. Among those of one priority the one whose turn
// is longest ago comes next (round robin: each task costs one turn), so that a
// flood of one graph does not starve another; a line that begins anew joins
// behind the others, so that a short one that comes again and again does not
// starve the flood.
//
// Tasks that a limit holds (limit.c) have lines of their own, which take their
// turns with the others of their graph and priority: a dispatch looks at none
// of these tasks while the limit is used up.
//
// A task whose rows are not durable yet stands aside in its line, which keeps
// its turn, and joins the others when they are. A dispatch looks at none of
// those: where many threads are at work, most tasks are.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/graph.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_rate.h"
#include "coordinator/engine/scheduler/placement.h"
#include "coordinator/engine/scheduler/ready_queue.h"
#include "coordinator/engine/scheduler/scheduler.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/scheduler/workers.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"

// Tasks, by the links of their attempts.
struct chain {
    struct task *first, *last;
};

struct line {
    int64_t priority;
    char *graph;
    bool of_runs;         // else of updates, which no pause holds back
    struct limit *limit;  // that holds its tasks; NULL: none
    uint64_t graphs_turn; // when one of its graph and priority was served last
    uint64_t turn;        // when it was; smaller: longer ago
    struct chain tasks, aside;
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

// They take turns as one.
static bool are_together(const struct line *a, const struct line *b)
{
    return a->priority == b->priority && a->of_runs == b->of_runs &&
           strcmp(a->graph, b->graph) == 0;
}

static struct line *line_of(const struct task *task)
{
    struct ready_queue *queue = task->loop->engine->scheduler->queue;
    struct line wanted = {
        .priority = task->loop->run ? task->loop->run->options.priority : 0,
        .graph = ss_task_root_graph(task)->name,
        .of_runs = task->loop->run != NULL,
        .limit = attempt_of(task)->limit};
    wanted.turn = wanted.graphs_turn = queue->turns + 1;
    for (size_t i = 0; i < queue->lines.count; i++) {
        struct line *line = queue->lines.items[i];
        if (!are_together(line, &wanted))
            continue;
        if (line->limit == wanted.limit)
            return line;
        wanted.graphs_turn = line->graphs_turn;
    }
    queue->turns++;
    wanted.graph = ss_strdup(wanted.graph);
    struct line *line = ss_alloc(sizeof(*line));
    *line = wanted;
    SS_VEC_PUSH(&queue->lines, line);
    return line;
}

static struct chain *chain_of(const struct task *task)
{
    struct line *line = attempt_of(task)->line;
    return attempt_of(task)->is_aside ? &line->aside : &line->tasks;
}

static void chain_add(struct task *task)
{
    struct chain *chain = chain_of(task);
    attempt_of(task)->ready_prev = chain->last;
    attempt_of(task)->ready_next = NULL;
    *(chain->last ? &attempt_of(chain->last)->ready_next : &chain->first) =
        task;
    chain->last = task;
}

static void chain_remove(struct task *task)
{
    struct chain *chain = chain_of(task);
    struct task *next = attempt_of(task)->ready_next;
    struct task *prev = attempt_of(task)->ready_prev;
    *(prev ? &attempt_of(prev)->ready_next : &chain->first) = next;
    *(next ? &attempt_of(next)->ready_prev : &chain->last) = prev;
    attempt_of(task)->ready_next = attempt_of(task)->ready_prev = NULL;
}

void ss_ready_queue_add(struct task *task)
{
    struct attempt *attempt = attempt_of(task);
    ss_check(!attempt->line && task->state == TASK_READY);
    attempt->limit = ss_limit_of(task);
    ss_limit_waits(task);
    attempt->line = line_of(task);
    attempt->is_aside = task->gate_seq > task->loop->thread->durable;
    if (attempt->is_aside)
        ss_gate_wait(task->loop->thread, &attempt->gate, task->gate_seq);
    task->loop->engine->counts.tasks_ready++;
    chain_add(task);
}

void ss_ready_queue_let_in(struct engine *engine)
{
    struct gate_waiter *waiter;
    while ((waiter = ss_gate_next(engine)) != NULL) {
        struct attempt *attempt =
            (struct attempt *)((char *)waiter - offsetof(struct attempt, gate));
        ss_check(attempt->line && attempt->is_aside);
        chain_remove(&attempt->task);
        attempt->is_aside = false;
        chain_add(&attempt->task);
    }
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
    if (line->next == task)
        line->next = attempt_of(task)->ready_next;
    ss_gate_leave(&attempt_of(task)->gate);
    chain_remove(task);
    attempt_of(task)->line = NULL;
    ss_check(!line->limit || line->limit->waiting > 0);
    if (line->limit)
        line->limit->waiting--;
    ss_check(task->loop->engine->counts.tasks_ready > 0);
    task->loop->engine->counts.tasks_ready--;
    if (!line->tasks.first && !line->aside.first)
        drop_line(task->loop->engine, line);
}

const struct task *ss_ready_queue_after(
    const struct engine *engine, const struct task *task, enum line_kind kind)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    const struct line *line = task ? attempt_of(task)->line : NULL;
    if (task && attempt_of(task)->ready_next)
        return attempt_of(task)->ready_next;
    if (task && !attempt_of(task)->is_aside && line->aside.first)
        return line->aside.first;
    size_t i = 0;
    while (task && i < queue->lines.count && queue->lines.items[i++] != line)
        continue;
    while (kind == LINES_OF_UPDATES && i < queue->lines.count &&
           queue->lines.items[i]->of_runs)
        i++;
    if (i == queue->lines.count)
        return NULL;
    line = queue->lines.items[i];
    return line->tasks.first ? line->tasks.first : line->aside.first;
}

// ------------------------------------------------ turns

void ss_ready_queue_begin(struct engine *engine)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    for (size_t i = 0; i < queue->lines.count; i++) {
        struct line *line = queue->lines.items[i];
        bool waits =
            line->of_runs && ss_pause_of(engine, line->graph, NULL) != NULL;
        line->next = waits ? NULL : line->tasks.first;
    }
}

static bool may_go(const struct engine *engine, const struct line *line)
{
    return !line->limit || !ss_limit_is_full(engine, line->limit);
}

static bool comes_before(const struct line *a, const struct line *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->graphs_turn != b->graphs_turn ? a->graphs_turn < b->graphs_turn
                                            : a->turn < b->turn;
}

struct task *ss_ready_queue_next(struct engine *engine)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    struct line *best = NULL;
    for (size_t i = 0; i < queue->lines.count; i++) {
        struct line *line = queue->lines.items[i];
        if (line->next && may_go(engine, line) &&
            (!best || comes_before(line, best)))
            best = line;
    }
    struct task *task = best ? best->next : NULL;
    if (task)
        best->next = attempt_of(task)->ready_next;
    return task;
}

void ss_ready_queue_served(struct task *task)
{
    struct ready_queue *queue = task->loop->engine->scheduler->queue;
    struct line *served = attempt_of(task)->line;
    ss_check(served != NULL);
    served->turn = ++queue->turns;
    for (size_t i = 0; i < queue->lines.count; i++)
        if (are_together(queue->lines.items[i], served))
            queue->lines.items[i]->graphs_turn = served->turn;
}

// ------------------------------------------------ what holds

static void verify_task(
    const struct line *line, const struct task *task, bool is_aside)
{
    const struct attempt *attempt = attempt_of(task);
    int64_t priority = task->loop->run ? task->loop->run->options.priority : 0;
    bool waits = task->gate_seq > task->loop->thread->durable;
    ss_invariant(I119, task->state == TASK_READY);
    ss_invariant(
        I185, strcmp(line->graph, ss_task_root_graph(task)->name) == 0 &&
                  line->of_runs == (task->loop->run != NULL) &&
                  line->priority == priority && line->limit == attempt->limit);
    ss_invariant(I249, attempt->is_aside == is_aside && waits == is_aside &&
                           (attempt->gate.line != NULL) == is_aside);
}

static size_t verify_chain(
    const struct line *line, const struct chain *chain, bool is_aside)
{
    const struct task *before = NULL;
    size_t count = 0;
    for (const struct task *it = chain->first; it;
         before = it, it = attempt_of(it)->ready_next, count++) {
        ss_invariant(I118, attempt_of(it)->line == line &&
                               attempt_of(it)->ready_prev == before);
        verify_task(line, it, is_aside);
    }
    ss_invariant(I120, chain->last == before);
    return count;
}

static size_t verify_line(const struct line *line)
{
    size_t count = verify_chain(line, &line->tasks, false) +
                   verify_chain(line, &line->aside, true);
    const struct task *it = line->next ? line->tasks.first : NULL;
    while (it && it != line->next)
        it = attempt_of(it)->ready_next;
    ss_invariant(I120, count > 0);
    ss_invariant(I186, it == line->next);
    return count;
}

static void verify_two(const struct line *a, const struct line *b)
{
    bool are_one = are_together(a, b);
    ss_invariant(
        I121, (!are_one || a->limit != b->limit) && a->turn != b->turn);
    ss_invariant(I252, are_one == (a->graphs_turn == b->graphs_turn));
}

void ss_lines_verify(const struct engine *engine, struct census *census)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    size_t count = 0;
    for (size_t i = 0; i < queue->lines.count; i++) {
        const struct line *line = queue->lines.items[i];
        for (size_t k = 0; k < i; k++)
            verify_two(line, queue->lines.items[k]);
        ss_invariant(I122, line->turn <= queue->turns);
        count += verify_line(line);
    }
    ss_invariant(I123, count == census->tasks[TASK_READY]);
    ss_invariant(I124, engine->counts.tasks_ready == (int64_t)count);
    census->seen += count;
}

// ready_queue.c - whose ready task is next.
//
//   priority 5   graph a: t t
//   priority 0   graph a: t t t t t t t t      <- these two take turns,
//                graph b: t                    <- one task each
//   priority -1  graph b: t t t
//
// Ready tasks of one graph and priority are a group. Groups of a higher
// priority are served first, whatever their graph. Among those of one priority
// the one whose turn is longest ago comes next (round robin: each task costs
// one turn), so that a flood of one graph does not starve another.
//
// In a group tasks stand in lines, in the order in which they became ready: one
// line for those that the same limits hold (limit.c), so one for each value of
// a key (limit_value.c), and one for those that none holds. The line whose turn
// is longest ago stands in front; one that had its turn, or begins anew, joins
// behind the others, so that neither a flood nor a short one that comes again
// and again starves the rest. A dispatch looks at no task of a limit that is
// used up, and goes by such a line once. A line that one of its limits stops
// keeps a place of each that comes before it: lines behind it do not take what
// it needs as well, time and again.
//
// A task whose rows are not durable yet stands aside in its line, which keeps
// its turn, and joins the others when they are. A dispatch looks at none of
// those: where many threads are at work, most tasks are.
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/runs/pause.h"
#include "coordinator/engine/scheduler/limit.h"
#include "coordinator/engine/scheduler/limit_rate.h"
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

struct group {
    int64_t priority;
    char *graph;
    bool of_runs;  // else of updates, which no pause holds back
    uint64_t turn; // when one of it was served last; smaller: longer ago
    struct line *first, *last; // the one whose turn is longest ago first
    struct line *plain;        // of those that no limit holds; NULL: none is
    struct line *at; // in this dispatch those before it give none any more
};

struct line {
    struct group *group;
    struct line *behind, *before;
    struct limit **limits; // that hold its tasks, NULL behind; NULL: none
    struct line *of_limit; // the next one of which the first of these is first
    struct chain tasks, aside;
    size_t count;      // in both
    size_t keeps;      // a place of so many of its limits,
    uint64_t kept_in;  // in this dispatch
    bool was_stopped;  // by a limit, at the last look (ss_lines_count)
    uint64_t dispatch; // in which `next` was looked at last
    struct task *next; // to be looked at in this dispatch
};

struct ready_queue {
    SS_VEC(struct group *) groups;
    size_t tasks;   // in all lines
    uint64_t turns; // that groups had
    uint64_t dispatches;
    // Of those that went, for the next one: where tasks come one by one, each
    // makes a group and a line. NULL: none.
    struct group *spare_group; // with the graph that it had
    struct line *spare_line;
};

struct ready_queue *ss_ready_queue_new(void)
{
    return ss_zalloc(1, sizeof(struct ready_queue));
}

void ss_ready_queue_destroy(struct ready_queue **place)
{
    struct ready_queue *queue = *place;
    *place = NULL;
    ss_check(queue->groups.count == 0);
    SS_VEC_FINI(&queue->groups);
    if (queue->spare_group)
        ss_free(queue->spare_group->graph);
    ss_free(queue->spare_group);
    ss_free(queue->spare_line);
    ss_free(queue);
}

// ------------------------------------------------ lines

static int64_t priority_of(const struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    return level->run ? ss_run_facts(level->run)->options.priority : 0;
}

static struct group *group_new(struct ready_queue *queue, const char *graph)
{
    struct group *group = queue->spare_group;
    queue->spare_group = NULL;
    if (!group)
        group = ss_zalloc(1, sizeof(*group));
    char *before = group->graph;
    bool is_same = before && strcmp(before, graph) == 0;
    *group = (struct group){.graph = is_same ? before : ss_strdup(graph)};
    if (!is_same)
        ss_free(before);
    return group;
}

static void group_free(struct ready_queue *queue, struct group *group)
{
    if (!queue->spare_group) {
        queue->spare_group = group;
        return;
    }
    ss_free(group->graph);
    ss_free(group);
}

static struct line *line_new(struct ready_queue *queue)
{
    struct line *line = queue->spare_line;
    ss_check(!line || !line->tasks.first);
    queue->spare_line = NULL;
    if (!line)
        line = ss_alloc(sizeof(*line));
    *line = (struct line){0};
    return line;
}

static void line_free(struct ready_queue *queue, struct line *line)
{
    ss_free(line->limits);
    if (queue->spare_line)
        ss_free(line);
    else
        queue->spare_line = line;
}

static struct group *group_of(const struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    struct ready_queue *queue = level->engine->scheduler->queue;
    const char *graph = ss_task_root_graph(task)->name;
    bool of_runs = level->run != NULL;
    for (size_t i = 0; i < queue->groups.count; i++) {
        struct group *group = queue->groups.items[i];
        if (group->priority == priority_of(task) && group->of_runs == of_runs &&
            strcmp(group->graph, graph) == 0)
            return group;
    }
    struct group *group = group_new(queue, graph);
    group->priority = priority_of(task);
    group->of_runs = of_runs;
    group->turn = ++queue->turns;
    SS_VEC_PUSH(&queue->groups, group);
    return group;
}

static void line_join(struct line *line)
{
    struct group *group = line->group;
    ss_check(!group->last || !group->last->behind);
    line->before = group->last;
    line->behind = NULL;
    *(group->last ? &group->last->behind : &group->first) = line;
    group->last = line;
}

static void line_leave(struct line *line)
{
    struct group *group = line->group;
    *(line->before ? &line->before->behind : &group->first) = line->behind;
    *(line->behind ? &line->behind->before : &group->last) = line->before;
    if (group->at == line)
        group->at = line->behind;
}

// Lines of the same first limit, or of none.
static struct line **lines_beside(struct limit **limits, struct group *group)
{
    return limits ? &limits[0]->lines : &group->plain;
}

static struct limit **copy_of(struct limit **limits)
{
    size_t count = 0;
    for (EACH_LIMIT(it, limits))
        count++;
    if (count == 0)
        return NULL;
    struct limit **copy = ss_zalloc(count + 1, sizeof(struct limit *));
    memcpy(copy, limits, count * sizeof(struct limit *));
    return copy;
}

static struct line *line_of(const struct task *task)
{
    struct limit **limits = attempt_of(task)->limits;
    struct group *group = group_of(task);
    struct line **beside = lines_beside(limits, group), *line = *beside;
    while (line &&
           (line->group != group || !ss_limits_are_same(line->limits, limits)))
        line = line->of_limit;
    if (line)
        return line;
    struct ready_queue *queue = ss_task_level(task)->engine->scheduler->queue;
    line = line_new(queue);
    line->group = group;
    line->limits = copy_of(limits);
    line->dispatch = queue->dispatches;
    line->of_limit = *beside;
    *beside = line;
    line_join(line);
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
    attempt_of(task)->line->count++;
}

static void chain_remove(struct task *task)
{
    struct chain *chain = chain_of(task);
    struct task *next = attempt_of(task)->ready_next;
    struct task *prev = attempt_of(task)->ready_prev;
    *(prev ? &attempt_of(prev)->ready_next : &chain->first) = next;
    *(next ? &attempt_of(next)->ready_prev : &chain->last) = prev;
    attempt_of(task)->ready_next = attempt_of(task)->ready_prev = NULL;
    ss_check(attempt_of(task)->line->count > 0);
    attempt_of(task)->line->count--;
}

void ss_ready_queue_add(struct task *task)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    struct attempt *attempt = attempt_of(task);
    ss_check(!attempt->line && facts->state == TASK_READY);
    ss_free(attempt->limits);
    attempt->limits = ss_limits_of(task);
    ss_limit_waits(task);
    attempt->line = line_of(task);
    attempt->is_aside =
        facts->gate_seq > ss_thread_facts(level->thread)->durable;
    if (attempt->is_aside)
        ss_gate_wait(level->thread, &attempt->gate, facts->gate_seq);
    level->engine->scheduler->queue->tasks++;
    chain_add(task);
}

void ss_ready_queue_let_in(struct engine *engine)
{
    struct gate_waiter *waiter;
    while ((waiter = ss_gate_next(engine)) != NULL) {
        struct attempt *attempt =
            (struct attempt *)((char *)waiter - offsetof(struct attempt, gate));
        ss_check(attempt->line && attempt->is_aside);
        chain_remove(task_of(attempt));
        attempt->is_aside = false;
        chain_add(task_of(attempt));
    }
}

static void drop_group(struct ready_queue *queue, struct group *group)
{
    ss_check(!group->first && !group->last);
    ss_check(!group->plain && !group->at);
    for (size_t i = queue->groups.count; i-- > 0;)
        if (queue->groups.items[i] == group)
            SS_VEC_REMOVE(&queue->groups, i);
    group_free(queue, group);
}

static void drop_line(struct engine *engine, struct line *line)
{
    struct group *group = line->group;
    struct line **place = lines_beside(line->limits, group);
    ss_check(!line->tasks.first && !line->aside.first);
    while (*place != line)
        place = &(*place)->of_limit;
    *place = line->of_limit;
    line_leave(line);
    line_free(engine->scheduler->queue, line);
    if (!group->first)
        drop_group(engine->scheduler->queue, group);
}

void ss_ready_queue_remove(struct task *task)
{
    const struct loop_facts *level = ss_task_level(task);
    struct line *line = attempt_of(task)->line;
    if (!line)
        return;
    if (line->next == task)
        line->next = attempt_of(task)->ready_next;
    ss_gate_leave(&attempt_of(task)->gate);
    chain_remove(task);
    attempt_of(task)->line = NULL;
    for (EACH_LIMIT(it, line->limits)) {
        ss_check((*it)->waiting > 0);
        (*it)->waiting--;
    }
    bool keeps = line->keeps > 0 &&
                 line->kept_in == level->engine->scheduler->queue->dispatches;
    if (keeps) // others may have that now
        ss_engine_ready_moved(level->engine);
    ss_check(level->engine->scheduler->queue->tasks > 0);
    level->engine->scheduler->queue->tasks--;
    if (!line->tasks.first && !line->aside.first)
        drop_line(level->engine, line);
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
    if (line && line->behind) {
        line = line->behind;
    } else {
        size_t i = 0;
        while (line && queue->groups.items[i++] != line->group)
            continue;
        while (kind == LINES_OF_UPDATES && i < queue->groups.count &&
               queue->groups.items[i]->of_runs)
            i++;
        if (i == queue->groups.count)
            return NULL;
        line = queue->groups.items[i]->first;
    }
    return line->tasks.first ? line->tasks.first : line->aside.first;
}

// ------------------------------------------------ turns

void ss_ready_queue_begin(struct engine *engine)
{
    struct ready_queue *queue = engine->scheduler->queue;
    queue->dispatches++;
    for (size_t i = 0; i < queue->groups.count; i++) {
        struct group *group = queue->groups.items[i];
        bool waits =
            group->of_runs && ss_pause_of(engine, group->graph, NULL) != NULL;
        group->at = waits ? NULL : group->first;
    }
}

// As many tasks as the line may send by that limit, of its own.
static int64_t room_for(
    const struct engine *engine, const struct line *line, size_t i)
{
    uint64_t dispatch = engine->scheduler->queue->dispatches;
    const struct limit *limit = line->limits[i];
    bool keeps = line->kept_in == dispatch && i < line->keeps;
    int64_t kept = limit->kept.dispatch == dispatch ? limit->kept.places : 0;
    return ss_limit_room(engine, limit) - kept + keeps;
}

// The place of the limit that stops the line, among its limits; SIZE_MAX: none
// does.
static size_t stop_of(const struct engine *engine, const struct line *line)
{
    for (size_t i = 0; line->limits && line->limits[i]; i++)
        if (room_for(engine, line, i) <= 0)
            return i;
    return SIZE_MAX;
}

struct limit *ss_limit_that_stops(const struct task *task)
{
    const struct line *line = attempt_of(task)->line;
    ss_check(line != NULL);
    size_t stop = stop_of(ss_task_level(task)->engine, line);
    return stop == SIZE_MAX ? NULL : line->limits[stop];
}

// Values of which there are too many wait for others that vanish: that is
// nobody's turn, and they keep nothing meanwhile.
static bool keeps_before(const struct line *line, size_t stop)
{
    return stop != SIZE_MAX && stop > 0 && !line->limits[stop]->each;
}

static void keep(const struct engine *engine, struct line *line, size_t stop)
{
    uint64_t dispatch = engine->scheduler->queue->dispatches;
    bool has_kept = line->kept_in == dispatch && line->keeps > 0;
    line->kept_in = dispatch;
    if (has_kept)
        return;
    ss_check(stop != SIZE_MAX && line->limits[stop]);
    line->keeps = keeps_before(line, stop) ? stop : 0;
    for (size_t i = 0; i < line->keeps; i++) {
        struct limit *limit = line->limits[i];
        limit->kept.places =
            limit->kept.dispatch == dispatch ? limit->kept.places + 1 : 1;
        limit->kept.dispatch = dispatch;
    }
}

// What a line waited for came with this look: it is about to take all places
// that it needs, and none of them may leave.
static void count_line(
    const struct engine *engine, struct line *line, bool is_look)
{
    size_t stop = stop_of(engine, line), reserved = 0;
    if (stop != SIZE_MAX)
        line->limits[stop]->lines_now.stopped += (int64_t)line->count;
    if (keeps_before(line, stop) || (stop == SIZE_MAX && line->was_stopped))
        reserved = stop;
    for (size_t i = 0; i < reserved && line->limits[i]; i++)
        line->limits[i]->lines_now.reserved++;
    if (is_look)
        line->was_stopped = stop != SIZE_MAX;
}

void ss_lines_count(const struct engine *engine, bool is_look)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    for (const struct ss_map_entry *e = engine->scheduler->limits.by_name.first;
         e; e = e->next) {
        struct limit *limit = e->value;
        limit->lines_now.stopped = limit->lines_now.reserved = 0;
    }
    for (size_t i = 0; i < queue->groups.count; i++) {
        for (struct line *line = queue->groups.items[i]->first; line;
             line = line->behind)
            if (line->limits)
                count_line(engine, line, is_look);
    }
}

// Who is to be looked at next; NULL: nobody any more.
static struct task *next_of(const struct engine *engine, struct line *line)
{
    uint64_t dispatch = engine->scheduler->queue->dispatches;
    if (line->dispatch != dispatch) {
        line->dispatch = dispatch;
        line->next = line->tasks.first;
    }
    size_t stop = line->next ? stop_of(engine, line) : SIZE_MAX;
    if (stop == SIZE_MAX)
        return line->next;
    keep(engine, line, stop);
    return NULL;
}

static bool comes_before(const struct group *a, const struct group *b)
{
    return a->priority != b->priority ? a->priority > b->priority
                                      : a->turn < b->turn;
}

struct task *ss_ready_queue_next(struct engine *engine)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    for (;;) {
        struct group *best = NULL;
        struct task *task = NULL;
        for (size_t i = 0; i < queue->groups.count; i++) {
            struct group *group = queue->groups.items[i];
            if (group->at && (!best || comes_before(group, best)))
                best = group;
        }
        if (!best)
            return NULL;
        while (best->at && !(task = next_of(engine, best->at)))
            best->at = best->at->behind;
        if (!task)
            continue;
        best->at->next = attempt_of(task)->ready_next;
        return task;
    }
}

void ss_ready_queue_served(struct task *task)
{
    struct ready_queue *queue = ss_task_level(task)->engine->scheduler->queue;
    struct line *line = attempt_of(task)->line;
    ss_check(line != NULL);
    line->group->turn = ++queue->turns;
    if (!line->behind)
        return;
    line_leave(line);
    line_join(line);
}

// ------------------------------------------------ what holds

static void verify_task(
    const struct line *line, const struct task *task, bool is_aside)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct loop_facts *level = ss_task_level(task);
    const struct attempt *attempt = attempt_of(task);
    const struct group *group = line->group;
    bool waits = facts->gate_seq > ss_thread_facts(level->thread)->durable;
    ss_invariant(I119, facts->state == TASK_READY);
    ss_invariant(
        I185, strcmp(group->graph, ss_task_root_graph(task)->name) == 0 &&
                  group->of_runs == (level->run != NULL) &&
                  group->priority == priority_of(task) &&
                  ss_limits_are_same(line->limits, attempt->limits));
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

static size_t verify_line(const struct ready_queue *queue,
    const struct line *line, const struct line *before)
{
    const struct line *beside =
        line->limits ? line->limits[0]->lines : line->group->plain;
    size_t count = verify_chain(line, &line->tasks, false) +
                   verify_chain(line, &line->aside, true);
    bool is_looked_at = line->next && line->dispatch == queue->dispatches;
    const struct task *it = is_looked_at ? line->tasks.first : NULL;
    while (it && it != line->next)
        it = attempt_of(it)->ready_next;
    ss_invariant(I120, count > 0 && count == line->count);
    ss_invariant(I186, !is_looked_at || it);
    ss_invariant(I121, line->before == before);
    while (beside && beside != line)
        beside = beside->of_limit;
    ss_invariant(I252, beside != NULL);
    return count;
}

static size_t verify_group(
    const struct ready_queue *queue, const struct group *group)
{
    const struct line *before = NULL;
    size_t count = 0;
    for (const struct line *it = group->first; it;
         before = it, it = it->behind) {
        ss_invariant(I121, it->group == group);
        count += verify_line(queue, it, before);
    }
    ss_invariant(I121, before && group->last == before);
    ss_invariant(I122, group->turn <= queue->turns);
    return count;
}

size_t ss_tasks_ready(const struct engine *engine)
{
    return engine->scheduler->queue->tasks;
}

void ss_lines_verify(const struct engine *engine, struct census *census)
{
    const struct ready_queue *queue = engine->scheduler->queue;
    size_t count = 0;
    for (size_t i = 0; i < queue->groups.count; i++) {
        for (size_t k = 0; k < i; k++)
            ss_invariant(I122,
                queue->groups.items[k]->turn != queue->groups.items[i]->turn);
        count += verify_group(queue, queue->groups.items[i]);
    }
    ss_invariant(I123, count == census->tasks[TASK_READY]);
    ss_invariant(I124, queue->tasks == count);
    census->seen += count;
}

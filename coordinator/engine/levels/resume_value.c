// resume_value.c - the resume value without an id: who gets it (R7.2, 17 N1).
//
// It is one, for one task of the whole tree. Its attempt is given it when it is
// sent, so whom it goes out with must not depend on who is faster: the task
// whose question is open; where that question is gone, those that come first in
// path order in each graph on their way (`goes_first`), sent when all graphs
// that go on are planned, and so is known whether it is gone. Who else asks is
// held, and runs again with the answer once all that come before it in path
// order have ended without (docs/decisions/0016).
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/value.h"
#include "common/pregel/pending.h"
#include "coordinator/engine/levels/levels.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/levels/resume_value.h"
#include "coordinator/engine/levels/tasks.h"
#include "coordinator/engine/levels/watch.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/invariant.h"

static bool asks_next(const struct task *task, const char *question)
{
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(task->facts.planned.ns, json_array_size(task->answers), id);
    return strcmp(id, question) == 0;
}

// The tasks of this graph are those that it stopped with; one that began anew,
// or went on since, has others.
static bool goes_on_where_it_stopped(const struct loop *loop)
{
    return loop->entered.resuming && loop->first_superstep;
}

// Nobody knows yet whether the open question is asked in here again.
static bool is_unplanned(const struct loop *loop)
{
    if (!goes_on_where_it_stopped(loop))
        return false;
    if (!loop->ticked)
        return true;
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        const struct task *task = loop->facts.tasks.items[i];
        if (task->facts.state == TASK_CHILD
                ? is_unplanned(task->facts.child)
                : task->facts.state == TASK_NEW &&
                      task->facts.planned.node->subgraph)
            return true;
    }
    return false;
}

// Somebody in this tree may yet ask the open question again.
static bool question_lives(const struct loop *loop, const char *question)
{
    if (!goes_on_where_it_stopped(loop))
        return false;
    if (!loop->ticked)
        return true;
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        const struct task *task = loop->facts.tasks.items[i];
        if (ss_task_ended(task) || task->facts.state == TASK_HELD)
            continue;
        if (task->facts.state == TASK_CHILD
                ? question_lives(task->facts.child, question)
            : task->facts.planned.node->subgraph
                ? task->facts.state == TASK_NEW ||
                      task->facts.state == TASK_BACKOFF
                : asks_next(task, question))
            return true;
    }
    return false;
}

static bool some_question_lives(const struct run *run)
{
    size_t i;
    json_t *question;
    json_array_foreach (run->questions, i, question)
        if (question_lives(run->facts.root, json_string_value(question)))
            return true;
    return false;
}

static bool asks_an_open_one(const struct task *task)
{
    size_t i;
    json_t *question;
    json_array_foreach (task->facts.loop->facts.run->questions, i, question)
        if (asks_next(task, json_string_value(question)))
            return true;
    return false;
}

void ss_resume_value_line(const struct loop *loop, struct task *const *sorted)
{
    if (loop->parent_task && !loop->parent_task->goes_first)
        return;
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        struct task *task = sorted[i];
        task->goes_first = task->facts.state == TASK_NEW;
        // after a crash who went first is the same
        if (task->goes_first ||
            (run_of(loop)->recovering &&
                ss_pendings_ours(&loop->pending, task->facts.planned.id)))
            return;
    }
}

// The task is about to be sent: with the resume value without an id, if it is
// its. False: not yet, whose it is shows when all graphs that go on are
// planned; it begins then.
static bool resume_value_offer(struct task *task)
{
    struct run *run = task->facts.loop->facts.run;
    if (!run->resume_value.value || !run->facts.root ||
        !run->facts.root->first_superstep)
        return true;
    bool is_its_own = asks_an_open_one(task);
    bool may_be = task->goes_first && !run->resume_value.aimed && !is_its_own;
    if (may_be && is_unplanned(run->facts.root)) {
        run->resume_value.first = task;
        return false;
    }
    run->resume_value.aimed = run->resume_value.aimed || is_its_own;
    if (is_its_own || (may_be && !some_question_lives(run))) {
        ss_check(!run->resume_value.holder); // one question, one task that
                                             // comes first
        run->resume_value.holder = task;
        task->resume_value_given = true;
    }
    return true;
}

void ss_task_start_body(struct task *task)
{
    ss_task_move(task, TASK_NEW);
    if (resume_value_offer(task))
        ss_task_ready(task);
}

static void start_who_waits(struct run *run)
{
    struct task *task = run->resume_value.first;
    if (!task || is_unplanned(run->facts.root))
        return;
    run->resume_value.first = NULL;
    ss_task_start_body(task);
}

// ------------------------------------------------ who asks without it

// Something in this graph moves: a task that neither ended nor is held, or the
// graph itself, whose tasks have all ended.
static bool goes_on(const struct loop *loop)
{
    bool waits = false;
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        const struct task *task = loop->facts.tasks.items[i];
        if (ss_task_ended(task))
            continue;
        if (task->facts.state == TASK_CHILD ? goes_on(task->facts.child)
                                            : task->facts.state != TASK_HELD)
            return true;
        waits = true;
    }
    return !waits;
}

// The first in path order that has not ended, if it is held.
static struct task *next_in_line(const struct loop *loop)
{
    struct task *first = NULL;
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        struct task *task = loop->facts.tasks.items[i];
        if (!ss_task_ended(task) &&
            (!first || strcmp(task->facts.planned.path,
                           first->facts.planned.path) < 0))
            first = task;
    }
    if (first && first->facts.state == TASK_CHILD)
        return next_in_line(first->facts.child);
    return first && first->facts.state == TASK_HELD ? first : NULL;
}

static void give_plain(struct run *run, struct task *task)
{
    ss_check(run->resume_value.held > 0 && run->resume_value.value);
    run->resume_value.held--;
    task->facts.loop->facts.engine->watch->restarted(task);
    run->resume_value.holder = task;
    run->resume_value.aimed = false;
    task->resume_value_given = true;
    task->goes_first = true; // its next attempt, too
    ss_engine_narrate(run->facts.engine, "task %s asks; the answer goes to it",
        task->facts.planned.node->name);
    ss_task_ready(task);
}

static void let_ask(struct loop *loop)
{
    for (size_t i = 0; i < loop->facts.tasks.count; i++) {
        struct task *task = loop->facts.tasks.items[i];
        if (task->facts.state == TASK_CHILD)
            let_ask(task->facts.child);
        if (task->facts.state != TASK_HELD)
            continue;
        ss_check(loop->facts.run->resume_value.held > 0);
        loop->facts.run->resume_value.held--;
        ss_task_commit_interrupt(task);
    }
}

void ss_resume_value_released(struct run *run, struct task *task)
{
    if (run->resume_value.holder != task)
        return;
    run->resume_value.holder = NULL;
    task->resume_value_given = false;
}

void ss_resume_value_settle(struct run *run)
{
    start_who_waits(run);
    if (run->resume_value.held == 0 || run->resume_value.holder)
        return;
    if (!run->resume_value.value) {
        let_ask(run->facts.root);
        return;
    }
    // whose question it was may be tried again, with the graph around it
    if (run->resume_value.aimed ? goes_on(run->facts.root)
                                : some_question_lives(run))
        return;
    struct task *task = next_in_line(run->facts.root);
    if (task)
        give_plain(run, task);
}

void ss_resume_value_forget(struct task *task)
{
    struct run *run = task->facts.loop->facts.run;
    if (run && run->resume_value.holder == task)
        run->resume_value.holder = NULL;
    if (run && run->resume_value.first == task)
        run->resume_value.first = NULL;
}

void ss_resume_value_put(struct run *run, struct ss_value *value)
{
    ss_value_unref(run->resume_value.value);
    run->resume_value.value = value ? ss_value_ref(value) : NULL;
}

// ------------------------------------------------ what holds

static bool is_open(const struct task *task, const struct run *run)
{
    return task->facts.loop->facts.run == run && !ss_task_ended(task);
}

void ss_resume_value_verify(const struct run *run, size_t held)
{
    const struct resume_value *value = &run->resume_value;
    if (value->holder)
        ss_invariant(I77,
            is_open(value->holder, run) && value->holder->resume_value_given);
    if (value->first)
        ss_invariant(I78, is_open(value->first, run) &&
                              value->first->facts.state == TASK_NEW);
    if (value->held > 0)
        ss_invariant(I79, value->value || value->holder);
    ss_invariant(I85, value->held == held);
}

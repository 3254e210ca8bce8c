// plain.c - the plain answer of a resume: who gets it (spec/engine.md R7.2, 17 N1).
//
// It is one, for one task of the whole tree. It goes out with the task whose
// question is open; where that question is gone, with the first in path order
// that may ask. Who asks while it is out with another is held until that one has
// ended without taking it.
#include <string.h>

#include "common/base/check.h"
#include "coordinator/engine/internal.h"

static bool asks_next(const struct task *task, const char *question)
{
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(task->ns, json_array_size(task->answers), id);
    return strcmp(id, question) == 0;
}

// Somebody in this tree may yet ask the open question again. A graph that was
// only just entered has not planned who.
static bool question_lives(const struct loop *loop, const char *question)
{
    for (size_t i = 0; i < loop->tasks.count; i++) {
        const struct task *task = loop->tasks.items[i];
        if (ss_task_ended(task))
            continue;
        if (task->state == TASK_CHILD
                ? task->child->tasks.count == 0
                    || question_lives(task->child, question)
                : task->node->subgraph || asks_next(task, question))
            return true;
    }
    return false;
}

// The task whose question is open, where it still lives; else the first in path
// order that has not been given it and may ask.
bool ss_plain_may_take(const struct task *task)
{
    const struct run *run = task->loop->run;
    if (!run->plain || run->plain_holder || !run->root
        || !run->root->first_superstep)
        return false;
    bool lives = false;
    size_t i;
    json_t *question;
    json_array_foreach(run->questions, i, question) {
        if (asks_next(task, json_string_value(question)))
            return true;
        lives = lives || question_lives(run->root, json_string_value(question));
    }
    return !lives;
}

static struct task *find_held(struct loop *loop)
{
    struct task *first = NULL;
    for (size_t i = 0; i < loop->tasks.count; i++) {
        struct task *task = loop->tasks.items[i];
        struct task *found = task->state == TASK_HELD ? task
            : task->child                             ? find_held(task->child)
                                                      : NULL;
        if (found && (!first || strcmp(found->path, first->path) < 0))
            first = found;
    }
    return first;
}

static void give_plain(struct run *run, struct task *task)
{
    run->held--;
    ss_told_restarted(task);
    run->plain_holder = task;
    task->plain_given = true;
    ss_engine_narrate(run->engine, "task %s asks; the answer goes to it",
        task->node->name);
    ss_schedule(task);
}

static bool anybody_out(const struct loop *loop)
{
    for (size_t i = 0; i < loop->tasks.count; i++) {
        const struct task *task = loop->tasks.items[i];
        if (task->state == TASK_CHILD ? anybody_out(task->child)
                                      : !ss_task_ended(task)
                    && task->state != TASK_HELD)
            return true;
    }
    return false;
}

// The holder ended: those who asked meanwhile get the answer, or the truth.
void ss_plain_released(struct run *run, struct task *task)
{
    if (run->plain_holder != task)
        return;
    run->plain_holder = NULL;
    task->plain_given = false;
}

void ss_plain_settle(struct run *run)
{
    struct task *held;
    while (run->held > 0 && !run->plain_holder
        && (held = find_held(run->root)) != NULL) {
        if (run->plain) {
            if (!anybody_out(run->root))
                give_plain(run, held);
            return;
        }
        run->held--;
        ss_task_commit_interrupt(held);
    }
}

void ss_plain_taken(struct task *task)
{
    struct run *run = task->loop->run;
    ss_value_unref(run->plain);
    run->plain = NULL;
}

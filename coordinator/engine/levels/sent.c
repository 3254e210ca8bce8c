// sent.c - attempts at a task, as they go out and come back; whom they go to is
// the scheduler's.
#include "common/base/check.h"
#include "coordinator/engine/levels/levels_impl.h"
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/threads/thread.h"

void ss_task_sent(struct task *task, int64_t wall_us)
{
    ss_check(task->facts.gate_seq <=
             ss_thread_facts(task->facts.loop->facts.thread)->durable);
    ss_task_move(task, TASK_RUNNING);
    task->facts.tries.attempts++;
    if (task->facts.tries.attempts == 1)
        task->facts.tries.first_attempt_us = wall_us;
    if (task->facts.loop->facts.run)
        run_of(task->facts.loop)->running++;
}

void ss_task_attempt_over(struct task *task)
{
    ss_check(task->facts.state == TASK_RUNNING);
    ss_check(
        !task->facts.loop->facts.run || run_of(task->facts.loop)->running > 0);
    if (task->facts.loop->facts.run)
        run_of(task->facts.loop)->running--;
    ss_task_move(task, TASK_NEW);
}

void ss_task_not_begun(struct task *task)
{
    ss_check(task->facts.state == TASK_NEW && task->facts.tries.attempts > 0);
    task->facts.tries.attempts--;
}

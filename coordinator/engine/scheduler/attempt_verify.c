// attempt_verify.c - what holds of a task's attempt between two steps
// (invariants.c has the list).
#include "coordinator/engine/levels/loop.h"
#include "coordinator/engine/scheduler/scheduler_impl.h"
#include "coordinator/engine/threads/invariant.h"

void ss_attempt_verify(const struct task *task, struct census *census)
{
    const struct task_facts *facts = ss_task_facts(task);
    const struct attempt *attempt = attempt_of(task);
    bool runs = facts->state == TASK_RUNNING;
    bool is_ready = facts->state == TASK_READY;
    ss_invariant(I40, (attempt->worker != NULL) == runs);
    ss_invariant(I41, (attempt->line != NULL) == is_ready);
    if (attempt->is_expected)
        ss_invariant(I42, is_ready && attempt->may_be_out);
    if (runs)
        ss_invariant(
            I48, facts->tries.attempts > 0 && attempt->name.dispatch > 0);
    census->expected += attempt->is_expected;
}

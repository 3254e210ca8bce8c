// gate.c - lines of those who wait for rows.
#include "coordinator/engine/threads/gate.h"

#include "common/base/check.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

static void gate_join(struct gate_line *line, struct gate_waiter *waiter)
{
    ss_check(!waiter->line);
    waiter->line = line;
    waiter->next = NULL;
    waiter->prev = line->last;
    *(line->last ? &line->last->next : &line->first) = waiter;
    line->last = waiter;
}

void ss_gate_wait(
    struct thread *thread, struct gate_waiter *waiter, uint64_t seq)
{
    ss_check(seq > thread->durable);
    waiter->seq = seq;
    gate_join(&thread->held.waiters, waiter);
}

void ss_gate_leave(struct gate_waiter *waiter)
{
    struct gate_line *line = waiter->line;
    if (!line)
        return;
    *(waiter->prev ? &waiter->prev->next : &line->first) = waiter->next;
    *(waiter->next ? &waiter->next->prev : &line->last) = waiter->prev;
    waiter->line = NULL;
}

struct gate_waiter *ss_gate_next(struct engine *engine)
{
    struct gate_waiter *waiter = engine->threads->let_through.first;
    if (waiter)
        ss_gate_leave(waiter);
    return waiter;
}

void ss_gate_open(struct thread *thread)
{
    struct gate_waiter *next = NULL;
    for (struct gate_waiter *it = thread->held.waiters.first; it; it = next) {
        next = it->next;
        if (it->seq > thread->durable)
            continue;
        ss_gate_leave(it);
        gate_join(&thread->engine->threads->let_through, it);
    }
}

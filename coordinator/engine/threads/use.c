// use.c - a thread is used: it leaves the lists in which it rests (idle.c,
// still.c), and something may be left to do for it at the end of the step.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

void ss_idle_leave(struct thread *thread)
{
    struct threads *threads = thread->facts.engine->threads;
    if (thread->idle.size == 0)
        return;
    ss_check(threads->idle_count > 0);
    ss_check(threads->idle_size >= thread->idle.size);
    if (threads->idle_large == thread)
        threads->idle_large = thread->idle.next;
    threads->idle_large_count -= !thread->idle.is_small;
    threads->idle_count--;
    threads->idle_size -= thread->idle.size;
    if (thread->idle.prev)
        thread->idle.prev->idle.next = thread->idle.next;
    else
        threads->idle_first = thread->idle.next;
    if (thread->idle.next)
        thread->idle.next->idle.prev = thread->idle.prev;
    else
        threads->idle_last = thread->idle.prev;
    memset(&thread->idle, 0, sizeof(thread->idle));
}

void ss_still_leave(struct thread *thread)
{
    struct threads *threads = thread->facts.engine->threads;
    struct thread *prev = thread->idle.still.prev;
    struct thread *next = thread->idle.still.next;
    if (!thread->idle.still.is_listed)
        return;
    if (prev)
        prev->idle.still.next = next;
    else
        threads->still_first = next;
    if (next)
        next->idle.still.prev = prev;
    else
        threads->still_last = prev;
    threads->still_count--;
    memset(&thread->idle.still, 0, sizeof(thread->idle.still));
}

void ss_thread_dirty(struct thread *thread)
{
    thread->used_ms = thread->facts.engine->now_ms;
    ss_idle_leave(thread);
    ss_still_leave(thread);
    if (thread->dirty)
        return;
    thread->dirty = true;
    SS_VEC_PUSH(&thread->facts.engine->threads->dirty, thread);
}

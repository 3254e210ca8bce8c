// idle.c - threads that nobody uses: they stay in memory for a while, and
// within bounds; whoever asks for one later has it folded back from its rows.
//
//   longest idle                                         idle since a moment
//   ago first ... small, small, small | large, large, large ... last
//                                   ^ idle_large
//
// Those that were used a moment ago stay as they are, unless they are too many:
// their next run may begin in a moment, and packing costs as much as a
// superstep. Of the others the rows are packed into few bytes, in memory
// (journal_pack.c), when nothing else is to be done. So are those of threads
// that are used and wait as long (still.c).
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/model/journal.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/threads_impl.h"
#include "coordinator/engine/threads/waiting.h"

static bool is_idle(const struct thread *thread)
{
    return !thread->facts.engine->threads->owner->busy(thread) &&
           thread->waiting.count == 0 && !thread->facts.is_unread &&
           thread->held.count == 0 && thread->puts.count == 0 &&
           thread->store_tag == 0 && !thread->delete_to &&
           !thread->facts.open && !thread->dirty &&
           thread->facts.state != THREAD_LOADING;
}

static size_t size_of(const struct thread *thread)
{
    return sizeof(*thread) + strlen(thread->facts.id) +
           (thread->facts.journal ? ss_journal_size(thread->facts.journal) : 0);
}

// The longest idle of the large ones.
static void make_small(struct threads *threads)
{
    struct thread *thread = threads->idle_large;
    size_t size =
        thread->facts.journal ? ss_journal_size(thread->facts.journal) : 0;
    ss_check(thread->idle.size > 0 && !thread->idle.is_small);
    threads->idle_large = thread->idle.next;
    threads->idle_large_count--;
    thread->idle.is_small = true;
    if (size > 0 && size <= SS_IDLE_PACK_SIZE_MAX &&
        !thread->facts.engine->options.keeps_rows)
        ss_journal_pack(thread->facts.journal);
    SS_VEC_FINI(&thread->puts);
    SS_VEC_FINI(&thread->waiting);
    threads->idle_size -= thread->idle.size;
    thread->idle.size = size_of(thread);
    threads->idle_size += thread->idle.size;
}

// At the end of a step: it may be idle now.
static void thread_rest(struct thread *thread)
{
    struct threads *threads = thread->facts.engine->threads;
    if (thread->idle.size > 0 || !is_idle(thread))
        return;
    threads->owner->rests(thread);
    thread->idle.size = size_of(thread);
    thread->idle.prev = threads->idle_last;
    if (threads->idle_last)
        threads->idle_last->idle.next = thread;
    else
        threads->idle_first = thread;
    threads->idle_last = thread;
    threads->idle_count++;
    threads->idle_size += thread->idle.size;
    if (!threads->idle_large)
        threads->idle_large = thread;
    threads->idle_large_count++;
    int32_t large_max = thread->facts.engine->options.idle_large_max;
    while ((int64_t)threads->idle_large_count > (large_max > 0 ? large_max : 0))
        make_small(threads);
}

void ss_threads_flush(struct engine *engine)
{
    struct threads *threads = engine->threads;
    for (size_t i = 0; i < threads->dirty.count; i++)
        threads->dirty.items[i]->dirty = false;
    for (size_t i = 0; i < threads->dirty.count; i++)
        ss_thread_flush(threads->dirty.items[i]);
    for (size_t i = 0; i < threads->dirty.count; i++)
        thread_rest(threads->dirty.items[i]);
    for (size_t i = 0; i < threads->dirty.count; i++)
        ss_still_join(threads->dirty.items[i]);
    threads->dirty.count = 0;
}

static void forget(struct thread *thread)
{
    ss_map_remove(&thread->facts.engine->threads->by_id, thread->facts.id);
    ss_thread_destroy(&thread);
}

// Whatever is used again is folded back from its rows.
static void keep_bounds(struct engine *engine)
{
    const struct threads *threads = engine->threads;
    const size_t size_max =
        (size_t)SS_IDLE_THREADS_MAX * (size_t)SS_IDLE_THREAD_SIZE;
    while (threads->idle_count > SS_IDLE_THREADS_MAX ||
           threads->idle_size > size_max) {
        struct thread *longest = threads->idle_first;
        ss_check(longest);
        ss_idle_leave(longest);
        if (is_idle(longest))
            forget(longest);
    }
}

static int64_t pack_at_ms(const struct thread *thread)
{
    return thread->used_ms + SS_IDLE_PACK_MS;
}

// Those that wait for this are packed at the next ticks, after what came
// meanwhile.
void ss_threads_pack(struct engine *engine)
{
    struct threads *threads = engine->threads;
    size_t left = SS_IDLE_PACK_STEP_MAX;
    for (; left > 0 && threads->idle_large &&
           engine->now_ms >= pack_at_ms(threads->idle_large);
         left--)
        make_small(threads);
    while (left > 0 && ss_still_pack(threads, engine->now_ms))
        left--;
}

static void pack_later(struct engine *engine)
{
    const struct thread *longest = engine->threads->idle_large;
    if (longest && !engine->options.keeps_rows)
        ss_engine_wake(engine, pack_at_ms(longest));
    if (engine->threads->still_first)
        ss_engine_wake(engine, ss_still_pack_at_ms(engine->threads));
}

bool ss_threads_evict(struct engine *engine)
{
    struct threads *threads = engine->threads;
    keep_bounds(engine);
    pack_later(engine);
    if (engine->now_ms < threads->evict_at_ms)
        return false;
    threads->evict_at_ms = engine->now_ms + SS_EVICT_EVERY_MS;
    for (struct ss_map_entry *e = threads->by_id.first, *next; e; e = next) {
        struct thread *thread = e->value;
        next = e->next;
        if (!is_idle(thread) ||
            engine->now_ms - thread->used_ms < engine->options.idle_ms)
            continue;
        forget(thread);
    }
    return true;
}

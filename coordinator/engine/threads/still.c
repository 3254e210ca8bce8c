// still.c - threads whose runs only wait: for tasks that are out, for a time,
// for a worker. They are not idle, and nothing of them is read meanwhile.
//
//   used longest ago first ... last
//
// When one has waited as long as an idle thread rests, or a shorter while where
// many wait, and a moment where no worker is there for them, its rows are
// packed as that one's are (idle.c). What the run works on, its levels with
// their state and tasks, stays: what comes for it finds it, and the first row
// behind that has the others unpacked.
#include "common/model/journal.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads_impl.h"

// Nothing is to be done for it before something comes from outside.
static bool is_still(const struct thread *thread)
{
    return thread->facts.state == THREAD_HOT && thread->idle.size == 0 &&
           ss_thread_is_quiet(thread) && !thread->facts.open &&
           !thread->dirty && thread->waiting.count == 0 && !thread->delete_to &&
           thread->deletion == DELETION_NONE;
}

static void pack(struct thread *thread)
{
    ss_still_leave(thread);
    if (!is_still(thread) ||
        ss_journal_size(thread->facts.journal) > SS_IDLE_PACK_SIZE_MAX ||
        !thread->facts.engine->threads->owner->packs(thread))
        return;
    ss_journal_pack(thread->facts.journal);
    SS_VEC_FINI(&thread->puts);
    SS_VEC_FINI(&thread->waiting);
}

void ss_still_join(struct thread *thread)
{
    struct threads *threads = thread->facts.engine->threads;
    if (thread->facts.engine->options.keeps_rows ||
        thread->idle.still.is_listed || !is_still(thread) ||
        ss_journal_is_packed(thread->facts.journal))
        return;
    thread->idle.still.prev = threads->still_last;
    thread->idle.still.is_listed = true;
    if (threads->still_last)
        threads->still_last->idle.still.next = thread;
    else
        threads->still_first = thread;
    threads->still_last = thread;
    threads->still_count++;
    if (thread->facts.engine->options.idle_large_max < 0)
        pack(thread);
}

int64_t ss_still_pack_at_ms(const struct threads *threads)
{
    const struct thread *longest = threads->still_first;
    if (!longest)
        return INT64_MAX;
    if (threads->still_count <= SS_STILL_LARGE_MAX)
        return longest->used_ms + SS_IDLE_PACK_MS;
    return longest->used_ms + (threads->owner->unserved(longest)
                                      ? SS_STILL_UNSERVED_PACK_MS
                                      : SS_STILL_PACK_MS);
}

bool ss_still_pack(struct threads *threads, int64_t now_ms)
{
    struct thread *longest = threads->still_first;
    if (!longest || now_ms < ss_still_pack_at_ms(threads))
        return false;
    pack(longest);
    return true;
}

// thread_verify.c - what holds of threads and known graphs between two steps
// (invariants.c has the list).
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/model/journal.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/thread.h"
#include "coordinator/engine/threads/threads.h"
#include "coordinator/engine/threads/threads_impl.h"
#include "coordinator/engine/threads/waiting.h"

// ------------------------------------------------ rows and their store

static void verify_rows(const struct thread *thread)
{
    bool is_hot = thread->facts.state == THREAD_HOT;
    ss_invariant(I12, (thread->facts.journal != NULL) == is_hot);
    ss_invariant(I13, !thread->facts.open && thread->open_writes == 0);
    if (!is_hot)
        ss_invariant(I143, thread->puts.count == 0 && thread->store_tag == 0);
    if (!is_hot)
        return;
    uint64_t head = ss_journal_head(thread->facts.journal);
    if (thread->deletion == DELETION_OUT)
        ss_invariant(I141, head == 0 && thread->store_tag != 0);
    ss_invariant(I142, thread->delete_to <= head);
    if (thread->deletion == DELETION_NONE)
        ss_invariant(I14,
            thread->facts.durable <= thread->issued && thread->issued <= head);
    if (thread->store_tag == 0)
        ss_invariant(I15, thread->issued == head && thread->puts.count == 0 &&
                              !thread->delete_to &&
                              thread->deletion != DELETION_ASKED);
    if (ss_journal_is_packed(thread->facts.journal))
        return;
    const struct ss_checkpoint_entry *newest =
        ss_journal_find(thread->facts.journal, "", NULL);
    if (newest)
        ss_invariant(I16,
            ss_uuid6_read(newest->row->checkpoint_id) <= thread->last_ticks);
}

static void verify_store(const struct thread *thread, struct census *census)
{
    struct engine *engine = thread->facts.engine;
    bool is_out = thread->store_tag != 0;
    ss_invariant(I17, thread->units == thread->units_durable + is_out);
    if (is_out && thread->deletion != DELETION_OUT)
        ss_invariant(I144, thread->store_to == thread->issued);
    ss_invariant(I145,
        thread->store_tag <= engine->tags && thread->load_tag <= engine->tags);
    if (is_out)
        ss_invariant(
            I18, ss_thread_awaits(engine, thread->store_tag) == thread);
    if (thread->facts.state == THREAD_LOADING)
        ss_invariant(I19, ss_thread_awaits(engine, thread->load_tag) == thread);
    census->awaited += is_out;
    census->awaited += thread->facts.state == THREAD_LOADING;
    census->stores += is_out;
}

static void verify_gate(const struct thread *thread)
{
    for (const struct gate_waiter *it = thread->held.waiters.first; it;
         it = it->next)
        ss_invariant(
            I247, it->line == &thread->held.waiters &&
                      it->seq > thread->facts.durable &&
                      it->seq <= ss_journal_head(thread->facts.journal));
    ss_invariant(I248, !thread->facts.engine->threads->let_through.first);
}

static void verify_held(const struct thread *thread)
{
    if (thread->held.count == 0)
        return;
    const struct gated *first = &thread->held.items[0];
    ss_invariant(I20, first->seq > thread->facts.durable ||
                          first->unit > thread->units_durable);
    ss_invariant(I21, thread->store_tag != 0);
    uint64_t head = ss_journal_head(thread->facts.journal);
    uint64_t last = thread->deletion != DELETION_NONE && thread->store_to > head
                        ? thread->store_to
                        : head + (thread->deletion == DELETION_ASKED);
    for (size_t i = 0; i < thread->held.count; i++)
        ss_invariant(
            I146, thread->held.items[i].seq <= last &&
                      thread->held.items[i].unit <= ss_thread_unit(thread));
}

// ------------------------------------------------ who uses it

static void verify_waiting(const struct thread *thread)
{
    size_t asked = 0;
    for (size_t i = 0; i < thread->waiting.count; i++) {
        const struct waiting *w = &thread->waiting.items[i];
        ss_invariant(I147, (w->request != NULL) != (w->run != NULL));
        ss_invariant(I147, (w->run != NULL) == (w->turn >= TURN_RECOVER));
        ss_invariant(I148, !w->request || w->request->peer);
        asked += w->request != NULL;
    }
    ss_invariant(I149, asked <= SS_REQUESTS_WAITING_MAX);
}

static void verify_use(const struct thread *thread)
{
    const struct engine *engine = thread->facts.engine;
    ss_invariant(I150, thread->used_ms <= engine->now_ms);
    if (thread->facts.is_unread)
        ss_invariant(I26, thread->facts.state == THREAD_COLD);
    if (thread->deletion != DELETION_NONE)
        ss_invariant(I28, thread->held.count > 0);
    if (thread->idle.size > 0)
        ss_invariant(
            I30, !engine->threads->owner->busy(thread) &&
                     thread->waiting.count == 0 && thread->held.count == 0 &&
                     thread->store_tag == 0 && !thread->facts.is_unread &&
                     thread->facts.state != THREAD_LOADING);
}

static void verify_idle(const struct engine *engine, struct census *census)
{
    const struct threads *threads = engine->threads;
    const struct thread *before = NULL, *large = NULL;
    size_t count = 0, size = 0, large_count = 0;
    for (const struct thread *it = threads->idle_first; it;
         before = it, it = it->idle.next) {
        ss_invariant(I31, it->idle.prev == before);
        ss_invariant(I250, !large || !it->idle.is_small);
        large = large || it->idle.is_small ? large : it;
        large_count += !it->idle.is_small;
        ss_invariant(I153, it->idle.size >= sizeof(*it));
        count++;
        size += it->idle.size;
    }
    ss_invariant(I32, engine->threads->idle_last == before);
    ss_invariant(
        I33, engine->threads->idle_count == count && census->idle == count);
    ss_invariant(I34, engine->threads->idle_size == size);
    ss_invariant(I251, threads->idle_large == large &&
                           threads->idle_large_count == large_count);
    ss_invariant(I154, count <= SS_IDLE_THREADS_MAX);
}

static void verify_still(const struct threads *threads, size_t listed)
{
    ss_invariant(I268, threads->still_count == listed);
    const struct thread *before = NULL;
    for (const struct thread *it = threads->still_first; it;
         before = it, it = it->idle.still.next, listed--) {
        ss_invariant(
            I266, it->idle.still.is_listed && it->idle.still.prev == before);
        ss_invariant(I267, it->idle.size == 0 && ss_thread_is_quiet(it));
    }
    ss_invariant(I266, threads->still_last == before && listed == 0);
}

void ss_threads_verify_rest(const struct engine *engine)
{
    ss_invariant(I5, engine->threads->gone.count == 0);
    ss_invariant(I7, !engine->shards->letting_go);
}

// ------------------------------------------------ shards

static void verify_shards(const struct engine *engine)
{
    struct shards *shards = engine->shards;
    struct ss_shards unread = shards->unread;
    size_t members = json_array_size(shards->members);
    uint16_t end = members < SS_NOBODY ? (uint16_t)members : SS_NOBODY;
    uint16_t unknown = 0;
    if (engine->options.shared) {
        ss_shards_leave(&unread, &shards->owned);
        ss_invariant(I155, ss_shards_count(&unread) == 0);
    }
    // After each step of a simulator: a compiler looks at several at once.
    for (size_t i = 0; i < SS_SHARDS; i++)
        unknown |= (uint16_t)((shards->owners[i] >= end) &
                              (shards->owners[i] != SS_NOBODY));
    ss_invariant(I157, unknown == 0);
}

// ------------------------------------------------ all of them

void ss_threads_verify(const struct engine *engine, struct census *census)
{
    const struct threads *threads = engine->threads;
    size_t still = 0;
    for (const struct ss_map_entry *e = threads->by_id.first; e; e = e->next) {
        const struct thread *thread = e->value;
        ss_invariant(I10, strcmp(e->key, thread->facts.id) == 0);
        ss_invariant(I11, ss_shard_owned(engine, thread->facts.id));
        ss_invariant(
            I156, ss_shard_epoch(engine, ss_shard_of(thread->facts.id)) > 0);
        verify_rows(thread);
        verify_store(thread, census);
        verify_gate(thread);
        verify_held(thread);
        verify_waiting(thread);
        verify_use(thread);
        census->idle += thread->idle.size > 0;
        still += thread->idle.still.is_listed;
        census->dirty += thread->dirty;
        census->seen++;
    }
    verify_idle(engine, census);
    verify_still(threads, still);
    verify_shards(engine);
    for (size_t i = 0; i < engine->threads->dirty.count; i++)
        ss_invariant(I22, engine->threads->dirty.items[i]->dirty);
    ss_invariant(I23, engine->threads->dirty.count == census->dirty);
    ss_invariant(I35, engine->threads->awaited.count == census->awaited);
    ss_invariant(I36, engine->threads->stores_out == census->stores);
}

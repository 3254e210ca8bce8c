// gate.c - what rests on rows that are not durable yet is held back (gate.def):
// lines of those who wait, and commands.
#include "coordinator/engine/threads/gate.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/journal.h"
#include "coordinator/engine/engine.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/step/state.h"
#include "coordinator/engine/step/step.h"
#include "coordinator/engine/threads/rows.h"
#include "coordinator/engine/threads/shards.h"
#include "coordinator/engine/threads/threads_impl.h"

static const struct {
    bool waits[3]; // by enum durability
} gates[] = {
#define X(name, sync, async, exit) {{sync, async, exit}},
#include "coordinator/engine/threads/gate.def"
#undef X
};

// ------------------------------------------------ lines

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
    ss_check(seq > thread->facts.durable);
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

// ------------------------------------------------ commands

uint64_t ss_thread_gate(
    const struct thread *thread, enum gate gate, enum durability durability)
{
    if (gates[gate].waits[durability])
        return ss_thread_head(thread);
    if (gate == GATE_DISPATCH && durability == DURABLE_ASYNC) {
        uint64_t head = ss_thread_head(thread);
        return head > SS_ASYNC_BACKLOG_MAX ? head - SS_ASYNC_BACKLOG_MAX : 0;
    }
    return 0;
}

// Between two supersteps a thread holds nothing: the room for it is everybody's
// in turn.
static void hold(struct thread *thread, const struct gated *gated)
{
    struct threads *threads = thread->facts.engine->threads;
    if (thread->held.capacity == 0 && threads->held_spare) {
        thread->held.items = threads->held_spare;
        thread->held.capacity = threads->held_spare_capacity;
        threads->held_spare = NULL;
    }
    SS_VEC_PUSH(&thread->held, *gated);
}

static void hold_no_more(struct thread *thread)
{
    enum { SPARE_MAX = 8 };
    struct threads *threads = thread->facts.engine->threads;
    ss_check(thread->held.count == 0);
    if (threads->held_spare || thread->held.capacity > SPARE_MAX) {
        SS_VEC_FINI(&thread->held);
        return;
    }
    threads->held_spare = thread->held.items;
    threads->held_spare_capacity = thread->held.capacity;
    thread->held.items = NULL;
    thread->held.capacity = 0;
}

void ss_thread_release_at(
    struct thread *thread, uint64_t seq, struct ss_command command)
{
    if (seq <= thread->facts.durable && thread->held.count == 0) {
        ss_engine_command(thread->facts.engine, command);
        return;
    }
    hold(thread, &(struct gated){seq, 0, command});
}

// The unit that holds what was put last.
uint64_t ss_thread_unit(const struct thread *thread)
{
    bool more = thread->puts.count > 0 || thread->facts.open ||
                (thread->facts.journal &&
                    ss_journal_head(thread->facts.journal) > thread->issued);
    return thread->units + more;
}

bool ss_thread_unit_is_durable(const struct thread *thread, uint64_t unit)
{
    return unit <= thread->units_durable;
}

bool ss_thread_holds_event(const struct thread *thread, const char *peer,
    uint64_t id, bool but_numbered)
{
    for (size_t i = 0; i < thread->held.count; i++) {
        const struct ss_command *held = &thread->held.items[i].command;
        if (held->type == SS_COMMAND_EVENT && held->id == id &&
            strcmp(held->peer, peer) == 0 &&
            !(but_numbered && json_object_get(held->json, "seq")))
            return true;
    }
    return false;
}

void ss_thread_release_all_at(
    struct thread *thread, enum gate gate, struct ss_command command)
{
    uint64_t seq =
        thread->facts.journal ? ss_thread_gate(thread, gate, DURABLE_SYNC) : 0;
    uint64_t unit = ss_thread_unit(thread);
    if (seq <= thread->facts.durable && unit <= thread->units_durable &&
        thread->held.count == 0) {
        ss_engine_command(thread->facts.engine, command);
        return;
    }
    hold(thread, &(struct gated){seq, unit, command});
}

static void release(struct thread *thread)
{
    size_t released = 0;
    while (released < thread->held.count &&
           thread->held.items[released].seq <= thread->facts.durable &&
           thread->held.items[released].unit <= thread->units_durable)
        ss_engine_command(
            thread->facts.engine, thread->held.items[released++].command);
    if (released == 0)
        return;
    thread->held.count -= released;
    if (thread->held.count == 0) {
        hold_no_more(thread);
        return;
    }
    memmove(thread->held.items, &thread->held.items[released],
        thread->held.count * sizeof(*thread->held.items));
}

void ss_gate_open(struct thread *thread)
{
    struct gate_waiter *next = NULL;
    for (struct gate_waiter *it = thread->held.waiters.first; it; it = next) {
        next = it->next;
        if (it->seq > thread->facts.durable)
            continue;
        ss_gate_leave(it);
        gate_join(&thread->facts.engine->threads->let_through, it);
    }
    release(thread);
}

void ss_gate_refuse(struct thread *thread, int status, const char *message)
{
    for (size_t i = 0; i < thread->held.count; i++) {
        struct ss_command *command = &thread->held.items[i].command;
        if (command->type == SS_COMMAND_REPLY)
            ss_reply_dropped(
                thread, command->peer, command->id, status, message);
    }
}

void ss_gate_drop(struct thread *thread)
{
    for (size_t i = 0; i < thread->held.count; i++)
        ss_command_fini(&thread->held.items[i].command);
    thread->held.count = 0;
}

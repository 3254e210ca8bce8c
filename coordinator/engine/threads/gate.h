// gate.h - who waits until rows of a thread are durable.
//
//   ss_gate_wait()  ->  the thread's line  --rows durable-->  those let through
//                                                              ss_gate_next()
//
// A waiter lies in what waits, and stands in at most one line. Whoever may go
// on is taken from the end of a step, so nobody looks at those who may not.
#ifndef SS_ENGINE_THREADS_GATE_H
#define SS_ENGINE_THREADS_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "coordinator/engine/engine.h"

struct engine;
struct thread;

enum durability { DURABLE_SYNC, DURABLE_ASYNC, DURABLE_EXIT };

// What must be durable before something may leave the process: gate.def.
enum gate {
#define X(name, sync, async, exit) GATE_##name,
#include "coordinator/engine/threads/gate.def"
#undef X
};

struct gate_waiter {
    struct gate_line *line; // NULL: it does not wait
    uint64_t seq;           // of the last row that it rests on
    struct gate_waiter *next, *prev;
};

// Zero bytes are an empty one.
struct gate_line {
    struct gate_waiter *first, *last;
};

// ------------------------------------------------ gate.c

// Wait for the rows up to `seq`, which are not durable yet.
void ss_gate_wait(
    struct thread *thread, struct gate_waiter *waiter, uint64_t seq);
// Out of its line; nothing, if it stands in none.
void ss_gate_leave(struct gate_waiter *waiter);
// The next of those whose rows have become durable, in that order; it waits no
// more. NULL: that was all.
struct gate_waiter *ss_gate_next(struct engine *engine);

// Give a command to the shell when `seq` rows are durable, in order. Takes what
// the command owns.
void ss_thread_release_at(
    struct thread *thread, uint64_t seq, struct ss_command command);
// The same, as `gate` says under `sync`, and behind records that come without a
// row.
void ss_thread_release_all_at(
    struct thread *thread, enum gate gate, struct ss_command command);
// The number of the unit that stores what was put last.
uint64_t ss_thread_unit(const struct thread *thread);
bool ss_thread_unit_is_durable(const struct thread *thread, uint64_t unit);
// An event for `id` of `peer` is held back; `but_numbered`: one without a
// number.
bool ss_thread_holds_event(const struct thread *thread, const char *peer,
    uint64_t id, bool but_numbered);
// The row that `gate` waits for under this durability: 0 for none.
uint64_t ss_thread_gate(
    const struct thread *thread, enum gate gate, enum durability durability);

#endif

// gate.h - who waits until rows of a thread are durable.
//
//   ss_gate_wait()  ->  the thread's line  --rows durable-->  those let through
//                                                              ss_gate_next()
//
// A waiter lies in what waits, and stands in at most one line. Whoever may go
// on is taken from the end of a step, so nobody looks at those who may not.
#ifndef SS_ENGINE_THREADS_GATE_H
#define SS_ENGINE_THREADS_GATE_H

#include <stdint.h>

struct engine;
struct thread;

struct gate_waiter {
    struct gate_line *line; // NULL: it does not wait
    uint64_t seq;           // of the last row that it rests on
    struct gate_waiter *next, *prev;
};

// Zero bytes are an empty one.
struct gate_line {
    struct gate_waiter *first, *last;
};

// Wait for the rows up to `seq`, which are not durable yet.
void ss_gate_wait(
    struct thread *thread, struct gate_waiter *waiter, uint64_t seq);
// Out of its line; nothing, if it stands in none.
void ss_gate_leave(struct gate_waiter *waiter);
// The next of those whose rows have become durable, in that order; it waits no
// more. NULL: that was all.
struct gate_waiter *ss_gate_next(struct engine *engine);
// Rows of the thread have become durable.
void ss_gate_open(struct thread *thread);

#endif

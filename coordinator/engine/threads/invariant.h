// invariant.h - what holds between two steps, each under its number.
//
// The list is atop invariants.c; every room looks at what it keeps itself, and
// counts on the way what the rooms above it hold against their own books.
// Nothing here changes anything.
#ifndef SS_ENGINE_THREADS_INVARIANT_H
#define SS_ENGINE_THREADS_INVARIANT_H

#include <stddef.h>

#include "common/base/check.h"

struct engine;

enum { CENSUS_STATES = 11 }; // as many as a task has (levels/loop.h)

// A check that stays on wherever it is reached, and says its number.
#define ss_invariant(number, claim)                                            \
    ((claim) ? (void)0                                                         \
             : ss_check_failed(#number ": " #claim, __FILE__, __LINE__))

// What a walk has seen.
struct census {
    size_t tasks[CENSUS_STATES]; // by enum task_state
    size_t expected;
    size_t resting; // loops between two supersteps
    size_t awaited; // tags of threads
    size_t stores;  // units under way
    size_t dirty;   // threads that a list has
    size_t idle;
    size_t idle_size;
    size_t runs;
    size_t queued;
    size_t seen; // things looked at: what the walk costs
};

// Each adds to the census what it saw.
void ss_threads_verify(const struct engine *engine, struct census *census);
void ss_graphs_verify(const struct engine *engine, struct census *census);

#endif

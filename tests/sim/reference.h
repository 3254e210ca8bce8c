// reference.h - what a graph must come to: a naive executor, written from the
// definition of a superstep. One thread, no journal, no retries, no questions
// (an answer is what plan_answer() says); it knows nothing of the engine.
#ifndef SS_TESTS_SIM_REFERENCE_H
#define SS_TESTS_SIM_REFERENCE_H

#include "tests/sim/plan.h"

struct reference; // a thread of one graph

struct reference *reference_new(const struct plan *plan);
void reference_free(struct reference *reference);
// Run the graph on this input (borrowed), after all inputs before it.
void reference_run(struct reference *reference, const json_t *input);
struct reference_update {
    size_t node; // it is as if this one had returned them
    json_t *values;
};
// Updates of a thread that is at rest, one after the other, and what follows
// from the last one (borrowed). Those before it are as nodes that nothing
// follows.
void reference_update(struct reference *reference,
    const struct reference_update *updates, size_t count);
// The values after the last superstep. Borrowed.
json_t *reference_values(const struct reference *reference);
// Those after each superstep since the last input, that of the input first.
// Borrowed list.
json_t *reference_steps(const struct reference *reference);
// How often a body ran since the last input (those inside included).
uint64_t reference_bodies(const struct reference *reference);

#endif

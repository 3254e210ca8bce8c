// bench.h - one loop of the engine on the bench: no run, no clients, only a
// graph and its state; rules of plan and update are tried on it.
#ifndef SS_TESTS_UNIT_ENGINE_BENCH_H
#define SS_TESTS_UNIT_ENGINE_BENCH_H

#include <check.h>

#include "tests/stories/world.h"

// The loop of the graph `description` (taken), on a new thread.
struct loop *bench_begin(json_t *description);
void bench_end(void);

// One task of a superstep, as text: what it read is its triggers (names with
// spaces between), what it wrote a js list [[channel, value]...].
struct deed {
    const char *path;
    const char *node;
    const char *triggers; // NULL: none (the input)
    const char *writes;   // NULL: none
};

// Apply them (R4); what was updated becomes loop->updated. SS_OK or the error,
// with the channel at fault in bench_fault() and the message in bench_error().
int bench_apply(const struct deed *deeds, size_t count);
const char *bench_fault(void);
const char *bench_error(void);

#define APPLY(...)                                                             \
    bench_apply((const struct deed[]){__VA_ARGS__},                            \
        sizeof((const struct deed[]){__VA_ARGS__}) / sizeof(struct deed))

// Each fails the test with both texts. js objects: stored forms, versions
// (those that are there), versions seen; a js list of names: updated.
void bench_values(const char *expected);
void bench_versions(const char *expected);
void bench_seen(const char *expected);
void bench_updated(const char *expected);
// Names of the tasks that are planned, in their order: "send t, b, c".
void bench_plans(bool execute, const char *expected);

// Run a suite of tests of the bench.
int bench_suite(const char *name, const TTest *const *tests, size_t count);

// Takes `is`; keys may stand in any order.
void bench_json(json_t *is, const char *expected);

#endif

// bench.h - one machine on the bench: no engine, no run, only a graph and its
// state; rules of plan, update, delta and load are tried on it.
#ifndef SS_TESTS_UNIT_PREGEL_BENCH_H
#define SS_TESTS_UNIT_PREGEL_BENCH_H

#include <check.h>

#include "common/pregel/pregel.h"
#include "tests/stories/world.h"

struct ss_journal;

struct bench {
    struct ss_graph *graph;
    struct ss_machine *machine;
    struct ss_superstep at;        // where it stands: step -1
    struct ss_planned_tasks tasks; // of the last bench_plans()
    struct ss_arena memory;        // of their texts
    struct ss_journal *journal;    // what bench_save() made; or NULL
    uint64_t base_seq;
    // of the next updates
    const struct ss_fold_value *folds;
    size_t folds_count;
    bool is_view;
    bool not_folded; // of the last one
    bool is_walled;  // not all of the graph may be looked at
};

// The machine of the graph `description` (taken), without a checkpoint.
struct bench *bench_begin(json_t *description);
void bench_end(void);
struct ss_machine *bench_machine(void);
// The state says so, wherever it is from.
void bench_version(const char *channel, int64_t version);

// One task of a superstep, as text: what it read is its triggers (names with
// spaces between), what it wrote a js list [[channel, value]...].
struct deed {
    const char *path;
    const char *node;
    const char *triggers; // NULL: none (the input)
    const char *writes;   // NULL: none
};

// Apply them (R4); what was updated is known then. SS_OK or the error,
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
// NULL: whichever.
void bench_plans(bool execute, const char *expected);

// What moved becomes a row; `whole`, or the first: all of it.
void bench_save(bool whole);
// Its part of the last one.
const struct ss_row_checkpoint *bench_row(void);
// Another machine, with what the rows hold. `description` (taken): of another
// graph; or NULL.
void bench_reload(json_t *description);

// Run a suite of tests of the bench.
int bench_suite(const char *name, const TTest *const *tests, size_t count);

// Takes `is`; keys may stand in any order.
void bench_json(json_t *is, const char *expected);

#endif

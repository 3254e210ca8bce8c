// work.h - the graph of the tests of single orders: a node "work" with the body
// of the test at hand, and a node "choose" with its router.
#ifndef SS_TESTS_WORKER_WORK_H
#define SS_TESTS_WORKER_WORK_H

#include <check.h>

#include "tests/unit/worker/bench.h"

extern struct bench b;
extern ss_node_fn *body;     // of "work"
extern ss_router_fn *router; // of "choose"
extern int work_number;      // 42: what both have as their ctx

int work_idle(struct ss_task *task); // a body that does nothing
// One run of "work" with this body, as bench_told() tells it.
const char *run_body(ss_node_fn *function, const char *input);
// The suite of that name; returns main's.
int work_main(const char *name, void (*add_tests)(TCase *tcase));

#endif

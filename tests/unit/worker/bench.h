// bench.h - run single orders of an application in a test, without a process.
#ifndef SS_TESTS_WORKER_BENCH_H
#define SS_TESTS_WORKER_BENCH_H

#include "worker/execute.h"

struct bench {
    struct ss_application *application;
    struct ss_assignment *order; // filled by bench_order(), to be changed
    struct ss_outcome *outcome;  // of the last bench_run()
    struct ss_execute_hooks hooks;
    json_t *live;      // what bodies showed: [[kind, item], ...]
    unsigned progress; // signs of it
    bool is_cancelled;
};

// An application of one graph named "g". Stops the test if it does not compile.
void bench_init(struct bench *bench, ss_graph_fn *define);
void bench_fini(struct bench *bench);
// A new order for `node` with this input, as JSON text.
struct ss_assignment *bench_order(
    struct bench *bench, const char *node, const char *input);
const struct ss_outcome *bench_run(struct bench *bench);
// The outcome as one text: "done log=[1] branch:to:next=null",
// "interrupted {...}", "failed node_failed (kind): message", "parent {...}".
// Borrowed until the next run.
const char *bench_told(struct bench *bench);

#endif

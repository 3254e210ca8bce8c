// waits.h - tasks that wait for the same, told together (waits.c).
#ifndef SS_ENGINE_REQUESTS_WAITS_H
#define SS_ENGINE_REQUESTS_WAITS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model/wait_reason.h"

struct task;

// Tasks of one node, of any run and in any of its loops.
struct wait {
    const struct task *task; // that of them which failed most; else the first
    enum ss_wait_reason why;
    const char *worker; // RUNNING: where
    size_t count;
    int64_t next_ms, last_ms; // BACKOFF: from now, the first and the last try
    bool of_many;             // they are of several runs
    bool of_limits;           // LIMIT: they wait for several values' ones
};

// SS_EXPLAIN_WAITS_MAX kinds at most.
struct waits {
    struct wait *items;
    size_t count, capacity;
};

// Nothing, where it waits for nothing.
void ss_waits_add(struct waits *waits, const struct task *task);
// Empties the list. `of_runs`: with their graph and, where it is one, the run.
// Gives.
json_t *ss_waits_json(struct waits *waits, bool of_runs);
// How often it failed, with what, and when it is tried again.
void ss_wait_set_backoff(json_t *json, const struct task *task);

#endif

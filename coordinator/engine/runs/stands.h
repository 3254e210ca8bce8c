// stands.h - how a thread stands, as its record says it.
#ifndef SS_ENGINE_RUNS_STANDS_H
#define SS_ENGINE_RUNS_STANDS_H

#include <jansson.h>
#include <stdbool.h>

#include "common/model/run_status.h"

struct loop;
struct run;
struct ss_pendings;
struct thread;

// A run has ended so, with this result.
void ss_thread_ran(
    const struct run *run, enum ss_run_status status, const json_t *result);
// Its state was written to from outside; whether it has something to do now.
void ss_thread_was_changed(struct thread *thread, bool has_next);
// It was made elsewhere, and stands as its newest checkpoint does: `view`, with
// its tasks planned, or (NULL: nobody knows its graph) what is pending there,
// which tells its questions and nothing else. It stands so since `wall_us`, by
// the clock of where it was made.
void ss_thread_was_made(struct thread *thread, const struct loop *view,
    const struct ss_pendings *pending, int64_t wall_us);

// Why it failed, or was stopped, as people are told it. Gives; NULL: neither.
json_t *ss_run_error(const struct run *run);
// What its configuration says for people to find it by, borrowed; NULL:
// nothing, or (*ret_is_long) more than a list can hold.
json_t *ss_run_metadata(const struct run *run, bool *ret_is_long);

#endif

// body_log.h - what the worker's log says of bodies: their own lines, and the
// attempts that failed.
//
// Attempts that fail are told of as they come, and counted where they are too
// many for that (SS_HOST_FAILURES_MAX in SS_HOST_FAILURES_MS).
#ifndef SS_WORKER_BODY_LOG_H
#define SS_WORKER_BODY_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/model/task.h"

// All zero: none has failed yet. Whoever shares it between threads has a mutex
// for it.
struct ss_body_log_limit {
    int64_t since_ms; // when the present time began
    unsigned told;    // in it
    unsigned left_out;
};

// One more attempt has failed at `now_ms`. True: there is room to tell of it;
// *ret_left_out were left out since the last one that was told of. False: the
// attempt is counted as left out.
bool ss_body_log_is_room(
    struct ss_body_log_limit *limit, int64_t now_ms, unsigned *ret_left_out);
// Say that the attempt failed and why, after a line for those left out.
void ss_body_log_failure(const struct ss_assignment *order,
    const struct ss_outcome *outcome, unsigned left_out);
// A line of the body's own (ss_log()).
void ss_body_log_text(const struct ss_assignment *order, const char *text);

#endif

// execute.h - run one order to its outcome: body, routers, writers.
//
//   order -> body (input, answers) -> what it returned -> writers, routers
//         -> outcome: a complete list of writes, or why there is none
//
// Used by a worker's threads and by the local runner. Nothing is shared between
// two calls but the application, which is immutable: call it from any thread.
#ifndef SS_WORKER_EXECUTE_H
#define SS_WORKER_EXECUTE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/model/task.h"
#include "worker/application.h"

// Functions that a running body calls. Each may be NULL. Called on the thread
// that runs the body.
struct ss_execute_hooks {
    // Right before the body: may it begin? False: ss_execute() gives NULL.
    bool (*may_begin)(void *ctx, const struct ss_assignment *order);
    // Something to show at once: custom items and message chunks; called only
    // where order->want_* says so. Borrows `item`.
    void (*live)(void *ctx, const struct ss_assignment *order,
        enum ss_live_kind kind, json_t *item);
    // A sign of progress; `is_heartbeat`: the author's own (R6.27).
    void (*progress)(
        void *ctx, const struct ss_assignment *order, bool is_heartbeat);
    // Should the body stop?
    bool (*cancelled)(void *ctx, const struct ss_assignment *order);
    // Milliseconds until the attempt times out; INT64_MAX: never.
    int64_t (*left_ms)(void *ctx, const struct ss_assignment *order);
    // A line of the author's log. NULL: standard error.
    void (*log)(void *ctx, const struct ss_assignment *order, const char *text);
    void *ctx;
};

// Run `order` (borrowed). Gives an outcome, unless hooks->may_begin says that
// its body may not begin: then NULL. Errors of the author's code are in the
// outcome (spec/engine.md R6.4, R7.1-R7.3, R7.21, R10.13).
//   DONE         writes, or `folded`
//   INTERRUPTED  question
//   FAILED       code: SS_ENODE (the body or router failed), SS_EANSWER (an
//                answer of another type), SS_EUPDATE, SS_EROUTE, SS_EINVAL
//                (what it returned), SS_ENOTFOUND, SS_EVERSION (this
//                application does not have that node)
//   PARENT       the command
//   CANCELLED    the body stopped because it was cancelled
// With each: the answers that the body was given. `hooks` may be NULL.
struct ss_outcome *ss_execute(const struct ss_application *application,
    const struct ss_assignment *order, const struct ss_execute_hooks *hooks);

// An outcome of an attempt that failed with this text. Gives. Takes nothing.
struct ss_outcome *ss_outcome_failed(const struct ss_assignment *order,
    int code, enum ss_retryable retryable, const char *format, ...)
    SS_PRINTF(4, 5);

#endif

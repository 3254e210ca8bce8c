// supervise.h - several workers, each a process of its own, so that a crash in
// one body's code costs one of them.
#ifndef SS_WORKER_SUPERVISE_H
#define SS_WORKER_SUPERVISE_H

#include "worker/shell.h"

// A worker's exit codes: with 0 or these a worker ended on purpose; every other
// end is a crash.
enum { SS_WORKER_EXIT_APPLICATION = 2, SS_WORKER_EXIT_REFUSED = 3 };

// Be one worker in this process. Errors go to the log. Returns the exit code.
int ss_worker_run_one(const struct ss_worker_options *options);

// Fork `count` workers, named NAME/1 ... (options->name, or "host/pid" each).
// A crashed one is started again, at once and then after longer and longer
// pauses, and the log says so. SIGTERM or SIGINT drains all; a second one kills
// them. Returns the exit code: the first that was not 0, or 0. Call it before
// any use of ZeroMQ and before any thread.
int ss_worker_supervise(
    const struct ss_worker_options *options, unsigned count);

#endif

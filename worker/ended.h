// ended.h - the word of a supervisor: the process of a worker has ended.
#ifndef SS_WORKER_ENDED_H
#define SS_WORKER_ENDED_H

#include "worker/shell.h"

// Tell the coordinators of options->endpoint, and those that they know of, that
// the process of the worker options->name has ended, and how ("signal 11").
// Waits a moment for each that does not answer; who is not reached finds out by
// the lease. Call it in a process that has not used ZeroMQ.
void ss_worker_tell_ended(
    const struct ss_worker_options *options, const char *how);

#endif

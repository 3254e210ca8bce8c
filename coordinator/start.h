// start.h - opening a coordinator, whose store may not answer.
//
//   caller's thread                       a thread of its own
//   looks, tells, hears signals  <----    ss_coordinator_open(): asks and waits
//
// Before the loop runs nothing else could report what is waited for, or end the
// start. Once the coordinator is open the loop watches the store itself
// (watch.c).
#ifndef SS_COORDINATOR_START_H
#define SS_COORDINATOR_START_H

#include "coordinator/shell.h"

// As ss_coordinator_open(). A store that does not answer is reported in the
// log, by /health and as a metric, and waited for, until `signal_fd` is
// readable (no signal is taken from it). Then *ret_has_ended is false, the
// error is SS_ETIMEOUT, the thread waits on, and nothing but _exit() may
// follow.
int ss_start_open(const struct ss_coordinator_options *options, int signal_fd,
    struct ss_coordinator **ret_coordinator, bool *ret_has_ended,
    struct ss_error *error) SS_MUST_USE;

#endif

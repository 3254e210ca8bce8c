// host.h - the threads that run bodies.
//
//   event loop                            threads (at most `threads`)
//   ss_host_start(order)   -> a list
//   ss_host_go()           -> queue   ->  ss_execute()
//   ss_host_stop_body()    -> a flag  ->  ss_cancelled()
//   ss_host_take()         <- reports <-  progress, items, outcomes
//   ss_host_fd() readable  <- one byte
//   ss_host_watch()        -- who blocks, who waits
//   ss_host_run_own()      -- a small one, in the loop's own thread
//
// Everything is handed over under one mutex; a body that shows more than the
// loop takes has to wait.
//
// A wake-up costs more than a small body. So threads are woken by what the
// bodies of a node took when they last ran: one each for those that took long,
// and for those that never ran; one for many of the quick ones, whose outcomes
// leave in lists. Where a quick body takes long after all, ss_host_watch()
// finds it, and all that wait behind it get threads.
//
// A quick body that is alone needs no wake-up at all: the loop runs it itself,
// and another thread takes the loop over if it takes long after all (lead.h).
#ifndef SS_WORKER_HOST_H
#define SS_WORKER_HOST_H

#include "common/model/task.h"
#include "worker/application.h"
#include "worker/host_reports.h"
#include "worker/lead.h"

struct ss_host;

struct ss_host_options {
    const struct ss_application *application; // borrowed for the host's life
    unsigned threads;                         // started when first needed
};

// Gives *ret_host. SS_EIO: no pipe.
int ss_host_new(const struct ss_host_options *options,
    struct ss_host **ret_host, struct ss_error *error) SS_MUST_USE;
// Tell all bodies to stop, and begin no other. True: none runs any more.
bool ss_host_end(struct ss_host *host);
// The same, and join the threads if no body runs; otherwise they last until the
// end of the process, which must follow. True: joined.
bool ss_host_destroy(struct ss_host **host);

// Readable while there is something to take that should not wait for more.
int ss_host_fd(const struct ss_host *host);
// Run it with the next ss_host_go(), if its body can begin before
// `begin_by_ms` (ss_session_may_begin); else it comes back. Takes `order`.
void ss_host_start(
    struct ss_host *host, struct ss_assignment *order, int64_t begin_by_ms);
// Hand over what was started. A quick body that is alone stays, if `keeps`, and
// is handed over with the next one or run by ss_host_run_own(). True: something
// was started since the last call.
bool ss_host_go(struct ss_host *host, bool keeps);
bool ss_host_has_own(const struct ss_host *host);
// Run the body that stayed, in this thread. False: the loop, and `host` as far
// as it is the loop's, were lost to another one meanwhile.
bool ss_host_run_own(struct ss_host *host, struct ss_lead *lead);
// Before the loop sleeps: threads for those who wait behind a body that takes
// longer than it used to. When to ask again; INT64_MAX: not before something
// happens.
int64_t ss_host_watch(struct ss_host *host, int64_t now_ms);
// Tell the body of an attempt to stop (ss_cancelled()).
void ss_host_stop_body(struct ss_host *host, struct ss_attempt attempt);

// Gives *ret_reports; false: nothing is there. To be asked each time that the
// loop wakes, also where the descriptor says nothing.
bool ss_host_take(struct ss_host *host, struct ss_host_reports *ret_reports);

#endif

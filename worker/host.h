// host.h - the threads that run bodies.
//
//   event loop                            threads (at most `threads`)
//   ss_host_start(order)   -> queue   ->  ss_execute()
//   ss_host_stop_body()    -> a flag  ->  ss_cancelled()
//   ss_host_take()         <- reports <-  progress, items, outcomes
//   ss_host_fd() readable  <- one byte
//
// Handed over under one mutex; whoever shows more than the loop takes waits.
#ifndef SS_WORKER_HOST_H
#define SS_WORKER_HOST_H

#include "common/model/task.h"
#include "worker/application.h"

struct ss_host;

struct ss_host_options {
    const struct ss_application *application; // borrowed for the host's life
    unsigned threads;                         // started when first needed
};

// Gives *ret_host. SS_EIO: no pipe.
int ss_host_new(const struct ss_host_options *options,
    struct ss_host **ret_host, struct ss_error *error) SS_MUST_USE;
// Tell all bodies to stop and join the threads, if no body runs; else leave
// them to the end of the process, which must follow. True: joined.
bool ss_host_destroy(struct ss_host **host);

// Readable while there is something to take.
int ss_host_fd(const struct ss_host *host);
// Run it, if its body can begin before `begin_by_ms` (ss_session_may_begin);
// else it comes back. Takes `order`.
void ss_host_start(
    struct ss_host *host, struct ss_assignment *order, int64_t begin_by_ms);
// Tell the body of an attempt to stop (ss_cancelled()).
void ss_host_stop_body(struct ss_host *host, struct ss_attempt attempt);

struct ss_host_item {
    struct ss_attempt attempt;
    enum ss_live_kind kind;
    struct ss_value *value; // encoded
};

struct ss_host_sign {
    struct ss_attempt attempt;
    bool is_heartbeat;
};

// What was reported since last time; in time the signs of progress come before
// the items, and the items of an attempt before its outcome.
struct ss_host_reports {
    struct ss_host_sign *signs;
    size_t signs_count, signs_capacity;
    struct ss_host_item *items;
    size_t items_count, items_capacity;
    struct ss_outcome **outcomes;
    size_t outcomes_count, outcomes_capacity;
    struct ss_assignment **unbegun; // it was too late for them
    size_t unbegun_count, unbegun_capacity;
};

// Gives *ret_reports; false: nothing is there.
bool ss_host_take(struct ss_host *host, struct ss_host_reports *ret_reports);
// Free the lists and the items' values; outcomes and orders that are still
// counted, too.
void ss_host_reports_fini(struct ss_host_reports *reports);

#endif

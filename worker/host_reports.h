// host_reports.h - what bodies have reported, and the loop has not taken yet.
//
// Four lists that grow as they must. Threads add to them and the loop takes all
// of them at once; whoever shares them has a mutex for that. Nothing here calls
// for room: a host lets bodies wait that show too much.
#ifndef SS_WORKER_HOST_REPORTS_H
#define SS_WORKER_HOST_REPORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/model/task.h"

struct ss_host_item {
    struct ss_attempt attempt;
    enum ss_live_kind kind;
    struct ss_value *value; // encoded
};

struct ss_host_sign {
    struct ss_attempt attempt;
    bool is_heartbeat;
};

// What was reported since the last call. The signs of progress came before the
// items, and the items of an attempt before its outcome.
struct ss_host_reports {
    struct ss_host_sign *signs;
    size_t signs_count, signs_capacity;
    struct ss_host_item *items;
    size_t items_count, items_capacity;
    struct ss_outcome **outcomes;
    size_t outcomes_count, outcomes_capacity;
    struct ss_assignment **unbegun; // orders that it was too late to begin
    size_t unbegun_count, unbegun_capacity;
};

// Take the item's value.
void ss_host_report_item(
    struct ss_host_reports *reports, struct ss_host_item item);
void ss_host_report_sign(
    struct ss_host_reports *reports, struct ss_host_sign sign);
// Take the outcome.
void ss_host_report_outcome(
    struct ss_host_reports *reports, struct ss_outcome *outcome);
// Take the order.
void ss_host_report_unbegun(
    struct ss_host_reports *reports, struct ss_assignment *order);
// Free the lists and the values of the items, and all outcomes and orders up to
// their counts.
void ss_host_reports_fini(struct ss_host_reports *reports);

#endif

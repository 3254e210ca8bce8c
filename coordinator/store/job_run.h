// job_run.h - the store actor's jobs, done in the thread that calls.
#ifndef SS_STORE_JOB_RUN_H
#define SS_STORE_JOB_RUN_H

#include "coordinator/store/store_actor.h"

struct ss_jobs_stats {
    uint64_t commits, units, units_max;
};

// Do the next of *jobs: all units that may share a commit (made with `epoch`),
// or one other job. Takes those jobs out of the list. Gives them as a list, in
// order.
struct ss_job *ss_jobs_run_some(struct ss_store *store, uint64_t epoch,
    struct ss_job **jobs, struct ss_jobs_stats *stats);
// One unit without a job. Gives what its job's status would be, with the
// message in `error`.
int ss_unit_run(struct ss_store *store, uint64_t epoch,
    struct ss_store_unit *unit, struct ss_jobs_stats *stats,
    struct ss_error *error) SS_MUST_USE;

#endif

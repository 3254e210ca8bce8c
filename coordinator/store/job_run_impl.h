// job_run_impl.h - what job_run.c hands on.
#ifndef SS_STORE_JOB_RUN_IMPL_H
#define SS_STORE_JOB_RUN_IMPL_H

#include "coordinator/store/store.h"

// The job FIND: fills its entries, and where they go on. Its status.
int ss_job_find(struct ss_store *store, struct ss_job *job);

#endif

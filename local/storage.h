// storage.h - jobs of the core for its store, done at once.
#ifndef SS_LOCAL_STORAGE_H
#define SS_LOCAL_STORAGE_H

#include "common/base/status.h"
#include "coordinator/job/job.h"

struct ss_storage;

// Errors as ss_store_open().
int ss_storage_open(const char *url, struct ss_storage **ret_storage,
    struct ss_error *error) SS_MUST_USE;
void ss_storage_close(struct ss_storage **storage);

// Its rows need no bytes: nobody else reads them.
bool ss_storage_keeps_rows(const struct ss_storage *storage);
// Take an epoch, a number that this store never gave before: it names this
// owner's attempts. Errors of the store; SS_EBUSY: coordinators that share the
// store are running. When another process takes an epoch, this one is fenced
// off (SS_EFENCED).
int ss_storage_epoch(struct ss_storage *storage, uint64_t *ret_epoch,
    struct ss_error *error) SS_MUST_USE;
// Whether it has a row or a record of that thread. True where it cannot say:
// who reads the thread is told why.
bool ss_storage_knows(struct ss_storage *storage, const char *thread);
// Apply a unit, which is borrowed, at once. Gives what a job's status would be.
int ss_storage_apply(struct ss_storage *storage, struct ss_store_unit *unit,
    struct ss_error *error) SS_MUST_USE;
// Takes `job`.
void ss_storage_submit(struct ss_storage *storage, struct ss_job *job);
// The next job that was done; NULL: there is none. Gives.
struct ss_job *ss_storage_take(struct ss_storage *storage);

#endif

// storage.h - what the engine asks of its store, done at once and answered as
// events.
#ifndef SS_LOCAL_STORAGE_H
#define SS_LOCAL_STORAGE_H

#include "common/base/status.h"
#include "coordinator/engine/engine.h"

struct ss_storage;

// Errors as ss_store_open().
int ss_storage_open(const char *url, struct ss_storage **ret_storage,
    struct ss_error *error) SS_MUST_USE;
void ss_storage_close(struct ss_storage **storage);

// A number that was never given for this store before: names this owner's
// attempts. Errors of the store; SS_EBUSY: coordinators that share it are at
// work. Another process that takes one ends this one's (SS_EFENCED).
int ss_storage_epoch(struct ss_storage *storage, uint64_t *ret_epoch,
    struct ss_error *error) SS_MUST_USE;
// Call `found` for each graph, and for each run that has not ended. Borrows.
typedef void ss_storage_record_fn(void *ctx, json_t *value);
int ss_storage_each_graph(struct ss_storage *storage,
    ss_storage_record_fn *found, void *ctx, struct ss_error *error) SS_MUST_USE;
int ss_storage_each_open(struct ss_storage *storage,
    ss_storage_record_fn *found, void *ctx, struct ss_error *error) SS_MUST_USE;
// Calls `found` once, with a list.
int ss_storage_pauses(struct ss_storage *storage, ss_storage_record_fn *found,
    void *ctx, struct ss_error *error) SS_MUST_USE;

// Carry out a STORE, READ, SCAN or GET. Its answer waits for the next call.
void ss_storage_submit(
    struct ss_storage *storage, const struct ss_command *command);
// The next answer, without times; false if there is none. Valid until the next
// call of this function.
bool ss_storage_next(struct ss_storage *storage, struct ss_event *ret_event);

#endif

// store_codec.h - between engine and store: from commands to jobs, from done
// jobs to events. Shared by the coordinator's shell and the local runner.
//
//   STORE {rows, puts}  -> APPLY unit of encoded rows and JSON texts -> STORED
//   READ, SCAN, GET     -> READ, SCAN, GET                   -> ROWS, RECORDS
//
// A run's record stands in SS_TABLE_OPEN until it has ended, and then for ever
// in SS_TABLE_RUNS; where the engine says so (for older coordinators) it stands
// there from the first.
//
// Each row carries the checksum of the row before it; the codec remembers the
// last checksum of each thread that the engine has, as it was read or written.
// Where the engine wants it, records that change with rows carry that of the
// last row (journal_head.h). Where rows are kept as they are there are no
// checksums. The codec decides nothing.
#ifndef SS_CORE_STORE_CODEC_H
#define SS_CORE_STORE_CODEC_H

#include "common/base/status.h"
#include "coordinator/engine/engine.h"
#include "coordinator/job/job.h"

struct ss_store_codec;

// `keeps_rows`: they stay as they are, and nothing is encoded or decoded.
struct ss_store_codec *ss_store_codec_new(bool keeps_rows);
void ss_store_codec_destroy(struct ss_store_codec **codec);

// The job for a STORE, READ, SCAN or GET. Gives *ret_job. Errors: SS_ELIMIT, a
// row is larger than a store takes; nothing is submitted then, and the caller
// answers the engine with it.
int ss_store_codec_job(struct ss_store_codec *codec,
    const struct ss_command *command, struct ss_job **ret_job,
    struct ss_error *error) SS_MUST_USE;

// The unit of a STORE where rows are kept as they are, with all its texts in
// the command. It borrows the command and the codec: until the next call.
void ss_store_codec_unit(struct ss_store_codec *codec,
    const struct ss_command *command, struct ss_store_unit *ret_unit);

// The event for the engine with the result of `job` (borrowed: it must live as
// long as the event). The caller adds the times. Rows are decoded here: a
// damaged one is an event with status SS_ECORRUPT.
void ss_store_codec_event(struct ss_store_codec *codec, struct ss_job *job,
    struct ss_event *ret_event);
// Frees what ss_store_codec_event() made; rows belong to the engine by then.
void ss_store_codec_event_fini(struct ss_event *event);

// Forget threads that the engine has forgotten: it reads them again before it
// writes to them. It is cheap; call it once a turn.
void ss_store_codec_tidy(
    struct ss_store_codec *codec, const struct ss_engine *engine);

#endif

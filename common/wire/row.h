// row.h - a journal row's body: ss_row <-> bytes
// (proto/superstep/v1/journal.proto).
//
// The body holds the row's parts, `of` and what it voids; the columns (seq,
// kind, run, ns, ids, step, times, metadata) travel beside it and are their
// owner's to set. The body's last field is a hash of the rest: a flipped bit is
// recognised, and values need not be looked into.
#ifndef SS_WIRE_ROW_H
#define SS_WIRE_ROW_H

#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/wire/tail.h"

// Write the body of `row` in front of what `tail` has. SS_ELIMIT: it has more
// than SS_ROW_SIZE_MAX bytes, or `tail` has no room; then `tail` is of no use.
int ss_row_encode(const struct ss_row *row, struct ss_tail *tail,
    struct ss_error *error) SS_MUST_USE;
// Gives a row with everything but the columns; its `size` is that of the body.
// SS_ECORRUPT: damaged. SS_ELIMIT: it asks for too much memory.
int ss_row_decode(const void *bytes, size_t size, struct ss_row **ret,
    struct ss_error *error) SS_MUST_USE;

#endif

// batch.h - a message made piece by piece.
//
// TASKS, CANCEL, SETTLED, DONE and LIVE are lists. A shell encodes each piece
// for a peer as soon as it knows it, and sends the pieces as one message:
// nothing else has to be kept or copied until then.
#ifndef SS_WIRE_BATCH_H
#define SS_WIRE_BATCH_H

#include "common/wire/message.h"

// Append one piece to `pieces`. On an error nothing was added: SS_ELIMIT,
// SS_EFORMAT as ss_message_encode().
int ss_batch_add_order(struct ss_buf *pieces, const struct ss_assignment *order,
    struct ss_error *error) SS_MUST_USE;
int ss_batch_add_outcome(struct ss_buf *pieces,
    const struct ss_outcome *outcome, struct ss_error *error) SS_MUST_USE;
int ss_batch_add_live(struct ss_buf *pieces, const struct ss_live_item *item,
    struct ss_error *error) SS_MUST_USE;
int ss_batch_add_attempt(struct ss_buf *pieces, struct ss_attempt attempt,
    struct ss_error *error) SS_MUST_USE;
// The message of `type` with these pieces, into `ret` (reset first).
int ss_batch_encode(enum ss_message_type type, const struct ss_buf *pieces,
    struct ss_buf *ret, struct ss_error *error) SS_MUST_USE;

#endif

// work.h - orders and outcomes between structs and unpacked messages.
#ifndef SS_WIRE_WORK_H
#define SS_WIRE_WORK_H

#include "common/base/status.h"
#include "common/model/task.h"
#include "common/wire/fields.h"
#include "common/wire/message.h"
#include "common/wire/tail.h"

Superstep__V1__Attempt *ss_pack_attempt(
    struct ss_packer *packer, struct ss_attempt attempt);
struct ss_attempt ss_take_attempt(const Superstep__V1__Attempt *packed);

// *ret_is_doubtful: perhaps nobody could decode it; ss_wire_scan() knows.
// SS_EFORMAT, SS_ELIMIT: a value cannot be sent.
int ss_pack_order(struct ss_tail *tail, const struct ss_assignment *order,
    bool *ret_is_doubtful, struct ss_error *error) SS_MUST_USE;
// Gives.
int ss_take_order(const Superstep__V1__Order *packed,
    struct ss_assignment **ret_order, struct ss_error *error) SS_MUST_USE;

// As ss_pack_order().
int ss_pack_outcome(struct ss_tail *tail, const struct ss_outcome *outcome,
    bool *ret_is_doubtful, struct ss_error *error) SS_MUST_USE;
// Gives.
int ss_take_outcome(const Superstep__V1__Outcome *packed,
    struct ss_outcome **ret_outcome, struct ss_error *error) SS_MUST_USE;

// The value in `item` stays its owner's.
Superstep__V1__LiveItem *ss_pack_live(
    struct ss_packer *packer, const struct ss_live_item *item);

Superstep__V1__Offer **ss_pack_offers(
    struct ss_packer *packer, const struct ss_offer *offers, size_t count);
// Gives: also on a failure, what was taken before it.
int ss_take_offers(Superstep__V1__Offer *const *packed, size_t count,
    struct ss_offer **ret_offers, size_t *ret_count,
    struct ss_error *error) SS_MUST_USE;

Superstep__V1__Adoption **ss_pack_adoptions(
    struct ss_packer *packer, const struct ss_adoption *items, size_t count);
// Gives.
struct ss_adoption *ss_take_adoptions(
    Superstep__V1__Adoption *const *packed, size_t count);

#endif

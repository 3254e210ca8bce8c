// offer.c - attempts that a worker offers to a new owner, on the wire.

#include "common/base/mem.h"
#include "common/wire/work.h"

Superstep__V1__Offer **ss_pack_offers(
    struct ss_packer *packer, const struct ss_offer *offers, size_t count)
{
    Superstep__V1__Offer **packed =
        ss_pack_alloc(packer, count, sizeof(*packed));
    for (size_t i = 0; i < count; i++) {
        const struct ss_offer *offer = &offers[i];
        Superstep__V1__Offer *it = ss_pack_alloc(packer, 1, sizeof(*it));
        superstep__v1__offer__init(it);
        it->attempt = ss_pack_attempt(packer, offer->attempt);
        it->task_id = ss_pack_text(offer->task_id);
        it->thread = ss_pack_text(offer->thread);
        it->run = ss_pack_text(offer->run);
        it->has_digest = offer->digest != 0;
        it->digest = offer->digest;
        it->has_ended = it->ended = offer->ended;
        packed[i] = it;
    }
    return packed;
}

int ss_take_offers(Superstep__V1__Offer *const *packed, size_t count,
    struct ss_offer **ret_offers, size_t *ret_count, struct ss_error *error)
{
    struct ss_offer *offers = ss_zalloc(count, sizeof(*offers));
    *ret_offers = offers;
    for (size_t i = 0; i < count; i++) {
        const Superstep__V1__Offer *it = packed[i];
        int status = ss_take_id(
            it->task_id, "an offer's task", offers[i].task_id, error);
        if (status != SS_OK)
            return status;
        offers[i].attempt = ss_take_attempt(it->attempt);
        offers[i].thread = ss_strdup(it->thread);
        offers[i].run = ss_strdup(it->run);
        offers[i].digest = it->digest;
        offers[i].ended = it->ended != 0;
        *ret_count = i + 1;
    }
    return SS_OK;
}

Superstep__V1__Adoption **ss_pack_adoptions(
    struct ss_packer *packer, const struct ss_adoption *items, size_t count)
{
    Superstep__V1__Adoption **packed =
        ss_pack_alloc(packer, count, sizeof(*packed));
    for (size_t i = 0; i < count; i++) {
        Superstep__V1__Adoption *it = ss_pack_alloc(packer, 1, sizeof(*it));
        superstep__v1__adoption__init(it);
        it->held = ss_pack_attempt(packer, items[i].held);
        it->as = ss_pack_attempt(packer, items[i].as);
        packed[i] = it;
    }
    return packed;
}

struct ss_adoption *ss_take_adoptions(
    Superstep__V1__Adoption *const *packed, size_t count)
{
    struct ss_adoption *items = ss_zalloc(count, sizeof(*items));
    for (size_t i = 0; i < count; i++)
        items[i] = (struct ss_adoption){
            ss_take_attempt(packed[i]->held), ss_take_attempt(packed[i]->as)};
    return items;
}

// takeover.c - attempts whose coordinator has gone: offered to whoever has
// their threads now, and renamed when that one takes them.
//
// An orphan runs on, and its result is kept, until a coordinator takes it over
// or says that it is settled. Each shard has an epoch that rises with its
// owners: what an older owner orders after we heard of a newer one is refused.

#include "worker/session/limits.h"
#include "worker/session/state.h"

// ------------------------------------------------------------------ orphans

// The attempt is void: what its new owner would have to know about it is
// unknown.
static void abandon(struct ss_session *session, struct ss_held *held)
{
    ss_held_settle(session, held->name);
}

void ss_orphan_all(
    struct ss_session *session, struct contact *contact, uint64_t epoch)
{
    struct ss_map_entry *next;
    for (struct ss_map_entry *e = session->held.first; e; e = next) {
        next = e->next;
        struct ss_held *held = e->value;
        if (held->contact != contact || held->name.epoch == epoch)
            continue;
        held->contact = NULL;
        if (held->order || held->digest == 0)
            abandon(session, held);
    }
    ss_orphans_bound(session);
}

void ss_orphans_bound(struct ss_session *session)
{
    size_t count = 0, size = 0;
    struct ss_map_entry *before;
    // Count from the newest on: the oldest are forgotten.
    for (struct ss_map_entry *e = session->held.last; e; e = before) {
        before = e->prev;
        struct ss_held *held = e->value;
        if (held->contact || !held->outcome || held->settled)
            continue;
        count++;
        size += held->size;
        if (count > SS_SESSION_ORPHANS_MAX ||
            size > SS_SESSION_ORPHANS_SIZE_MAX)
            abandon(session, held);
    }
}

// ------------------------------------------------------------------ offers

static bool is_offered(const struct ss_held *held)
{
    return held->digest != 0 && !held->order && !held->settled;
}

static void add(struct ss_session_command *command, size_t *capacity,
    const struct ss_held *held)
{
    struct ss_offer *offers = ss_vec_grow((void *)command->offers, capacity,
        command->offers_count + 1, sizeof(*offers));
    struct ss_offer *offer = &offers[command->offers_count++];
    *offer = (struct ss_offer){.attempt = held->name,
        .thread = held->thread,
        .run = held->run,
        .digest = held->digest,
        .ended = held->outcome != NULL};
    for (size_t i = 0; i < sizeof(offer->task_id); i++)
        offer->task_id[i] = held->task_id[i];
    command->offers = offers;
}

// Offers of all attempts that this coordinator may not know: it may have been
// restarted.
void ss_offers_for_hello(struct ss_session *session,
    const struct contact *contact, struct ss_session_command *hello)
{
    size_t capacity = 0;
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        const struct ss_held *held = e->value;
        if (is_offered(held) &&
            (held->contact == contact || held->contact == NULL))
            add(hello, &capacity, held);
    }
    SS_VEC_PUSH(&session->scratch, (void *)hello->offers);
}

// ------------------------------------------------------------------ shards

bool ss_shard_is_current(
    struct ss_session *session, uint16_t shard, uint64_t epoch)
{
    if (epoch < session->shard_epochs[shard])
        return false;
    session->shard_epochs[shard] = epoch;
    return true;
}

static void wanted_shards(struct ss_session *session,
    const struct ss_session_event *event, struct ss_shards *ret_wanted)
{
    *ret_wanted = (struct ss_shards){{0}};
    if (event->shards_count == 0)
        for (uint16_t i = 0; i < SS_SHARDS; i++)
            if (ss_shard_is_current(session, i, event->epoch))
                ss_shards_add(ret_wanted, i);
    for (size_t i = 0; i < event->shards_count; i++) {
        uint16_t shard = (uint16_t)event->shards[i];
        if (event->shards[i] < SS_SHARDS &&
            ss_shard_is_current(session, shard, event->epoch))
            ss_shards_add(ret_wanted, shard);
    }
}

void ss_sought(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    struct ss_shards wanted;
    size_t capacity = 0;
    struct ss_session_command answer = {.type = SS_SESSION_SEND_OFFERS,
        .link = contact->peer.number,
        .epoch = event->epoch};
    struct ss_map_entry *next;
    wanted_shards(session, event, &wanted);
    for (struct ss_map_entry *e = session->held.first; e; e = next) {
        next = e->next;
        struct ss_held *held = e->value;
        if (held->contact == contact || !ss_shards_have(&wanted, held->shard))
            continue;
        if (is_offered(held))
            add(&answer, &capacity, held);
        else if (held->order)
            abandon(session, held); // the new owner orders it anew
    }
    SS_VEC_PUSH(&session->scratch, (void *)answer.offers);
    ss_session_say(session, &answer);
}

// ------------------------------------------------------------------ adopted

void ss_adopted(struct ss_session *session, struct contact *contact,
    const struct ss_adoption *adoption)
{
    struct ss_held *held = ss_held_find(session, adoption->held);
    if (!held || held->settled || ss_held_find(session, adoption->as))
        return;
    ss_held_rename(session, held, adoption->as);
    held->contact = contact;
    held->named_ms = held->vouched_ms = 0;
    if (!held->outcome)
        return;
    held->outcome->attempt = held->name;
    ss_held_send_again(session, held);
}

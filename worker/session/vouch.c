// vouch.c - which orders may begin, and until when.
//
//   beat at s names A   -> HEARD s        -> A may begin until s + begin_ms
//   beat at s was heard -> order A says s -> A may begin until s + begin_ms
//
// All times are this worker's own: the coordinator repeats the time of the
// beat, so that no two clocks are compared, and a message that was delayed
// anywhere, on the way or in a process that slept, vouches for less.
#include "worker/session/limits.h"
#include "worker/session/state.h"

bool ss_session_may_begin(int64_t begin_by_ms, int64_t now_ms)
{
    return now_ms < begin_by_ms;
}

void ss_vouch_named(const struct ss_session *session, struct ss_held *held)
{
    if (held->named_ms == 0)
        held->named_ms = session->now_ms;
}

// A late copy of an order whose name was dropped was sent before that.
void ss_vouch_taken(const struct ss_session *session, struct ss_held *held)
{
    uint64_t heard = held->order->heard;
    if (heard <= (uint64_t)session->now_ms &&
        heard > (uint64_t)session->forgot_ms)
        held->vouched_ms = (int64_t)heard;
}

int64_t ss_vouch_ends_ms(const struct ss_held *held)
{
    int64_t begin_ms = held->contact->begin_ms;
    if (begin_ms == 0)
        return INT64_MAX;
    return held->vouched_ms > 0 ? held->vouched_ms + begin_ms : 0;
}

bool ss_vouch_lacks(
    const struct ss_session *session, const struct ss_held *held)
{
    return held->order && held->contact && held->named_ms == 0 &&
           !ss_session_may_begin(ss_vouch_ends_ms(held), session->now_ms);
}

// An attempt that runs, or is on its way to a thread, is stopped by CANCEL; it
// does not begin again if it comes back.
static void drop(struct ss_session *session, const struct contact *contact,
    struct ss_attempt name)
{
    struct ss_held *held = ss_held_find(session, name);
    if (!held || held->contact != contact)
        return;
    held->vouched_ms = 0;
    if (held->order)
        ss_held_settle(session, name);
}

void ss_vouch_heard(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    if (event->sent > (uint64_t)session->now_ms)
        return; // not a beat of ours
    int64_t sent_ms = (int64_t)event->sent;
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        struct ss_held *held = e->value;
        if (held->contact == contact && held->named_ms > 0 &&
            held->named_ms <= sent_ms && held->vouched_ms < sent_ms)
            held->vouched_ms = sent_ms;
    }
    for (size_t i = 0; i < event->attempts_count; i++)
        drop(session, contact, event->attempts[i]);
}

// ------------------------------------------------------------------ spent

void ss_spent_add(struct ss_session *session, const char *name)
{
    struct ss_map *spent = &session->spent;
    ss_map_remove(spent, name);
    ss_map_put(spent, name, (void *)(uintptr_t)session->now_ms);
    while (spent->count > SS_SESSION_SPENT_MAX) {
        session->forgot_ms = (int64_t)(uintptr_t)spent->first->value;
        ss_map_remove(spent, spent->first->key);
    }
}

bool ss_is_spent(const struct ss_session *session, const char *name)
{
    return ss_map_get(&session->spent, name) != NULL;
}

// contact.c - the protocol with one coordinator: greetings, beats, pings.

#include "worker/session/limits.h"
#include "worker/session/state.h"

static int64_t between(int64_t low, int64_t value, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// `command` with its link filled in.
static void say(struct ss_session *session, const struct contact *contact,
    struct ss_session_command command)
{
    command.link = contact->peer.number;
    ss_session_say(session, &command);
}

bool ss_contact_serves(const struct contact *contact)
{
    return contact->phase == PHASE_SERVING || contact->phase == PHASE_DRAINING;
}

// ------------------------------------------------------------------ greeting

static void ask_again_later(struct ss_session *session, struct contact *contact)
{
    contact->hello_ms = session->now_ms + contact->hello_interval_ms;
    contact->hello_interval_ms *= 2;
    if (contact->hello_interval_ms > SS_SESSION_HELLO_MS_MAX)
        contact->hello_interval_ms = SS_SESSION_HELLO_MS_MAX;
}

static void say_ping(struct ss_session *session, struct contact *contact)
{
    say(session, contact,
        (struct ss_session_command){.type = SS_SESSION_SEND_PING});
    ss_peer_ping(&contact->peer, session->now_ms);
}

static void say_hello(struct ss_session *session, struct contact *contact)
{
    struct ss_session_command hello = {.type = SS_SESSION_SEND_HELLO};
    ss_offers_for_hello(session, contact, &hello);
    say(session, contact, hello);
    ask_again_later(session, contact);
}

void ss_contact_greet(struct ss_session *session, struct contact *contact)
{
    ss_contact_move(contact, PHASE_GREETING);
    contact->hello_interval_ms = SS_SESSION_HELLO_MS;
    say_hello(session, contact);
}

// The coordinator may be one that we know by another endpoint: its epoch shows
// that.
void ss_contact_knock(struct ss_session *session, struct contact *contact)
{
    ss_contact_move(contact, PHASE_KNOCKING);
    contact->hello_interval_ms = SS_SESSION_HELLO_MS;
    say_ping(session, contact);
    ask_again_later(session, contact);
}

// ------------------------------------------------------------------ beats

static const struct ss_attempt *names_of(const struct ss_session *session,
    const struct contact *contact, size_t *ret_count)
{
    SS_VEC(struct ss_attempt) names = {0};
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        struct ss_held *held = e->value;
        if (held->contact != contact || held->settled)
            continue;
        SS_VEC_PUSH(&names, held->name);
        ss_vouch_named(session, held);
    }
    *ret_count = names.count;
    return names.items;
}

// What others may not use of our threads now; at least one is left.
static uint32_t share_of(
    const struct ss_session *session, const struct contact *contact)
{
    size_t others = 0;
    for (size_t i = 0; i < session->contacts.count; i++)
        if (ss_contact_at(session, i) != contact)
            others += ss_contact_at(session, i)->load;
    return others < session->capacity ? session->capacity - (uint32_t)others
                                      : 1;
}

static void say_beat(struct ss_session *session, struct contact *contact)
{
    struct ss_session_command beat = {.type = SS_SESSION_SEND_BEAT};
    beat.attempts = names_of(session, contact, &beat.attempts_count);
    beat.capacity = share_of(session, contact);
    beat.sent = (uint64_t)session->now_ms;
    SS_VEC_PUSH(&session->scratch, (void *)beat.attempts);
    say(session, contact, beat);
    contact->told_capacity = beat.capacity;
    contact->told_ms = session->now_ms;
    contact->beat_ms = session->now_ms + contact->heartbeat_ms;
}

// When the next BEAT is due: often enough that a beat vouches for all orders
// that wait; at once where none does, though never two in one millisecond, as
// the time is the name of a beat.
static int64_t beat_at(const struct contact *contact)
{
    int64_t at = contact->beat_ms;
    if (contact->begin_ms > 0 && contact->load > 0)
        at = earlier(
            at, contact->told_ms + contact->begin_ms / SS_SESSION_BEATS_PART);
    if (contact->has_unnamed)
        at = contact->told_ms;
    return at > contact->told_ms ? at : contact->told_ms + 1;
}

// When to tell the coordinator that the number of threads left for it has
// changed.
static int64_t tell_at(
    const struct ss_session *session, const struct contact *contact)
{
    if (session->contacts.count < 2 ||
        contact->told_capacity == share_of(session, contact))
        return INT64_MAX;
    return contact->told_ms + SS_SESSION_SHARE_MS;
}

// When to send a PING: coordinators need not send anything by themselves, and a
// restarted one shows only by its epoch.
static int64_t ping_at(const struct contact *contact)
{
    int64_t interval_ms = contact->lease_ms / 3;
    if (interval_ms > SS_SESSION_PING_MS)
        interval_ms = SS_SESSION_PING_MS;
    return ss_peer_ping_at_ms(&contact->peer, interval_ms);
}

void ss_contact_bye(
    struct ss_session *session, struct contact *contact, bool drains)
{
    struct ss_session_command bye = {.type = SS_SESSION_SEND_BYE,
        .drains = drains,
        .stuck = drains && session->is_stuck};
    bye.attempts = ss_held_hand_back(session, contact, &bye.attempts_count);
    SS_VEC_PUSH(&session->scratch, (void *)bye.attempts);
    say(session, contact, bye);
}

void ss_contact_drain(struct ss_session *session, struct contact *contact)
{
    if (contact->phase != PHASE_SERVING)
        return;
    ss_contact_move(contact, PHASE_DRAINING);
    ss_contact_bye(session, contact, true);
}

void ss_contact_flush(struct ss_session *session, struct contact *contact)
{
    if (ss_contact_serves(contact) && contact->outcomes.count > 0)
        say(session, contact,
            (struct ss_session_command){.type = SS_SESSION_SEND_DONE,
                .outcomes = contact->outcomes.items,
                .outcomes_count = contact->outcomes.count});
}

// ------------------------------------------------------------------ answers

void ss_contact_welcome(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    if (event->epoch < contact->epoch)
        return; // from a coordinator that another one has replaced
    contact->refused_ms = -1;
    contact->is_missed = false;
    if (event->epoch != contact->epoch)
        ss_list_cache_forget(contact); // after a restart it gives other names
    contact->epoch = event->epoch;
    ss_peer_tells_epoch(&contact->peer, event->epoch);
    ss_orphan_all(session, contact, event->epoch);
    contact->lease_ms = between(
        SS_SESSION_INTERVAL_MS_MIN, event->lease_ms, SS_SESSION_LEASE_MS_MAX);
    contact->heartbeat_ms = between(
        SS_SESSION_INTERVAL_MS_MIN, event->heartbeat_ms, contact->lease_ms);
    contact->begin_ms = event->begin_ms > 0
                            ? between(SS_SESSION_INTERVAL_MS_MIN,
                                  event->begin_ms, contact->lease_ms)
                            : 0;
    if (ss_contact_serves(contact))
        return; // an answer to one of several HELLOs
    ss_contact_move(contact, session->drains ? PHASE_DRAINING : PHASE_SERVING);
    session->was_taken_in = true;
    say(session, contact,
        (struct ss_session_command){
            .type = SS_SESSION_READY, .epoch = event->epoch});
    if (session->drains)
        ss_contact_bye(session, contact, true);
    if (contact->begin_ms == 0 || contact->told_ms < session->now_ms)
        say_beat(session, contact);
    else
        contact->beat_ms = session->now_ms;
    ss_held_send(session, contact, true);
}

// Another worker has our name: perhaps this very worker, before it was killed.
static bool may_pass(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    bool passes = event->status == SS_EEXISTS || event->status == SS_EBUSY ||
                  event->status == SS_EAGAIN;
    bool is_first = contact->refused_ms < 0;
    if (is_first)
        contact->refused_ms = session->now_ms;
    if (is_first && passes)
        say(session, contact,
            (struct ss_session_command){.type = SS_SESSION_REFUSED_YET,
                .endpoint = contact->peer.endpoint,
                .text = event->text ? event->text : ""});
    return passes &&
           session->now_ms - contact->refused_ms < SS_SESSION_REFUSED_MS;
}

static bool has_others(
    const struct ss_session *session, const struct contact *contact)
{
    for (size_t i = 0; i < session->contacts.count; i++)
        if (ss_contact_at(session, i) != contact &&
            ss_contact_at(session, i)->phase != PHASE_REFUSED)
            return true;
    return false;
}

static void turn_away(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    const char *text = event->text ? event->text : "";
    if (!has_others(session, contact)) {
        ss_session_leave(session, event->status, text);
        return;
    }
    ss_contact_move(contact, PHASE_REFUSED);
    contact->hello_ms = session->now_ms + SS_SESSION_REFUSED_MS;
    ss_error_set(&session->turned_away, event->status, "%s", text);
    say(session, contact,
        (struct ss_session_command){.type = SS_SESSION_AWAY,
            .status = event->status,
            .endpoint = contact->peer.endpoint,
            .text = session->turned_away.message});
}

void ss_contact_refused(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    if (event->status == SS_ENOTFOUND) {
        if (ss_contact_serves(
                contact)) // the coordinator restarted, or took us for lost
            ss_contact_greet(session, contact);
    } else if (!may_pass(session, contact, event)) {
        turn_away(session, contact, event);
    } else if (ss_contact_serves(contact)) {
        ss_contact_move(contact, PHASE_GREETING);
        contact->hello_interval_ms = SS_SESSION_HELLO_MS;
        contact->hello_ms = session->now_ms + SS_SESSION_HELLO_MS;
    }
}

// The same coordinator under another endpoint, if we have it already.
static struct contact *twin_of(
    const struct ss_session *session, const struct contact *contact)
{
    for (size_t i = 0; i < session->contacts.count; i++) {
        struct contact *other = ss_contact_at(session, i);
        if (other != contact && other->peer.epoch == contact->peer.epoch &&
            other->phase != PHASE_KNOCKING)
            return other;
    }
    return NULL;
}

void ss_contact_pong(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    bool is_another = event->epoch != 0 && event->epoch != contact->epoch;
    ss_peer_tells_epoch(&contact->peer, event->epoch);
    if (contact->phase == PHASE_KNOCKING) {
        struct contact *twin = twin_of(session, contact);
        if (!twin) {
            ss_contact_greet(session, contact);
            return;
        }
        ss_free(twin->alias);
        twin->alias = ss_strdup(contact->peer.endpoint);
        ss_contact_drop(session, contact);
    } else if (is_another && ss_contact_serves(contact)) {
        ss_contact_greet(session, contact);
    }
}

// What was sent before the first connection is on its way. Behind it, the
// coordinator may be another one, which knows nothing of us: its epoch tells.
void ss_contact_connected(struct ss_session *session, struct contact *contact)
{
    if (ss_contact_serves(contact))
        say_ping(session, contact);
}

// ------------------------------------------------------------------ time

static void say_silent(struct ss_session *session, struct contact *contact)
{
    contact->is_missed = true;
    say(session, contact,
        (struct ss_session_command){
            .type = SS_SESSION_SILENT, .endpoint = contact->peer.endpoint});
}

// Whether people should be told that nothing is heard; also of a coordinator
// that never answered, once we have asked for a while: a wrong endpoint must
// not go unnoticed.
static bool is_to_be_told(const struct contact *contact)
{
    return contact->is_given && !contact->is_missed &&
           contact->phase != PHASE_REFUSED && contact->refused_ms < 0 &&
           contact->hello_interval_ms >= SS_SESSION_HELLO_MS_MAX;
}

static void mind_unheard(struct ss_session *session, struct contact *contact)
{
    if (session->now_ms < contact->hello_ms)
        return;
    if (is_to_be_told(contact))
        say_silent(session, contact);
    if (!contact->is_given &&
        !ss_endpoints_has(&session->endpoints, contact->peer.endpoint)) {
        ss_contact_drop(session, contact);
    } else if (contact->phase == PHASE_KNOCKING) {
        say_ping(session, contact);
        ask_again_later(session, contact);
    } else if (contact->phase == PHASE_REFUSED) {
        ss_contact_redial(session, contact);
        ss_contact_greet(session, contact);
    } else {
        say_hello(session, contact);
    }
}

void ss_contact_mind(struct ss_session *session, struct contact *contact)
{
    if (!ss_contact_serves(contact)) {
        mind_unheard(session, contact);
        return;
    }
    if (session->now_ms >=
        ss_peer_lost_at_ms(&contact->peer, contact->lease_ms)) {
        say_silent(session, contact);
        ss_contact_greet(session, contact);
        return;
    }
    if (session->now_ms >= beat_at(contact) ||
        session->now_ms >= tell_at(session, contact))
        say_beat(session, contact);
    if (session->now_ms >= ping_at(contact))
        say_ping(session, contact);
    ss_held_send(session, contact, false);
}

int64_t ss_contact_wake_at(
    const struct ss_session *session, const struct contact *contact)
{
    if (!ss_contact_serves(contact))
        return contact->hello_ms;
    int64_t at = earlier(beat_at(contact), tell_at(session, contact));
    at = earlier(at, ping_at(contact));
    return earlier(at, ss_peer_lost_at_ms(&contact->peer, contact->lease_ms));
}

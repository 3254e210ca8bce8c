// session.c - one step of a worker's protocol.
#include "worker/session/session.h"

#include "common/base/check.h"
#include "worker/session/limits.h"
#include "worker/session/state.h"

struct ss_session *ss_session_new(const struct ss_session_options *options)
{
    ss_check(options->capacity > 0);
    struct ss_session *session = ss_zalloc(1, sizeof(*session));
    session->capacity = options->capacity;
    session->stuck_ms = -1;
    for (size_t i = 0; i < options->endpoints_count; i++)
        ss_contact_add(session, options->endpoints[i], true);
    if (options->endpoints_count == 0)
        ss_contact_add(session, "", true);
    return session;
}

static void empty_trash(struct ss_session *session)
{
    for (size_t i = 0; i < session->trash.count; i++)
        ss_outcome_destroy(&session->trash.items[i]);
    session->trash.count = 0;
    for (size_t i = 0; i < session->scratch.count; i++)
        ss_free(session->scratch.items[i]);
    session->scratch.count = 0;
    ss_contacts_forget_gone(session);
}

void ss_session_destroy(struct ss_session **session)
{
    struct ss_session *old = *session;
    if (!old)
        return;
    *session = NULL;
    empty_trash(old);
    ss_held_fini(old);
    ss_contacts_fini(old);
    SS_VEC_FINI(&old->commands);
    SS_VEC_FINI(&old->scratch);
    SS_VEC_FINI(&old->renamed_items);
    SS_VEC_FINI(&old->trash);
    ss_free(old);
}

void ss_session_say(
    struct ss_session *session, const struct ss_session_command *command)
{
    SS_VEC_PUSH(&session->commands, *command);
}

void ss_session_leave(struct ss_session *session, int status, const char *text)
{
    session->is_over = true;
    ss_error_set(&session->leaving, status, "%s", text);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_LEAVE,
                     .status = status,
                     .text = session->leaving.message});
}

// ------------------------------------------------------------------ events

// The items under the present names of their attempts: bodies know only those
// under which they began.
static const struct ss_session_item *under_their_names(
    struct ss_session *session, const struct ss_session_event *event)
{
    if (session->renamed.count == 0)
        return event->items;
    session->renamed_items.count = 0;
    for (size_t i = 0; i < event->items_count; i++) {
        struct ss_session_item item = event->items[i];
        const struct ss_held *held = ss_held_of_body(session, item.attempt);
        if (held)
            item.attempt = held->name;
        SS_VEC_PUSH(&session->renamed_items, item);
    }
    return session->renamed_items.items;
}

// Live items of one coordinator's attempts, as far as they follow each other;
// those of attempts that timed out or were settled are void.
static void on_items(
    struct ss_session *session, const struct ss_session_event *event)
{
    const struct ss_session_item *items = under_their_names(session, event);
    size_t to;
    for (size_t from = 0; from < event->items_count; from = to) {
        struct contact *contact =
            ss_held_runs_for(session, items[from].attempt);
        for (to = from + 1; to < event->items_count; to++)
            if (ss_held_runs_for(session, items[to].attempt) != contact)
                break;
        if (contact && ss_contact_serves(contact))
            ss_session_say(session,
                &(struct ss_session_command){.type = SS_SESSION_SEND_LIVE,
                    .link = contact->peer.number,
                    .items = items + from,
                    .items_count = to - from});
    }
}

static void on_connected(
    struct ss_session *session, const struct ss_session_event *event)
{
    struct contact *contact = ss_contact_find(session, event->link);
    if (contact)
        ss_contact_connected(session, contact);
}

static void on_drain(struct ss_session *session)
{
    if (session->drains)
        return;
    session->drains = true;
    for (size_t i = 0; i < session->contacts.count; i++)
        ss_contact_drain(session, ss_contact_at(session, i));
}

static void on_attempts(struct ss_session *session,
    const struct ss_session_event *event,
    void (*each)(struct ss_session *session, struct ss_attempt name))
{
    for (size_t i = 0; i < event->attempts_count; i++)
        each(session, event->attempts[i]);
}

// A restarted coordinator accepted us, and its WELCOME was lost: it would send
// us orders for ever, and we would refuse them all.
static void mind_epoch(struct ss_session *session, struct contact *contact,
    const struct ss_assignment *order)
{
    if (contact && order->attempt.epoch > contact->epoch &&
        ss_contact_serves(contact))
        ss_contact_greet(session, contact);
}

static void on_tasks(struct ss_session *session, struct contact *contact,
    const struct ss_session_event *event)
{
    SS_VEC(struct ss_attempt) lacks = {0};
    for (size_t i = 0; i < event->orders_count; i++) {
        struct ss_assignment *order = event->orders[i];
        mind_epoch(session, contact, order);
        // An order that is known, or of an epoch that is over, brings nothing.
        bool brings = order->lists.count > 0 && contact &&
                      order->attempt.epoch == contact->epoch &&
                      !ss_held_of_body(session, order->attempt);
        if (!brings || ss_list_cache_complete(contact, order)) {
            ss_held_take(session, contact, order);
            continue;
        }
        SS_VEC_PUSH(&lacks, order->attempt);
        ss_assignment_destroy(&order);
    }
    bool takes_none = session->drains || session->is_stuck;
    if (takes_none && contact) // they crossed our BYE: hand them back
        ss_contact_bye(session, contact, true);
    if (lacks.count == 0)
        return;
    SS_VEC_PUSH(&session->scratch, lacks.items);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_SEND_LACKS,
                     .link = contact->peer.number,
                     .attempts = lacks.items,
                     .attempts_count = lacks.count});
}

// A message from a coordinator. It may be the last one on its link.
static void dispatch_word(
    struct ss_session *session, const struct ss_session_event *event)
{
    struct contact *contact = ss_contact_find(session, event->link);
    if (contact)
        ss_peer_heard(&contact->peer, session->now_ms);
    if (event->type == SS_SESSION_TASKS)
        on_tasks(session, contact, event);
    else if (event->type == SS_SESSION_CANCEL)
        on_attempts(session, event, ss_held_cancel);
    else if (event->type == SS_SESSION_SETTLED)
        on_attempts(session, event, ss_held_settle);
    else if (event->type == SS_SESSION_HEARD && contact)
        ss_vouch_heard(session, contact, event);
    else if (event->type == SS_SESSION_WELCOME && contact)
        ss_contact_welcome(session, contact, event);
    else if (event->type == SS_SESSION_REFUSED && contact)
        ss_contact_refused(session, contact, event);
    else if (event->type == SS_SESSION_PONG && contact)
        ss_contact_pong(session, contact, event);
    else if (event->type == SS_SESSION_SEEK && contact)
        ss_sought(session, contact, event);
    for (size_t i = 0; i < event->adoptions_count && contact; i++)
        ss_adopted(session, contact, &event->adoptions[i]);
    if (contact)
        ss_members_told(session, event->members, event->members_count);
}

static void dispatch(
    struct ss_session *session, const struct ss_session_event *event)
{
    switch (event->type) {
    case SS_SESSION_WELCOME:
    case SS_SESSION_REFUSED:
    case SS_SESSION_TASKS:
    case SS_SESSION_CANCEL:
    case SS_SESSION_SETTLED:
    case SS_SESSION_HEARD:
    case SS_SESSION_PONG:
    case SS_SESSION_MEMBERS:
    case SS_SESSION_SEEK:
    case SS_SESSION_ADOPT:
        dispatch_word(session, event);
        break;
    case SS_SESSION_CONNECTED:
        on_connected(session, event);
        break;
    case SS_SESSION_OUTCOMES:
        for (size_t i = 0; i < event->outcomes_count; i++)
            ss_held_end(session, event->outcomes[i]);
        break;
    case SS_SESSION_UNBEGUN:
        for (size_t i = 0; i < event->orders_count; i++)
            ss_held_unbegun(session, event->orders[i]);
        break;
    case SS_SESSION_ITEMS:
        on_items(session, event);
        break;
    case SS_SESSION_PROGRESS:
        ss_held_progress(session, event->attempt, event->is_heartbeat);
        break;
    case SS_SESSION_DRAIN:
        on_drain(session);
        break;
    case SS_SESSION_TICK:
        break;
    }
}

// ------------------------------------------------------------------ time

// While this process is suspended, coordinators are not silent: their messages
// wait in the socket, unread.
static void forgive_pause(struct ss_session *session, int64_t now_ms)
{
    int64_t jump = now_ms - session->now_ms;
    for (size_t i = 0; i < session->contacts.count; i++) {
        struct contact *contact = ss_contact_at(session, i);
        int64_t planned = contact->heartbeat_ms;
        if (session->has_stepped && contact->lease_ms > 0 &&
            jump > planned + contact->lease_ms / 4)
            ss_peer_forgive(&contact->peer, jump);
    }
    if (jump > 0 || !session->has_stepped)
        session->now_ms = now_ms;
}

// From behind: a contact may be removed.
static void mind_coordinators(struct ss_session *session)
{
    ss_held_weigh(session);
    for (size_t i = session->contacts.count; i-- > 0;)
        ss_contact_mind(session, ss_contact_at(session, i));
}

static void send_outcomes(struct ss_session *session)
{
    for (size_t i = 0; i < session->contacts.count; i++)
        ss_contact_flush(session, ss_contact_at(session, i));
}

// A thread that is left, or will be once a body ends that somebody wants.
static bool has_thread(const struct ss_session *session)
{
    return ss_held_over_count(session) < session->capacity;
}

// Nothing is taken while no thread can be had.
static void mind_stuck(struct ss_session *session)
{
    bool was_stuck = session->is_stuck;
    if (session->drains)
        return;
    if (has_thread(session))
        session->stuck_ms = -1;
    else if (session->stuck_ms < 0)
        session->stuck_ms = session->now_ms;
    session->is_stuck =
        session->stuck_ms >= 0 &&
        session->now_ms - session->stuck_ms >= SS_SESSION_STUCK_MS;
    if (session->is_stuck && !was_stuck)
        ss_session_say(
            session, &(struct ss_session_command){.type = SS_SESSION_STUCK,
                         .capacity = session->capacity});
    for (size_t i = 0; i < session->contacts.count; i++) {
        struct contact *contact = ss_contact_at(session, i);
        if (session->is_stuck)
            ss_contact_drain(session, contact);
        else if (contact->phase == PHASE_DRAINING)
            ss_contact_greet(session, contact);
    }
}

static void say_farewell(struct ss_session *session)
{
    for (size_t i = 0; i < session->contacts.count; i++)
        if (ss_contact_at(session, i)->epoch != 0)
            ss_contact_bye(session, ss_contact_at(session, i), false);
    ss_session_leave(session, SS_OK, "drained");
}

// Leave when nothing is left to send, or no coordinator is there to receive it.
static void mind_leaving(struct ss_session *session)
{
    if (!session->drains || session->is_over)
        return;
    struct ss_session_load load = ss_session_load(session);
    if (load.busy > 0 || load.queued > 0) {
        session->leave_ms = session->now_ms + SS_SESSION_LEAVE_MS;
        return;
    }
    if (session->leave_ms == 0)
        session->leave_ms = session->now_ms + SS_SESSION_LEAVE_MS;
    if (load.kept == 0 || session->now_ms >= session->leave_ms ||
        !session->was_taken_in)
        say_farewell(session);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t wake_at(const struct ss_session *session)
{
    if (session->is_over)
        return INT64_MAX;
    int64_t at = ss_held_wake_at(session);
    for (size_t i = 0; i < session->contacts.count; i++)
        at =
            earlier(at, ss_contact_wake_at(session, ss_contact_at(session, i)));
    if (session->drains && session->busy == 0)
        at = earlier(at, session->leave_ms);
    if (session->stuck_ms >= 0 && !session->is_stuck && !session->drains)
        at = earlier(at, session->stuck_ms + SS_SESSION_STUCK_MS);
    return at > session->now_ms ? at : session->now_ms;
}

static void begin(struct ss_session *session)
{
    session->has_stepped = true;
    for (size_t i = 0; i < session->contacts.count; i++)
        ss_contact_greet(session, ss_contact_at(session, i));
}

void ss_session_step(struct ss_session *session,
    const struct ss_session_event *event,
    struct ss_session_commands *ret_commands)
{
    if (session->has_stepped)
        session->commands.count =
            0; // the commands of ss_session_new() come first
    for (size_t i = 0; i < session->contacts.count; i++)
        ss_contact_at(session, i)->outcomes.count = 0;
    empty_trash(session);
    forgive_pause(session, event->now_ms);
    if (!session->has_stepped)
        begin(session);
    if (!session->is_over) {
        dispatch(session, event);
        ss_held_expire(session);
    }
    if (!session->is_over) {
        mind_coordinators(session);
        send_outcomes(session);
        mind_stuck(session);
        ss_held_start_queued(session);
        mind_leaving(session);
    }
    ret_commands->items = session->commands.items;
    ret_commands->count = session->commands.count;
    ret_commands->wake_at_ms = wake_at(session);
}

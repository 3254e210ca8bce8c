// session.c - one step of a worker's protocol, and its clock.
#include "worker/session/session.h"

#include <string.h>

#include "common/base/check.h"
#include "worker/session/limits.h"
#include "worker/session/state.h"

struct ss_session *ss_session_new(const struct ss_session_options *options)
{
    ss_check(options->capacity > 0);
    struct ss_session *session = ss_zalloc(1, sizeof(*session));
    session->capacity = options->capacity;
    session->refused_ms = -1;
    return session;
}

static void empty_trash(struct ss_session *session)
{
    for (size_t i = 0; i < session->trash.count; i++)
        ss_outcome_destroy(&session->trash.items[i]);
    session->trash.count = 0;
}

void ss_session_destroy(struct ss_session **session)
{
    struct ss_session *old = *session;
    if (!old)
        return;
    *session = NULL;
    empty_trash(old);
    ss_held_fini(old);
    SS_VEC_FINI(&old->commands);
    SS_VEC_FINI(&old->attempts);
    SS_VEC_FINI(&old->outcomes);
    SS_VEC_FINI(&old->trash);
    ss_free(old);
}

void ss_session_say(
    struct ss_session *session, const struct ss_session_command *command)
{
    SS_VEC_PUSH(&session->commands, *command);
}

static void simple(
    struct ss_session *session, enum ss_session_command_type type)
{
    ss_session_say(session, &(struct ss_session_command){.type = type});
}

// ------------------------------------------------------------------ sending

static bool is_taken_in(const struct ss_session *session)
{
    return session->phase == PHASE_SERVING || session->phase == PHASE_DRAINING;
}

static void say_hello(struct ss_session *session)
{
    simple(session, SS_SESSION_SEND_HELLO);
    session->hello_ms = session->now_ms + session->hello_interval_ms;
    session->hello_interval_ms *= 2;
    if (session->hello_interval_ms > SS_SESSION_HELLO_MS_MAX)
        session->hello_interval_ms = SS_SESSION_HELLO_MS_MAX;
}

static void greet(struct ss_session *session)
{
    session->phase = PHASE_GREETING;
    session->hello_interval_ms = SS_SESSION_HELLO_MS;
    say_hello(session);
}

static void say_beat(struct ss_session *session)
{
    session->attempts.count = 0;
    for (struct ss_map_entry *e = session->held.first; e; e = e->next) {
        const struct ss_held *held = e->value;
        if (!held->settled)
            SS_VEC_PUSH(&session->attempts, held->name);
    }
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_SEND_BEAT,
                     .attempts = session->attempts.items,
                     .attempts_count = session->attempts.count});
    session->beat_ms = session->now_ms + session->heartbeat_ms;
}

// When to ask for a sign: nobody owes us a word, and one that restarted shows
// only by its epoch.
static int64_t ping_at(const struct ss_session *session)
{
    int64_t interval_ms = session->lease_ms / 3;
    if (interval_ms > SS_SESSION_PING_MS)
        interval_ms = SS_SESSION_PING_MS;
    int64_t from_ms = session->heard_ms > session->ping_ms ? session->heard_ms
                                                           : session->ping_ms;
    return from_ms + interval_ms;
}

static void say_ping(struct ss_session *session)
{
    simple(session, SS_SESSION_SEND_PING);
    session->ping_ms = session->now_ms;
}

static void send_bye(struct ss_session *session, bool drains)
{
    ss_session_say(session, &(struct ss_session_command){
                                .type = SS_SESSION_SEND_BYE, .drains = drains});
}

static void leave(struct ss_session *session, int status, const char *text)
{
    session->phase = PHASE_LEFT;
    ss_error_set(&session->leaving, status, "%s", text);
    ss_session_say(
        session, &(struct ss_session_command){.type = SS_SESSION_LEAVE,
                     .status = status,
                     .text = session->leaving.message});
}

// ------------------------------------------------------------------ events

static int64_t between(int64_t low, int64_t value, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static void on_welcome(
    struct ss_session *session, const struct ss_session_event *event)
{
    if (event->epoch < session->epoch)
        return; // of a coordinator that another one has replaced
    session->refused_ms = -1;
    session->epoch = event->epoch;
    ss_held_drop_stale(session);
    session->lease_ms = between(
        SS_SESSION_INTERVAL_MS_MIN, event->lease_ms, SS_SESSION_LEASE_MS_MAX);
    session->heartbeat_ms = between(
        SS_SESSION_INTERVAL_MS_MIN, event->heartbeat_ms, session->lease_ms);
    if (is_taken_in(session))
        return; // an answer to one of several HELLOs
    session->phase = session->drains ? PHASE_DRAINING : PHASE_SERVING;
    ss_session_say(
        session, &(struct ss_session_command){
                     .type = SS_SESSION_READY, .epoch = event->epoch});
    if (session->drains)
        send_bye(session, true);
    say_beat(session);
    ss_held_send(session, true);
}

// Another worker of our name: perhaps ourselves, before we were killed.
static bool may_pass(
    struct ss_session *session, const struct ss_session_event *event)
{
    bool passes = event->status == SS_EEXISTS || event->status == SS_EBUSY ||
                  event->status == SS_EAGAIN;
    if (session->refused_ms < 0)
        session->refused_ms = session->now_ms;
    return passes &&
           session->now_ms - session->refused_ms < SS_SESSION_REFUSED_MS;
}

static void on_refused(
    struct ss_session *session, const struct ss_session_event *event)
{
    if (event->status == SS_ENOTFOUND) {
        if (is_taken_in(session))
            greet(session); // it restarted, or gave us up for lost
    } else if (!may_pass(session, event)) {
        leave(session, event->status, event->text ? event->text : "");
    } else if (is_taken_in(session)) {
        session->phase = PHASE_GREETING;
        session->hello_interval_ms = SS_SESSION_HELLO_MS;
        session->hello_ms = session->now_ms + SS_SESSION_HELLO_MS;
    }
}

static void on_tasks(
    struct ss_session *session, const struct ss_session_event *event)
{
    for (size_t i = 0; i < event->orders_count; i++)
        ss_held_take(session, event->orders[i]);
}

static void on_pong(
    struct ss_session *session, const struct ss_session_event *event)
{
    bool is_another = event->epoch != 0 && event->epoch != session->epoch;
    if (is_another && is_taken_in(session))
        greet(session);
}

static void on_items(
    struct ss_session *session, const struct ss_session_event *event)
{
    // The items of attempts that timed out or were settled are void.
    size_t from = 0;
    for (size_t i = 0; i <= event->items_count; i++) {
        bool is_end = i == event->items_count ||
                      !ss_held_runs(session, event->items[i].attempt);
        if (!is_end)
            continue;
        if (i > from && is_taken_in(session))
            ss_session_say(session,
                &(struct ss_session_command){.type = SS_SESSION_SEND_LIVE,
                    .items = event->items + from,
                    .items_count = i - from});
        from = i + 1;
    }
}

static void on_drain(struct ss_session *session)
{
    if (session->drains)
        return;
    session->drains = true;
    if (session->phase != PHASE_SERVING)
        return;
    session->phase = PHASE_DRAINING;
    send_bye(session, true);
}

static void dispatch(
    struct ss_session *session, const struct ss_session_event *event)
{
    switch (event->type) {
    case SS_SESSION_WELCOME:
        on_welcome(session, event);
        break;
    case SS_SESSION_REFUSED:
        on_refused(session, event);
        break;
    case SS_SESSION_TASKS:
        on_tasks(session, event);
        break;
    case SS_SESSION_CANCEL:
        for (size_t i = 0; i < event->attempts_count; i++)
            ss_held_cancel(session, event->attempts[i]);
        break;
    case SS_SESSION_SETTLED:
        for (size_t i = 0; i < event->attempts_count; i++)
            ss_held_settle(session, event->attempts[i]);
        break;
    case SS_SESSION_PONG:
        on_pong(session, event);
        break;
    case SS_SESSION_OUTCOMES:
        for (size_t i = 0; i < event->outcomes_count; i++)
            ss_held_end(session, event->outcomes[i]);
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

static bool is_from_coordinator(enum ss_session_event_type type)
{
    return type == SS_SESSION_WELCOME || type == SS_SESSION_REFUSED ||
           type == SS_SESSION_TASKS || type == SS_SESSION_CANCEL ||
           type == SS_SESSION_SETTLED || type == SS_SESSION_PONG;
}

// A pause of ours is no silence of the coordinator: its words may wait in the
// socket, unread.
static void forgive_pause(struct ss_session *session, int64_t now_ms)
{
    int64_t jump = now_ms - session->now_ms;
    int64_t planned = session->heartbeat_ms;
    if (session->has_stepped && session->lease_ms > 0 &&
        jump > planned + session->lease_ms / 4)
        session->heard_ms += jump;
    session->now_ms =
        jump > 0 || !session->has_stepped ? now_ms : session->now_ms;
}

static void mind_coordinator(struct ss_session *session)
{
    if (session->phase == PHASE_GREETING) {
        if (session->now_ms >= session->hello_ms)
            say_hello(session);
        return;
    }
    if (session->now_ms - session->heard_ms >= session->lease_ms) {
        simple(session, SS_SESSION_SILENT);
        greet(session);
        return;
    }
    if (session->now_ms >= session->beat_ms)
        say_beat(session);
    if (session->now_ms >= ping_at(session))
        say_ping(session);
    ss_held_send(session, false);
}

static void send_outcomes(struct ss_session *session)
{
    if (session->outcomes.count > 0)
        ss_session_say(
            session, &(struct ss_session_command){.type = SS_SESSION_SEND_DONE,
                         .outcomes = session->outcomes.items,
                         .outcomes_count = session->outcomes.count});
}

// Leave when nothing is left to say, or nobody is there to listen.
static void mind_leaving(struct ss_session *session)
{
    if (!session->drains || session->phase == PHASE_LEFT)
        return;
    struct ss_session_load load = ss_session_load(session);
    if (load.busy > 0 || load.queued > 0) {
        session->leave_ms = session->now_ms + SS_SESSION_LEAVE_MS;
        return;
    }
    if (session->leave_ms == 0)
        session->leave_ms = session->now_ms + SS_SESSION_LEAVE_MS;
    bool was_never_taken_in = session->epoch == 0;
    if (load.kept > 0 && session->now_ms < session->leave_ms &&
        !was_never_taken_in)
        return;
    if (!was_never_taken_in)
        send_bye(session, false);
    leave(session, SS_OK, "drained");
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t wake_at(const struct ss_session *session)
{
    if (session->phase == PHASE_LEFT)
        return INT64_MAX;
    int64_t at = ss_held_wake_at(session, is_taken_in(session));
    if (session->phase == PHASE_GREETING)
        at = earlier(at, session->hello_ms);
    else
        at = earlier(at, earlier(session->beat_ms,
                             earlier(ping_at(session),
                                 session->heard_ms + session->lease_ms)));
    if (session->drains && session->busy == 0)
        at = earlier(at, session->leave_ms);
    return at > session->now_ms ? at : session->now_ms;
}

void ss_session_step(struct ss_session *session,
    const struct ss_session_event *event,
    struct ss_session_commands *ret_commands)
{
    session->commands.count = 0;
    session->outcomes.count = 0;
    empty_trash(session);
    forgive_pause(session, event->now_ms);
    if (!session->has_stepped) {
        session->has_stepped = true;
        greet(session);
    }
    if (is_from_coordinator(event->type))
        session->heard_ms = session->now_ms;
    if (session->phase != PHASE_LEFT) {
        dispatch(session, event);
        ss_held_expire(session);
    }
    if (session->phase != PHASE_LEFT) {
        mind_coordinator(session);
        if (is_taken_in(session)) {
            send_outcomes(session);
            ss_held_start_queued(session);
        }
        mind_leaving(session);
    }
    ret_commands->items = session->commands.items;
    ret_commands->count = session->commands.count;
    ret_commands->wake_at_ms = wake_at(session);
}

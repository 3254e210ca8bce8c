// session.h - a worker's side of the protocol: its orders, what runs, what it
// has to send, and to which coordinators. Pure: events in, commands out, like
// the engine.
//
//   With each coordinator, a *link*:
//                 PONG            WELCOME             DRAIN
//   +----------+ ----> +----------+ ----> +---------+ ----> +----------+
//   | KNOCKING |       | GREETING |       | SERVING |       | DRAINING |
//   +----------+       +----------+ <---- +---------+       +----------+
//    one that we heard   |  ^    silent for a lease, or back with
//    of from others      v  |    another epoch; or a stranger to it
//                     +---------+
//                     | REFUSED | asks again now and then; the worker ends if
//                     +---------+ nobody else is left to ask
//
//   The worker ends when it drains, and all is done and settled or nobody
//   listens.
//
//   An attempt:  QUEUED -> RUNNING -> its outcome is KEPT -> settled
//                 ^ |         |             ^
//                 | |         +- timed out -+ (its thread may still be busy)
//                 | +-> STARTED, and comes to its thread too late
//                 +--------+
//
// A queued order begins only while a beat vouches for it that its coordinator
// has heard: for `begin_ms` from when we sent that beat, however long this
// process, its orders, or messages to it slept meanwhile. An order says which
// beat was heard last when it was sent; HEARD says so of all attempts that the
// beat named. The thread checks once more, right before the body
// (ss_session_may_begin): an order whose time is over comes back (UNBEGUN), is
// named in the next beat, and waits for HEARD. The names of attempts that are
// over are kept for a while: a late copy of an order begins nothing.
// coordinator/engine/scheduler/beat.c has the coordinator's half.
//
// Where each thread is kept by a body whose attempt is over (it timed out, and
// goes on), nothing that waits here can begin: after a while the worker hands
// it back, and takes nothing (BYE, as one that drains), until a thread is free
// and it says HELLO again.
//
// When its coordinator is gone, or back with another epoch, an attempt that
// runs or is kept is an orphan: it is offered to the present owner of its
// thread (takeover.c).
//
// Coordinators that the operator named are asked for ever; others are announced
// by these, and forgotten when they are neither heard nor announced any more. A
// coordinator that answers under two endpoints has one link.
//
// Invariants: at most `capacity` threads are busy, over all coordinators, those
// of timed-out bodies included; an attempt has one outcome, the first, and
// belongs to one link; an outcome is kept and sent again until it is settled
// (after a silence, after a re-HELLO, and now and then); an order of an epoch
// that is not its coordinator's is never begun; an order begins only while a
// beat vouches for it.
#ifndef SS_SESSION_SESSION_H
#define SS_SESSION_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/model/task.h"

// A custom item or a chunk of a message that a body shows.
struct ss_session_item {
    struct ss_attempt attempt;
    enum ss_live_kind kind;
    struct ss_value *value; // borrowed
};

#define SS_SESSION_EVENT_MAP(X)                                                \
    X(WELCOME)   /* the coordinator took us in */                              \
    X(REFUSED)   /* it did not */                                              \
    X(TASKS)     /* orders */                                                  \
    X(CANCEL)    /* stop these attempts */                                     \
    X(SETTLED)   /* forget these results */                                    \
    X(HEARD)     /* our beat has come: what it names may begin */              \
    X(PONG)      /* it is there */                                             \
    X(CONNECTED) /* a connection to it was made, perhaps again */              \
    X(MEMBERS)   /* who the coordinators are */                                \
    X(SEEK)      /* it has shards from others: what do we hold of them? */     \
    X(ADOPT)     /* it takes what we offered */                                \
    X(OUTCOMES)  /* bodies ended */                                            \
    X(UNBEGUN)   /* they came to a thread too late to begin */                 \
    X(ITEMS)     /* bodies show something */                                   \
    X(PROGRESS)  /* a body gave a sign of life */                              \
    X(DRAIN)     /* the operator wants us to leave: a signal, or their word */ \
    X(TICK)      /* time passed (all events carry the time) */

enum ss_session_event_type {
#define X(name) SS_SESSION_##name,
    SS_SESSION_EVENT_MAP(X)
#undef X
};

// Everything is borrowed for the call, except what is marked as taken.
struct ss_session_event {
    enum ss_session_event_type type;
    int64_t now_ms;       // monotonic
    uint32_t link;        // of the coordinator that sent it, as in CONNECT;
                          // CONNECTED: to which
    uint64_t epoch;       // WELCOME; PONG (0: unknown)
    int64_t lease_ms;     // WELCOME
    int64_t heartbeat_ms; // WELCOME
    int64_t begin_ms;     // WELCOME; 0: beats are not answered
    uint64_t sent;        // HEARD: of which beat
    int status;           // REFUSED: SS_ENOTFOUND: we are a stranger to it
    const char *text;     // REFUSED
    char *const *members; // WELCOME, PONG, MEMBERS: endpoints
    size_t members_count;
    const uint32_t *shards; // SEEK (and `epoch`: theirs); none: all
    size_t shards_count;
    const struct ss_adoption *adoptions; // ADOPT
    size_t adoptions_count;
    struct ss_assignment *const *orders; // TASKS, UNBEGUN; each taken
    size_t orders_count;
    const struct ss_attempt *attempts; // CANCEL, SETTLED, HEARD: are gone
    size_t attempts_count;
    struct ss_outcome *const *outcomes; // OUTCOMES; each taken
    size_t outcomes_count;
    const struct ss_session_item *items; // ITEMS
    size_t items_count;
    struct ss_attempt attempt; // PROGRESS
    bool is_heartbeat;         // PROGRESS: the author's own
};

// SEND_* go to the coordinator of `link`.
enum ss_session_command_type {
    SS_SESSION_CONNECT,    // open `link` to `endpoint`
    SS_SESSION_DISCONNECT, // and close it
    SS_SESSION_SEND_HELLO, // who we are, what we serve, `offers`
    SS_SESSION_SEND_BEAT, // alive; `attempts`: what we hold; `capacity`; `sent`
    SS_SESSION_SEND_BYE,  // `drains`: no more orders, please (`stuck`: until a
                          // thread is free), and `attempts` back, which have
                          // not begun; else: gone
    SS_SESSION_SEND_DONE, // `outcomes`
    SS_SESSION_SEND_LIVE, // `items`
    SS_SESSION_SEND_OFFERS, // `offers`: what we hold of shards of `epoch`
    SS_SESSION_SEND_LACKS,  // `attempts`: their orders build on what we lack
    SS_SESSION_SEND_PING,   // are you there
    SS_SESSION_START, // run `order` on a thread, if it is not too late there
                      // (`begin_by_ms`); the shell takes it
    SS_SESSION_STOP_BODY,   // tell the body of `attempt` to stop
    SS_SESSION_READY,       // taken in (again): `epoch`
    SS_SESSION_SILENT,      // nothing heard for a lease, or never; for people
    SS_SESSION_REFUSED_YET, // refused, and asked again: `endpoint`, `text`;
                            // for people, once
    SS_SESSION_AWAY,        // turned away, others go on: `status`, `text`
    SS_SESSION_STUCK,       // no thread is left (`capacity`); for people, once
    SS_SESSION_LEAVE,       // end with `status`, `text` (borrowed)
};

struct ss_session_command {
    enum ss_session_command_type type;
    uint32_t link;
    const char *endpoint; // borrowed
    uint32_t capacity;    // for this coordinator
    uint64_t sent;        // the time, and the name, of a BEAT
    int64_t begin_by_ms;  // for ss_session_may_begin()
    bool drains, stuck;
    uint64_t epoch;
    int status;
    const char *text;
    struct ss_assignment *order;
    struct ss_attempt attempt;
    const struct ss_attempt *attempts;
    size_t attempts_count;
    struct ss_outcome *const *outcomes; // borrowed: the session keeps them
    size_t outcomes_count;
    const struct ss_session_item *items; // as in the event
    const struct ss_offer *offers;       // borrowed, texts too
    size_t offers_count;
    size_t items_count;
};

// What one step tells the shell to do, in order. Owned by the session, valid
// until the next call.
struct ss_session_commands {
    const struct ss_session_command *items;
    size_t count;
    int64_t wake_at_ms; // INT64_MAX: no timer wanted
};

struct ss_session_options {
    uint32_t capacity; // threads
    // Of coordinators; links 0, 1, ... in this order. None: link 0, nameless.
    const char *const *endpoints;
    size_t endpoints_count;
};

struct ss_session;

// Gives. The first step connects and sends HELLO.
struct ss_session *ss_session_new(const struct ss_session_options *options);
void ss_session_destroy(struct ss_session **session);
// Advance by one event. What the coordinator does wrong is ignored, never an
// error here.
void ss_session_step(struct ss_session *session,
    const struct ss_session_event *event,
    struct ss_session_commands *ret_commands);

// May the body begin? Asked on the thread that is to run it, right before its
// first instruction, with the time of that moment. False: give the order back
// with UNBEGUN. It needs no session: the thread can ask by itself.
bool ss_session_may_begin(int64_t begin_by_ms, int64_t now_ms);

// The shell could not send this outcome (it is over the limit of a message):
// from now on the attempt failed, with this text. Send it again by
// the next step.
void ss_session_spoil(struct ss_session *session, struct ss_attempt attempt,
    int status, const char *text);

// For people and tests: how many bodies run, wait, and are kept, and how many
// coordinators have accepted us.
struct ss_session_load {
    size_t queued;
    size_t busy; // threads
    size_t kept;
    size_t coordinators;
    bool drains;
};
struct ss_session_load ss_session_load(const struct ss_session *session);

#endif

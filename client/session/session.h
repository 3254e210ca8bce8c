// session.h - a client's protocol: what was asked, what came back, and what to
// do when no answer comes. Pure: events in, commands out, like the engine. Its
// names begin with ss_talk: ss_session is the worker's, and ss_client the
// library's.
//
//              PONG, ANSWER
//   +----------+ ------------> +------+   nothing heard for SILENCE_MS, though
//   | KNOCKING |               | HERE |   PINGs asked for it
//   +----------+ <------------ +------+
//     |   ^  REOPEN (next endpoint) and PING every KNOCK_MS; after
//     HEAD_START_MS |   |  PING all that were given, at once: who answers first
//     is home v   | ASK
//   gave up: after connect_ms if nobody was ever there, else after patience_ms;
//   all requests fail with SS_ECLOSED
//
// A request is held until a coordinator was heard just now, so a request that
// fails because none is there was never sent. A coordinator that comes back
// with another epoch was restarted and knows nothing of us: requests are sent
// again as common/model/requests.def says, each time under a new number. A run
// is asked for by its id, which the client makes up; once the run is accepted,
// the client attaches to it after the last event that was seen, so that no
// event is missed and none comes twice.
//
// Of several coordinators one is *home*: requests go there first, and the
// picture above is its. A coordinator that does not own the thread answers
// "moved" and says who does: the request goes there, on a line of its own,
// which is opened for it and closed when it is not needed any more. Requests on
// a line that falls silent go home again. Home looks for another endpoint when
// it falls silent: one of those that were given, or that coordinators
// announced.
#ifndef SS_CLIENT_SESSION_H
#define SS_CLIENT_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

// Behind a text that nobody answers: what to do where no coordinator runs.
#define SS_TALK_ADVICE ". Start one: superstep dev APP.so"

struct ss_talk;

struct ss_talk_options {
    uint64_t seed;                // for run ids and numbers of requests
    const char *where;            // the endpoints, for messages; copied
    const char *const *endpoints; // copied; home is the first
    size_t endpoints_count;
    int64_t connect_ms;  // 0: SS_TALK_CONNECT_MS
    int64_t patience_ms; // 0: SS_TALK_PATIENCE_MS
    size_t requests_max; // 0: SS_TALK_REQUESTS
};

enum ss_talk_event_type {
    SS_TALK_ASK,       // send a request
    SS_TALK_FORGET,    // drop the request
    SS_TALK_ANSWER,    // from the coordinator
    SS_TALK_PONG,      // from the coordinator
    SS_TALK_CONNECTED, // a connection to it was made, perhaps again
    SS_TALK_TICK,      // time passed (every event carries the time)
};

// Everything is borrowed for the call; bodies are counted and never modified.
struct ss_talk_event {
    enum ss_talk_event_type type;
    int64_t now_ms;       // monotonic
    uint32_t line;        // ANSWER, PONG, CONNECTED: where; 0: home
    uint64_t key;         // ASK, FORGET: the caller's own name for the request
    const char *op;       // ASK
    json_t *body;         // ASK: an object; ANSWER
    int64_t timeout_ms;   // ASK: fail after so long; 0: no limit
    uint64_t id;          // ANSWER
    bool final;           // ANSWER
    uint64_t epoch;       // PONG: the coordinator's, 0 if it does not say
    char *const *members; // PONG: endpoints of all coordinators
    size_t members_count;
};

enum ss_talk_command_type {
    SS_TALK_SEND_PING,
    SS_TALK_SEND_ASK,    // `id`, `op`, `json`
    SS_TALK_SEND_HANGUP, // `id`
    SS_TALK_OPEN,        // open `line` to `endpoint`
    SS_TALK_CLOSE,       // and close it
    SS_TALK_REOPEN,      // home: drop the connection, open one to `endpoint`
    SS_TALK_ITEM,        // to the caller `key`: accepted, or an event
    SS_TALK_DONE,        // to the caller `key`: the final answer
    SS_TALK_FAILED,      // to the caller `key`: `status`, `text`
};

// After DONE and FAILED the key is forgotten.
struct ss_talk_command {
    enum ss_talk_command_type type;
    uint32_t line;  // SEND_*, OPEN, CLOSE, REOPEN
    char *endpoint; // OPEN, REOPEN
    uint64_t key;
    uint64_t id;
    char *op;
    json_t *json;
    int status;
    char *text;
};

// Owned by the talk, valid until the next call.
struct ss_talk_commands {
    const struct ss_talk_command *items;
    size_t count;
    int64_t wake_at_ms; // INT64_MAX: no timer wanted
};

struct ss_talk *ss_talk_new(const struct ss_talk_options *options);
void ss_talk_destroy(struct ss_talk **talk);
void ss_talk_step(struct ss_talk *talk, const struct ss_talk_event *event,
    struct ss_talk_commands *ret_commands);

// The known endpoints by index: those that were given, then those that
// coordinators announced last. Borrowed, until the next step; NULL behind the
// last one.
const char *ss_talk_known(const struct ss_talk *talk, size_t index);

// Whether a request is sent around, since nobody has its thread.
bool ss_talk_is_moved(const struct ss_talk *talk);
// A coordinator is there and waits for its store: patience begins anew, as
// nobody can take a thread over without the store.
void ss_talk_bear(struct ss_talk *talk);

// Whether `a` is `b` or comes before it, as numbers of events ("12.3"). False
// for a text that is not such a number.
bool ss_talk_seq_reached(const char *a, const char *b);

#endif

// endpoint.h - a talk's connections, one to each endpoint (common/peer). A
// connection is called a line. Only files of this folder include it.
#ifndef SS_CLIENT_ENDPOINT_H
#define SS_CLIENT_ENDPOINT_H

#include "client/session/request.h"
#include "client/session/session.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "common/peer/peer.h"

struct ss_talk_endpoint {
    struct ss_peer peer; // number 0: home
    bool is_here;        // it was heard, and is not silent
    int64_t used_ms;     // when a request was on it last
    size_t requests;     // on it
};

struct ss_talk {
    struct ss_prng prng;
    char *where;
    int64_t connect_ms;
    int64_t patience_ms;
    int64_t knock_ms;
    bool is_met;      // somebody was there once
    bool is_knocking; // home is
    bool is_spread;   // and so are all endpoints that were given
    bool is_won;      // home is where one of them answered
    int64_t knocking_since_ms;
    int64_t knocked_ms;
    uint64_t last_id;
    struct ss_peers lines;         // of struct ss_talk_endpoint
    struct ss_talk_endpoint *home; // the first of the lines
    struct ss_endpoints endpoints;
    size_t endpoint_index;         // of home
    struct ss_endpoints unreached; // announced, but nobody was ever heard there
    struct ss_talk_request *requests; // in the order of asking
    struct ss_talk_request **requests_end;
    size_t requests_count, requests_max;
    int64_t now_ms;
    SS_VEC(struct ss_talk_command) commands;
};

// session.c
void ss_talk_say(struct ss_talk *talk, const struct ss_talk_command *command);
// The coordinator on this line knows nothing of what was sent so far: hold all
// its requests, to send them again.
void ss_talk_hold_all(
    struct ss_talk *talk, struct ss_talk_endpoint *line, const char *why);
// No coordinator is there: all requests on home fail.
void ss_talk_give_up(struct ss_talk *talk);
// Send the request on this line, as soon as a coordinator is heard there.
void ss_talk_direct(struct ss_talk *talk, struct ss_talk_request *request,
    struct ss_talk_endpoint *line);

// endpoint.c
struct ss_talk_endpoint *ss_talk_endpoint_new(
    struct ss_talk *talk, const char *endpoint);
void ss_talk_endpoints_fini(struct ss_talk *talk);
struct ss_talk_endpoint *ss_talk_endpoint_find(
    const struct ss_talk *talk, uint32_t number);
// The line to this endpoint, a new one if need be; home where there are too
// many.
struct ss_talk_endpoint *ss_talk_endpoint_to(
    struct ss_talk *talk, const char *endpoint);
// There is a request for this line: look whether a coordinator is there.
void ss_talk_endpoint_want(struct ss_talk *talk, struct ss_talk_endpoint *line);
// It was heard: while home is knocked for in vain, home is there from now on.
void ss_talk_endpoint_wins(
    struct ss_talk *talk, const struct ss_talk_endpoint *line);
// A connection to it was made. What was sent before the first one is on its
// way.
void ss_talk_endpoint_connected(
    struct ss_talk *talk, struct ss_talk_endpoint *line);
bool ss_talk_endpoint_is_fresh(
    const struct ss_talk *talk, const struct ss_talk_endpoint *line);
// Silence, pings, knocking; a line that nobody needs is closed.
void ss_talk_endpoints_pass_time(struct ss_talk *talk);
int64_t ss_talk_endpoints_wake_at_ms(const struct ss_talk *talk);
// Coordinators may announce each other by names that cannot be reached from
// here (a cluster in containers, asked from outside). Then the endpoints that
// were given are asked one after the other: each leads to some coordinator.
// Borrowed: `endpoint`, or another.
const char *ss_talk_detour(struct ss_talk *talk,
    struct ss_talk_request *request, const char *endpoint);

#endif

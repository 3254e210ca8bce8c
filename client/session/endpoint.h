// endpoint.h - a talk's connections, one to each endpoint: what was heard on each,
// and when. A connection is called a line. Only files of this folder include it.
#ifndef SS_CLIENT_ENDPOINT_H
#define SS_CLIENT_ENDPOINT_H

#include "client/session/request.h"
#include "client/session/session.h"
#include "common/base/mem.h"
#include "common/base/prng.h"

struct ss_talk_endpoint {
    uint32_t number; // 0: home
    char *endpoint;
    bool is_here; // it was heard, and is not silent
    int64_t heard_ms;
    int64_t waiting_since_ms; // of the first PING without a sign; -1: none
    int64_t pinged_ms;
    int64_t used_ms; // a request was on it
    uint64_t epoch;
    size_t requests; // on it
    struct ss_talk_endpoint *next;
};

struct ss_talk {
    struct ss_prng prng;
    char *where;
    int64_t connect_ms;
    int64_t patience_ms;
    int64_t knock_ms;
    bool is_met; // somebody was there once
    bool is_knocking; // home is
    int64_t knocking_since_ms;
    int64_t knocked_ms;
    uint64_t last_id;
    uint32_t last_line;
    size_t lines_count;
    struct ss_talk_endpoint *home; // the first of the lines
    SS_VEC(char *) endpoints; // those that were given, then those told of
    size_t given_count;
    size_t endpoint_index; // of home
    SS_VEC(char *) unreached; // endpoints told of, where nobody was ever heard
    struct ss_talk_request *requests; // in the order of asking
    size_t requests_count;
    int64_t now_ms;
    SS_VEC(struct ss_talk_command) commands;
};

// session.c
void ss_talk_say(struct ss_talk *talk, const struct ss_talk_command *command);
// Whoever is behind this line knows nothing of what was sent so far.
void ss_talk_hold_all(
    struct ss_talk *talk, struct ss_talk_endpoint *line, const char *why);
// Nobody is there: all requests on home fail.
void ss_talk_give_up(struct ss_talk *talk);
// Ask on this line, as soon as somebody is heard there.
void ss_talk_direct(struct ss_talk *talk, struct ss_talk_request *request,
    struct ss_talk_endpoint *line);

// endpoint.c
struct ss_talk_endpoint *ss_talk_endpoint_new(
    struct ss_talk *talk, const char *endpoint);
void ss_talk_endpoint_destroy(struct ss_talk_endpoint **line);
struct ss_talk_endpoint *ss_talk_endpoint_find(
    const struct ss_talk *talk, uint32_t number);
// The line to this endpoint, a new one if need be; home where there are too many.
struct ss_talk_endpoint *ss_talk_endpoint_to(
    struct ss_talk *talk, const char *endpoint);
void ss_talk_endpoint_ping(struct ss_talk *talk, struct ss_talk_endpoint *line);
// There is something to ask: look whether somebody is there.
void ss_talk_endpoint_want(struct ss_talk *talk, struct ss_talk_endpoint *line);
bool ss_talk_endpoint_is_fresh(
    const struct ss_talk *talk, const struct ss_talk_endpoint *line);
// Silence, pings, knocking; a line that nobody needs is closed.
void ss_talk_endpoints_pass_time(struct ss_talk *talk);
int64_t ss_talk_endpoints_wake_at_ms(const struct ss_talk *talk);
// Coordinators may tell of each other by names that do not lead there from here
// (a cluster in containers, asked from outside). Then those that were given are
// asked one after the other: each is somebody. Borrowed: `endpoint`, or another.
const char *ss_talk_detour(struct ss_talk *talk,
    struct ss_talk_request *request, const char *endpoint);
// Somebody was heard there after all.
void ss_talk_reached(struct ss_talk *talk, const char *endpoint);
void ss_talk_unreached_fini(struct ss_talk *talk);
// Where all coordinators are.
void ss_talk_told(struct ss_talk *talk, char *const *members, size_t count);

#endif

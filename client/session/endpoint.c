// endpoint.c - is a coordinator there: pings, knocking, silence (the picture is
// in session.h).
#include "client/session/endpoint.h"

#include <string.h>

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

struct ss_talk_endpoint *ss_talk_endpoint_new(
    struct ss_talk *talk, const char *endpoint)
{
    struct ss_talk_endpoint *line = ss_zalloc(1, sizeof(*line));
    ss_peer_init(&line->peer, endpoint, 0); // never heard: a PING is due
    ss_peers_add(&talk->lines, &line->peer);
    line->used_ms = talk->now_ms;
    return line;
}

static void line_destroy(struct ss_talk_endpoint *line)
{
    ss_peer_fini(&line->peer);
    ss_free(line);
}

// The struct whose first member is the peer.
static struct ss_talk_endpoint *line_of(struct ss_peer *peer)
{
    return (struct ss_talk_endpoint *)peer;
}

void ss_talk_endpoints_fini(struct ss_talk *talk)
{
    for (size_t i = 0; i < talk->lines.count; i++)
        line_destroy(line_of(talk->lines.items[i]));
    ss_peers_fini(&talk->lines);
    ss_endpoints_fini(&talk->endpoints);
    ss_endpoints_fini(&talk->unreached);
}

struct ss_talk_endpoint *ss_talk_endpoint_find(
    const struct ss_talk *talk, uint32_t number)
{
    return line_of(ss_peers_find(&talk->lines, number));
}

struct ss_talk_endpoint *ss_talk_endpoint_to(
    struct ss_talk *talk, const char *endpoint)
{
    struct ss_peer *known = ss_peers_at(&talk->lines, endpoint);
    if (known)
        return line_of(known);
    if (talk->lines.count >= SS_TALK_CONNECTIONS_MAX)
        return talk->home;
    struct ss_talk_endpoint *line = ss_talk_endpoint_new(talk, endpoint);
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_OPEN,
                          .line = line->peer.number,
                          .endpoint = ss_strdup(endpoint)});
    return line;
}

const char *ss_talk_known(const struct ss_talk *talk, size_t index)
{
    return index < talk->endpoints.count ? talk->endpoints.items[index] : NULL;
}

// -------------------------------------------------------------------- contact

static void endpoint_ping(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    ss_peer_ping(&line->peer, talk->now_ms);
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_SEND_PING,
                          .line = line->peer.number});
}

static void knock(struct ss_talk *talk)
{
    talk->knocked_ms = talk->now_ms;
    endpoint_ping(talk, talk->home);
}

static void start_knocking(struct ss_talk *talk)
{
    talk->is_knocking = true;
    talk->is_spread = talk->endpoints.given_count < 2;
    talk->knocking_since_ms = talk->now_ms;
    knock(talk);
}

// Home is elsewhere from now on.
static void reopen(struct ss_talk *talk, size_t index)
{
    size_t count = talk->endpoints.count;
    const char *endpoint = "";
    if (count > 0) {
        talk->endpoint_index = index % count;
        endpoint = talk->endpoints.items[talk->endpoint_index];
    }
    talk->is_won = false;
    ss_peer_move(&talk->home->peer, endpoint);
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_REOPEN,
                          .endpoint = ss_strdup(endpoint)});
}

// Home alone has had its time: the others are asked beside it.
static void spread(struct ss_talk *talk)
{
    talk->is_spread = true;
    for (size_t i = 0; i < talk->endpoints.given_count; i++) {
        struct ss_talk_endpoint *line =
            ss_talk_endpoint_to(talk, talk->endpoints.items[i]);
        if (line != talk->home && !ss_peer_is_asked(&line->peer))
            endpoint_ping(talk, line);
    }
}

void ss_talk_endpoint_wins(
    struct ss_talk *talk, const struct ss_talk_endpoint *line)
{
    if (!talk->is_knocking || talk->is_won || line == talk->home)
        return;
    for (size_t i = 0; i < talk->endpoints.given_count; i++)
        if (strcmp(talk->endpoints.items[i], line->peer.endpoint) == 0) {
            reopen(talk, i);
            talk->is_won = true;
            knock(talk);
            return;
        }
}

bool ss_talk_endpoint_is_fresh(
    const struct ss_talk *talk, const struct ss_talk_endpoint *line)
{
    return line->is_here &&
           talk->now_ms <= ss_peer_lost_at_ms(&line->peer, SS_TALK_FRESH_MS);
}

void ss_talk_endpoint_want(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    bool is_home = line == talk->home;
    if (is_home && !line->is_here) {
        if (!talk->is_knocking)
            start_knocking(talk);
    } else if (!ss_peer_is_asked(&line->peer)) {
        endpoint_ping(talk, line);
    }
}

// Behind it, the coordinator may be another one, which knows nothing of us: its
// epoch tells.
void ss_talk_endpoint_connected(
    struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    if (line->is_here && line->requests > 0)
        endpoint_ping(talk, line);
}

static void lose_home(struct ss_talk *talk)
{
    talk->home->is_here = false;
    ss_talk_hold_all(talk, talk->home, "the coordinator fell silent");
    if (talk->home->requests == 0)
        return;
    reopen(talk, talk->endpoint_index + 1);
    start_knocking(talk);
}

// ------------------------------------------------ endpoints that lead nowhere

const char *ss_talk_detour(
    struct ss_talk *talk, struct ss_talk_request *request, const char *endpoint)
{
    size_t given_count = talk->endpoints.given_count;
    if (given_count < 2 || !ss_endpoints_has(&talk->unreached, endpoint))
        return endpoint;
    // That endpoint, too, once in a round: it may have come up meanwhile.
    size_t turn = request->detours++ % (given_count + 1);
    return turn < given_count ? talk->endpoints.items[turn] : endpoint;
}

// The coordinator on this line is gone: home knows who has its threads now.
static void lose_line(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    if (!line->is_here && line->requests > 0 &&
        !ss_endpoints_has(&talk->unreached, line->peer.endpoint))
        ss_endpoints_give(&talk->unreached, line->peer.endpoint);
    ss_talk_hold_all(talk, line, "the coordinator fell silent");
    for (struct ss_talk_request *r = talk->requests, *next; r; r = next) {
        next = r->next;
        if (r->line == line)
            ss_talk_direct(talk, r, talk->home);
    }
    ss_peers_remove(&talk->lines, &line->peer);
    ss_talk_say(talk, &(struct ss_talk_command){
                          .type = SS_TALK_CLOSE, .line = line->peer.number});
    line_destroy(line);
}

// ----------------------------------------------------------------------- time

static int64_t give_up_at_ms(const struct ss_talk *talk)
{
    return talk->knocking_since_ms +
           (talk->is_met ? talk->patience_ms : talk->connect_ms);
}

static int64_t silent_at_ms(const struct ss_talk_endpoint *line)
{
    bool is_new = line->peer.number != 0 && !line->is_here;
    return ss_peer_silent_at_ms(
        &line->peer, is_new ? SS_TALK_KNOCK_MS : SS_TALK_SILENCE_MS);
}

static int64_t ping_at_ms(const struct ss_talk_endpoint *line)
{
    return ss_peer_ping_at_ms(&line->peer, SS_TALK_PING_MS);
}

static int64_t spread_at_ms(const struct ss_talk *talk)
{
    return talk->is_spread ? INT64_MAX
                           : talk->knocking_since_ms + SS_TALK_HEAD_START_MS;
}

static void knock_on(struct ss_talk *talk)
{
    if (talk->now_ms >= give_up_at_ms(talk)) {
        ss_talk_give_up(talk);
    } else if (talk->now_ms - talk->knocked_ms >= talk->knock_ms) {
        reopen(talk, talk->endpoint_index + 1);
        knock(talk);
    } else if (!talk->is_spread && talk->now_ms >= spread_at_ms(talk)) {
        spread(talk);
    }
}

static void pass_time(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    bool is_home = line == talk->home;
    int64_t now = talk->now_ms;
    if (line->requests == 0) {
        ss_peer_rest(&line->peer);
        if (is_home)
            talk->is_knocking = false;
        else if (now - line->used_ms >= SS_TALK_ENDPOINT_IDLE_MS)
            lose_line(talk, line);
        return;
    }
    line->used_ms = now;
    if (is_home && talk->is_knocking)
        knock_on(talk);
    else if (now >= silent_at_ms(line)) {
        if (is_home)
            lose_home(talk);
        else
            lose_line(talk, line);
    } else if (now >= ping_at_ms(line)) {
        endpoint_ping(talk, line);
    }
}

// Home comes last: requests that return to it are handled in the same step.
void ss_talk_endpoints_pass_time(struct ss_talk *talk)
{
    struct ss_peers *lines = &talk->lines;
    for (size_t i = 1; i < lines->count;) {
        const struct ss_peer *peer = lines->items[i];
        pass_time(talk, line_of(lines->items[i]));
        if (i < lines->count && lines->items[i] == peer)
            i++; // otherwise it was removed, and the next one is in its place
    }
    pass_time(talk, talk->home);
}

static int64_t line_wake_at_ms(
    const struct ss_talk *talk, const struct ss_talk_endpoint *line)
{
    if (line->requests == 0)
        return line == talk->home ? INT64_MAX
                                  : line->used_ms + SS_TALK_ENDPOINT_IDLE_MS;
    if (line == talk->home && talk->is_knocking)
        return earlier(spread_at_ms(talk),
            earlier(give_up_at_ms(talk), talk->knocked_ms + talk->knock_ms));
    return earlier(ping_at_ms(line), silent_at_ms(line));
}

int64_t ss_talk_endpoints_wake_at_ms(const struct ss_talk *talk)
{
    int64_t at = INT64_MAX;
    for (size_t i = 0; i < talk->lines.count; i++)
        at = earlier(at, line_wake_at_ms(talk, line_of(talk->lines.items[i])));
    return at;
}

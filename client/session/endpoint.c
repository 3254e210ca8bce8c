// endpoint.c - is somebody there: pings, knocking, silence (the picture in
// session.h).
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
    struct ss_talk_endpoint **link = &talk->home;
    while (*link)
        link = &(*link)->next;
    *link = line;
    line->number = talk->lines_count == 0 ? 0 : ++talk->last_line;
    line->endpoint = ss_strdup(endpoint);
    line->waiting_since_ms = -1;
    line->used_ms = talk->now_ms;
    talk->lines_count++;
    return line;
}

void ss_talk_endpoint_destroy(struct ss_talk_endpoint **line)
{
    ss_free((*line)->endpoint);
    ss_free(*line);
    *line = NULL;
}

struct ss_talk_endpoint *ss_talk_endpoint_find(
    const struct ss_talk *talk, uint32_t number)
{
    struct ss_talk_endpoint *line = talk->home;
    while (line && line->number != number)
        line = line->next;
    return line;
}

struct ss_talk_endpoint *ss_talk_endpoint_to(
    struct ss_talk *talk, const char *endpoint)
{
    for (struct ss_talk_endpoint *it = talk->home; it; it = it->next)
        if (strcmp(it->endpoint, endpoint) == 0)
            return it;
    if (talk->lines_count >= SS_TALK_CONNECTIONS_MAX)
        return talk->home;
    struct ss_talk_endpoint *line = ss_talk_endpoint_new(talk, endpoint);
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_OPEN,
                          .line = line->number,
                          .endpoint = ss_strdup(endpoint)});
    return line;
}

void ss_talk_told(struct ss_talk *talk, char *const *members, size_t count)
{
    if (count == 0)
        return; // it is alone, or does not say
    for (size_t i = talk->given_count; i < talk->endpoints.count; i++)
        ss_free(talk->endpoints.items[i]);
    talk->endpoints.count = talk->given_count;
    for (size_t i = 0;
         i < count && talk->endpoints.count < SS_TALK_ENDPOINTS_MAX; i++) {
        bool is_known = false;
        for (size_t j = 0; j < talk->given_count; j++)
            if (strcmp(talk->endpoints.items[j], members[i]) == 0)
                is_known = true;
        if (!is_known)
            SS_VEC_PUSH(&talk->endpoints, ss_strdup(members[i]));
    }
}

const char *ss_talk_known(const struct ss_talk *talk, size_t index)
{
    return index < talk->endpoints.count ? talk->endpoints.items[index] : NULL;
}

// -------------------------------------------------------------------- contact

void ss_talk_endpoint_ping(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    if (line->waiting_since_ms < 0)
        line->waiting_since_ms = talk->now_ms;
    line->pinged_ms = talk->now_ms;
    ss_talk_say(talk, &(struct ss_talk_command){
                          .type = SS_TALK_SEND_PING, .line = line->number});
}

static void knock(struct ss_talk *talk)
{
    talk->knocked_ms = talk->now_ms;
    ss_talk_endpoint_ping(talk, talk->home);
}

static void start_knocking(struct ss_talk *talk)
{
    talk->is_knocking = true;
    talk->knocking_since_ms = talk->now_ms;
    knock(talk);
}

// Home is elsewhere from now on.
static void reopen(struct ss_talk *talk)
{
    size_t count = talk->endpoints.count;
    const char *endpoint = "";
    if (count > 0) {
        talk->endpoint_index = (talk->endpoint_index + 1) % count;
        endpoint = talk->endpoints.items[talk->endpoint_index];
    }
    ss_free(talk->home->endpoint);
    talk->home->endpoint = ss_strdup(endpoint);
    talk->home->epoch = 0;
    ss_talk_say(talk, &(struct ss_talk_command){
                          .type = SS_TALK_REOPEN, .endpoint = ss_strdup(endpoint)});
}

bool ss_talk_endpoint_is_fresh(
    const struct ss_talk *talk, const struct ss_talk_endpoint *line)
{
    return line->is_here && talk->now_ms - line->heard_ms <= SS_TALK_FRESH_MS;
}

void ss_talk_endpoint_want(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    bool is_home = line == talk->home;
    if (is_home && !line->is_here) {
        if (!talk->is_knocking)
            start_knocking(talk);
    } else if (line->waiting_since_ms < 0) {
        ss_talk_endpoint_ping(talk, line);
    }
}

static void lose_home(struct ss_talk *talk)
{
    talk->home->is_here = false;
    ss_talk_hold_all(talk, talk->home, "the coordinator fell silent");
    if (talk->home->requests == 0)
        return;
    reopen(talk);
    start_knocking(talk);
}

// ------------------------------------------------ endpoints that lead nowhere

static bool find_unreached(
    const struct ss_talk *talk, const char *endpoint, size_t *ret_index)
{
    for (size_t i = 0; i < talk->unreached.count; i++)
        if (strcmp(talk->unreached.items[i], endpoint) == 0) {
            *ret_index = i;
            return true;
        }
    return false;
}

static void note_unreached(struct ss_talk *talk, const char *endpoint)
{
    size_t index;
    if (!find_unreached(talk, endpoint, &index) &&
        talk->unreached.count < SS_TALK_ENDPOINTS_MAX)
        SS_VEC_PUSH(&talk->unreached, ss_strdup(endpoint));
}

void ss_talk_reached(struct ss_talk *talk, const char *endpoint)
{
    size_t index;
    if (talk->unreached.count == 0 ||
        !find_unreached(talk, endpoint, &index))
        return;
    ss_free(talk->unreached.items[index]);
    SS_VEC_REMOVE(&talk->unreached, index);
}

const char *ss_talk_detour(struct ss_talk *talk,
    struct ss_talk_request *request, const char *endpoint)
{
    size_t index;
    if (talk->given_count < 2 || !find_unreached(talk, endpoint, &index))
        return endpoint;
    // That one too, once in a round: it may have come up meanwhile.
    size_t turn = request->detours++ % (talk->given_count + 1);
    return turn < talk->given_count ? talk->endpoints.items[turn] : endpoint;
}

void ss_talk_unreached_fini(struct ss_talk *talk)
{
    for (size_t i = 0; i < talk->unreached.count; i++)
        ss_free(talk->unreached.items[i]);
    SS_VEC_FINI(&talk->unreached);
}

// The coordinator there is gone: home knows who has its threads now.
static void lose_line(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    if (!line->is_here && line->requests > 0)
        note_unreached(talk, line->endpoint);
    ss_talk_hold_all(talk, line, "the coordinator fell silent");
    for (struct ss_talk_request *r = talk->requests, *next; r; r = next) {
        next = r->next;
        if (r->line == line)
            ss_talk_direct(talk, r, talk->home);
    }
    struct ss_talk_endpoint **link = &talk->home;
    while (*link != line)
        link = &(*link)->next;
    *link = line->next;
    talk->lines_count--;
    ss_talk_say(talk, &(struct ss_talk_command){
                          .type = SS_TALK_CLOSE, .line = line->number});
    ss_talk_endpoint_destroy(&line);
}

// ----------------------------------------------------------------------- time

static int64_t give_up_at_ms(const struct ss_talk *talk)
{
    return talk->knocking_since_ms +
           (talk->is_met ? talk->patience_ms : talk->connect_ms);
}

static int64_t silent_at_ms(const struct ss_talk_endpoint *line)
{
    bool is_new = line->number != 0 && !line->is_here;
    return line->waiting_since_ms +
           (is_new ? SS_TALK_KNOCK_MS : SS_TALK_SILENCE_MS);
}

static int64_t ping_at_ms(const struct ss_talk_endpoint *line)
{
    return (line->heard_ms > line->pinged_ms ? line->heard_ms
                                             : line->pinged_ms) +
           SS_TALK_PING_MS;
}

static void knock_on(struct ss_talk *talk)
{
    if (talk->now_ms >= give_up_at_ms(talk)) {
        ss_talk_give_up(talk);
    } else if (talk->now_ms - talk->knocked_ms >= talk->knock_ms) {
        reopen(talk);
        knock(talk);
    }
}

static void pass_time(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    bool is_home = line == talk->home;
    int64_t now = talk->now_ms;
    if (line->requests == 0) {
        line->waiting_since_ms = -1;
        if (is_home)
            talk->is_knocking = false;
        else if (now - line->used_ms >= SS_TALK_ENDPOINT_IDLE_MS)
            lose_line(talk, line);
        return;
    }
    line->used_ms = now;
    if (is_home && talk->is_knocking)
        knock_on(talk);
    else if (line->waiting_since_ms >= 0 && now >= silent_at_ms(line)) {
        if (is_home)
            lose_home(talk);
        else
            lose_line(talk, line);
    } else if (now >= ping_at_ms(line)) {
        ss_talk_endpoint_ping(talk, line);
    }
}

// Home last: what comes back to it is minded in the same step.
void ss_talk_endpoints_pass_time(struct ss_talk *talk)
{
    for (struct ss_talk_endpoint *it = talk->home->next, *next; it; it = next) {
        next = it->next;
        pass_time(talk, it);
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
        return earlier(
            give_up_at_ms(talk), talk->knocked_ms + talk->knock_ms);
    int64_t at = ping_at_ms(line);
    return line->waiting_since_ms >= 0 ? earlier(at, silent_at_ms(line)) : at;
}

int64_t ss_talk_endpoints_wake_at_ms(const struct ss_talk *talk)
{
    int64_t at = INT64_MAX;
    for (const struct ss_talk_endpoint *it = talk->home; it; it = it->next)
        at = earlier(at, line_wake_at_ms(talk, it));
    return at;
}

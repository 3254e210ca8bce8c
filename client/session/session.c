// session.c - the steps of a talk (the picture is in session.h).
#include "client/session/session.h"

#include "client/session/endpoint.h"
#include "client/session/request.h"
#include "common/base/check.h"
#include "common/base/ids.h"

struct ss_talk *ss_talk_new(const struct ss_talk_options *options)
{
    struct ss_talk *talk = ss_zalloc(1, sizeof(*talk));
    ss_prng_init(&talk->prng, options->seed);
    talk->where = ss_strdup(options->where ? options->where : "");
    talk->connect_ms =
        options->connect_ms ? options->connect_ms : SS_TALK_CONNECT_MS;
    talk->patience_ms =
        options->patience_ms ? options->patience_ms : SS_TALK_PATIENCE_MS;
    talk->requests_max =
        options->requests_max ? options->requests_max : SS_TALK_REQUESTS;
    talk->requests_end = &talk->requests;
    for (size_t i = 0; i < options->endpoints_count; i++)
        ss_endpoints_give(&talk->endpoints, options->endpoints[i]);
    size_t given_count = talk->endpoints.given_count;
    int64_t count = given_count > 0 ? (int64_t)given_count : 1;
    talk->knock_ms = talk->connect_ms / count;
    if (talk->knock_ms > SS_TALK_KNOCK_MS)
        talk->knock_ms = SS_TALK_KNOCK_MS;
    if (talk->knock_ms < SS_TALK_KNOCK_MS_MIN)
        talk->knock_ms = SS_TALK_KNOCK_MS_MIN;
    talk->last_id = ss_prng_next(&talk->prng) >> 16;
    talk->home = ss_talk_endpoint_new(
        talk, given_count > 0 ? talk->endpoints.items[0] : "");
    return talk;
}

static void drop_commands(struct ss_talk *talk)
{
    for (size_t i = 0; i < talk->commands.count; i++) {
        json_decref(talk->commands.items[i].json);
        ss_free(talk->commands.items[i].text);
        ss_free(talk->commands.items[i].op);
        ss_free(talk->commands.items[i].endpoint);
    }
    talk->commands.count = 0;
}

void ss_talk_destroy(struct ss_talk **talk)
{
    struct ss_talk *old = *talk;
    if (!old)
        return;
    *talk = NULL;
    for (struct ss_talk_request *it = old->requests, *next; it; it = next) {
        next = it->next;
        ss_talk_request_destroy(&it);
    }
    ss_talk_endpoints_fini(old);
    drop_commands(old);
    SS_VEC_FINI(&old->commands);
    ss_free(old->where);
    ss_free(old);
}

// ------------------------------------------------------------------- commands

void ss_talk_say(struct ss_talk *talk, const struct ss_talk_command *command)
{
    SS_VEC_PUSH(&talk->commands, *command);
}

static void send_request(
    struct ss_talk *talk, struct ss_talk_request *request, bool same_id)
{
    const char *op;
    json_t *body = ss_talk_request_body(request, &op);
    if (!same_id || request->id == 0)
        request->id = ++talk->last_id;
    request->is_held = false;
    request->sent_ms = request->heard_ms = talk->now_ms;
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_SEND_ASK,
                          .line = request->line->peer.number,
                          .key = request->key,
                          .id = request->id,
                          .op = ss_strdup(op),
                          .json = body});
}

static void hang_up(struct ss_talk *talk, const struct ss_talk_request *request)
{
    if (request->id && !request->is_held)
        ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_SEND_HANGUP,
                              .line = request->line->peer.number,
                              .id = request->id});
}

static void put_on(
    struct ss_talk_request *request, struct ss_talk_endpoint *line)
{
    if (request->line)
        request->line->requests--;
    request->line = line;
    if (line)
        line->requests++;
}

static void forget(struct ss_talk *talk, struct ss_talk_request *request)
{
    struct ss_talk_request **link = &talk->requests;
    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
    if (talk->requests_end == &request->next)
        talk->requests_end = link;
    talk->requests_count--;
    put_on(request, NULL);
    ss_talk_request_destroy(&request);
}

// Takes `text`.
static void fail(struct ss_talk *talk, struct ss_talk_request *request,
    int status, char *text)
{
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_FAILED,
                          .key = request->key,
                          .status = status,
                          .text = text});
    forget(talk, request);
}

static void fail_unknown(
    struct ss_talk *talk, struct ss_talk_request *request, const char *why)
{
    char *text = ss_format("%s before it answered the request \"%s\": it may "
                           "have been carried out or not; look before you "
                           "repeat it",
        why, request->op);
    fail(talk, request, SS_ECLOSED, text);
}

// -------------------------------------------------------------------- contact

void ss_talk_direct(struct ss_talk *talk, struct ss_talk_request *request,
    struct ss_talk_endpoint *line)
{
    put_on(request, line);
    request->is_held = true;
    if (ss_talk_endpoint_is_fresh(talk, line))
        send_request(talk, request, false);
    else
        ss_talk_endpoint_want(talk, line);
}

void ss_talk_hold_all(
    struct ss_talk *talk, struct ss_talk_endpoint *line, const char *why)
{
    struct ss_talk_request *request = talk->requests;
    while (request) {
        struct ss_talk_request *next = request->next;
        if (request->line != line)
            ;
        else if (!request->is_held && request->repeat == SS_OP_REPEAT_ONCE)
            fail_unknown(talk, request, why);
        else
            request->is_held = true;
        request = next;
    }
}

void ss_talk_give_up(struct ss_talk *talk)
{
    struct ss_talk_request *request = talk->requests;
    while (request) {
        struct ss_talk_request *next = request->next;
        char *text =
            talk->is_met
                ? ss_format(
                      "the coordinator at %s is gone, and did not come back "
                      "within %lld s",
                      talk->where, (long long)(talk->patience_ms / 1000))
                : ss_format("no coordinator answers at %s" SS_TALK_ADVICE,
                      talk->where);
        if (request->line == talk->home)
            fail(talk, request, SS_ECLOSED, text);
        else
            ss_free(text);
        request = next;
    }
    talk->is_knocking = false;
    ss_peer_rest(&talk->home->peer);
}

static void heard(struct ss_talk *talk, struct ss_talk_endpoint *line)
{
    ss_peer_heard(&line->peer, talk->now_ms);
    line->is_here = talk->is_met = true;
    ss_endpoints_remove(&talk->unreached, line->peer.endpoint);
    if (line == talk->home)
        talk->is_knocking = false;
    ss_talk_endpoint_wins(talk, line);
    for (struct ss_talk_request *r = talk->requests; r; r = r->next)
        if (r->is_held && r->line == line && r->not_before_ms == 0)
            send_request(talk, r, false);
}

// --------------------------------------------------------------------- events

static void on_ask(struct ss_talk *talk, const struct ss_talk_event *event)
{
    if (talk->requests_count >= talk->requests_max) {
        ss_talk_say(
            talk, &(struct ss_talk_command){.type = SS_TALK_FAILED,
                      .key = event->key,
                      .status = SS_ELIMIT,
                      .text = ss_format("%zu requests are under way already",
                          talk->requests_max)});
        return;
    }
    char run[SS_UUID_SIZE];
    uint64_t high = ss_prng_next(&talk->prng);
    ss_uuid4(high, ss_prng_next(&talk->prng), run);
    struct ss_talk_request *request =
        ss_talk_request_new(event->key, event->op, event->body, run);
    if (event->timeout_ms > 0)
        request->deadline_ms = talk->now_ms + event->timeout_ms;
    *talk->requests_end = request;
    talk->requests_end = &request->next;
    talk->requests_count++;
    ss_talk_direct(talk, request, talk->home);
}

static void on_forget(struct ss_talk *talk, uint64_t key)
{
    struct ss_talk_request *request = talk->requests;
    while (request && request->key != key)
        request = request->next;
    if (!request)
        return;
    hang_up(talk, request);
    forget(talk, request);
}

// Another coordinator has the thread; `endpoint`: which one, or NULL. Nothing
// was carried out, so any request may be sent again. A request that is sent
// around in a circle waits a little: a new owner may have to take over first.
static void on_moved(
    struct ss_talk *talk, struct ss_talk_request *request, const char *endpoint)
{
    if (request->moved_since_ms < 0)
        request->moved_since_ms = talk->now_ms;
    request->is_held = true;
    if (endpoint)
        endpoint = ss_talk_detour(talk, request, endpoint);
    bool waits = !endpoint || request->moves++ >= SS_TALK_MOVES_MAX;
    struct ss_talk_endpoint *line =
        endpoint ? ss_talk_endpoint_to(talk, endpoint) : request->line;
    if (waits) {
        put_on(request, line);
        request->not_before_ms = talk->now_ms + SS_TALK_MOVED_MS;
    } else {
        ss_talk_direct(talk, request, line);
    }
}

static bool is_moved(const json_t *answer)
{
    const json_t *error = json_object_get(answer, "error");
    const char *code = json_string_value(json_object_get(error, "code"));
    return code && ss_status_by_name(code) == SS_EMOVED;
}

static void on_answer(struct ss_talk *talk, struct ss_talk_endpoint *line,
    const struct ss_talk_event *event)
{
    heard(talk, line);
    struct ss_talk_request *request = talk->requests;
    while (request && (request->id != event->id || request->line != line))
        request = request->next;
    if (!request || request->is_held)
        return; // answered before, forgotten, or asked again meanwhile
    request->heard_ms = talk->now_ms;
    if (event->final && is_moved(event->body)) {
        on_moved(talk, request,
            json_string_value(json_object_get(
                json_object_get(event->body, "error"), "endpoint")));
        return;
    }
    request->moved_since_ms = -1;
    request->moves = 0;
    if (!event->final) {
        if (ss_talk_request_note(request, event->body))
            ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_ITEM,
                                  .key = request->key,
                                  .json = json_incref(event->body)});
        return;
    }
    ss_talk_say(talk, &(struct ss_talk_command){.type = SS_TALK_DONE,
                          .key = request->key,
                          .json = json_incref(event->body)});
    forget(talk, request);
}

static void on_pong(struct ss_talk *talk, struct ss_talk_endpoint *line,
    const struct ss_talk_event *event)
{
    bool is_another = ss_peer_tells_epoch(&line->peer, event->epoch);
    ss_endpoints_tell(&talk->endpoints, event->members, event->members_count);
    if (is_another)
        ss_talk_hold_all(talk, line, "the coordinator was restarted");
    heard(talk, line);
}

// ----------------------------------------------------------------------- time

static int64_t run_look_at_ms(const struct ss_talk_request *request)
{
    return request->heard_ms +
           (request->is_accepted ? SS_TALK_RECHECK_MS : request->again_ms);
}

// Ever more rarely: what has too much to do is not given more of it.
static void wait_longer(struct ss_talk_request *request)
{
    request->again_ms *= 2;
    if (request->again_ms > SS_TALK_AGAIN_MS_MAX)
        request->again_ms = SS_TALK_AGAIN_MS_MAX;
}

// One request that was sent and has no final answer.
static void look_after(struct ss_talk *talk, struct ss_talk_request *request)
{
    int64_t now = talk->now_ms;
    switch (request->repeat) {
    case SS_OP_REPEAT_SAFE:
        if (now - request->sent_ms < request->again_ms)
            return;
        wait_longer(request);
        send_request(talk, request, true);
        return;
    case SS_OP_REPEAT_RUN:
        if (now < run_look_at_ms(request))
            return;
        hang_up(talk, request);
        wait_longer(request);
        send_request(talk, request, false);
        return;
    case SS_OP_REPEAT_ONCE:
        if (now - request->sent_ms < SS_TALK_ONCE_MS)
            return;
        hang_up(talk, request);
        fail_unknown(talk, request, "the coordinator waited too long");
        return;
    default:
        ss_unreachable();
    }
}

static int64_t look_at_ms(const struct ss_talk_request *request)
{
    if (request->is_held)
        return request->not_before_ms > 0 ? request->not_before_ms : INT64_MAX;
    switch (request->repeat) {
    case SS_OP_REPEAT_SAFE:
        return request->sent_ms + request->again_ms;
    case SS_OP_REPEAT_RUN:
        return run_look_at_ms(request);
    case SS_OP_REPEAT_ONCE:
        return request->sent_ms + SS_TALK_ONCE_MS;
    default:
        ss_unreachable();
    }
}

static void time_out(struct ss_talk *talk, struct ss_talk_request *request)
{
    char *text = ss_format("no final answer to the request \"%s\" within the "
                           "time that was given",
        request->op);
    hang_up(talk, request);
    fail(talk, request, SS_ETIMEOUT, text);
}

static int64_t lost_at_ms(
    const struct ss_talk *talk, const struct ss_talk_request *request)
{
    return request->moved_since_ms < 0
               ? INT64_MAX
               : request->moved_since_ms + talk->patience_ms;
}

bool ss_talk_is_moved(const struct ss_talk *talk)
{
    const struct ss_talk_request *request = talk->requests;
    while (request && request->moved_since_ms < 0)
        request = request->next;
    return request != NULL;
}

void ss_talk_bear(struct ss_talk *talk)
{
    struct ss_talk_request *request = talk->requests;
    for (; request; request = request->next)
        if (request->moved_since_ms >= 0)
            request->moved_since_ms = talk->now_ms;
}

static void mind(struct ss_talk *talk, struct ss_talk_request *request)
{
    int64_t now = talk->now_ms;
    if (now >= request->deadline_ms) {
        time_out(talk, request);
    } else if (now >= lost_at_ms(talk, request)) {
        char *text = ss_format("no coordinator has taken over the thread of "
                               "the request \"%s\" within %lld s; superstep "
                               "doctor says what lacks",
            request->op, (long long)(talk->patience_ms / 1000));
        hang_up(talk, request);
        fail(talk, request, SS_ECLOSED, text);
    } else if (request->is_held) {
        bool is_due =
            request->not_before_ms > 0 && now >= request->not_before_ms;
        if (is_due) {
            request->not_before_ms = 0;
            ss_talk_direct(talk, request, request->line);
        }
    } else if (request->line->is_here) {
        look_after(talk, request);
    }
}

static void pass_time(struct ss_talk *talk)
{
    struct ss_talk_request *request = talk->requests;
    while (request) {
        struct ss_talk_request *next = request->next;
        mind(talk, request);
        request = next;
    }
    ss_talk_endpoints_pass_time(talk);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t wake_at_ms(const struct ss_talk *talk)
{
    int64_t at = ss_talk_endpoints_wake_at_ms(talk);
    for (const struct ss_talk_request *r = talk->requests; r; r = r->next)
        at = earlier(at, earlier(earlier(r->deadline_ms, look_at_ms(r)),
                             lost_at_ms(talk, r)));
    return at;
}

void ss_talk_step(struct ss_talk *talk, const struct ss_talk_event *event,
    struct ss_talk_commands *ret_commands)
{
    drop_commands(talk);
    talk->now_ms = event->now_ms;
    struct ss_talk_endpoint *line = ss_talk_endpoint_find(talk, event->line);
    switch (event->type) {
    case SS_TALK_ASK:
        on_ask(talk, event);
        break;
    case SS_TALK_FORGET:
        on_forget(talk, event->key);
        break;
    case SS_TALK_ANSWER:
        if (line)
            on_answer(talk, line, event);
        break;
    case SS_TALK_PONG:
        if (line)
            on_pong(talk, line, event);
        break;
    case SS_TALK_CONNECTED:
        if (line)
            ss_talk_endpoint_connected(talk, line);
        break;
    case SS_TALK_TICK:
        break;
    default:
        ss_unreachable();
    }
    // Handle what came in first, as it shows who is alive; only then may
    // silence count.
    pass_time(talk);
    ret_commands->items = talk->commands.items;
    ret_commands->count = talk->commands.count;
    ret_commands->wake_at_ms = wake_at_ms(talk);
}

// Read a number of digits at `*text`, which moves behind it.
static bool read_number(const char **text, uint64_t *ret_number)
{
    const char *at = *text;
    uint64_t number = 0;
    while (*at >= '0' && *at <= '9' && number < UINT64_MAX / 16)
        number = number * 10 + (uint64_t)(*at++ - '0');
    if (at == *text)
        return false;
    *text = at;
    *ret_number = number;
    return true;
}

static bool read_seq(const char *text, uint64_t ret_parts[2])
{
    ret_parts[1] = 0;
    if (!read_number(&text, &ret_parts[0]))
        return false;
    if (*text == '.') {
        text++;
        if (!read_number(&text, &ret_parts[1]))
            return false;
    }
    return *text == '\0';
}

bool ss_talk_seq_reached(const char *a, const char *b)
{
    uint64_t x[2], y[2];
    if (!read_seq(a, x) || !read_seq(b, y))
        return false;
    return x[0] < y[0] || (x[0] == y[0] && x[1] <= y[1]);
}

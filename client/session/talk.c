// talk.c - the steps of a talk (the picture is in talk.h).
#include "client/session/talk.h"

#include <string.h>

#include "client/session/request.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/prng.h"

struct ss_talk {
    struct ss_prng prng;
    char *where;
    int64_t connect_ms;
    int64_t patience_ms;
    int64_t knock_ms;
    bool is_here; // HERE, else KNOCKING (or nothing to do)
    bool is_met;  // somebody was there once
    bool is_knocking;
    int64_t heard_ms;
    int64_t waiting_since_ms; // of the first PING without a sign; -1: none
    int64_t pinged_ms;
    int64_t knocking_since_ms;
    int64_t knocked_ms;
    uint64_t epoch;
    uint64_t last_id;
    struct ss_talk_request *requests; // in the order of asking
    size_t requests_count;
    int64_t now_ms;
    SS_VEC(struct ss_talk_command) commands;
};

struct ss_talk *ss_talk_new(const struct ss_talk_options *options)
{
    struct ss_talk *talk = ss_zalloc(1, sizeof(*talk));
    ss_prng_init(&talk->prng, options->seed);
    talk->where = ss_strdup(options->where ? options->where : "");
    talk->connect_ms =
        options->connect_ms ? options->connect_ms : SS_TALK_CONNECT_MS;
    talk->patience_ms =
        options->patience_ms ? options->patience_ms : SS_TALK_PATIENCE_MS;
    int count = options->endpoint_count > 0 ? options->endpoint_count : 1;
    talk->knock_ms = talk->connect_ms / count;
    if (talk->knock_ms > SS_TALK_KNOCK_MS)
        talk->knock_ms = SS_TALK_KNOCK_MS;
    if (talk->knock_ms < SS_TALK_KNOCK_MS_MIN)
        talk->knock_ms = SS_TALK_KNOCK_MS_MIN;
    talk->waiting_since_ms = -1;
    talk->last_id = ss_prng_next(&talk->prng) >> 16;
    return talk;
}

static void drop_commands(struct ss_talk *talk)
{
    for (size_t i = 0; i < talk->commands.count; i++) {
        json_decref(talk->commands.items[i].json);
        ss_free(talk->commands.items[i].text);
        ss_free(talk->commands.items[i].op);
    }
    talk->commands.count = 0;
}

void ss_talk_destroy(struct ss_talk **talk)
{
    if (!*talk)
        return;
    struct ss_talk_request *request = (*talk)->requests;
    while (request) {
        struct ss_talk_request *next = request->next;
        ss_talk_request_destroy(&request);
        request = next;
    }
    drop_commands(*talk);
    SS_VEC_FINI(&(*talk)->commands);
    ss_free((*talk)->where);
    ss_free(*talk);
    *talk = NULL;
}

// ------------------------------------------------------------------- commands

static void say(struct ss_talk *talk, const struct ss_talk_command *command)
{
    SS_VEC_PUSH(&talk->commands, *command);
}

static void ping(struct ss_talk *talk)
{
    if (talk->waiting_since_ms < 0)
        talk->waiting_since_ms = talk->now_ms;
    talk->pinged_ms = talk->now_ms;
    say(talk, &(struct ss_talk_command){.type = SS_TALK_SEND_PING});
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
    say(talk, &(struct ss_talk_command){.type = SS_TALK_SEND_ASK,
                  .key = request->key,
                  .id = request->id,
                  .op = ss_strdup(op),
                  .json = body});
}

static void hang_up(struct ss_talk *talk, const struct ss_talk_request *request)
{
    if (request->id && !request->is_held)
        say(talk, &(struct ss_talk_command){
                      .type = SS_TALK_SEND_HANGUP, .id = request->id});
}

static void forget(struct ss_talk *talk, struct ss_talk_request *request)
{
    struct ss_talk_request **link = &talk->requests;
    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
    talk->requests_count--;
    ss_talk_request_destroy(&request);
}

// Takes `text`.
static void fail(struct ss_talk *talk, struct ss_talk_request *request,
    int status, char *text)
{
    say(talk, &(struct ss_talk_command){.type = SS_TALK_FAILED,
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

static void knock(struct ss_talk *talk)
{
    talk->knocked_ms = talk->now_ms;
    ping(talk);
}

static void start_knocking(struct ss_talk *talk)
{
    talk->is_knocking = true;
    talk->knocking_since_ms = talk->now_ms;
    knock(talk);
}

// Whoever comes next knows nothing of what was sent so far.
static void hold_all(struct ss_talk *talk, const char *why)
{
    struct ss_talk_request *request = talk->requests;
    while (request) {
        struct ss_talk_request *next = request->next;
        if (!request->is_held && request->repeat == SS_TALK_REPEAT_ONCE)
            fail_unknown(talk, request, why);
        else
            request->is_held = true;
        request = next;
    }
}

static void lose_contact(struct ss_talk *talk)
{
    talk->is_here = false;
    hold_all(talk, "the coordinator fell silent");
    if (!talk->requests)
        return;
    say(talk, &(struct ss_talk_command){.type = SS_TALK_REOPEN});
    start_knocking(talk);
}

static void give_up(struct ss_talk *talk)
{
    while (talk->requests) {
        char *text =
            talk->is_met
                ? ss_format(
                      "the coordinator at %s is gone, and did not come back "
                      "within %lld s",
                      talk->where, (long long)(talk->patience_ms / 1000))
                : ss_format(
                      "no coordinator answers at %s. Start one: superstep "
                      "dev APP.so",
                      talk->where);
        fail(talk, talk->requests, SS_ECLOSED, text);
    }
    talk->is_knocking = false;
    talk->waiting_since_ms = -1;
}

static void heard(struct ss_talk *talk)
{
    talk->heard_ms = talk->now_ms;
    talk->waiting_since_ms = -1;
    talk->is_here = talk->is_met = true;
    talk->is_knocking = false;
    for (struct ss_talk_request *r = talk->requests; r; r = r->next)
        if (r->is_held)
            send_request(talk, r, false);
}

// --------------------------------------------------------------------- events

static void on_ask(struct ss_talk *talk, const struct ss_talk_event *event)
{
    if (talk->requests_count >= SS_TALK_REQUESTS_MAX) {
        say(talk, &(struct ss_talk_command){.type = SS_TALK_FAILED,
                      .key = event->key,
                      .status = SS_ELIMIT,
                      .text = ss_format("%d requests are under way already",
                          SS_TALK_REQUESTS_MAX)});
        return;
    }
    char run[SS_UUID_SIZE];
    uint64_t high = ss_prng_next(&talk->prng);
    ss_uuid4(high, ss_prng_next(&talk->prng), run);
    struct ss_talk_request *request =
        ss_talk_request_new(event->key, event->op, event->body, run);
    if (event->timeout_ms > 0)
        request->deadline_ms = talk->now_ms + event->timeout_ms;
    struct ss_talk_request **link = &talk->requests;
    while (*link)
        link = &(*link)->next;
    *link = request;
    talk->requests_count++;
    if (!talk->is_here) {
        if (!talk->is_knocking)
            start_knocking(talk);
    } else if (talk->now_ms - talk->heard_ms <= SS_TALK_FRESH_MS) {
        send_request(talk, request, false);
    } else if (talk->waiting_since_ms < 0) {
        ping(talk);
    }
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

static void on_answer(struct ss_talk *talk, const struct ss_talk_event *event)
{
    heard(talk);
    struct ss_talk_request *request = talk->requests;
    while (request && request->id != event->id)
        request = request->next;
    if (!request)
        return; // answered before, forgotten, or asked again meanwhile
    request->heard_ms = talk->now_ms;
    if (!event->final) {
        if (ss_talk_request_note(request, event->body))
            say(talk, &(struct ss_talk_command){.type = SS_TALK_ITEM,
                          .key = request->key,
                          .json = json_incref(event->body)});
        return;
    }
    say(talk, &(struct ss_talk_command){.type = SS_TALK_DONE,
                  .key = request->key,
                  .json = json_incref(event->body)});
    forget(talk, request);
}

static void on_pong(struct ss_talk *talk, uint64_t epoch)
{
    bool is_another = epoch && talk->epoch && epoch != talk->epoch;
    if (epoch)
        talk->epoch = epoch;
    if (is_another)
        hold_all(talk, "the coordinator was restarted");
    heard(talk);
}

// ----------------------------------------------------------------------- time

static int64_t run_look_at_ms(const struct ss_talk_request *request)
{
    return request->heard_ms +
           (request->is_accepted ? SS_TALK_RECHECK_MS : SS_TALK_AGAIN_MS);
}

// One request that was sent and has no final answer.
static void look_after(struct ss_talk *talk, struct ss_talk_request *request)
{
    int64_t now = talk->now_ms;
    switch (request->repeat) {
    case SS_TALK_REPEAT_SAFE:
        if (now - request->sent_ms < request->again_ms)
            return;
        request->again_ms *= 2;
        if (request->again_ms > SS_TALK_AGAIN_MS_MAX)
            request->again_ms = SS_TALK_AGAIN_MS_MAX;
        send_request(talk, request, true);
        return;
    case SS_TALK_REPEAT_RUN:
        if (now < run_look_at_ms(request))
            return;
        hang_up(talk, request);
        send_request(talk, request, false);
        return;
    case SS_TALK_REPEAT_ONCE:
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
        return INT64_MAX;
    switch (request->repeat) {
    case SS_TALK_REPEAT_SAFE:
        return request->sent_ms + request->again_ms;
    case SS_TALK_REPEAT_RUN:
        return run_look_at_ms(request);
    case SS_TALK_REPEAT_ONCE:
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

static int64_t give_up_at_ms(const struct ss_talk *talk)
{
    return talk->knocking_since_ms +
           (talk->is_met ? talk->patience_ms : talk->connect_ms);
}

static void pass_time(struct ss_talk *talk)
{
    int64_t now = talk->now_ms;
    struct ss_talk_request *request = talk->requests;
    while (request) {
        struct ss_talk_request *next = request->next;
        if (now >= request->deadline_ms)
            time_out(talk, request);
        else if (!request->is_held && talk->is_here)
            look_after(talk, request);
        request = next;
    }
    if (!talk->requests) {
        talk->is_knocking = false;
        talk->waiting_since_ms = -1;
    } else if (talk->is_knocking) {
        if (now >= give_up_at_ms(talk)) {
            give_up(talk);
        } else if (now - talk->knocked_ms >= talk->knock_ms) {
            say(talk, &(struct ss_talk_command){.type = SS_TALK_REOPEN});
            knock(talk);
        }
    } else if (talk->waiting_since_ms >= 0 &&
               now - talk->waiting_since_ms >= SS_TALK_SILENCE_MS) {
        lose_contact(talk);
    } else if (now - talk->heard_ms >= SS_TALK_PING_MS &&
               now - talk->pinged_ms >= SS_TALK_PING_MS) {
        ping(talk);
    }
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t wake_at_ms(const struct ss_talk *talk)
{
    if (!talk->requests)
        return INT64_MAX;
    int64_t at = INT64_MAX;
    for (const struct ss_talk_request *r = talk->requests; r; r = r->next)
        at = earlier(at, earlier(r->deadline_ms, look_at_ms(r)));
    if (talk->is_knocking)
        return earlier(at,
            earlier(give_up_at_ms(talk), talk->knocked_ms + talk->knock_ms));
    if (talk->waiting_since_ms >= 0)
        at = earlier(at, talk->waiting_since_ms + SS_TALK_SILENCE_MS);
    int64_t sign_ms =
        talk->heard_ms > talk->pinged_ms ? talk->heard_ms : talk->pinged_ms;
    return earlier(at, sign_ms + SS_TALK_PING_MS);
}

void ss_talk_step(struct ss_talk *talk, const struct ss_talk_event *event,
    struct ss_talk_commands *ret_commands)
{
    drop_commands(talk);
    talk->now_ms = event->now_ms;
    switch (event->type) {
    case SS_TALK_ASK:
        on_ask(talk, event);
        break;
    case SS_TALK_FORGET:
        on_forget(talk, event->key);
        break;
    case SS_TALK_ANSWER:
        on_answer(talk, event);
        break;
    case SS_TALK_PONG:
        on_pong(talk, event->epoch);
        break;
    case SS_TALK_TICK:
        break;
    default:
        ss_unreachable();
    }
    // What came in says who is alive; only then may time say who is not.
    pass_time(talk);
    ret_commands->items = talk->commands.items;
    ret_commands->count = talk->commands.count;
    ret_commands->wake_at_ms = wake_at_ms(talk);
}

// A number of digits at `*text`, which moves on behind it.
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

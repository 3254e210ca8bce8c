// client.c - a connection: carries out what the talk decides (client/session).
#include <superstep/client.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/client_impl.h"
#include "client/limits.h"
#include "client/lines.h"
#include "client/session/limits.h"
#include "client/session/session.h"
#include "client/waits.h"
#include "common/app/stop.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "common/link/probe.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"

_Static_assert((int)SS_TALK_REQUESTS == SS_CLIENT_REQUESTS,
    "the header names the talk's default");

struct ss_client_call {
    struct ss_client *client;
    uint64_t key;
    ss_client_item_fn *on_item;
    void *ctx;
    bool is_done;
    json_t *answer;
    struct ss_error error; // if its status is SS_OK, `answer` counts
    struct ss_client_call *next;
};

struct delivery {
    uint64_t key;
    json_t *item;
};

struct ss_client {
    struct ss_talk *talk;
    struct ss_client_lines lines;
    char *endpoints[SS_CLIENT_ENDPOINTS_MAX]; // as they were given
    size_t endpoints_count;
    char *home; // the endpoint that is asked first
    char *keys; // or NULL
    const char
        *trouble;  // why nobody answers, as reported by the last link; or NULL
    bool is_heard; // home, since it was opened
    int64_t wake_at_ms;
    struct ss_client_waits waits;
    uint64_t last_key;
    struct ss_client_call *calls;
    // Items are delivered when a step is over, so listeners may start and drop
    // calls.
    SS_VEC(struct delivery) deliveries;
    SS_VEC(uint64_t) refused; // keys that could not be sent at all
};

// ------------------------------------------------------------ time and chance

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Ids of runs must differ between all clients.
static uint64_t seed(void)
{
    uint64_t number = 0;
    FILE *file = fopen("/dev/urandom", "rb");
    if (file) {
        setvbuf(file, NULL, _IONBF, 0);
        if (fread(&number, sizeof(number), 1, file) != 1)
            number = 0;
        fclose(file);
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return number ^ (uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec ^
           (uint64_t)getpid() << 48;
}

// --------------------------------------------------------------------- errors

int ss_client_error_fill(
    const struct ss_error *error, struct ss_client_error *ret_error)
{
    if (ret_error) {
        snprintf(ret_error->code, sizeof(ret_error->code), "%s",
            ss_status_name(error->status));
        snprintf(ret_error->message, sizeof(ret_error->message), "%s",
            error->message);
    }
    return error->status;
}

static int answer_error(json_t *answer, struct ss_error *ret_error)
{
    json_t *error = json_object_get(answer, "error");
    if (!error || json_object_get(answer, "status"))
        return SS_OK;
    int status = ss_status_by_name(ss_json_str(error, "code", ""));
    return ss_error_set(ret_error, status == SS_OK ? SS_EIO : status, "%s",
        ss_json_str(error, "message", "the coordinator does not say why"));
}

// ----------------------------------------------------------------------- calls

static struct ss_client_call *find(struct ss_client *client, uint64_t key)
{
    struct ss_client_call *call = client->calls;
    while (call && call->key != key)
        call = call->next;
    return call;
}

static void complete(struct ss_client *client, uint64_t key, json_t *answer,
    const struct ss_error *error)
{
    struct ss_client_call *call = find(client, key);
    if (!call || call->is_done)
        return;
    call->is_done = true;
    if (error) {
        call->error = *error;
    } else if (answer_error(answer, &call->error) == SS_OK) {
        call->answer = json_incref(answer);
    }
}

// ------------------------------------------------------------------ connection

// A line that cannot be opened stays silent: the talk goes on to the next
// endpoint.
static void open_line(
    struct ss_client *client, const struct ss_talk_command *command)
{
    struct ss_error ignored;
    if (command->type == SS_TALK_REOPEN) {
        ss_client_lines_close(&client->lines, 0);
        client->is_heard = false;
        ss_free(client->home);
        client->home = ss_strdup(command->endpoint);
    }
    int status = ss_client_lines_open(
        &client->lines, command->line, command->endpoint, &ignored);
    (void)status;
}

// A message that cannot be sent now is lost, and the talk asks again. Only one
// that can never be sent is an error.
static int send_message(struct ss_client *client, uint32_t line,
    const struct ss_message *message, struct ss_error *error)
{
    struct ss_link *link = ss_client_lines_find(&client->lines, line);
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    int status = ss_message_encode(message, &buf, error);
    if (status == SS_OK && link) {
        struct ss_error ignored;
        int sent = ss_link_send(link, NULL, buf.data, buf.size, &ignored);
        if (sent == SS_ELIMIT)
            status = ss_error_set(error, sent, "%s", ignored.message);
    }
    ss_buf_fini(&buf);
    return status;
}

static void send_command(
    struct ss_client *client, const struct ss_talk_command *command)
{
    enum ss_message_type type =
        command->type == SS_TALK_SEND_PING  ? SS_MESSAGE_PING
        : command->type == SS_TALK_SEND_ASK ? SS_MESSAGE_ASK
                                            : SS_MESSAGE_HANGUP;
    struct ss_message *message = ss_message_new(type);
    message->id = command->id;
    message->op = ss_strdup(command->op);
    if (command->json)
        message->body = ss_value_new(json_incref(command->json));
    struct ss_error error;
    bool asks = type == SS_MESSAGE_ASK;
    ss_stop_at(asks ? SS_STOP_CLIENT_ASKS : SS_STOP_NOWHERE);
    int status = send_message(client, command->line, message, &error);
    ss_stop_at(asks ? SS_STOP_CLIENT_ASKED : SS_STOP_NOWHERE);
    if (status != SS_OK && asks) {
        ss_error_wrap(&error, "the request \"%s\" cannot be sent", command->op);
        complete(client, command->key, NULL, &error);
        SS_VEC_PUSH(&client->refused, command->key);
    }
    ss_message_destroy(&message);
}

static const char *note_trouble(struct ss_client *client)
{
    struct ss_link *home = ss_client_lines_find(&client->lines, 0);
    const char *now = home ? ss_link_trouble(home) : NULL;
    if (now)
        client->trouble = now;
    return client->trouble;
}

// Why nobody answers. Where one coordinator was named, one look at its place
// tells more than the link knows, and what is so by now: who hung up in a
// handshake may be gone.
static bool find_why(struct ss_client *client, char *ret_why, size_t size)
{
    const char *trouble = note_trouble(client);
    if (client->is_heard && !trouble)
        return false; // it answers, and others do not
    enum ss_probe found =
        client->endpoints_count == 1
            ? ss_link_probe(client->endpoints[0], ret_why, size)
            : SS_PROBE_UNKNOWN;
    if (found == SS_PROBE_CANNOT)
        return true;
    if (found == SS_PROBE_LISTENS && !trouble)
        trouble =
            "says nothing: it hangs, is overloaded, takes no more connections "
            "from here, or is not a coordinator";
    if (found == SS_PROBE_NOBODY || !trouble)
        return false;
    snprintf(ret_why, size, "somebody listens there, but %s", trouble);
    return true;
}

static void explain(struct ss_client *client,
    const struct ss_talk_command *command, struct ss_error *ret_error)
{
    char why[SS_CLIENT_WHY_SIZE];
    const char *advice = strstr(command->text, SS_TALK_ADVICE);
    size_t size =
        advice ? (size_t)(advice - command->text) : strlen(command->text);
    if (command->status == SS_ECLOSED && find_why(client, why, sizeof(why)))
        ss_error_set(ret_error, command->status, "%.*s: %s", (int)size,
            command->text, why);
    else
        ss_error_set(ret_error, command->status, "%s", command->text);
}

static void carry_out(
    struct ss_client *client, const struct ss_talk_command *command)
{
    struct ss_error error;
    switch (command->type) {
    case SS_TALK_SEND_PING:
    case SS_TALK_SEND_ASK:
    case SS_TALK_SEND_HANGUP:
        send_command(client, command);
        return;
    case SS_TALK_OPEN:
    case SS_TALK_REOPEN:
        if (command->type == SS_TALK_REOPEN)
            note_trouble(client);
        open_line(client, command);
        return;
    case SS_TALK_CLOSE:
        ss_client_lines_close(&client->lines, command->line);
        return;
    case SS_TALK_ITEM:
        SS_VEC_PUSH(&client->deliveries,
            (struct delivery){command->key, json_incref(command->json)});
        return;
    case SS_TALK_DONE:
        complete(client, command->key, command->json, NULL);
        return;
    case SS_TALK_FAILED:
        explain(client, command, &error);
        complete(client, command->key, NULL, &error);
        return;
    default:
        ss_unreachable();
    }
}

static void feed_one(
    struct ss_client *client, const struct ss_talk_event *event)
{
    struct ss_talk_commands commands;
    ss_talk_step(client->talk, event, &commands);
    client->wake_at_ms = commands.wake_at_ms;
    for (size_t i = 0; i < commands.count; i++)
        carry_out(client, &commands.items[i]);
}

static void feed(struct ss_client *client, struct ss_talk_event event)
{
    event.now_ms = now_ms();
    feed_one(client, &event);
    while (client->refused.count > 0) {
        struct ss_talk_event forget = {.type = SS_TALK_FORGET,
            .now_ms = event.now_ms,
            .key = client->refused.items[--client->refused.count]};
        feed_one(client, &forget);
    }
}

static void receive(
    struct ss_client *client, uint32_t line, const void *bytes, size_t size)
{
    struct ss_message *message;
    struct ss_error error;
    // Bytes that are not a message are not a sign of life either.
    if (ss_message_decode(bytes, size, &message, &error) != SS_OK)
        return;
    client->trouble = NULL;
    client->is_heard = client->is_heard || line == 0;
    if (message->type == SS_MESSAGE_ANSWER)
        ss_stop_at(message->final ? SS_STOP_CLIENT_DONE : SS_STOP_CLIENT_TOLD);
    if (message->type == SS_MESSAGE_PONG)
        feed(client, (struct ss_talk_event){.type = SS_TALK_PONG,
                         .line = line,
                         .epoch = message->epoch,
                         .members = message->members,
                         .members_count = message->members_count});
    else if (message->type == SS_MESSAGE_ANSWER)
        feed(client,
            (struct ss_talk_event){.type = SS_TALK_ANSWER,
                .line = line,
                .id = message->id,
                .final = message->final,
                .body = message->body ? ss_value_json(message->body) : NULL});
    ss_message_destroy(&message);
}

static void deliver(struct ss_client *client)
{
    if (client->deliveries.count > 0)
        ss_client_waits_heard(&client->waits, now_ms());
    for (size_t i = 0; i < client->deliveries.count; i++) {
        struct delivery delivery = client->deliveries.items[i];
        struct ss_client_call *call = find(client, delivery.key);
        if (call && call->on_item)
            call->on_item(call->ctx, delivery.item);
        json_decref(delivery.item);
    }
    client->deliveries.count = 0;
}

static bool is_waiting(const struct ss_client *client)
{
    const struct ss_client_call *call = client->calls;
    while (call && (call->is_done || call == client->waits.ask))
        call = call->next;
    return call != NULL;
}

// A step may close lines, and put others in their place.
static void take_connections(struct ss_client *client)
{
    for (size_t i = 0; i < client->lines.count; i++) {
        const struct ss_client_line *line = &client->lines.items[i];
        if (ss_link_is_new(line->link))
            feed(client, (struct ss_talk_event){
                             .type = SS_TALK_CONNECTED, .line = line->number});
    }
}

void ss_client_step(struct ss_client *client)
{
    // Bounded, so that a flood does not keep the caller's own loop waiting; the
    // rest is taken at the next step, which is due at once.
    int left = SS_CLIENT_MESSAGES_A_STEP_MAX;
    for (; left > 0; left--) {
        void *bytes;
        size_t size;
        uint32_t line;
        if (!ss_client_lines_recv(&client->lines, &line, &bytes, &size))
            break;
        receive(client, line, bytes, size);
        ss_free(bytes);
    }
    take_connections(client);
    feed(client, (struct ss_talk_event){.type = SS_TALK_TICK});
    if (left == 0)
        client->wake_at_ms = 0;
    deliver(client);
    client->waits.is_needed = ss_talk_is_moved(client->talk);
    if (ss_client_waits_step(
            &client->waits, client, is_waiting(client), now_ms()))
        ss_talk_bear(client->talk);
}

// -------------------------------------------------------------- open and close

// One endpoint has no blank in it, and one "://". A semicolon is libzmq's: the
// address to connect from stands before it.
static bool is_several(const char *text)
{
    const char *scheme = strstr(text, "://");
    return text[strcspn(text, " \t\n")] != '\0' ||
           (scheme && strstr(scheme + 1, "://"));
}

// Check that the transport is one that links know. "tcp://host:port" is
// mistyped most, so it is checked closely.
// "HOST:PORT".
static bool is_place(const char *text)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || colon == text || strstr(text, "://"))
        return false;
    long port = strtol(colon + 1, &end, 10);
    return *end == '\0' && end > colon + 1 && port > 0 && port < 65536;
}

static int check_endpoint(const char *endpoint, struct ss_error *error)
{
    enum { HINT_SIZE = 240 };
    bool several = is_several(endpoint);
    if (strncmp(endpoint, "ipc://", 6) == 0 && endpoint[6])
        return SS_OK;
    if (strncmp(endpoint, "loop:", 5) == 0)
        return SS_OK;
    if (strncmp(endpoint, "tcp://", 6) == 0 && is_place(endpoint + 6) &&
        !several)
        return SS_OK;
    char hint[HINT_SIZE] = "";
    if (several)
        snprintf(hint, sizeof(hint), ", and commas stand between several");
    else if (is_place(endpoint))
        snprintf(hint, sizeof(hint), ". Did you mean tcp://%.200s?", endpoint);
    return ss_error_set(error, SS_EINVAL,
        "\"%.200s\" is not an endpoint; endpoints are like %s or ipc:///path%s",
        endpoint, SS_CLIENT_ENDPOINT, hint);
}

static int split_endpoints(
    struct ss_client *client, const char *text, struct ss_error *error)
{
    while (*text) {
        size_t size = strcspn(text, ",");
        if (client->endpoints_count >= SS_CLIENT_ENDPOINTS_MAX)
            return ss_error_set(error, SS_EINVAL, "more than %d endpoints",
                SS_CLIENT_ENDPOINTS_MAX);
        char *endpoint = ss_memdup(text, size);
        client->endpoints[client->endpoints_count++] = endpoint;
        int status = check_endpoint(endpoint, error);
        if (status != SS_OK)
            return status;
        text += size + (text[size] == ',');
    }
    return client->endpoints_count ? SS_OK : check_endpoint("", error);
}

int ss_client_open(const struct ss_client_options *options,
    struct ss_client **ret_client, struct ss_client_error *ret_error)
{
    static const struct ss_client_options defaults;
    if (!options)
        options = &defaults;
    ss_value_setup();
    const char *endpoints = options->endpoints;
    if (!endpoints)
        endpoints = getenv(SS_CLIENT_ENVIRONMENT);
    if (!endpoints || !*endpoints)
        endpoints = SS_CLIENT_ENDPOINT;
    struct ss_client *client = ss_zalloc(1, sizeof(*client));
    client->wake_at_ms = INT64_MAX;
    client->lines.fd = -1;
    struct ss_error error;
    int status = split_endpoints(client, endpoints, &error);
    const char *keys =
        options->keys ? options->keys : getenv(SS_KEYS_ENVIRONMENT);
    client->keys = ss_strdup(keys);
    client->lines.keys = client->keys;
    if (status == SS_OK)
        status = ss_client_lines_init(&client->lines, &error);
    if (status == SS_OK)
        status = ss_client_lines_open(
            &client->lines, 0, client->endpoints[0], &error);
    if (status != SS_OK) {
        ss_client_close(&client);
        return ss_client_error_fill(&error, ret_error);
    }
    client->talk = ss_talk_new(&(struct ss_talk_options){.seed = seed(),
        .where = endpoints,
        .endpoints = (const char *const *)client->endpoints,
        .endpoints_count = client->endpoints_count,
        .connect_ms = options->connect_ms,
        .patience_ms = options->patience_ms,
        .requests_max = options->requests_max});
    client->home = ss_strdup(client->endpoints[0]);
    *ret_client = client;
    return 0;
}

void ss_client_close(struct ss_client **client)
{
    if (!*client)
        return;
    struct ss_client *it = *client;
    it->waits.ask = NULL; // one of these
    while (it->calls) {
        struct ss_client_call *call = it->calls;
        ss_client_call_drop(&call);
    }
    for (size_t i = 0; i < it->deliveries.count; i++)
        json_decref(it->deliveries.items[i].item);
    SS_VEC_FINI(&it->deliveries);
    SS_VEC_FINI(&it->refused);
    for (size_t i = 0; i < it->endpoints_count; i++)
        ss_free(it->endpoints[i]);
    ss_free(it->keys);
    ss_client_lines_fini(&it->lines);
    ss_free(it->home);
    ss_talk_destroy(&it->talk);
    ss_free(it);
    *client = NULL;
}

const char *ss_client_endpoint(const struct ss_client *client)
{
    return client->home;
}

const char *ss_client_coordinator(const struct ss_client *client, size_t index)
{
    return ss_talk_known(client->talk, index);
}

// --------------------------------------------------------------------- polling

struct ss_client_call *ss_client_start(struct ss_client *client, const char *op,
    json_t *body, const struct ss_client_ask *options)
{
    static const struct ss_client_ask defaults;
    if (!options)
        options = &defaults;
    struct ss_client_call *call = ss_zalloc(1, sizeof(*call));
    call->client = client;
    call->key = ++client->last_key;
    call->on_item = options->on_item;
    call->ctx = options->ctx;
    call->next = client->calls;
    client->calls = call;
    ss_client_waits_heard(&client->waits, now_ms());
    feed(client, (struct ss_talk_event){.type = SS_TALK_ASK,
                     .key = call->key,
                     .op = op,
                     .body = body,
                     .timeout_ms = options->timeout_ms});
    json_decref(body);
    return call;
}

void ss_client_on_wait(
    struct ss_client *client, ss_client_wait_fn *tell, void *ctx)
{
    client->waits.tell = tell;
    client->waits.ctx = ctx;
}

int ss_client_fd(const struct ss_client *client)
{
    return client->lines.fd;
}

int ss_client_timeout_ms(const struct ss_client *client)
{
    int64_t wake_at_ms = ss_client_waits_wake_at_ms(&client->waits);
    if (client->wake_at_ms < wake_at_ms)
        wake_at_ms = client->wake_at_ms;
    if (wake_at_ms == INT64_MAX)
        return -1;
    int64_t left = wake_at_ms - now_ms();
    if (left < 0)
        return 0;
    return left > SS_CLIENT_WAIT_MS_MAX ? SS_CLIENT_WAIT_MS_MAX : (int)left;
}

bool ss_client_wait(struct ss_client *client, int extra_fd, int timeout_ms)
{
    int left_ms = ss_client_timeout_ms(client);
    if (left_ms < 0 || (timeout_ms >= 0 && timeout_ms < left_ms))
        left_ms = timeout_ms;
    struct pollfd extra = {.fd = extra_fd, .events = POLLIN};
    ss_client_lines_wait(&client->lines, extra_fd, left_ms);
    bool is_extra = extra_fd >= 0 && poll(&extra, 1, 0) > 0;
    ss_client_step(client);
    return is_extra;
}

bool ss_client_call_is_done(const struct ss_client_call *call)
{
    return call->is_done;
}

static void unlink_call(struct ss_client_call *call)
{
    struct ss_client_call **link = &call->client->calls;
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
}

int ss_client_call_finish(struct ss_client_call **call, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    struct ss_client_call *it = *call;
    ss_check(it->is_done);
    unlink_call(it);
    int status = it->error.status;
    if (status != SS_OK)
        ss_client_error_fill(&it->error, ret_error);
    else if (ret_answer)
        *ret_answer = json_incref(it->answer);
    json_decref(it->answer);
    ss_free(it);
    *call = NULL;
    return status;
}

void ss_client_call_drop(struct ss_client_call **call)
{
    struct ss_client_call *it = *call;
    if (!it)
        return;
    struct ss_client *client = it->client;
    unlink_call(it);
    if (!it->is_done)
        feed(client,
            (struct ss_talk_event){.type = SS_TALK_FORGET, .key = it->key});
    json_decref(it->answer);
    ss_free(it);
    *call = NULL;
}

int ss_client_ask(struct ss_client *client, const char *op, json_t *body,
    const struct ss_client_ask *options, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    struct ss_client_call *call = ss_client_start(client, op, body, options);
    while (!call->is_done)
        ss_client_wait(client, -1, -1);
    return ss_client_call_finish(&call, ret_answer, ret_error);
}

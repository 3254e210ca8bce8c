// The client library against a scripted coordinator, over a link in process.
#include <superstep/client.h>

#include <check.h>
#include <pthread.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/idle.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/link/link.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"

#define ENDPOINT "loop:coordinator"
enum { CONNECT_MS = 60000 }; // a busy machine may not look at us for a while

// What the coordinator does with a request: fills in answers by its op.
struct script {
    const char *op;
    const char *items[6]; // not final, in order
    const char *final;    // NULL: says no more
};

static struct ss_link *server;
static uint64_t epoch;
static const struct script *script;
#define PLAY(...)                                                              \
    do {                                                                       \
        static const struct script lines[] = {__VA_ARGS__, {0}};               \
        script = lines;                                                        \
    } while (0)
static struct ss_buf asked; // a line for each request
static struct ss_client *client;
static struct ss_client_error error;

static void open_server(void)
{
    struct ss_error why;
    const struct ss_link_options options = {
        .endpoint = ENDPOINT, .server = true};
    ck_assert_int_eq(ss_link_open(&options, &server, &why), SS_OK);
}

static void open_client(const char *endpoints, int64_t connect_ms)
{
    const struct ss_client_options options = {
        .endpoints = endpoints, .connect_ms = connect_ms};
    ck_assert_int_eq(ss_client_open(&options, &client, &error), 0);
}

static void setup(void)
{
    ss_value_setup();
    ss_buf_init(&asked, 1 << 20);
    epoch = 1;
    script = NULL;
    open_server();
    open_client(ENDPOINT, CONNECT_MS);
}

static void teardown(void)
{
    ss_client_close(&client);
    ss_link_close(&server);
    ss_buf_fini(&asked);
}

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_msg(json != NULL, "no JSON: %s", text);
    return json;
}

static void reply(const char *peer, struct ss_message *message)
{
    struct ss_buf buf;
    struct ss_error why;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, &why), SS_OK);
    // Whoever asked may be gone by now.
    if (ss_link_send(server, peer, buf.data, buf.size, &why) != SS_OK)
        ck_assert_int_eq(why.status, SS_ECLOSED);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

static void answer(const char *peer, uint64_t id, bool final, const char *text)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_ANSWER);
    message->id = id;
    message->final = final;
    message->body = ss_value_new(parse(text));
    reply(peer, message);
}

static void serve_ask(const char *peer, struct ss_message *ask)
{
    size_t size;
    ss_buf_addf(&asked, "%s %s\n", ask->op, ss_value_text(ask->body, &size));
    for (const struct script *it = script; it && it->op; it++) {
        if (strcmp(it->op, ask->op) != 0)
            continue;
        for (size_t i = 0; it->items[i]; i++)
            answer(peer, ask->id, false, it->items[i]);
        if (it->final)
            answer(peer, ask->id, true, it->final);
    }
}

// What came in by now.
static void serve(void)
{
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error why;
    while (ss_link_recv(server, peer, &bytes, &size, &why) == SS_OK) {
        struct ss_message *message;
        ck_assert_int_eq(ss_message_decode(bytes, size, &message, &why), SS_OK);
        ss_free(bytes);
        if (message->type == SS_MESSAGE_PING) {
            struct ss_message *pong = ss_message_new(SS_MESSAGE_PONG);
            pong->epoch = epoch;
            reply(peer, pong);
        } else if (message->type == SS_MESSAGE_ASK) {
            serve_ask(peer, message);
        } else {
            ck_assert_int_eq(message->type, SS_MESSAGE_HANGUP);
            ss_buf_add_str(&asked, "hangup\n");
        }
        ss_message_destroy(&message);
    }
}

// Both sides, as often as it takes for all messages to have gone round.
static void pump(void)
{
    for (int i = 0; i < 8; i++) {
        serve();
        ss_client_step(client);
    }
}

static struct ss_client_call *start(const char *op, const char *body)
{
    return ss_client_start(client, op, parse(body), NULL);
}

static void expect_answer(struct ss_client_call *call, const char *text)
{
    pump();
    ck_assert(ss_client_call_is_done(call));
    json_t *json;
    int status = ss_client_call_finish(&call, &json, &error);
    ck_assert_msg(status == 0, "%s", error.message);
    ck_assert_ptr_null(call);
    char *got = ss_json_text(json);
    ck_assert_str_eq(got, text);
    ss_free(got);
    json_decref(json);
}

static void expect_error(
    struct ss_client_call *call, const char *code, const char *message)
{
    while (!ss_client_call_is_done(call)) {
        if (server)
            serve();
        ss_client_wait(client, -1, 10);
    }
    json_t *json = NULL;
    ck_assert_int_lt(ss_client_call_finish(&call, &json, &error), 0);
    ck_assert_ptr_null(json);
    ck_assert_str_eq(error.code, code);
    ck_assert_str_eq(error.message, message);
}

static void write_item(void *ctx, const json_t *item)
{
    char *text = ss_json_text(item);
    ss_buf_addf(ctx, "%s\n", text);
    ss_free(text);
}

// ----------------------------------------------------------------- one by one

START_TEST(a_request_gets_its_answer)
{
    PLAY({.op = "graphs", .final = "{\"graphs\":[]}"});
    expect_answer(start("graphs", "{}"), "{\"graphs\":[]}");
    ck_assert_str_eq(ss_buf_str(&asked), "graphs {}\n");
    ck_assert_int_eq(ss_client_timeout_ms(client), -1);
}
END_TEST

START_TEST(many_requests_may_be_under_way)
{
    PLAY({.op = "graphs", .final = "{\"g\":1}"},
        {.op = "workers", .final = "{\"w\":2}"});
    struct ss_client_call *first = start("graphs", "{}");
    struct ss_client_call *second = start("workers", "{}");
    expect_answer(second, "{\"w\":2}");
    expect_answer(first, "{\"g\":1}");
}
END_TEST

START_TEST(an_error_answer_is_an_error)
{
    PLAY({.op = "state",
        .final = "{\"error\":{\"code\":\"not_found\","
                 "\"message\":\"there is no thread x\"}}"});
    expect_error(start("state", "{\"thread\":\"x\"}"), "not_found",
        "there is no thread x");
}
END_TEST

START_TEST(an_error_with_an_unknown_code_is_an_error_still)
{
    PLAY({.op = "state", .final = "{\"error\":{\"code\":\"of the future\"}}"});
    expect_error(
        start("state", "{}"), "io_error", "the coordinator does not say why");
}
END_TEST

START_TEST(a_run_that_failed_is_an_answer)
{
#define FAILED                                                                 \
    "{\"run\":\"r\",\"status\":\"failed\",\"error\":"                          \
    "{\"code\":\"node_failed\",\"message\":\"oh\"}}"
    PLAY({.op = "run", .final = FAILED});
    expect_answer(start("run", "{\"graph\":\"g\"}"), FAILED);
}
END_TEST

START_TEST(items_reach_the_listener_in_order)
{
    PLAY({.op = "run",
        .items = {"{\"run\":\"r\",\"accepted\":true}",
            "{\"seq\":\"1.1\",\"mode\":\"values\"}",
            "{\"seq\":\"1.2\",\"mode\":\"values\"}"},
        .final = "{\"status\":\"done\"}"});
    struct ss_buf items;
    ss_buf_init(&items, 4096);
    struct ss_client_call *call = ss_client_start(client, "run", parse("{}"),
        &(struct ss_client_ask){.on_item = write_item, .ctx = &items});
    expect_answer(call, "{\"status\":\"done\"}");
    ck_assert_str_eq(ss_buf_str(&items),
        "{\"run\":\"r\",\"accepted\":true}\n"
        "{\"seq\":\"1.1\",\"mode\":\"values\"}\n"
        "{\"seq\":\"1.2\",\"mode\":\"values\"}\n");
    ss_buf_fini(&items);
}
END_TEST

static void ask_more(void *ctx, const json_t *item)
{
    struct ss_client_call **more = ctx;
    if (json_object_get(item, "accepted")) {
        ck_assert_ptr_null(*more);
        *more = start("graphs", "{}");
    } else {
        ss_client_call_drop(more);
        *more = start("workers", "{}");
    }
}

START_TEST(a_listener_may_start_and_drop_calls)
{
    PLAY(
        {.op = "run",
            .items = {"{\"run\":\"r\",\"accepted\":true}", "{\"seq\":\"1.1\"}"},
            .final = "{\"status\":\"done\"}"},
        {.op = "workers", .final = "{\"workers\":[]}"});
    struct ss_client_call *more = NULL;
    struct ss_client_call *call = ss_client_start(client, "run", parse("{}"),
        &(struct ss_client_ask){.on_item = ask_more, .ctx = &more});
    expect_answer(call, "{\"status\":\"done\"}");
    expect_answer(more, "{\"workers\":[]}");
}
END_TEST

START_TEST(a_dropped_call_is_hung_up)
{
    struct ss_client_call *call = start("run", "{\"run\":\"r\"}");
    pump();
    ss_client_call_drop(&call);
    ck_assert_ptr_null(call);
    pump();
    ck_assert_str_eq(ss_buf_str(&asked), "run {\"run\":\"r\"}\nhangup\n");
}
END_TEST

START_TEST(closing_hangs_up_everything)
{
    start("run", "{\"run\":\"r\"}");
    pump();
    ss_client_close(&client);
    serve();
    ck_assert_str_eq(ss_buf_str(&asked), "run {\"run\":\"r\"}\nhangup\n");
}
END_TEST

START_TEST(garbage_is_ignored)
{
    PLAY({.op = "graphs", .final = "{\"g\":1}"});
    struct ss_client_call *call = start("graphs", "{}");
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error why;
    ck_assert_int_eq(ss_link_recv(server, peer, &bytes, &size, &why), SS_OK);
    ss_free(bytes);
    ck_assert_int_eq(ss_link_send(server, peer, "garbage", 7, &why), SS_OK);
    ck_assert_int_eq(ss_link_send(server, peer, "", 0, &why), SS_OK);
    ss_client_step(client);
    // No sign of life either: a ping is due, and nothing was asked yet.
    ck_assert(!ss_client_call_is_done(call));
    while (!ss_client_call_is_done(call)) {
        serve();
        ss_client_wait(client, -1, 10);
    }
    expect_answer(call, "{\"g\":1}");
}
END_TEST

START_TEST(a_restarted_coordinator_is_attached_to)
{
    PLAY({.op = "run",
        .items = {"{\"run\":\"r\",\"accepted\":true}",
            "{\"seq\":\"4.2\",\"mode\":\"values\"}"}});
    struct ss_client_call *call =
        start("run", "{\"run\":\"r\",\"stream\":[\"values\"]}");
    pump();
    ss_link_close(&server);
    open_server();
    epoch = 2;
    PLAY({.op = "attach", .final = "{\"status\":\"done\"}"});
    ss_buf_reset(&asked);
    while (!ss_client_call_is_done(call)) {
        serve();
        ss_client_wait(client, -1, 20);
    }
    ck_assert_str_eq(ss_buf_str(&asked),
        "attach {\"run\":\"r\",\"stream\":[\"values\"],\"after\":\"4.2\"}\n");
    expect_answer(call, "{\"status\":\"done\"}");
}
END_TEST

START_TEST(an_input_over_the_limit_is_an_error)
{
    char *text = ss_alloc(SS_MESSAGE_SIZE_MAX + 1);
    memset(text, 'x', SS_MESSAGE_SIZE_MAX);
    text[SS_MESSAGE_SIZE_MAX] = '\0';
    json_t *body = json_object();
    json_object_set_new(body, "input", json_string(text));
    ss_free(text);
    struct ss_client_call *call = ss_client_start(client, "run", body, NULL);
    while (!ss_client_call_is_done(call)) {
        serve();
        ss_client_wait(client, -1, 10);
    }
    ck_assert_int_eq(ss_client_call_finish(&call, NULL, &error), SS_ELIMIT);
    ck_assert_str_eq(error.code, "limit_exceeded");
    ck_assert_ptr_nonnull(
        strstr(error.message, "the request \"run\" cannot be sent"));
    // The client is as good as before.
    PLAY({.op = "graphs", .final = "{\"g\":1}"});
    expect_answer(start("graphs", "{}"), "{\"g\":1}");
}
END_TEST

// ------------------------------------------------------------- nobody there

START_TEST(nobody_there_is_an_error_that_says_what_to_do)
{
    ss_client_close(&client);
    open_client("loop:nobody", 40);
    expect_error(start("graphs", "{}"), "closed",
        "no coordinator answers at loop:nobody. Start one: superstep dev "
        "APP.so");
}
END_TEST

START_TEST(the_endpoints_are_tried_in_turn)
{
    ss_client_close(&client);
    open_client("loop:nobody," ENDPOINT, CONNECT_MS);
    ck_assert_str_eq(ss_client_endpoint(client), "loop:nobody");
    PLAY({.op = "graphs", .final = "{\"g\":1}"});
    struct ss_client_call *call = start("graphs", "{}");
    while (!ss_client_call_is_done(call)) {
        serve();
        ss_client_wait(client, -1, 20);
    }
    ck_assert_str_eq(ss_client_endpoint(client), ENDPOINT);
    expect_answer(call, "{\"g\":1}");
}
END_TEST

// A second coordinator, at another endpoint.
static struct ss_link *other;

static void serve_other(void)
{
    static const struct script owner[] = {
        {.op = "state", .final = "{\"state\":7}"}, {0}};
    const struct script *before = script;
    struct ss_link *home = server;
    script = owner;
    server = other;
    serve();
    script = before;
    server = home;
}

START_TEST(what_another_coordinator_has_is_asked_for_there)
{
    struct ss_error why;
    const struct ss_link_options options = {
        .endpoint = ENDPOINT "-owner", .server = true};
    ck_assert_int_eq(ss_link_open(&options, &other, &why), SS_OK);
    PLAY({.op = "state",
        .final = "{\"error\":{\"code\":\"moved\",\"message\":\"there\","
                 "\"endpoint\":\"" ENDPOINT "-owner\"}}"});
    int fd = ss_client_fd(client);
    struct ss_client_call *call = start("state", "{}");
    while (!ss_client_call_is_done(call)) {
        serve();
        serve_other();
        // What comes from either is told by the one descriptor.
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        ck_assert_int_eq(poll(&wait, 1, 60000), 1);
        ss_client_step(client);
    }
    ck_assert_int_eq(ss_client_fd(client), fd);
    expect_answer(call, "{\"state\":7}");
    ck_assert_str_eq(ss_client_endpoint(client), ENDPOINT);
    ss_link_close(&other);
}
END_TEST

START_TEST(a_call_with_too_little_time_fails)
{
    struct ss_client_call *call = ss_client_start(
        client, "run", parse("{}"), &(struct ss_client_ask){.timeout_ms = 30});
    expect_error(call, "timeout",
        "no final answer to the request \"run\" within the time that was "
        "given");
}
END_TEST

START_TEST(an_endpoint_that_is_none_is_refused)
{
    static const char *const bad[] = {"localhost:7433", "tcp://host",
        "tcp://:7433", "tcp://host:x", "tcp://host:0", "tcp://host:70000",
        "ipc://", "http://host:80", ",", "tcp://a:1,b"};
    struct ss_client *none = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const struct ss_client_options options = {.endpoints = bad[i]};
        ck_assert_int_eq(ss_client_open(&options, &none, &error), SS_EINVAL);
        ck_assert_str_eq(error.code, "invalid_argument");
        ck_assert_ptr_nonnull(strstr(error.message, "is no endpoint: it should "
                                                    "be like tcp://"));
        ck_assert_ptr_null(none);
    }
}
END_TEST

START_TEST(the_environment_names_the_coordinator)
{
    ss_client_close(&client);
    setenv(SS_CLIENT_ENVIRONMENT, ENDPOINT, 1);
    ck_assert_int_eq(ss_client_open(NULL, &client, &error), 0);
    ck_assert_str_eq(ss_client_endpoint(client), ENDPOINT);
    ss_client_close(&client);
    setenv(SS_CLIENT_ENVIRONMENT, "", 1);
    ck_assert_int_eq(ss_client_open(NULL, &client, &error), 0);
    ck_assert_str_eq(ss_client_endpoint(client), SS_CLIENT_ENDPOINT);
}
END_TEST

// -------------------------------------------------------- the blocking calls

static bool is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *serve_until_over(void *unused)
{
    (void)unused;
    for (;;) {
        ss_link_wait(server, -1, 10);
        serve();
        pthread_mutex_lock(&lock);
        bool stops = is_over;
        pthread_mutex_unlock(&lock);
        if (stops)
            return NULL;
    }
}

static pthread_t thread;

static void setup_thread(void)
{
    static const struct script all[] = {
        {.op = "run",
            .items = {"{\"run\":\"r\",\"accepted\":true}"},
            .final = "{\"run\":\"r\",\"status\":\"done\",\"output\":1}"},
        {.op = "attach", .final = "{\"status\":\"interrupted\"}"},
        {.op = "cancel", .final = "{\"status\":\"cancelled\"}"},
        {.op = "state", .final = "{\"state\":{\"values\":1}}"},
        {.op = "history", .final = "{\"history\":[1,2]}"},
        {.op = "update", .final = "{\"config\":{\"thread_id\":\"t\"}}"},
        {.op = "checkpoints", .final = "{\"checkpoints\":[3]}"},
        {.op = "journal", .final = "{\"rows\":[4]}"},
        {.op = "copy", .final = "{\"rows\":5}"},
        {.op = "delete", .final = "{\"rows\":6}"},
        {.op = "prune", .final = "{\"rows\":7}"},
        {.op = "threads", .final = "{\"threads\":[8]}"},
        {.op = "runs", .final = "{\"runs\":[9]}"},
        {.op = "graphs", .final = "{\"graphs\":[10]}"},
        {.op = "workers", .final = "{\"nothing\":[]}"},
        {.op = "draw", .final = "{\"mermaid\":\"graph TD;\"}"}, {0}};
    setup();
    script = all;
    is_over = false;
    ck_assert_int_eq(pthread_create(&thread, NULL, serve_until_over, NULL), 0);
}

static void stop_thread(void)
{
    pthread_mutex_lock(&lock);
    is_over = true;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

// The requests that were seen, and the results that were given.
static void expect_asked(const char *lines)
{
    stop_thread();
    ck_assert_str_eq(ss_buf_str(&asked), lines);
}

static void expect_json(json_t *json, const char *text)
{
    char *got = ss_json_text(json);
    ck_assert_str_eq(got, text);
    ss_free(got);
    json_decref(json);
}

START_TEST(run_says_everything_that_a_run_can_be_told)
{
    json_t *result;
    const struct ss_client_run run = {.thread = "t",
        .input = parse("{\"a\":1}"),
        .checkpoint_id = "c",
        .stream = "values,updates",
        .subgraphs = true,
        .run = "r",
        .if_busy = "rollback",
        .detach = true,
        .more = parse("{\"durability\":\"exit\"}")};
    ck_assert_int_eq(ss_client_run(client, "g", &run, &result, &error), 0);
    expect_json(result, "{\"run\":\"r\",\"status\":\"done\",\"output\":1}");
    expect_asked(
        "run {\"durability\":\"exit\",\"graph\":\"g\",\"thread\":\"t\","
        "\"checkpoint_id\":\"c\",\"run\":\"r\",\"if_busy\":\"rollback\","
        "\"input\":{\"a\":1},"
        "\"stream\":[\"values\",\"updates\"],\"subgraphs\":true,"
        "\"detach\":true}\n");
}
END_TEST

START_TEST(resume_is_a_command)
{
    json_t *result;
    struct ss_client_run run = {.thread = "t",
        .run = "r",
        .resume = parse("true"),
        .command = parse("{\"goto\":\"x\"}")};
    ck_assert_int_eq(ss_client_run(client, "g", &run, &result, &error), 0);
    json_decref(result);
    run = (struct ss_client_run){.run = "s", .resume = parse("7")};
    ck_assert_int_eq(ss_client_run(client, "g", &run, &result, &error), 0);
    json_decref(result);
    expect_asked("run {\"graph\":\"g\",\"thread\":\"t\",\"run\":\"r\","
                 "\"command\":{\"goto\":\"x\",\"resume\":true}}\n"
                 "run {\"graph\":\"g\",\"run\":\"s\",\"command\":"
                 "{\"resume\":7}}\n");
}
END_TEST

START_TEST(runs_are_followed_and_cancelled)
{
    json_t *result;
    const struct ss_client_attach attach = {
        .stream = "custom", .subgraphs = true, .after = "3.1"};
    ck_assert_int_eq(
        ss_client_attach(client, "r", &attach, &result, &error), 0);
    expect_json(result, "{\"status\":\"interrupted\"}");
    ck_assert_int_eq(ss_client_attach(client, "r", NULL, &result, &error), 0);
    json_decref(result);
    ck_assert_int_eq(ss_client_cancel(client, "r", false, NULL, &error), 0);
    ck_assert_int_eq(ss_client_cancel(client, "r", true, &result, &error), 0);
    json_decref(result);
    expect_asked("attach {\"run\":\"r\",\"after\":\"3.1\",\"stream\":"
                 "[\"custom\"],\"subgraphs\":true}\n"
                 "attach {\"run\":\"r\"}\ncancel {\"run\":\"r\"}\n"
                 "cancel {\"run\":\"r\",\"action\":\"rollback\"}\n");
}
END_TEST

START_TEST(threads_are_looked_at)
{
    json_t *result;
    ck_assert_int_eq(ss_client_state(client, "t", parse("{\"subgraphs\":true}"),
                         &result, &error),
        0);
    expect_json(result, "{\"values\":1}");
    ck_assert_int_eq(ss_client_history(client, "t", NULL, &result, &error), 0);
    expect_json(result, "[1,2]");
    ck_assert_int_eq(ss_client_checkpoints(client, "t", &result, &error), 0);
    expect_json(result, "[3]");
    ck_assert_int_eq(
        ss_client_journal(client, "t", parse("{\"limit\":2}"), &result, &error),
        0);
    expect_json(result, "[4]");
    expect_asked("state {\"subgraphs\":true,\"thread\":\"t\"}\n"
                 "history {\"thread\":\"t\"}\n"
                 "checkpoints {\"thread\":\"t\"}\n"
                 "journal {\"limit\":2,\"thread\":\"t\"}\n");
}
END_TEST

START_TEST(threads_are_changed)
{
    json_t *result;
    int64_t rows;
    struct ss_client_update update = {
        .values = parse("{\"a\":1}"), .as_node = "n"};
    ck_assert_int_eq(
        ss_client_update(client, "t", &update, &result, &error), 0);
    expect_json(result, "{\"thread_id\":\"t\"}");
    update = (struct ss_client_update){NULL, NULL, NULL};
    ck_assert_int_eq(
        ss_client_update(client, "t", &update, &result, &error), 0);
    json_decref(result);
    ck_assert_int_eq(
        ss_client_bulk_update(client, "t", parse("[[{\"values\":2}]]"),
            parse("{\"graph\":\"g\"}"), NULL, &error),
        0);
    ck_assert_int_eq(ss_client_copy(client, "t", "u", &rows, &error), 0);
    ck_assert_int_eq(rows, 5);
    ck_assert_int_eq(ss_client_delete(client, "t", &rows, &error), 0);
    ck_assert_int_eq(rows, 6);
    ck_assert_int_eq(ss_client_prune(client, "t", NULL, &error), 0);
    expect_asked("update {\"thread\":\"t\",\"supersteps\":[[{\"values\":"
                 "{\"a\":1},\"as_node\":\"n\"}]]}\n"
                 "update {\"thread\":\"t\",\"supersteps\":[[{\"values\":null}]]"
                 "}\n"
                 "update {\"graph\":\"g\",\"thread\":\"t\",\"supersteps\":"
                 "[[{\"values\":2}]]}\n"
                 "copy {\"thread\":\"t\",\"to\":\"u\"}\n"
                 "delete {\"thread\":\"t\"}\nprune {\"thread\":\"t\"}\n");
}
END_TEST

START_TEST(lists_are_given)
{
    json_t *result;
    char *text;
    ck_assert_int_eq(ss_client_threads(client, NULL, &result, &error), 0);
    expect_json(result, "[8]");
    ck_assert_int_eq(
        ss_client_runs(client, parse("{\"limit\":1}"), &result, &error), 0);
    expect_json(result, "[9]");
    ck_assert_int_eq(ss_client_graphs(client, &result, &error), 0);
    expect_json(result, "[10]");
    ck_assert_int_eq(ss_client_draw(client, "g", NULL, &text, &error), 0);
    ck_assert_str_eq(text, "graph TD;");
    free(text);
    // An answer that lacks what it should have.
    ck_assert_int_eq(ss_client_workers(client, &result, &error), SS_EFORMAT);
    ck_assert_str_eq(error.message,
        "the coordinator's answer to \"workers\" has no \"workers\"");
    expect_asked("threads {}\nruns {\"limit\":1}\ngraphs {}\n"
                 "draw {\"graph\":\"g\"}\nworkers {}\n");
}
END_TEST

// Left out in silence, a name would make another thread be meant.
START_TEST(a_text_that_is_no_utf8_is_refused_and_nothing_is_sent)
{
    json_t *result;
    const struct ss_client_run run = {.thread = "t\xff"};
    ck_assert_int_eq(
        ss_client_run(client, "g", &run, &result, &error), SS_EINVAL);
    ck_assert_str_eq(error.message,
        "the request \"run\": \"thread\" is no text in UTF-8");
    ck_assert_ptr_null(ss_client_run_body("g", &run));
    const struct ss_client_run modes = {.stream = "values,\xff"};
    ck_assert_ptr_null(ss_client_run_body("g", &modes));
    ck_assert_int_eq(
        ss_client_delete(client, "\xff", NULL, &error), SS_EINVAL);
    const struct ss_client_update update = {.as_node = "\xff"};
    ck_assert_int_eq(
        ss_client_update(client, "t", &update, &result, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "\"as_node\" is no text"));
    expect_asked("");
}
END_TEST

START_TEST(more_that_is_no_object_is_refused)
{
    json_t *result;
    ck_assert_int_eq(
        ss_client_runs(client, parse("[1]"), &result, &error), SS_EINVAL);
    ck_assert_str_eq(
        error.message, "the request \"runs\": \"more\" is no object");
    const struct ss_client_run run = {.command = parse("7")};
    ck_assert_int_eq(
        ss_client_run(client, "g", &run, &result, &error), SS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.message, "\"command\" is no object"));
    expect_asked("");
}
END_TEST

// ------------------------------------------------------------- why it waits

static char *idle_after(struct ss_idle *idle, int64_t now_ms)
{
    char *why = ss_idle_look(idle, now_ms);
    pump();
    return why ? why : ss_idle_look(idle, now_ms);
}

START_TEST(a_run_that_no_worker_serves_is_told_of_once)
{
    PLAY({.op = "workers",
        .final = "{\"workers\":[{\"graphs\":"
                 "[\"digester@1\",\"other\"]}]}"});
    struct ss_idle idle;
    ss_idle_init(&idle, client, "digest", 1000);
    ck_assert_ptr_null(idle_after(&idle, 3999));
    ck_assert_str_eq(ss_buf_str(&asked), "");
    char *why = idle_after(&idle, 4000);
    ck_assert_str_eq(why, "no worker serves graph \"digest\": its tasks wait. "
                          "Start one: superstep-worker --app APP.so");
    ss_free(why);
    ck_assert_ptr_null(idle_after(&idle, 9000));
    // Something happened, and it waits again.
    ss_idle_reset(&idle, 9000);
    ck_assert_ptr_null(idle_after(&idle, 9001));
    why = idle_after(&idle, 12000);
    ck_assert_ptr_nonnull(why);
    ss_free(why);
    ss_idle_fini(&idle);
}
END_TEST

START_TEST(a_run_whose_version_no_worker_serves_is_told_of)
{
    PLAY({.op = "explain",
        .final = "{\"explain\":{\"run\":\"r\",\"graph\":\"digest\","
                 "\"version\":\"5f0c1e7a99\",\"graph_known\":true,"
                 "\"waits\":[{\"why\":\"running\"},"
                 "{\"why\":\"no_worker\"}]}}"});
    struct ss_idle idle;
    ss_idle_init(&idle, client, NULL, 0);
    idle.run = "r";
    char *why = idle_after(&idle, 5000);
    ck_assert_str_eq(why,
        "no worker serves version 5f0c1e7a of graph \"digest\": its tasks "
        "wait. Start one: superstep-worker --app APP.so; or move the run to "
        "another version: superstep migrate r");
    ss_free(why);
    expect_asked("explain {\"run\":\"r\"}\n");
    ss_idle_fini(&idle);
    json_t *busy = parse("{\"graph_known\":true,\"waits\":"
                         "[{\"why\":\"workers_busy\"}]}");
    ck_assert_ptr_null(ss_idle_explained(busy));
    json_decref(busy);
}
END_TEST

START_TEST(a_run_that_is_served_just_takes_its_time)
{
    PLAY({.op = "workers",
        .final = "{\"workers\":[{\"graphs\":[]},"
                 "{\"graphs\":[\"digest@5f0c\"]}]}"});
    struct ss_idle idle;
    ss_idle_init(&idle, client, "digest", 0);
    ck_assert_ptr_null(idle_after(&idle, 5000));
    ck_assert_str_eq(ss_buf_str(&asked), "workers {}\n");
    ck_assert_ptr_null(idle_after(&idle, 50000));
    ck_assert_str_eq(ss_buf_str(&asked), "workers {}\n");
    ss_idle_fini(&idle);
    ss_idle_init(&idle, client, NULL, 0);
    ck_assert_ptr_null(idle_after(&idle, 5000));
    ss_idle_fini(&idle);
}
END_TEST

static TCase *polling(void)
{
    TCase *tcase = tcase_create("polling");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, a_request_gets_its_answer);
    tcase_add_test(tcase, many_requests_may_be_under_way);
    tcase_add_test(tcase, an_error_answer_is_an_error);
    tcase_add_test(tcase, an_error_with_an_unknown_code_is_an_error_still);
    tcase_add_test(tcase, a_run_that_failed_is_an_answer);
    tcase_add_test(tcase, items_reach_the_listener_in_order);
    tcase_add_test(tcase, a_listener_may_start_and_drop_calls);
    tcase_add_test(tcase, a_dropped_call_is_hung_up);
    tcase_add_test(tcase, closing_hangs_up_everything);
    tcase_add_test(tcase, garbage_is_ignored);
    tcase_add_test(tcase, a_restarted_coordinator_is_attached_to);
    tcase_add_test(tcase, an_input_over_the_limit_is_an_error);
    tcase_add_test(tcase, nobody_there_is_an_error_that_says_what_to_do);
    tcase_add_test(tcase, the_endpoints_are_tried_in_turn);
    tcase_add_test(tcase, what_another_coordinator_has_is_asked_for_there);
    tcase_add_test(tcase, a_call_with_too_little_time_fails);
    tcase_add_test(tcase, an_endpoint_that_is_none_is_refused);
    tcase_add_test(tcase, a_run_that_no_worker_serves_is_told_of_once);
    tcase_add_test(tcase, a_run_that_is_served_just_takes_its_time);
    tcase_add_test(tcase, a_run_whose_version_no_worker_serves_is_told_of);
    tcase_add_test(tcase, the_environment_names_the_coordinator);
    return tcase;
}

int main(void)
{
    Suite *suite = suite_create("client");
    suite_add_tcase(suite, polling());
    TCase *tcase = tcase_create("blocking");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup_thread, teardown);
    tcase_add_test(tcase, run_says_everything_that_a_run_can_be_told);
    tcase_add_test(tcase, resume_is_a_command);
    tcase_add_test(tcase, runs_are_followed_and_cancelled);
    tcase_add_test(tcase, threads_are_looked_at);
    tcase_add_test(tcase, threads_are_changed);
    tcase_add_test(tcase, lists_are_given);
    tcase_add_test(
        tcase, a_text_that_is_no_utf8_is_refused_and_nothing_is_sent);
    tcase_add_test(tcase, more_that_is_no_object_is_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

// The client library against a scripted coordinator, without waiting.
#include <check.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/limits.h"
#include "common/app/clock.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "tests/suite.h"
#include "tests/unit/client/scripted_client.h"

static struct ss_client_call *start(const char *op, const char *body)
{
    return ss_client_start(client, op, json_of(body), NULL);
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
            scripted_serve();
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
    ck_assert_str_eq(ss_buf_str(&was_asked), "graphs {}\n");
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
    struct ss_client_call *call = ss_client_start(client, "run", json_of("{}"),
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
    struct ss_client_call *call = ss_client_start(client, "run", json_of("{}"),
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
    ck_assert_str_eq(ss_buf_str(&was_asked), "run {\"run\":\"r\"}\nhangup\n");
}
END_TEST

START_TEST(closing_hangs_up_everything)
{
    start("run", "{\"run\":\"r\"}");
    pump();
    ss_client_close(&client);
    scripted_serve();
    ck_assert_str_eq(ss_buf_str(&was_asked), "run {\"run\":\"r\"}\nhangup\n");
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
        scripted_serve();
        ss_client_wait(client, -1, 10);
    }
    expect_answer(call, "{\"g\":1}");
}
END_TEST

START_TEST(after_a_flood_the_next_step_is_due_at_once)
{
    PLAY({.op = "graphs", .final = "{\"g\":1}"});
    struct ss_client_call *call = start("graphs", "{}");
    char peer[SS_PEER_SIZE];
    void *bytes;
    size_t size;
    struct ss_error why;
    ck_assert_int_eq(ss_link_recv(server, peer, &bytes, &size, &why), SS_OK);
    ss_free(bytes);
    for (int i = 0; i <= SS_CLIENT_MESSAGES_A_STEP_MAX; i++)
        ck_assert_int_eq(ss_link_send(server, peer, "junk", 4, &why), SS_OK);
    ss_client_step(client);
    ck_assert_int_eq(ss_client_timeout_ms(client), 0);
    ss_client_call_drop(&call);
}
END_TEST

START_TEST(a_restarted_coordinator_is_attached_to)
{
    PLAY({.op = "run",
        .items = {"{\"run\":\"r\",\"thread\":\"t\",\"accepted\":true}",
            "{\"seq\":\"4.2\",\"mode\":\"values\"}"}});
    struct ss_client_call *call =
        start("run", "{\"run\":\"r\",\"stream\":[\"values\"]}");
    pump();
    ss_link_close(&server);
    scripted_open(ENDPOINT);
    epoch = 2;
    PLAY({.op = "attach", .final = "{\"status\":\"done\"}"});
    ss_buf_reset(&was_asked);
    while (!ss_client_call_is_done(call)) {
        scripted_serve();
        ss_client_wait(client, -1, 20);
    }
    ck_assert_str_eq(ss_buf_str(&was_asked),
        "attach {\"run\":\"r\",\"thread\":\"t\",\"stream\":[\"values\"],"
        "\"after\":\"4.2\"}\n");
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
        scripted_serve();
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

// A coordinator that answers is not one that says nothing.
START_TEST(a_thread_that_nobody_takes_over_is_no_silence)
{
    enum { PATIENCE_MS = 300 };
    PLAY({.op = "update",
        .final = "{\"error\":{\"code\":\"moved\",\"message\":\"nobody\"}}"});
    ss_client_close(&client);
    ss_link_close(&server);
    scripted_open("tcp://127.0.0.1:*"); // where a look can tell who listens
    ck_assert_int_eq(
        ss_client_open(
            &(struct ss_client_options){.endpoints = ss_link_endpoint(server),
                .patience_ms = PATIENCE_MS},
            &client, &error),
        0);
    expect_error(start("update", "{}"), "closed",
        "no coordinator has taken over the thread of the request \"update\" "
        "within 0 s; superstep doctor says what lacks");
}
END_TEST

// Nor one whose store is silent: it has let go of its threads, and is there.
START_TEST(a_request_waits_for_a_silent_store_longer_than_for_a_coordinator)
{
    enum { PATIENCE_MS = 3000, SILENT_MS = 4500 };
    PLAY(
        {.op = "update",
            .final = "{\"error\":{\"code\":\"moved\",\"message\":\"nobody\"}}"},
        {.op = "health",
            .final = "{\"health\":{\"ok\":false,\"reason\":\"silent\"}}"});
    ss_client_close(&client);
    ck_assert_int_eq(
        ss_client_open(&(struct ss_client_options){.endpoints = ENDPOINT,
                           .patience_ms = PATIENCE_MS},
            &client, &error),
        0);
    struct ss_client_call *call = start("update", "{}");
    int64_t until_ms = ss_clock_ms() + SILENT_MS;
    while (!ss_client_call_is_done(call) && ss_clock_ms() < until_ms) {
        scripted_serve();
        ss_client_wait(client, -1, 10);
    }
    ck_assert(!ss_client_call_is_done(call));
    PLAY({.op = "update", .final = "{\"checkpoint\":\"c\"}"},
        {.op = "health", .final = "{\"health\":{\"ok\":true}}"});
    while (!ss_client_call_is_done(call)) {
        scripted_serve();
        ss_client_wait(client, -1, 10);
    }
    expect_answer(call, "{\"checkpoint\":\"c\"}");
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
        scripted_serve();
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
    scripted_serve();
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
        scripted_serve();
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
    struct ss_client_call *call = ss_client_start(client, "run", json_of("{}"),
        &(struct ss_client_ask){.timeout_ms = 30});
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
        ck_assert_ptr_nonnull(
            strstr(error.message, "is not an endpoint; endpoints "
                                  "are like tcp://"));
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

int main(void)
{
    Suite *suite = suite_create("client");
    TCase *tcase = tcase_create("client");
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, client_setup, client_teardown);
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
    tcase_add_test(tcase, after_a_flood_the_next_step_is_due_at_once);
    tcase_add_test(tcase, a_restarted_coordinator_is_attached_to);
    tcase_add_test(tcase, an_input_over_the_limit_is_an_error);
    tcase_add_test(tcase, nobody_there_is_an_error_that_says_what_to_do);
    tcase_add_test(tcase, a_thread_that_nobody_takes_over_is_no_silence);
    tcase_add_test(tcase,
        a_request_waits_for_a_silent_store_longer_than_for_a_coordinator);
    tcase_add_test(tcase, the_endpoints_are_tried_in_turn);
    tcase_add_test(tcase, what_another_coordinator_has_is_asked_for_there);
    tcase_add_test(tcase, a_call_with_too_little_time_fails);
    tcase_add_test(tcase, an_endpoint_that_is_none_is_refused);
    tcase_add_test(tcase, the_environment_names_the_coordinator);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

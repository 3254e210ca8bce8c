// shell_test.c - worker processes, told what to do by a coordinator that is
// this test.
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/link/link.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "tests/suite.h"
#include "tests/support/link_wait.h"
#include "worker/supervise.h"

enum { PATIENCE_MS = 20000, LARGE = 68 * 1024 * 1024, MOSTLY = 40 };

// ------------------------------------------------ application

static int greet(struct ss_task *task)
{
    ss_emit(task, json_string("on my way"));
    return ss_update(
        task, json_pack("{s:s+}", "k", "hello ", ss_input_str(task, "name")));
}

static int crash(struct ss_task *task)
{
    (void)task;
    signal(SIGABRT, SIG_DFL);
    abort();
}

static int until_told(struct ss_task *task)
{
    ss_emit(task, json_string("begun"));
    while (ss_heartbeat(task))
        continue;
    return SS_FAILED;
}

// Quick, and then one that is not.
static int mostly_quick(struct ss_task *task)
{
    static int count;
    if (++count <= MOSTLY)
        return ss_update(task, json_pack("{s:i}", "k", count));
    return until_told(task);
}

static int for_ever(struct ss_task *task)
{
    ss_emit(task, json_string("begun"));
    for (;;)
        pause();
    return 0;
}

static int too_large(struct ss_task *task)
{
    char *text = ss_alloc(LARGE);
    memset(text, 'x', LARGE);
    json_t *json = json_stringn(text, LARGE);
    ss_free(text);
    return ss_update(task, json_pack("{s:o}", "k", json));
}

static const struct {
    const char *name;
    ss_node_fn *body;
} bodies[] = {{"greet", greet}, {"crash", crash}, {"until_told", until_told},
    {"mostly_quick", mostly_quick}, {"for_ever", for_ever},
    {"too_large", too_large}};

static void define(struct ss_graph_def *graph)
{
    ss_key(graph, "k", SS_ANY);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
        ss_node(graph, bodies[i].name, bodies[i].body);
        ss_edge(graph, SS_START, bodies[i].name);
    }
}

static const struct ss_app_graph graphs[] = {{"g", define}, {NULL, NULL}};
static const struct ss_app app = {
    SS_ABI_VERSION, sizeof(app), "7", graphs, NULL};

// ------------------------------------------------ coordinator

static char endpoint[100];
static char socket_path[90];
static pid_t worker;
static struct ss_link *server;
static char peer[SS_PEER_SIZE]; // who spoke last
static struct ss_message *heard;

static const char *const labels[] = {"gpu", "large"};

// Fork the worker first: ZeroMQ does not survive a fork.
static void start(unsigned processes)
{
    snprintf(socket_path, sizeof(socket_path), "/tmp/superstep-shell-%ld",
        (long)getpid());
    snprintf(endpoint, sizeof(endpoint), "ipc://%s", socket_path);
    struct ss_worker_options options = {.app = &app,
        .endpoint = endpoint,
        .name = "w",
        .capacity = 2,
        .labels = labels,
        .labels_count = 2};
    ss_value_setup();
    fflush(NULL);
    worker = fork();
    ck_assert_int_ge(worker, 0);
    if (worker == 0) {
        if (!freopen("/dev/null", "w", stdout) ||
            !freopen("/dev/null", "w", stderr))
            _exit(99);
        _exit(processes > 0 ? ss_worker_supervise(&options, processes)
                            : ss_worker_run_one(&options));
    }
    struct ss_error error;
    struct ss_link_options link = {.endpoint = endpoint, .server = true};
    ck_assert_msg(
        ss_link_open(&link, &server, &error) == SS_OK, "%s", error.message);
}

static int worker_exit_code(void)
{
    int status;
    ck_assert_int_eq(waitpid(worker, &status, 0), worker);
    worker = 0;
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void setup(void)
{
    worker = 0;
    heard = NULL;
}

static void teardown(void)
{
    if (worker > 0) {
        kill(worker, SIGTERM);
        worker_exit_code();
    }
    ss_message_destroy(&heard);
    ss_link_close(&server);
    unlink(socket_path);
}

static void say(const struct ss_message *message)
{
    struct ss_buf bytes;
    struct ss_error error;
    ss_buf_init(&bytes, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &bytes, &error), SS_OK);
    ck_assert_int_eq(
        ss_link_send(server, peer, bytes.data, bytes.size, &error), SS_OK);
    ss_buf_fini(&bytes);
}

static void say_pong(void)
{
    struct ss_message *pong = ss_message_new(SS_MESSAGE_PONG);
    pong->epoch = 1;
    say(pong);
    ss_message_destroy(&pong);
}

static void receive(void)
{
    struct ss_error error;
    void *bytes;
    size_t size;
    while (ss_link_recv(server, peer, &bytes, &size, &error) != SS_OK)
        ck_assert_int_ge(link_wait(server, -1, PATIENCE_MS), 0);
    ss_message_destroy(&heard);
    ck_assert_msg(ss_message_decode(bytes, size, &heard, &error) == SS_OK, "%s",
        error.message);
    ss_free(bytes);
}

// The next message but beats, pings, HELLOs said twice, and the supervisor's
// word of a worker that crashed, which comes when it can.
static const struct ss_message *hear(enum ss_message_type type)
{
    for (;;) {
        receive();
        bool is_word = heard->type == SS_MESSAGE_BYE && heard->bye.ended;
        if (is_word)
            ck_assert_str_eq(heard->bye.ended, "w/1");
        if (heard->type == SS_MESSAGE_PING)
            say_pong();
        if (heard->type == type && !is_word)
            return heard;
        ck_assert_msg(is_word || heard->type == SS_MESSAGE_BEAT ||
                          heard->type == SS_MESSAGE_PING ||
                          heard->type == SS_MESSAGE_HELLO,
            "unexpected %s", ss_message_name(heard->type));
    }
}

static void welcome(void)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_WELCOME);
    message->epoch = 1;
    message->welcome.lease_ms = PATIENCE_MS;
    message->welcome.heartbeat_ms = 100;
    say(message);
    ss_message_destroy(&message);
}

static struct ss_assignment *order(const char *node, uint64_t dispatch)
{
    struct ss_assignment *made = ss_assignment_new();
    made->attempt = (struct ss_attempt){1, dispatch};
    made->app_graph = "g";
    made->version = "";
    made->graph = "g";
    made->node = node;
    made->thread = "t";
    made->run = "r";
    made->ns = "n";
    made->path = "p";
    ss_assignment_keep(made);
    snprintf(made->task_id, sizeof(made->task_id), "task");
    made->input = ss_value_new(json_pack("{s:s}", "name", "Ada"));
    made->attempt_number = 1;
    made->want_custom = true;
    return made;
}

static void give(struct ss_assignment *made)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_TASKS);
    message->orders = ss_zalloc(1, sizeof(struct ss_assignment *));
    message->orders[0] = made;
    message->orders_count = 1;
    say(message);
    ss_message_destroy(&message);
}

static void give_in_silence(struct ss_assignment *made)
{
    made->want_custom = false;
    give(made);
}

static void say_about(enum ss_message_type type, uint64_t dispatch)
{
    struct ss_message *message = ss_message_new(type);
    message->attempts = ss_zalloc(1, sizeof(*message->attempts));
    message->attempts[0] = (struct ss_attempt){1, dispatch};
    message->attempts_count = 1;
    say(message);
    ss_message_destroy(&message);
}

static const struct ss_outcome *hear_outcome(void)
{
    hear(SS_MESSAGE_DONE);
    ck_assert_uint_eq(heard->outcomes_count, 1);
    return heard->outcomes[0];
}

static void expect_leaving(void)
{
    if (hear(SS_MESSAGE_BYE)->bye.drains)
        ck_assert(!hear(SS_MESSAGE_BYE)->bye.drains);
    ck_assert_int_eq(worker_exit_code(), 0);
}

// ------------------------------------------------------------------ stories

START_TEST(a_worker_says_hello_works_and_leaves)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    ck_assert_str_eq(heard->hello.name, "w");
    ck_assert_str_eq(heard->hello.app_version, "7");
    ck_assert_uint_eq(heard->capacity, 2);
    ck_assert_uint_eq(heard->hello.labels_count, 2);
    ck_assert_str_eq(heard->hello.labels[1], "large");
    ck_assert_uint_eq(heard->hello.graphs_count, 1);
    ck_assert_str_eq(
        ss_json_str(ss_value_json(heard->hello.graphs[0]), "name", ""), "g");
    welcome();
    give(order("greet", 1));
    hear(SS_MESSAGE_LIVE);
    ck_assert_str_eq(
        json_string_value(ss_value_json(heard->items[0].value)), "on my way");
    const struct ss_outcome *outcome = hear_outcome();
    ck_assert_int_eq((int)outcome->kind, SS_OUTCOME_DONE);
    ck_assert_str_eq(outcome->writes.items[0].channel, "k");
    ck_assert_str_eq(
        json_string_value(ss_value_json(outcome->writes.items[0].value)),
        "hello Ada");
    say_about(SS_MESSAGE_SETTLED, 1);
    kill(worker, SIGTERM);
    expect_leaving();
}
END_TEST

START_TEST(a_worker_serves_a_coordinator_that_another_told_of)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    char other[120];
    snprintf(other, sizeof(other), "%s-other", endpoint);
    char *members[] = {endpoint, other};
    struct ss_link *first = server, *second;
    struct ss_error error;
    struct ss_link_options link = {.endpoint = other, .server = true};
    ck_assert_int_eq(ss_link_open(&link, &second, &error), SS_OK);
    struct ss_message message = {.type = SS_MESSAGE_WELCOME,
        .protocol = SS_PROTOCOL_VERSION,
        .epoch = 2,
        .welcome.lease_ms = PATIENCE_MS,
        .welcome.heartbeat_ms = 100,
        .members = members,
        .members_count = 2};
    say(&message);
    server = second; // it asks who that is, says hello and works
    hear(SS_MESSAGE_HELLO);
    welcome();
    give(order("greet", 1));
    hear(SS_MESSAGE_LIVE);
    ck_assert_int_eq((int)hear_outcome()->kind, SS_OUTCOME_DONE);
    say_about(SS_MESSAGE_SETTLED, 1);
    kill(worker, SIGTERM);
    expect_leaving();
    server = first;
    ss_link_close(&second);
    unlink(other + strlen("ipc://"));
}
END_TEST

START_TEST(a_refused_worker_ends_with_exit_code_3)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    struct ss_message *message = ss_message_new(SS_MESSAGE_REFUSED);
    message->refused.status = SS_EDENIED;
    message->refused.text = ss_strdup("not you");
    say(message);
    ss_message_destroy(&message);
    ck_assert_int_eq(worker_exit_code(), SS_WORKER_EXIT_REFUSED);
}
END_TEST

START_TEST(garbage_and_misplaced_messages_are_ignored)
{
    struct ss_error error;
    start(0);
    hear(SS_MESSAGE_HELLO);
    ck_assert_int_eq(
        ss_link_send(server, peer, "\xff\xff garbage", 10, &error), SS_OK);
    struct ss_message *ask = ss_message_new(SS_MESSAGE_ASK);
    ask->op = ss_strdup("run");
    say(ask);
    ss_message_destroy(&ask);
    struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
    ping->id = 5;
    say(ping);
    ss_message_destroy(&ping);
    ck_assert_uint_eq(hear(SS_MESSAGE_PONG)->id, 5);
}
END_TEST

START_TEST(a_newer_coordinator_s_message_is_ignored)
{
    // An envelope of this protocol (field 1: 1) with a message of field 99.
    static const unsigned char unknown[] = {0x08, 0x01, 0x9a, 0x06, 0x00};
    struct ss_error error;
    ck_assert_int_eq(unknown[1], SS_PROTOCOL_VERSION);
    start(0);
    hear(SS_MESSAGE_HELLO);
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            ss_link_send(server, peer, unknown, sizeof(unknown), &error),
            SS_OK);
    struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
    ping->id = 6;
    say(ping);
    ss_message_destroy(&ping);
    ck_assert_uint_eq(hear(SS_MESSAGE_PONG)->id, 6);
}
END_TEST

START_TEST(a_cancelled_body_stops)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    welcome();
    give(order("until_told", 1));
    hear(SS_MESSAGE_LIVE);
    say_about(SS_MESSAGE_CANCEL, 1);
    ck_assert_int_eq((int)hear_outcome()->kind, SS_OUTCOME_CANCELLED);
    say_about(SS_MESSAGE_SETTLED, 1);
}
END_TEST

// Its thread is the loop's, as bodies of this node are quick: whoever asks is
// answered all the same.
START_TEST(a_body_that_was_quick_and_blocks_leaves_the_worker_with_us)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    welcome();
    for (uint64_t i = 1; i <= MOSTLY; i++) {
        give(order("mostly_quick", i));
        ck_assert_int_eq((int)hear_outcome()->kind, SS_OUTCOME_DONE);
        say_about(SS_MESSAGE_SETTLED, i);
    }
    give_in_silence(order("mostly_quick", MOSTLY + 1));
    struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
    ping->id = 7;
    say(ping);
    ss_message_destroy(&ping);
    ck_assert_uint_eq(hear(SS_MESSAGE_PONG)->id, 7);
    give_in_silence(order("greet", MOSTLY + 2));
    ck_assert_int_eq((int)hear_outcome()->kind, SS_OUTCOME_DONE);
    say_about(SS_MESSAGE_CANCEL, MOSTLY + 1);
    ck_assert_int_eq((int)hear_outcome()->kind, SS_OUTCOME_CANCELLED);
    say_about(SS_MESSAGE_SETTLED, MOSTLY + 1);
    say_about(SS_MESSAGE_SETTLED, MOSTLY + 2);
    kill(worker, SIGTERM);
    expect_leaving();
}
END_TEST

START_TEST(a_body_that_takes_too_long_times_out)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    welcome();
    struct ss_assignment *timed = order("until_told", 1);
    timed->timeouts.run_ms = 20;
    give_in_silence(timed);
    const struct ss_outcome *outcome = hear_outcome();
    ck_assert_int_eq(outcome->code, SS_ENODETIMEOUT);
    say_about(SS_MESSAGE_SETTLED, 1);
}
END_TEST

START_TEST(a_result_that_fits_in_no_message_is_a_failure)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    welcome();
    give(order("too_large", 1));
    const struct ss_outcome *outcome = hear_outcome();
    ck_assert_int_eq((int)outcome->kind, SS_OUTCOME_FAILED);
    ck_assert_int_eq(outcome->code, SS_ELIMIT);
    say_about(SS_MESSAGE_SETTLED, 1);
}
END_TEST

START_TEST(a_coordinator_s_word_is_as_good_as_a_signal)
{
    static const struct ss_message leave = {
        .type = SS_MESSAGE_DRAIN, .protocol = SS_PROTOCOL_VERSION};
    start(0);
    hear(SS_MESSAGE_HELLO);
    welcome();
    give(order("until_told", 1));
    hear(SS_MESSAGE_LIVE);
    say(&leave);
    ck_assert(hear(SS_MESSAGE_BYE)->bye.drains);
    say(&leave); // it comes again, and changes nothing
    say_about(SS_MESSAGE_CANCEL, 1);
    hear_outcome();
    say_about(SS_MESSAGE_SETTLED, 1);
    expect_leaving();
}
END_TEST

START_TEST(a_second_signal_ends_a_worker_whose_body_goes_on)
{
    start(0);
    hear(SS_MESSAGE_HELLO);
    welcome();
    give(order("for_ever", 1));
    hear(SS_MESSAGE_LIVE);
    kill(worker, SIGTERM);
    ck_assert(hear(SS_MESSAGE_BYE)->bye.drains);
    kill(worker, SIGTERM);
    ck_assert_int_eq(worker_exit_code(), 0);
}
END_TEST

START_TEST(a_crash_costs_one_worker_which_is_started_again)
{
    start(1);
    hear(SS_MESSAGE_HELLO);
    ck_assert_str_eq(heard->hello.name, "w/1");
    welcome();
    give(order("crash", 1));
    uint32_t crashed = heard->hello.pid;
    while (hear(SS_MESSAGE_HELLO)->hello.pid == crashed)
        continue;
    ck_assert_str_eq(heard->hello.name, "w/1.2");
    welcome();
    give(order("greet", 2));
    hear(SS_MESSAGE_LIVE);
    ck_assert_int_eq((int)hear_outcome()->kind, SS_OUTCOME_DONE);
    say_about(SS_MESSAGE_SETTLED, 2);
    kill(worker, SIGINT);
    expect_leaving();
}
END_TEST

START_TEST(several_processes_leave_together)
{
    start(3);
    char names[3][8];
    for (int i = 0; i < 3; i++) {
        hear(SS_MESSAGE_HELLO);
        snprintf(names[i], sizeof(names[i]), "%s", heard->hello.name);
        for (int before = 0; before < i; before++)
            if (strcmp(names[before], names[i]) == 0)
                i--; // said twice
    }
    kill(worker, SIGTERM);
    ck_assert_int_eq(worker_exit_code(), 0);
}
END_TEST

START_TEST(an_application_that_cannot_be_loaded_ends_all_with_exit_code_2)
{
    struct ss_worker_options options = {.app_path = "/nowhere/none.so",
        .endpoint = "tcp://127.0.0.1:1",
        .name = "w",
        .capacity = 1};
    ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
    ck_assert_int_eq(
        ss_worker_supervise(&options, 4), SS_WORKER_EXIT_APPLICATION);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shell");
    TCase *tcase = tcase_create("shell");
    tcase_add_checked_fixture(tcase, setup, teardown);
#define T(name) tcase_add_test(tcase, name)
    T(a_worker_says_hello_works_and_leaves);
    T(a_worker_serves_a_coordinator_that_another_told_of);
    T(a_refused_worker_ends_with_exit_code_3);
    T(garbage_and_misplaced_messages_are_ignored);
    T(a_newer_coordinator_s_message_is_ignored);
    T(a_cancelled_body_stops);
    T(a_body_that_takes_too_long_times_out);
    T(a_body_that_was_quick_and_blocks_leaves_the_worker_with_us);
    T(a_result_that_fits_in_no_message_is_a_failure);
    T(a_coordinator_s_word_is_as_good_as_a_signal);
    T(a_second_signal_ends_a_worker_whose_body_goes_on);
    T(a_crash_costs_one_worker_which_is_started_again);
    T(several_processes_leave_together);
#undef T
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    TCase *alone = tcase_create("alone");
    tcase_add_test(
        alone, an_application_that_cannot_be_loaded_ends_all_with_exit_code_2);
    suite_add_tcase(suite, alone);
    return suite_main(suite);
}

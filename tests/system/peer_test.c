// peer_test.c - peers that speak wrongly to a real coordinator: it answers why,
// and serves the others as before.
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/mem.h"
#include "common/link/link.h"
#include "common/model/value.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "tests/suite.h"
#include "tests/support/link_wait.h"

#define COORDINATOR SS_TEST_BIN_DIR "/superstep-coordinator"
#define GRAPH                                                                  \
    "{\"name\": \"peer\", \"kind\": \"state\", \"state\": [{\"key\": "         \
    "\"log\", \"type\": \"list\", \"reducer\": \"add\"}], \"nodes\": "         \
    "[{\"name\": \"work\"}], \"edges\": [[\"__start__\", \"work\"]]}"

enum { WAIT_MS = 30000, LINE_SIZE = 512 };

static pid_t coordinator;
static char endpoint[LINE_SIZE];

// --- the coordinator ---------------------------------------------------------

static void read_endpoint(int file)
{
    char line[LINE_SIZE] = "";
    size_t size = 0;
    struct pollfd ready = {.fd = file, .events = POLLIN};
    while (!strchr(line, '\n') && size < sizeof(line) - 1) {
        ck_assert_int_eq(poll(&ready, 1, WAIT_MS), 1);
        ssize_t count = read(file, line + size, sizeof(line) - 1 - size);
        ck_assert_msg(count > 0, "the coordinator ended: %s", line);
        size += (size_t)count;
        line[size] = '\0';
    }
    const char *begin = strstr(line, "tcp://");
    ck_assert_ptr_nonnull(begin);
    snprintf(
        endpoint, sizeof(endpoint), "%.*s", (int)strcspn(begin, ", \n"), begin);
}

static void start(void)
{
    int files[2];
    ck_assert_int_eq(pipe(files), 0);
    coordinator = fork();
    ck_assert_int_ge(coordinator, 0);
    if (coordinator == 0) {
        dup2(files[1], STDOUT_FILENO);
        close(files[0]);
        execl(COORDINATOR, COORDINATOR, "--listen", "tcp://127.0.0.1:*",
            "--store", "memory:", "--lease-ms", "20000", (char *)NULL);
        _exit(127);
    }
    close(files[1]);
    ss_value_setup();
    read_endpoint(files[0]);
    close(files[0]);
}

static void stop(void)
{
    int status;
    kill(coordinator, SIGTERM);
    ck_assert_int_eq(waitpid(coordinator, &status, 0), coordinator);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
        "the coordinator did not end well: %d", status);
}

// --- peers -------------------------------------------------------------------

static struct ss_link *open_peer(void)
{
    struct ss_link *link;
    struct ss_error error;
    const struct ss_link_options options = {.endpoint = endpoint};
    ck_assert_int_eq(ss_link_open(&options, &link, &error), SS_OK);
    return link;
}

static void send_bytes(struct ss_link *link, const void *bytes, size_t size)
{
    struct ss_error error;
    ck_assert_int_eq(ss_link_send(link, NULL, bytes, size, &error), SS_OK);
}

// Takes the message.
static void say(struct ss_link *link, struct ss_message *message)
{
    struct ss_buf buf;
    struct ss_error error;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_OK);
    send_bytes(link, buf.data, buf.size);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

// The next message of this type; others are passed over. Gives.
static struct ss_message *hear(struct ss_link *link, enum ss_message_type type)
{
    for (;;) {
        void *bytes;
        size_t size;
        struct ss_error error;
        struct ss_message *message;
        int status = ss_link_recv(link, NULL, &bytes, &size, &error);
        if (status == SS_EAGAIN) {
            ck_assert_msg(link_wait(link, -1, WAIT_MS) != 0, "no %s came",
                ss_message_name(type));
            continue;
        }
        ck_assert_int_eq(status, SS_OK);
        status = ss_message_decode(bytes, size, &message, &error);
        ck_assert_msg(status == SS_OK, "%s", error.message);
        ss_free(bytes);
        if (message->type == type)
            return message;
        ss_message_destroy(&message);
    }
}

static struct ss_message *hello(const char *name)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_HELLO);
    message->hello.name = ss_strdup(name);
    message->capacity = 4;
    message->hello.graphs = ss_zalloc(1, sizeof(struct ss_value *));
    message->hello.graphs[0] = ss_value_from_text(GRAPH, strlen(GRAPH));
    message->hello.graphs_count = 1;
    return message;
}

static struct ss_message *ask(uint64_t id, const char *op, const char *body)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
    message->id = id;
    message->op = ss_strdup(op);
    message->body = ss_value_from_text(body, strlen(body));
    return message;
}

static void expect_refused(struct ss_link *link, int status, const char *word)
{
    struct ss_message *message = hear(link, SS_MESSAGE_REFUSED);
    ck_assert_msg(message->refused.status == status, "%s: %s",
        ss_status_name(message->refused.status), message->refused.text);
    ck_assert_msg(strstr(message->refused.text, word) != NULL,
        "\"%s\" does not say %s", message->refused.text, word);
    ss_message_destroy(&message);
}

// It still takes in workers and answers clients.
static void expect_well(void)
{
    struct ss_link *link = open_peer();
    say(link, ask(1, "status", "{}"));
    struct ss_message *message = hear(link, SS_MESSAGE_ANSWER);
    ck_assert(message->final);
    ck_assert_ptr_null(json_object_get(ss_value_json(message->body), "error"));
    ss_message_destroy(&message);
    ss_link_close(&link);
}

// An order of the one node, for a run that this starts.
static struct ss_message *start_run(
    struct ss_link *worker, struct ss_link *client)
{
    say(worker, hello("first"));
    struct ss_message *message = hear(worker, SS_MESSAGE_WELCOME);
    ss_message_destroy(&message);
    say(client, ask(7, "run",
                    "{\"graph\": \"peer\", \"thread\": \"t\", \"input\": "
                    "{\"log\": []}}"));
    message = hear(worker, SS_MESSAGE_TASKS);
    ck_assert_uint_eq(message->orders_count, 1);
    return message;
}

// An outcome that adds one word to the log. Gives.
static struct ss_message *done(
    const struct ss_assignment *order, const char *word)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_DONE);
    struct ss_outcome *outcome = ss_outcome_new();
    outcome->attempt = order->attempt;
    snprintf(outcome->task_id, sizeof(outcome->task_id), "%s", order->task_id);
    outcome->kind = SS_OUTCOME_DONE;
    ss_writes_add(
        &outcome->writes, "log", ss_value_new(json_pack("[s]", word)));
    message->outcomes = ss_zalloc(1, sizeof(struct ss_outcome *));
    message->outcomes[0] = outcome;
    message->outcomes_count = 1;
    return message;
}

// The run's final answer, past "accepted". Gives.
static struct ss_message *hear_final(struct ss_link *client)
{
    for (;;) {
        struct ss_message *message = hear(client, SS_MESSAGE_ANSWER);
        if (message->final)
            return message;
        ss_message_destroy(&message);
    }
}

static void expect_log(struct ss_link *client, const char *word)
{
    struct ss_message *message = hear_final(client);
    json_t *output = json_object_get(ss_value_json(message->body), "output");
    json_t *log = json_object_get(output, "log");
    ck_assert_uint_eq(json_array_size(log), 1);
    ck_assert_str_eq(json_string_value(json_array_get(log, 0)), word);
    ss_message_destroy(&message);
}

// --- tests -------------------------------------------------------------------

START_TEST(garbage_is_refused_with_the_reason)
{
    struct ss_link *link = open_peer();
    static const char garbage[] = "GET / HTTP/1.1\r\nHost: example\r\n\r\n";
    send_bytes(link, garbage, sizeof(garbage));
    expect_refused(link, SS_EFORMAT, "");
    // Once more: it is still there, and still answers what makes sense.
    send_bytes(link, "\xff\xff\xff\xff", 4);
    say(link, ask(1, "graphs", "{}"));
    struct ss_message *message = hear(link, SS_MESSAGE_ANSWER);
    ss_message_destroy(&message);
    expect_well();
    ss_link_close(&link);
}
END_TEST

START_TEST(another_protocol_version_is_refused_with_both_numbers)
{
    struct ss_link *link = open_peer();
    struct ss_message *message = hello("from the future");
    struct ss_buf buf;
    struct ss_error error;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, &error), SS_OK);
    ss_message_destroy(&message);
    // The envelope begins with field 1, the version.
    ck_assert_int_eq(buf.data[0], 0x08);
    ck_assert_int_eq(buf.data[1], SS_PROTOCOL_VERSION);
    buf.data[1] = 42;
    send_bytes(link, buf.data, buf.size);
    ss_buf_fini(&buf);
    expect_refused(link, SS_EVERSION, "42");
    expect_well();
    ss_link_close(&link);
}
END_TEST

START_TEST(a_worker_under_the_name_of_a_live_one_is_refused)
{
    struct ss_link *first = open_peer();
    struct ss_link *second = open_peer();
    say(first, hello("first"));
    struct ss_message *message = hear(first, SS_MESSAGE_WELCOME);
    ss_message_destroy(&message);
    say(second, hello("first"));
    expect_refused(second, SS_EEXISTS, "first");
    ss_link_close(&first);
    ss_link_close(&second);
}
END_TEST

START_TEST(the_result_of_another_workers_attempt_does_not_count)
{
    struct ss_link *worker = open_peer();
    struct ss_link *client = open_peer();
    struct ss_link *thief = open_peer();
    struct ss_message *tasks = start_run(worker, client);
    // A stranger, and then a worker of another name, claim to have done it.
    say(thief, done(tasks->orders[0], "stolen"));
    say(thief, hello("second"));
    struct ss_message *message = hear(thief, SS_MESSAGE_WELCOME);
    ss_message_destroy(&message);
    say(thief, done(tasks->orders[0], "stolen again"));
    // What it is answered shows that it was read before the true result.
    say(thief, ask(9, "status", "{}"));
    message = hear(thief, SS_MESSAGE_ANSWER);
    ss_message_destroy(&message);
    say(worker, done(tasks->orders[0], "honest"));
    expect_log(client, "honest");
    ss_message_destroy(&tasks);
    ss_link_close(&worker);
    ss_link_close(&client);
    ss_link_close(&thief);
}
END_TEST

START_TEST(a_result_for_another_coordinator_does_not_count)
{
    struct ss_link *worker = open_peer();
    struct ss_link *client = open_peer();
    struct ss_message *tasks = start_run(worker, client);
    // Numbers of attempts begin anew with each coordinator.
    struct ss_message *message = done(tasks->orders[0], "stale");
    message->outcomes[0]->attempt.epoch++;
    say(worker, message);
    say(worker, done(tasks->orders[0], "fresh"));
    expect_log(client, "fresh");
    ss_message_destroy(&tasks);
    ss_link_close(&worker);
    ss_link_close(&client);
}
END_TEST

START_TEST(a_result_that_comes_twice_counts_once)
{
    struct ss_link *worker = open_peer();
    struct ss_link *client = open_peer();
    struct ss_message *tasks = start_run(worker, client);
    say(worker, done(tasks->orders[0], "once"));
    say(worker, done(tasks->orders[0], "once"));
    expect_log(client, "once");
    ss_message_destroy(&tasks);
    ss_link_close(&worker);
    ss_link_close(&client);
}
END_TEST

START_TEST(writes_to_what_is_no_channel_do_not_hurt)
{
    struct ss_link *worker = open_peer();
    struct ss_link *client = open_peer();
    struct ss_message *tasks = start_run(worker, client);
    struct ss_message *message = done(tasks->orders[0], "fine");
    ss_writes_add(&message->outcomes[0]->writes, "no such channel",
        ss_value_new(json_string("lost")));
    say(worker, message);
    message = hear_final(client);
    ck_assert_ptr_nonnull(
        json_object_get(ss_value_json(message->body), "status"));
    ss_message_destroy(&message);
    expect_well();
    ss_message_destroy(&tasks);
    ss_link_close(&worker);
    ss_link_close(&client);
}
END_TEST

// A peer without our own limits: it sends what a link of ours refuses to.
START_TEST(a_message_over_the_limit_is_not_taken)
{
    size_t size = (size_t)SS_MESSAGE_SIZE_MAX + 16u * 1024u * 1024u;
    void *bytes = ss_zalloc(1, size);
    struct ss_link *link = open_peer();
    struct ss_error error;
    ck_assert_int_eq(ss_link_send(link, NULL, bytes, size, &error), SS_ELIMIT);
    ss_link_close(&link);

    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_DEALER);
    int linger = 0;
    zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof(linger));
    ck_assert_int_eq(
        zmq_socket_monitor(socket, "inproc://monitor", ZMQ_EVENT_DISCONNECTED),
        0);
    void *monitor = zmq_socket(context, ZMQ_PAIR);
    ck_assert_int_eq(zmq_connect(monitor, "inproc://monitor"), 0);
    ck_assert_int_eq(zmq_connect(socket, endpoint), 0);
    ck_assert_int_eq(zmq_send(socket, bytes, size, 0), (int)size);
    zmq_pollitem_t gone = {.socket = monitor, .events = ZMQ_POLLIN};
    ck_assert_int_eq(zmq_poll(&gone, 1, WAIT_MS), 1);
    zmq_socket_monitor(socket, NULL, 0);
    zmq_close(monitor);
    zmq_close(socket);
    zmq_ctx_destroy(context);
    ss_free(bytes);
    expect_well();
}
END_TEST

START_TEST(requests_of_any_kind_get_an_answer)
{
    static const char *const ops[][2] = {
        {"run", "{}"},
        {"run", "[]"},
        {"run", "{\"graph\": 7}"},
        {"run", "{\"graph\": \"nobody\", \"input\": {}}"},
        {"state", "{\"thread\": \"nobody\", \"threads\": 1}"},
        {"journal", "{\"thread\": 7}"},
        {"no such thing", "{}"},
        {"", "null"},
    };
    struct ss_link *link = open_peer();
    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
        say(link, ask(i, ops[i][0], ops[i][1]));
        struct ss_message *message = hear(link, SS_MESSAGE_ANSWER);
        ck_assert_uint_eq(message->id, i);
        ck_assert_msg(message->final, "%s %s", ops[i][0], ops[i][1]);
        json_t *error = json_object_get(ss_value_json(message->body), "error");
        ck_assert_msg(error != NULL, "%s %s", ops[i][0], ops[i][1]);
        ck_assert_str_ne(ss_json_str(error, "message", ""), "");
        ss_message_destroy(&message);
    }
    ss_link_close(&link);
    expect_well();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("peers");
    TCase *tests = tcase_create("peers");
    tcase_add_checked_fixture(tests, start, stop);
    tcase_add_test(tests, garbage_is_refused_with_the_reason);
    tcase_add_test(
        tests, another_protocol_version_is_refused_with_both_numbers);
    tcase_add_test(tests, a_worker_under_the_name_of_a_live_one_is_refused);
    tcase_add_test(tests, the_result_of_another_workers_attempt_does_not_count);
    tcase_add_test(tests, a_result_for_another_coordinator_does_not_count);
    tcase_add_test(tests, a_result_that_comes_twice_counts_once);
    tcase_add_test(tests, writes_to_what_is_no_channel_do_not_hurt);
    tcase_add_test(tests, a_message_over_the_limit_is_not_taken);
    tcase_add_test(tests, requests_of_any_kind_get_an_answer);
    suite_add_tcase(suite, tests);
    return suite_main(suite);
}

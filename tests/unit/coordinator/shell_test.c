// A whole coordinator in this process, spoken to over a link by a worker and a
// client that are nothing but messages.
#include "coordinator/shell_impl.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/app/log.h"
#include "common/app/settings.h"
#include "common/base/mem.h"
#include "common/link/limits.h"
#include "common/link/link.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "coordinator/store/store.h"
#include "coordinator/store/store_faulty.h"
#include "coordinator/store/store_impl.h"
#include "tests/suite.h"

#define LISTEN "loop:shell"
#define GRAPH                                                                  \
    "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"log\","          \
    "\"type\":\"list\",\"reducer\":\"add\"},{\"key\":\"any\","                 \
    "\"type\":\"any\"}],\"nodes\":[{\"name\":\"work\"}],"                      \
    "\"edges\":[[\"__start__\",\"work\"]]}"

enum { STEPS_MAX = 100000, STEP_MS = 5 };

static struct ss_coordinator *coordinator;
static struct ss_link *worker, *client;
static struct ss_error error;
static char db[64];
static size_t warnings;
static int64_t lease_ms; // of those that start from now on; 0: as always

static void count_warning(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    (void)size;
    warnings += strstr(line, " warning: ") != NULL;
}

static struct ss_link *open_link(void)
{
    struct ss_link_options options = {
        .endpoint = LISTEN, .message_size_max = SS_MESSAGE_SIZE_MAX};
    struct ss_link *link = NULL;
    ck_assert_int_eq(ss_link_open(&options, &link, &error), SS_OK);
    return link;
}

static void start(struct ss_store *opened)
{
    char url[80];
    snprintf(url, sizeof(url), "sqlite:%s", db);
    struct ss_coordinator_options options = {
        .listen = LISTEN, .store = url, .opened = opened, .lease_ms = lease_ms};
    int status = ss_coordinator_open(&options, &coordinator, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

static void set_up(void)
{
    ss_log_setup(&(struct ss_log_options){.program = "shell_test",
        .level = SS_LOG_WARNING,
        .sink = count_warning});
    snprintf(db, sizeof(db), "/tmp/ss-shell-test-%ld.db", (long)getpid());
    warnings = 0;
    lease_ms = 0;
    start(NULL);
    worker = open_link();
    client = open_link();
}

static void tear_down(void)
{
    static const char *const tails[] = {"", "-wal", "-shm", "-lock"};
    char path[80];
    ss_link_close(&worker);
    ss_link_close(&client);
    ss_coordinator_close(&coordinator);
    for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
        snprintf(path, sizeof(path), "%s%s", db, tails[i]);
        unlink(path);
    }
}

static void step(void)
{
    int status = ss_coordinator_step(coordinator, -1, STEP_MS, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

// --- messages ----------------------------------------------------------------

// Takes `message`.
static void say(struct ss_link *link, struct ss_message *message)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    int status = ss_message_encode(message, &buf, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ck_assert_int_eq(
        ss_link_send(link, NULL, buf.data, buf.size, &error), SS_OK);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

static struct ss_message *heard(struct ss_link *link)
{
    void *bytes = NULL;
    size_t size = 0;
    struct ss_message *message = NULL;
    if (ss_link_recv(link, NULL, &bytes, &size, &error) != SS_OK)
        return NULL;
    int status = ss_message_decode(bytes, size, &message, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
    ss_free(bytes);
    return message;
}

// The next message, which must be of this type.
static struct ss_message *hear(struct ss_link *link, enum ss_message_type type)
{
    struct ss_message *message = heard(link);
    for (int i = 0; !message && i < STEPS_MAX; i++) {
        step();
        message = heard(link);
    }
    ck_assert_msg(message != NULL, "no %s came", ss_message_name(type));
    ck_assert_msg(message->type == type, "%s came in place of %s: %s",
        ss_message_name(message->type), ss_message_name(type),
        message->text ? message->text : "");
    return message;
}

static void hear_and_forget(struct ss_link *link, enum ss_message_type type)
{
    struct ss_message *message = hear(link, type);
    ss_message_destroy(&message);
}

static struct ss_message *hello_of(const char *name, uint32_t capacity)
{
    struct ss_message *hello = ss_message_new(SS_MESSAGE_HELLO);
    hello->name = ss_strdup(name);
    hello->capacity = capacity;
    hello->graphs_count = 1;
    hello->graphs = ss_zalloc(1, sizeof(*hello->graphs));
    hello->graphs[0] = ss_value_from_text(GRAPH, strlen(GRAPH));
    return hello;
}

static void say_hello(struct ss_link *link, const char *name, uint32_t capacity)
{
    say(link, hello_of(name, capacity));
}

static void join(struct ss_link *link, const char *name, uint32_t capacity)
{
    say_hello(link, name, capacity);
    hear_and_forget(link, SS_MESSAGE_WELCOME);
}

static void ask(uint64_t id, const char *op, const char *body)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
    message->id = id;
    message->op = ss_strdup(op);
    if (body)
        message->body = ss_value_from_text(body, strlen(body));
    say(client, message);
}

// Takes `value`.
static void say_wrote(struct ss_link *link, const struct ss_assignment *order,
    const char *channel, struct ss_value *value)
{
    struct ss_message *done = ss_message_new(SS_MESSAGE_DONE);
    done->outcomes_count = 1;
    done->outcomes = ss_zalloc(1, sizeof(*done->outcomes));
    done->outcomes[0] = ss_outcome_new();
    done->outcomes[0]->attempt = order->attempt;
    memcpy(done->outcomes[0]->task_id, order->task_id, SS_UUID_SIZE);
    ss_writes_add(&done->outcomes[0]->writes, channel, value);
    say(link, done);
}

static void say_done(struct ss_link *link, const struct ss_assignment *order)
{
    say_wrote(link, order, "log", ss_value_from_text("[\"worked\"]", 10));
}

static void say_bytes(struct ss_link *link, const char *bytes, size_t size)
{
    ck_assert_int_eq(ss_link_send(link, NULL, bytes, size, &error), SS_OK);
}

static void expect_final(const char *status)
{
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    while (!answer->final) {
        ss_message_destroy(&answer);
        answer = hear(client, SS_MESSAGE_ANSWER);
    }
    const json_t *body = ss_value_json(answer->body);
    char *text = ss_json_text(body);
    ck_assert_msg(
        strcmp(ss_json_str(body, "status", ""), status) == 0, "%s", text);
    ss_free(text);
    ss_message_destroy(&answer);
}

// --- peers -------------------------------------------------------------------

START_TEST(a_worker_is_welcomed_with_the_epoch_and_the_times)
{
    say_hello(worker, "w", 1);
    struct ss_message *welcome = hear(worker, SS_MESSAGE_WELCOME);
    ck_assert_uint_eq(welcome->epoch, ss_coordinator_epoch(coordinator));
    ck_assert_int_eq(welcome->lease_ms, ss_coordinator_initial.lease_ms);
    ck_assert_int_eq(
        welcome->heartbeat_ms, ss_coordinator_initial.heartbeat_ms);
    ss_message_destroy(&welcome);
}
END_TEST

START_TEST(a_name_that_a_live_worker_has_is_refused)
{
    join(worker, "w", 1);
    say_hello(client, "w", 1);
    struct ss_message *refused = hear(client, SS_MESSAGE_REFUSED);
    ck_assert_int_eq(refused->status, SS_EEXISTS);
    ss_message_destroy(&refused);
}
END_TEST

START_TEST(a_beat_of_a_stranger_is_asked_for_a_hello)
{
    say(worker, ss_message_new(SS_MESSAGE_BEAT));
    hear_and_forget(worker, SS_MESSAGE_REFUSED);
}
END_TEST

START_TEST(garbage_is_answered_each_time_and_logged_once)
{
    for (int i = 0; i < 3; i++) {
        say_bytes(worker, "GET / HTTP/1.1", 14);
        struct ss_message *refused = hear(worker, SS_MESSAGE_REFUSED);
        ck_assert_int_eq(refused->status, SS_EFORMAT);
        ck_assert_ptr_nonnull(strstr(refused->text, "not a message of this"));
        ss_message_destroy(&refused);
    }
    ck_assert_uint_eq(warnings, 1);
    say_bytes(client, "", 0);
    hear_and_forget(client, SS_MESSAGE_REFUSED);
    ck_assert_uint_eq(warnings, 1); // it comes from the same place
    join(worker, "w", 1);
}
END_TEST

START_TEST(another_protocol_is_refused_with_both_numbers)
{
    say_bytes(worker, "\x08\x07", 2);
    struct ss_message *refused = hear(worker, SS_MESSAGE_REFUSED);
    ck_assert_int_eq(refused->status, SS_EVERSION);
    ck_assert_ptr_nonnull(strstr(refused->text, "protocol 7, this one 1"));
    ss_message_destroy(&refused);
}
END_TEST

START_TEST(what_is_not_for_a_coordinator_is_refused)
{
    static const enum ss_message_type types[] = {SS_MESSAGE_WELCOME,
        SS_MESSAGE_REFUSED, SS_MESSAGE_TASKS, SS_MESSAGE_CANCEL,
        SS_MESSAGE_SETTLED, SS_MESSAGE_ANSWER, SS_MESSAGE_MEMBERS,
        SS_MESSAGE_DRAIN};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        say(worker, ss_message_new(types[i]));
        struct ss_message *refused = hear(worker, SS_MESSAGE_REFUSED);
        ck_assert_int_eq(refused->status, SS_EINVAL);
        ck_assert_ptr_nonnull(strstr(refused->text, ss_message_name(types[i])));
        ss_message_destroy(&refused);
    }
}
END_TEST

START_TEST(a_ping_is_answered_with_the_epoch)
{
    struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
    ping->id = 77;
    say(client, ping);
    say(client, ss_message_new(SS_MESSAGE_PONG)); // is passed over
    struct ss_message *pong = hear(client, SS_MESSAGE_PONG);
    ck_assert_uint_eq(pong->id, 77);
    ck_assert_uint_eq(pong->epoch, ss_coordinator_epoch(coordinator));
    ss_message_destroy(&pong);
}
END_TEST

START_TEST(what_a_worker_says_that_it_is_set_to_is_told)
{
    struct ss_message *hello = hello_of("w", 1);
    hello->settings = json_pack("[{s:s, s:i}]", "name", "capacity", "value", 1);
    say(worker, hello);
    hear_and_forget(worker, SS_MESSAGE_WELCOME);
    ask(6, "settings", NULL);
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    char *text = ss_json_text(ss_value_json(answer->body));
    ck_assert_str_eq(text, "{\"settings\":[{\"worker\":\"w\",\"settings\":"
                           "[{\"name\":\"capacity\",\"value\":1}]}]}");
    ss_free(text);
    ss_message_destroy(&answer);
    say_hello(worker, "w", 1); // one that says nothing of it
    hear_and_forget(worker, SS_MESSAGE_WELCOME);
    ask(7, "settings", NULL);
    answer = hear(client, SS_MESSAGE_ANSWER);
    text = ss_json_text(ss_value_json(answer->body));
    ck_assert_str_eq(
        text, "{\"settings\":[{\"worker\":\"w\",\"settings\":[]}]}");
    ss_free(text);
    ss_message_destroy(&answer);
}
END_TEST

// A link that is told nothing has its own numbers: they must not differ.
START_TEST(the_limits_of_a_link_are_those_of_the_table)
{
    ck_assert_int_eq(
        ss_coordinator_initial.per_address_max, SS_LINK_PER_ADDRESS_MAX);
    ck_assert_int_eq(
        ss_coordinator_initial.connections_rate, SS_LINK_CONNECTIONS_RATE);
    ck_assert_int_eq(
        ss_coordinator_initial.messages_rate, SS_LINK_MESSAGES_RATE);
}
END_TEST

START_TEST(a_worker_that_is_sent_away_hears_it)
{
    join(worker, "w", 1);
    ask(5, "drain", "{\"worker\":\"w\"}");
    hear_and_forget(worker, SS_MESSAGE_DRAIN);
    expect_final("draining");
}
END_TEST

// --- work --------------------------------------------------------------------

START_TEST(a_run_goes_through_a_worker_to_its_answer)
{
    join(worker, "w", 1);
    ask(5, "run", "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]}}");
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    ck_assert_uint_eq(tasks->orders_count, 1);
    ck_assert_str_eq(tasks->orders[0]->node, "work");
    say_done(worker, tasks->orders[0]);
    ss_message_destroy(&tasks);
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    ck_assert_uint_eq(answer->id, 5);
    ck_assert(!answer->final);
    ss_message_destroy(&answer);
    expect_final("done");
    struct ss_message *settled = hear(worker, SS_MESSAGE_SETTLED);
    ck_assert_uint_eq(settled->attempts_count, 1);
    ss_message_destroy(&settled);
}
END_TEST

START_TEST(what_is_ready_in_one_turn_is_one_message_for_a_worker)
{
    char body[100];
    for (int i = 0; i < 20; i++) {
        snprintf(body, sizeof(body),
            "{\"graph\":\"g\",\"thread\":\"t%d\",\"input\":{\"log\":[]}}", i);
        ask((uint64_t)i, "run", body);
    }
    join(worker, "w", 50);
    size_t orders = 0, messages = 0;
    while (orders < 20) {
        struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
        orders += tasks->orders_count;
        messages++;
        ss_message_destroy(&tasks);
    }
    ck_assert_uint_lt(messages, 20);
}
END_TEST

// Its queue is full of what it does not read. What waits for it in the outbox
// is no message that it would refuse, and no task fails of it.
START_TEST(a_worker_that_reads_nothing_is_sent_no_message_that_is_too_long)
{
    enum { AT_ONCE = 100, RUNS = SS_WIRE_BATCH_MAX + 4 * AT_ONCE + 4 };
    char body[120];
    struct ss_store *store = NULL;
    ss_coordinator_close(&coordinator);
    ck_assert_int_eq(ss_store_open("memory:", &store, &error), SS_OK);
    lease_ms = 3600 * 1000; // however long this takes
    start(store);
    join(worker, "w", 2 * RUNS);
    for (int i = 0; i < SS_LINK_QUEUE_MAX; i++) {
        struct ss_message *ping = ss_message_new(SS_MESSAGE_PING);
        say(worker, ping);
        if (i % AT_ONCE == 0)
            step();
    }
    for (int i = 0; i < SS_LINK_QUEUE_MAX / AT_ONCE; i++)
        step(); // all are answered
    for (int i = 0; i < RUNS; i++) {
        snprintf(body, sizeof(body),
            "{\"graph\":\"g\",\"thread\":\"t%d\",\"detach\":true,"
            "\"input\":{\"log\":[]}}",
            i);
        ask((uint64_t)i, "run", body);
        for (int heard_of = 0; i % AT_ONCE == AT_ONCE - 1 && heard_of < AT_ONCE;
             heard_of++)
            hear_and_forget(client, SS_MESSAGE_ANSWER);
    }
    for (int i = 0; i < SS_LINK_QUEUE_MAX; i++)
        hear_and_forget(worker, SS_MESSAGE_PONG);
    for (size_t orders = 0; orders < SS_WIRE_BATCH_MAX;) {
        struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
        orders += tasks->orders_count;
        ss_message_destroy(&tasks);
    }
    ask(RUNS, "runs", "{}");
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    json_t *runs = json_object_get(ss_value_json(answer->body), "runs"), *run;
    size_t i;
    json_array_foreach (runs, i, run)
        ck_assert_str_eq(ss_json_str(run, "status", ""), "running");
    ck_assert_uint_eq(json_array_size(runs), RUNS);
    ss_message_destroy(&answer);
}
END_TEST

START_TEST(a_worker_whose_link_is_gone_is_lost_at_once)
{
    join(worker, "w", 2);
    ask(1, "run", "{\"graph\":\"g\",\"thread\":\"a\",\"input\":{\"log\":[]}}");
    hear_and_forget(worker, SS_MESSAGE_TASKS);
    ss_link_close(&worker);
    // The next order for it finds nobody: both tasks go to another worker.
    ask(2, "run", "{\"graph\":\"g\",\"thread\":\"b\",\"input\":{\"log\":[]}}");
    worker = open_link();
    for (int i = 0; i < 20; i++)
        step();
    join(worker, "v", 2);
    for (size_t orders = 0; orders < 2;) {
        struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
        for (size_t i = 0; i < tasks->orders_count; i++)
            say_done(worker, tasks->orders[i]);
        orders += tasks->orders_count;
        ss_message_destroy(&tasks);
    }
    expect_final("done");
    expect_final("done");
}
END_TEST

START_TEST(a_request_without_a_body_is_one_with_an_empty_body)
{
    join(worker, "w", 1);
    ask(9, "graphs", NULL);
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    const json_t *graphs =
        json_object_get(ss_value_json(answer->body), "graphs");
    ck_assert_uint_eq(json_array_size(graphs), 1);
    ss_message_destroy(&answer);
}
END_TEST

START_TEST(a_client_that_left_does_not_keep_its_run_from_ending)
{
    join(worker, "w", 1);
    ask(1, "run",
        "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]},"
        "\"stream\":[\"values\"]}");
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    ss_link_close(&client);
    say_done(worker, tasks->orders[0]);
    ss_message_destroy(&tasks);
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    client = open_link();
    ask(2, "state", "{\"thread\":\"t\"}");
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    const json_t *state = json_object_get(ss_value_json(answer->body), "state");
    ck_assert_uint_eq(json_array_size(json_object_get(state, "next")), 0);
    ss_message_destroy(&answer);
}
END_TEST

// A value as deep as may be is one level too deep within the next input.
START_TEST(an_order_that_no_message_carries_fails_its_task_with_that)
{
    static const char body[] = "{\"graph\":\"g\",\"thread\":\"t\",\"input\":"
                               "{\"log\":[]},\"output_keys\":[]}";
    char deep[2 * SS_VALUE_DEPTH_MAX];
    memset(deep, '[', SS_VALUE_DEPTH_MAX);
    memset(deep + SS_VALUE_DEPTH_MAX, ']', SS_VALUE_DEPTH_MAX);
    join(worker, "w", 1);
    ask(1, "run", body);
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    say_wrote(worker, tasks->orders[0], "any",
        ss_value_from_text(deep, sizeof(deep)));
    ss_message_destroy(&tasks);
    expect_final("done");
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    ask(2, "run", body);
    expect_final("failed");
    // It never was an order: all there is to hear is that nobody waits for it.
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    ck_assert_ptr_null(heard(worker));
}
END_TEST

// --- the store ---------------------------------------------------------------

START_TEST(each_start_has_a_higher_epoch)
{
    uint64_t before = ss_coordinator_epoch(coordinator);
    ck_assert_uint_gt(before, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        ss_coordinator_close(&coordinator);
        ck_assert_ptr_null(coordinator);
        start(NULL);
        ck_assert_uint_gt(ss_coordinator_epoch(coordinator), before);
        before = ss_coordinator_epoch(coordinator);
    }
}
END_TEST

START_TEST(an_unfinished_run_goes_on_after_a_restart)
{
    join(worker, "w", 1);
    ask(1, "run", "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]}}");
    struct ss_message *tasks = hear(worker, SS_MESSAGE_TASKS);
    struct ss_attempt before = tasks->orders[0]->attempt;
    ss_message_destroy(&tasks);
    ss_coordinator_close(&coordinator);
    start(NULL);
    join(worker, "w", 1);
    tasks = hear(worker, SS_MESSAGE_TASKS);
    ck_assert_uint_gt(tasks->orders[0]->attempt.epoch, before.epoch);
    say_done(worker, tasks->orders[0]);
    ss_message_destroy(&tasks);
    hear_and_forget(worker, SS_MESSAGE_SETTLED);
    ss_coordinator_close(&coordinator);
    start(NULL);
    ask(2, "state", "{\"thread\":\"t\"}");
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    while (!answer->final) {
        ss_message_destroy(&answer);
        answer = hear(client, SS_MESSAGE_ANSWER);
    }
    const json_t *values = json_object_get(
        json_object_get(ss_value_json(answer->body), "state"), "values");
    ck_assert_uint_eq(json_array_size(json_object_get(values, "log")), 1);
    ss_message_destroy(&answer);
}
END_TEST

// A store that is read when somebody has asked for something meanwhile.
static const struct ss_store_ops *quick;
static struct ss_store_ops slow;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t asked = PTHREAD_COND_INITIALIZER;
static bool has_asked;

static int slow_scan(struct ss_store *store, const struct ss_entry_query *query,
    ss_store_entry_fn *each, void *ctx, struct ss_error *ret_error)
{
    pthread_mutex_lock(&lock);
    while (!has_asked)
        pthread_cond_wait(&asked, &lock);
    pthread_mutex_unlock(&lock);
    return quick->scan(store, query, each, ctx, ret_error);
}

static void start_slowly(void)
{
    struct ss_store *store = NULL;
    char url[80];
    snprintf(url, sizeof(url), "sqlite:%s", db);
    ck_assert_int_eq(ss_store_open(url, &store, &error), SS_OK);
    quick = store->ops;
    slow = *quick;
    slow.scan = slow_scan;
    store->ops = &slow;
    start(store);
}

static bool answer_has(const char *key)
{
    struct ss_message *answer = hear(client, SS_MESSAGE_ANSWER);
    bool has = json_is_true(json_object_get(ss_value_json(answer->body), key));
    ss_message_destroy(&answer);
    return has;
}

// Whoever comes while it is opened; its link is ours when it has ended.
static void *unpause(void *ctx)
{
    (void)ctx;
    struct ss_buf buf;
    struct ss_error why;
    struct ss_message *message = ss_message_new(SS_MESSAGE_ASK);
    message->id = 2;
    message->op = ss_strdup("unpause");
    message->body = ss_value_from_text("{\"graph\":\"g\"}", 13);
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    int status = ss_message_encode(message, &buf, &why);
    while (status == SS_OK &&
           ss_link_send(client, NULL, buf.data, buf.size, &why) != SS_OK)
        (void)ss_link_wait_all(client, NULL, 0, STEP_MS);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
    pthread_mutex_lock(&lock);
    has_asked = true;
    pthread_cond_signal(&asked);
    pthread_mutex_unlock(&lock);
    return NULL;
}

// Else it is told that nothing is paused, and what is paused stays so.
START_TEST(who_asks_before_all_is_read_is_heard_behind_it)
{
    pthread_t thread;
    join(worker, "w", 1);
    ask(1, "pause", "{\"graph\":\"g\"}");
    hear_and_forget(client, SS_MESSAGE_ANSWER);
    ss_coordinator_close(&coordinator);
    ck_assert_int_eq(pthread_create(&thread, NULL, unpause, NULL), 0);
    start_slowly();
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert(answer_has("was_paused"));
}
END_TEST

START_TEST(a_store_that_fails_stops_the_coordinator)
{
    static const int failures[] = {SS_EFULL, SS_EIO};
    struct ss_store *inner = NULL;
    struct ss_faulty_plan plan = {
        .fail_at = 2, .fail_status = failures[_i]}; // 1: the epoch
    ss_coordinator_close(&coordinator);
    ck_assert_int_eq(ss_store_open("memory:", &inner, &error), SS_OK);
    start(ss_store_faulty_new(inner, &plan));
    say_hello(worker, "w", 1);
    ask(1, "run", "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{\"log\":[]}}");
    int status = SS_OK;
    for (int i = 0; status == SS_OK && i < STEPS_MAX; i++)
        status = ss_coordinator_step(coordinator, -1, STEP_MS, &error);
    ck_assert_int_eq(status, failures[_i]);
    ck_assert_ptr_nonnull(strstr(error.message, "the store failed: "));
    // It stays so, and nothing was acknowledged.
    ck_assert_int_eq(
        ss_coordinator_step(coordinator, -1, 0, &error), failures[_i]);
    struct ss_message *message = heard(client);
    ck_assert_ptr_null(message);
}
END_TEST

START_TEST(what_cannot_be_opened_says_why)
{
    struct ss_coordinator *second = NULL;
    struct ss_coordinator_options options = {
        .listen = LISTEN, .store = "memory:"};
    ck_assert_int_eq(ss_coordinator_open(&options, &second, &error), SS_EBUSY);
    ck_assert_ptr_nonnull(strstr(error.message, "in use"));
    options.listen = "loop:second";
    options.store = "paper:notes";
    ck_assert_int_ne(ss_coordinator_open(&options, &second, &error), SS_OK);
    options.store = db;
    ck_assert_int_eq(ss_coordinator_open(&options, &second, &error), SS_EBUSY);
    options.store = "memory:";
    options.lease_ms = options.heartbeat_ms = 100;
    ck_assert_int_eq(ss_coordinator_open(&options, &second, &error), SS_EINVAL);
    options.heartbeat_ms = 20;
    ck_assert_int_eq(ss_coordinator_open(&options, &second, &error), SS_OK);
    ck_assert_str_eq(ss_coordinator_endpoint(second), "loop:second");
    ck_assert_ptr_nonnull(strstr(ss_coordinator_store(second), "memory"));
    ss_coordinator_close(&second);
    ss_coordinator_close(&second);
}
END_TEST

int main(void)
{
    ss_value_setup();
    Suite *suite = suite_create("shell");
    TCase *tcase = tcase_create("shell");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, a_worker_is_welcomed_with_the_epoch_and_the_times);
    tcase_add_test(tcase, a_name_that_a_live_worker_has_is_refused);
    tcase_add_test(tcase, a_beat_of_a_stranger_is_asked_for_a_hello);
    tcase_add_test(tcase, garbage_is_answered_each_time_and_logged_once);
    tcase_add_test(tcase, another_protocol_is_refused_with_both_numbers);
    tcase_add_test(tcase, what_is_not_for_a_coordinator_is_refused);
    tcase_add_test(tcase, a_ping_is_answered_with_the_epoch);
    tcase_add_test(tcase, what_a_worker_says_that_it_is_set_to_is_told);
    tcase_add_test(tcase, the_limits_of_a_link_are_those_of_the_table);
    tcase_add_test(tcase, a_worker_that_is_sent_away_hears_it);
    tcase_add_test(tcase, a_run_goes_through_a_worker_to_its_answer);
    tcase_add_test(
        tcase, what_is_ready_in_one_turn_is_one_message_for_a_worker);
    tcase_add_test(
        tcase, a_worker_that_reads_nothing_is_sent_no_message_that_is_too_long);
    tcase_add_test(tcase, a_worker_whose_link_is_gone_is_lost_at_once);
    tcase_add_test(tcase, a_request_without_a_body_is_one_with_an_empty_body);
    tcase_add_test(tcase, a_client_that_left_does_not_keep_its_run_from_ending);
    tcase_add_test(
        tcase, an_order_that_no_message_carries_fails_its_task_with_that);
    tcase_add_test(tcase, each_start_has_a_higher_epoch);
    tcase_add_test(tcase, an_unfinished_run_goes_on_after_a_restart);
    tcase_add_test(tcase, who_asks_before_all_is_read_is_heard_behind_it);
    tcase_add_loop_test(tcase, a_store_that_fails_stops_the_coordinator, 0, 2);
    tcase_add_test(tcase, what_cannot_be_opened_says_why);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

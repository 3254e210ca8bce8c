// A coordinator among others whose lease runs out while it reads what came in:
// what it answers from then on promises nothing. A whole coordinator on a real
// server, in this process, with a clock that the test sets on: amid a turn,
// when the log is told of bytes that are not a message.
#include "tests/contract/store_world.h"

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    return 77;
}

#else

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/base/mem.h"
#include "common/link/link.h"
#include "common/wire/limits.h"
#include "common/wire/message.h"
#include "coordinator/shell_impl.h"
#include "tests/contract/postgres_world.h"

#define LISTEN "loop:cluster-lease"
#define GRAPH                                                                  \
    "{\"name\":\"g\",\"kind\":\"state\",\"state\":[{\"key\":\"log\","          \
    "\"type\":\"list\",\"reducer\":\"add\"}],\"nodes\":[{\"name\":\"work\"}]," \
    "\"edges\":[[\"__start__\",\"work\"]]}"
#define RUN "{\"graph\":\"g\",\"thread\":\"t\",\"input\":{}}"

// The lease is longer than any test takes: only the test's clock ends it.
enum { LEASE_MS = 3600000, STEPS_MAX = 100000, STEP_MS = 5 };

static struct ss_coordinator *coordinator;
static struct ss_link *worker, *client;
static _Atomic int64_t ahead_us; // of the machine's clock
static int64_t sleeps_ms;        // when the log is told of something next

// ------------------------------------------------ the clock, in place of ours

static int64_t now_us(clockid_t clock)
{
    struct timespec now;
    ck_assert_int_eq(clock_gettime(clock, &now), 0);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 +
           atomic_load(&ahead_us);
}

int64_t ss_clock_us(void)
{
    return now_us(CLOCK_MONOTONIC);
}

int64_t ss_clock_ms(void)
{
    return ss_clock_us() / 1000;
}

int64_t ss_clock_wall_us(void)
{
    return now_us(CLOCK_REALTIME);
}

int ss_clock_left(int64_t wake_at_ms, int64_t now_ms)
{
    int64_t left = wake_at_ms <= now_ms ? 0 : wake_at_ms - now_ms;
    return wake_at_ms == INT64_MAX ? -1
                                   : (int)(left > STEP_MS ? STEP_MS : left);
}

uint64_t ss_entropy(void)
{
    return 7;
}

static void told(void *ctx, const char *line, size_t size)
{
    (void)ctx;
    (void)line;
    (void)size;
    atomic_fetch_add(&ahead_us, sleeps_ms * 1000);
    sleeps_ms = 0;
}

// ------------------------------------------------ messages

static void send_bytes(struct ss_link *link, const void *bytes, size_t size)
{
    ck_assert_int_eq(
        ss_link_send(link, NULL, bytes, size, &world_error), SS_OK);
}

// Takes `message`.
static void say(struct ss_link *link, struct ss_message *message)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_MESSAGE_SIZE_MAX);
    ck_assert_int_eq(ss_message_encode(message, &buf, &world_error), SS_OK);
    send_bytes(link, buf.data, buf.size);
    ss_buf_fini(&buf);
    ss_message_destroy(&message);
}

static struct ss_message *heard(struct ss_link *link)
{
    void *bytes = NULL;
    size_t size = 0;
    struct ss_message *message = NULL;
    if (ss_link_recv(link, NULL, &bytes, &size, &world_error) != SS_OK)
        return NULL;
    ck_assert_int_eq(
        ss_message_decode(bytes, size, &message, &world_error), SS_OK);
    ss_free(bytes);
    return message;
}

static void step(void)
{
    int status = ss_coordinator_step(coordinator, -1, STEP_MS, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
}

// The next one of this type: others are passed over. Gives.
static struct ss_message *hear(enum ss_message_type type)
{
    for (int i = 0; i < STEPS_MAX; i++) {
        struct ss_message *message = heard(worker);
        if (message && message->type == type)
            return message;
        ss_message_destroy(&message);
        step();
    }
    ck_abort_msg("no %s came", ss_message_name(type));
}

static void join(void)
{
    struct ss_message *hello = ss_message_new(SS_MESSAGE_HELLO);
    hello->hello.name = ss_strdup("w");
    hello->capacity = 1;
    hello->hello.graphs_count = 1;
    hello->hello.graphs = ss_zalloc(1, sizeof(*hello->hello.graphs));
    hello->hello.graphs[0] = ss_value_from_text(GRAPH, strlen(GRAPH));
    say(worker, hello);
    struct ss_message *welcome = hear(SS_MESSAGE_WELCOME);
    ss_message_destroy(&welcome);
}

// A run begins: the order for its task, which nobody carries out.
static struct ss_attempt order(void)
{
    struct ss_message *run = ss_message_new(SS_MESSAGE_ASK);
    run->id = 1;
    run->op = ss_strdup("run");
    run->body = ss_value_from_text(RUN, strlen(RUN));
    say(client, run);
    struct ss_message *tasks = hear(SS_MESSAGE_TASKS);
    ck_assert_uint_eq(tasks->orders_count, 1);
    struct ss_attempt attempt = tasks->orders[0]->attempt;
    ss_message_destroy(&tasks);
    return attempt;
}

// How many of the orders that the beat names may not begin any more.
static size_t beat(uint64_t sent, struct ss_attempt attempt)
{
    struct ss_message *message = ss_message_new(SS_MESSAGE_BEAT);
    message->sent = sent;
    message->capacity = 1;
    message->attempts_count = 1;
    message->attempts = ss_zalloc(1, sizeof(*message->attempts));
    message->attempts[0] = attempt;
    say(worker, message);
    message = hear(SS_MESSAGE_HEARD);
    ck_assert_uint_eq(message->sent, sent);
    size_t count = message->attempts_count;
    ss_message_destroy(&message);
    return count;
}

// ------------------------------------------------ the tests

static void open_all(void)
{
    struct ss_coordinator_options options = {
        .listen = LISTEN, .store = pg.url, .cluster_lease_ms = LEASE_MS};
    struct ss_link_options links = {
        .endpoint = LISTEN, .message_size_max = SS_MESSAGE_SIZE_MAX};
    atomic_store(&ahead_us, 0);
    sleeps_ms = 0;
    ss_log_setup(&(struct ss_log_options){
        .program = "cluster_lease", .level = SS_LOG_WARNING, .sink = told});
    int status = ss_coordinator_open(&options, &coordinator, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    for (int i = 0; i < STEPS_MAX && !ss_core_is_settled(coordinator->core);
         i++)
        step();
    ck_assert_int_eq(ss_link_open(&links, &worker, &world_error), SS_OK);
    ck_assert_int_eq(ss_link_open(&links, &client, &world_error), SS_OK);
}

static void close_all(void)
{
    ss_link_close(&worker);
    ss_link_close(&client);
    ss_coordinator_close(&coordinator);
}

// Both in one turn, at whose begin the lease ran.
START_TEST(a_beat_that_is_read_behind_the_lease_is_promised_nothing)
{
    open_all();
    join();
    struct ss_attempt attempt = order();
    ck_assert_uint_eq(beat(1, attempt), 0);
    send_bytes(worker, "nonsense", 8);
    sleeps_ms = LEASE_MS;
    ck_assert_uint_eq(beat(2, attempt), 1);
    ck_assert_int_eq(sleeps_ms, 0);
    close_all();
}
END_TEST

int main(void)
{
    static const TTest *tests[1];
    tests[0] = a_beat_that_is_read_behind_the_lease_is_promised_nothing;
    return postgres_world_main("cluster_lease", tests, 1);
}

#endif

// What a worker may begin, as its coordinator answers for it: a task is not
// sent anew while the one that had it may begin it yet.
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#include <string.h>

#include "common/base/mem.h"

#define RUN(more) "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

enum { BEGIN_MS = 1000, LEASE_MS = 3000, GONE_MAX = 8 };

static uint64_t order_heard, heard;
static struct ss_attempt order, gone[GONE_MAX];
static size_t orders_count, heard_count, gone_count;
static int64_t begin_ms;

static void watch(const struct ss_command *command)
{
    if (command->type == SS_COMMAND_DISPATCH) {
        order = command->order->attempt;
        order_heard = command->order->heard;
        orders_count++;
    } else if (command->type == SS_COMMAND_HEARD) {
        heard = command->tag;
        heard_count++;
        ck_assert_uint_le(command->attempts_count, GONE_MAX);
        gone_count = command->attempts_count;
        for (size_t i = 0; i < gone_count; i++)
            gone[i] = command->attempts[i];
    } else if (command->type == SS_COMMAND_WELCOME) {
        begin_ms = command->begin_ms;
    }
}

// Node a is out at worker w1, and w2 could have it.
static void begin(bool beats_say)
{
    orders_count = heard_count = gone_count = 0;
    world_watch(watch);
    world_adopt(BEGIN_MS);
    world_crash();
    world_restart();
    world_graph(chart("g", "start>a a>end", NULL));
    world_beats_say(beats_say);
    world_worker("w1", 1);
    world_pass(500);
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    ck_assert_uint_eq(orders_count, 1);
    world_worker("w2", 1);
}

static void beat(uint64_t sent, const struct ss_attempt *running, size_t count)
{
    struct ss_event event = {.type = SS_EVENT_WORKER_BEAT, .peer = "w1"};
    event.beat.running = running;
    event.beat.running_count = count;
    event.beat.sent = sent;
    world_event(&event);
}

START_TEST(a_beat_is_answered_with_what_is_no_more)
{
    begin(true);
    ck_assert_int_eq(begin_ms, BEGIN_MS);
    const struct ss_attempt named[] = {order, {order.epoch, 99}};
    uint64_t sent = (uint64_t)-1;
    beat(sent, named, 2);
    ck_assert_uint_eq(heard, sent);
    ck_assert_uint_eq(gone_count, 1);
    ck_assert_uint_eq(gone[0].dispatch, 99);
}
END_TEST

START_TEST(an_order_says_which_beat_was_heard_last)
{
    begin(true);
    ck_assert_uint_eq(order_heard, heard);
    ck_assert_uint_gt(order_heard, 0);
}
END_TEST

// A beat of before the order was sent comes once more, a lease later.
START_TEST(a_late_copy_of_a_beat_loses_nothing)
{
    begin(true);
    world_pass(4000);
    size_t before = heard_count;
    beat(1, NULL, 0);
    world_run();
    ck_assert_uint_eq(heard_count, before);
    ck_assert_uint_eq(orders_count, 1);
    beat((uint64_t)-1, NULL, 0); // a new one that does not name it loses it
    world_pass(BEGIN_MS);
    ck_assert_uint_eq(orders_count, 2);
}
END_TEST

static size_t members_said;

static void count_members(const struct ss_command *command)
{
    members_said +=
        command->type == SS_COMMAND_MEMBERS && strcmp(command->peer, "w1") == 0;
}

static void members_are(const char *const *endpoints, size_t count)
{
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.endpoints = endpoints;
    event.members.count = count;
    world_event(&event);
}

// A worker that does not hear of a new coordinator never serves it, and its
// threads wait for ever: the word may be lost, so it is said again each lease.
START_TEST(a_lost_word_of_the_members_is_said_again)
{
    static const char *const both[] = {"tcp://one", "tcp://two"};
    begin(true);
    members_said = 0;
    world_watch(count_members);
    world_pass(4 * LEASE_MS);
    ck_assert_uint_eq(members_said, 0); // one that is alone has none
    members_are(both, 2);
    ck_assert_uint_eq(members_said, 1);
    world_pass(LEASE_MS - 1);
    members_are(both, 2);
    ck_assert_uint_eq(members_said, 1);
    world_pass(LEASE_MS);
    ck_assert_uint_eq(members_said, 2);
}
END_TEST

static void expect_sent_anew_after(int64_t ms)
{
    if (ms > 0) {
        world_pass(ms - 1);
        ck_assert_uint_eq(orders_count, 1);
        world_pass(1);
    }
    ck_assert_uint_eq(orders_count, 2);
    world_let("a");
    world_run();
}

START_TEST(a_task_of_a_worker_that_is_cut_off_waits_until_that_cannot_begin_it)
{
    begin(true);
    world_leave("w1"); // the link knows that it is not there
    world_run();
    expect_sent_anew_after(BEGIN_MS);
}
END_TEST

START_TEST(a_cancelled_task_is_asked_for_again_and_waits)
{
    begin(true);
    world_get("cancel", "{'run': 'r'}");
    world_ask("ann", "run", "{'thread': 't', 'graph': 'g', 'input': null}");
    world_run();
    expect_sent_anew_after(BEGIN_MS);
}
END_TEST

// Node a of run r is out at w1, and what it would write is kept: w2 wrote the
// same for another thread.
static void begin_kept(void)
{
    orders_count = 0;
    world_watch(watch);
    world_adopt(BEGIN_MS);
    world_crash();
    world_restart();
    world_graph(chart("g", "start>a a>end", "{'nodes': {'a': {'cache': {}}}}"));
    world_beats_say(true);
    world_worker("w1", 1);
    world_pass(BEGIN_MS);
    world_lose("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_worker("w2", 1);
    ck_assert_str_eq(
        status_of(world_get(
            "run", "{'thread': 'other', 'graph': 'g', 'input': {'x': []}}")),
        "done");
    ck_assert_uint_eq(orders_count, 2);
}

static void expect_used_after(uint64_t id, int64_t ms)
{
    world_run();
    size_t rows = world_rows();
    world_pass(ms - 1);
    ck_assert_ptr_null(world_answer(id));
    ck_assert_uint_eq(world_rows(), rows);
    world_pass(1);
    ck_assert_str_eq(status_of(world_answer(id)), "done");
    ck_assert_uint_eq(orders_count, 2);
    expect_x("t", "[\"a\"]");
}

START_TEST(a_kept_result_waits_until_the_cancelled_attempt_cannot_begin)
{
    begin_kept();
    world_get("cancel", "{'run': 'r'}");
    expect_used_after(
        world_ask("ann", "run", "{'thread': 't', 'graph': 'g', 'input': null}"),
        BEGIN_MS);
}
END_TEST

START_TEST(a_kept_result_waits_until_an_attempt_of_before_cannot_begin)
{
    begin_kept();
    world_crash();
    world_restart();
    expect_used_after(world_ask("ann", "attach", "{'run': 'r'}"), BEGIN_MS);
}
END_TEST

START_TEST(a_lease_is_as_long_and_nothing_more_is_waited_for)
{
    begin(true);
    world_silence("w1");
    world_pass(2400);
    ck_assert_uint_eq(orders_count, 1);
    world_pass(800); // the lease has ended
    expect_sent_anew_after(0);
}
END_TEST

START_TEST(an_older_worker_is_not_answered_nor_waited_for)
{
    begin(false);
    ck_assert_uint_eq(heard_count, 0);
    world_leave("w1");
    world_run();
    expect_sent_anew_after(0);
}
END_TEST

SUITE("vouch", a_beat_is_answered_with_what_is_no_more,
    an_order_says_which_beat_was_heard_last,
    a_late_copy_of_a_beat_loses_nothing,
    a_lost_word_of_the_members_is_said_again,
    a_task_of_a_worker_that_is_cut_off_waits_until_that_cannot_begin_it,
    a_cancelled_task_is_asked_for_again_and_waits,
    a_kept_result_waits_until_the_cancelled_attempt_cannot_begin,
    a_kept_result_waits_until_an_attempt_of_before_cannot_begin,
    a_lease_is_as_long_and_nothing_more_is_waited_for,
    an_older_worker_is_not_answered_nor_waited_for)

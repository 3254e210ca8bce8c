// Workers that an operator sends away.
#include <string.h>

#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

enum { BEATS_MS = 2000 };

#define RUN "{'thread': 't', 'graph': 'g', 'input': {'x': []}}"

// w1 is at work on a, and w2 is free.
static void begin(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 1);
    world_worker("w2", 1);
    world_hold("a");
    world_ask("ann", "run", RUN);
    world_run();
    world_forget();
}

static void send_away(const char *body)
{
    uint64_t id = world_ask("bob", "drain", body);
    ck_assert_ptr_nonnull(world_answer(id));
    ck_assert_str_eq(
        json_string_value(json_object_get(world_answer(id), "status")),
        "draining");
}

static bool is_told_to_leave(void)
{
    return strstr(world_told(), "worker w1 is told to leave\n") != NULL;
}

static const char *last_worker(void)
{
    size_t count;
    const struct attempt_made *attempts = world_attempts(&count);
    ck_assert_uint_gt(count, 0);
    return attempts[count - 1].worker;
}

START_TEST(a_worker_that_is_sent_away_ends_what_it_runs_and_gets_no_more)
{
    begin();
    send_away("{'worker': 'w1'}");
    ck_assert(is_told_to_leave());
    world_let("a"); // it has not said that it drains
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    ck_assert_str_eq(last_worker(), "w2");
}
END_TEST

START_TEST(it_is_told_with_each_beat_until_it_says_that_it_leaves)
{
    begin();
    send_away("{'worker': 'w1'}");
    world_forget();
    send_away("{'worker': 'w1'}"); // who asks twice has asked
    ck_assert(!is_told_to_leave());
    world_pass(BEATS_MS);
    ck_assert(is_told_to_leave());
    world_drain("w1");
    world_forget();
    send_away("{'worker': 'w1'}"); // once more does no harm
    world_pass(BEATS_MS);
    ck_assert(!is_told_to_leave());
    world_let("a");
}
END_TEST

START_TEST(it_is_told_again_when_it_says_hello_again)
{
    begin();
    send_away("{'worker': 'w1'}");
    world_forget();
    world_worker("w1", 1);
    ck_assert(is_told_to_leave());
    world_let("a");
    world_leave("w2");
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 0);
}
END_TEST

START_TEST(another_worker_of_its_name_may_come)
{
    begin();
    world_let("a");
    world_run();
    send_away("{'worker': 'w1'}");
    world_leave("w1");
    world_leave("w2");
    world_forget();
    world_worker("w1", 1);
    ck_assert(!is_told_to_leave());
    world_ask("ann", "run", RUN);
    world_run();
    ck_assert_str_eq(last_worker(), "w1");
}
END_TEST

static void refused(const char *body, const char *code, const char *words)
{
    uint64_t id = world_ask("bob", "drain", body);
    const json_t *problem = json_object_get(world_answer(id), "error");
    ck_assert_str_eq(json_string_value(json_object_get(problem, "code")), code);
    const char *text = json_string_value(json_object_get(problem, "message"));
    ck_assert_msg(strstr(text, words) != NULL, "%s", text);
}

START_TEST(a_worker_that_is_not_here_is_not_found)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("worker-one", 1);
    refused("{'worker': 'worker-onn'}", "not_found",
        "Did you mean \"worker-one\"?");
    refused("{}", "invalid_argument", "say which worker");
}
END_TEST

SUITE("leave", a_worker_that_is_sent_away_ends_what_it_runs_and_gets_no_more,
    it_is_told_with_each_beat_until_it_says_that_it_leaves,
    it_is_told_again_when_it_says_hello_again,
    another_worker_of_its_name_may_come, a_worker_that_is_not_here_is_not_found)

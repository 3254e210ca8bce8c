// What a list tells of a run beside how it stands: why it failed or was
// stopped, what it was to do on a busy thread, when it changed.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

static void graphs(void)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_graph(chart("h", "start>b b>end", NULL));
    world_body("b", fails);
    world_worker("w1", 2);
    world_run();
}

static uint64_t asked(const char *graph, const char *run, const char *more)
{
    json_t *body = js(more);
    json_object_set_new(body, "graph", json_string(graph));
    json_object_set_new(body, "run", json_string(run));
    json_object_set_new(body, "thread", json_string("t"));
    json_object_set_new(body, "input", js("{'x': []}"));
    uint64_t id = world_ask_json("ann", "run", body);
    world_run();
    return id;
}

// What the list says of that run.
static json_t *record_of(const char *run)
{
    json_t *item;
    size_t i;
    json_array_foreach (
        json_object_get(world_get("runs", "{}"), "runs"), i, item)
        if (strcmp(ss_json_str(item, "run", ""), run) == 0)
            return item;
    ck_abort_msg("no run %s", run);
}

static void failed_with(const char *run, const char *code, const char *message)
{
    const json_t *error = json_object_get(record_of(run), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "-"), code);
    ck_assert_str_eq(ss_json_str(error, "message", "-"), message);
}

START_TEST(why_a_run_failed_is_in_the_list)
{
    graphs();
    world_finish(asked("g", "one", "{}"));
    const json_t *answer = world_finish(asked("h", "two", "{}"));
    ck_assert_str_eq(status_of(answer), "failed");
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_null(json_object_get(record_of("one"), "error"));
        ck_assert_ptr_nonnull(json_object_get(record_of("one"), "changed_at"));
        json_t *error = json_object_get(record_of("two"), "error");
        ck_assert_str_eq(ss_json_str(error, "node", "-"), "b");
        ck_assert(json_equal(error, json_object_get(answer, "error")));
        world_crash();
        world_restart();
    }
}
END_TEST

#define WHY "the run was cancelled: wrong customer"

// One that runs, and one that waits for its turn behind it.
START_TEST(why_a_run_was_cancelled_is_told)
{
    graphs();
    world_hold("a");
    uint64_t first = asked("g", "one", "{}");
    uint64_t second = asked("g", "two", "{'if_busy': 'enqueue'}");
    ck_assert_str_eq(ss_json_str(record_of("two"), "if_busy", "-"), "enqueue");
    world_get("cancel", "{'run': 'two', 'reason': 'wrong customer'}");
    world_get("cancel", "{'run': 'one', 'reason': 'wrong customer'}");
    failed_with("one", "cancelled", WHY);
    failed_with("two", "cancelled", WHY);
    ck_assert_str_eq(ss_json_str(json_object_get(world_finish(first), "error"),
                         "message", "-"),
        WHY);
    ck_assert_str_eq(ss_json_str(json_object_get(world_finish(second), "error"),
                         "message", "-"),
        WHY);
    asked("g", "three", "{}");
    world_get("cancel", "{'run': 'three'}");
    failed_with("three", "cancelled", "the run was cancelled");
    ck_assert_str_eq(
        ss_json_str(record_of("one"), "cancel_reason", "-"), "wrong customer");
    ck_assert_str_eq(
        ss_json_str(record_of("two"), "cancel_reason", "-"), "wrong customer");
    ck_assert_ptr_null(json_object_get(record_of("three"), "cancel_reason"));
}
END_TEST

// Time passes while it waits; it is told also by who finds it after a crash.
START_TEST(when_a_run_was_asked_for_and_when_it_began_are_told)
{
    graphs();
    world_hold("a");
    asked("g", "one", "{}");
    asked("g", "two", "{'if_busy': 'enqueue'}");
    world_pass(5000);
    ck_assert_ptr_null(json_object_get(record_of("two"), "began_at"));
    world_get("cancel", "{'run': 'one'}");
    for (int i = 0; i < 2; i++) {
        const json_t *record = record_of("two");
        ck_assert_str_eq(ss_json_str(record, "status", "-"), "running");
        ck_assert_int_ge(ss_json_int(record, "began_us", 0) -
                             ss_json_int(record, "created_us", 0),
            5000 * 1000);
        ck_assert_ptr_nonnull(json_object_get(record, "began_at"));
        ck_assert_ptr_null(json_object_get(record_of("one"), "began_at"));
        world_crash();
        world_restart();
        world_worker("w2", 2);
        world_run();
    }
}
END_TEST

static json_int_t time_of(const char *key)
{
    const json_t *answer = world_get("thread", "{'thread': 't'}");
    return ss_json_int(json_object_get(answer, "thread"), key, 0);
}

START_TEST(when_the_state_changed_is_told_whatever_is_said_of_the_thread_since)
{
    graphs();
    world_finish(asked("g", "one", "{}"));
    json_int_t ran_us = time_of("updated_us");
    ck_assert_int_eq(time_of("state_us"), 0);
    for (int i = 0; i < 2; i++) {
        world_pass(1000);
        world_get("thread_put", "{'thread': 't', 'facts': {'a': 1}}");
        ck_assert_int_gt(time_of("updated_us"), ran_us);
        ck_assert_int_eq(time_of("state_us"), ran_us);
    }
    world_finish(asked("g", "two", "{}"));
    ck_assert_int_eq(time_of("state_us"), 0);
}
END_TEST

// Its graph is known to nobody yet, so nobody runs it.
START_TEST(why_a_run_was_cancelled_that_nobody_runs_is_told)
{
    graphs();
    world_hold("a");
    asked("g", "one", "{}");
    world_crash();
    world_lose_graphs();
    world_restart();
    world_get("cancel", "{'run': 'one', 'reason': 'wrong customer'}");
    failed_with("one", "cancelled", WHY);
}
END_TEST

START_TEST(a_reason_that_is_none_is_refused)
{
    graphs();
    world_hold("a");
    asked("g", "one", "{}");
    ck_assert_str_eq(
        code_of(world_get("cancel", "{'run': 'one', 'reason': 5}")),
        "invalid_argument");
    ck_assert_str_eq(
        code_of(world_finish(world_ask_json("ann", "cancel",
            json_pack("{s:s, s:o}", "run", "one", "reason",
                json_sprintf("%0*d", SS_PAUSE_REASON_MAX + 1, 0))))),
        "invalid_argument");
    ck_assert_str_eq(ss_json_str(record_of("one"), "status", "-"), "running");
}
END_TEST

// A thread's name that is misspelt was a new thread.
START_TEST(a_run_may_want_a_thread_that_is_there)
{
    graphs();
    const char *const asks[] = {"{'if_absent': 'refuse'}",
        "{'if_absent': 'no'}", "{'if_absent': null}"};
    const char *const codes[] = {
        "not_found", "invalid_argument", "invalid_argument"};
    for (size_t i = 0; i < 3; i++)
        ck_assert_str_eq(
            code_of(world_finish(asked("g", "one", asks[i]))), codes[i]);
    ck_assert_uint_eq(world_rows(), 0);
    world_get("thread_put", "{'thread': 't', 'facts': {}}");
    ck_assert_str_eq(
        status_of(world_finish(asked("g", "one", asks[0]))), "done");
    ck_assert_str_eq(
        status_of(world_finish(asked("g", "two", asks[0]))), "done");
    ck_assert_str_eq(
        status_of(world_finish(asked("g", "three", "{'if_absent': 'make'}"))),
        "done");
}
END_TEST

SUITE("records", why_a_run_failed_is_in_the_list,
    why_a_run_was_cancelled_is_told,
    when_a_run_was_asked_for_and_when_it_began_are_told,
    when_the_state_changed_is_told_whatever_is_said_of_the_thread_since,
    why_a_run_was_cancelled_that_nobody_runs_is_told,
    a_reason_that_is_none_is_refused, a_run_may_want_a_thread_that_is_there)

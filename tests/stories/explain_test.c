// Why a run waits: each reason there is, and what is told of its past.
#include <stdio.h>
#include <string.h>

#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(more)                                                              \
    "{'thread': 't', 'graph': 'g', 'run': 'r', 'input': {'x': []}" more "}"

static json_t *explained(const char *body)
{
    uint64_t id = world_ask("eve", "explain", body);
    world_run();
    json_t *answer = world_answer(id);
    ck_assert_ptr_nonnull(answer);
    json_t *json = json_object_get(answer, "explain");
    ck_assert_ptr_nonnull(json);
    return json;
}

// "why: count of node, ..." of all that waits.
static void waits(const char *expected)
{
    static char text[512];
    size_t i, size = 0;
    json_t *wait;
    text[0] = '\0';
    json_array_foreach (
        json_object_get(explained("{'run': 'r', 'thread': 't'}"), "waits"), i,
        wait)
        size += (size_t)snprintf(text + size, sizeof(text) - size,
            "%s%s: %lld of %s", i ? ", " : "", ss_json_str(wait, "why", "?"),
            (long long)ss_json_int(wait, "count", 0),
            ss_json_str(wait, "node", "?"));
    ck_assert_str_eq(text, expected);
}

static const char *status(void)
{
    return ss_json_str(explained("{'run': 'r', 'thread': 't'}"), "status", "?");
}

START_TEST(a_task_waits_for_a_worker_that_serves_it)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_leave("w1");
    world_ask("ann", "run", RUN(""));
    world_run();
    waits("no_worker: 1 of a");
    ck_assert_str_eq(status(), "running");
}
END_TEST

START_TEST(tasks_wait_for_room_and_run_elsewhere)
{
    world_graph(chart("g", "start>a a>b a>c a>d b+c+d>e e>end", NULL));
    world_worker("w1", 1);
    world_hold("b");
    world_ask("ann", "run", RUN(""));
    world_run();
    waits("running: 1 of b, workers_busy: 1 of c, workers_busy: 1 of d");
    const json_t *running = json_array_get(
        json_object_get(explained("{'thread': 't'}"), "waits"), 0);
    ck_assert_str_eq(ss_json_str(running, "worker", "?"), "w1");
    ck_assert_int_eq(ss_json_int(running, "attempt", 0), 1);
}
END_TEST

START_TEST(tasks_wait_below_the_limit_of_their_run)
{
    world_graph(chart("h", "start>a start>b a>end b>end", NULL));
    world_worker("w1", 4);
    world_hold("a");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'h', 'run': 'r', 'input': {'x': []},"
        " 'max_concurrency': 1}");
    world_run();
    waits("running: 1 of a, max_concurrency: 1 of b");
}
END_TEST

START_TEST(a_task_waits_for_the_store)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_store_slow(true);
    world_let("a");
    world_run();
    waits("store: 1 of b");
    json_t *json = explained("{'run': 'r', 'thread': 't'}");
    ck_assert_int_eq(ss_json_int(json, "rows_on_their_way", 0), 1);
    // Of the past only what is durable is told.
    json_t *steps = json_object_get(json, "steps");
    ck_assert_uint_eq(json_array_size(steps), 2);
    world_store_slow(false);
}
END_TEST

// What it waits for is of use with the reason only, also behind a crash.
static void fails_so_far(int64_t in_ms)
{
    json_t *json = explained("{'run': 'r', 'thread': 't'}");
    const json_t *wait = json_array_get(json_object_get(json, "waits"), 0);
    ck_assert_int_eq(ss_json_int(wait, "in_ms", 0), in_ms);
    ck_assert_int_eq(ss_json_int(wait, "failures", 0), 1);
    ck_assert_str_eq(ss_json_str(wait, "error", ""), "it broke");
}

START_TEST(a_task_waits_before_its_next_attempt_and_says_why)
{
    world_graph(chart("g", "start>a a>end",
        "{'nodes': {'a': {'retry': [{'max_attempts': 3,"
        " 'initial_interval_ms': 1000, 'jitter': false}]}}}"));
    world_body("a", fails_twice);
    world_worker("w1", 1);
    world_ask("ann", "run", RUN(""));
    world_run();
    waits("backoff: 1 of a");
    fails_so_far(1000);
    world_crash();
    world_restart();
    world_run();
    fails_so_far(1000);
}
END_TEST

// What `superstep state` and `superstep show tasks` say meanwhile.
START_TEST(a_task_that_backs_off_says_so_wherever_it_is_shown)
{
    world_graph(chart("g", "start>a a>end",
        "{'nodes': {'a': {'retry': [{'max_attempts': 3,"
        " 'initial_interval_ms': 1000, 'jitter': false}]}}}"));
    world_body("a", fails_twice);
    world_worker("w1", 1);
    world_ask("ann", "run", RUN(""));
    world_run();
    const json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    const json_t *task = json_array_get(json_object_get(state, "tasks"), 0);
    const json_t *wait = json_object_get(task, "wait");
    ck_assert_str_eq(ss_json_str(wait, "why", "?"), "backoff");
    ck_assert_str_eq(ss_json_str(wait, "error", "?"), "it broke");
    ck_assert_int_eq(ss_json_int(wait, "in_ms", 0), 1000);
    const json_t *answer = world_get("tasks", "{}");
    ck_assert_int_eq(ss_json_int(answer, "backoff", 0), 1);
    ck_assert_int_eq(ss_json_int(answer, "ready", -1), 0);
    task = json_array_get(json_object_get(answer, "tasks"), 0);
    ck_assert_str_eq(ss_json_str(task, "state", "?"), "backoff");
    ck_assert_str_eq(ss_json_str(task, "error", "?"), "it broke");
    ck_assert_int_eq(ss_json_int(task, "failures", 0), 1);
    wait = json_array_get(json_object_get(answer, "waits"), 0);
    ck_assert_str_eq(ss_json_str(wait, "graph", "?"), "g");
    ck_assert_str_eq(ss_json_str(wait, "thread", "?"), "t");
    ck_assert_str_eq(ss_json_str(wait, "error", "?"), "it broke");
}
END_TEST

START_TEST(what_failed_before_is_told_when_the_run_has_ended)
{
    world_graph(chart("g", "start>a a>end",
        "{'nodes': {'a': {'retry': [{'max_attempts': 3,"
        " 'initial_interval_ms': 1000, 'jitter': false}]}}}"));
    world_body("a", fails_twice);
    world_worker("w1", 1);
    world_get("run", RUN(""));
    ck_assert_str_eq(status(), "done");
    world_crash(); // rows tell it
    world_restart();
    const json_t *step = json_array_get(
        json_object_get(explained("{'thread': 't'}"), "steps"), 1);
    const json_t *task = json_array_get(json_object_get(step, "tasks"), 0);
    ck_assert_int_eq(ss_json_int(task, "failed_before", 0), 2);
    ck_assert_str_eq(ss_json_str(task, "last_error", "?"), "it broke");
    ck_assert_ptr_null(json_object_get(task, "error"));
}
END_TEST

START_TEST(a_task_that_failed_says_with_what_when_the_run_has_ended)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", fails);
    world_worker("w1", 1);
    world_get("run", RUN(""));
    const json_t *step = json_array_get(
        json_object_get(explained("{'thread': 't'}"), "steps"), 1);
    const json_t *task = json_array_get(json_object_get(step, "tasks"), 0);
    ck_assert_str_eq(ss_json_str(task, "error", "?"), "it broke");
}
END_TEST

START_TEST(a_task_that_failed_says_that_it_has_an_error_handler)
{
    world_graph(chart(
        "g", "start>a a>end", "{'nodes': {'a': {'error_handler': true}}}"));
    world_body("a", fails);
    world_worker("w1", 1);
    world_get("run", RUN(""));
    ck_assert_str_eq(status(), "done");
    const json_t *step = json_array_get(
        json_object_get(explained("{'thread': 't'}"), "steps"), 1);
    const json_t *task = json_array_get(json_object_get(step, "tasks"), 0);
    ck_assert_str_eq(ss_json_str(task, "error", "?"), "it broke");
    ck_assert(ss_json_bool(task, "has_handler", false));
}
END_TEST

static json_t *sends_to_graphs(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'goto': ["
              "{'$send': {'node': 't', 'arg': {'x': ['1']}}},"
              "{'$send': {'node': 't', 'arg': {'x': ['2']}}},"
              "{'$send': {'node': 't', 'arg': {'x': ['3']}}}]}}");
}

START_TEST(tasks_of_one_node_are_told_together_whichever_loop_they_are_in)
{
    world_graph(chart("g", "start>a a>end t>end",
        "{'nodes': {'t': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state',"
        " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'fetch'}],"
        " 'edges': [['__start__', 'fetch']]}}}"));
    world_body("a", sends_to_graphs);
    world_worker("w1", 1);
    world_hold("fetch");
    world_ask("ann", "run", RUN(""));
    world_run();
    waits("running: 1 of fetch, workers_busy: 2 of fetch");
    const json_t *all =
        json_object_get(world_get("tasks", "{'limit': 1}"), "waits");
    ck_assert_uint_eq(json_array_size(all), 1);
    ck_assert_int_eq(ss_json_int(json_array_get(all, 0), "count", 0), 2);
}
END_TEST

START_TEST(a_run_that_was_resumed_tells_the_superstep_that_took_the_answer)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_body("b", asks);
    world_worker("w1", 1);
    world_get("run", RUN(""));
    world_get("run", "{'thread': 't', 'run': 'r2', 'command': {'resume': "
                     "'yes'}}");
    const json_t *steps =
        json_object_get(explained("{'run': 'r2', 'thread': 't'}"), "steps");
    const json_t *task =
        json_array_get(json_object_get(json_array_get(steps, 0), "tasks"), 0);
    ck_assert_uint_eq(json_array_size(steps), 3);
    ck_assert_str_eq(ss_json_str(task, "name", "?"), "b");
    // A run with an input of its own has nothing of those before it.
    world_get("run", "{'thread': 't', 'graph': 'g', 'run': 'r3', 'input':"
                     " {'x': []}}");
    steps = json_object_get(explained("{'run': 'r3', 'thread': 't'}"), "steps");
    ck_assert_str_eq(
        ss_json_str(json_array_get(steps, 0), "source", "?"), "input");
}
END_TEST

START_TEST(a_run_that_asked_and_one_that_ended_tell_their_past)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_body("b", asks);
    world_worker("w1", 1);
    world_get("run", RUN(""));
    waits("");
    json_t *json = explained("{'run': 'r', 'thread': 't'}");
    ck_assert_str_eq(ss_json_str(json, "status", "?"), "interrupted");
    json_t *steps = json_object_get(json, "steps");
    ck_assert_uint_eq(json_array_size(steps), 3);
    const json_t *last =
        json_array_get(json_object_get(json_array_get(steps, 2), "tasks"), 0);
    ck_assert_str_eq(ss_json_str(last, "name", "?"), "b");
    ck_assert_uint_eq(json_array_size(json_object_get(last, "interrupts")), 1);

    world_get("run", "{'thread': 't', 'run': 'r2', 'command': {'resume': "
                     "'yes'}}");
    // The newest of the thread, without its name; and after a restart.
    world_crash();
    world_restart();
    json = explained("{'thread': 't'}");
    ck_assert_str_eq(ss_json_str(json, "run", "?"), "r2");
    ck_assert_str_eq(ss_json_str(json, "status", "?"), "done");
    ck_assert_int_ge(
        ss_json_int(json, "ended_us", -1), ss_json_int(json, "created_us", -1));
}
END_TEST

START_TEST(a_run_in_the_line_of_its_thread_says_who_is_before_it)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'run': 'first', 'input': {'x': []}}");
    world_ask("ann", "run", RUN(", 'if_busy': 'enqueue'"));
    world_run();
    json_t *json = explained("{'run': 'r', 'thread': 't'}");
    ck_assert_str_eq(ss_json_str(json, "status", "?"), "queued");
    ck_assert_str_eq(ss_json_str(json, "busy_with", "?"), "run first");
    ck_assert_int_eq(ss_json_int(json, "before", -1), 0);
}
END_TEST

START_TEST(what_is_not_there_is_said)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    json_t *error =
        json_object_get(world_get("explain", "{'run': 'none'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "?"), "not_found");
    error = json_object_get(world_get("explain", "{'thread': 'u'}"), "error");
    ck_assert_str_eq(
        ss_json_str(error, "message", "?"), "thread u has no run yet");
    error = json_object_get(world_get("explain", "{}"), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "?"), "invalid_argument");
}
END_TEST

SUITE("explain", a_task_waits_for_a_worker_that_serves_it,
    tasks_wait_for_room_and_run_elsewhere,
    tasks_wait_below_the_limit_of_their_run, a_task_waits_for_the_store,
    a_task_waits_before_its_next_attempt_and_says_why,
    a_task_that_backs_off_says_so_wherever_it_is_shown,
    what_failed_before_is_told_when_the_run_has_ended,
    a_task_that_failed_says_with_what_when_the_run_has_ended,
    a_task_that_failed_says_that_it_has_an_error_handler,
    tasks_of_one_node_are_told_together_whichever_loop_they_are_in,
    a_run_that_was_resumed_tells_the_superstep_that_took_the_answer,
    a_run_that_asked_and_one_that_ended_tell_their_past,
    a_run_in_the_line_of_its_thread_says_who_is_before_it,
    what_is_not_there_is_said)

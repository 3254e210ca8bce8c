// Policies over crashes, one by one: what is counted goes on being counted,
// what waits goes on waiting, and what is damaged is not a result.
#include <stdio.h>
#include <string.h>

#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(more)                                                              \
    "{'thread': 't', 'graph': 'g', 'run': 'r', 'input': {'x': []}" more "}"

static void one_node(const char *options)
{
    char extra[512];
    snprintf(extra, sizeof(extra), "{'nodes': {'a': {%s}}}", options);
    world_graph(chart("g", "start>a a>end", extra));
    world_worker("w1", 4);
}

// The coordinator dies, and its client asks again.
static uint64_t another_life(const char *body)
{
    world_crash();
    world_restart();
    return world_ask("ann", "run", body);
}

START_TEST(a_pause_before_a_retry_survives_a_crash)
{
    one_node("'retry': [{'initial_interval_ms': 5000, 'jitter': false}]");
    world_body("a", fails_twice);
    world_ask("ann", "run", RUN(""));
    world_run();
    world_pass(3000);
    uint64_t id = another_life(RUN(""));
    world_run();
    world_pass(1500);
    ck_assert_uint_eq(world_attempts_of("a"), 1); // 4.5 of 5 s have passed
    world_pass(1000);
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    ck_assert_uint_eq(world_attempts_of("a"), 3);
}
END_TEST

START_TEST(a_clock_that_was_put_back_makes_no_pause_longer)
{
    one_node("'retry': [{'initial_interval_ms': 5000, 'jitter': false}]");
    world_body("a", fails_twice);
    world_ask("ann", "run", RUN(""));
    world_run();
    world_set_clock(-3600000);
    uint64_t id = another_life(RUN(""));
    world_run();
    world_pass(4500);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_pass(1000);
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    ck_assert_str_eq(status_of(world_finish(id)), "done");
}
END_TEST

// Beside it another task still runs, so that its writes stand alone.
START_TEST(a_handler_that_had_finished_does_not_run_again)
{
    world_graph(chart("g", "start>a start>c c>d d>end",
        "{'nodes': {'a': {'error_handler': true}}}"));
    world_worker("w1", 4);
    world_body("a", fails);
    world_hold("c");
    world_ask("ann", "run", RUN(""));
    world_run();
    ck_assert_uint_eq(world_attempts_of("__error_handler__a"), 1);
    uint64_t id = another_life(RUN(""));
    world_let("c");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    ck_assert_uint_eq(world_attempts_of("__error_handler__a"), 1);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

START_TEST(tries_are_counted_over_crashes)
{
    one_node("'retry': [{'initial_interval_ms': 1000, 'max_attempts': 3,"
             " 'jitter': false}]");
    world_body("a", fails);
    uint64_t id = world_ask("ann", "run", RUN(""));
    for (int life = 0; life < 5 && !world_answer(id); life++) {
        world_run();
        world_pass(1200);
        id = another_life(RUN(""));
    }
    ck_assert_str_eq(status_of(world_finish(id)), "failed");
    ck_assert_uint_eq(world_attempts_of("a"), 3);
}
END_TEST

#define GO_ON "{'thread': 't', 'run': 's', 'input': null}"

// The run that it was counted for was cancelled; the next one begins the same
// task, and its coordinator dies.
static uint64_t the_same_task_in_another_run(void)
{
    ck_assert_str_eq(
        status_of(world_get("cancel", "{'run': 'r'}")), "cancelled");
    world_ask("ann", "run", GO_ON);
    world_run();
    return another_life(GO_ON);
}

START_TEST(workers_that_another_run_lost_are_not_counted)
{
    one_node("");
    world_hold("a");
    world_ask("ann", "run", RUN(""));
    world_run();
    for (int i = 0; i < 3; i++) { // as many as may be lost
        world_leave("w1");
        world_worker("w1", 4);
        world_run();
    }
    uint64_t id = the_same_task_in_another_run();
    world_run();
    world_leave("w1");
    world_worker("w1", 4);
    world_let("a");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
}
END_TEST

START_TEST(tries_of_another_run_are_not_counted)
{
    one_node("'retry': [{'initial_interval_ms': 5000, 'backoff_factor': 1,"
             " 'max_attempts': 3, 'jitter': false}]");
    world_body("a", fails_at_will);
    will_fail = true;
    world_ask("ann", "run", RUN(""));
    world_run();
    world_pass(6000);
    ck_assert_uint_eq(world_attempts_of("a"), 2); // one more would be the last
    world_hold("a");
    uint64_t id = the_same_task_in_another_run();
    world_let("a");
    world_run();
    world_pass(6000);
    will_fail = false;
    ck_assert_str_eq(status_of(world_finish(id)), "done");
}
END_TEST

static size_t failed_inside;

static json_t *fails_once_inside(struct visit *visit)
{
    return failed_inside++ == 0 ? fails(visit) : says(visit->order->node);
}

// What failed inside in the try before is not a failure of this one.
START_TEST(a_graph_that_failed_inside_is_tried_again_after_a_crash)
{
    failed_inside = 0;
    world_graph(chart("g", "start>sub sub>end",
        "{'nodes': {'sub': {'subgraph': 'inner', 'retry':"
        " [{'initial_interval_ms': 1000, 'max_attempts': 3, 'jitter': false}]"
        "}}, 'subgraphs': {'inner': {'name': 'inner', 'kind': 'state',"
        " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'i1'}, {'name': 'i2'}],"
        " 'edges': [['__start__', 'i1'], ['i1', 'i2']]}}}"));
    world_body("i2", fails_once_inside);
    world_worker("w1", 4);
    world_ask("ann", "run", RUN(""));
    world_run();
    uint64_t id = another_life(RUN(""));
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    ck_assert_uint_eq(world_attempts_of("i1"), 1);
    ck_assert_uint_eq(world_attempts_of("i2"), 2);
}
END_TEST

START_TEST(a_detached_run_is_answered_once)
{
    one_node("");
    world_hold("a");
    uint64_t first = world_ask("ann", "run", RUN(", 'detach': true"));
    world_run();
    ck_assert_str_eq(status_of(world_answer(first)), "running");
    uint64_t again = world_ask("ann", "run", RUN(", 'detach': true"));
    world_run();
    ck_assert_str_eq(status_of(world_answer(again)), "running");
    uint64_t later = another_life(RUN(", 'detach': true"));
    world_run();
    ck_assert_str_eq(status_of(world_answer(later)), "running");
    world_let("a");
    world_run(); // the end is nobody's answer: the world refuses a second one
    ck_assert_str_eq(status_of(world_get("attach", "{'run': 'r'}")), "done");
}
END_TEST

// What finished beside a question goes through the reducer of the application
// before it is shown; whoever asks again is shown the same.
START_TEST(a_fold_is_there_when_it_is_asked_for_again)
{
    world_graph(chart("g", "start>a start>b a+b>c c>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}"));
    world_fold("glue", glues);
    world_body("b", asks);
    world_worker("w1", 4);
    json_t *answer = world_get("run", RUN(""));
    ck_assert_str_eq(status_of(answer), "interrupted");
    char *shown = ss_json_canonical(json_object_get(answer, "output"));
    ck_assert_str_eq(shown, "{\"x\":[\"a\"]}");
    for (int i = 0; i < 2; i++) {
        uint64_t id =
            i ? another_life(RUN("")) : world_ask("ann", "run", RUN(""));
        char *again =
            ss_json_canonical(json_object_get(world_finish(id), "output"));
        ck_assert_str_eq(again, shown);
        ss_free(again);
    }
    ss_free(shown);
    answer = world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    ck_assert_str_eq(status_of(answer), "done");
}
END_TEST

// Whoever was planned first (what was sent), and whoever ended first.
static json_t *says_a_number(struct visit *visit)
{
    (void)visit;
    return js("{'x': 5}");
}

START_TEST(what_a_reducer_refuses_names_the_node_that_wrote_it)
{
    world_graph(chart("g", "start>a start>b a>end b>end", NULL));
    world_body("b", says_a_number);
    world_worker("w1", 2);
    // of several writers it is not the one at fault that is named
    const json_t *error = json_object_get(world_get("run", RUN("")), "error");
    ck_assert_str_eq(ss_json_str(error, "message", "?"),
        "superstep 1 (a, b): channel \"x\": cannot add a list and a number");
    world_graph(chart("g", "start>b b>end", NULL));
    world_worker("w1", 2);
    error = json_object_get(
        world_get("run", "{'thread': 'u', 'graph': 'g', 'input': {'x': []}}"),
        "error");
    ck_assert_str_eq(ss_json_str(error, "message", "?"),
        "node \"b\": channel \"x\": cannot add a list and a number");
}
END_TEST

START_TEST(a_reducer_of_the_application_is_given_writes_in_their_one_order)
{
    world_graph(chart("own", "start>a a>b b>end t>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}"));
    world_graph(chart("any", "start>a a>b b>end t>end", NULL));
    world_fold("glue", glues);
    world_body("a", sends_three);
    world_body("t", says_argument);
    world_worker("w1", 4);
    world_hold("b");
    uint64_t own = world_ask(
        "ann", "run", "{'thread': 't', 'graph': 'own', 'input': {'x': []}}");
    world_run();
    world_let("b");
    ck_assert_str_eq(status_of(world_finish(own)), "done");
    world_get("run", "{'thread': 'u', 'graph': 'any', 'input': {'x': []}}");
    expect_x("t", "[\"b\",\"t1\",\"t2\",\"t3\"]");
    expect_x("u", "[\"b\",\"t1\",\"t2\",\"t3\"]");
}
END_TEST

static json_t *folds_nothing(json_t *value, json_t *writes)
{
    (void)value;
    (void)writes;
    return NULL;
}

// Whose writes it was to fold have failed, and run again.
START_TEST(a_reducer_that_fails_fails_the_run_with_its_words)
{
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}"));
    world_fold("glue", folds_nothing);
    world_worker("w1", 4);
    json_t *answer = world_get("run", "{'thread': 't', 'graph': 'g', 'input':"
                                      " {'x': ['in']}}");
    ck_assert_str_eq(status_of(answer), "failed");
    ck_assert_str_eq(
        ss_json_str(json_object_get(answer, "error"), "message", ""),
        "graph g, key \"x\": its reducer failed: the reducer failed");
    world_fold("glue", glues);
    answer = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(status_of(answer), "done");
    expect_x("t", "[\"in\",\"a\"]");
}
END_TEST

// A fold that no worker lives through says nothing about the writes.
START_TEST(a_reducer_whose_workers_are_lost_makes_no_task_run_again)
{
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}"));
    world_fold("glue", glues);
    world_worker("w0", 4);
    world_hold("a");
    uint64_t id = world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g',"
        " 'input': {'x': ['in']}}");
    world_run();
    world_hold("x");
    world_let("a");
    world_run();
    for (size_t i = 0; i < 4; i++) {
        char *name = ss_format("w%zu", i), *next = ss_format("w%zu", i + 1);
        ck_assert_ptr_null(world_answer(id));
        world_leave(name);
        world_worker(next, 4);
        world_run();
        ss_free(name);
        ss_free(next);
    }
    json_t *answer = world_answer(id);
    ck_assert_str_eq(status_of(answer), "failed");
    ck_assert_str_eq(ss_json_str(json_object_get(answer, "error"), "code", ""),
        "worker_lost");
    world_let("x");
    answer = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(status_of(answer), "done");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    expect_x("t", "[\"in\",\"a\"]");
}
END_TEST

// The input of a raw graph inside goes to its channels at once.
#define RAW_INSIDE                                                             \
    "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"         \
    " {'name': 'inner', 'kind': 'raw', 'channels': [{'name': 'i', 'kind':"     \
    " 'BinaryOperatorAggregate', 'type': 'list', 'custom': 'glue'},"           \
    " {'name': 'o', 'kind': 'LastValue'}], 'nodes': [{'name': 'one',"          \
    " 'subscribe_only': 'i', 'writes': [{'channel': 'o'}]}],"                  \
    " 'input': 'i', 'output': 'o'}}}"

static json_t *glues_x(json_t *value, json_t *writes)
{
    json_t *list = value ? json_copy(value) : json_array(), *write;
    size_t i;
    json_array_foreach (writes, i, write)
        json_array_extend(list, json_object_get(write, "x"));
    return list;
}

static json_t *says_all(struct visit *visit)
{
    return json_pack("{s:O}", "x", visit->input);
}

START_TEST(a_graph_inside_folds_its_input_before_it_begins)
{
    world_graph(chart("g", "start>sub sub>end", RAW_INSIDE));
    world_fold("glue", glues_x);
    world_body("one", says_all);
    world_worker("w1", 4);
    json_t *answer = world_get("run", "{'thread': 't', 'graph': 'g', 'input':"
                                      " {'x': ['in']}}");
    ck_assert_str_eq(status_of(answer), "done");
    expect_x("t", "[\"in\",\"in\"]");
}
END_TEST

START_TEST(a_reducer_that_fails_inside_fails_the_task_around)
{
    world_graph(chart("g", "start>sub sub>end", RAW_INSIDE));
    world_fold("glue", folds_nothing);
    world_body("one", says_all);
    world_worker("w1", 4);
    json_t *answer = world_get("run", "{'thread': 't', 'graph': 'g', 'input':"
                                      " {'x': ['in']}}");
    ck_assert_str_eq(status_of(answer), "failed");
    ck_assert_str_eq(
        ss_json_str(json_object_get(answer, "error"), "message", ""),
        "graph inner, key \"i\": its reducer failed: the reducer failed");
}
END_TEST

#define FOR_EVER "9223372036854775807"

START_TEST(times_at_the_end_of_time_are_long_and_nothing_else)
{
    one_node(
        "'retry': [{'initial_interval_ms': " FOR_EVER
        ", 'max_interval_ms': " FOR_EVER ", 'backoff_factor': 1e300,"
        " 'max_attempts': " FOR_EVER "}], 'timeout_ms': " FOR_EVER
        ", 'idle_timeout_ms': " FOR_EVER ", 'cache': {'ttl_ms': " FOR_EVER "}");
    world_body("a", fails_at_will);
    will_fail = true;
    world_ask("ann", "run", RUN(", 'recursion_limit': " FOR_EVER));
    world_run();
    uint64_t id = another_life(RUN(""));
    world_run();
    world_pass(1000);
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_str_eq(
        status_of(world_get("cancel", "{'run': 'r'}")), "cancelled");
    ck_assert_str_eq(status_of(world_finish(id)), "cancelled");
    will_fail = false;
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(
            status_of(world_get("run",
                i ? "{'thread': 'u', 'graph': 'g', 'input': {'x': []}}"
                  : "{'thread': 'v', 'graph': 'g', 'input': {'x': []}}")),
            "done");
    ck_assert_uint_eq(world_attempts_of("a"), 2); // the second was cached
}
END_TEST

START_TEST(a_damaged_record_of_the_cache_is_no_result)
{
    static const char *const damaged[] = {"{}", "{'writes': 7}",
        "{'writes': []}", "{'writes': [7]}", "{'writes': [['x']]}",
        "{'writes': [[7, ['a']]]}", "{'writes': [['x', ['a'], 1]]}",
        "{'writes': [['__error__', 'a']]}", "7"};
    one_node("'cache': {}");
    ck_assert_str_eq(status_of(world_get("run",
                         "{'thread': 't0', 'graph': 'g', 'input': {'x': []}}")),
        "done");
    for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
        char body[128];
        snprintf(body, sizeof(body),
            "{'thread': 't%zu', 'graph': 'g', 'input': {'x': []}}", i + 1);
        ck_assert_uint_eq(world_damage_cache(js(damaged[i])), 1);
        json_t *answer = world_get("run", body);
        char *output = ss_json_canonical(json_object_get(answer, "output"));
        ck_assert_str_eq(output, "{\"x\":[\"a\"]}");
        ss_free(output);
        ck_assert_uint_eq(world_attempts_of("a"), 2 + i);
    }
}
END_TEST

SUITE("policies", a_pause_before_a_retry_survives_a_crash,
    a_clock_that_was_put_back_makes_no_pause_longer,
    a_handler_that_had_finished_does_not_run_again,
    workers_that_another_run_lost_are_not_counted,
    tries_of_another_run_are_not_counted, tries_are_counted_over_crashes,
    a_graph_that_failed_inside_is_tried_again_after_a_crash,
    a_detached_run_is_answered_once, a_fold_is_there_when_it_is_asked_for_again,
    what_a_reducer_refuses_names_the_node_that_wrote_it,
    a_reducer_of_the_application_is_given_writes_in_their_one_order,
    a_reducer_that_fails_fails_the_run_with_its_words,
    a_graph_inside_folds_its_input_before_it_begins,
    a_reducer_that_fails_inside_fails_the_task_around,
    a_reducer_whose_workers_are_lost_makes_no_task_run_again,
    times_at_the_end_of_time_are_long_and_nothing_else,
    a_damaged_record_of_the_cache_is_no_result)

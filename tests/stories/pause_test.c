// Graphs whose tasks are not sent until somebody says so.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/journal.h"
#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(id)                                                                \
    "{'thread': '" id "', 'graph': 'g', 'run': '" id "', 'input': {'x': []}}"

static json_t *asked(const char *op, const char *body)
{
    uint64_t id = world_ask("ops", op, body);
    world_run();
    json_t *answer = world_answer(id);
    ck_assert_msg(answer != NULL, "%s is not answered", op);
    return answer;
}

static void pauses(const char *body)
{
    ck_assert_str_eq(status_of(asked("pause", body)), "paused");
}

static void unpauses(const char *body)
{
    ck_assert_str_eq(status_of(asked("unpause", body)), "unpaused");
}

static void expect_done(const char *run, const char *x)
{
    char body[64];
    snprintf(body, sizeof(body), "{'run': '%s'}", run);
    json_t *answer = world_get("attach", body);
    ck_assert_ptr_nonnull(answer);
    ck_assert_str_eq(status_of(answer), "done");
    char *text = ss_json_canonical(
        json_object_get(json_object_get(answer, "output"), "x"));
    ck_assert_str_eq(text, x);
    ss_free(text);
}

static void chain(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_graph(chart("h", "start>c c>end", NULL));
    world_worker("w1", 4);
}

// Run 1 is under way, with node a out.
static void at_work(void)
{
    chain();
    world_hold("a");
    world_ask("ann", "run", RUN("1"));
    world_run();
    world_forget();
}

// ------------------------------------------------------------------ holding

START_TEST(what_runs_ends_and_nothing_more_is_sent)
{
    at_work();
    pauses("{'graph': 'g', 'reason': 'the model is ill', 'by': 'olga'}");
    world_let("a");
    world_run();
    told("graph g is paused\n"
         "ops: paused\n"
         "  row 3 of 1: writes of a, checkpoint 1 (loop)\n");
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    world_pass(600000);
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

START_TEST(a_pause_comes_between_plan_and_dispatch)
{
    chain();
    world_worker("w1", 1);
    world_hold("c");
    world_ask(
        "ann", "run", "{'thread': 'c', 'graph': 'h', 'input': {'x': []}}");
    world_run(); // the one place is taken
    world_ask("ann", "run", RUN("1"));
    world_run(); // a is ready
    pauses("{'graph': 'g'}");
    world_let("c");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 0);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
}
END_TEST

START_TEST(a_pause_is_said_while_rows_are_on_their_way)
{
    chain();
    world_store_slow(true);
    world_ask("ann", "run", RUN("1"));
    uint64_t paused = world_ask("ops", "pause", "{'graph': 'g'}");
    ck_assert_ptr_null(world_answer(paused)); // it is not durable
    world_store_slow(false);
    world_run();
    ck_assert_str_eq(status_of(world_answer(paused)), "paused");
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
}
END_TEST

START_TEST(a_run_of_what_is_paused_is_acknowledged_and_waits)
{
    chain();
    pauses("{'graph': 'g', 'reason': 'r'}");
    uint64_t first = world_ask("ann", "run", RUN("1"));
    uint64_t second = world_ask("ann", "run",
        "{'thread': '1', 'graph': 'g', 'run': '2', 'input': {'x': []},"
        " 'if_busy': 'enqueue'}");
    world_run();
    const json_t *seen = world_seen("ann");
    ck_assert_uint_eq(json_array_size(seen), 2);
    for (size_t i = 0; i < 2; i++)
        ck_assert_str_eq(
            ss_json_str(json_object_get(json_array_get(seen, i), "paused"),
                "reason", "-"),
            "r");
    ck_assert_uint_eq(world_attempts_of("a"), 0);
    unpauses("{'graph': 'g'}");
    ck_assert_str_eq(status_of(world_finish(first)), "done");
    ck_assert_str_eq(status_of(world_finish(second)), "done");
    expect_done("2", "[\"a\",\"b\",\"a\",\"b\"]");
}
END_TEST

static json_t *to_b(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("b");
}

START_TEST(what_is_no_task_of_a_run_goes_on)
{
    world_graph(chart("g", "start>a b>end",
        "{'branches': [{'from': 'a', 'name': 'which'}]}"));
    world_route("a", to_b);
    world_worker("w1", 4);
    world_hold("b");
    world_ask("ann", "run", RUN("1"));
    world_run();
    pauses("{'graph': 'g'}");
    ck_assert_ptr_nonnull(
        json_object_get(asked("state", "{'thread': '1'}"), "state"));
    json_t *updated = asked("update",
        "{'thread': 'u', 'graph': 'g', 'supersteps': [[{'values': {'x': ['u']},"
        " 'as_node': 'a'}]]}"); // its router is asked of a worker
    ck_assert_ptr_nonnull(json_object_get(updated, "config"));
    ck_assert_str_eq(status_of(asked("cancel", "{'run': '1'}")), "cancelled");
    world_let("b");
}
END_TEST

START_TEST(an_answer_is_taken_and_its_run_waits)
{
    chain();
    world_body("b", asks);
    world_ask("ann", "run", RUN("1"));
    world_run();
    pauses("{'all': true}");
    uint64_t id = world_ask("ann", "run",
        "{'thread': '1', 'graph': 'g', 'command': {'resume': 'yes'}}");
    world_run();
    ck_assert_ptr_null(world_answer(id));
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    unpauses("{'all': true}");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    ck_assert_uint_eq(world_attempts_of("b"), 2);
}
END_TEST

START_TEST(a_retry_that_is_due_waits)
{
    world_graph(chart("g", "start>b b>end",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 100,"
        " 'max_attempts': 4, 'jitter': false}]}}}"));
    world_body("b", fails_twice);
    world_worker("w1", 1);
    world_ask("ann", "run", RUN("1"));
    world_run();
    pauses("{'graph': 'g'}");
    world_pass(60000);
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"b\"]");
    ck_assert_uint_eq(world_attempts_of("b"), 3);
}
END_TEST

START_TEST(a_task_whose_worker_is_lost_waits)
{
    at_work();
    world_worker("w2", 4);
    pauses("{'graph': 'g'}");
    world_silence("w1");
    world_pass(60000);
    world_let("a");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

START_TEST(other_graphs_go_on)
{
    chain();
    pauses("{'graph': 'g'}");
    world_ask("ann", "run", RUN("1"));
    json_t *other = world_get("run", "{'graph': 'h', 'input': {'x': []}}");
    ck_assert_str_eq(status_of(other), "done");
    ck_assert_uint_eq(world_attempts_of("a"), 0);
}
END_TEST

START_TEST(a_graph_inside_follows_the_run_that_it_is_of)
{
    world_graph(chart("h", "start>sub sub>end",
        "{'nodes': {'sub': {'subgraph': 'g'}}, 'subgraphs': {'g': {'name': 'g',"
        " 'kind': 'state', 'state': [{'key': 'x', 'type': 'list', 'reducer':"
        " 'add'}], 'nodes': [{'name': 'i1'}, {'name': 'i2'}], 'edges':"
        " [['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]}}}"));
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 4);
    world_hold("i1");
    uint64_t id = world_ask("ann", "run", "{'graph': 'h', 'input': {'x': []}}");
    world_run();
    pauses("{'graph': 'h'}");
    world_let("i1");
    world_run();
    ck_assert_uint_eq(world_attempts_of("i2"), 0);
    pauses("{'graph': 'g'}"); // what has the name of the inner one is another
    unpauses("{'graph': 'h'}");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
}
END_TEST

// ------------------------------------------------------------------ scopes

START_TEST(a_run_waits_while_anything_holds_it)
{
    chain();
    pauses("{'graph': 'g'}");
    pauses("{'all': true}");
    uint64_t id = world_ask("ann", "run", RUN("1"));
    json_t *still =
        json_object_get(asked("unpause", "{'graph': 'g'}"), "still");
    ck_assert_uint_eq(json_array_size(still), 1);
    ck_assert_ptr_null(json_object_get(json_array_get(still, 0), "graph"));
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 0);
    unpauses("{'all': true}");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
}
END_TEST

START_TEST(a_version_is_paused_alone)
{
    at_work();
    char body[256];
    snprintf(body, sizeof(body), "{'graph': 'g', 'version': '%.8s'}",
        world_version()); // of h, which is not a version of g
    ck_assert_str_eq(
        ss_json_str(json_object_get(asked("pause", body), "error"), "code", ""),
        "not_found");
    world_upgrade(chart("g", "start>a a>b b>d d>end", NULL));
    world_worker("w2", 4);
    snprintf(body, sizeof(body), "{'graph': 'g', 'version': '%.8s'}",
        world_version());
    pauses(body);
    uint64_t next = world_ask("ann", "run", RUN("2")); // of the new one
    world_let("a");
    expect_done("1", "[\"a\",\"b\"]");
    ck_assert_ptr_null(world_answer(next));
    unpauses(body);
    ck_assert_str_eq(status_of(world_finish(next)), "done");
}
END_TEST

// ------------------------------------------------------------------ telling

START_TEST(a_run_that_waits_says_so)
{
    at_work();
    pauses("{'graph': 'g', 'reason': 'r'}");
    world_let("a");
    world_run();
    json_t *list = json_object_get(asked("runs", "{}"), "runs");
    const json_t *paused = json_object_get(json_array_get(list, 0), "paused");
    ck_assert_str_eq(ss_json_str(paused, "reason", "-"), "r");
    json_t *told = json_object_get(asked("explain", "{'run': '1'}"), "explain");
    ck_assert_str_eq(
        ss_json_str(json_object_get(told, "paused"), "reason", "-"), "r");
    ck_assert_str_eq(
        ss_json_str(
            json_array_get(json_object_get(told, "waits"), 0), "why", "-"),
        "paused");
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
    list = json_object_get(asked("runs", "{}"), "runs");
    ck_assert_ptr_null(json_object_get(json_array_get(list, 0), "paused"));
    told = json_object_get(asked("explain", "{'run': '1'}"), "explain");
    ck_assert_ptr_null(json_object_get(told, "paused"));
}
END_TEST

START_TEST(what_is_paused_is_listed_since_when_by_whom_and_why)
{
    chain();
    pauses("{'graph': 'g', 'reason': 'r', 'by': 'olga'}");
    world_pass(5000);
    pauses("{'graph': 'g', 'reason': 'another'}"); // the same pause
    json_t *list = json_object_get(asked("pauses", "{}"), "pauses");
    ck_assert_uint_eq(json_array_size(list), 1);
    const json_t *one = json_array_get(list, 0);
    ck_assert_str_eq(ss_json_str(one, "graph", "-"), "g");
    ck_assert_str_eq(
        ss_json_str(one, "since_at", "-"), "2026-01-01T00:00:01.000000+00:00");
    ck_assert_str_eq(ss_json_str(one, "reason", "-"), "another");
    list = json_object_get(asked("status", "{}"), "pauses");
    ck_assert_uint_eq(json_array_size(list), 1);
    unpauses("{'graph': 'g'}");
    list = json_object_get(asked("pauses", "{}"), "pauses");
    ck_assert_uint_eq(json_array_size(list), 0);
}
END_TEST

START_TEST(whose_key_it_was_is_said_rather_than_a_name)
{
    chain();
    world_key("olga-laptop");
    const json_t *answer =
        asked("pause", "{'graph': 'g', 'by': 'somebody else'}");
    ck_assert_str_eq(ss_json_str(json_object_get(answer, "pause"), "by", "-"),
        "olga-laptop");
}
END_TEST

// ------------------------------------------------------------------ lasting

START_TEST(a_pause_outlives_its_coordinator)
{
    at_work();
    pauses("{'graph': 'g'}");
    world_let("a");
    world_run();
    world_crash();
    world_restart();
    world_pass(60000);
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    world_ask("ann", "run", RUN("2"));
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
    expect_done("2", "[\"a\",\"b\"]");
    world_crash();
    world_restart();
    json_t *list = json_object_get(asked("pauses", "{}"), "pauses");
    ck_assert_uint_eq(json_array_size(list), 0);
}
END_TEST

START_TEST(a_pause_that_was_not_durable_was_not_answered_either)
{
    at_work();
    world_store_slow(true);
    uint64_t id = world_ask("ops", "pause", "{'graph': 'g'}");
    world_crash();
    ck_assert_ptr_null(world_answer(id));
    world_store_slow(false);
    world_let("a");
    world_restart();
    expect_done("1", "[\"a\",\"b\"]");
}
END_TEST

START_TEST(a_pause_that_the_store_does_not_take_is_none)
{
    at_work();
    world_store_says(SS_EREFUSED);
    const json_t *error =
        json_object_get(asked("pause", "{'graph': 'g'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "-"), "refused");
    world_let("a");
    expect_done("1", "[\"a\",\"b\"]");
}
END_TEST

// ------------------------------------------------------------------ many

static void two_coordinators(void)
{
    world_pair();
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    world_at("two");
    world_worker("w1", 4);
    world_at("one");
}

START_TEST(whoever_takes_over_knows_what_is_paused_before_it_sends_anything)
{
    two_coordinators();
    world_hold("a");
    world_ask("ann", "run", RUN("1"));
    world_run();
    pauses("{'graph': 'g'}");
    world_let("a");
    world_run();
    world_lost(true);
    world_at("two");
    world_gained();
    world_pass(60000);
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    unpauses("{'graph': 'g'}");
    expect_done("1", "[\"a\",\"b\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

START_TEST(what_another_one_pauses_is_known_with_the_next_look)
{
    two_coordinators();
    world_hold("a");
    world_ask("ann", "run", RUN("1"));
    world_run();
    world_at("two"); // it has no thread, and knows the graph
    pauses("{'graph': 'g'}");
    world_at("one");
    world_find_pauses();
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    world_at("two");
    unpauses("{'graph': 'g'}");
    world_at("one");
    world_find_pauses();
    expect_done("1", "[\"a\",\"b\"]");
}
END_TEST

START_TEST(nothing_is_paused_while_somebody_does_not_know_pauses)
{
    static const char *const endpoints[] = {"tcp://one", "tcp://two"};
    static const uint16_t owners[SS_SHARDS];
    two_coordinators();
    struct ss_event event = {.type = SS_EVENT_MEMBERS};
    event.members.endpoints = endpoints;
    event.members.count = 2;
    event.members.owners = owners;
    event.members.row_format = SS_ROW_FORMAT_2;
    world_event(&event);
    const json_t *error =
        json_object_get(asked("pause", "{'graph': 'g'}"), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "-"), "again");
    event.members.row_format = SS_ROW_FORMAT_3;
    world_event(&event);
    pauses("{'graph': 'g'}");
    event.members.row_format = SS_ROW_FORMAT_2; // from a backup, say
    world_event(&event);
    unpauses("{'graph': 'g'}");
}
END_TEST

// ------------------------------------------------------------------ refused

static void refused(
    const char *op, const char *body, const char *code, const char *words)
{
    const json_t *error = json_object_get(asked(op, body), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "-"), code);
    const char *text = ss_json_str(error, "message", "");
    ck_assert_msg(strstr(text, words) != NULL, "%s", text);
}

START_TEST(what_makes_no_sense_is_refused)
{
    world_graph(chart("digest", "start>a a>end", NULL));
    world_worker("w1", 1);
    refused("pause", "{'graph': 'digset'}", "not_found",
        "Did you mean \"digest\"?");
    refused("pause", "{}", "invalid_argument", "say which graph");
    refused("pause", "{'graph': 'digest', 'all': true}", "invalid_argument",
        "say which graph");
    refused("pause", "{'all': true, 'version': '1'}", "invalid_argument",
        "a version is of a graph");
    refused("pause", "{'all': true, 'reason': 7}", "invalid_argument",
        "\"reason\" wants a text");
    refused("unpause", "{}", "invalid_argument", "say which graph");
    pauses("{'graph': 'digest'}");
    refused("unpause", "{'graph': 'digset'}", "not_found",
        "Did you mean \"digest\"?");
    unpauses("{'graph': 'digest'}");
    const json_t *again = asked("unpause", "{'graph': 'digest'}");
    ck_assert_str_eq(status_of(again), "unpaused"); // once more does no harm
    ck_assert(!ss_json_bool(again, "was_paused", true));
}
END_TEST

SUITE("pause", what_runs_ends_and_nothing_more_is_sent,
    a_pause_comes_between_plan_and_dispatch,
    a_pause_is_said_while_rows_are_on_their_way,
    a_run_of_what_is_paused_is_acknowledged_and_waits,
    what_is_no_task_of_a_run_goes_on, an_answer_is_taken_and_its_run_waits,
    a_retry_that_is_due_waits, a_task_whose_worker_is_lost_waits,
    other_graphs_go_on, a_graph_inside_follows_the_run_that_it_is_of,
    a_run_waits_while_anything_holds_it, a_version_is_paused_alone,
    a_run_that_waits_says_so,
    what_is_paused_is_listed_since_when_by_whom_and_why,
    whose_key_it_was_is_said_rather_than_a_name,
    a_pause_outlives_its_coordinator,
    a_pause_that_was_not_durable_was_not_answered_either,
    a_pause_that_the_store_does_not_take_is_none,
    whoever_takes_over_knows_what_is_paused_before_it_sends_anything,
    what_another_one_pauses_is_known_with_the_next_look,
    nothing_is_paused_while_somebody_does_not_know_pauses,
    what_makes_no_sense_is_refused)

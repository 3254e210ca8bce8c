// Whose ready task is next: priorities, and turns between graphs.
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

// Two graphs that share workers: big has one node, small a chain of three.
static void two_graphs(uint32_t capacity)
{
    world_graph(chart("big", "start>b b>end", NULL));
    world_graph(chart("small", "start>s1 s1>s2 s2>s3 s3>end", NULL));
    world_worker("w1", capacity);
}

static uint64_t begin(const char *graph, int thread, const char *more)
{
    char body[256];
    snprintf(body, sizeof(body),
        "{'thread': '%s%d', 'graph': '%s', 'input': {'x': []}%s}", graph,
        thread, graph, more);
    return world_ask("ann", "run", body);
}

// Names of attempts so far, in their order. Borrowed until the next call.
static const char *order(void)
{
    static char text[1024];
    size_t count = 0, size = 0;
    const struct attempt_made *made = world_attempts(&count);
    text[0] = '\0';
    for (size_t i = 0; i < count && size < sizeof(text) - 1; i++)
        size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s",
            i ? " " : "", made[i].node);
    return text;
}

START_TEST(a_flood_of_one_graph_delays_another_by_one_task)
{
    two_graphs(1);
    for (int i = 0; i < 6; i++)
        begin("big", i, "");
    uint64_t small = begin("small", 0, "");
    world_hold("b");
    world_run(); // the first is out, and all others are ready
    world_let("b");
    world_finish(small);
    world_run();
    ck_assert_str_eq(order(), "b s1 b s2 b s3 b b b");
}
END_TEST

// It is never more than one task long, and each is a line that begins anew:
// ready as soon as the one before has ended (no row is waited for).
START_TEST(a_chain_does_not_starve_a_flood_either)
{
    two_graphs(1);
    begin("small", 0, ", 'durability': 'async'");
    world_hold("s1");
    world_run();
    for (int i = 0; i < 3; i++)
        begin("big", i, "");
    world_run();
    world_let("s1");
    world_run();
    ck_assert_str_eq(order(), "s1 b s2 b s3 b");
}
END_TEST

START_TEST(one_graph_is_served_in_the_order_of_its_tasks)
{
    two_graphs(1);
    for (int i = 0; i < 4; i++)
        begin("big", i, "");
    world_run();
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_uint_eq(count, 4);
    for (size_t i = 1; i < count; i++) // run ids are made up: all differ
        ck_assert_str_ne(made[i].run, made[i - 1].run);
    const char *text = world_told(), *at = text;
    for (int i = 0; i < 4; i++) {
        char row[64];
        snprintf(row, sizeof(row), "row 3 of big%d", i);
        at = strstr(at, row);
        ck_assert_msg(at, "%s is not in its place", row);
    }
}
END_TEST

// A chain's next task is ready when its row is durable: what is ready before
// does not wait for it, and the lowest goes last.
START_TEST(a_higher_priority_goes_first_whatever_its_graph)
{
    two_graphs(1);
    begin("big", 0, "");
    world_hold("b");
    world_run();
    begin("big", 1, "");
    begin("big", 2, ", 'priority': -1");
    begin("small", 0, ", 'priority': 7");
    world_run();
    world_let("b");
    world_run();
    ck_assert_str_eq(order(), "b s1 b s2 b s3");
    const char *text = world_told();
    const char *low = strstr(text, "row 3 of big2");
    const char *usual = strstr(text, "row 3 of big1");
    ck_assert(low && usual && usual < low);
}
END_TEST

START_TEST(a_priority_has_bounds)
{
    two_graphs(1);
    for (int i = 0; i < 2; i++) {
        uint64_t id =
            begin("big", 0, i ? ", 'priority': 101" : ", 'priority': -101");
        world_run();
        json_t *error = json_object_get(world_answer(id), "error");
        ck_assert_str_eq(ss_json_str(error, "code", ""), "invalid_argument");
    }
}
END_TEST

// Its other tasks stand first in line, and hold up nobody.
START_TEST(a_run_at_its_limit_holds_up_nobody)
{
    world_graph(chart("map", "start>a t>sum sum>end", NULL));
    world_graph(chart("big", "start>b b>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
    world_worker("w1", 2);
    world_hold("t");
    begin("map", 0, ", 'max_concurrency': 1");
    world_run();
    for (int i = 0; i < 3; i++)
        begin("big", i, "");
    world_run();
    ck_assert_str_eq(order(), "a t b b b");
    world_let("t");
    world_run();
    ck_assert_str_eq(order(), "a t b b b t t sum");
}
END_TEST

// What an operator is shown: first what is out, then every line of those ready.
START_TEST(what_is_out_and_what_waits_is_listed)
{
    two_graphs(1);
    world_hold("b");
    begin("big", 0, "");
    world_run();
    begin("big", 1, "");
    begin("small", 0, "");
    begin("small", 1, ", 'priority': 5");
    world_run();
    static const char *const wanted[][3] = {{"running", "b", "big0"},
        {"ready", "b", "big1"}, {"ready", "s1", "small0"},
        {"ready", "s1", "small1"}};
    const json_t *answer = world_get("tasks", "{}");
    const json_t *tasks = json_object_get(answer, "tasks");
    ck_assert_uint_eq(json_array_size(tasks), 4);
    ck_assert_int_eq(ss_json_int(answer, "running", 0), 1);
    ck_assert_int_eq(ss_json_int(answer, "ready", 0), 3);
    for (size_t i = 0; i < 4; i++) {
        const json_t *task = json_array_get(tasks, i);
        ck_assert_str_eq(ss_json_str(task, "state", ""), wanted[i][0]);
        ck_assert_str_eq(ss_json_str(task, "node", ""), wanted[i][1]);
        ck_assert_str_eq(ss_json_str(task, "thread", ""), wanted[i][2]);
        ck_assert(json_is_string(json_object_get(task, "run")));
    }
    ck_assert_str_eq(ss_json_str(json_array_get(tasks, 0), "worker", ""), "w1");
    answer = world_get("tasks", "{'limit': 2}");
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "tasks")), 2);
    world_let("b");
    world_run();
    answer = world_get("tasks", "{}");
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "tasks")), 0);
}
END_TEST

// Whatever the order of declaration.
START_TEST(tasks_of_one_superstep_are_served_in_the_order_of_their_paths)
{
    world_graph(chart("g", "start>c start>a start>b a>end b>end c>end", NULL));
    world_worker("w1", 1);
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': []}}");
    ck_assert_str_eq(order(), "a b c");
}
END_TEST

SUITE("fair", a_flood_of_one_graph_delays_another_by_one_task,
    a_chain_does_not_starve_a_flood_either,
    one_graph_is_served_in_the_order_of_its_tasks,
    tasks_of_one_superstep_are_served_in_the_order_of_their_paths,
    a_higher_priority_goes_first_whatever_its_graph, a_priority_has_bounds,
    a_run_at_its_limit_holds_up_nobody, what_is_out_and_what_waits_is_listed)

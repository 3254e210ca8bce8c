// traces_test.c - the worked traces of spec/engine.md 14, and the boundaries of
// the recursion limit (18, B1-B2), as tables.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

struct line {
    const char *source;
    int step;
    const char *values;
    const char *versions;
    const char *seen;
    const char *updated;
};

static void same(
    const json_t *is, const char *expected, const char *what, int step)
{
    json_t *wanted = js(expected);
    char *left = ss_json_canonical(is), *right = ss_json_canonical(wanted);
    if (strcmp(left, right) != 0)
        ck_abort_msg("step %d, %s: %s\nis not %s", step, what, left, right);
    ss_free(left);
    ss_free(right);
    json_decref(wanted);
}

// Checkpoint number `from` and those after it are these.
static void table(size_t from, const struct line *lines, size_t count)
{
    json_t *all = json_object_get(
        world_get("checkpoints", "{'thread': 't'}"), "checkpoints");
    ck_assert_uint_eq(json_array_size(all), from + count);
    for (size_t i = 0; i < count; i++) {
        const struct line *line = &lines[i];
        json_t *it = json_array_get(all, from + i);
        ck_assert_str_eq(ss_json_str(it, "source", ""), line->source);
        ck_assert_int_eq(ss_json_int(it, "step", -9), line->step);
        same(json_object_get(it, "channel_values"), line->values, "values",
            line->step);
        same(json_object_get(it, "channel_versions"), line->versions,
            "versions", line->step);
        same(json_object_get(it, "versions_seen"), line->seen, "seen",
            line->step);
        same(json_object_get(it, "updated_channels"), line->updated, "updated",
            line->step);
        if (from + i > 0)
            ck_assert_str_eq(ss_json_str(it, "parent_id", ""),
                ss_json_str(json_array_get(all, from + i - 1), "id", "?"));
    }
}

#define TABLE(from, ...)                                                       \
    table(from, (const struct line[]){__VA_ARGS__},                            \
        sizeof((const struct line[]){__VA_ARGS__}) / sizeof(struct line))

#define S  "'__start__'"
#define BA "'branch:to:A'"
#define BB "'branch:to:B'"
#define BC "'branch:to:C'"
#define J  "'join:B+C:D'"

static void diamond(void)
{
    world_graph(chart("g", "start>A A>B A>C B+C>D D>end", NULL));
    world_worker("w1", 4);
}

#define FIRST_RUN                                                              \
    {"input", -1, "{" S ": {'x': ['in']}}", "{" S ": 1}", "{'__input__': {}}", \
        "[" S "]"},                                                            \
        {"loop", 0, "{'x': ['in'], " BA ": null}",                             \
            "{" S ": 2, 'x': 2, " BA ": 2}",                                   \
            "{'__input__': {}, " S ": {" S ": 1}}", "[" BA ", 'x']"},          \
    {                                                                          \
        "loop", 1, "{'x': ['in', 'A'], " BB ": null, " BC ": null}",           \
            "{" S ": 2, 'x': 3, " BA ": 3, " BB ": 3, " BC ": 3}",             \
            "{'__input__': {}, " S ": {" S ": 1}, 'A': {" BA ": 2}}",          \
            "[" BB ", " BC ", 'x']"                                            \
    }

// 14.1
START_TEST(a_fan_out_and_its_join)
{
    diamond();
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']}}");
    TABLE(0, FIRST_RUN,
        {"loop", 2, "{'x': ['in', 'A', 'B', 'C'], " J ": ['B', 'C']}",
            "{" S ": 2, 'x': 4, " BA ": 3, " BB ": 4, " BC ": 4, " J ": 4}",
            "{'__input__': {}, " S ": {" S ": 1}, 'A': {" BA ": 2}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}}",
            "[" J ", 'x']"},
        {"loop", 3, "{'x': ['in', 'A', 'B', 'C', 'D'], " J ": []}",
            "{" S ": 2, 'x': 5, " BA ": 3, " BB ": 4, " BC ": 4, " J ": 5}",
            "{'__input__': {}, " S ": {" S ": 1}, 'A': {" BA ": 2}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}, 'D': {" J ": 4}}",
            "['x']"});
}
END_TEST

// 14.2
START_TEST(a_second_input_on_the_thread)
{
    diamond();
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']}}");
    world_get("run", "{'thread': 't', 'input': {'x': ['in2']}}");
#define OLD "'x': ['in', 'A', 'B', 'C', 'D'"
    TABLE(5,
        {"input", 4, "{" S ": {'x': ['in2']}, " OLD "], " J ": []}",
            "{" S ": 6, 'x': 5, " BA ": 3, " BB ": 4, " BC ": 4, " J ": 5}",
            "{'__input__': {}, " S ": {" S ": 1}, 'A': {" BA ": 2}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}, 'D': {" J ": 4}}",
            "[" S "]"},
        {"loop", 5, "{" OLD ", 'in2'], " BA ": null, " J ": []}",
            "{" S ": 7, 'x': 7, " BA ": 7, " BB ": 4, " BC ": 4, " J ": 5}",
            "{'__input__': {}, " S ": {" S ": 6}, 'A': {" BA ": 2}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}, 'D': {" J ": 4}}",
            "[" BA ", 'x']"},
        {"loop", 6,
            "{" OLD ", 'in2', 'A'], " BB ": null, " BC ": null, " J ": []}",
            "{" S ": 7, 'x': 8, " BA ": 8, " BB ": 8, " BC ": 8, " J ": 5}",
            "{'__input__': {}, " S ": {" S ": 6}, 'A': {" BA ": 7}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}, 'D': {" J ": 4}}",
            "[" BB ", " BC ", 'x']"},
        {"loop", 7, "{" OLD ", 'in2', 'A', 'B', 'C'], " J ": ['B', 'C']}",
            "{" S ": 7, 'x': 9, " BA ": 8, " BB ": 9, " BC ": 9, " J ": 9}",
            "{'__input__': {}, " S ": {" S ": 6}, 'A': {" BA ": 7}, 'B': {" BB
            ": 8}, 'C': {" BC ": 8}, 'D': {" J ": 4}}",
            "[" J ", 'x']"},
        {"loop", 8, "{" OLD ", 'in2', 'A', 'B', 'C', 'D'], " J ": []}",
            "{" S ": 7, 'x': 10, " BA ": 8, " BB ": 9, " BC ": 9, " J ": 10}",
            "{'__input__': {}, " S ": {" S ": 6}, 'A': {" BA ": 7}, 'B': {" BB
            ": 8}, 'C': {" BC ": 8}, 'D': {" J ": 9}}",
            "['x']"});
}
END_TEST

// What a checkpoint's tasks have written: [channel, idx] of each, in order.
static void writes_of(size_t checkpoint, const char *expected)
{
    json_t *all = json_object_get(
        world_get("checkpoints", "{'thread': 't'}"), "checkpoints");
    json_t *list = json_array(), *write;
    size_t i;
    json_array_foreach (
        json_object_get(json_array_get(all, checkpoint), "pending_writes"), i,
        write)
        json_array_append_new(
            list, json_pack("[O, O]", json_object_get(write, "channel"),
                      json_object_get(write, "idx")));
    same(list, expected, "writes", (int)checkpoint);
    json_decref(list);
}

// 14.3
START_TEST(b_asks_while_c_finishes)
{
    diamond();
    world_body("B", asks);
    world_hold("B"); // C is first, as in the trace
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']},"
        " 'stream': ['values', 'updates']}");
    world_run();
    world_let("B");
    world_run();
    TABLE(0, FIRST_RUN);
    writes_of(2, "[['__interrupt__', -3], ['x', 0], ['"
                 "join:B+C:D', 1]]");
    json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    same(json_object_get(state, "next"), "['B']", "next", 2);
    same(json_object_get(state, "values"), "{'x': ['in', 'A', 'C']}", "values",
        2);
    world_forget();
    world_get("run", "{'thread': 't', 'command': {'resume': '1'},"
                     " 'stream': ['values', 'updates']}");
    told("run of graph g begins on thread t\n"
         "  row 6 of t: entry, writes of the client (answer)\n"
         "B of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "ann sees values {\"x\":[\"in\",\"A\"]}\n"
         "ann sees updates {\"C\":{\"x\":[\"C\"]},"
         "\"__metadata__\":{\"cached\":true}}\n"
         "  row 7 of t: writes of B (answer), the plain answer taken,"
         " checkpoint 2 (loop)\n"
         "D of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"B\":{\"x\":[\"B:1\"]}}\n"
         "ann sees values {\"x\":[\"in\",\"A\",\"B:1\",\"C\"]}\n"
         "the run ends: done\n"
         "  row 8 of t: writes of D, checkpoint 3 (loop), end\n"
         "ann sees updates {\"D\":{\"x\":[\"D\"]}}\n"
         "ann sees values {\"x\":[\"in\",\"A\",\"B:1\",\"C\",\"D\"]}\n"
         "ann: done {\"x\":[\"in\",\"A\",\"B:1\",\"C\",\"D\"]}\n");
    TABLE(3,
        {"loop", 2, "{'x': ['in', 'A', 'B:1', 'C'], " J ": ['B', 'C']}",
            "{" S ": 2, 'x': 4, " BA ": 3, " BB ": 4, " BC ": 4, " J ": 4}",
            "{'__input__': {}, " S ": {" S ": 1}, 'A': {" BA ": 2}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}, '__interrupt__': {'x': 3, " S ": 2, " BA
            ": 3, " BB ": 3, " BC ": 3}}",
            "[" J ", 'x']"},
        {"loop", 3, "{'x': ['in', 'A', 'B:1', 'C', 'D'], " J ": []}",
            "{" S ": 2, 'x': 5, " BA ": 3, " BB ": 4, " BC ": 4, " J ": 5}",
            "{'__input__': {}, " S ": {" S ": 1}, 'A': {" BA ": 2}, 'B': {" BB
            ": 3}, 'C': {" BC ": 3}, 'D': {" J ": 4}, '__interrupt__': {'x': 3,"
            " " S ": 2, " BA ": 3, " BB ": 3, " BC ": 3}}",
            "['x']"});
    writes_of(2, "[['__resume__', -4], ['__interrupt__', -3], ['x', 1],"
                 " ['join:B+C:D', 2], ['x', 0], ['join:B+C:D', 1]]");
}
END_TEST

// 14.4
START_TEST(a_deferred_node_waits_for_unequal_arms)
{
    world_graph(chart("g", "start>a a>b a>c c>c2 b>d c2>d d>end",
        "{'nodes': {'d': {'defer': true}}}"));
    world_worker("w1", 4);
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']}}");
#define D "'branch:to:d'"
#define V "'__start__': 2, 'branch:to:a': 3"
#define SEEN                                                                   \
    "'__input__': {}, '__start__': {'__start__': 1}, 'a': "                    \
    "{'branch:to:a': 2}"
#define SEEN_BC ", 'b': {'branch:to:b': 3}, 'c': {'branch:to:c': 3}"
    TABLE(3,
        {"loop", 2,
            "{'x': ['in', 'a', 'b', 'c'], 'branch:to:c2': null, " D
            ": [null, false]}",
            "{" V ", 'x': 4, 'branch:to:b': 4, 'branch:to:c': 4, " D
            ": 4, 'branch:to:c2': 4}",
            "{" SEEN SEEN_BC "}", "['branch:to:c2', 'x']"},
        {"loop", 3, "{'x': ['in', 'a', 'b', 'c', 'c2'], " D ": [null, true]}",
            "{" V ", 'x': 5, 'branch:to:b': 4, 'branch:to:c': 4, " D
            ": 5, 'branch:to:c2': 5}",
            "{" SEEN SEEN_BC ", 'c2': {'branch:to:c2': 4}}", "[" D ", 'x']"},
        {"loop", 4, "{'x': ['in', 'a', 'b', 'c', 'c2', 'd']}",
            "{" V ", 'x': 6, 'branch:to:b': 4, 'branch:to:c': 4, " D
            ": 6, 'branch:to:c2': 5}",
            "{" SEEN SEEN_BC ", 'c2': {'branch:to:c2': 4}, 'd': {" D ": 5}}",
            "['x']"});
}
END_TEST

static json_t *sends_two(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': {'x': ['a']}, 'goto':"
              " [{'$send': {'node': 't', 'arg': 1}},"
              "  {'$send': {'node': 't', 'arg': 2}}]}}");
}

// 14.5
START_TEST(a_map_reduce_by_sends)
{
    world_graph(chart("g", "start>a t>j j>end", NULL));
    world_body("a", sends_two);
    world_body("t", says_argument);
    world_worker("w1", 4);
    world_get("run", "{'thread': 't', 'graph': 'g', 'input': {'x': []}}");
#define T "'__pregel_tasks'"
    TABLE(2,
        {"loop", 1,
            "{'x': ['a'], " T ": [{'$send': {'node': 't', 'arg': 1}},"
            " {'$send': {'node': 't', 'arg': 2}}]}",
            "{" S ": 2, 'x': 3, 'branch:to:a': 3, " T ": 3}",
            "{'__input__': {}, " S ": {" S ": 1}, 'a': {'branch:to:a': 2}}",
            "[" T ", 'x']"},
        {"loop", 2, "{'x': ['a', 't1', 't2'], " T ": [], 'branch:to:j': null}",
            "{" S ": 2, 'x': 4, 'branch:to:a': 3, " T ": 4, 'branch:to:j': 4}",
            "{'__input__': {}, " S ": {" S ": 1}, 'a': {'branch:to:a': 2},"
            " 't': {}}",
            "['branch:to:j', 'x']"},
        {"loop", 3, "{'x': ['a', 't1', 't2', 'j'], " T ": []}",
            "{" S ": 2, 'x': 5, 'branch:to:a': 3, " T ": 4, 'branch:to:j': 5}",
            "{'__input__': {}, " S ": {" S ": 1}, 'a': {'branch:to:a': 2},"
            " 't': {}, 'j': {'branch:to:j': 4}}",
            "['x']"});
    ck_assert_uint_eq(world_attempts_of("j"), 1);
}
END_TEST

// ------------------------------------------------------------------ B1, B2

static const char *status_with_limit(size_t nodes, int limit)
{
    static const char *const edges[] = {
        "", "start>a", "start>a a>b", "start>a a>b b>c"};
    char body[128];
    world_graph(chart("g", edges[nodes], NULL));
    world_worker("w1", 4);
    snprintf(body, sizeof(body),
        "{'thread': 't', 'graph': 'g', 'input': {'x': []},"
        " 'recursion_limit': %d}",
        limit);
    json_t *answer = world_get("run", body);
    return ss_json_str(json_object_get(answer, "error"), "code",
        ss_json_str(answer, "status", "?"));
}

// A chain of N nodes needs a limit of N + 1: with N all nodes run, and then the
// tick that would find that nothing is left is refused.
START_TEST(a_chain_needs_one_more_than_its_nodes)
{
    size_t nodes = (size_t)_i / 5;
    int limit = _i % 5;
    const char *status = status_with_limit(nodes, limit);
    if (limit == 0)
        ck_assert_str_eq(status, "invalid_argument");
    else if (limit <= (int)nodes)
        ck_assert_str_eq(status, "recursion_limit");
    else
        ck_assert_str_eq(status, "done");
    size_t ran = limit < (int)nodes ? (size_t)limit : nodes;
    size_t attempts = 0;
    world_attempts(&attempts);
    ck_assert_uint_eq(attempts, ran);
}
END_TEST

START_TEST(after_the_limit_a_run_goes_on_with_a_new_budget)
{
    ck_assert_str_eq(status_with_limit(3, 1), "recursion_limit");
    json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    same(json_object_get(state, "next"), "['b']", "next", 1);
    json_t *answer = world_get("run", "{'thread': 't', 'input': null}");
    same(json_object_get(answer, "output"), "{'x': ['a', 'b', 'c']}", "output",
        3);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_fan_out_and_its_join,
        a_second_input_on_the_thread, b_asks_while_c_finishes,
        a_deferred_node_waits_for_unequal_arms, a_map_reduce_by_sends,
        after_the_limit_a_run_goes_on_with_a_new_budget};
    Suite *suite = suite_create("traces");
    TCase *tcase = tcase_create("traces");
    tcase_add_checked_fixture(tcase, world_begin, world_end);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    tcase_add_loop_test(tcase, a_chain_needs_one_more_than_its_nodes, 5, 20);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

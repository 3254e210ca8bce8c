// update_test.c - the writes of one superstep, applied (spec/engine.md 4).
#include <stdlib.h>

#include "common/model/reserved.h"
#include "tests/unit/pregel/bench.h"

#define A     "~__pregel_pull, a"
#define B     "~__pregel_pull, b"
#define SEND0 "~__pregel_push, 0000000000, 0000000000"
#define SEND1 "~__pregel_push, 0000000001, 0000000000"

// Raw channels of every kind, and nodes that are triggered by some of them.
static void raw(void)
{
    bench_begin(js(
        "{'name': 'g', 'kind': 'raw', 'channels': ["
        " {'name': 'list', 'kind': 'BinaryOperatorAggregate', 'type': 'list',"
        "  'reducer': 'add'},"
        " {'name': 'last', 'kind': 'LastValue'},"
        " {'name': 'any', 'kind': 'AnyValue'},"
        " {'name': 'once', 'kind': 'EphemeralValue'},"
        " {'name': 'many', 'kind': 'EphemeralValue', 'guard': false},"
        " {'name': 'secret', 'kind': 'UntrackedValue', 'guard': false},"
        " {'name': 'topic', 'kind': 'Topic'},"
        " {'name': 'join', 'kind': 'NamedBarrierValue', 'names': ['a', 'b']},"
        " {'name': 'late', 'kind': 'LastValueAfterFinish'}],"
        " 'nodes': ["
        " {'name': 'a', 'subscribe_only': 'once', 'writes': []},"
        " {'name': 'b', 'subscribe_only': 'join', 'writes': []},"
        " {'name': 'd', 'subscribe_only': 'late', 'writes': []}],"
        " 'input': 'once', 'output': 'last', 'stream': ['last', 'list']}"));
}

static void say(const char *channel, const char *value)
{
    char writes[128];
    snprintf(writes, sizeof(writes), "[['%s', %s]]", channel, value);
    ck_assert_int_eq(APPLY({A, "a", "once", writes}), SS_OK);
}

START_TEST(writes_are_applied_in_the_order_of_paths_not_of_tasks)
{
    raw();
    ck_assert_int_eq(APPLY({SEND1, "t", SS_NAME_PUSH, "[['list', ['s1']]]"},
                         {SEND0, "t", SS_NAME_PUSH, "[['list', ['s0']]]"},
                         {B, "b", "join", "[['list', ['b']]]"},
                         {A, "a", "once",
                             "[['list', ['a1']],"
                             " ['list', ['a2']]]"}),
        SS_OK);
    bench_values("{'list': ['a1', 'a2', 'b', 's0', 's1']}");
    bench_versions("{'list': 1}");
}
END_TEST

START_TEST(one_version_for_all_that_changes_one_more_than_the_greatest)
{
    raw();
    say("last", "1");
    say("list", "['x']");
    bench_versions("{'last': 1, 'list': 2}");
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['last', 2], ['any', 3]]"}), SS_OK);
    bench_versions("{'last': 3, 'any': 3, 'list': 2}");
    bench_updated("['last', 'any']");
}
END_TEST

START_TEST(what_tasks_have_seen_is_noted_before_anything_moves)
{
    raw();
    say("once", "1");
    ck_assert_int_eq(APPLY({A, "a", "once", "[['once', 2]]"},
                         {SEND0, "t", SS_NAME_PUSH, NULL}),
        SS_OK);
    bench_seen("{'a': {'once': 1}, 't': {}}");
    bench_versions("{'once': 2}");
}
END_TEST

START_TEST(an_input_bumps_nothing)
{
    raw();
    say("any", "1");
    say("many", "1");
    bench_versions("{'any': 2, 'many': 2}"); // any was cleared by the step
    ck_assert_int_eq(APPLY({"~", SS_NAME_INPUT, NULL, "[['last', 1]]"}), SS_OK);
    bench_values("{'many': 1, 'last': 1}");
    bench_versions("{'any': 2, 'many': 2, 'last': 3}");
    bench_seen("{'a': {}, '__input__': {}}");
}
END_TEST

START_TEST(a_step_clears_what_lives_for_one_step)
{
    raw();
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['once', 1], ['any', 2], ['topic', 3]]"}),
        SS_OK);
    bench_values("{'once': 1, 'any': 2, 'topic': [3]}");
    ck_assert_int_eq(APPLY({B, "b", "join", NULL}), SS_OK);
    bench_values("{'topic': []}");
    bench_versions("{'once': 2, 'any': 2, 'topic': 2}");
    bench_updated("[]"); // they have new versions, and nothing new to say
}
END_TEST

START_TEST(every_trigger_of_every_task_is_consumed)
{
    raw();
    say("join", "'a'");
    bench_versions("{'join': 1}");
    bench_updated("[]"); // partly full: a version, but not available
    say("join", "'b'");
    bench_updated("['join']");
    ck_assert_int_eq(APPLY({B, "b", "join", NULL}), SS_OK);
    bench_values("{'join': []}");
    bench_seen("{'a': {}, 'b': {'join': 2}}");
    bench_versions("{'join': 3}");
}
END_TEST

START_TEST(what_nobody_is_triggered_by_lets_deferred_ones_come)
{
    raw();
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['late', 1], ['once', 1]]"}), SS_OK);
    bench_updated("['once']"); // triggers a: not the end yet
    ck_assert_int_eq(APPLY({A, "a", "once", "[['last', 1]]"}), SS_OK);
    bench_updated("['last', 'late']");
    bench_values("{'last': 1, 'late': [1, true]}");
}
END_TEST

START_TEST(a_write_to_no_channel_is_left_out)
{
    raw();
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['nowhere', 1], ['last', 2]]"}), SS_OK);
    bench_values("{'last': 2}");
}
END_TEST

START_TEST(notes_of_the_engine_are_no_writes)
{
    raw();
    ck_assert_int_eq(APPLY({A, "a", "once",
                         "[['__no_writes__', null], ['__error__', 'x'],"
                         " ['__interrupt__', []], ['__resume__', [1]],"
                         " ['__scheduled__', 1], ['__return__', 1]]"}),
        SS_OK);
    bench_values("{}");
    bench_seen("{'a': {}}");
}
END_TEST

// What can fail is done on copies: versions, values and what was seen stay.
static void nothing_moved(void)
{
    bench_values("{'last': 1, 'list': ['x'], 'join': ['a'], 'once': 7}");
    bench_versions("{'last': 1, 'list': 2, 'join': 3, 'once': 4}");
    bench_seen("{'a': {}}");
}

START_TEST(an_error_leaves_everything_as_it_was)
{
    raw();
    say("last", "1");
    say("list", "['x']");
    say("join", "'a'");
    say("once", "7");
    nothing_moved();
    ck_assert_int_eq(APPLY({A, "a", "once", "[['list', ['y']]]"},
                         {B, "b", "join", "[['last', 2], ['last', 3]]"}),
        SS_EUPDATE);
    ck_assert_str_eq(bench_fault(), "last");
    nothing_moved();
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['join', 'stranger']]"}), SS_EUPDATE);
    ck_assert_str_eq(bench_fault(), "join");
    nothing_moved();
    ck_assert_int_eq(APPLY({A, "a", "once",
                         "[['list', {'__overwrite__': []}],"
                         " ['list', {'__overwrite__': []}]]"}),
        SS_EUPDATE);
    ck_assert_int_eq(
        APPLY({A, "a", "once", "[['once', 1], ['once', 2]]"}), SS_EUPDATE);
    ck_assert_ptr_nonnull(strstr(bench_error(), "once"));
    nothing_moved();
}
END_TEST

// Of a row of long ago: what is imported now is bounded.
START_TEST(versions_do_not_run_over_their_end)
{
    raw();
    bench_version("last", INT64_MAX);
    ck_assert_int_eq(APPLY({A, "a", "once", "[['list', ['y']]]"}), SS_ELIMIT);
    bench_versions("{'last': 9223372036854775807}");
}
END_TEST

START_TEST(an_untracked_value_has_versions_and_is_never_stored)
{
    raw();
    say("secret", "'s'");
    bench_versions("{'secret': 1}");
    bench_values("{}");
    bench_updated("['secret']");
}
END_TEST

START_TEST(names_are_sorted_by_code_points)
{
    raw();
    ck_assert_int_eq(
        APPLY({"~__pregel_pull, b", "b", "join", "[['list', ['b']]]"},
            {"~__pregel_pull, B", "B", "join", "[['list', ['B']]]"},
            {"~__pregel_pull, 9", "9", "join", "[['list', ['9']]]"},
            {"~__pregel_pull, 10", "10", "join", "[['list', ['10']]]"}),
        SS_OK);
    bench_values("{'list': ['10', '9', 'B', 'b']}");
}
END_TEST

// One write of a list of so many sends.
static int send_many(size_t count)
{
    static const char begin[] = "[['" SS_NAME_TASKS "', [0";
    char *text = ss_zalloc(sizeof(begin) + 2 * count + 4, 1);
    memcpy(text, begin, sizeof(begin) - 1);
    char *to = text + sizeof(begin) - 1;
    for (size_t i = 1; i < count; i++, to += 2)
        memcpy(to, ",0", 2);
    memcpy(to, "]]]", 3);
    int status = APPLY({A, "a", "once", text});
    ss_free(text);
    return status;
}

START_TEST(a_superstep_sends_so_many_tasks_and_no_more)
{
    raw();
    ck_assert_int_eq(send_many(SS_SENDS_MAX), SS_OK);
    bench_end();
    raw();
    ck_assert_int_eq(send_many(SS_SENDS_MAX + 1), SS_ELIMIT);
    ck_assert_str_eq(bench_fault(), SS_NAME_TASKS);
    ck_assert_str_eq(bench_error(),
        "superstep -1 sends 1000001 tasks, and 1000000 is the most: send fewer "
        "at a time, each of which does more");
    bench_versions("{}");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        writes_are_applied_in_the_order_of_paths_not_of_tasks,
        one_version_for_all_that_changes_one_more_than_the_greatest,
        what_tasks_have_seen_is_noted_before_anything_moves,
        an_input_bumps_nothing, a_step_clears_what_lives_for_one_step,
        every_trigger_of_every_task_is_consumed,
        what_nobody_is_triggered_by_lets_deferred_ones_come,
        a_write_to_no_channel_is_left_out, notes_of_the_engine_are_no_writes,
        an_error_leaves_everything_as_it_was,
        versions_do_not_run_over_their_end,
        an_untracked_value_has_versions_and_is_never_stored,
        names_are_sorted_by_code_points,
        a_superstep_sends_so_many_tasks_and_no_more};
    return bench_suite("update", tests, sizeof(tests) / sizeof(tests[0]));
}

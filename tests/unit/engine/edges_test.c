// edges_test.c - the sharp edges of spec/engine.md 15, each by its number.
// Here: versions and apply (1-23). The others lie beside it:
//   edges_loop_test.c       24-52    the loop
//   edges_task_test.c       53-73    tasks, ids, errors, retries
//   edges_people_test.c     74-83    interrupts, and 121-123, 129
//   edges_inside_test.c     85-94    graphs inside
//   edges_state_test.c      95-111   state API and streaming, and 116, 124-131
// Without a test, because what they are about is not there:
//   84, 86  function calls (the functional API): a later version
//   88      savers that graphs own: one coordinator has one store
//   112-115 conflicts, blobs and rows of LangGraph's tables: import and export
//   117-118 differences between LangGraph's savers
//   119     two processes on one thread: fenced (tests/contract)
//   120     the long-term Store: a later version
#include <string.h>

#include "common/pregel/pregel.h"
#include "common/pregel/pregel_impl.h"
#include "tests/unit/engine/edges.h"

#define RAW(channels)                                                          \
    "{'name': 'g', 'kind': 'raw', 'channels': [" channels "],"                 \
    " 'nodes': [{'name': 'a', 'subscribe_only': 'i', 'writes': []}],"          \
    " 'input': 'i', 'output': 'i'}"
#define A "~__pregel_pull, a"

START_TEST(edge_1_completion_order_never_reaches_a_reducer)
{
    given("start>a start>b start>c", NULL);
    world_hold("a");
    world_hold("b");
    world_ask("ann", "run", "{'thread': 't', 'graph': 'g', " FRESH "}");
    world_run(); // c is first
    world_let("b");
    world_run();
    world_let("a");
    world_run();
    state_has("values", "{'x': ['a', 'b', 'c']}");
}
END_TEST

static json_t *sends_one(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': {'x': ['a']}, 'goto':"
              " {'$send': {'node': 't', 'arg': 1}}}}");
}

START_TEST(edge_2_pulled_tasks_apply_before_sent_ones_though_planned_behind)
{
    given("start>a a>b", "{'nodes': {'t': {}}}");
    world_body("a", sends_one);
    look_away();
    go(FRESH ", 'stream': ['checkpoints']");
    gives("{'x': ['a', 'b', 't']}");
    json_t *entry = history_entry(1);
    bench_json(json_incref(json_object_get(entry, "next")), "['t', 'b']");
}
END_TEST

START_TEST(edge_3_the_whole_path_sorts_and_updates_sort_by_place_first)
{
    struct ss_arena memory = {0};
    const char *pull = "~__pregel_pull, a";
    const char *second = ss_path_push(&memory, 9);
    const char *push = ss_path_push(&memory, 10);
    const char *first = ss_path_update(&memory, 9);
    const char *next = ss_path_update(&memory, 10);
    ck_assert_int_lt(strcmp(first, next), 0);
    ck_assert_int_lt(strcmp(next, pull), 0);
    ck_assert_int_lt(strcmp(pull, second), 0);
    ck_assert_int_lt(strcmp(second, push), 0);
    ck_assert_int_lt(strcmp("~", first), 0);
    ss_arena_fini(&memory);
}
END_TEST

START_TEST(edge_4_one_version_an_apply_from_the_greatest_of_all)
{
    given("start>a a>b", NULL);
    go(FRESH);
    saved_has(-1, "channel_versions",
        "{'__start__': 2, 'x': 4, 'branch:to:a': 3, 'branch:to:b': 4}");
}
END_TEST

START_TEST(edge_5_a_new_version_without_being_updated)
{
    given("start>a", NULL);
    go(FRESH);
    saved_in(1, "channel_versions", "__start__", "2"); // cleared
    saved_has(1, "updated_channels", "['branch:to:a', 'x']");
}
END_TEST

START_TEST(edge_6_only_tasks_with_triggers_clear_what_lives_for_a_step)
{
    bench_begin(js(RAW("{'name': 'i', 'kind': 'EphemeralValue'},"
                       " {'name': 'e', 'kind': 'EphemeralValue'}")));
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['e', 1]]"}), SS_OK);
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    bench_values("{'e': 1, 'i': 1}");
    ck_assert_int_eq(APPLY({A, "a", "i", NULL}), SS_OK);
    bench_values("{}");
    bench_end();
}
END_TEST

START_TEST(edge_7_empty_entries_for_the_input_for_sends_and_for_updates)
{
    given("start>a a>b", "{'nodes': {'t': {}}}");
    world_body("a", sends_one);
    go(FRESH);
    saved_in(0, "versions_seen", "__input__", "{}");
    saved_in(-1, "versions_seen", "t", "{}");
    update("[[{'values': {'x': ['u']}, 'as_node': 't'}]]");
    saved_in(-1, "versions_seen", "t", "{}");
}
END_TEST

START_TEST(edge_8_no_entry_fires_on_what_is_there_an_empty_one_compares)
{
    struct bench *bench = bench_begin(js(RAW("{'name': 'i', 'kind':"
                                             " 'LastValue'}")));
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    bench->machine->versions[0] = 0; // there, but with no version
    bench_plans(true, "a");
    ss_seen_set(bench->machine, "a", NULL, 0);
    bench_plans(true, "");
    bench_end();
}
END_TEST

START_TEST(edge_9_all_declared_triggers_are_recorded_sorted)
{
    given("start>a a>b a>c b+c>d a>d", NULL);
    look_away();
    go(FRESH ", 'stream': ['tasks']");
    const char *told_ = world_told();
    ck_assert_ptr_nonnull(
        strstr(told_, "\"triggers\":[\"branch:to:d\",\"join:b+c:d\"]"));
}
END_TEST

START_TEST(edge_10_a_full_join_is_emptied_by_any_run_of_its_node)
{
    // d runs by the plain edge from a in the very step that fills the join
    given("start>a start>b start>c a>d b+c>d", NULL);
    go(FRESH);
    gives("{'x': ['a', 'b', 'c', 'd']}");
    saved_in(-1, "channel_values", "join:b+c:d", "[]");
    ck_assert_uint_eq(ran("d"), 1);
}
END_TEST

#define BARRIER                                                                \
    RAW("{'name': 'i', 'kind': 'EphemeralValue'},"                             \
        " {'name': 'j', 'kind': 'NamedBarrierValue', 'names': ['p', 'q']}")

START_TEST(edge_11_a_name_that_has_arrived_bumps_nothing)
{
    bench_begin(js(BARRIER));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['j', 'p']]"}), SS_OK);
    bench_versions("{'j': 1}");
    ck_assert_int_eq(APPLY({A, "a", "i", "[['j', 'p']]"}), SS_OK);
    bench_versions("{'j': 1}");
    bench_end();
}
END_TEST

START_TEST(edge_12_a_stranger_at_a_join_is_an_error)
{
    bench_begin(js(BARRIER));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['j', 'z']]"}), SS_EUPDATE);
    bench_end();
}
END_TEST

START_TEST(edge_13_any_value_goes_in_a_step_without_a_write)
{
    given("start>a a>b b>c", "{'state': [{'key': 'x', 'type': 'list',"
                             " 'reducer': 'add'}, {'key': 'e', 'channel':"
                             " 'AnyValue'}]}");
    go("'input': {'x': [], 'e': 1}");
    saved_in(1, "channel_values", "e", "1");
    saved_in(2, "channel_values", "e", NULL);
    saved_in(2, "channel_versions", "e", "3");
}
END_TEST

static json_t *sends_untracked(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': {'u': 'secret', 'x': ['a']}, 'goto':"
              " {'$send': {'node': 't', 'arg': {'u': 1, 'k': {'u': 2}}}}}}");
}

static json_t *shows_input(struct visit *visit)
{
    char *text = ss_json_canonical(visit->input);
    json_t *said = says(text);
    ss_free(text);
    return said;
}

START_TEST(edge_14_untracked_has_versions_is_not_stored_and_not_sent)
{
    given("start>a", "{'state': [{'key': 'x', 'type': 'list', 'reducer':"
                     " 'add'}, {'key': 'u', 'channel': 'UntrackedValue'}],"
                     " 'nodes': {'t': {}}}");
    world_body("a", sends_untracked);
    world_body("t", shows_input);
    go(FRESH);
    gives(
        "{'u': 'secret', 'x': ['a', '{\\\"k\\\":{\\\"u\\\":2},\\\"u\\\":1}']}");
    saved_in(2, "channel_versions", "u", "3");
    saved_in(2, "channel_values", "u", NULL);
    saved_in(2, "channel_values", "__pregel_tasks",
        "[{'$send': {'node': 't', 'arg': {'k': {'u': 2}}}}]");
    writes_are(1, "x 0, __pregel_tasks 1"); // places without u
}
END_TEST

START_TEST(edge_15_a_reducer_is_there_before_any_write_and_not_saved)
{
    given("start>a", NULL);
    go(FRESH);
    bench_json(
        json_incref(json_object_get(history_entry(2), "values")), "{'x': []}");
    saved_in(0, "channel_versions", "x", NULL);
    saved_in(0, "channel_values", "x", NULL);
}
END_TEST

#define LIST                                                                   \
    RAW("{'name': 'i', 'kind': 'EphemeralValue'}, {'name': 'x', 'kind':"       \
        " 'BinaryOperatorAggregate', 'type': 'list', 'reducer': 'add'}")

START_TEST(edge_16_overwrite_beats_all_later_ones_are_ignored_two_fail)
{
    bench_begin(js(LIST));
    ck_assert_int_eq(APPLY({A, "a", "i",
                         "[['x', ['1']], ['x', {'__overwrite__': ['ow']}],"
                         " ['x', ['2']]]"}),
        SS_OK);
    bench_values("{'x': ['ow']}");
    ck_assert_int_eq(APPLY({A, "a", "i",
                         "[['x', {'__overwrite__': ['1']}],"
                         " ['x', {'__overwrite__': ['2']}]]"}),
        SS_EUPDATE);
    bench_values("{'x': ['ow']}");
    bench_end();
}
END_TEST

START_TEST(edge_17_the_first_write_into_nothing_bypasses_the_reducer)
{
    bench_begin(js(RAW(
        "{'name': 'i', 'kind': 'EphemeralValue'}, {'name': 'z', 'kind':"
        " 'BinaryOperatorAggregate', 'type': 'any', 'reducer': 'append'}")));
    ck_assert_int_eq(APPLY({A, "a", "i", "[['z', ['first']]]"}), SS_OK);
    bench_values("{'z': ['first']}");
    ck_assert_int_eq(APPLY({A, "a", "i", "[['z', ['second']]]"}), SS_OK);
    bench_values("{'z': ['first', ['second']]}");
    bench_end();
}
END_TEST

static json_t *sends_two_and_says(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': {'x': ['a']}, 'goto':"
              " [{'$send': {'node': 't', 'arg': 1}},"
              "  {'$send': {'node': 't', 'arg': 2}}]}}");
}

// A11: the deferred node runs beside the sends, and again behind them.
START_TEST(edge_18_finish_comes_while_only_sends_wait)
{
    given("start>a a>d t>d", "{'nodes': {'d': {'defer': true}}}");
    world_body("a", sends_two_and_says);
    go(FRESH);
    gives("{'x': ['a', 'd', 't', 't', 'd']}");
}
END_TEST

START_TEST(edge_19_forks_with_equal_versions_keep_their_own_values)
{
    given("start>a a>b", NULL);
    go(FRESH);
    char *id = ss_strdup(history_id(1));
    char *head = ss_strdup(history_id(0));
    update_at(id, "[[{'values': {'x': ['other']}}]]");
    go(GO_ON);
    gives("{'x': ['a', 'other', 'b']}");
    char *body = ss_format("{'thread': 't', 'checkpoint_id': '%s'}", head);
    bench_json(
        json_incref(json_object_get(
            json_object_get(world_get("state", body), "state"), "values")),
        "{'x': ['a', 'b']}");
    ss_free(body);
    ss_free(head);
    ss_free(id);
}
END_TEST

START_TEST(edge_20_what_an_entry_lacks_was_seen_at_version_zero)
{
    struct bench *bench = bench_begin(js(LIST));
    bench_seen("{}");
    ss_seen_set(bench->machine, "a", NULL, 0);
    bench_seen("{'a': {}}");
    ck_assert_int_eq(APPLY({"~", "__input__", NULL, "[['i', 1]]"}), SS_OK);
    bench_version("i", 1);
    bench_plans(true, "a");
    bench_end();
}
END_TEST

static json_t *says_v(struct visit *visit)
{
    return json_pack("{s:s}", "v", visit->order->node);
}

// Better (graph.md 10.2, 2): the tasks that conflict have failed, and run
// again; the thread is not poisoned, its state can be read.
START_TEST(edge_21_a_conflict_fails_its_tasks_and_poisons_nobody)
{
    given("start>a start>b", "{'state': [{'key': 'v'}]}");
    world_body("a", says_v);
    world_body("b", says_v);
    go("'input': {}");
    refused("invalid_update");
    tasks_are("a: error, b: error");
    state_has("next", "['a', 'b']");
    world_body("b", says_nothing);
    go(GO_ON);
    gives("{'v': 'a'}");
}
END_TEST

static json_t *goes_nowhere(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': {'x': ['a']}, 'goto': 'typo'}}");
}

START_TEST(edge_22_a_goto_to_nobody_warns_and_ends_quietly)
{
    given("start>a", NULL);
    world_body("a", goes_nowhere);
    go(FRESH);
    ended("done");
    gives("{'x': ['a']}");
    warned("typo");
}
END_TEST

static json_t *says_too_much(struct visit *visit)
{
    (void)visit;
    return js("{'x': ['a'], 'unknown': 1}");
}

START_TEST(edge_23_keys_outside_the_state_vanish_without_a_word)
{
    given("start>a", NULL);
    world_body("a", says_too_much);
    go(FRESH);
    gives("{'x': ['a']}");
    warned(NULL);
}
END_TEST

SUITE("edges", edge_1_completion_order_never_reaches_a_reducer,
    edge_2_pulled_tasks_apply_before_sent_ones_though_planned_behind,
    edge_3_the_whole_path_sorts_and_updates_sort_by_place_first,
    edge_4_one_version_an_apply_from_the_greatest_of_all,
    edge_5_a_new_version_without_being_updated,
    edge_6_only_tasks_with_triggers_clear_what_lives_for_a_step,
    edge_7_empty_entries_for_the_input_for_sends_and_for_updates,
    edge_8_no_entry_fires_on_what_is_there_an_empty_one_compares,
    edge_9_all_declared_triggers_are_recorded_sorted,
    edge_10_a_full_join_is_emptied_by_any_run_of_its_node,
    edge_11_a_name_that_has_arrived_bumps_nothing,
    edge_12_a_stranger_at_a_join_is_an_error,
    edge_13_any_value_goes_in_a_step_without_a_write,
    edge_14_untracked_has_versions_is_not_stored_and_not_sent,
    edge_15_a_reducer_is_there_before_any_write_and_not_saved,
    edge_16_overwrite_beats_all_later_ones_are_ignored_two_fail,
    edge_17_the_first_write_into_nothing_bypasses_the_reducer,
    edge_18_finish_comes_while_only_sends_wait,
    edge_19_forks_with_equal_versions_keep_their_own_values,
    edge_20_what_an_entry_lacks_was_seen_at_version_zero,
    edge_21_a_conflict_fails_its_tasks_and_poisons_nobody,
    edge_22_a_goto_to_nobody_warns_and_ends_quietly,
    edge_23_keys_outside_the_state_vanish_without_a_word)

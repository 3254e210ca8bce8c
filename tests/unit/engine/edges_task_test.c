// edges_task_test.c - sharp edges of spec/engine.md 15: tasks and their ids,
// errors and retries (53-73).
#include <string.h>

#include "tests/unit/engine/edges.h"

#define CHECKPOINT "1f1e5e9d-b535-6873-8001-73470c2398e7"

START_TEST(edge_53_no_separators_between_the_parts_raw_bytes_before_them)
{
    const char *two[] = {"ab", "c"}, *other[] = {"a", "bc"};
    char first[SS_UUID_SIZE], second[SS_UUID_SIZE];
    ss_task_uuid(CHECKPOINT, 4, two, 2, first);
    ss_task_uuid(CHECKPOINT, 4, other, 2, second);
    ck_assert_str_eq(first, second);
    ss_task_uuid("1f1e5e9d-b535-6873-8001-73470c2398e8", 4, two, 2, second);
    ck_assert_str_ne(first, second);
}
END_TEST

START_TEST(edge_54_ids_look_like_uuids_and_have_no_version)
{
    const char *parts[] = {
        "D", "3", "D", "__pregel_pull", "branch:to:D", "join:B+C:D"};
    uint8_t bytes[16];
    char id[SS_UUID_SIZE];
    ss_task_uuid(CHECKPOINT, 4, parts, 6, id);
    ck_assert_str_eq(id, "ad05cef3-3723-7f5e-0b12-4d91420ee3db");
    ck_assert(ss_uuid_parse(id, bytes));
    ck_assert_uint_eq(bytes[8] >> 6, 0); // no variant
}
END_TEST

START_TEST(edge_55_sha_1_for_checkpoints_of_the_first_format_alone)
{
    const char *parts[] = {
        "D", "3", "D", "__pregel_pull", "branch:to:D", "join:B+C:D"};
    char old[SS_UUID_SIZE], now[SS_UUID_SIZE];
    ss_task_uuid(CHECKPOINT, 1, parts, 6, old);
    ck_assert_str_eq(old, "6e5461ce-204a-1aac-9a5a-8ba1f6dc0316");
    ss_task_uuid(CHECKPOINT, 2, parts, 6, now);
    ck_assert_str_eq(now, "ad05cef3-3723-7f5e-0b12-4d91420ee3db");
}
END_TEST

static const char *write_owner(int checkpoint, size_t write)
{
    return ss_json_str(
        json_array_get(
            json_object_get(saved(checkpoint), "pending_writes"), write),
        "task_id", "?");
}

START_TEST(edge_56_an_update_without_a_planned_task_makes_its_id)
{
    char id[SS_UUID_SIZE];
    given("start>a", NULL);
    go(FRESH);
    update("[[{'values': {'x': ['u']}, 'as_node': 'a'}]]");
    ss_uuid5(ss_json_str(saved(-2), "id", ""), "__interrupt__", id);
    ck_assert_str_eq(write_owner(-2, 0), id);
    update("[[{'values': {'x': ['i']}, 'as_node': '__input__'}]]");
    ss_uuid5(ss_json_str(saved(-2), "id", ""), "__input__", id);
    ck_assert_str_eq(write_owner(-2, 0), id);
}
END_TEST

START_TEST(edge_57_the_second_update_of_a_superstep_has_an_id_of_its_own)
{
    char id[SS_UUID_SIZE];
    given("start>a", NULL);
    go(FRESH);
    update("[[{'values': {'x': ['1']}, 'as_node': 'a'},"
           " {'values': {'x': ['2']}, 'as_node': 'a'}]]");
    state_has("values", "{'x': ['a', '1', '2']}");
    writes_are(-2, "x 0, x 0");
    ss_uuid5(ss_json_str(saved(-2), "id", ""), "__interrupt__:1", id);
    ck_assert_str_eq(write_owner(-2, 1), id);
}
END_TEST

static json_t *shows_input(struct visit *visit)
{
    char *text = ss_json_canonical(visit->input);
    json_t *said = says(text);
    ss_free(text);
    return said;
}

static json_t *sends_a_map(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'goto': {'$send': {'node': 't', 'arg': {'k':"
              " 1}}}}}");
}

START_TEST(edge_58_a_sent_task_sees_its_argument_alone)
{
    given("start>a", "{'nodes': {'t': {}}, 'state': [{'key': 'x', 'type':"
                     " 'list', 'reducer': 'add'}, {'key': 'left', 'managed':"
                     " 'remaining_steps'}]}");
    world_body("a", sends_a_map);
    world_body("t", shows_input);
    go("'input': {'x': ['in']}");
    gives("{'x': ['in', '{\\\"k\\\":1}']}");
}
END_TEST

START_TEST(edge_59_an_empty_map_of_inputs_still_runs_the_node)
{
    given("start>a", "{'state': [{'key': 'v'}, {'key': 'x', 'type': 'list',"
                     " 'reducer': 'add'}], 'nodes': {'a': {'reads': ['v']}}}");
    world_body("a", shows_input);
    go("'input': {}");
    gives("{'x': ['{}']}");
}
END_TEST

START_TEST(edge_60_the_topic_of_sends_stays_as_an_empty_list)
{
    given("start>a b>c", "{'nodes': {'t': {}}}");
    world_body("a", sends_a_map);
    go(FRESH);
    go("'command': {'goto': 'b'}");
    saved_in(-1, "channel_values", "__pregel_tasks", "[]");
}
END_TEST

START_TEST(edge_61_a_failure_is_stored_and_siblings_are_not_run_again)
{
    given("start>a start>b a+b>c", NULL);
    world_body("b", fails);
    go(FRESH);
    refused("node_failed");
    tasks_are("a: done, b: error");
    writes_are(-1, "x 0, join:a+b:c 1, __error__ -1");
    world_body("b", NULL);
    go(GO_ON);
    gives("{'x': ['a', 'b', 'c']}");
    ck_assert_uint_eq(ran("a"), 1);
    ck_assert_uint_eq(ran("b"), 2);
}
END_TEST

START_TEST(edge_62_what_a_cancel_stopped_has_an_error_too)
{
    given("start>a start>b", NULL);
    world_hold("b");
    world_ask(
        "ann", "run", "{'thread': 't', 'graph': 'g', 'run': 'r', " FRESH "}");
    world_run();
    world_get("cancel", "{'run': 'r'}");
    tasks_are("a: done, b: error");
    state_has("next", "['b']");
    world_let("b");
    go(GO_ON);
    gives("{'x': ['a', 'b']}");
    ck_assert_uint_eq(ran("a"), 1);
}
END_TEST

START_TEST(edge_63_siblings_end_and_are_stored_after_a_failure)
{
    given("start>a start>b", NULL);
    world_body("a", fails);
    world_hold("b"); // it fails while b still works
    world_ask("ann", "run", "{'thread': 't', 'graph': 'g', " FRESH "}");
    world_run();
    tasks_are("a: error, b");
    world_let("b");
    world_run();
    tasks_are("a: error, b: done");
}
END_TEST

static json_t *no_route(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return NULL;
}

static json_t *to_b(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("b");
}

// Better (17.3): a failed router leaves no writes, so its node runs again.
START_TEST(edge_64_a_failed_router_leaves_nothing_and_its_node_runs_again)
{
    given("start>a", "{'nodes': {'b': {}}, 'branches': [{'from': 'a', 'name':"
                     " 'r'}]}");
    world_route("a", no_route);
    go(FRESH);
    ended("failed");
    writes_are(-1, "__error__ -1");
    state_has("next", "['a']");
    world_route("a", to_b);
    go(GO_ON);
    gives("{'x': ['a', 'b']}");
    ck_assert_uint_eq(ran("a"), 2);
}
END_TEST

START_TEST(edge_65_history_shows_an_old_error_beside_the_later_result)
{
    given("start>a", NULL);
    world_body("a", fails);
    go(FRESH);
    world_body("a", NULL);
    go(GO_ON);
    json_t *task =
        json_array_get(json_object_get(history_entry(1), "tasks"), 0);
    bench_json(json_incref(json_object_get(task, "result")), "{'x': ['a']}");
    bench_json(json_incref(json_object_get(task, "error")),
        "{'code': 'node_failed', 'message': 'it broke'}");
}
END_TEST

// Neither does a failure, here: only a cancel and timeouts stop an attempt.
START_TEST(edge_66_a_question_stops_no_sibling)
{
    given("start>a start>b", NULL);
    world_body("a", asks);
    world_hold("b");
    world_ask("ann", "run", "{'thread': 't', 'graph': 'g', " FRESH "}");
    world_run();
    world_let("b");
    world_run();
    tasks_are("a: asks, b: done");
}
END_TEST

START_TEST(edge_67_an_error_beats_a_question_which_stays_stored)
{
    given("start>a start>b", NULL);
    world_body("a", asks);
    world_body("b", fails);
    go(FRESH);
    ended("failed");
    asked("[]");
    tasks_are("a: asks, b: error");
    world_body("b", NULL);
    go("'command': {'resume': 'yes'}");
    gives("{'x': ['a:yes', 'b']}");
}
END_TEST

#define RETRY(more)                                                            \
    "{'nodes': {'a': {'retry': [{'initial_interval_ms': 1000,"                 \
    " 'backoff_factor': 10.0, 'max_interval_ms': 5000, 'max_attempts': 3,"     \
    " 'retry_on': ['flaky']" more "}]}}}"

static json_t *flaky(struct visit *visit)
{
    return visit_fail(visit, SS_ENODE, "flaky", SS_RETRY_DEFAULT, "it broke");
}

static json_t *shaky(struct visit *visit)
{
    return visit_fail(visit, SS_ENODE, "shaky", SS_RETRY_DEFAULT, "it broke");
}

// Milliseconds until the next attempt, as the narration tells it.
static long wait_told(void)
{
    const char *at = strstr(world_told(), " in ");
    return at ? strtol(at + 4, NULL, 10) : -1;
}

START_TEST(edge_68_jitter_comes_on_top_of_the_cap_the_first_try_counts)
{
    given("start>a", RETRY(", 'jitter': true"));
    world_body("a", flaky);
    world_ask("ann", "run", "{'thread': 't', 'graph': 'g', " FRESH "}");
    world_run();
    long wait = wait_told();
    ck_assert_int_ge(wait, 1000);
    ck_assert_int_lt(wait, 2000);
    world_pass(wait + 1);
    wait = wait_told();
    ck_assert_int_ge(wait, 5000); // 10 s, capped
    ck_assert_int_lt(wait, 6000);
    world_pass(wait + 1);
    ck_assert_uint_eq(ran("a"), 3);
    ck_assert_ptr_nonnull(world_answer(1));
}
END_TEST

static int tries;

static json_t *flaky_then_shaky(struct visit *visit)
{
    return ++tries % 2 ? flaky(visit) : shaky(visit);
}

#define TWO_POLICIES                                                           \
    "{'nodes': {'a': {'retry': [{'initial_interval_ms': 1, 'max_attempts': 2," \
    " 'jitter': false, 'retry_on': ['flaky']}, {'initial_interval_ms': 1,"     \
    " 'max_attempts': 4, 'jitter': false, 'retry_on': ['flaky', 'shaky']}]}}}"

START_TEST(edge_68_policies_share_one_count_of_failures)
{
    given("start>a", TWO_POLICIES);
    world_body("a", flaky_then_shaky);
    tries = 1; // shaky first: second policy; then flaky: the first, 2 of 2
    go(FRESH);
    ended("failed");
    ck_assert_uint_eq(ran("a"), 2);
}
END_TEST

START_TEST(edge_69_the_first_policy_that_matches_decides)
{
    given("start>a", TWO_POLICIES);
    world_body("a", flaky);
    go(FRESH);
    ended("failed");
    ck_assert_uint_eq(ran("a"), 2); // the second one would allow four
    world_body("a", shaky);
    go(FRESH);
    ck_assert_uint_eq(ran("a"), 2 + 4);
}
END_TEST

static json_t *times_out(struct visit *visit)
{
    return visit_fail(
        visit, SS_ENODETIMEOUT, NULL, SS_RETRY_DEFAULT, "too slow");
}

static json_t *routes_wrong(struct visit *visit)
{
    return visit_fail(visit, SS_EROUTE, NULL, SS_RETRY_DEFAULT, "no such way");
}

static json_t *refuses_retry(struct visit *visit)
{
    return visit_fail(visit, SS_ENODE, NULL, SS_RETRY_NO, "for good");
}

START_TEST(edge_70_by_default_timeouts_are_tried_again_mistakes_are_not)
{
    given("start>a", "{'nodes': {'a': {'retry': [{'initial_interval_ms': 1,"
                     " 'max_attempts': 3, 'jitter': false}]}}}");
    world_body("a", times_out);
    go(FRESH);
    refused("node_timeout");
    ck_assert_uint_eq(ran("a"), 3);
    world_body("a", routes_wrong);
    go(FRESH);
    ck_assert_uint_eq(ran("a"), 3 + 1);
    world_body("a", refuses_retry);
    go(FRESH);
    ck_assert_uint_eq(ran("a"), 4 + 1);
}
END_TEST

#define HANDLED                                                                \
    given(                                                                     \
        "start>bad bad>after", "{'nodes': {'bad': {'error_handler': true}}}"); \
    world_body("bad", fails);                                                  \
    world_body("__error_handler__bad", mends)

START_TEST(edge_71_a_handler_runs_in_the_same_superstep_no_edge_is_followed)
{
    HANDLED;
    go(FRESH);
    ended("done");
    gives("{'x': ['mended bad']}");
    history_is("loop 1, loop 0, input -1");
    saved_in(-1, "versions_seen", "bad", "{'branch:to:bad': 2}");
    saved_in(-1, "versions_seen", "__error_handler__bad", "{}");
}
END_TEST

START_TEST(edge_72_the_mark_of_a_handled_error_has_a_place_among_the_writes)
{
    HANDLED;
    go(FRESH);
    writes_are(-2, "__error__ -1, __error_source_node__ 1, x 0");
}
END_TEST

START_TEST(edge_73_only_successes_are_cached_and_hits_are_stored)
{
    given("start>a", "{'nodes': {'a': {'cache': {}}}}");
    world_body("a", fails);
    go(FRESH);
    ended("failed");
    world_body("a", NULL);
    go(FRESH);
    ck_assert_uint_eq(ran("a"), 2); // the failure was not kept
    look_away();
    world_get("run", "{'thread': 'u', 'graph': 'g', 'input': {'x': []},"
                     " 'stream': ['updates']}");
    sees("updates {'a':{'x':['a']},'__metadata__':{'cached':true}}\n");
    ck_assert_uint_eq(ran("a"), 2);
    json_t *saved_u = json_object_get(
        world_get("checkpoints", "{'thread': 'u'}"), "checkpoints");
    bench_json(json_incref(json_object_get(
                   json_array_get(json_object_get(json_array_get(saved_u, 1),
                                      "pending_writes"),
                       0),
                   "value")),
        "['a']");
}
END_TEST

SUITE("edges_task",
    edge_53_no_separators_between_the_parts_raw_bytes_before_them,
    edge_54_ids_look_like_uuids_and_have_no_version,
    edge_55_sha_1_for_checkpoints_of_the_first_format_alone,
    edge_56_an_update_without_a_planned_task_makes_its_id,
    edge_57_the_second_update_of_a_superstep_has_an_id_of_its_own,
    edge_58_a_sent_task_sees_its_argument_alone,
    edge_59_an_empty_map_of_inputs_still_runs_the_node,
    edge_60_the_topic_of_sends_stays_as_an_empty_list,
    edge_61_a_failure_is_stored_and_siblings_are_not_run_again,
    edge_62_what_a_cancel_stopped_has_an_error_too,
    edge_63_siblings_end_and_are_stored_after_a_failure,
    edge_64_a_failed_router_leaves_nothing_and_its_node_runs_again,
    edge_65_history_shows_an_old_error_beside_the_later_result,
    edge_66_a_question_stops_no_sibling,
    edge_67_an_error_beats_a_question_which_stays_stored,
    edge_68_jitter_comes_on_top_of_the_cap_the_first_try_counts,
    edge_68_policies_share_one_count_of_failures,
    edge_69_the_first_policy_that_matches_decides,
    edge_70_by_default_timeouts_are_tried_again_mistakes_are_not,
    edge_71_a_handler_runs_in_the_same_superstep_no_edge_is_followed,
    edge_72_the_mark_of_a_handled_error_has_a_place_among_the_writes,
    edge_73_only_successes_are_cached_and_hits_are_stored)

// edges_loop_test.c - sharp edges of spec/engine.md 15: the loop (24-52).
#include <string.h>

#include "common/model/limits.h"
#include "tests/unit/engine/edges.h"

static void chain(void)
{
    given("start>a a>b", NULL);
}

START_TEST(edge_24_start_is_a_task_with_a_superstep_and_a_checkpoint)
{
    given("start>a", NULL);
    go(FRESH);
    history_is("loop 1, loop 0, input -1");
    bench_json(json_incref(json_object_get(history_entry(2), "next")),
        "['__start__']");
}
END_TEST

START_TEST(edge_25_steps_go_on_over_the_runs_of_a_thread)
{
    given("start>a", NULL);
    go(FRESH);
    go(FRESH);
    history_is("loop 4, loop 3, input 2, loop 1, loop 0, input -1");
}
END_TEST

START_TEST(edge_26_a_limit_of_n_fails_after_all_n_nodes_ran)
{
    chain();
    go(FRESH ", 'recursion_limit': 2");
    refused("recursion_limit");
    ck_assert_uint_eq(ran("b"), 1);
    state_has("next", "[]");
    go(GO_ON);
    gives("{'x': ['a', 'b']}");
}
END_TEST

START_TEST(edge_27_at_the_limit_the_last_checkpoint_is_still_streamed)
{
    chain();
    go(FRESH ", 'recursion_limit': 1, 'stream': ['checkpoints']");
    refused("recursion_limit");
    const char *said = world_told(), *last = NULL;
    for (const char *at = said; (at = strstr(at, "sees checkpoints")); at++)
        last = at;
    if (!last)
        ck_abort_msg("no checkpoint was streamed: %s", said);
    ck_assert_ptr_nonnull(strstr(last, "\"next\":[\"b\"]"));
    ck_assert_uint_eq(ran("b"), 0);
}
END_TEST

START_TEST(edge_28_the_default_limit_is_10007)
{
    ck_assert_int_eq(SS_RECURSION_LIMIT_DEFAULT, 10007);
}
END_TEST

START_TEST(edge_29_null_resumes_an_empty_map_begins_anew)
{
    chain();
    go(FRESH ", 'interrupt_before': ['b']");
    go("'input': {}, 'interrupt_before': ['b']");
    gives("{'x': ['a', 'a']}");
    go(GO_ON);
    gives("{'x': ['a', 'a', 'b']}");
}
END_TEST

START_TEST(edge_30_the_same_run_id_resumes_and_ignores_the_input)
{
    chain();
#define META ", 'config': {'metadata': {'run_id': 'r1'}}"
    go(FRESH META);
    size_t count = saved_count();
    go("'input': {'x': ['ignored']}" META);
    gives("{'x': ['a', 'b']}");
    ck_assert_uint_eq(saved_count(), count);
}
END_TEST

START_TEST(edge_31_new_input_consumes_waiting_tasks_silently)
{
    given("start>a start>b", NULL);
    world_body("b", asks);
    go(FRESH);
    asked("['ok?']");
    char *first = ss_strdup(question_id(0));
    go("'input': {'x': ['new']}");
    asked("['ok?']");
    gives("{'x': ['new', 'a']}"); // the first a is lost
    ck_assert_str_ne(first, question_id(0));
    ss_free(first);
}
END_TEST

// Better (17.3): once, where the reference applies it twice.
START_TEST(edge_32_a_command_on_a_fresh_thread_applies_once)
{
    given("start>a a>b", "{'nodes': {'c': {}}}");
    go("'command': {'update': {'x': ['u']}, 'goto': 'c'}");
    gives("{'x': ['u', 'a', 'c', 'b']}");
    go("'command': {}");
    refused("empty_input");
}
END_TEST

START_TEST(edge_33_an_update_on_a_finished_thread_makes_no_checkpoint)
{
    chain();
    go(FRESH);
    size_t count = saved_count();
    go("'command': {'update': {'x': ['uu']}}");
    gives("{'x': ['a', 'b', 'uu']}");
    ck_assert_uint_eq(saved_count(), count);
    state_has("values", "{'x': ['a', 'b', 'uu']}");
    writes_are(-1, "x 0");
}
END_TEST

START_TEST(edge_34_null_writes_add_up_in_their_places)
{
    chain();
    go(FRESH);
    go("'command': {'update': {'x': ['1']}}");
    go("'command': {'update': {'x': ['2']}}");
    go("'command': {'update': {'x': ['3']}, 'resume': 'nobody asked'}");
    writes_are(-1, "__resume__ -4, x 0, x 1, x 2");
    state_has("values", "{'x': ['a', 'b', '1', '2', '3']}");
}
END_TEST

START_TEST(edge_35_an_unknown_checkpoint_begins_afresh_with_a_dangling_parent)
{
#define NOBODY "1f1e5e9d-b535-6873-8001-73470c2398e7"
    chain();
    go(FRESH ", 'checkpoint_id': '" NOBODY "'");
    gives("{'x': ['a', 'b']}");
    ck_assert_str_eq(ss_json_str(saved(0), "parent_id", ""), NOBODY);
    saved_has(0, "step", "-1");
    go(GO_ON ", 'checkpoint_id': '2f1e5e9d-b535-6873-8001-73470c2398e7'");
    refused("empty_input");
}
END_TEST

START_TEST(edge_36_what_the_breakpoints_saw_is_marked_on_a_resume_for_all)
{
    chain();
    go(FRESH ", 'interrupt_before': ['b']");
    saved_in(-1, "versions_seen", "__interrupt__", NULL);
    go(GO_ON);
    saved_in(-1, "versions_seen", "__interrupt__",
        "{'__start__': 2, 'x': 3, 'branch:to:a': 3, 'branch:to:b': 3}");
}
END_TEST

START_TEST(edge_37_a_breakpoint_before_saves_nothing_and_ids_stay)
{
    chain();
    go(FRESH ", 'interrupt_before': ['b']");
    history_is("loop 1, loop 0, input -1");
    writes_are(-1, "");
    json_t *task =
        json_array_get(json_object_get(history_entry(0), "tasks"), 0);
    char *id = ss_strdup(ss_json_str(task, "id", "?"));
    go(GO_ON);
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_str_eq(made[count - 1].task_id, id);
    ss_free(id);
}
END_TEST

START_TEST(edge_38_a_breakpoint_after_fires_behind_the_last_node_too)
{
    given("start>a", NULL);
    go(FRESH ", 'interrupt_after': ['a']");
    ended("interrupted");
    state_has("next", "[]");
    gives("{'x': ['a']}");
}
END_TEST

START_TEST(edge_39_a_calls_own_breakpoints_replace_only_if_there_are_any)
{
    given("start>a a>b b>c", "{'interrupt_before': ['b']}");
    go(FRESH ", 'interrupt_before': []");
    state_has("next", "['b']");
    go("'input': {}, 'interrupt_before': ['c']");
    state_has("next", "['c']");
}
END_TEST

#define INSIDE(name, more)                                                     \
    "'" name "': {'name': '" name "', 'kind': 'state', 'state': [{'key': 'x'," \
    " 'type': 'list', 'reducer': 'add'}], 'nodes': [{'name': 'i'}],"           \
    " 'edges': [['__start__', 'i']]" more "}"

// Only what is inside the superstep that is resumed goes on; a graph that comes
// later starts with its input.
START_TEST(edge_40_resuming_ends_with_the_first_superstep)
{
    given("start>a a>sub",
        "{'nodes': {'sub': {'subgraph': 'in'}},"
        " 'subgraphs': {" INSIDE("in", ", 'checkpointer': true") "}}");
    world_body("a", asks);
    go(FRESH);
    go("'command': {'resume': '1'}");
    gives("{'x': ['a:1', 'a:1', 'i']}");
    go(FRESH);
    go("'command': {'resume': '2'}"); // sub has a lineage, and gets its input
    ck_assert_uint_eq(ran("i"), 2);
}
END_TEST

START_TEST(edge_41_updated_channels_narrow_who_is_looked_at_null_does_not)
{
    chain();
    go(FRESH ", 'interrupt_before': ['b']");
    saved_has(-1, "updated_channels", "['branch:to:b', 'x']");
    update("[[{'values': {'x': ['u']}, 'as_node': 'a'}]]");
    saved_has(-1, "updated_channels", "null");
    go(GO_ON);
    gives("{'x': ['a', 'u', 'b']}");
}
END_TEST

START_TEST(edge_42_names_order_execution_declaration_orders_inspection)
{
    given("start>z start>a", NULL);
    go(FRESH ", 'interrupt_before': '*'");
    state_has("next", "['z', 'a']");
    go(GO_ON);
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_str_eq(made[0].node, "a");
    ck_assert_str_eq(made[1].node, "z");
}
END_TEST

START_TEST(edge_43_the_parent_is_what_the_loop_came_from_not_the_newest)
{
    chain();
    go(FRESH);
    char *id = ss_strdup(history_id(1));
    char *body = ss_format(GO_ON ", 'checkpoint_id': '%s'", id);
    go(body);
    history_is("loop 3, fork 2, loop 2, loop 1, loop 0, input -1");
    ck_assert_str_eq(
        ss_json_str(json_object_get(history_entry(1), "parent_config"),
            "checkpoint_id", ""),
        id);
    ss_free(body);
    ss_free(id);
}
END_TEST

START_TEST(edge_44_ids_change_each_step_also_where_nothing_is_saved)
{
    given("start>sub", "{'nodes': {'sub': {'subgraph': 'in'}}, 'subgraphs':"
                       " {'in': {'name': 'in', 'kind': 'state', 'state':"
                       " [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
                       " 'nodes': [{'name': 'i'}, {'name': 'j'}], 'edges':"
                       " [['__start__', 'i'], ['i', 'j']], 'checkpointer':"
                       " false}}}");
    go(FRESH);
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_ne(made[0].task_id, made[1].task_id);
    ck_assert_uint_eq(saved_count(), 3); // the root's alone
}
END_TEST

START_TEST(edge_45_exit_saves_one_checkpoint)
{
    chain();
    go(FRESH ", 'durability': 'exit'");
    history_is("loop 2");
    saved_has(0, "parent_id", "null");
    go("'input': {'x': ['in']}, 'durability': 'exit'");
    history_is("loop 6, loop 2");
    ck_assert_str_eq(ss_json_str(saved(1), "parent_id", ""),
        ss_json_str(saved(0), "id", "?"));
}
END_TEST

#define EXIT ", 'durability': 'exit'"

START_TEST(edge_46_exit_saves_on_error_and_question_a_clean_inner_run_nothing)
{
    given("start>a a>sub a>b", "{'nodes': {'sub': {'subgraph': 'in'}},"
                               " 'subgraphs': {" INSIDE("in", "") "}}");
    world_body("b", fails);
    go(FRESH EXIT);
    ended("failed");
    ck_assert_uint_eq(saved_count(), 1);
    writes_are(-1, "__error__ -1, x 0");
    world_body("b", asks);
    go(GO_ON EXIT);
    asked("['ok?']");
    ck_assert_uint_eq(saved_count(), 1); // the same checkpoint, more writes
    world_body("b", NULL);
    go(GO_ON EXIT);
    gives("{'x': ['a', 'b', 'a', 'i']}");
}
END_TEST

// In the journal writes come before the checkpoint that takes them over,
// whatever the durability: stronger than the reference (R5.31), where their
// order is open.
START_TEST(edge_47_under_async_writes_still_precede_their_checkpoint)
{
    given("start>a start>b", NULL);
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', " FRESH ", 'durability': 'async'}");
    world_run();
    world_let("b");
    look_away();
    world_run();
    told("the run ends: done\n"
         "  row 4 of t: writes of b, checkpoint 1 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\"]}\n");
}
END_TEST

// And under sync the next task waits for both.
START_TEST(edge_48_sync_waits_for_writes_and_checkpoint)
{
    chain();
    world_run();
    world_store_slow(true);
    world_ask("ann", "run", "{'thread': 't', 'graph': 'g', " FRESH "}");
    world_run_store();
    world_run_store();
    world_run();
    ck_assert_uint_eq(ran("a"), 1);
    ck_assert_uint_eq(ran("b"), 0); // a has ended, and its row is on its way
    world_run_store();
    ck_assert_uint_eq(ran("b"), 1);
}
END_TEST

START_TEST(edge_49_a_done_task_shows_a_start_and_a_cached_update_no_result)
{
    given("start>a start>b", NULL);
    world_body("b", asks);
    go(FRESH);
    look_away();
    go("'command': {'resume': '1'}, 'stream': ['updates']");
    sees("updates {'a':{'x':['a']},'__metadata__':{'cached':true}}\n"
         "updates {'b':{'x':['b:1']}}\n");
    go(FRESH);
    look_away();
    go("'command': {'resume': '1'}, 'stream': ['tasks']");
    const char *said = world_told();
    size_t starts = 0, results = 0;
    for (const char *at = said; (at = strstr(at, "\"name\":\"a\"")); at++)
        starts++;
    for (const char *at = said; (at = strstr(at, "\"result\":")); at++)
        results++;
    ck_assert_uint_eq(starts, 1);
    ck_assert_uint_eq(results, 1); // b's
}
END_TEST

START_TEST(edge_50_values_need_an_updated_key_and_a_task_that_wrote_it)
{
    chain();
    world_body("a", says_nothing);
    look_away();
    go(FRESH ", 'stream': ['values']");
    sees("values {'x':[]}\n"
         "values {'x':['b']}\n"); // none after a
}
END_TEST

START_TEST(edge_51_an_interrupted_run_gives_what_siblings_wrote)
{
    given("start>a start>b", NULL);
    world_body("b", asks);
    go(FRESH);
    gives("{'x': ['a']}");
    bench_json(
        json_incref(json_object_get(history_entry(0), "values")), "{'x': []}");
}
END_TEST

START_TEST(edge_52_a_run_that_never_wrote_an_output_gives_null)
{
    given("start>a", "{'state': [{'key': 'v'}]}");
    world_body("a", says_nothing);
    go("'input': {}");
    ended("done");
    gives("null");
}
END_TEST

SUITE("edges_loop", edge_24_start_is_a_task_with_a_superstep_and_a_checkpoint,
    edge_25_steps_go_on_over_the_runs_of_a_thread,
    edge_26_a_limit_of_n_fails_after_all_n_nodes_ran,
    edge_27_at_the_limit_the_last_checkpoint_is_still_streamed,
    edge_28_the_default_limit_is_10007,
    edge_29_null_resumes_an_empty_map_begins_anew,
    edge_30_the_same_run_id_resumes_and_ignores_the_input,
    edge_31_new_input_consumes_waiting_tasks_silently,
    edge_32_a_command_on_a_fresh_thread_applies_once,
    edge_33_an_update_on_a_finished_thread_makes_no_checkpoint,
    edge_34_null_writes_add_up_in_their_places,
    edge_35_an_unknown_checkpoint_begins_afresh_with_a_dangling_parent,
    edge_36_what_the_breakpoints_saw_is_marked_on_a_resume_for_all,
    edge_37_a_breakpoint_before_saves_nothing_and_ids_stay,
    edge_38_a_breakpoint_after_fires_behind_the_last_node_too,
    edge_39_a_calls_own_breakpoints_replace_only_if_there_are_any,
    edge_40_resuming_ends_with_the_first_superstep,
    edge_41_updated_channels_narrow_who_is_looked_at_null_does_not,
    edge_42_names_order_execution_declaration_orders_inspection,
    edge_43_the_parent_is_what_the_loop_came_from_not_the_newest,
    edge_44_ids_change_each_step_also_where_nothing_is_saved,
    edge_45_exit_saves_one_checkpoint,
    edge_46_exit_saves_on_error_and_question_a_clean_inner_run_nothing,
    edge_47_under_async_writes_still_precede_their_checkpoint,
    edge_48_sync_waits_for_writes_and_checkpoint,
    edge_49_a_done_task_shows_a_start_and_a_cached_update_no_result,
    edge_50_values_need_an_updated_key_and_a_task_that_wrote_it,
    edge_51_an_interrupted_run_gives_what_siblings_wrote,
    edge_52_a_run_that_never_wrote_an_output_gives_null)

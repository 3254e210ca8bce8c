// edges_state_test.c - sharp edges of spec/engine.md 15: the state API
// (95-105), streaming (106-111), storage (116), and what later releases changed
// (123-131).
#include <string.h>

#include "common/base/buf.h"
#include "tests/unit/engine/edges.h"

static void go_at(const char *id, const char *more)
{
    char *body = ss_format("%s, 'checkpoint_id': '%s'", more, id);
    go(body);
    ss_free(body);
}

static char *id_at(size_t index)
{
    return ss_strdup(history_id(index));
}

// ------------------------------------------------------------------ state API

// F3: c is dropped, and the join of b and c never completes.
START_TEST(edge_95_an_update_cancels_what_waits_beside_it)
{
    given("start>a a>b a>c b+c>d", NULL);
    go(FRESH ", 'interrupt_before': ['b', 'c']");
    update("[[{'values': {'x': ['B']}, 'as_node': 'b'}]]");
    state_has("next", "[]");
    go(GO_ON);
    gives("{'x': ['a', 'B']}");
    ck_assert_uint_eq(ran("c") + ran("d"), 0);
}
END_TEST

START_TEST(edge_95_updates_for_both_in_one_superstep_complete_the_join)
{
    given("start>a a>b a>c b+c>d", NULL);
    go(FRESH ", 'interrupt_before': ['b', 'c']");
    update("[[{'values': {'x': ['B']}, 'as_node': 'b'},"
           " {'values': {'x': ['C']}, 'as_node': 'c'}]]");
    state_has("next", "['d']");
    go(GO_ON);
    gives("{'x': ['a', 'B', 'C', 'd']}");
}
END_TEST

// F2, F7.
START_TEST(edge_96_whose_turn_it_was_is_ambiguous_on_equal_versions)
{
    given("start>a a>b a>c b+c>d", NULL);
    go(FRESH ", 'interrupt_before': ['d']");
    update("[[{'values': {'x': ['u']}}]]");
    refused("invalid_update");
    update("[[{'values': {'x': ['u']}, 'as_node': 'b'}]]");
    state_has("values", "{'x': ['a', 'b', 'c', 'u']}");
}
END_TEST

START_TEST(edge_96_two_triggers_of_one_node_tie_as_well)
{
    // d is triggered by c's edge and by the join, both written in one superstep
    given("start>b start>c b+c>d c>d", NULL);
    go(FRESH);
    saved_in(-1, "versions_seen", "d", "{'branch:to:d': 3, 'join:b+c:d': 3}");
    update("[[{'values': {'x': ['u']}}]]");
    refused("invalid_update");
}
END_TEST

START_TEST(edge_97_an_update_as_input_keeps_what_waits_an_input_does_not)
{
    given("start>a a>b", NULL);
    go(FRESH ", 'interrupt_before': ['b']");
    update("[[{'values': {'x': ['in']}, 'as_node': '__input__'}]]");
    state_has("next", "['__start__', 'b']");
    go(GO_ON);
    gives("{'x': ['a', 'in', 'b', 'a', 'b']}");
}
END_TEST

// F6.
START_TEST(edge_98_a_copy_is_a_sibling)
{
    given("start>a a>b", NULL);
    go(FRESH);
    char *original = id_at(1), *parent = id_at(2);
    update_at(original, "[[{'values': null, 'as_node': '__copy__'}]]");
    history_is("fork 2, loop 2, loop 1, loop 0, input -1");
    ck_assert_str_eq(
        ss_json_str(json_object_get(history_entry(0), "parent_config"),
            "checkpoint_id", ""),
        parent);
    bench_json(json_incref(json_object_get(history_entry(0), "values")),
        "{'x': ['a']}");
    writes_are(-1, "");
    ss_free(original);
    ss_free(parent);
}
END_TEST

START_TEST(edge_99_an_updates_writes_stand_on_the_old_checkpoint)
{
    given("start>a a>b", NULL);
    go(FRESH);
    char *old = id_at(1);
    update("[[{'values': {'x': ['u']}, 'as_node': 'b'}]]");
    writes_are(-2, "x 0");
    update_at(old, "[[{'values': {'x': ['v']}, 'as_node': 'b'}]]");
    writes_are(2, "x 0"); // b's own alone: the thread has left it
    ss_free(old);
}
END_TEST

START_TEST(edge_100_by_id_a_checkpoint_is_shown_as_it_was_saved)
{
    given("start>a start>b", NULL);
    world_body("b", asks);
    go(FRESH);
    state_has("values", "{'x': ['a']}");
    state_has("next", "['b']");
    char *body =
        ss_format("{'thread': 't', 'checkpoint_id': '%s'}", history_id(0));
    json_t *state = json_object_get(world_get("state", body), "state");
    bench_json(json_incref(json_object_get(state, "values")), "{'x': []}");
    bench_json(json_incref(json_object_get(state, "next")), "['a', 'b']");
    ss_free(body);
}
END_TEST

START_TEST(edge_101_history_applies_a_commands_writes_but_no_tasks)
{
    given("start>a", NULL);
    go(FRESH);
    go("'command': {'update': {'x': ['uu']}}");
    bench_json(json_incref(json_object_get(history_entry(0), "values")),
        "{'x': ['a', 'uu']}");
    bench_json(
        json_incref(json_object_get(history_entry(1), "values")), "{'x': []}");
}
END_TEST

START_TEST(edge_102_an_id_restricts_the_history_to_one_entry)
{
    given("start>a", NULL);
    go(FRESH);
    char *id = id_at(1);
    char *body = ss_format("{'thread': 't', 'checkpoint_id': '%s'}", id);
    json_t *list = json_object_get(world_get("history", body), "history");
    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert_str_eq(
        ss_json_str(json_object_get(json_array_get(list, 0), "config"),
            "checkpoint_id", ""),
        id);
    ss_free(body);
    ss_free(id);
}
END_TEST

START_TEST(edge_103_replaying_a_final_checkpoint_saves_a_fork)
{
    given("start>a", NULL);
    go(FRESH);
    char *id = id_at(0);
    go_at(id, GO_ON);
    ended("done");
    history_is("fork 2, loop 1, loop 0, input -1");
    ck_assert_uint_eq(ran("a"), 1);
    ss_free(id);
}
END_TEST

START_TEST(edge_104_an_answer_at_the_head_restores_at_a_left_one_runs_again)
{
    given("start>a start>b", NULL);
    world_body("b", asks);
    go(FRESH);
    char *id = id_at(0);
    go_at(id, "'command': {'resume': 'yes'}");
    gives("{'x': ['a', 'b:yes']}");
    ck_assert_uint_eq(ran("a"), 1);
    go_at(id, "'command': {'resume': 'no'}");
    ck_assert_uint_eq(ran("a"), 2);
    ss_free(id);
}
END_TEST

START_TEST(edge_105_new_input_at_an_old_checkpoint_does_not_rewind_kept_graphs)
{
    given("start>a a>sub", "{'nodes': {'sub': {'subgraph': 'in'}}, 'subgraphs':"
                           " {'in': {'name': 'in', 'kind': 'state', 'state':"
                           " [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
                           " 'nodes': [{'name': 'p'}], 'edges':"
                           " [['__start__', 'p']], 'checkpointer': true}}}");
    go(FRESH);
    char *before = id_at(2); // step 0: sub had not run
    go_at(before, FRESH);
    gives("{'x': ['a', 'a', 'p', 'a', 'p']}"); // and it remembers
    ss_free(before);
}
END_TEST

// ------------------------------------------------------------------ streaming

START_TEST(edge_106_the_first_values_come_behind_start)
{
    given("start>a", NULL);
    look_away();
    go("'input': {'x': ['in']}, 'stream': ['values']");
    sees("values {'x':['in']}\n"
         "values {'x':['in','a']}\n");
}
END_TEST

START_TEST(edge_107_a_breakpoint_shows_an_empty_interrupt_and_no_values)
{
    given("start>a a>b", NULL);
    look_away();
    go(FRESH ", 'interrupt_before': ['b'], 'stream': ['values', 'updates']");
    sees("values {'x':[]}\n"
         "updates {'a':{'x':['a']}}\n"
         "values {'x':['a']}\n"
         "updates {'__interrupt__':[]}\n");
}
END_TEST

// What `checkpoints` shows, as "source step next" a line.
static void checkpoints_seen(const char *expected)
{
    struct ss_buf seen;
    ss_buf_init(&seen, 4096);
    const char *at = world_told();
    while ((at = strstr(at, "ann sees checkpoints ")) != NULL) {
        at += strlen("ann sees checkpoints ");
        char *text = ss_memdup(at, strcspn(at, "\n"));
        json_t *event = json_loads(text, 0, NULL);
        json_t *metadata = json_object_get(event, "metadata");
        char *next = ss_json_text(json_object_get(event, "next"));
        ss_buf_addf(&seen, "%s %d %s\n", ss_json_str(metadata, "source", "?"),
            (int)ss_json_int(metadata, "step", -9), next);
        ss_free(next);
        ss_free(text);
        json_decref(event);
    }
    ck_assert_str_eq(ss_buf_str(&seen), expected);
    ss_buf_fini(&seen);
}

START_TEST(edge_108_a_checkpoint_is_shown_when_its_tasks_are_planned)
{
    given("start>a", NULL);
    look_away();
    go(FRESH ", 'stream': ['checkpoints']");
    checkpoints_seen("input -1 [\"__start__\"]\n"
                     "loop 0 [\"a\"]\n"
                     "loop 1 []\n");
}
END_TEST

static json_t *says_twice(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'update': [['x', ['1']], ['x', ['2']]]}}");
}

// H6.
START_TEST(edge_109_several_writes_to_one_key_are_a_list)
{
    given("start>a", NULL);
    world_body("a", says_twice);
    look_away();
    go(FRESH ", 'stream': ['updates']");
    sees("updates {'a':[{'x':['1']},{'x':['2']}]}\n");
    go(FRESH ", 'stream': ['tasks']");
    ck_assert_ptr_nonnull(strstr(
        world_told(), "\"result\":{\"x\":{\"$writes\":[[\"1\"],[\"2\"]]}}"));
}
END_TEST

START_TEST(edge_110_a_node_without_output_shows_null)
{
    given("start>a", NULL);
    world_body("a", says_nothing);
    look_away();
    go(FRESH ", 'stream': ['updates']");
    sees("updates {'a':null}\n");
}
END_TEST

START_TEST(edge_111_a_result_has_no_input_and_no_triggers)
{
    given("start>a", NULL);
    look_away();
    go(FRESH ", 'stream': ['tasks']");
    const char *said = world_told();
    const char *result = strstr(said, "\"result\":");
    ck_assert_ptr_nonnull(result);
    ck_assert_ptr_null(strstr(result, "\"input\""));
    ck_assert_ptr_null(strstr(result, "\"triggers\""));
}
END_TEST

// ------------------------------------------------------------------ storage

START_TEST(edge_116_scalars_of_the_configuration_are_metadata)
{
    given("start>a", NULL);
    go(FRESH ", 'config': {'configurable': {'user': 'u1', 'n': 3, 'deep': {},"
             " '__own': 1}, 'metadata': {'m': 1}}");
    json_t *metadata = json_object_get(saved(-1), "metadata");
    ck_assert_str_eq(ss_json_str(metadata, "user", ""), "u1");
    ck_assert_int_eq(ss_json_int(metadata, "n", 0), 3);
    ck_assert_int_eq(ss_json_int(metadata, "m", 0), 1);
    ck_assert_ptr_null(json_object_get(metadata, "deep"));
    ck_assert_ptr_null(json_object_get(metadata, "__own"));
}
END_TEST

// F11.
START_TEST(edge_123_a_command_with_an_id_makes_a_fork_that_holds_its_writes)
{
    given("start>a a>b", "{'nodes': {'z': {}}}");
    go(FRESH);
    char *id = id_at(1), *head = id_at(0);
    go_at(id, "'command': {'update': {'x': ['u']}, 'goto': 'z'}");
    gives("{'x': ['a', 'u', 'b', 'z']}");
    writes_are(2, "x 0"); // b's own; none of the command
    go_at(head, "'command': {'update': {'x': ['w']}}");
    gives("{'x': ['a', 'b', 'w']}");
    history_is("fork 3, loop 3, fork 2, loop 2, loop 1, loop 0, input -1");
    ss_free(id);
    ss_free(head);
}
END_TEST

// F12.
START_TEST(edge_124_an_update_that_the_thread_has_left_is_forked_again)
{
    given("start>a a>b", NULL);
    go(FRESH);
    char *old = id_at(1);
    update_at(old, "[[{'values': {'x': ['u']}}]]");
    char *edited = id_at(0);
    go_at(edited, GO_ON);
    history_is("loop 3, update 2, loop 2, loop 1, loop 0, input -1");
    go_at(edited, GO_ON);
    history_is("loop 4, fork 3, loop 3, update 2, loop 2, loop 1, loop 0,"
               " input -1");
    gives("{'x': ['a', 'u', 'b']}");
    ss_free(edited);
    ss_free(old);
}
END_TEST

// F14; better (R9.14b).
START_TEST(edge_125_an_update_forgets_no_writes_that_wait_on_its_base)
{
    given("start>a", NULL);
    go(FRESH);
    go("'command': {'update': {'x': ['w']}}");
    update("[[{'values': {'x': ['u']}, 'as_node': 'a'}]]");
    state_has("values", "{'x': ['a', 'w', 'u']}");
}
END_TEST

static json_t *drains(struct visit *visit)
{
    visit->outcome->drain = ss_strdup("the house closes");
    return says(visit->order->node);
}

// H7.
START_TEST(edge_126_a_drain_comes_behind_a_breakpoint)
{
    given("start>a a>b", NULL);
    world_body("a", drains);
    go(FRESH);
    ended("drained");
    refused("drained");
    state_has("next", "['b']");
    go("'input': {}, 'interrupt_before': ['b']");
    ended("interrupted");
    go(GO_ON);
    gives("{'x': ['a', 'a', 'b']}");
}
END_TEST

START_TEST(edge_127_after_a_failed_save_nothing_later_is_saved)
{
    given("start>a a>b", NULL);
    world_run();
    world_store_slow(true);
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', " FRESH ", 'durability': 'async'}");
    world_run_store(); // the thread is read
    world_run();       // nodes go on, nothing is stored
    ck_assert_uint_eq(ran("b"), 1);
    world_store_says(SS_EFULL);
    world_store_slow(false);
    world_run();
    ck_assert_uint_eq(world_rows(), 0);
    ck_assert_str_eq(ss_json_str(json_object_get(world_answer(1), "error"),
                         "code", "nothing"),
        "disk_full");
}
END_TEST

START_TEST(edge_128_what_was_loaded_is_not_stored_again)
{
    given("start>a start>b", NULL);
    world_body("b", asks);
    go(FRESH);
    look_away();
    go(GO_ON);
    asked("['ok?']");
    told("run of graph g begins on thread t\n"
         "  row 5 of t: entry\n"
         "b of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: interrupted\n"
         "  row 6 of t: writes of b (asks), end\n"
         "ann: interrupted {\"x\":[\"a\"]} asked [\"ok?\"]\n");
}
END_TEST

#define DELTA                                                                  \
    "{'state': [{'key': 'x', 'type': 'list', 'channel': 'DeltaChannel',"       \
    " 'reducer': 'add'}]}"

// A branch reads what its own past wrote, and nothing of the other branch.
START_TEST(edge_130_a_branch_of_a_delta_channel_has_its_own_past)
{
    given("start>a a>b b>c", DELTA);
    go(FRESH);
    char *middle = id_at(1);
    update_at(middle, "[[{'values': {'x': ['u']}}]]");
    go(GO_ON);
    gives("{'x': ['a', 'b', 'u', 'c']}");
    ck_assert_uint_eq(json_array_size(json_object_get(
                          json_object_get(history_entry(2), "values"), "x")),
        3); // the first branch's end: a, b, c
    ss_free(middle);
}
END_TEST

START_TEST(edge_131_a_key_may_change_between_reducer_and_delta)
{
    given("start>a", NULL);
    go("'input': {'x': ['1']}");
    world_graph(chart("g", "start>a", DELTA));
    world_worker("w1", 8);
    go("'input': {'x': ['2']}");
    gives("{'x': ['1', 'a', '2', 'a']}");
    world_graph(chart("g", "start>a", NULL));
    world_worker("w1", 8);
    go("'input': {'x': ['3']}");
    gives("{'x': ['1', 'a', '2', 'a', '3', 'a']}");
}
END_TEST

SUITE("edges_state", edge_95_an_update_cancels_what_waits_beside_it,
    edge_95_updates_for_both_in_one_superstep_complete_the_join,
    edge_96_whose_turn_it_was_is_ambiguous_on_equal_versions,
    edge_96_two_triggers_of_one_node_tie_as_well,
    edge_97_an_update_as_input_keeps_what_waits_an_input_does_not,
    edge_98_a_copy_is_a_sibling,
    edge_99_an_updates_writes_stand_on_the_old_checkpoint,
    edge_100_by_id_a_checkpoint_is_shown_as_it_was_saved,
    edge_101_history_applies_a_commands_writes_but_no_tasks,
    edge_102_an_id_restricts_the_history_to_one_entry,
    edge_103_replaying_a_final_checkpoint_saves_a_fork,
    edge_104_an_answer_at_the_head_restores_at_a_left_one_runs_again,
    edge_105_new_input_at_an_old_checkpoint_does_not_rewind_kept_graphs,
    edge_106_the_first_values_come_behind_start,
    edge_107_a_breakpoint_shows_an_empty_interrupt_and_no_values,
    edge_108_a_checkpoint_is_shown_when_its_tasks_are_planned,
    edge_109_several_writes_to_one_key_are_a_list,
    edge_110_a_node_without_output_shows_null,
    edge_111_a_result_has_no_input_and_no_triggers,
    edge_116_scalars_of_the_configuration_are_metadata,
    edge_123_a_command_with_an_id_makes_a_fork_that_holds_its_writes,
    edge_124_an_update_that_the_thread_has_left_is_forked_again,
    edge_125_an_update_forgets_no_writes_that_wait_on_its_base,
    edge_126_a_drain_comes_behind_a_breakpoint,
    edge_127_after_a_failed_save_nothing_later_is_saved,
    edge_128_what_was_loaded_is_not_stored_again,
    edge_130_a_branch_of_a_delta_channel_has_its_own_past,
    edge_131_a_key_may_change_between_reducer_and_delta)

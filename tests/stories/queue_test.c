// Runs on one thread, one after the other: who waits, who makes way, and what
// each of those who asked is told.
#include <string.h>

#include "common/model/value.h"
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(id, more)                                                          \
    "{'thread': 't', 'graph': 'g', 'run': '" id "', 'input': {'x': ['" id      \
    "']}" more "}"
#define BEHIND    ", 'if_busy': 'enqueue'"
#define IN_PLACE  ", 'if_busy': 'interrupt'"
#define TAKE_BACK ", 'if_busy': 'rollback'"

static json_t *says_at_length(struct visit *visit)
{
    (void)visit;
    return says("what is longer than a name is named, and not said again");
}

static void two_nodes(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
}

START_TEST(runs_that_wait_come_in_their_order)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", BEHIND));
    world_ask("cyd", "run", RUN("3", BEHIND));
    world_run();
    world_let("b");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "run of graph g waits for its turn on thread t, behind 1\n"
         "run of graph g waits for its turn on thread t, behind 2\n"
         "  run of t: queued\n"
         "bob: accepted\n"
         "  run of t: queued\n"
         "cyd: accepted\n"
         "the run ends: done\n"
         "run of graph g begins on thread t\n"
         "  row 4 of t: writes of b, checkpoint 2 (loop), end\n"
         "  row 5 of t: entry, checkpoint 3 (input)\n"
         "  row 6 of t: writes of __start__, checkpoint 4 (loop)\n"
         "a of superstep 5 goes to worker w1 (attempt 1)\n"
         "ann: done {\"x\":[\"1\",\"a\",\"b\"]}\n"
         "  row 7 of t: writes of a, checkpoint 5 (loop)\n"
         "b of superstep 6 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "run of graph g begins on thread t\n"
         "  row 8 of t: writes of b, checkpoint 6 (loop), end\n"
         "  row 9 of t: entry, checkpoint 7 (input)\n"
         "  row 10 of t: writes of __start__, checkpoint 8 (loop)\n"
         "a of superstep 9 goes to worker w1 (attempt 1)\n"
         "bob: done {\"x\":[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\"]}\n"
         "  row 11 of t: writes of a, checkpoint 9 (loop)\n"
         "b of superstep 10 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 12 of t: writes of b, checkpoint 10 (loop), end\n"
         "cyd: done {\"x\":[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\",\"3\",\"a\","
         "\"b\"]}\n");
}
END_TEST

START_TEST(a_run_in_the_place_of_another_cancels_it_and_those_that_wait)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", BEHIND));
    world_run();
    world_forget();
    world_ask("cyd", "run", RUN("3", IN_PLACE));
    world_let("b");
    world_run();
    told("the run that waited on thread t ends: cancelled\n"
         "the run ends: cancelled\n"
         "run of graph g begins on thread t\n"
         "  row 4 of t: end\n"
         "  row 5 of t: writes of b (failed), end\n"
         "  row 6 of t: entry, checkpoint 2 (input)\n"
         "  row 7 of t: writes of __start__, checkpoint 3 (loop)\n"
         "a of superstep 4 goes to worker w1 (attempt 1)\n"
         "bob: cancelled null error cancelled: run 3 came in its place "
         "(if_busy: interrupt)\n"
         "ann: cancelled {\"x\":[\"1\",\"a\"]} error cancelled: run 3 came in "
         "its place (if_busy: interrupt)\n"
         "cyd: accepted\n"
         "a late result of a lost attempt is ignored\n"
         "  row 8 of t: writes of a, checkpoint 4 (loop)\n"
         "b of superstep 5 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 9 of t: writes of b, checkpoint 5 (loop), end\n"
         "cyd: done {\"x\":[\"1\",\"a\",\"3\",\"a\",\"b\"]}\n");
}
END_TEST

START_TEST(a_run_that_takes_others_back_begins_where_they_began)
{
    two_nodes();
    world_get("run", RUN("0", ""));
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", BEHIND));
    world_run();
    world_forget();
    world_ask("cyd", "run", RUN("3", TAKE_BACK));
    world_let("b");
    world_run();
    told("the run that waited on thread t ends: taken back\n"
         "the run on thread t is taken back\n"
         "run of graph g waits for its turn on thread t, behind 1\n"
         "run of graph g begins on thread t\n"
         "  row 8 of t: takes back\n"
         "  row 9 of t: entry, checkpoint 3 (input)\n"
         "  row 10 of t: writes of __start__, checkpoint 4 (loop)\n"
         "a of superstep 5 goes to worker w1 (attempt 1)\n"
         "bob: cancelled null error cancelled: run 3 came in its place "
         "(if_busy: rollback)\n"
         "cyd: accepted\n"
         "ann: cancelled null error cancelled: run 3 came in its place "
         "(if_busy: rollback)\n"
         "a late result of a lost attempt is ignored\n"
         "  row 11 of t: writes of a, checkpoint 5 (loop)\n"
         "b of superstep 6 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 12 of t: writes of b, checkpoint 6 (loop), end\n"
         "cyd: done {\"x\":[\"0\",\"a\",\"b\",\"3\",\"a\",\"b\"]}\n");
    json_t *runs =
        json_object_get(world_get("runs", "{'thread': 't'}"), "runs");
    ck_assert_uint_eq(json_array_size(runs), 2); // 0 and 3
    ck_assert_str_eq(code_of(world_get("attach", "{'run': '1'}")), "not_found");
    ck_assert_str_eq(code_of(world_get("attach", "{'run': '2'}")), "not_found");
}
END_TEST

// Also where its rows were still on their way to the store.
START_TEST(a_run_is_taken_back_when_its_rows_have_left)
{
    two_nodes();
    world_store_slow(true);
    world_ask("ann", "run", RUN("1", ""));
    while (world_run_store() && world_attempts_of("a") == 0)
        continue;
    ck_assert(world_run_result("a"));
    uint64_t next = world_ask("bob", "run", RUN("2", TAKE_BACK));
    world_store_slow(false);
    ck_assert_str_eq(status_of(world_finish(next)), "done");
    expect_x("t", "[\"2\",\"a\",\"b\"]");
}
END_TEST

// Its rows leave first, and are void behind them: a crash in between.
START_TEST(a_run_that_was_to_be_taken_back_does_not_go_on_after_a_crash)
{
    world_graph(chart("g", "start>a start>b a+b>c c>end", NULL));
    world_worker("w1", 4);
    world_hold("a");
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_store_slow(true);
    world_let("a");
    ck_assert(world_run_result("a")); // its row leaves
    world_let("b");
    ck_assert(world_run_result("b")); // its row is behind that
    world_ask("bob", "run", RUN("2", TAKE_BACK));
    ck_assert(world_run_store());
    ck_assert(world_run_store()); // with it: that the run is to be taken back
    world_crash();
    world_store_slow(false);
    world_restart();
    world_run();
    ck_assert_str_eq(code_of(world_get("attach", "{'run': '1'}")), "not_found");
    ck_assert_str_eq(status_of(world_get("run", RUN("2", TAKE_BACK))), "done");
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(
            strcmp(made[i].node, "c") != 0 || strcmp(made[i].run, "2") == 0,
            "c ran for the run that was taken back");
    expect_x("t", "[\"2\",\"a\",\"b\",\"c\"]");
}
END_TEST

#define UUID(n) "00000000-0000-4000-8000-00000000000" n

static void look_after_crashes(void)
{
    for (int i = 0; i < 3; i++) {
        world_crash();
        world_restart();
        ck_assert_uint_eq(json_array_size(x_of("t")), 5);
        world_run(); // what nobody needs any more is deleted
    }
}

// A row that was taken back stays in the store behind others, and may repeat
// what those say: they go no earlier than it does.
START_TEST(rows_that_others_repeat_stay_when_both_are_taken_back)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", says_at_length);
    world_worker("w1", 4);
    world_hold("c");
    world_hold("d");
    world_ask("ann", "run", RUN("1", ""));
    world_run(); // b has ended, and its row stands
    world_ask("bob", "run", RUN("2", BEHIND));
    world_run();
    world_get("cancel", "{'run': '2'}"); // the rows of 1 are in two pieces
    world_let("c");
    world_run(); // the second one begins with a row that repeats what b wrote
    world_let("d");
    world_ask("cyd", "run", RUN("3", TAKE_BACK));
    world_run();
    look_after_crashes();
}
END_TEST

// The same of a row that holds the parent of another one's checkpoint, which
// that one only names (format 10).
START_TEST(rows_that_hold_parents_stay_when_both_are_taken_back)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 4);
    world_hold("c");
    world_hold("d");
    world_ask("ann", "run", RUN(UUID("1"), ""));
    world_run();
    world_ask("bob", "run", RUN(UUID("2"), BEHIND));
    world_run();
    world_get("cancel", "{'run': '" UUID("2") "'}"); // the rows of 1 are in two
    world_let("c");
    world_run(); // the second piece begins with a checkpoint
    world_let("d");
    world_ask("cyd", "run", RUN(UUID("3"), TAKE_BACK));
    world_run();
    look_after_crashes();
}
END_TEST

START_TEST(who_asks_for_one_that_was_taken_back_is_told_when_that_is_durable)
{
    two_nodes();
    world_hold("a");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_store_slow(true);
    world_let("a");
    world_run(); // what a wrote is on its way; what makes it void comes behind
    world_ask("bob", "run", RUN("2", TAKE_BACK));
    world_ask("cyd", "attach", "{'run': '1', 'thread': 't'}");
    world_ask("dan", "cancel", "{'run': '1', 'thread': 't'}");
    world_forget();
    ck_assert(world_run_store()); // what a wrote; a crash would bring it back
    told("  row 3 of t: writes of a, checkpoint 1 (loop)\n");
    ck_assert(world_run_store());
    told("  row 4 of t: takes back\n"
         "  row 5 of t: entry, checkpoint -1 (input)\n"
         "  row 6 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "bob: accepted\n"
         "ann: cancelled null error cancelled: run 2 came in its place "
         "(if_busy: rollback)\n"
         "cyd: error not_found: thread t has no run 1\n"
         "dan: error not_found: thread t has no run 1\n");
}
END_TEST

START_TEST(a_run_that_waits_is_accepted_when_its_record_is_durable)
{
    two_nodes();
    world_hold("a");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_store_slow(true);
    world_ask("bob", "run", RUN("2", BEHIND));
    world_run();
    ck_assert_uint_eq(json_array_size(world_seen("bob")), 0);
    ck_assert(world_run_store());
    ck_assert_uint_eq(json_array_size(world_seen("bob")), 1);
    ck_assert_str_eq(status_of(json_array_get(world_seen("bob"), 0)), "queued");
}
END_TEST

START_TEST(a_run_that_waits_can_be_asked_for_again_and_attached_to)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t first = world_ask("bob", "run", RUN("2", BEHIND));
    uint64_t again = world_ask("bob", "run", RUN("2", BEHIND));
    uint64_t watch = world_ask(
        "cyd", "attach", "{'run': '2', 'stream': ['values'], 'after': '0.0'}");
    world_run();
    world_let("b");
    world_run();
    const char *end = "[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\"]";
    const uint64_t ids[] = {first, again, watch};
    for (size_t i = 0; i < 3; i++) {
        json_t *output = json_object_get(world_answer(ids[i]), "output");
        char *x = ss_json_canonical(json_object_get(output, "x"));
        ck_assert_str_eq(x, end);
        ss_free(x);
    }
    // its input, and what each of its nodes wrote
    ck_assert_uint_eq(json_array_size(world_events(watch)), 3);
    expect_x("t", end);
}
END_TEST

START_TEST(who_does_not_wait_is_told_that_the_run_is_queued)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t id = world_ask("bob", "run", RUN("2", BEHIND ", 'detach': true"));
    world_run();
    ck_assert_str_eq(status_of(world_answer(id)), "queued");
    world_let("b");
    world_run();
    ck_assert_str_eq(status_of(world_get("attach", "{'run': '2'}")), "done");
}
END_TEST

START_TEST(a_client_that_leaves_does_not_take_its_waiting_run_along)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", BEHIND));
    world_run();
    world_gone("bob");
    world_let("b");
    world_run();
    expect_x("t", "[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\"]");
}
END_TEST

// Each hung up is found by its number: of ten thousand, one looked at all.
START_TEST(a_client_that_hangs_up_on_one_run_is_told_of_the_others)
{
    two_nodes();
    world_hold("b");
    uint64_t first = world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t second = world_ask("ann", "run", RUN("2", BEHIND));
    uint64_t third = world_ask("ann", "run", RUN("3", BEHIND));
    uint64_t other = world_ask("bob", "attach", "{'run': '2'}");
    uint64_t again = world_ask("ann", "attach", "{'run': '2'}");
    world_run();
    world_hang_up("ann", second);
    world_hang_up("ann", second); // it is gone already
    world_hang_up("cyd", first);  // hers are none
    world_let("b");
    world_run();
    ck_assert_str_eq(status_of(world_answer(first)), "done");
    ck_assert_ptr_null(world_answer(second));
    ck_assert_str_eq(status_of(world_answer(third)), "done");
    ck_assert_str_eq(status_of(world_answer(other)), "done");
    ck_assert_str_eq(status_of(world_answer(again)), "done");
}
END_TEST

START_TEST(a_client_that_leaves_hears_of_none_of_its_runs)
{
    two_nodes();
    world_hold("b");
    uint64_t first = world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t second = world_ask("ann", "run", RUN("2", BEHIND));
    uint64_t again = world_ask("ann", "attach", "{'run': '1'}");
    world_run();
    world_gone("ann");
    world_let("b");
    world_run();
    ck_assert_ptr_null(world_answer(first));
    ck_assert_ptr_null(world_answer(second));
    ck_assert_ptr_null(world_answer(again));
    expect_x("t", "[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\"]");
}
END_TEST

START_TEST(a_run_that_waits_can_be_cancelled_again_and_again)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t waits = world_ask("bob", "run", RUN("2", BEHIND));
    uint64_t last = world_ask("cyd", "run", RUN("3", BEHIND));
    world_run();
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(
            status_of(world_get("cancel", "{'run': '2'}")), "cancelled");
    ck_assert_str_eq(status_of(world_answer(waits)), "cancelled");
    world_let("b");
    ck_assert_str_eq(status_of(world_finish(last)), "done");
    expect_x("t", "[\"1\",\"a\",\"b\",\"3\",\"a\",\"b\"]");
    ck_assert_str_eq(
        status_of(world_get("attach", "{'run': '2'}")), "cancelled");
    ck_assert_str_eq(
        status_of(world_get("run", RUN("2", BEHIND))), "cancelled");
    json_t *told = json_object_get(
        world_get("explain", "{'run': '2', 'thread': 't'}"), "explain");
    ck_assert(json_is_true(json_object_get(told, "never_began")));
    told = json_object_get(
        world_get("explain", "{'run': '3', 'thread': 't'}"), "explain");
    ck_assert_ptr_null(json_object_get(told, "never_began"));
}
END_TEST

START_TEST(a_waiting_run_that_cannot_enter_fails_in_the_journal)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t bad = world_ask("bob", "run",
        "{'thread': 't', 'graph': 'g', 'run': '2', 'command': {},"
        " 'if_busy': 'enqueue'}");
    uint64_t next = world_ask("cyd", "run", RUN("3", BEHIND));
    world_run();
    world_let("b");
    ck_assert_str_eq(status_of(world_finish(next)), "done");
    ck_assert_str_eq(status_of(world_answer(bad)), "failed");
    ck_assert_str_eq(status_of(world_get("attach", "{'run': '2'}")), "failed");
}
END_TEST

START_TEST(a_thread_with_a_queue_is_not_changed_from_outside)
{
    two_nodes();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", BEHIND));
    world_run();
    ck_assert_str_eq(code_of(world_get("delete", "{'thread': 't'}")), "busy");
    ck_assert_str_eq(code_of(world_get("prune", "{'thread': 't'}")), "busy");
    ck_assert_str_eq(
        code_of(world_get("update", "{'thread': 't', 'supersteps': [[{'values':"
                                    " {'x': ['u']}, 'as_node': 'a'}]]}")),
        "busy");
}
END_TEST

START_TEST(an_unknown_strategy_is_refused_by_name)
{
    two_nodes();
    json_t *answer = world_get("run", RUN("1", ", 'if_busy': 'enqueu'"));
    ck_assert_str_eq(code_of(answer), "invalid_argument");
    ck_assert_ptr_nonnull(
        strstr(ss_json_str(json_object_get(answer, "error"), "message", ""),
            "\"enqueue\""));
}
END_TEST

static json_t *one_more(size_t thread, const char *if_busy)
{
    return json_pack("{s:o, s:s, s:{s:[]}, s:s, s:b}", "thread",
        json_sprintf("t%zu", thread), "graph", "g", "input", "x", "if_busy",
        if_busy, "detach", 1);
}

static uint64_t ask_for_more(size_t thread, size_t count)
{
    uint64_t id = 0;
    for (size_t i = 0; i < count; i++)
        id = world_ask_json("ann", "run", one_more(thread, "enqueue"));
    world_run();
    return id;
}

START_TEST(a_queue_has_an_end)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    world_hold("a");
    uint64_t id = ask_for_more(0, 1 + SS_QUEUE_THREAD_MAX);
    ck_assert_str_eq(status_of(world_answer(id)), "queued");
    id = ask_for_more(0, 1);
    ck_assert_str_eq(code_of(world_answer(id)), "limit_exceeded");
    // those that come in their place find room
    id = world_ask_json("ann", "run", one_more(0, "interrupt"));
    world_run();
    ck_assert_str_eq(status_of(world_answer(id)), "running");
}
END_TEST

START_TEST(all_queues_together_have_an_end)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    size_t threads = SS_QUEUE_MAX / SS_QUEUE_THREAD_MAX;
    for (size_t t = 0; t < threads; t++)
        ask_for_more(t, 1 + SS_QUEUE_THREAD_MAX);
    uint64_t id = ask_for_more(threads, 1);
    ck_assert_str_eq(status_of(world_answer(id)), "running");
    id = ask_for_more(threads, 1);
    ck_assert_str_eq(code_of(world_answer(id)), "limit_exceeded");
}
END_TEST

// It names no thread, so the coordinator does: the same for the same run.
START_TEST(the_same_run_without_a_thread_is_one_run)
{
    two_nodes();
    const char *body = "{'graph': 'g', 'run': 'r', 'input': {'x': []}}";
    json_t *first = world_get("run", body);
    json_t *again = world_get("run", body);
    ck_assert_str_eq(
        ss_json_str(first, "thread", "1"), ss_json_str(again, "thread", "2"));
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

SUITE("queue", runs_that_wait_come_in_their_order,
    a_run_in_the_place_of_another_cancels_it_and_those_that_wait,
    a_run_that_takes_others_back_begins_where_they_began,
    a_run_is_taken_back_when_its_rows_have_left,
    rows_that_others_repeat_stay_when_both_are_taken_back,
    rows_that_hold_parents_stay_when_both_are_taken_back,
    a_run_that_was_to_be_taken_back_does_not_go_on_after_a_crash,
    who_asks_for_one_that_was_taken_back_is_told_when_that_is_durable,
    a_run_that_waits_is_accepted_when_its_record_is_durable,
    a_run_that_waits_can_be_asked_for_again_and_attached_to,
    who_does_not_wait_is_told_that_the_run_is_queued,
    a_client_that_leaves_does_not_take_its_waiting_run_along,
    a_client_that_hangs_up_on_one_run_is_told_of_the_others,
    a_client_that_leaves_hears_of_none_of_its_runs,
    a_run_that_waits_can_be_cancelled_again_and_again,
    a_waiting_run_that_cannot_enter_fails_in_the_journal,
    a_thread_with_a_queue_is_not_changed_from_outside,
    an_unknown_strategy_is_refused_by_name, a_queue_has_an_end,
    all_queues_together_have_an_end, the_same_run_without_a_thread_is_one_run)

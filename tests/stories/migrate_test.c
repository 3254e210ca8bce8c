// Versions of an application side by side: a run stays on the one it began
// with, waits if nobody serves that, and moves to another when it is told.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(id, more)                                                          \
    "{'thread': 't', 'graph': 'g', 'run': '" id "', 'input': {'x': ['" id      \
    "']}" more "}"

static json_t *version_two(void)
{
    return chart("g", "start>a a>b b>c c>end", NULL);
}

static json_t *version_one_again(void)
{
    return chart("g", "start>a a>b b>end", NULL);
}

static void version_one(void)
{
    world_graph(version_one_again());
    world_worker("w1", 4);
}

// The first version's worker goes, the second's comes.
static void roll(void)
{
    world_leave("w1");
    world_upgrade(version_two());
    world_worker("w2", 4);
}

START_TEST(a_run_stays_on_the_version_that_it_began_with)
{
    version_one();
    world_hold("a");
    uint64_t old = world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_let("a");
    ck_assert_str_eq(output_of(world_finish(old)), "[\"1\",\"a\",\"b\"]");
    size_t count = 0;
    const struct attempt_made *made = world_attempts(&count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(made[i].worker, "w1");
    json_t *next = world_get("run", RUN("2", ""));
    ck_assert_str_eq(output_of(next),
        "[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\",\"c\"]"); // a new one: the new
}
END_TEST

START_TEST(a_run_that_nobody_serves_waits_says_so_and_is_not_lost)
{
    version_one();
    world_hold("a");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    roll();
    world_let("a");
    world_crash();
    world_restart();
    uint64_t id = world_ask("ann", "attach", "{'run': '1'}");
    world_run();
    world_pass(60000);
    ck_assert_ptr_null(world_answer(id));
    json_t *explained =
        json_object_get(world_get("explain", "{'run': '1'}"), "explain");
    json_t *wait = json_array_get(json_object_get(explained, "waits"), 0);
    ck_assert_str_eq(ss_json_str(wait, "why", "-"), "no_worker");
    ck_assert_str_eq(status_of(explained), "running");
    json_t *one = chart("g", "start>a a>b b>end", NULL);
    world_upgrade(one); // the old one comes back
    world_worker("w3", 4);
    ck_assert_str_eq(output_of(world_finish(id)), "[\"1\",\"a\",\"b\"]");
}
END_TEST

// The threads move to a coordinator that has heard of version `first`, and has
// read nothing; then it reads, and `second` is announced.
static json_t *run_where_is_heard_first(json_t *first, json_t *second)
{
    world_run();
    world_lost(true);
    world_at("two");
    world_pass(1000);
    world_upgrade(first);
    world_worker("w3", 4);
    world_pass(1000);
    world_gained();
    world_upgrade(second);
    world_worker("w4", 4);
    return world_get("run", RUN("1", ""));
}

START_TEST(an_old_version_that_is_heard_before_the_stored_ones_is_no_newer)
{
    world_pair();
    version_one();
    world_pass(1000);
    world_upgrade(version_two());
    world_worker("w2", 4);
    json_t *run = run_where_is_heard_first(version_one_again(), version_two());
    ck_assert_str_eq(output_of(run), "[\"1\",\"a\",\"b\",\"c\"]");
}
END_TEST

START_TEST(a_new_version_that_is_heard_before_the_stored_ones_is_the_newest)
{
    world_pair();
    version_one();
    json_t *run = run_where_is_heard_first(version_two(), version_one_again());
    ck_assert_str_eq(output_of(run), "[\"1\",\"a\",\"b\",\"c\"]");
}
END_TEST

// Each has threads, has read what is stored, and hears of graphs by itself.
static void both_have_threads(void)
{
    world_pair();
    world_at("two");
    world_gained_some(SS_SHARDS);
    world_at("one");
}

// "one" has heard of both versions; "two" has heard of the newer one.
static void one_has_dated_both(void)
{
    both_have_threads();
    version_one();
    world_pass(1000);
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_pass(1000);
    world_at("two");
    world_worker("w3", 4);
    world_pass(1000);
    world_upgrade(version_one_again());
}

START_TEST(an_old_version_that_another_one_has_dated_is_no_newer)
{
    one_has_dated_both();
    world_worker("w4", 4); // comes late
    world_pass(1000);
    json_t *run = world_get("run", "{'thread': 't', 'graph': 'g', 'run': '1', "
                                   "'input': {'x': ['1']}}");
    ck_assert_str_eq(output_of(run), "[\"1\",\"a\",\"b\",\"c\"]");
}
END_TEST

START_TEST(an_old_version_whose_record_could_not_be_read_is_no_newer)
{
    one_has_dated_both();
    world_read_says(SS_EIO);
    world_worker("w4", 4);
    world_pass(1000);
    world_worker("w5", 4); // its hello asks for the record again
    world_pass(1000);
    json_t *run = world_get("run", "{'thread': 't', 'graph': 'g', 'run': '1', "
                                   "'input': {'x': ['1']}}");
    ck_assert_str_eq(output_of(run), "[\"1\",\"a\",\"b\",\"c\"]");
}
END_TEST

START_TEST(a_run_moves_when_it_is_told_and_does_nothing_twice)
{
    version_one();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ", 'stream': ['updates']"));
    world_run();
    world_forget();
    roll();
    world_run();
    world_ask("dan", "migrate", "{'run': '1'}");
    world_let("b");
    world_run();
    told("worker w1 is gone: it said good-bye\n"
         "task b: it said good-bye\n"
         "worker w2 serves 1 graphs, 4 tasks at once\n"
         "  row 4 of t: writes of b (lost, 1 so far)\n"
         "the run on thread t moves to another version of graph g\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "  row 5 of t: entry\n"
         "b of superstep 2 goes to worker w2 (attempt 2)\n"
         "dan: answered\n"
         "a late result of a lost attempt is ignored\n"
         "  row 6 of t: writes of b, checkpoint 2 (loop)\n"
         "c of superstep 3 goes to worker w2 (attempt 1)\n"
         "ann sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "the run ends: done\n"
         "  row 7 of t: writes of c, checkpoint 3 (loop), end\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "ann: done {\"x\":[\"1\",\"a\",\"b\",\"c\"]}\n");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    json_t *runs =
        json_object_get(world_get("runs", "{'thread': 't'}"), "runs");
    ck_assert_str_eq(
        ss_json_str(json_array_get(runs, 0), "version", "-"), world_version());
}
END_TEST

START_TEST(a_task_that_is_out_begins_again_on_the_new_version)
{
    version_one();
    world_hold("b");
    uint64_t id = world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_upgrade(version_two());
    world_worker("w2", 4); // both are there
    world_get("migrate", "{'run': '1'}");
    world_let("b"); // the first result comes too late
    ck_assert_str_eq(output_of(world_finish(id)), "[\"1\",\"a\",\"b\",\"c\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 2);
}
END_TEST

START_TEST(a_run_that_moves_counts_what_it_did_before)
{
    version_one();
    world_hold("b");
    uint64_t id = world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_get("migrate", "{'run': '1'}");
    world_let("b");
    json_t *moved = json_object_get(world_finish(id), "stats");
    json_t *stayed = json_object_get(world_get("run", RUN("2", "")), "stats");
    ck_assert_int_eq(
        ss_json_int(moved, "tasks", 0), ss_json_int(stayed, "tasks", -1));
}
END_TEST

START_TEST(a_run_that_waits_for_its_turn_moves_too)
{
    version_one();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    uint64_t next = world_ask("bob", "run", RUN("2", ", 'if_busy': 'enqueue'"));
    world_run();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_get("migrate", "{'run': '2'}");
    world_let("b");
    ck_assert_str_eq(output_of(world_finish(next)),
        "[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\",\"c\"]");
}
END_TEST

// The store lost its graph, and no worker has it any more.
START_TEST(a_run_whose_graph_nobody_knows_waits_and_moves)
{
    version_one();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", ", 'if_busy': 'enqueue'"));
    world_run();
    world_crash();
    world_lose_graphs();
    world_silence("w1");
    world_upgrade(version_two());
    world_restart();
    world_worker("w2", 4);
    world_let("b");
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    json_t *explained =
        json_object_get(world_get("explain", "{'run': '1'}"), "explain");
    ck_assert_str_eq(status_of(explained), "waiting");
    ck_assert(json_is_false(json_object_get(explained, "graph_known")));
    explained =
        json_object_get(world_get("explain", "{'run': '2'}"), "explain");
    ck_assert_str_eq(status_of(explained), "queued");
    uint64_t one = world_ask("ann", "attach", "{'run': '1'}");
    (void)one;
    world_get("migrate", "{'run': '1'}");
    world_get("migrate", "{'run': '2'}");
    json_t *end = world_get("attach", "{'run': '2'}");
    ck_assert_str_eq(
        output_of(end), "[\"1\",\"a\",\"b\",\"c\",\"2\",\"a\",\"b\",\"c\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

START_TEST(what_cannot_move_is_refused_by_name)
{
    version_one();
    world_hold("b");
    uint64_t id = world_ask("ann", "run", RUN("1", ""));
    world_run();
    char body[128];
    snprintf(body, sizeof(body), "{'run': '1', 'to': '%.6s'}", world_version());
    json_t *same = world_get("migrate", body);
    ck_assert_str_eq(ss_json_str(same, "from", "1"),
        ss_json_str(same, "to", "2")); // it is there: nothing happens
    ck_assert_str_eq(
        code_of(world_get("migrate", "{'run': '1', 'to': 'ffffffff'}")),
        "not_found");
    ck_assert_str_eq(
        code_of(world_get("migrate", "{'run': '9'}")), "not_found");
    world_let("b");
    ck_assert_str_eq(status_of(world_finish(id)), "done");
    ck_assert_str_eq(
        code_of(world_get("migrate", "{'run': '1'}")), "not_found");
    ck_assert_uint_eq(world_attempts_of("b"), 1);
}
END_TEST

// Whatever order they are read in, and whoever comes back first.
START_TEST(the_newest_version_is_the_newest_after_a_restart_too)
{
    version_one();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_crash();
    world_restart();
    ck_assert_str_eq(
        output_of(world_get("run", RUN("1", ""))), "[\"1\",\"a\",\"b\",\"c\"]");
}
END_TEST

START_TEST(an_old_version_that_comes_back_is_no_newer)
{
    version_one();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_upgrade(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4); // again
    ck_assert_str_eq(
        output_of(world_get("run", RUN("1", ""))), "[\"1\",\"a\",\"b\",\"c\"]");
}
END_TEST

// The application is rolled back: new runs take what there is.
START_TEST(a_new_run_takes_the_newest_version_that_is_served)
{
    version_one();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_leave("w2");
    ck_assert_str_eq(
        output_of(world_get("run", RUN("1", ""))), "[\"1\",\"a\",\"b\"]");
}
END_TEST

// After a rollback, that is: not the newer one, which nobody serves any more.
START_TEST(the_list_of_graphs_has_the_version_that_a_new_run_takes)
{
    world_graph(version_one_again());
    char first[SS_HEX128_SIZE];
    snprintf(first, sizeof(first), "%s", world_version());
    world_worker("w1", 4);
    world_upgrade(version_two());
    world_worker("w2", 4);
    json_t *listed =
        json_array_get(json_object_get(world_get("graphs", "{}"), "graphs"), 0);
    ck_assert_str_eq(ss_json_str(listed, "version", ""), world_version());
    world_leave("w2");
    listed =
        json_array_get(json_object_get(world_get("graphs", "{}"), "graphs"), 0);
    ck_assert_str_eq(ss_json_str(listed, "version", ""), first);
    ck_assert_int_eq(ss_json_int(listed, "workers", 0), 1);
}
END_TEST

// ------------------------------------------------------------------ crashes

// A run is moved in its middle; the clients of all three ask until they know.
static char *play(const char *options, int64_t at, size_t *ret_taken)
{
    char body[256];
    snprintf(body, sizeof(body),
        "{'thread': 't', 'graph': 'g', 'run': 'r', 'input': {'x': ['1']}%s}",
        options);
    world_begin();
    version_one();
    world_hold("b");
    uint64_t id = world_ask("ann", "run", body);
    world_run();
    bool early = world_store_stopped();
    world_upgrade(version_two());
    world_worker("w2", 4);
    if (at && !early)
        world_store_take(at);
    world_ask("dan", "migrate", "{'run': 'r'}");
    world_run();
    world_let("b");
    world_run();
    if (world_store_stopped()) {
        world_crash();
        world_restart();
        world_worker("w2", 4);
        id = world_ask("ann", "run", body);
        world_get("migrate", "{'run': 'r'}");
    }
    json_t *end = world_finish(id);
    *ret_taken = world_taken();
    return ss_format("%s %s", status_of(end), output_of(end));
}

START_TEST(a_crash_after_each_row_of_a_move_changes_nothing)
{
    static const char *const options[] = {
        "", ", 'durability': 'async'", ", 'durability': 'exit'"};
    world_end();
    for (size_t o = 0; o < 3; o++) {
        size_t taken = 0, some = 0;
        char *whole = play(options[o], 0, &taken);
        ck_assert_str_eq(whole, "done [\"1\",\"a\",\"b\",\"c\"]");
        world_end();
        for (size_t at = 1; at <= taken; at++) {
            char *end = play(options[o], (int64_t)at, &some);
            ck_assert_msg(strcmp(end, whole) == 0, "%s after %zu: %s\n%s",
                options[o], at, end, world_told());
            ss_free(end);
            world_end();
        }
        ss_free(whole);
    }
    world_begin();
}
END_TEST

static uint64_t listen_to(const char *client)
{
    return world_ask(client, "attach",
        "{'run': '1', 'stream': ['values', 'updates'], 'after': '0.0'}");
}

// The first one's task z, which the second lacks, is told and counted.
START_TEST(who_attaches_to_a_run_that_moved_is_told_the_same)
{
    world_graph(chart("g", "start>a start>z a>b b>end", NULL));
    world_worker("w1", 4);
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    uint64_t before = listen_to("bob");
    world_run();
    world_upgrade(chart("g", "start>a a>b b>end", NULL));
    world_worker("w2", 4);
    world_get("migrate", "{'run': '1'}");
    uint64_t behind = listen_to("cid");
    world_run();
    size_t i;
    json_t *was;
    ck_assert_uint_eq(json_array_size(world_events(before)), 4);
    json_array_foreach (world_events(before), i, was)
        ck_assert(json_equal(was, json_array_get(world_events(behind), i)));
}
END_TEST

static json_t *around(const char *edges)
{
    json_t *whole = chart("g", "start>sub sub>end",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {}}");
    json_object_set_new(json_object_get(whole, "subgraphs"), "inner",
        chart("inner", edges, NULL));
    return whole;
}

static uint64_t listen_inside(const char *client)
{
    return world_ask(client, "attach",
        "{'run': '1', 'stream': ['values', 'updates', 'tasks'], 'subgraphs':"
        " true, 'after': '0.0'}");
}

// The graph inside is another one, too.
START_TEST(who_attaches_to_a_graph_inside_that_moved_is_told_the_same)
{
    world_graph(around("start>a start>z a>b b>end"));
    world_worker("w1", 4);
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    uint64_t before = listen_inside("bob");
    world_run();
    world_upgrade(around("start>a a>b b>end"));
    world_worker("w2", 4);
    uint64_t served = listen_inside("dan"); // the newest is another one now
    world_run();
    world_get("migrate", "{'run': '1'}");
    uint64_t behind = listen_inside("cid");
    world_run();
    size_t i;
    json_t *was;
    ck_assert_uint_gt(json_array_size(world_events(before)), 4);
    json_array_foreach (world_events(before), i, was) {
        ck_assert(json_equal(was, json_array_get(world_events(served), i)));
        ck_assert(json_equal(was, json_array_get(world_events(behind), i)));
    }
}
END_TEST

static json_t *caching(const char *edges)
{
    return chart("g", edges, "{'nodes': {'a': {'cache': {}}}}");
}

// Another version may do another thing with the same input.
START_TEST(what_one_version_computed_is_kept_from_another)
{
    static const char *const runs[] = {
        "{'thread': 't1', 'graph': 'g', 'input': {'x': ['in']}}",
        "{'thread': 't2', 'graph': 'g', 'input': {'x': ['in']}}",
        "{'thread': 't3', 'graph': 'g', 'input': {'x': ['in']}}",
        "{'thread': 't4', 'graph': 'g', 'input': {'x': ['in']}}"};
    world_graph(caching("start>a a>end"));
    world_worker("w1", 4);
    for (int i = 0; i < 2; i++)
        ck_assert_str_eq(
            output_of(world_get("run", runs[i])), "[\"in\",\"a\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    world_leave("w1");
    world_upgrade(caching("start>a a>b b>end"));
    world_worker("w2", 4);
    for (int i = 2; i < 4; i++)
        ck_assert_str_eq(
            output_of(world_get("run", runs[i])), "[\"in\",\"a\",\"b\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 2);
}
END_TEST

START_TEST(a_run_that_waits_and_was_moved_is_of_that_version_after_a_crash)
{
    version_one();
    world_hold("b");
    world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_ask("bob", "run", RUN("2", ", 'if_busy': 'enqueue'"));
    world_run();
    world_upgrade(version_two());
    world_worker("w2", 4);
    world_get("migrate", "{'run': '2'}");
    world_crash();
    world_restart(); // who comes now serves the new version only
    world_let("b");
    uint64_t next = world_ask("bob", "attach", "{'run': '2'}");
    world_get("cancel", "{'run': '1'}");
    json_t *end = world_finish(next);
    ck_assert_str_eq(status_of(end), "done");
    ck_assert_str_eq(output_of(end), "[\"1\",\"a\",\"2\",\"a\",\"b\",\"c\"]");
}
END_TEST

// Rows that have not left for the store cannot be taken back any more.
START_TEST(a_run_whose_last_rows_are_on_their_way_moves_when_asked_again)
{
    version_one();
    world_store_slow(true);
    uint64_t id = world_ask("ann", "run", RUN("1", ", 'durability': 'async'"));
    while (world_attempts_of("b") == 0)
        ck_assert(world_run_result(NULL) || world_run_store());
    world_upgrade(version_two());
    world_worker("w2", 4);
    uint64_t early = world_ask("dan", "migrate", "{'run': '1', 'thread': 't'}");
    ck_assert_str_eq(code_of(world_answer(early)), "again");
    world_store_slow(false);
    world_hold("b");
    world_run();
    world_get("migrate", "{'run': '1'}");
    world_let("b");
    ck_assert_str_eq(output_of(world_finish(id)), "[\"1\",\"a\",\"b\",\"c\"]");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

// Then "done" would be said of a run in which nobody took the answer.
START_TEST(an_answer_to_a_node_that_is_not_in_this_version_is_refused)
{
    static const char *const answers[] = {
        "{'thread': 't', 'graph': 'g', 'command': {'resume': 'yes'}}",
        "{'thread': 't', 'graph': 'g', 'input': null}"};
    world_graph(version_two());
    world_body("c", asks);
    world_worker("w1", 4);
    json_t *asked = world_get("run", RUN("1", ""));
    ck_assert_str_eq(ss_json_str(asked, "status", ""), "interrupted");
    world_leave("w1");
    world_upgrade(version_one_again());
    world_worker("w2", 4);
    for (size_t i = 0; i < 2; i++) {
        json_t *refused =
            json_object_get(world_get("run", answers[i]), "error");
        ck_assert_str_eq(ss_json_str(refused, "code", ""), "invalid_state");
        ck_assert_ptr_nonnull(
            strstr(ss_json_str(refused, "message", ""), "node \"c\" asks"));
    }
    json_t *state =
        json_object_get(world_get("state", "{'thread': 't'}"), "state");
    char *text = ss_json_text(json_object_get(state, "asks_elsewhere"));
    ck_assert_str_eq(text, "[\"c\"]");
    ss_free(text);
    world_leave("w2");
    world_upgrade(version_two());
    world_body("c", asks);
    world_worker("w3", 4);
    ck_assert_str_eq(output_of(world_get("run", answers[0])),
        "[\"1\",\"a\",\"b\",\"c:yes\"]");
    state = json_object_get(world_get("state", "{'thread': 't'}"), "state");
    ck_assert_ptr_null(json_object_get(state, "asks_elsewhere"));
}
END_TEST

// The run failed, and the older version goes on with the answer.
START_TEST(an_answer_to_a_node_inside_that_is_gone_is_not_dropped)
{
    world_graph(around("start>a a>b b>end"));
    world_body("b", asks);
    world_worker("w1", 4);
    world_get("run", RUN("1", ""));
    world_leave("w1");
    world_upgrade(around("start>a a>c c>end"));
    world_worker("w2", 4);
    json_t *failed = world_get(
        "run", "{'thread': 't', 'graph': 'g', 'command': {'resume': 'yes'}}");
    ck_assert_str_eq(ss_json_str(failed, "status", ""), "failed");
    ck_assert_ptr_nonnull(
        strstr(ss_json_str(json_object_get(failed, "error"), "message", ""),
            "node \"b\" asks"));
    world_leave("w2");
    world_upgrade(around("start>a a>b b>end"));
    world_body("b", asks);
    world_worker("w3", 4);
    json_t *done =
        world_get("run", "{'thread': 't', 'graph': 'g', 'input': null}");
    ck_assert_str_eq(ss_json_str(done, "status", ""), "done");
    char *text = ss_json_text(json_object_get(done, "output"));
    ck_assert_msg(strstr(text, "b:yes") != NULL, "%s", text);
    ss_free(text);
}
END_TEST

START_TEST(what_a_version_that_is_gone_asked_does_not_stop_a_new_input)
{
    world_graph(version_two());
    world_body("c", asks);
    world_worker("w1", 4);
    world_get("run", RUN("1", ""));
    world_leave("w1");
    world_upgrade(version_one_again());
    world_worker("w2", 4);
    ck_assert_str_eq(output_of(world_get("run", RUN("2", ""))),
        "[\"1\",\"a\",\"b\",\"2\",\"a\",\"b\"]");
}
END_TEST

SUITE("migrate", a_run_stays_on_the_version_that_it_began_with,
    an_old_version_that_is_heard_before_the_stored_ones_is_no_newer,
    a_new_version_that_is_heard_before_the_stored_ones_is_the_newest,
    an_old_version_that_another_one_has_dated_is_no_newer,
    an_old_version_whose_record_could_not_be_read_is_no_newer,
    a_run_that_nobody_serves_waits_says_so_and_is_not_lost,
    a_run_moves_when_it_is_told_and_does_nothing_twice,
    a_task_that_is_out_begins_again_on_the_new_version,
    a_run_that_moves_counts_what_it_did_before,
    a_run_that_waits_for_its_turn_moves_too,
    a_run_whose_graph_nobody_knows_waits_and_moves,
    what_cannot_move_is_refused_by_name,
    the_newest_version_is_the_newest_after_a_restart_too,
    an_old_version_that_comes_back_is_no_newer,
    a_new_run_takes_the_newest_version_that_is_served,
    the_list_of_graphs_has_the_version_that_a_new_run_takes,
    a_crash_after_each_row_of_a_move_changes_nothing,
    what_one_version_computed_is_kept_from_another,
    a_run_that_waits_and_was_moved_is_of_that_version_after_a_crash,
    a_run_whose_last_rows_are_on_their_way_moves_when_asked_again,
    who_attaches_to_a_run_that_moved_is_told_the_same,
    who_attaches_to_a_graph_inside_that_moved_is_told_the_same,
    an_answer_to_a_node_that_is_not_in_this_version_is_refused,
    an_answer_to_a_node_inside_that_is_gone_is_not_dropped,
    what_a_version_that_is_gone_asked_does_not_stop_a_new_input)

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

static const char *output_of(const json_t *answer)
{
    static char text[256];
    char *x = ss_json_canonical(
        json_object_get(json_object_get(answer, "output"), "x"));
    snprintf(text, sizeof(text), "%s", x);
    ss_free(x);
    return text;
}

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

// ------------------------------------------------ updates

#define UPDATE(thread)                                                         \
    "{'thread': '" thread "', 'graph': 'g', 'supersteps':"                     \
    " [[{'values': {'x': ['u']}, 'as_node': 'a'}]]}"

static json_t *to_b(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("b");
}

// Behind a a router, which a worker is asked for: updates as a wait for it.
static json_t *routed(const char *edges)
{
    return chart("g", edges, "{'branches': [{'from': 'a', 'name': 'which'}]}");
}

// The first version with its worker, which keeps to itself what a's router
// says.
static uint64_t update_waits(json_t *description)
{
    world_graph(description);
    world_route("a", to_b);
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "update", UPDATE("t"));
    world_run();
    ck_assert_ptr_null(world_answer(id));
    return id;
}

// Its version was gone for good, and the thread was busy for ever.
START_TEST(an_update_whose_version_is_gone_is_planned_anew)
{
    uint64_t id = update_waits(routed("start>a b>end"));
    world_leave("w1");
    world_upgrade(routed("start>a b>c c>end"));
    world_worker("w2", 4);
    world_let("a");
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
    json_t *next = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(output_of(next), "[\"u\",\"b\",\"c\"]");
    json_t *list = json_object_get(
        world_get("checkpoints", "{'thread': 't'}"), "checkpoints");
    ck_assert_uint_eq(json_array_size(list), 3); // of the update, of b, of c
}
END_TEST

START_TEST(what_an_update_has_stored_is_not_done_again_when_it_is_planned_anew)
{
    world_graph(routed("start>a b>end"));
    world_route("a", to_b);
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "update",
        "{'thread': 't', 'graph': 'g',"
        " 'supersteps': [[{'values': {'x': ['first']}, 'as_node': 'b'}],"
        " [{'values': {'x': ['second']}, 'as_node': 'a'}]]}");
    world_run();
    ck_assert_ptr_null(world_answer(id));
    world_leave("w1");
    world_upgrade(routed("start>a b>c c>end"));
    world_worker("w2", 4);
    world_let("a");
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
    json_t *next = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(output_of(next), "[\"first\",\"second\",\"b\",\"c\"]");
}
END_TEST

// With both there it stays: the worker of its version has no room just now.
START_TEST(an_update_stays_on_its_version_while_somebody_serves_it)
{
    update_waits(routed("start>a b>end"));
    uint64_t next = world_ask("bob", "update", UPDATE("u"));
    world_run();
    world_upgrade(routed("start>a b>c c>end"));
    world_worker("w2", 4);
    world_run();
    world_let("a");
    ck_assert_ptr_nonnull(json_object_get(world_finish(next), "config"));
    ck_assert_ptr_null(strstr(world_told(), "goes to worker w2"));
}
END_TEST

// Nobody serves the graph at all: whichever version comes first does it.
START_TEST(an_update_waits_while_no_version_is_served)
{
    uint64_t id = update_waits(routed("start>a b>end"));
    world_let("a");
    world_leave("w1");
    world_pass(60000);
    ck_assert_ptr_null(world_answer(id));
    world_worker("w3", 4);
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
}
END_TEST

START_TEST(an_update_that_the_served_version_does_not_know_is_told_so)
{
    uint64_t id = update_waits(routed("start>a b>end"));
    char *old = ss_strdup(world_version());
    world_leave("w1");
    world_upgrade(chart("g", "start>b b>end", NULL));
    world_worker("w2", 4);
    world_let("a");
    json_t *answer = world_finish(id);
    ck_assert_str_eq(code_of(answer), "invalid_update");
    const char *text =
        ss_json_str(json_object_get(answer, "error"), "message", "-");
    ck_assert_msg(strstr(text, old) && strstr(text, world_version()) &&
                      strstr(text, "start a worker that serves"),
        "%s", text);
    ck_assert_str_eq( // the thread is free, and nothing stands in it
        output_of(world_get("run", RUN("1", ""))), "[\"1\",\"b\"]");
    ss_free(old);
}
END_TEST

static json_t *all_writes(json_t *value, json_t *writes)
{
    json_t *all = value ? json_copy(value) : json_array();
    json_t *write;
    size_t i;
    json_array_foreach (writes, i, write)
        json_array_extend(all, write);
    return all;
}

static json_t *folding(const char *edges)
{
    return chart("g", edges,
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'all'}]}");
}

START_TEST(an_update_that_waits_for_a_fold_is_planned_anew_too)
{
    world_graph(folding("start>a a>end"));
    world_fold("all", all_writes);
    world_worker("w1", 4);
    world_hold("x");
    uint64_t id = world_ask("ann", "update", UPDATE("t"));
    world_run();
    ck_assert_ptr_null(world_answer(id));
    world_leave("w1");
    world_upgrade(folding("start>a a>b b>end"));
    world_worker("w2", 4);
    world_let("x");
    ck_assert_ptr_nonnull(json_object_get(world_finish(id), "config"));
    json_t *next = world_get("run", "{'thread': 't', 'graph': 'g'}");
    ck_assert_str_eq(output_of(next), "[\"u\",\"b\"]");
}
END_TEST

START_TEST(a_run_that_waits_for_a_fold_moves_when_it_is_told)
{
    world_graph(folding("start>a a>end"));
    world_fold("all", all_writes);
    world_worker("w1", 4);
    world_hold("x");
    uint64_t id = world_ask("ann", "run", RUN("1", ""));
    world_run();
    world_leave("w1");
    world_upgrade(folding("start>a a>b b>end"));
    world_worker("w2", 4);
    world_let("x");
    world_run();
    ck_assert_ptr_null(world_answer(id)); // it stays on its version
    world_get("migrate", "{'run': '1'}");
    ck_assert_str_eq(output_of(world_finish(id)), "[\"1\",\"a\",\"b\"]");
}
END_TEST

// An update that ends each worker that takes it ends no more of them because
// versions come and go.
START_TEST(what_an_update_lost_counts_on_when_it_is_planned_anew)
{
    static const char *const edges[] = {"start>a b>end", "start>a b>c c>end",
        "start>a b>d d>end", "start>a b>e e>end", "start>a b>f f>end"};
    uint64_t id = update_waits(routed(edges[0]));
    size_t sent = 0;
    for (size_t i = 1; i < sizeof(edges) / sizeof(*edges); i++) {
        char *name = ss_format("w%zu", i), *next = ss_format("w%zu", i + 1);
        world_leave(name);
        world_upgrade(routed(edges[i]));
        world_worker(next, 4);
        world_run();
        ss_free(name);
        ss_free(next);
    }
    ck_assert_str_eq(code_of(world_answer(id)), "worker_lost");
    for (const char *at = world_told(); (at = strstr(at, " goes to ")); at++)
        sent++;
    ck_assert_uint_eq(sent, 4);
}
END_TEST

// The same where it is a fold that ends them.
START_TEST(what_its_folds_lost_counts_on_too)
{
    static const char *const edges[] = {"start>a a>end", "start>a a>b b>end",
        "start>a a>c c>end", "start>a a>d d>end", "start>a a>e e>end"};
    size_t sent = 0;
    world_graph(folding(edges[0]));
    world_fold("all", all_writes);
    world_worker("w1", 4);
    world_hold("x");
    uint64_t id = world_ask("ann", "update", UPDATE("t"));
    world_run();
    for (size_t i = 1; i < sizeof(edges) / sizeof(*edges); i++) {
        char *name = ss_format("w%zu", i), *next = ss_format("w%zu", i + 1);
        world_leave(name);
        world_upgrade(folding(edges[i]));
        world_worker(next, 4);
        world_run();
        ss_free(name);
        ss_free(next);
    }
    ck_assert_str_eq(code_of(world_answer(id)), "worker_lost");
    for (const char *at = world_told(); (at = strstr(at, " goes to ")); at++)
        sent++;
    ck_assert_uint_eq(sent, 4);
}
END_TEST

SUITE("migrate", a_run_stays_on_the_version_that_it_began_with,
    an_old_version_that_is_heard_before_the_stored_ones_is_no_newer,
    a_new_version_that_is_heard_before_the_stored_ones_is_the_newest,
    a_run_that_nobody_serves_waits_says_so_and_is_not_lost,
    a_run_moves_when_it_is_told_and_does_nothing_twice,
    a_task_that_is_out_begins_again_on_the_new_version,
    a_run_that_waits_for_its_turn_moves_too,
    a_run_whose_graph_nobody_knows_waits_and_moves,
    what_cannot_move_is_refused_by_name,
    the_newest_version_is_the_newest_after_a_restart_too,
    an_old_version_that_comes_back_is_no_newer,
    a_new_run_takes_the_newest_version_that_is_served,
    a_crash_after_each_row_of_a_move_changes_nothing,
    what_one_version_computed_is_kept_from_another,
    a_run_that_waits_and_was_moved_is_of_that_version_after_a_crash,
    a_run_whose_last_rows_are_on_their_way_moves_when_asked_again,
    an_update_whose_version_is_gone_is_planned_anew,
    what_an_update_has_stored_is_not_done_again_when_it_is_planned_anew,
    an_update_stays_on_its_version_while_somebody_serves_it,
    an_update_waits_while_no_version_is_served,
    an_update_that_the_served_version_does_not_know_is_told_so,
    an_update_that_waits_for_a_fold_is_planned_anew_too,
    a_run_that_waits_for_a_fold_moves_when_it_is_told,
    what_an_update_lost_counts_on_when_it_is_planned_anew,
    what_its_folds_lost_counts_on_too,
    who_attaches_to_a_run_that_moved_is_told_the_same,
    who_attaches_to_a_graph_inside_that_moved_is_told_the_same)

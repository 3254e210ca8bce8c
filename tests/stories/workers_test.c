// Workers that die, forget, repeat themselves: what becomes of their tasks.
#include "coordinator/engine/limits.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"
#include <stdio.h>

#include "common/model/value.h"

#define RUN(more) "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"

static void diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
}

// b was on its way when its worker fell silent: when the lease has ended, the
// other worker gets it. What the first one had made comes too late.
START_TEST(a_worker_is_lost_in_mid_task_and_its_late_result_is_ignored)
{
    diamond();
    world_worker("w1", 1);
    world_worker("w2", 1);
    world_hold("b");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_silence("w1");
    world_pass(4000);
    world_let("b");
    world_run();
    told("worker w1 serves 1 graphs, 1 tasks at once\n"
         "worker w2 serves 1 graphs, 1 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w2 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "worker w1 is gone: its lease ended\n"
         "task b: its lease ended\n"
         "  row 5 of t: writes of b (lost, 1 so far)\n"
         "b of superstep 2 goes to worker w2 (attempt 2)\n"
         "a late result of a lost attempt is ignored\n"
         "  row 6 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w2 (attempt 1)\n"
         "the run ends: done\n"
         "  row 7 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(every_result_comes_twice_and_counts_once)
{
    diamond();
    world_worker("w1", 4);
    world_repeat(true);
    world_get("run", RUN(""));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "a late result of a lost attempt is ignored\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "a late result of a lost attempt is ignored\n"
         "  row 4 of t: writes of b\n"
         "a late result of a lost attempt is ignored\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "a late result of a lost attempt is ignored\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// The worker is alive, but says nothing of the task: a message was lost.
START_TEST(a_result_that_is_lost_on_the_way_is_asked_for_again)
{
    diamond();
    world_worker("w1", 4);
    world_lose("c");
    world_get("run", RUN(""));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of b\n"
         "task c: the worker does not know of it\n"
         "  row 5 of t: writes of c (lost, 1 so far)\n"
         "c of superstep 2 goes to worker w1 (attempt 2)\n"
         "  row 6 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 7 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// Its word ends nothing: b runs on, and once.
START_TEST(a_supervisor_that_is_wrong_ends_nothing)
{
    diamond();
    world_worker("w1", 1);
    world_worker("w2", 1);
    world_hold("b");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_ended("nobody", "signal 9");
    world_ended("w1", "signal 11");
    world_run();
    world_pass(2500);
    world_let("b");
    world_run();
    told("worker w1 serves 1 graphs, 1 tasks at once\n"
         "worker w2 serves 1 graphs, 1 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w2 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "worker w1 has ended, its supervisor says: signal 11\n"
         "worker w1 is there all the same\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w2 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

// A report that comes while the link still stands is the reason that is told
// when the lease has ended.
START_TEST(a_body_that_crashes_its_worker_is_told_with_its_node_and_signal)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "run", RUN(""));
    for (int i = 0; i < 4; i++) {
        world_run();
        world_ended("w1", "signal 11 (Segmentation fault)");
        world_silence("w1");
        world_pass(4000);
        world_worker("w1", 1);
    }
    world_run();
    const char *error = json_string_value(
        json_object_get(json_object_get(world_answer(id), "error"), "message"));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(
        strncmp(error, "node \"a\" (thread t, task ", 25) == 0, "%s", error);
    ck_assert_ptr_nonnull(strstr(error,
        ") crashed its worker: signal 11 (Segmentation fault); its worker was "
        "lost on each of 4 attempts"));
}
END_TEST

// The worker comes, is given what there is, and crashes under it.
static void crash_under_all(void)
{
    world_worker("w1", 4);
    world_run();
    world_leave("w1");
    world_ended("w1", "signal 6");
    world_run();
}

static uint64_t ask_for(const char *graph)
{
    char body[96];
    snprintf(body, sizeof(body),
        "{'thread': '%s', 'graph': '%s', 'run': '%s', 'input': {'x': []}}",
        graph, graph, graph);
    return world_ask("ann", "run", body);
}

static const char *error_of(uint64_t id)
{
    return ss_json_str(
        json_object_get(world_answer(id), "error"), "message", "");
}

// A body that crashes each of its workers takes those beside it down, twice;
// then each of them has a worker to itself.
START_TEST(who_went_down_beside_a_body_that_crashes_goes_on)
{
    world_graph(chart("p", "start>p p>end", NULL));
    world_graph(chart("g", "start>a a>end", NULL));
    world_hold("p");
    world_hold("a");
    uint64_t poison = ask_for("p"), good = ask_for("g");
    crash_under_all();
    crash_under_all();
    ck_assert_uint_eq(world_attempts_of("p") + world_attempts_of("a"), 4);
    uint64_t asked = world_ask("eve", "explain", "{'run': 'g'}");
    world_run();
    const json_t *wait = json_array_get(
        json_object_get(
            json_object_get(world_answer(asked), "explain"), "waits"),
        0);
    ck_assert(ss_json_bool(wait, "alone", false));
    world_worker("w1", 4);
    world_run();
    ck_assert_uint_eq(world_attempts_of("p"), 3); // alone, though there is room
    ck_assert_uint_eq(world_attempts_of("a"), 2);
    world_leave("w1");
    world_ended("w1", "signal 6");
    world_worker("w1", 4);
    world_let("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 3);
    ck_assert_str_eq(ss_json_str(world_answer(good), "status", "?"), "done");
    ck_assert_uint_eq(world_attempts_of("p"), 4); // and now that one, alone
    world_leave("w1");
    world_ended("w1", "signal 6");
    world_run();
    ck_assert_ptr_nonnull(
        strstr(error_of(poison), "crashed its worker: signal 6"));
}
END_TEST

static void one_ends(size_t of_a, size_t of_p)
{
    world_let("a");
    ck_assert(world_run_result("a"));
    world_hold("a");
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), of_a);
    ck_assert_uint_eq(world_attempts_of("p"), of_p);
}

// Two workers, two tasks at each: one is given nothing more until it is free
// for who runs alone, the other goes on with everybody else.
START_TEST(a_worker_becomes_free_for_who_runs_alone)
{
    char graph[4];
    world_graph(chart("p", "start>p p>end", NULL));
    for (int i = 0; i < 6; i++) {
        snprintf(graph, sizeof(graph), "g%d", i);
        world_graph(chart(graph, "start>a a>end", NULL));
    }
    world_hold("p");
    world_hold("a");
    ask_for("p");
    crash_under_all();
    crash_under_all();
    world_get("pause", "{'graph': 'p'}");
    world_worker("w1", 2);
    world_worker("w2", 2);
    for (int i = 0; i < 6; i++) {
        snprintf(graph, sizeof(graph), "g%d", i);
        ask_for(graph);
    }
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 4);
    world_get("unpause", "{'graph': 'p'}");
    world_run();
    one_ends(4, 2); // at the one that is kept
    one_ends(5, 2); // at the other one
    one_ends(5, 3); // and the first is free
    one_ends(6, 3);
}
END_TEST

// Under load the next order finds the link broken before the report has come.
START_TEST(a_crash_that_is_reported_late_is_told_with_the_next_one)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "run", RUN(", 'run': 'r'"));
    for (int i = 0; i < 3; i++) {
        world_run();
        world_leave("w1");
        world_ended("w1", "signal 11 (Segmentation fault)");
        uint64_t asked = world_ask("eve", "explain", "{'run': 'r'}");
        world_run();
        const json_t *wait = json_array_get(
            json_object_get(
                json_object_get(world_answer(asked), "explain"), "waits"),
            0);
        ck_assert_str_eq(ss_json_str(wait, "lost_how", "?"),
            "crashed its worker: signal 11 (Segmentation fault)");
        world_worker("w1", 1);
    }
    world_run();
    world_leave("w1"); // nobody has said how, this time
    world_run();
    const char *error = json_string_value(
        json_object_get(json_object_get(world_answer(id), "error"), "message"));
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(
        strncmp(error, "node \"a\" (thread t, task ", 25) == 0, "%s", error);
    ck_assert_ptr_nonnull(strstr(error,
        ") crashed its worker: signal 11 (Segmentation fault); its worker was "
        "lost on each of 4 attempts"));
}
END_TEST

// Who of several did it, the process takes with it.
START_TEST(of_several_tasks_none_is_said_to_have_crashed_its_worker)
{
    diamond();
    world_worker("w1", 2);
    world_hold("b");
    world_hold("c");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_told();
    world_ended("w1", "exit code 3");
    world_silence("w1");
    world_pass(4000);
    told("worker w1 has ended, its supervisor says: exit code 3\n"
         "worker w1 is gone: its lease ended\n"
         "task b: went down with its worker, which ran 2 tasks: exit code 3\n"
         "task c: went down with its worker, which ran 2 tasks: exit code 3\n"
         "  row 4 of t: writes of b (lost, 1 so far), c (lost, 1 so far)\n");
}
END_TEST

START_TEST(a_task_that_no_worker_survives_fails)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    uint64_t id = world_ask("ann", "run", RUN(""));
    for (int i = 0; i < 4; i++) {
        world_run();
        world_leave("w1");
        world_worker("w1", 1);
    }
    world_run();
    ck_assert_ptr_nonnull(world_answer(id));
    told(
        "worker w1 serves 1 graphs, 1 tasks at once\n"
        "run of graph g begins on thread t\n"
        "  row 1 of t: entry, checkpoint -1 (input)\n"
        "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
        "a of superstep 1 goes to worker w1 (attempt 1)\n"
        "ann: accepted\n"
        "worker w1 is gone: it said good-bye\n"
        "task a: it said good-bye\n"
        "worker w1 serves 1 graphs, 1 tasks at once\n"
        "  row 3 of t: writes of a (lost, 1 so far)\n"
        "a of superstep 1 goes to worker w1 (attempt 2)\n"
        "worker w1 is gone: it said good-bye\n"
        "task a: it said good-bye\n"
        "worker w1 serves 1 graphs, 1 tasks at once\n"
        "  row 4 of t: writes of a (lost, 2 so far)\n"
        "a of superstep 1 goes to worker w1 (attempt 3)\n"
        "worker w1 is gone: it said good-bye\n"
        "task a: it said good-bye\n"
        "worker w1 serves 1 graphs, 1 tasks at once\n"
        "  row 5 of t: writes of a (lost, 3 so far)\n"
        "a of superstep 1 goes to worker w1 (attempt 4)\n"
        "worker w1 is gone: it said good-bye\n"
        "task a: it said good-bye\n"
        "task a failed: node \"a\": the worker that ran it was lost on each of "
        "4 attempts; the last: it said good-bye\n"
        "the run ends: failed\n"
        "worker w1 serves 1 graphs, 1 tasks at once\n"
        "  row 6 of t: writes of a (failed), end\n"
        "ann: failed {\"x\":[]} error worker_lost: node \"a\": the worker that "
        "ran it was lost on each of 4 attempts; the last: it said good-bye\n");
}
END_TEST

// It ends a worker with each attempt, and a coordinator follows each time: it
// is given out no more often than without.
START_TEST(lost_workers_are_counted_over_crashes)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    world_forget();
    for (int i = 0; i < 3; i++) {
        world_leave("w1");
        world_run(); // its row is durable
        world_crash();
        world_restart();
        world_worker("w1", 1);
        world_run();
    }
    told("worker w1 is gone: it said good-bye\n"
         "task a: it said good-bye\n"
         "  row 3 of t: writes of a (lost, 1 so far)\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 1 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "a of superstep 1 goes to worker w1 (attempt 2)\n"
         "worker w1 is gone: it said good-bye\n"
         "task a: it said good-bye\n"
         "  row 4 of t: writes of a (lost, 2 so far)\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 1 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "a of superstep 1 goes to worker w1 (attempt 3)\n"
         "worker w1 is gone: it said good-bye\n"
         "task a: it said good-bye\n"
         "  row 5 of t: writes of a (lost, 3 so far)\n"
         "(the coordinator crashes)\n"
         "worker w1 serves 1 graphs, 1 tasks at once\n"
         "run of graph g on thread t is found unfinished and goes on\n"
         "a of superstep 1 goes to worker w1 (attempt 4)\n");
    world_leave("w1");
    uint64_t id = world_ask("bob", "attach", "{'run': 'r'}");
    json_t *error = json_object_get(world_finish(id), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "-"), "worker_lost");
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

static const json_t *waits_of_r(void)
{
    json_t *explained = json_object_get(
        world_get("explain", "{'thread': 't', 'run': 'r'}"), "explain");
    return json_array_get(json_object_get(explained, "waits"), 0);
}

START_TEST(who_takes_a_thread_over_knows_how_many_workers_were_lost)
{
    world_pair();
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN(", 'run': 'r'"));
    world_run();
    for (int i = 1; i < 4; i++) {
        world_leave("w1");
        world_run();
        ck_assert_int_eq(ss_json_int(waits_of_r(), "workers_lost", 0), i);
        world_lost(true);
        world_at(i % 2 ? "two" : "one");
        world_gained();
        world_worker("w1", 1);
        world_run();
        ck_assert_int_eq(ss_json_int(waits_of_r(), "workers_lost", 0), i);
    }
    world_leave("w1");
    uint64_t id = world_ask("bob", "attach", "{'run': 'r'}");
    json_t *error = json_object_get(world_finish(id), "error");
    ck_assert_str_eq(ss_json_str(error, "code", "-"), "worker_lost");
    ck_assert_uint_eq(world_attempts_of("a"), 4);
}
END_TEST

static json_t *to_c(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("c");
}

// Both are lost for the last time with one worker: the update ends once.
START_TEST(an_update_whose_tasks_no_worker_survives_is_answered_once)
{
    world_graph(chart("g", "start>a start>b c>end",
        "{'branches': [{'from': 'a', 'name': 'which'},"
        " {'from': 'b', 'name': 'which'}]}"));
    world_route("a", to_c);
    world_route("b", to_c);
    world_worker("w1", 2);
    world_hold("a");
    world_hold("b");
    uint64_t id = world_ask("ann", "update",
        "{'thread': 't', 'graph': 'g', 'supersteps':"
        " [[{'as_node': 'a', 'values': {'x': ['1']}},"
        " {'as_node': 'b', 'values': {'x': ['2']}}]]}");
    for (int i = 0; i < 4; i++) {
        world_run();
        world_leave("w1");
        world_worker("w1", 2);
    }
    world_run();
    ck_assert_str_eq(
        ss_json_str(json_object_get(world_answer(id), "error"), "code", ""),
        "worker_lost");
    json_t *after = world_get("state", "{'thread': 't', 'graph': 'g'}");
    ck_assert_ptr_nonnull(json_object_get(after, "state"));
}
END_TEST

START_TEST(nothing_goes_to_a_worker_that_drains)
{
    diamond();
    world_worker("w1", 4);
    world_worker("w2", 4);
    world_hold("a");
    world_ask("ann", "run", RUN(""));
    world_run();
    world_drain("w1");
    world_let("a");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "worker w2 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w2 (attempt 1)\n"
         "c of superstep 2 goes to worker w2 (attempt 1)\n"
         "  row 4 of t: writes of b\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w2 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_task_waits_for_a_worker_that_serves_its_graph)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_leave("w1");
    uint64_t id = world_ask("ann", "run", RUN(""));
    world_run();
    ck_assert_ptr_null(world_answer(id));
    world_worker("w2", 1);
    world_run();
    told("worker w1 serves 1 graphs, 1 tasks at once\n"
         "worker w1 is gone: it said good-bye\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "ann: accepted\n"
         "worker w2 serves 1 graphs, 1 tasks at once\n"
         "a of superstep 1 goes to worker w2 (attempt 1)\n"
         "the run ends: done\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop), end\n"
         "ann: done {\"x\":[\"a\"]}\n");
}
END_TEST

// The interval doubles; the attempts may run anywhere.
START_TEST(a_retry_waits_longer_each_time)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 100,"
        " 'backoff_factor': 2.0, 'max_attempts': 3, 'jitter': false,"
        " 'retry_on': ['flaky']}]}}}"));
    world_body("b", fails_twice);
    world_worker("w1", 4);
    world_get("run", RUN(""));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "task b failed; attempt 2 in 100 ms\n"
         "  row 4 of t: writes of b (tries again)\n"
         "  row 5 of t: writes of c\n"
         "b of superstep 2 goes to worker w1 (attempt 2)\n"
         "task b failed; attempt 3 in 200 ms\n"
         "  row 6 of t: writes of b (tries again)\n"
         "b of superstep 2 goes to worker w1 (attempt 3)\n"
         "  row 7 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 8 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(an_error_handler_takes_over_in_the_same_superstep)
{
    world_graph(chart("g", "start>a a>b a>c b>d c>end d>end",
        "{'nodes': {'b': {'error_handler': true}}}"));
    world_body("b", fails);
    world_body("__error_handler__b", mends);
    world_worker("w1", 4);
    world_get("run", RUN(", 'stream': ['updates']"));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "task b failed: it broke\n"
         "  row 4 of t: writes of b (failed)\n"
         "__error_handler__b of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 5 of t: writes of c\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "the run ends: done\n"
         "  row 6 of t: writes of b's handler, checkpoint 2 (loop), end\n"
         "ann sees updates {\"__error_handler__b\":{\"x\":[\"mended b\"]}}\n"
         "ann: done {\"x\":[\"a\",\"mended b\",\"c\"]}\n");
}
END_TEST

START_TEST(at_most_so_many_at_once)
{
    world_graph(chart("g", "start>a t>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
    world_worker("w1", 8);
    world_hold("t");
    world_ask("ann", "run", RUN(", 'max_concurrency': 2"));
    world_run();
    ck_assert_uint_eq(world_attempts_of("t"), 2);
    world_let("t");
    world_run();
    told("worker w1 serves 1 graphs, 8 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "t of superstep 2 goes to worker w1 (attempt 1)\n"
         "t of superstep 2 goes to worker w1 (attempt 1)\n"
         "t of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of send 0\n"
         "  row 5 of t: writes of send 1\n"
         "the run ends: done\n"
         "  row 6 of t: writes of send 2, checkpoint 2 (loop), end\n"
         "ann: done {\"x\":[\"t1\",\"t2\",\"t3\"]}\n");
}
END_TEST

// Other coordinators use it too: what is left is told with its beats.
START_TEST(a_worker_gets_what_it_leaves_to_this_coordinator)
{
    world_graph(chart("g", "start>a start>b start>c", NULL));
    world_worker("w1", 3);
    world_share("w1", 1);
    world_hold("a");
    world_hold("b");
    world_ask("ann", "run", RUN(""));
    world_run();
    ck_assert_uint_eq(world_attempts_of("a"), 1);
    ck_assert_uint_eq(world_attempts_of("b"), 0);
    world_share("w1", 2);
    world_run();
    ck_assert_uint_eq(world_attempts_of("b"), 1);
    ck_assert_uint_eq(world_attempts_of("c"), 0);
    world_share("w1", 0);
    world_run();
    ck_assert_uint_eq(world_attempts_of("c"), 1);
    world_let("a");
    world_let("b");
}
END_TEST

START_TEST(a_graph_that_is_announced_twice_is_one)
{
    diamond();
    diamond();
    world_worker("w1", 4);
    told("worker w1 serves 1 graphs, 4 tasks at once\n");
}
END_TEST

static json_t *shows(struct visit *visit)
{
    visit_show(visit, SS_LIVE_CUSTOM, "{'percent': 50}");
    return says(visit->order->node);
}

START_TEST(what_a_lost_attempt_showed_is_marked_with_it)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", shows);
    world_worker("w1", 1);
    world_hold("a");
    world_ask("ann", "run", RUN(", 'stream': ['custom']"));
    world_run();
    world_let("a");
    world_run();
    told("worker w1 serves 1 graphs, 1 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "ann sees custom (live) {\"percent\":50}\n"
         "the run ends: done\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop), end\n"
         "ann: done {\"x\":[\"a\"]}\n");
}
END_TEST

// What it missed of an attempt waits for a row, with the word that it is
// accepted; that the attempt is lost does not come before it.
START_TEST(who_attaches_is_told_of_an_attempt_in_order)
{
    world_graph(chart("g", "start>a start>b a+b>c c>end", NULL));
    world_body("b", shows);
    world_worker("w1", 2);
    world_hold("a");
    world_hold("b");
    world_ask("ann", "run", RUN(", 'run': 'r', 'stream': ['custom']"));
    world_run();
    world_store_slow(true);
    world_let("a");
    world_run(); // its row is on its way
    uint64_t bob = world_ask("bob", "attach",
        "{'thread': 't', 'run': 'r', 'stream': ['custom'], 'after': '0.0'}");
    world_run();
    world_leave("w1");
    world_store_slow(false);
    world_run();
    char *seen = ss_json_text(world_events(bob));
    ck_assert_ptr_nonnull(strstr(seen, "percent"));
    ck_assert_ptr_nonnull(strstr(seen, "restarted"));
    ck_assert(strstr(seen, "percent") < strstr(seen, "restarted"));
    ss_free(seen);
}
END_TEST

static size_t crashes(const char *ret_last[2])
{
    const json_t *list = json_object_get(world_get("workers", "{}"), "crashes");
    size_t count = json_array_size(list);
    const json_t *last = count ? json_array_get(list, count - 1) : NULL;
    ret_last[0] = ss_json_str(last, "worker", "none");
    ret_last[1] = ss_json_str(last, "how", "none");
    return count;
}

START_TEST(processes_that_ended_are_remembered_for_ten_minutes)
{
    const char *last[2];
    char name[16];
    world_worker("w1", 1);
    ck_assert_uint_eq(crashes(last), 0);
    world_ended("w1", "signal 11");
    world_ended("gone", "exit code 3"); // before anybody had heard of it
    ck_assert_uint_eq(crashes(last), 2);
    ck_assert_str_eq(last[0], "gone");
    ck_assert_str_eq(last[1], "exit code 3");
    for (int i = 0; i < SS_CRASHES_MAX; i++) {
        snprintf(name, sizeof(name), "w-%d", i);
        world_ended(name, "signal 9");
    }
    ck_assert_uint_eq(crashes(last), SS_CRASHES_MAX);
    ck_assert_str_eq(last[0], name);
    world_pass(SS_CRASH_KNOWN_MS);
    ck_assert_uint_eq(crashes(last), 0);
}
END_TEST

SUITE("workers", processes_that_ended_are_remembered_for_ten_minutes,
    a_worker_is_lost_in_mid_task_and_its_late_result_is_ignored,
    every_result_comes_twice_and_counts_once,
    a_result_that_is_lost_on_the_way_is_asked_for_again,
    a_supervisor_that_is_wrong_ends_nothing,
    a_body_that_crashes_its_worker_is_told_with_its_node_and_signal,
    who_went_down_beside_a_body_that_crashes_goes_on,
    a_worker_becomes_free_for_who_runs_alone,
    a_crash_that_is_reported_late_is_told_with_the_next_one,
    of_several_tasks_none_is_said_to_have_crashed_its_worker,
    a_task_that_no_worker_survives_fails, lost_workers_are_counted_over_crashes,
    who_takes_a_thread_over_knows_how_many_workers_were_lost,
    an_update_whose_tasks_no_worker_survives_is_answered_once,
    nothing_goes_to_a_worker_that_drains,
    a_task_waits_for_a_worker_that_serves_its_graph,
    a_retry_waits_longer_each_time,
    an_error_handler_takes_over_in_the_same_superstep, at_most_so_many_at_once,
    a_worker_gets_what_it_leaves_to_this_coordinator,
    a_graph_that_is_announced_twice_is_one,
    what_a_lost_attempt_showed_is_marked_with_it,
    who_attaches_is_told_of_an_attempt_in_order)

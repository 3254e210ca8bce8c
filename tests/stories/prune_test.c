// Prune: a thread without its past. What is left works as before; a crash
// between the steps leaves the thread before it, or after it.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define T "{'thread': 't'}"

static json_t *state_values(void)
{
    return json_object_get(
        json_object_get(world_get("state", T), "state"), "values");
}

static size_t history_count(void)
{
    return json_array_size(json_object_get(world_get("history", T), "history"));
}

static json_int_t prune(void)
{
    json_t *answer = world_get("prune", T);
    ck_assert_ptr_nonnull(json_object_get(answer, "rows"));
    world_run();
    return json_integer_value(json_object_get(answer, "rows"));
}

static void holds(json_t *value, const char *expected)
{
    json_t *should = js(expected);
    char *is = ss_json_text(value);
    if (!json_equal(value, should))
        ck_abort_msg("%s instead of %s", is, expected);
    ss_free(is);
    json_decref(should);
}

static void run_chain(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w1", 2);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
}

START_TEST(the_newest_checkpoint_stays_and_the_rest_is_gone)
{
    run_chain();
    size_t rows = world_rows();
    ck_assert_uint_gt(history_count(), 1);
    ck_assert_int_eq(prune(), (json_int_t)rows);
    ck_assert_uint_eq(history_count(), 1);
    ck_assert_uint_eq(world_rows(), 2); // the snapshot, and who voids the rest
    holds(state_values(), "{'x': ['a', 'b', 'c']}");
    ck_assert_int_eq(prune(), 0); // there is nothing more
    world_crash();
    world_restart();
    holds(state_values(), "{'x': ['a', 'b', 'c']}");
    json_t *answer = world_get(
        "run", "{'graph': 'g', 'thread': 't', 'input': {'x': ['again']}}");
    holds(json_object_get(answer, "output"),
        "{'x': ['a', 'b', 'c', 'again', 'a', 'b', 'c']}");
    ck_assert_uint_gt(history_count(), 1);
    prune();
    ck_assert_uint_eq(history_count(), 1);
}
END_TEST

START_TEST(a_pruned_thread_resumes_at_its_question)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", asks_twice);
    world_worker("w1", 2);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    world_get("run", "{'thread': 't', 'command': {'resume': 'one'}}");
    size_t ran = world_attempts_of("c");
    ck_assert_int_gt(prune(), 0);
    json_t *state = json_object_get(world_get("state", T), "state");
    ck_assert_uint_eq(json_array_size(json_object_get(state, "interrupts")), 1);
    world_crash();
    world_restart();
    json_t *answer =
        world_get("run", "{'thread': 't', 'command': {'resume': 'two'}}");
    holds(json_object_get(answer, "output"),
        "{'x': ['a', 'b:one,two', 'c', 'd']}");
    ck_assert_uint_eq(world_attempts_of("c"), ran); // it had finished
}
END_TEST

START_TEST(a_question_inside_survives_a_prune)
{
    world_graph(chart("g", "start>a a>sub sub>b b>end",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state',"
        " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'i1'}, {'name': 'i2'}], 'edges':"
        " [['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]}}}"));
    world_body("i2", asks);
    world_worker("w1", 2);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    size_t ran = world_attempts_of("i1");
    prune();
    json_t *saved = json_object_get(world_get("checkpoints", T), "checkpoints");
    ck_assert_uint_eq(json_array_size(saved), 2); // the root's, the call's
    json_t *answer =
        world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "done");
    ck_assert_uint_eq(world_attempts_of("i1"), ran);
    prune(); // the call is over: it goes
    saved = json_object_get(world_get("checkpoints", T), "checkpoints");
    ck_assert_uint_eq(json_array_size(saved), 1);
}
END_TEST

START_TEST(a_crash_between_the_steps_leaves_all_or_the_newest)
{
    for (int64_t rows = 0; rows <= 2; rows += 2) { // both are of one unit
        run_chain();
        world_run();
        world_store_take(rows);
        world_ask("ann", "prune", T);
        world_run();
        ck_assert(world_store_stopped());
        world_crash();
        world_restart();
        holds(state_values(), "{'x': ['a', 'b', 'c']}");
        world_run();
        if (rows == 2) // void, and not deleted: that is made good
            ck_assert_uint_eq(world_rows(), 2);
        else
            ck_assert_uint_gt(history_count(), 1);
        prune();
        ck_assert_uint_eq(world_rows(), 2);
        json_t *answer = world_get(
            "run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
        holds(json_object_get(answer, "output"),
            "{'x': ['a', 'b', 'c', 'a', 'b', 'c']}");
        world_end();
        world_begin();
    }
}
END_TEST

START_TEST(a_failed_task_runs_again_after_a_prune)
{
    will_fail = true;
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", fails_at_will);
    world_worker("w1", 2);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    prune();
    will_fail = false;
    size_t ran = world_attempts_of("c");
    json_t *answer = world_get("run", "{'thread': 't', 'input': null}");
    holds(json_object_get(answer, "output"), "{'x': ['a', 'b', 'c', 'd']}");
    ck_assert_uint_eq(world_attempts_of("c"), ran);
}
END_TEST

START_TEST(a_pruned_thread_can_be_copied)
{
    run_chain();
    prune();
    json_t *answer = world_get("copy", "{'thread': 't', 'to': 'u'}");
    ck_assert_int_eq(json_integer_value(json_object_get(answer, "rows")), 1);
    world_crash();
    world_restart();
    json_t *state =
        json_object_get(world_get("state", "{'thread': 'u'}"), "state");
    holds(json_object_get(state, "values"), "{'x': ['a', 'b', 'c']}");
}
END_TEST

START_TEST(a_busy_thread_is_not_pruned)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 1);
    world_hold("a");
    world_ask(
        "ann", "run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    world_run();
    json_t *answer = world_get("prune", T);
    ck_assert_str_eq(
        ss_json_str(json_object_get(answer, "error"), "code", ""), "busy");
}
END_TEST

// Of the newest run of the thread. Borrowed.
static json_t *explained(void)
{
    return json_object_get(world_get("explain", T), "explain");
}

// The newest run is `run`, so many of whose supersteps are told, and whether
// others are gone.
static void is_explained(const char *run, size_t steps, bool pruned)
{
    for (int i = 0; i < 2; i++) {
        const json_t *told = explained();
        ck_assert_str_eq(ss_json_str(told, "run", ""), run);
        ck_assert_uint_eq(
            json_array_size(json_object_get(told, "steps")), steps);
        ck_assert(ss_json_bool(told, "steps_pruned", false) == pruned);
        world_crash();
        world_restart();
    }
}

START_TEST(a_run_whose_supersteps_were_pruned_says_that_they_are_gone)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
    world_worker("w1", 2);
    world_get(
        "run", "{'graph': 'g', 'thread': 't', 'run': '1', 'input': {'x': []}}");
    is_explained("1", 5, false); // what it was given is the first
    prune();
    is_explained("1", 1, true);
    world_get(
        "run", "{'graph': 'g', 'thread': 't', 'run': '2', 'input': {'x': []}}");
    is_explained("2", 5, false);
    // with what somebody wrote nothing of it is left but how it ended
    world_get("update", "{'thread': 't', 'supersteps':"
                        " [[{'values': {'x': ['y']}, 'as_node': 'c'}]]}");
    prune();
    is_explained("2", 0, true);
    prune();
    is_explained("2", 0, true);
}
END_TEST

// What a run failed with, and what the next one that goes on fails with, stands
// at a checkpoint that stays.
START_TEST(a_run_that_failed_at_once_has_all_its_supersteps_after_a_prune)
{
    will_fail = true;
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", fails_at_will);
    world_worker("w1", 2);
    world_get(
        "run", "{'graph': 'g', 'thread': 't', 'run': '1', 'input': {'x': []}}");
    prune();
    is_explained("1", 1, false); // and not what it was given
    world_get("run", "{'graph': 'g', 'thread': 't', 'run': '2'}");
    prune();
    is_explained("2", 1, false);
    const json_t *step =
        json_array_get(json_object_get(explained(), "steps"), 0);
    const json_t *task = json_array_get(json_object_get(step, "tasks"), 0);
    ck_assert_str_eq(ss_json_str(task, "error", ""), "it broke");
}
END_TEST

static const char *spared(const char *op, const char *body)
{
    return ss_json_str(world_get(op, body), "spared", "no");
}

START_TEST(what_was_used_since_is_spared)
{
    run_chain();
    world_pass(60000);
    const char *minute = "{'thread': 't', 'idle_ms': 60001}";
    ck_assert_str_eq(spared("prune", minute), "used");
    ck_assert_str_eq(spared("delete", minute), "used");
    // The prune itself does not count as use.
    world_pass(1);
    ck_assert_str_eq(spared("prune", minute), "no");
    ck_assert_str_eq(spared("delete", minute), "no");
    json_t *answer = world_get("explain", T);
    ck_assert_ptr_nonnull(json_object_get(answer, "error"));
    answer = world_get("prune", "{'thread': 't', 'idle_ms': -1}");
    ck_assert_str_eq(ss_json_str(json_object_get(answer, "error"), "code", ""),
        "invalid_argument");
}
END_TEST

// Its facts are told again, behind all else that stays of it.
START_TEST(a_prune_of_a_thread_of_which_something_is_said_is_no_use)
{
    const char *minute = "{'thread': 't', 'idle_ms': 60001}";
    run_chain();
    world_get("thread_put", "{'thread': 't', 'facts': {'owner': 'ann'}}");
    world_pass(60001);
    ck_assert_str_eq(spared("prune", minute), "no");
    ck_assert_str_eq(spared("prune", minute), "no");
    ck_assert_str_eq(spared("delete", minute), "no");
}
END_TEST

START_TEST(what_waits_for_an_answer_is_spared)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_body("b", asks);
    world_worker("w1", 1);
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    ck_assert_str_eq(
        spared("delete", "{'thread': 't', 'keep_waiting': true}"), "waits");
    ck_assert_str_eq(spared("prune", T), "no");
    json_t *answer =
        world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    holds(json_object_get(answer, "output"), "{'x': ['a', 'b:yes']}");
    ck_assert_str_eq(
        spared("delete", "{'thread': 't', 'keep_waiting': true}"), "no");
}
END_TEST

// Its error stood before its output; of one row all writes are as old.
START_TEST(
    a_task_that_failed_and_then_finished_does_not_run_again_after_a_prune)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", fails_at_will);
    world_body("c", asks_twice);
    world_worker("w1", 2);
    will_fail = true;
    world_get("run", "{'graph': 'g', 'thread': 't', 'input': {'x': []}}");
    will_fail = false;
    json_t *answer =
        world_get("run", "{'thread': 't', 'command': {'resume': 'one'}}");
    ck_assert_str_eq(ss_json_str(answer, "status", ""), "interrupted");
    ck_assert_uint_eq(world_attempts_of("b"), 2);
    ck_assert_int_gt(prune(), 0);
    answer = world_get("run", "{'thread': 't', 'command': {'resume': 'two'}}");
    holds(json_object_get(answer, "output"),
        "{'x': ['a', 'b', 'c:one,two', 'd']}");
    ck_assert_uint_eq(world_attempts_of("b"), 2);
}
END_TEST

SUITE("prune", the_newest_checkpoint_stays_and_the_rest_is_gone,
    a_pruned_thread_resumes_at_its_question, a_question_inside_survives_a_prune,
    a_crash_between_the_steps_leaves_all_or_the_newest,
    a_failed_task_runs_again_after_a_prune,
    a_task_that_failed_and_then_finished_does_not_run_again_after_a_prune,
    a_pruned_thread_can_be_copied, a_busy_thread_is_not_pruned,
    a_run_whose_supersteps_were_pruned_says_that_they_are_gone,
    a_run_that_failed_at_once_has_all_its_supersteps_after_a_prune,
    what_was_used_since_is_spared,
    a_prune_of_a_thread_of_which_something_is_said_is_no_use,
    what_waits_for_an_answer_is_spared)

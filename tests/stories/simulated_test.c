// What the simulator found (tests/sim): each fault as a short story, named
// after what is right now.
#include <stdio.h>
#include <string.h>

#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

static json_t *run(const char *body)
{
    json_t *answer = world_get("run", body);
    ck_assert_ptr_nonnull(answer);
    return answer;
}

static void expect(const json_t *answer, const char *key, const char *text)
{
    json_t *is = json_object_get(answer, key), *should = js(text);
    char *shown = json_dumps(is, JSON_ENCODE_ANY);
    ck_assert_msg(
        json_equal(is, should), "%s is %s and not %s", key, shown, text);
    free(shown);
    json_decref(should);
}

// Under `exit` a cancelled run left nothing: its input was gone, and whoever
// went on with the thread had the values of before.
START_TEST(a_run_that_is_cancelled_under_exit_leaves_what_it_reached)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 2);
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': ['in']},"
        " 'durability': 'exit', 'run': 'r'}");
    world_run();
    world_get("cancel", "{'thread': 't', 'run': 'r'}");
    world_let("b");
    json_t *answer = run("{'thread': 't', 'input': null}");
    expect(answer, "status", "'done'");
    expect(answer, "output", "{'x': ['in', 'a', 'b']}");
    ck_assert_uint_eq(world_attempts_of("a"), 1);
}
END_TEST

#define INSIDE                                                                 \
    "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"         \
    " {'name': 'inner', 'kind': 'state',"                                      \
    " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"              \
    " 'nodes': [{'name': 'i1'}, {'name': 'i2'}],"                              \
    " 'edges': [['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]}}}"

// The same inside a graph: what its nodes did is not done again.
START_TEST(a_graph_inside_that_is_cancelled_under_exit_goes_on_where_it_was)
{
    world_graph(chart("g", "start>sub sub>end", INSIDE));
    world_worker("w1", 2);
    world_hold("i2");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': []},"
        " 'durability': 'exit', 'run': 'r'}");
    world_run();
    world_get("cancel", "{'thread': 't', 'run': 'r'}");
    world_let("i2");
    json_t *answer = run("{'thread': 't', 'input': null}");
    expect(answer, "output", "{'x': ['i1', 'i2']}");
    ck_assert_uint_eq(world_attempts_of("i1"), 1);
}
END_TEST

// One who had asked for a run and heard nothing asks again: what was told in
// between never came to it.
START_TEST(a_run_that_is_asked_for_again_is_told_from_its_beginning)
{
    static const char ask[] =
        "{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'run': 'r',"
        " 'stream': ['values']}";
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 2);
    world_hold("b");
    world_ask("ann", "run", ask);
    world_run();
    world_gone("ann");
    world_forget();
    world_ask("bob", "run", ask); // it is under way
    world_run();
    told("bob: accepted\n"
         "bob sees values {\"x\":[]}\n"
         "bob sees values {\"x\":[\"a\"]}\n");
    world_let("b");
    world_run();
    world_forget();
    world_ask("cyd", "run", ask); // it has ended
    world_run();
    told("cyd sees values {\"x\":[]}\n"
         "cyd sees values {\"x\":[\"a\"]}\n"
         "cyd sees values {\"x\":[\"a\",\"b\"]}\n"
         "cyd: done {\"x\":[\"a\",\"b\"]}\n");
}
END_TEST

// A resume value without an id that a cancelled run had left was taken by the
// next one, which did not say so under `exit`: the one after that gave it to
// another question.
START_TEST(an_answer_that_was_left_at_an_exit_is_used_once)
{
    world_graph(chart("g", "start>b b>end", NULL));
    world_body("b", asks_twice);
    world_worker("w1", 2);
    run("{'thread': 't', 'graph': 'g', 'input': {'x': []},"
        " 'durability': 'exit'}");
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 't', 'command': {'resume': 'yes'}, 'durability': 'exit',"
        " 'run': 'r'}");
    world_run();
    world_get("cancel", "{'thread': 't', 'run': 'r'}");
    world_let("b");
    static const char go_on[] =
        "{'thread': 't', 'input': null, 'durability': 'exit'}";
    json_t *answer = run(go_on); // this one takes it
    expect(json_array_get(json_object_get(answer, "interrupts"), 0), "value",
        "'second?'");
    answer = run(go_on);
    expect(answer, "status", "'interrupted'");
    expect(json_array_get(json_object_get(answer, "interrupts"), 0), "value",
        "'second?'");
}
END_TEST

// Run r of thread t, in the middle; its coordinator loses all threads to the
// other, which has not heard of their runs yet.
static void hand_over(void)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_pair();
    world_worker("w1", 2);
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'run': 'r'}");
    world_run();
    world_lost(true);
    world_at("two");
    world_gained_unread();
}

// Who asked in that moment was told that there is no such run; one who asked
// for another run got it, and the first one was lost.
START_TEST(who_asks_before_all_runs_are_known_waits)
{
    hand_over();
    uint64_t attach = world_ask("bob", "attach", "{'thread': 't', 'run': 'r'}");
    uint64_t other = world_ask(
        "cyd", "run", "{'thread': 't', 'graph': 'g', 'input': {'x': []}}");
    world_run();
    ck_assert_ptr_null(world_answer(attach));
    ck_assert_ptr_null(world_answer(other));
    world_found(false);
    world_run();
    expect(json_object_get(world_answer(other), "error"), "code", "'busy'");
    world_worker("w2", 2);
    world_let("b");
    expect(world_finish(attach), "output", "{'x': ['a', 'b']}");
}
END_TEST

// It was cancelled by the request just before; its end was a row that nobody
// looked at yet.
START_TEST(a_run_that_ends_in_this_very_step_is_found)
{
    hand_over();
    world_ask("ann", "cancel", "{'thread': 't', 'run': 'r'}");
    uint64_t attach = world_ask("bob", "attach", "{'thread': 't', 'run': 'r'}");
    world_run();
    world_found(false);
    world_run();
    expect(world_answer(attach), "status", "'cancelled'");
}
END_TEST

// It read a thread of the other coordinator, kept it, and later, when the
// thread had become its own, took for true what it had read then.
START_TEST(a_cancel_at_the_wrong_coordinator_is_sent_on)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_pair();
    world_at("two");
    world_worker("w1", 2);
    uint64_t cancel = world_ask("ann", "cancel", "{'thread': 't', 'run': 'r'}");
    world_run();
    expect(json_object_get(world_answer(cancel), "error"), "code", "'moved'");
}
END_TEST

// Found at the other coordinator, whose predecessor crashed.
static void find_at(const char *coordinator)
{
    world_lost(false);
    world_at(coordinator);
    world_gained_unread();
}

// It asked before the run was found in quarantine, and who came behind it was
// answered as if the run were still there: the run was forgotten.
START_TEST(a_release_that_waited_lets_its_run_go_on)
{
    hand_over();
    world_found(true);
    world_run();
    for (int i = 0; i < 3; i++) {
        find_at(i % 2 ? "two" : "one");
        world_found(true);
        world_run();
    }
    find_at("two");
    uint64_t release =
        world_ask("ann", "release", "{'thread': 't', 'run': 'r'}");
    uint64_t attach = world_ask("bob", "attach", "{'thread': 't', 'run': 'r'}");
    world_run();
    world_found(true);
    expect(world_answer(release), "status", "'running'");
    world_worker("w2", 2);
    world_let("b");
    expect(world_finish(attach), "output", "{'x': ['a', 'b']}");
}
END_TEST

static json_t *first_write(json_t *value, json_t *writes)
{
    (void)value;
    return json_incref(json_array_get(writes, 0));
}

// Its thread moved while a worker folded for it, and then that worker was lost.
START_TEST(a_fold_is_forgotten_with_its_thread)
{
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'first'}]}"));
    world_fold("first", first_write);
    world_pair();
    world_worker("w1", 2);
    world_hold("x");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'run': 'r'}");
    world_run();
    world_silence("w1");
    world_pass(3000);
    world_sleep(1);
    world_lost(true); // in that very step its lease ends too
    world_at("two");
    world_gained();
    world_worker("w2", 2);
    world_let("x");
    uint64_t attach = world_ask("bob", "attach", "{'thread': 't', 'run': 'r'}");
    expect(world_finish(attach), "status", "'done'");
}
END_TEST

// All of an update is there, or nothing: what it writes stood beside the
// checkpoint that it begins with while a worker folded.
START_TEST(an_update_that_a_crash_cut_off_in_its_fold_leaves_nothing)
{
    world_graph(chart("g", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'first'}]}"));
    world_fold("first", first_write);
    world_worker("w1", 2);
    run("{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'run': 'r'}");
    json_t *before = world_get("checkpoints", "{'thread': 't'}");
    world_hold("x");
    world_ask("ann", "update",
        "{'thread': 't', 'supersteps':"
        " [[{'values': {'x': ['u']}, 'as_node': 'a'}]]}");
    world_run();
    world_crash();
    world_restart();
    ck_assert(json_equal(before, world_get("checkpoints", "{'thread': 't'}")));
}
END_TEST

// It was told "fenced", which means nothing to a client: the coordinator is
// about to end, and the next one knows.
START_TEST(who_looks_for_a_run_in_a_database_that_was_set_back_is_told_nothing)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_worker("w1", 2);
    run("{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'run': 'r'}");
    world_crash();
    world_restart();
    world_read_says(SS_EFENCED);
    uint64_t attach = world_ask("bob", "attach", "{'run': 'r'}");
    world_run();
    ck_assert_ptr_null(world_answer(attach));
}
END_TEST

// The first to ask ends the coordinator: each asks another one.
static const struct {
    const char *op, *body;
} lists[] = {{"runs", "{}"}, {"threads", "{}"}, {"clear_cache", "{}"}};

START_TEST(who_asks_for_a_list_of_a_database_that_was_set_back_is_told_nothing)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        world_crash();
        world_restart();
        world_read_says(SS_EFENCED);
        uint64_t list = world_ask("bob", lists[i].op, lists[i].body);
        world_run();
        ck_assert_ptr_null(world_answer(list));
    }
}
END_TEST

// A question: what finished beside it was left by the exit, and a worker folded
// what is to be shown. Then the run was cancelled, and left it all again.
START_TEST(what_an_exit_left_is_not_left_again_by_a_cancel)
{
    world_graph(chart("g", "start>a start>b a>end b>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'first'},"
        " {'key': 'y', 'type': 'list', 'reducer': 'add'}]}"));
    world_fold("first", first_write);
    world_body("b", asks);
    world_worker("w1", 4);
    world_hold("x");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'durability': 'exit', 'run': 'r',"
        " 'input': {'y': ['in']}}");
    world_run();
    world_get("cancel", "{'thread': 't', 'run': 'r'}");
    world_run();
    const char *first = strstr(world_told(), "writes of a");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_null(strstr(first + 1, "writes of a"));
}
END_TEST

static json_t *fails_before_it_asks(struct visit *visit)
{
    if (json_array_size(visit->order->given.answers) == 2 &&
        visit->order->attempt_number == 1)
        return visit_fail(visit, SS_ENODE, "flaky", SS_RETRY_YES, "it broke");
    return asks_twice(visit);
}

// The row of a try replaces what stood for its task: it said which answers the
// attempt had used, and one that broke before it asked had used none.
START_TEST(answers_outlive_a_crash_between_tries)
{
    world_graph(chart("g", "start>b b>end",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 100,"
        " 'max_attempts': 3, 'jitter': false}]}}}"));
    world_body("b", fails_before_it_asks);
    world_worker("w1", 1);
    run("{'thread': 't', 'graph': 'g', 'input': {'x': []}}");
    json_t *asked = run("{'thread': 't', 'command': {'resume': 'one'}}");
    const char *id = ss_json_str(
        json_array_get(json_object_get(asked, "interrupts"), 0), "id", "?");
    char body[256];
    snprintf(body, sizeof(body),
        "{'thread': 't', 'run': 'r', 'command':"
        " {'resume': {'%s': 'two'}}}",
        id);
    world_ask("ann", "run", body);
    world_run(); // its first attempt has failed
    world_crash();
    world_restart();
    uint64_t attach = world_ask("bob", "attach", "{'thread': 't', 'run': 'r'}");
    json_t *answer = world_finish(attach);
    expect(answer, "status", "'done'");
    expect(answer, "output", "{'x': ['b:one,two']}");
}
END_TEST

// While its rows were read, which took longer than its trial, the engine asked
// to be woken in the past: it never slept, took each step for one after a pause
// of its own, and gave every worker that much longer to live.
START_TEST(a_slow_read_of_a_run_on_trial_keeps_no_worker_alive)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 2);
    world_hold("b");
    world_ask("ann", "run",
        "{'thread': 't', 'graph': 'g', 'input': {'x': []}, 'run': 'r'}");
    world_run();
    for (int i = 0; i < 2; i++) {
        world_crash();
        world_restart();
        world_run();
    }
    world_crash();
    world_store_slow(true);
    world_restart();
    world_run();
    ck_assert(world_run_store()); // that it is counted
    world_run();
    world_silence("w1");
    world_forget();
    world_pass(12000);
    ck_assert_ptr_nonnull(
        strstr(world_told(), "worker w1 is gone: its lease ended"));
    world_store_slow(false);
    world_worker("w2", 2);
    world_let("b");
    uint64_t attach = world_ask("bob", "attach", "{'thread': 't', 'run': 'r'}");
    expect(world_finish(attach), "status", "'done'");
}
END_TEST

SUITE("simulated", a_slow_read_of_a_run_on_trial_keeps_no_worker_alive,
    answers_outlive_a_crash_between_tries,
    what_an_exit_left_is_not_left_again_by_a_cancel,
    who_looks_for_a_run_in_a_database_that_was_set_back_is_told_nothing,
    who_asks_for_a_list_of_a_database_that_was_set_back_is_told_nothing,
    a_fold_is_forgotten_with_its_thread,
    an_update_that_a_crash_cut_off_in_its_fold_leaves_nothing,
    a_release_that_waited_lets_its_run_go_on,
    who_asks_before_all_runs_are_known_waits,
    a_run_that_ends_in_this_very_step_is_found,
    a_cancel_at_the_wrong_coordinator_is_sent_on,
    a_run_that_is_cancelled_under_exit_leaves_what_it_reached,
    a_graph_inside_that_is_cancelled_under_exit_goes_on_where_it_was,
    a_run_that_is_asked_for_again_is_told_from_its_beginning,
    an_answer_that_was_left_at_an_exit_is_used_once)

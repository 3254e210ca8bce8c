// People in the loop: questions, breakpoints, changed states, other pasts.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(more)     "{'thread': 't', 'graph': 'g', 'input': {'x': []}" more "}"
#define ANSWER(value) "{'thread': 't', 'command': {'resume': " value "}}"
#define GO_ON         "{'thread': 't', 'input': null}"

static void diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 4);
}

static json_t *asks_nothing(struct visit *visit)
{
    return visit_ask(visit, NULL) ? says("b") : NULL;
}

START_TEST(a_question_without_a_value_asks_null)
{
    diamond();
    world_body("b", asks_nothing);
    world_get("run", RUN(", 'stream': ['updates']"));
    ck_assert_ptr_nonnull(
        strstr(world_told(), "ann sees updates {\"__interrupt__\":[null]}\n"));
}
END_TEST

START_TEST(a_plain_answer_goes_to_the_one_who_asked)
{
    diamond();
    world_body("b", asks);
    world_get("run", RUN(", 'stream': ['updates', 'values']"));
    world_get("run",
        "{'thread': 't', 'command': {'resume': 'yes'}, 'stream': ['updates',"
        " 'values']}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "ann sees values {\"x\":[]}\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "ann sees values {\"x\":[\"a\"]}\n"
         "  row 4 of t: writes of b (asks)\n"
         "ann sees updates {\"__interrupt__\":[\"ok?\"]}\n"
         "ann sees values {\"x\":[\"a\"],\"__interrupt__\":[\"ok?\"]}\n"
         "the run ends: interrupted\n"
         "  row 5 of t: writes of c, end\n"
         "ann sees updates {\"c\":{\"x\":[\"c\"]}}\n"
         "ann sees values {\"x\":[\"a\",\"c\"]}\n"
         "ann: interrupted {\"x\":[\"a\",\"c\"]} asked [\"ok?\"]\n"
         "run of graph g begins on thread t\n"
         "  row 6 of t: entry, writes of the client (answer)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "ann sees values {\"x\":[\"a\"]}\n"
         "ann sees updates "
         "{\"c\":{\"x\":[\"c\"]},\"__metadata__\":{\"cached\":true}}\n"
         "  row 7 of t: writes of b (answer), the plain answer taken, "
         "checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"b\":{\"x\":[\"b:yes\"]}}\n"
         "ann sees values {\"x\":[\"a\",\"b:yes\",\"c\"]}\n"
         "the run ends: done\n"
         "  row 8 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann sees updates {\"d\":{\"x\":[\"d\"]}}\n"
         "ann sees values {\"x\":[\"a\",\"b:yes\",\"c\",\"d\"]}\n"
         "ann: done {\"x\":[\"a\",\"b:yes\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_plain_answer_to_two_questions_is_refused_with_nothing_stored)
{
    diamond();
    world_body("b", asks);
    world_body("c", asks);
    world_get("run", RUN(""));
    world_forget();
    world_get("run", ANSWER("'yes'"));
    told("ann: error invalid_state: thread t: 2 questions are open; say by its "
         "id which one this answers: --answer ID=JSON, in a request "
         "{\"resume\": {id: answer}}\n");
}
END_TEST

START_TEST(a_node_that_asks_twice_is_run_three_times)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", asks_twice);
    world_worker("w1", 4);
    world_get("run", RUN(""));
    world_get("run", ANSWER("'one'"));
    world_get("run", ANSWER("'two'"));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: interrupted\n"
         "  row 3 of t: writes of a (asks), end\n"
         "ann: interrupted {\"x\":[]} asked [\"first?\"]\n"
         "run of graph g begins on thread t\n"
         "  row 4 of t: entry, writes of the client (answer)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: interrupted\n"
         "  row 5 of t: writes of a (asks) (answer), the plain answer taken, "
         "end\n"
         "ann: interrupted {\"x\":[]} asked [\"second?\"]\n"
         "run of graph g begins on thread t\n"
         "  row 6 of t: entry, writes of the client (answer)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: done\n"
         "  row 7 of t: writes of a (answer), the plain answer taken, "
         "checkpoint 1 (loop), end\n"
         "ann: done {\"x\":[\"a:one,two\"]}\n");
}
END_TEST

// Better than R7.10: going on without an answer does not answer with the old
// one.
START_TEST(an_answer_is_given_once)
{
    world_graph(chart("g", "start>a a>end", NULL));
    world_body("a", asks_twice);
    world_worker("w1", 4);
    world_get("run", RUN(""));
    world_get("run", ANSWER("'one'"));
    world_forget();
    world_get("run", GO_ON);
    told("run of graph g begins on thread t\n"
         "  row 6 of t: entry\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: interrupted\n"
         "  row 7 of t: writes of a (asks) (answer), end\n"
         "ann: interrupted {\"x\":[]} asked [\"second?\"]\n");
}
END_TEST

START_TEST(a_breakpoint_stops_before_and_lets_pass_when_gone_on)
{
    diamond();
    world_get("run", RUN(", 'interrupt_before': ['d']"));
    world_get(
        "run", "{'thread': 't', 'input': null, 'interrupt_before': ['d']}");
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
         "the run ends: interrupted\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop), end\n"
         "ann: interrupted {\"x\":[\"a\",\"b\",\"c\"]}\n"
         "run of graph g begins on thread t\n"
         "  row 6 of t: entry\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: done\n"
         "  row 7 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_breakpoint_after_each_node)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    world_get("run", RUN(", 'interrupt_after': '*'"));
    world_get("run", "{'thread': 't', 'input': null, 'interrupt_after': '*'}");
    world_get("run", "{'thread': 't', 'input': null, 'interrupt_after': '*'}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: interrupted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop), end\n"
         "ann: interrupted {\"x\":[\"a\"]}\n"
         "run of graph g begins on thread t\n"
         "  row 4 of t: entry\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: interrupted\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop), end\n"
         "ann: interrupted {\"x\":[\"a\",\"b\"]}\n"
         "run of graph g begins on thread t\n"
         "the run ends: done\n"
         "  row 6 of t: entry, end\n"
         "ann: accepted\n"
         "ann: done {\"x\":[\"a\",\"b\"]}\n");
}
END_TEST

// b is answered for by a person: its question is gone, c's result stands beside
// what the update wrote (on the checkpoint that both belong to).
START_TEST(an_update_in_mid_superstep_stands_for_the_node_that_asked)
{
    world_graph(chart("g", "start>a a>b a>c b>d c>d d>end", NULL));
    world_body("b", asks);
    world_worker("w1", 4);
    world_get("run", RUN(""));
    world_get("update",
        "{'thread': 't', 'supersteps': [[{'values': {'x': ['person']},"
        " 'as_node': 'b'}]]}");
    world_get("run", GO_ON);
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of b (asks)\n"
         "the run ends: interrupted\n"
         "  row 5 of t: writes of c, end\n"
         "ann: interrupted {\"x\":[\"a\",\"c\"]} asked [\"ok?\"]\n"
         "  row 6 of t: writes of update 0, checkpoint 2 (update)\n"
         "ann: answered\n"
         "run of graph g begins on thread t\n"
         "  row 7 of t: entry\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: done\n"
         "  row 8 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"person\",\"d\"]}\n");
}
END_TEST

// The id of the newest checkpoint of that step. Borrowed.
static const char *checkpoint_of(int step)
{
    json_t *history =
        json_object_get(world_get("history", "{'thread': 't'}"), "history");
    json_t *item;
    size_t i;
    json_array_foreach (history, i, item)
        if (ss_json_int(json_object_get(item, "metadata"), "step", -9) == step)
            return ss_json_str(
                json_object_get(item, "config"), "checkpoint_id", NULL);
    ck_abort_msg("no checkpoint of step %d", step);
}

START_TEST(a_replay_leaves_the_first_branch_as_it_was)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    world_get("run", RUN(""));
    const char *id = checkpoint_of(1);
    world_forget();
    world_finish(world_ask_json("ann", "run",
        json_pack(
            "{s:s, s:n, s:s}", "thread", "t", "input", "checkpoint_id", id)));
    size_t count = json_array_size(
        json_object_get(world_get("history", "{'thread': 't'}"), "history"));
    ck_assert_uint_eq(count, 4 + 2);
    told("run of graph g begins on thread t\n"
         "  row 5 of t: entry, checkpoint 2 (fork)\n"
         "b of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: done\n"
         "  row 6 of t: writes of b, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\"]}\n"
         "ann: answered\n");
}
END_TEST

START_TEST(an_update_of_the_past_makes_a_branch)
{
    world_graph(chart("g", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    world_get("run", RUN(""));
    json_t *update = js("{'thread': 't', 'supersteps': [[{'values':"
                        " {'x': ['else']}}]]}");
    json_object_set_new(update, "checkpoint_id", json_string(checkpoint_of(1)));
    world_forget();
    world_finish(world_ask_json("ann", "update", update));
    world_get("run", GO_ON);
    told("  row 5 of t: checkpoint 2 (update)\n"
         "ann: answered\n"
         "run of graph g begins on thread t\n"
         "  row 6 of t: entry\n"
         "b of superstep 3 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "the run ends: done\n"
         "  row 7 of t: writes of b, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"else\",\"b\"]}\n");
}
END_TEST

START_TEST(a_thread_is_copied_and_goes_its_own_way)
{
    diamond();
    world_body("b", asks);
    world_get("run", RUN(""));
    world_get("copy", "{'thread': 't', 'to': 'u'}");
    world_get("run", ANSWER("'yes'"));
    world_forget();
    world_get("run", "{'thread': 'u', 'command': {'resume': 'no'}}");
    told("run of graph g begins on thread u\n"
         "  row 6 of u: entry, writes of the client (answer)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 7 of u: writes of b (answer), the plain answer taken, "
         "checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 8 of u: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b:no\",\"c\",\"d\"]}\n");
}
END_TEST

START_TEST(a_deleted_thread_is_as_new)
{
    diamond();
    world_get("run", RUN(""));
    world_get("delete", "{'thread': 't'}");
    world_forget();
    world_get("run", RUN(""));
    told("run of graph g begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of b\n"
         "  row 5 of t: writes of c, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

static void expect_warnings(const json_t *answer, const char *expected)
{
    char *text = ss_json_text(json_object_get(answer, "warnings"));
    ck_assert_str_eq(text, expected);
    ss_free(text);
}

START_TEST(an_answer_that_nobody_asks_for_is_told_of)
{
    static const char *const unasked =
        "[\"thread t: no question is open; the answer was ignored\"]";
    diamond();
    world_get("run", RUN(""));
    json_t *answer = world_get("run", ANSWER("'yes'"));
    ck_assert_str_eq(status_of(answer), "done");
    expect_warnings(answer, unasked);
    // at a breakpoint there are tasks, of which none asks
    world_get("run", RUN(", 'interrupt_before': ['b']"));
    answer = world_get("run", ANSWER("'yes'"));
    ck_assert_str_eq(status_of(answer), "done");
    expect_warnings(answer, unasked);
    // by an id that nobody has
    answer =
        world_get("run", ANSWER("{'0123456789abcdef0123456789abcdef': 1}"));
    expect_warnings(answer, "[\"thread t: no open question has the id "
                            "0123456789abcdef0123456789abcdef\"]");
}
END_TEST

START_TEST(an_answer_that_is_asked_for_is_no_mistake)
{
    diamond();
    world_body("b", asks);
    world_get("run", RUN(""));
    json_t *answer = world_get("run", ANSWER("'yes'"));
    ck_assert_str_eq(status_of(answer), "done");
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "warnings")), 0);
    // given ahead of the question
    world_get("run", RUN(", 'interrupt_before': ['b']"));
    answer = world_get("run", ANSWER("'yes'"));
    ck_assert_str_eq(status_of(answer), "done");
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "warnings")), 0);
}
END_TEST

START_TEST(a_breakpoint_at_no_node_is_told_of)
{
    diamond();
    json_t *answer =
        world_get("run", RUN(", 'interrupt_before': ['b', 'dd', 'nobody'],"
                             " 'interrupt_after': ['xyz']"));
    ck_assert_str_eq(status_of(answer), "interrupted");
    expect_warnings(answer,
        "[\"interrupt_before: \\\"dd\\\" is not a node of graph g, and stops "
        "nothing.\","
        "\"interrupt_before: \\\"nobody\\\" is not a node of graph g, and "
        "stops "
        "nothing.\",\"interrupt_after: \\\"xyz\\\" is not a node of graph g, "
        "and "
        "stops nothing.\"]");
    answer = world_get("run", RUN(", 'interrupt_before': '*'"));
    ck_assert_uint_eq(json_array_size(json_object_get(answer, "warnings")), 0);
    world_graph(chart("h", "start>review review>end", NULL));
    world_worker("w1", 4);
    answer =
        world_get("run", "{'thread': 'u', 'graph': 'h', 'input': {'x': []},"
                         " 'interrupt_after': ['reveiw']}");
    expect_warnings(answer, "[\"interrupt_after: \\\"reveiw\\\" is not a node "
                            "of graph h, and stops "
                            "nothing. Did you mean \\\"review\\\"?\"]");
}
END_TEST

SUITE("people", a_question_without_a_value_asks_null,
    a_plain_answer_goes_to_the_one_who_asked,
    a_plain_answer_to_two_questions_is_refused_with_nothing_stored,
    a_node_that_asks_twice_is_run_three_times, an_answer_is_given_once,
    a_breakpoint_stops_before_and_lets_pass_when_gone_on,
    a_breakpoint_after_each_node,
    an_update_in_mid_superstep_stands_for_the_node_that_asked,
    a_replay_leaves_the_first_branch_as_it_was,
    an_update_of_the_past_makes_a_branch,
    a_thread_is_copied_and_goes_its_own_way, a_deleted_thread_is_as_new,
    an_answer_that_nobody_asks_for_is_told_of,
    an_answer_that_is_asked_for_is_no_mistake,
    a_breakpoint_at_no_node_is_told_of)

// Runs that nothing disturbs: how supersteps follow each other.
#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/suite.h"

#define RUN(graph, more)                                                       \
    "{'thread': 't', 'graph': '" graph "', 'input': {'x': []}" more "}"

// Everything that happens in the simplest run: a row before each task that
// rests on it, and what the client sees when it is durable.
START_TEST(a_chain)
{
    world_graph(chart("chain", "start>a a>b b>end", NULL));
    world_worker("w1", 4);
    world_get("run", RUN("chain", ", 'stream': ['updates', 'values']"));
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph chain begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "ann sees values {\"x\":[]}\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann sees updates {\"a\":{\"x\":[\"a\"]}}\n"
         "ann sees values {\"x\":[\"a\"]}\n"
         "the run ends: done\n"
         "  row 4 of t: writes of b, checkpoint 2 (loop), end\n"
         "ann sees updates {\"b\":{\"x\":[\"b\"]}}\n"
         "ann sees values {\"x\":[\"a\",\"b\"]}\n"
         "ann: done {\"x\":[\"a\",\"b\"]}\n");
}
END_TEST

// A turn of a conversation need not send the whole of it back.
START_TEST(an_answer_holds_the_keys_that_were_asked_for)
{
    world_graph(chart("chain", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'},"
        " {'key': 'y', 'type': 'str'}]}"));
    world_worker("w1", 4);
    const char *const all = "{\"x\":[\"a\"]}";
    const char *const wanted[][2] = {{"", all}, {", 'output_keys': null", all},
        {", 'output_keys': ['x']", all}, {", 'output_keys': ['y']", "null"},
        {", 'output_keys': []", "null"}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        char *run = ss_format("{'thread': 't%zu', 'graph': 'chain', "
                              "'run': 'r', 'input': {'x': []}%s}",
            i, wanted[i][0]);
        // Also who asks for it again, when it has ended.
        for (int again = 0; again < 2; again++) {
            const json_t *answer = world_get("run", run);
            char *output = ss_json_text(json_object_get(answer, "output"));
            ck_assert_msg(strcmp(output, wanted[i][1]) == 0, "%s: %s (%d)",
                wanted[i][0], output, again);
            ss_free(output);
        }
        ss_free(run);
    }
}
END_TEST

// A body that asks for a text finds none: where it came from is told.
START_TEST(an_input_of_another_type_than_its_key_is_told)
{
    world_graph(chart("typed", "start>a a>end",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'},"
        " {'key': 'n', 'type': 'int'}, {'key': 'f', 'type': 'float'},"
        " {'key': 's', 'type': 'str'}, {'key': 'free'}]}"));
    world_worker("w1", 4);
    const json_t *answer = world_get("run",
        "{'thread': 't', 'graph': 'typed', 'input': {'x': [], 'n': 'five',"
        " 'f': 5, 's': null, 'free': 7}}");
    char *text = ss_json_text(json_object_get(answer, "warnings"));
    ck_assert_str_eq(text,
        "[\"\\\"n\\\" of the input is a text, and the key of "
        "graph typed holds a whole number.\"]");
    ss_free(text);
}
END_TEST

START_TEST(a_fan_out_with_a_join)
{
    world_graph(chart("diamond", "start>a a>b a>c b+c>d d>end", NULL));
    world_worker("w1", 4);
    world_hold("b");
    world_ask("ann", "run", RUN("diamond", ""));
    world_run();
    world_let("b");
    world_run();
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph diamond begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "c of superstep 2 goes to worker w1 (attempt 1)\n"
         "  row 4 of t: writes of c\n"
         "  row 5 of t: writes of b, checkpoint 2 (loop)\n"
         "d of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 6 of t: writes of d, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"c\",\"d\"]}\n");
}
END_TEST

static json_t *route_by_x(const char *branch, json_t *state)
{
    (void)branch;
    size_t count = json_array_size(json_object_get(state, "x"));
    return json_string(count < 2 ? "b" : "c");
}

START_TEST(a_branch)
{
    world_graph(chart("branch", "start>a b>end c>end",
        "{'branches': [{'from': 'a', 'name': 'which'}]}"));
    world_route("a", route_by_x);
    world_worker("w1", 4);
    world_get("run", RUN("branch", ""));
    world_get("run", "{'thread': 't', 'input': {'x': ['again']}}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph branch begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "b of superstep 2 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 4 of t: writes of b, checkpoint 2 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\"]}\n"
         "run of graph branch begins on thread t\n"
         "  row 5 of t: entry, checkpoint 3 (input)\n"
         "  row 6 of t: writes of __start__, checkpoint 4 (loop)\n"
         "a of superstep 5 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 7 of t: writes of a, checkpoint 5 (loop)\n"
         "c of superstep 6 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 8 of t: writes of c, checkpoint 6 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"b\",\"again\",\"a\",\"c\"]}\n");
}
END_TEST

START_TEST(a_map_reduce_by_sends)
{
    world_graph(chart("map", "start>a t>sum sum>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
    world_worker("w1", 2);
    world_get("run", RUN("map", ""));
    told("worker w1 serves 1 graphs, 2 tasks at once\n"
         "run of graph map begins on thread t\n"
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
         "  row 6 of t: writes of send 2, checkpoint 2 (loop)\n"
         "sum of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 7 of t: writes of sum, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"t1\",\"t2\",\"t3\",\"sum\"]}\n");
}
END_TEST

START_TEST(a_graph_inside_asks)
{
    world_graph(chart("outer", "start>a a>sub sub>b b>end",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state',"
        " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'i1'}, {'name': 'i2'}],"
        " 'edges': [['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]}}}"));
    world_body("i2", asks);
    world_worker("w1", 4);
    world_get("run", RUN("outer", ""));
    world_get("run", "{'thread': 't', 'command': {'resume': 'yes'}}");
    told("worker w1 serves 1 graphs, 4 tasks at once\n"
         "run of graph outer begins on thread t\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop)\n"
         "  row 4 of t in sub: checkpoint -1 (input)\n"
         "  row 5 of t in sub: writes of __start__, checkpoint 0 (loop)\n"
         "i1 of superstep 1 goes to worker w1 (attempt 1)\n"
         "  row 6 of t in sub: writes of i1, checkpoint 1 (loop)\n"
         "i2 of superstep 2 goes to worker w1 (attempt 1)\n"
         "the run ends: interrupted\n"
         "  row 7 of t in sub: writes of i2 (asks)\n"
         "  row 8 of t: writes of sub (asks), end\n"
         "ann: interrupted {\"x\":[\"a\"]} asked [\"ok?\"]\n"
         "run of graph outer begins on thread t\n"
         "  row 9 of t: entry, writes of the client (answer)\n"
         "i2 of superstep 2 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 10 of t in sub: writes of i2 (answer), the plain answer taken, "
         "checkpoint 2 (loop)\n"
         "  row 11 of t: writes of sub, checkpoint 2 (loop)\n"
         "b of superstep 3 goes to worker w1 (attempt 1)\n"
         "the run ends: done\n"
         "  row 12 of t: writes of b, checkpoint 3 (loop), end\n"
         "ann: done {\"x\":[\"a\",\"a\",\"i1\",\"i2:yes\",\"b\"]}\n");
}
END_TEST

START_TEST(two_threads_at_once)
{
    world_graph(chart("one", "start>a a>end", NULL));
    world_worker("w1", 1);
    world_ask(
        "ann", "run", "{'thread': 't', 'graph': 'one', 'input': {'x': []}}");
    world_ask(
        "bob", "run", "{'thread': 'u', 'graph': 'one', 'input': {'x': []}}");
    world_run();
    told("worker w1 serves 1 graphs, 1 tasks at once\n"
         "run of graph one begins on thread t\n"
         "run of graph one begins on thread u\n"
         "  row 1 of t: entry, checkpoint -1 (input)\n"
         "  row 2 of t: writes of __start__, checkpoint 0 (loop)\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "ann: accepted\n"
         "  row 1 of u: entry, checkpoint -1 (input)\n"
         "  row 2 of u: writes of __start__, checkpoint 0 (loop)\n"
         "bob: accepted\n"
         "the run ends: done\n"
         "a of superstep 1 goes to worker w1 (attempt 1)\n"
         "  row 3 of t: writes of a, checkpoint 1 (loop), end\n"
         "ann: done {\"x\":[\"a\"]}\n"
         "the run ends: done\n"
         "  row 3 of u: writes of a, checkpoint 1 (loop), end\n"
         "bob: done {\"x\":[\"a\"]}\n");
}
END_TEST

SUITE("runs", a_chain, an_answer_holds_the_keys_that_were_asked_for,
    an_input_of_another_type_than_its_key_is_told, a_fan_out_with_a_join,
    a_branch, a_map_reduce_by_sends, a_graph_inside_asks, two_threads_at_once)

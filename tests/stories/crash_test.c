// A crash after every single journal row of every story: the store stops there,
// a new coordinator begins on the rows that were taken, and the run must end as
// the undisturbed one did: the same answers, state and history; no body that
// had durably finished is run again.
#include "common/model/value.h"
#include "tests/stories/bodies.h"
#include "tests/stories/crash_play.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

// ------------------------------------------------------------------ stories

static void setup_chain(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end", NULL));
}

static void setup_diamond(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
}

static void setup_question(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", asks);
}

static void setup_two_questions(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", asks_twice);
    world_body("c", asks);
}

static void setup_sends(void)
{
    world_graph(chart("g", "start>a t>sum sum>end", NULL));
    world_body("a", sends_three);
    world_body("t", says_argument);
}

#define INNER(nodes, edges, more)                                              \
    "{'nodes': {'sub': {'subgraph': 'inner'}}, 'subgraphs': {'inner':"         \
    " {'name': 'inner', 'kind': 'state',"                                      \
    " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"              \
    " 'nodes': [" nodes "], 'edges': [" edges "]" more "}}}"

#define TWO_INSIDE(more)                                                       \
    INNER("{'name': 'i1'}, {'name': 'i2'}",                                    \
        "['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']", more)

static void setup_inside(void)
{
    world_graph(chart("g", "start>a a>sub a>c sub+c>b b>end", TWO_INSIDE("")));
}

static void setup_inside_asks(void)
{
    setup_inside();
    world_body("i2", asks);
}

static void setup_inside_asks_twice(void)
{
    setup_inside();
    world_body("i2", asks_twice);
}

static void setup_inside_kept(void)
{
    world_graph(chart("g", "start>a a>sub a>c sub+c>b b>end",
        TWO_INSIDE(", 'checkpointer': true")));
    world_body("i2", asks);
}

static void setup_inside_not_kept(void)
{
    world_graph(chart("g", "start>a a>sub a>c sub+c>b b>end",
        TWO_INSIDE(", 'checkpointer': false")));
}

static void setup_inside_not_kept_asks(void)
{
    world_graph(chart("g", "start>a a>sub a>c sub+c>b b>end",
        INNER("{'name': 'i1'}, {'name': 'i2'}, {'name': 'i3'}",
            "['__start__', 'i1'], ['i1', 'i2'], ['i2', 'i3']",
            ", 'checkpointer': false")));
    world_body("i2", asks);
}

static void setup_goes_up(void)
{
    world_graph(chart("g", "start>a a>sub sub>b b>end z>end", TWO_INSIDE("")));
    world_body("i2", goes_up);
}

static void setup_retry(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end",
        "{'nodes': {'b': {'retry': [{'initial_interval_ms': 100,"
        " 'max_attempts': 5, 'jitter': false, 'retry_on': ['flaky']}]}}}"));
    world_body("b", fails_twice);
}

static void setup_handler(void)
{
    world_graph(chart("g", "start>a a>b a>c c>d d>end",
        "{'nodes': {'b': {'error_handler': true}}}"));
}

static void setup_fails(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", fails);
}

static void setup_deferred(void)
{
    world_graph(chart("g", "start>a a>b a>c c>e b>d e>d d>end",
        "{'nodes': {'d': {'defer': true}}}"));
}

static json_t *answer_then_fail(struct visit *visit)
{
    json_t *answer = visit_ask(visit, "ok?");
    if (!answer)
        return NULL;
    if (visit->order->attempt_number < 2)
        return visit_fail(
            visit, SS_ENODE, "flaky", SS_RETRY_DEFAULT, "it broke");
    return says(json_string_value(answer));
}

static void setup_answer_and_retry(void)
{
    setup_retry();
    world_body("b", answer_then_fail);
}

static json_t *says_both(struct visit *visit)
{
    (void)visit;
    return js("{'x': ['b'], 'y': 'b was here'}");
}

static void setup_two_keys(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end",
        "{'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'},"
        " {'key': 'y', 'type': 'str'}, {'key': 'z', 'type': 'str'}]}"));
    world_body("b", says_both);
}

static json_t *adds_one(struct visit *visit)
{
    return json_integer(json_integer_value(visit->input) + 1);
}

static void setup_raw(void)
{
    world_graph(js("{'name': 'g', 'kind': 'raw', 'channels':"
                   " [{'name': 'i', 'kind': 'EphemeralValue'},"
                   "  {'name': 'm', 'kind': 'LastValue'},"
                   "  {'name': 'o', 'kind': 'LastValue'}],"
                   " 'nodes': [{'name': 'one', 'subscribe_only': 'i',"
                   "   'writes': [{'channel': 'm'}]},"
                   "  {'name': 'two', 'subscribe_only': 'm',"
                   "   'writes': [{'channel': 'o'}]}],"
                   " 'input': 'i', 'output': 'o', 'stream': ['m', 'o']}"));
    world_body("one", adds_one);
    world_body("two", adds_one);
}

static json_t *asks_and_goes_up(struct visit *visit)
{
    return visit_ask(visit, "ok?") ? goes_up(visit) : NULL;
}

static json_t *to_nobody(const char *branch, json_t *state)
{
    (void)branch;
    (void)state;
    return json_string("__end__");
}

// The node around has a router: its writers need a worker, so the command that
// came up is not committed at once.
static void setup_answer_goes_up(void)
{
    world_graph(chart("g", "start>a a>sub a>c c>b sub>b b>end z>end",
        "{'nodes': {'sub': {'subgraph': 'inner'}}, 'branches': [{'from': 'sub',"
        " 'name': 'which'}], 'subgraphs': {'inner': {'name': 'inner', 'kind':"
        " 'state', 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
        " 'nodes': [{'name': 'i1'}], 'edges': [['__start__', 'i1']]}}}"));
    world_body("i1", asks_and_goes_up);
    world_route("sub", to_nobody);
}

static void setup_two_levels(void)
{
    world_graph(chart("g", "start>a a>sub a>c sub+c>b b>end",
        "{'nodes': {'sub': {'subgraph': 'middle'}}, 'subgraphs': {'middle':"
        " {'name': 'middle', 'kind': 'state', 'state': [{'key': 'x', 'type':"
        " 'list', 'reducer': 'add'}], 'nodes': [{'name': 'm1'}, {'name': 'm2',"
        " 'subgraph': 'inner'}, {'name': 'm3'}], 'edges': [['__start__', 'm1'],"
        " ['__start__', 'm2'], [['m1', 'm2'], 'm3']], 'subgraphs': {'inner':"
        " {'name': 'inner', 'kind': 'state', 'state': [{'key': 'x', 'type':"
        " 'list', 'reducer': 'add'}], 'nodes': [{'name': 'i1'}, {'name': 'i2'},"
        " {'name': 'i3'}], 'edges': [['__start__', 'i1'], ['__start__', 'i2'],"
        " [['i1', 'i2'], 'i3']]}}}}}"));
    world_body("i2", asks);
}

// Two ask, and no question is open yet: m1 comes first in path order.
static void setup_two_ask(void)
{
    setup_two_levels();
    world_body("m1", asks);
}

static json_t *sends_two_maps(struct visit *visit)
{
    (void)visit;
    return js("{'$command': {'goto': ["
              "{'$send': {'node': 'sub', 'arg': {'x': ['1']}}},"
              "{'$send': {'node': 'sub', 'arg': {'x': ['2']}}}]}}");
}

static void setup_sends_inside(void)
{
    world_graph(chart("g", "start>a sub>b b>end", TWO_INSIDE("")));
    world_body("a", sends_two_maps);
}

static void setup_sends_ask(void)
{
    setup_sends();
    world_body("t", asks);
}

static void setup_custom_reducer(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}"));
    world_fold("glue", glues);
}

#define STOPS                                                                  \
    "run {'graph': 'g', 'input': {'x': []}, 'interrupt_before': ['sub']}"

static const struct story stories[] = {
    {"a chain", setup_chain, {FRESH}},
    {"two turns", setup_chain, {FRESH, "run {'input': {'x': ['in']}}"}},
    {"a fan-out", setup_diamond, {FRESH}},
    {"sends", setup_sends, {FRESH}},
    {"a deferred node", setup_deferred, {FRESH}},
    {"a custom reducer", setup_custom_reducer, {FRESH}},
    {"a retry", setup_retry, {FRESH}},
    {"a failure", setup_fails, {FRESH, GO_ON}},
    {"an error handler", setup_handler, {FRESH}},
    {"a plain answer", setup_question, {FRESH, ANSWER}},
    {"an answer by id", setup_question,
        {FRESH, "run {'command': {'resume': {'$id0': 'yes'}}}"}},
    {"answers by ids", setup_two_questions,
        {FRESH, "run {'command': {'resume': {'$id0': '1', '$id1': '2'}}}",
            "run {'command': {'resume': '3'}}"}},
    {"an answer with an update", setup_question,
        {FRESH, "run {'command': {'resume': 'yes', 'update': {'x': ['u']}}}"}},
    {"an answer and a retry", setup_answer_and_retry, {FRESH, ANSWER}},
    {"a graph inside", setup_inside, {FRESH}},
    {"a question inside", setup_inside_asks, {FRESH, ANSWER}},
    {"a question inside, by id", setup_inside_asks,
        {FRESH, "run {'command': {'resume': {'$id0': 'yes'}}}"}},
    {"two questions inside", setup_inside_asks_twice, {FRESH, ANSWER, ANSWER}},
    {"a graph inside that keeps its state", setup_inside_kept,
        {FRESH, ANSWER, "run {'input': {'x': ['in']}}", ANSWER}},
    {"a graph inside without a store", setup_inside_not_kept, {FRESH}},
    {"a question inside without a store", setup_inside_not_kept_asks,
        {FRESH, ANSWER}},
    {"a command to the graph around", setup_goes_up, {FRESH}},
    {"an update at a question", setup_question,
        {FRESH,
            "update {'supersteps': [[{'values': {'x': ['u']},"
            " 'as_node': 'b'}]]}",
            GO_ON}},
    {"a goto on a finished thread", setup_chain,
        {FRESH, "run {'command': {'goto': 'b', 'update': {'x': ['u']}}}"}},
    {"a replay", setup_chain,
        {FRESH, "run {'input': null, 'checkpoint_id': '$middle'}"}},
    {"a fork by update", setup_chain,
        {FRESH,
            "update {'checkpoint_id': '$middle', 'supersteps':"
            " [[{'values': {'x': ['u']}}]]}",
            GO_ON}},
    {"new input at an old checkpoint", setup_chain,
        {FRESH, "run {'input': {'x': ['in']}, 'checkpoint_id': '$middle'}"}},
    {"an answer at an old checkpoint", setup_question,
        {FRESH, ANSWER,
            "run {'checkpoint_id': '$middle', 'command': {'resume':"
            " 'no'}}"}},
    {"the keys that its client wanted", setup_two_keys,
        {"run {'graph': 'g', 'input': {'x': []}, 'output_keys': ['y']}"}},
    {"a key that nobody writes", setup_two_keys,
        {"run {'graph': 'g', 'input': {'x': []}, 'output_keys': 'z'}"}},
    {"a raw graph", setup_raw, {"run {'graph': 'g', 'input': 1}"}},
    {"a command upwards with an answer", setup_answer_goes_up, {FRESH, ANSWER}},
    {"a graph within a graph asks", setup_two_levels, {FRESH, ANSWER}},
    {"sends into a graph", setup_sends_inside, {FRESH}},
    {"questions of sends", setup_sends_ask,
        {FRESH, "run {'command': {'resume': {'$id0': '1', '$id2': '3'}}}",
            "run {'command': {'resume': '2'}}"}},
    {"a plain answer for the first in path order", setup_two_ask,
        {STOPS, ANSWER, ANSWER}},
    {"a plain answer for who does not come first", setup_two_levels,
        {STOPS, ANSWER}},
    {"new input at a question", setup_question,
        {FRESH, "run {'input': {'x': ['in']}}", ANSWER}},
};

enum { STORIES = sizeof(stories) / sizeof(stories[0]) };

static void crash_everywhere(const struct story *story, const char *options)
{
    crash_and_compare(story, options, false);
}

// (What is inside a graph without a store happens again, and is seen again.
// Under async and exit events do not wait for their rows: gate.def.)
START_TEST(and_no_event_is_missed_or_seen_twice)
{
    if (stories[_i].setup == setup_inside_not_kept ||
        stories[_i].setup == setup_inside_not_kept_asks)
        return;
    crash_and_compare(&stories[_i], "{}", true);
}
END_TEST

// (Two rows, where a task begins anew in each life and has something to store
// before it ends.)
static void few_rows_each(const struct story *story, const char *options)
{
    bool slow = story->setup == setup_answer_and_retry ||
                story->setup == setup_inside_not_kept_asks;
    crash_all_the_time(story, options, slow ? 2 : 1);
}

START_TEST(in_lives_of_one_row)
{
    few_rows_each(&stories[_i], "{}");
}
END_TEST

START_TEST(in_lives_of_one_row_with_breakpoints)
{
    few_rows_each(&stories[_i], "{'interrupt_before': '*'}");
}
END_TEST

START_TEST(in_lives_of_one_row_under_async)
{
    few_rows_each(&stories[_i], "{'durability': 'async'}");
}
END_TEST

START_TEST(under_sync)
{
    crash_everywhere(&stories[_i], "{}");
}
END_TEST

START_TEST(under_async)
{
    crash_everywhere(&stories[_i], "{'durability': 'async'}");
}
END_TEST

// Nothing of an unfinished run is there: it begins again as itself.
START_TEST(under_exit)
{
    crash_everywhere(&stories[_i], "{'durability': 'exit'}");
}
END_TEST

START_TEST(with_a_breakpoint_ahead)
{
    crash_everywhere(&stories[_i], "{'interrupt_before': '*'}");
}
END_TEST

START_TEST(with_a_breakpoint_behind)
{
    crash_everywhere(&stories[_i], "{'interrupt_after': '*'}");
}
END_TEST

START_TEST(with_a_breakpoint_ahead_under_exit)
{
    crash_everywhere(
        &stories[_i], "{'interrupt_before': '*', 'durability': 'exit'}");
}
END_TEST

START_TEST(with_one_superstep_left)
{
    crash_everywhere(&stories[_i], "{'recursion_limit': 1}");
}
END_TEST

START_TEST(with_two_supersteps_left)
{
    crash_everywhere(
        &stories[_i], "{'recursion_limit': 2, 'durability': 'async'}");
}
END_TEST

START_TEST(with_one_task_at_a_time)
{
    crash_everywhere(&stories[_i], "{'max_concurrency': 1}");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("crash");
    TCase *tcase = tcase_create("crash");
    ss_value_setup();
    tcase_add_loop_test(
        tcase, and_no_event_is_missed_or_seen_twice, 0, STORIES);
    tcase_add_loop_test(tcase, in_lives_of_one_row, 0, STORIES);
    tcase_add_loop_test(
        tcase, in_lives_of_one_row_with_breakpoints, 0, STORIES);
    tcase_add_loop_test(tcase, in_lives_of_one_row_under_async, 0, STORIES);
    tcase_add_loop_test(tcase, under_sync, 0, STORIES);
    tcase_add_loop_test(tcase, under_async, 0, STORIES);
    tcase_add_loop_test(tcase, under_exit, 0, STORIES);
    tcase_add_loop_test(tcase, with_a_breakpoint_ahead, 0, STORIES);
    tcase_add_loop_test(tcase, with_a_breakpoint_behind, 0, STORIES);
    tcase_add_loop_test(tcase, with_a_breakpoint_ahead_under_exit, 0, STORIES);
    tcase_add_loop_test(tcase, with_one_superstep_left, 0, STORIES);
    tcase_add_loop_test(tcase, with_two_supersteps_left, 0, STORIES);
    tcase_add_loop_test(tcase, with_one_task_at_a_time, 0, STORIES);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

// A crash after each row where policies are at work: tries and their pauses,
// error handlers, caches, reducers of the application, bulk updates, answers by
// id.
#include <string.h>

#include "tests/stories/bodies.h"
#include "tests/stories/crash_play.h"
#include "tests/stories/suite.h"
#include "tests/suite.h"

#define TRIES(more)                                                            \
    "'retry': [{'initial_interval_ms': 100, 'max_attempts': 4,"                \
    " 'jitter': false" more "}]"

static json_t *fails_by_time(struct visit *visit)
{
    if (visit->order->attempt_number < 3)
        return visit_fail(
            visit, SS_ENODETIMEOUT, NULL, SS_RETRY_DEFAULT, "it took too long");
    return says(visit->order->node);
}

static void tries(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end",
        "{'nodes': {'b': {" TRIES("") "}, 'c': {" TRIES("") "}}}"));
    world_body("b", fails_twice);
    world_body("c", fails_by_time);
}

static void all_tries_fail(void)
{
    tries();
    world_body("b", fails);
}

static void a_handler_with_tries(void)
{
    world_graph(chart("g", "start>a a>b a>c c>d d>end",
        "{'nodes': {'b': {'error_handler': true, " TRIES("") "}}}"));
    world_body("b", fails);
}

static json_t *asks_then_fails_twice(struct visit *visit)
{
    json_t *answer = visit_ask(visit, "ok?");
    return answer ? fails_twice(visit) : NULL;
}

static void answers_and_tries(void)
{
    tries();
    world_body("b", asks_then_fails_twice);
    world_body("c", asks);
}

#define INSIDE(of_sub, of_i2)                                                  \
    "{'nodes': {'sub': {'subgraph': 'inner'" of_sub                            \
    "}}, 'subgraphs': {'inner': {'name': 'inner', 'kind': 'state',"            \
    " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"              \
    " 'nodes': [{'name': 'i1'}, {'name': 'i2'" of_i2 "}],"                     \
    " 'edges': [['__start__', 'i1'], ['i1', 'i2'], ['i2', '__end__']]}}}"

static void tries_around(void)
{
    world_graph(chart(
        "g", "start>a a>sub a>c sub+c>b b>end", INSIDE(", " TRIES(""), "")));
    world_body("i2", fails_twice);
}

static void tries_inside(void)
{
    world_graph(chart(
        "g", "start>a a>sub a>c sub+c>b b>end", INSIDE("", ", " TRIES(""))));
    world_body("i2", fails_twice);
}

// One asks and one fails, each time: a try tells its own question.
static void tries_around_a_question(void)
{
    world_graph(chart("g", "start>a a>sub a>c sub+c>b b>end",
        "{'nodes': {'sub': {'subgraph': 'inner', " TRIES(
            "") "}},"
                " 'subgraphs': {'inner': {'name': 'inner', 'kind': 'state',"
                " 'state': [{'key': 'x', 'type': 'list', 'reducer': 'add'}],"
                " 'nodes': [{'name': 'i1'}, {'name': 'i2'}], 'edges':"
                " [['__start__', 'i1'], ['__start__', 'i2'], ['i1', '__end__'],"
                " ['i2', '__end__']]}}}"));
    world_body("i1", asks);
    world_body("i2", fails);
}

static json_t *vanishes(struct visit *visit)
{
    return visit_vanish(visit);
}

static json_t *vanishes_twice(struct visit *visit)
{
    return visit->order->attempt_number < 3 ? visit_vanish(visit)
                                            : says(visit->order->node);
}

// The second one fails, the third one is lost, too.
static json_t *vanishes_and_fails(struct visit *visit)
{
    return visit->order->attempt_number == 2
               ? visit_fail(
                     visit, SS_ENODE, "flaky", SS_RETRY_DEFAULT, "it broke")
           : visit->order->attempt_number < 4 ? visit_vanish(visit)
                                              : says(visit->order->node);
}

static json_t *asks_then_vanishes(struct visit *visit)
{
    json_t *first = visit_ask(visit, "first?");
    json_t *second = first ? visit_ask(visit, "second?") : NULL;
    if (!first || (!second && visit->order->attempt_number > 2))
        return NULL;
    return vanishes_twice(visit);
}

static void no_worker_survives(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", vanishes);
}

static void no_worker_survives_but_a_handler_does(void)
{
    world_graph(chart("g", "start>a a>b a>c c>d d>end",
        "{'nodes': {'b': {'error_handler': true, " TRIES("") "}}}"));
    world_body("b", vanishes);
    world_body("__error_handler__b", vanishes_twice);
}

static void lost_between_tries(void)
{
    tries();
    world_body("b", vanishes_and_fails);
    world_body("c", vanishes_twice);
}

static void lost_with_answers(void)
{
    tries();
    world_body("b", asks_then_vanishes);
    world_body("c", asks);
}

static void lost_inside(void)
{
    world_graph(chart(
        "g", "start>a a>sub a>c sub+c>b b>end", INSIDE(", " TRIES(""), "")));
    world_body("i2", vanishes_and_fails);
}

static void caches(void)
{
    world_graph(chart("g", "start>a a>b b>c c>end",
        "{'nodes': {'a': {'cache': {}}, 'c': {'cache': {'ttl_ms': "
        "60000}," TRIES("") "}}}"));
    world_body("c", fails_twice);
}

static void own_reducer(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end",
        "{'state': [{'key': 'x', 'type': 'list', 'custom': 'glue'}]}"));
    world_fold("glue", glues);
    world_body("b", asks);
}

static void questions(void)
{
    world_graph(chart("g", "start>a a>b a>c b+c>d d>end", NULL));
    world_body("b", asks_twice);
    world_body("c", asks);
}

#define TWO_STEPS                                                              \
    "'supersteps': [[{'values': {'x': ['u1']}, 'as_node': 'b'},"               \
    " {'values': {'x': ['u2']}, 'as_node': 'c'}],"                             \
    " [{'values': {'x': ['u3']}, 'as_node': 'd'}]]"

static const struct story stories[] = {
    {"tries", tries, {FRESH}},
    {"tries that all fail", all_tries_fail, {FRESH, GO_ON}},
    {"a handler after the last try", a_handler_with_tries, {FRESH}},
    {"answers and tries", answers_and_tries,
        {FRESH, "run {'command': {'resume': {'$id0': 'yes', '$id1': 'no'}}}"}},
    {"tries around a graph", tries_around, {FRESH}},
    {"tries around a question", tries_around_a_question, {FRESH}},
    {"tries inside a graph", tries_inside, {FRESH}},
    {"a task that no worker survives", no_worker_survives, {FRESH, GO_ON}},
    {"a handler after the last worker", no_worker_survives_but_a_handler_does,
        {FRESH}},
    {"workers lost between tries", lost_between_tries, {FRESH}},
    {"workers lost with answers", lost_with_answers,
        {FRESH, "run {'command': {'resume': {'$id0': 'yes', '$id1': 'no'}}}",
            "run {'command': {'resume': {'$id0': 'then'}}}"}},
    {"workers lost inside a graph", lost_inside, {FRESH}},
    {"caches", caches, {FRESH, "run {'input': {'x': []}}"}},
    {"a reducer of the application, and a question", own_reducer,
        {FRESH, "run {'command': {'resume': 'yes', 'update': {'x': ['u']}}}",
            "run {'input': {'x': ['in']}}"}},
    {"a fork through a reducer of the application", own_reducer,
        {FRESH, ANSWER,
            "run {'checkpoint_id': '$middle', 'command':"
            " {'update': {'x': ['u']}, 'goto': 'd'}}"}},
    {"an update in two supersteps", questions,
        {FRESH, "update {" TWO_STEPS ", 'key': 'k'}", GO_ON}},
    {"an update through a reducer of the application", own_reducer,
        {FRESH, "update {" TWO_STEPS ", 'key': 'k'}", GO_ON}},
    {"answers by id, one after the other", questions,
        {FRESH, "run {'command': {'resume': {'$id1': '1'}}}",
            "run {'command': {'resume': {'$id0': '2'}}}",
            "run {'command': {'resume': {'$id0': '3'}}}"}},
};

enum { STORIES = sizeof(stories) / sizeof(stories[0]) };

START_TEST(under_sync)
{
    crash_and_compare(&stories[_i], "{}", false);
}
END_TEST

START_TEST(under_async)
{
    crash_and_compare(&stories[_i], "{'durability': 'async'}", false);
}
END_TEST

START_TEST(under_exit)
{
    crash_and_compare(&stories[_i], "{'durability': 'exit'}", false);
}
END_TEST

START_TEST(with_a_breakpoint_ahead)
{
    crash_and_compare(&stories[_i], "{'interrupt_before': '*'}", false);
}
END_TEST

START_TEST(and_no_event_is_missed_or_seen_twice)
{
    crash_and_compare(&stories[_i], "{}", true);
}
END_TEST

START_TEST(in_lives_of_two_rows)
{
    crash_all_the_time(&stories[_i], "{}", 2);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("crash_policies");
    const TTest *const tests[] = {under_sync, under_async, under_exit,
        with_a_breakpoint_ahead, and_no_event_is_missed_or_seen_twice,
        in_lives_of_two_rows};
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);
        tcase_set_timeout(tcase, 600);
        tcase_add_loop_test(tcase, tests[i], 0, STORIES);
        suite_add_tcase(suite, tcase);
    }
    return suite_main(suite);
}

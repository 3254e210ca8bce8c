// edges_people_test.c - sharp edges of spec/engine.md 15: interrupts (74-83),
// and what later releases of the reference changed about them (121, 122, 129).
#include <string.h>

#include "tests/unit/engine/edges.h"

static char *kept_id(size_t index)
{
    return ss_strdup(question_id(index));
}

static void answer_by_id(const char *id, const char *value)
{
    char *body = ss_format("'command': {'resume': {'%s': '%s'}}", id, value);
    go(body);
    ss_free(body);
}

// The id that the task's question number `k` must have.
static void expect_id(const char *task_ns, size_t k, const char *id)
{
    char expected[SS_HEX128_SIZE];
    ss_interrupt_id(task_ns, k, expected);
    ck_assert_str_eq(id, expected);
}

START_TEST(edge_74_each_question_has_its_own_id_by_the_answers_before_it)
{
    given("start>a", NULL);
    world_body("a", asks_twice);
    go(FRESH);
    size_t count = 0;
    char *ns = ss_format("a:%s", world_attempts(&count)[0].task_id);
    expect_id(ns, 0, question_id(0));
    go("'command': {'resume': 'one'}");
    expect_id(ns, 1, question_id(0));
    ss_free(ns);
}
END_TEST

START_TEST(edge_75_answers_are_matched_by_order_and_the_node_begins_anew)
{
    given("start>a", NULL);
    world_body("a", asks_twice);
    go(FRESH);
    go("'command': {'resume': 'one'}");
    asked("['second?']");
    go("'command': {'resume': 'two'}");
    gives("{'x': ['a:one,two']}");
    ck_assert_uint_eq(ran("a"), 3);
}
END_TEST

#define INSIDE(nodes, edges, more)                                             \
    "{'nodes': {'sub': {'subgraph': 'in'}}, 'subgraphs': {'in': {'name': "     \
    "'in',"                                                                    \
    " 'kind': 'state', 'state': [{'key': 'x', 'type': 'list', 'reducer':"      \
    " 'add'}], 'nodes': [" nodes "], 'edges': [" edges "]" more "}}}"

START_TEST(edge_76_a_plain_answer_goes_to_the_first_asker_anywhere)
{
    given("start>sub", INSIDE("{'name': 'i'}", "['__start__', 'i']", ""));
    world_body("i", asks);
    go(FRESH);
    go("'command': {'resume': 'yes'}");
    gives("{'x': ['i:yes']}");
}
END_TEST

#define TWO_INSIDE                                                             \
    INSIDE("{'name': 'p'}, {'name': 'q'}",                                     \
        "['__start__', 'p'], ['__start__', 'q']", "")

START_TEST(edge_77_a_plain_answer_to_several_questions_is_an_error)
{
    given("start>sub", TWO_INSIDE);
    world_body("p", asks);
    world_body("q", asks);
    go(FRESH);
    asked("['ok?', 'ok?']"); // one task of the root, two questions
    char *id = kept_id(0);
    size_t rows = world_rows();
    go("'command': {'resume': 'yes'}");
    refused("invalid_state");
    ck_assert_uint_eq(world_rows(), rows);
    answer_by_id(id, "1");
    asked("['ok?']");
    go("'command': {'resume': '2'}");
    gives("{'x': ['p:1', 'q:2']}");
    ss_free(id);
}
END_TEST

START_TEST(edge_77_a_half_answered_task_counts)
{
    given("start>l start>r", NULL);
    world_body("l", asks_twice);
    world_body("r", asks);
    go(FRESH);
    char *l = kept_id(0), *r = kept_id(1);
    answer_by_id(l, "1");
    asked("['second?', 'ok?']");
    go("'command': {'resume': 'x'}");
    refused("invalid_state");
    answer_by_id(r, "9");
    go("'command': {'resume': '2'}");
    gives("{'x': ['l:1,2', 'r:9']}");
    ss_free(l);
    ss_free(r);
}
END_TEST

// Better (17.3, R7.10).
START_TEST(edge_78_an_answer_is_not_fed_again_to_the_next_question)
{
    given("start>a", NULL);
    world_body("a", asks_twice);
    go(FRESH);
    go("'command': {'resume': 'one'}");
    go(GO_ON);
    asked("['second?']");
    gives("{'x': []}");
}
END_TEST

START_TEST(edge_79_an_empty_map_is_an_empty_map_of_ids)
{
    given("start>a", NULL);
    world_body("a", asks);
    go(FRESH);
    go("'command': {'resume': {}}");
    asked("['ok?']");
}
END_TEST

static json_t *asks_anything(struct visit *visit)
{
    json_t *answer = visit_ask(visit, "ok?");
    return answer ? json_pack("{s:[O]}", "x", answer) : NULL;
}

// E4: 0, "", false and [] answer; {} does not.
START_TEST(edge_79_empty_values_are_answers)
{
    static const char *const values[] = {"0", "''", "false", "[]"};
    char body[64], output[64];
    given("start>a", NULL);
    world_body("a", asks_anything);
    for (size_t i = 0; i < 4; i++) {
        go("'input': {'x': {'__overwrite__': []}}");
        snprintf(body, sizeof(body), "'command': {'resume': %s}", values[i]);
        snprintf(output, sizeof(output), "{'x': [%s]}", values[i]);
        go(body);
        gives(output);
    }
}
END_TEST

#define STRANGE "0123456789abcdef0123456789abcdef"

START_TEST(edge_80_a_map_of_ids_is_not_kept_and_strange_ids_are_ignored)
{
    given("start>a start>b", NULL);
    world_body("a", asks);
    world_body("b", fails);
    go(FRESH);
    answer_by_id(STRANGE, "lost");
    ended("failed"); // b; and a was not answered
    world_body("b", asks);
    go(GO_ON);
    asked("['ok?', 'ok?']");
}
END_TEST

START_TEST(edge_80_strict_refuses_strange_ids_before_anything_is_written)
{
    given("start>a", NULL);
    world_body("a", asks);
    go(FRESH);
    size_t rows = world_rows();
    go("'command': {'resume': {'" STRANGE "': 1}}, 'strict_resume': true");
    refused("unknown_interrupt");
    go("'command': {'resume': {}}, 'strict_resume': true");
    refused("empty_resume");
    ck_assert_uint_eq(world_rows(), rows);
    state_has("next", "['a']");
}
END_TEST

START_TEST(edge_80_strict_refuses_the_id_of_a_question_that_was_answered)
{
    given("start>a", NULL);
    world_body("a", asks_twice);
    go(FRESH);
    char *first = kept_id(0);
    answer_by_id(first, "one");
    char *body = ss_format(
        "'command': {'resume': {'%s': 'x'}}, 'strict_resume': true", first);
    go(body);
    refused("unknown_interrupt");
    ss_free(body);
    ss_free(first);
}
END_TEST

static json_t *takes_and_says_nothing(struct visit *visit)
{
    return visit_ask(visit, "ok?") ? json_null() : NULL;
}

// E15: what finishes it is `__no_writes__`, not the answer.
START_TEST(edge_81_an_answer_alone_finishes_nothing)
{
    given("start>ack start>b", NULL);
    world_body("ack", takes_and_says_nothing);
    world_body("b", asks);
    go(FRESH);
    answer_by_id(question_id(0), "1");
    tasks_are("ack: done, b: asks");
    state_has("next", "['b']");
    go("'command': {'resume': '2'}");
    ck_assert_uint_eq(ran("ack"), 2);
}
END_TEST

static json_t *asks_then_is_flaky(struct visit *visit)
{
    if (!visit_ask(visit, "ok?"))
        return NULL;
    return visit->order->attempt_number < 2
               ? visit_fail(
                     visit, SS_ENODE, "flaky", SS_RETRY_DEFAULT, "it broke")
               : says("done");
}

START_TEST(edge_82_the_next_attempt_has_the_answers)
{
    given("start>a", "{'nodes': {'a': {'retry': [{'initial_interval_ms': 1,"
                     " 'max_attempts': 2, 'jitter': false, 'retry_on':"
                     " ['flaky']}]}}}");
    world_body("a", asks_then_is_flaky);
    go(FRESH);
    go("'command': {'resume': 'yes'}");
    ended("done");
    gives("{'x': ['done']}");
}
END_TEST

// E13: the first question's id answers the next one, as older clients do; where
// both are there, the next one's own id wins.
START_TEST(edge_83_the_next_questions_id_wins_the_firsts_stands_in)
{
    given("start>a", NULL);
    world_body("a", asks_twice);
    go(FRESH);
    char *first = kept_id(0);
    answer_by_id(first, "A");
    answer_by_id(first, "B");
    gives("{'x': ['a:A,B']}");
    ss_free(first);
    go("'input': {'x': {'__overwrite__': []}}");
    first = kept_id(0);
    answer_by_id(first, "A");
    char *body = ss_format(
        "'command': {'resume': {'%s': 'C', '%s': 'B'}}", first, question_id(0));
    go(body);
    gives("{'x': ['a:A,B']}");
    ss_free(body);
    ss_free(first);
}
END_TEST

START_TEST(edge_121_the_head_shows_what_is_open_history_what_was_asked)
{
    given("start>a start>b", NULL);
    world_body("a", asks);
    world_body("b", asks);
    go(FRESH);
    answer_by_id(question_id(0), "1");
    tasks_are("a: done, b: asks");
    json_t *tasks = json_object_get(history_entry(0), "tasks");
    ck_assert_uint_eq(json_array_size(json_object_get(
                          json_array_get(tasks, 0), "interrupts")),
        1);
    bench_json(
        json_incref(json_object_get(history_entry(0), "next")), "['a', 'b']");
}
END_TEST

static json_t *asks_fails_once_asks(struct visit *visit)
{
    json_t *answer = visit_ask(visit, "first?");
    if (!answer)
        return NULL;
    if (will_fail)
        return fails(visit);
    json_t *second = visit_ask(visit, "second?");
    return second ? json_pack("{s:[O,O]}", "x", answer, second) : NULL;
}

// Better (R7.12b): an answered question of a failed task is open no more, and
// its id does not answer one that nobody saw.
START_TEST(edge_122_an_answered_question_of_a_failed_task_is_not_open)
{
    given("start>a", NULL);
    world_body("a", asks_fails_once_asks);
    go(FRESH);
    char *first = kept_id(0);
    will_fail = true;
    answer_by_id(first, "A");
    ended("failed");
    tasks_are("a: error");
    state_has("interrupts", "[]");
    will_fail = false;
    go(GO_ON); // D6: it is not asked again
    asked("['second?']");
    go("'command': {'resume': 'B'}");
    gives("{'x': ['A', 'B']}");
    ss_free(first);
}
END_TEST

static json_t *wants_a_number(struct visit *visit)
{
    json_t *answer = visit_ask(visit, "how many?");
    if (answer && !json_is_integer(answer)) {
        json_decref(visit->outcome->answers);
        visit->outcome->answers = NULL; // what was refused is not kept
        visit->outcome->took_plain = false;
        return visit_fail(
            visit, SS_EANSWER, NULL, SS_RETRY_NO, "that is no number");
    }
    return answer ? json_pack("{s:[O]}", "x", answer) : NULL;
}

// E16; and better than R7.21: the refused resume value without an id is not fed
// again.
START_TEST(edge_129_an_invalid_answer_fails_its_task_alone)
{
    given("start>a start>b", NULL);
    world_body("a", wants_a_number);
    world_body("b", asks);
    go(FRESH);
    char *a = kept_id(0), *b = kept_id(1);
    char *body =
        ss_format("'command': {'resume': {'%s': 'many', '%s': 'yes'}}", a, b);
    go(body);
    refused("invalid_answer");
    tasks_are("a: error: asks, b: done");
    go("'command': {'resume': 'lots'}");
    refused("invalid_answer");
    go(GO_ON);
    asked("['how many?']");
    go("'command': {'resume': 3}");
    gives("{'x': [3, 'b:yes']}");
    ss_free(body);
    ss_free(a);
    ss_free(b);
}
END_TEST

SUITE("edges_people",
    edge_74_each_question_has_its_own_id_by_the_answers_before_it,
    edge_75_answers_are_matched_by_order_and_the_node_begins_anew,
    edge_76_a_plain_answer_goes_to_the_first_asker_anywhere,
    edge_77_a_plain_answer_to_several_questions_is_an_error,
    edge_77_a_half_answered_task_counts,
    edge_78_an_answer_is_not_fed_again_to_the_next_question,
    edge_79_an_empty_map_is_an_empty_map_of_ids,
    edge_79_empty_values_are_answers,
    edge_80_a_map_of_ids_is_not_kept_and_strange_ids_are_ignored,
    edge_80_strict_refuses_strange_ids_before_anything_is_written,
    edge_80_strict_refuses_the_id_of_a_question_that_was_answered,
    edge_81_an_answer_alone_finishes_nothing,
    edge_82_the_next_attempt_has_the_answers,
    edge_83_the_next_questions_id_wins_the_firsts_stands_in,
    edge_121_the_head_shows_what_is_open_history_what_was_asked,
    edge_122_an_answered_question_of_a_failed_task_is_not_open,
    edge_129_an_invalid_answer_fails_its_task_alone)

// better_answers_test.c - answers to questions where we do better than the
// reference (docs/decisions/0007): an answer is used once, for the question
// that it was given to, and none is lost.
#include "tests/stories/here.h"

#include <stdio.h>

static int failing;  // so many times yet does a body fail after its answer
static int asked;    // how often the bodies ran
static int finished; // how often the first node of the inner graph ran

// ------------------------------------------------------------------ graphs

static int two_questions(struct ss_task *task)
{
    json_t *first, *second;
    asked++;
    int status = ss_interrupt(task, json_string("q1"), &first);
    if (status != 0)
        return status;
    if (failing > 0) {
        failing--;
        return ss_fail(task, "flaky", "after the answer");
    }
    status = ss_interrupt(task, json_string("q2"), &second);
    if (status != 0)
        return status;
    return ss_update(task, json_pack("{s:[O, O]}", "log", first, second));
}

static void twice(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "asks", two_questions);
    ss_edge(graph, SS_START, "asks");
}

static void retried(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "asks", two_questions, .retry.attempts_max = 3);
    ss_edge(graph, SS_START, "asks");
}

static int typed_question(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt_schema(task, json_string("how many?"),
        json_pack("{s:s}", "type", "integer"), true, &answer);
    if (status != 0)
        return status;
    return ss_update(task, json_pack("{s:[O]}", "log", answer));
}

static void typed(struct ss_graph_def *graph)
{
    static const char *const also[] = {"invalid_answer", NULL};
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "asks", typed_question, .retry.attempts_max = 3,
        .retry.retry_on = also);
    ss_edge(graph, SS_START, "asks");
}

static int ask_once(struct ss_task *task)
{
    json_t *answer;
    int status = ss_interrupt(task, json_string("sure?"), &answer);
    if (status != 0)
        return status;
    return ss_update(task, json_pack("{s:[O]}", "log", answer));
}

static void once(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "asks", ask_once);
    ss_edge(graph, SS_START, "asks");
}

static void both(struct ss_graph_def *graph)
{
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "a", ask_once);
    ss_node(graph, "b", ask_once);
    ss_edge(graph, SS_START, "a");
    ss_edge(graph, SS_START, "b");
}

static void twice_inside(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    twice(graph);
}

static void outside(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", twice_inside, NULL);
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "asks", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "asks");
}

static void twice_keeping_nothing(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    twice(graph);
    ss_checkpointer(graph, false);
}

static void typed_inside(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    typed(graph);
}

static void typed_below(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_subgraph(graph, "innermost", typed_inside, NULL);
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "below", NULL, .subgraph = "innermost");
    ss_edge(graph, SS_START, "below");
    ss_checkpointer(graph, false);
}

static void forgetful(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", twice_keeping_nothing, NULL);
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "asks", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "asks");
}

static void forgetful_above(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", typed_below, NULL);
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "asks", NULL, .subgraph = "inner");
    ss_edge(graph, SS_START, "asks");
}

static int count(struct ss_task *task)
{
    finished++;
    return ss_update(task, json_pack("{s:[s]}", "log", "first"));
}

static int flaky(struct ss_task *task)
{
    if (failing > 0) {
        failing--;
        return ss_fail(task, "flaky", "not yet");
    }
    return ss_update(task, json_pack("{s:[s]}", "log", "second"));
}

static void inner(struct ss_graph_def *graph, void *ctx)
{
    (void)ctx;
    ss_key(graph, "log", SS_LIST, .reducer = SS_ADD);
    ss_node(graph, "first", count);
    ss_node(graph, "second", flaky);
    ss_edge(graph, SS_START, "first");
    ss_edge(graph, "first", "second");
}

static void outer(struct ss_graph_def *graph)
{
    ss_subgraph(graph, "inner", inner, NULL);
    ss_key(graph, "log", SS_LIST);
    ss_node(graph, "sub", NULL, .subgraph = "inner", .retry.attempts_max = 3);
    ss_edge(graph, SS_START, "sub");
}

const struct ss_app_graph here_graphs[] = {{"twice", twice},
    {"retried", retried}, {"typed", typed}, {"once", once}, {"outer", outer},
    {"both", both}, {"outside", outside}, {"forgetful", forgetful},
    {"forgetful_above", forgetful_above}, {NULL, NULL}};

// ------------------------------------------------------------------ tests

static void open_question(const char *graph, const char *question)
{
    json_t *state = here_state(graph);
    here_is(state, "interrupts.0.value", question);
    ck_assert_uint_eq(json_array_size(here_at(state, "interrupts")), 1);
    here_is(state, "next", "['asks']");
}

// R7.10: the reference gives "A" to q2 as well.
START_TEST(a_plain_answer_is_not_given_to_the_next_question)
{
    here_run("twice", "{'log': []}");
    open_question("twice", "'q1'");
    here_command("twice", "{'resume': 'A'}");
    open_question("twice", "'q2'");
    here_is(here_go_on("twice"), "status", "'interrupted'");
    open_question("twice", "'q2'");
    here_restart();
    here_is(here_go_on("twice"), "status", "'interrupted'");
    json_t *answer = here_command("twice", "{'resume': 'B'}");
    here_is(answer, "output.log", "['A', 'B']");
}
END_TEST

// R6.25b: the reference's next attempt finds it gone and asks again.
START_TEST(a_retry_finds_the_plain_answer_that_the_attempt_before_took)
{
    here_run("retried", "{'log': []}");
    failing = 2;
    asked = 0;
    here_command("retried", "{'resume': 'A'}");
    ck_assert_int_eq(asked, 3);
    open_question("retried", "'q2'");
    json_t *answer = here_command("retried", "{'resume': 'B'}");
    here_is(answer, "output.log", "['A', 'B']");
}
END_TEST

// R7.21: in the reference null input feeds "many" again and fails again.
START_TEST(an_answer_that_does_not_fit_fails_once_and_the_question_stays_open)
{
    here_run("typed", "{'log': []}");
    json_t *answer = here_command("typed", "{'resume': 'many'}");
    here_failed(answer, "invalid_answer", "integer");
    open_question("typed", "'how many?'");
    answer = here_go_on("typed");
    here_is(answer, "status", "'interrupted'");
    here_is(answer, "interrupts.0.value", "'how many?'");
    answer = here_command("typed", "{'resume': '5'}");
    here_is(answer, "output.log", "[5]");
}
END_TEST

static void answer_by_id(const char *graph, const char *id, const char *text)
{
    char command[160];
    snprintf(command, sizeof(command), "{'resume': {'%s': '%s'}}", id, text);
    here_command(graph, command);
}

// R7.12b, graph.md 10.2-3: the reference makes it ['A', 'A'], though nobody
// ever saw q2.
START_TEST(an_answer_given_again_after_a_failure_answers_no_other_question)
{
    here_run("twice", "{'log': []}");
    const char *id = here_question("twice", 0);
    failing = 1;
    answer_by_id("twice", id, "A");
    json_t *state = here_state("twice");
    here_is(state, "interrupts", "[]");
    here_is(state, "tasks.0.error.code", "'node_failed'");
    answer_by_id("twice", id, "A");
    open_question("twice", "'q2'");
    json_t *answer = here_command("twice", "{'resume': 'B'}");
    here_is(answer, "output.log", "['A', 'B']");
}
END_TEST

START_TEST(a_strict_answer_to_an_answered_question_of_a_failed_task_is_refused)
{
    char body[200];
    here_run("twice", "{'log': []}");
    const char *id = here_question("twice", 0);
    failing = 1;
    answer_by_id("twice", id, "A");
    snprintf(body, sizeof(body),
        "{'graph': 'twice', 'thread': 'twice', 'strict_resume': true,"
        " 'command': {'resume': {'%s': 'A'}}}",
        id);
    here_refused("run", body, "unknown_interrupt", id);
}
END_TEST

// The plain one too, given again or not: q2 was seen by nobody.
START_TEST(a_plain_answer_after_a_failure_answers_no_other_question)
{
    for (int again = 0; again < 2; again++) {
        here_run("twice", "{'log': []}");
        failing = 1;
        here_failed(here_command("twice", "{'resume': 'A'}"), "node_failed",
            "after the answer");
        json_t *answer = again ? here_command("twice", "{'resume': 'A'}")
                               : here_go_on("twice");
        here_is(answer, "status", "'interrupted'");
        if (again)
            here_is(answer, "warnings",
                "['thread twice: no question is open; the answer was "
                "ignored']");
        open_question("twice", "'q2'");
        here_is(here_go_on("twice"), "status", "'interrupted'");
        answer = here_command("twice", "{'resume': 'B'}");
        here_is(answer, "output.log", "['A', 'B']");
        here_ask("delete", "{'thread': 'twice'}");
    }
}
END_TEST

START_TEST(it_is_so_for_a_question_inside_a_graph)
{
    here_run("outside", "{'log': []}");
    const char *id = here_question("outside", 0);
    failing = 1;
    answer_by_id("outside", id, "A");
    here_is(here_state("outside"), "interrupts", "[]");
    answer_by_id("outside", id, "A");
    open_question("outside", "'q2'");
    here_is(here_go_on("outside"), "status", "'interrupted'");
    json_t *answer = here_command("outside", "{'resume': 'B'}");
    here_is(answer, "output.log", "['A', 'B']");
}
END_TEST

// What keeps nothing keeps no answer: it begins again and asks q1, not q2. What
// is below it begins again with it, also if that keeps its own state.
START_TEST(a_question_inside_a_graph_that_keeps_nothing_stays_open)
{
    here_run("forgetful", "{'log': []}");
    failing = 1;
    here_failed(here_command("forgetful", "{'resume': 'A'}"), "node_failed",
        "after the answer");
    open_question("forgetful", "'q1'");
    here_is(here_go_on("forgetful"), "interrupts.0.value", "'q1'");

    here_run("forgetful_above", "{'log': []}");
    here_failed(here_command("forgetful_above", "{'resume': 'many'}"),
        "invalid_answer", "integer");
    open_question("forgetful_above", "'how many?'");
    here_restart();
    open_question("forgetful_above", "'how many?'");
    json_t *answer = here_command("forgetful_above", "{'resume': '5'}");
    here_is(answer, "output.log", "[5]");
}
END_TEST

START_TEST(a_plain_answer_to_one_of_several_asked_there_is_refused)
{
    char body[200], command[200];
    here_run("both", "{'log': []}");
    const char *id = here_checkpoint("both", 0);
    snprintf(command, sizeof(command), "{'resume': {'%s': 1, '%s': 2}}",
        here_question("both", 0), here_question("both", 1));
    here_is(here_command("both", command), "status", "'done'");
    snprintf(body, sizeof(body),
        "{'graph': 'both', 'thread': 'both', 'checkpoint_id': '%s',"
        " 'command': {'resume': 'plain'}}",
        id);
    here_refused("run", body, "invalid_state", "2 questions were asked there");
}
END_TEST

// R9.21, graph.md 10.2-15: the reference keeps the old answer and stores the
// new one beside it.
START_TEST(a_new_answer_on_a_checkpoint_that_the_thread_has_left_counts)
{
    char body[300];
    here_run("once", "{'log': []}");
    const char *id = here_checkpoint("once", 0);
    const char *question = here_question("once", 0);
    here_is(here_command("once", "{'resume': 'old'}"), "output.log", "['old']");
    snprintf(body, sizeof(body),
        "{'graph': 'once', 'thread': 'once', 'checkpoint_id': '%s',"
        " 'command': {'resume': {'%s': 'by id'}}}",
        id, question);
    here_is(here_ask("run", body), "output.log", "['by id']");
    snprintf(body, sizeof(body),
        "{'graph': 'once', 'thread': 'once', 'checkpoint_id': '%s',"
        " 'command': {'resume': 'plain'}}",
        id);
    here_is(here_ask("run", body), "output.log", "['plain']");
    here_is(here_state("once"), "values.log", "['plain']");
}
END_TEST

// R6.25, graph.md 10.2-3: there a retried node begins its graph anew, under
// another namespace.
START_TEST(a_retry_goes_on_with_the_graph_inside_where_it_was)
{
    failing = 2;
    finished = 0;
    json_t *answer = here_run("outer", "{'log': []}");
    here_is(answer, "status", "'done'");
    here_is(answer, "output.log", "['first', 'second']");
    ck_assert_int_eq(finished, 1);
}
END_TEST

HERE_SUITE("better_answers", a_plain_answer_is_not_given_to_the_next_question,
    a_retry_finds_the_plain_answer_that_the_attempt_before_took,
    an_answer_that_does_not_fit_fails_once_and_the_question_stays_open,
    an_answer_given_again_after_a_failure_answers_no_other_question,
    a_strict_answer_to_an_answered_question_of_a_failed_task_is_refused,
    a_plain_answer_after_a_failure_answers_no_other_question,
    it_is_so_for_a_question_inside_a_graph,
    a_question_inside_a_graph_that_keeps_nothing_stays_open,
    a_plain_answer_to_one_of_several_asked_there_is_refused,
    a_new_answer_on_a_checkpoint_that_the_thread_has_left_counts,
    a_retry_goes_on_with_the_graph_inside_where_it_was)

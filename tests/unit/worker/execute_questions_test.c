// execute_questions_test.c - bodies that ask: who is answered what.
#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/unit/worker/work.h"

static int ask_twice(struct ss_task *task)
{
    json_t *first, *second;
    if (ss_interrupt(task, json_string("one?"), &first) != 0)
        return SS_INTERRUPTED;
    if (ss_interrupt(task, json_string("two?"), &second) != 0)
        return SS_INTERRUPTED;
    return ss_update(task, json_pack("{s:[O, O]}", "log", first, second));
}

START_TEST(a_question_without_answer_interrupts)
{
    ck_assert_str_eq(
        run_body(ask_twice, "{}"), "interrupted {\"value\":\"one?\"}");
    ck_assert_ptr_null(b.outcome->answers);
}
END_TEST

START_TEST(answers_go_to_questions_by_their_position)
{
    body = ask_twice;
    bench_order(&b, "work", "{}")->given.answers = json_pack("[s]", "a");
    ck_assert_str_eq(bench_told(&b), "interrupted {\"value\":\"two?\"}");
    ck_assert_uint_eq(json_array_size(b.outcome->answers), 1);
    bench_order(&b, "work", "{}")->given.answers =
        json_pack("[s, s, s]", "a", "b", "never asked for");
    ck_assert_str_eq(
        bench_told(&b), "done log=[\"a\",\"b\"] branch:to:choose=null");
    ck_assert_uint_eq(json_array_size(b.outcome->answers), 2);
    ck_assert(!b.outcome->took_plain);
}
END_TEST

START_TEST(a_plain_answer_goes_to_the_first_question_beyond_once)
{
    body = ask_twice;
    bench_order(&b, "work", "{}")->given.plain = ss_value_new(json_string("p"));
    ck_assert_str_eq(bench_told(&b), "interrupted {\"value\":\"two?\"}");
    ck_assert(b.outcome->took_plain);
    char *answers = ss_json_text(b.outcome->answers);
    ck_assert_str_eq(answers, "[\"p\"]");
    ss_free(answers);
    bench_order(&b, "work", "{}")->given.plain = ss_value_new(json_string("p"));
    b.order->given.answers = json_pack("[s]", "a");
    ck_assert_str_eq(
        bench_told(&b), "done log=[\"a\",\"p\"] branch:to:choose=null");
}
END_TEST

static int ask_number(struct ss_task *task)
{
    json_t *age;
    int result = ss_interrupt_schema(task, json_string("age?"),
        json_pack("{s:s}", "type", "integer"), true, &age);
    if (result != 0)
        return result;
    return ss_update(task, json_pack("{s:[O]}", "log", age));
}

START_TEST(a_question_shows_the_type_of_its_answer)
{
    ck_assert_str_eq(run_body(ask_number, "{}"),
        "interrupted {\"value\":\"age?\",\"response_schema\":{\"type\":"
        "\"integer\"}}");
}
END_TEST

START_TEST(an_answer_is_converted_for_the_body_and_kept_as_given)
{
    body = ask_number;
    bench_order(&b, "work", "{}")->given.answers = json_pack("[s]", "42");
    ck_assert_str_eq(bench_told(&b), "done log=[42] branch:to:choose=null");
    ck_assert(json_is_string(json_array_get(b.outcome->answers, 0)));
}
END_TEST

START_TEST(an_answer_of_another_type_fails_and_is_not_among_the_answers)
{
    body = ask_number;
    bench_order(&b, "work", "{}")->given.plain =
        ss_value_new(json_string("old"));
    ck_assert_str_eq(bench_told(&b),
        "failed invalid_answer (invalid_answer): the answer to question 1 of "
        "node work must be of type integer, not \"old\"");
    ck_assert_ptr_null(b.outcome->answers);
    ck_assert_int_eq(b.outcome->retryable, SS_RETRY_NO);
}
END_TEST

static int forget_to_return(struct ss_task *task)
{
    json_t *answer;
    int first = ss_interrupt(task, json_string("one?"), &answer);
    int second = ss_interrupt(task, json_string("two?"), &answer);
    ck_assert_int_eq(first, SS_INTERRUPTED);
    ck_assert_int_eq(second, SS_INTERRUPTED);
    return 0;
}

START_TEST(a_body_that_does_not_return_after_its_question_has_asked_it_still)
{
    ck_assert_str_eq(
        run_body(forget_to_return, "{}"), "interrupted {\"value\":\"one?\"}");
}
END_TEST

static int use_no_answer(struct ss_task *task)
{
    json_t *answer;
    int asked = ss_interrupt(task, json_string("one?"), &answer);
    ck_assert_int_eq(asked, SS_INTERRUPTED);
    return ss_update(task, json_incref(answer));
}

START_TEST(a_body_that_goes_on_without_its_answer_is_told_so)
{
    ck_assert_str_eq(run_body(use_no_answer, "{}"),
        "failed invalid_update (-): ss_update: its value is NULL: "
        "ss_interrupt() asked, and the body went on; return what it returned");
}
END_TEST

static int never_asked(struct ss_task *task)
{
    (void)task;
    return SS_INTERRUPTED;
}

START_TEST(interrupted_without_a_question_is_a_failure)
{
    ck_assert_str_eq(run_body(never_asked, "{}"),
        "failed node_failed (-): node \"work\": it returned SS_INTERRUPTED, "
        "but "
        "asked nothing");
}
END_TEST

static int ask_then_fail(struct ss_task *task)
{
    json_t *answer;
    if (ss_interrupt(task, json_string("one?"), &answer) != 0)
        return SS_INTERRUPTED;
    return ss_fail(task, NULL, "no");
}

START_TEST(a_failure_after_an_answer_keeps_the_answer)
{
    body = ask_then_fail;
    bench_order(&b, "work", "{}")->given.answers = json_pack("[i]", 7);
    ck_assert_str_eq(bench_told(&b), "failed node_failed (-): no");
    ck_assert_uint_eq(json_array_size(b.outcome->answers), 1);
}
END_TEST

static void add_tests(TCase *tcase)
{
    tcase_add_test(tcase, a_question_without_answer_interrupts);
    tcase_add_test(tcase, answers_go_to_questions_by_their_position);
    tcase_add_test(
        tcase, a_plain_answer_goes_to_the_first_question_beyond_once);
    tcase_add_test(tcase, a_question_shows_the_type_of_its_answer);
    tcase_add_test(
        tcase, an_answer_is_converted_for_the_body_and_kept_as_given);
    tcase_add_test(
        tcase, an_answer_of_another_type_fails_and_is_not_among_the_answers);
    tcase_add_test(tcase,
        a_body_that_does_not_return_after_its_question_has_asked_it_still);
    tcase_add_test(tcase, a_body_that_goes_on_without_its_answer_is_told_so);
    tcase_add_test(tcase, interrupted_without_a_question_is_a_failure);
    tcase_add_test(tcase, a_failure_after_an_answer_keeps_the_answer);
}

int main(void)
{
    return work_main("execute_questions", add_tests);
}

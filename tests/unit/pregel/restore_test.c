// restore_test.c - what a planned task finds in the pending writes of its
// checkpoint (spec/engine.md R5.15-5, R3.18, R6.19).
#include "common/base/ids.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "common/pregel/pending.h"
#include "tests/suite.h"
#include "tests/unit/pregel/bench.h"

static struct bench *bench;
static struct ss_pendings pending;
static struct ss_restore_options how;

// One task is planned: of a node with an error handler, or without.
static void plan(bool handled)
{
    bench = bench_begin(chart("g", "start>a",
        handled ? "{'nodes': {'a': {'error_handler': true}}}" : NULL));
    ck_assert_int_eq(
        APPLY({"~x", "x", NULL, "[['branch:to:a', null]]"}), SS_OK);
    bench_plans(true, "a");
    how = (struct ss_restore_options){.pending = &pending};
}

static void wrote(const struct ss_planned_task *task, const char *channel,
    const char *value, bool of_this_run, uint64_t seq)
{
    struct ss_row_write write = {.path = (char *)task->path,
        .idx = ss_name_special(channel),
        .channel = (char *)channel,
        .value = ss_value_new(js(value))};
    ss_id_copy(write.task_id, task->id);
    ss_pendings_add(&pending, &write, of_this_run, seq);
    ss_value_unref(write.value);
}

static enum ss_found finds(
    const struct ss_planned_task *task, const char *answers)
{
    json_t *given = NULL;
    enum ss_found found = ss_restore(task, &how, &given);
    bench_json(given ? given : json_array(), answers);
    return found;
}

static const struct ss_planned_task *the_task(void)
{
    return &bench->tasks.items[0];
}

static void teardown(void)
{
    ss_pendings_fini(&pending);
    json_decref(how.resume_map);
    bench_end();
}

START_TEST(who_left_nothing_runs)
{
    plan(true);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
}
END_TEST

START_TEST(who_has_finished_keeps_its_output)
{
    plan(true);
    wrote(the_task(), "x", "['done']", false, 1);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_OUTPUT);
}
END_TEST

START_TEST(a_replay_counts_only_what_this_run_left_before_its_crash)
{
    plan(true);
    wrote(the_task(), "x", "['done']", false, 1);
    how.replaying = true;
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
    how.recovering = true;
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
    wrote(the_task(), "x", "['again']", true, 2);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_OUTPUT);
}
END_TEST

START_TEST(who_failed_runs_again_unless_its_handler_does)
{
    plan(false);
    wrote(the_task(), SS_NAME_ERROR, "{'code': 'node_failed'}", false, 1);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
    bench_end();
    ss_pendings_fini(&pending);
    memset(&pending, 0, sizeof(pending));
    plan(true);
    wrote(the_task(), SS_NAME_ERROR, "{'code': 'node_failed'}", false, 1);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
    wrote(the_task(), SS_NAME_ERROR_SOURCE, "'a'", false, 1);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_HANDLED);
}
END_TEST

START_TEST(after_a_crash_a_failure_of_this_very_run_stands)
{
    plan(false);
    wrote(the_task(), SS_NAME_ERROR, "{'code': 'node_failed'}", true, 4);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
    how.recovering = true;
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_FAILURE);
    how.since_seq = 4; // it was of a try before
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
}
END_TEST

START_TEST(after_a_crash_a_question_of_this_very_run_stands)
{
    plan(false);
    wrote(
        the_task(), SS_NAME_INTERRUPT, "[{'value': 'q', 'id': 'i'}]", true, 4);
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
    how.recovering = true;
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_QUESTION);
}
END_TEST

START_TEST(a_handler_runs_again_but_after_a_crash)
{
    struct ss_planned_task handler;
    plan(true);
    ss_plan_handler(bench->machine, &bench->at, the_task(), &handler);
    wrote(&handler, "x", "['mended']", true, 1);
    ck_assert_int_eq(finds(&handler, "[]"), SS_FOUND_NOTHING);
    how.recovering = true;
    ck_assert_int_eq(finds(&handler, "[]"), SS_FOUND_OUTPUT);
    ss_planned_task_fini(&handler);
}
END_TEST

// ------------------------------------------------ answers

static void answer(size_t question, const char *text)
{
    char id[SS_HEX128_SIZE];
    ss_interrupt_id(the_task()->ns, question, id);
    if (!how.resume_map)
        how.resume_map = json_object();
    json_object_set_new(how.resume_map, id, json_string(text));
}

START_TEST(an_answer_stands_behind_those_that_were_given_before)
{
    plan(false);
    wrote(the_task(), SS_NAME_RESUME, "['one']", false, 1);
    answer(1, "two");
    ck_assert_int_eq(finds(the_task(), "['one', 'two']"), SS_FOUND_NOTHING);
}
END_TEST

START_TEST(an_answer_to_another_question_is_none)
{
    plan(false);
    answer(3, "four");
    ck_assert_int_eq(finds(the_task(), "[]"), SS_FOUND_NOTHING);
}
END_TEST

START_TEST(on_a_checkpoint_that_was_left_an_answer_is_given_anew)
{
    plan(false);
    wrote(the_task(), SS_NAME_RESUME, "['one', 'two']", false, 1);
    answer(0, "other");
    ck_assert_int_eq(finds(the_task(), "['one', 'two']"), SS_FOUND_NOTHING);
    how.superseded = true; // what was answered after that falls
    ck_assert_int_eq(finds(the_task(), "['other']"), SS_FOUND_NOTHING);
}
END_TEST

START_TEST(after_a_crash_what_this_run_answered_is_not_answered_twice)
{
    plan(false);
    wrote(the_task(), SS_NAME_RESUME, "['one']", true, 1);
    answer(1, "two");
    how.recovering = true;
    ck_assert_int_eq(finds(the_task(), "['one']"), SS_FOUND_NOTHING);
}
END_TEST

START_TEST(the_first_question_s_id_answers_the_one_that_is_open)
{
    plan(false);
    wrote(the_task(), SS_NAME_RESUME, "['one']", false, 1);
    answer(0, "two");
    ck_assert_int_eq(finds(the_task(), "['one']"), SS_FOUND_NOTHING);
    wrote(
        the_task(), SS_NAME_INTERRUPT, "[{'value': 'q', 'id': 'i'}]", false, 2);
    ck_assert_int_eq(finds(the_task(), "['one', 'two']"), SS_FOUND_NOTHING);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {who_left_nothing_runs,
        who_has_finished_keeps_its_output,
        a_replay_counts_only_what_this_run_left_before_its_crash,
        who_failed_runs_again_unless_its_handler_does,
        after_a_crash_a_failure_of_this_very_run_stands,
        after_a_crash_a_question_of_this_very_run_stands,
        a_handler_runs_again_but_after_a_crash,
        an_answer_stands_behind_those_that_were_given_before,
        an_answer_to_another_question_is_none,
        on_a_checkpoint_that_was_left_an_answer_is_given_anew,
        after_a_crash_what_this_run_answered_is_not_answered_twice,
        the_first_question_s_id_answers_the_one_that_is_open};
    Suite *suite = suite_create("restore");
    TCase *tcase = tcase_create("restore");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

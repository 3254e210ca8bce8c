// Pending writes: with which checkpoint they stand, and which of them counts.
#include "common/model/journal.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/pending.h"
#include "common/model/reserved.h"
#include "tests/suite.h"
#include "tests/unit/model/journal_rows.h"

START_TEST(writes_stand_with_the_checkpoint_they_follow)
{
    step("1", "", 1, "1");
    struct ss_row *row = row_in("");
    holds(row, "2", "1");
    strcpy(row->of, "1");
    writes(row, "t1", 0, "x", "2");
    append(row);
    expect_pending("1", "t1/0/x=2");
    expect_pending("2", "");
}
END_TEST

START_TEST(writes_know_whether_the_run_that_asks_made_them)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, "t1", 0, "x", "1");
    append(row);
    const char *const runs[] = {"run-1", "run-2", NULL};
    for (size_t i = 0; i < 3; i++) {
        struct ss_pendings pending = {0};
        ss_journal_pending(
            ss_journal_find(journal, "", "1"), runs[i], &pending);
        ck_assert_uint_eq(pending.count, 1);
        ck_assert_uint_eq(pending.items[0].seq, 2);
        ck_assert(pending.items[0].of_this_run == (i == 0));
        ss_pendings_fini(&pending);
    }
}
END_TEST

START_TEST(the_first_regular_write_wins_and_the_last_special_one)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, "t1", 0, "x", "\"first\"");
    writes(row, "t1", -3, SS_NAME_INTERRUPT, "\"first\"");
    append(row);
    row = pending_row("1");
    writes(row, "t1", 0, "x", "\"second\"");
    writes(row, "t1", -3, SS_NAME_INTERRUPT, "\"second\"");
    writes(row, "t1", 1, "y", "1");
    append(row);
    expect_pending(
        "1", "t1/-3/__interrupt__=\"second\" t1/0/x=\"first\" t1/1/y=1");
}
END_TEST

START_TEST(what_is_asked_for_twice_has_what_came_between)
{
    step("1", "", 1, "1");
    expect_pending("1", "");
    char expected[64] = "";
    for (int32_t i = 0; i < 5; i++) {
        struct ss_row *row = pending_row("1");
        writes(row, "t1", i, "x", "1");
        writes(row, "t1", 0, "x", "2");
        append(row);
        snprintf(expected + strlen(expected),
            sizeof(expected) - strlen(expected), "%st1/%d/x=1",
            i > 0 ? " " : "", i);
        expect_pending("1", expected);
    }
}
END_TEST

START_TEST(writes_are_read_by_path_then_task_then_index)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes_at(row, "~b", "t1", 0, "x", "1");
    writes_at(row, "~a", "t3", 1, "x", "2");
    writes_at(row, "~a", "t3", 0, "x", "3");
    writes_at(row, "~a", "t2", 5, "x", "4");
    writes_at(row, "", SS_NULL_TASK, 0, "x", "5");
    writes_at(row, "~\xc3\xa4", "t4", -4, "x", "6");
    append(row);
    expect_pending("1", SS_NULL_TASK "/0/x=5 t2/5/x=4 t3/0/x=3 t3/1/x=2"
                                     " t1/0/x=1 t4/-4/x=6");
}
END_TEST

START_TEST(an_answer_that_was_taken_is_gone)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, SS_NULL_TASK, -4, SS_NAME_RESUME, "\"yes\"");
    writes(row, SS_NULL_TASK, 1, "x", "1");
    writes(row, "t1", 0, "x", "1");
    append(row);
    row = pending_row("1");
    writes(row, SS_NULL_TASK, -4, SS_NAME_RESUME, NULL);
    writes(row, "t1", -4, SS_NAME_RESUME, "[\"yes\"]");
    append(row);
    expect_pending(
        "1", SS_NULL_TASK "/1/x=1 t1/-4/__resume__=[\"yes\"] t1/0/x=1");
    row = pending_row("1");
    writes(row, SS_NULL_TASK, -4, SS_NAME_RESUME, NULL);
    writes(row, "t1", 0, "x", "\"late\"");
    writes(row, SS_NULL_TASK, -4, SS_NAME_RESUME, "\"no\"");
    append(row);
    expect_pending("1",
        SS_NULL_TASK "/-4/__resume__=\"no\" " SS_NULL_TASK
                     "/1/x=1 t1/-4/__resume__=[\"yes\"] t1/0/x=1");
}
END_TEST

START_TEST(an_answer_that_a_graph_inside_took_is_gone_and_another_one_waits)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, SS_NULL_TASK, -4, SS_NAME_RESUME, "\"yes\"");
    append(row);
    row = row_in("inside");
    strcpy(row->of, "7");
    strcpy(row->answer_of, "1");
    writes(row, "t1", -4, SS_NAME_RESUME, "[\"yes\"]");
    append(row);
    expect_pending("1", "");
    row = pending_row("1");
    writes(row, SS_NULL_TASK, -4, SS_NAME_RESUME, "\"no\"");
    append(row);
    expect_pending("1", SS_NULL_TASK "/-4/__resume__=\"no\"");
    row = pending_row("1"); // and it takes it itself
    strcpy(row->answer_of, "1");
    writes(row, "t2", -4, SS_NAME_RESUME, "[\"no\"]");
    append(row);
    expect_pending("1", "t2/-4/__resume__=[\"no\"]");
}
END_TEST

START_TEST(a_wide_superstep_keeps_every_write_once)
{
    enum { TASKS = 5000 };
    step("1", "", 1, "1");
    for (int round = 0; round < 2; round++) {
        struct ss_row *row = pending_row("1");
        for (int i = 0; i < TASKS; i++) {
            char task[SS_UUID_SIZE];
            snprintf(task, sizeof(task), "task-%04d", i);
            writes(row, task, 0, "x", round ? "2" : "1");
        }
        append(row);
    }
    struct ss_pendings pending = {0};
    ss_journal_pending(ss_journal_find(journal, "", NULL), NULL, &pending);
    ck_assert_uint_eq(pending.count, TASKS);
    for (size_t i = 0; i < pending.count; i++) {
        size_t size = 0;
        ck_assert_str_eq(
            ss_value_text(pending.items[i].write.value, &size), "1");
    }
    ss_pendings_fini(&pending);
}
END_TEST

// The writes of its first attempt could not be applied.
static void write_and_fail(void)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, "t1", 0, "x", "\"old\"");
    writes(row, "t1", 1, "y", "\"old\"");
    writes(row, "t2", 0, "x", "\"of another\"");
    append(row);
    row = pending_row("1");
    writes(row, "t1", -1, SS_NAME_ERROR, "\"failed\"");
    append(row);
}

START_TEST(a_task_that_failed_keeps_what_it_wrote_until_it_writes_anew)
{
    write_and_fail();
    expect_pending("1", "t1/-1/__error__=\"failed\" t1/0/x=\"old\""
                        " t1/1/y=\"old\" t2/0/x=\"of another\"");
    for (int round = 0; round < 2; round++) {
        struct ss_row *row = pending_row("1");
        writes(row, "t1", 0, "z", round ? "\"late\"" : "\"new\"");
        append(row);
        expect_pending("1", "t1/-1/__error__=\"failed\" t1/0/z=\"new\""
                            " t2/0/x=\"of another\"");
    }
}
END_TEST

START_TEST(a_task_that_failed_may_write_anew_in_other_places)
{
    write_and_fail();
    struct ss_row *row = pending_row("1");
    writes(row, "t1", -4, SS_NAME_RESUME, "[1]");
    writes(row, "t1", 2, "z", "\"new\"");
    append(row);
    expect_pending("1", "t1/-4/__resume__=[1] t1/-1/__error__=\"failed\""
                        " t1/2/z=\"new\" t2/0/x=\"of another\"");
}
END_TEST

START_TEST(writes_to_an_unknown_checkpoint_break_nothing)
{
    struct ss_row *row = pending_row("3");
    writes(row, "t1", 0, "x", "1");
    append(row);
    ck_assert_ptr_null(ss_journal_find(journal, "", "3"));
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_OK);
}
END_TEST

START_TEST(a_checkpoint_that_comes_later_takes_its_orphans)
{
    struct ss_row *row = pending_row("3");
    writes(row, "t1", 0, "x", "1");
    append(row);
    step("3", "", 1, "1");
    expect_pending("3", "t1/0/x=1");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal_pending");
    TCase *t = tcase_create("journal_pending");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, writes_stand_with_the_checkpoint_they_follow);
    tcase_add_test(t, the_first_regular_write_wins_and_the_last_special_one);
    tcase_add_test(t, writes_know_whether_the_run_that_asks_made_them);
    tcase_add_test(t, what_is_asked_for_twice_has_what_came_between);
    tcase_add_test(t, writes_are_read_by_path_then_task_then_index);
    tcase_add_test(t, an_answer_that_was_taken_is_gone);
    tcase_add_test(
        t, an_answer_that_a_graph_inside_took_is_gone_and_another_one_waits);
    tcase_add_test(t, a_wide_superstep_keeps_every_write_once);
    tcase_add_test(
        t, a_task_that_failed_keeps_what_it_wrote_until_it_writes_anew);
    tcase_add_test(t, a_task_that_failed_may_write_anew_in_other_places);
    tcase_add_test(t, writes_to_an_unknown_checkpoint_break_nothing);
    tcase_add_test(t, a_checkpoint_that_comes_later_takes_its_orphans);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

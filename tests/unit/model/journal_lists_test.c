// Lists that grow, and lists that are edited where they changed.
#include "common/model/journal.h"

#include <check.h>
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/model/journal_rows.h"

static void grow(
    const char *id, const char *parent, int64_t version, const char *text)
{
    change(id, parent, version, SS_DELTA_APPEND, text);
}

static void edit(
    const char *id, const char *parent, int64_t version, const char *text)
{
    change(id, parent, version, SS_DELTA_EDIT, text);
}

START_TEST(lists_grow_by_what_was_added)
{
    step("1", "", 1, "[1]");
    grow("2", "1", 2, "[2,3]");
    grow("3", "2", 3, "[]");
    grow("4", "3", 4, "[[4]]");
    expect("", "4", "x", 4, "[1,2,3,[4]]");
    expect("", "2", "x", 2, "[1,2,3]");
    expect("", "1", "x", 1, "[1]");
}
END_TEST

START_TEST(a_list_that_is_set_anew_forgets_what_it_had)
{
    step("1", "", 1, "[1]");
    grow("2", "1", 2, "[2]");
    step("3", "2", 3, "[9]");
    grow("4", "3", 4, "[10]");
    expect("", "4", "x", 4, "[9,10]");
}
END_TEST

START_TEST(a_list_does_not_grow_in_the_hands_of_others)
{
    step("1", "", 1, "[1]");
    struct ss_checkpoint *held =
        ss_journal_fold(journal, ss_journal_find(journal, "", NULL));
    grow("2", "1", 2, "[2]");
    expect("", "2", "x", 2, "[1,2]");
    expect_channel(held, "x", 1, "[1]");
    ss_checkpoint_unref(held);
    expect("", "1", "x", 1, "[1]");
}
END_TEST

START_TEST(lists_are_edited_where_they_changed)
{
    step("1", "", 1, "[1,2,3,4,5]");
    edit("2", "1", 2, "[[1,1,20],[3,1]]");
    edit("3", "2", 3, "[[0,1],[3,1,50,60]]");
    edit("4", "3", 4, "[]");
    expect("", "4", "x", 4, "[20,3,50,60]");
    expect("", "2", "x", 2, "[1,20,3,5]");
    expect("", "1", "x", 1, "[1,2,3,4,5]");
}
END_TEST

START_TEST(an_edit_that_does_not_fit_is_damage)
{
    static const char *const edits[] = {"[[3,1]]", "[[1,2]]", "[[0,1],[0,1]]",
        "[[0,0,7]]", "[[0,1,7,8]]", "[[-1,1]]", "[[0]]", "[7]", "{}", "7",
        "[[1,1],[0,1]]", "[[2,0,7],[2,0,8]]"};
    step("1", "", 1, "[1,2]");
    edit("2", "1", 2, edits[_i]);
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_ECORRUPT);
    expect("", "1", "x", 1, "[1,2]");
}
END_TEST

START_TEST(growing_what_is_no_list_is_damage)
{
    step("1", "", 1, "{}");
    grow("2", "1", 2, "[2]");
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_ECORRUPT);
    ck_assert_str_eq(row_error.message, "journal: row 2: channel x: what is "
                                        "added is not a list, or does not fit"
                                        " what it is added to");
    ck_assert_ptr_null(
        ss_journal_fold(journal, ss_journal_find(journal, "", "2")));
    expect("", "1", "x", 1, "{}");
}
END_TEST

START_TEST(growing_by_what_is_no_list_is_damage)
{
    step("1", "", 1, "[]");
    grow("2", "1", 2, "2");
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_ECORRUPT);
    expect("", "1", "x", 1, "[]");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal_lists");
    TCase *t = tcase_create("journal_lists");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, lists_grow_by_what_was_added);
    tcase_add_test(t, a_list_that_is_set_anew_forgets_what_it_had);
    tcase_add_test(t, a_list_does_not_grow_in_the_hands_of_others);
    tcase_add_test(t, lists_are_edited_where_they_changed);
    tcase_add_loop_test(t, an_edit_that_does_not_fit_is_damage, 0, 12);
    tcase_add_test(t, growing_what_is_no_list_is_damage);
    tcase_add_test(t, growing_by_what_is_no_list_is_damage);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

// Checkpoints in full, snapshots, and runs: what a journal of rows tells.
#include "common/model/journal.h"

#include <check.h>
#include <stdlib.h>

#include "common/model/reserved.h"
#include "tests/suite.h"
#include "tests/unit/model/journal_rows.h"

// --- checkpoints ------------------------------------------------------------

START_TEST(an_empty_journal_has_nothing)
{
    size_t count = 7;
    ck_assert_uint_eq(ss_journal_head(journal), 0);
    ck_assert_ptr_null(ss_journal_row(journal, 1));
    ck_assert_ptr_null(ss_journal_find(journal, "", NULL));
    ck_assert_ptr_null(ss_journal_before(journal, "", "9"));
    ck_assert_ptr_null(ss_journal_list(journal, "", &count));
    ck_assert_uint_eq(count, 0);
    ss_journal_namespaces(journal, &count);
    ck_assert_uint_eq(count, 0);
    ck_assert_ptr_null(ss_journal_run(journal, "run-1"));
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_OK);
}
END_TEST

START_TEST(a_delta_keeps_what_it_does_not_name)
{
    struct ss_row *row = row_in("");
    holds(row, "1", "");
    moves(row, "x", 1, SS_DELTA_SET, "\"one\"");
    moves(row, "y", 1, SS_DELTA_SET, "[1]");
    append(row);
    step("2", "1", 2, "\"two\"");
    expect("", "2", "x", 2, "\"two\"");
    expect("", "2", "y", 1, "[1]");
    expect("", "1", "x", 1, "\"one\"");
}
END_TEST

START_TEST(a_cleared_channel_keeps_its_new_version)
{
    step("1", "", 1, "5");
    struct ss_row *row = row_in("");
    holds(row, "2", "1");
    moves(row, "x", 2, SS_DELTA_CLEAR, NULL);
    append(row);
    expect("", "2", "x", 2, NULL);
}
END_TEST

START_TEST(a_stored_null_is_not_missing)
{
    step("1", "", 1, "null");
    expect("", "1", "x", 1, "null");
}
END_TEST

START_TEST(seen_versions_add_up_and_empty_entries_stand)
{
    struct ss_row *row = row_in("");
    holds(row, "1", "");
    sees(row, "__input__", NULL, 0);
    sees(row, "a", "x", 1);
    sees(row, "a", "y", 1);
    append(row);
    row = row_in("");
    holds(row, "2", "1");
    sees(row, "a", "x", 2);
    updates(row, "x");
    append(row);
    struct ss_checkpoint *checkpoint =
        ss_journal_fold(journal, ss_journal_find(journal, "", NULL));
    const struct ss_map *input = ss_map_get(&checkpoint->seen, "__input__");
    const struct ss_map *a = ss_map_get(&checkpoint->seen, "a");
    ck_assert_uint_eq(input->count, 0);
    ck_assert_int_eq(*(int64_t *)ss_map_get(a, "x"), 2);
    ck_assert_int_eq(*(int64_t *)ss_map_get(a, "y"), 1);
    ck_assert(checkpoint->updated_known);
    ck_assert_uint_eq(checkpoint->updated_count, 1);
    ck_assert_str_eq(checkpoint->updated[0], "x");
    ss_checkpoint_unref(checkpoint);
}
END_TEST

START_TEST(updated_channels_are_those_of_the_row_alone)
{
    struct ss_row *row = row_in("");
    holds(row, "1", "");
    updates(row, "x");
    append(row);
    step("2", "1", 2, "5");
    struct ss_checkpoint *checkpoint =
        ss_journal_fold(journal, ss_journal_find(journal, "", "2"));
    ck_assert(!checkpoint->updated_known);
    ck_assert_uint_eq(checkpoint->updated_count, 0);
    ss_checkpoint_unref(checkpoint);
}
END_TEST

START_TEST(a_checkpoint_that_somebody_holds_never_changes)
{
    step("1", "", 1, "1");
    struct ss_checkpoint *held =
        ss_journal_fold(journal, ss_journal_find(journal, "", "1"));
    step("2", "1", 2, "2");
    expect("", "2", "x", 2, "2");
    ck_assert_str_eq(held->id, "1");
    expect_channel(held, "x", 1, "1");
    ss_checkpoint_unref(held);
}
END_TEST

START_TEST(folding_the_head_goes_on_in_place)
{
    step("1", "", 1, "1");
    struct ss_checkpoint *held =
        ss_journal_fold(journal, ss_journal_find(journal, "", "1"));
    const struct ss_checkpoint *before = held;
    ss_checkpoint_unref(held);
    step("2", "1", 2, "2");
    held = ss_journal_fold(journal, ss_journal_find(journal, "", "2"));
    ck_assert_ptr_eq(held, before);
    ss_checkpoint_unref(held);
}
END_TEST

START_TEST(a_fork_sees_its_own_past_only)
{
    step("1", "", 1, "\"root\"");
    step("2", "1", 2, "\"left\"");
    step("3", "2", 3, "\"more left\"");
    struct ss_row *row = row_in("");
    holds(row, "4", "1");
    moves(row, "y", 1, SS_DELTA_SET, "\"right\"");
    append(row);
    expect("", "3", "x", 3, "\"more left\"");
    expect("", "4", "x", 1, "\"root\"");
    expect("", "4", "y", 1, "\"right\"");
    expect("", "2", "x", 2, "\"left\"");
    const struct ss_checkpoint_entry *fork = ss_journal_find(journal, "", NULL);
    ck_assert_str_eq(fork->row->checkpoint_id, "4");
    ck_assert_str_eq(fork->parent->row->checkpoint_id, "1");
    ck_assert_ptr_null(fork->parent->parent);
}
END_TEST

START_TEST(checkpoints_are_found_by_id_and_listed_by_age)
{
    step("1", "", 1, "1");
    step("3", "1", 2, "2");
    step("5", "3", 3, "3");
    ck_assert_ptr_null(ss_journal_find(journal, "", "2"));
    ck_assert_ptr_null(ss_journal_find(journal, "", "6"));
    ck_assert_ptr_null(ss_journal_find(journal, "other", NULL));
    ck_assert_str_eq(
        ss_journal_find(journal, "", "3")->row->checkpoint_id, "3");
    ck_assert_str_eq(
        ss_journal_before(journal, "", "5")->row->checkpoint_id, "3");
    ck_assert_str_eq(
        ss_journal_before(journal, "", "4")->row->checkpoint_id, "3");
    ck_assert_str_eq(
        ss_journal_before(journal, "", "9")->row->checkpoint_id, "5");
    ck_assert_ptr_null(ss_journal_before(journal, "", "1"));
    size_t count = 0;
    struct ss_checkpoint_entry *const *list =
        ss_journal_list(journal, "", &count);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(list[0]->row->checkpoint_id, "1");
    ck_assert_str_eq(list[2]->row->checkpoint_id, "5");
    ck_assert_uint_eq(list[2]->order, 2);
}
END_TEST

START_TEST(namespaces_are_apart)
{
    step("1", "", 1, "\"root\"");
    struct ss_row *row = row_in("sub:t1");
    holds(row, "2", "");
    moves(row, "x", 1, SS_DELTA_SET, "\"sub\"");
    append(row);
    step("3", "1", 2, "\"root again\"");
    expect("sub:t1", NULL, "x", 1, "\"sub\"");
    expect("", NULL, "x", 2, "\"root again\"");
    ck_assert_ptr_null(ss_journal_find(journal, "", "2"));
    size_t count = 0;
    const char *const *names = ss_journal_namespaces(journal, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(names[0], "");
    ck_assert_str_eq(names[1], "sub:t1");
}
END_TEST

START_TEST(a_parent_that_never_was_is_named_and_nothing_more)
{
    step("5", "4", 1, "1");
    const struct ss_checkpoint_entry *mark = ss_journal_find(journal, "", NULL);
    ck_assert_str_eq(mark->row->parent_id, "4");
    ck_assert_ptr_null(mark->parent);
    expect("", "5", "x", 1, "1");
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_OK);
}
END_TEST

// --- snapshots --------------------------------------------------------------

START_TEST(a_whole_checkpoint_is_read_alone)
{
    step("1", "", 1, "1");
    struct ss_row *row = row_in("");
    holds(row, "2", "1");
    row->checkpoint.whole = true;
    moves(row, "y", 2, SS_DELTA_SET, "2");
    append(row);
    struct ss_checkpoint *checkpoint =
        ss_journal_fold(journal, ss_journal_find(journal, "", NULL));
    ck_assert_ptr_null(ss_map_get(&checkpoint->channels, "x"));
    expect_channel(checkpoint, "y", 2, "2");
    ss_checkpoint_unref(checkpoint);
}
END_TEST

START_TEST(a_snapshot_makes_reading_short)
{
    step("1", "", 1, "1");
    step("2", "1", 2, "2");
    step("3", "2", 3, "3");
    struct ss_checkpoint_entry *head = ss_journal_find(journal, "", NULL);
    ck_assert_uint_eq(head->base_seq, 1);
    ck_assert_uint_eq(head->bytes, 300);
    struct ss_row *row = snapshot_row("3", "2");
    moves(row, "x", 3, SS_DELTA_SET, "3");
    append(row);
    ck_assert_ptr_eq(ss_journal_find(journal, "", NULL), head);
    ck_assert_uint_eq(head->base_seq, 4);
    ck_assert_uint_eq(head->bytes, 100);
    step("4", "3", 4, "4");
    head = ss_journal_find(journal, "", NULL);
    ck_assert_uint_eq(head->base_seq, 4);
    ck_assert_uint_eq(head->bytes, 200);
    expect("", "3", "x", 3, "3");
    expect("", "4", "x", 4, "4");
    size_t count = 0;
    ss_journal_list(journal, "", &count);
    ck_assert_uint_eq(count, 4);
}
END_TEST

START_TEST(a_fork_of_an_old_checkpoint_is_far_from_its_base)
{
    step("1", "", 1, "1");
    step("2", "1", 2, "2");
    step("3", "2", 3, "3");
    step("4", "1", 4, "4");
    ck_assert_uint_eq(ss_journal_find(journal, "", "4")->bytes, 400);
}
END_TEST

START_TEST(a_row_that_was_not_encoded_yet_counts_by_its_values)
{
    step("1", "", 1, "1");
    struct ss_row *row = row_in("");
    row->size = 0;
    holds(row, "2", "1");
    moves(row, "x", 2, SS_DELTA_SET, "\"0123456789\"");
    append(row);
    size_t bytes = ss_journal_find(journal, "", "2")->bytes;
    ck_assert_uint_gt(bytes, 100 + 12); // behind the first one
    ck_assert_uint_lt(bytes, 100 + 100);
}
END_TEST

// --- runs -------------------------------------------------------------------

START_TEST(a_run_is_what_its_rows_tell)
{
    struct ss_row *row = row_in("");
    row->kind = SS_ROW_ENTRY;
    row->entry = json_pack("{s:i}", "input", 1);
    holds(row, "1", "");
    row->source = SS_SOURCE_INPUT;
    append(row);
    step("2", "1", 1, "1");
    row = row_in("sub");
    holds(row, "3", "");
    row->end = json_pack("{s:s}", "status", "of the nested loop");
    append(row);
    const struct ss_run_rows *facts = ss_journal_run(journal, "run-1");
    ck_assert_str_eq(facts->id, "run-1");
    ck_assert_int_eq(ss_json_int(facts->entry, "input", 0), 1);
    ck_assert_ptr_null(facts->end);
    ck_assert_uint_eq(facts->first_seq, 1);
    ck_assert_str_eq(facts->last->row->checkpoint_id, "2");
    ck_assert_uint_eq(facts->steps, 1);
    row = row_in("");
    row->kind = SS_ROW_END;
    row->end = json_pack("{s:s}", "status", "done");
    append(row);
    ck_assert_str_eq(ss_json_str(facts->end, "status", ""), "done");
    ck_assert_ptr_null(ss_journal_run(journal, "run-2"));
}
END_TEST

START_TEST(runs_are_apart)
{
    step("1", "", 1, "1");
    struct ss_row *row = row_in("");
    strcpy(row->run, "run-2");
    holds(row, "2", "1");
    append(row);
    ck_assert_str_eq(
        ss_journal_run(journal, "run-1")->last->row->checkpoint_id, "1");
    ck_assert_str_eq(
        ss_journal_run(journal, "run-2")->last->row->checkpoint_id, "2");
    ck_assert_uint_eq(ss_journal_run(journal, "run-2")->first_seq, 2);
}
END_TEST

START_TEST(the_journal_knows_about_what_it_holds)
{
    size_t empty = ss_journal_size(journal);
    step("1", "", 1, "1");
    size_t one = ss_journal_size(journal);
    step("2", "1", 2, "2");
    ck_assert_uint_gt(one, empty);
    ck_assert_uint_gt(ss_journal_size(journal), one);
    append(void_row(0, 2));
    ck_assert_uint_lt(ss_journal_size(journal), 2 * one);
}
END_TEST

// Takes the row.
static int32_t format_of(struct ss_row *row)
{
    int32_t format = ss_row_format(row);
    ss_row_destroy(&row);
    return format;
}

START_TEST(a_rows_format_is_the_smallest_that_holds_it)
{
    static const enum ss_delta_op plain[] = {
        SS_DELTA_SET, SS_DELTA_CLEAR, SS_DELTA_APPEND};
    ck_assert_int_eq(format_of(row_in("")), SS_ROW_FORMAT_1);
    struct ss_row *row = row_in("");
    holds(row, "1", "");
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
        moves(row, "x", 1, plain[i], "[]");
    writes(row, "t", 0, "x", "1");
    writes(row, "t", -4, SS_NAME_RESUME, "[1]");
    row->entry = json_pack("{s:s}", "version", "v1");
    ck_assert_int_eq(ss_row_format(row), SS_ROW_FORMAT_1);
    moves(row, "y", 1, SS_DELTA_EDIT, "[[0,1]]");
    ck_assert_int_eq(format_of(row), SS_ROW_FORMAT_2);
    row = row_in("");
    writes(row, "t", 0, "x", "1");
    writes(row, "t", -5, SS_NAME_TRIES, "{}");
    ck_assert_int_eq(format_of(row), SS_ROW_FORMAT_2);
    row = row_in("");
    row->entry = json_pack("{s:s}", "moved_from", "v1");
    ck_assert_int_eq(format_of(row), SS_ROW_FORMAT_2);
    row = row_in("");
    writes(row, "t", -5, SS_NAME_TRIES, "{}");
    writes(row, "u", -6, SS_NAME_LOST, "{}");
    ck_assert_int_eq(format_of(row), SS_ROW_FORMAT_4);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal");
    TCase *t = tcase_create("journal");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_empty_journal_has_nothing);
    tcase_add_test(t, a_delta_keeps_what_it_does_not_name);
    tcase_add_test(t, a_cleared_channel_keeps_its_new_version);
    tcase_add_test(t, a_stored_null_is_not_missing);
    tcase_add_test(t, seen_versions_add_up_and_empty_entries_stand);
    tcase_add_test(t, updated_channels_are_those_of_the_row_alone);
    tcase_add_test(t, a_checkpoint_that_somebody_holds_never_changes);
    tcase_add_test(t, folding_the_head_goes_on_in_place);
    tcase_add_test(t, a_fork_sees_its_own_past_only);
    tcase_add_test(t, checkpoints_are_found_by_id_and_listed_by_age);
    tcase_add_test(t, namespaces_are_apart);
    tcase_add_test(t, a_parent_that_never_was_is_named_and_nothing_more);
    tcase_add_test(t, a_whole_checkpoint_is_read_alone);
    tcase_add_test(t, a_snapshot_makes_reading_short);
    tcase_add_test(t, a_fork_of_an_old_checkpoint_is_far_from_its_base);
    tcase_add_test(t, a_row_that_was_not_encoded_yet_counts_by_its_values);
    tcase_add_test(t, a_run_is_what_its_rows_tell);
    tcase_add_test(t, runs_are_apart);
    tcase_add_test(t, the_journal_knows_about_what_it_holds);
    tcase_add_test(t, a_rows_format_is_the_smallest_that_holds_it);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

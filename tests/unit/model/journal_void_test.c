// Rows that void others, and rows that are damaged.
#include "common/model/journal.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "tests/suite.h"
#include "tests/unit/model/journal_rows.h"

// --- void -------------------------------------------------------------------

START_TEST(a_deleted_thread_begins_anew)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, "t1", 0, "x", "1");
    append(row);
    append(void_row(0, 2));
    ck_assert_ptr_null(ss_journal_find(journal, "", NULL));
    ck_assert_ptr_null(ss_journal_row(journal, 1));
    ck_assert_ptr_nonnull(ss_journal_row(journal, 3));
    ck_assert_uint_eq(ss_journal_head(journal), 3);
    step("5", "", 1, "\"new\"");
    expect("", NULL, "x", 1, "\"new\"");
}
END_TEST

START_TEST(a_rollback_takes_back_the_newest_rows)
{
    step("1", "", 1, "1");
    struct ss_row *row = row_in("");
    strcpy(row->run, "run-2");
    holds(row, "2", "1");
    strcpy(row->of, "1");
    writes(row, "t1", 0, "x", "2");
    moves(row, "x", 2, SS_DELTA_SET, "2");
    append(row);
    expect("", "2", "x", 2, "2");
    append(void_row(2, 2));
    ck_assert_ptr_null(ss_journal_find(journal, "", "2"));
    ck_assert_ptr_null(ss_journal_run(journal, "run-2"));
    expect_pending("1", "");
    expect("", NULL, "x", 1, "1");
    step("3", "1", 3, "3");
    expect("", NULL, "x", 3, "3");
}
END_TEST

START_TEST(a_pruned_thread_keeps_what_the_snapshot_holds)
{
    step("1", "", 1, "1");
    step("2", "1", 2, "2");
    struct ss_row *row = snapshot_row("2", "1");
    moves(row, "x", 2, SS_DELTA_SET, "2");
    strcpy(row->of, "2");
    writes(row, "t1", 0, "x", "3");
    append(row);
    append(void_row(0, 2));
    size_t count = 0;
    ss_journal_list(journal, "", &count);
    ck_assert_uint_eq(count, 1);
    expect("", NULL, "x", 2, "2");
    expect_pending("2", "t1/0/x=3");
    ck_assert_str_eq(ss_journal_find(journal, "", NULL)->row->parent_id, "1");
    ck_assert_ptr_null(ss_journal_find(journal, "", NULL)->parent);
    step("3", "2", 3, "3");
    expect("", NULL, "x", 3, "3");
}
END_TEST

static void pruned_in_the_middle(void)
{
    step("2", "", 2, "2");
    step("3", "2", 3, "3");
    struct ss_row *row = snapshot_row("2", "");
    moves(row, "x", 2, SS_DELTA_SET, "2");
    moves(row, "y", 1, SS_DELTA_SET, "1");
    append(row);
}

START_TEST(a_snapshot_after_its_children_takes_the_place_of_their_parent)
{
    pruned_in_the_middle();
    append(void_row(0, 1));
    expect("", "3", "x", 3, "3");
    expect("", "3", "y", 1, "1");
    ck_assert_str_eq(
        ss_journal_find(journal, "", "3")->parent->row->checkpoint_id, "2");
    ck_assert_uint_eq(ss_journal_find(journal, "", "3")->order, 1);
}
END_TEST

START_TEST(a_thread_loads_after_its_void_rows_were_deleted)
{
    struct ss_row *row = row_in("");
    row->seq = 11;
    holds(row, "3", "2");
    row->parent_seq = 10;
    moves(row, "x", 3, SS_DELTA_SET, "3");
    append(row);
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_ECORRUPT);
    ck_assert_str_eq(row_error.message,
        "journal: row 11: checkpoint 3: its parent 2 is gone");
    ck_assert_ptr_null(
        ss_journal_fold(journal, ss_journal_find(journal, "", NULL)));
    row = snapshot_row("2", "");
    moves(row, "y", 1, SS_DELTA_SET, "1");
    append(row);
    append(void_row(0, 10));
    ck_assert_int_eq(ss_journal_check(journal, &row_error), SS_OK);
    expect("", NULL, "y", 1, "1");
    ck_assert_str_eq(
        ss_journal_find(journal, "", NULL)->row->checkpoint_id, "3");
}
END_TEST

START_TEST(what_others_stand_on_cannot_be_void)
{
    step("1", "", 1, "1");
    step("2", "1", 2, "2");
    refuse(
        void_row(0, 1), "journal: row 2: checkpoint 2: its parent 1 is gone");
    expect("", "2", "x", 2, "2");
    expect("", "1", "x", 1, "1");
    step("3", "2", 3, "3");
    expect("", "3", "x", 3, "3");
}
END_TEST

START_TEST(a_snapshot_that_is_void_is_not_needed)
{
    step("1", "", 1, "1");
    struct ss_row *row = snapshot_row("1", "");
    moves(row, "x", 1, SS_DELTA_SET, "1");
    append(row);
    append(void_row(2, 2));
    expect("", "1", "x", 1, "1");
    ck_assert_ptr_null(ss_journal_find(journal, "", "1")->whole);
}
END_TEST

// --- damage -----------------------------------------------------------------

START_TEST(a_gap_is_refused)
{
    step("1", "", 1, "1");
    struct ss_row *row = row_in("");
    row->seq = 3;
    refuse(row, "journal: row 3 follows row 1: rows are missing or doubled");
    row = row_in("");
    row->seq = 1;
    refuse(row, "journal: row 1 follows row 1: rows are missing or doubled");
}
END_TEST

START_TEST(an_id_that_is_not_greater_is_refused)
{
    step("2", "", 1, "1");
    struct ss_row *row = row_in("");
    holds(row, "2", "");
    refuse(row, "journal: row 2: checkpoint 2 does not come after 2");
    row = row_in("");
    holds(row, "1", "");
    refuse(row, "journal: row 2: checkpoint 1 does not come after 2");
    row = row_in("other");
    holds(row, "1", "");
    append(row);
}
END_TEST

START_TEST(a_parent_that_is_not_in_its_row_is_refused)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("1");
    writes(row, "t1", 0, "x", "1");
    append(row);
    const uint64_t wrong[] = {2, 3, 9};
    for (size_t i = 0; i < 3; i++) {
        row = row_in("");
        holds(row, "2", "1");
        row->parent_seq = wrong[i];
        ck_assert_int_eq(
            ss_journal_append(journal, row, &row_error), SS_ECORRUPT);
        ck_assert_ptr_nonnull(strstr(row_error.message, "parent checkpoint 1"));
        ss_row_destroy(&row);
    }
}
END_TEST

static void damage(int how, struct ss_row *row)
{
    switch (how) {
    case 0:
        row->seq = 0;
        break;
    case 1:
        row->kind = (enum ss_row_kind)0;
        break;
    case 2:
        row->kind = (enum ss_row_kind)7;
        break;
    case 3:
        row->checkpoint_id[0] = '\0';
        break;
    case 4:
        row->kind = SS_ROW_SNAPSHOT;
        break;
    case 5:
        row->kind = SS_ROW_VOID;
        row->void_seq = 1;
        break;
    case 6:
        row->of[0] = '\0';
        break;
    case 7:
        row->writes[0].task_id[0] = '\0';
        break;
    case 8:
        ss_value_unref(row->writes[0].value);
        row->writes[0].value = NULL;
        break;
    case 9:
        row->writes[0].channel = NULL;
        break;
    case 10:
        row->checkpoint.channels[0].name = NULL;
        break;
    case 11:
        row->checkpoint.channels[0].op = SS_DELTA_CLEAR;
        break;
    case 12:
        row->checkpoint.channels[0].op = (enum ss_delta_op)4;
        break;
    case 13:
        ss_value_unref(row->checkpoint.channels[0].value);
        row->checkpoint.channels[0].value = NULL;
        break;
    case 14:
        row->checkpoint.whole = true;
        row->checkpoint.channels[0].op = SS_DELTA_APPEND;
        break;
    case 15:
        row->checkpoint.seen[0].node = NULL;
        break;
    case 16:
        row->checkpoint.updated[0] = NULL;
        break;
    default:
        break;
    }
}

START_TEST(a_damaged_row_is_refused_and_changes_nothing)
{
    struct ss_row *row = row_in("");
    holds(row, "1", "");
    strcpy(row->of, "0");
    writes(row, "t1", 0, "x", "1");
    moves(row, "x", 1, SS_DELTA_SET, "1");
    sees(row, "a", "x", 1);
    updates(row, "x");
    damage(_i, row);
    ck_assert_int_eq(ss_journal_append(journal, row, &row_error), SS_ECORRUPT);
    ck_assert_msg(strncmp(row_error.message, "journal: row ", 13) == 0, "%s",
        row_error.message);
    ss_row_destroy(&row);
    ck_assert_uint_eq(ss_journal_head(journal), 0);
    step("1", "", 1, "1");
    expect_pending("1", "");
}
END_TEST

// --- packed -----------------------------------------------------------------

static void packed_anew(void)
{
    uint64_t head = ss_journal_head(journal);
    size_t size = ss_journal_size(journal);
    ss_journal_pack(journal);
    ck_assert(ss_journal_is_packed(journal));
    ck_assert_uint_eq(ss_journal_head(journal), head);
    ck_assert_uint_lt(ss_journal_size(journal) * 8, size);
    (void)ss_journal_row(journal, head);
    ck_assert(!ss_journal_is_packed(journal));
    ck_assert_uint_eq(ss_journal_size(journal), size);
}

START_TEST(a_packed_journal_is_as_it_was_when_somebody_looks)
{
    static const char own[] = "3f1e5e9d-b535-6873-8001-73470c2398e7";
    step("1", "", 1, "1");
    step("2", "1", 2, "[\"a\"]");
    struct ss_row *row = snapshot_row("2", "");
    moves(row, "x", 2, SS_DELTA_SET, "[\"a\"]");
    append(row);
    append(void_row(1, 1)); // its place stays
    row = row_in("");
    strcpy(row->of, "2");
    memcpy(row->answer_of, own, sizeof(own));
    holds(row, own, "2");
    moves(row, "x", 3, SS_DELTA_APPEND, "[\"b\"]");
    moves(row, "y", INT64_MAX, SS_DELTA_CLEAR, NULL);
    sees(row, "node", "x", 7);
    sees(row, "node", NULL, 0);
    updates(row, "x");
    writes_at(row, "~pull, node", own, -3, "x", "null");
    row->entry = json_pack("{s:{s:i}}", "input", "x", 1);
    row->metadata = json_pack("{s:{}}", "parents");
    row->step = -1;
    row->wall_us = 1767225600000000;
    uint64_t parent_seq = row->parent_seq;
    append(row);
    append(pending_row("none"));
    packed_anew();
    packed_anew();
    ck_assert_ptr_null(ss_journal_row(journal, 1));
    const struct ss_row *same = ss_journal_row(journal, 5);
    ck_assert_str_eq(same->checkpoint_id, own);
    ck_assert_str_eq(same->parent_id, "2");
    ck_assert_uint_eq(same->parent_seq, parent_seq);
    ck_assert_str_eq(same->answer_of, own);
    ck_assert_int_eq(same->step, -1);
    ck_assert_int_eq(same->wall_us, 1767225600000000);
    ck_assert_int_eq(same->source, SS_SOURCE_LOOP);
    ck_assert_uint_eq(same->checkpoint.seen_count, 2);
    ck_assert_str_eq(same->checkpoint.seen[0].node, "node");
    ck_assert_int_eq(same->checkpoint.seen[0].version, 7);
    ck_assert_ptr_null(same->checkpoint.seen[1].channel);
    ck_assert(same->checkpoint.updated_known);
    ck_assert_str_eq(same->checkpoint.updated[0], "x");
    ck_assert_str_eq(same->writes[0].path, "~pull, node");
    ck_assert_int_eq(same->writes[0].idx, -3);
    ck_assert(json_is_object(json_object_get(same->metadata, "parents")));
    ck_assert_ptr_eq(ss_journal_run(journal, "run-1")->entry, same->entry);
    expect("", NULL, "x", 3, "[\"a\",\"b\"]");
    expect("", NULL, "y", INT64_MAX, NULL);
    ss_journal_pack(journal);
    step("4", own, 4, "3"); // a packed one grows
    expect("", NULL, "x", 4, "3");
}
END_TEST

START_TEST(texts_that_stand_in_one_place_are_told_apart)
{
    char name[3] = "aa";
    struct ss_row *row = snapshot_row("1", "");
    for (int i = 0; i < 26 * 26; i++) {
        name[0] = (char)('a' + i / 26), name[1] = (char)('a' + i % 26);
        moves(row, name, i + 1, SS_DELTA_SET, "1");
    }
    append(row);
    packed_anew();
    row = (struct ss_row *)ss_journal_row(journal, 1);
    for (int i = 0; i < 26 * 26; i++) {
        name[0] = (char)('a' + i / 26), name[1] = (char)('a' + i % 26);
        ck_assert_str_eq(row->checkpoint.channels[i].name, name);
    }
}
END_TEST

// What is asked for first, of a journal that is packed.
static bool is_found(int what)
{
    size_t count = 0;
    switch (what) {
    case 0:
        return ss_journal_row(journal, 1);
    case 1:
        return ss_journal_find(journal, "", "1");
    case 2:
        return ss_journal_before(journal, "", "2");
    case 3:
        return ss_journal_list(journal, "", &count) && count == 1;
    case 4:
        return ss_journal_namespaces(journal, &count) && count == 1;
    default:
        return ss_journal_run(journal, "run-1");
    }
}

START_TEST(whatever_is_asked_for_is_unpacked_first)
{
    step("1", "", 1, "1");
    struct ss_row *row = pending_row("none");
    writes(row, "t1", 0, "x", "2");
    append(row);
    ss_journal_pack(journal);
    ck_assert(is_found(_i));
    ck_assert(!ss_journal_is_packed(journal));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal_void");
    TCase *t = tcase_create("journal");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_deleted_thread_begins_anew);
    tcase_add_test(t, a_rollback_takes_back_the_newest_rows);
    tcase_add_test(t, a_pruned_thread_keeps_what_the_snapshot_holds);
    tcase_add_test(
        t, a_snapshot_after_its_children_takes_the_place_of_their_parent);
    tcase_add_test(t, a_thread_loads_after_its_void_rows_were_deleted);
    tcase_add_test(t, what_others_stand_on_cannot_be_void);
    tcase_add_test(t, a_snapshot_that_is_void_is_not_needed);
    tcase_add_test(t, a_gap_is_refused);
    tcase_add_test(t, an_id_that_is_not_greater_is_refused);
    tcase_add_test(t, a_parent_that_is_not_in_its_row_is_refused);
    tcase_add_loop_test(t, a_damaged_row_is_refused_and_changes_nothing, 0, 17);
    tcase_add_test(t, a_packed_journal_is_as_it_was_when_somebody_looks);
    tcase_add_test(t, texts_that_stand_in_one_place_are_told_apart);
    tcase_add_loop_test(t, whatever_is_asked_for_is_unpacked_first, 0, 6);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

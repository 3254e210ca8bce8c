// Rows in a store: they come back as they were, and damage is named.
#include "coordinator/core/journal_io.h"

#include <check.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "tests/suite.h"
#include "tests/unit/coordinator/journal_rows.h"

START_TEST(a_thread_comes_back_from_the_store)
{
    for (uint64_t seq = 1; seq <= 3; seq++) {
        rows_append(seq, NULL);
    }
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), SS_OK);
    ck_assert_int_eq(ss_journal_check(journal, &rows_error), SS_OK);
    ck_assert_uint_eq(ss_journal_head(journal), 3);
    const struct ss_checkpoint_entry *mark = ss_journal_find(journal, "", NULL);
    struct ss_row *expected = rows_new(3);
    const struct ss_row *row = mark->row;
    ck_assert_int_eq(row->kind, expected->kind);
    ck_assert_str_eq(row->run, expected->run);
    ck_assert_str_eq(row->ns, expected->ns);
    ck_assert_str_eq(row->checkpoint_id, "c3");
    ck_assert_str_eq(row->parent_id, "c2");
    ck_assert_uint_eq(row->parent_seq, 2);
    ck_assert_uint_eq(row->base_seq, 1);
    ck_assert_int_eq(row->source, SS_SOURCE_LOOP);
    ck_assert_int_eq(row->step, 1);
    ck_assert_int_eq(row->wall_us, expected->wall_us);
    ck_assert(json_equal(row->metadata, expected->metadata));
    ck_assert_uint_gt(row->size, 0);
    ss_row_destroy(&expected);
    ss_journal_destroy(&journal);
}
END_TEST

START_TEST(a_thread_may_begin_after_rows_that_were_deleted)
{
    for (uint64_t seq = 1; seq <= 3; seq++) {
        rows_append(seq, NULL);
    }
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(2, &journal), SS_OK);
    ck_assert_uint_eq(ss_journal_head(journal), 3);
    ss_journal_destroy(&journal);
}
END_TEST

static void format_two(struct ss_store_row *row)
{
    ck_assert_int_eq(row->format, 1); // it needs no more
    row->format = 2;
}

START_TEST(rows_of_both_formats_are_read)
{
    rows_append(1, format_two);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load_changed(&journal), SS_OK);
    ck_assert_uint_eq(ss_journal_head(journal), 1);
    ss_journal_destroy(&journal);
}
END_TEST

START_TEST(an_edit_is_a_row_of_the_second_format)
{
    struct ss_row *row = rows_new(2);
    struct ss_row_channel *channel = &row->checkpoint.channels[0];
    struct ss_journal_bytes bytes;
    ss_value_unref(channel->value);
    channel->value = ss_value_new(json_pack("[[ii]]", 0, 1));
    channel->op = SS_DELTA_EDIT;
    rows_encode(row, 0, &bytes);
    ck_assert_int_eq(bytes.row.format, 2);
    ss_row_destroy(&row);
}
END_TEST

static void change_step(struct ss_store_row *row)
{
    row->step++;
}

static void change_parent(struct ss_store_row *row)
{
    row->parent_seq = 0;
}

static void change_run(struct ss_store_row *row)
{
    row->run = "run-2";
}

static void change_metadata(struct ss_store_row *row)
{
    row->metadata = NULL;
}

static void change_source(struct ss_store_row *row)
{
    row->source = "fork";
}

static void (*const changes[])(struct ss_store_row *) = {
    change_step, change_parent, change_run, change_metadata, change_source};

START_TEST(a_column_that_was_changed_is_noticed)
{
    rows_append(1, NULL);
    rows_append(2, changes[_i]);
    rows_append(3, NULL);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), SS_ECORRUPT);
    ck_assert_str_eq(rows_error.message,
        "thread t: row 3 does not follow the row"
        " before it: one of them was changed");
    ss_journal_destroy(&journal);
}
END_TEST

static void damage_body(struct ss_store_row *row)
{
    ((char *)row->body)[0] ^= 1;
}

static void long_run(struct ss_store_row *row)
{
    row->run = "a run with a name that nobody gives to a run";
}

static void no_source(struct ss_store_row *row)
{
    row->source = "elsewhere";
}

static void bad_metadata(struct ss_store_row *row)
{
    row->metadata = "{\"user\":";
}

static void no_format(struct ss_store_row *row)
{
    row->format = 0;
}

static void newer_format(struct ss_store_row *row)
{
    row->format = SS_ROW_FORMAT + 1;
}

static void bad_kind(struct ss_store_row *row)
{
    row->kind = 9;
}

static void no_body(struct ss_store_row *row)
{
    row->body = NULL;
    row->body_size = 0;
}

static const struct refusal {
    void (*change)(struct ss_store_row *);
    int status;
    const char *message;
} refusals[] = {
    {damage_body, SS_ECORRUPT,
        "thread t: row 1: a damaged journal row: its"
        " bytes are not those that were written"},
    {no_body, SS_ECORRUPT,
        "thread t: row 1: a damaged journal row: its"
        " bytes are not those that were written"},
    {long_run, SS_ECORRUPT, "thread t: row 1: too long an id"},
    {no_source, SS_ECORRUPT, "thread t: row 1: its source is not known"},
    {bad_metadata, SS_ECORRUPT, "thread t: row 1: its metadata is not JSON"},
    {no_format, SS_ECORRUPT, "thread t: row 1: it has no format number"},
    {newer_format, SS_EVERSION,
        "thread t: row 1: it was written by a newer"
        " version (format 11, this program knows 10). Upgrade this program"},
    {bad_kind, SS_ECORRUPT,
        "thread t: row 1: journal: row 1: an unknown kind"
        " of row"},
};

START_TEST(a_row_that_cannot_be_read_is_named)
{
    const struct refusal *refusal = &refusals[_i];
    rows_append(1, refusal->change);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), refusal->status);
    ck_assert_str_eq(rows_error.message, refusal->message);
    ck_assert_uint_eq(ss_journal_head(journal), 0);
    ss_journal_destroy(&journal);
}
END_TEST

static void other_seq(struct ss_store_row *row)
{
    row->parent_seq = 9;
}

START_TEST(a_row_that_the_journal_refuses_is_named)
{
    rows_append(1, NULL);
    rows_append(2, other_seq);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), SS_ECORRUPT);
    ck_assert_str_eq(rows_error.message,
        "thread t: journal: row 2: row 9 should"
        " hold its parent checkpoint c1, and does not");
    ss_journal_destroy(&journal);
}
END_TEST

START_TEST(the_checksum_of_a_row_depends_on_those_before)
{
    struct ss_row *row = rows_new(1);
    struct ss_journal_bytes a, b;
    rows_encode(row, 1, &a);
    rows_encode(row, 2, &b);
    ck_assert_uint_eq(a.row.checksum, 1);
    ck_assert_uint_ne(a.checksum, b.checksum);
    ss_row_destroy(&row);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal_io");
    TCase *t = tcase_create("journal_io");
    tcase_add_checked_fixture(t, rows_set_up, rows_tear_down);
    tcase_add_test(t, a_thread_comes_back_from_the_store);
    tcase_add_test(t, a_thread_may_begin_after_rows_that_were_deleted);
    tcase_add_test(t, rows_of_both_formats_are_read);
    tcase_add_test(t, an_edit_is_a_row_of_the_second_format);
    tcase_add_loop_test(t, a_column_that_was_changed_is_noticed, 0,
        (int)(sizeof(changes) / sizeof(changes[0])));
    tcase_add_loop_test(t, a_row_that_cannot_be_read_is_named, 0,
        (int)(sizeof(refusals) / sizeof(refusals[0])));
    tcase_add_test(t, a_row_that_the_journal_refuses_is_named);
    tcase_add_test(t, the_checksum_of_a_row_depends_on_those_before);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

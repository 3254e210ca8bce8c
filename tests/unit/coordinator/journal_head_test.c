// journal_head_test.c - where a thread ends, as records tell it.
#include "coordinator/core/journal_head.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/suite.h"

enum { BORN = 1700000000 };

static struct ss_error error;
static struct ss_journal_extent extent;

static void setup(void)
{
    ss_value_setup();
    error = (struct ss_error){0};
    extent = (struct ss_journal_extent){0};
}

// Rows from..to, each of which would have the row behind it carry 100 + seq.
static void rows(uint64_t from, uint64_t to)
{
    for (uint64_t seq = from; seq <= to; seq++) {
        struct ss_row row = {.seq = seq, .kind = SS_ROW_WRITES};
        ss_journal_extent_add(&extent, &row, 100 + seq);
    }
}

// The next row drops those from..to.
static void drops(uint64_t from, uint64_t to)
{
    struct ss_row row = {.seq = extent.last + 1,
        .kind = SS_ROW_VOID,
        .void_from = from,
        .void_seq = to};
    ss_journal_extent_add(&extent, &row, 100 + row.seq);
}

static void told(uint64_t seq)
{
    extent.told = (struct ss_journal_head){seq, 100 + seq};
}

static void is_whole(void)
{
    int status = ss_journal_extent_check(&extent, &error);
    ck_assert_msg(status == SS_OK, "%s", error.message);
}

static void is_corrupt(const char *words)
{
    ck_assert_int_eq(ss_journal_extent_check(&extent, &error), SS_ECORRUPT);
    ck_assert_msg(strstr(error.message, words) != NULL, "%s", error.message);
}

// A record with that head, as it is read. Gives.
static json_t *with_head(const char *record, const struct ss_journal_head *head)
{
    json_t *with = NULL;
    char *text = ss_journal_head_tell(record, head, BORN);
    ck_assert_int_eq(ss_json_parse(text, strlen(text), &with, &error), SS_OK);
    ss_free(text);
    return with;
}

START_TEST(what_is_told_is_heard_and_the_newest_counts)
{
    struct ss_journal_head newest = {0};
    const uint64_t heads[][2] = {
        {7, 0xfedcba9876543210u}, {9, 3}, {8, UINT64_MAX}};
    json_t *record = json_pack("{s:s}", "run", "r");
    for (size_t i = 0; i < 3; i++) {
        struct ss_journal_head head = {heads[i][0], heads[i][1]};
        json_t *with = with_head("{\"run\":\"r\"}", &head);
        ck_assert_str_eq(ss_json_str(with, "run", ""), "r");
        ck_assert_int_eq(
            ss_journal_head_hear(with, BORN, &newest, &error), SS_OK);
        if (i == 0)
            ck_assert(newest.rows == 7 && newest.checksum == heads[0][1]);
        json_decref(with);
    }
    ck_assert(newest.rows == 9 && newest.checksum == 3);
    ck_assert_ptr_null(json_object_get(record, "head"));
    ck_assert_int_eq(
        ss_journal_head_hear(record, BORN, &newest, &error), SS_OK);
    ck_assert_uint_eq(newest.rows, 9);
    json_decref(record);
}
END_TEST

START_TEST(a_head_of_a_thread_that_was_deleted_says_nothing)
{
    struct ss_journal_head head = {7, 1}, newest = {0};
    json_t *with = with_head("{}", &head);
    ck_assert_int_eq(
        ss_journal_head_hear(with, BORN + 1, &newest, &error), SS_OK);
    ck_assert_uint_eq(newest.rows, 0);
    ck_assert_int_eq(ss_journal_head_hear(with, 0, &newest, &error), SS_OK);
    ck_assert_uint_eq(newest.rows, 0);
    json_decref(with);
}
END_TEST

START_TEST(a_damaged_head_is_corrupt)
{
    static const char *const damaged[] = {"1", "{}",
        "{\"rows\":0,\"checksum\":\"0123456789abcdef\",\"of\":1}",
        "{\"rows\":-1,\"checksum\":\"0123456789abcdef\",\"of\":1}",
        "{\"rows\":\"1\",\"checksum\":\"0123456789abcdef\",\"of\":1}",
        "{\"rows\":1,\"checksum\":\"0123456789abcde\",\"of\":1}",
        "{\"rows\":1,\"checksum\":\"0123456789abcdeg\",\"of\":1}",
        "{\"rows\":1,\"checksum\":\"-123456789abcdef\",\"of\":1}",
        "{\"rows\":1,\"checksum\":7,\"of\":1}",
        "{\"rows\":1,\"checksum\":\"0123456789abcdef\"}"};
    for (size_t i = 0; i < sizeof(damaged) / sizeof(*damaged); i++) {
        struct ss_journal_head newest = {0};
        json_t *record = json_object();
        json_object_set_new(
            record, "head", json_loads(damaged[i], JSON_DECODE_ANY, NULL));
        ck_assert_msg(
            ss_journal_head_hear(record, 1, &newest, &error) == SS_ECORRUPT,
            "%s", damaged[i]);
        ck_assert_uint_eq(newest.rows, 0);
        json_decref(record);
    }
}
END_TEST

START_TEST(rows_up_to_the_head_and_behind_it_are_whole)
{
    is_whole(); // a thread that is not there
    told(3);
    rows(1, 3);
    is_whole();
    rows(4, 5);
    is_whole();
}
END_TEST

START_TEST(rows_that_are_missing_at_the_end_are_noticed)
{
    told(3);
    is_corrupt("none of its rows");
    rows(1, 2);
    is_corrupt("row 2 is the last");
    rows(3, 3);
    is_whole();
}
END_TEST

START_TEST(a_last_row_that_was_changed_is_noticed)
{
    told(3);
    extent.told.checksum++;
    rows(1, 4);
    is_corrupt("row 3 is not the one");
}
END_TEST

START_TEST(rows_that_are_missing_at_the_beginning_are_noticed)
{
    rows(2, 4);
    is_corrupt("row 2 is the first");
}
END_TEST

START_TEST(rows_that_a_row_drops_may_be_missing)
{
    told(5); // the end before the prune
    rows(6, 6);
    drops(1, 5);
    is_whole();
}
END_TEST

START_TEST(a_row_that_drops_too_little_excuses_nothing)
{
    rows(6, 6);
    drops(1, 4);
    is_corrupt("row 6 is the first");
    extent = (struct ss_journal_extent){0};
    rows(6, 6);
    drops(2, 5); // a run that was taken back
    is_corrupt("row 6 is the first");
}
END_TEST

START_TEST(a_prune_that_was_cut_short_left_all_rows)
{
    told(7);
    rows(1, 6);
    drops(0, 5);
    is_whole();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("journal_head");
    TCase *tcase = tcase_create("journal_head");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, what_is_told_is_heard_and_the_newest_counts);
    tcase_add_test(tcase, a_head_of_a_thread_that_was_deleted_says_nothing);
    tcase_add_test(tcase, a_damaged_head_is_corrupt);
    tcase_add_test(tcase, rows_up_to_the_head_and_behind_it_are_whole);
    tcase_add_test(tcase, rows_that_are_missing_at_the_end_are_noticed);
    tcase_add_test(tcase, a_last_row_that_was_changed_is_noticed);
    tcase_add_test(tcase, rows_that_are_missing_at_the_beginning_are_noticed);
    tcase_add_test(tcase, rows_that_a_row_drops_may_be_missing);
    tcase_add_test(tcase, a_row_that_drops_too_little_excuses_nothing);
    tcase_add_test(tcase, a_prune_that_was_cut_short_left_all_rows);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

// Short bodies of rows: what an earlier row holds, and what stood in columns.
#include "coordinator/core/journal_io.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "tests/suite.h"
#include "tests/unit/coordinator/journal_rows.h"

// --- short bodies -----------------------------------------------------------

enum { LETTERS = 3000 };

// A text of so many letters that repeats nothing.
static struct ss_value *letters(uint64_t seed)
{
    char text[LETTERS + 3] = "\"";
    struct ss_prng prng;
    ss_prng_init(&prng, seed);
    for (size_t i = 1; i <= LETTERS; i++)
        text[i] = (char)('a' + ss_prng_below(&prng, 26));
    text[LETTERS + 1] = '"';
    return ss_value_from_text(text, LETTERS + 2);
}

// Row 1 is of a task that wrote a text, row 2 of the checkpoint that holds it.
// Gives the second one, which is not kept.
static struct ss_store_row append_repeated(struct ss_row *ret_rows[2])
{
    struct ss_row *first = rows_new(1), *second = rows_new(2);
    struct ss_row_write write = {.task_id = "task", .channel = "x", .path = ""};
    struct ss_journal_bytes bytes;
    size_t capacity = 0;
    strcpy(first->of, "c1");
    write.value = letters(1);
    ss_row_add_write(first, &capacity, &write);
    ss_value_unref(second->checkpoint.channels[0].value);
    second->checkpoint.channels[0].value = write.value;
    ss_row_add_source(second, first, 0, true);
    rows_encode(first, 0, &bytes);
    struct ss_store_row stored =
        ss_journal_io_point(&bytes, "t", rows_tail.end);
    rows_keep(&stored);
    rows_encode(second, bytes.checksum, &bytes);
    rows_checksum = bytes.checksum;
    ret_rows[0] = first;
    ret_rows[1] = second;
    return ss_journal_io_point(&bytes, "t", rows_tail.end);
}

START_TEST(what_an_earlier_row_holds_is_stored_once_and_comes_back)
{
    struct ss_row *rows[2];
    rows_format = SS_ROW_FORMAT_8;
    struct ss_store_row second = append_repeated(rows);
    ck_assert_int_eq(second.format, SS_ROW_FORMAT_8);
    ck_assert_uint_lt(second.body_size, 200);
    ck_assert_uint_eq(rows[1]->sources.count, 0); // nobody needs them any more
    rows_keep(&second);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), SS_OK);
    const struct ss_row *back = ss_journal_row(journal, 2);
    ck_assert(json_equal(ss_value_json(back->checkpoint.channels[0].value),
        ss_value_json(rows[1]->checkpoint.channels[0].value)));
    ck_assert_uint_eq(back->size, second.body_size);
    ck_assert_uint_eq(back->named_from, 1);
    ck_assert_uint_eq(ss_journal_row(journal, 1)->named_from, 0);
    ss_journal_destroy(&journal);
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

START_TEST(a_row_whose_earlier_row_is_gone_is_named)
{
    struct ss_row *rows[2];
    rows_format = SS_ROW_FORMAT;
    struct ss_store_row second = append_repeated(rows);
    rows_keep(&second);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(2, &journal), SS_ECORRUPT);
    ck_assert_str_eq(rows_error.message,
        "thread t: row 2: a damaged journal row: it repeats what row 1 should "
        "hold, and does not");
    ss_journal_destroy(&journal);
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

// A row of two texts, which are more together than a short body may repeat.
static struct ss_row *row_of_long_texts(void)
{
    enum { LONG = 9 * 1024 * 1024 };
    struct ss_row *row = rows_new(1);
    struct ss_row_write write = {.task_id = "task", .channel = "x", .path = ""};
    char *text = ss_alloc(LONG + 2);
    size_t capacity = 0;
    memset(text, 'a', LONG + 2);
    text[0] = text[LONG + 1] = '"';
    strcpy(row->of, "c1");
    for (write.idx = 0; write.idx < 2; write.idx++) {
        write.value = ss_value_from_text(text, LONG + 2);
        ss_row_add_write(row, &capacity, &write);
        ss_value_unref(write.value);
    }
    ss_free(text);
    return row;
}

static void keep_row(struct ss_row *row)
{
    struct ss_journal_bytes bytes;
    rows_encode(row, rows_checksum, &bytes);
    struct ss_store_row stored =
        ss_journal_io_point(&bytes, "t", rows_tail.end);
    rows_checksum = bytes.checksum;
    ck_assert_int_eq(stored.format, SS_ROW_FORMAT_1);
    rows_keep(&stored);
}

START_TEST(a_row_that_would_repeat_too_much_is_told_in_full)
{
    struct ss_row *first = row_of_long_texts(), *second = rows_new(2);
    rows_format = SS_ROW_FORMAT;
    keep_row(first); // it is too large itself
    for (size_t i = 0; i < 2; i++)
        ss_row_add_source(second, first, i, true);
    keep_row(second);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), SS_OK);
    ss_journal_destroy(&journal);
    ss_row_destroy(&first);
    ss_row_destroy(&second);
}
END_TEST

START_TEST(a_row_that_says_that_it_repeats_too_much_is_refused)
{
    static const char body[] = {1, 100, 2, 1, 0, 1, 1, 0, 'a'};
    struct ss_row *first = row_of_long_texts(), *second = rows_new(2);
    struct ss_journal_bytes bytes;
    struct ss_journal *journal = NULL;
    keep_row(first);
    rows_encode(second, rows_checksum, &bytes);
    struct ss_store_row stored =
        ss_journal_io_point(&bytes, "t", rows_tail.end);
    stored.format = SS_ROW_FORMAT_8;
    stored.body = body;
    stored.body_size = sizeof(body);
    rows_keep(&stored);
    ck_assert_int_eq(rows_load(0, &journal), SS_ELIMIT);
    ck_assert_str_eq(rows_error.message,
        "thread t: row 2: a journal row repeats more than 16777216 bytes");
    ss_journal_destroy(&journal);
    ss_row_destroy(&first);
    ss_row_destroy(&second);
}
END_TEST

START_TEST(who_does_not_read_short_bodies_gets_none)
{
    struct ss_row *rows[2];
    rows_format = SS_ROW_FORMAT_7;
    struct ss_store_row second = append_repeated(rows);
    ck_assert_int_eq(second.format, SS_ROW_FORMAT_1);
    ck_assert_uint_gt(second.body_size, LETTERS);
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

// --- columns in a body -----------------------------------------------------

#define RUN    "019acb2c-0000-4000-8000-00000000000a"
#define FIRST  "1f0cbe88-1111-6000-8000-000000000001"
#define SECOND "1f0cbe88-1112-6001-8000-000000000002"
#define USUAL  "{\"parents\":{}}"

// Checkpoints of a run, as those of a real one.
static struct ss_row *row_told(uint64_t seq)
{
    struct ss_row *row = rows_new(seq);
    strcpy(row->run, RUN);
    snprintf(row->checkpoint_id, sizeof(row->checkpoint_id), "%s",
        seq == 1 ? FIRST : SECOND);
    snprintf(
        row->parent_id, sizeof(row->parent_id), "%s", seq == 1 ? "" : FIRST);
    json_decref(row->metadata);
    row->metadata = json_pack("{s:{}}", "parents");
    return row;
}

static void no_run(struct ss_row *row)
{
    row->run[0] = '\0';
}

static void the_run_before(struct ss_row *row)
{
    row->sources.keeps_run = true;
}

static void a_parent_in_no_row(struct ss_row *row)
{
    row->parent_seq = 0;
}

static void far_back(struct ss_row *row)
{
    row->step = INT32_MIN;
    row->source = SS_SOURCE_FORK;
}

static void nothing_known(struct ss_row *row)
{
    json_decref(row->metadata);
    row->metadata = NULL;
    row->ns = ss_arena_text(&row->memory, "inner:1");
    row->parent_id[0] = '\0'; // a namespace of its own
    row->parent_seq = 0;
    row->base_seq = 2;
}

static void other_metadata(struct ss_row *row)
{
    json_object_set_new(row->metadata, "user", json_string("Ada"));
}

static void at_no_time(struct ss_row *row)
{
    row->wall_us = 0;
}

static void at_the_time_of_its_id(struct ss_row *row)
{
    row->wall_us = ss_uuid6_wall_us(ss_uuid6_read(row->checkpoint_id));
}

static void named_run(struct ss_row *row)
{
    strcpy(row->run, "mine");
}

static void large_step(struct ss_row *row)
{
    row->step = (int64_t)INT32_MAX + 1;
}

static void from_elsewhere(struct ss_row *row)
{
    strcpy(row->checkpoint_id, "z");
}

// What is said of the second row, and whether its body tells its columns.
static const struct telling {
    void (*change)(struct ss_row *);
    bool is_told;
} tellings[] = {{NULL, true}, {no_run, true}, {the_run_before, true},
    {a_parent_in_no_row, true}, {far_back, true}, {nothing_known, true},
    {other_metadata, true}, {at_the_time_of_its_id, true}, {at_no_time, false},
    {named_run, false}, {large_step, false}, {from_elsewhere, false}};

static struct ss_store_row append_told(
    struct ss_row *row, struct ss_journal_bytes *ret)
{
    rows_encode(row, rows_checksum, ret);
    struct ss_store_row stored = ss_journal_io_point(ret, "t", rows_tail.end);
    rows_checksum = ret->checksum;
    ck_assert_uint_eq(ss_journal_io_checksum(&stored), rows_checksum);
    rows_keep(&stored);
    return stored;
}

static void expect_same_columns(
    const struct ss_row *row, const struct ss_row *expected)
{
    ck_assert_int_eq(row->kind, expected->kind);
    ck_assert_str_eq(row->run, expected->run);
    ck_assert_str_eq(row->ns, expected->ns);
    ck_assert_str_eq(row->checkpoint_id, expected->checkpoint_id);
    ck_assert_str_eq(row->parent_id, expected->parent_id);
    ck_assert_uint_eq(row->parent_seq, expected->parent_seq);
    ck_assert_uint_eq(row->base_seq, expected->base_seq);
    ck_assert_int_eq(row->source, expected->source);
    ck_assert_int_eq(row->step, expected->step);
    ck_assert_int_eq(row->wall_us, expected->wall_us);
    ck_assert(row->metadata == expected->metadata ||
              json_equal(row->metadata, expected->metadata));
}

START_TEST(what_stood_in_columns_comes_back_from_the_body)
{
    const struct telling *telling = &tellings[_i];
    struct ss_row *rows[] = {row_told(1), row_told(2)};
    struct ss_journal_bytes bytes;
    rows_format = SS_ROW_FORMAT;
    ck_assert_int_eq(append_told(rows[0], &bytes).format, SS_ROW_FORMAT_10);
    if (telling->change)
        telling->change(rows[1]);
    struct ss_store_row stored = append_told(rows[1], &bytes);
    ck_assert_int_eq(stored.format == SS_ROW_FORMAT_10, telling->is_told);
    ck_assert_int_eq(stored.run[0] == '\0', telling->is_told);
    ck_assert_int_eq(
        stored.parent_seq == 0, telling->is_told || rows[1]->parent_seq == 0);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(0, &journal), SS_OK);
    expect_same_columns(ss_journal_row(journal, 1), rows[0]);
    expect_same_columns(ss_journal_row(journal, 2), rows[1]);
    ck_assert_uint_eq(ss_journal_row(journal, 2)->size, stored.body_size);
    ss_journal_destroy(&journal);
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

START_TEST(who_does_not_read_columns_in_a_body_gets_columns)
{
    struct ss_row *row = row_told(1);
    struct ss_journal_bytes bytes;
    rows_format = SS_ROW_FORMAT_8;
    struct ss_store_row stored = append_told(row, &bytes);
    ck_assert_int_lt(stored.format, SS_ROW_FORMAT_10);
    ck_assert_str_eq(stored.run, RUN);
    ck_assert_str_eq(stored.checkpoint_id, FIRST);
    ck_assert_str_eq(stored.metadata, USUAL);
    ss_row_destroy(&row);
}
END_TEST

START_TEST(a_row_that_names_one_that_is_gone_is_told)
{
    struct ss_row *rows[] = {row_told(1), row_told(2)};
    struct ss_journal_bytes bytes;
    rows_format = SS_ROW_FORMAT;
    if (_i == 1) {
        a_parent_in_no_row(rows[1]);
        the_run_before(rows[1]);
    }
    append_told(rows[0], &bytes);
    append_told(rows[1], &bytes);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(rows_load(2, &journal), SS_ECORRUPT);
    ck_assert_str_eq(rows_error.message,
        "thread t: row 2: a damaged journal row: what stood in columns cannot "
        "be read, or is that of a row that is not there");
    ss_journal_destroy(&journal);
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

START_TEST(a_head_that_is_cut_anywhere_is_damaged)
{
    struct ss_row *rows[] = {row_told(1), row_told(2)};
    const struct ss_row_finder none = {NULL, NULL};
    uint8_t head[SS_ROW_HEAD_SIZE_MAX];
    rows[1]->parent_seq = 0; // the parent's id stands there
    size_t size = ss_row_head_put(rows[1], false, head);
    ck_assert_uint_eq(size, 1 + 3 * 16 + 4 + 2 + 1);
    for (size_t left = 0; left <= size; left++) {
        struct ss_row row = {.seq = 2};
        struct ss_stretch stored = {head, left};
        bool is_short = true;
        int expected = left < size ? SS_ECORRUPT : SS_OK;
        ck_assert_int_eq(
            ss_row_head_take(&stored, &none, &row, &is_short, &rows_error),
            expected);
        json_decref(row.metadata);
    }
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal_short");
    TCase *t = tcase_create("journal_short");
    tcase_add_checked_fixture(t, rows_set_up, rows_tear_down);
    tcase_add_test(t, what_an_earlier_row_holds_is_stored_once_and_comes_back);
    tcase_add_test(t, a_row_whose_earlier_row_is_gone_is_named);
    tcase_add_test(t, a_row_that_would_repeat_too_much_is_told_in_full);
    tcase_add_test(t, a_row_that_says_that_it_repeats_too_much_is_refused);
    tcase_add_test(t, who_does_not_read_short_bodies_gets_none);
    tcase_add_loop_test(t, what_stood_in_columns_comes_back_from_the_body, 0,
        (int)(sizeof(tellings) / sizeof(tellings[0])));
    tcase_add_test(t, who_does_not_read_columns_in_a_body_gets_columns);
    tcase_add_loop_test(t, a_row_that_names_one_that_is_gone_is_told, 0, 2);
    tcase_add_test(t, a_head_that_is_cut_anywhere_is_damaged);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

#include "coordinator/core/journal_io.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/prng.h"
#include "coordinator/store/store_actor.h"
#include "tests/suite.h"
#include "tests/support/journal_load.h"

static struct ss_error error;
static struct ss_store *store;
static uint64_t checksum;  // that the next row carries
static int32_t row_format; // of those who read it
static struct ss_tail tail;
static struct ss_shortener *shortener;
static struct ss_buf cut;

static void setup(void)
{
    ss_value_setup();
    error = (struct ss_error){0};
    checksum = 0;
    row_format = SS_ROW_FORMAT_1;
    ss_tail_init(&tail, SIZE_MAX / 4);
    shortener = ss_shortener_new();
    ss_buf_init(&cut, SIZE_MAX / 4);
    ck_assert_int_eq(ss_store_open("memory:", &store, &error), SS_OK);
}

static void teardown(void)
{
    ss_tail_fini(&tail);
    ss_shortener_destroy(&shortener);
    ss_buf_fini(&cut);
    ss_store_close(&store);
}

// A checkpoint "c<seq>" after "c<seq - 1>", channel x set to seq.
static struct ss_row *row_new(uint64_t seq)
{
    struct ss_row *row = ss_row_new();
    row->seq = seq;
    row->kind = SS_ROW_CHECKPOINT;
    strcpy(row->run, "run-1");
    row->ns = ss_arena_text(&row->memory, "");
    row->has_checkpoint = true;
    row->checkpoint_id[0] = 'c';
    row->checkpoint_id[1] = (char)('0' + seq);
    if (seq > 1) {
        row->parent_id[0] = 'c';
        row->parent_id[1] = (char)('0' + seq - 1);
        row->parent_seq = seq - 1;
    }
    row->base_seq = 1;
    row->source = SS_SOURCE_LOOP;
    row->step = (int64_t)seq - 2;
    row->wall_us = 1700000000000000 + (int64_t)seq;
    row->metadata = json_pack("{s:s,s:i}", "user", "Ada", "a", (int)seq);
    row->checkpoint.channels_count = 1;
    row->checkpoint.channels =
        ss_arena_take(&row->memory, sizeof(*row->checkpoint.channels));
    row->checkpoint.channels[0] = (struct ss_row_channel){
        .name = ss_arena_text(&row->memory, "x"),
        .version = (int64_t)seq,
        .value = ss_value_new(json_integer((json_int_t)seq)),
    };
    return row;
}

static void keep(const struct ss_store_row *stored)
{
    struct ss_store_unit unit = {
        .thread = stored->thread, .rows = stored, .rows_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(store, &batch, &error), SS_OK);
    ck_assert_int_eq(unit.result, SS_OK);
}

static void encode(
    struct ss_row *row, uint64_t previous, struct ss_journal_bytes *ret_bytes)
{
    const struct ss_journal_form form = {previous, row_format, shortener, &cut};
    ck_assert_int_eq(
        ss_journal_io_encode(row, "t", &form, &tail, ret_bytes, &error), SS_OK);
}

// Encode row `seq`, let `change` have it, and keep it in the store.
static void append(uint64_t seq, void (*change)(struct ss_store_row *))
{
    struct ss_row *row = row_new(seq);
    struct ss_journal_bytes bytes;
    encode(row, checksum, &bytes);
    struct ss_store_row stored = ss_journal_io_point(&bytes, "t", tail.end);
    ck_assert_uint_eq(row->size, stored.body_size);
    checksum = ss_journal_io_checksum(&stored);
    ck_assert_uint_eq(checksum, bytes.checksum);
    if (change) {
        change(&stored);
    }
    keep(&stored);
    ss_row_destroy(&row);
}

struct load {
    struct ss_journal *journal;
    uint64_t checksum;
};

static int load_row(void *ctx, const struct ss_store_row *stored)
{
    struct load *load = ctx;
    return journal_load_row(load->journal, stored, &load->checksum, &error);
}

static int load(uint64_t from, struct ss_journal **ret)
{
    struct load to = {.journal = ss_journal_new()};
    int status =
        ss_store_read(store, "t", from, UINT64_MAX, load_row, &to, &error);
    if (status == SS_OK) {
        ck_assert_uint_eq(to.checksum, checksum);
    }
    *ret = to.journal;
    return status;
}

START_TEST(a_thread_comes_back_from_the_store)
{
    for (uint64_t seq = 1; seq <= 3; seq++) {
        append(seq, NULL);
    }
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), SS_OK);
    ck_assert_int_eq(ss_journal_check(journal, &error), SS_OK);
    ck_assert_uint_eq(ss_journal_head(journal), 3);
    const struct ss_checkpoint_entry *mark = ss_journal_find(journal, "", NULL);
    struct ss_row *expected = row_new(3);
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
        append(seq, NULL);
    }
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(2, &journal), SS_OK);
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
    append(1, format_two);
    struct load to = {.journal = ss_journal_new()};
    int status =
        ss_store_read(store, "t", 0, UINT64_MAX, load_row, &to, &error);
    ck_assert_int_eq(status, SS_OK);
    ck_assert_uint_eq(ss_journal_head(to.journal), 1);
    ss_journal_destroy(&to.journal);
}
END_TEST

START_TEST(an_edit_is_a_row_of_the_second_format)
{
    struct ss_row *row = row_new(2);
    struct ss_row_channel *channel = &row->checkpoint.channels[0];
    struct ss_journal_bytes bytes;
    ss_value_unref(channel->value);
    channel->value = ss_value_new(json_pack("[[ii]]", 0, 1));
    channel->op = SS_DELTA_EDIT;
    encode(row, 0, &bytes);
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
    append(1, NULL);
    append(2, changes[_i]);
    append(3, NULL);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), SS_ECORRUPT);
    ck_assert_str_eq(error.message, "thread t: row 3 does not follow the row"
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
    append(1, refusal->change);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), refusal->status);
    ck_assert_str_eq(error.message, refusal->message);
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
    append(1, NULL);
    append(2, other_seq);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), SS_ECORRUPT);
    ck_assert_str_eq(error.message,
        "thread t: journal: row 2: row 9 should"
        " hold its parent checkpoint c1, and does not");
    ss_journal_destroy(&journal);
}
END_TEST

START_TEST(the_checksum_of_a_row_depends_on_those_before)
{
    struct ss_row *row = row_new(1);
    struct ss_journal_bytes a, b;
    encode(row, 1, &a);
    encode(row, 2, &b);
    ck_assert_uint_eq(a.row.checksum, 1);
    ck_assert_uint_ne(a.checksum, b.checksum);
    ss_row_destroy(&row);
}
END_TEST

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
    struct ss_row *first = row_new(1), *second = row_new(2);
    struct ss_row_write write = {.task_id = "task", .channel = "x", .path = ""};
    struct ss_journal_bytes bytes;
    size_t capacity = 0;
    strcpy(first->of, "c1");
    write.value = letters(1);
    ss_row_add_write(first, &capacity, &write);
    ss_value_unref(second->checkpoint.channels[0].value);
    second->checkpoint.channels[0].value = write.value;
    ss_row_add_source(second, first, 0, true);
    encode(first, 0, &bytes);
    struct ss_store_row stored = ss_journal_io_point(&bytes, "t", tail.end);
    keep(&stored);
    encode(second, bytes.checksum, &bytes);
    checksum = bytes.checksum;
    ret_rows[0] = first;
    ret_rows[1] = second;
    return ss_journal_io_point(&bytes, "t", tail.end);
}

START_TEST(what_an_earlier_row_holds_is_stored_once_and_comes_back)
{
    struct ss_row *rows[2];
    row_format = SS_ROW_FORMAT_8;
    struct ss_store_row second = append_repeated(rows);
    ck_assert_int_eq(second.format, SS_ROW_FORMAT_8);
    ck_assert_uint_lt(second.body_size, 200);
    ck_assert_uint_eq(rows[1]->sources.count, 0); // nobody needs them any more
    keep(&second);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), SS_OK);
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
    row_format = SS_ROW_FORMAT;
    struct ss_store_row second = append_repeated(rows);
    keep(&second);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(2, &journal), SS_ECORRUPT);
    ck_assert_str_eq(error.message,
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
    struct ss_row *row = row_new(1);
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
    encode(row, checksum, &bytes);
    struct ss_store_row stored = ss_journal_io_point(&bytes, "t", tail.end);
    checksum = bytes.checksum;
    ck_assert_int_eq(stored.format, SS_ROW_FORMAT_1);
    keep(&stored);
}

START_TEST(a_row_that_would_repeat_too_much_is_told_in_full)
{
    struct ss_row *first = row_of_long_texts(), *second = row_new(2);
    row_format = SS_ROW_FORMAT;
    keep_row(first); // it is too large itself
    for (size_t i = 0; i < 2; i++)
        ss_row_add_source(second, first, i, true);
    keep_row(second);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), SS_OK);
    ss_journal_destroy(&journal);
    ss_row_destroy(&first);
    ss_row_destroy(&second);
}
END_TEST

START_TEST(a_row_that_says_that_it_repeats_too_much_is_refused)
{
    static const char body[] = {1, 100, 2, 1, 0, 1, 1, 0, 'a'};
    struct ss_row *first = row_of_long_texts(), *second = row_new(2);
    struct ss_journal_bytes bytes;
    struct ss_journal *journal = NULL;
    keep_row(first);
    encode(second, checksum, &bytes);
    struct ss_store_row stored = ss_journal_io_point(&bytes, "t", tail.end);
    stored.format = SS_ROW_FORMAT_8;
    stored.body = body;
    stored.body_size = sizeof(body);
    keep(&stored);
    ck_assert_int_eq(load(0, &journal), SS_ELIMIT);
    ck_assert_str_eq(error.message,
        "thread t: row 2: a journal row repeats more than 16777216 bytes");
    ss_journal_destroy(&journal);
    ss_row_destroy(&first);
    ss_row_destroy(&second);
}
END_TEST

START_TEST(who_does_not_read_short_bodies_gets_none)
{
    struct ss_row *rows[2];
    row_format = SS_ROW_FORMAT_7;
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
    struct ss_row *row = row_new(seq);
    strcpy(row->run, RUN);
    strcpy(row->checkpoint_id, seq == 1 ? FIRST : SECOND);
    strcpy(row->parent_id, seq == 1 ? "" : FIRST);
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
    encode(row, checksum, ret);
    struct ss_store_row stored = ss_journal_io_point(ret, "t", tail.end);
    checksum = ret->checksum;
    ck_assert_uint_eq(ss_journal_io_checksum(&stored), checksum);
    keep(&stored);
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
    row_format = SS_ROW_FORMAT;
    ck_assert_int_eq(append_told(rows[0], &bytes).format, SS_ROW_FORMAT_10);
    if (telling->change)
        telling->change(rows[1]);
    struct ss_store_row stored = append_told(rows[1], &bytes);
    ck_assert_int_eq(stored.format == SS_ROW_FORMAT_10, telling->is_told);
    ck_assert_int_eq(stored.run[0] == '\0', telling->is_told);
    ck_assert_int_eq(
        stored.parent_seq == 0, telling->is_told || rows[1]->parent_seq == 0);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(0, &journal), SS_OK);
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
    row_format = SS_ROW_FORMAT_8;
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
    row_format = SS_ROW_FORMAT;
    if (_i == 1) {
        a_parent_in_no_row(rows[1]);
        the_run_before(rows[1]);
    }
    append_told(rows[0], &bytes);
    append_told(rows[1], &bytes);
    struct ss_journal *journal = NULL;
    ck_assert_int_eq(load(2, &journal), SS_ECORRUPT);
    ck_assert_str_eq(error.message,
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
            ss_row_head_take(&stored, &none, &row, &is_short, &error),
            expected);
        json_decref(row.metadata);
    }
    ss_row_destroy(&rows[0]);
    ss_row_destroy(&rows[1]);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("journal_io");
    TCase *t = tcase_create("journal_io");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_thread_comes_back_from_the_store);
    tcase_add_test(t, a_thread_may_begin_after_rows_that_were_deleted);
    tcase_add_test(t, rows_of_both_formats_are_read);
    tcase_add_test(t, an_edit_is_a_row_of_the_second_format);
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

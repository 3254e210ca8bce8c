// The one contract that every store must keep.
#include "coordinator/store/store.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/run_key.h"
#include "tests/contract/store_world.h"

static struct ss_store *store;

static void open_kind(int kind)
{
    world_begin();
    store = world_open(kind);
}

static void teardown(void)
{
    ss_store_close(&store);
    world_end();
}

static struct ss_store_unit unit_of(
    const char *thread, const struct ss_store_row *rows, size_t count)
{
    return (struct ss_store_unit){
        .thread = thread, .rows = rows, .rows_count = count};
}

static struct ss_store_put put_of(const char *key, const char *value)
{
    return (struct ss_store_put){
        .table = SS_TABLE_RUNS,
        .key = key,
        .value = value,
        .value_size = value ? strlen(value) : 0,
    };
}

static uint64_t hash_of(const char *value)
{
    return ss_hash64(value, strlen(value));
}

// --- rows -------------------------------------------------------------------

START_TEST(rows_come_back_as_they_were_appended)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    ck_assert_int_eq(append_row(store, "u", 1, "other"), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:one 2:two");
    ck_assert_str_eq(all_rows(store, "u"), "1:other");
    ck_assert_str_eq(all_rows(store, "v"), "");
    ck_assert_ptr_nonnull(ss_store_name(store));
}
END_TEST

static int same_row(void *ctx, const struct ss_store_row *row)
{
    const struct ss_store_row *expected = ctx;
    ck_assert_str_eq(row->thread, expected->thread);
    ck_assert_uint_eq(row->seq, expected->seq);
    ck_assert_int_eq(row->kind, expected->kind);
    ck_assert_int_eq(row->format, expected->format);
    ck_assert_str_eq(row->run, expected->run);
    ck_assert_str_eq(row->ns, expected->ns);
    ck_assert_str_eq(row->checkpoint_id, expected->checkpoint_id);
    ck_assert_str_eq(row->parent_id, expected->parent_id);
    ck_assert_uint_eq(row->parent_seq, expected->parent_seq);
    ck_assert_uint_eq(row->base_seq, expected->base_seq);
    ck_assert_str_eq(row->source, expected->source);
    ck_assert_int_eq(row->step, expected->step);
    ck_assert_int_eq(row->wall_us, expected->wall_us);
    ck_assert_pstr_eq(row->metadata, expected->metadata);
    ck_assert_uint_eq(row->checksum, expected->checksum);
    ck_assert_uint_eq(row->body_size, expected->body_size);
    ck_assert_mem_eq(row->body, expected->body, expected->body_size);
    return SS_ECANCELLED;
}

START_TEST(every_column_is_kept)
{
    open_kind(_i);
    struct ss_store_row row = {
        .thread = "th\xc3\xa4 'read'",
        .seq = 1,
        .kind = 5,
        .format = 7,
        .run = "run",
        .ns = "a:1|b:2",
        .checkpoint_id = "c",
        .parent_id = "p",
        .parent_seq = 41,
        .base_seq = 40,
        .source = "fork",
        .step = -1,
        .wall_us = INT64_C(1700000000123456),
        .metadata = "{\"user\":\"Ada\"}",
        .checksum = UINT64_MAX - 1,
        .body = "\0\xff\0",
        .body_size = 3,
    };
    struct ss_store_unit unit = unit_of(row.thread, &row, 1);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(
        ss_store_read(store, row.thread, 1, 1, same_row, &row, &world_error),
        SS_ECANCELLED);
}
END_TEST

START_TEST(an_empty_body_is_a_body)
{
    open_kind(_i);
    struct ss_store_row row = row_of("t", 1, "");
    row.body = NULL;
    struct ss_store_unit unit = unit_of("t", &row, 1);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:");
}
END_TEST

START_TEST(ranges_are_read_with_both_ends)
{
    open_kind(_i);
    for (uint64_t seq = 1; seq <= 5; seq++) {
        ck_assert_int_eq(append_row(store, "t", seq, "x"), SS_OK);
    }
    ck_assert_str_eq(rows_text(store, "t", 2, 4), "2:x 3:x 4:x");
    ck_assert_str_eq(rows_text(store, "t", 5, 9), "5:x");
    ck_assert_str_eq(rows_text(store, "t", 6, 9), "");
    ck_assert_str_eq(rows_text(store, "t", 3, 2), "");
}
END_TEST

static int stop_at_two(void *ctx, const struct ss_store_row *row)
{
    ++*(int *)ctx;
    return row->seq == 2 ? SS_ELIMIT : SS_OK;
}

START_TEST(a_reader_may_stop)
{
    open_kind(_i);
    for (uint64_t seq = 1; seq <= 3; seq++) {
        ck_assert_int_eq(append_row(store, "t", seq, "x"), SS_OK);
    }
    int count = 0;
    ck_assert_int_eq(ss_store_read(store, "t", 0, UINT64_MAX, stop_at_two,
                         &count, &world_error),
        SS_ELIMIT);
    ck_assert_int_eq(count, 2);
    ck_assert_str_eq(all_rows(store, "t"), "1:x 2:x 3:x");
}
END_TEST

START_TEST(the_same_rows_again_are_fine)
{
    open_kind(_i);
    struct ss_store_row rows[] = {row_of("t", 1, "one"), row_of("t", 2, "two")};
    struct ss_store_unit unit = unit_of("t", rows, 2);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 3, "three"), SS_OK);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:one 2:two 3:three");
}
END_TEST

START_TEST(a_repeat_does_not_put_again)
{
    open_kind(_i);
    struct ss_store_row row = row_of("t", 1, "one");
    struct ss_store_put put = put_of("run", "old");
    struct ss_store_unit unit = unit_of("t", &row, 1);
    unit.puts = &put;
    unit.puts_count = 1;
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    struct ss_store_put newer = put_of("run", "new");
    ck_assert_int_eq(put_entry(store, &newer), SS_OK);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "run=new");
}
END_TEST

START_TEST(other_rows_in_the_same_place_are_refused)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 1, "eno"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "t", 1, "longer"), SS_EREFUSED);
    struct ss_store_row row = row_of("t", 1, "one");
    row.checksum = 1;
    struct ss_store_unit unit = unit_of("t", &row, 1);
    ck_assert_int_eq(apply_unit(store, &unit), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
}
END_TEST

START_TEST(rows_that_stand_in_part_are_refused)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    struct ss_store_row rows[] = {row_of("t", 1, "one"), row_of("t", 2, "two")};
    struct ss_store_unit unit = unit_of("t", rows, 2);
    ck_assert_int_eq(apply_unit(store, &unit), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
}
END_TEST

START_TEST(a_gap_is_refused)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EREFUSED);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 3, "three"), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
}
END_TEST

START_TEST(a_unit_is_all_or_nothing)
{
    open_kind(_i);
    struct ss_store_put puts[] = {put_of("a", "1"), put_of("b", "2")};
    ck_assert_int_eq(put_entry(store, &puts[1]), SS_OK);
    struct ss_store_row row = row_of("t", 1, "one");
    struct ss_store_unit unit = unit_of("t", &row, 1);
    puts[1] = put_of("b", "3");
    puts[1].when = SS_WHEN_ABSENT;
    unit.puts = puts;
    unit.puts_count = 2;
    ck_assert_int_eq(apply_unit(store, &unit), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "t"), "");
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "b=2");
}
END_TEST

START_TEST(units_of_a_batch_do_not_harm_each_other)
{
    open_kind(_i);
    struct ss_store_row good = row_of("t", 1, "good");
    struct ss_store_row bad = row_of("u", 2, "bad");
    struct ss_store_row next = row_of("t", 2, "next");
    struct ss_store_unit units[] = {
        unit_of("t", &good, 1), unit_of("u", &bad, 1), unit_of("t", &next, 1)};
    struct ss_store_batch batch = {.units = units, .units_count = 3};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    ck_assert_int_eq(units[0].result, SS_OK);
    ck_assert_int_eq(units[1].result, SS_EREFUSED);
    ck_assert_int_eq(units[2].result, SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:good 2:next");
    ck_assert_str_eq(all_rows(store, "u"), "");
}
END_TEST

// --- deleting ---------------------------------------------------------------

START_TEST(a_thread_is_deleted_alone)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "u", 1, "one"), SS_OK);
    struct ss_store_unit unit = {.thread = "t", .delete_thread = true};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "");
    ck_assert_str_eq(all_rows(store, "u"), "1:one");
    ck_assert_int_eq(append_row(store, "t", 1, "anew"), SS_OK);
}
END_TEST

START_TEST(a_thread_can_be_deleted_and_begun_in_one_unit)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    struct ss_store_row row = row_of("t", 1, "anew");
    struct ss_store_unit unit = unit_of("t", &row, 1);
    unit.delete_thread = true;
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:anew");
}
END_TEST

START_TEST(old_rows_are_deleted_and_numbers_go_on)
{
    open_kind(_i);
    for (uint64_t seq = 1; seq <= 4; seq++) {
        ck_assert_int_eq(append_row(store, "t", seq, "x"), SS_OK);
    }
    struct ss_store_row row = row_of("t", 5, "y");
    struct ss_store_unit unit = unit_of("t", &row, 1);
    unit.delete_to = 3;
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "4:x 5:y");
    ck_assert_int_eq(append_row(store, "t", 6, "z"), SS_OK);
    ck_assert_str_eq(rows_text(store, "t", 5, 6), "5:y 6:z");
    ck_assert_str_eq(rows_text(store, "t", 1, 4), "4:x");
}
END_TEST

START_TEST(all_rows_are_deleted_where_new_ones_follow)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "x"), SS_OK);
    struct ss_store_row row = row_of("t", 2, "y");
    struct ss_store_unit unit = unit_of("t", &row, 1);
    unit.delete_to = 1;
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "2:y");
}
END_TEST

START_TEST(the_head_is_not_deleted_without_a_successor)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "x"), SS_OK);
    struct ss_store_unit unit = {.thread = "t", .delete_to = 1};
    ck_assert_int_eq(apply_unit(store, &unit), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "t"), "1:x");
    struct ss_store_unit nothing = {.thread = "u", .delete_to = 1};
    ck_assert_int_eq(apply_unit(store, &nothing), SS_OK);
}
END_TEST

// --- entries ----------------------------------------------------------------

static int expect_entry(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    const struct ss_store_put *put = ctx;
    ck_assert_str_eq(key, put->key);
    ck_assert_pstr_eq(index, put->index);
    ck_assert_uint_eq(size, put->value_size);
    ck_assert_mem_eq(value, put->value, size);
    ck_assert_int_eq(expires_us, put->expires_us);
    return SS_OK;
}

START_TEST(an_entry_is_put_got_replaced_and_deleted)
{
    open_kind(_i);
    struct ss_store_put put = put_of("key", "value");
    put.table = SS_TABLE_CACHE;
    put.index = "index";
    put.expires_us = 12345;
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_int_eq(ss_store_get(store, SS_TABLE_CACHE, "key", expect_entry,
                         &put, &world_error),
        SS_OK);
    put = put_of("key", "");
    put.table = SS_TABLE_CACHE;
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_int_eq(ss_store_get(store, SS_TABLE_CACHE, "key", expect_entry,
                         &put, &world_error),
        SS_OK);
    put.value = NULL;
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_int_eq(ss_store_get(store, SS_TABLE_CACHE, "key", expect_entry,
                         &put, &world_error),
        SS_ENOTFOUND);
    ck_assert_str_eq(world_error.message, "store: there is no key");
}
END_TEST

START_TEST(tables_are_apart)
{
    open_kind(_i);
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        struct ss_store_put put = put_of("key", "value");
        put.table = (enum ss_store_table)table;
        put.when = SS_WHEN_ABSENT;
        ck_assert_int_eq(put_entry(store, &put), SS_OK);
        ck_assert_str_eq(
            all_entries(store, (enum ss_store_table)table), "key=value");
    }
}
END_TEST

START_TEST(a_put_may_want_the_key_absent)
{
    open_kind(_i);
    struct ss_store_put put = put_of("key", "one");
    put.when = SS_WHEN_ABSENT;
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    // In doubt about the commit it is put again.
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    put = put_of("key", "two");
    put.when = SS_WHEN_ABSENT;
    ck_assert_int_eq(put_entry(store, &put), SS_EREFUSED);
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "key=one");
}
END_TEST

START_TEST(a_put_may_want_the_value_it_knows)
{
    open_kind(_i);
    struct ss_store_put put = put_of("key", "two");
    put.when = SS_WHEN_SAME;
    put.expected = hash_of("one");
    ck_assert_int_eq(put_entry(store, &put), SS_EREFUSED);
    struct ss_store_put first = put_of("key", "one");
    ck_assert_int_eq(put_entry(store, &first), SS_OK);
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    put = put_of("key", "three");
    put.when = SS_WHEN_SAME;
    put.expected = hash_of("one");
    ck_assert_int_eq(put_entry(store, &put), SS_EREFUSED);
    put = put_of("key", NULL);
    put.when = SS_WHEN_SAME;
    put.expected = hash_of("one");
    ck_assert_int_eq(put_entry(store, &put), SS_EREFUSED);
    put.expected = hash_of("two");
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "");
}
END_TEST

START_TEST(puts_of_a_unit_see_those_before_them)
{
    open_kind(_i);
    struct ss_store_put puts[] = {put_of("key", "one"), put_of("key", "two"),
        put_of("key", NULL), put_of("key", "three")};
    puts[0].when = SS_WHEN_ABSENT;
    puts[1].when = SS_WHEN_SAME;
    puts[1].expected = hash_of("one");
    puts[3].when = SS_WHEN_ABSENT;
    struct ss_store_unit unit = {.puts = puts, .puts_count = 4};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "key=three");
}
END_TEST

static void put_some(void)
{
    static const char *const entries[][3] = {{"d", "4", "x"}, {"a", "1", "x"},
        {"c", "3", NULL}, {"B", "2", "y"}, {"e", "5", "x"}};
    for (size_t i = 0; i < 5; i++) {
        struct ss_store_put put = put_of(entries[i][0], entries[i][1]);
        put.index = entries[i][2];
        ck_assert_int_eq(put_entry(store, &put), SS_OK);
    }
}

START_TEST(entries_are_scanned_by_key)
{
    open_kind(_i);
    put_some();
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "B=2 a=1 c=3 d=4 e=5");
    ck_assert_str_eq(
        entries_text(store, SS_TABLE_RUNS, NULL, "a", 2), "c=3 d=4");
    ck_assert_str_eq(
        entries_text(store, SS_TABLE_RUNS, NULL, "b", 0), "c=3 d=4 e=5");
    ck_assert_str_eq(entries_text(store, SS_TABLE_RUNS, NULL, "e", 0), "");
}
END_TEST

START_TEST(entries_are_scanned_by_index)
{
    open_kind(_i);
    put_some();
    ck_assert_str_eq(
        entries_text(store, SS_TABLE_RUNS, "x", NULL, 0), "a=1 d=4 e=5");
    ck_assert_str_eq(entries_text(store, SS_TABLE_RUNS, "x", "a", 1), "d=4");
    ck_assert_str_eq(entries_text(store, SS_TABLE_RUNS, "z", NULL, 0), "");
}
END_TEST

static int index_add(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    (void)value;
    (void)size;
    (void)expires_us;
    struct ss_buf *text = ctx;
    ss_buf_addf(
        text, "%s%s:%s", text->size > 0 ? " " : "", key, index ? index : "-");
    return SS_OK;
}

static void indexes_are(
    enum ss_store_table table, const char *index, const char *expected)
{
    struct ss_buf text;
    ss_buf_init(&text, 4096);
    int status = ss_store_scan(
        store, table, index, NULL, 0, index_add, &text, &world_error);
    ck_assert_int_eq(status, SS_OK);
    ck_assert_str_eq(ss_buf_str(&text), expected);
    ss_buf_fini(&text);
}

// Of a thread one of whose runs has not ended its index does not count: it is
// told that it is busy, wherever it is found.
START_TEST(threads_with_an_open_run_are_told_as_busy)
{
    open_kind(_i);
    static const struct {
        enum ss_store_table table;
        const char *key, *index;
    } puts[] = {{SS_TABLE_THREADS, "a", NULL}, {SS_TABLE_THREADS, "b", NULL},
        {SS_TABLE_THREADS, "c", "failed"}, {SS_TABLE_THREADS, "d", "failed"},
        {SS_TABLE_OPEN, "1", "b"}, {SS_TABLE_OPEN, "2", "b"},
        {SS_TABLE_OPEN, "3", "d"}, {SS_TABLE_OPEN, "4", "e"}};
    for (size_t i = 0; i < sizeof(puts) / sizeof(*puts); i++) {
        struct ss_store_put put = put_of(puts[i].key, "");
        put.table = puts[i].table;
        put.index = puts[i].index;
        ck_assert_int_eq(put_entry(store, &put), SS_OK);
    }
    indexes_are(SS_TABLE_THREADS, NULL,
        "a:- b:" SS_STORE_BUSY " c:failed d:" SS_STORE_BUSY);
    indexes_are(SS_TABLE_THREADS, "failed", "c:failed d:" SS_STORE_BUSY);
    indexes_are(SS_TABLE_OPEN, "b", "1:b 2:b");
}
END_TEST

START_TEST(entries_whose_keys_begin_alike_are_a_range)
{
    open_kind(_i);
    static const char *const names[][2] = {{"same", "t2"}, {"same", "t1"},
        {"same2", "t0"}, {"sam", "t9"}, {"same ", "t"}, {"samf", "t"}};
    for (size_t i = 0; i < 6; i++) {
        char *key = ss_run_key(names[i][0], names[i][1]);
        struct ss_store_put put = put_of(key, names[i][1]);
        put.index = names[i][1];
        ck_assert_int_eq(put_entry(store, &put), SS_OK);
        ss_free(key);
    }
    struct ss_store_put old = put_of("same", "by its name alone");
    ck_assert_int_eq(put_entry(store, &old), SS_OK);
    char prefix[SS_RUN_PREFIX_SIZE];
    ss_run_prefix("same", prefix);
    char *both = ss_format("%st1=t1 %st2=t2", prefix, prefix);
    ck_assert_str_eq(entries_text(store, SS_TABLE_RUNS, NULL, prefix, 2), both);
    ss_free(both);
}
END_TEST

START_TEST(a_delete_that_names_an_index_takes_only_an_entry_of_it)
{
    open_kind(_i);
    put_some();
    struct ss_store_put puts[] = {put_of("a", NULL), put_of("B", NULL),
        put_of("c", NULL), put_of("d", NULL), put_of("none", NULL)};
    for (size_t i = 0; i < 4; i++)
        puts[i].index = "x";
    struct ss_store_unit unit = {.puts = puts, .puts_count = 5};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "B=2 c=3 e=5");
}
END_TEST

START_TEST(an_expired_entry_is_the_callers_business)
{
    open_kind(_i);
    struct ss_store_put put = put_of("key", "value");
    put.expires_us = 1;
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ck_assert_str_eq(all_entries(store, SS_TABLE_RUNS), "key=value");
}
END_TEST

// --- over a restart ---------------------------------------------------------

START_TEST(what_was_closed_is_there_again)
{
    open_kind(_i);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    struct ss_store_put put = put_of("key", "value");
    ck_assert_int_eq(put_entry(store, &put), SS_OK);
    ss_store_close(&store);
    store = world_open(_i);
    bool keeps = world_keeps(_i);
    ck_assert_str_eq(all_rows(store, "t"), keeps ? "1:one" : "");
    ck_assert_str_eq(
        all_entries(store, SS_TABLE_RUNS), keeps ? "key=value" : "");
}
END_TEST

// --- limits -----------------------------------------------------------------

START_TEST(too_long_a_name_is_refused_before_anything_happens)
{
    open_kind(_i);
    char name[2000];
    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    struct ss_store_row rows[] = {
        row_of("t", 1, "one"), row_of(name, 1, "one")};
    struct ss_store_unit units[] = {
        unit_of("t", &rows[0], 1), unit_of(name, &rows[1], 1)};
    struct ss_store_batch batch = {.units = units, .units_count = 2};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_ELIMIT);
    ck_assert_str_eq(all_rows(store, "t"), "");
}
END_TEST

START_TEST(a_large_body_comes_back_whole)
{
    open_kind(_i);
    enum { SIZE = 3 * 1024 * 1024 };
    char *body = ss_alloc(SIZE);
    memset(body, 'b', SIZE);
    struct ss_store_row row = row_of("t", 1, "");
    row.body = body;
    row.body_size = SIZE;
    struct ss_store_unit unit = unit_of("t", &row, 1);
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(
        ss_store_read(store, "t", 1, 1, same_row, &row, &world_error),
        SS_ECANCELLED);
    ss_free(body);
}
END_TEST

// It became an SQLite file of that name, and nobody was told.
START_TEST(a_database_as_libpq_names_it_is_no_file)
{
    open_kind(0);
    struct ss_store *other = NULL;
    ck_assert_int_eq(ss_store_open("host=db.example user=ann password=secret",
                         &other, &world_error),
        SS_EINVAL);
    ck_assert_str_eq(world_error.message,
        "store: \"host=...\" would be a file here. For PostgreSQL write"
        " postgres://USER@HOST/DATABASE, else sqlite:FILE");
    ck_assert_ptr_null(other);
    ss_store_close(&other);
}
END_TEST

START_TEST(a_store_that_nobody_knows_is_named)
{
    open_kind(0);
    struct ss_store *other = NULL;
    ck_assert_int_eq(ss_store_open("mango:x", &other, &world_error), SS_EINVAL);
    ck_assert_str_eq(world_error.message,
        "store: no store is called"
        " \"mango:\"; there are memory:, sqlite:FILE and postgres://");
    ck_assert_int_eq(
        ss_store_open("memory:x", &other, &world_error), SS_EINVAL);
    ck_assert_int_eq(ss_store_open("sqlite:", &other, &world_error), SS_EINVAL);
    ck_assert_ptr_null(other);
    ss_store_close(&other);
}
END_TEST

static Suite *suite(int kinds)
{
    Suite *s = suite_create("store");
    TCase *t = tcase_create("contract");
    tcase_add_checked_fixture(t, NULL, teardown);
    const TTest *const tests[] = {
        rows_come_back_as_they_were_appended,
        every_column_is_kept,
        an_empty_body_is_a_body,
        ranges_are_read_with_both_ends,
        a_reader_may_stop,
        the_same_rows_again_are_fine,
        a_repeat_does_not_put_again,
        other_rows_in_the_same_place_are_refused,
        rows_that_stand_in_part_are_refused,
        a_gap_is_refused,
        a_unit_is_all_or_nothing,
        units_of_a_batch_do_not_harm_each_other,
        a_thread_is_deleted_alone,
        a_thread_can_be_deleted_and_begun_in_one_unit,
        old_rows_are_deleted_and_numbers_go_on,
        all_rows_are_deleted_where_new_ones_follow,
        the_head_is_not_deleted_without_a_successor,
        an_entry_is_put_got_replaced_and_deleted,
        tables_are_apart,
        a_put_may_want_the_key_absent,
        a_put_may_want_the_value_it_knows,
        puts_of_a_unit_see_those_before_them,
        entries_are_scanned_by_key,
        entries_are_scanned_by_index,
        threads_with_an_open_run_are_told_as_busy,
        entries_whose_keys_begin_alike_are_a_range,
        a_delete_that_names_an_index_takes_only_an_entry_of_it,
        an_expired_entry_is_the_callers_business,
        what_was_closed_is_there_again,
        too_long_a_name_is_refused_before_anything_happens,
        a_large_body_comes_back_whole,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        tcase_add_loop_test(t, tests[i], 0, kinds);
    }
    tcase_add_test(t, a_database_as_libpq_names_it_is_no_file);
    tcase_add_test(t, a_store_that_nobody_knows_is_named);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite(world_server_begin()));
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    world_server_end();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

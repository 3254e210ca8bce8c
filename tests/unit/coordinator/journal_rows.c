#include "tests/unit/coordinator/journal_rows.h"

#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/value.h"
#include "tests/support/journal_load.h"

struct ss_error rows_error;
static struct ss_store *rows_store;
uint64_t rows_checksum;
int32_t rows_format;
struct ss_tail rows_tail;
static struct ss_shortener *rows_shortener;
static struct ss_buf rows_cut;

void rows_set_up(void)
{
    ss_value_setup();
    rows_error = (struct ss_error){0};
    rows_checksum = 0;
    rows_format = SS_ROW_FORMAT_1;
    ss_tail_init(&rows_tail, SIZE_MAX / 4);
    rows_shortener = ss_shortener_new();
    ss_buf_init(&rows_cut, SIZE_MAX / 4);
    ck_assert_int_eq(ss_store_open("memory:", &rows_store, &rows_error), SS_OK);
}

void rows_tear_down(void)
{
    ss_tail_fini(&rows_tail);
    ss_shortener_destroy(&rows_shortener);
    ss_buf_fini(&rows_cut);
    ss_store_close(&rows_store);
}

struct ss_row *rows_new(uint64_t seq)
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

void rows_keep(const struct ss_store_row *stored)
{
    struct ss_store_unit unit = {
        .thread = stored->thread, .rows = stored, .rows_count = 1};
    struct ss_store_batch batch = {.units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(rows_store, &batch, &rows_error), SS_OK);
    ck_assert_int_eq(unit.result, SS_OK);
}

void rows_encode(
    struct ss_row *row, uint64_t previous, struct ss_journal_bytes *ret_bytes)
{
    const struct ss_journal_form form = {
        previous, rows_format, rows_shortener, &rows_cut};
    ck_assert_int_eq(ss_journal_io_encode(
                         row, "t", &form, &rows_tail, ret_bytes, &rows_error),
        SS_OK);
}

void rows_append(uint64_t seq, void (*change)(struct ss_store_row *))
{
    struct ss_row *row = rows_new(seq);
    struct ss_journal_bytes bytes;
    rows_encode(row, rows_checksum, &bytes);
    struct ss_store_row stored =
        ss_journal_io_point(&bytes, "t", rows_tail.end);
    ck_assert_uint_eq(row->size, stored.body_size);
    rows_checksum = ss_journal_io_checksum(&stored);
    ck_assert_uint_eq(rows_checksum, bytes.checksum);
    if (change) {
        change(&stored);
    }
    rows_keep(&stored);
    ss_row_destroy(&row);
}

struct load {
    struct ss_journal *journal;
    uint64_t checksum;
};

static int load_row(void *ctx, const struct ss_store_row *stored)
{
    struct load *rows_load = ctx;
    return journal_load_row(
        rows_load->journal, stored, &rows_load->checksum, &rows_error);
}

static int load_any(uint64_t from, struct load *to)
{
    to->journal = ss_journal_new();
    return ss_store_read(
        rows_store, "t", from, UINT64_MAX, load_row, to, &rows_error);
}

int rows_load_changed(struct ss_journal **ret)
{
    struct load to = {0};
    int status = load_any(0, &to);
    *ret = to.journal;
    return status;
}

int rows_load(uint64_t from, struct ss_journal **ret)
{
    struct load to = {0};
    int status = load_any(from, &to);
    if (status == SS_OK) {
        ck_assert_uint_eq(to.checksum, rows_checksum);
    }
    *ret = to.journal;
    return status;
}

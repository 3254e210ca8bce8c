// unit_write.c - rows and puts before one another, then a job that has a copy
// of just their size.
#include "coordinator/core/unit_write.h"

#include <string.h>

#include "common/base/check.h"
#include "common/wire/row_limits.h"
#include "coordinator/core/limits.h"

void ss_unit_writer_init(struct ss_unit_writer *writer)
{
    *writer = (struct ss_unit_writer){.rows = {0}};
    ss_tail_init(&writer->tail, SIZE_MAX / 4);
    writer->shortener = ss_shortener_new();
    ss_buf_init(&writer->cut, SS_ROW_SIZE_MAX);
}

void ss_unit_writer_fini(struct ss_unit_writer *writer)
{
    ss_tail_fini(&writer->tail);
    ss_shortener_destroy(&writer->shortener);
    ss_buf_fini(&writer->cut);
    SS_VEC_FINI(&writer->rows);
    SS_VEC_FINI(&writer->puts);
}

void ss_unit_begin(struct ss_unit_writer *writer, int32_t format)
{
    writer->format = format;
    ss_tail_reset(&writer->tail, SS_UNIT_BYTES_KEPT);
    if (writer->cut.capacity > SS_UNIT_BYTES_KEPT)
        ss_buf_fini(&writer->cut);
    if (writer->rows.capacity > SS_UNIT_PARTS_KEPT)
        SS_VEC_FINI(&writer->rows);
    if (writer->puts.capacity > SS_UNIT_PARTS_KEPT)
        SS_VEC_FINI(&writer->puts);
    writer->rows.count = writer->puts.count = 0;
}

int ss_unit_add_row(struct ss_unit_writer *writer, const char *thread,
    struct ss_row *row, uint64_t *chain, struct ss_error *error)
{
    struct ss_journal_bytes bytes;
    const struct ss_journal_form form = {
        *chain, writer->format, writer->shortener, &writer->cut};
    int status =
        ss_journal_io_encode(row, thread, &form, &writer->tail, &bytes, error);
    if (status != SS_OK)
        return status;
    *chain = bytes.checksum;
    SS_VEC_PUSH(&writer->rows, bytes);
    return SS_OK;
}

struct ss_store_row ss_unit_kept_row(struct ss_row *row)
{
    return (struct ss_store_row){.seq = row->seq,
        .kind = (int32_t)row->kind,
        .run = "",
        .ns = "",
        .checkpoint_id = "",
        .parent_id = "",
        .source = "",
        .kept = row};
}

void ss_unit_keep_row(struct ss_unit_writer *writer, struct ss_row *row)
{
    struct ss_journal_bytes kept = {.row = ss_unit_kept_row(row)};
    SS_VEC_PUSH(&writer->rows, kept);
}

// Where the bytes stand, with a NUL behind them; 0 for NULL.
static size_t put_bytes(struct ss_tail *tail, const void *bytes, size_t size)
{
    if (!bytes)
        return 0;
    char *at = ss_tail_room(tail, size + 1);
    ss_check(at != NULL);
    memcpy(at, bytes, size);
    at[size] = '\0';
    return tail->size;
}

static size_t put_text(struct ss_tail *tail, const char *text)
{
    return put_bytes(tail, text, text ? strlen(text) : 0);
}

void ss_unit_add_put(
    struct ss_unit_writer *writer, const struct ss_store_put *put)
{
    struct ss_tail *tail = &writer->tail;
    struct ss_unit_put written = {.put = *put,
        .key = put_text(tail, put->key),
        .index = put_text(tail, put->index),
        .value = put_bytes(tail, put->value, put->value_size),
        .status = put_text(tail, put->status)};
    SS_VEC_PUSH(&writer->puts, written);
}

static const char *pointer(const char *end, size_t at)
{
    return at > 0 ? end - at : NULL;
}

static struct ss_store_row row_of(
    const struct ss_journal_bytes *bytes, const char *thread, const char *end)
{
    if (!bytes->row.kept)
        return ss_journal_io_point(bytes, thread, end);
    struct ss_store_row row = bytes->row;
    row.thread = thread;
    ss_row_ref(row.kept);
    return row;
}

// Rows and puts, with pointers to the bytes that end at `end`, to `rows`.
static void place(const struct ss_unit_writer *writer, void *to,
    const char *end, struct ss_store_unit *unit)
{
    struct ss_store_row *rows = to;
    struct ss_store_put *puts = (void *)(rows + writer->rows.count);
    for (size_t i = 0; i < writer->rows.count; i++)
        rows[i] = row_of(&writer->rows.items[i], unit->thread, end);
    for (size_t i = 0; i < writer->puts.count; i++) {
        const struct ss_unit_put *from = &writer->puts.items[i];
        puts[i] = from->put;
        puts[i].key = pointer(end, from->key);
        puts[i].index = pointer(end, from->index);
        puts[i].value = pointer(end, from->value);
        puts[i].status = pointer(end, from->status);
    }
    unit->rows = rows;
    unit->rows_count = writer->rows.count;
    unit->puts = puts;
    unit->puts_count = writer->puts.count;
}

struct ss_job *ss_unit_end(struct ss_unit_writer *writer, uint64_t tag,
    const struct ss_store_unit *unit)
{
    struct ss_tail *tail = &writer->tail;
    size_t thread = put_text(tail, unit->thread);
    size_t parts = writer->rows.count * sizeof(struct ss_store_row) +
                   writer->puts.count * sizeof(struct ss_store_put);
    struct ss_job *job = ss_job_new_with(SS_JOB_APPLY, tag, parts + tail->size);
    const char *end = job->behind + parts + tail->size;
    memcpy(job->behind + parts, tail->end - tail->size, tail->size);
    job->unit = *unit;
    job->unit.thread = pointer(end, thread);
    place(writer, job->behind, end, &job->unit);
    return job;
}

// journal_io.c - rows to columns and back, and the chain of checksums.
#include "coordinator/core/journal_io.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/row.h"
#include "common/wire/row_limits.h"

// --- the chain --------------------------------------------------------------

enum { NUMBERS = 8, TEXTS = 6 };

// The columns that the checksum covers, as it covers them: numbers of eight
// bytes, texts with their NULs, so that the border between two counts, and the
// hash of the body.
struct columns {
    uint64_t numbers[NUMBERS];
    const char *texts[TEXTS];
    size_t sizes[TEXTS];
    size_t size; // of all
};

static struct columns columns_of(const struct ss_store_row *stored)
{
    struct columns columns = {
        .numbers = {stored->checksum, stored->seq, (uint64_t)stored->kind,
            (uint64_t)stored->format, stored->parent_seq, stored->base_seq,
            (uint64_t)stored->step, (uint64_t)stored->wall_us},
        .texts = {stored->run, stored->ns, stored->checkpoint_id,
            stored->parent_id, stored->source, stored->metadata},
        .size = (NUMBERS + 1) * sizeof(uint64_t)};
    for (size_t i = 0; i < TEXTS; i++) {
        columns.texts[i] = columns.texts[i] ? columns.texts[i] : "";
        columns.sizes[i] = strlen(columns.texts[i]) + 1;
        columns.size += columns.sizes[i];
    }
    return columns;
}

// The lowest byte first. Eight stores that a compiler makes one.
static char *put_number(char *at, uint64_t number)
{
    at[0] = (char)number;
    at[1] = (char)(number >> 8);
    at[2] = (char)(number >> 16);
    at[3] = (char)(number >> 24);
    at[4] = (char)(number >> 32);
    at[5] = (char)(number >> 40);
    at[6] = (char)(number >> 48);
    at[7] = (char)(number >> 56);
    return at + 8;
}

// Write them, and give their checksum.
static uint64_t columns_put(
    const struct columns *columns, uint64_t body_hash, char *to)
{
    char *at = to;
    for (size_t i = 0; i < NUMBERS; i++) {
        at = put_number(at, columns->numbers[i]);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        memcpy(at, columns->texts[i], columns->sizes[i]);
        at += columns->sizes[i];
    }
    at = put_number(at, body_hash);
    ss_check(at == to + columns->size);
    return ss_hash64(to, columns->size);
}

uint64_t ss_journal_io_checksum(const struct ss_store_row *stored)
{
    const struct columns columns = columns_of(stored);
    char *bytes = ss_alloc(columns.size);
    uint64_t hash =
        ss_hash64(stored->body_size > 0 ? stored->body : "", stored->body_size);
    uint64_t checksum = columns_put(&columns, hash, bytes);
    ss_free(bytes);
    return checksum;
}

// --- out --------------------------------------------------------------------

// What almost every row has there needs no writer of JSON, and no column where
// the body tells it. *ret_own: to be freed.
static const char *metadata_text(
    const json_t *metadata, bool is_told, char **ret_own)
{
    *ret_own = NULL;
    if (!metadata) {
        return NULL;
    }
    if (ss_row_metadata_is_usual(metadata)) {
        return is_told ? NULL : "{\"parents\":{}}";
    }
    *ret_own = ss_json_text(metadata);
    return *ret_own;
}

// The columns in front of the body. Their bytes are those that the checksum
// covers: they are put down once, and hashed where they stand.
static void write_columns(
    const struct ss_row *row, struct ss_tail *tail, struct ss_journal_bytes *to)
{
    char *own;
    struct ss_store_row stored = to->row;
    bool is_told = stored.format >= SS_ROW_FORMAT_10;
    stored.run = is_told ? "" : row->run;
    stored.ns = row->ns;
    stored.checkpoint_id = is_told ? "" : row->checkpoint_id;
    stored.parent_id = is_told ? "" : row->parent_id;
    stored.source = is_told ? "" : ss_source_name(row->source);
    stored.metadata = metadata_text(row->metadata, is_told, &own);
    const struct columns columns = columns_of(&stored);
    uint64_t hash = ss_hash64(tail->end - tail->size, stored.body_size);
    char *at = ss_tail_room(tail, columns.size);
    ss_check(at != NULL); // a unit's tail has no bound but its rows'
    to->checksum = columns_put(&columns, hash, at);
    to->at = tail->size;
    ss_free(own);
}

// The row's body, which `tail` has in front of `before` bytes, without what it
// repeats. False: it stays as it is.
static bool body_shorten(const struct ss_row *row,
    const struct ss_journal_form *form, struct ss_tail *tail, size_t before)
{
    const struct ss_stretch body = {
        tail->end - tail->size, tail->size - before};
    struct ss_buf *cut = form->cut;
    ss_check(tail->size > before);
    ss_buf_reset(cut);
    if (!ss_row_shorten(form->shortener, row, &body, cut))
        return false;
    tail->size = before;
    char *at = ss_tail_room(tail, cut->size);
    ss_check(at != NULL); // it has had room for more
    memcpy(at, cut->data, cut->size);
    return true;
}

// What would stand in columns, in front of the body. False: it has to stand
// there.
static bool head_add(
    const struct ss_row *row, bool is_short, struct ss_tail *tail)
{
    uint8_t head[SS_ROW_HEAD_SIZE_MAX];
    size_t size = ss_row_head_put(row, is_short, head);
    if (size > 0) {
        char *at = ss_tail_room(tail, size);
        ss_check(at != NULL); // a unit's tail has no bound but its rows'
        memcpy(at, head, size);
    }
    return size > 0;
}

// The time that the checkpoint's id holds; 0: it holds none.
static int64_t told_time(const struct ss_row *row)
{
    uint64_t ticks = ss_uuid6_read(row->checkpoint_id);
    return ticks >= ss_uuid6_ticks(0) ? ss_uuid6_wall_us(ticks) : 0;
}

// Its column says its time, where 0 is that of the checkpoint's id.
static bool time_fits(const struct ss_row *row)
{
    return row->wall_us != 0 || told_time(row) == 0;
}

// As short as who reads it allows. Gives the format of what stands there then.
static int32_t body_tell(const struct ss_row *row,
    const struct ss_journal_form *form, struct ss_tail *tail, size_t before)
{
    bool is_short = form->format >= SS_ROW_FORMAT_8 &&
                    body_shorten(row, form, tail, before);
    if (form->format >= SS_ROW_FORMAT_10 && time_fits(row) &&
        head_add(row, is_short, tail)) {
        return SS_ROW_FORMAT_10;
    }
    int32_t format = ss_row_format(row);
    ss_check(format < SS_ROW_FORMAT_8);
    return is_short ? SS_ROW_FORMAT_8 : format;
}

int ss_journal_io_encode(struct ss_row *row, const char *thread,
    const struct ss_journal_form *form, struct ss_tail *tail,
    struct ss_journal_bytes *ret, struct ss_error *error)
{
    const size_t before = tail->size;
    int status = ss_row_encode(row, tail, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "thread %s: row %" PRIu64, thread, row->seq);
        return status;
    }
    struct ss_store_row stored = {.seq = row->seq,
        .kind = (int32_t)row->kind,
        .format = body_tell(row, form, tail, before),
        .wall_us = row->wall_us,
        .checksum = form->previous};
    if (stored.format >= SS_ROW_FORMAT_10) {
        stored.wall_us = told_time(row) == row->wall_us ? 0 : row->wall_us;
    } else {
        stored.parent_seq = row->parent_seq;
        stored.base_seq = row->base_seq;
        stored.step = row->step;
    }
    stored.body_size = row->size = tail->size - before;
    *ret = (struct ss_journal_bytes){.row = stored};
    write_columns(row, tail, ret);
    ss_row_drop_sources(row);
    return SS_OK;
}

struct ss_store_row ss_journal_io_point(
    const struct ss_journal_bytes *bytes, const char *thread, const char *end)
{
    struct ss_store_row row = bytes->row;
    const char *at = end - bytes->at + NUMBERS * sizeof(uint64_t);
    const char **texts[TEXTS] = {&row.run, &row.ns, &row.checkpoint_id,
        &row.parent_id, &row.source, &row.metadata};
    for (size_t i = 0; i < TEXTS; i++) {
        *texts[i] = at;
        at += strlen(at) + 1;
    }
    row.thread = thread;
    row.metadata = *row.metadata ? row.metadata : NULL;
    row.body = at + sizeof(uint64_t);
    return row;
}

// --- in ---------------------------------------------------------------------

static bool text_take(const char *from, char *to, size_t size)
{
    size_t length = strlen(from);
    if (length >= size) {
        return false;
    }
    memcpy(to, from, length + 1);
    return true;
}

static int ids_take(const struct ss_store_row *stored, struct ss_row *row,
    struct ss_error *error)
{
    bool fits =
        text_take(stored->run, row->run, sizeof(row->run)) &&
        text_take(stored->checkpoint_id, row->checkpoint_id,
            sizeof(row->checkpoint_id)) &&
        text_take(stored->parent_id, row->parent_id, sizeof(row->parent_id));
    return fits ? SS_OK : ss_error_set(error, SS_ECORRUPT, "too long an id");
}

static int columns_take(const struct ss_store_row *stored, struct ss_row *row,
    struct ss_error *error)
{
    row->parent_seq = stored->parent_seq;
    row->base_seq = stored->base_seq;
    row->step = stored->step;
    if (ids_take(stored, row, error) != SS_OK) {
        return error->status;
    }
    if (!ss_source_by_name(stored->source, &row->source)) {
        return ss_error_set(error, SS_ECORRUPT, "its source is not known");
    }
    return SS_OK;
}

// What stands beside the body in each format.
static int beside_take(const struct ss_store_row *stored, struct ss_row *row,
    struct ss_error *error)
{
    row->kind = (enum ss_row_kind)stored->kind;
    row->ns = ss_arena_text(&row->memory, stored->ns);
    row->wall_us = stored->wall_us == 0 && stored->format >= SS_ROW_FORMAT_10
                       ? told_time(row)
                       : stored->wall_us;
    if (stored->metadata) {
        json_decref(row->metadata);
        row->metadata = NULL;
    }
    if (stored->metadata &&
        ss_json_parse(stored->metadata, strlen(stored->metadata),
            &row->metadata, error) != SS_OK) {
        return ss_error_set(error, SS_ECORRUPT, "its metadata is not JSON");
    }
    return SS_OK;
}

// A body that names what `columns`, and rows before, say already.
static int short_decode(struct ss_row *columns, const struct ss_stretch *pieces,
    const struct ss_row_finder *earlier, struct ss_row **ret_row,
    struct ss_error *error)
{
    struct ss_buf body;
    ss_buf_init(&body, SS_ROW_SHORT_SIZE_MAX);
    int status = ss_row_restore(columns, pieces, earlier, &body, error);
    if (status == SS_OK) {
        status = ss_row_decode(ss_buf_str(&body), body.size, ret_row, error);
    }
    ss_buf_fini(&body);
    return status;
}

// The rest of it, from what stands there.
static int body_decode(const struct ss_store_row *stored,
    const struct ss_row_finder *earlier, struct ss_row *columns,
    struct ss_row **ret_row, struct ss_error *error)
{
    struct ss_stretch body = {
        stored->body_size > 0 ? stored->body : "", stored->body_size};
    bool is_short = stored->format == SS_ROW_FORMAT_8;
    int status =
        stored->format >= SS_ROW_FORMAT_10
            ? ss_row_head_take(&body, earlier, columns, &is_short, error)
            : columns_take(stored, columns, error);
    if (status != SS_OK) {
        return status;
    }
    return is_short ? short_decode(columns, &body, earlier, ret_row, error)
                    : ss_row_decode(body.bytes, body.size, ret_row, error);
}

// Takes what `columns` has.
static void columns_place(struct ss_row *columns, struct ss_row *row)
{
    row->seq = columns->seq;
    ss_id_copy(row->run, columns->run);
    ss_id_copy(row->checkpoint_id, columns->checkpoint_id);
    ss_id_copy(row->parent_id, columns->parent_id);
    row->parent_seq = columns->parent_seq;
    row->base_seq = columns->base_seq;
    row->source = columns->source;
    row->step = columns->step;
    row->named_from = columns->named_from;
    row->metadata = columns->metadata;
    columns->metadata = NULL;
}

int ss_journal_io_decode(const struct ss_store_row *stored,
    const struct ss_row_finder *earlier, struct ss_row **ret_row,
    struct ss_error *error)
{
    struct ss_row *row = NULL, columns = {.seq = stored->seq};
    int status = SS_OK;
    if (stored->format > SS_ROW_FORMAT) {
        status = ss_error_set(error, SS_EVERSION,
            "it was written by a newer"
            " version (format %d, this program knows %d). Upgrade this"
            " program",
            stored->format, SS_ROW_FORMAT);
    } else if (stored->format < 1) {
        status = ss_error_set(error, SS_ECORRUPT, "it has no format number");
    } else {
        status = body_decode(stored, earlier, &columns, &row, error);
    }
    if (status == SS_OK) {
        ss_check(row);
        row->size = stored->body_size;
        columns_place(&columns, row);
        status = beside_take(stored, row, error);
    }
    json_decref(columns.metadata);
    if (status == SS_OK) {
        status = ss_row_valid(row, error);
    }
    if (status != SS_OK) {
        ss_row_destroy(&row);
        ss_error_wrap(
            error, "thread %s: row %" PRIu64, stored->thread, stored->seq);
        return status;
    }
    *ret_row = row;
    return SS_OK;
}

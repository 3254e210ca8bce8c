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

// What almost every row has there needs no writer of JSON. *ret_own: to be
// freed.
static const char *metadata_text(const json_t *metadata, char **ret_own)
{
    const json_t *parents = json_object_get(metadata, "parents");
    *ret_own = NULL;
    if (!metadata) {
        return NULL;
    }
    if (json_object_size(metadata) == 1 && json_is_object(parents) &&
        json_object_size(parents) == 0) {
        return "{\"parents\":{}}";
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
    stored.run = row->run;
    stored.ns = row->ns;
    stored.checkpoint_id = row->checkpoint_id;
    stored.parent_id = row->parent_id;
    stored.source = ss_source_name(row->source);
    stored.metadata = metadata_text(row->metadata, &own);
    const struct columns columns = columns_of(&stored);
    uint64_t hash = ss_hash64(tail->end - tail->size, stored.body_size);
    char *at = ss_tail_room(tail, columns.size);
    ss_check(at != NULL); // a unit's tail has no bound but its rows'
    to->checksum = columns_put(&columns, hash, at);
    to->at = tail->size;
    ss_free(own);
}

// The row's body, which `tail` has in front of `before` bytes, without what it
// repeats. Gives the format of what stands there then.
static int32_t body_shorten(const struct ss_row *row,
    const struct ss_journal_form *form, struct ss_tail *tail, size_t before)
{
    const struct ss_stretch body = {
        tail->end - tail->size, tail->size - before};
    struct ss_buf *cut = form->cut;
    ss_check(tail->size > before && ss_row_format(row) < SS_ROW_FORMAT_8);
    ss_buf_reset(cut);
    if (!ss_row_shorten(form->shortener, row, &body, cut))
        return ss_row_format(row);
    tail->size = before;
    char *at = ss_tail_room(tail, cut->size);
    ss_check(at != NULL); // it has had room for more
    memcpy(at, cut->data, cut->size);
    return SS_ROW_FORMAT_8;
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
    int32_t format = form->format >= SS_ROW_FORMAT_8
                         ? body_shorten(row, form, tail, before)
                         : ss_row_format(row);
    row->size = tail->size - before;
    *ret = (struct ss_journal_bytes){.row = {.seq = row->seq,
                                         .kind = (int32_t)row->kind,
                                         .format = format,
                                         .parent_seq = row->parent_seq,
                                         .base_seq = row->base_seq,
                                         .step = row->step,
                                         .wall_us = row->wall_us,
                                         .checksum = form->previous,
                                         .body_size = row->size}};
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
    row->seq = stored->seq;
    row->kind = (enum ss_row_kind)stored->kind;
    row->ns = ss_arena_text(&row->memory, stored->ns);
    row->parent_seq = stored->parent_seq;
    row->base_seq = stored->base_seq;
    row->step = stored->step;
    row->wall_us = stored->wall_us;
    if (ids_take(stored, row, error) != SS_OK) {
        return error->status;
    }
    if (!ss_source_by_name(stored->source, &row->source)) {
        return ss_error_set(error, SS_ECORRUPT, "its source is not known");
    }
    if (stored->metadata &&
        ss_json_parse(stored->metadata, strlen(stored->metadata),
            &row->metadata, error) != SS_OK) {
        return ss_error_set(error, SS_ECORRUPT, "its metadata is not JSON");
    }
    return SS_OK;
}

// A body that names what the columns, and rows before, say already.
static int short_decode(const struct ss_store_row *stored,
    const struct ss_row_finder *earlier, struct ss_row **ret_row,
    struct ss_error *error)
{
    const struct ss_stretch pieces = {stored->body, stored->body_size};
    struct ss_row columns = {.seq = stored->seq};
    struct ss_buf body;
    ss_buf_init(&body, SS_ROW_SHORT_SIZE_MAX);
    int status = ids_take(stored, &columns, error);
    if (status == SS_OK) {
        status = ss_row_restore(&columns, &pieces, earlier, &body, error);
    }
    if (status == SS_OK) {
        status = ss_row_decode(ss_buf_str(&body), body.size, ret_row, error);
    }
    if (status == SS_OK) {
        (*ret_row)->size = stored->body_size;
        (*ret_row)->named_from = columns.named_from;
    }
    ss_buf_fini(&body);
    return status;
}

int ss_journal_io_decode(const struct ss_store_row *stored,
    const struct ss_row_finder *earlier, struct ss_row **ret_row,
    struct ss_error *error)
{
    struct ss_row *row = NULL;
    int status = SS_OK;
    if (stored->format > SS_ROW_FORMAT) {
        status = ss_error_set(error, SS_EVERSION,
            "it was written by a newer"
            " version (format %d, this program knows %d). Upgrade this"
            " program",
            stored->format, SS_ROW_FORMAT);
    } else if (stored->format < 1) {
        status = ss_error_set(error, SS_ECORRUPT, "it has no format number");
    } else if (stored->format >= SS_ROW_FORMAT_8) {
        status = short_decode(stored, earlier, &row, error);
    } else {
        status = ss_row_decode(stored->body_size > 0 ? stored->body : "",
            stored->body_size, &row, error);
    }
    if (status == SS_OK) {
        ss_check(row);
        status = columns_take(stored, row, error);
    }
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

// journal_io.c - rows to columns and back, and the chain of checksums.
#include "coordinator/core/journal_io.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/row.h"
#include "common/wire/row_limits.h"

// --- out --------------------------------------------------------------------

int ss_journal_io_encode(struct ss_row *row, const char *thread,
    uint64_t previous, struct ss_journal_bytes *ret, struct ss_error *error)
{
    struct ss_buf body;
    ss_buf_init(&body, SS_ROW_SIZE_MAX);
    int status = ss_row_encode(row, &body, error);
    if (status != SS_OK) {
        ss_buf_fini(&body);
        ss_error_wrap(error, "thread %s: row %" PRIu64, thread, row->seq);
        return status;
    }
    size_t size = 0;
    *ret = (struct ss_journal_bytes){
        .body = ss_buf_steal(&body, &size),
        .metadata = row->metadata ? ss_json_text(row->metadata) : NULL,
    };
    row->size = size;
    ret->row = (struct ss_store_row){
        .thread = thread,
        .seq = row->seq,
        .kind = (int32_t)row->kind,
        .format = ss_row_format(row),
        .run = row->run,
        .ns = row->ns ? row->ns : "",
        .checkpoint_id = row->checkpoint_id,
        .parent_id = row->parent_id,
        .parent_seq = row->parent_seq,
        .base_seq = row->base_seq,
        .source = ss_source_name(row->source),
        .step = row->step,
        .wall_us = row->wall_us,
        .metadata = ret->metadata,
        .checksum = previous,
        .body = ret->body,
        .body_size = size,
    };
    return SS_OK;
}

void ss_journal_bytes_fini(struct ss_journal_bytes *bytes)
{
    ss_free(bytes->body);
    ss_free(bytes->metadata);
    *bytes = (struct ss_journal_bytes){0};
}

// --- the chain --------------------------------------------------------------

static char *put_number(char *at, uint64_t number)
{
    for (size_t i = 0; i < 8; i++) {
        *at++ = (char)(number >> (8 * i));
    }
    return at;
}

uint64_t ss_journal_io_checksum(const struct ss_store_row *stored)
{
    const uint64_t numbers[] = {stored->checksum, stored->seq,
        (uint64_t)stored->kind, (uint64_t)stored->format, stored->parent_seq,
        stored->base_seq, (uint64_t)stored->step, (uint64_t)stored->wall_us};
    const char *const texts[] = {stored->run, stored->ns, stored->checkpoint_id,
        stored->parent_id, stored->source, stored->metadata};
    enum { NUMBERS = sizeof(numbers) / sizeof(numbers[0]) };
    enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };
    // each text with its NUL, so that the border between two counts
    size_t sizes[TEXTS], size = (NUMBERS + 1) * sizeof(numbers[0]);
    for (size_t i = 0; i < TEXTS; i++) {
        sizes[i] = texts[i] ? strlen(texts[i]) + 1 : 1;
        size += sizes[i];
    }
    char *bytes = ss_alloc(size), *at = bytes;
    for (size_t i = 0; i < NUMBERS; i++) {
        at = put_number(at, numbers[i]);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        memcpy(at, texts[i] ? texts[i] : "", sizes[i]);
        at += sizes[i];
    }
    at = put_number(at, ss_hash64(stored->body_size > 0 ? stored->body : "",
                            stored->body_size));
    ss_check(at == bytes + size);
    uint64_t checksum = ss_hash64(bytes, size);
    ss_free(bytes);
    return checksum;
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

static int columns_take(const struct ss_store_row *stored, struct ss_row *row,
    struct ss_error *error)
{
    row->seq = stored->seq;
    row->kind = (enum ss_row_kind)stored->kind;
    row->ns = ss_strdup(stored->ns);
    row->parent_seq = stored->parent_seq;
    row->base_seq = stored->base_seq;
    row->step = stored->step;
    row->wall_us = stored->wall_us;
    bool fits =
        text_take(stored->run, row->run, sizeof(row->run)) &&
        text_take(stored->checkpoint_id, row->checkpoint_id,
            sizeof(row->checkpoint_id)) &&
        text_take(stored->parent_id, row->parent_id, sizeof(row->parent_id));
    if (!fits) {
        return ss_error_set(error, SS_ECORRUPT, "too long an id");
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

int ss_journal_io_decode(const struct ss_store_row *stored,
    struct ss_row **ret_row, struct ss_error *error)
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

int ss_journal_io_load(struct ss_journal *journal,
    const struct ss_store_row *stored, uint64_t *checksum,
    struct ss_error *error)
{
    if (ss_journal_head(journal) > 0 && stored->checksum != *checksum) {
        return ss_error_set(error, SS_ECORRUPT,
            "thread %s: row %" PRIu64
            " does not follow the row before it: one of them was changed",
            stored->thread, stored->seq);
    }
    struct ss_row *row = NULL;
    int status = ss_journal_io_decode(stored, &row, error);
    if (status != SS_OK) {
        return status;
    }
    status = ss_journal_append(journal, row, error);
    if (status != SS_OK) {
        ss_row_destroy(&row);
        ss_error_wrap(error, "thread %s", stored->thread);
        return status;
    }
    *checksum = ss_journal_io_checksum(stored);
    return SS_OK;
}

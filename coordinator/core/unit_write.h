// unit_write.h - a unit for the store, written once, into the bytes that its
// job owns.
//
// Begin, add rows and puts in their order, end. A writer is kept between units,
// with its memory.
#ifndef SS_CORE_UNIT_WRITE_H
#define SS_CORE_UNIT_WRITE_H

#include "common/base/mem.h"
#include "common/base/status.h"
#include "coordinator/core/journal_io.h"
#include "coordinator/job/job.h"

// A put whose texts stand in the tail: so many bytes before its end; 0: none.
struct ss_unit_put {
    struct ss_store_put put;
    size_t key, index, value, status;
};

struct ss_unit_writer {
    struct ss_tail tail;
    int32_t format; // of rows: the newest that all who read them know
    struct ss_shortener *shortener;
    struct ss_buf cut; // the last row's short body
    SS_VEC(struct ss_journal_bytes) rows;
    SS_VEC(struct ss_unit_put) puts;
};

void ss_unit_writer_init(struct ss_unit_writer *writer);
void ss_unit_writer_fini(struct ss_unit_writer *writer);

// Forget what was added. All who will read its rows know those of `format`.
void ss_unit_begin(struct ss_unit_writer *writer, int32_t format);
// `*chain`: the checksum that the row carries; then the one that the next row
// carries. SS_ELIMIT: too large a row, and no unit comes of it.
int ss_unit_add_row(struct ss_unit_writer *writer, const char *thread,
    struct ss_row *row, uint64_t *chain, struct ss_error *error) SS_MUST_USE;
// A row as it is, of no thread yet. Borrows.
struct ss_store_row ss_unit_kept_row(struct ss_row *row);
// The same, into the unit.
void ss_unit_keep_row(struct ss_unit_writer *writer, struct ss_row *row);
// Its texts are copied.
void ss_unit_add_put(
    struct ss_unit_writer *writer, const struct ss_store_put *put);
// The job. `unit` has all but rows and puts; its thread is copied. Gives.
struct ss_job *ss_unit_end(struct ss_unit_writer *writer, uint64_t tag,
    const struct ss_store_unit *unit);

#endif

// journal_io.h - between rows of the journal and rows of the store.
//
// A stored row carries the checksum of the row before it, which covers that
// row's columns, its body and the checksum that it carried: a thread's rows are
// a chain, and a row that was changed or exchanged from outside is noticed.
#ifndef SS_CORE_JOURNAL_IO_H
#define SS_CORE_JOURNAL_IO_H

#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/wire/row.h"
#include "common/wire/tail.h"
#include "coordinator/job/job.h"

// A row for the store whose texts and body stand in a tail: where is known, and
// pointers can be made once the tail does not move any more.
struct ss_journal_bytes {
    struct ss_store_row row; // texts and body are none before _point()
    size_t at;               // bytes from the row's texts to the tail's end
    uint64_t checksum;       // that the row after this one carries
};

// What a row is encoded for.
struct ss_journal_form {
    uint64_t previous; // checksum of the row before, 0 for the first
    int32_t format;    // the newest that all who read it know
    struct ss_shortener *shortener;
    struct ss_buf *cut; // memory that is kept for a short body
};

// Write `row` of `thread` in front of what `tail` has, as short as may be. Sets
// row->size, and forgets what it repeats. SS_ELIMIT: too large a row; `tail` is
// of no use then.
int ss_journal_io_encode(struct ss_row *row, const char *thread,
    const struct ss_journal_form *form, struct ss_tail *tail,
    struct ss_journal_bytes *ret, struct ss_error *error) SS_MUST_USE;
// The row, with pointers into the tail's bytes, which end at `end` by now, and
// with `thread`.
struct ss_store_row ss_journal_io_point(
    const struct ss_journal_bytes *bytes, const char *thread, const char *end);
// The checksum that the row after this one carries.
uint64_t ss_journal_io_checksum(const struct ss_store_row *stored);

// Gives a row. It may repeat values of rows that are `earlier` in its thread.
// SS_ECORRUPT: damaged; SS_EVERSION: written by a newer program.
int ss_journal_io_decode(const struct ss_store_row *stored,
    const struct ss_row_finder *earlier, struct ss_row **ret_row,
    struct ss_error *error) SS_MUST_USE;

#endif

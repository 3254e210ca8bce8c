// journal_load.h - a journal from the rows of a store, one by one.
#ifndef SS_TESTS_SUPPORT_JOURNAL_LOAD_H
#define SS_TESTS_SUPPORT_JOURNAL_LOAD_H

#include <inttypes.h>

#include "coordinator/core/journal_io.h"

static inline const struct ss_row *find_in_journal(void *ctx, uint64_t seq)
{
    return ss_journal_row(ctx, seq);
}

// Decode `stored`, check that it follows the row before (*checksum; anything
// for the first row), and append it. *checksum is then the one that the next
// row must carry. Errors name thread and row.
static inline int journal_load_row(struct ss_journal *journal,
    const struct ss_store_row *stored, uint64_t *checksum,
    struct ss_error *error)
{
    if (ss_journal_head(journal) > 0 && stored->checksum != *checksum) {
        return ss_error_set(error, SS_ECORRUPT,
            "thread %s: row %" PRIu64
            " does not follow the row before it: one of them was changed",
            stored->thread, stored->seq);
    }
    const struct ss_row_finder earlier = {find_in_journal, journal};
    struct ss_row *row = NULL;
    int status = ss_journal_io_decode(stored, &earlier, &row, error);
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

#endif

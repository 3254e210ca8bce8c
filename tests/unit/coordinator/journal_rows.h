// journal_rows.h - rows of thread "t" on their way into a store in memory and
// back.
#ifndef SS_TESTS_UNIT_COORDINATOR_JOURNAL_ROWS_H
#define SS_TESTS_UNIT_COORDINATOR_JOURNAL_ROWS_H

#include <stdint.h>

#include "common/model/journal.h"
#include "coordinator/core/journal_io.h"
#include "coordinator/store/store.h"

extern struct ss_error rows_error;
extern uint64_t rows_checksum; // that the next row carries
extern int32_t rows_format;    // of those who read it
extern struct ss_tail rows_tail;

// Of each test.
void rows_set_up(void);
void rows_tear_down(void);
// A checkpoint "c<seq>" after "c<seq - 1>", channel x set to seq.
struct ss_row *rows_new(uint64_t seq);
void rows_keep(const struct ss_store_row *stored);
void rows_encode(
    struct ss_row *row, uint64_t previous, struct ss_journal_bytes *ret_bytes);
// Encode row `seq`, let `change` have it, and keep it in the store.
void rows_append(uint64_t seq, void (*change)(struct ss_store_row *));
// What is in the store from that row on. Gives.
int rows_load(uint64_t from, struct ss_journal **ret);
// All of it, where it was changed behind the checksums.
int rows_load_changed(struct ss_journal **ret);

#endif

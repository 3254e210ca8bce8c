// journal_head.h - where a thread ends, as its records say.
//
// A row is checked by the row behind it (journal_io.h), and nothing checks the
// last one. So a record that changes together with a row also says where the
// thread ends then: a run's record at its end, the thread's own at a prune, a
// copy, an import:
//
//   "head": {"rows": 12, "checksum": "1f3a...", "of": 1700000000000000}
//
// `rows` is the seq of the last row, `checksum` what a row behind it carries.
// `of` is the time at which the thread was made: a deletion leaves records of
// runs whose rows a prune had dropped, and these say nothing about a later
// thread of the same name. Rows behind the newest head are checked by the
// chain.
#ifndef SS_CORE_JOURNAL_HEAD_H
#define SS_CORE_JOURNAL_HEAD_H

#include <jansson.h>

#include "common/base/status.h"
#include "common/model/journal.h"

#define SS_JOURNAL_HEAD "head"

struct ss_journal_head {
    uint64_t rows; // 0: nothing is known
    uint64_t checksum;
};

// `record`, an object as compact text that tells none, with the head of a
// thread that was made at `born_us`. Gives.
char *ss_journal_head_tell(
    const char *record, const struct ss_journal_head *head, int64_t born_us);
// *newest becomes the head in `record`, if that is further on, and of the
// thread that was made at `born_us`. SS_ECORRUPT: the head is not as it was
// written.
int ss_journal_head_hear(const json_t *record, int64_t born_us,
    struct ss_journal_head *newest, struct ss_error *error) SS_MUST_USE;

// What was seen of a thread's rows while they were read, in order.
struct ss_journal_extent {
    struct ss_journal_head told; // set by the caller, before the first row
    uint64_t first, last;        // rows; 0: there is none
    uint64_t dropped_to;         // rows up to here may be gone: a row says so
    bool differs;                // the row at the head is another one
};

// Add the next row, and the checksum that the row behind it must carry.
void ss_journal_extent_add(struct ss_journal_extent *extent,
    const struct ss_row *row, uint64_t checksum);
// When all rows were read: check that none is missing at either end.
// SS_ECORRUPT says which.
int ss_journal_extent_check(
    const struct ss_journal_extent *extent, struct ss_error *error) SS_MUST_USE;

#endif

// row.h - a journal row's body: ss_row <-> bytes
// (proto/superstep/v1/journal.proto).
//
// The body holds the row's parts, `of` and what it voids; the columns (seq,
// kind, run, ns, ids, step, times, metadata) travel beside it and are their
// owner's to set. The body's last field is a hash of the rest: a flipped bit is
// recognised, and values need not be looked into.
//
// A short body says the same without what it repeats (repeats.h): of itself, of
// the columns `run`, `checkpoint_id` and `parent_id`, and of values in earlier
// rows of the thread that it names. A value that a task wrote and a checkpoint
// holds is so stored once.
//
// A head in front of a body tells what would stand in columns otherwise, which
// cost several times as much (format 10).
//
//   head   1 byte: the source (enum ss_source); +8: there is a checkpoint, +16:
//          the run is that of the row before, +32: there is a run; +64: the
//          metadata is {"parents":{}}; +128: a short body follows
//          of a checkpoint: its id, 16 bytes, which also tells its time where
//          that column is 0; the step, 4; how many rows before
//          its parent stands, 2 (0: it has none; 65535: in none)
//          the run's id, 16 bytes; the id of a parent that stands in no row, 16
//          of a checkpoint: how many rows before reading begins, a number
//   short body   1, the size of the body, how many values of earlier rows it
//                names; of each, how many rows before it stands, and its place
//                (struct ss_row_source); then the pieces. All are numbers as in
//                repeats.h.
#ifndef SS_WIRE_ROW_H
#define SS_WIRE_ROW_H

#include "common/base/status.h"
#include "common/model/journal.h"
#include "common/wire/repeats.h"
#include "common/wire/tail.h"

// Write the body of `row` in front of what `tail` has. SS_ELIMIT: it has more
// than SS_ROW_SIZE_MAX bytes, or `tail` has no room; then `tail` is of no use.
int ss_row_encode(const struct ss_row *row, struct ss_tail *tail,
    struct ss_error *error) SS_MUST_USE;
// Gives a row with everything but the columns; its `size` is that of the body.
// SS_ECORRUPT: damaged. SS_ELIMIT: it asks for too much memory.
int ss_row_decode(const void *bytes, size_t size, struct ss_row **ret,
    struct ss_error *error) SS_MUST_USE;

// Where earlier rows of a thread are found.
struct ss_row_finder {
    // Borrowed, until the row that names it is there; NULL: there is no such
    // row.
    const struct ss_row *(*find)(void *ctx, uint64_t seq);
    void *ctx;
};

enum { SS_ROW_HEAD_SIZE_MAX = 1 + 3 * 16 + 4 + 2 + 10 };

// Write the head of `row`; gives its size. 0: it cannot be told so (an id that
// is no UUID, a step or a distance that takes more bytes).
size_t ss_row_head_put(const struct ss_row *row, bool is_short,
    uint8_t ret[SS_ROW_HEAD_SIZE_MAX]) SS_MUST_USE;
// Take the head off `stored`: the columns of `row`, whose seq is set and which
// has nothing else, but its kind, its time, its namespace, and metadata that
// are not the usual ones. SS_ECORRUPT: it is damaged, or a row is not there
// that it names.
int ss_row_head_take(struct ss_stretch *stored,
    const struct ss_row_finder *earlier, struct ss_row *row, bool *ret_short,
    struct ss_error *error) SS_MUST_USE;
// {"parents":{}}, which almost every row has.
bool ss_row_metadata_is_usual(const json_t *metadata);

// Append the short body of `row`, whose body that is, to `ret`. False: it
// would not be shorter, or one of them is too large; nothing was added.
bool ss_row_shorten(struct ss_shortener *shortener, const struct ss_row *row,
    const struct ss_stretch *body, struct ss_buf *ret) SS_MUST_USE;
// Append the body of `row`, whose columns are set, to `ret`, and set its
// `named_from`. SS_ECORRUPT: it is damaged, or names a row that is not there.
// SS_ELIMIT: it says that it is too large.
int ss_row_restore(struct ss_row *row, const struct ss_stretch *stored,
    const struct ss_row_finder *earlier, struct ss_buf *ret,
    struct ss_error *error) SS_MUST_USE;

#endif

// journal.h - a thread's durable life: rows, and the pure fold over them.
//
//   row = columns + up to four parts: entry, writes, checkpoint, end
//
//   seq 1  run-1  entry {input...}          checkpoint -1 (source input)
//   seq 2  run-1  writes of __start__       checkpoint  0 (source loop)
//   seq 3  run-1  writes of b (c still runs)
//   seq 4  run-1  writes of c               checkpoint  1
//   seq 5  run-1                            end {status done}
//
// What becomes durable together is one row. A checkpoint's part is a delta
// against its parent: what moved, never the rest; a snapshot part holds all.
// Checkpoints, pending writes and history as spec/engine.md 1 and 13 mean them
// are folds over the rows. See docs/internals/journal.md.
#ifndef SS_MODEL_JOURNAL_H
#define SS_MODEL_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/source.h"
#include "common/model/value.h"
#include "common/model/writers.h"

// A row says the smallest format that can hold it, so that older programs read
// every row that needs nothing newer.
enum {
    SS_ROW_FORMAT_1 = 1,
    // SS_DELTA_EDIT, writes to SS_NAME_TRIES, a run that moved to another
    // version ("moved_from" in an entry)
    SS_ROW_FORMAT_2 = 2,
    // No row of the journal has it: who reads it knows pauses, too.
    SS_ROW_FORMAT_3 = 3,
    SS_ROW_FORMAT_4 = 4, // writes to SS_NAME_LOST
    // No row of the journal has it: who reads it knows records of runs that are
    // named by run and thread, and heads in records.
    SS_ROW_FORMAT_5 = 5,
    // No row of the journal has it: who reads it knows that the record of a run
    // that has not ended stands among the open ones alone.
    SS_ROW_FORMAT_6 = 6,
    // No row of the journal has it: who reads it knows that parts of limits
    // move, and that operators set limits.
    SS_ROW_FORMAT_7 = 7,
    // Its body is told without what it repeats (common/wire/row.h).
    SS_ROW_FORMAT_8 = 8,
    // No row of the journal has it: who reads it knows facts of threads.
    SS_ROW_FORMAT_9 = 9,
    // The same as format 8, and its body tells what else stands in columns.
    SS_ROW_FORMAT_10 = 10,
    SS_ROW_FORMAT = SS_ROW_FORMAT_10, // the newest that this program knows
};

// What a row is, for its column: the first of these that it holds.
enum ss_row_kind {
    SS_ROW_WRITES = 1,
    SS_ROW_CHECKPOINT = 2,
    SS_ROW_ENTRY = 3, // a run began; may hold its first checkpoint too
    SS_ROW_END = 4,
    SS_ROW_SNAPSHOT = 5, // of checkpoint `checkpoint_id`, once more, in full
    SS_ROW_VOID = 6,     // rows void_from..void_seq are gone
};

// One pending write (spec R1.7). The row's `of` names the checkpoint. A write
// of the null task to __resume__ without a value: the resume value without an
// id was taken.
struct ss_row_write {
    char task_id[SS_UUID_SIZE];
    char *path;  // path_str of the task, "" for the null task
    int32_t idx; // R1.8: position, or negative
    char *channel;
    struct ss_value *value;
};

// The events that streams emitted when this row became durable, in their order
// (docs/internals/streams.md). Events whose contents the rows have already are
// only named.
enum ss_told {
    SS_TOLD_RAW = 1,      // data: {"m": mode, "d": payload, "t"?, "s"?}
    SS_TOLD_TICK = 2,     // the checkpoint, as a superstep begins
    SS_TOLD_TICK_RAW = 3, // the same; the values that it showed follow, raw
    SS_TOLD_STARTS = 4,   // the tasks of that superstep
    SS_TOLD_OUTPUT = 5,   // what `task_id` wrote
    SS_TOLD_VALUES = 6,   // the values of the checkpoint
    SS_TOLD_ITEMS = 7,    // data: live items of an attempt that has ended
};

struct ss_row_event {
    enum ss_told what;
    const char *ns;      // NULL: the row's
    const char *of;      // the checkpoint; NULL: the row's own, or its `of`
    const char *task_id; // or NULL
    json_t *data;        // or NULL
};

enum ss_delta_op {
    SS_DELTA_SET = 0,    // value is the stored form
    SS_DELTA_CLEAR = 1,  // a new version without a stored value
    SS_DELTA_APPEND = 2, // value is a list: what was added at the end
    SS_DELTA_EDIT = 3,   // value: edits of a list (ss_list_edits_value())
};

struct ss_row_channel {
    char *name;
    int64_t version;
    enum ss_delta_op op;
    struct ss_value *value; // or NULL
};

// A version that a node (or pseudo node) has seen; channel NULL: the entry is
// there and empty.
struct ss_row_seen {
    char *node;
    char *channel;
    int64_t version;
};

struct ss_row_checkpoint {
    bool whole; // a snapshot: all channels and all seen
    struct ss_row_channel *channels;
    size_t channels_count;
    struct ss_row_seen *seen;
    size_t seen_count;
    char **updated; // updated_channels, sorted
    size_t updated_count;
    bool updated_known; // else null (R1.2)
};

// A value of an earlier row of the thread, which stands in this row again: it
// need not be stored twice. `place`: one of that row's writes; behind them, of
// its channels; behind these, the version in its entry.
struct ss_row_source {
    uint64_t seq;
    size_t place;
    struct ss_value *value;
};

struct ss_row {
    uint64_t seq; // 1, 2, ... within the thread
    enum ss_row_kind kind;
    char run[SS_UUID_SIZE];
    char *ns;              // checkpoint namespace, "" for the root
    char of[SS_UUID_SIZE]; // the checkpoint that the writes belong to, or ""
    // of the checkpoint part; checkpoint_id "" if there is none
    char checkpoint_id[SS_UUID_SIZE];
    char parent_id[SS_UUID_SIZE]; // or ""
    uint64_t parent_seq; // row of the parent; 0: none (or a dangling id)
    uint64_t base_seq;   // nearest row at or before with a whole checkpoint
    enum ss_source source;
    int64_t step;
    int64_t wall_us;
    json_t *metadata; // all of it but source and step; or NULL
    // the root's checkpoint whose resume value without an id a task of this row
    // took, or ""
    char answer_of[SS_UUID_SIZE];
    uint64_t void_from; // 0: from the first row
    uint64_t void_seq;
    // parts
    json_t *entry; // how the run was entered; or NULL
    struct ss_row_write *writes;
    size_t writes_count;
    bool has_checkpoint;
    struct ss_row_checkpoint checkpoint;
    json_t *end; // how the run ended; or NULL
    struct ss_row_event *events;
    size_t events_count, events_capacity;
    // What it repeats, for who encodes it: no part of what it says. Rows that
    // are encoded, or come from the store, and copies have none.
    struct {
        struct ss_row_source *items;
        size_t count, capacity;
        size_t size;    // bytes of those that stand here as a whole
        bool keeps_run; // the row before has the same run
    } sources;
    // The first of the rows that its encoded body may repeat; 0: none. It has
    // to stay as long as this row is in the store.
    uint64_t named_from;
    // set by the codec when it decodes: bytes of the encoded body (they decide
    // when a snapshot is due)
    size_t size;
    // Texts and lists of all of the row are cut from it, and go with the row,
    // but for names of channels and nodes that the graph `life.names` has;
    // values and JSON are references of the row's own.
    struct ss_arena memory;
    struct {
        unsigned refs;          // owners beside the first
        struct ss_graph *names; // whose some of its texts are; or NULL
        // It never becomes bytes: how many they would be is reckoned, and no
        // value is encoded for that.
        bool is_kept;
    } life;
};

// Of zeros: whoever makes it fills it, with what is cut from its memory.
struct ss_row *ss_row_new(void);
// One more owner, in the same thread: the row does not change any more.
struct ss_row *ss_row_ref(struct ss_row *row);
void ss_row_destroy(struct ss_row **row);
// A copy of the row that shares its values. Gives.
struct ss_row *ss_row_copy(const struct ss_row *row);
// Add a copy of `write`; the caller keeps the `capacity` of the row's writes, 0
// at first.
void ss_row_add_write(
    struct ss_row *row, size_t *capacity, const struct ss_row_write *write);
// Its value at `place` (struct ss_row_source). Gives; NULL: it has none.
struct ss_value *ss_row_value(const struct ss_row *row, size_t place);
// Note that what is stored of `row` rests on row `seq`.
void ss_row_rest_on(struct ss_row *row, uint64_t seq);
// Note that `row` repeats the value that `from`, an earlier one, has at
// `place`: all of it (`whole`), or perhaps a part. Small values, and places
// without one, are passed over.
void ss_row_add_source(
    struct ss_row *row, const struct ss_row *from, size_t place, bool whole);
// Forget what it repeats: it is encoded.
void ss_row_drop_sources(struct ss_row *row);
// Check what must hold of a row by itself. SS_ECORRUPT says which row is wrong,
// and why.
int ss_row_valid(const struct ss_row *row, struct ss_error *error) SS_MUST_USE;

// Bytes of a value (or NULL) in the row.
size_t ss_row_value_size(const struct ss_row *row, struct ss_value *value);

// The smallest format that holds what it says, however it is encoded.
int32_t ss_row_format(const struct ss_row *row);

// --- folded -----------------------------------------------------------------

// A channel's place in a checkpoint.
struct ss_slot {
    int64_t version;
    struct ss_value *value; // stored form, or NULL (missing)
};

// A checkpoint as the specification means it, in full. Counted, immutable.
struct ss_checkpoint {
    unsigned refs;
    char id[SS_UUID_SIZE];
    struct ss_map channels; // name -> struct ss_slot *
    struct ss_map seen;     // node -> struct ss_map * (channel -> int64_t *)
    char **updated;
    size_t updated_count;
    bool updated_known;
};

struct ss_checkpoint *ss_checkpoint_ref(struct ss_checkpoint *checkpoint);
void ss_checkpoint_unref(struct ss_checkpoint *checkpoint); // NULL is fine

// What the index knows of each saved checkpoint beside its row: ids, run,
// namespace and time stand there. One is kept for each checkpoint of a thread
// that is used: 64 bytes. Borrowed from the journal; a SS_ROW_VOID row makes
// all that was borrowed before it invalid.
struct ss_checkpoint_entry {
    struct ss_row *row;                 // borrowed from the journal
    struct ss_checkpoint_entry *parent; // or NULL
    size_t order;                       // position among those of its namespace
    // Of ss_journal_pending_row() the first, and the others. What is pending
    // there is folded when somebody asks.
    const struct ss_row *pending; // or NULL
    struct ss_pending_more *more; // NULL: there is no other
    struct ss_row *whole;         // a row that holds all of it, or NULL
    uint64_t base_seq;            // the row at which reading its chain begins
    size_t bytes;                 // of all rows from there to its own
};

// What the rows say about a run.
struct ss_run_rows {
    char id[SS_UUID_SIZE];
    json_t *entry; // NULL: pruned away
    json_t *end;   // NULL: unfinished
    uint64_t first_seq;
    struct ss_checkpoint_entry
        *last;    // its newest checkpoint in the root namespace, or NULL
    size_t steps; // checkpoints of SS_SOURCE_LOOP that it made there
};

struct ss_journal;
struct ss_pendings;

struct ss_journal *ss_journal_new(void);
void ss_journal_destroy(struct ss_journal **journal);
// Append the next row (its seq must be head + 1, or the journal empty). Takes
// the row on success; else nothing changed. SS_ECORRUPT: a gap, a checkpoint
// id that is not greater than those of its namespace, a parent that should be
// there and is not, a damaged row. Writes to an unknown checkpoint are kept
// for when it comes (R5.3, R13.2). A parent whose row was pruned may be written
// again by a later SS_ROW_SNAPSHOT; ss_journal_check() checks that it was.
int ss_journal_append(struct ss_journal *journal, struct ss_row *row,
    struct ss_error *error) SS_MUST_USE;
// After loading: the newest checkpoint of each namespace can be folded, or
// SS_ECORRUPT, with the reason.
int ss_journal_check(
    struct ss_journal *journal, struct ss_error *error) SS_MUST_USE;
uint64_t ss_journal_head(const struct ss_journal *journal);
// Borrowed; NULL: there is no such row, or it is void.
const struct ss_row *ss_journal_row(
    const struct ss_journal *journal, uint64_t seq);

// The checkpoint of that namespace and id; NULL id: the newest. NULL: none.
struct ss_checkpoint_entry *ss_journal_find(
    const struct ss_journal *journal, const char *ns, const char *id);
// The newest of that namespace with an id smaller than `id`. NULL: none.
struct ss_checkpoint_entry *ss_journal_before(
    const struct ss_journal *journal, const char *ns, const char *id);
// All of a namespace, oldest first. Borrowed array.
struct ss_checkpoint_entry *const *ss_journal_list(
    const struct ss_journal *journal, const char *ns, size_t *ret_count);
// Namespaces in order of their first checkpoint. Borrowed array.
const char *const *ss_journal_namespaces(
    const struct ss_journal *journal, size_t *ret_count);
// The checkpoint in full. Gives a reference. NULL: its rows contradict each
// other (an append to a value that is not a list; a pruned parent that no
// snapshot wrote again). This cannot happen to the newest once
// ss_journal_check() returned SS_OK.
struct ss_checkpoint *ss_journal_fold(
    struct ss_journal *journal, struct ss_checkpoint_entry *mark);
// What the rows say of a run, borrowed, or NULL.
const struct ss_run_rows *ss_journal_run(
    const struct ss_journal *journal, const char *run);
// That of the run that began last; NULL: none is known.
const struct ss_run_rows *ss_journal_newest_run(
    const struct ss_journal *journal);
// The facts of the thread itself (coordinator/engine/threads/said.h), as the
// newest row that tells them has them, and that row: borrowed. NULL, 0: none.
const json_t *ss_journal_facts(
    const struct ss_journal *journal, uint64_t *ret_seq);
// Adds the pending writes of a mark in reading order: (path, task id, idx)
// (R1.10). Of those to one place the first counts where idx >= 0, the last
// where idx < 0. `run`: whose writes are "of this run"; NULL: nobody's.
void ss_journal_pending(const struct ss_checkpoint_entry *mark, const char *run,
    struct ss_pendings *pending);
// The rows with writes to a mark, or that took its resume value without an id,
// by number from 0, in their order: borrowed. NULL: there are no more.
const struct ss_row *ss_journal_pending_row(
    const struct ss_checkpoint_entry *mark, size_t position);
// Memory that the journal holds, about, in bytes.
size_t ss_journal_size(const struct ss_journal *journal);
// Put it into few bytes. What was borrowed from it is gone; whoever asks for
// more than its head or its size has it unpacked, as it was.
void ss_journal_pack(struct ss_journal *journal);
bool ss_journal_is_packed(const struct ss_journal *journal);

#endif

// journal_impl.h - what journal.c, journal_index.c, journal_pack.c,
// journal_pending.c, row_size.c and fold.c share.
#ifndef SS_MODEL_JOURNAL_IMPL_H
#define SS_MODEL_JOURNAL_IMPL_H

#include "common/base/mem.h"
#include "common/model/journal.h"

// A namespace: its checkpoints by ascending id, and the last one folded.
struct ss_namespace {
    char *ns;
    SS_VEC(struct ss_checkpoint_entry *) marks;
    struct ss_checkpoint_entry *folded_mark; // NULL: nothing cached
    struct ss_checkpoint *folded;
};

struct ss_journal_place {
    struct ss_row *row; // NULL: void
    size_t weight;      // bytes of memory that the row takes, about
    uint64_t end;       // bytes of all rows up to and with this one
};

struct ss_journal_index {
    struct ss_map spaces;      // namespace -> struct ss_namespace *
    struct ss_namespace *root; // of them, the one that almost all are asked for
    SS_VEC(const char *) names;
    struct ss_map runs;         // run -> struct ss_run_rows *
    struct ss_run_rows *newest; // of them
    struct ss_map
        orphans; // namespace, newline, id -> struct ss_checkpoint_entry *
    size_t marks_count;
    const json_t *facts; // of the thread itself, borrowed from its row; or NULL
    uint64_t facts_seq;
};

struct ss_journal {
    uint64_t first_seq; // of places.items[0]
    SS_VEC(struct ss_journal_place) places;
    struct ss_journal_index *index; // NULL: it is packed
    size_t live_size;               // bytes of the rows that are not void
    char *packed; // all rows (journal_pack.c), and nothing above; or NULL
    size_t packed_size, packed_count;
};

// Free all rows and what is known of them, the index too (journal.c).
void ss_journal_drop_rows(struct ss_journal *journal);
// The place of the next row; its body takes `size` bytes. NULL: it is void.
void ss_journal_place_add(
    struct ss_journal *journal, struct ss_row *row, size_t size);
// An index, empty before, of all rows that are not void.
int ss_journal_index_build(const struct ss_journal *journal,
    struct ss_journal_index *index, struct ss_error *error) SS_MUST_USE;
// What was packed, as it was (journal_pack.c).
void ss_journal_unpack(struct ss_journal *journal);

// Bytes of the rows `from`..`to` (journal.c).
size_t ss_journal_bytes_from(
    const struct ss_journal *journal, uint64_t from, uint64_t to);

// Take a row of the journal into the index (journal_index.c). SS_ECORRUPT: its
// checkpoint cannot stand there; nothing changed.
int ss_journal_index_add(const struct ss_journal *journal,
    struct ss_journal_index *index, struct ss_row *row,
    struct ss_error *error) SS_MUST_USE;
// Each checkpoint's chain ends at a whole one or at the first, or SS_ECORRUPT.
int ss_journal_index_check(
    const struct ss_journal_index *index, struct ss_error *error) SS_MUST_USE;
void ss_journal_index_fini(struct ss_journal_index *index);
// NULL: there is none.
struct ss_namespace *ss_journal_index_space(
    const struct ss_journal_index *index, const char *ns);
// The position of the first mark of `space` with an id of `id` or greater.
size_t ss_namespace_position(const struct ss_namespace *space, const char *id);
// The mark of that id; NULL: none. Borrowed.
struct ss_checkpoint_entry *ss_namespace_find(
    const struct ss_namespace *space, const char *id);

// Bytes of the encoded body; an estimate if it was not encoded yet
// (row_size.c).
size_t ss_row_size(const struct ss_row *row);
// Bytes of memory that the row takes, about, if its body takes `size`, without
// what it shares with the row `before` (or NULL).
size_t ss_row_weight(
    const struct ss_row *row, size_t size, const struct ss_row *before);

// The row has writes to the mark, or took its resume value without an id
// (journal_pending.c). Each row once.
void ss_pending_add(struct ss_checkpoint_entry *mark, const struct ss_row *row);
// `to` has none yet.
void ss_pending_move(
    struct ss_checkpoint_entry *to, struct ss_checkpoint_entry *from);
void ss_pending_fini(struct ss_checkpoint_entry *mark);

// Fold `mark` of `space`, with the help of its cache (fold.c). Gives a
// reference in *ret_checkpoint. SS_ECORRUPT: the rows contradict each other.
int ss_namespace_fold(struct ss_namespace *space,
    struct ss_checkpoint_entry *mark, struct ss_checkpoint **ret_checkpoint,
    struct ss_error *error) SS_MUST_USE;

#endif

// lineage.c - whole rows and those that hold what moved since.
//
// When a reader would pass twice as many bytes as the state takes, the next row
// is whole: what is overwritten costs its reader no more than what stands, and
// where nothing is overwritten (a conversation) all rows together are the
// state, told once.
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/journal.h"
#include "coordinator/engine/threads/invariant.h"
#include "coordinator/engine/threads/lineage.h"
#include "coordinator/engine/threads/thread_impl.h"

// About what a row takes besides its state.
enum { ROW_BYTES = 128 };

void ss_lineage_load(
    struct lineage *lineage, const struct ss_checkpoint_entry *mark)
{
    *lineage = (struct lineage){.saved_seq = mark->row->seq,
        .base_seq = mark->base_seq,
        .bytes = mark->bytes};
    ss_id_copy(lineage->saved_id, mark->row->checkpoint_id);
}

void ss_lineage_name(struct lineage *lineage, const char *id)
{
    ss_id_copy(lineage->saved_id, id);
}

void ss_lineage_copy(
    struct lineage *lineage, const struct ss_checkpoint_entry *mark)
{
    ss_id_copy(lineage->saved_id, mark->row->parent_id);
    lineage->saved_seq = mark->parent ? mark->parent->row->seq : 0;
    lineage->turns_whole = true;
}

struct ss_row *ss_lineage_row(const struct lineage *lineage,
    struct thread *thread, const char *run, const char *ns, size_t size)
{
    struct ss_row *row = ss_thread_row_for_checkpoint(thread, run, ns);
    // the first of its line, or when too much would be read
    bool whole = !lineage->saved_seq || lineage->turns_whole ||
                 lineage->bytes > 2 * size + ROW_BYTES * 4;
    ss_check(!row->has_checkpoint && row->seq > lineage->saved_seq);
    ss_id_put(row->parent_id, lineage->saved_id);
    row->parent_seq = lineage->saved_seq;
    row->base_seq = whole ? row->seq : lineage->base_seq;
    return row;
}

void ss_lineage_grow(
    struct lineage *lineage, const struct ss_row *row, size_t size)
{
    ss_check(row->has_checkpoint && row->seq > lineage->saved_seq);
    size_t before = row->base_seq == row->seq ? 0 : lineage->bytes;
    lineage->bytes = before + size + ROW_BYTES;
    lineage->base_seq = row->base_seq;
    lineage->saved_seq = row->seq;
    lineage->turns_whole = false;
    ss_id_put(lineage->saved_id, row->checkpoint_id);
}

void ss_lineage_verify(
    const struct lineage *lineage, const struct thread *thread, const char *ns)
{
    uint64_t seq = lineage->saved_seq;
    const struct ss_row *row =
        seq ? ss_journal_row(thread->facts.journal, seq) : NULL;
    if (seq)
        ss_invariant(
            I209, row && strcmp(row->checkpoint_id, lineage->saved_id) == 0);
    if (row)
        ss_invariant(I210, strcmp(row->ns, ns) == 0);
    ss_invariant(I65, seq <= ss_journal_head(thread->facts.journal));
    ss_invariant(I66, lineage->base_seq <= seq);
}

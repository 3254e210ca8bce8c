// journal_impl.h - what journal.c, fold.c and pending.c share.
#ifndef SS_MODEL_JOURNAL_IMPL_H
#define SS_MODEL_JOURNAL_IMPL_H

#include "common/base/mem.h"
#include "common/model/journal.h"

// A namespace: its checkpoints by ascending id, and the last one folded.
struct ss_space {
    char *ns;
    SS_VEC(struct ss_mark *) marks;
    struct ss_mark *folded_mark; // NULL: nothing cached
    struct ss_checkpoint *folded;
};

// Pending writes of a mark (pending.c).
void ss_pending_add(struct ss_mark *mark, const struct ss_row_write *write,
    const char *run, uint64_t seq);
// The plain answer that the null task holds there was taken.
void ss_pending_answered(struct ss_mark *mark);
// Move all of `from` behind those of `to`.
void ss_pending_move(struct ss_mark *to, struct ss_mark *from);
void ss_pending_fini(struct ss_mark *mark);

// Fold `mark` of `space`, by its cache (fold.c). Gives a reference in
// *ret_checkpoint. SS_ECORRUPT: the rows contradict each other.
int ss_space_fold(struct ss_space *space, struct ss_mark *mark,
    struct ss_checkpoint **ret_checkpoint, struct ss_error *error) SS_MUST_USE;

#endif

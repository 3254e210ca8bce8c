// pending.h - the pending writes of a checkpoint: what its tasks wrote, until
// the superstep is applied (spec/engine.md R1.7-R1.10).
//
// The one container of them: a loop keeps its own in it, and what the rows hold
// is read into one (ss_journal_pending()).
#ifndef SS_MODEL_PENDING_H
#define SS_MODEL_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/arena.h"
#include "common/model/journal.h"

struct ss_pending {
    struct ss_row_write write; // its texts are its container's
    uint32_t next;    // of the same task: its place + 1; 0: there are no more
    bool of_this_run; // written by this run (recovery, R5.28)
    bool is_left;     // an exit has stored it; there may be another one
    uint64_t seq;     // which came later: the row, then a counter
};

// In the order in which they were added. Their texts lie in one memory that
// goes when all of them go.
struct ss_pendings {
    struct ss_pending *items;
    size_t count;
    size_t capacity;
    // Hash of a task's id -> the place of its first + 1. Of a few there is
    // none: they are looked through.
    uint32_t *index;
    size_t index_size;
    struct ss_arena memory;
};

// Adds a copy of `write`.
void ss_pendings_add(struct ss_pendings *pending,
    const struct ss_row_write *write, bool of_this_run, uint64_t seq);
// All of a task; its writes to one channel; the write at that place.
void ss_pendings_drop(struct ss_pendings *pending, const char *task_id);
void ss_pendings_drop_write(
    struct ss_pendings *pending, const char *task_id, const char *channel);
void ss_pendings_remove(struct ss_pendings *pending, size_t index);
void ss_pendings_fini(struct ss_pendings *pending);
// All of them go. True: what a few take stays, and has room for the next ones.
bool ss_pendings_clear(struct ss_pendings *pending);
// The task's first (`last` NULL), or the one behind `last`; NULL: no more.
const struct ss_pending *ss_pendings_next(const struct ss_pendings *pending,
    const char *task_id, const struct ss_pending *last);

// Of the null task's, which are what no task wrote: input, an answer.
static inline bool ss_pending_is_null(const struct ss_pending *pending)
{
    return strcmp(pending->write.task_id, SS_NULL_TASK) == 0;
}

#endif

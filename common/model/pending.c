// pending.c - the pending writes of a checkpoint (spec/engine.md R1.7-R1.10).
//
// One entry for (task, idx): the first stays where idx >= 0, the last replaces
// where idx < 0. A wide superstep has a hundred thousand tasks, so entries are
// found by a hash table (open addressing) over their positions.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/journal_impl.h"
#include "common/model/reserved.h"

enum { SLOTS_MIN = 16 };

struct ss_pending_fold {
    SS_VEC(struct ss_pending) list;
    uint32_t *slots; // hash of (task, idx) -> position in `list` + 1
    size_t slots_count;
    size_t rows; // of the mark's, that are in it
};

static uint64_t key_hash(const char *task_id, int32_t idx)
{
    uint64_t hash = ss_hash64(task_id, strlen(task_id));
    return hash ^ ((uint64_t)(uint32_t)idx * 0x9e3779b97f4a7c15u);
}

static bool key_is(
    const struct ss_pending *pending, const char *task_id, int32_t idx)
{
    return pending->write->idx == idx &&
           strcmp(pending->write->task_id, task_id) == 0;
}

// The slot that holds the key, or the free one where it would stand.
static uint32_t *slot_find(
    const struct ss_pending_fold *fold, const char *task_id, int32_t idx)
{
    size_t at = (size_t)key_hash(task_id, idx) & (fold->slots_count - 1);
    while (fold->slots[at] != 0 &&
           !key_is(&fold->list.items[fold->slots[at] - 1], task_id, idx)) {
        at = (at + 1) & (fold->slots_count - 1);
    }
    return &fold->slots[at];
}

static void slots_build(struct ss_pending_fold *fold, size_t count)
{
    ss_free(fold->slots);
    fold->slots = ss_zalloc(count, sizeof(*fold->slots));
    fold->slots_count = count;
    for (size_t i = 0; i < fold->list.count; i++) {
        const struct ss_row_write *write = fold->list.items[i].write;
        *slot_find(fold, write->task_id, write->idx) = (uint32_t)(i + 1);
    }
}

static void take_answer(struct ss_pending_fold *fold)
{
    for (size_t i = 0; i < fold->list.count; i++) {
        const struct ss_row_write *write = fold->list.items[i].write;
        if (strcmp(write->task_id, SS_NULL_TASK) == 0 &&
            strcmp(write->channel, SS_NAME_RESUME) == 0) {
            SS_VEC_REMOVE(&fold->list, i);
            slots_build(fold, fold->slots_count);
            return;
        }
    }
}

// A task that failed after it had written (its writes could not be applied)
// runs again: what it writes then replaces what it wrote before.
static bool failed_between(const struct ss_pending_fold *fold,
    const char *task_id, uint64_t from, uint64_t to)
{
    uint32_t slot = *slot_find(fold, task_id, ss_name_special(SS_NAME_ERROR));
    if (slot == 0) {
        return false;
    }
    uint64_t failed = fold->list.items[slot - 1].seq;
    return failed >= from && failed < to;
}

static void fold_write(struct ss_pending_fold *fold, const struct ss_row *row,
    const struct ss_row_write *write)
{
    struct ss_pending pending = {write, row->run, row->seq};
    if (!write->value) {
        take_answer(fold);
        return;
    }
    if ((fold->list.count + 1) * 2 > fold->slots_count) {
        slots_build(
            fold, fold->slots_count ? fold->slots_count * 2 : SLOTS_MIN);
    }
    uint32_t *slot = slot_find(fold, write->task_id, write->idx);
    struct ss_pending *there = *slot != 0 ? &fold->list.items[*slot - 1] : NULL;
    if (there && write->idx >= 0 &&
        !failed_between(fold, write->task_id, there->seq, row->seq)) {
        return;
    }
    if (there) {
        *there = pending;
        return;
    }
    SS_VEC_PUSH(&fold->list, pending);
    *slot = (uint32_t)fold->list.count;
}

// Of all rows so far; NULL: no row has writes to it.
static struct ss_pending_fold *folded(const struct ss_checkpoint_entry *mark)
{
    struct ss_pending_rows *rows = (struct ss_pending_rows *)&mark->pending;
    if (!rows->first) {
        return NULL;
    }
    if (!rows->fold) {
        rows->fold = ss_zalloc(1, sizeof(*rows->fold));
    }
    struct ss_pending_fold *fold = rows->fold;
    for (; fold->rows < 1 + rows->more.count; fold->rows++) {
        const struct ss_row *row =
            fold->rows == 0 ? rows->first : rows->more.items[fold->rows - 1];
        for (size_t i = 0; i < row->writes_count; i++) {
            fold_write(fold, row, &row->writes[i]);
        }
    }
    return fold;
}

void ss_pending_add(struct ss_checkpoint_entry *mark, const struct ss_row *row)
{
    if (!mark->pending.first) {
        mark->pending.first = row;
    } else {
        SS_VEC_PUSH(&mark->pending.more, row);
    }
}

void ss_pending_answered(struct ss_checkpoint_entry *mark)
{
    struct ss_pending_fold *fold = folded(mark);
    if (fold) {
        take_answer(fold);
    }
}

void ss_pending_move(
    struct ss_checkpoint_entry *to, struct ss_checkpoint_entry *from)
{
    ss_check(!to->pending.first);
    to->pending = from->pending;
    from->pending = (struct ss_pending_rows){0};
}

void ss_pending_fini(struct ss_checkpoint_entry *mark)
{
    struct ss_pending_fold *fold = mark->pending.fold;
    if (fold) {
        SS_VEC_FINI(&fold->list);
        ss_free(fold->slots);
        ss_free(fold);
    }
    SS_VEC_FINI(&mark->pending.more);
    mark->pending = (struct ss_pending_rows){0};
}

static int compare(const void *left, const void *right)
{
    const struct ss_row_write *a =
        (*(const struct ss_pending *const *)left)->write;
    const struct ss_row_write *b =
        (*(const struct ss_pending *const *)right)->write;
    int order = strcmp(a->path ? a->path : "", b->path ? b->path : "");
    if (order == 0) {
        order = strcmp(a->task_id, b->task_id);
    }
    return order != 0 ? order : (a->idx > b->idx) - (a->idx < b->idx);
}

// Drop what a task wrote before it failed and did not write again afterwards.
// `sorted`: all of one task. Returns how many stay.
static size_t stale_drop(const struct ss_pending **sorted, size_t count)
{
    uint64_t failed = 0;
    bool anew = false;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i]->write->idx == ss_name_special(SS_NAME_ERROR)) {
            failed = sorted[i]->seq;
        }
    }
    for (size_t i = 0; i < count && failed > 0; i++) {
        anew |= sorted[i]->write->idx >= 0 && sorted[i]->seq > failed;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!anew || sorted[i]->write->idx < 0 || sorted[i]->seq > failed) {
            sorted[kept++] = sorted[i];
        }
    }
    return kept;
}

static size_t stale_drop_all(const struct ss_pending **sorted, size_t count)
{
    size_t kept = 0;
    for (size_t from = 0; from < count;) {
        size_t to = from + 1;
        while (to < count && strcmp(sorted[from]->write->task_id,
                                 sorted[to]->write->task_id) == 0) {
            to++;
        }
        size_t stay = stale_drop(sorted + from, to - from);
        memmove(sorted + kept, sorted + from, stay * sizeof(*sorted));
        kept += stay;
        from = to;
    }
    return kept;
}

const struct ss_pending *ss_journal_pending_all(
    const struct ss_checkpoint_entry *mark, size_t *ret_count)
{
    const struct ss_pending_fold *fold = folded(mark);
    *ret_count = fold ? fold->list.count : 0;
    return fold ? fold->list.items : NULL;
}

const struct ss_pending **ss_journal_pending(
    const struct ss_checkpoint_entry *mark, size_t *ret_count)
{
    size_t count = 0;
    const struct ss_pending *all = ss_journal_pending_all(mark, &count);
    const struct ss_pending **sorted =
        ss_zalloc(count ? count : 1, sizeof(const struct ss_pending *));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &all[i];
    }
    if (count > 1) {
        qsort(sorted, count, sizeof(const struct ss_pending *), compare);
    }
    *ret_count = stale_drop_all(sorted, count);
    return sorted;
}

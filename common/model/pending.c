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
    const struct ss_checkpoint_entry *mark, const char *task_id, int32_t idx)
{
    size_t at = (size_t)key_hash(task_id, idx) & (mark->slots_count - 1);
    while (mark->slots[at] != 0 &&
           !key_is(&mark->pending[mark->slots[at] - 1], task_id, idx)) {
        at = (at + 1) & (mark->slots_count - 1);
    }
    return &mark->slots[at];
}

static void slots_build(struct ss_checkpoint_entry *mark, size_t count)
{
    ss_free(mark->slots);
    mark->slots = ss_zalloc(count, sizeof(*mark->slots));
    mark->slots_count = count;
    for (size_t i = 0; i < mark->pending_count; i++) {
        const struct ss_row_write *write = mark->pending[i].write;
        *slot_find(mark, write->task_id, write->idx) = (uint32_t)(i + 1);
    }
}

// Note that the null task's resume value without an id was taken.
void ss_pending_answered(struct ss_checkpoint_entry *mark)
{
    for (size_t i = 0; i < mark->pending_count; i++) {
        const struct ss_row_write *write = mark->pending[i].write;
        if (strcmp(write->task_id, SS_NULL_TASK) == 0 &&
            strcmp(write->channel, SS_NAME_RESUME) == 0) {
            ss_vec_close_gap(
                mark->pending, &mark->pending_count, i, sizeof(*mark->pending));
            slots_build(mark, mark->slots_count);
            return;
        }
    }
}

// A task that failed after it had written (its writes could not be applied)
// runs again: what it writes then replaces what it wrote before.
static bool failed_between(const struct ss_checkpoint_entry *mark,
    const char *task_id, uint64_t from, uint64_t to)
{
    uint32_t slot = *slot_find(mark, task_id, ss_name_special(SS_NAME_ERROR));
    if (slot == 0) {
        return false;
    }
    uint64_t failed = mark->pending[slot - 1].seq;
    return failed >= from && failed < to;
}

void ss_pending_add(struct ss_checkpoint_entry *mark,
    const struct ss_row_write *write, const char *run, uint64_t seq)
{
    if (!write->value) {
        ss_pending_answered(mark);
        return;
    }
    if ((mark->pending_count + 1) * 2 > mark->slots_count) {
        slots_build(
            mark, mark->slots_count ? mark->slots_count * 2 : SLOTS_MIN);
    }
    uint32_t *slot = slot_find(mark, write->task_id, write->idx);
    if (*slot != 0 && write->idx >= 0 &&
        !failed_between(
            mark, write->task_id, mark->pending[*slot - 1].seq, seq)) {
        return;
    }
    struct ss_pending pending = {.write = write, .seq = seq};
    ss_check(strlen(run) < sizeof(pending.run));
    memcpy(pending.run, run, strlen(run) + 1);
    if (*slot != 0) {
        mark->pending[*slot - 1] = pending;
        return;
    }
    mark->pending = ss_vec_grow(mark->pending, &mark->pending_capacity,
        mark->pending_count + 1, sizeof(*mark->pending));
    mark->pending[mark->pending_count++] = pending;
    *slot = (uint32_t)mark->pending_count;
}

void ss_pending_move(
    struct ss_checkpoint_entry *to, struct ss_checkpoint_entry *from)
{
    for (size_t i = 0; i < from->pending_count; i++) {
        ss_pending_add(to, from->pending[i].write, from->pending[i].run,
            from->pending[i].seq);
    }
    ss_pending_fini(from);
}

void ss_pending_fini(struct ss_checkpoint_entry *mark)
{
    ss_free(mark->pending);
    ss_free(mark->slots);
    mark->pending = NULL;
    mark->slots = NULL;
    mark->pending_count = mark->pending_capacity = mark->slots_count = 0;
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

const struct ss_pending **ss_journal_pending(
    const struct ss_checkpoint_entry *mark, size_t *ret_count)
{
    size_t count = mark->pending_count;
    const struct ss_pending **sorted =
        ss_zalloc(count ? count : 1, sizeof(const struct ss_pending *));
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &mark->pending[i];
    }
    if (count > 1) {
        qsort(sorted, count, sizeof(const struct ss_pending *), compare);
    }
    *ret_count = stale_drop_all(sorted, count);
    return sorted;
}

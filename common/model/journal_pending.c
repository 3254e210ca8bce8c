// journal_pending.c - the pending writes of a checkpoint, folded from the rows
// that hold them (spec/engine.md R1.7-R1.10).
//
// A write has a place, (task, idx). Of those to one place the first stays where
// idx >= 0, the last where idx < 0. Writes are put into the order of places,
// and those to one place into the order in which they came: then each place is
// a run of them, each task a run of places, and its failures (idx -1) stand in
// front of what it wrote.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/model/journal_impl.h"
#include "common/model/pending.h"
#include "common/model/reserved.h"

struct written {
    const struct ss_row_write *write;
    const struct ss_row *row;
    size_t nth; // of all that came
};

// Some of an array.
struct written_span {
    const struct written *items;
    size_t count;
};

struct written_list {
    struct written *items;
    size_t count, capacity;
};

// ------------------------------------------------ which rows

struct ss_pending_more {
    SS_VEC(const struct ss_row *) rows;
};

void ss_pending_add(struct ss_checkpoint_entry *mark, const struct ss_row *row)
{
    if (!mark->pending) {
        mark->pending = row;
        return;
    }
    if (!mark->more) {
        mark->more = ss_zalloc(1, sizeof(*mark->more));
    }
    SS_VEC_PUSH(&mark->more->rows, row);
}

void ss_pending_move(
    struct ss_checkpoint_entry *to, struct ss_checkpoint_entry *from)
{
    ss_check(!to->pending);
    to->pending = from->pending;
    to->more = from->more;
    from->pending = NULL;
    from->more = NULL;
}

void ss_pending_fini(struct ss_checkpoint_entry *mark)
{
    if (mark->more) {
        SS_VEC_FINI(&mark->more->rows);
    }
    ss_free(mark->more);
    mark->more = NULL;
    mark->pending = NULL;
}

const struct ss_row *ss_journal_pending_row(
    const struct ss_checkpoint_entry *mark, size_t position)
{
    if (position == 0) {
        return mark->pending;
    }
    return mark->more && position - 1 < mark->more->rows.count
               ? mark->more->rows.items[position - 1]
               : NULL;
}

// ------------------------------------------------ what they hold

static bool is_of(const char *of, const struct ss_checkpoint_entry *mark)
{
    return strcmp(of, mark->row->checkpoint_id) == 0;
}

// `taken`: says of a row that the resume value without an id was taken.
static void add_row(struct written_list *list,
    const struct ss_checkpoint_entry *mark, const struct ss_row *row,
    const struct ss_row_write *taken)
{
    if (!mark->row->ns[0] && is_of(row->answer_of, mark)) {
        SS_VEC_PUSH(list, ((struct written){taken, row, list->count}));
    }
    if (!is_of(row->of, mark) || strcmp(row->ns, mark->row->ns) != 0) {
        return; // it took the value, and wrote elsewhere
    }
    for (size_t i = 0; i < row->writes_count; i++) {
        SS_VEC_PUSH(
            list, ((struct written){&row->writes[i], row, list->count}));
    }
}

static int by_place(const void *left, const void *right)
{
    const struct written *a = left, *b = right;
    int order = strcmp(a->write->task_id, b->write->task_id);
    if (order == 0) {
        order =
            (a->write->idx > b->write->idx) - (a->write->idx < b->write->idx);
    }
    return order != 0 ? order : (a->nth > b->nth) - (a->nth < b->nth);
}

// R1.10: (path, task id, idx).
static int by_path(const void *left, const void *right)
{
    const struct ss_row_write *a = ((const struct written *)left)->write;
    const struct ss_row_write *b = ((const struct written *)right)->write;
    int order = strcmp(a->path ? a->path : "", b->path ? b->path : "");
    return order != 0 ? order : by_place(left, right);
}

// ------------------------------------------------ which of them count

// A task that failed after it had written (its writes could not be applied)
// runs again: what it writes then replaces what it wrote before.
static bool failed_between(struct written_span failures,
    const struct written *before, const struct written *after)
{
    for (size_t i = failures.count; i-- > 0;) {
        const struct written *failure = &failures.items[i];
        if (failure->nth < after->nth) {
            return failure->row->seq >= before->row->seq &&
                   failure->row->seq < after->row->seq;
        }
    }
    return false;
}

// The one that counts of those to one place.
static const struct written *one_of(
    struct written_span place, struct written_span failures)
{
    const struct written *one = &place.items[place.count - 1];
    if (one->write->idx < 0) {
        return one;
    }
    one = place.items;
    for (size_t i = 1; i < place.count; i++) {
        if (failed_between(failures, one, &place.items[i])) {
            one = &place.items[i];
        }
    }
    return one;
}

// How many of its first go with the first of them.
static struct written_span place_of(struct written_span span)
{
    size_t count = 1;
    while (count < span.count &&
           span.items[count].write->idx == span.items[0].write->idx) {
        count++;
    }
    return (struct written_span){span.items, count};
}

static struct written_span task_of(struct written_span span)
{
    size_t count = 1;
    while (count < span.count && strcmp(span.items[count].write->task_id,
                                     span.items[0].write->task_id) == 0) {
        count++;
    }
    return (struct written_span){span.items, count};
}

static struct written_span behind(
    struct written_span all, struct written_span front)
{
    return (struct written_span){
        all.items + front.count, all.count - front.count};
}

// Drop what a task wrote before it failed and did not write again afterwards.
// Returns how many stay.
static size_t drop_stale(
    struct written *items, size_t count, struct written_span failures)
{
    size_t kept = 0;
    bool anew = false;
    uint64_t failed = failures.count > 0
                          ? failures.items[failures.count - 1].row->seq
                          : UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        anew |= items[i].write->idx >= 0 && items[i].row->seq > failed;
    }
    for (size_t i = 0; i < count; i++) {
        if (!anew || items[i].write->idx < 0 || items[i].row->seq > failed) {
            items[kept++] = items[i];
        }
    }
    return kept;
}

// What counts of one task is added to `to`, which has room for all of it.
static void fold_task(struct written_span task, struct written_list *to)
{
    size_t first = to->count;
    struct written_span failures = {0}, place = {0};
    for (; task.count > 0; task = behind(task, place)) {
        place = place_of(task);
        if (place.items->write->idx == ss_name_special(SS_NAME_ERROR)) {
            failures = place;
        }
        const struct written *one = one_of(place, failures);
        if (one->write->value) { // else: given, and taken since
            to->items[to->count++] = *one;
        }
    }
    to->count =
        first + drop_stale(to->items + first, to->count - first, failures);
}

void ss_journal_pending(const struct ss_checkpoint_entry *mark, const char *run,
    struct ss_pendings *pending)
{
    const struct ss_row_write taken = {.task_id = SS_NULL_TASK,
        .idx = ss_name_special(SS_NAME_RESUME),
        .channel = (char *)SS_NAME_RESUME};
    struct written_list all = {0}, kept = {0};
    const struct ss_row *row;
    for (size_t i = 0; (row = ss_journal_pending_row(mark, i)); i++) {
        add_row(&all, mark, row, &taken);
    }
    if (all.count == 0) {
        return;
    }
    qsort(all.items, all.count, sizeof(*all.items), by_place);
    kept.items = ss_zalloc(all.count, sizeof(*kept.items));
    struct written_span task, rest = {all.items, all.count};
    for (; rest.count > 0; rest = behind(rest, task)) {
        task = task_of(rest);
        fold_task(task, &kept);
    }
    qsort(kept.items, kept.count, sizeof(*kept.items), by_path);
    for (size_t i = 0; i < kept.count; i++) {
        const struct written *one = &kept.items[i];
        ss_pendings_add(pending, one->write,
            run && strcmp(one->row->run, run) == 0, one->row->seq);
    }
    SS_VEC_FINI(&all);
    SS_VEC_FINI(&kept);
}

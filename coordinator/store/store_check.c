// store_check.c - may this unit be applied? One reading for every store.
#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/json_late.h"
#include "coordinator/store/store_impl.h"

bool ss_store_row_same(
    const struct ss_store_row *stands, const struct ss_store_row *row)
{
    return stands->seq == row->seq && stands->kind == row->kind &&
           stands->kept == row->kept && stands->checksum == row->checksum &&
           stands->body_size == row->body_size &&
           (row->body_size == 0 ||
               memcmp(stands->body, row->body, row->body_size) == 0);
}

// How many of the unit's rows are stored already, from the first on.
static int rows_standing(const struct ss_store_view *view,
    const struct ss_store_unit *unit, size_t *ret_count, struct ss_error *error)
{
    for (*ret_count = 0; *ret_count < unit->rows_count; ++*ret_count) {
        bool same = false;
        int status =
            view->row_same(view->ctx, &unit->rows[*ret_count], &same, error);
        if (status != SS_OK || !same) {
            return status;
        }
    }
    return SS_OK;
}

// `*ret_repeat`: all rows are stored. A unit is all or nothing, so one that is
// stored in part is not ours.
static int rows_check(const struct ss_store_view *view,
    struct ss_store_unit *unit, bool *ret_repeat, struct ss_error *error)
{
    uint64_t head = 0, first = unit->rows[0].seq;
    if (!unit->delete_thread && view->follows &&
        view->follows(view->ctx, unit->thread, first)) {
        return SS_OK;
    }
    int status = view->head(view->ctx, unit->thread, &head, error);
    if (status != SS_OK) {
        return status;
    }
    if (unit->delete_thread) {
        head = 0;
    }
    if (first == head + 1) {
        return SS_OK;
    }
    size_t standing = 0;
    if (first <= head) {
        status = rows_standing(view, unit, &standing, error);
    }
    *ret_repeat = standing == unit->rows_count;
    if (!*ret_repeat) {
        unit->result = SS_EREFUSED;
    }
    return status;
}

// Deleting up to the head leaves no row to say where the thread goes on.
static int delete_check(const struct ss_store_view *view,
    struct ss_store_unit *unit, struct ss_error *error)
{
    uint64_t head = 0;
    int status = view->head(view->ctx, unit->thread, &head, error);
    if (status == SS_OK && head != 0 && unit->delete_to >= head) {
        unit->result = SS_EREFUSED;
    }
    return status;
}

// What an earlier put of the same unit leaves under the key.
static const struct ss_store_put *put_before(
    const struct ss_store_unit *unit, size_t index)
{
    const struct ss_store_put *put = &unit->puts[index];
    while (index > 0) {
        const struct ss_store_put *other = &unit->puts[--index];
        if (other->table == put->table && strcmp(other->key, put->key) == 0) {
            return other;
        }
    }
    return NULL;
}

// 0: it deletes.
static uint64_t hash_of(const struct ss_store_put *put)
{
    if (!put->late) {
        return put->value ? ss_hash64(put->value, put->value_size) : 0;
    }
    char *text = ss_json_late_text(put->late);
    uint64_t hash = ss_hash64(text, strlen(text));
    ss_free(text);
    return hash;
}

static int put_check(const struct ss_store_view *view,
    struct ss_store_unit *unit, size_t index, struct ss_error *error)
{
    const struct ss_store_put *put = &unit->puts[index];
    if (put->when == SS_WHEN_ANY) {
        return SS_OK;
    }
    bool there = false;
    uint64_t hash = 0;
    const struct ss_store_put *before = put_before(unit, index);
    if (before) {
        there = before->value || before->late;
        hash = hash_of(before);
    } else {
        int status =
            view->hash(view->ctx, put->table, put->key, &there, &hash, error);
        if (status != SS_OK) {
            return status;
        }
    }
    // After a commit in doubt the same put comes again, and its result is
    // stored.
    bool done =
        put->value || put->late ? there && hash == hash_of(put) : !there;
    bool holds =
        put->when == SS_WHEN_ABSENT ? !there : there && hash == put->expected;
    if (!done && !holds) {
        unit->result = SS_EREFUSED;
    }
    return SS_OK;
}

int ss_store_unit_check(const struct ss_store_view *view,
    struct ss_store_unit *unit, bool *ret_repeat, struct ss_error *error)
{
    int status = SS_OK;
    *ret_repeat = false;
    unit->result = SS_OK;
    if (unit->rows_count > 0) {
        status = rows_check(view, unit, ret_repeat, error);
    } else if (unit->delete_to > 0 && !unit->delete_thread) {
        status = delete_check(view, unit, error);
    }
    if (*ret_repeat) {
        return status;
    }
    for (size_t i = 0;
         i < unit->puts_count && status == SS_OK && unit->result == SS_OK;
         i++) {
        status = put_check(view, unit, i, error);
    }
    return status;
}

// store_faulty.c - faults around a store.
#include "tests/support/store_faulty.h"

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/store_impl.h"

struct faulty_store {
    struct ss_store base;
    struct ss_store *inner;
    struct ss_faulty_plan plan;
    struct ss_faulty_seen seen;
};

static int stopped(struct ss_error *error)
{
    return ss_error_set(error, SS_ECLOSED, "store: it was stopped by plan");
}

// Does the apply that was just counted fail?
static bool fails(const struct faulty_store *store)
{
    uint64_t at = store->plan.fail_at;
    uint64_t count = store->plan.fail_count ? store->plan.fail_count : 1;
    return at > 0 && store->seen.applies >= at &&
           store->seen.applies - at < count;
}

static int fail(const struct faulty_store *store, struct ss_error *error)
{
    return ss_error_set(error, store->plan.fail_status,
        "store: apply %llu fails by plan (%s)",
        (unsigned long long)store->seen.applies,
        store->plan.fail_after ? "after it was committed" : "before");
}

// The highest row of the thread; comparing it before and after an apply tells
// appended rows from repeats.
static int head_row(void *ctx, const struct ss_store_row *row)
{
    *(uint64_t *)ctx = row->seq;
    return SS_OK;
}

static int rows_missing(struct faulty_store *store,
    const struct ss_store_unit *unit, uint64_t *ret_count,
    struct ss_error *error)
{
    uint64_t head = 0;
    *ret_count = 0;
    if (unit->rows_count == 0) {
        return SS_OK;
    }
    uint64_t last = unit->rows[unit->rows_count - 1].seq;
    int status = unit->delete_thread
                     ? SS_OK
                     : ss_store_read(store->inner, unit->thread,
                           unit->rows[0].seq, last, head_row, &head, error);
    *ret_count = head < last ? unit->rows_count : 0;
    return status;
}

static int units_apply(struct faulty_store *store, struct ss_store_batch *batch,
    struct ss_error *error)
{
    uint64_t *rows = ss_zalloc(batch->units_count + 1, sizeof(*rows));
    int status = SS_OK;
    for (size_t i = 0; i < batch->units_count && status == SS_OK; i++) {
        status = rows_missing(store, &batch->units[i], &rows[i], error);
    }
    if (status == SS_OK) {
        status = ss_store_apply(store->inner, batch, error);
    }
    for (size_t i = 0; i < batch->units_count && status == SS_OK; i++) {
        store->seen.rows += batch->units[i].result == SS_OK ? rows[i] : 0;
    }
    ss_free(rows);
    return status;
}

// One unit at a time, so that the store can stop between two.
static int units_until_stop(struct faulty_store *store,
    struct ss_store_batch *batch, struct ss_error *error)
{
    for (size_t i = 0; i < batch->units_count; i++) {
        struct ss_store_batch one = *batch;
        one.units = &batch->units[i];
        one.units_count = 1;
        int status = units_apply(store, &one, error);
        if (status != SS_OK) {
            return status;
        }
        if (store->seen.rows >= store->plan.stop_after_rows) {
            store->seen.stopped = true;
            return stopped(error);
        }
    }
    return SS_OK;
}

static int faulty_apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    struct faulty_store *store = (struct faulty_store *)base;
    if (store->seen.stopped) {
        return stopped(error);
    }
    store->seen.applies++;
    bool failing = fails(store);
    if (failing && !store->plan.fail_after) {
        return fail(store, error);
    }
    int status = store->plan.stop_after_rows > 0
                     ? units_until_stop(store, batch, error)
                     : units_apply(store, batch, error);
    return status == SS_OK && failing ? fail(store, error) : status;
}

static int faulty_read(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error)
{
    struct faulty_store *store = (struct faulty_store *)base;
    if (store->seen.stopped) {
        return stopped(error);
    }
    return ss_store_read(
        store->inner, thread, range[0], range[1], row, ctx, error);
}

static int faulty_scan(struct ss_store *base,
    const struct ss_entry_query *query, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    struct faulty_store *store = (struct faulty_store *)base;
    if (store->seen.stopped) {
        return stopped(error);
    }
    return store->inner->ops->scan(store->inner, query, entry, ctx, error);
}

static int faulty_get(struct ss_store *base, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    struct faulty_store *store = (struct faulty_store *)base;
    if (store->seen.stopped) {
        return stopped(error);
    }
    return ss_store_get(store->inner, table, key, entry, ctx, error);
}

static int faulty_search(struct ss_store *base,
    const struct ss_store_search *search, ss_store_found_fn *found, void *ctx,
    struct ss_error *error)
{
    struct faulty_store *store = (struct faulty_store *)base;
    if (store->seen.stopped) {
        return stopped(error);
    }
    return ss_store_search(store->inner, search, found, ctx, error);
}

static int faulty_tell(
    struct ss_store *base, bool *ret_more, struct ss_error *error)
{
    return ss_store_tell(((struct faulty_store *)base)->inner, ret_more, error);
}

static void faulty_close(struct ss_store *base)
{
    struct faulty_store *store = (struct faulty_store *)base;
    ss_store_close(&store->inner);
    ss_free(store);
}

static const struct ss_store_ops faulty_ops = {
    .apply = faulty_apply,
    .read = faulty_read,
    .scan = faulty_scan,
    .get = faulty_get,
    .search = faulty_search,
    .tell = faulty_tell,
    .close = faulty_close,
};

static const struct faulty_store *faulty_of(const struct ss_store *store)
{
    ss_check(store->ops == &faulty_ops);
    return (const struct faulty_store *)store;
}

struct ss_store *ss_store_faulty_new(
    struct ss_store *inner, const struct ss_faulty_plan *plan)
{
    struct faulty_store *store = ss_zalloc(1, sizeof(*store));
    store->base.ops = &faulty_ops;
    store->base.name = ss_format("faulty %s", ss_store_name(inner));
    store->inner = inner;
    store->plan = *plan;
    return &store->base;
}

void ss_store_faulty_set(
    struct ss_store *store, const struct ss_faulty_plan *plan)
{
    ss_check(store->ops == &faulty_ops);
    struct faulty_store *it = (struct faulty_store *)store;
    it->plan = *plan;
    it->seen = (struct ss_faulty_seen){0};
}

struct ss_faulty_seen ss_store_faulty_seen(const struct ss_store *store)
{
    return faulty_of(store)->seen;
}

struct ss_store *ss_store_faulty_end(struct ss_store **store)
{
    ss_check((*store)->ops == &faulty_ops);
    struct faulty_store *it = (struct faulty_store *)*store;
    struct ss_store *inner = it->inner;
    it->inner = NULL;
    ss_store_close(store);
    return inner;
}

// postgres_work.c - applies a batch: ranges of units at full speed, and a unit
// on its own where a condition did not hold.

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

struct work {
    struct ss_pg_store *store;
    struct ss_store_batch *batch;
    size_t settled; // units that have their result
    bool wrote;     // some of them were committed by this call
};

// --- what a unit asks -------------------------------------------------------

static int view_head(
    void *ctx, const char *thread, uint64_t *ret_head, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, thread);
    const struct ss_pg_query query = {
        .sql = "SELECT coalesce(max(seq), 0) FROM @journal"
               " WHERE thread = $1::text",
        .params = &params,
        .what = "read the head"};
    PGresult *result = NULL;
    int status = ss_pg_ask(ctx, &query, &result, error);
    if (status == SS_OK) {
        *ret_head = (uint64_t)ss_pg_number_at(result, 0, 0);
        PQclear(result);
    }
    return status;
}

static int view_row_same(void *ctx, const struct ss_store_row *row,
    bool *ret_same, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, row->thread);
    ss_pg_params_number(&params, (int64_t)row->seq);
    const struct ss_pg_query query = {
        .sql = "SELECT kind, checksum, body FROM @journal"
               " WHERE thread = $1::text AND seq = $2::bigint",
        .params = &params,
        .what = "read a row"};
    PGresult *result = NULL;
    int status = ss_pg_ask(ctx, &query, &result, error);
    if (status != SS_OK) {
        return status;
    }
    *ret_same = false;
    if (PQntuples(result) == 1) {
        const struct ss_store_row stands = {
            .seq = row->seq,
            .kind = (int32_t)ss_pg_number_at(result, 0, 0),
            .checksum = (uint64_t)ss_pg_number_at(result, 0, 1),
            .body = PQgetvalue(result, 0, 2),
            .body_size = (size_t)PQgetlength(result, 0, 2),
        };
        *ret_same = ss_store_row_same(&stands, row);
    }
    PQclear(result);
    return SS_OK;
}

static int view_hash(void *ctx, enum ss_store_table table, const char *key,
    bool *ret_there, uint64_t *ret_hash, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, key);
    const struct ss_pg_query query = {
        .sql = "SELECT hash FROM @# WHERE key = $1::text FOR UPDATE",
        .table = table,
        .params = &params,
        .what = "read a key"};
    PGresult *result = NULL;
    int status = ss_pg_ask(ctx, &query, &result, error);
    if (status == SS_OK) {
        *ret_there = PQntuples(result) == 1;
        *ret_hash = *ret_there ? (uint64_t)ss_pg_number_at(result, 0, 0) : 0;
        PQclear(result);
    }
    return status;
}

// --- one unit, looked at ----------------------------------------------------

static int rows_delete(struct ss_pg_store *store, const char *thread,
    uint64_t to, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, thread);
    ss_pg_params_number(&params, to > INT64_MAX ? INT64_MAX : (int64_t)to);
    const struct ss_pg_query query = {
        .sql = "DELETE FROM @journal WHERE thread = $1::text"
               " AND seq <= $2::bigint",
        .params = &params,
        .what = "delete"};
    return ss_pg_run(store, &query, error);
}

// The conditions of the unit hold and are locked. Puts go one by one: a key may
// be named more than once.
static int unit_write(struct ss_pg_store *store,
    const struct ss_store_unit *unit, struct ss_error *error)
{
    int status = SS_OK;
    bool guard = false;
    if (unit->delete_thread) {
        status = rows_delete(store, unit->thread, UINT64_MAX, error);
    }
    if (status == SS_OK && unit->rows_count > 0) {
        struct ss_store_unit rows = {.thread = unit->thread,
            .rows = unit->rows,
            .rows_count = unit->rows_count};
        const struct ss_pg_stretch run = {.units = &rows, .count = 1};
        status = ss_pg_append(store, &run, &guard, error);
    }
    // After the rows, which look for the head before them.
    if (status == SS_OK && !guard && unit->delete_to > 0) {
        status = rows_delete(store, unit->thread, unit->delete_to, error);
    }
    for (size_t i = 0; i < unit->puts_count && status == SS_OK && !guard; i++) {
        struct ss_store_put put = unit->puts[i];
        put.when = SS_WHEN_ANY;
        struct ss_store_unit one = {.puts = &put, .puts_count = 1};
        const struct ss_pg_stretch run = {.units = &one, .count = 1};
        status = ss_pg_append(store, &run, &guard, error);
    }
    if (status == SS_OK && guard) {
        status = ss_error_set(error, SS_EAGAIN,
            "store: %s: append: what stood there has changed", store->place);
    }
    return status;
}

static int unit_try(struct work *work, struct ss_store_unit *unit,
    bool *ret_wrote, struct ss_error *error)
{
    const struct ss_store_view view = {
        .head = view_head,
        .row_same = view_row_same,
        .hash = view_hash,
        .ctx = work->store,
    };
    bool held = true;
    bool repeat = false;
    int status = SS_OK;
    if (work->batch->epoch > 0) {
        status =
            ss_pg_fence_held(work->store, work->batch->epoch, &held, error);
    }
    if (status == SS_OK && !held) {
        unit->result = SS_EFENCED;
        return SS_OK;
    }
    if (status == SS_OK) {
        status = ss_store_unit_check(&view, unit, &repeat, error);
    }
    *ret_wrote = status == SS_OK && unit->result == SS_OK && !repeat;
    return *ret_wrote ? unit_write(work->store, unit, error) : status;
}

static int unit_apply(
    struct work *work, struct ss_store_unit *unit, struct ss_error *error)
{
    bool wrote = false;
    // The unit may delete rows, and others may have appended.
    ss_pg_heads_forget(work->store);
    int status = ss_pg_begin(work->store, error);
    if (status == SS_OK) {
        status = unit_try(work, unit, &wrote, error);
    }
    if (status == SS_OK && wrote) {
        status = ss_pg_commit(work->store, error);
        work->wrote |= status == SS_OK;
    } else {
        ss_pg_rollback(work->store);
    }
    return status;
}

// --- runs of units ----------------------------------------------------------

static bool blames_content(int status)
{
    return status == SS_EINVAL || status == SS_ELIMIT;
}

// Apply units from..from + count, none of which needs a look. A range that
// fails is halved until the guilty unit is alone, so that units do not harm
// each other.
static int range_apply(
    struct work *work, size_t from, size_t count, struct ss_error *error)
{
    struct ss_store_unit *units = &work->batch->units[from];
    const struct ss_pg_stretch run = {
        .units = units, .count = count, .epoch = work->batch->epoch};
    bool guard = false;
    int status = ss_pg_append_prepare(work->store, &run, error);
    if (status == SS_OK) {
        status = ss_pg_append(work->store, &run, &guard, error);
    }
    if (status == SS_OK && !guard) {
        for (size_t i = 0; i < count; i++) {
            units[i].result = SS_OK;
            if (units[i].rows_count > 0) {
                ss_pg_heads_set(work->store, units[i].thread,
                    units[i].rows[units[i].rows_count - 1].seq);
            }
        }
        work->wrote = true;
    } else if (count > 1 && (guard || blames_content(status))) {
        status = range_apply(work, from, count / 2, error);
        return status == SS_OK ? range_apply(work, from + count / 2,
                                     count - count / 2, error)
                               : status;
    } else if (guard) {
        status = unit_apply(work, units, error);
    } else if (blames_content(status)) {
        units->result = status;
        status = SS_OK;
    }
    if (status == SS_OK) {
        work->settled = from + count;
    }
    return status;
}

static int batch_apply(struct work *work, struct ss_error *error)
{
    struct ss_store_batch *batch = work->batch;
    int status = SS_OK;
    while (status == SS_OK && work->settled < batch->units_count) {
        size_t from = work->settled;
        size_t count =
            ss_pg_run_length(&batch->units[from], batch->units_count - from);
        if (count > 0) {
            status = range_apply(work, from, count, error);
            continue;
        }
        status = unit_apply(work, &batch->units[from], error);
        if (blames_content(status)) {
            batch->units[from].result = status;
            status = SS_OK;
        }
        work->settled = status == SS_OK ? from + 1 : from;
    }
    return status;
}

static int all_fenced(struct ss_store_batch *batch)
{
    for (size_t i = 0; i < batch->units_count; i++) {
        batch->units[i].result = SS_EFENCED;
    }
    return SS_OK;
}

int ss_pg_apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct work work = {.store = store, .batch = batch};
    ss_check(batch->epoch == 0 || store->fence_name);
    int status = ss_pg_reconnect(store, error);
    if (status != SS_OK) {
        // An earlier call may have left its outcome open.
        if (error) {
            error->status = SS_EAGAIN;
        }
        return SS_EAGAIN;
    }
    if (store->has_moved) {
        return all_fenced(batch);
    }
    ss_pg_heads_use(store, batch->epoch);
    status = batch_apply(&work, error);
    if (status != SS_OK) {
        ss_pg_heads_forget(store);
    }
    if (status == SS_OK || status == SS_EAGAIN || !work.wrote) {
        return status;
    }
    // Some units are durable: each has its own result.
    for (size_t i = work.settled; i < batch->units_count; i++) {
        batch->units[i].result = status;
    }
    return SS_OK;
}

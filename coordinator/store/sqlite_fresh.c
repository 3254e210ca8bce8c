// sqlite_fresh.c - where new rows lie until many of them move to their threads.
//
// The journal is in order of threads, so a row goes to a page of its thread,
// and a commit of many threads changes as many pages, which are written to the
// log and again behind it. `fresh` is in order of arrival: a commit's rows go
// to a few pages, and an index says whose they are. When as much lies there as
// one may wait for, the next transaction moves all of it, thread by thread, so
// that a page takes several rows at once.
//
// Readers look in both. A file is of another format while rows lie there: a
// program that knows only the journal refuses it, and does not read a thread
// without its end.
#include "coordinator/store/limits.h"
#include "coordinator/store/store_sqlite.h"

bool ss_sqlite_fresh_takes(const struct ss_sqlite_store *store,
    const struct ss_store_batch *batch, const struct ss_store_unit *unit)
{
    size_t size = 0;
    for (size_t i = 0; i < unit->rows_count; i++) {
        size += unit->rows[i].body_size + SS_SQLITE_FRESH_ROW_SIZE;
    }
    return batch->units_count >= store->fresh.units &&
           size <= SS_SQLITE_FRESH_UNIT_SIZE_MAX;
}

int ss_sqlite_fresh_added(struct ss_sqlite_store *store,
    const struct ss_store_row *row, struct ss_error *error)
{
    store->fresh.size += row->body_size + SS_SQLITE_FRESH_ROW_SIZE;
    // Numbers begin with 1 in an empty table.
    return sqlite3_last_insert_rowid(store->db) == 1
               ? ss_sqlite_simple(store, SS_SQL_FRESH_BEGIN, "append", error)
               : SS_OK;
}

bool ss_sqlite_fresh_is_full(const struct ss_sqlite_store *store)
{
    return store->fresh.size >= store->fresh.size_max;
}

int ss_sqlite_fresh_move(struct ss_sqlite_store *store, struct ss_error *error)
{
    static const enum ss_sqlite_statement steps[] = {
        SS_SQL_FRESH_MOVE, SS_SQL_FRESH_EMPTY, SS_SQL_FRESH_END};
    int status = SS_OK;
    for (size_t i = 0; i < 3 && status == SS_OK; i++) {
        status = ss_sqlite_simple(store, steps[i], "move rows", error);
    }
    if (status == SS_OK) {
        store->fresh.size = 0;
    }
    return status;
}

void ss_sqlite_fresh_undone(struct ss_sqlite_store *store)
{
    // What had moved lies there again, and nobody counted it: the next
    // transaction moves it.
    store->fresh.size = store->fresh.size_max;
}

int ss_sqlite_fresh_settle(
    struct ss_sqlite_store *store, struct ss_error *error)
{
    int status = ss_sqlite_simple(store, SS_SQL_BEGIN, "begin", error);
    if (status != SS_OK) {
        return status;
    }
    status = ss_sqlite_fresh_move(store, error);
    if (status == SS_OK) {
        status = ss_sqlite_simple(store, SS_SQL_COMMIT, "commit", error);
    }
    if (status != SS_OK) {
        ss_sqlite_fresh_undone(store);
        (void)ss_sqlite_simple(store, SS_SQL_ROLLBACK, "roll back", NULL);
    }
    return status;
}

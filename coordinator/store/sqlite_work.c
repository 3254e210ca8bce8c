// sqlite_work.c - appending, putting and reading with prepared statements.

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/find.h"
#include "coordinator/store/store_sqlite.h"

#define ROW_COLUMNS                                                            \
    "thread, seq, kind, format, run, ns, checkpoint_id, parent_id,"            \
    " parent_seq, base_seq, source, step, wall_us, metadata, checksum, body"
#define ROW_ADD(table)                                                         \
    "INSERT INTO " table " (" ROW_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6,"  \
    " ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)"
#define THIS_ROW      " WHERE thread = ?1 AND seq = ?2"
#define ROW_AT(table) "SELECT kind, checksum, body FROM " table THIS_ROW
#define ROWS_READ(table)                                                       \
    "SELECT " ROW_COLUMNS " FROM " table                                       \
    " WHERE thread = ?1 AND seq BETWEEN ?2 AND ?3"
#define ROWS_DELETE(table)                                                     \
    "DELETE FROM " table " WHERE thread = ?1 AND seq <= ?2"
#define HEAD(table)                                                            \
    "coalesce((SELECT max(seq) FROM " table " WHERE thread = ?1), 0)"

_Static_assert(SS_SQLITE_FORMAT == 6 && SS_SQLITE_FORMAT_FRESH == 7,
    "the statements below say these");

// Rows of a thread may lie in its place and in `fresh`, in any order, each in
// one of them.
static const char *const texts[SS_SQL_COUNT] = {
    [SS_SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SS_SQL_COMMIT] = "COMMIT",
    [SS_SQL_ROLLBACK] = "ROLLBACK",
    [SS_SQL_HEAD] = "SELECT max(" HEAD("journal") ", " HEAD("fresh") ")",
    [SS_SQL_ROW_AT] = ROW_AT("journal") " UNION ALL " ROW_AT("fresh"),
    [SS_SQL_ROW_ADD] = ROW_ADD("journal"),
    [SS_SQL_ROWS_READ] =
        ROWS_READ("journal") " UNION ALL " ROWS_READ("fresh") " ORDER BY seq",
    [SS_SQL_ROWS_DELETE] = ROWS_DELETE("journal"),
    [SS_SQL_FRESH_ADD] = ROW_ADD("fresh"),
    [SS_SQL_FRESH_DELETE] = ROWS_DELETE("fresh"),
    [SS_SQL_FRESH_BEGIN] = "PRAGMA user_version = 7",
    // By thread, so that a page takes its rows at once. The one that lies in
    // its place counts, should somebody have put it there by hand.
    [SS_SQL_FRESH_MOVE] =
        "INSERT OR IGNORE INTO journal (" ROW_COLUMNS ") SELECT " ROW_COLUMNS
        " FROM fresh ORDER BY thread, seq",
    [SS_SQL_FRESH_EMPTY] = "DELETE FROM fresh",
    [SS_SQL_FRESH_END] = "PRAGMA user_version = 6",
};

#define ENTRY_COLUMNS "SELECT key, index_key, value, expires_us FROM "

#define THREADS_COLUMNS                                                        \
    "SELECT key, CASE WHEN EXISTS (SELECT 1 FROM open_runs o WHERE"            \
    " o.index_key = t.key) THEN '" SS_STORE_BUSY "' ELSE index_key END,"       \
    " value, expires_us FROM "

// The table's name goes between the two halves.
static const char *const entry_texts[SS_SQL_ENTRY_COUNT][2] = {
    [SS_SQL_ENTRY_GET] = {ENTRY_COLUMNS, " WHERE key = ?1"},
    [SS_SQL_ENTRY_PUT] = {"INSERT OR REPLACE INTO ",
        " (key, index_key, value, expires_us) VALUES (?1, ?2, ?3, ?4)"},
    [SS_SQL_ENTRY_PUT_TIMED] = {"INSERT OR REPLACE INTO ",
        " (key, index_key, value, expires_us, at_us, status)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6)"},
    [SS_SQL_ENTRY_PUT_MARKED] = {"INSERT OR REPLACE INTO ",
        " (key, index_key, value, expires_us, at_us, status, graph)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"},
    [SS_SQL_ENTRY_UNMARKED] = {"SELECT key, value, at_us FROM ",
        " WHERE graph IS NULL AND key > ?1 ORDER BY key"},
    [SS_SQL_ENTRY_MARK] = {"UPDATE ", " SET graph = ?2 WHERE key = ?1"},
    [SS_SQL_PAIR_ADD] = {"INSERT OR REPLACE INTO ",
        "_pairs (key, pair, at_us) VALUES (?1, ?2, ?3)"},
    [SS_SQL_PAIR_COUNT] = {"SELECT count(*) FROM (SELECT 1 FROM ",
        "_pairs WHERE pair = ?1 LIMIT ?2)"},
    [SS_SQL_PAIRS_DELETE] = {"DELETE FROM ", "_pairs WHERE key = ?1"},
    [SS_SQL_ENTRY_DELETE] = {"DELETE FROM ",
        " WHERE key = ?1 AND (?2 IS NULL OR index_key = ?2)"},
    [SS_SQL_ENTRY_SCAN] = {ENTRY_COLUMNS,
        " WHERE key > ?1 ORDER BY key LIMIT ?2"},
    [SS_SQL_ENTRY_SCAN_INDEX] = {ENTRY_COLUMNS,
        " WHERE index_key = ?3 AND key > ?1 ORDER BY key LIMIT ?2"},
    [SS_SQL_ENTRY_SCAN_THREADS] = {THREADS_COLUMNS,
        " t WHERE key > ?1 ORDER BY key LIMIT ?2"},
    [SS_SQL_ENTRY_SCAN_THREADS_INDEX] = {THREADS_COLUMNS,
        " t WHERE t.index_key = ?3 AND key > ?1 ORDER BY key LIMIT ?2"},
};

// --- statements -------------------------------------------------------------

int ss_sqlite_prepare(struct ss_sqlite_store *store, const char *sql,
    sqlite3_stmt **statement, struct ss_error *error)
{
    if (sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
            statement, NULL) != SQLITE_OK) {
        return ss_sqlite_fail(store, "prepare", error);
    }
    return SS_OK;
}

int ss_sqlite_statement(struct ss_sqlite_store *store,
    enum ss_sqlite_statement which, sqlite3_stmt **ret_statement,
    struct ss_error *error)
{
    sqlite3_stmt **kept = &store->statements[which];
    int status =
        *kept ? SS_OK : ss_sqlite_prepare(store, texts[which], kept, error);
    *ret_statement = *kept;
    return status;
}

int ss_sqlite_entry_statement(struct ss_sqlite_store *store,
    enum ss_store_table table, enum ss_sqlite_entry_statement which,
    sqlite3_stmt **ret_statement, struct ss_error *error)
{
    sqlite3_stmt **kept = &store->entry_statements[table][which];
    int status = SS_OK;
    if (!*kept) {
        char *sql = ss_format("%s%s%s", entry_texts[which][0],
            ss_store_table_name(table), entry_texts[which][1]);
        status = ss_sqlite_prepare(store, sql, kept, error);
        ss_free(sql);
    }
    *ret_statement = *kept;
    return status;
}

void ss_sqlite_bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    int code = sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
    ss_check(code == SQLITE_OK || code == SQLITE_TOOBIG);
}

void ss_sqlite_bind_number(sqlite3_stmt *statement, int at, int64_t number)
{
    ss_check(sqlite3_bind_int64(statement, at, number) == SQLITE_OK);
}

static void bind_bytes(
    sqlite3_stmt *statement, int at, const void *bytes, size_t size)
{
    // A null pointer would be NULL, not an empty body.
    int code = sqlite3_bind_blob64(
        statement, at, size > 0 ? bytes : "", size, SQLITE_STATIC);
    ss_check(code == SQLITE_OK || code == SQLITE_TOOBIG);
}

int ss_sqlite_end(struct ss_sqlite_store *store, sqlite3_stmt *statement,
    int status, int code, const char *what, struct ss_error *error)
{
    if (status == SS_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
        status = ss_sqlite_fail(store, what, error);
    }
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    return status;
}

// Run a statement that answers nothing.
int ss_sqlite_finish(struct ss_sqlite_store *store, sqlite3_stmt *statement,
    const char *what, struct ss_error *error)
{
    return ss_sqlite_end(
        store, statement, SS_OK, sqlite3_step(statement), what, error);
}

int ss_sqlite_simple(struct ss_sqlite_store *store,
    enum ss_sqlite_statement which, const char *what, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_statement(store, which, &statement, error);
    return status == SS_OK ? ss_sqlite_finish(store, statement, what, error)
                           : status;
}

// --- what a unit asks -------------------------------------------------------

static bool view_follows(void *ctx, const char *thread, uint64_t first)
{
    return ss_sqlite_head_fits(ctx, thread, first);
}

static int view_head(
    void *ctx, const char *thread, uint64_t *ret_head, struct ss_error *error)
{
    struct ss_sqlite_store *store = ctx;
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_statement(store, SS_SQL_HEAD, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, thread);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *ret_head = (uint64_t)sqlite3_column_int64(statement, 0);
    }
    return ss_sqlite_end(store, statement, status, code, "read", error);
}

static int view_row_same(void *ctx, const struct ss_store_row *row,
    bool *ret_same, struct ss_error *error)
{
    struct ss_sqlite_store *store = ctx;
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_statement(store, SS_SQL_ROW_AT, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, row->thread);
    ss_sqlite_bind_number(statement, 2, (int64_t)row->seq);
    int code = sqlite3_step(statement);
    *ret_same = false;
    if (code == SQLITE_ROW) {
        const struct ss_store_row stands = {
            .seq = row->seq,
            .kind = sqlite3_column_int(statement, 0),
            .checksum = (uint64_t)sqlite3_column_int64(statement, 1),
            .body = sqlite3_column_blob(statement, 2),
            .body_size = (size_t)sqlite3_column_bytes(statement, 2),
        };
        *ret_same = ss_store_row_same(&stands, row);
    }
    return ss_sqlite_end(store, statement, status, code, "read", error);
}

static int view_hash(void *ctx, enum ss_store_table table, const char *key,
    bool *ret_there, uint64_t *ret_hash, struct ss_error *error)
{
    struct ss_sqlite_store *store = ctx;
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(
        store, table, SS_SQL_ENTRY_GET, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, key);
    int code = sqlite3_step(statement);
    *ret_there = code == SQLITE_ROW;
    if (code == SQLITE_ROW) {
        const void *value = sqlite3_column_blob(statement, 2);
        *ret_hash = ss_hash64(
            value ? value : "", (size_t)sqlite3_column_bytes(statement, 2));
    }
    return ss_sqlite_end(store, statement, status, code, "read", error);
}

// --- applying ---------------------------------------------------------------

static int row_add(struct ss_sqlite_store *store,
    const struct ss_store_row *row, enum ss_sqlite_statement how,
    struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_statement(store, how, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, row->thread);
    ss_sqlite_bind_number(statement, 2, (int64_t)row->seq);
    ss_sqlite_bind_number(statement, 3, row->kind);
    ss_sqlite_bind_number(statement, 4, row->format);
    ss_sqlite_bind_text(statement, 5, row->run);
    ss_sqlite_bind_text(statement, 6, row->ns);
    ss_sqlite_bind_text(statement, 7, row->checkpoint_id);
    ss_sqlite_bind_text(statement, 8, row->parent_id);
    ss_sqlite_bind_number(statement, 9, (int64_t)row->parent_seq);
    ss_sqlite_bind_number(statement, 10, (int64_t)row->base_seq);
    ss_sqlite_bind_text(statement, 11, row->source);
    ss_sqlite_bind_number(statement, 12, row->step);
    ss_sqlite_bind_number(statement, 13, row->wall_us);
    ss_sqlite_bind_text(statement, 14, row->metadata);
    ss_sqlite_bind_number(statement, 15, (int64_t)row->checksum);
    bind_bytes(statement, 16, row->body, row->body_size);
    return ss_sqlite_finish(store, statement, "append", error);
}

static int rows_add(struct ss_sqlite_store *store,
    const struct ss_store_unit *unit, bool is_fresh, struct ss_error *error)
{
    int status = SS_OK;
    for (size_t i = 0; i < unit->rows_count && status == SS_OK; i++) {
        const struct ss_store_row *row = &unit->rows[i];
        status = row_add(
            store, row, is_fresh ? SS_SQL_FRESH_ADD : SS_SQL_ROW_ADD, error);
        if (status == SS_OK && is_fresh) {
            status = ss_sqlite_fresh_added(store, row, error);
        }
        ss_sqlite_head_moved(store, unit->thread, row->seq);
    }
    return status;
}

static int delete_run(struct ss_sqlite_store *store,
    enum ss_sqlite_statement which, const char *thread, uint64_t to,
    struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_statement(store, which, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, thread);
    ss_sqlite_bind_number(
        statement, 2, to > INT64_MAX ? INT64_MAX : (int64_t)to);
    return ss_sqlite_finish(store, statement, "delete", error);
}

static int rows_delete(struct ss_sqlite_store *store, const char *thread,
    uint64_t to, struct ss_error *error)
{
    int status = delete_run(store, SS_SQL_ROWS_DELETE, thread, to, error);
    return status == SS_OK && store->fresh.size > 0
               ? delete_run(store, SS_SQL_FRESH_DELETE, thread, to, error)
               : status;
}

static enum ss_sqlite_entry_statement put_of(const struct ss_store_put *put)
{
    return !put->value                            ? SS_SQL_ENTRY_DELETE
           : ss_sqlite_has_marks(put->table)      ? SS_SQL_ENTRY_PUT_MARKED
           : ss_store_table_has_times(put->table) ? SS_SQL_ENTRY_PUT_TIMED
                                                  : SS_SQL_ENTRY_PUT;
}

static int put_run(struct ss_sqlite_store *store,
    const struct ss_store_put *put, const struct ss_find_marks *marks,
    struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    enum ss_sqlite_entry_statement which = put_of(put);
    int status =
        ss_sqlite_entry_statement(store, put->table, which, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, put->key);
    ss_sqlite_bind_text(statement, 2, put->index);
    if (put->value) {
        bind_bytes(statement, 3, put->value, put->value_size);
        ss_sqlite_bind_number(statement, 4, put->expires_us);
    }
    if (put->value && ss_store_table_has_times(put->table)) {
        ss_sqlite_bind_number(statement, 5, put->at_us);
        ss_sqlite_bind_text(statement, 6, put->status);
    }
    if (which == SS_SQL_ENTRY_PUT_MARKED) {
        ss_sqlite_bind_text(statement, 7, marks->graph ? marks->graph : "");
    }
    return ss_sqlite_finish(store, statement, "put", error);
}

static int put_apply(struct ss_sqlite_store *store,
    const struct ss_store_put *put, struct ss_error *error)
{
    struct ss_find_marks marks = {0};
    if (!ss_sqlite_has_marks(put->table)) {
        return put_run(store, put, &marks, error);
    }
    if (put->value) {
        ss_find_marks_read(put->value, put->value_size, &marks);
    }
    int status = put_run(store, put, &marks, error);
    bool is_gone = put->value || sqlite3_changes(store->db) > 0;
    if (status == SS_OK && is_gone) {
        status =
            ss_sqlite_pairs_put(store, put, put->value ? &marks : NULL, error);
    }
    ss_find_marks_fini(&marks);
    return status;
}

static int unit_write(struct ss_sqlite_store *store,
    const struct ss_store_unit *unit, bool is_fresh, struct ss_error *error)
{
    int status = SS_OK;
    if (unit->delete_thread) {
        ss_sqlite_head_moved(store, unit->thread, 0);
        status = rows_delete(store, unit->thread, UINT64_MAX, error);
    } else if (unit->delete_to > 0) {
        status = rows_delete(store, unit->thread, unit->delete_to, error);
    }
    if (status == SS_OK) {
        status = rows_add(store, unit, is_fresh, error);
    }
    for (size_t i = 0; i < unit->puts_count && status == SS_OK; i++) {
        status = put_apply(store, &unit->puts[i], error);
    }
    return status;
}

static int units_write(struct ss_sqlite_store *store,
    struct ss_store_batch *batch, struct ss_error *error)
{
    const struct ss_store_view view = {
        .follows = view_follows,
        .head = view_head,
        .row_same = view_row_same,
        .hash = view_hash,
        .ctx = store,
    };
    int status = SS_OK;
    for (size_t i = 0; i < batch->units_count && status == SS_OK; i++) {
        struct ss_store_unit *unit = &batch->units[i];
        bool repeat = false;
        status = ss_store_unit_check(&view, unit, &repeat, error);
        if (status == SS_OK && unit->result == SS_OK && !repeat) {
            status = unit_write(
                store, unit, ss_sqlite_fresh_takes(store, batch, unit), error);
        }
    }
    return status;
}

static void rollback(struct ss_sqlite_store *store)
{
    ss_sqlite_heads_forget(store);
    ss_sqlite_fresh_undone(store);
    // Some failures have rolled back already.
    if (!sqlite3_get_autocommit(store->db)) {
        (void)ss_sqlite_simple(store, SS_SQL_ROLLBACK, "roll back", NULL);
    }
}

int ss_sqlite_apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    struct ss_sqlite_store *store = (struct ss_sqlite_store *)base;
    int status = ss_sqlite_simple(store, SS_SQL_BEGIN, "begin", error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_heads_begun(store);
    if (ss_sqlite_fresh_is_full(store)) {
        status = ss_sqlite_fresh_move(store, error);
    }
    if (status == SS_OK) {
        status = units_write(store, batch, error);
    }
    if (status != SS_OK) {
        rollback(store);
        return status;
    }
    status = ss_sqlite_simple(store, SS_SQL_COMMIT, "commit", error);
    if (status == SS_OK) {
        ss_sqlite_heads_committed(store);
        // Behind the commit, so that none is acknowledged that went to a file
        // which was gone before it.
        return ss_sqlite_files_stand(store, error);
    }
    rollback(store);
    // A commit that could not be synced may still be there after a crash.
    if (status == SS_EIO) {
        status = SS_EAGAIN;
        if (error) {
            error->status = status;
        }
    }
    return status;
}

// --- reading ----------------------------------------------------------------

static const char *text_at(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

static const char *text_or_empty(sqlite3_stmt *statement, int column)
{
    const char *text = text_at(statement, column);
    return text ? text : "";
}

static int row_call(sqlite3_stmt *statement, const char *thread,
    ss_store_row_fn *call, void *ctx)
{
    const struct ss_store_row row = {
        .thread = thread,
        .seq = (uint64_t)sqlite3_column_int64(statement, 1),
        .kind = sqlite3_column_int(statement, 2),
        .format = sqlite3_column_int(statement, 3),
        .run = text_or_empty(statement, 4),
        .ns = text_or_empty(statement, 5),
        .checkpoint_id = text_or_empty(statement, 6),
        .parent_id = text_or_empty(statement, 7),
        .parent_seq = (uint64_t)sqlite3_column_int64(statement, 8),
        .base_seq = (uint64_t)sqlite3_column_int64(statement, 9),
        .source = text_or_empty(statement, 10),
        .step = sqlite3_column_int64(statement, 11),
        .wall_us = sqlite3_column_int64(statement, 12),
        .metadata = text_at(statement, 13),
        .checksum = (uint64_t)sqlite3_column_int64(statement, 14),
        .body = sqlite3_column_blob(statement, 15),
        .body_size = (size_t)sqlite3_column_bytes(statement, 15),
    };
    return call(ctx, &row);
}

int ss_sqlite_read(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error)
{
    struct ss_sqlite_store *store = (struct ss_sqlite_store *)base;
    sqlite3_stmt *statement = NULL;
    int status =
        ss_sqlite_statement(store, SS_SQL_ROWS_READ, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, thread);
    ss_sqlite_bind_number(statement, 2, (int64_t)range[0]);
    ss_sqlite_bind_number(statement, 3, (int64_t)range[1]);
    int code = SQLITE_ROW;
    while (status == SS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = row_call(statement, thread, row, ctx);
    }
    return ss_sqlite_end(store, statement, status, code, "read", error);
}

static int entry_call(
    sqlite3_stmt *statement, ss_store_entry_fn *call, void *ctx)
{
    const void *value = sqlite3_column_blob(statement, 2);
    return call(ctx, text_or_empty(statement, 0), text_at(statement, 1),
        value ? value : "", (size_t)sqlite3_column_bytes(statement, 2),
        sqlite3_column_int64(statement, 3));
}

int ss_sqlite_scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    struct ss_sqlite_store *store = (struct ss_sqlite_store *)base;
    static const enum ss_sqlite_entry_statement scans[2][2] = {
        {SS_SQL_ENTRY_SCAN, SS_SQL_ENTRY_SCAN_INDEX},
        {SS_SQL_ENTRY_SCAN_THREADS, SS_SQL_ENTRY_SCAN_THREADS_INDEX}};
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(store, query->table,
        scans[query->table == SS_TABLE_THREADS][query->index != NULL],
        &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, query->after ? query->after : "");
    ss_sqlite_bind_number(
        statement, 2, query->limit > INT64_MAX ? -1 : (int64_t)query->limit);
    if (query->index) {
        ss_sqlite_bind_text(statement, 3, query->index);
    }
    int code = SQLITE_ROW;
    while (status == SS_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        status = entry_call(statement, entry, ctx);
    }
    return ss_sqlite_end(store, statement, status, code, "scan", error);
}

int ss_sqlite_get(struct ss_store *base, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    struct ss_sqlite_store *store = (struct ss_sqlite_store *)base;
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(
        store, table, SS_SQL_ENTRY_GET, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, key);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        status = entry_call(statement, entry, ctx);
    } else if (code == SQLITE_DONE) {
        status =
            ss_error_set(error, SS_ENOTFOUND, "store: there is no %s", key);
    }
    return ss_sqlite_end(store, statement, status, code, "get", error);
}

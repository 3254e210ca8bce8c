// sqlite_marks.c - what entries are looked up by beside their time: a column
// for the graph, and a table of pairs beside the entries that have some.
#include "common/base/mem.h"
#include "common/model/find.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_sqlite.h"

bool ss_sqlite_has_marks(enum ss_store_table table)
{
    return table == SS_TABLE_RUNS || table == SS_TABLE_THREADS;
}

static int pair_add(struct ss_sqlite_store *store,
    const struct ss_store_put *put, int64_t pair, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(
        store, put->table, SS_SQL_PAIR_ADD, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, put->key);
    ss_sqlite_bind_number(statement, 2, pair);
    ss_sqlite_bind_number(statement, 3, put->at_us);
    return ss_sqlite_finish(store, statement, "put a pair", error);
}

int ss_sqlite_pairs_put(struct ss_sqlite_store *store,
    const struct ss_store_put *put, const struct ss_find_marks *marks,
    struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(
        store, put->table, SS_SQL_PAIRS_DELETE, &statement, error);
    if (status == SS_OK) {
        ss_sqlite_bind_text(statement, 1, put->key);
        status = ss_sqlite_finish(store, statement, "drop pairs", error);
    }
    for (size_t i = 0; marks && i < marks->pairs_count && status == SS_OK;
         i++) {
        status = pair_add(store, put, marks->pairs[i], error);
    }
    return status;
}

// How many entries have it, of which more than a step looks at are as many.
static int pair_count(struct ss_sqlite_store *store, enum ss_store_table table,
    int64_t pair, int64_t *ret_count, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(
        store, table, SS_SQL_PAIR_COUNT, &statement, error);
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_number(statement, 1, pair);
    ss_sqlite_bind_number(statement, 2, SS_STORE_FOUND_LOOKED_MAX);
    int code = sqlite3_step(statement);
    *ret_count = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return ss_sqlite_end(store, statement, SS_OK, code, "count", error);
}

int ss_sqlite_rarest(struct ss_sqlite_store *store, enum ss_store_table table,
    const struct ss_find_marks *marks, int64_t *ret_pair,
    struct ss_error *error)
{
    int64_t least = INT64_MAX, count = 0;
    int status = SS_OK;
    *ret_pair = marks->pairs[0];
    for (size_t i = 0;
         i < marks->pairs_count && marks->pairs_count > 1 && status == SS_OK;
         i++) {
        status = pair_count(store, table, marks->pairs[i], &count, error);
        if (count < least) {
            least = count;
            *ret_pair = marks->pairs[i];
        }
    }
    return status;
}

// --- what has none ----------------------------------------------------------

static int mark_one(struct ss_sqlite_store *store,
    const struct ss_store_put *entry, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    struct ss_find_marks marks;
    ss_find_marks_read(entry->value, entry->value_size, &marks);
    int status = ss_sqlite_entry_statement(
        store, entry->table, SS_SQL_ENTRY_MARK, &statement, error);
    if (status == SS_OK) {
        ss_sqlite_bind_text(statement, 1, entry->key);
        ss_sqlite_bind_text(statement, 2, marks.graph ? marks.graph : "");
        status = ss_sqlite_finish(store, statement, "mark", error);
    }
    if (status == SS_OK) {
        status = ss_sqlite_pairs_put(store, entry, &marks, error);
    }
    ss_find_marks_fini(&marks);
    return status;
}

// *ret_key: of the one behind `after`; NULL: there are no more. Gives.
static int mark_next(struct ss_sqlite_store *store, enum ss_store_table table,
    const char *after, char **ret_key, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = ss_sqlite_entry_statement(
        store, table, SS_SQL_ENTRY_UNMARKED, &statement, error);
    *ret_key = NULL;
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_text(statement, 1, after);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const struct ss_store_put entry = {.table = table,
            .key = (const char *)sqlite3_column_text(statement, 0),
            .value = sqlite3_column_blob(statement, 1),
            .value_size = (size_t)sqlite3_column_bytes(statement, 1),
            .at_us = sqlite3_column_int64(statement, 2)};
        *ret_key = ss_strdup(entry.key);
        status = mark_one(store, &entry, error);
    }
    return ss_sqlite_end(store, statement, status, code, "look", error);
}

static int mark_table(struct ss_sqlite_store *store, enum ss_store_table table,
    struct ss_error *error)
{
    char *after = ss_strdup("");
    int status = SS_OK;
    while (after && status == SS_OK) {
        char *key = NULL;
        status = mark_next(store, table, after, &key, error);
        ss_free(after);
        after = key;
    }
    ss_free(after);
    return status;
}

int ss_sqlite_mark(struct ss_sqlite_store *store, struct ss_error *error)
{
    int status = mark_table(store, SS_TABLE_RUNS, error);
    return status == SS_OK ? mark_table(store, SS_TABLE_THREADS, error)
                           : status;
}

// sqlite_find.c - entries by time, the newest first.
#include <string.h>

#include "common/base/check.h"
#include "common/model/find.h"
#include "coordinator/store/store_sqlite.h"

#define COLUMNS "SELECT key, index_key, value, at_us FROM "
// The index goes on where the place is, whatever stands at its very time.
#define BEHIND                                                                 \
    " at_us <= ?1 AND at_us >= ?2 AND (at_us < ?1 OR key > ?3)"                \
    " ORDER BY at_us DESC, key"

#define THREADS                                                                \
    "SELECT key, CASE WHEN EXISTS (SELECT 1 FROM open_runs o WHERE"            \
    " o.index_key = t.key) THEN '" SS_STORE_BUSY "' ELSE index_key END,"       \
    " value, at_us FROM threads t WHERE"

// Those that have one pair, in order; behind it one that may have it, and has
// too much of them to be searched (SS_FIND_UNSEARCHED).
#define PAIRED(columns, name)                                                  \
    columns " JOIN " name "_pairs p USING (key) WHERE p.pair = ?4 AND"         \
            " p.at_us <= ?1 AND p.at_us >= ?2 AND (p.at_us < ?1 OR p.key >"    \
            " ?3) UNION ALL " columns " JOIN " name "_pairs p USING (key)"     \
            " WHERE p.pair = 1 AND p.at_us <= ?1 AND p.at_us >= ?2 AND"        \
            " (p.at_us < ?1 OR p.key > ?3) AND NOT EXISTS (SELECT 1 FROM"      \
            " " name "_pairs q WHERE q.key = p.key AND q.pair = ?4)"           \
            " ORDER BY 4 DESC, 1"
_Static_assert(SS_FIND_UNSEARCHED == 1, "as the statements have it");
#define PAIRED_RUNS                                                            \
    PAIRED("SELECT t.key, t.index_key, t.value, p.at_us FROM runs t", "runs")
#define PAIRED_THREADS                                                         \
    PAIRED("SELECT t.key, CASE WHEN EXISTS (SELECT 1 FROM open_runs o WHERE"   \
           " o.index_key = t.key) THEN '" SS_STORE_BUSY "' ELSE t.index_key"   \
           " END, t.value, p.at_us FROM threads t",                            \
        "threads")

static const char *const texts[SS_TABLE_COUNT][SS_SQL_SEARCH_COUNT] = {
    [SS_TABLE_RUNS] = {COLUMNS "runs WHERE" BEHIND,
        COLUMNS "runs WHERE index_key = ?4 AND" BEHIND,
        // As the index has it (sqlite_schema.c).
        COLUMNS "runs WHERE status <> 'done' AND status = ?4 AND" BEHIND, NULL,
        COLUMNS "runs WHERE graph = ?4 AND" BEHIND, PAIRED_RUNS},
    [SS_TABLE_OPEN] = {COLUMNS "open_runs WHERE" BEHIND,
        COLUMNS "open_runs WHERE index_key = ?4 AND" BEHIND, NULL, NULL, NULL,
        NULL},
    [SS_TABLE_THREADS] = {THREADS BEHIND,
        THREADS " t.index_key = ?4 AND" BEHIND, NULL,
        THREADS " key IN (SELECT index_key FROM open_runs) AND" BEHIND,
        THREADS " graph = ?4 AND" BEHIND, PAIRED_THREADS},
};

// Most runs are done: those are read by time, and who asks leaves out others.
static enum ss_sqlite_search kind_of(const struct ss_store_search *search)
{
    bool marked = ss_sqlite_has_marks(search->table) && search->marks;
    bool has_pairs = marked && search->marks->pairs_count > 0;
    if (search->index) {
        bool is_busy = search->table == SS_TABLE_THREADS &&
                       strcmp(search->index, SS_STORE_BUSY) == 0;
        if (is_busy || !has_pairs || search->table == SS_TABLE_RUNS) {
            return is_busy ? SS_SQL_SEARCH_BUSY : SS_SQL_SEARCH_INDEX;
        }
    }
    if (has_pairs) {
        return SS_SQL_SEARCH_PAIR;
    }
    bool is_done = !search->status || strcmp(search->status, "done") == 0;
    if (is_done && marked && search->marks->graph) {
        return SS_SQL_SEARCH_GRAPH;
    }
    return search->status && strcmp(search->status, "done") != 0
               ? SS_SQL_SEARCH_STATUS
               : SS_SQL_SEARCH;
}

static int found_call(
    sqlite3_stmt *statement, ss_store_found_fn *call, void *ctx)
{
    const void *value = sqlite3_column_blob(statement, 2);
    const struct ss_store_found found = {
        .key = (const char *)sqlite3_column_text(statement, 0),
        .index = (const char *)sqlite3_column_text(statement, 1),
        .value = value ? value : "",
        .size = (size_t)sqlite3_column_bytes(statement, 2),
        .at_us = sqlite3_column_int64(statement, 3)};
    return call(ctx, &found);
}

int ss_sqlite_search(struct ss_store *base,
    const struct ss_store_search *search, ss_store_found_fn *found, void *ctx,
    struct ss_error *error)
{
    struct ss_sqlite_store *store = (struct ss_sqlite_store *)base;
    enum ss_sqlite_search kind = kind_of(search);
    sqlite3_stmt **kept = &store->searches[search->table][kind];
    int status = SS_OK, code = SQLITE_ROW;
    int64_t pair = 0;
    ss_check(texts[search->table][kind]);
    if (!*kept) {
        status =
            ss_sqlite_prepare(store, texts[search->table][kind], kept, error);
    }
    if (status == SS_OK && kind == SS_SQL_SEARCH_PAIR) {
        status =
            ss_sqlite_rarest(store, search->table, search->marks, &pair, error);
    }
    if (status != SS_OK) {
        return status;
    }
    ss_sqlite_bind_number(*kept, 1, search->at_us);
    ss_sqlite_bind_number(*kept, 2, search->since_us);
    ss_sqlite_bind_text(*kept, 3, search->after);
    if (kind == SS_SQL_SEARCH_INDEX) {
        ss_sqlite_bind_text(*kept, 4, search->index);
    } else if (kind == SS_SQL_SEARCH_STATUS) {
        ss_sqlite_bind_text(*kept, 4, search->status);
    } else if (kind == SS_SQL_SEARCH_GRAPH) {
        ss_sqlite_bind_text(*kept, 4, search->marks->graph);
    } else if (kind == SS_SQL_SEARCH_PAIR) {
        ss_sqlite_bind_number(*kept, 4, pair);
    }
    while (status == SS_OK && (code = sqlite3_step(*kept)) == SQLITE_ROW) {
        status = found_call(*kept, found, ctx);
    }
    return ss_sqlite_end(store, *kept, status, code, "find", error);
}

// postgres_read.c - reading in pages: a server's answer is held in memory, and
// a reader that lost its connection goes on behind the rows that it has.

#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

static int moved(const struct ss_pg_store *store, struct ss_error *error)
{
    return ss_error_set(error, SS_EFENCED,
        "store: %s is not the database that it was (another system, timeline"
        " or generation): what is in memory may not be there. Start again",
        store->place);
}

// Row by row, so that no more than one is held. If the reader stops, the rest
// of the page is skipped.
static int rows_call(struct ss_pg_store *store, struct ss_pg_page *page,
    int *ret_stopped, struct ss_error *error)
{
    int status = SS_OK;
    PGresult *result;
    while ((result = ss_pg_result(store))) {
        ExecStatusType how = PQresultStatus(result);
        if (how == PGRES_SINGLE_TUPLE && *ret_stopped == SS_OK) {
            page->rows++;
            *ret_stopped = page->call(page->reader, result, 0);
        } else if (how == PGRES_FATAL_ERROR && status == SS_OK) {
            status = ss_pg_fail(store, result, page->query.what, error);
        }
        PQclear(result);
        if (!store->conn) {
            break;
        }
    }
    return status;
}

int ss_pg_page_read(struct ss_pg_store *store, struct ss_pg_page *page,
    int *ret_stopped, struct ss_error *error)
{
    const struct ss_pg_params *params = page->query.params;
    int status = ss_pg_reconnect(store, error);
    page->rows = 0;
    if (status != SS_OK) {
        return status;
    }
    if (store->has_moved) {
        return moved(store, error);
    }
    char *sql = ss_pg_sql(store, page->query.sql, page->query.table);
    int sent = PQsendQueryParams(store->conn, sql, params->count, NULL,
        params->values, params->lengths, params->formats, 1);
    ss_free(sql);
    if (sent != 1 || PQsetSingleRowMode(store->conn) != 1) {
        return ss_pg_lost(store, page->query.what, error);
    }
    return rows_call(store, page, ret_stopped, error);
}

int ss_pg_give_up(int status, struct ss_error *error)
{
    if (status == SS_EAGAIN) {
        status = SS_EIO;
        if (error) {
            error->status = status;
        }
    }
    return status;
}

// --- rows -------------------------------------------------------------------

struct row_reader {
    const char *thread;
    uint64_t next;
    ss_store_row_fn *row;
    void *ctx;
};

// NULL says nothing, as 0 does.
static int64_t number_or_zero(const PGresult *result, int at, int column)
{
    return PQgetisnull(result, at, column)
               ? 0
               : ss_pg_number_at(result, at, column);
}

static int row_call(void *ctx, const PGresult *result, int at)
{
    struct row_reader *reader = ctx;
    const struct ss_store_row row = {
        .thread = reader->thread,
        .seq = (uint64_t)ss_pg_number_at(result, at, 0),
        .kind = (int32_t)ss_pg_number_at(result, at, 1),
        .format = (int32_t)ss_pg_number_at(result, at, 2),
        .run = PQgetvalue(result, at, 3),
        .ns = PQgetvalue(result, at, 4),
        .checkpoint_id = PQgetvalue(result, at, 5),
        .parent_id = PQgetvalue(result, at, 6),
        .parent_seq = (uint64_t)number_or_zero(result, at, 7),
        .base_seq = (uint64_t)number_or_zero(result, at, 8),
        .source = PQgetvalue(result, at, 9),
        .step = number_or_zero(result, at, 10),
        .wall_us = number_or_zero(result, at, 11),
        .metadata =
            PQgetisnull(result, at, 12) ? NULL : PQgetvalue(result, at, 12),
        .checksum = (uint64_t)ss_pg_number_at(result, at, 13),
        .body = PQgetvalue(result, at, 14),
        .body_size = (size_t)PQgetlength(result, at, 14),
    };
    reader->next = row.seq + 1;
    return reader->row(reader->ctx, &row);
}

int ss_pg_read(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct row_reader reader = {
        .thread = thread, .next = range[0], .row = row, .ctx = ctx};
    int lost = 0;
    for (;;) {
        struct ss_pg_params params = {0};
        ss_pg_params_text(&params, thread);
        ss_pg_params_number(&params, (int64_t)reader.next);
        ss_pg_params_number(&params, (int64_t)range[1]);
        ss_pg_params_number(&params, SS_STORE_PAGE_ROWS);
        struct ss_pg_page page = {
            .query = {.sql = "SELECT seq, kind, format, run, ns, checkpoint_id,"
                             " parent_id, parent_seq, base_seq, source, step,"
                             " wall_us, metadata, checksum, body FROM @journal"
                             " WHERE thread = $1::text AND seq BETWEEN"
                             " $2::bigint AND $3::bigint ORDER BY seq"
                             " LIMIT $4::bigint",
                .params = &params,
                .what = "read"},
            .call = row_call,
            .reader = &reader};
        int stopped = SS_OK;
        int status = ss_pg_page_read(store, &page, &stopped, error);
        if (stopped != SS_OK) {
            return stopped;
        }
        if (status == SS_EAGAIN && ++lost < SS_PG_READ_TRIES_MAX) {
            continue;
        }
        if (status != SS_OK || page.rows < SS_STORE_PAGE_ROWS) {
            return ss_pg_give_up(status, error);
        }
    }
}

// --- which threads there are ------------------------------------------------

// Looked for in the indexes one by one: a thread may have a great many rows.
static const char known[] =
    "SELECT p.n FROM unnest($1::text[]) WITH ORDINALITY AS p (thread, n)"
    " WHERE EXISTS (SELECT FROM @threads t WHERE t.key = p.thread) OR EXISTS"
    " (SELECT FROM @journal j WHERE j.thread = p.thread)";

static int known_call(void *ctx, const PGresult *result, int at)
{
    bool *is_known = ctx;
    is_known[ss_pg_number_at(result, at, 0) - 1] = true;
    return SS_OK;
}

int ss_pg_known(struct ss_store *base, const char *const *threads, size_t count,
    bool *ret_known, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_params params = {0};
    struct ss_pg_array names;
    ss_pg_array_init(&names, SS_PG_TEXT);
    for (size_t i = 0; i < count; i++) {
        ss_pg_array_text(&names, threads[i]);
    }
    ss_pg_params_array(&params, &names);
    struct ss_pg_page page = {
        .query = {.sql = known, .params = &params, .what = "look for threads"},
        .call = known_call,
        .reader = ret_known};
    int status = SS_EAGAIN, stopped = SS_OK;
    for (int i = 0; i < SS_PG_READ_TRIES_MAX && status == SS_EAGAIN; i++) {
        status = ss_pg_page_read(store, &page, &stopped, error);
    }
    ss_pg_params_fini(&params);
    return ss_pg_give_up(status, error);
}

// --- entries ----------------------------------------------------------------

struct entry_reader {
    char *after; // owned
    size_t left;
    ss_store_entry_fn *entry;
    void *ctx;
};

static int entry_call(void *ctx, const PGresult *result, int at)
{
    struct entry_reader *reader = ctx;
    const char *key = PQgetvalue(result, at, 0);
    ss_free(reader->after);
    reader->after = ss_strdup(key);
    reader->left -= reader->left != SIZE_MAX;
    return reader->entry(reader->ctx, key,
        PQgetisnull(result, at, 1) ? NULL : PQgetvalue(result, at, 1),
        PQgetvalue(result, at, 2), (size_t)PQgetlength(result, at, 2),
        ss_pg_number_at(result, at, 3));
}

#define ENTRIES "SELECT key, index_key, value, expires_us FROM @# t WHERE "
#define THREADS                                                                \
    "SELECT key, CASE WHEN EXISTS (SELECT FROM @open_runs o WHERE"             \
    " o.index_key = t.key) THEN '" SS_STORE_BUSY "' ELSE index_key END,"       \
    " value, expires_us FROM @# t WHERE "
#define BY_INDEX                                                               \
    "t.index_key = $3::text AND key > $1::text ORDER BY key LIMIT $2::bigint"
#define BY_KEY "key > $1::text ORDER BY key LIMIT $2::bigint"

// Of threads or of others, of an index or of all.
static const char *const scans[2][2] = {
    {ENTRIES BY_KEY, ENTRIES BY_INDEX}, {THREADS BY_KEY, THREADS BY_INDEX}};

static int entries_read(struct ss_pg_store *store,
    const struct ss_entry_query *query, struct entry_reader *reader,
    struct ss_error *error)
{
    int lost = 0;
    for (;;) {
        struct ss_pg_params params = {0};
        size_t wanted = reader->left < SS_STORE_PAGE_ROWS ? reader->left
                                                          : SS_STORE_PAGE_ROWS;
        char *after = ss_strdup(reader->after);
        ss_pg_params_text(&params, after);
        ss_pg_params_number(&params, (int64_t)wanted);
        if (query->index) {
            ss_pg_params_text(&params, query->index);
        }
        struct ss_pg_page page = {
            .query = {.sql = scans[query->table == SS_TABLE_THREADS]
                                  [query->index != NULL],
                .table = query->table,
                .params = &params,
                .what = "scan"},
            .call = entry_call,
            .reader = reader};
        int stopped = SS_OK;
        int status = ss_pg_page_read(store, &page, &stopped, error);
        ss_free(after);
        if (stopped != SS_OK) {
            return stopped;
        }
        if (status == SS_EAGAIN && ++lost < SS_PG_READ_TRIES_MAX) {
            continue;
        }
        if (status != SS_OK || (size_t)page.rows < wanted ||
            reader->left == 0) {
            return ss_pg_give_up(status, error);
        }
    }
}

int ss_pg_scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    struct entry_reader reader = {
        .after = ss_strdup(query->after ? query->after : ""),
        .left = query->limit,
        .entry = entry,
        .ctx = ctx};
    int status =
        entries_read((struct ss_pg_store *)base, query, &reader, error);
    ss_free(reader.after);
    return status;
}

int ss_pg_get(struct ss_store *base, enum ss_store_table table, const char *key,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct entry_reader reader = {.left = 1, .entry = entry, .ctx = ctx};
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, key);
    struct ss_pg_page page = {.query = {.sql = ENTRIES "key = $1::text",
                                  .table = table,
                                  .params = &params,
                                  .what = "get"},
        .call = entry_call,
        .reader = &reader};
    int status = SS_EAGAIN;
    int stopped = SS_OK;
    for (int i = 0;
         i < SS_PG_READ_TRIES_MAX && status == SS_EAGAIN && reader.left; i++) {
        status = ss_pg_page_read(store, &page, &stopped, error);
    }
    ss_free(reader.after);
    if (reader.left == 0) {
        return stopped;
    }
    if (status != SS_OK) {
        return ss_pg_give_up(status, error);
    }
    return ss_error_set(error, SS_ENOTFOUND, "store: there is no %s", key);
}

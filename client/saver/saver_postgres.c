// saver_postgres.c - checkpoints, checkpoint_blobs and checkpoint_writes.
//
// All columns travel in binary form; those that are neither text nor bytea are
// cast to text.
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/saver/saver_impl.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/reserved.h"

enum { PARAMS_MAX = 9, BYTEA = 17 };

struct postgres_saver {
    struct ss_saver base;
    PGconn *conn;
    const char *path; // of a write: a column that older tables do not have
    bool is_shallow;  // ShallowPostgresSaver's: one checkpoint of a namespace
};

static struct postgres_saver *mine(struct ss_saver *saver)
{
    return (struct postgres_saver *)saver;
}

// ---------------------------------------------------------------- statements

struct param {
    const char *text; // NULL: `bytes`, or SQL NULL
    const void *bytes;
    size_t size;
};

// An error with the first line of the server's, or libpq's, message.
static int failed(const struct postgres_saver *saver, const PGresult *result,
    const char *what, struct ss_error *error)
{
    const char *text = result ? PQresultErrorMessage(result) : NULL;
    if (!text || !text[0])
        text = PQerrorMessage(saver->conn);
    return ss_error_set(
        error, SS_EIO, "%s: %.*s", what, (int)strcspn(text, "\n"), text);
}

// Gives *ret_result (may be NULL: the result is cleared here).
static int query(struct postgres_saver *saver, const char *what,
    const char *sql, const struct param *params, size_t count,
    PGresult **ret_result, struct ss_error *error)
{
    const char *values[PARAMS_MAX];
    int sizes[PARAMS_MAX], formats[PARAMS_MAX];
    Oid types[PARAMS_MAX];
    ss_check(count <= PARAMS_MAX);
    for (size_t i = 0; i < count; i++) {
        types[i] = params[i].bytes ? BYTEA : 0;
        values[i] = params[i].bytes ? params[i].bytes : params[i].text;
        sizes[i] = (int)params[i].size; // below SS_LANGGRAPH_VALUE_MAX
        formats[i] = params[i].bytes != NULL;
    }
    PGresult *result = PQexecParams(
        saver->conn, sql, (int)count, types, values, sizes, formats, 1);
    ExecStatusType is = PQresultStatus(result);
    int status = is == PGRES_TUPLES_OK || is == PGRES_COMMAND_OK
                     ? SS_OK
                     : failed(saver, result, what, error);
    if (status == SS_OK && ret_result)
        *ret_result = result;
    else
        PQclear(result);
    return status;
}

static int execute(
    struct postgres_saver *saver, const char *sql, struct ss_error *error)
{
    PGresult *result = PQexec(saver->conn, sql);
    ExecStatusType is = PQresultStatus(result);
    int status = is == PGRES_TUPLES_OK || is == PGRES_COMMAND_OK
                     ? SS_OK
                     : failed(saver, result, "postgres", error);
    PQclear(result);
    return status;
}

static const char *text_at(const PGresult *result, int row, int column)
{
    return PQgetvalue(result, row, column);
}

static size_t size_at(const PGresult *result, int row, int column)
{
    return (size_t)PQgetlength(result, row, column);
}

// ---------------------------------------------------------------- reading

typedef int row_fn(
    void *ctx, const PGresult *result, int row, struct ss_error *error);

// What the query finds in the table, row by row; it ends with the first error.
static int each_row(struct postgres_saver *saver, const char *table,
    const char *sql, const struct param *place, row_fn *take, void *ctx,
    struct ss_error *error)
{
    PGresult *result = NULL;
    int status = query(saver, table, sql, place, place ? 3 : 0, &result, error);
    for (int row = 0; status == SS_OK && row < PQntuples(result); row++)
        status = take(ctx, result, row, error);
    PQclear(result); // NULL after a failure
    return status;
}

static int take_name(
    void *ctx, const PGresult *result, int row, struct ss_error *error)
{
    json_t *name = json_string(text_at(result, row, 0));
    if (!name)
        return ss_error_set(error, SS_EFORMAT,
            "table checkpoints: column thread_id: a text that is not UTF-8");
    json_array_append_new(ctx, name);
    return SS_OK;
}

static int list_threads(
    struct ss_saver *saver, json_t **ret_threads, struct ss_error *error)
{
    json_t *list = json_array();
    int status = each_row(mine(saver), "table checkpoints",
        "SELECT DISTINCT thread_id COLLATE \"C\" FROM checkpoints ORDER BY 1",
        NULL, take_name, list, error);
    if (status == SS_OK)
        *ret_threads = list;
    else
        json_decref(list);
    return status;
}

// The id of a checkpoint, in its table.
static const char *id_of(const struct postgres_saver *saver)
{
    return saver->is_shallow ? "checkpoint ->> 'id'" : "checkpoint_id";
}

// What the rows of one checkpoint are put into.
struct saved {
    json_t *json;
    size_t weight; // of the values so far
};

static int take_blob(
    void *ctx, const PGresult *result, int row, struct ss_error *error)
{
    struct saved *saved = ctx;
    const char *channel = text_at(result, row, 0);
    int status = ss_saver_weigh(&saved->weight, size_at(result, row, 2), error);
    if (status == SS_OK)
        status = ss_record_value(saved->json, channel, text_at(result, row, 1),
            text_at(result, row, 2), size_at(result, row, 2), error);
    if (status != SS_OK)
        ss_error_wrap(error,
            "table checkpoint_blobs: channel %.100s: column blob", channel);
    return status;
}

static int read_blobs(struct postgres_saver *saver, const struct param *place,
    struct saved *saved, struct ss_error *error)
{
    char *sql = ss_format(
        "SELECT b.channel, coalesce(b.type, ''), b.blob FROM checkpoints c"
        " CROSS JOIN LATERAL jsonb_each_text(c.checkpoint ->"
        " 'channel_versions') v JOIN checkpoint_blobs b"
        " ON b.thread_id = c.thread_id AND b.checkpoint_ns = c.checkpoint_ns"
        " AND b.channel = v.key%s WHERE c.thread_id = $1"
        " AND c.checkpoint_ns = $2 AND c.%s = $3",
        saver->is_shallow ? "" : " AND b.version = v.value", id_of(saver));
    int status = each_row(
        saver, "table checkpoint_blobs", sql, place, take_blob, saved, error);
    ss_free(sql);
    return status;
}

static int take_write(
    void *ctx, const PGresult *result, int row, struct ss_error *error)
{
    struct saved *saved = ctx;
    int status = ss_saver_weigh(&saved->weight, size_at(result, row, 5), error);
    if (status != SS_OK)
        return status;
    const struct ss_record_write write = {.task_id = text_at(result, row, 0),
        .path = text_at(result, row, 1),
        .idx = strtoll(text_at(result, row, 2), NULL, 10),
        .channel = text_at(result, row, 3),
        .tag = text_at(result, row, 4),
        .bytes = text_at(result, row, 5),
        .size = size_at(result, row, 5)};
    status = ss_record_write(saved->json, &write, error);
    if (status != SS_OK)
        ss_error_wrap(error,
            "table checkpoint_writes: task_id %.40s, idx %lld, channel "
            "%.100s: column blob",
            write.task_id, (long long)write.idx, write.channel);
    return status;
}

static int read_writes(struct postgres_saver *saver, const struct param *place,
    struct saved *saved, struct ss_error *error)
{
    char *sql =
        ss_format("SELECT task_id, %s, idx::text, channel, coalesce(type, ''),"
                  " blob FROM checkpoint_writes WHERE thread_id = $1 AND"
                  " checkpoint_ns = $2 AND checkpoint_id = $3"
                  " ORDER BY %s COLLATE \"C\", task_id COLLATE \"C\","
                  " checkpoint_writes.idx",
            saver->path, saver->path);
    int status = each_row(
        saver, "table checkpoint_writes", sql, place, take_write, saved, error);
    ss_free(sql);
    return status;
}

static int take_send(
    void *ctx, const PGresult *result, int row, struct ss_error *error)
{
    struct saved *saved = ctx;
    json_t *send = NULL;
    int status = ss_typed_decode(SS_NAME_TASKS, true, text_at(result, row, 0),
        text_at(result, row, 1), size_at(result, row, 1), &send, error);
    if (status == SS_OK)
        json_array_append_new(saved->json, send);
    return status;
}

// A shallow saver keeps the parent's writes, and not the parent: what was sent
// before format 4 is among those.
static int read_sends(struct postgres_saver *saver, const struct param *place,
    json_t *json, struct ss_error *error)
{
    if (!saver->is_shallow || !json_object_get(json, "v"))
        return SS_OK;
    struct saved sends = {.json = json_array()};
    char *sql = ss_format(
        "SELECT coalesce(type, ''), blob FROM checkpoint_writes WHERE"
        " thread_id = $1 AND checkpoint_ns = $2 AND checkpoint_id <> $3"
        " AND channel = '" SS_NAME_TASKS "'"
        " ORDER BY %s COLLATE \"C\", task_id COLLATE \"C\","
        " checkpoint_writes.idx",
        saver->path);
    int status = each_row(
        saver, "table checkpoint_writes", sql, place, take_send, &sends, error);
    json_object_set_new(json, "pending_sends", sends.json);
    ss_free(sql);
    return status;
}

static int read_record(struct postgres_saver *saver, const struct param *place,
    json_t **ret_saved, struct ss_error *error)
{
    char *sql = ss_format("SELECT %s, checkpoint::text,"
                          " metadata::text FROM checkpoints WHERE"
                          " thread_id = $1 AND checkpoint_ns = $2 AND %s = $3",
        saver->is_shallow ? "''" : "coalesce(parent_checkpoint_id, '')",
        id_of(saver));
    PGresult *result = NULL;
    int status =
        query(saver, "table checkpoints", sql, place, 3, &result, error);
    ss_free(sql);
    if (status != SS_OK)
        return status;
    if (PQntuples(result) == 1) {
        const struct ss_record record = {.ns = place[1].text,
            .id = place[2].text,
            .parent = text_at(result, 0, 0),
            .tag = "json",
            .bytes = text_at(result, 0, 1),
            .size = size_at(result, 0, 1),
            .metadata = text_at(result, 0, 2),
            .metadata_size = size_at(result, 0, 2)};
        status = ss_record_open(&record, ret_saved, error);
        if (status != SS_OK)
            ss_error_wrap(error, "table checkpoints");
    } else {
        status = ss_error_set(error, SS_EAGAIN, "it went while it was read");
    }
    PQclear(result);
    return status;
}

static int read_one(struct postgres_saver *saver, const char *thread,
    const char *ns, const char *id, json_t **ret_saved, struct ss_error *error)
{
    const struct param place[] = {{.text = thread}, {.text = ns}, {.text = id}};
    struct saved saved = {0};
    int status = read_record(saver, place, &saved.json, error);
    if (status == SS_OK)
        status = read_blobs(saver, place, &saved, error);
    if (status == SS_OK)
        status = read_writes(saver, place, &saved, error);
    if (status == SS_OK)
        status = read_sends(saver, place, saved.json, error);
    if (status == SS_OK) {
        *ret_saved = saved.json;
        return SS_OK;
    }
    ss_error_wrap(error, "checkpoint %.40s, namespace \"%.100s\"", id, ns);
    json_decref(saved.json);
    return status;
}

static int read_all(struct postgres_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error)
{
    PGresult *list = NULL;
    const struct param of[] = {{.text = thread}};
    char *sql = ss_format("SELECT checkpoint_ns, %s AS id FROM checkpoints"
                          " WHERE thread_id = $1 ORDER BY 2, checkpoint_ns"
                          " COLLATE \"C\"",
        saver->is_shallow ? "(checkpoint ->> 'id') COLLATE \"C\""
                          : "checkpoint_id COLLATE \"C\"");
    int status = query(saver, "table checkpoints", sql, of, 1, &list, error);
    ss_free(sql);
    if (status != SS_OK)
        return status;
    if (PQntuples(list) == 0)
        status = ss_error_set(
            error, SS_ENOTFOUND, "there is no thread \"%.200s\"", thread);
    for (int row = 0; row < PQntuples(list) && status == SS_OK; row++) {
        json_t *saved = NULL;
        status = read_one(saver, thread, text_at(list, row, 0),
            text_at(list, row, 1), &saved, error);
        if (status == SS_OK)
            status = each(ctx, saved, error);
    }
    PQclear(list);
    return status;
}

static int read_thread(struct ss_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error)
{
    struct postgres_saver *own = mine(saver);
    int status =
        execute(own, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", error);
    if (status == SS_OK)
        status = read_all(own, thread, each, ctx, error);
    ss_saver_rollback(saver);
    return status;
}

// ---------------------------------------------------------------- writing

static void roll_back(struct ss_saver *saver)
{
    if (PQtransactionStatus(mine(saver)->conn) != PQTRANS_IDLE)
        PQclear(PQexec(mine(saver)->conn, "ROLLBACK"));
}

static const char *const tables[] = {
    "checkpoints", "checkpoint_blobs", "checkpoint_writes"};

static int clear_thread(struct postgres_saver *saver, const char *thread,
    bool replace, struct ss_error *error)
{
    const struct param of[] = {{.text = thread}};
    int status = SS_OK;
    for (size_t i = 0; i < 3 && status == SS_OK; i++) {
        PGresult *result = NULL;
        char *sql = ss_format("DELETE FROM %s WHERE thread_id = $1", tables[i]);
        status = query(saver, tables[i], sql, of, 1, &result, error);
        ss_free(sql);
        if (status == SS_OK && !replace &&
            strcmp(PQcmdTuples(result), "0") != 0)
            status = ss_error_set(error, SS_EEXISTS,
                "thread \"%.200s\" has rows there already", thread);
        PQclear(result);
    }
    return status;
}

// Rows that were deleted although none should be there come back with the
// rollback.
static int begin(struct ss_saver *saver, const char *thread, bool replace,
    struct ss_error *error)
{
    int status = execute(mine(saver), "BEGIN", error);
    if (status == SS_OK)
        status = clear_thread(mine(saver), thread, replace, error);
    if (status != SS_OK)
        roll_back(saver);
    return status;
}

static int write_blob(struct postgres_saver *saver, const char *thread,
    const struct ss_record_rows *rows, const struct ss_record_blob *blob,
    struct ss_error *error)
{
    const struct param params[] = {{.text = thread}, {.text = rows->ns},
        {.text = blob->channel}, {.text = blob->version}, {.text = blob->tag},
        {.bytes = blob->size ? blob->bytes : "", .size = blob->size}};
    return query(saver, "table checkpoint_blobs",
        "INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel,"
        " version, type, blob) VALUES ($1, $2, $3, $4, $5, $6)",
        params, 6, NULL, error);
}

static int write_write(struct postgres_saver *saver, const char *thread,
    const struct ss_record_rows *rows, const struct ss_record_blob *write,
    struct ss_error *error)
{
    char idx[16];
    snprintf(idx, sizeof(idx), "%d", (int)write->idx);
    const struct param params[] = {{.text = thread}, {.text = rows->ns},
        {.text = rows->id}, {.text = write->task_id}, {.text = write->path},
        {.text = idx}, {.text = write->channel}, {.text = write->tag},
        {.bytes = write->size ? write->bytes : "", .size = write->size}};
    return query(saver, "table checkpoint_writes",
        "INSERT INTO checkpoint_writes (thread_id, checkpoint_ns,"
        " checkpoint_id, task_id, task_path, idx, channel, type, blob)"
        " VALUES ($1, $2, $3, $4, $5, $6::integer, $7, $8, $9)",
        params, 9, NULL, error);
}

static int write_rows(struct ss_saver *saver, const char *thread,
    const struct ss_record_rows *rows, struct ss_error *error)
{
    struct postgres_saver *own = mine(saver);
    const struct param params[] = {{.text = thread}, {.text = rows->ns},
        {.text = rows->id}, {.text = rows->parent}, {.text = rows->checkpoint},
        {.text = rows->metadata}};
    int status = query(own, "table checkpoints",
        "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
        " parent_checkpoint_id, checkpoint, metadata)"
        " VALUES ($1, $2, $3, $4, $5::jsonb, $6::jsonb)",
        params, 6, NULL, error);
    for (size_t i = 0; i < rows->blobs.count && status == SS_OK; i++)
        status = write_blob(own, thread, rows, &rows->blobs.items[i], error);
    for (size_t i = 0; i < rows->writes.count && status == SS_OK; i++)
        status = write_write(own, thread, rows, &rows->writes.items[i], error);
    return status;
}

static int commit(struct ss_saver *saver, struct ss_error *error)
{
    int status = execute(mine(saver), "COMMIT", error);
    roll_back(saver);
    return status;
}

// ---------------------------------------------------------------- opening

// The tables that LangGraph's own setup() makes, with the numbers of its
// migrations. Where setup() ran already, these statements do nothing.
static const char setup[] =
    "BEGIN;"
    "CREATE TABLE IF NOT EXISTS checkpoint_migrations (v INTEGER PRIMARY KEY);"
    "CREATE TABLE IF NOT EXISTS checkpoints (thread_id TEXT NOT NULL,"
    " checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,"
    " parent_checkpoint_id TEXT, type TEXT, checkpoint JSONB NOT NULL,"
    " metadata JSONB NOT NULL DEFAULT '{}',"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
    "CREATE TABLE IF NOT EXISTS checkpoint_blobs (thread_id TEXT NOT NULL,"
    " checkpoint_ns TEXT NOT NULL DEFAULT '', channel TEXT NOT NULL,"
    " version TEXT NOT NULL, type TEXT NOT NULL, blob BYTEA,"
    " PRIMARY KEY (thread_id, checkpoint_ns, channel, version));"
    "CREATE TABLE IF NOT EXISTS checkpoint_writes (thread_id TEXT NOT NULL,"
    " checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,"
    " task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL,"
    " type TEXT, blob BYTEA NOT NULL, task_path TEXT NOT NULL DEFAULT '',"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));"
    "CREATE INDEX IF NOT EXISTS checkpoints_thread_id_idx"
    " ON checkpoints (thread_id);"
    "CREATE INDEX IF NOT EXISTS checkpoint_blobs_thread_id_idx"
    " ON checkpoint_blobs (thread_id);"
    "CREATE INDEX IF NOT EXISTS checkpoint_writes_thread_id_idx"
    " ON checkpoint_writes (thread_id);"
    "INSERT INTO checkpoint_migrations (v) SELECT generate_series(0, 9)"
    " WHERE NOT EXISTS (SELECT 1 FROM checkpoint_migrations);"
    "COMMIT";

static bool has(
    struct postgres_saver *saver, const char *table, const char *column)
{
    struct ss_error ignored;
    const struct param place[] = {{.text = table}, {.text = column}};
    PGresult *result = NULL;
    int status = query(saver, table,
        "SELECT 1 FROM pg_attribute WHERE attrelid = $1::regclass AND"
        " attname = $2 AND NOT attisdropped",
        place, 2, &result, &ignored);
    bool there = status == SS_OK && PQntuples(result) == 1;
    PQclear(result); // NULL after a failure
    return there;
}

static int look(
    struct postgres_saver *saver, bool to_write, struct ss_error *error)
{
    int status = execute(saver,
        "SET client_min_messages = error;"
        " SET client_encoding = 'UTF8'",
        error);
    if (status == SS_OK && to_write)
        status = execute(saver, setup, error);
    if (status != SS_OK)
        return status;
    status = execute(saver,
        "SELECT c.metadata, b.blob, w.idx FROM checkpoints c,"
        " checkpoint_blobs b, checkpoint_writes w LIMIT 0",
        error);
    if (status != SS_OK) {
        ss_error_wrap(error,
            "the tables of LangGraph's PostgresSaver (its setup() makes them)");
        return SS_ENOTFOUND;
    }
    saver->is_shallow = !has(saver, "checkpoints", "checkpoint_id");
    // LangGraph.js has no task_path, and Python had none before 2025
    bool has_path = has(saver, "checkpoint_writes", "task_path");
    saver->path = has_path ? "task_path" : "''::text";
    if (!to_write || (has_path && !saver->is_shallow))
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "its tables are those of %s: export into tables of PostgresSaver's, in "
        "another database or schema",
        saver->is_shallow ? "ShallowPostgresSaver, which keeps no history"
                          : "LangGraph.js, or of a PostgresSaver older than "
                            "2025");
}

static void close_saver(struct ss_saver *saver)
{
    PQfinish(mine(saver)->conn); // an open transaction is rolled back
    ss_free(mine(saver));
}

static const struct ss_saver_table table = {.layout = SS_RECORD_SPLIT,
    .close = close_saver,
    .threads = list_threads,
    .read = read_thread,
    .begin = begin,
    .write = write_rows,
    .commit = commit,
    .rollback = roll_back};

int ss_saver_postgres_open(const char *dsn, bool to_write,
    struct ss_saver **ret_saver, struct ss_error *error)
{
    struct postgres_saver *saver = ss_zalloc(1, sizeof(*saver));
    saver->base.table = &table;
    saver->conn = PQconnectdb(dsn);
    int status = PQstatus(saver->conn) == CONNECTION_OK
                     ? look(saver, to_write, error)
                     : failed(saver, NULL, "postgres", error);
    if (status != SS_OK) {
        close_saver(&saver->base);
        return status;
    }
    *ret_saver = &saver->base;
    return SS_OK;
}

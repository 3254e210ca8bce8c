// saver_sqlite.c - checkpoints and writes in one SQLite file.
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "client/saver/saver_impl.h"
#include "common/base/check.h"
#include "common/base/mem.h"

enum { BUSY_MS = 10000 };

struct sqlite_saver {
    struct ss_saver base;
    sqlite3 *db;
    bool has_path; // the column task_path is there
    bool is_open;  // a transaction
};

// The tables as LangGraph's own setup makes them, by name.
static const char schema[] =
    "PRAGMA journal_mode = WAL;"
    "CREATE TABLE IF NOT EXISTS checkpoints (thread_id TEXT NOT NULL,"
    " checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,"
    " parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
    "CREATE TABLE IF NOT EXISTS writes (thread_id TEXT NOT NULL,"
    " checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,"
    " task_id TEXT NOT NULL, task_path TEXT NOT NULL DEFAULT '',"
    " idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,"
    " PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));";

static struct sqlite_saver *mine(struct ss_saver *saver)
{
    return (struct sqlite_saver *)saver;
}

static int failed(
    struct sqlite_saver *saver, const char *what, struct ss_error *error)
{
    return ss_error_set(
        error, SS_EIO, "%s: %s", what, sqlite3_errmsg(saver->db));
}

static int execute(
    struct sqlite_saver *saver, const char *sql, struct ss_error *error)
{
    return sqlite3_exec(saver->db, sql, NULL, NULL, NULL) == SQLITE_OK
               ? SS_OK
               : failed(saver, "sqlite", error);
}

static int prepare(struct sqlite_saver *saver, const char *sql,
    sqlite3_stmt **ret_statement, struct ss_error *error)
{
    return sqlite3_prepare_v2(saver->db, sql, -1, ret_statement, NULL) ==
                   SQLITE_OK
               ? SS_OK
               : failed(saver, "sqlite", error);
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
    if (text)
        ss_check(sqlite3_bind_text(statement, place, text, -1,
                     SQLITE_TRANSIENT) != SQLITE_MISUSE);
    else
        ss_check(sqlite3_bind_null(statement, place) == SQLITE_OK);
}

static void bind_bytes(
    sqlite3_stmt *statement, int place, const void *bytes, size_t size)
{
    ss_check(sqlite3_bind_blob64(statement, place, size ? bytes : "", size,
                 SQLITE_TRANSIENT) != SQLITE_MISUSE);
}

static const char *text_of(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    return text ? text : "";
}

static size_t size_of(sqlite3_stmt *statement, int column)
{
    return (size_t)sqlite3_column_bytes(statement, column);
}

// The first `count` columns are names: a name with a NUL would be read as a
// shorter one.
static int check_names(
    sqlite3_stmt *statement, int count, struct ss_error *error)
{
    for (int i = 0; i < count; i++)
        if (strlen(text_of(statement, i)) != size_of(statement, i))
            return ss_error_set(error, SS_EFORMAT,
                "column %s: a name with a NUL in it",
                sqlite3_column_name(statement, i));
    return SS_OK;
}

// ---------------------------------------------------------------- reading

static int list_threads(
    struct ss_saver *saver, json_t **ret_threads, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    json_t *list = json_array();
    int step = SQLITE_DONE;
    int status = prepare(mine(saver),
        "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id",
        &statement, error);
    while (status == SS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        json_t *name = json_string(text_of(statement, 0));
        status = check_names(statement, 1, error);
        if (status == SS_OK && !name)
            status = ss_error_set(error, SS_EFORMAT,
                "column thread_id: a text that is not UTF-8");
        if (status != SS_OK)
            ss_error_wrap(error, "table checkpoints");
        json_array_append_new(list, name);
    }
    if (status == SS_OK && step != SQLITE_DONE)
        status = failed(mine(saver), "table checkpoints", error);
    sqlite3_finalize(statement);
    if (status == SS_OK)
        *ret_threads = list;
    else
        json_decref(list);
    return status;
}

// A row of `writes`: task_id, task_path, channel, type, idx, value.
static int take_write(sqlite3_stmt *statement, json_t *saved, size_t *weight,
    struct ss_error *error)
{
    const struct ss_record_write write = {.task_id = text_of(statement, 0),
        .path = text_of(statement, 1),
        .channel = text_of(statement, 2),
        .tag = text_of(statement, 3),
        .idx = sqlite3_column_int64(statement, 4),
        .bytes = sqlite3_column_blob(statement, 5),
        .size = size_of(statement, 5)};
    int status = check_names(statement, 4, error);
    if (status == SS_OK)
        status = ss_saver_weigh(weight, write.size, error);
    if (status == SS_OK) {
        status = ss_record_write(saved, &write, error);
        if (status != SS_OK)
            ss_error_wrap(error, "column value");
    }
    if (status != SS_OK)
        ss_error_wrap(error,
            "table writes: task_id %.40s, idx %lld, channel %.100s",
            write.task_id, (long long)write.idx, write.channel);
    return status;
}

static int read_writes(struct sqlite_saver *saver, const char *thread,
    const struct ss_record *record, json_t *saved, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_DONE;
    size_t weight = 0;
    int status = prepare(saver,
        saver->has_path
            ? "SELECT task_id, task_path, channel, type, idx, value FROM"
              " writes WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND"
              " checkpoint_id = ?3 ORDER BY task_path, task_id, idx"
            : "SELECT task_id, '', channel, type, idx, value FROM writes"
              " WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND"
              " checkpoint_id = ?3 ORDER BY task_id, idx",
        &statement, error);
    if (status == SS_OK) {
        bind_text(statement, 1, thread);
        bind_text(statement, 2, record->ns);
        bind_text(statement, 3, record->id);
    }
    while (status == SS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = take_write(statement, saved, &weight, error);
    if (status == SS_OK && step != SQLITE_DONE)
        status = failed(saver, "table writes", error);
    sqlite3_finalize(statement);
    return status;
}

// A row of `checkpoints`: ns, id, parent, type, checkpoint, metadata.
static int take_checkpoint(struct sqlite_saver *saver, const char *thread,
    sqlite3_stmt *statement, json_t **ret_saved, struct ss_error *error)
{
    json_t *saved = NULL;
    const struct ss_record record = {.ns = text_of(statement, 0),
        .id = text_of(statement, 1),
        .parent = text_of(statement, 2),
        .tag = text_of(statement, 3),
        .bytes = sqlite3_column_blob(statement, 4),
        .size = size_of(statement, 4),
        .metadata = text_of(statement, 5),
        .metadata_size = size_of(statement, 5)};
    int status = check_names(statement, 4, error);
    if (status == SS_OK)
        status = ss_record_open(&record, &saved, error);
    if (status != SS_OK)
        ss_error_wrap(error, "table checkpoints");
    else
        status = read_writes(saver, thread, &record, saved, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "checkpoint %.40s, namespace \"%.100s\"",
            record.id, record.ns);
        json_decref(saved);
        return status;
    }
    *ret_saved = saved;
    return SS_OK;
}

static int read_checkpoints(struct sqlite_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_DONE;
    size_t count = 0;
    int status = prepare(saver,
        "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,"
        " checkpoint, metadata FROM checkpoints WHERE thread_id = ?1"
        " ORDER BY checkpoint_id, checkpoint_ns",
        &statement, error);
    if (status == SS_OK)
        bind_text(statement, 1, thread);
    while (status == SS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        json_t *saved = NULL;
        status = take_checkpoint(saver, thread, statement, &saved, error);
        if (status == SS_OK)
            status = each(ctx, saved, error);
        count++;
    }
    if (status == SS_OK && step != SQLITE_DONE)
        status = failed(saver, "table checkpoints", error);
    sqlite3_finalize(statement);
    if (status == SS_OK && count == 0)
        status = ss_error_set(
            error, SS_ENOTFOUND, "there is no thread \"%.200s\"", thread);
    return status;
}

static int read_thread(struct ss_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error)
{
    struct sqlite_saver *own = mine(saver);
    int status = execute(own, "BEGIN", error);
    if (status != SS_OK)
        return status;
    status = read_checkpoints(own, thread, each, ctx, error);
    sqlite3_exec(own->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

// ---------------------------------------------------------------- writing

static int delete_rows(
    struct sqlite_saver *saver, const char *thread, struct ss_error *error)
{
    static const char *const sql[] = {
        "DELETE FROM checkpoints WHERE thread_id = ?1",
        "DELETE FROM writes WHERE thread_id = ?1"};
    int status = SS_OK;
    for (size_t i = 0; i < 2 && status == SS_OK; i++) {
        sqlite3_stmt *statement = NULL;
        status = prepare(saver, sql[i], &statement, error);
        if (status == SS_OK) {
            bind_text(statement, 1, thread);
            if (sqlite3_step(statement) != SQLITE_DONE)
                status = failed(saver, "sqlite", error);
        }
        sqlite3_finalize(statement);
    }
    return status;
}

static int count_rows(struct sqlite_saver *saver, const char *thread,
    bool *ret_any, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = prepare(saver,
        "SELECT EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = ?1) OR"
        " EXISTS (SELECT 1 FROM writes WHERE thread_id = ?1)",
        &statement, error);
    if (status == SS_OK) {
        bind_text(statement, 1, thread);
        if (sqlite3_step(statement) == SQLITE_ROW)
            *ret_any = sqlite3_column_int(statement, 0) != 0;
        else
            status = failed(saver, "sqlite", error);
    }
    sqlite3_finalize(statement);
    return status;
}

static void roll_back(struct ss_saver *saver)
{
    struct sqlite_saver *own = mine(saver);
    if (own->is_open)
        sqlite3_exec(own->db, "ROLLBACK", NULL, NULL, NULL);
    own->is_open = false;
}

static int begin(struct ss_saver *saver, const char *thread, bool replace,
    struct ss_error *error)
{
    struct sqlite_saver *own = mine(saver);
    bool any = false;
    int status = execute(own, "BEGIN IMMEDIATE", error);
    if (status != SS_OK)
        return status;
    own->is_open = true;
    status = count_rows(own, thread, &any, error);
    if (status == SS_OK && any && !replace)
        status = ss_error_set(error, SS_EEXISTS,
            "thread \"%.200s\" has rows there already", thread);
    if (status == SS_OK && any)
        status = delete_rows(own, thread, error);
    if (status != SS_OK)
        roll_back(saver);
    return status;
}

static int run_once(struct sqlite_saver *saver, sqlite3_stmt *statement,
    const char *what, struct ss_error *error)
{
    int status = sqlite3_step(statement) == SQLITE_DONE
                     ? SS_OK
                     : failed(saver, what, error);
    sqlite3_finalize(statement);
    return status;
}

static int write_one(struct sqlite_saver *saver, const char *thread,
    const struct ss_record_rows *rows, const struct ss_record_blob *write,
    struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status = prepare(saver,
        saver->has_path
            ? "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id,"
              " task_id, idx, channel, type, value, task_path)"
              " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            : "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id,"
              " task_id, idx, channel, type, value)"
              " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        &statement, error);
    if (status != SS_OK)
        return status;
    bind_text(statement, 1, thread);
    bind_text(statement, 2, rows->ns);
    bind_text(statement, 3, rows->id);
    bind_text(statement, 4, write->task_id);
    ss_check(sqlite3_bind_int(statement, 5, write->idx) == SQLITE_OK);
    bind_text(statement, 6, write->channel);
    bind_text(statement, 7, write->tag);
    bind_bytes(statement, 8, write->bytes, write->size);
    if (saver->has_path)
        bind_text(statement, 9, write->path);
    return run_once(saver, statement, "table writes", error);
}

static int write_rows(struct ss_saver *saver, const char *thread,
    const struct ss_record_rows *rows, struct ss_error *error)
{
    struct sqlite_saver *own = mine(saver);
    sqlite3_stmt *statement = NULL;
    int status = prepare(own,
        "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
        " parent_checkpoint_id, type, checkpoint, metadata)"
        " VALUES (?1, ?2, ?3, ?4, 'msgpack', ?5, ?6)",
        &statement, error);
    if (status != SS_OK)
        return status;
    bind_text(statement, 1, thread);
    bind_text(statement, 2, rows->ns);
    bind_text(statement, 3, rows->id);
    bind_text(statement, 4, rows->parent);
    bind_bytes(statement, 5, rows->checkpoint, rows->size);
    bind_bytes(statement, 6, rows->metadata, strlen(rows->metadata));
    status = run_once(own, statement, "table checkpoints", error);
    for (size_t i = 0; i < rows->writes.count && status == SS_OK; i++)
        status = write_one(own, thread, rows, &rows->writes.items[i], error);
    return status;
}

static int commit(struct ss_saver *saver, struct ss_error *error)
{
    int status = execute(mine(saver), "COMMIT", error);
    if (status == SS_OK)
        mine(saver)->is_open = false;
    else
        roll_back(saver);
    return status;
}

// ---------------------------------------------------------------- opening

static void close_saver(struct ss_saver *saver)
{
    roll_back(saver);
    sqlite3_close(mine(saver)->db);
    ss_free(mine(saver));
}

static bool has(struct sqlite_saver *saver, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    bool there =
        sqlite3_prepare_v2(saver->db, sql, -1, &statement, NULL) == SQLITE_OK;
    sqlite3_finalize(statement);
    return there;
}

static const struct ss_saver_table table = {.layout = SS_RECORD_WHOLE,
    .close = close_saver,
    .threads = list_threads,
    .read = read_thread,
    .begin = begin,
    .write = write_rows,
    .commit = commit,
    .rollback = roll_back};

// LangGraph.js has the same tables, and reads nothing but JSON.
static int check_reader(struct sqlite_saver *saver, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int status =
        prepare(saver, "SELECT 1 FROM checkpoints WHERE type = 'json' LIMIT 1",
            &statement, error);
    if (status == SS_OK && sqlite3_step(statement) == SQLITE_ROW)
        status = ss_error_set(error, SS_EINVAL,
            "it has rows of LangGraph.js, which could not read what is "
            "written here: export into another file");
    sqlite3_finalize(statement);
    return status;
}

static int look(
    struct sqlite_saver *saver, bool to_write, struct ss_error *error)
{
    sqlite3_busy_timeout(saver->db, BUSY_MS);
    // Views and triggers of a foreign file are not to be trusted.
    sqlite3_db_config(saver->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    int status = to_write ? execute(saver, schema, error) : SS_OK;
    if (status == SS_OK &&
        (!has(saver, "SELECT thread_id, checkpoint_ns, checkpoint_id,"
                     " parent_checkpoint_id, type, checkpoint, metadata"
                     " FROM checkpoints") ||
            !has(saver, "SELECT task_id, idx, channel, type, value"
                        " FROM writes")))
        status = ss_error_set(error, SS_ENOTFOUND,
            "the tables of LangGraph's SqliteSaver are not there (%s)",
            sqlite3_errmsg(saver->db));
    saver->has_path = has(saver, "SELECT task_path FROM writes");
    return status == SS_OK && to_write ? check_reader(saver, error) : status;
}

int ss_saver_sqlite_open(const char *path, bool to_write,
    struct ss_saver **ret_saver, struct ss_error *error)
{
    if (!to_write && access(path, R_OK) != 0)
        return ss_error_set(
            error, SS_ENOTFOUND, "%s: %s", path, strerror(errno));
    struct sqlite_saver *saver = ss_zalloc(1, sizeof(*saver));
    saver->base.table = &table;
    int flags = to_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                         : SQLITE_OPEN_READONLY;
    int status = SS_OK;
    if (sqlite3_open_v2(path, &saver->db, flags, NULL) != SQLITE_OK)
        status = failed(saver, "sqlite", error);
    if (status == SS_OK)
        status = look(saver, to_write, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "%s", path);
        close_saver(&saver->base);
        return status;
    }
    *ret_saver = &saver->base;
    return SS_OK;
}

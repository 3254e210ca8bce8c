// saver_sqlite.c - checkpoints and writes in one SQLite file.
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
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

// ---------------------------------------------------------------- statements

struct param {
    const char *text; // NULL: `bytes`, or SQL NULL
    const void *bytes;
    size_t size;
};

static void bind(sqlite3_stmt *statement, int place, const struct param *param)
{
    int code = param->bytes  ? sqlite3_bind_blob64(statement, place,
                                   param->bytes, param->size, SQLITE_TRANSIENT)
               : param->text ? sqlite3_bind_text(statement, place, param->text,
                                   -1, SQLITE_TRANSIENT)
                             : sqlite3_bind_null(statement, place);
    ss_check(code != SQLITE_MISUSE);
}

typedef int row_fn(void *ctx, sqlite3_stmt *row, struct ss_error *error);

// Run the statement on the table, and take each row that it finds (`take` NULL:
// it finds none); it ends with the first error.
static int query(struct sqlite_saver *saver, const char *table, const char *sql,
    const struct param *params, int count, row_fn *take, void *ctx,
    struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_DONE, status = SS_OK;
    if (sqlite3_prepare_v2(saver->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return failed(saver, "sqlite", error);
    for (int i = 0; i < count; i++)
        bind(statement, i + 1, &params[i]);
    while (status == SS_OK && (step = sqlite3_step(statement)) == SQLITE_ROW)
        status = take(ctx, statement, error);
    if (status == SS_OK && step != SQLITE_DONE)
        status = failed(saver, table, error);
    sqlite3_finalize(statement);
    return status;
}

static int note_row(void *ctx, sqlite3_stmt *row, struct ss_error *error)
{
    (void)row;
    (void)error;
    *(bool *)ctx = true;
    return SS_OK;
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

static int take_name(void *ctx, sqlite3_stmt *row, struct ss_error *error)
{
    json_t *name = json_string(text_of(row, 0));
    int status = check_names(row, 1, error);
    if (status == SS_OK && !name)
        status = ss_error_set(
            error, SS_EFORMAT, "column thread_id: a text that is not UTF-8");
    if (status != SS_OK)
        ss_error_wrap(error, "table checkpoints");
    json_array_append_new(ctx, name);
    return status;
}

static int list_threads(
    struct ss_saver *saver, json_t **ret_threads, struct ss_error *error)
{
    json_t *list = json_array();
    int status = query(mine(saver), "table checkpoints",
        "SELECT DISTINCT thread_id FROM checkpoints ORDER BY thread_id", NULL,
        0, take_name, list, error);
    if (status == SS_OK)
        *ret_threads = list;
    else
        json_decref(list);
    return status;
}

// What the rows of one checkpoint are put into.
struct saved {
    json_t *json;
    size_t weight; // of the values so far
};

// A row of `writes`: task_id, task_path, channel, type, idx, value.
static int take_write(
    void *ctx, sqlite3_stmt *statement, struct ss_error *error)
{
    struct saved *saved = ctx;
    const struct ss_record_write write = {.task_id = text_of(statement, 0),
        .path = text_of(statement, 1),
        .channel = text_of(statement, 2),
        .tag = text_of(statement, 3),
        .idx = sqlite3_column_int64(statement, 4),
        .bytes = sqlite3_column_blob(statement, 5),
        .size = size_of(statement, 5)};
    int status = check_names(statement, 4, error);
    if (status == SS_OK)
        status = ss_saver_weigh(&saved->weight, write.size, error);
    if (status == SS_OK) {
        status = ss_record_write(saved->json, &write, error);
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
    const struct ss_record *record, json_t *json, struct ss_error *error)
{
    const struct param place[] = {
        {.text = thread}, {.text = record->ns}, {.text = record->id}};
    struct saved saved = {.json = json};
    return query(saver, "table writes",
        saver->has_path
            ? "SELECT task_id, task_path, channel, type, idx, value FROM"
              " writes WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND"
              " checkpoint_id = ?3 ORDER BY task_path, task_id, idx"
            : "SELECT task_id, '', channel, type, idx, value FROM writes"
              " WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND"
              " checkpoint_id = ?3 ORDER BY task_id, idx",
        place, 3, take_write, &saved, error);
}

// A thread that is read.
struct reading {
    struct sqlite_saver *saver;
    const char *thread;
    ss_saver_each_fn *each;
    void *ctx; // of `each`
    size_t count;
};

// A row of `checkpoints`: ns, id, parent, type, checkpoint, metadata.
static int take_checkpoint(
    void *ctx, sqlite3_stmt *statement, struct ss_error *error)
{
    struct reading *reading = ctx;
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
        status =
            read_writes(reading->saver, reading->thread, &record, saved, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "checkpoint %.40s, namespace \"%.100s\"",
            record.id, record.ns);
        json_decref(saved);
        return status;
    }
    reading->count++;
    return reading->each(reading->ctx, saved, error);
}

static int read_thread(struct ss_saver *saver, const char *thread,
    ss_saver_each_fn *each, void *ctx, struct ss_error *error)
{
    struct reading reading = {mine(saver), thread, each, ctx, 0};
    int status = execute(mine(saver), "BEGIN", error);
    if (status != SS_OK)
        return status;
    status = query(mine(saver), "table checkpoints",
        "SELECT checkpoint_ns, checkpoint_id, parent_checkpoint_id, type,"
        " checkpoint, metadata FROM checkpoints WHERE thread_id = ?1"
        " ORDER BY checkpoint_id, checkpoint_ns",
        &(struct param){.text = thread}, 1, take_checkpoint, &reading, error);
    if (status == SS_OK && reading.count == 0)
        status = ss_error_set(
            error, SS_ENOTFOUND, "there is no thread \"%.200s\"", thread);
    sqlite3_exec(mine(saver)->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

// ---------------------------------------------------------------- writing

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
    const struct param of = {.text = thread};
    bool any = false;
    int status = execute(own, "BEGIN IMMEDIATE", error);
    if (status != SS_OK)
        return status;
    own->is_open = true;
    status = query(own, "sqlite",
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM checkpoints WHERE thread_id = ?1)"
        " OR EXISTS (SELECT 1 FROM writes WHERE thread_id = ?1)",
        &of, 1, note_row, &any, error);
    if (status == SS_OK && any && !replace)
        status = ss_error_set(error, SS_EEXISTS,
            "thread \"%.200s\" has rows there already", thread);
    if (status == SS_OK && any)
        status =
            query(own, "sqlite", "DELETE FROM checkpoints WHERE thread_id = ?1",
                &of, 1, NULL, NULL, error);
    if (status == SS_OK && any)
        status = query(own, "sqlite", "DELETE FROM writes WHERE thread_id = ?1",
            &of, 1, NULL, NULL, error);
    if (status != SS_OK)
        roll_back(saver);
    return status;
}

static int write_one(struct sqlite_saver *saver, const char *thread,
    const struct ss_record_rows *rows, const struct ss_record_blob *write,
    struct ss_error *error)
{
    char idx[16]; // a number again in its column
    snprintf(idx, sizeof(idx), "%d", (int)write->idx);
    const struct param params[] = {{.text = thread}, {.text = rows->ns},
        {.text = rows->id}, {.text = write->task_id}, {.text = idx},
        {.text = write->channel}, {.text = write->tag},
        {.bytes = write->size ? write->bytes : "", .size = write->size},
        {.text = write->path}};
    return query(saver, "table writes",
        saver->has_path
            ? "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id,"
              " task_id, idx, channel, type, value, task_path)"
              " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
            : "INSERT INTO writes (thread_id, checkpoint_ns, checkpoint_id,"
              " task_id, idx, channel, type, value)"
              " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params, saver->has_path ? 9 : 8, NULL, NULL, error);
}

static int write_rows(struct ss_saver *saver, const char *thread,
    const struct ss_record_rows *rows, struct ss_error *error)
{
    struct sqlite_saver *own = mine(saver);
    const struct param params[] = {{.text = thread}, {.text = rows->ns},
        {.text = rows->id}, {.text = rows->parent},
        {.bytes = rows->checkpoint, .size = rows->size},
        {.bytes = rows->metadata, .size = strlen(rows->metadata)}};
    int status = query(own, "table checkpoints",
        "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,"
        " parent_checkpoint_id, type, checkpoint, metadata)"
        " VALUES (?1, ?2, ?3, ?4, 'msgpack', ?5, ?6)",
        params, 6, NULL, NULL, error);
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
    bool any = false;
    int status = query(saver, "sqlite",
        "SELECT 1 FROM checkpoints WHERE type = 'json' LIMIT 1", NULL, 0,
        note_row, &any, error);
    return any ? ss_error_set(error, SS_EINVAL,
                     "it has rows of LangGraph.js, which could not read what "
                     "is "
                     "written here: export into another file")
               : status;
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
    struct stat found;
    if (!to_write && access(path, R_OK) != 0)
        return ss_error_set(
            error, SS_ENOTFOUND, "%s: %s", path, strerror(errno));
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode))
        return ss_error_set(error, SS_EINVAL,
            "%s is a folder: name the file of the database", path);
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

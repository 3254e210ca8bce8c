// store_sqlite.c - opens a SQLite file: is it ours, and is it free?
//
// One coordinator owns a file: it holds a lock on FILE-lock from open to close.
// The database itself stays readable for everybody (superstep.db and a shell).
#include "coordinator/store/store_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"

// --- errors -----------------------------------------------------------------

static int status_of(sqlite3 *db, int code)
{
    int why = db ? sqlite3_system_errno(db) : 0;
    switch (code & 0xff) {
    case SQLITE_FULL:
        return SS_EFULL;
    case SQLITE_IOERR:
        return why == ENOSPC || why == EDQUOT ? SS_EFULL : SS_EIO;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return SS_ECORRUPT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SS_EAGAIN;
    case SQLITE_TOOBIG:
        return SS_ELIMIT;
    case SQLITE_CONSTRAINT:
        return SS_EREFUSED;
    default:
        return SS_EIO;
    }
}

static const char *advice(int status)
{
    switch (status) {
    case SS_EFULL:
        return ": no room on the disk; nothing was lost, free some space";
    case SS_ECORRUPT:
        return ": the file is damaged, or no database; restore a backup, or"
               " use another file";
    case SS_EAGAIN:
        return ": another process is writing to it";
    default:
        return "";
    }
}

int ss_sqlite_fail(
    struct ss_sqlite_store *store, const char *what, struct ss_error *error)
{
    int code = sqlite3_extended_errcode(store->db);
    // Out of memory is a crash (docs/decisions/0001).
    ss_check((code & 0xff) != SQLITE_NOMEM);
    int status = status_of(store->db, code);
    int why = sqlite3_system_errno(store->db);
    char reason[128] = "";
    if (status == SS_EIO && why != 0 &&
        strerror_r(why, reason + 2, sizeof(reason) - 2) == 0) {
        memcpy(reason, ": ", 2);
    }
    return ss_error_set(error, status, "store: %s: %s: %s%s%s", store->path,
        what, sqlite3_errmsg(store->db), reason, advice(status));
}

// --- the lock ---------------------------------------------------------------

static int system_fail(const char *path, int why, struct ss_error *error)
{
    char reason[128] = "unknown error";
    (void)strerror_r(why, reason, sizeof(reason));
    return ss_error_set(error,
        why == ENOSPC || why == EDQUOT ? SS_EFULL : SS_EIO,
        "store: cannot open %s: %s%s", path, reason,
        why == ENOENT ? ": its folder is to be made first" : "");
}

static int lock_refused(
    const struct ss_sqlite_store *store, int fd, struct ss_error *error)
{
    char text[32] = "";
    ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
    long owner = size > 0 ? strtol(text, NULL, 10) : 0;
    if (owner <= 0) {
        return ss_error_set(error, SS_EBUSY,
            "store: %s is in use by another"
            " process. Stop it first, or use another file",
            store->path);
    }
    return ss_error_set(error, SS_EBUSY,
        "store: %s is in use by process %ld."
        " Stop it first, or use another file",
        store->path, owner);
}

// The file stays when it is closed: if it were removed, two processes could
// hold locks on two files of that name.
static int lock_take(struct ss_sqlite_store *store, struct ss_error *error)
{
    char *path = ss_format("%s-lock", store->path);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
        int status = system_fail(path, errno, error);
        ss_free(path);
        return status;
    }
    int status = SS_OK;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        status = errno == EWOULDBLOCK ? lock_refused(store, fd, error)
                                      : system_fail(path, errno, error);
    }
    ss_free(path);
    if (status != SS_OK) {
        (void)close(fd);
        return status;
    }
    // The process id, for the message above; nothing depends on it.
    char text[32];
    int size = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) == 0) {
        (void)!pwrite(fd, text, (size_t)size, 0);
    }
    store->lock_fd = fd;
    return SS_OK;
}

// --- the database -----------------------------------------------------------

static int run(
    struct ss_sqlite_store *store, const char *sql, struct ss_error *error)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        return ss_sqlite_fail(store, "open", error);
    }
    return SS_OK;
}

// The first column of the only row, as a number.
static int ask(struct ss_sqlite_store *store, const char *sql,
    int64_t *ret_number, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    int status = SS_OK;
    if (code == SQLITE_ROW) {
        *ret_number = sqlite3_column_int64(statement, 0);
    } else {
        status = ss_sqlite_fail(store, "open", error);
    }
    sqlite3_finalize(statement);
    return status;
}

// *ret_format: 0 is an empty file, which becomes ours. Nothing is changed yet,
// so that a file that is not ours stays as it is.
static int identify(
    struct ss_sqlite_store *store, int64_t *ret_format, struct ss_error *error)
{
    int64_t application = 0;
    int64_t format = 0;
    int64_t tables = 0;
    int status = ask(store, "PRAGMA application_id", &application, error);
    if (status == SS_OK) {
        status = ask(store, "PRAGMA user_version", &format, error);
    }
    if (status == SS_OK) {
        status =
            ask(store, "SELECT count(*) FROM sqlite_master", &tables, error);
    }
    if (status != SS_OK) {
        return status;
    }
    *ret_format = format;
    if (application == 0 && format == 0 && tables == 0) {
        return SS_OK;
    }
    if (application != SS_SQLITE_APPLICATION_ID) {
        return ss_error_set(error, SS_EINVAL,
            "store: %s is a database of"
            " another program. Use another file",
            store->path);
    }
    if (format > SS_SQLITE_FORMAT_FRESH) {
        return ss_error_set(error, SS_EVERSION,
            "store: %s was written by a"
            " newer version (format %" PRId64 ", this program knows %d). Use"
            " the newer program, or another file",
            store->path, format, SS_SQLITE_FORMAT_FRESH);
    }
    if (format < 1) {
        return ss_error_set(error, SS_ECORRUPT,
            "store: %s: it has no format number", store->path);
    }
    return SS_OK;
}

// Migrate from the format that is there to this one.
static int bring_up(
    struct ss_sqlite_store *store, int64_t format, struct ss_error *error)
{
    int status = SS_OK;
    while (status == SS_OK && format < SS_SQLITE_FORMAT) {
        char *sql = ss_format(
            "BEGIN IMMEDIATE; %s"
            " PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
            ss_sqlite_formats[format], SS_SQLITE_APPLICATION_ID,
            (int)format + 1);
        status = run(store, sql, error);
        ss_free(sql);
        format++;
    }
    return status;
}

// What is found by time has one, whoever wrote it.
static int bring_times(struct ss_sqlite_store *store, struct ss_error *error)
{
    int64_t there = 0;
    int status = ask(store,
        "SELECT count(*) FROM pragma_table_info('threads') WHERE name ="
        " 'at_us'",
        &there, error);
    if (status == SS_OK) {
        char *sql = ss_format("BEGIN IMMEDIATE; %s %s COMMIT",
            there ? "" : ss_sqlite_times, ss_sqlite_times_fill);
        status = run(store, sql, error);
        ss_free(sql);
    }
    return status;
}

static int bring_marks(struct ss_sqlite_store *store, struct ss_error *error)
{
    int64_t there = 0;
    int status = ask(store,
        "SELECT count(*) FROM pragma_table_info('threads') WHERE name ="
        " 'graph'",
        &there, error);
    if (status == SS_OK) {
        char *sql =
            ss_format("BEGIN IMMEDIATE; %s", there ? "" : ss_sqlite_marks);
        status = run(store, sql, error);
        ss_free(sql);
    }
    if (status == SS_OK) {
        status = ss_sqlite_mark(store, error);
    }
    return status == SS_OK ? run(store, "COMMIT", error) : status;
}

// Rows that a process left there which was killed are moved now, so that none
// are there when the work begins.
static int bring_fresh(
    struct ss_sqlite_store *store, int64_t format, struct ss_error *error)
{
    int64_t there = 0;
    int status =
        ask(store, "SELECT count(*) FROM sqlite_master WHERE name = 'fresh'",
            &there, error);
    if (status == SS_OK && !there) {
        char *view = ss_sqlite_view();
        char *sql =
            ss_format("BEGIN IMMEDIATE; %s %s COMMIT", ss_sqlite_fresh, view);
        status = run(store, sql, error);
        ss_free(sql);
        ss_free(view);
    }
    return status == SS_OK && format == SS_SQLITE_FORMAT_FRESH
               ? ss_sqlite_fresh_settle(store, error)
               : status;
}

// A file system that cannot share memory refuses WAL without an error.
static int wal_begin(struct ss_sqlite_store *store, struct ss_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(
        store->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_step(statement);
    }
    int status = SS_OK;
    if (code != SQLITE_ROW) {
        status = ss_sqlite_fail(store, "open", error);
    } else if (strcmp((const char *)sqlite3_column_text(statement, 0), "wal") !=
               0) {
        status = ss_error_set(error, SS_EIO,
            "store: %s: its file system"
            " cannot keep a write-ahead log; use a local disk",
            store->path);
    }
    sqlite3_finalize(statement);
    return status;
}

static int configure(
    struct ss_sqlite_store *store, uint64_t pages_max, struct ss_error *error)
{
    int status = wal_begin(store, error);
    if (status == SS_OK) {
        status = run(store,
            "PRAGMA synchronous = FULL;"
            " PRAGMA journal_size_limit = 16777216;"
            " PRAGMA cell_size_check = ON;"
            " PRAGMA trusted_schema = OFF;"
            " PRAGMA temp_store = MEMORY",
            error);
    }
    if (status == SS_OK && pages_max > 0) {
        char *sql = ss_format("PRAGMA max_page_count = %" PRIu64, pages_max);
        status = run(store, sql, error);
        ss_free(sql);
    }
    return status;
}

// One thread at a time uses it, handed over through the actor's mutex.
static int connect(
    struct ss_sqlite_store *store, int how, struct ss_error *error)
{
    int code = sqlite3_open_v2(
        store->path, &store->db, how | SQLITE_OPEN_NOMUTEX, NULL);
    ss_check(store->db); // otherwise there was no memory for it
    if (code != SQLITE_OK) {
        return ss_sqlite_fail(store, "open", error);
    }
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, SS_STORE_BUSY_MS);
    return SS_OK;
}

// Of a device or a pipe SQLite says "disk I/O error".
static int check_kind(
    const struct ss_sqlite_store *store, struct ss_error *error)
{
    struct stat is;
    if (stat(store->path, &is) != 0 || S_ISREG(is.st_mode)) {
        return SS_OK;
    }
    return ss_error_set(error, SS_EIO,
        "store: %s is %s, and a database is a file: name one, which is made"
        " where it is not there",
        store->path,
        S_ISDIR(is.st_mode)    ? "a folder"
        : S_ISFIFO(is.st_mode) ? "a pipe"
        : S_ISSOCK(is.st_mode) ? "a socket"
                               : "a device");
}

// SQLite would make an empty database in the place of one that is not there,
// and throw its log away, which has what was acknowledged last.
static int log_is_ours(
    const struct ss_sqlite_store *store, struct ss_error *error)
{
    struct stat is;
    char *log = ss_format("%s-wal", store->path);
    bool is_alone = stat(store->path, &is) != 0 && errno == ENOENT &&
                    stat(log, &is) == 0 && is.st_size > 0;
    int status = SS_OK;
    if (is_alone) {
        status = ss_error_set(error, SS_EIO,
            "store: %s is not there, and %s is, with what was written last."
            " Put the database back beside it (a backup: remove %s first), or"
            " remove %s to begin with an empty one",
            store->path, log, log, log);
    }
    ss_free(log);
    return status;
}

static int database_open(
    struct ss_sqlite_store *store, uint64_t pages_max, struct ss_error *error)
{
    int status =
        connect(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    if (status == SS_OK && sqlite3_db_readonly(store->db, "main") == 1) {
        return ss_error_set(error, SS_EIO,
            "store: %s: the file may not be written", store->path);
    }
    int64_t format = 0;
    if (status == SS_OK) {
        status = identify(store, &format, error);
    }
    if (status == SS_OK) {
        status = configure(store, pages_max, error);
    }
    if (status == SS_OK) {
        status = bring_up(store, format, error);
    }
    if (status == SS_OK) {
        status = bring_times(store, error);
    }
    if (status == SS_OK) {
        status = bring_marks(store, error);
    }
    if (status == SS_OK) {
        status = bring_fresh(store, format, error);
    }
    if (status == SS_EAGAIN && error) {
        error->status = SS_EBUSY;
    }
    return status == SS_EAGAIN ? SS_EBUSY : status;
}

// --- is it still there ------------------------------------------------------

static void file_know(
    struct ss_sqlite_identity *file, const char *more, sqlite3 *db)
{
    struct stat is;
    char *path = ss_format("%s%s", sqlite3_db_filename(db, "main"), more);
    if (stat(path, &is) != 0) {
        ss_free(path); // an SQLite that has its files elsewhere
        return;
    }
    *file = (struct ss_sqlite_identity){path, is.st_dev, is.st_ino};
}

static void files_know(struct ss_sqlite_store *store)
{
    file_know(&store->files[0], "", store->db);
    file_know(&store->files[1], "-wal", store->db);
}

static bool file_stands(const struct ss_sqlite_identity *file)
{
    struct stat is;
    if (!file->path) {
        return true;
    }
    if (stat(file->path, &is) != 0) {
        return errno != ENOENT && errno != ENOTDIR;
    }
    return is.st_ino == file->number && is.st_dev == file->device;
}

int ss_sqlite_files_stand(
    const struct ss_sqlite_store *store, struct ss_error *error)
{
    for (size_t i = 0; i < SS_SQLITE_FILES; i++) {
        if (!file_stands(&store->files[i])) {
            return ss_error_set(error, SS_EIO,
                "store: %s was removed or replaced while it was in use, so"
                " nothing that is written now would be kept. Stop what uses"
                " it, put the database back (from a backup), or remove what"
                " is left of it to begin with an empty one, and start again",
                store->files[i].path);
        }
    }
    return SS_OK;
}

// --- open and close ---------------------------------------------------------

static void sqlite_close(struct ss_store *base)
{
    struct ss_sqlite_store *store = (struct ss_sqlite_store *)base;
    if (store->fresh.size > 0 && ss_sqlite_files_stand(store, NULL) == SS_OK) {
        // If it cannot be now, whoever opens it next does.
        sqlite3_busy_timeout(store->db, 0);
        (void)ss_sqlite_fresh_settle(store, NULL);
    }
    for (size_t i = 0; i < SS_SQL_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
    }
    for (size_t t = 0; t < SS_TABLE_COUNT; t++) {
        for (size_t i = 0; i < SS_SQL_ENTRY_COUNT; i++) {
            sqlite3_finalize(store->entry_statements[t][i]);
        }
        for (size_t i = 0; i < SS_SQL_SEARCH_COUNT; i++) {
            sqlite3_finalize(store->searches[t][i]);
        }
    }
    ss_sqlite_heads_forget(store);
    sqlite3_close(store->db);
    if (store->lock_fd >= 0) {
        (void)close(store->lock_fd);
    }
    for (size_t i = 0; i < SS_SQLITE_FILES; i++) {
        ss_free(store->files[i].path);
    }
    ss_free(store->path);
    ss_free(store);
}

// "FILE" or "FILE?pages_max=N".
static int parse(const char *rest, char **ret_path, uint64_t *ret_pages_max,
    struct ss_error *error)
{
    static const char option[] = "?pages_max=";
    const char *at = strrchr(rest, '?');
    size_t size = at ? (size_t)(at - rest) : strlen(rest);
    if (size == 0) {
        return ss_error_set(
            error, SS_EINVAL, "store: sqlite: needs the name of a file");
    }
    if (at) {
        char *end = NULL;
        errno = 0;
        const char *digits = at + strlen(option);
        if (strncmp(at, option, strlen(option)) == 0 && *digits >= '1' &&
            *digits <= '9') {
            *ret_pages_max = strtoull(digits, &end, 10);
        }
        if (!end || *end || errno || *ret_pages_max > UINT32_MAX) {
            return ss_error_set(error, SS_EINVAL,
                "store: sqlite: \"%s\": the"
                " only option is ?pages_max=NUMBER",
                at);
        }
    }
    *ret_path = ss_memdup(rest, size);
    return SS_OK;
}

static const struct ss_store_ops sqlite_ops = {
    .apply = ss_sqlite_apply,
    .read = ss_sqlite_read,
    .scan = ss_sqlite_scan,
    .get = ss_sqlite_get,
    .search = ss_sqlite_search,
    .close = sqlite_close,
};

static int new_of(const char *rest, struct ss_sqlite_store **ret_store,
    uint64_t *ret_pages_max, struct ss_error *error)
{
    char *path = NULL;
    int status = parse(rest, &path, ret_pages_max, error);
    if (status != SS_OK) {
        return status;
    }
    struct ss_sqlite_store *store = ss_zalloc(1, sizeof(*store));
    store->base.ops = &sqlite_ops;
    store->base.name = ss_format("sqlite %s", path);
    store->path = path;
    store->lock_fd = -1;
    store->fresh.units = SS_SQLITE_FRESH_UNITS;
    store->fresh.size_max = SS_SQLITE_FRESH_SIZE_MAX;
    *ret_store = store;
    return SS_OK;
}

static int opened(
    struct ss_sqlite_store *store, int status, struct ss_store **ret_store)
{
    struct ss_store *base = &store->base;
    if (status == SS_OK) {
        *ret_store = base;
    } else {
        ss_store_close(&base);
    }
    return status;
}

// Where the log is written ahead, who reads does not wait for who writes, nor
// the other way round. Nobody but the owner of the lock opens one.
int ss_store_sqlite_open_reader(
    const char *rest, struct ss_store **ret_store, struct ss_error *error)
{
    struct ss_sqlite_store *store = NULL;
    uint64_t pages_max = 0;
    int status = new_of(rest, &store, &pages_max, error);
    return status == SS_OK
               ? opened(store, connect(store, SQLITE_OPEN_READONLY, error),
                     ret_store)
               : status;
}

int ss_store_sqlite_open(
    const char *rest, struct ss_store **ret_store, struct ss_error *error)
{
    struct ss_sqlite_store *store = NULL;
    uint64_t pages_max = 0;
    int status = new_of(rest, &store, &pages_max, error);
    if (status != SS_OK) {
        return status;
    }
    status = check_kind(store, error);
    if (status == SS_OK) {
        status = lock_take(store, error);
    }
    if (status == SS_OK) {
        status = log_is_ours(store, error);
    }
    if (status == SS_OK) {
        status = database_open(store, pages_max, error);
    }
    if (status == SS_OK) {
        files_know(store);
    }
    return opened(store, status, ret_store);
}

// store_sqlite.h - the SQLite store's own: opening (store_sqlite.c), the work
// (sqlite_work.c), where new rows lie (sqlite_fresh.c), the tables
// (sqlite_schema.c).
#ifndef SS_STORE_STORE_SQLITE_H
#define SS_STORE_STORE_SQLITE_H

#include <sqlite3.h>
#include <sys/types.h>

#include "coordinator/store/store_impl.h"

// "SSTP", in the header of the file, where file(1) sees it, too.
#define SS_SQLITE_APPLICATION_ID 0x53535450
enum {
    SS_SQLITE_FORMAT = 6, // of the tables: user_version
    // The same while rows lie in the table `fresh`, too, where a program of
    // before looks for none. The next format behind this one is 8.
    SS_SQLITE_FORMAT_FRESH,
};

enum ss_sqlite_statement {
    SS_SQL_BEGIN,
    SS_SQL_COMMIT,
    SS_SQL_ROLLBACK,
    SS_SQL_HEAD,
    SS_SQL_ROW_AT,
    SS_SQL_ROW_ADD,
    SS_SQL_ROWS_READ,
    SS_SQL_ROWS_DELETE,
    SS_SQL_FRESH_ADD,
    SS_SQL_FRESH_DELETE,
    SS_SQL_FRESH_BEGIN, // the first row comes
    SS_SQL_FRESH_MOVE,
    SS_SQL_FRESH_EMPTY,
    SS_SQL_FRESH_END, // no row is left
    SS_SQL_COUNT,
};

enum ss_sqlite_entry_statement {
    SS_SQL_ENTRY_GET,
    SS_SQL_ENTRY_PUT,
    SS_SQL_ENTRY_PUT_TIMED,  // of a table with times
    SS_SQL_ENTRY_PUT_MARKED, // and with marks
    SS_SQL_ENTRY_UNMARKED,   // those that lack them
    SS_SQL_ENTRY_MARK,
    SS_SQL_PAIR_ADD, // of the table's pairs
    SS_SQL_PAIRS_DELETE,
    SS_SQL_PAIR_COUNT, // up to a number
    SS_SQL_ENTRY_DELETE,
    SS_SQL_ENTRY_SCAN,
    SS_SQL_ENTRY_SCAN_INDEX,
    SS_SQL_ENTRY_SCAN_THREADS, // as the two above, of SS_TABLE_THREADS
    SS_SQL_ENTRY_SCAN_THREADS_INDEX,
    SS_SQL_ENTRY_COUNT,
};

enum ss_sqlite_search {
    SS_SQL_SEARCH,        // by time
    SS_SQL_SEARCH_INDEX,  // of one index
    SS_SQL_SEARCH_STATUS, // of runs that stand so
    SS_SQL_SEARCH_BUSY,   // threads of open runs
    SS_SQL_SEARCH_GRAPH,  // of one graph
    SS_SQL_SEARCH_PAIR,   // that have one pair, or more than is searched
    SS_SQL_SEARCH_COUNT,
};

// A file that is written to: where it stood when it was opened, and which it
// was.
struct ss_sqlite_identity {
    char *path; // owned; NULL: it cannot be looked at
    dev_t device;
    ino_t number;
};
enum { SS_SQLITE_FILES = 2 }; // the database and its log

// The newest row of a thread, by a hash of its name; 0: nothing is known.
struct ss_sqlite_head {
    uint64_t hash, head;
};

struct ss_sqlite_store {
    struct ss_store base;
    struct ss_sqlite_identity files[SS_SQLITE_FILES];
    char *path;
    sqlite3 *db;
    int lock_fd;                            // of the lock file, or -1
    sqlite3_stmt *statements[SS_SQL_COUNT]; // prepared when first used
    sqlite3_stmt *entry_statements[SS_TABLE_COUNT][SS_SQL_ENTRY_COUNT];
    sqlite3_stmt *searches[SS_TABLE_COUNT][SS_SQL_SEARCH_COUNT];
    struct {
        struct ss_sqlite_head *items; // SS_STORE_HEADS; NULL: none is known
        unsigned version;             // of the database, at our last commit
    } heads;                          // sqlite_heads.c
    struct {
        size_t size; // of what lies there, about; 0: nothing
        // SS_SQLITE_FRESH_UNITS and SS_SQLITE_FRESH_SIZE_MAX, or a test's.
        size_t units, size_max;
    } fresh; // sqlite_fresh.c
};

// The statements that make format i + 1 from the one before (the first: from
// nothing).
extern const char *const ss_sqlite_formats[SS_SQLITE_FORMAT];
// Times, by which records are found: what adds the columns, and what fills
// those that a program left empty which knows of no times.
extern const char ss_sqlite_times[], ss_sqlite_times_fill[];
// The same of what they are looked up by (sqlite_marks.c fills it).
extern const char ss_sqlite_marks[];
// The table `fresh`.
extern const char ss_sqlite_fresh[];
// The view for people (sqlite_view.c). Gives.
char *ss_sqlite_view(void);

// Prepare a statement that stays. What is bound must live until it is run.
int ss_sqlite_prepare(struct ss_sqlite_store *store, const char *sql,
    sqlite3_stmt **statement, struct ss_error *error);
void ss_sqlite_bind_text(sqlite3_stmt *statement, int at, const char *text);
void ss_sqlite_bind_number(sqlite3_stmt *statement, int at, int64_t number);
// Be done with a statement whose last step said `code`, while `what` was done:
// `status`, or why that step failed.
int ss_sqlite_end(struct ss_sqlite_store *store, sqlite3_stmt *statement,
    int status, int code, const char *what, struct ss_error *error);

// The last error of SQLite as status and message; `what` was being done.
int ss_sqlite_fail(
    struct ss_sqlite_store *store, const char *what, struct ss_error *error);

// Whether what is written still goes to the files that stand there. SS_EIO:
// somebody removed or replaced one of them.
int ss_sqlite_files_stand(
    const struct ss_sqlite_store *store, struct ss_error *error);

// One of these statements, of that table; it stays. What is bound must live
// until it is run.
int ss_sqlite_entry_statement(struct ss_sqlite_store *store,
    enum ss_store_table table, enum ss_sqlite_entry_statement which,
    sqlite3_stmt **ret_statement, struct ss_error *error);
// Run it to its end; `what` is being done.
int ss_sqlite_finish(struct ss_sqlite_store *store, sqlite3_stmt *statement,
    const char *what, struct ss_error *error);

// --- marks (sqlite_marks.c) --------------------------------------------------

// Whether entries of the table have marks.
bool ss_sqlite_has_marks(enum ss_store_table table);
// The pairs of that entry are these from now on; NULL: it goes.
int ss_sqlite_pairs_put(struct ss_sqlite_store *store,
    const struct ss_store_put *put, const struct ss_find_marks *marks,
    struct ss_error *error);
// The pair of them that the fewest entries have, as far as that is counted.
int ss_sqlite_rarest(struct ss_sqlite_store *store, enum ss_store_table table,
    const struct ss_find_marks *marks, int64_t *ret_pair,
    struct ss_error *error);
// Mark what a program put that knows of no marks.
int ss_sqlite_mark(struct ss_sqlite_store *store, struct ss_error *error);

// ------------------------------------------------ sqlite_heads.c

// A transaction has begun, or is committed. Forget: it was not.
void ss_sqlite_heads_begun(struct ss_sqlite_store *store);
void ss_sqlite_heads_committed(struct ss_sqlite_store *store);
void ss_sqlite_heads_forget(struct ss_sqlite_store *store);
// The thread is known to end in front of row `first`. False: ask the file.
bool ss_sqlite_head_fits(
    struct ss_sqlite_store *store, const char *thread, uint64_t first);
// It ends with that row in this transaction; 0: nothing is known of it.
void ss_sqlite_head_moved(
    struct ss_sqlite_store *store, const char *thread, uint64_t head);

// ------------------------------------------------ sqlite_fresh.c

// Whether the rows of that unit go into `fresh`.
bool ss_sqlite_fresh_takes(const struct ss_sqlite_store *store,
    const struct ss_store_batch *batch, const struct ss_store_unit *unit);
// One of them has gone there, in this transaction.
int ss_sqlite_fresh_added(struct ss_sqlite_store *store,
    const struct ss_store_row *row, struct ss_error *error);
// Whether so many lie there that they are to move.
bool ss_sqlite_fresh_is_full(const struct ss_sqlite_store *store);
// Move all of them to their threads, in this transaction.
int ss_sqlite_fresh_move(struct ss_sqlite_store *store, struct ss_error *error);
// A transaction that may have moved them was not committed.
void ss_sqlite_fresh_undone(struct ss_sqlite_store *store);
// Move what a process left there that was killed, or what is left when the file
// is closed: a transaction of its own.
int ss_sqlite_fresh_settle(
    struct ss_sqlite_store *store, struct ss_error *error);

// One of the statements above; it stays.
int ss_sqlite_statement(struct ss_sqlite_store *store,
    enum ss_sqlite_statement which, sqlite3_stmt **ret_statement,
    struct ss_error *error);
// Run one of them that is told nothing and answers nothing.
int ss_sqlite_simple(struct ss_sqlite_store *store,
    enum ss_sqlite_statement which, const char *what, struct ss_error *error);
int ss_sqlite_apply(struct ss_store *base, struct ss_store_batch *batch,
    struct ss_error *error);
int ss_sqlite_read(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error);
int ss_sqlite_scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error);
int ss_sqlite_get(struct ss_store *base, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error);
int ss_sqlite_search(struct ss_store *base,
    const struct ss_store_search *search, ss_store_found_fn *found, void *ctx,
    struct ss_error *error);

#endif

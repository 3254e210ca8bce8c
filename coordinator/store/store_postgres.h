// store_postgres.h - the PostgreSQL store's own: opening and its options
// (store_postgres.c), connecting (postgres_connect.c), waiting
// (postgres_wait.c), the tables (postgres_schema.c), parameters
// (postgres_values.c), committing (postgres_work.c, postgres_runs.c,
// postgres_append.c, postgres_begin.c, postgres_statements.c), reading
// (postgres_read.c), the fence (postgres_fence.c), members and shards
// (postgres_cluster.c).
//
// Every name is qualified, and no session has a setting: a transaction makes
// the settings that it needs. Behind a pooler, which hands out another session
// for each transaction, statements are sent with plain parameters; a session of
// our own keeps the frequent ones prepared.
#ifndef SS_STORE_STORE_POSTGRES_H
#define SS_STORE_STORE_POSTGRES_H

#include <libpq-fe.h>

#include "common/base/map.h"
#include "coordinator/store/store_impl.h"

enum {
    SS_PG_FORMAT = 7,           // of the tables
    SS_PG_VERSION_MIN = 130000, // of the server
    SS_PG_NAME_SIZE = 32,       // of a statement
    SS_PG_PARAMS_MAX = 11,
};

// --- statements that a session of our own keeps (postgres_statements.c) ------

enum ss_pg_put { // one of a table of records
    SS_PG_PUT_ANY,
    SS_PG_PUT_ABSENT,
    SS_PG_PUT_SAME,
    SS_PG_PUT_DELETE,
    SS_PG_PUT_DELETE_OF, // of one index
    SS_PG_PUT_KINDS,
};

enum ss_pg_statement {
    SS_PG_ROWS,        // rows of the journal
    SS_PG_ROWS_FENCED, // where the fence stands
    SS_PG_HEADS,       // fails where a thread has another head
    SS_PG_FENCE,       // fails where the fence does not stand
    SS_PG_PUTS,        // of each table (SS_PG_PUT_KINDS of them)
    SS_PG_STATEMENTS = SS_PG_PUTS + SS_TABLE_COUNT * SS_PG_PUT_KINDS,
};

// The server's identity: if it changes, the database may not have what is in
// memory here.
struct ss_pg_identity {
    char system[32];
    char timeline[16];
    char generation[40];
};

// A store's access to the outside world: a server to connect to, waiting for
// it, and its time. Everything that waits goes through here, so that the
// simulator can let several stores' statements meet in an order of its choice.
struct ss_pg_outside {
    // As PQconnectdbParams(), with the URL expanded. Gives.
    PGconn *(*connect)(
        void *ctx, const char *const *keys, const char *const *values);
    // As poll() of one descriptor (-1: none, only a pause): 0 where nothing of
    // `events` came within `timeout_ms` (-1: however long it takes), else 1.
    int (*wait)(void *ctx, int fd, short events, int timeout_ms);
    const char *now; // SQL: the server's time, whatever a transaction's is
    void *ctx;
};
extern const struct ss_pg_outside ss_pg_outside_real;

// Whose session is ended where a fence is waited for too long.
enum ss_pg_cut {
    SS_PG_CUT_ALL,  // theirs, whatever they do: their epoch is over
    SS_PG_CUT_IDLE, // theirs in which nobody asks anything: who was there is
                    // gone, or hangs; one that works is waited for
};

// What was heard so far of a pipeline.
struct ss_pg_answer {
    PGresult *failure; // the first; NULL: none
    size_t nothings;   // in a row
    bool synced, has_ended;
};

struct ss_pg_store {
    struct ss_store base;
    const struct ss_pg_outside *outside;
    char *url;    // for libpq; may hold a password: never in a message
    char *place;  // "HOST:PORT/DATABASE", for messages
    char *schema; // a plain name
    int64_t reconnect_ms;
    bool leaves_commit; // synchronous_commit is left as the server has it
    PGconn *conn;       // NULL: to be made
    bool was_reached;   // when it was to be made last
    struct ss_pg_identity identity;
    bool is_known; // `identity` is set
    bool has_moved;
    char *fence_name; // the coordinator whose fence this is, or NULL
    int fence_actor;
    enum ss_pg_cut cut; // of the fence that is waited for now
    uint32_t row_type;  // of the journal, as the server numbers it
    bool is_pooled;     // sessions change under this connection
    bool is_unwaited; // a commit does not wait for the disk, unless it is told
                      // to
    // Names of the statements that this session keeps; "": not yet.
    char prepared[SS_PG_STATEMENTS][SS_PG_NAME_SIZE];
    struct ss_map heads; // thread -> seq, while heads_epoch stands
    uint64_t heads_epoch;
    // A unit that was sent by who does not wait, NULL: none; its answer so far.
    const struct ss_store_unit *begun;
    struct ss_pg_answer answer;
};

// --- values (postgres_values.c) ---------------------------------------------

struct ss_pg_array {
    unsigned char *bytes;
    size_t size, capacity;
    uint32_t count;
    uint32_t type;
    size_t record; // where the last one begins
};

// The parameters of one statement. Texts and bodies that are set by pointer
// must live until it is sent; arrays and numbers are owned.
struct ss_pg_params {
    int count;
    const char *values[SS_PG_PARAMS_MAX];
    int lengths[SS_PG_PARAMS_MAX];
    int formats[SS_PG_PARAMS_MAX];
    char numbers[SS_PG_PARAMS_MAX][24];
    void *owned[SS_PG_PARAMS_MAX];
};

void ss_pg_array_init(struct ss_pg_array *array, uint32_t type);
void ss_pg_array_text(struct ss_pg_array *array, const char *text); // or NULL
void ss_pg_array_bytes(
    struct ss_pg_array *array, const void *bytes, size_t size);
void ss_pg_array_number(struct ss_pg_array *array, int64_t number); // int8
enum { SS_PG_BYTEA = 17, SS_PG_INT8 = 20, SS_PG_INT4 = 23, SS_PG_TEXT = 25 };

// An element that is a record: its columns in the table's order, each of the
// type that it has there.
void ss_pg_record_begin(struct ss_pg_array *array, uint32_t columns);
void ss_pg_record_null(struct ss_pg_array *array, uint32_t type);
void ss_pg_record_text(struct ss_pg_array *array, const char *text); // or NULL
void ss_pg_record_number(
    struct ss_pg_array *array, uint32_t type, int64_t number); // int4 or int8
void ss_pg_record_bytes(
    struct ss_pg_array *array, uint32_t type, const void *bytes, size_t size);
void ss_pg_record_end(struct ss_pg_array *array);

void ss_pg_params_text(struct ss_pg_params *params, const char *text);
void ss_pg_params_number(struct ss_pg_params *params, int64_t number);
// Takes what the array holds.
void ss_pg_params_array(struct ss_pg_params *params, struct ss_pg_array *array);
void ss_pg_params_fini(struct ss_pg_params *params);

// A number of a binary result.
int64_t ss_pg_number_at(const PGresult *result, int row, int column);

// --- waiting (postgres_wait.c) ----------------------------------------------

// More of the answer is to come. Some libpq (14.2, of Ubuntu 22.04 as it came
// out) say so of a connection that is over, too: nothing comes by that.
bool ss_pg_is_busy(const struct ss_pg_store *store);
// The next result of what was sent, or NULL: there is none.
PGresult *ss_pg_result(struct ss_pg_store *store);
// The last of all results, as PQexec() returns it.
PGresult *ss_pg_result_last(struct ss_pg_store *store);
void ss_pg_pause(struct ss_pg_store *store, int64_t ms);

// --- connecting and asking (postgres_connect.c) -----------------------------

// A store for the URL behind "postgres:"; nothing is connected yet. Gives; it
// is closed like any store. SS_EINVAL.
int ss_pg_new(const char *rest, struct ss_pg_store **ret_store,
    struct ss_error *error) SS_MUST_USE;
// Make one attempt; an existing connection is kept.
int ss_pg_connect(struct ss_pg_store *store, struct ss_error *error);
// Attempts with growing pauses, for `reconnect_ms` in all.
int ss_pg_reconnect(struct ss_pg_store *store, struct ss_error *error);
void ss_pg_disconnect(struct ss_pg_store *store);
// Whether nothing answers there, or a server that starts or stops.
bool ss_pg_is_away(const struct ss_pg_store *store);
// A connection beside the store's own. Gives, or NULL.
PGconn *ss_pg_dial(const struct ss_pg_store *store, struct ss_error *error);

// Text with "@" for the schema, "#" for the table's name and "^" for the
// server's time; the operator "@>" stays. Gives.
char *ss_pg_sql(const struct ss_pg_store *store, const char *text,
    enum ss_store_table table);

// The error in `result` (NULL: unknown) of doing `what`. A lost connection is
// SS_EAGAIN, and forgotten.
int ss_pg_fail(struct ss_pg_store *store, const PGresult *result,
    const char *what, struct ss_error *error);
// The connection is lost, or out of step: forget it. SS_EAGAIN.
int ss_pg_lost(
    struct ss_pg_store *store, const char *what, struct ss_error *error);
// Did a condition of a statement not hold, or was a key taken? The reason has
// to be found out.
bool ss_pg_is_guard(const PGresult *result);
bool ss_pg_has_code(const PGresult *result, const char *code);

// One statement and its result in full, binary. Where SS_OK is returned,
// *ret_result is given.
struct ss_pg_query {
    const char *sql; // as ss_pg_sql() takes it
    enum ss_store_table table;
    struct ss_pg_params *params; // or NULL
    const char *what;            // was being done
};
int ss_pg_ask(struct ss_pg_store *store, const struct ss_pg_query *query,
    PGresult **ret_result, struct ss_error *error);
// The same without a result.
int ss_pg_run(struct ss_pg_store *store, const struct ss_pg_query *query,
    struct ss_error *error);
// SQL: the commit of this transaction waits for this server's disk.
extern const char ss_pg_durable_sql[];
int ss_pg_begin(struct ss_pg_store *store, struct ss_error *error);
int ss_pg_commit(struct ss_pg_store *store, struct ss_error *error);
void ss_pg_rollback(struct ss_pg_store *store);

// --- the tables (postgres_schema.c) -----------------------------------------

// Make the tables where there are none, and migrate older ones to this format;
// refuse tables that are not ours, or newer.
int ss_pg_migrate(struct ss_pg_store *store, struct ss_error *error);

// --- rights (postgres_rights.c) ----------------------------------------------

// A query of one text, as ss_pg_sql() takes it: the rights on our tables that
// this user lacks; NULL: none.
extern const char ss_pg_rights_sql[];
// SS_EIO: some rights are missing.
int ss_pg_rights(struct ss_pg_store *store, struct ss_error *error);

// --- committing (postgres_append.c, postgres_work.c) ------------------------

// Units that can be sent without looking at what is stored: each with its
// conditions, all or nothing.
struct ss_pg_stretch {
    struct ss_store_unit *units;
    size_t count;
    uint64_t epoch;
};
// Prepare the statements that such units need, where the session is our own.
// Not within a transaction.
int ss_pg_append_prepare(struct ss_pg_store *store,
    const struct ss_pg_stretch *run, struct ss_error *error);
// Send them; *ret_guard: a condition did not hold, nothing was applied. Inside
// of a transaction nothing is committed yet.
int ss_pg_append(struct ss_pg_store *store, const struct ss_pg_stretch *run,
    bool *ret_guard, struct ss_error *error);

// The same in two halves. Send; false: the connection is of no use any more.
bool ss_pg_append_send(
    struct ss_pg_store *store, const struct ss_pg_stretch *run);
// Whether the session has all that such units need.
bool ss_pg_append_is_prepared(
    const struct ss_pg_store *store, const struct ss_pg_stretch *run);
// Take a result (NULL: the end of a statement's) of what was sent.
void ss_pg_hear(
    struct ss_pg_store *store, struct ss_pg_answer *answer, PGresult *result);

// Append a unit without waiting (postgres_begin.c).
bool ss_pg_begin_apply(
    struct ss_store *base, const struct ss_store_batch *batch, int *ret_fd);
enum ss_store_begun ss_pg_begun_apply(struct ss_store *base, bool waits);

// Statements. Sent by name where the session has it, else with its text; false:
// it could not be sent.
int ss_pg_prepare(struct ss_pg_store *store, enum ss_pg_statement which,
    struct ss_error *error);
bool ss_pg_send(struct ss_pg_store *store, enum ss_pg_statement which,
    struct ss_pg_params *params);
enum ss_pg_statement ss_pg_put_statement(
    enum ss_store_table table, enum ss_pg_put put);

// --- which units go together (postgres_runs.c) ------------------------------

// Texts by kind, each once.
struct ss_pg_names {
    uint64_t *numbers; // what the names are for
    size_t count, capacity;
    struct ss_map kinds[SS_TABLE_COUNT + 1]; // keys of tables, threads
};
enum { SS_PG_THREADS = SS_TABLE_COUNT };

void ss_pg_names_init(struct ss_pg_names *names, size_t capacity);
void ss_pg_names_fini(struct ss_pg_names *names);
// The number that is kept with a name: a new name has 0, and *ret_new is true.
uint64_t *ss_pg_names_add(
    struct ss_pg_names *names, int kind, const char *text, bool *ret_new);

// How many of the first units may go together; 0: the first needs a look.
size_t ss_pg_run_length(const struct ss_store_unit *units, size_t count);

int ss_pg_apply(struct ss_store *base, struct ss_store_batch *batch,
    struct ss_error *error);

// --- heads (postgres_heads.c) -----------------------------------------------

// From now on batches have this epoch; 0: no heads are remembered.
void ss_pg_heads_use(struct ss_pg_store *store, uint64_t epoch);
bool ss_pg_heads_know(
    const struct ss_pg_store *store, const char *thread, uint64_t seq);
void ss_pg_heads_set(
    struct ss_pg_store *store, const char *thread, uint64_t seq);
void ss_pg_heads_forget(struct ss_pg_store *store);

// --- reading (postgres_read.c) ----------------------------------------------

int ss_pg_read(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error);
int ss_pg_known(struct ss_store *base, const char *const *threads, size_t count,
    bool *ret_known, struct ss_error *error);
int ss_pg_scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error);
int ss_pg_get(struct ss_store *base, enum ss_store_table table, const char *key,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error);

// One page. `call` is told each row; what it returns but SS_OK is in
// *ret_stopped, and nothing more is told.
struct ss_pg_page {
    struct ss_pg_query query;
    int (*call)(void *reader, const PGresult *result, int row);
    void *reader;
    int rows; // that came
};
int ss_pg_page_read(struct ss_pg_store *store, struct ss_pg_page *page,
    int *ret_stopped, struct ss_error *error);
// SS_EAGAIN is an answer to an apply, not to a reader.
int ss_pg_give_up(int status, struct ss_error *error);
// How often a page is asked for whose connection is lost.
enum { SS_PG_READ_TRIES_MAX = 3 };

// --- by time (postgres_find.c) ----------------------------------------------

// Numbers of pairs as an array is written; NULL: there is none. Gives.
char *ss_pg_pairs(const struct ss_find_marks *marks);
int ss_pg_search(struct ss_store *base, const struct ss_store_search *search,
    ss_store_found_fn *found, void *ctx, struct ss_error *error);
int ss_pg_tell(struct ss_store *base, bool *ret_more, struct ss_error *error);

// --- the fence (postgres_fence.c) -------------------------------------------

void ss_pg_fence_params(
    struct ss_pg_store *store, uint64_t epoch, struct ss_pg_params *params);
// *ret_held: this epoch is valid, and stays so until the transaction's end.
int ss_pg_fence_held(struct ss_pg_store *store, uint64_t epoch, bool *ret_held,
    struct ss_error *error);
// Ask what locks a fence, within a transaction: whoever holds it is waited for,
// then cut off.
int ss_pg_fence_ask(struct ss_pg_store *store, const struct ss_pg_query *query,
    enum ss_pg_cut cut, PGresult **ret_result, struct ss_error *error);
int ss_pg_fence_take(struct ss_store *base, const char *coordinator, int actor,
    uint64_t *ret_epoch, struct ss_error *error);
int ss_pg_fence_break(
    struct ss_store *base, const char *coordinator, struct ss_error *error);
// Within a transaction. A commit under way with those epochs is waited for,
// then cut off.
int ss_pg_fence_break_now(
    struct ss_pg_store *store, const char *coordinator, struct ss_error *error);

// --- members and shards (postgres_cluster.c) --------------------------------

extern const struct ss_store_cluster_ops ss_pg_cluster_ops;

#endif

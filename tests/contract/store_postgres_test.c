// What a server may be like, who may do what in it, and how large things land.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/limits.h"
#include "tests/contract/postgres_world.h"

static void refuse(const char *it, int status, const char *part)
{
    struct ss_store *none = NULL;
    ck_assert_int_eq(ss_store_open(it, &none, &world_error), status);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(world_error.status, status);
    ck_assert_msg(strstr(world_error.message, part) != NULL, "\"%s\" not in %s",
        part, world_error.message);
    ck_assert_ptr_null(strchr(world_error.message, '\n'));
}

// --- opening ----------------------------------------------------------------

START_TEST(a_url_is_checked)
{
    refuse("postgres://h/d?schema=A-B", SS_EINVAL, "schema \"A-B\"");
    refuse("postgres://h/d?schema=", SS_EINVAL, "a name of a-z");
    refuse("postgres://h/d?schema=pg_mine", SS_EINVAL, "pg_");
    refuse("postgres://h/d?reconnect_ms=soon", SS_EINVAL, "milliseconds");
    refuse("postgres://h/d?synchronous_commit=off", SS_EINVAL, "\"server\"");
    refuse("postgres://h/d?colour=red", SS_EINVAL, "this is not a URL");
    refuse("postgres://h/d?shema=x&reconnect_ms=1", SS_EINVAL,
        "Did you mean \"schema\"?");
    refuse("postgres:", SS_EINVAL, "this is not a URL");
}
END_TEST

START_TEST(a_password_is_in_no_message)
{
    refuse("postgres://joe:s3cret@/postgres?host=/nowhere", SS_EIO,
        "cannot connect to /nowhere:5432/postgres: ");
    ck_assert_ptr_null(strstr(world_error.message, "s3cret"));
    refuse("postgres://joe:s3cret@h/d?colour=red", SS_EINVAL, "not a URL");
    ck_assert_ptr_null(strstr(world_error.message, "s3cret"));
    open_store(&pg.store);
    char *name = ss_format("postgres %s:5432/postgres schema %s",
        postgres_server_folder(pg.server), pg.schema);
    ck_assert_str_eq(ss_store_name(pg.store), name);
    ss_free(name);
}
END_TEST

START_TEST(no_server_no_database_and_no_password_are_told_apart)
{
    refuse("postgres:///d?host=/nowhere", SS_EIO, "Is the server running");
    char *it = ss_format("postgres:///gone?host=%s&user=postgres",
        postgres_server_folder(pg.server));
    refuse(it, SS_EIO, "database \"gone\" does not exist");
    ss_free(it);
    char *hba = ss_format("%s/pg_hba.conf", postgres_server_data(pg.server));
    FILE *file = fopen(hba, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "local all locked scram-sha-256\nlocal all all trust\n");
    fclose(file);
    ss_free(hba);
    ask(pg.person, "CREATE ROLE locked LOGIN PASSWORD 'right'");
    ask(pg.person, "SELECT pg_reload_conf()");
    // A fresh session waits for nothing: it reads what was reloaded, or not
    // yet; so wait until the server says that it has.
    while (strcmp(ask(pg.person, "SELECT count(*) FROM pg_hba_file_rules"),
               "2") != 0) {
    }
    it = ss_format("postgres://locked:wrong@/postgres?host=%s",
        postgres_server_folder(pg.server));
    int status = SS_OK;
    while (strstr(world_error.message, "password authentication") == NULL) {
        status = ss_store_open(it, &pg.store, &world_error);
        ck_assert_int_ne(status, SS_OK);
    }
    ck_assert_int_eq(status, SS_EIO);
    ss_free(it);
    it = ss_format("postgres://locked@/postgres?host=%s",
        postgres_server_folder(pg.server));
    refuse(it, SS_EIO, "it wants a password");
    ss_free(it);
}
END_TEST

START_TEST(who_may_not_make_tables_is_told)
{
    ask(pg.person, "CREATE ROLE guest LOGIN");
    char *it = ss_format("postgres://guest@/postgres?host=%s&schema=%s",
        postgres_server_folder(pg.server), pg.schema);
    refuse(it, SS_EIO,
        "permission denied for database postgres: the user may"
        " not do this");
    open_store(&pg.store);
    refuse(it, SS_EIO, "permission denied for schema");
    ss_free(it);
}
END_TEST

START_TEST(a_right_that_is_missing_is_told_before_anything_is_served)
{
    static const char *const tables[] = {"journal", "runs", "open_runs",
        "threads", "graphs", "cache", "pauses", "meta", "fences", "members",
        "shards", "format"};
    open_store(&pg.store);
    ask(pg.person, "CREATE ROLE clerk LOGIN");
    char *may = ss_format("GRANT USAGE ON SCHEMA %s TO clerk;"
                          "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES"
                          " IN SCHEMA %s TO clerk",
        pg.schema, pg.schema);
    ask(pg.person, may);
    char *it = ss_format("postgres://clerk@/postgres?host=%s&schema=%s",
        postgres_server_folder(pg.server), pg.schema);
    struct ss_store *store = NULL;
    ck_assert_int_eq(ss_store_open(it, &store, NULL), SS_OK);
    ss_store_close(&store);
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        char *revoke = ss_format(
            "REVOKE UPDATE, DELETE ON %s.%s FROM clerk", pg.schema, tables[i]);
        char *told = ss_format("%s on \"%s\".%s",
            strcmp(tables[i], "journal") == 0 ? "DELETE" : "UPDATE", pg.schema,
            tables[i]);
        ask(pg.person, revoke);
        refuse(it, SS_EIO, told);
        ask(pg.person, may);
        ss_free(revoke);
        ss_free(told);
    }
    ss_free(may);
    ss_free(it);
}
END_TEST

START_TEST(a_database_of_another_encoding_is_refused)
{
    ask(pg.person,
        "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    char *it = ss_format("postgres://postgres@/latin?host=%s",
        postgres_server_folder(pg.server));
    refuse(it, SS_EINVAL, "has the encoding LATIN1");
    ss_free(it);
}
END_TEST

START_TEST(a_database_that_takes_no_writes_is_told)
{
    ask(pg.person, "CREATE DATABASE calm");
    ask(pg.person,
        "ALTER DATABASE calm SET default_transaction_read_only = on");
    char *it = ss_format(
        "postgres://postgres@/calm?host=%s", postgres_server_folder(pg.server));
    refuse(it, SS_EIO, "takes no writes");
    ss_free(it);
}
END_TEST

START_TEST(a_newer_format_is_refused)
{
    open_store(&pg.store);
    ss_store_close(&pg.store);
    ask(pg.person, "UPDATE format SET number = 8");
    refuse(pg.url, SS_EVERSION,
        "was written by a newer version (format 8, this"
        " program knows 7)");
    ask(pg.person, "DELETE FROM format");
    refuse(pg.url, SS_ECORRUPT, "has no format number");
}
END_TEST

// --- what programs put that know of no times ---------------------------------

// The runs or threads of a page, the newest first; "..." where some have no
// time yet. Takes `find`.
static void expect_found(
    struct ss_store *store, struct ss_find find, const char *list)
{
    struct ss_job *job = ss_job_new(SS_JOB_FIND, 1);
    struct ss_jobs_stats stats = {0};
    struct ss_job *jobs = job;
    job->find = find;
    job = ss_jobs_run_some(store, 0, &jobs, &stats);
    ck_assert_msg(job->status == SS_OK, "%s", job->error.message);
    char *found = ss_strdup("");
    for (size_t i = 0; i < job->entries_count; i++) {
        char *more = ss_format("%s %s", found, job->entries[i].key);
        ss_free(found);
        found = more;
    }
    char *all = ss_format("%s%s", found, job->lacks.times ? " ..." : "");
    ck_assert_str_eq(all, list);
    ss_free(all);
    ss_free(found);
    ss_job_destroy(&job);
}

// The connection that lists are read by is idle while the database is away.
static void expect_list_behind_a_cut(void)
{
    const struct ss_store_put record = {.table = SS_TABLE_THREADS,
        .key = "t",
        .value = "{\"created_us\":1}",
        .value_size = strlen("{\"created_us\":1}")};
    open_store(&pg.store);
    ck_assert_int_eq(put_entry(pg.store, &record), SS_OK);
    cut_all_stores();
    expect_found(pg.store,
        (struct ss_find){
            .of_threads = true, .until_us = INT64_MAX, .limit = 10},
        " t");
}

START_TEST(a_list_just_after_the_database_is_back_lacks_nothing)
{
    expect_list_behind_a_cut();
}
END_TEST

// As libpq 14.2 has it: a connection that is over has sent all, and is busy for
// ever.
static bool is_busy_for_ever;

typedef int libpq_fn(PGconn *);

static libpq_fn *of_libpq(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    libpq_fn *function;
    ck_assert_ptr_nonnull(found);
    memcpy(&function, &found, sizeof(function));
    return function;
}

int PQflush(PGconn *conn)
{
    bool is_over = is_busy_for_ever && PQsocket(conn) < 0;
    return is_over ? 0 : of_libpq("PQflush")(conn);
}

int PQisBusy(PGconn *conn)
{
    bool is_over = is_busy_for_ever && PQsocket(conn) < 0;
    return is_over ? 1 : of_libpq("PQisBusy")(conn);
}

START_TEST(a_list_lacks_nothing_where_libpq_waits_for_what_is_over)
{
    is_busy_for_ever = true;
    expect_list_behind_a_cut();
    is_busy_for_ever = false;
}
END_TEST

static void expect_newest(struct ss_store *store, bool of_threads,
    const char *status, const char *list)
{
    expect_found(store,
        (struct ss_find){.of_threads = of_threads,
            .status = ss_strdup(status),
            .until_us = INT64_MAX,
            .limit = 4},
        list);
}

// As such a program puts a record, which is there or not.
static void put_as_before(
    const char *table, const char *key, const char *index, const char *record)
{
    char *sql = ss_format(
        "INSERT INTO %s (key, index_key, expires_us, hash, value) VALUES"
        " ('%s', %s, 0, hashtextextended('%s', 0), convert_to('%s', 'UTF8'))"
        " ON CONFLICT (key) DO UPDATE SET index_key = excluded.index_key, hash"
        " = excluded.hash, value = excluded.value",
        table, key, index, record, record);
    ask(pg.person, sql);
    ss_free(sql);
}

static void put_now(enum ss_store_table table, const char *key,
    const char *index, int64_t at_us, const char *record)
{
    const struct ss_store_put put = {.table = table,
        .key = key,
        .index = index,
        .value = record,
        .value_size = strlen(record),
        .at_us = at_us,
        .status = table == SS_TABLE_RUNS ? "done" : NULL};
    ck_assert_int_eq(put_entry(pg.store, &put), SS_OK);
}

#define MADE(at, how) "{\"created_us\":" at ",\"status\":\"" how "\"}"

START_TEST(what_an_older_coordinator_puts_beside_this_one_is_found)
{
    open_store(&pg.store);
    put_now(SS_TABLE_RUNS, "a", "t", 10, MADE("10", "done"));
    put_now(SS_TABLE_THREADS, "t", NULL, 10, MADE("10", "idle"));
    put_now(SS_TABLE_THREADS, "u", NULL, 20, MADE("20", "idle"));
    put_as_before("runs", "b", "'u'", MADE("30", "failed"));
    put_as_before("open_runs", "c", "'u'", MADE("15", "running"));
    expect_newest(pg.store, false, NULL, " b c a");
    expect_newest(pg.store, false, "failed", " b");
    // It put a thread anew: what stood there had another time. A run that it
    // knows nothing of had failed before.
    put_as_before("threads", "t", "NULL",
        "{\"created_us\":10,\"updated_us\":40,\"status\":\"failed\"}");
    put_as_before("threads", "v", "NULL", "{\"created_us\":25}");
    put_as_before("runs", "d", "'v'", MADE("26", "interrupted"));
    expect_newest(pg.store, true, NULL, " t v u");
    expect_newest(pg.store, true, "failed", "");
    expect_newest(pg.store, true, "interrupted", " v");
    // And this one puts it again.
    put_now(SS_TABLE_THREADS, "t", "failed", 50, MADE("10", "failed"));
    expect_newest(pg.store, true, "failed", " t");
}
END_TEST

START_TEST(many_old_records_are_told_their_times_in_steps)
{
    open_store(&pg.store);
    char *sql = ss_format(
        "INSERT INTO runs (key, index_key, expires_us, hash, value) SELECT"
        " 'r' || n, 't', 0, n, convert_to('{\"created_us\":' || n || '}',"
        " 'UTF8') FROM generate_series(1, %d) AS n",
        SS_STORE_TELL_MAX + 2);
    ask(pg.person, sql);
    ss_free(sql);
    // One of them somebody holds: it is passed over, and nobody waits.
    PGconn *holder = connect_person();
    ask(holder, "BEGIN");
    ask(holder, "SELECT 1 FROM runs WHERE key = 'r1002' FOR UPDATE");
    put_now(SS_TABLE_RUNS, "new", "t", 5000, MADE("5000", "done"));
    bool more = false;
    ck_assert_int_eq(ss_store_tell(pg.store, &more, &world_error), SS_OK);
    ck_assert(more);
    ck_assert_int_eq(ss_store_tell(pg.store, &more, &world_error), SS_OK);
    ck_assert(!more);
    expect_newest(pg.store, false, NULL, " new r1001 r1000 r999");
    ask(holder, "COMMIT");
    PQfinish(holder);
    expect_newest(pg.store, false, NULL, " new r1002 r1001 r1000");
}
END_TEST

// As a program puts a run that knows of times, and of no marks.
static void put_unmarked(const char *key, const char *record)
{
    char *sql = ss_format(
        "INSERT INTO runs (key, index_key, expires_us, hash, value, at_us,"
        " status, at_hash) VALUES ('%s', 't', 0, hashtextextended('%s', 0),"
        " convert_to('%s', 'UTF8'), 6, 'done', hashtextextended('%s', 0)) ON"
        " CONFLICT (key) DO UPDATE SET hash = excluded.hash, value ="
        " excluded.value, at_hash = excluded.at_hash",
        key, record, record, record);
    ask(pg.person, sql);
    ss_free(sql);
}

// Runs of that graph, or whose user is that (NULL: any).
static void expect_marked(const char *graph, const char *user, const char *list)
{
    expect_found(pg.store,
        (struct ss_find){.graph = ss_strdup(graph),
            .metadata = user ? json_pack("{s:s}", "user", user) : NULL,
            .until_us = INT64_MAX,
            .limit = 4},
        list);
}

#define OF(graph, user)                                                        \
    "{\"graph\":\"" graph "\",\"created_us\":6,\"status\":\"done\","           \
    "\"metadata\":{\"user\":\"" user "\"}}"

START_TEST(what_a_program_without_marks_puts_is_found_by_graph_and_metadata)
{
    open_store(&pg.store);
    put_unmarked("r1", OF("g", "ann"));
    put_now(SS_TABLE_RUNS, "r2", "t", 6, OF("h", "bob"));
    expect_marked("g", NULL, " r1");
    expect_marked(NULL, "ann", " r1");
    expect_marked("h", "bob", " r2");
    put_unmarked("r2", OF("g", "ann")); // beside this one
    expect_marked("h", NULL, "");
    expect_marked("g", "ann", " r1 r2");
    put_now(SS_TABLE_RUNS, "r1", "t", 6, OF("h", "bob\\u0000"));
    expect_marked("g", NULL, " r2");
    // A database of before has no such columns at all.
    ss_store_close(&pg.store);
    ask(pg.person, "ALTER TABLE runs DROP COLUMN graph, DROP COLUMN pairs,"
                   " DROP COLUMN marks_hash");
    ask(pg.person, "ALTER TABLE open_runs DROP COLUMN graph, DROP COLUMN pairs,"
                   " DROP COLUMN marks_hash");
    ask(pg.person, "ALTER TABLE threads DROP COLUMN graph, DROP COLUMN pairs,"
                   " DROP COLUMN marks_hash");
    open_store(&pg.store);
    expect_marked("g", "ann", " r2");
    expect_marked("h", NULL, " r1");
}
END_TEST

// It has no time: that is said, and the others are found.
START_TEST(a_damaged_record_of_before_hides_no_other)
{
    open_store(&pg.store);
    put_now(SS_TABLE_RUNS, "a", "t", 10, MADE("10", "done"));
    put_as_before("runs", "b", "'t'", "no JSON");
    expect_newest(pg.store, false, NULL, " a ...");
}
END_TEST

START_TEST(lists_are_read_by_a_connection_of_their_own)
{
    struct ss_store *reader = NULL;
    open_store(&pg.store);
    ck_assert_int_eq(
        ss_store_open_reader(pg.url, &reader, &world_error), SS_OK);
    put_now(SS_TABLE_RUNS, "a", "t", 10, MADE("10", "done"));
    PGconn *holder = connect_person();
    ask(holder, "BEGIN");
    ask(holder, "LOCK TABLE journal IN ACCESS EXCLUSIVE MODE");
    expect_newest(reader, false, NULL, " a"); // while an append would wait
    ask(holder, "COMMIT");
    PQfinish(holder);
    ss_store_close(&reader);
}
END_TEST

START_TEST(tables_of_another_program_are_left_alone)
{
    char *sql = ss_format(
        "CREATE SCHEMA %s CREATE TABLE journal (dear_diary text)", pg.schema);
    ask(pg.person, sql);
    ss_free(sql);
    refuse(pg.url, SS_EINVAL, "has tables of another program");
    ask(pg.person, "INSERT INTO journal VALUES ('nobody touched me')");
}
END_TEST

START_TEST(several_that_start_at_once_make_one_schema)
{
    enum { COUNT = 6 };
    pid_t children[COUNT];
    int gate[2];
    ck_assert_int_eq(pipe(gate), 0);
    for (int i = 0; i < COUNT; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            char byte;
            (void)close(gate[1]);
            struct ss_store *mine = NULL;
            bool ok = read(gate[0], &byte, 1) == 0 &&
                      ss_store_open(pg.url, &mine, NULL) == SS_OK;
            ss_store_close(&mine);
            _exit(ok ? 0 : 1);
        }
    }
    (void)close(gate[1]); // they all go
    for (int i = 0; i < COUNT; i++) {
        int how = -1;
        ck_assert_int_eq(waitpid(children[i], &how, 0), children[i]);
        ck_assert_int_eq(how, 0);
    }
    (void)close(gate[0]);
    ck_assert_str_eq(ask(pg.person, "SELECT count(*) FROM format"), "1");
}
END_TEST

START_TEST(people_may_look)
{
    open_store(&pg.store);
    struct ss_store_row row = row_of("t", 1, "body");
    row.checkpoint_id = "c1";
    row.wall_us = INT64_C(1700000000000042);
    row.metadata = "{\"user\":\"Ada\"}";
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ck_assert_int_eq(apply_unit(pg.store, &unit), SS_OK);
    ck_assert_int_eq(append_row(pg.store, "t", 2, "no checkpoint"), SS_OK);
    ck_assert_str_eq(
        ask(pg.person, "SELECT string_agg(concat_ws(' ', thread, checkpoint_id,"
                       " created AT TIME ZONE 'UTC', size, metadata->>'user'),"
                       " ';') FROM checkpoints"),
        "t c1 2023-11-14 22:13:20.000042 4 Ada");
}
END_TEST

START_TEST(people_see_what_bodies_tell)
{
    open_store(&pg.store);
    append_for_view(pg.store);
    for (int i = 0; i < VIEW_ROWS; i++) {
        char *sql = ss_format(view_sql, i + 1);
        ck_assert_str_eq(ask(pg.person, sql), view_told[i]);
        ss_free(sql);
    }
    ck_assert_str_eq(
        ask(pg.person,
            "SELECT string_agg((run IS NULL AND checkpoint_id IS"
            " NULL AND parent_seq IS NULL AND step IS NULL AND source"
            " IS NULL)::text, ' ' ORDER BY seq) FROM journal"),
        "false true true true true true true");
}
END_TEST

// --- strangers --------------------------------------------------------------

START_TEST(a_unit_that_cannot_be_stored_harms_no_stranger)
{
    enum { COUNT = 100 };
    char names[COUNT][16];
    struct ss_store_row rows[COUNT];
    struct ss_store_unit units[COUNT] = {{0}};
    open_store(&pg.store);
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "t%d", i);
        rows[i] = row_of(names[i], i == 60 ? 2 : 1, "x");
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    rows[30].run = "\xff";
    struct ss_store_batch batch = {.units = units, .units_count = COUNT};
    int status = ss_store_apply(pg.store, &batch, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    for (int i = 0; i < COUNT; i++) {
        int expected = i == 30 ? SS_EINVAL : i == 60 ? SS_EREFUSED : SS_OK;
        ck_assert_int_eq(units[i].result, expected);
    }
    ck_assert_str_eq(ask(pg.person, "SELECT count(*) FROM journal"), "98");
}
END_TEST

START_TEST(a_batch_larger_than_a_statement_is_one_commit)
{
    enum { COUNT = 5, SIZE = 6 * 1024 * 1024 };
    char *body = ss_alloc(SIZE);
    memset(body, 'b', SIZE);
    struct ss_store_row rows[COUNT];
    open_store(&pg.store);
    for (uint64_t i = 0; i < COUNT; i++) {
        rows[i] = row_of("t", i + 1, "");
        rows[i].body = body;
        rows[i].body_size = SIZE;
    }
    struct ss_store_unit unit = {
        .thread = "t", .rows = rows, .rows_count = COUNT};
    ck_assert_int_eq(apply_unit(pg.store, &unit), SS_OK);
    ck_assert_str_eq(
        ask(pg.person, "SELECT count(*) || ' ' || count(DISTINCT xmin::text)"
                       " || ' ' || sum(length(body)) FROM journal"),
        "5 1 31457280");
    ss_free(body);
}
END_TEST

// Pages of memory that the store's session was given so far (proc(5), minflt).
static long pages_given(void)
{
    char *path = ss_format("/proc/%s/stat",
        ask(pg.person,
            "SELECT pid FROM pg_stat_activity WHERE application_name ="
            " 'superstep' ORDER BY backend_start DESC LIMIT 1"));
    char text[512] = "";
    long pages = -1;
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
    (void)fclose(file);
    const char *behind = strrchr(text, ')'); // its name may hold anything
    ck_assert_ptr_nonnull(behind);
    ck_assert_int_eq(
        sscanf(behind, ") %*c %*d %*d %*d %*d %*d %*u %ld", &pages), 1);
    ss_free(path);
    return pages;
}

// One row of a size that is usual in each of many threads.
static void append_crowd(uint64_t seq)
{
    enum { COUNT = 300, SIZE = 300 };
    char names[COUNT][16], body[SIZE + 1];
    struct ss_store_row rows[COUNT];
    struct ss_store_unit units[COUNT];
    memset(body, 'b', SIZE);
    body[SIZE] = '\0';
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "t%d", i);
        rows[i] = row_of(names[i], seq, body);
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    struct ss_store_batch batch = {.units = units, .units_count = COUNT};
    ck_assert_int_eq(ss_store_apply(pg.store, &batch, &world_error), SS_OK);
    for (int i = 0; i < COUNT; i++)
        ck_assert_int_eq(units[i].result, SS_OK);
}

// Its pages are then those of the tables, each seen for a first time: some 60 a
// commit. Where memory was given back after each commit they were 160.
START_TEST(a_session_keeps_its_memory_from_commit_to_commit)
{
    enum { SMALL = 20, WARM = 5, COMMITS = 30, PAGES_MAX = 110 };
    open_store(&pg.store);
    for (uint64_t seq = 1; seq <= SMALL; seq++)
        ck_assert_int_eq(append_row(pg.store, "small", seq, "x"), SS_OK);
    for (uint64_t seq = 1; seq <= WARM; seq++)
        append_crowd(seq);
    long before = pages_given();
    for (uint64_t seq = 1; seq <= COMMITS; seq++)
        append_crowd(WARM + seq);
    long given = pages_given() - before;
    ck_assert_int_ge(given, 0);
    ck_assert_int_lt(given, COMMITS * PAGES_MAX);
}
END_TEST

START_TEST(many_rows_and_entries_are_read_in_pages)
{
    open_store(&pg.store);
    ask(pg.person,
        "INSERT INTO journal SELECT 't', n, 2, 1, 'r', '', '', '', 0,"
        " 0, 'loop', 0, 0, NULL, 0, 'x' FROM generate_series(1, 700) n;"
        "INSERT INTO cache SELECT 'k' || n, 'i', 0, 0, 'x'"
        " FROM generate_series(100, 699) n");
    ck_assert_uint_eq(
        strlen(rows_text(pg.store, "t", 1, 600)), 9 * 4 + 90 * 5 + 501 * 6 - 1);
    ck_assert_uint_eq(
        strlen(entries_text(pg.store, SS_TABLE_CACHE, NULL, NULL, 0)),
        600 * 7 - 1 > 4095 ? 4095 : 600 * 7 - 1);
    ck_assert_str_eq(entries_text(pg.store, SS_TABLE_CACHE, "i", "k697", 0),
        "k698=x k699=x");
}
END_TEST

static char *log_end(void)
{
    return ss_strdup(ask(pg.person, "SELECT pg_current_wal_insert_lsn()"));
}

static void expect_on_disk(char *before)
{
    char *sql = ss_format(
        "SELECT pg_current_wal_flush_lsn() - '%s'::pg_lsn > 100", before);
    ck_assert_str_eq(ask(pg.person, sql), "t");
    ss_free(sql);
    ss_free(before);
}

// The server writes its log behind our back, too, but not within ten seconds.
static void hold_the_log_back(void)
{
    ask(pg.person, "ALTER SYSTEM SET wal_writer_delay = '10s'");
    ask(pg.person, "SELECT pg_reload_conf()");
}

static void expect_appends_on_disk(void)
{
    for (uint64_t seq = 1; seq <= 20; seq++) {
        char *before = log_end();
        ck_assert_int_eq(append_row(pg.store, "t", seq, "a row"), SS_OK);
        expect_on_disk(before);
    }
}

START_TEST(an_answer_comes_behind_the_log_of_its_commit)
{
    open_store(&pg.store);
    hold_the_log_back();
    expect_appends_on_disk();
}
END_TEST

START_TEST(a_database_that_does_not_wait_for_its_disk_does_for_us)
{
    uint64_t epoch = 0;
    hold_the_log_back();
    ask(pg.person, "ALTER DATABASE postgres SET synchronous_commit = off");
    open_store(&pg.store);
    ask(pg.person, "ALTER DATABASE postgres RESET synchronous_commit");
    expect_appends_on_disk();
    for (int i = 0; i < 20; i++) {
        char *before = log_end();
        ck_assert_int_eq(
            ss_store_fence_take(pg.store, "a", 0, &epoch, NULL), SS_OK);
        expect_on_disk(before);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        an_answer_comes_behind_the_log_of_its_commit,
        a_database_that_does_not_wait_for_its_disk_does_for_us,
        a_url_is_checked,
        a_password_is_in_no_message,
        no_server_no_database_and_no_password_are_told_apart,
        who_may_not_make_tables_is_told,
        a_right_that_is_missing_is_told_before_anything_is_served,
        a_database_of_another_encoding_is_refused,
        a_database_that_takes_no_writes_is_told,
        a_newer_format_is_refused,
        a_list_just_after_the_database_is_back_lacks_nothing,
        a_list_lacks_nothing_where_libpq_waits_for_what_is_over,
        what_an_older_coordinator_puts_beside_this_one_is_found,
        many_old_records_are_told_their_times_in_steps,
        what_a_program_without_marks_puts_is_found_by_graph_and_metadata,
        a_damaged_record_of_before_hides_no_other,
        lists_are_read_by_a_connection_of_their_own,
        tables_of_another_program_are_left_alone,
        several_that_start_at_once_make_one_schema,
        people_may_look,
        people_see_what_bodies_tell,
        a_unit_that_cannot_be_stored_harms_no_stranger,
        a_batch_larger_than_a_statement_is_one_commit,
        a_session_keeps_its_memory_from_commit_to_commit,
        many_rows_and_entries_are_read_in_pages,
    };
    return postgres_world_main(
        "store_postgres", tests, sizeof(tests) / sizeof(tests[0]));
}

#endif

// What only a store on a server can meet: others that write, an answer that is
// lost, a server that says no.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <check.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "coordinator/store/store.h"
#include "tests/contract/store_world.h"
#include "tests/support/postgres_proxy.h"

static struct postgres_server *server;
static struct ss_store *store, *other;
static char url[400];
static char schema[32];
static PGconn *person; // somebody with a shell

static char *ask(PGconn *conn, const char *sql)
{
    static char answer[512];
    PGresult *result = PQexec(conn, sql);
    ExecStatusType how = PQresultStatus(result);
    ck_assert_msg(how == PGRES_TUPLES_OK || how == PGRES_COMMAND_OK, "%s: %s",
        sql, PQerrorMessage(conn));
    snprintf(answer, sizeof(answer), "%s",
        PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return answer;
}

static PGconn *connect_person(void)
{
    PGconn *conn = PQconnectdb(postgres_server_url(server));
    ck_assert_msg(PQstatus(conn) == CONNECTION_OK, "%s", PQerrorMessage(conn));
    char *sql = ss_format("SET client_min_messages = warning;"
                          " SET search_path = %s",
        schema);
    ask(conn, sql);
    ss_free(sql);
    return conn;
}

static void open_store(struct ss_store **it)
{
    int status = ss_store_open(url, it, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
}

static void setup(void)
{
    world_begin();
    static unsigned count; // tests that are not forked have one process
    snprintf(schema, sizeof(schema), "test_%ld_%u", (long)getpid(), ++count);
    snprintf(url, sizeof(url), "%s&schema=%s&reconnect_ms=0",
        postgres_server_url(server), schema);
    person = connect_person();
}

static void teardown(void)
{
    ss_store_close(&store);
    ss_store_close(&other);
    PQfinish(person);
    world_end();
}

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
    refuse("postgres://h/d?colour=red", SS_EINVAL, "this is no URL");
    refuse("postgres:", SS_EINVAL, "this is no URL");
}
END_TEST

START_TEST(a_password_is_in_no_message)
{
    refuse("postgres://joe:s3cret@/postgres?host=/nowhere", SS_EIO,
        "cannot connect to /nowhere:5432/postgres: ");
    ck_assert_ptr_null(strstr(world_error.message, "s3cret"));
    refuse("postgres://joe:s3cret@h/d?colour=red", SS_EINVAL, "no URL");
    ck_assert_ptr_null(strstr(world_error.message, "s3cret"));
    open_store(&store);
    char *name = ss_format("postgres %s:5432/postgres schema %s",
        postgres_server_folder(server), schema);
    ck_assert_str_eq(ss_store_name(store), name);
    ss_free(name);
}
END_TEST

START_TEST(no_server_no_database_and_no_password_are_told_apart)
{
    refuse("postgres:///d?host=/nowhere", SS_EIO, "Is the server running");
    char *it = ss_format("postgres:///gone?host=%s&user=postgres",
        postgres_server_folder(server));
    refuse(it, SS_EIO, "database \"gone\" does not exist");
    ss_free(it);
    char *hba = ss_format("%s/pg_hba.conf", postgres_server_data(server));
    FILE *file = fopen(hba, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "local all locked scram-sha-256\nlocal all all trust\n");
    fclose(file);
    ss_free(hba);
    ask(person, "CREATE ROLE locked LOGIN PASSWORD 'right'");
    ask(person, "SELECT pg_reload_conf()");
    // A fresh session waits for nothing: it reads what was reloaded, or not
    // yet; so wait until the server says that it has.
    while (strcmp(ask(person, "SELECT count(*) FROM pg_hba_file_rules"), "2")) {
    }
    it = ss_format("postgres://locked:wrong@/postgres?host=%s",
        postgres_server_folder(server));
    int status = SS_OK;
    while (strstr(world_error.message, "password authentication") == NULL) {
        status = ss_store_open(it, &store, &world_error);
        ck_assert_int_ne(status, SS_OK);
    }
    ck_assert_int_eq(status, SS_EIO);
    ss_free(it);
    it = ss_format(
        "postgres://locked@/postgres?host=%s", postgres_server_folder(server));
    refuse(it, SS_EIO, "it wants a password");
    ss_free(it);
}
END_TEST

START_TEST(who_may_not_make_tables_is_told)
{
    ask(person, "CREATE ROLE guest LOGIN");
    char *it = ss_format("postgres://guest@/postgres?host=%s&schema=%s",
        postgres_server_folder(server), schema);
    refuse(it, SS_EIO,
        "permission denied for database postgres: the user may"
        " not do this");
    open_store(&store);
    refuse(it, SS_EIO, "permission denied for schema");
    ss_free(it);
}
END_TEST

START_TEST(a_database_of_another_encoding_is_refused)
{
    ask(person, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    char *it = ss_format(
        "postgres://postgres@/latin?host=%s", postgres_server_folder(server));
    refuse(it, SS_EINVAL, "has the encoding LATIN1");
    ss_free(it);
}
END_TEST

START_TEST(a_database_that_takes_no_writes_is_told)
{
    ask(person, "CREATE DATABASE calm");
    ask(person, "ALTER DATABASE calm SET default_transaction_read_only = on");
    char *it = ss_format(
        "postgres://postgres@/calm?host=%s", postgres_server_folder(server));
    refuse(it, SS_EIO, "takes no writes");
    ss_free(it);
}
END_TEST

START_TEST(a_newer_format_is_refused)
{
    open_store(&store);
    ss_store_close(&store);
    ask(person, "UPDATE format SET number = 4");
    refuse(url, SS_EVERSION,
        "was written by a newer version (format 4, this"
        " program knows 3)");
    ask(person, "DELETE FROM format");
    refuse(url, SS_ECORRUPT, "has no format number");
}
END_TEST

START_TEST(tables_of_another_program_are_left_alone)
{
    char *sql = ss_format(
        "CREATE SCHEMA %s CREATE TABLE journal (dear_diary text)", schema);
    ask(person, sql);
    ss_free(sql);
    refuse(url, SS_EINVAL, "has tables of another program");
    ask(person, "INSERT INTO journal VALUES ('nobody touched me')");
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
                      ss_store_open(url, &mine, NULL) == SS_OK;
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
    ck_assert_str_eq(ask(person, "SELECT count(*) FROM format"), "1");
}
END_TEST

START_TEST(people_may_look)
{
    open_store(&store);
    struct ss_store_row row = row_of("t", 1, "body");
    row.checkpoint_id = "c1";
    row.wall_us = INT64_C(1700000000000042);
    row.metadata = "{\"user\":\"Ada\"}";
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "no checkpoint"), SS_OK);
    ck_assert_str_eq(
        ask(person, "SELECT string_agg(concat_ws(' ', thread, checkpoint_id,"
                    " created AT TIME ZONE 'UTC', size, metadata->>'user'),"
                    " ';') FROM checkpoints"),
        "t c1 2023-11-14 22:13:20.000042 4 Ada");
}
END_TEST

// --- strangers --------------------------------------------------------------

START_TEST(a_unit_that_cannot_be_stored_harms_no_stranger)
{
    enum { COUNT = 100 };
    char names[COUNT][16];
    struct ss_store_row rows[COUNT];
    struct ss_store_unit units[COUNT] = {{0}};
    open_store(&store);
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "t%d", i);
        rows[i] = row_of(names[i], i == 60 ? 2 : 1, "x");
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    rows[30].run = "\xff";
    struct ss_store_batch batch = {.units = units, .units_count = COUNT};
    int status = ss_store_apply(store, &batch, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    for (int i = 0; i < COUNT; i++) {
        int expected = i == 30 ? SS_EINVAL : i == 60 ? SS_EREFUSED : SS_OK;
        ck_assert_int_eq(units[i].result, expected);
    }
    ck_assert_str_eq(ask(person, "SELECT count(*) FROM journal"), "98");
}
END_TEST

START_TEST(a_batch_larger_than_a_statement_is_one_commit)
{
    enum { COUNT = 5, SIZE = 6 * 1024 * 1024 };
    char *body = ss_alloc(SIZE);
    memset(body, 'b', SIZE);
    struct ss_store_row rows[COUNT];
    open_store(&store);
    for (uint64_t i = 0; i < COUNT; i++) {
        rows[i] = row_of("t", i + 1, "");
        rows[i].body = body;
        rows[i].body_size = SIZE;
    }
    struct ss_store_unit unit = {
        .thread = "t", .rows = rows, .rows_count = COUNT};
    ck_assert_int_eq(apply_unit(store, &unit), SS_OK);
    ck_assert_str_eq(
        ask(person, "SELECT count(*) || ' ' || count(DISTINCT xmin::text)"
                    " || ' ' || sum(length(body)) FROM journal"),
        "5 1 31457280");
    ss_free(body);
}
END_TEST

START_TEST(many_rows_and_entries_are_read_in_pages)
{
    open_store(&store);
    ask(person, "INSERT INTO journal SELECT 't', n, 2, 1, 'r', '', '', '', 0,"
                " 0, 'loop', 0, 0, NULL, 0, 'x' FROM generate_series(1, 700) n;"
                "INSERT INTO cache SELECT 'k' || n, 'i', 0, 0, 'x'"
                " FROM generate_series(100, 699) n");
    ck_assert_uint_eq(
        strlen(rows_text(store, "t", 1, 600)), 9 * 4 + 90 * 5 + 501 * 6 - 1);
    ck_assert_uint_eq(
        strlen(entries_text(store, SS_TABLE_CACHE, NULL, NULL, 0)),
        600 * 7 - 1 > 4095 ? 4095 : 600 * 7 - 1);
    ck_assert_str_eq(
        entries_text(store, SS_TABLE_CACHE, "i", "k697", 0), "k698=x k699=x");
}
END_TEST

// --- the fence --------------------------------------------------------------

// One row with an epoch: its unit's result.
static int append_as(struct ss_store *it, uint64_t epoch, uint64_t seq)
{
    struct ss_store_row row = row_of("t", seq, "row");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    struct ss_store_batch batch = {
        .epoch = epoch, .units = &unit, .units_count = 1};
    int status = ss_store_apply(it, &batch, &world_error);
    return status != SS_OK ? status : unit.result;
}

static uint64_t take(struct ss_store *it, const char *coordinator)
{
    uint64_t epoch = 0;
    int status = ss_store_fence_take(it, coordinator, 0, &epoch, &world_error);
    ck_assert_msg(status == SS_OK, "%s", world_error.message);
    return epoch;
}

START_TEST(an_old_epoch_appends_nothing)
{
    open_store(&store);
    open_store(&other);
    uint64_t old = take(store, "a");
    ck_assert_int_eq(append_as(store, old, 1), SS_OK);
    ck_assert_int_eq(append_as(store, old, 1), SS_OK); // a repeat
    struct ss_store_row row = row_of("t", 1, "another");
    struct ss_store_unit unit = {.thread = "t", .rows = &row, .rows_count = 1};
    struct ss_store_batch batch = {
        .epoch = old, .units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    ck_assert_int_eq(unit.result, SS_EREFUSED);
    uint64_t new = take(other, "a");
    ck_assert_uint_gt(new, old);
    ck_assert_int_eq(append_as(store, old, 2), SS_EFENCED);
    ck_assert_int_eq(append_as(other, new, 2), SS_OK);
    // Others' fences do not matter.
    ck_assert_int_eq(ss_store_fence_break(store, "b", &world_error), SS_OK);
    ck_assert_int_eq(append_as(other, new, 3), SS_OK);
    ck_assert_int_eq(ss_store_fence_break(store, "a", &world_error), SS_OK);
    ck_assert_int_eq(append_as(other, new, 4), SS_EFENCED);
    ck_assert_str_eq(all_rows(store, "t"), "1:row 2:row 3:row");
}
END_TEST

START_TEST(what_an_epoch_knows_of_its_threads_ends_with_it)
{
    open_store(&store);
    open_store(&other);
    uint64_t epoch = take(store, "a");
    ck_assert_int_eq(append_as(store, epoch, 1), SS_OK);
    ck_assert_int_eq(append_as(store, epoch, 2), SS_OK);
    ck_assert_int_eq(append_as(store, epoch, 4), SS_EREFUSED);
    ck_assert_int_eq(append_as(store, epoch, 3), SS_OK);
    // Deleted by itself.
    struct ss_store_unit unit = {.thread = "t", .delete_thread = true};
    struct ss_store_batch batch = {
        .epoch = epoch, .units = &unit, .units_count = 1};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    ck_assert_int_eq(append_as(store, epoch, 4), SS_EREFUSED);
    ck_assert_int_eq(append_as(store, epoch, 1), SS_OK);
    // Deleted by another owner, meanwhile.
    uint64_t theirs = take(other, "a");
    batch.epoch = theirs;
    ck_assert_int_eq(ss_store_apply(other, &batch, &world_error), SS_OK);
    ck_assert_int_eq(append_as(store, epoch, 2), SS_EFENCED);
    epoch = take(store, "a");
    ck_assert_int_eq(append_as(store, epoch, 2), SS_EREFUSED);
    ck_assert_int_eq(append_as(store, epoch, 1), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:row");
}
END_TEST

// One row in each of `count` threads, the `turn`th of each; all columns differ.
static int append_many(
    struct ss_store *it, uint64_t epoch, size_t count, uint64_t turn)
{
    enum { COUNT_MAX = 40 };
    char names[COUNT_MAX][32];
    struct ss_store_row rows[COUNT_MAX];
    struct ss_store_unit units[COUNT_MAX];
    ck_assert_uint_le(count, COUNT_MAX);
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "%zu-%zu", count, i);
        rows[i] = (struct ss_store_row){.thread = names[i],
            .seq = turn,
            .kind = 2,
            .format = 1,
            .run = "run",
            .ns = i % 2 ? "inside" : "",
            .checkpoint_id = "id",
            .parent_id = "parent",
            .parent_seq = UINT32_MAX + UINT64_C(7),
            .base_seq = 8,
            .source = "loop",
            .step = -2,
            .wall_us = INT64_MIN + 9,
            .metadata = i % 3 ? "{}" : NULL,
            .checksum = UINT64_MAX - 10,
            .body = "b\0dy",
            .body_size = i % 5};
        units[i] = (struct ss_store_unit){
            .thread = names[i], .rows = &rows[i], .rows_count = 1};
    }
    struct ss_store_batch batch = {
        .epoch = epoch, .units = units, .units_count = count};
    int status = ss_store_apply(it, &batch, &world_error);
    for (size_t i = 0; i < count && status == SS_OK; i++)
        status = units[i].result;
    return status;
}

// A batch goes out in another way by its size: what lands is the same.
START_TEST(batches_of_all_sizes_land_as_they_are)
{
    open_store(&store);
    uint64_t epoch = take(store, "me");
    size_t sum = 0;
    for (size_t count = 1; count <= 40; count++) {
        ck_assert_int_eq(append_many(store, epoch, count, 1), SS_OK);
        ck_assert_int_eq(append_many(store, epoch, count, 2), SS_OK);
        ck_assert_int_eq(append_many(store, epoch, count, 2), SS_OK); // again
        ck_assert_int_eq(append_many(store, epoch, count, 4), SS_EREFUSED);
        sum += 2 * count;
    }
    char expected[32];
    snprintf(expected, sizeof(expected), "%zu", sum);
    ck_assert_str_eq(ask(person, "SELECT count(*) FROM journal"), expected);
    ck_assert_str_eq(
        ask(person,
            "SELECT count(*) FROM (SELECT *, split_part(thread, '-',"
            " 2)::integer AS i FROM journal) AS j WHERE (kind, format, run,"
            " checkpoint_id, parent_id, parent_seq, base_seq, source, step,"
            " wall_us, checksum) = (2, 1, 'run', 'id', 'parent', 4294967302, 8,"
            " 'loop', -2, -9223372036854775799, -11) AND (ns, metadata, body)"
            " IS NOT DISTINCT FROM (CASE i % 2 WHEN 0 THEN '' ELSE 'inside'"
            " END, CASE i % 3 WHEN 0 THEN NULL ELSE '{}' END,"
            " substr('\\x6200647900'::bytea, 1, i % 5))"),
        expected);
    (void)take(store, "me");
    for (size_t count = 1; count <= 40; count++)
        ck_assert_int_eq(append_many(store, epoch, count, 3), SS_EFENCED);
}
END_TEST

START_TEST(puts_and_batches_are_fenced_too)
{
    open_store(&store);
    open_store(&other);
    uint64_t old = take(store, "a");
    struct ss_store_put put = {
        .table = SS_TABLE_RUNS, .key = "k", .value = "v", .value_size = 1};
    struct ss_store_row rows[] = {row_of("t", 1, "x"), row_of("u", 1, "x")};
    struct ss_store_unit units[] = {
        {.puts = &put, .puts_count = 1},
        {.thread = "t", .rows = &rows[0], .rows_count = 1},
        {.thread = "u", .rows = &rows[1], .rows_count = 1},
        {.thread = "v", .delete_thread = true},
    };
    struct ss_store_batch alone = {
        .epoch = old, .units = units, .units_count = 1};
    struct ss_store_batch batch = {
        .epoch = old, .units = units, .units_count = 4};
    ck_assert_int_eq(ss_store_apply(store, &alone, &world_error), SS_OK);
    ck_assert_int_eq(units[0].result, SS_OK);
    (void)take(other, "a");
    ck_assert_int_eq(ss_store_apply(store, &alone, &world_error), SS_OK);
    ck_assert_int_eq(units[0].result, SS_EFENCED);
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(units[i].result, SS_EFENCED);
    }
    ck_assert_str_eq(ask(person, "SELECT count(*) FROM journal"), "0");
}
END_TEST

START_TEST(a_store_of_one_process_has_no_fences)
{
    ck_assert_int_eq(ss_store_open("memory:", &store, &world_error), SS_OK);
    uint64_t epoch = 0;
    ck_assert_int_eq(
        ss_store_fence_take(store, "a", 0, &epoch, &world_error), SS_EINVAL);
    ck_assert_int_eq(ss_store_fence_break(store, "a", &world_error), SS_EINVAL);
}
END_TEST

struct append {
    uint64_t epoch, seq;
    int status;
};

static void *append_work(void *ctx)
{
    struct append *append = ctx;
    append->status = append_as(store, append->epoch, append->seq);
    return NULL;
}

// Until a session waits for one of `blocker`'s locks.
static void wait_until_blocked(PGconn *blocker)
{
    char *sql = ss_format("SELECT count(*) FROM pg_stat_activity WHERE %d ="
                          " ANY (pg_blocking_pids(pid))",
        PQbackendPID(blocker));
    while (strcmp(ask(person, sql), "0") == 0) {
    }
    ss_free(sql);
}

START_TEST(an_append_between_the_takeovers_read_and_its_commit_fails)
{
    open_store(&store);
    uint64_t old = take(store, "a");
    ck_assert_int_eq(append_as(store, old, 1), SS_OK);
    PGconn *taker = connect_person();
    ask(taker, "BEGIN");
    ask(taker, "UPDATE fences SET epoch = epoch + 1 WHERE coordinator = 'a'");
    ck_assert_str_eq(ask(taker, "SELECT max(seq) FROM journal"), "1");
    struct append append = {.epoch = old, .seq = 2};
    pthread_t thread;
    pthread_create(&thread, NULL, append_work, &append);
    wait_until_blocked(taker);
    ck_assert_str_eq(ask(taker, "SELECT max(seq) FROM journal"), "1");
    ask(taker, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(append.status, SS_EFENCED);
    ck_assert_str_eq(ask(taker, "SELECT max(seq) FROM journal"), "1");
    PQfinish(taker);
}
END_TEST

// A stale coordinator in the middle of its commit: it holds the fence.
static PGconn *stale_begin(void)
{
    PGconn *stale = connect_person();
    ask(stale, "BEGIN");
    ask(stale, "SELECT 1 FROM fences WHERE coordinator = 'a' FOR SHARE");
    ask(stale, "INSERT INTO journal SELECT thread, seq + 1, kind, format, run,"
               " ns, checkpoint_id, parent_id, parent_seq, base_seq, source,"
               " step, wall_us, metadata, checksum, body FROM journal");
    return stale;
}

static void *break_work(void *ctx)
{
    *(int *)ctx = ss_store_fence_break(store, "a", NULL);
    return NULL;
}

START_TEST(a_commit_that_ends_in_time_is_read_by_whoever_takes_over)
{
    open_store(&store);
    ck_assert_int_eq(append_as(store, take(store, "a"), 1), SS_OK);
    PGconn *stale = stale_begin();
    int status = -1;
    pthread_t thread;
    pthread_create(&thread, NULL, break_work, &status);
    wait_until_blocked(stale);
    ask(stale, "COMMIT");
    pthread_join(thread, NULL);
    ck_assert_int_eq(status, SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:row 2:row");
    PQfinish(stale);
}
END_TEST

START_TEST(a_commit_that_does_not_end_is_cut_off)
{
    open_store(&store);
    ck_assert_int_eq(append_as(store, take(store, "a"), 1), SS_OK);
    PGconn *stale = stale_begin();
    ck_assert_int_eq(ss_store_fence_break(store, "a", &world_error), SS_OK);
    ck_assert_str_eq(all_rows(store, "t"), "1:row");
    PGresult *result = PQexec(stale, "COMMIT");
    ck_assert_int_eq(PQresultStatus(result), PGRES_FATAL_ERROR);
    PQclear(result);
    PQfinish(stale);
    ck_assert_str_eq(all_rows(store, "t"), "1:row");
}
END_TEST

// langgraph issue 8039: a checkpoint became durable, the writes it came from
// did not, and a task that had finished ran again.
START_TEST(a_checkpoint_never_stands_before_the_writes_that_it_takes_over)
{
    open_store(&store);
    PGconn *writer = connect_person();
    ask(writer, "BEGIN");
    ask(writer, "INSERT INTO journal VALUES ('t', 1, 1, 1, 'run-1', '', '', '',"
                " 0, 0, 'loop', 0, 0, NULL, 31, 'writes')");
    ck_assert_int_eq(append_row(store, "t", 2, "checkpoint"), SS_EREFUSED);
    ask(writer, "ROLLBACK");
    ck_assert_int_eq(append_row(store, "t", 2, "checkpoint"), SS_EREFUSED);
    ck_assert_str_eq(all_rows(store, "t"), "");
    ck_assert_int_eq(append_row(store, "t", 1, "writes"), SS_OK);
    ck_assert_int_eq(append_row(store, "t", 2, "checkpoint"), SS_OK);
    PQfinish(writer);
}
END_TEST

// --- what goes wrong on the way ---------------------------------------------

START_TEST(a_full_disk_loses_nothing)
{
    open_store(&store);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ask(person,
        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$"
        " BEGIN RAISE EXCEPTION 'could not extend file: No space left on"
        " device' USING ERRCODE = 'disk_full'; END $$;"
        "CREATE TRIGGER full_disk AFTER INSERT ON journal"
        " EXECUTE FUNCTION full_disk()");
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EFULL);
    ck_assert_ptr_nonnull(strstr(world_error.message,
        "no room on the server's disk; nothing was lost, free some space"));
    ck_assert_str_eq(all_rows(store, "t"), "1:one");
    ask(person, "DROP TRIGGER full_disk ON journal");
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
}
END_TEST

START_TEST(a_table_that_is_gone_is_named_and_nothing_is_applied)
{
    open_store(&store);
    ask(person, "ALTER TABLE cache RENAME TO hidden");
    struct ss_store_row row = row_of("t", 1, "one");
    struct ss_store_put put = {
        .table = SS_TABLE_CACHE, .key = "k", .value = "v", .value_size = 1};
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = &row, .rows_count = 1},
        {.puts = &put, .puts_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 2};
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_EIO);
    ck_assert_ptr_nonnull(strstr(world_error.message, "cache\" does not"));
    ck_assert_str_eq(all_rows(store, "t"), "");
    ask(person, "ALTER TABLE hidden RENAME TO cache");
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
}
END_TEST

static void cut_all_others(void)
{
    ask(person, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE application_name = 'superstep'");
    while (strcmp(ask(person, "SELECT count(*) FROM pg_stat_activity WHERE"
                              " application_name = 'superstep'"),
        "0")) {
    }
}

START_TEST(a_session_that_is_cut_off_is_made_again)
{
    open_store(&store);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    cut_all_others();
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EAGAIN);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
    cut_all_others();
    // A reader does not notice.
    ck_assert_str_eq(all_rows(store, "t"), "1:one 2:two");
}
END_TEST

START_TEST(a_commit_whose_answer_is_lost_is_settled_by_the_same_rows)
{
    struct postgres_proxy *proxy = postgres_proxy_start(server, world_path(""));
    snprintf(url, sizeof(url),
        "postgres://postgres@/postgres?host=%s&schema=%s&reconnect_ms=0",
        world_path(""), schema);
    open_store(&store);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    // Its session has prepared what a batch like the one below needs.
    ck_assert_int_eq(append_many(store, 0, 2, 1), SS_OK);
    struct ss_store_row rows[] = {row_of("t", 2, "two"), row_of("u", 1, "one")};
    struct ss_store_put put = {.table = SS_TABLE_RUNS,
        .key = "k",
        .value = "v",
        .value_size = 1,
        .when = SS_WHEN_ABSENT};
    struct ss_store_unit units[] = {
        {.thread = "t", .rows = &rows[0], .rows_count = 1},
        {.thread = "u", .rows = &rows[1], .rows_count = 1},
        {.puts = &put, .puts_count = 1},
    };
    struct ss_store_batch batch = {.units = units, .units_count = 3};
    postgres_proxy_lose_next(proxy);
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_EAGAIN);
    ck_assert_ptr_nonnull(strstr(world_error.message, "connection is lost"));
    // It has arrived.
    ck_assert_str_eq(ask(person, "SELECT count(*) FROM journal"), "5");
    ck_assert_int_eq(ss_store_apply(store, &batch, &world_error), SS_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(units[i].result, SS_OK);
    }
    ck_assert_str_eq(ask(person, "SELECT count(*) FROM journal"), "5");
    ss_store_close(&store);
    postgres_proxy_stop(&proxy);
}
END_TEST

START_TEST(a_server_that_is_stopped_and_started_loses_nothing)
{
    struct postgres_server *own = postgres_server_start(false);
    ck_assert_ptr_nonnull(own);
    ck_assert_int_eq(ss_store_open(postgres_server_url(own), &store, NULL), 0);
    ss_store_close(&store);
    snprintf(url, sizeof(url), "%s&reconnect_ms=0", postgres_server_url(own));
    open_store(&store);
    for (uint64_t seq = 1; seq <= 4; seq += 2) {
        ck_assert_int_eq(append_row(store, "t", seq, "x"), SS_OK);
        if (seq == 1) {
            postgres_server_end(own);
        } else {
            postgres_server_kill(own);
        }
        ck_assert_int_eq(append_row(store, "t", seq + 1, "x"), SS_EAGAIN);
        ck_assert_int_eq(append_row(store, "t", seq + 1, "x"), SS_EAGAIN);
        ck_assert_ptr_nonnull(strstr(world_error.message, "cannot connect"));
        ck_assert(postgres_server_again(own));
        ck_assert_int_eq(append_row(store, "t", seq + 1, "x"), SS_OK);
    }
    ck_assert_str_eq(all_rows(store, "t"), "1:x 2:x 3:x 4:x");
    ss_store_close(&store);
    postgres_server_stop(&own);
}
END_TEST

START_TEST(a_database_that_is_another_one_now_is_not_written_to)
{
    open_store(&store);
    ck_assert_int_eq(append_row(store, "t", 1, "one"), SS_OK);
    ask(person, "UPDATE format SET generation = 'restored on Monday'");
    cut_all_others();
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EAGAIN);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_EFENCED);
    ck_assert_int_eq(
        ss_store_get(store, SS_TABLE_META, "k", NULL, NULL, &world_error),
        SS_EFENCED);
    ck_assert_ptr_nonnull(strstr(world_error.message, "Start again"));
    ss_store_close(&store);
    open_store(&store);
    ck_assert_int_eq(append_row(store, "t", 2, "two"), SS_OK);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_postgres");
    TCase *t = tcase_create("server");
    tcase_add_checked_fixture(t, setup, teardown);
    const TTest *const tests[] = {
        a_url_is_checked,
        a_password_is_in_no_message,
        no_server_no_database_and_no_password_are_told_apart,
        who_may_not_make_tables_is_told,
        a_database_of_another_encoding_is_refused,
        a_database_that_takes_no_writes_is_told,
        a_newer_format_is_refused,
        tables_of_another_program_are_left_alone,
        several_that_start_at_once_make_one_schema,
        people_may_look,
        a_unit_that_cannot_be_stored_harms_no_stranger,
        a_batch_larger_than_a_statement_is_one_commit,
        many_rows_and_entries_are_read_in_pages,
        an_old_epoch_appends_nothing,
        what_an_epoch_knows_of_its_threads_ends_with_it,
        batches_of_all_sizes_land_as_they_are,
        puts_and_batches_are_fenced_too,
        a_store_of_one_process_has_no_fences,
        an_append_between_the_takeovers_read_and_its_commit_fails,
        a_commit_that_ends_in_time_is_read_by_whoever_takes_over,
        a_commit_that_does_not_end_is_cut_off,
        a_checkpoint_never_stands_before_the_writes_that_it_takes_over,
        a_full_disk_loses_nothing,
        a_table_that_is_gone_is_named_and_nothing_is_applied,
        a_session_that_is_cut_off_is_made_again,
        a_commit_whose_answer_is_lost_is_settled_by_the_same_rows,
        a_server_that_is_stopped_and_started_loses_nothing,
        a_database_that_is_another_one_now_is_not_written_to,
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        tcase_add_test(t, tests[i]);
    }
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    const char *missing = postgres_server_missing();
    if (missing) {
        fprintf(stderr, "SKIPPED: %s\n", missing);
        return 77;
    }
    server = postgres_server_start(false);
    if (!server) {
        return EXIT_FAILURE;
    }
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    postgres_server_stop(&server);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif

// marks.c - what the first start costs after an upgrade that looks records up
// by their graph and metadata.
//
//     bench-marks [RECORDS] [--sqlite]
//
// A database with so many ended runs of before (100000, of two pairs of
// metadata each), as a program left them that knew of no marks. Timed are the
// opening, which a coordinator's start waits for, and on PostgreSQL the marking
// behind it, which nobody waits for, step by step. --sqlite: in a file, whose
// records are marked as it is opened.
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef SS_HAVE_POSTGRES
#include <libpq-fe.h>
#endif

#include "common/app/clock.h"
#include "common/base/mem.h"
#include "coordinator/store/store.h"
#include "tests/support/postgres_server.h"

enum { RECORDS = 100000, RECORDS_MAX = 10000000, SKIPPED = 77 };

#define RECORD                                                                 \
    "'{\"thread\":\"t' || n || '\",\"run\":\"r' || n || '\",\"graph\":\"g' ||" \
    " (n %% 10) || '\",\"status\":\"done\",\"created_us\":' || n ||"           \
    " ',\"metadata\":{\"user\":\"u' || (n %% 1000) || '\",\"plan\":\"p' ||"    \
    " (n %% 3) || '\"}}'"

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "bench-marks: %s: %s\n", what, why);
    exit(1);
}

static double seconds_since(int64_t begun_us)
{
    return (double)(ss_clock_us() - begun_us) / 1e6;
}

static struct ss_store *open_store(const char *url)
{
    struct ss_store *store = NULL;
    struct ss_error error = {0};
    if (ss_store_open(url, &store, &error) != SS_OK)
        complain("open", error.message);
    return store;
}

static void close_timed(struct ss_store *store, int64_t begun_us, long records)
{
    bool more = true;
    size_t steps = 0;
    double opened_s = seconds_since(begun_us), longest_s = 0;
    begun_us = ss_clock_us();
    for (; more; steps++) {
        struct ss_error error = {0};
        int64_t step_us = ss_clock_us();
        more = false;
        if (ss_store_tell(store, &more, &error) != SS_OK)
            complain("tell", error.message);
        double took_s = seconds_since(step_us);
        longest_s = took_s > longest_s ? took_s : longest_s;
    }
    printf(
        "%ld records: opened in %.1f s; behind that %zu steps in %.1f s, the "
        "longest %.2f s\n",
        records, opened_s, steps, seconds_since(begun_us), longest_s);
    ss_store_close(&store);
}

// ---------------------------------------------------------------- PostgreSQL

#ifdef SS_HAVE_POSTGRES

static void ask(PGconn *person, const char *sql)
{
    PGresult *result = PQexec(person, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        complain(sql, PQerrorMessage(person));
    PQclear(result);
}

static void fill_postgres(PGconn *person, long records)
{
    static const char *const tables[] = {"runs", "open_runs", "threads"};
    ask(person, "SET search_path TO superstep");
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        char *sql = ss_format("ALTER TABLE %s DROP COLUMN graph, DROP COLUMN"
                              " pairs, DROP COLUMN marks_hash",
            tables[i]);
        ask(person, sql);
        ss_free(sql);
    }
    char *sql = ss_format(
        "INSERT INTO runs (key, index_key, expires_us, hash, value, at_us,"
        " status, at_hash) SELECT 'r' || n, 't' || n, 0, n,"
        " convert_to(" RECORD ", 'UTF8'), n, 'done', n FROM"
        " generate_series(1, %ld) AS n",
        records);
    ask(person, sql);
    ss_free(sql);
    ask(person, "VACUUM ANALYZE runs");
}

static int run_postgres(long records)
{
    const char *missing = postgres_server_missing();
    if (missing) {
        fprintf(stderr, "bench-marks: SKIPPED: %s\n", missing);
        return SKIPPED;
    }
    struct postgres_server *server = postgres_server_start(true);
    if (!server)
        return 1;
    char *url = ss_format("%s&schema=superstep", postgres_server_url(server));
    char *place = ss_format("host=%s user=postgres dbname=postgres",
        postgres_server_folder(server));
    struct ss_store *store = open_store(url);
    ss_store_close(&store);
    PGconn *person = PQconnectdb(place);
    if (PQstatus(person) != CONNECTION_OK)
        complain("connect", PQerrorMessage(person));
    fill_postgres(person, records);
    PQfinish(person);
    int64_t begun_us = ss_clock_us();
    store = open_store(url);
    close_timed(store, begun_us, records);
    ss_free(place);
    ss_free(url);
    postgres_server_stop(&server);
    return 0;
}

#else

static int run_postgres(long records)
{
    (void)records;
    fprintf(stderr, "bench-marks: SKIPPED: built without libpq\n");
    return SKIPPED;
}

#endif

// ---------------------------------------------------------------- SQLite

static void run_sql(sqlite3 *file, const char *sql)
{
    if (sqlite3_exec(file, sql, NULL, NULL, NULL) != SQLITE_OK)
        complain(sql, sqlite3_errmsg(file));
}

static void fill_sqlite(const char *path, long records)
{
    sqlite3 *file = NULL;
    if (sqlite3_open(path, &file) != SQLITE_OK)
        complain(path, sqlite3_errmsg(file));
    run_sql(file,
        "DROP INDEX runs_of_graph; DROP INDEX runs_unmarked; DROP TABLE"
        " runs_pairs; ALTER TABLE runs DROP COLUMN graph; DROP INDEX"
        " threads_of_graph; DROP INDEX threads_unmarked; DROP TABLE"
        " threads_pairs; ALTER TABLE threads DROP COLUMN graph");
    char *sql = ss_format(
        "WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c"
        " WHERE n < %ld) INSERT INTO runs (key, index_key, expires_us, value,"
        " at_us, status) SELECT 'r' || n, 't' || n, 0, CAST(" RECORD
        " AS BLOB), n, 'done' FROM c",
        records);
    run_sql(file, sql);
    ss_free(sql);
    sqlite3_close(file);
}

static int run_sqlite(long records)
{
    char folder[] = "/tmp/superstep-marks-XXXXXX";
    if (!mkdtemp(folder))
        complain(folder, "cannot be made");
    char *path = ss_format("%s/store.db", folder);
    struct ss_store *store = open_store(path);
    ss_store_close(&store);
    fill_sqlite(path, records);
    int64_t begun_us = ss_clock_us();
    store = open_store(path);
    close_timed(store, begun_us, records);
    char *command = ss_format("rm -r '%s'", folder);
    int status = system(command) == 0 ? 0 : 1;
    ss_free(command);
    ss_free(path);
    return status;
}

int main(int argc, char **argv)
{
    bool is_sqlite = argc > 1 && strcmp(argv[argc - 1], "--sqlite") == 0;
    argc -= is_sqlite;
    long records = argc > 1 ? strtol(argv[1], NULL, 10) : RECORDS;
    if (argc > 2 || records < 1 || records > RECORDS_MAX) {
        fprintf(stderr, "usage: bench-marks [RECORDS] [--sqlite]\n");
        return 2;
    }
    return is_sqlite ? run_sqlite(records) : run_postgres(records);
}

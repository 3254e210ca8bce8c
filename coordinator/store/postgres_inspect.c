// postgres_inspect.c - a check of a PostgreSQL that changes nothing.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

enum { TEXT_SIZE = 512 };

struct look {
    const struct ss_pg_store *store;
    PGconn *conn;
    ss_finding_fn *found;
    void *ctx;
};

static void tell(const struct look *look, enum ss_finding finding,
    const char *format, ...) SS_PRINTF(3, 4);

static void tell(
    const struct look *look, enum ss_finding finding, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;
    va_start(args, format);
    int size = snprintf(text, sizeof(text), "%.200s: ", look->store->place);
    ss_check(size > 0 && size < TEXT_SIZE);
    vsnprintf(text + size, sizeof(text) - (size_t)size, format, args);
    va_end(args);
    look->found(look->ctx, finding, text);
}

// NULL: the query failed, and that was reported.
static PGresult *ask(const struct look *look, const char *sql)
{
    PGresult *result = PQexec(look->conn, sql);
    if (PQresultStatus(result) == PGRES_TUPLES_OK)
        return result;
    tell(look, SS_FINDING_STORE, "%.200s",
        PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
            ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY)
            : "it does not answer");
    PQclear(result);
    return NULL;
}

static void look_at_settings(const struct look *look)
{
    PGresult *result = ask(look,
        "SELECT current_setting('fsync'), current_setting('full_page_writes'),"
        " current_setting('synchronous_commit'), pg_is_in_recovery(),"
        " current_setting('transaction_read_only')");
    if (!result)
        return;
    if (strcmp(PQgetvalue(result, 0, 0), "off") == 0)
        tell(look, SS_FINDING_FSYNC, "fsync is off");
    if (strcmp(PQgetvalue(result, 0, 1), "off") == 0)
        tell(look, SS_FINDING_PAGES, "full_page_writes is off");
    if (strcmp(PQgetvalue(result, 0, 2), "off") == 0 &&
        look->store->leaves_commit)
        tell(look, SS_FINDING_COMMIT,
            "synchronous_commit is off, and the store's URL leaves it so");
    if (strcmp(PQgetvalue(result, 0, 3), "t") == 0 ||
        strcmp(PQgetvalue(result, 0, 4), "on") == 0)
        tell(look, SS_FINDING_READ_ONLY, "it takes no writes");
    PQclear(result);
}

static int64_t wall_ms(void)
{
    struct timespec now;
    ss_check(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The server's clock was read between our two readings.
static void look_at_clock(const struct look *look)
{
    int64_t before_ms = wall_ms();
    PGresult *result = ask(
        look, "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint");
    int64_t after_ms = wall_ms();
    if (!result)
        return;
    int64_t theirs_ms = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    int64_t off_ms = theirs_ms < before_ms  ? theirs_ms - before_ms
                     : theirs_ms > after_ms ? theirs_ms - after_ms
                                            : 0;
    if (off_ms < -SS_INSPECT_CLOCK_MS || off_ms > SS_INSPECT_CLOCK_MS)
        tell(look, SS_FINDING_CLOCK,
            "its clock is about %" PRId64 " s %s that of this machine",
            ((off_ms < 0 ? -off_ms : off_ms) + 500) / 1000,
            off_ms < 0 ? "behind" : "ahead of");
    PQclear(result);
}

static void look_at_rights(const struct look *look)
{
    char *sql = ss_pg_sql(look->store, ss_pg_rights_sql, SS_TABLE_META);
    PGresult *result = ask(look, sql);
    ss_free(sql);
    if (!result)
        return;
    if (!PQgetisnull(result, 0, 0))
        tell(look, SS_FINDING_RIGHTS, "the user %.100s may not %.600s",
            PQuser(look->conn), PQgetvalue(result, 0, 0));
    PQclear(result);
}

static void look_at_number(const struct look *look)
{
    char *sql = ss_format("SELECT coalesce(max(number), 0) FROM \"%s\".format",
        look->store->schema);
    PGresult *result = ask(look, sql);
    ss_free(sql);
    if (!result)
        return;
    long long format = strtoll(PQgetvalue(result, 0, 0), NULL, 10);
    if (format < SS_PG_FORMAT)
        tell(look, SS_FINDING_SCHEMA_OLD,
            "schema %s has format %lld, this program %d", look->store->schema,
            format, SS_PG_FORMAT);
    else if (format > SS_PG_FORMAT)
        tell(look, SS_FINDING_SCHEMA_NEW,
            "schema %s has format %lld, this program knows %d",
            look->store->schema, format, SS_PG_FORMAT);
    else
        look_at_rights(look); // of all tables of this format
    PQclear(result);
}

static void look_at_schema(const struct look *look)
{
    char *sql = ss_format(
        "SELECT bool_or(relname = 'format'), count(*) FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = '%s' AND relname IN ('format', 'journal', 'runs')",
        look->store->schema); // a plain name: option_take() checked it
    PGresult *result = ask(look, sql);
    ss_free(sql);
    if (!result)
        return;
    bool is_ours = strcmp(PQgetvalue(result, 0, 0), "t") == 0;
    bool is_empty = strcmp(PQgetvalue(result, 0, 1), "0") == 0;
    PQclear(result);
    if (is_ours)
        look_at_number(look);
    else if (!is_empty)
        tell(look, SS_FINDING_SCHEMA_FOREIGN,
            "schema %s has tables of another program", look->store->schema);
}

void ss_store_postgres_inspect(
    const char *rest, ss_finding_fn *found, void *ctx)
{
    struct ss_pg_store *store = NULL;
    struct ss_error error = {0};
    struct look look = {.found = found, .ctx = ctx};
    if (ss_pg_new(rest, &store, &error) == SS_OK)
        look.conn = ss_pg_dial(store, &error);
    if (look.conn) {
        look.store = store;
        look_at_settings(&look);
        look_at_clock(&look);
        look_at_schema(&look);
        PQfinish(look.conn);
    } else {
        found(ctx, SS_FINDING_STORE, error.message);
    }
    if (store) {
        struct ss_store *base = &store->base;
        ss_store_close(&base);
    }
}

// postgres_statements.c - the statements of a commit, and those of them that a
// session of our own keeps prepared.
//
// Each statement carries its conditions and fails where one does not hold: by a
// division by zero, or a duplicate key. So the commit need not wait for an
// answer, and a failed commit has changed nothing.
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

// --- their texts ------------------------------------------------------------

// All rows in one value, an array of the table's own row type: the cheapest way
// for a server (docs/internals/journal.md).
#define ROWS "INSERT INTO @journal SELECT r.* FROM unnest($1::@journal[]) AS r"

// The statement itself checks and locks the fence, before its first row: a
// subquery with one value, which is evaluated once.
#define IF_HELD                                                                \
    " WHERE 1 / coalesce((SELECT 1 FROM @fences WHERE coordinator ="           \
    " $2::text AND actor = $3::integer AND epoch = $4::bigint FOR SHARE), 0)"  \
    " = 1"

static const char *const texts[SS_PG_PUTS] = {
    [SS_PG_ROWS] = ROWS,
    [SS_PG_ROWS_FENCED] = ROWS IF_HELD,
    // The rows before the first ones must be the threads' heads.
    [SS_PG_HEADS] =
        "SELECT 1 / (count(*) = 0)::integer FROM unnest($1::text[],"
        " $2::bigint[]) AS p (thread, head) WHERE head <> coalesce((SELECT"
        " max(seq) FROM @journal j WHERE j.thread = p.thread), 0)",
    [SS_PG_FENCE] =
        "SELECT 1 / count(*)::integer FROM (SELECT 1 FROM @fences WHERE"
        " coordinator = $1::text AND actor = $2::integer AND epoch ="
        " $3::bigint FOR SHARE) AS f",
};

// Keys in order: two statements that put the same keys wait for each other in
// one direction only.
#define PUT_COLUMNS "(key, index_key, expires_us, hash, value)"
#define KEYS_OF     "unnest($1::text[], $2::text[]) AS p (key, index_key)"
#define PUT_LISTS                                                              \
    "unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[]"

static const char *const put_texts[SS_PG_PUT_KINDS] = {
    [SS_PG_PUT_ANY] = "INSERT INTO @# " PUT_COLUMNS " SELECT * FROM " PUT_LISTS
                      ") ORDER BY 1 ON CONFLICT (key) DO UPDATE SET index_key "
                      "= excluded.index_key,"
                      " expires_us = excluded.expires_us, hash = excluded.hash,"
                      " value = excluded.value",
    [SS_PG_PUT_ABSENT] = "INSERT INTO @# " PUT_COLUMNS
                         " SELECT * FROM " PUT_LISTS ") ORDER BY 1",
    [SS_PG_PUT_SAME] =
        "WITH u AS (UPDATE @# t SET index_key = p.index_key, expires_us ="
        " p.expires_us, hash = p.hash, value = p.value FROM " PUT_LISTS
        ", $6::bigint[]) AS p (key, index_key, expires_us, hash, value,"
        " expected) WHERE t.key = p.key AND t.hash = p.expected RETURNING 1)"
        " SELECT 1 / (count(*) = $7::bigint)::integer FROM u",
    [SS_PG_PUT_DELETE] = "DELETE FROM @# WHERE key = ANY ($1::text[])",
    [SS_PG_PUT_DELETE_OF] =
        "DELETE FROM @# t USING " KEYS_OF
        " WHERE t.key = p.key AND t.index_key = p.index_key",
};

// Of tables with times. `at_hash` says of which value the time is: where a
// program puts another one that knows of no times, they differ
// (postgres_find.c).
#define TIMED_COLUMNS                                                          \
    "(key, index_key, expires_us, hash, value, at_us, status, graph, pairs,"   \
    " at_hash, marks_hash)"
#define TIMED_LISTS                                                            \
    PUT_LISTS ", $6::bigint[], $7::text[], $8::text[], $9::text[]"
#define TIMED_AS                                                               \
    " AS p (key, index_key, expires_us, hash, value, at_us, status, graph,"    \
    " pairs"
#define INSERT_TIMED                                                           \
    "INSERT INTO @# " TIMED_COLUMNS                                            \
    " SELECT p.key, p.index_key, p.expires_us, p.hash, p.value, p.at_us,"      \
    " p.status, p.graph, p.pairs::bigint[], p.hash, p.hash FROM " TIMED_LISTS  \
    ")" TIMED_AS ") ORDER BY 1"

static const char *const timed_texts[SS_PG_PUT_KINDS] = {
    [SS_PG_PUT_ANY] =
        INSERT_TIMED " ON CONFLICT (key) DO UPDATE SET index_key ="
                     " excluded.index_key, expires_us = excluded.expires_us,"
                     " hash = excluded.hash, value = excluded.value, at_us ="
                     " excluded.at_us, status = excluded.status, at_hash ="
                     " excluded.at_hash, graph = excluded.graph, pairs ="
                     " excluded.pairs, marks_hash = excluded.marks_hash",
    [SS_PG_PUT_ABSENT] = INSERT_TIMED,
    [SS_PG_PUT_SAME] =
        "WITH u AS (UPDATE @# t SET index_key = p.index_key, expires_us ="
        " p.expires_us, hash = p.hash, value = p.value, at_us = p.at_us, status"
        " = p.status, at_hash = p.hash, graph = p.graph, pairs ="
        " p.pairs::bigint[], marks_hash = p.hash FROM " TIMED_LISTS
        ", $10::bigint[])" TIMED_AS
        ", expected) WHERE t.key = p.key AND t.hash = p.expected RETURNING 1)"
        " SELECT 1 / (count(*) = $11::bigint)::integer FROM u",
};

enum ss_pg_statement ss_pg_put_statement(
    enum ss_store_table table, enum ss_pg_put put)
{
    return (enum ss_pg_statement)(
        (int)SS_PG_PUTS + (int)table * SS_PG_PUT_KINDS + (int)put);
}

// Gives.
static char *sql_of(const struct ss_pg_store *store, enum ss_pg_statement which)
{
    ss_check(which < SS_PG_STATEMENTS);
    if (which < SS_PG_PUTS) {
        return ss_pg_sql(store, texts[which], SS_TABLE_META);
    }
    int put = (int)which - (int)SS_PG_PUTS, kind = put % SS_PG_PUT_KINDS;
    enum ss_store_table table = (enum ss_store_table)(put / SS_PG_PUT_KINDS);
    bool is_timed = ss_store_table_has_times(table) && timed_texts[kind];
    return ss_pg_sql(
        store, is_timed ? timed_texts[kind] : put_texts[kind], table);
}

// --- preparing and sending --------------------------------------------------

int ss_pg_prepare(struct ss_pg_store *store, enum ss_pg_statement which,
    struct ss_error *error)
{
    char *name = store->prepared[which];
    if (store->is_pooled || *name) {
        return SS_OK;
    }
    // Named by its text: if another client left it in this session it is the
    // same statement.
    char *sql = sql_of(store, which);
    (void)snprintf(name, SS_PG_NAME_SIZE, "superstep_%016llx",
        (unsigned long long)ss_hash64(sql, strlen(sql)));
    PGresult *result = PQsendPrepare(store->conn, name, sql, 0, NULL) == 1
                           ? ss_pg_result_last(store)
                           : NULL;
    bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
    int status = SS_OK;
    if (!done) {
        *name = '\0';
    }
    if (!done && ss_pg_has_code(result, "42P05")) {
        store->is_pooled = true; // this session was another client's
    } else if (!done) {
        status = ss_pg_fail(store, result, "prepare", error);
    }
    PQclear(result);
    ss_free(sql);
    return status;
}

bool ss_pg_send(struct ss_pg_store *store, enum ss_pg_statement which,
    struct ss_pg_params *params)
{
    const char *name = store->prepared[which];
    if (!store->is_pooled && *name) {
        return PQsendQueryPrepared(store->conn, name, params->count,
                   params->values, params->lengths, params->formats, 1) == 1;
    }
    char *sql = sql_of(store, which);
    bool is_sent =
        PQsendQueryParams(store->conn, sql, params->count, NULL, params->values,
            params->lengths, params->formats, 1) == 1;
    ss_free(sql);
    return is_sent;
}

// postgres_schema.c - the tables of a PostgreSQL store, and their migration.
#include <inttypes.h>

#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

#define TABLE(name, what)                                                      \
    "CREATE TABLE @" name " ( -- " what "\n"                                   \
    "  key        text COLLATE \"C\" NOT NULL PRIMARY KEY,\n"                  \
    "  index_key  text COLLATE \"C\",  -- a second key to scan by\n"           \
    "  expires_us bigint NOT NULL,     -- wall time; 0: never\n"               \
    "  hash       bigint NOT NULL,     -- XXH3 of the value\n"                 \
    "  value      bytea  NOT NULL\n"                                           \
    ");\n"                                                                     \
    "CREATE INDEX " name "_index ON @" name " (index_key, key)\n"              \
    "  WHERE index_key IS NOT NULL;\n"

// Numbers are signed here: seq stays below 2^63, a checksum keeps its bits.
static const char format_1[] =
    "CREATE TABLE @journal (\n"
    "  thread        text COLLATE \"C\" NOT NULL,\n"
    "  seq           bigint  NOT NULL, -- 1, 2, ... within the thread\n"
    "  kind          integer NOT NULL, -- 1 writes 2 checkpoint 3 entry 4 end\n"
    "                                  -- 5 snapshot 6 void\n"
    "  format        integer NOT NULL, -- of the body\n"
    "  run           text    NOT NULL,\n"
    "  ns            text    NOT NULL,\n"
    "  checkpoint_id text    NOT NULL, -- '' if the row makes none\n"
    "  parent_id     text    NOT NULL,\n"
    "  parent_seq    bigint  NOT NULL,\n"
    "  base_seq      bigint  NOT NULL, -- reading begins there\n"
    "  source        text    NOT NULL,\n"
    "  step          bigint  NOT NULL,\n"
    "  wall_us       bigint  NOT NULL,\n"
    "  metadata      text,             -- JSON\n"
    "  checksum      bigint  NOT NULL, -- of the row before\n"
    "  body          bytea   NOT NULL, -- proto/superstep/v1/journal.proto\n"
    "  PRIMARY KEY (thread, seq)\n"
    ");\n" TABLE("runs",
        "the run queue: run and thread -> record, index: "
        "thread") TABLE("threads", "thread -> record") TABLE("graphs",
        "name and version -> description") TABLE("cache",
        "cache key -> writes") TABLE("meta",
        "what the store says of itself") "CREATE TABLE @fences ( -- a row an "
                                         "actor; who holds its epoch may "
                                         "append\n"
                                         "  coordinator text COLLATE \"C\" NOT "
                                         "NULL,\n"
                                         "  actor       integer NOT NULL,\n"
                                         "  epoch       bigint  NOT NULL,\n"
                                         "  PRIMARY KEY (coordinator, actor)\n"
                                         ") WITH (fillfactor = 50);\n"
                                         "CREATE TABLE @format ( -- one row; "
                                         "whoever restores an older state of "
                                         "the\n"
                                         "  number     integer NOT NULL,    -- "
                                         "database sets another generation\n"
                                         "  generation text    NOT NULL\n"
                                         ");\n"
                                         "CREATE VIEW @checkpoints AS\n"
                                         "  SELECT thread, ns, checkpoint_id, "
                                         "parent_id, step, source, run, seq,\n"
                                         "    timestamptz 'epoch' + wall_us * "
                                         "interval '1 microsecond' AS "
                                         "created,\n"
                                         "    metadata::json AS metadata, "
                                         "length(body) AS size\n"
                                         "  FROM @journal WHERE checkpoint_id "
                                         "<> '' AND kind <> 5;\n";

// Unfinished runs in a table of their own, and several coordinators.
static const char format_2[] =
    "ALTER TABLE @format ADD COLUMN epoch bigint NOT NULL DEFAULT 0;\n" TABLE(
        "open_runs", "runs that have not ended: run id -> record, index:"
                     " thread") "INSERT INTO @open_runs SELECT * FROM @runs\n"
                                "  WHERE convert_from(value, "
                                "'UTF8')::json->>'status' NOT IN\n"
                                "  ('done', 'interrupted', 'failed', "
                                "'drained', 'cancelled');\n"
                                "CREATE TABLE @members ( -- coordinators and "
                                "their leases\n"
                                "  name      text COLLATE \"C\" NOT NULL "
                                "PRIMARY KEY,\n"
                                "  endpoint  text        NOT NULL,\n"
                                "  epoch     bigint      NOT NULL, -- of its "
                                "fence\n"
                                "  lease_end timestamptz NOT NULL,\n"
                                "  drains    boolean     NOT NULL\n"
                                ") WITH (fillfactor = 50);\n"
                                "CREATE TABLE @shards ( -- XXH3 of a thread "
                                "modulo 1024 -> who owns it\n"
                                "  shard integer NOT NULL PRIMARY KEY,\n"
                                "  owner text COLLATE \"C\" NOT NULL -- a "
                                "member, or '' for nobody\n"
                                ") WITH (fillfactor = 50);\n"
                                "INSERT INTO @shards SELECT n, '' FROM "
                                "generate_series(0, 1023) AS n;\n"
                                "UPDATE @format SET number = 2;\n";
// The row format that each member reads. An older coordinator that is still
// running does not set it when it renews its lease: it reads the first format.
static const char format_3[] =
    "ALTER TABLE @members ADD COLUMN row_format integer NOT NULL DEFAULT 1;\n"
    "UPDATE @format SET number = 3;\n";
// The pauses. The number of the format keeps out older programs, which would
// send the tasks all the same.
static const char format_4[] = TABLE("pauses",
    "what no task is sent of -> since when, and why") "UPDATE @format SET "
                                                      "number = 4;\n";
// Records of runs have run and thread as their key. Records under the run alone
// stay; the number of the format keeps out older programs, which would look
// only for those.
static const char format_5[] = "UPDATE @format SET number = 5;\n";
// Rows whose bodies name what they repeat. The number of the format keeps out
// older programs, which read none of them.
static const char format_6[] = "UPDATE @format SET number = 6;\n";
// Rows whose bodies tell what else stands in columns (common/wire/row.h): those
// are NULL then. Older programs at work read no such row, as none is written
// while they are members; the number of the format keeps out others. `h`: the
// body's head in hexadecimal, `has`: its first byte.
// clang-format off
#define HEADS \
    "(SELECT *, encode(substring(body FROM 1 FOR 55), 'hex') AS h,\n" \
    "    CASE WHEN format < 10 THEN 0 ELSE get_byte(body, 0) END AS has\n" \
    "    FROM @journal)"
static const char format_7[] =
    "ALTER TABLE @journal ALTER COLUMN run DROP NOT NULL,\n"
    "  ALTER COLUMN ns DROP NOT NULL,\n"
    "  ALTER COLUMN checkpoint_id DROP NOT NULL,\n"
    "  ALTER COLUMN parent_id DROP NOT NULL,\n"
    "  ALTER COLUMN parent_seq DROP NOT NULL,\n"
    "  ALTER COLUMN base_seq DROP NOT NULL,\n"
    "  ALTER COLUMN source DROP NOT NULL,\n"
    "  ALTER COLUMN step DROP NOT NULL,\n"
    "  ALTER COLUMN wall_us DROP NOT NULL;\n"
    "CREATE OR REPLACE VIEW @checkpoints AS\n"
    "  SELECT thread, coalesce(ns, '') AS ns,\n"
    "    CASE WHEN format < 10 THEN checkpoint_id\n"
    "      ELSE substr(h, 3, 32)::uuid::text END AS checkpoint_id,\n"
    "    CASE WHEN format < 10 THEN parent_id WHEN back = 65535\n"
    "      THEN substr(h, 47 + (has & 32), 32)::uuid::text\n"
    "      ELSE coalesce((SELECT CASE WHEN p.format < 10 THEN p.checkpoint_id\n"
    "          ELSE substr(p.h, 3, 32)::uuid::text END FROM " HEADS " p\n"
    "        WHERE p.thread = j.thread AND p.seq = j.seq - j.back\n"
    "          AND j.back > 0), '') END AS parent_id,\n"
    "    CASE WHEN format < 10 THEN step\n"
    "      ELSE ('x' || substr(h, 35, 8))::bit(32)::integer END AS step,\n"
    "    CASE WHEN format < 10 THEN source\n"
    "      ELSE (ARRAY['', 'input', 'loop', 'update', 'fork'])[(has & 7) + 1]\n"
    "      END AS source,\n"
    "    (SELECT CASE WHEN r.format < 10 THEN r.run WHEN r.has & 32 = 0 THEN ''\n"
    "        ELSE substr(r.h, CASE r.has & 8 WHEN 0 THEN 3 ELSE 47 END,\n"
    "          32)::uuid::text END FROM " HEADS " r\n"
    "      WHERE r.thread = j.thread AND r.seq <= j.seq AND r.has & 16 = 0\n"
    "      ORDER BY r.seq DESC LIMIT 1) AS run,\n"
    "    seq, timestamptz 'epoch' + coalesce(wall_us,\n"
    "      (((id >> 16) << 12 | (id & 4095)) - 122192928000000000) / 10)\n"
    "      * interval '1 microsecond' AS created,\n"
    "    CASE WHEN metadata IS NULL AND has & 64 > 0 THEN '{\"parents\":{}}'\n"
    "      ELSE metadata END::json AS metadata, length(body) AS size\n"
    "  FROM (SELECT *, CASE WHEN format < 10 THEN 0\n"
    "      ELSE ('x' || substr(h, 43, 4))::bit(16)::integer END AS back,\n"
    "    CASE WHEN format < 10 THEN 0\n"
    "      ELSE ('x' || substr(h, 3, 16))::bit(64)::bigint END AS id\n"
    "    FROM " HEADS " h WHERE kind <> 5 AND (has & 8 > 0 OR checkpoint_id <> '')\n"
    "  ) j;\n"
    "UPDATE @format SET number = 7;\n";
// clang-format on
// Times, by which records are found. Programs of before leave the columns as
// they are and need not know of them, so the number of the format stays and old
// and new ones run side by side; what those put is told its time later
// (postgres_find.c).
#define TIMES(name)                                                            \
    "ALTER TABLE @" name " ADD COLUMN at_us bigint, ADD COLUMN status text"    \
    " COLLATE \"C\", ADD COLUMN at_hash bigint; -- `at_us` of this value\n"
#define TIMES_INDEX(name)                                                      \
    "CREATE INDEX " name "_newest ON @" name " (at_us DESC, key)\n"            \
    "  WHERE at_us IS NOT NULL;\n"                                             \
    "CREATE INDEX " name "_untold ON @" name " (key)\n"                        \
    "  WHERE at_hash IS DISTINCT FROM hash;\n"
static const char times[] = TIMES("runs") TIMES("open_runs") TIMES("threads")
    TIMES_INDEX("runs") TIMES_INDEX("threads")
    // Most runs are done, and most threads idle: those stand in none of these.
    "CREATE INDEX runs_stand ON @runs (status, at_us DESC, key)\n"
    "  WHERE status <> 'done';\n"
    "CREATE INDEX threads_stand ON @threads (index_key, at_us DESC, key)\n"
    "  WHERE index_key IS NOT NULL;\n";
// What records are looked up by (common/model/find.h), as `times`: a program of
// before leaves the columns as they are, and `marks_hash` says of which value
// they are. Of those that have not ended there are few: they have no index.
#define MARKS(name)                                                            \
    "ALTER TABLE @" name " ADD COLUMN graph text COLLATE \"C\","               \
    " ADD COLUMN pairs bigint[], ADD COLUMN marks_hash bigint;\n"
#define MARKS_INDEX(name)                                                      \
    "CREATE INDEX " name "_of_graph ON @" name " (graph, at_us DESC, key)\n"   \
    "  WHERE graph IS NOT NULL;\n"                                             \
    "CREATE INDEX " name "_with ON @" name " USING gin (pairs)\n"              \
    "  WHERE pairs IS NOT NULL;\n"                                             \
    "CREATE INDEX " name "_unmarked ON @" name " (key)\n"                      \
    "  WHERE marks_hash IS DISTINCT FROM hash;\n"
static const char marks[] = MARKS("runs") MARKS("open_runs") MARKS("threads")
    MARKS_INDEX("runs") MARKS_INDEX("threads");
// What makes each format of the one before, in its place.
static const char *const formats[SS_PG_FORMAT] = {
    NULL, format_2, format_3, format_4, format_5, format_6, format_7};
_Static_assert(SS_SHARDS == 1024, "the table has that many");

static int script(
    struct ss_pg_store *store, const char *text, struct ss_error *error)
{
    char *sql = ss_pg_sql(store, text, SS_TABLE_META);
    PGresult *result =
        PQsendQuery(store->conn, sql) == 1 ? ss_pg_result_last(store) : NULL;
    int status = SS_OK;
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        status = ss_pg_fail(store, result, "make the tables", error);
    }
    PQclear(result);
    ss_free(sql);
    return status;
}

static int create(
    struct ss_pg_store *store, bool has_schema, struct ss_error *error)
{
    int status = SS_OK;
    if (!has_schema) {
        char *sql = ss_format("CREATE SCHEMA \"%s\"", store->schema);
        status = script(store, sql, error);
        ss_free(sql);
    }
    if (status == SS_OK) {
        status = script(store, format_1, error);
    }
    if (status == SS_OK) {
        status = script(store,
            "INSERT INTO @format VALUES (1, gen_random_uuid()::text)", error);
    }
    return status;
}

static int format_check(
    struct ss_pg_store *store, int64_t *ret_format, struct ss_error *error)
{
    const struct ss_pg_query query = {
        .sql = "SELECT max(number), count(*) FROM @format",
        .what = "read the format"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status != SS_OK) {
        return status;
    }
    int64_t format = 0;
    if (!PQgetisnull(result, 0, 0)) {
        format = ss_pg_number_at(result, 0, 0);
    }
    if (format < 1 || ss_pg_number_at(result, 0, 1) != 1) {
        status = ss_error_set(error, SS_ECORRUPT,
            "store: %s: schema %s has no format number", store->place,
            store->schema);
    } else if (format > SS_PG_FORMAT) {
        status = ss_error_set(error, SS_EVERSION,
            "store: %s: schema %s was written by a newer version (format"
            " %" PRId64 ", this program knows %d). Use the newer program, or"
            " another schema",
            store->place, store->schema, format, SS_PG_FORMAT);
    }
    PQclear(result);
    *ret_format = format;
    return status;
}

// Columns that came without a new number.
struct columns {
    bool times, marks;
};

static int look_for_columns(
    struct ss_pg_store *store, struct columns *ret, struct ss_error *error)
{
    const struct ss_pg_query query = {
        .sql = "SELECT count(*) FILTER (WHERE attname = 'at_us'), count(*)"
               " FILTER (WHERE attname = 'marks_hash') FROM pg_attribute WHERE"
               " attrelid = to_regclass('@threads') AND NOT attisdropped",
        .what = "look for the columns"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK) {
        ret->times = ss_pg_number_at(result, 0, 0) > 0;
        ret->marks = ss_pg_number_at(result, 0, 1) > 0;
        PQclear(result);
    }
    return status;
}

// What is in the schema: 0 no schema, 1 no table of our names, 2 our tables, 3
// tables of another program.
static int look(
    struct ss_pg_store *store, int64_t *ret_what, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, store->schema);
    const struct ss_pg_query query = {
        .sql = "SELECT CASE WHEN NOT EXISTS (SELECT FROM pg_namespace"
               " WHERE nspname = $1::text) THEN 0"
               " ELSE (SELECT CASE WHEN count(*) = 0 THEN 1"
               " WHEN bool_or(c.relname = 'format') THEN 2 ELSE 3 END"
               " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
               " WHERE n.nspname = $1::text AND c.relname IN ('journal',"
               " 'runs', 'threads', 'graphs', 'cache', 'meta', 'fences',"
               " 'format', 'checkpoints', 'open_runs', 'members', 'shards', "
               "'pauses'))"
               " END::bigint",
        .params = &params,
        .what = "look for the tables"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK) {
        *ret_what = ss_pg_number_at(result, 0, 0);
        PQclear(result);
    }
    ss_pg_params_fini(&params);
    return status;
}

static int foreign(struct ss_pg_store *store, struct ss_error *error)
{
    return ss_error_set(error, SS_EINVAL,
        "store: %s: schema %s has tables of another program. Name another"
        " one with ?schema=NAME",
        store->place, store->schema);
}

// Migrate from the format that is there to this one.
static int bring_up(struct ss_pg_store *store, struct ss_error *error)
{
    int64_t what = 0, format = 0;
    struct columns has = {false, false};
    int status = look(store, &what, error);
    if (status == SS_OK && what == 3) {
        return foreign(store, error);
    }
    if (status == SS_OK && what < 2) {
        status = create(store, what == 1, error);
    }
    if (status == SS_OK) {
        status = format_check(store, &format, error);
    }
    for (int64_t i = format; status == SS_OK && i < SS_PG_FORMAT; i++) {
        status = script(store, formats[i], error);
    }
    if (status == SS_OK) {
        status = look_for_columns(store, &has, error);
    }
    if (status == SS_OK && !has.times) {
        status = script(store, times, error);
    }
    if (status == SS_OK && !has.marks) {
        status = script(store, marks, error);
    }
    return status;
}

// One of several coordinators that start at once migrates; the others find it
// done.
static int locked_bring_up(struct ss_pg_store *store, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, store->schema);
    const struct ss_pg_query lock = {
        .sql = "SELECT pg_advisory_xact_lock(hashtextextended("
               "'superstep ' || $1::text, 0))",
        .params = &params,
        .what = "lock the schema"};
    int status = ss_pg_begin(store, error);
    if (status == SS_OK) {
        status = ss_pg_run(store, &lock, error);
    }
    ss_pg_params_fini(&params);
    if (status == SS_OK) {
        status = bring_up(store, error);
    }
    if (status == SS_OK) {
        return ss_pg_commit(store, error);
    }
    ss_pg_rollback(store);
    return status;
}

int ss_pg_migrate(struct ss_pg_store *store, struct ss_error *error)
{
    int64_t what = 0, format = 0;
    struct columns has = {false, false};
    int status = look(store, &what, error);
    if (status == SS_OK && what == 3) {
        return foreign(store, error);
    }
    if (status == SS_OK && what == 2) {
        status = format_check(store, &format, error);
    }
    if (status == SS_OK && what == 2) {
        status = look_for_columns(store, &has, error);
    }
    bool is_whole = format == SS_PG_FORMAT && has.times && has.marks;
    if (status == SS_OK && !is_whole) {
        status = locked_bring_up(store, error);
    }
    return status;
}

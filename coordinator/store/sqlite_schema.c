// sqlite_schema.c - the tables of a SQLite store.
#include "coordinator/store/store_sqlite.h"

#define TABLE(name, what)                                                      \
    "CREATE TABLE " name " ( -- " what "\n"                                    \
    "  key        TEXT    NOT NULL PRIMARY KEY,\n"                             \
    "  index_key  TEXT,               -- a second key to scan by\n"            \
    "  expires_us INTEGER NOT NULL,   -- wall time; 0: never\n"                \
    "  value      BLOB    NOT NULL\n"                                          \
    ") WITHOUT ROWID;\n"                                                       \
    "CREATE INDEX " name "_index ON " name " (index_key, key)\n"               \
    "  WHERE index_key IS NOT NULL;\n"

// Numbers are signed here: seq stays below 2^63, a checksum keeps its bits.
#define ROW_DEFINED                                                            \
    "  thread        TEXT    NOT NULL,\n"                                      \
    "  seq           INTEGER NOT NULL, -- 1, 2, ... within the thread\n"       \
    "  kind          INTEGER NOT NULL, -- 1 writes 2 checkpoint 3 entry 4 "    \
    "end\n"                                                                    \
    "                                  -- 5 snapshot 6 void\n"                 \
    "  format        INTEGER NOT NULL, -- of the body\n"                       \
    "  run           TEXT    NOT NULL,\n"                                      \
    "  ns            TEXT    NOT NULL,\n"                                      \
    "  checkpoint_id TEXT    NOT NULL, -- '' if the row makes none\n"          \
    "  parent_id     TEXT    NOT NULL,\n"                                      \
    "  parent_seq    INTEGER NOT NULL,\n"                                      \
    "  base_seq      INTEGER NOT NULL, -- reading begins there\n"              \
    "  source        TEXT    NOT NULL,\n"                                      \
    "  step          INTEGER NOT NULL,\n"                                      \
    "  wall_us       INTEGER NOT NULL,\n"                                      \
    "  metadata      TEXT,             -- JSON\n"                              \
    "  checksum      INTEGER NOT NULL, -- of the row before\n"                 \
    "  body          BLOB    NOT NULL  -- proto/superstep/v1/journal.proto\n"

static const char format_1[] =
    "CREATE TABLE journal (\n" ROW_DEFINED "  , PRIMARY KEY (thread, seq)\n"
    ") WITHOUT ROWID;\n" TABLE("runs", "the run queue: run and thread -> "
                                       "record, index: thread") TABLE("threads",
        "thread -> record") TABLE("graphs",
        "name@version -> description") TABLE("cache",
        "cache key -> writes") TABLE("meta",
        "what the store says of itself") "CREATE VIEW checkpoints AS\n"
                                         "  SELECT thread, ns, checkpoint_id, "
                                         "parent_id, step, source, run, seq,\n"
                                         "    strftime('%Y-%m-%dT%H:%M:%S', "
                                         "wall_us / 1000000, 'unixepoch')\n"
                                         "      || printf('.%06dZ', wall_us % "
                                         "1000000) AS created,\n"
                                         "    metadata, length(body) AS size\n"
                                         "  FROM journal WHERE checkpoint_id "
                                         "<> '' AND kind <> 5;\n";

// Unfinished runs in a table of their own.
static const char format_2[] =
    TABLE("open_runs", "runs that have not ended: run id -> record, index: "
                       "thread") "INSERT INTO open_runs SELECT * FROM runs\n"
                                 "  WHERE json_extract(CAST(value AS TEXT), "
                                 "'$.status') NOT IN\n"
                                 "  ('done', 'interrupted', 'failed', "
                                 "'drained', 'cancelled');\n";

// The pauses.
static const char format_3[] =
    TABLE("pauses", "what no task is sent of -> since when, and why");

// Records of runs have run and thread as their key. Records under the run alone
// stay; the number of the format keeps out older programs, which would look
// only for those.
static const char format_4[] = "";

// Programs of before leave the columns empty and need not know of them, so the
// number of the format stays, and they may come back.
#define TIMES(name)                                                            \
    "ALTER TABLE " name " ADD COLUMN at_us INTEGER;\n"                         \
    "ALTER TABLE " name " ADD COLUMN status TEXT;\n"
#define TIMES_INDEX(name)                                                      \
    "CREATE INDEX " name "_newest ON " name " (at_us DESC, key)\n"             \
    "  WHERE at_us IS NOT NULL;\n"                                             \
    "CREATE INDEX " name "_untold ON " name " (key) WHERE at_us IS NULL;\n"

const char ss_sqlite_times[] = TIMES("runs") TIMES("open_runs") TIMES("threads")
    TIMES_INDEX("runs") TIMES_INDEX("threads")
    // Most runs are done, and most threads idle: those stand in none of these.
    "CREATE INDEX runs_stand ON runs (status, at_us DESC, key)\n"
    "  WHERE status <> 'done';\n"
    "CREATE INDEX threads_stand ON threads (index_key, at_us DESC, key)\n"
    "  WHERE index_key IS NOT NULL;\n";

// A damaged record has no time; who reads it is told so.
#define FROM_JSON(path)                                                        \
    "CASE WHEN json_valid(CAST(value AS TEXT)) THEN"                           \
    " json_extract(CAST(value AS TEXT), '$." path "') END"
#define CREATED FROM_JSON("created_us")
#define UPDATED FROM_JSON("updated_us")
#define STATUS  FROM_JSON("status")
#define UNTOLD  " WHERE at_us IS NULL;\n"
#define FILL_RUNS(name)                                                        \
    "UPDATE " name " SET at_us = coalesce(" CREATED                            \
    ", 0), status = " STATUS UNTOLD
// How the newest run of a thread ended, for one whose record does not say.
#define BY_ITS_RUN                                                             \
    "(SELECT CASE r.status WHEN 'done' THEN NULL WHEN 'failed' THEN 'failed'"  \
    " ELSE 'interrupted' END FROM runs r WHERE r.index_key = threads.key"      \
    " ORDER BY r.at_us DESC LIMIT 1)"

const char ss_sqlite_times_fill[] = FILL_RUNS("runs")
    FILL_RUNS("open_runs") "UPDATE threads SET at_us = coalesce(" UPDATED
                           ", " CREATED ", 0),\n"
                           "  index_key = CASE WHEN coalesce(" STATUS ", '')"
                           " = coalesce(index_key, 'idle') THEN index_key "
                           "ELSE " BY_ITS_RUN " END\n" UNTOLD;

// What entries are looked up by (common/model/find.h), as the times: a program
// of before leaves `graph` empty, and is told of no pairs. An entry of no graph
// has an empty text.
#define MARKS(name)                                                            \
    "ALTER TABLE " name " ADD COLUMN graph TEXT;\n"                            \
    "CREATE INDEX " name "_of_graph ON " name " (graph, at_us DESC, key)\n"    \
    "  WHERE graph IS NOT NULL;\n"                                             \
    "CREATE INDEX " name "_unmarked ON " name " (key) WHERE graph IS NULL;\n"  \
    "CREATE TABLE " name "_pairs ( -- an entry's time for each\n"              \
    "  key   TEXT    NOT NULL,\n"                                              \
    "  pair  INTEGER NOT NULL,\n"                                              \
    "  at_us INTEGER NOT NULL,\n"                                              \
    "  PRIMARY KEY (key, pair)\n"                                              \
    ") WITHOUT ROWID;\n"                                                       \
    "CREATE INDEX " name "_with ON " name "_pairs (pair, at_us DESC, key);\n"

const char ss_sqlite_marks[] = MARKS("runs") MARKS("threads");

// Rows whose bodies name what they repeat. The number of the format keeps out
// older programs, which read none of them.
static const char format_5[] = "";

// Rows whose bodies tell what else stands in columns (common/wire/row.h); these
// are empty then, which takes no room, and the view tells what they would hold
// (sqlite_view.c).
static const char format_6[] = "";

// Where new rows lie (sqlite_fresh.c). The number of the format stays while the
// table is empty, so a program of before may come back.
const char ss_sqlite_fresh[] =
    "CREATE TABLE fresh ( -- rows of the journal, as they came: not yet there\n"
    "  id            INTEGER PRIMARY KEY,\n" ROW_DEFINED ");\n"
    "CREATE UNIQUE INDEX fresh_of_thread ON fresh (thread, seq);\n";

const char *const ss_sqlite_formats[SS_SQLITE_FORMAT] = {
    format_1, format_2, format_3, format_4, format_5, format_6};

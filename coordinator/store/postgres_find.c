// postgres_find.c - records by time, the newest first; and the times of those
// that a program put which knows of none.
//
// Such a program runs beside this one during an upgrade, and the records of
// before it are its own, too. Each record says of which value its time is
// (`at_hash`); where that is not the one that stands there, the record is in a
// small index, from which it is told its time before anyone looks for it.
#include <inttypes.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/find.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

// --- searching --------------------------------------------------------------

struct reader {
    int64_t at_us; // the place behind which the next page begins
    char *after;   // owned
    ss_store_found_fn *found;
    void *ctx;
};

static int row_call(void *ctx, const PGresult *result, int at)
{
    struct reader *reader = ctx;
    const struct ss_store_found found = {.key = PQgetvalue(result, at, 0),
        .index = PQgetisnull(result, at, 1) ? NULL : PQgetvalue(result, at, 1),
        .value = PQgetvalue(result, at, 2),
        .size = (size_t)PQgetlength(result, at, 2),
        .at_us = ss_pg_number_at(result, at, 3)};
    reader->at_us = found.at_us;
    ss_free(reader->after);
    reader->after = ss_strdup(found.key);
    return reader->found(reader->ctx, &found);
}

char *ss_pg_pairs(const struct ss_find_marks *marks)
{
    struct ss_buf text;
    if (marks->pairs_count == 0) {
        return NULL;
    }
    ss_buf_init(&text, SIZE_MAX);
    for (size_t i = 0; i < marks->pairs_count; i++) {
        ss_buf_addf(&text, "%s%" PRId64, i > 0 ? "," : "{", marks->pairs[i]);
    }
    ss_buf_add_str(&text, "}");
    return ss_buf_steal(&text, NULL);
}

enum kind { ALL, OF_INDEX, OF_STATUS, BUSY, KINDS };

// The index goes on where the place is, whatever stands at its very time.
#define BEHIND                                                                 \
    " at_us <= $1::bigint AND at_us >= $2::bigint AND (at_us < $1::bigint"     \
    " OR key > $3::text) ORDER BY at_us DESC, key LIMIT $4::bigint"
#define COLUMNS "SELECT key, index_key, value, at_us FROM "
// The server is told the values before it plans: what is asked for in no case
// costs nothing, and it takes the index that leaves the least. 1: those whose
// metadata is too long to be searched (SS_FIND_UNSEARCHED).
#define MARKED                                                                 \
    " ($5::text IS NULL OR t.graph = $5::text) AND ($6::bigint[] IS NULL OR"   \
    " t.pairs @> $6::bigint[] OR t.pairs @> '{1}'::bigint[]) AND"
_Static_assert(SS_FIND_UNSEARCHED == 1, "as the statements have it");
#define RUNS COLUMNS "@runs t WHERE" MARKED
// There are few, and each is told.
#define OPEN                                                                   \
    COLUMNS                                                                    \
    "(SELECT key, index_key, value, CASE WHEN at_hash = hash THEN at_us ELSE"  \
    " coalesce((convert_from(value, 'UTF8')::json->>'created_us')::bigint, 0)" \
    " END AS at_us FROM @open_runs) AS t WHERE"
#define THREADS                                                                \
    "SELECT key, CASE WHEN EXISTS (SELECT FROM @open_runs o WHERE"             \
    " o.index_key = t.key) THEN '" SS_STORE_BUSY "' ELSE index_key END,"       \
    " value, at_us FROM @threads t WHERE" MARKED

static const char *const texts[SS_TABLE_COUNT][KINDS] = {
    [SS_TABLE_RUNS] = {RUNS BEHIND, RUNS " t.index_key = $7::text AND" BEHIND,
        // As the index has it (postgres_schema.c).
        RUNS " status <> 'done' AND status = $7::text AND" BEHIND, NULL},
    [SS_TABLE_OPEN] = {OPEN BEHIND, OPEN " t.index_key = $5::text AND" BEHIND,
        NULL, NULL},
    [SS_TABLE_THREADS] = {THREADS BEHIND,
        THREADS " t.index_key = $7::text AND" BEHIND, NULL,
        THREADS " t.key = ANY (ARRAY(SELECT index_key FROM @open_runs))"
                " AND" BEHIND},
};

// Most runs are done: those are read by time, and who asks leaves out others.
static enum kind kind_of(const struct ss_store_search *search)
{
    if (search->index) {
        bool is_busy = search->table == SS_TABLE_THREADS &&
                       strcmp(search->index, SS_STORE_BUSY) == 0;
        return is_busy ? BUSY : OF_INDEX;
    }
    return search->status && strcmp(search->status, "done") != 0 ? OF_STATUS
                                                                 : ALL;
}

static int page_read(struct ss_pg_store *store,
    const struct ss_store_search *search, struct reader *reader, int *ret_rows,
    int *ret_stopped, struct ss_error *error)
{
    enum kind kind = kind_of(search);
    struct ss_pg_params params = {0};
    char *after = ss_strdup(reader->after);
    const struct ss_find_marks none = {0};
    const struct ss_find_marks *marks = search->marks ? search->marks : &none;
    char *pairs = ss_pg_pairs(marks);
    ss_pg_params_number(&params, reader->at_us);
    ss_pg_params_number(&params, search->since_us);
    ss_pg_params_text(&params, after);
    ss_pg_params_number(&params, SS_STORE_PAGE_ROWS);
    if (search->table != SS_TABLE_OPEN) { // which has no marks
        ss_pg_params_text(&params, marks->graph);
        ss_pg_params_text(&params, pairs);
    }
    if (kind == OF_INDEX) {
        ss_pg_params_text(&params, search->index);
    } else if (kind == OF_STATUS) {
        ss_pg_params_text(&params, search->status);
    }
    struct ss_pg_page page = {.query = {.sql = texts[search->table][kind],
                                  .table = search->table,
                                  .params = &params,
                                  .what = "find"},
        .call = row_call,
        .reader = reader};
    int status = ss_pg_page_read(store, &page, ret_stopped, error);
    *ret_rows = page.rows;
    ss_free(after);
    ss_free(pairs);
    return status;
}

static int pages_read(struct ss_pg_store *store,
    const struct ss_store_search *search, struct reader *reader,
    struct ss_error *error)
{
    int lost = 0;
    for (;;) {
        int stopped = SS_OK, rows = 0;
        int status = page_read(store, search, reader, &rows, &stopped, error);
        if (stopped != SS_OK) {
            return stopped;
        }
        if (status == SS_EAGAIN && ++lost < SS_PG_READ_TRIES_MAX) {
            continue;
        }
        if (status != SS_OK || rows < SS_STORE_PAGE_ROWS) {
            return ss_pg_give_up(status, error);
        }
    }
}

int ss_pg_search(struct ss_store *base, const struct ss_store_search *search,
    ss_store_found_fn *found, void *ctx, struct ss_error *error)
{
    struct reader reader = {.at_us = search->at_us,
        .after = ss_strdup(search->after),
        .found = found,
        .ctx = ctx};
    int status = pages_read((struct ss_pg_store *)base, search, &reader, error);
    ss_free(reader.after);
    return status;
}

// --- telling times ----------------------------------------------------------

// Rows that somebody writes to are passed over, so nobody waits for this one
// while it waits for them.
#define UNTOLD(name)                                                           \
    "WITH o AS (SELECT key, index_key, convert_from(value, 'UTF8')::json AS j" \
    " FROM @" name " WHERE at_hash IS DISTINCT FROM hash ORDER BY key"         \
    " LIMIT $1::bigint FOR UPDATE SKIP LOCKED), u AS (UPDATE @" name           \
    " t SET at_hash = t.hash, "
#define COUNTED                                                                \
    " FROM o WHERE t.key = o.key RETURNING 1) SELECT count(*) FROM u"
// How the newest run of a thread ended.
#define BY_ITS_RUN                                                             \
    "(SELECT CASE r.j->>'status' WHEN 'done' THEN NULL WHEN 'failed' THEN"     \
    " 'failed' ELSE 'interrupted' END FROM (SELECT convert_from(value,"        \
    " 'UTF8')::json AS j FROM @runs WHERE index_key = t.key) AS r ORDER BY"    \
    " (r.j->>'created_us')::bigint DESC LIMIT 1)"

static const char runs_tell[] =
    UNTOLD("runs") "at_us = coalesce((o.j->>'created_us')::bigint, 0), status ="
                   " o.j->>'status'" COUNTED;
// The index of a thread stays where its record says the same.
static const char threads_tell[] =
    UNTOLD("threads") "at_us = coalesce((o.j->>'updated_us')::bigint, "
                      "(o.j->>'created_us')"
                      "::bigint, 0), index_key = CASE WHEN "
                      "coalesce(o.j->>'status', '') ="
                      " coalesce(o.index_key, 'idle') THEN o.index_key "
                      "ELSE " BY_ITS_RUN " END" COUNTED;

// Records that have no marks, or those of another value; so many as are told at
// once.
static const char unmarked[] =
    "SELECT key, hash, value FROM @# WHERE marks_hash IS DISTINCT FROM hash"
    " ORDER BY key LIMIT $1::bigint";
// Of values that stand there still.
static const char mark[] =
    "WITH o AS (SELECT t.key, p.hash, p.graph, p.pairs FROM @# t JOIN"
    " unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS p (key, hash,"
    " graph, pairs) ON t.key = p.key AND t.hash = p.hash ORDER BY t.key FOR"
    " UPDATE OF t SKIP LOCKED) UPDATE @# t SET graph = o.graph, pairs ="
    " o.pairs::bigint[], marks_hash = o.hash FROM o WHERE t.key = o.key";

static void marks_collect(
    const PGresult *result, struct ss_pg_params *ret_params)
{
    struct ss_pg_array keys, hashes, graphs, pairs;
    ss_pg_array_init(&keys, SS_PG_TEXT);
    ss_pg_array_init(&hashes, SS_PG_INT8);
    ss_pg_array_init(&graphs, SS_PG_TEXT);
    ss_pg_array_init(&pairs, SS_PG_TEXT);
    for (int i = 0; i < PQntuples(result); i++) {
        struct ss_find_marks marks;
        ss_find_marks_read(PQgetvalue(result, i, 2),
            (size_t)PQgetlength(result, i, 2), &marks);
        char *text = ss_pg_pairs(&marks);
        ss_pg_array_text(&keys, PQgetvalue(result, i, 0));
        ss_pg_array_number(&hashes, ss_pg_number_at(result, i, 1));
        ss_pg_array_text(&graphs, marks.graph);
        ss_pg_array_text(&pairs, text);
        ss_free(text);
        ss_find_marks_fini(&marks);
    }
    ss_pg_params_array(ret_params, &keys);
    ss_pg_params_array(ret_params, &hashes);
    ss_pg_params_array(ret_params, &graphs);
    ss_pg_params_array(ret_params, &pairs);
}

static int marks_tell(struct ss_pg_store *store, enum ss_store_table table,
    bool *ret_more, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    PGresult *result = NULL;
    ss_pg_params_number(&params, SS_STORE_TELL_MAX);
    const struct ss_pg_query look = {.sql = unmarked,
        .table = table,
        .params = &params,
        .what = "look for records without marks"};
    int status = ss_pg_ask(store, &look, &result, error);
    ss_pg_params_fini(&params);
    if (status != SS_OK) {
        return status;
    }
    ss_check(PQntuples(result) <= SS_STORE_TELL_MAX);
    *ret_more = *ret_more || PQntuples(result) == SS_STORE_TELL_MAX;
    if (PQntuples(result) > 0) {
        marks_collect(result, &params);
        const struct ss_pg_query query = {.sql = mark,
            .table = table,
            .params = &params,
            .what = "mark records"};
        status = ss_pg_run(store, &query, error);
        ss_pg_params_fini(&params);
    }
    PQclear(result);
    return status;
}

static int all_tell(
    struct ss_pg_store *store, bool *ret_more, struct ss_error *error)
{
    const char *const all[] = {runs_tell, threads_tell};
    int status = ss_pg_reconnect(store, error);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all) && status == SS_OK; i++) {
        struct ss_pg_params params = {0};
        ss_pg_params_number(&params, SS_STORE_TELL_MAX);
        const struct ss_pg_query query = {
            .sql = all[i], .params = &params, .what = "tell times"};
        PGresult *result = NULL;
        status = ss_pg_ask(store, &query, &result, error);
        if (status == SS_OK) {
            *ret_more =
                *ret_more || ss_pg_number_at(result, 0, 0) == SS_STORE_TELL_MAX;
            PQclear(result);
        }
        ss_pg_params_fini(&params);
    }
    if (status == SS_OK) {
        status = marks_tell(store, SS_TABLE_RUNS, ret_more, error);
    }
    if (status == SS_OK) {
        status = marks_tell(store, SS_TABLE_THREADS, ret_more, error);
    }
    return status;
}

// A connection that was lost while nobody asked says nothing of records: they
// are told by the next one, as a read is.
int ss_pg_tell(struct ss_store *base, bool *ret_more, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    int status = SS_EAGAIN;
    for (int i = 0; i < SS_PG_READ_TRIES_MAX && status == SS_EAGAIN; i++) {
        status = all_tell(store, ret_more, error);
    }
    return status;
}

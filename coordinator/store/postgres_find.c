// postgres_find.c - records by time, the newest first; and the times of those
// that a program put which knows of none.
//
// Such a program runs beside this one during an upgrade, and the records of
// before it are its own, too. Each record says of which value its time is
// (`at_hash`); where that is not the one that stands there, the record is in a
// small index, from which it is told its time before anyone looks for it.
#include <string.h>

#include "common/base/mem.h"
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

enum kind { ALL, OF_INDEX, OF_STATUS, BUSY, KINDS };

// The index goes on where the place is, whatever stands at its very time.
#define BEHIND                                                                 \
    " at_us <= $1::bigint AND at_us >= $2::bigint AND (at_us < $1::bigint"     \
    " OR key > $3::text) ORDER BY at_us DESC, key LIMIT $4::bigint"
#define COLUMNS "SELECT key, index_key, value, at_us FROM "
#define RUNS    COLUMNS "@runs t WHERE"
// There are few, and each is told.
#define OPEN                                                                   \
    COLUMNS                                                                    \
    "(SELECT key, index_key, value, CASE WHEN at_hash = hash THEN at_us ELSE"  \
    " coalesce((convert_from(value, 'UTF8')::json->>'created_us')::bigint, 0)" \
    " END AS at_us FROM @open_runs) AS t WHERE"
#define THREADS                                                                \
    "SELECT key, CASE WHEN EXISTS (SELECT FROM @open_runs o WHERE"             \
    " o.index_key = t.key) THEN '" SS_STORE_BUSY "' ELSE index_key END,"       \
    " value, at_us FROM @threads t WHERE"

static const char *const texts[SS_TABLE_COUNT][KINDS] = {
    [SS_TABLE_RUNS] = {RUNS BEHIND, RUNS " t.index_key = $5::text AND" BEHIND,
        // As the index has it (postgres_schema.c).
        RUNS " status <> 'done' AND status = $5::text AND" BEHIND, NULL},
    [SS_TABLE_OPEN] = {OPEN BEHIND, OPEN " t.index_key = $5::text AND" BEHIND,
        NULL, NULL},
    [SS_TABLE_THREADS] = {THREADS BEHIND,
        THREADS " t.index_key = $5::text AND" BEHIND, NULL,
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
    ss_pg_params_number(&params, reader->at_us);
    ss_pg_params_number(&params, search->since_us);
    ss_pg_params_text(&params, after);
    ss_pg_params_number(&params, SS_STORE_PAGE_ROWS);
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

int ss_pg_tell(struct ss_store *base, bool *ret_more, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
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
    }
    return status;
}

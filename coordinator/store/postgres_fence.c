// postgres_fence.c - epochs: who may append, and how an epoch is taken from a
// coordinator that does not answer any more.
#include <poll.h>

#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

void ss_pg_fence_params(
    struct ss_pg_store *store, uint64_t epoch, struct ss_pg_params *params)
{
    ss_pg_params_text(params, store->fence_name);
    ss_pg_params_number(params, store->fence_actor);
    ss_pg_params_number(params, (int64_t)epoch);
}

int ss_pg_fence_held(struct ss_pg_store *store, uint64_t epoch, bool *ret_held,
    struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_fence_params(store, epoch, &params);
    const struct ss_pg_query query = {
        .sql = "SELECT 1 FROM @fences WHERE coordinator = $1::text AND actor ="
               " $2::integer AND epoch = $3::bigint FOR SHARE",
        .params = &params,
        .what = "look at the fence"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK) {
        *ret_held = PQntuples(result) == 1;
        PQclear(result);
    }
    return status;
}

// --- changing an epoch ------------------------------------------------------

// End the sessions that `pid` waits for, from a connection beside it.
static void blockers_end(struct ss_pg_store *store, const char *pid)
{
    PGconn *conn = ss_pg_dial(store, NULL);
    if (!conn) {
        return;
    }
    const char *const values[] = {pid};
    PQclear(PQexecParams(conn,
        store->cut == SS_PG_CUT_ALL
            ? "SELECT pg_terminate_backend(b) FROM"
              " unnest(pg_blocking_pids($1::integer)) AS b"
            : "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity AS a"
              " WHERE a.pid = ANY (pg_blocking_pids($1::integer))"
              " AND a.state LIKE 'idle in transaction%'",
        1, NULL, values, NULL, NULL, 0));
    PQfinish(conn);
}

// Wait for the result of what was sent. The holder of the fence has a while to
// finish.
static int fence_wait(struct ss_pg_store *store, const char *pid,
    const struct ss_pg_query *query, PGresult **ret_result,
    struct ss_error *error)
{
    const struct ss_pg_outside *outside = store->outside;
    (void)PQflush(store->conn);
    while (ss_pg_is_busy(store)) {
        if (outside->wait(outside->ctx, PQsocket(store->conn), POLLIN,
                SS_STORE_FENCE_WAIT_MS) == 0) {
            blockers_end(store, pid);
        } else if (PQconsumeInput(store->conn) != 1) {
            break;
        }
    }
    *ret_result = ss_pg_result_last(store);
    if (PQresultStatus(*ret_result) == PGRES_TUPLES_OK) {
        return SS_OK;
    }
    int status = ss_pg_fail(store, *ret_result, query->what, error);
    PQclear(*ret_result);
    *ret_result = NULL;
    return status;
}

int ss_pg_fence_ask(struct ss_pg_store *store, const struct ss_pg_query *query,
    enum ss_pg_cut cut, PGresult **ret_result, struct ss_error *error)
{
    const struct ss_pg_params *params = query->params;
    const struct ss_pg_query who = {
        .sql = "SELECT pg_backend_pid()::text", .what = query->what};
    PGresult *pid = NULL;
    store->cut = cut;
    int status = ss_pg_ask(store, &who, &pid, error);
    if (status == SS_OK) {
        char *sql = ss_pg_sql(store, query->sql, query->table);
        status = PQsendQueryParams(store->conn, sql, params->count, NULL,
                     params->values, params->lengths, params->formats, 1) == 1
                     ? fence_wait(store, PQgetvalue(pid, 0, 0), query,
                           ret_result, error)
                     : ss_pg_lost(store, query->what, error);
        ss_free(sql);
        PQclear(pid);
    }
    return status;
}

// The fence first, then the epoch, in the order of all transactions that change
// owners; some of them hold this very fence when they raise the epoch.
static int fence_raise(struct ss_pg_store *store, struct ss_pg_params *params,
    uint64_t *ret_epoch, struct ss_error *error)
{
    const struct ss_pg_query lock = {
        .sql = "INSERT INTO @fences AS f VALUES ($1::text, $2::integer, 0)"
               " ON CONFLICT (coordinator, actor) DO UPDATE SET epoch ="
               " f.epoch RETURNING 1",
        .params = params,
        .what = "take the fence"};
    const struct ss_pg_query raise = {
        .sql = "WITH e AS (UPDATE @format SET epoch = greatest(epoch + 1,"
               " (extract(epoch FROM ^) * 1000000)::bigint)"
               " RETURNING epoch) UPDATE @fences AS f SET epoch = e.epoch"
               " FROM e WHERE f.coordinator = $1::text AND f.actor ="
               " $2::integer RETURNING f.epoch",
        .params = params,
        .what = "take the fence"};
    PGresult *result = NULL;
    int status = ss_pg_fence_ask(store, &lock, SS_PG_CUT_ALL, &result, error);
    if (status == SS_OK) {
        PQclear(result);
        // Who has the epoch's row may be another coordinator that starts.
        status = ss_pg_fence_ask(store, &raise, SS_PG_CUT_IDLE, &result, error);
    }
    if (status == SS_OK) {
        *ret_epoch = (uint64_t)ss_pg_number_at(result, 0, 0);
        PQclear(result);
    }
    return status;
}

int ss_pg_fence_take(struct ss_store *base, const char *coordinator, int actor,
    uint64_t *ret_epoch, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_params params = {0};
    uint64_t epoch = 0;
    ss_pg_params_text(&params, coordinator);
    ss_pg_params_number(&params, actor);
    int status = ss_pg_reconnect(store, error);
    if (status == SS_OK) {
        status = ss_pg_begin(store, error);
    }
    if (status == SS_OK) {
        status = fence_raise(store, &params, &epoch, error);
        if (status != SS_OK) {
            ss_pg_rollback(store);
        }
    }
    if (status == SS_OK) {
        status = ss_pg_commit(store, error);
    }
    if (status == SS_OK) {
        *ret_epoch = epoch;
        ss_free(store->fence_name);
        store->fence_name = ss_strdup(coordinator);
        store->fence_actor = actor;
    }
    return status;
}

int ss_pg_fence_break_now(
    struct ss_pg_store *store, const char *coordinator, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, coordinator);
    const struct ss_pg_query query = {
        .sql = "WITH u AS (UPDATE @fences SET epoch = epoch + 1 WHERE"
               " coordinator = $1::text RETURNING 1) SELECT count(*) FROM u",
        .params = &params,
        .what = "break the fence"};
    PGresult *result = NULL;
    int status = ss_pg_fence_ask(store, &query, SS_PG_CUT_ALL, &result, error);
    if (status == SS_OK) {
        PQclear(result);
    }
    return status;
}

int ss_pg_fence_break(
    struct ss_store *base, const char *coordinator, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    int status = ss_pg_reconnect(store, error);
    if (status == SS_OK) {
        status = ss_pg_begin(store, error);
    }
    if (status == SS_OK) {
        status = ss_pg_fence_break_now(store, coordinator, error);
    }
    if (status == SS_OK) {
        return ss_pg_commit(store, error);
    }
    ss_pg_rollback(store);
    return status;
}

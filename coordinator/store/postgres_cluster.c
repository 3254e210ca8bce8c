// postgres_cluster.c - members, their leases, and who owns which shards.
//
// The database's clock judges leases. Each change holds the fence of its
// member, so that a member whose epoch was taken changes nothing; a takeover
// locks the row of the member that it takes over from, so a renewal comes
// before the takeover and counts, or comes after it and finds nothing.
//
// Rows are always locked in one order, also at a start (postgres_fence.c), so
// that no two transactions wait for each other: fences (the own one before
// another's), members, shards, and the epoch in `format`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/store_postgres.h"

// What this process has in memory may not be in this database.
static int moved(const struct ss_pg_store *store, struct ss_error *error)
{
    return ss_error_set(error, SS_EFENCED,
        "store: %s is not the database that it was (another system, timeline"
        " or generation). Start again",
        store->place);
}

static int fenced(const struct ss_pg_store *store, const struct ss_member *self,
    struct ss_error *error)
{
    return ss_error_set(error, SS_EFENCED,
        "store: %s: coordinator %s is not the owner of its lease any more:"
        " another one took it over",
        store->place, self->name);
}

#define FENCE_OF_CONTROL                                                       \
    "SELECT 1 FROM @fences WHERE coordinator = $1::text AND actor = 0 AND"     \
    " epoch = $2::bigint"

// Whether other transactions of the same coordinator may be under way beside
// this one.
enum beside { WITH_OTHERS, ALONE };

// Begin a transaction in which the epoch of `self` stands. One that is to be
// alone waits for all that began under this fence before it, also for those
// whose connection was lost: these may never end, and are cut off.
static int begin_as(struct ss_pg_store *store, const struct ss_member *self,
    enum beside beside, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, self->name);
    ss_pg_params_number(&params, (int64_t)self->epoch);
    const struct ss_pg_query query = {
        .sql = beside == ALONE ? FENCE_OF_CONTROL " FOR UPDATE"
                               : FENCE_OF_CONTROL " FOR SHARE",
        .params = &params,
        .what = "look at the fence"};
    PGresult *result = NULL;
    int status = ss_pg_reconnect(store, error);
    if (status == SS_OK && store->has_moved) {
        return moved(store, error);
    }
    if (status == SS_OK) {
        status = ss_pg_begin(store, error);
    }
    if (status == SS_OK) {
        status = beside == ALONE ? ss_pg_fence_ask(store, &query,
                                       SS_PG_CUT_IDLE, &result, error)
                                 : ss_pg_ask(store, &query, &result, error);
    }
    if (status == SS_OK && PQntuples(result) == 0) {
        status = fenced(store, self, error);
    }
    PQclear(result);
    return status;
}

// An owner of a shard from now on has a higher epoch than all owners before.
static int epoch_raise(struct ss_pg_store *store, struct ss_error *error)
{
    const struct ss_pg_query query = {
        .sql = "UPDATE @format SET epoch = greatest(epoch + 1,"
               " (extract(epoch FROM ^) * 1000000)::bigint)",
        .what = "raise the epoch"};
    return ss_pg_run(store, &query, error);
}

// Commit, or roll back what failed.
static int end(struct ss_pg_store *store, int status, struct ss_error *error)
{
    if (status == SS_OK) {
        return ss_pg_commit(store, error);
    }
    ss_pg_rollback(store);
    return status;
}

// A statement that returns the numbers of shards.
static int shards_change(struct ss_pg_store *store,
    const struct ss_pg_query *query, struct ss_shards *ret_got,
    struct ss_error *error)
{
    PGresult *result = NULL;
    struct ss_shards got = {{0}};
    int status = ss_pg_ask(store, query, &result, error);
    if (status == SS_OK) {
        for (int i = 0; i < PQntuples(result); i++) {
            int64_t shard = ss_pg_number_at(result, i, 0);
            ss_check(shard >= 0 && shard < SS_SHARDS);
            ss_shards_add(&got, (uint16_t)shard);
        }
        PQclear(result);
        *ret_got = got;
    }
    return status;
}

static void shards_param(
    struct ss_pg_params *params, const struct ss_shards *shards)
{
    struct ss_pg_array array;
    ss_pg_array_init(&array, SS_PG_INT8);
    for (uint16_t i = 0; i < SS_SHARDS; i++) {
        if (ss_shards_have(shards, i)) {
            ss_pg_array_number(&array, i);
        }
    }
    ss_pg_params_array(params, &array);
}

// --- leases -----------------------------------------------------------------

static int lease_renew(struct ss_store *base, const struct ss_member *self,
    int64_t lease_ms, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, self->name);
    ss_pg_params_text(&params, self->endpoint);
    ss_pg_params_number(&params, (int64_t)self->epoch);
    ss_pg_params_number(&params, lease_ms);
    ss_pg_params_number(&params, self->drains);
    ss_pg_params_number(&params, self->row_format);
    const struct ss_pg_query query = {
        .sql = "INSERT INTO @members AS m (name, endpoint, epoch, lease_end,"
               " drains, row_format) VALUES ($1::text, $2::text, $3::bigint,"
               " ^ + $4::bigint * interval '1 millisecond',"
               " $5::bigint = 1, $6::bigint) ON CONFLICT (name) DO UPDATE SET"
               " endpoint = excluded.endpoint, epoch = excluded.epoch,"
               " lease_end = excluded.lease_end, drains = excluded.drains,"
               " row_format = excluded.row_format",
        .params = &params,
        .what = "renew the lease"};
    int status = begin_as(store, self, WITH_OTHERS, error);
    if (status == SS_OK) {
        status = ss_pg_run(store, &query, error);
    }
    return end(store, status, error);
}

static int lease_end(
    struct ss_store *base, const struct ss_member *self, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, self->name);
    const struct ss_pg_query queries[] = {
        {.sql = "DELETE FROM @members WHERE name = $1::text",
            .params = &params,
            .what = "end the lease"},
        {.sql = "UPDATE @shards SET owner = '' WHERE owner = $1::text",
            .params = &params,
            .what = "let go of the shards"},
    };
    // A claim that ended after this would give shards to a member that is gone.
    int status = begin_as(store, self, ALONE, error);
    for (size_t i = 0; i < 2 && status == SS_OK; i++) {
        status = ss_pg_run(store, &queries[i], error);
    }
    return end(store, status, error);
}

// Check that the own lease has not ended; otherwise the member must not gain
// anything.
static int lease_look(struct ss_pg_store *store, const struct ss_member *self,
    struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, self->name);
    ss_pg_params_number(&params, (int64_t)self->epoch);
    const struct ss_pg_query query = {
        .sql = "SELECT 1 FROM @members WHERE name = $1::text AND epoch ="
               " $2::bigint AND lease_end > ^",
        .params = &params,
        .what = "look at the lease"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK && PQntuples(result) == 0) {
        status = ss_error_set(error, SS_EAGAIN,
            "store: %s: the lease of %s has ended: renew it first",
            store->place, self->name);
    }
    PQclear(result);
    return status;
}

// --- looking ----------------------------------------------------------------

static void shards_read(
    const char *list, uint16_t owner, uint16_t owners[SS_SHARDS])
{
    char *end = NULL;
    for (const char *at = list; *at; at = end) {
        unsigned long shard = strtoul(at, &end, 10);
        ss_check(end != at && shard < SS_SHARDS);
        owners[shard] = owner;
    }
}

static void cluster_take(const PGresult *result, struct ss_cluster *ret)
{
    size_t count = (size_t)PQntuples(result);
    struct ss_cluster cluster = {
        .members = ss_zalloc(count + 1, sizeof(*cluster.members)),
        .members_count = count};
    for (size_t i = 0; i < SS_SHARDS; i++) {
        cluster.owners[i] = SS_NOBODY;
    }
    for (int i = 0; i < PQntuples(result); i++) {
        struct ss_member *member = &cluster.members[i];
        (void)snprintf(
            member->name, sizeof(member->name), "%s", PQgetvalue(result, i, 0));
        (void)snprintf(member->endpoint, sizeof(member->endpoint), "%s",
            PQgetvalue(result, i, 1));
        member->epoch = (uint64_t)ss_pg_number_at(result, i, 2);
        member->left_ms = ss_pg_number_at(result, i, 3);
        member->drains = ss_pg_number_at(result, i, 4) == 1;
        cluster.epoch = (uint64_t)ss_pg_number_at(result, i, 6);
        member->row_format = (int32_t)ss_pg_number_at(result, i, 7);
        shards_read(PQgetvalue(result, i, 5), (uint16_t)i, cluster.owners);
    }
    *ret = cluster;
}

static int cluster_read(struct ss_store *base, struct ss_cluster *ret_cluster,
    struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_params params = {0};
    ss_pg_params_number(&params, SS_MEMBERS_MAX);
    const struct ss_pg_query query = {
        .sql = "SELECT m.name, m.endpoint, m.epoch, ceil(extract(epoch FROM"
               " m.lease_end - ^) * 1000)::bigint,"
               " m.drains::integer, coalesce(s.list, ''), f.epoch,"
               " m.row_format FROM @format f CROSS JOIN @members m LEFT JOIN "
               "(SELECT owner,"
               " string_agg(shard::text, ' ') AS list FROM @shards GROUP BY"
               " owner) s ON s.owner = m.name ORDER BY m.name"
               " LIMIT $1::bigint",
        .params = &params,
        .what = "look at the members"};
    PGresult *result = NULL;
    int status = ss_pg_reconnect(store, error);
    if (status == SS_OK && store->has_moved) {
        status = moved(store, error);
    }
    if (status == SS_OK) {
        status = ss_pg_ask(store, &query, &result, error);
    }
    if (status == SS_OK) {
        cluster_take(result, ret_cluster);
        PQclear(result);
    }
    return status;
}

// --- shards -----------------------------------------------------------------

static int shards_claim(struct ss_store *base, const struct ss_member *self,
    const struct ss_shards *wanted, struct ss_shards *ret_got,
    struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, self->name);
    shards_param(&params, wanted);
    const struct ss_pg_query query = {
        .sql = "UPDATE @shards SET owner = $1::text WHERE owner = '' AND shard"
               " = ANY ($2::bigint[]) RETURNING shard::bigint",
        .params = &params,
        .what = "claim shards"};
    struct ss_shards got = {{0}};
    int status = begin_as(store, self, WITH_OTHERS, error);
    if (status == SS_OK) {
        status = lease_look(store, self, error);
    }
    if (status == SS_OK) {
        status = shards_change(store, &query, &got, error);
    }
    if (status == SS_OK) {
        status = epoch_raise(store, error);
    }
    status = end(store, status, error);
    if (status == SS_OK) {
        *ret_got = got;
    }
    ss_pg_params_fini(&params);
    return status;
}

enum how { GLANCE, LOCK };

// Check that the lease of a member has ended; SS_EBUSY: it has not. LOCK: keep
// it from renewing.
static int dead_look(struct ss_pg_store *store, const char *dead, enum how how,
    struct ss_error *error)
{
    static const char *const sql[] = {
        [GLANCE] = "SELECT 1 FROM @members WHERE name = $1::text AND"
                   " lease_end <= ^",
        [LOCK] = "SELECT 1 FROM @members WHERE name = $1::text AND"
                 " lease_end <= ^ FOR UPDATE",
    };
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, dead);
    const struct ss_pg_query query = {
        .sql = sql[how], .params = &params, .what = "look at the lease"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK && PQntuples(result) == 0) {
        status = ss_error_set(error, SS_EBUSY,
            "store: %s: the lease of %s has not ended", store->place, dead);
    }
    PQclear(result);
    return status;
}

static int shards_move(struct ss_pg_store *store, const struct ss_member *self,
    const char *dead, struct ss_shards *ret_got, struct ss_error *error)
{
    struct ss_pg_params params = {0}, gone = {0};
    ss_pg_params_text(&params, self->name);
    ss_pg_params_text(&params, dead);
    ss_pg_params_text(&gone, dead);
    const struct ss_pg_query move = {
        .sql = "UPDATE @shards SET owner = $1::text WHERE owner = $2::text"
               " RETURNING shard::bigint",
        .params = &params,
        .what = "take shards over"};
    // Its fences are deleted, too: no process of that name may append until it
    // takes one.
    const struct ss_pg_query forget[] = {
        {.sql = "DELETE FROM @fences WHERE coordinator = $1::text",
            .params = &gone,
            .what = "forget the fence"},
        {.sql = "DELETE FROM @members WHERE name = $1::text",
            .params = &gone,
            .what = "forget the member"},
    };
    int status = shards_change(store, &move, ret_got, error);
    for (size_t i = 0; i < 2 && status == SS_OK; i++) {
        status = ss_pg_run(store, &forget[i], error);
    }
    return status;
}

static int shards_take(struct ss_store *base, const struct ss_member *self,
    const char *dead, struct ss_shards *ret_got, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    struct ss_shards got = {{0}};
    int status = begin_as(store, self, WITH_OTHERS, error);
    if (status == SS_OK) {
        status = lease_look(store, self, error);
    }
    if (status == SS_OK) { // before its sessions are cut off for its fence
        status = dead_look(store, dead, GLANCE, error);
    }
    if (status == SS_OK) {
        status = ss_pg_fence_break_now(store, dead, error);
    }
    if (status == SS_OK) {
        status = dead_look(store, dead, LOCK, error);
    }
    if (status == SS_OK) {
        status = shards_move(store, self, dead, &got, error);
    }
    if (status == SS_OK) {
        status = epoch_raise(store, error);
    }
    status = end(store, status, error);
    if (status == SS_OK) {
        *ret_got = got;
    }
    return status;
}

// Hold a member: a takeover of it waits for us, or it is not a member any more.
static int member_hold(struct ss_pg_store *store, const char *name,
    bool *ret_there, struct ss_error *error)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, name);
    const struct ss_pg_query query = {
        .sql = "SELECT 1 FROM @members WHERE name = $1::text FOR SHARE",
        .params = &params,
        .what = "look at a member"};
    PGresult *result = NULL;
    int status = ss_pg_ask(store, &query, &result, error);
    if (status == SS_OK) {
        *ret_there = PQntuples(result) == 1;
        PQclear(result);
    }
    return status;
}

static int shards_hand(struct ss_store *base, const struct ss_member *self,
    const struct ss_shards *shards, const char *to, struct ss_error *error)
{
    struct ss_pg_store *store = (struct ss_pg_store *)base;
    bool is_there = false;
    int status = begin_as(store, self, WITH_OTHERS, error);
    ss_pg_heads_forget(store);
    if (status == SS_OK && to) {
        status = member_hold(store, to, &is_there, error);
    }
    if (status == SS_OK) {
        struct ss_pg_params params = {0};
        ss_pg_params_text(&params, self->name);
        ss_pg_params_text(&params, is_there ? to : "");
        shards_param(&params, shards);
        const struct ss_pg_query query = {
            .sql = "UPDATE @shards SET owner = $2::text WHERE owner ="
                   " $1::text AND shard = ANY ($3::bigint[])",
            .params = &params,
            .what = "hand shards over"};
        status = ss_pg_run(store, &query, error);
        ss_pg_params_fini(&params);
    }
    if (status == SS_OK) {
        status = epoch_raise(store, error);
    }
    return end(store, status, error);
}

const struct ss_store_cluster_ops ss_pg_cluster_ops = {
    .renew = lease_renew,
    .end = lease_end,
    .read = cluster_read,
    .claim = shards_claim,
    .take = shards_take,
    .hand = shards_hand,
};

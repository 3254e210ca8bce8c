// postgres_append.c - a run of units as one pipeline with one Sync.
//
// Each statement carries its conditions and fails where one does not hold: a
// division by zero, or a place that is taken. So nobody has to wait for an
// answer before the commit, and what failed has changed nothing.
#include <stdio.h>
#include <string.h>

// uthash's own function falls through its switch, which clang refuses.
#define HASH_FUNCTION(key, size, hash) \
    ((hash) = (unsigned)ss_hash64((key), (size)))
#include <uthash.h>

#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

// --- which units go together ------------------------------------------------

// A thread (its next number), or a key ("TABLE key"), that the run has.
struct name {
    char *text;
    uint64_t next;
    UT_hash_handle hh;
};

static struct name *name_find(struct name *names, const char *text)
{
    struct name *name = NULL;
    HASH_FIND_STR(names, text, name);
    return name;
}

// Takes `text`.
static struct name *name_add(struct name **names, char *text)
{
    struct name *name = ss_zalloc(1, sizeof(*name));
    name->text = text;
    HASH_ADD_KEYPTR(hh, *names, name->text, strlen(name->text), name);
    return name;
}

static void names_free(struct name **names)
{
    struct name *name, *next;
    HASH_ITER(hh, *names, name, next)
    {
        HASH_DEL(*names, name);
        ss_free(name->text);
        ss_free(name);
    }
}

static char *thread_text(const char *thread)
{
    return ss_format("- %s", thread);
}

static char *key_text(const struct ss_store_put *put)
{
    return ss_format("%d %s", (int)put->table, put->key);
}

// Each key once: a statement cannot change one twice.
static bool puts_join(struct name **names, const struct ss_store_unit *unit)
{
    for (size_t i = 0; i < unit->puts_count; i++) {
        const struct ss_store_put *put = &unit->puts[i];
        if (!put->value && put->when != SS_WHEN_ANY) {
            return false;
        }
        char *key = key_text(put);
        if (name_find(*names, key)) {
            ss_free(key);
            return false;
        }
        (void)name_add(names, key);
    }
    return true;
}

static bool rows_join(struct name **names, const struct ss_store_unit *unit)
{
    if (unit->rows_count == 0) {
        return true;
    }
    char *text = thread_text(unit->thread);
    struct name *thread = name_find(*names, text);
    bool joins = !thread || thread->next == unit->rows[0].seq;
    if (thread || !joins) {
        ss_free(text);
    } else {
        thread = name_add(names, text);
    }
    if (joins) {
        thread->next = unit->rows[0].seq + unit->rows_count;
    }
    return joins;
}

size_t ss_pg_run_length(const struct ss_store_unit *units, size_t count)
{
    struct name *names = NULL;
    size_t length = 0;
    while (length < count) {
        const struct ss_store_unit *unit = &units[length];
        if (unit->delete_thread || unit->delete_to > 0 ||
            !rows_join(&names, unit) || !puts_join(&names, unit)) {
            break;
        }
        length++;
    }
    names_free(&names);
    return length;
}

// --- the statements ---------------------------------------------------------

// Its parameters follow the count's.
#define FENCE                                                                  \
    "WITH f AS MATERIALIZED (SELECT 1 FROM @fences WHERE coordinator ="        \
    " $18::text AND actor = $19::integer AND epoch = $20::bigint FOR SHARE)"

#define INSERT                                                                 \
    "i AS (INSERT INTO @journal (thread, seq, kind, format, run, ns,"          \
    " checkpoint_id, parent_id, parent_seq, base_seq, source, step, wall_us,"  \
    " metadata, checksum, body) SELECT "

// One row is planned in half the time of lists of one.
#define ONE                                                                    \
    "$1::text, $2::bigint, $3::integer, $4::integer, $5::text, $6::text,"      \
    " $7::text, $8::text, $9::bigint, $10::bigint, $11::text, $12::bigint,"    \
    " $13::bigint, $14::text, $15::bigint, $16::bytea"
#define ONE_AFTER_ITS_HEAD                                                     \
    " WHERE coalesce((SELECT max(seq) FROM @journal WHERE thread ="            \
    " $1::text), 0) = $2::bigint - 1"

#define MANY                                                                   \
    "r.* FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[],"    \
    " $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[],"           \
    " $10::bigint[], $11::text[], $12::bigint[], $13::bigint[], $14::text[],"  \
    " $15::bigint[], $16::bytea[]) AS r"

#define ALL_OF_THEM                                                            \
    " RETURNING 1) SELECT 1 / (count(*) = $17::bigint)::integer FROM i"

enum rows_kind { ROWS_ONE, ROWS_ONE_AFTER_ITS_HEAD, ROWS_MANY, ROWS_KINDS };

// [fenced]
static const char *const rows_texts[2][ROWS_KINDS] = {
    {"WITH " INSERT ONE ALL_OF_THEM,
        "WITH " INSERT ONE ONE_AFTER_ITS_HEAD ALL_OF_THEM,
        "WITH " INSERT MANY ALL_OF_THEM},
    {FENCE ", " INSERT ONE " FROM f" ALL_OF_THEM,
        FENCE ", " INSERT ONE " FROM f" ONE_AFTER_ITS_HEAD ALL_OF_THEM,
        FENCE ", " INSERT MANY ", f" ALL_OF_THEM},
};

// The rows before the first ones must be the threads' heads.
static const char heads_text[] =
    "SELECT 1 / (count(*) = 0)::integer FROM unnest($1::text[],"
    " $2::bigint[]) AS p (thread, head) WHERE head <> coalesce((SELECT"
    " max(seq) FROM @journal j WHERE j.thread = p.thread), 0)";

static const char fence_text[] =
    "SELECT 1 / count(*)::integer FROM (SELECT 1 FROM @fences WHERE"
    " coordinator = $1::text AND actor = $2::integer AND epoch = $3::bigint"
    " FOR SHARE) AS f";

#define PUT_COLUMNS "(key, index_key, expires_us, hash, value)"
#define PUT_LISTS                                                              \
    "unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bytea[]"

enum put_kind { PUT_ANY, PUT_ABSENT, PUT_SAME, PUT_DELETE, PUT_KINDS };

static const char *const puts_texts[PUT_KINDS] = {
    [PUT_ANY] = "INSERT INTO @# " PUT_COLUMNS " SELECT * FROM " PUT_LISTS
                ") ON CONFLICT (key) DO UPDATE SET index_key ="
                " excluded.index_key, expires_us = excluded.expires_us, hash ="
                " excluded.hash, value = excluded.value",
    [PUT_ABSENT] =
        "INSERT INTO @# " PUT_COLUMNS " SELECT * FROM " PUT_LISTS ")",
    [PUT_SAME] =
        "WITH u AS (UPDATE @# t SET index_key = p.index_key, expires_us ="
        " p.expires_us, hash = p.hash, value = p.value FROM " PUT_LISTS
        ", $6::bigint[]) AS p (key, index_key, expires_us, hash, value,"
        " expected) WHERE t.key = p.key AND t.hash = p.expected RETURNING 1)"
        " SELECT 1 / (count(*) = $7::bigint)::integer FROM u",
    [PUT_DELETE] = "DELETE FROM @# WHERE key = ANY ($1::text[])",
};

// --- sending ----------------------------------------------------------------

struct pipeline {
    struct ss_pg_store *store;
    const struct ss_pg_run_of *run;
    bool is_broken; // something could not be sent
};

static void send(struct pipeline *pipeline, const char *text,
    enum ss_store_table table, struct ss_pg_params *params)
{
    char *sql = ss_pg_sql(pipeline->store, text, table);
    if (!pipeline->is_broken &&
        PQsendQueryParams(pipeline->store->conn, sql, params->count, NULL,
            params->values, params->lengths, params->formats, 1) != 1) {
        pipeline->is_broken = true;
    }
    ss_free(sql);
    ss_pg_params_fini(params);
}

static void send_fence(struct pipeline *pipeline)
{
    struct ss_pg_params params = {0};
    ss_pg_fence_params(pipeline->store, pipeline->run->epoch, &params);
    send(pipeline, fence_text, SS_TABLE_META, &params);
}

// --- statements that the session keeps --------------------------------------

enum { HEADS = ROWS_KINDS, KEPT_COUNT };

static const char *kept_text(bool is_fenced, int which)
{
    return which == HEADS ? heads_text : rows_texts[is_fenced][which];
}

// By what it says: if another left it in this session it is the same.
static void kept_name(const char *sql, char name[32])
{
    (void)snprintf(name, 32, "superstep_%016llx",
        (unsigned long long)ss_hash64(sql, strlen(sql)));
}

int ss_pg_append_prepare(
    struct ss_pg_store *store, bool is_fenced, struct ss_error *error)
{
    for (int i = 0;
         i < KEPT_COUNT && !store->is_pooled && !store->prepared[is_fenced];
         i++) {
        char name[32];
        char *sql = ss_pg_sql(store, kept_text(is_fenced, i), SS_TABLE_META);
        kept_name(sql, name);
        PGresult *result = PQprepare(store->conn, name, sql, 0, NULL);
        bool done = PQresultStatus(result) == PGRES_COMMAND_OK;
        // The heads' text is the same with a fence and without.
        bool was_there = i == HEADS && store->prepared[!is_fenced] &&
                         ss_pg_has_code(result, "42P05");
        ss_free(sql);
        if (!done && !was_there && !ss_pg_has_code(result, "42P05")) {
            int status = ss_pg_fail(store, result, "prepare", error);
            PQclear(result);
            return status;
        }
        store->is_pooled |= !done && !was_there;
        PQclear(result);
    }
    store->prepared[is_fenced] = !store->is_pooled;
    return SS_OK;
}

// As send(), by name where the session has it.
static void send_kept(
    struct pipeline *pipeline, int which, struct ss_pg_params *params)
{
    struct ss_pg_store *store = pipeline->store;
    bool is_fenced = pipeline->run->epoch > 0;
    const char *text = kept_text(is_fenced, which);
    if (store->is_pooled || !store->prepared[is_fenced]) {
        send(pipeline, text, SS_TABLE_META, params);
        return;
    }
    char name[32];
    char *sql = ss_pg_sql(store, text, SS_TABLE_META);
    kept_name(sql, name);
    ss_free(sql);
    if (!pipeline->is_broken &&
        PQsendQueryPrepared(store->conn, name, params->count, params->values,
            params->lengths, params->formats, 1) != 1) {
        pipeline->is_broken = true;
    }
    ss_pg_params_fini(params);
}

// --- rows -------------------------------------------------------------------

static bool heads_are_known(const struct pipeline *pipeline)
{
    const struct ss_pg_run_of *run = pipeline->run;
    bool known = true;
    for (size_t i = 0; i < run->count && known; i++) {
        const struct ss_store_unit *unit = &run->units[i];
        known =
            unit->rows_count == 0 || ss_pg_heads_know(pipeline->store,
                                         unit->thread, unit->rows[0].seq - 1);
    }
    return known;
}

static void send_heads(struct pipeline *pipeline)
{
    const struct ss_pg_run_of *run = pipeline->run;
    if (heads_are_known(pipeline)) {
        return;
    }
    struct ss_pg_params params = {0};
    struct ss_pg_array threads, heads;
    struct name *names = NULL;
    ss_pg_array_init(&threads, SS_PG_TEXT);
    ss_pg_array_init(&heads, SS_PG_INT8);
    for (size_t i = 0; i < run->count; i++) {
        const struct ss_store_unit *unit = &run->units[i];
        char *text = unit->rows_count > 0 ? thread_text(unit->thread) : NULL;
        if (!text || name_find(names, text)) {
            ss_free(text);
            continue;
        }
        (void)name_add(&names, text);
        uint64_t head = unit->rows[0].seq - 1;
        if (!ss_pg_heads_know(pipeline->store, unit->thread, head)) {
            ss_pg_array_text(&threads, unit->thread);
            ss_pg_array_number(&heads, (int64_t)head);
        }
    }
    names_free(&names);
    if (threads.count == 0) {
        ss_free(threads.bytes);
        ss_free(heads.bytes);
        return;
    }
    ss_pg_params_array(&params, &threads);
    ss_pg_params_array(&params, &heads);
    send_kept(pipeline, HEADS, &params);
}

static void rows_send(struct pipeline *pipeline, struct ss_pg_params *params,
    int64_t count, enum rows_kind kind)
{
    uint64_t epoch = pipeline->run->epoch;
    ss_pg_params_number(params, count);
    if (epoch > 0) {
        ss_pg_fence_params(pipeline->store, epoch, params);
    }
    send_kept(pipeline, (int)kind, params);
}

static void send_row(struct pipeline *pipeline, const struct ss_store_row *row)
{
    struct ss_pg_params params = {0};
    ss_pg_params_text(&params, row->thread);
    ss_pg_params_number(&params, (int64_t)row->seq);
    ss_pg_params_number(&params, row->kind);
    ss_pg_params_number(&params, row->format);
    ss_pg_params_text(&params, row->run);
    ss_pg_params_text(&params, row->ns);
    ss_pg_params_text(&params, row->checkpoint_id);
    ss_pg_params_text(&params, row->parent_id);
    ss_pg_params_number(&params, (int64_t)row->parent_seq);
    ss_pg_params_number(&params, (int64_t)row->base_seq);
    ss_pg_params_text(&params, row->source);
    ss_pg_params_number(&params, row->step);
    ss_pg_params_number(&params, row->wall_us);
    ss_pg_params_text(&params, row->metadata);
    ss_pg_params_number(&params, (int64_t)row->checksum);
    ss_pg_params_bytes(&params, row->body, row->body_size);
    rows_send(pipeline, &params, 1,
        ss_pg_heads_know(pipeline->store, row->thread, row->seq - 1)
            ? ROWS_ONE
            : ROWS_ONE_AFTER_ITS_HEAD);
}

enum { ROW_ARRAYS = 16 };

struct row_arrays {
    struct ss_pg_array of[ROW_ARRAYS];
    size_t size; // of the bodies
};

static void arrays_init(struct row_arrays *arrays)
{
    static const uint32_t types[ROW_ARRAYS] = {SS_PG_TEXT, SS_PG_INT8,
        SS_PG_INT8, SS_PG_INT8, SS_PG_TEXT, SS_PG_TEXT, SS_PG_TEXT, SS_PG_TEXT,
        SS_PG_INT8, SS_PG_INT8, SS_PG_TEXT, SS_PG_INT8, SS_PG_INT8, SS_PG_TEXT,
        SS_PG_INT8, SS_PG_BYTEA};
    for (size_t i = 0; i < ROW_ARRAYS; i++) {
        ss_pg_array_init(&arrays->of[i], types[i]);
    }
    arrays->size = 0;
}

static void arrays_add(
    struct row_arrays *arrays, const struct ss_store_row *row)
{
    struct ss_pg_array *of = arrays->of;
    ss_pg_array_text(&of[0], row->thread);
    ss_pg_array_number(&of[1], (int64_t)row->seq);
    ss_pg_array_number(&of[2], row->kind);
    ss_pg_array_number(&of[3], row->format);
    ss_pg_array_text(&of[4], row->run);
    ss_pg_array_text(&of[5], row->ns);
    ss_pg_array_text(&of[6], row->checkpoint_id);
    ss_pg_array_text(&of[7], row->parent_id);
    ss_pg_array_number(&of[8], (int64_t)row->parent_seq);
    ss_pg_array_number(&of[9], (int64_t)row->base_seq);
    ss_pg_array_text(&of[10], row->source);
    ss_pg_array_number(&of[11], row->step);
    ss_pg_array_number(&of[12], row->wall_us);
    ss_pg_array_text(&of[13], row->metadata);
    ss_pg_array_number(&of[14], (int64_t)row->checksum);
    ss_pg_array_bytes(&of[15], row->body, row->body_size);
    arrays->size += row->body_size;
}

// Sends what is in them, and empties them.
static void arrays_send(struct pipeline *pipeline, struct row_arrays *arrays)
{
    struct ss_pg_params params = {0};
    int64_t count = arrays->of[0].count;
    for (size_t i = 0; i < ROW_ARRAYS; i++) {
        ss_pg_params_array(&params, &arrays->of[i]);
    }
    rows_send(pipeline, &params, count, ROWS_MANY);
}

static void send_rows_many(struct pipeline *pipeline)
{
    const struct ss_pg_run_of *run = pipeline->run;
    struct row_arrays arrays;
    arrays_init(&arrays);
    for (size_t i = 0; i < run->count; i++) {
        for (size_t r = 0; r < run->units[i].rows_count; r++) {
            const struct ss_store_row *row = &run->units[i].rows[r];
            if (arrays.size > 0 &&
                arrays.size + row->body_size > SS_STORE_STATEMENT_SIZE_MAX) {
                arrays_send(pipeline, &arrays);
                arrays_init(&arrays);
            }
            arrays_add(&arrays, row);
        }
    }
    arrays_send(pipeline, &arrays);
}

static void send_rows(struct pipeline *pipeline)
{
    const struct ss_pg_run_of *run = pipeline->run;
    const struct ss_store_row *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        if (!first && run->units[i].rows_count > 0) {
            first = run->units[i].rows;
        }
        count += run->units[i].rows_count;
    }
    if (count == 0) {
        if (run->epoch > 0) {
            send_fence(pipeline);
        }
        return;
    }
    if (count == 1) {
        send_row(pipeline, first);
        return;
    }
    // Before the rows: behind them the heads are their own.
    send_heads(pipeline);
    if (ss_pg_few_are(run) && ss_pg_few_is_ready(pipeline->store, run)) {
        pipeline->is_broken |= !ss_pg_few_send(pipeline->store, run);
    } else {
        send_rows_many(pipeline);
    }
}

// --- puts -------------------------------------------------------------------

static enum put_kind kind_of(const struct ss_store_put *put)
{
    if (!put->value) {
        return PUT_DELETE;
    }
    return put->when == SS_WHEN_ANY      ? PUT_ANY
           : put->when == SS_WHEN_ABSENT ? PUT_ABSENT
                                         : PUT_SAME;
}

struct put_arrays {
    struct ss_pg_array keys, indexes, expiries, hashes, values, expected;
};

static void put_add(struct put_arrays *arrays, const struct ss_store_put *put)
{
    ss_pg_array_text(&arrays->keys, put->key);
    if (!put->value) {
        return;
    }
    ss_pg_array_text(&arrays->indexes, put->index);
    ss_pg_array_number(&arrays->expiries, put->expires_us);
    ss_pg_array_number(
        &arrays->hashes, (int64_t)ss_hash64(put->value, put->value_size));
    ss_pg_array_bytes(&arrays->values, put->value, put->value_size);
    ss_pg_array_number(&arrays->expected, (int64_t)put->expected);
}

static void puts_send(struct pipeline *pipeline, struct put_arrays *arrays,
    enum ss_store_table table, enum put_kind kind)
{
    struct ss_pg_params params = {0};
    int64_t count = arrays->keys.count;
    struct ss_pg_array *const all[] = {&arrays->keys, &arrays->indexes,
        &arrays->expiries, &arrays->hashes, &arrays->values, &arrays->expected};
    size_t used = kind == PUT_DELETE ? 1 : kind == PUT_SAME ? 6 : 5;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (i < used && count > 0) {
            ss_pg_params_array(&params, all[i]);
        }
        ss_free(all[i]->bytes);
    }
    if (kind == PUT_SAME) {
        ss_pg_params_number(&params, count);
    }
    if (count > 0) {
        send(pipeline, puts_texts[kind], table, &params);
    }
}

static void send_puts_of(
    struct pipeline *pipeline, enum ss_store_table table, enum put_kind kind)
{
    const struct ss_pg_run_of *run = pipeline->run;
    struct put_arrays arrays;
    ss_pg_array_init(&arrays.keys, SS_PG_TEXT);
    ss_pg_array_init(&arrays.indexes, SS_PG_TEXT);
    ss_pg_array_init(&arrays.expiries, SS_PG_INT8);
    ss_pg_array_init(&arrays.hashes, SS_PG_INT8);
    ss_pg_array_init(&arrays.values, SS_PG_BYTEA);
    ss_pg_array_init(&arrays.expected, SS_PG_INT8);
    for (size_t i = 0; i < run->count; i++) {
        for (size_t p = 0; p < run->units[i].puts_count; p++) {
            const struct ss_store_put *put = &run->units[i].puts[p];
            if (put->table == table && kind_of(put) == kind) {
                put_add(&arrays, put);
            }
        }
    }
    puts_send(pipeline, &arrays, table, kind);
}

static void send_puts(struct pipeline *pipeline)
{
    bool used[SS_TABLE_COUNT][PUT_KINDS] = {{false}};
    const struct ss_pg_run_of *run = pipeline->run;
    for (size_t i = 0; i < run->count; i++) {
        for (size_t p = 0; p < run->units[i].puts_count; p++) {
            const struct ss_store_put *put = &run->units[i].puts[p];
            used[put->table][kind_of(put)] = true;
        }
    }
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        for (int kind = 0; kind < PUT_KINDS; kind++) {
            if (used[table][kind]) {
                send_puts_of(
                    pipeline, (enum ss_store_table)table, (enum put_kind)kind);
            }
        }
    }
}

// --- hearing ----------------------------------------------------------------

// All results up to the Sync's. The first that failed is given.
static PGresult *first_failure(struct pipeline *pipeline, bool *ret_synced)
{
    PGconn *conn = pipeline->store->conn;
    PGresult *failure = NULL;
    size_t nothings = 0;
    *ret_synced = false;
    // Between two statements' results comes a NULL, two are the end.
    while (!*ret_synced && nothings < 2) {
        PGresult *result = PQgetResult(conn);
        nothings = result ? 0 : nothings + 1;
        ExecStatusType how = result ? PQresultStatus(result) : PGRES_TUPLES_OK;
        *ret_synced = how == PGRES_PIPELINE_SYNC;
        if (how == PGRES_FATAL_ERROR && !failure) {
            failure = result;
        } else {
            PQclear(result);
        }
        if (PQstatus(conn) != CONNECTION_OK) {
            break;
        }
    }
    return failure;
}

int ss_pg_append(struct ss_pg_store *store, const struct ss_pg_run_of *run,
    bool *ret_guard, struct ss_error *error)
{
    struct pipeline pipeline = {.store = store, .run = run};
    *ret_guard = false;
    if (PQenterPipelineMode(store->conn) != 1) {
        return ss_pg_lost(store, "append", error);
    }
    send_rows(&pipeline);
    send_puts(&pipeline);
    // Without a Sync nothing of what went out is committed.
    if (pipeline.is_broken || PQpipelineSync(store->conn) != 1) {
        return ss_pg_lost(store, "append", error);
    }
    bool synced = false;
    PGresult *failure = first_failure(&pipeline, &synced);
    int status = SS_OK;
    if (!synced) {
        status = failure ? ss_pg_fail(store, failure, "append", error) : SS_OK;
        if (store->conn) {
            status = ss_pg_lost(store, "append", error);
        }
    } else if (failure && ss_pg_is_guard(failure)) {
        *ret_guard = true;
    } else if (failure) {
        status = ss_pg_fail(store, failure, "append", error);
    }
    PQclear(failure);
    if (store->conn && PQexitPipelineMode(store->conn) != 1) {
        ss_pg_disconnect(store);
    }
    return status;
}

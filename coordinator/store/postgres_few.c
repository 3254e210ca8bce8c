// postgres_few.c - a few rows as one statement, each value a parameter.
//
// Lists (unnest) cost a server much before their first row: it makes a table of
// its own of each of the sixteen. So few rows go as VALUES, by a statement for
// just so many, prepared when it is first needed; lists are for many.
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

enum { COLUMNS = 16, FENCE_PARAMS = 3, NUMBER_SIZE = 8, NAME_SIZE = 40 };

// In the order of the table's columns, as rows_add() puts them.
static const char *const types[COLUMNS] = {"text", "bigint", "integer",
    "integer", "text", "text", "text", "text", "bigint", "bigint", "text",
    "bigint", "bigint", "text", "bigint", "bytea"};

bool ss_pg_few_are(const struct ss_pg_run_of *run)
{
    size_t count = 0, size = 0;
    for (size_t i = 0; i < run->count; i++) {
        for (size_t r = 0; r < run->units[i].rows_count; r++) {
            size += run->units[i].rows[r].body_size;
        }
        count += run->units[i].rows_count;
    }
    return count > 1 && count <= SS_STORE_FEW_ROWS_MAX &&
           size <= SS_STORE_STATEMENT_SIZE_MAX;
}

static size_t rows_of(const struct ss_pg_run_of *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        count += run->units[i].rows_count;
    }
    return count;
}

// --- the statement ----------------------------------------------------------

// Gives.
static char *text_of(
    const struct ss_pg_store *store, size_t count, bool is_fenced)
{
    struct ss_buf buf;
    size_t next = 1, fence = COLUMNS * count;
    ss_buf_init(&buf, (size_t)1024 * 1024);
    ss_buf_add_str(&buf, "WITH ");
    if (is_fenced) {
        ss_buf_addf(&buf,
            "f AS MATERIALIZED (SELECT 1 FROM @fences WHERE coordinator ="
            " $%zu::text AND actor = $%zu::integer AND epoch = $%zu::bigint"
            " FOR SHARE), ",
            fence + 1, fence + 2, fence + 3);
    }
    ss_buf_add_str(&buf,
        "i AS (INSERT INTO @journal (thread, seq, kind, format, run, ns,"
        " checkpoint_id, parent_id, parent_seq, base_seq, source, step,"
        " wall_us, metadata, checksum, body) SELECT v.* FROM (VALUES ");
    for (size_t row = 0; row < count; row++) {
        for (size_t c = 0; c < COLUMNS; c++, next++) {
            ss_buf_addf(&buf, "%s$%zu::%s",
                c > 0     ? ", "
                : row > 0 ? ", ("
                          : "(",
                next, types[c]);
        }
        ss_buf_add_str(&buf, ")");
    }
    ss_buf_addf(&buf,
        ") AS v%s RETURNING 1)"
        " SELECT 1 / (count(*) = %zu)::integer FROM i",
        is_fenced ? ", f" : "", count);
    ss_check(buf.status == SS_OK);
    char *sql = ss_pg_sql(store, ss_buf_str(&buf), SS_TABLE_META);
    ss_buf_fini(&buf);
    return sql;
}

static void name_of(const struct ss_pg_store *store, size_t count,
    bool is_fenced, char ret_name[NAME_SIZE])
{
    (void)snprintf(ret_name, NAME_SIZE, "superstep_few_%zu%s_%08x", count,
        is_fenced ? "f" : "",
        (unsigned)ss_hash64(store->schema, strlen(store->schema)));
}

int ss_pg_few_prepare(struct ss_pg_store *store, const struct ss_pg_run_of *run,
    struct ss_error *error)
{
    bool is_fenced = run->epoch > 0;
    size_t count = rows_of(run);
    uint64_t bit = UINT64_C(1) << count;
    if (store->is_pooled || (store->few[is_fenced] & bit)) {
        return SS_OK;
    }
    char name[NAME_SIZE];
    char *sql = text_of(store, count, is_fenced);
    name_of(store, count, is_fenced, name);
    PGresult *result = PQprepare(store->conn, name, sql, 0, NULL);
    int status = SS_OK;
    if (PQresultStatus(result) == PGRES_COMMAND_OK) {
        store->few[is_fenced] |= bit;
    } else if (ss_pg_has_code(result, "42P05")) {
        store->is_pooled = true; // another's session: it has one of this name
    } else {
        status = ss_pg_fail(store, result, "prepare", error);
    }
    PQclear(result);
    ss_free(sql);
    return status;
}

bool ss_pg_few_is_ready(
    const struct ss_pg_store *store, const struct ss_pg_run_of *run)
{
    return !store->is_pooled &&
           (store->few[run->epoch > 0] >> rows_of(run) & 1) != 0;
}

// --- its parameters ---------------------------------------------------------

struct few {
    size_t count;
    const char **values;
    int *lengths;
    int *formats;
    unsigned char (*numbers)[NUMBER_SIZE];
};

static void few_init(struct few *few, size_t size)
{
    few->count = 0;
    few->values = ss_zalloc(size, sizeof(*few->values));
    few->lengths = ss_zalloc(size, sizeof(*few->lengths));
    few->formats = ss_zalloc(size, sizeof(*few->formats));
    few->numbers = ss_zalloc(size, sizeof(*few->numbers));
}

static void few_fini(struct few *few)
{
    ss_free(few->values);
    ss_free(few->lengths);
    ss_free(few->formats);
    ss_free(few->numbers);
}

// Of `size` bytes, 4 or 8, the greatest first.
static void add_number(struct few *few, int64_t number, int size)
{
    unsigned char *at = few->numbers[few->count];
    for (int i = 0; i < size; i++) {
        at[i] = (unsigned char)((uint64_t)number >> (8 * (size - 1 - i)));
    }
    few->values[few->count] = (const char *)at;
    few->lengths[few->count] = size;
    few->formats[few->count++] = 1;
}

static void add_text(struct few *few, const char *text)
{
    few->values[few->count++] = text; // NULL is NULL
}

static void add_bytes(struct few *few, const void *bytes, size_t size)
{
    ss_check(size <= INT32_MAX);
    few->values[few->count] = size > 0 ? bytes : "";
    few->lengths[few->count] = (int)size;
    few->formats[few->count++] = 1;
}

static void add_row(struct few *few, const struct ss_store_row *row)
{
    add_text(few, row->thread);
    add_number(few, (int64_t)row->seq, 8);
    add_number(few, row->kind, 4);
    add_number(few, row->format, 4);
    add_text(few, row->run);
    add_text(few, row->ns);
    add_text(few, row->checkpoint_id);
    add_text(few, row->parent_id);
    add_number(few, (int64_t)row->parent_seq, 8);
    add_number(few, (int64_t)row->base_seq, 8);
    add_text(few, row->source);
    add_number(few, row->step, 8);
    add_number(few, row->wall_us, 8);
    add_text(few, row->metadata);
    add_number(few, (int64_t)row->checksum, 8);
    add_bytes(few, row->body, row->body_size);
}

bool ss_pg_few_send(struct ss_pg_store *store, const struct ss_pg_run_of *run)
{
    struct few few;
    char name[NAME_SIZE];
    bool is_fenced = run->epoch > 0;
    size_t count = rows_of(run);
    few_init(&few, COLUMNS * count + FENCE_PARAMS);
    for (size_t i = 0; i < run->count; i++) {
        for (size_t r = 0; r < run->units[i].rows_count; r++) {
            add_row(&few, &run->units[i].rows[r]);
        }
    }
    if (is_fenced) {
        add_text(&few, store->fence_name);
        add_number(&few, store->fence_actor, 4);
        add_number(&few, (int64_t)run->epoch, 8);
    }
    name_of(store, count, is_fenced, name);
    bool is_sent = PQsendQueryPrepared(store->conn, name, (int)few.count,
                       few.values, few.lengths, few.formats, 1) == 1;
    few_fini(&few);
    return is_sent;
}

// postgres_append.c - a range of units as one pipeline with one Sync: rows,
// then the puts, without waiting for an answer in between.
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/find.h"
#include "common/model/journal.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"

struct pipeline {
    struct ss_pg_store *store;
    const struct ss_pg_stretch *run;
    bool is_broken; // something could not be sent
};

static void send(struct pipeline *pipeline, enum ss_pg_statement which,
    struct ss_pg_params *params)
{
    if (!pipeline->is_broken) {
        pipeline->is_broken = !ss_pg_send(pipeline->store, which, params);
    }
    ss_pg_params_fini(params);
}

static size_t rows_of(const struct ss_pg_stretch *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        count += run->units[i].rows_count;
    }
    return count;
}

// For the transaction that this pipeline is.
static void send_durable(struct pipeline *pipeline)
{
    pipeline->is_broken =
        PQsendQueryParams(pipeline->store->conn, ss_pg_durable_sql, 0, NULL,
            NULL, NULL, NULL, 1) != 1;
}

// --- heads ------------------------------------------------------------------

static bool head_is_known(
    const struct pipeline *pipeline, const struct ss_store_unit *unit)
{
    return unit->rows_count == 0 || ss_pg_heads_know(pipeline->store,
                                        unit->thread, unit->rows[0].seq - 1);
}

static bool heads_are_known(const struct pipeline *pipeline)
{
    const struct ss_pg_stretch *run = pipeline->run;
    bool known = true;
    for (size_t i = 0; i < run->count && known; i++) {
        known = head_is_known(pipeline, &run->units[i]);
    }
    return known;
}

// Collect the first unit of each thread whose head is not known.
static void heads_collect(const struct pipeline *pipeline,
    struct ss_pg_array *threads, struct ss_pg_array *heads)
{
    const struct ss_pg_stretch *run = pipeline->run;
    struct ss_pg_names names;
    ss_pg_names_init(&names, run->count);
    for (size_t i = 0; i < run->count; i++) {
        const struct ss_store_unit *unit = &run->units[i];
        bool is_new = false;
        if (unit->rows_count > 0) {
            (void)ss_pg_names_add(&names, SS_PG_THREADS, unit->thread, &is_new);
        }
        if (is_new && !head_is_known(pipeline, unit)) {
            ss_pg_array_text(threads, unit->thread);
            ss_pg_array_number(heads, (int64_t)(unit->rows[0].seq - 1));
        }
    }
    ss_pg_names_fini(&names);
}

static void send_heads(struct pipeline *pipeline)
{
    struct ss_pg_params params = {0};
    struct ss_pg_array threads, heads;
    if (heads_are_known(pipeline)) {
        return;
    }
    ss_pg_array_init(&threads, SS_PG_TEXT);
    ss_pg_array_init(&heads, SS_PG_INT8);
    heads_collect(pipeline, &threads, &heads);
    bool is_needed = threads.count > 0;
    ss_pg_params_array(&params, &threads);
    ss_pg_params_array(&params, &heads);
    if (is_needed) {
        send(pipeline, SS_PG_HEADS, &params);
    } else {
        ss_pg_params_fini(&params);
    }
}

// --- rows -------------------------------------------------------------------

enum { ROW_COLUMNS = 16 };

// A column that says nothing takes no room where no older program reads it,
// which knows of no NULL there.
static void add_text(
    struct ss_pg_array *rows, const char *text, bool may_be_null)
{
    ss_pg_record_text(rows, may_be_null && !text[0] ? NULL : text);
}

static void add_number(
    struct ss_pg_array *rows, int64_t number, bool may_be_null)
{
    if (may_be_null && number == 0) {
        ss_pg_record_null(rows, SS_PG_INT8);
    } else {
        ss_pg_record_number(rows, SS_PG_INT8, number);
    }
}

// In the table's order (postgres_schema.c).
static void add_row(struct ss_pg_array *rows, const struct ss_store_row *row)
{
    bool may_be_null = row->format >= SS_ROW_FORMAT_10;
    ss_pg_record_begin(rows, ROW_COLUMNS);
    ss_pg_record_text(rows, row->thread);
    ss_pg_record_number(rows, SS_PG_INT8, (int64_t)row->seq);
    ss_pg_record_number(rows, SS_PG_INT4, row->kind);
    ss_pg_record_number(rows, SS_PG_INT4, row->format);
    add_text(rows, row->run, may_be_null);
    add_text(rows, row->ns, may_be_null);
    add_text(rows, row->checkpoint_id, may_be_null);
    add_text(rows, row->parent_id, may_be_null);
    add_number(rows, (int64_t)row->parent_seq, may_be_null);
    add_number(rows, (int64_t)row->base_seq, may_be_null);
    add_text(rows, row->source, may_be_null);
    add_number(rows, row->step, may_be_null);
    add_number(rows, row->wall_us, may_be_null);
    ss_pg_record_text(rows, row->metadata);
    ss_pg_record_number(rows, SS_PG_INT8, (int64_t)row->checksum);
    ss_pg_record_bytes(rows, SS_PG_BYTEA, row->body, row->body_size);
    ss_pg_record_end(rows);
}

// Send the rows collected so far.
static void rows_send(struct pipeline *pipeline, struct ss_pg_array *rows)
{
    uint64_t epoch = pipeline->run->epoch;
    struct ss_pg_params params = {0};
    ss_pg_params_array(&params, rows);
    if (epoch > 0) {
        ss_pg_fence_params(pipeline->store, epoch, &params);
    }
    send(pipeline, epoch > 0 ? SS_PG_ROWS_FENCED : SS_PG_ROWS, &params);
}

static void send_rows(struct pipeline *pipeline)
{
    const struct ss_pg_stretch *run = pipeline->run;
    uint32_t type = pipeline->store->row_type;
    struct ss_pg_array rows;
    ss_pg_array_init(&rows, type);
    for (size_t i = 0; i < run->count; i++) {
        for (size_t r = 0; r < run->units[i].rows_count; r++) {
            const struct ss_store_row *row = &run->units[i].rows[r];
            if (rows.count > 0 &&
                rows.size + row->body_size > SS_STORE_STATEMENT_SIZE_MAX) {
                rows_send(pipeline, &rows);
                ss_pg_array_init(&rows, type);
            }
            add_row(&rows, row);
        }
    }
    rows_send(pipeline, &rows);
}

static void send_fence(struct pipeline *pipeline)
{
    struct ss_pg_params params = {0};
    ss_pg_fence_params(pipeline->store, pipeline->run->epoch, &params);
    send(pipeline, SS_PG_FENCE, &params);
}

// --- puts -------------------------------------------------------------------

static enum ss_pg_put kind_of(const struct ss_store_put *put)
{
    if (!put->value) {
        return put->index ? SS_PG_PUT_DELETE_OF : SS_PG_PUT_DELETE;
    }
    return put->when == SS_WHEN_ANY      ? SS_PG_PUT_ANY
           : put->when == SS_WHEN_ABSENT ? SS_PG_PUT_ABSENT
                                         : SS_PG_PUT_SAME;
}

struct put_arrays {
    struct ss_pg_array keys, indexes, expiries, hashes, values, times, states,
        graphs, pairs, expected;
};

static void marks_add(struct put_arrays *arrays, const struct ss_store_put *put)
{
    struct ss_find_marks marks = {0};
    if (put->table == SS_TABLE_RUNS || put->table == SS_TABLE_THREADS) {
        ss_find_marks_read(put->value, put->value_size, &marks);
    }
    char *pairs = ss_pg_pairs(&marks);
    ss_pg_array_text(&arrays->graphs, marks.graph);
    ss_pg_array_text(&arrays->pairs, pairs);
    ss_free(pairs);
    ss_find_marks_fini(&marks);
}

static void put_add(struct put_arrays *arrays, const struct ss_store_put *put)
{
    ss_pg_array_text(&arrays->keys, put->key);
    ss_pg_array_text(&arrays->indexes, put->index);
    if (!put->value) {
        return;
    }
    ss_pg_array_number(&arrays->expiries, put->expires_us);
    ss_pg_array_number(
        &arrays->hashes, (int64_t)ss_hash64(put->value, put->value_size));
    ss_pg_array_bytes(&arrays->values, put->value, put->value_size);
    ss_pg_array_number(&arrays->times, put->at_us);
    ss_pg_array_text(&arrays->states, put->status);
    if (ss_store_table_has_times(put->table)) {
        marks_add(arrays, put);
    }
    ss_pg_array_number(&arrays->expected, (int64_t)put->expected);
}

// Which of the arrays a statement takes, in their order.
enum { OF_ALL = 1, OF_INDEX = 2, OF_VALUE = 4, OF_TIME = 8, OF_SAME = 16 };

static int wanted_of(enum ss_store_table table, enum ss_pg_put kind)
{
    if (kind == SS_PG_PUT_DELETE || kind == SS_PG_PUT_DELETE_OF) {
        return kind == SS_PG_PUT_DELETE ? OF_ALL : OF_ALL | OF_INDEX;
    }
    return OF_ALL | OF_INDEX | OF_VALUE |
           (ss_store_table_has_times(table) ? OF_TIME : 0) |
           (kind == SS_PG_PUT_SAME ? OF_SAME : 0);
}

static void puts_send(struct pipeline *pipeline, struct put_arrays *arrays,
    enum ss_store_table table, enum ss_pg_put kind)
{
    struct ss_pg_params params = {0};
    int64_t count = arrays->keys.count;
    int wanted = wanted_of(table, kind);
    const struct {
        struct ss_pg_array *array;
        int of;
    } all[] = {{&arrays->keys, OF_ALL}, {&arrays->indexes, OF_INDEX},
        {&arrays->expiries, OF_VALUE}, {&arrays->hashes, OF_VALUE},
        {&arrays->values, OF_VALUE}, {&arrays->times, OF_TIME},
        {&arrays->states, OF_TIME}, {&arrays->graphs, OF_TIME},
        {&arrays->pairs, OF_TIME}, {&arrays->expected, OF_SAME}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if ((wanted & all[i].of) && count > 0) {
            ss_pg_params_array(&params, all[i].array);
        }
        ss_free(all[i].array->bytes);
    }
    if (kind == SS_PG_PUT_SAME) {
        ss_pg_params_number(&params, count);
    }
    if (count > 0) {
        send(pipeline, ss_pg_put_statement(table, kind), &params);
    }
}

static void send_puts_of(
    struct pipeline *pipeline, enum ss_store_table table, enum ss_pg_put kind)
{
    const struct ss_pg_stretch *run = pipeline->run;
    struct put_arrays arrays;
    ss_pg_array_init(&arrays.keys, SS_PG_TEXT);
    ss_pg_array_init(&arrays.indexes, SS_PG_TEXT);
    ss_pg_array_init(&arrays.expiries, SS_PG_INT8);
    ss_pg_array_init(&arrays.hashes, SS_PG_INT8);
    ss_pg_array_init(&arrays.values, SS_PG_BYTEA);
    ss_pg_array_init(&arrays.times, SS_PG_INT8);
    ss_pg_array_init(&arrays.states, SS_PG_TEXT);
    ss_pg_array_init(&arrays.graphs, SS_PG_TEXT);
    ss_pg_array_init(&arrays.pairs, SS_PG_TEXT);
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

struct puts_used {
    bool of[SS_TABLE_COUNT][SS_PG_PUT_KINDS];
};

static struct puts_used puts_used(const struct ss_pg_stretch *run)
{
    struct puts_used used = {{{false}}};
    for (size_t i = 0; i < run->count; i++) {
        for (size_t p = 0; p < run->units[i].puts_count; p++) {
            const struct ss_store_put *put = &run->units[i].puts[p];
            used.of[put->table][kind_of(put)] = true;
        }
    }
    return used;
}

static void send_puts(struct pipeline *pipeline)
{
    struct puts_used used = puts_used(pipeline->run);
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        for (int kind = 0; kind < SS_PG_PUT_KINDS; kind++) {
            if (used.of[table][kind]) {
                send_puts_of(
                    pipeline, (enum ss_store_table)table, (enum ss_pg_put)kind);
            }
        }
    }
}

// --- preparing --------------------------------------------------------------

static int prepare_rows(struct ss_pg_store *store,
    const struct ss_pg_stretch *run, struct ss_error *error)
{
    if (rows_of(run) == 0) {
        return run->epoch > 0 ? ss_pg_prepare(store, SS_PG_FENCE, error)
                              : SS_OK;
    }
    int status = ss_pg_prepare(store, SS_PG_HEADS, error);
    return status != SS_OK
               ? status
               : ss_pg_prepare(store,
                     run->epoch > 0 ? SS_PG_ROWS_FENCED : SS_PG_ROWS, error);
}

int ss_pg_append_prepare(struct ss_pg_store *store,
    const struct ss_pg_stretch *run, struct ss_error *error)
{
    struct puts_used used = puts_used(run);
    int status = prepare_rows(store, run, error);
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        for (int kind = 0; kind < SS_PG_PUT_KINDS && status == SS_OK; kind++) {
            if (used.of[table][kind]) {
                status = ss_pg_prepare(store,
                    ss_pg_put_statement(
                        (enum ss_store_table)table, (enum ss_pg_put)kind),
                    error);
            }
        }
    }
    return status;
}

static bool is_kept(const struct ss_pg_store *store, enum ss_pg_statement which)
{
    return store->is_pooled || store->prepared[which][0];
}

bool ss_pg_append_is_prepared(
    const struct ss_pg_store *store, const struct ss_pg_stretch *run)
{
    struct puts_used used = puts_used(run);
    bool has_all = rows_of(run) == 0
                       ? run->epoch == 0 || is_kept(store, SS_PG_FENCE)
                       : is_kept(store, SS_PG_HEADS) &&
                             is_kept(store, run->epoch > 0 ? SS_PG_ROWS_FENCED
                                                           : SS_PG_ROWS);
    for (int table = 0; table < SS_TABLE_COUNT; table++) {
        for (int kind = 0; kind < SS_PG_PUT_KINDS && has_all; kind++) {
            has_all =
                !used.of[table][kind] ||
                is_kept(store, ss_pg_put_statement((enum ss_store_table)table,
                                   (enum ss_pg_put)kind));
        }
    }
    return has_all;
}

// --- sending and hearing ----------------------------------------------------

bool ss_pg_append_send(
    struct ss_pg_store *store, const struct ss_pg_stretch *run)
{
    struct pipeline pipeline = {.store = store, .run = run};
    if (PQenterPipelineMode(store->conn) != 1) {
        return false;
    }
    if (store->is_unwaited) {
        send_durable(&pipeline);
    }
    if (rows_of(run) > 0) {
        send_heads(
            &pipeline); // behind the rows they would find these themselves
        send_rows(&pipeline);
    } else if (run->epoch > 0) {
        send_fence(&pipeline);
    }
    send_puts(&pipeline);
    // Without a Sync nothing of what went out is committed.
    return !pipeline.is_broken && PQpipelineSync(store->conn) == 1;
}

void ss_pg_hear(
    struct ss_pg_store *store, struct ss_pg_answer *answer, PGresult *result)
{
    answer->nothings = result ? 0 : answer->nothings + 1;
    ExecStatusType how = result ? PQresultStatus(result) : PGRES_TUPLES_OK;
    answer->synced = how == PGRES_PIPELINE_SYNC;
    if (how == PGRES_FATAL_ERROR && !answer->failure) {
        answer->failure = result;
    } else {
        PQclear(result);
    }
    // A NULL separates the results of two statements; two NULLs are the end.
    answer->has_ended = answer->synced || answer->nothings == 2 ||
                        PQstatus(store->conn) != CONNECTION_OK;
}

int ss_pg_append(struct ss_pg_store *store, const struct ss_pg_stretch *run,
    bool *ret_guard, struct ss_error *error)
{
    *ret_guard = false;
    if (!ss_pg_append_send(store, run)) {
        return ss_pg_lost(store, "append", error);
    }
    struct ss_pg_answer answer = {0};
    while (!answer.has_ended) {
        ss_pg_hear(store, &answer, ss_pg_result(store));
    }
    PGresult *failure = answer.failure;
    int status = SS_OK;
    if (!answer.synced) {
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

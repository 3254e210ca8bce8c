// world_store.c - the store of a world: the memory store that ships, asked for
// one job at a time, and what a test plants before it: it stops, says no, or
// says nothing.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "coordinator/core/journal_io.h"
#include "coordinator/store/job_run.h"
#include "tests/stories/world_impl.h"

// ------------------------------------------------------------------ the store

void store_begin(struct store *store)
{
    struct ss_error error;
    if (ss_store_open("memory:", &store->inner, &error) != SS_OK)
        ck_abort_msg("%s", error.message);
    store->rows_left = -1;
}

void store_fini(struct store *store)
{
    ss_store_close(&store->inner);
    for (size_t i = 0; i < store->threads.count; i++)
        ss_free(store->threads.items[i]);
    SS_VEC_FINI(&store->threads);
}

static void perform(struct store *store, struct ss_job *job)
{
    struct ss_jobs_stats stats = {0};
    struct ss_job *jobs = job;
    ck_assert_ptr_eq(ss_jobs_run_some(store->inner, 0, &jobs, &stats), job);
}

struct ss_job *store_scan(struct store *store, enum ss_store_table table)
{
    struct ss_job *job = ss_job_new(SS_JOB_SCAN, 0);
    job->table = table;
    perform(store, job);
    return job;
}

void store_put(struct store *store, struct ss_store_put put)
{
    const struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    struct ss_job *job = ss_job_apply(0, &unit);
    perform(store, job);
    ck_assert_int_eq(job->status, SS_OK);
    ss_job_destroy(&job);
}

// ------------------------------------------------------------------ rows

static struct ss_job *read_rows(
    struct store *store, const char *thread, uint64_t from, uint64_t to)
{
    struct ss_job *job = ss_job_new(SS_JOB_READ, 0);
    job->thread = ss_strdup(thread);
    job->from = from;
    job->to = to;
    perform(store, job);
    return job;
}

// The rows of a thread as far as they are decoded.
struct decoded {
    SS_VEC(struct ss_row *) rows;
};

static const struct ss_row *find_decoded(void *ctx, uint64_t seq)
{
    const struct decoded *it = ctx;
    for (size_t i = 0; i < it->rows.count; i++)
        if (it->rows.items[i]->seq == seq)
            return it->rows.items[i];
    return NULL;
}

static void decoded_fini(struct decoded *decoded)
{
    for (size_t i = 0; i < decoded->rows.count; i++)
        ss_row_destroy(&decoded->rows.items[i]);
    SS_VEC_FINI(&decoded->rows);
}

// Borrowed from `decoded`, which has the rows before.
static struct ss_row *decode(
    struct decoded *decoded, const struct ss_store_row *stored)
{
    const struct ss_row_finder earlier = {find_decoded, decoded};
    struct ss_row *row = NULL;
    struct ss_error error;
    if (ss_journal_io_decode(stored, &earlier, &row, &error) != SS_OK)
        ck_abort_msg("row %d: %s", (int)stored->seq, error.message);
    SS_VEC_PUSH(&decoded->rows, row);
    return row;
}

size_t store_each_row(struct store *store, row_fn *each)
{
    size_t count = 0;
    for (size_t i = 0; i < store->threads.count; i++) {
        const char *thread = store->threads.items[i];
        struct ss_job *job = read_rows(store, thread, 1, UINT64_MAX);
        count += job->rows_count;
        struct decoded decoded = {0};
        for (size_t j = 0; each && j < job->rows_count; j++)
            each(decode(&decoded, &job->rows[j].row));
        decoded_fini(&decoded);
        ss_job_destroy(&job);
    }
    return count;
}

size_t store_bytes(struct store *store, int32_t *ret_format)
{
    size_t size = 0;
    *ret_format = 0;
    for (size_t i = 0; i < store->threads.count; i++) {
        struct ss_job *job =
            read_rows(store, store->threads.items[i], 1, UINT64_MAX);
        for (size_t j = 0; j < job->rows_count; j++) {
            const struct ss_store_row *row = &job->rows[j].row;
            size += row->body_size;
            *ret_format = row->format > *ret_format ? row->format : *ret_format;
        }
        ss_job_destroy(&job);
    }
    return size;
}

// ------------------------------------------------------------------ applying

static void note_thread(struct store *store, const char *name)
{
    for (size_t i = 0; i < store->threads.count; i++)
        if (strcmp(store->threads.items[i], name) == 0)
            return;
    SS_VEC_PUSH(&store->threads, ss_strdup(name));
}

// What becomes of a run, where a unit without rows says so: the last word.
// NULL: nothing. Gives.
static char *run_status(const struct ss_store_unit *unit)
{
    char *status = NULL;
    if (unit->rows_count > 0 || !unit->thread || unit->delete_thread)
        return NULL;
    for (size_t i = 0; i < unit->puts_count; i++) {
        const struct ss_store_put *put = &unit->puts[i];
        json_t *record = NULL;
        if (put->table != SS_TABLE_RUNS &&
            (put->table != SS_TABLE_OPEN || !put->value))
            continue;
        if (put->value)
            ck_assert_int_eq(
                ss_json_parse(put->value, put->value_size, &record, NULL),
                SS_OK);
        ss_free(status);
        status = ss_strdup(ss_json_str(record, "status", "gone"));
        json_decref(record);
    }
    return status;
}

// A core appends where the thread ends, and nothing twice: a store takes what
// it has for a repeat, and refuses a gap.
static void check_place(struct store *store, const struct ss_store_unit *unit)
{
    if (unit->rows_count == 0 || unit->delete_thread)
        return;
    struct ss_job *job =
        read_rows(store, unit->thread, unit->rows[0].seq, UINT64_MAX);
    ck_assert_uint_eq(job->rows_count, 0);
    ss_job_destroy(&job);
}

static void check_taken(const struct ss_job *job)
{
    bool is_conditional = false;
    for (size_t i = 0; i < job->unit.puts_count; i++)
        is_conditional |= job->unit.puts[i].when != SS_WHEN_ANY;
    if (job->status != SS_OK && !is_conditional)
        ck_abort_msg("%s", job->error.message);
}

// The unit is stored: its rows may repeat those before.
static void tell_rows(struct store *store, const struct ss_store_unit *unit)
{
    struct ss_job *job = read_rows(store, unit->thread, 1, UINT64_MAX);
    struct decoded decoded = {0};
    for (size_t i = 0; i < job->rows_count; i++) {
        struct ss_row *row = decode(&decoded, &job->rows[i].row);
        if (row->seq >= unit->rows[0].seq)
            tell_row(unit->thread, row);
    }
    decoded_fini(&decoded);
    ss_job_destroy(&job);
}

// Gives what counts as taken: rows, or one record of a run that comes without
// one.
static size_t tell_unit(struct store *store, const struct ss_store_unit *unit)
{
    char *status = run_status(unit);
    size_t count = unit->rows_count;
    if (count > 0)
        tell_rows(store, unit);
    if (status) {
        tell("  run of %s: %s", unit->thread, status);
        count++;
    }
    ss_free(status);
    return count;
}

// True: somebody says that it was taken.
static bool apply(struct store *store, struct ss_job *job)
{
    const struct ss_store_unit *unit = &job->unit;
    check_place(store, unit);
    perform(store, job);
    check_taken(job);
    if (job->status != SS_OK)
        return true;
    if (unit->thread)
        note_thread(store, unit->thread);
    size_t count = tell_unit(store, unit);
    store->taken += count;
    if (store->rows_left > 0)
        store->rows_left -= count < (size_t)store->rows_left ? (int64_t)count
                                                             : store->rows_left;
    store->stopped = store->rows_left == 0;
    return !store->stopped;
}

// Refuse the job, if a test has planted that.
static bool says_no(struct ss_job *job, int *planted)
{
    int status = *planted;
    if (status == SS_OK)
        return false;
    *planted = SS_OK;
    job->status = job->unit.result =
        ss_error_set(&job->error, status, "%s", ss_status_text(status));
    return true;
}

bool store_do(struct store *store, struct ss_job *job)
{
    bool is_read = job->type != SS_JOB_APPLY;
    if (store->stopped && (!is_read || !store->reads_on))
        return false;
    if (says_no(job, is_read ? &store->next_read : &store->next_status))
        return true;
    if (!is_read)
        return apply(store, job);
    perform(store, job);
    return true;
}

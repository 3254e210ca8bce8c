// job_run.c - jobs against a store: one commit for all units that may share it.
#include "coordinator/store/job_run.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/job/row_copy.h"
#include "coordinator/store/job_run_impl.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_impl.h"

// --- reading ----------------------------------------------------------------

struct collector {
    struct ss_job *job;
    size_t capacity;
};

static int collect_row(void *ctx, const struct ss_store_row *row)
{
    struct collector *collector = ctx;
    struct ss_job *job = collector->job;
    job->rows = ss_vec_grow(job->rows, &collector->capacity,
        job->rows_count + 1, sizeof(*job->rows));
    struct ss_job_row *to = &job->rows[job->rows_count++];
    to->row = ss_store_row_copy(row, &to->memory);
    return SS_OK;
}

static int collect_entry(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct collector *collector = ctx;
    struct ss_job *job = collector->job;
    job->entries = ss_vec_grow(job->entries, &collector->capacity,
        job->entries_count + 1, sizeof(*job->entries));
    job->entries[job->entries_count++] = (struct ss_job_entry){
        .key = ss_strdup(key),
        .index = ss_strdup(index),
        .value = ss_memdup(value, size),
        .value_size = size,
        .expires_us = expires_us,
    };
    return SS_OK;
}

// --- members and shards -----------------------------------------------------

static int cluster_run(struct ss_store *store, struct ss_job *job)
{
    const struct ss_member *self = &job->member;
    const struct ss_shards wanted = job->shards;
    switch (job->type) {
    case SS_JOB_RENEW:
        return ss_store_lease_renew(store, self, job->lease.ms, &job->error);
    case SS_JOB_LOOK:
        return ss_store_cluster_read(store, job->cluster, &job->error);
    case SS_JOB_CLAIM:
        return ss_store_shards_claim(
            store, self, &wanted, &job->shards, &job->error);
    case SS_JOB_TAKE:
        return ss_store_shards_take(
            store, self, job->key, &job->shards, &job->error);
    case SS_JOB_HAND:
        return ss_store_shards_hand(
            store, self, &wanted, job->key, &job->error);
    case SS_JOB_END:
        return ss_store_lease_end(store, self, &job->error);
    case SS_JOB_APPLY:
    case SS_JOB_READ:
    case SS_JOB_SCAN:
    case SS_JOB_GET:
    case SS_JOB_FIND:
    case SS_JOB_TELL:
        break;
    }
    ss_unreachable();
}

// Read records before rows: the rows that they name are there when the rows are
// read. If the thread has no record, those of runs say nothing: they are of an
// earlier thread of that name.
static int records_read(struct ss_store *store, struct ss_job *job)
{
    struct collector collector = {.job = job};
    int status = ss_store_get(store, SS_TABLE_THREADS, job->thread,
        collect_entry, &collector, &job->error);
    if (status == SS_ENOTFOUND) {
        job->error = (struct ss_error){0};
        return SS_OK;
    }
    if (status != SS_OK) {
        return status;
    }
    return ss_store_scan(store, SS_TABLE_RUNS, job->thread, NULL, 0,
        collect_entry, &collector, &job->error);
}

static int thread_read(struct ss_store *store, struct ss_job *job)
{
    struct collector collector = {.job = job};
    int status = job->from == 1 && job->to == UINT64_MAX
                     ? records_read(store, job)
                     : SS_OK;
    if (status != SS_OK) {
        return status;
    }
    return ss_store_read(store, job->thread, job->from, job->to, collect_row,
        &collector, &job->error);
}

// --- records ----------------------------------------------------------------

static int scan_in(
    struct ss_store *store, struct collector *collector, enum ss_store_table in)
{
    struct ss_job *job = collector->job;
    return ss_store_scan(store, in, job->index, job->key, job->limit,
        collect_entry, collector, &job->error);
}

static int get_in(
    struct ss_store *store, struct collector *collector, enum ss_store_table in)
{
    struct ss_job *job = collector->job;
    return ss_store_get(
        store, in, job->key, collect_entry, collector, &job->error);
}

// As strcmp(), by keys; what is not there is behind all.
static int entries_order(const struct ss_job_entry *left, bool has_left,
    const struct ss_job_entry *right, bool has_right)
{
    return !has_left ? 1 : !has_right ? -1 : strcmp(left->key, right->key);
}

// Two lists in the order of their keys, the first of so many entries, become
// one, cut at the job's limit. Of two entries of one key that of the first list
// stays.
static void entries_merge(struct ss_job *job, size_t first)
{
    struct ss_job_entry *merged =
        ss_zalloc(job->entries_count + 1, sizeof(*merged));
    size_t count = 0, left = 0, right = first;
    while (left < first || right < job->entries_count) {
        int order = entries_order(&job->entries[left], left < first,
            &job->entries[right], right < job->entries_count);
        struct ss_job_entry *next =
            &job->entries[order <= 0 ? left++ : right++];
        if (order == 0) {
            ss_job_entry_fini(&job->entries[right++]);
        }
        if (job->limit > 0 && count == job->limit) {
            ss_job_entry_fini(next);
        } else {
            merged[count++] = *next;
        }
    }
    ss_free(job->entries);
    job->entries = merged;
    job->entries_count = count;
}

// Of a run that has not ended the open record counts: the other one, if there
// is any, was put by an older program or before the run began anew. The open
// ones are read first, so that a run that ends between the two looks is in both
// rather than in none.
static int runs_scan(struct ss_store *store, struct collector *collector)
{
    int status = scan_in(store, collector, SS_TABLE_OPEN);
    size_t first = collector->job->entries_count;
    if (status == SS_OK) {
        status = scan_in(store, collector, SS_TABLE_RUNS);
    }
    if (status == SS_OK) {
        entries_merge(collector->job, first);
    }
    return status;
}

static int runs_get(struct ss_store *store, struct collector *collector)
{
    int status = get_in(store, collector, SS_TABLE_OPEN);
    if (status != SS_ENOTFOUND) {
        return status;
    }
    collector->job->error = (struct ss_error){0};
    return get_in(store, collector, SS_TABLE_RUNS);
}

static void query_run(struct ss_store *store, struct ss_job *job)
{
    struct collector collector = {.job = job};
    bool of_runs = job->table == SS_TABLE_RUNS;
    switch (job->type) {
    case SS_JOB_READ:
        job->status = thread_read(store, job);
        break;
    case SS_JOB_SCAN:
        job->status = of_runs ? runs_scan(store, &collector)
                              : scan_in(store, &collector, job->table);
        break;
    case SS_JOB_GET:
        job->status = of_runs ? runs_get(store, &collector)
                              : get_in(store, &collector, job->table);
        break;
    case SS_JOB_FIND:
        job->status = ss_job_find(store, job);
        break;
    case SS_JOB_TELL:
        job->status = ss_store_tell(store, &job->lacks.times, &job->error);
        break;
    case SS_JOB_RENEW:
    case SS_JOB_LOOK:
    case SS_JOB_CLAIM:
    case SS_JOB_TAKE:
    case SS_JOB_HAND:
    case SS_JOB_END:
        job->status = cluster_run(store, job);
        break;
    case SS_JOB_APPLY:
        ss_unreachable();
    }
}

// --- gathering --------------------------------------------------------------

// May this unit go before the reads that were submitted earlier? Reads of other
// threads do not see it; scans and gets see everything.
static bool may_overtake(
    const struct ss_job *job, const char *const *threads, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (job->unit.thread && strcmp(job->unit.thread, threads[i]) == 0) {
            return false;
        }
    }
    return true;
}

// Take the units that share the next commit out of *jobs.
static struct ss_job *gather(struct ss_job **jobs, size_t *ret_count)
{
    const char *overtaken[SS_STORE_OVERTAKEN_MAX];
    size_t overtaken_count = 0;
    struct ss_job *taken = NULL;
    struct ss_job **taken_end = &taken;
    struct ss_job **at = jobs;
    *ret_count = 0;
    while (*at && *ret_count < SS_STORE_BATCH_MAX) {
        struct ss_job *job = *at;
        if (job->type == SS_JOB_READ &&
            overtaken_count < SS_STORE_OVERTAKEN_MAX) {
            overtaken[overtaken_count++] = job->thread;
            at = &job->next;
            continue;
        }
        if (job->type != SS_JOB_APPLY ||
            !may_overtake(job, overtaken, overtaken_count)) {
            break;
        }
        *at = job->next;
        job->next = NULL;
        *taken_end = job;
        taken_end = &job->next;
        ++*ret_count;
    }
    return taken;
}

// --- threads that are not there ---------------------------------------------

static bool reads_all(const struct ss_job *job)
{
    return job->type == SS_JOB_READ && job->from == 1 && job->to == UINT64_MAX;
}

// Most threads that are read are new ones, of runs that begin. Take
// those first jobs out of *jobs that read such threads: nothing is read. NULL:
// there are none, or nobody knows.
static struct ss_job *unknown_take(struct ss_store *store, struct ss_job **jobs)
{
    const char *threads[SS_STORE_LOOKED_MAX];
    bool known[SS_STORE_LOOKED_MAX];
    size_t count = 0;
    struct ss_error ignored = {0}; // whoever reads them is told
    struct ss_job *taken = NULL, **taken_end = &taken;
    for (const struct ss_job *job = *jobs;
         job && reads_all(job) && !job->is_known && count < SS_STORE_LOOKED_MAX;
         job = job->next) {
        threads[count++] = job->thread;
    }
    if (count == 0 ||
        ss_store_known(store, threads, count, known, &ignored) != SS_OK) {
        return NULL;
    }
    struct ss_job **at = jobs;
    for (size_t i = 0; i < count; i++) {
        struct ss_job *job = *at;
        if (known[i]) {
            job->is_known = true;
            at = &job->next;
            continue;
        }
        *at = job->next;
        job->next = NULL;
        *taken_end = job;
        taken_end = &job->next;
    }
    return taken;
}

// --- applying ---------------------------------------------------------------

struct attempt {
    struct ss_store *store;
    uint64_t epoch;
    struct ss_store_unit *units;
    struct ss_job **jobs;
    struct ss_jobs_stats *stats;
};

static bool blames_content(int status)
{
    return status == SS_EREFUSED || status == SS_ELIMIT ||
           status == SS_EINVAL || status == SS_EFORMAT;
}

// What the store made of the unit, in words. Gives its result.
static int tell(const struct ss_store_unit *unit, struct ss_error *error)
{
    if (unit->result == SS_EFENCED) {
        return ss_error_set(error, unit->result,
            "store: %s%s: fenced: another coordinator has taken over (or the"
            " database is not the one it was), nothing was written",
            unit->thread ? "thread " : "a record",
            unit->thread ? unit->thread : "");
    }
    if (unit->result != SS_OK) {
        return ss_error_set(error, unit->result,
            "store: %s%s: other content stands there, or what should stand"
            " there does not",
            unit->thread ? "thread " : "a record",
            unit->thread ? unit->thread : "");
    }
    return SS_OK;
}

static void answer(struct ss_job *job, const struct ss_store_unit *unit)
{
    job->unit.result = unit->result;
    job->status = tell(unit, &job->error);
}

static void count_commit(struct ss_jobs_stats *stats, size_t units)
{
    stats->commits++;
    stats->units += units;
    stats->units_max = units > stats->units_max ? units : stats->units_max;
}

static int batch_apply(const struct attempt *attempt, size_t from, size_t count,
    struct ss_error *error)
{
    struct ss_store_batch batch = {
        .epoch = attempt->epoch,
        .units = attempt->units + from,
        .units_count = count,
    };
    int status = SS_EAGAIN;
    for (int i = 0; i < SS_STORE_TRIES_MAX && status == SS_EAGAIN; i++) {
        status = ss_store_apply(attempt->store, &batch, error);
        if (status == SS_EAGAIN) {
            ss_store_trouble(attempt->store, error->message);
        }
    }
    return status;
}

// Apply units from..from + count; halve a range that is refused as a whole.
static void apply_range(
    const struct attempt *attempt, size_t from, size_t count)
{
    struct ss_error error = {0};
    int status = batch_apply(attempt, from, count, &error);
    if (status == SS_OK) {
        count_commit(attempt->stats, count);
        for (size_t i = from; i < from + count; i++) {
            answer(attempt->jobs[i], &attempt->units[i]);
        }
        return;
    }
    if (count > 1 && blames_content(status)) {
        apply_range(attempt, from, count / 2);
        apply_range(attempt, from + count / 2, count - count / 2);
        return;
    }
    for (size_t i = from; i < from + count; i++) {
        attempt->jobs[i]->status = status;
        attempt->jobs[i]->unit.result = status;
        attempt->jobs[i]->error = error;
    }
}

static void apply_all(
    struct attempt attempt, struct ss_job *first, size_t count)
{
    size_t i = 0;
    attempt.units = ss_zalloc(count, sizeof(*attempt.units));
    attempt.jobs = ss_zalloc(count, sizeof(struct ss_job *));
    for (struct ss_job *job = first; job; job = job->next) {
        attempt.units[i] = job->unit;
        attempt.jobs[i++] = job;
    }
    apply_range(&attempt, 0, count);
    ss_free(attempt.units);
    ss_free(attempt.jobs);
}

int ss_unit_run(struct ss_store *store, uint64_t epoch,
    struct ss_store_unit *unit, struct ss_jobs_stats *stats,
    struct ss_error *error)
{
    const struct attempt attempt = {
        .store = store, .epoch = epoch, .units = unit, .stats = stats};
    int status = batch_apply(&attempt, 0, 1, error);
    if (status != SS_OK) {
        return status;
    }
    count_commit(stats, 1);
    return tell(unit, error);
}

struct ss_job *ss_jobs_run_some(struct ss_store *store, uint64_t epoch,
    struct ss_job **jobs, struct ss_jobs_stats *stats)
{
    size_t count = 0;
    struct ss_job *taken = gather(jobs, &count);
    if (taken) {
        apply_all(
            (struct attempt){.store = store, .epoch = epoch, .stats = stats},
            taken, count);
        return taken;
    }
    taken = unknown_take(store, jobs);
    if (taken) {
        return taken;
    }
    taken = *jobs;
    ss_check(taken);
    *jobs = taken->next;
    taken->next = NULL;
    query_run(store, taken);
    return taken;
}

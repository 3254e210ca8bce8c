// job_find.c - the job FIND: records that fit, the newest first, a page of
// them.
//
// What does not fit is read, too, so a page may end before it is full: behind
// so many records that were looked at, or so many bytes. It says where.
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/name_before.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "coordinator/store/job_run_impl.h"
#include "coordinator/store/limits.h"

enum { STOP = 1 }; // no status of an error

// A table that is looked through, and what fits of it.
struct look {
    const struct ss_find *find;
    struct ss_error *error;
    SS_VEC(struct hit) hits;
    SS_VEC(struct hit) unsearched; // that may fit: without a record
    size_t looked, size;
    bool is_cut; // there may be more behind the last that was looked at
    int64_t last_us;
    char *last_key;
};

struct hit {
    struct ss_job_entry entry;
    int64_t at_us;
};

static void look_fini(struct look *look)
{
    for (size_t i = 0; i < look->hits.count; i++) {
        ss_job_entry_fini(&look->hits.items[i].entry);
    }
    for (size_t i = 0; i < look->unsearched.count; i++) {
        ss_job_entry_fini(&look->unsearched.items[i].entry);
    }
    SS_VEC_FINI(&look->hits);
    SS_VEC_FINI(&look->unsearched);
    ss_free(look->last_key);
}

// One more is looked at.
static int judge(struct look *look, const struct ss_store_found *found)
{
    json_t *record = NULL;
    look->looked++;
    if (ss_find_is_none(look->find, found->value, found->size)) {
        return SS_OK;
    }
    if (ss_json_parse(found->value, found->size, &record, look->error) !=
        SS_OK) {
        ss_error_wrap(
            look->error, "the record %.200s cannot be read", found->key);
        return look->error->status;
    }
    struct hit hit = {.at_us = found->at_us >= 0 ? found->at_us
                                                 : ss_find_at_us(true, record)};
    if (ss_find_fits(look->find, found->index, record)) {
        hit.entry = (struct ss_job_entry){.key = ss_strdup(found->key),
            .index = ss_strdup(found->index),
            .value = ss_memdup(found->value, found->size),
            .value_size = found->size};
        SS_VEC_PUSH(&look->hits, hit);
        look->size += found->size;
    } else if (ss_find_may_fit(look->find, found->index, record)) {
        hit.entry.key = ss_strdup(found->key);
        SS_VEC_PUSH(&look->unsearched, hit);
    }
    json_decref(record);
    return SS_OK;
}

static bool is_enough(const struct look *look)
{
    return look->looked == SS_STORE_FOUND_LOOKED_MAX ||
           look->size >= SS_STORE_FOUND_SIZE_MAX;
}

static int on_found(void *ctx, const struct ss_store_found *found)
{
    struct look *look = ctx;
    if (look->hits.count == look->find->limit || is_enough(look)) {
        look->is_cut = true;
        return STOP;
    }
    look->last_us = found->at_us;
    ss_free(look->last_key);
    look->last_key = ss_strdup(found->key);
    return judge(look, found);
}

// Which part of the table is read: the rest cannot fit.
static struct ss_store_search search_of(
    const struct ss_find *find, enum ss_store_table table)
{
    bool is_known = table == SS_TABLE_THREADS && find->status &&
                    strcmp(find->status, SS_THREAD_IDLE) != 0;
    const char *index = table != SS_TABLE_THREADS ? find->thread
                        : is_known                ? find->status
                                                  : NULL;
    bool has_place = find->after && find->after_us < find->until_us;
    return (struct ss_store_search){.table = table,
        .index = index,
        .status = table == SS_TABLE_RUNS && !index ? find->status : NULL,
        .since_us = find->since_us,
        .at_us = has_place ? find->after_us : find->until_us - 1,
        .after = has_place ? find->after : ""};
}

static int look_through(struct ss_store *store, struct ss_job *job,
    enum ss_store_table table, struct look *look)
{
    struct ss_store_search search = search_of(&job->find, table);
    struct ss_find_marks marks;
    ss_find_marks_of(&job->find, &marks);
    search.marks = &marks;
    *look = (struct look){.find = &job->find, .error = &job->error};
    int status = ss_store_search(store, &search, on_found, look, &job->error);
    ss_find_marks_fini(&marks);
    return status == STOP ? SS_OK : status;
}

// ------------------------------------------------ by name

// Threads whose names begin so stand together in the table: where they are few,
// all of them are read, whatever else there is, and put in order here.

static int on_named(void *ctx, const char *key, const char *index,
    const void *value, size_t size, int64_t expires_us)
{
    struct look *look = ctx;
    const char *prefix = look->find->prefix;
    (void)expires_us;
    if (strncmp(key, prefix, strlen(prefix)) != 0) {
        return STOP;
    }
    if (is_enough(look)) {
        look->is_cut = true;
        return STOP;
    }
    const struct ss_store_found found = {
        .key = key, .index = index, .value = value, .size = size, .at_us = -1};
    return judge(look, &found);
}

static int by_time(const void *left, const void *right)
{
    const struct hit *a = left, *b = right;
    return ss_find_order(a->at_us, a->entry.key, b->at_us, b->entry.key);
}

// It stands behind the place where the page begins.
static bool is_of_page(const struct ss_find *find, const struct hit *hit)
{
    return !find->after || ss_find_order(find->after_us, find->after,
                               hit->at_us, hit->entry.key) < 0;
}

// Leave those that are of this page, or a later one, in order.
static void order_named(struct look *look)
{
    size_t count = 0;
    for (size_t i = 0; i < look->hits.count; i++) {
        struct hit *hit = &look->hits.items[i];
        if (is_of_page(look->find, hit)) {
            look->hits.items[count++] = *hit;
        } else {
            ss_job_entry_fini(&hit->entry);
        }
    }
    look->hits.count = count;
    if (count > 0) {
        qsort(look->hits.items, count, sizeof(*look->hits.items), by_time);
    }
}

// *ret_done: false where they are too many.
static int look_by_name(struct ss_store *store, struct ss_job *job,
    struct look *look, bool *ret_done)
{
    char *before = ss_name_before(job->find.prefix);
    *look = (struct look){.find = &job->find, .error = &job->error};
    int status = ss_store_scan(store, SS_TABLE_THREADS, NULL, before,
        SS_STORE_FOUND_LOOKED_MAX + 1, on_named, look, &job->error);
    ss_free(before);
    *ret_done = !look->is_cut;
    if (look->is_cut) {
        look_fini(look);
    } else {
        order_named(look);
    }
    return status == STOP ? SS_OK : status;
}

static int look_for_threads(
    struct ss_store *store, struct ss_job *job, struct look *look)
{
    bool is_done = false;
    int status = SS_OK;
    if (job->find.prefix && job->find.prefix[0]) {
        status = look_by_name(store, job, look, &is_done);
    }
    return status != SS_OK || is_done
               ? status
               : look_through(store, job, SS_TABLE_THREADS, look);
}

// ------------------------------------------------ one page of two tables

// What lies behind that is not told: of the other table something may stand
// between.
static bool is_behind_cut(const struct look *look, const struct hit *hit)
{
    return look->is_cut && ss_find_order(look->last_us, look->last_key,
                               hit->at_us, hit->entry.key) < 0;
}

// The nearer end of two that are cut; NULL: both were read to their end.
static const struct look *cut_of(const struct look looks[2])
{
    const struct look *cut = NULL;
    for (size_t i = 0; i < 2; i++) {
        const struct look *look = &looks[i];
        if (look->is_cut &&
            (!cut || ss_find_order(look->last_us, look->last_key, cut->last_us,
                         cut->last_key) < 0)) {
            cut = look;
        }
    }
    return cut;
}

// The first of both, of a pair of one run that of the first list; NULL: none is
// left.
static struct hit *first_of(struct look looks[2], size_t at[2])
{
    struct hit *left =
        at[0] < looks[0].hits.count ? &looks[0].hits.items[at[0]] : NULL;
    struct hit *right =
        at[1] < looks[1].hits.count ? &looks[1].hits.items[at[1]] : NULL;
    int order = !left    ? 1
                : !right ? -1
                         : ss_find_order(left->at_us, left->entry.key,
                               right->at_us, right->entry.key);
    at[0] += left && order <= 0;
    at[1] += right && order >= 0;
    return order <= 0 ? left : right;
}

// Those of this page alone, which ends there (NULL: nowhere). What stands
// behind its end is looked at again.
static size_t count_unsearched(
    const struct look *look, int64_t end_us, const char *end)
{
    size_t count = 0;
    for (size_t i = 0; i < look->unsearched.count; i++) {
        const struct hit *it = &look->unsearched.items[i];
        count +=
            is_of_page(look->find, it) &&
            (!end || ss_find_order(it->at_us, it->entry.key, end_us, end) <= 0);
    }
    return count;
}

static void page_end(struct ss_job *job, const struct look looks[2],
    int64_t end_us, const char *end)
{
    job->place = end ? ss_find_place(end_us, end) : NULL;
    for (size_t i = 0; i < 2; i++) {
        job->lacks.search += count_unsearched(&looks[i], end_us, end);
    }
}

static void page_make(struct ss_job *job, struct look looks[2])
{
    const struct look *cut = cut_of(looks);
    size_t at[2] = {0, 0};
    size_t most = looks[0].hits.count + looks[1].hits.count;
    const struct hit *last = NULL;
    struct hit *hit;
    job->entries = ss_zalloc(most + 1, sizeof(*job->entries));
    while ((hit = first_of(looks, at)) != NULL) {
        bool is_full = job->entries_count == job->find.limit;
        if (is_full || (cut && is_behind_cut(cut, hit))) {
            break;
        }
        job->entries[job->entries_count++] = hit->entry;
        hit->entry = (struct ss_job_entry){
            .key = ss_strdup(hit->entry.key)}; // its place
        last = hit;
    }
    bool is_full = hit && job->entries_count == job->find.limit;
    if (is_full && last) {
        page_end(job, looks, last->at_us, last->entry.key);
    } else if (cut) {
        page_end(job, looks, cut->last_us, cut->last_key);
    } else {
        page_end(job, looks, 0, NULL);
    }
}

static bool may_be_open(const struct ss_find *find)
{
    return !find->status ||
           !ss_run_status_has_ended(ss_run_status_by_name(find->status));
}

static bool may_have_ended(const struct ss_find *find)
{
    return !find->status ||
           ss_run_status_has_ended(ss_run_status_by_name(find->status));
}

int ss_job_find(struct ss_store *store, struct ss_job *job)
{
    const struct ss_find *find = &job->find;
    struct look looks[2] = {{0}, {0}};
    struct ss_error untold;
    int status = SS_OK;
    ss_check(find->limit > 0);
    // A record that cannot be told a time is said to lack, and the others are
    // found.
    if (!find->after) {
        bool has_failed =
            ss_store_tell(store, &job->lacks.times, &untold) != SS_OK;
        job->lacks.times = job->lacks.times || has_failed;
    }
    // The open ones first, so that a run that ends between the two looks is in
    // both rather than in none.
    if (find->of_threads) {
        status = look_for_threads(store, job, &looks[0]);
    } else if (may_be_open(find)) {
        status = look_through(store, job, SS_TABLE_OPEN, &looks[0]);
    }
    if (status == SS_OK && !find->of_threads && may_have_ended(find)) {
        status = look_through(store, job, SS_TABLE_RUNS, &looks[1]);
    }
    if (status == SS_OK) {
        page_make(job, looks);
    }
    look_fini(&looks[0]);
    look_fini(&looks[1]);
    return status;
}

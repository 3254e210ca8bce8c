// The record of a run stands among the open ones until it has ended: whoever
// asks for records of runs is told all of them, each once, as one list. Every
// store must be read so.
#include <check.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/store_impl.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"

static struct ss_store *store;

static void open_kind(int kind)
{
    world_begin();
    store = world_open(kind);
}

static void teardown(void)
{
    ss_store_close(&store);
    world_end();
}

static struct ss_store_put put_in(
    enum ss_store_table table, const char *key, const char *value)
{
    return (struct ss_store_put){.table = table,
        .key = key,
        .index = value ? "t" : NULL,
        .value = value,
        .value_size = value ? strlen(value) : 0};
}

static void put(enum ss_store_table table, const char *key, const char *value)
{
    struct ss_store_put one = put_in(table, key, value);
    ck_assert_int_eq(put_entry(store, &one), SS_OK);
}

// "a=1 b=2", what a job finds, and its status.
static int found(struct ss_job *job, const char *expected)
{
    struct ss_jobs_stats stats = {0};
    struct ss_job *jobs = job;
    struct ss_buf text;
    ss_buf_init(&text, 4096);
    job = ss_jobs_run_some(store, 0, &jobs, &stats);
    for (size_t i = 0; i < job->entries_count; i++)
        ss_buf_addf(&text, "%s%s=%.*s", i > 0 ? " " : "", job->entries[i].key,
            (int)job->entries[i].value_size, (char *)job->entries[i].value);
    ck_assert_str_eq(ss_buf_str(&text), expected);
    int status = job->status;
    ss_buf_fini(&text);
    ss_job_destroy(&job);
    return status;
}

static void list(
    const char *index, const char *after, size_t limit, const char *expected)
{
    struct ss_job *job = ss_job_new(SS_JOB_SCAN, 1);
    job->table = SS_TABLE_RUNS;
    job->index = ss_strdup(index);
    job->key = ss_strdup(after);
    job->limit = limit;
    ck_assert_int_eq(found(job, expected), SS_OK);
}

static int one(const char *key, const char *expected)
{
    struct ss_job *job = ss_job_new(SS_JOB_GET, 1);
    job->table = SS_TABLE_RUNS;
    job->key = ss_strdup(key);
    return found(job, expected);
}

START_TEST(open_runs_and_those_that_ended_are_one_list)
{
    open_kind(_i);
    list(NULL, NULL, 0, "");
    put(SS_TABLE_OPEN, "d", "4");
    put(SS_TABLE_OPEN, "b", "2");
    list(NULL, NULL, 0, "b=2 d=4");
    put(SS_TABLE_RUNS, "a", "1");
    put(SS_TABLE_RUNS, "c", "3");
    put(SS_TABLE_RUNS, "e", "5");
    list(NULL, NULL, 0, "a=1 b=2 c=3 d=4 e=5");
    list("t", NULL, 0, "a=1 b=2 c=3 d=4 e=5");
    list("u", NULL, 0, "");
}
END_TEST

START_TEST(a_page_of_runs_is_as_long_as_was_asked)
{
    open_kind(_i);
    put(SS_TABLE_RUNS, "a", "1");
    put(SS_TABLE_OPEN, "b", "2");
    put(SS_TABLE_OPEN, "c", "3");
    put(SS_TABLE_RUNS, "d", "4");
    list(NULL, NULL, 1, "a=1");
    list(NULL, NULL, 3, "a=1 b=2 c=3");
    list(NULL, "a", 2, "b=2 c=3");
    list("t", "b", 2, "c=3 d=4");
    list(NULL, "d", 2, "");
}
END_TEST

// An older program puts both; what it left in the other table may be older.
START_TEST(of_two_records_of_a_run_the_open_one_counts)
{
    open_kind(_i);
    put(SS_TABLE_RUNS, "a", "queued");
    put(SS_TABLE_OPEN, "a", "running");
    put(SS_TABLE_RUNS, "b", "done");
    list(NULL, NULL, 0, "a=running b=done");
    list(NULL, NULL, 2, "a=running b=done");
    ck_assert_int_eq(one("a", "a=running"), SS_OK);
    ck_assert_int_eq(one("b", "b=done"), SS_OK);
}
END_TEST

START_TEST(a_run_is_found_by_its_key_before_and_after_its_end)
{
    open_kind(_i);
    ck_assert_int_eq(one("a", ""), SS_ENOTFOUND);
    put(SS_TABLE_OPEN, "a", "running");
    ck_assert_int_eq(one("a", "a=running"), SS_OK);
    put(SS_TABLE_RUNS, "a", "done");
    put(SS_TABLE_OPEN, "a", NULL);
    ck_assert_int_eq(one("a", "a=done"), SS_OK);
    ck_assert_int_eq(one("b", ""), SS_ENOTFOUND);
}
END_TEST

// --- a run that ends behind the first look ----------------------------------

struct ending_store {
    struct ss_store base;
    struct ss_store *inner;
    bool has_ended;
};

static void end_run(struct ending_store *it)
{
    struct ss_store_put puts[] = {
        put_in(SS_TABLE_RUNS, "a", "done"), put_in(SS_TABLE_OPEN, "a", NULL)};
    struct ss_store_unit unit = {.puts = puts, .puts_count = 2};
    if (!it->has_ended)
        ck_assert_int_eq(apply_unit(it->inner, &unit), SS_OK);
    it->has_ended = true;
}

static int ending_scan(struct ss_store *base,
    const struct ss_entry_query *query, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    struct ending_store *it = (struct ending_store *)base;
    int status = ss_store_scan(it->inner, query->table, query->index,
        query->after, query->limit, entry, ctx, error);
    end_run(it);
    return status;
}

static int ending_get(struct ss_store *base, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    struct ending_store *it = (struct ending_store *)base;
    int status = ss_store_get(it->inner, table, key, entry, ctx, error);
    end_run(it);
    return status;
}

static void ending_close(struct ss_store *base)
{
    struct ending_store *it = (struct ending_store *)base;
    ss_store_close(&it->inner);
    ss_free(it);
}

// The run "a" is open, and ends behind the first look at any table.
static void open_ending(int kind)
{
    static const struct ss_store_ops ops = {
        .scan = ending_scan, .get = ending_get, .close = ending_close};
    open_kind(kind);
    put(SS_TABLE_OPEN, "a", "running");
    struct ending_store *it = ss_zalloc(1, sizeof(*it));
    it->base.ops = &ops;
    it->base.name = ss_strdup("ending");
    it->inner = store;
    store = &it->base;
}

START_TEST(a_run_that_ends_while_a_list_is_made_is_in_it)
{
    open_ending(_i);
    list(NULL, NULL, 0, "a=running");
    list(NULL, NULL, 0, "a=done");
}
END_TEST

START_TEST(a_run_that_ends_while_it_is_looked_for_is_found)
{
    open_ending(_i);
    ck_assert_int_eq(one("a", "a=running"), SS_OK);
    ck_assert_int_eq(one("a", "a=done"), SS_OK);
}
END_TEST

int main(void)
{
    int kinds = world_server_begin();
    Suite *s = suite_create("store_runs");
    TCase *t = tcase_create("every store");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, NULL, teardown);
    tcase_add_loop_test(
        t, open_runs_and_those_that_ended_are_one_list, 0, kinds);
    tcase_add_loop_test(t, a_page_of_runs_is_as_long_as_was_asked, 0, kinds);
    tcase_add_loop_test(
        t, of_two_records_of_a_run_the_open_one_counts, 0, kinds);
    tcase_add_loop_test(
        t, a_run_is_found_by_its_key_before_and_after_its_end, 0, kinds);
    tcase_add_loop_test(
        t, a_run_that_ends_while_a_list_is_made_is_in_it, 0, kinds);
    tcase_add_loop_test(
        t, a_run_that_ends_while_it_is_looked_for_is_found, 0, kinds);
    suite_add_tcase(s, t);
    int status = suite_main(s);
    world_server_end();
    return status;
}

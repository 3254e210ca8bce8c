// A file that a program of another version wrote: what it lacks is added, and
// what is newer is refused.
#include <check.h>
#include <string.h>

#include "common/base/mem.h"
#include "coordinator/store/job_run.h"
#include "tests/contract/sqlite_world.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"

// What a program knew that had no marks, or no times either.
#define NO_MARKS                                                               \
    "DROP INDEX runs_of_graph; DROP INDEX runs_unmarked; DROP TABLE"           \
    " runs_pairs; ALTER TABLE runs DROP COLUMN graph;"                         \
    " DROP INDEX threads_of_graph; DROP INDEX threads_unmarked; DROP TABLE"    \
    " threads_pairs; ALTER TABLE threads DROP COLUMN graph; "
#define NO_TIMES                                                               \
    NO_MARKS                                                                   \
    "DROP INDEX runs_newest; DROP INDEX runs_untold; DROP INDEX runs_stand;"   \
    " DROP INDEX threads_newest; DROP INDEX threads_untold;"                   \
    " DROP INDEX threads_stand; ALTER TABLE runs DROP COLUMN at_us;"           \
    " ALTER TABLE runs DROP COLUMN status;"                                    \
    " ALTER TABLE threads DROP COLUMN at_us;"                                  \
    " ALTER TABLE threads DROP COLUMN status;"

START_TEST(an_older_file_is_brought_up)
{
    const char *path = world_path("older.db");
    struct ss_store *it = NULL;
    ck_assert_int_eq(ss_store_open(path, &it, &world_error), SS_OK);
    ss_store_close(&it);
    run_sql(path,
        NO_TIMES "DROP TABLE open_runs; DROP TABLE pauses;"
                 " PRAGMA user_version = 1;"
                 " INSERT INTO runs VALUES"
                 " ('r1', 't', 0, CAST('{\"status\":\"failed\"}' AS BLOB)),"
                 " ('r2', 't', 0, CAST('{\"status\":\"running\"}' AS BLOB))");
    ck_assert_int_eq(ss_store_open(path, &it, &world_error), SS_OK);
    ck_assert_str_eq(
        all_entries(it, SS_TABLE_OPEN), "r2={\"status\":\"running\"}");
    ck_assert_str_eq(all_entries(it, SS_TABLE_RUNS),
        "r1={\"status\":\"failed\"} r2={\"status\":\"running\"}");
    ck_assert_str_eq(all_entries(it, SS_TABLE_PAUSES), "");
    ss_store_close(&it);
}
END_TEST

// The threads and runs of a page, the newest first. Takes `find`.
static void expect_found(struct ss_find find, const char *list)
{
    struct ss_job *job = ss_job_new(SS_JOB_FIND, 1);
    struct ss_jobs_stats stats = {0};
    struct ss_job *jobs = job;
    job->find = find;
    job = ss_jobs_run_some(store, 0, &jobs, &stats);
    ck_assert_msg(job->status == SS_OK, "%s", job->error.message);
    ck_assert(!job->lacks.times);
    char *found = ss_strdup("");
    for (size_t i = 0; i < job->entries_count; i++) {
        char *more = ss_format("%s %s", found, job->entries[i].key);
        ss_free(found);
        found = more;
    }
    ck_assert_str_eq(found, list);
    ss_free(found);
    ss_job_destroy(&job);
}

static void expect_newest(bool of_threads, const char *status, const char *list)
{
    expect_found((struct ss_find){.of_threads = of_threads,
                     .status = ss_strdup(status),
                     .until_us = INT64_MAX,
                     .limit = 10},
        list);
}

// Runs of that graph, or whose user is that (NULL: any).
static void expect_marked(const char *graph, const char *user, const char *list)
{
    expect_found((struct ss_find){.graph = ss_strdup(graph),
                     .metadata = user ? json_pack("{s:s}", "user", user) : NULL,
                     .until_us = INT64_MAX,
                     .limit = 10},
        list);
}

#define RECORD(key, index, json)                                               \
    "('" key "', " index ", 0, CAST('" json "' AS BLOB))"

#define OF(graph, user)                                                        \
    "{\"graph\":\"" graph "\",\"created_us\":6,\"status\":\"done\","           \
    "\"metadata\":{\"user\":\"" user "\"}}"

static void put_run(const char *key, const char *record)
{
    const struct ss_store_put one = {.table = SS_TABLE_RUNS,
        .key = key,
        .index = "t",
        .value = record,
        .value_size = strlen(record),
        .at_us = 6,
        .status = "done"};
    ck_assert_int_eq(put_entry(store, &one), SS_OK);
}

START_TEST(what_a_program_without_marks_wrote_is_found_by_graph_and_metadata)
{
    static const char puts[] =
        "INSERT OR REPLACE INTO runs (key, index_key, expires_us, value, at_us,"
        " status) VALUES ('r1', 't', 0, CAST('" OF(
            "g", "ann") "' AS BLOB), 6,"
                        " 'done'), ('r2', 't', 0, CAST('" OF(
                            "h", "bob") "' AS BLOB), 6,"
                                        " 'done')";
    const char *path = world_path("older.db");
    open_file(path);
    ss_store_close(&store);
    run_sql(path, NO_MARKS);
    run_sql(path, puts);
    open_file(path);
    expect_marked("g", NULL, " r1");
    expect_marked(NULL, "bob", " r2");
    put_run("r1", OF("h", "cyd"));
    put_run("r3", OF("h", "cyd"));
    expect_marked("g", NULL, "");
    expect_marked(NULL, "ann", "");
    expect_marked("h", "cyd", " r1 r3");
    ss_store_close(&store);
    // It comes back once, and puts two of them as they were.
    run_sql(path, puts);
    open_file(path);
    expect_marked("g", NULL, " r1");
    expect_marked(NULL, "cyd", " r3");
    expect_marked(NULL, "ann", " r1");
    const struct ss_store_put none = {.table = SS_TABLE_RUNS, .key = "r1"};
    ck_assert_int_eq(put_entry(store, &none), SS_OK);
    expect_marked(NULL, "ann", "");
}
END_TEST

START_TEST(what_a_program_without_times_wrote_is_found_by_time)
{
    const char *path = world_path("older.db");
    open_file(path);
    ss_store_close(&store);
    run_sql(path, NO_TIMES
        "ALTER TABLE open_runs DROP COLUMN at_us;"
        " ALTER TABLE open_runs DROP COLUMN status;"
        " INSERT INTO runs VALUES" RECORD("r1", "'t1'",
            "{\"status\":\"failed\",\"created_us\":5}") "," RECORD("r2", "'t2'",
            "{\"status\":\"done\",\"created_us\":7}") "," RECORD("r3", "'t2'",
            "no JSON") "; INSERT INTO threads VALUES" RECORD("t1", "NULL",
            "{\"created_us\":4}") "," RECORD("t2", "NULL",
            "{\"created_us\":5,\"updated_us\":8,\"status\":\"failed\"}"));
    open_file(path);
    ck_assert_int_eq(
        put_entry(
            store, &(struct ss_store_put){.table = SS_TABLE_RUNS, .key = "r3"}),
        SS_OK);
    expect_newest(false, NULL, " r2 r1");
    expect_newest(false, "failed", " r1");
    expect_newest(true, NULL, " t2 t1");
    // By its run, which says it where the record of the thread does not.
    expect_newest(true, "failed", " t1");
    ss_store_close(&store);
    // It comes back once, and leaves another record without a time.
    run_sql(path, "INSERT OR REPLACE INTO runs (key, index_key, expires_us,"
                  " value) VALUES" RECORD("r4", "'t3'",
                      "{\"status\":\"failed\",\"created_us\":6}"));
    open_file(path);
    expect_newest(false, NULL, " r2 r4 r1");
}
END_TEST

START_TEST(a_newer_format_is_refused)
{
    const char *path = world_path("newer.db");
    open_file(path);
    ss_store_close(&store);
    run_sql(path, "PRAGMA user_version = 8");
    refuse_to_open(path, SS_EVERSION,
        "store: %s was written by a newer"
        " version (format 8, this program knows 7). Use the newer program, or"
        " another file");
}
END_TEST

START_TEST(a_file_without_a_format_is_refused)
{
    const char *path = world_path("none.db");
    open_file(path);
    ss_store_close(&store);
    run_sql(path, "PRAGMA user_version = 0");
    refuse_to_open(path, SS_ECORRUPT, "store: %s: it has no format number");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_sqlite_older");
    TCase *t = tcase_create("older");
    tcase_add_checked_fixture(t, sqlite_set_up, sqlite_tear_down);
    tcase_add_test(t, an_older_file_is_brought_up);
    tcase_add_test(t, what_a_program_without_times_wrote_is_found_by_time);
    tcase_add_test(
        t, what_a_program_without_marks_wrote_is_found_by_graph_and_metadata);
    tcase_add_test(t, a_newer_format_is_refused);
    tcase_add_test(t, a_file_without_a_format_is_refused);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

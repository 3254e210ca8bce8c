// Threads that are read at once, most of them new: those that the store does
// not know are answered together, and nothing is read for them.
#include <stdio.h>
#include <stdlib.h>

#ifndef SS_HAVE_POSTGRES

int main(void)
{
    fprintf(stderr, "SKIPPED: built without libpq\n");
    return 77;
}

#else

#include <string.h>

#include "common/base/mem.h"
#include "coordinator/store/job_run.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_postgres.h"
#include "tests/contract/postgres_world.h"

// "rows" has rows, "record" a record and no rows.
static void fill(void)
{
    const struct ss_store_put record = {.table = SS_TABLE_THREADS,
        .key = "record",
        .value = "{}",
        .value_size = 2};
    open_store(&pg.store);
    ck_assert_int_eq(append_row(pg.store, "rows", 1, "one"), SS_OK);
    ck_assert_int_eq(append_row(pg.store, "rows", 2, "two"), SS_OK);
    ck_assert_int_eq(put_entry(pg.store, &record), SS_OK);
}

START_TEST(a_thread_is_known_by_a_row_or_by_its_record)
{
    const char *const threads[] = {"new", "rows", "", "record", "row"};
    bool known[5] = {true, false, true, false, true};
    fill();
    ck_assert_int_eq(
        ss_store_known(pg.store, threads, 5, known, &world_error), SS_OK);
    ck_assert(!known[0] && known[1] && !known[2] && known[3] && !known[4]);
    ck_assert_int_eq(
        ss_store_known(pg.store, threads, 0, known, &world_error), SS_OK);
}
END_TEST

static struct ss_job **add_read(
    struct ss_job **end, uint64_t tag, const char *thread)
{
    *end = ss_job_new(SS_JOB_READ, tag);
    (*end)->thread = ss_strdup(thread);
    (*end)->from = 1;
    (*end)->to = UINT64_MAX;
    return &(*end)->next;
}

// "2: 4: |1:2" for jobs 2 and 4, answered together, of no row, and then job 1
// of two rows. Borrowed until the next call.
static const char *run_all(struct ss_job *jobs)
{
    static char told[1024];
    size_t size = 0;
    struct ss_jobs_stats stats = {0};
    while (jobs) {
        struct ss_job *done = ss_jobs_run_some(pg.store, 0, &jobs, &stats);
        size += (size_t)snprintf(
            told + size, sizeof(told) - size, "%s", size ? "|" : "");
        while (done) {
            struct ss_job *next = done->next;
            ck_assert_msg(done->status == SS_OK, "%s", done->error.message);
            ck_assert_uint_eq(done->entries_count,
                (size_t)(strcmp(done->thread, "record") == 0));
            size += (size_t)snprintf(told + size, sizeof(told) - size,
                "%d:%zu ", (int)done->tag, done->rows_count);
            ss_job_destroy(&done);
            done = next;
        }
    }
    return told;
}

START_TEST(new_threads_among_others_are_answered_together)
{
    struct ss_job *jobs = NULL, **end = &jobs;
    fill();
    end = add_read(end, 1, "rows");
    end = add_read(end, 2, "new");
    end = add_read(end, 3, "record");
    add_read(end, 4, "newer");
    ck_assert_str_eq(run_all(jobs), "2:0 4:0 |1:2 |3:0 ");
}
END_TEST

START_TEST(more_new_threads_than_one_question_takes_are_all_answered)
{
    enum { COUNT = SS_STORE_LOOKED_MAX + 3 };
    struct ss_job *jobs = NULL, **end = &jobs;
    fill();
    for (int i = 0; i < COUNT; i++) {
        char *name = ss_format("new-%d", i);
        end = add_read(end, 1, name);
        ss_free(name);
    }
    const char *told = run_all(jobs);
    size_t first = strcspn(told, "|");
    ck_assert_uint_eq(first, (size_t)SS_STORE_LOOKED_MAX * strlen("1:0 "));
    ck_assert_str_eq(told + first, "|1:0 1:0 1:0 ");
}
END_TEST

START_TEST(threads_are_looked_for_again_where_the_connection_was_lost)
{
    struct ss_job *jobs = NULL, **end = &jobs;
    fill();
    end = add_read(end, 1, "new");
    end = add_read(end, 2, "rows");
    add_read(end, 3, "newer");
    cut_all_stores();
    ck_assert_str_eq(run_all(jobs), "1:0 3:0 |2:2 ");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_thread_is_known_by_a_row_or_by_its_record,
        new_threads_among_others_are_answered_together,
        more_new_threads_than_one_question_takes_are_all_answered,
        threads_are_looked_for_again_where_the_connection_was_lost,
    };
    return postgres_world_main(
        "store_known", tests, sizeof(tests) / sizeof(tests[0]));
}

#endif

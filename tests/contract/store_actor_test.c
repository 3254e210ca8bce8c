#include "coordinator/store/store_actor.h"

#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/base/mem.h"
#include "coordinator/store/limits.h"
#include "coordinator/store/store_impl.h"
#include "tests/contract/store_world.h"
#include "tests/suite.h"
#include "tests/support/store_faulty.h"

// --- a store that waits at a gate, and refuses what says "guilty" -----------

struct gate_store {
    struct ss_store base;
    struct ss_store *inner;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open;
    bool reached; // somebody waits, or went through
    int fails; // what the next commit ends with; SS_OK: as the inner one says
};

static struct gate_store *gate;

static bool guilty(const struct ss_store_batch *batch)
{
    for (size_t i = 0; i < batch->units_count; i++) {
        const struct ss_store_unit *unit = &batch->units[i];
        if (unit->thread && strcmp(unit->thread, "guilty") == 0) {
            return true;
        }
    }
    return false;
}

static int gate_apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    struct gate_store *it = (struct gate_store *)base;
    pthread_mutex_lock(&it->mutex);
    it->reached = true;
    pthread_cond_broadcast(&it->changed);
    while (!it->open) {
        pthread_cond_wait(&it->changed, &it->mutex);
    }
    int fails = it->fails;
    it->fails = SS_OK;
    pthread_mutex_unlock(&it->mutex);
    if (fails != SS_OK) {
        return ss_error_set(error, fails, "the gate fails");
    }
    if (guilty(batch)) {
        return ss_error_set(error, SS_ELIMIT, "store: guilty");
    }
    return ss_store_apply(it->inner, batch, error);
}

static int gate_read(struct ss_store *base, const char *thread,
    const uint64_t range[2], ss_store_row_fn *row, void *ctx,
    struct ss_error *error)
{
    struct gate_store *it = (struct gate_store *)base;
    return ss_store_read(
        it->inner, thread, range[0], range[1], row, ctx, error);
}

static int gate_scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    struct gate_store *it = (struct gate_store *)base;
    return ss_store_scan(it->inner, query->table, query->index, query->after,
        query->limit, entry, ctx, error);
}

static int gate_get(struct ss_store *base, enum ss_store_table table,
    const char *key, ss_store_entry_fn *entry, void *ctx,
    struct ss_error *error)
{
    struct gate_store *it = (struct gate_store *)base;
    return ss_store_get(it->inner, table, key, entry, ctx, error);
}

static void gate_close(struct ss_store *base)
{
    struct gate_store *it = (struct gate_store *)base;
    ss_store_close(&it->inner);
    pthread_mutex_destroy(&it->mutex);
    pthread_cond_destroy(&it->changed);
    ss_free(it);
}

static struct ss_store *gate_new(struct ss_store *inner)
{
    static const struct ss_store_ops ops = {
        .apply = gate_apply,
        .read = gate_read,
        .scan = gate_scan,
        .get = gate_get,
        .close = gate_close,
    };
    gate = ss_zalloc(1, sizeof(*gate));
    gate->base.ops = &ops;
    gate->base.name = ss_strdup("gate");
    gate->inner = inner;
    gate->open = true;
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->changed, NULL);
    return &gate->base;
}

static void gate_shut(void)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = false;
    gate->reached = false;
    pthread_mutex_unlock(&gate->mutex);
}

static void gate_fails_once(int status)
{
    pthread_mutex_lock(&gate->mutex);
    gate->fails = status;
    pthread_mutex_unlock(&gate->mutex);
}

static void gate_await(void)
{
    pthread_mutex_lock(&gate->mutex);
    while (!gate->reached) {
        pthread_cond_wait(&gate->changed, &gate->mutex);
    }
    pthread_mutex_unlock(&gate->mutex);
}

static void gate_open(void)
{
    pthread_mutex_lock(&gate->mutex);
    gate->open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->mutex);
}

// --- the actor under test ---------------------------------------------------

static struct ss_store_actor *actor;

static void setup(void)
{
    world_begin();
    struct ss_store *store = gate_new(world_open(1));
    ck_assert_int_eq(ss_store_actor_start(store, &actor, &world_error), SS_OK);
}

static void teardown(void)
{
    ss_store_actor_stop(&actor);
    world_end();
}

static void submit_row(
    uint64_t tag, const char *thread, uint64_t seq, const char *body)
{
    struct ss_store_row row = row_of(thread, seq, body);
    struct ss_store_unit unit = {
        .thread = thread, .rows = &row, .rows_count = 1};
    ss_store_actor_submit(actor, ss_job_apply(tag, &unit));
}

static void submit_read(uint64_t tag, const char *thread)
{
    struct ss_job *job = ss_job_new(SS_JOB_READ, tag);
    job->thread = ss_strdup(thread);
    job->to = UINT64_MAX;
    ss_store_actor_submit(actor, job);
}

static bool readable(void)
{
    struct pollfd fd = {.fd = ss_store_actor_fd(actor), .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

// Without a thread it is there.
static struct ss_job *await(void)
{
    struct pollfd fd = {.fd = ss_store_actor_fd(actor), .events = POLLIN};
    if (fd.fd >= 0)
        ck_assert_int_eq(poll(&fd, 1, 60000), 1);
    struct ss_job *job = ss_store_actor_take(actor);
    ck_assert_ptr_nonnull(job);
    return job;
}

static void expect(uint64_t tag, int status)
{
    struct ss_job *job = await();
    ck_assert_uint_eq(job->tag, tag);
    ck_assert_msg(job->status == status, "job %llu: %s",
        (unsigned long long)tag, job->error.message);
    ss_job_destroy(&job);
}

START_TEST(an_answer_makes_the_descriptor_readable)
{
    ck_assert_ptr_null(ss_store_actor_take(actor));
    ck_assert(!readable());
    submit_row(7, "t", 1, "one");
    submit_row(8, "t", 2, "two");
    expect(7, SS_OK);
    expect(8, SS_OK);
    ck_assert(!readable());
    ck_assert_ptr_null(ss_store_actor_take(actor));
}
END_TEST

START_TEST(a_job_owns_what_it_was_given)
{
    char thread[] = "t";
    char body[] = "one";
    char key[] = "k";
    char value[] = "v";
    struct ss_store_row row = row_of(thread, 1, body);
    struct ss_store_put put = {.table = SS_TABLE_RUNS,
        .key = key,
        .index = thread,
        .value = value,
        .value_size = 1,
        .expires_us = 5};
    struct ss_store_unit unit = {.thread = thread,
        .rows = &row,
        .rows_count = 1,
        .puts = &put,
        .puts_count = 1};
    struct ss_job *job = ss_job_apply(1, &unit);
    memset(thread, '-', 1);
    memset(body, '-', 3);
    memset(key, '-', 1);
    memset(value, '-', 1);
    ss_store_actor_submit(actor, job);
    expect(1, SS_OK);
    submit_read(2, "t");
    job = await();
    ck_assert_uint_eq(job->rows_count, 1);
    ck_assert_mem_eq(job->rows[0].row.body, "one", 3);
    ck_assert_str_eq(job->rows[0].row.thread, "t");
    ss_job_destroy(&job);
    job = ss_job_new(SS_JOB_GET, 3);
    job->table = SS_TABLE_RUNS;
    job->key = ss_strdup("k");
    ss_store_actor_submit(actor, job);
    job = await();
    ck_assert_int_eq(job->status, SS_OK);
    ck_assert_uint_eq(job->entries_count, 1);
    ck_assert_str_eq(job->entries[0].key, "k");
    ck_assert_str_eq(job->entries[0].index, "t");
    ck_assert_mem_eq(job->entries[0].value, "v", 1);
    ck_assert_int_eq(job->entries[0].expires_us, 5);
    ss_job_destroy(&job);
}
END_TEST

START_TEST(what_queued_up_becomes_one_commit)
{
    enum { JOBS = 100 };
    gate_shut();
    submit_row(0, "t", 1, "x");
    gate_await();
    for (uint64_t i = 1; i < JOBS; i++) {
        submit_row(i, "t", i + 1, "x");
    }
    ck_assert_uint_eq(ss_store_actor_stats(actor).queued, JOBS);
    gate_open();
    for (uint64_t i = 0; i < JOBS; i++) {
        expect(i, SS_OK);
    }
    struct ss_store_actor_stats stats = ss_store_actor_stats(actor);
    ck_assert_uint_eq(stats.queued, 0);
    ck_assert_uint_eq(stats.commits, 2);
    ck_assert_uint_eq(stats.units, JOBS);
    ck_assert_uint_eq(stats.units_max, JOBS - 1);
}
END_TEST

START_TEST(one_commit_is_not_larger_than_its_limit)
{
    enum { JOBS = 2 * SS_STORE_BATCH_MAX + 10 };
    gate_shut();
    submit_row(0, "t", 1, "x");
    gate_await();
    for (uint64_t i = 1; i < JOBS; i++) {
        submit_row(i, "t", i + 1, "x");
    }
    gate_open();
    for (uint64_t i = 0; i < JOBS; i++) {
        expect(i, SS_OK);
    }
    ck_assert_uint_eq(
        ss_store_actor_stats(actor).units_max, SS_STORE_BATCH_MAX);
}
END_TEST

START_TEST(the_guilty_unit_stands_alone)
{
    gate_shut();
    submit_row(0, "t", 1, "x");
    gate_await();
    for (uint64_t i = 1; i <= 20; i++) {
        if (i == 13) {
            submit_row(i, "guilty", 1, "x");
        } else {
            char thread[16];
            snprintf(thread, sizeof(thread), "t%d", (int)i);
            submit_row(i, thread, 1, "x");
        }
    }
    gate_open();
    for (uint64_t i = 0; i <= 20; i++) {
        expect(i, i == 13 ? SS_ELIMIT : SS_OK);
    }
}
END_TEST

START_TEST(a_refused_unit_says_so_and_harms_nobody)
{
    submit_row(1, "t", 2, "gap");
    struct ss_job *job = await();
    ck_assert_int_eq(job->status, SS_EREFUSED);
    ck_assert_int_eq(job->unit.result, SS_EREFUSED);
    ck_assert_str_eq(job->error.message,
        "store: thread t: other content"
        " stands there, or what should stand there does not");
    ss_job_destroy(&job);
    submit_row(2, "t", 1, "one");
    expect(2, SS_OK);
}
END_TEST

START_TEST(reads_see_what_was_submitted_before_them_and_no_more)
{
    gate_shut();
    submit_row(0, "other", 1, "x");
    gate_await();
    submit_row(1, "t", 1, "one");
    submit_read(2, "t");
    submit_row(3, "t", 2, "two");
    submit_row(4, "u", 1, "one");
    submit_read(5, "t");
    gate_open();
    size_t rows[6] = {0};
    uint64_t order[6] = {0};
    for (int i = 0; i < 6; i++) {
        struct ss_job *job = await();
        ck_assert_int_eq(job->status, SS_OK);
        rows[job->tag] = job->rows_count;
        order[i] = job->tag;
        ss_job_destroy(&job);
    }
    ck_assert_uint_eq(rows[2], 1);
    ck_assert_uint_eq(rows[5], 2);
    // Those of thread t, in their order.
    uint64_t expected = 1;
    for (int i = 0; i < 6; i++) {
        if (order[i] != 0 && order[i] != 4) {
            ck_assert_uint_eq(order[i], expected);
            expected += expected == 3 ? 2 : 1;
        }
    }
}
END_TEST

START_TEST(commits_overtake_reads_of_other_threads)
{
    gate_shut();
    submit_row(0, "t", 1, "x");
    gate_await();
    submit_read(1, "a");
    submit_row(2, "t", 2, "x");
    submit_read(3, "b");
    submit_row(4, "u", 1, "x");
    gate_open();
    expect(0, SS_OK);
    expect(2, SS_OK);
    expect(4, SS_OK);
    expect(1, SS_OK);
    expect(3, SS_OK);
    ck_assert_uint_eq(ss_store_actor_stats(actor).commits, 2);
}
END_TEST

START_TEST(scans_see_all_that_was_put_before_them)
{
    gate_shut();
    submit_row(0, "t", 1, "x");
    gate_await();
    for (uint64_t i = 1; i <= 4; i += 2) {
        struct ss_store_put put = {.table = SS_TABLE_CACHE,
            .key = i == 1 ? "a" : "b",
            .value = "v",
            .value_size = 1};
        struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
        ss_store_actor_submit(actor, ss_job_apply(i, &unit));
        struct ss_job *scan = ss_job_new(SS_JOB_SCAN, i + 1);
        scan->table = SS_TABLE_CACHE;
        ss_store_actor_submit(actor, scan);
    }
    gate_open();
    expect(0, SS_OK);
    expect(1, SS_OK);
    struct ss_job *job = await();
    ck_assert_uint_eq(job->entries_count, 1);
    ss_job_destroy(&job);
    expect(3, SS_OK);
    job = await();
    ck_assert_uint_eq(job->entries_count, 2);
    ss_job_destroy(&job);
}
END_TEST

START_TEST(stopping_finishes_what_is_queued)
{
    gate_shut();
    submit_row(0, "t", 1, "one");
    gate_await();
    submit_row(1, "t", 2, "two");
    gate_open();
    ss_store_actor_stop(&actor);
    ck_assert_ptr_null(actor);
    struct ss_store *store = world_open(1);
    ck_assert_str_eq(all_rows(store, "t"), "1:one 2:two");
    ss_store_close(&store);
}
END_TEST

// --- a store that does not answer -------------------------------------------

static bool gate_waits(struct ss_store_wait *ret_wait)
{
    return ss_store_actor_waits(actor, 0, ret_wait);
}

START_TEST(what_it_waits_for_is_told)
{
    struct ss_store_wait wait;
    ck_assert(!gate_waits(&wait));
    gate_shut();
    submit_row(0, "t", 1, "one");
    gate_await();
    ck_assert(gate_waits(&wait));
    ck_assert_str_eq(wait.what, "to write thread t");
    ck_assert_str_eq(wait.why, "");
    ck_assert_int_gt(wait.since_ms, 0);
    gate_open();
    expect(0, SS_OK);
    ck_assert(!gate_waits(&wait));
}
END_TEST

START_TEST(the_times_of_its_last_writes_are_told)
{
    enum { SLOW_MS = 20 };
    int64_t ms[SS_STORE_PACE];
    for (uint64_t i = 0; i < SS_STORE_PACE + 1; i++) {
        ck_assert(!ss_store_actor_pace(actor, 0, ms) || i == SS_STORE_PACE);
        gate_shut();
        submit_row(i, "t", i + 1, "row");
        gate_await();
        if (i > 0) { // the first one is forgotten
            poll(NULL, 0, SLOW_MS);
        }
        gate_open();
        expect(i, SS_OK);
    }
    ck_assert(ss_store_actor_pace(actor, 0, ms));
    for (size_t i = 0; i < SS_STORE_PACE; i++) {
        ck_assert_int_ge(ms[i], SLOW_MS);
    }
    ck_assert(!ss_store_actor_pace(actor, INT64_MAX, ms));
}
END_TEST

START_TEST(a_store_that_goes_on_trying_says_why)
{
    struct ss_store_wait wait;
    gate_shut();
    submit_row(0, "t", 1, "one");
    gate_await();
    ss_store_trouble(&gate->base, "the server is away");
    ck_assert(gate_waits(&wait));
    ck_assert_str_eq(wait.why, "the server is away");
    int64_t since_ms = wait.since_ms;
    gate_open();
    expect(0, SS_OK);
    ck_assert_msg(!gate_waits(&wait), "since %lld", (long long)since_ms);
}
END_TEST

START_TEST(what_failed_is_waited_for_until_something_is_answered)
{
    struct ss_store_wait wait;
    gate_fails_once(SS_EIO);
    submit_row(0, "t", 1, "one");
    expect(0, SS_EIO);
    ck_assert(gate_waits(&wait));
    ck_assert_str_eq(wait.why, "the gate fails");
    submit_read(1, "t");
    expect(1, SS_OK);
    ck_assert(!gate_waits(&wait));
}
END_TEST

START_TEST(one_that_waits_is_not_waited_for_longer_than_that)
{
    gate_shut();
    submit_row(0, "t", 1, "one");
    gate_await();
    ck_assert(!ss_store_actor_finish_until(actor, 0));
    gate_open();
    ck_assert(ss_store_actor_finish_until(actor, ss_clock_ms() + 60000));
    expect(0, SS_OK);
    ck_assert(ss_store_actor_finish_until(actor, 0));
}
END_TEST

// --- without a thread -------------------------------------------------------

static void inline_over(struct ss_store *store)
{
    ss_store_actor_stop(&actor);
    ss_store_actor_start_inline(store, &actor);
}

START_TEST(inline_jobs_are_done_when_they_are_submitted)
{
    inline_over(world_open(0));
    submit_row(1, "t", 1, "one");
    submit_read(2, "t");
    expect(1, SS_OK);
    struct ss_job *job = ss_store_actor_take(actor);
    ck_assert_uint_eq(job->rows_count, 1);
    ss_job_destroy(&job);
    ck_assert_ptr_null(ss_store_actor_take(actor));
    ck_assert_int_eq(ss_store_actor_fd(actor), -1); // nobody waits
    ck_assert_uint_eq(ss_store_actor_stats(actor).commits, 1);
}
END_TEST

START_TEST(a_commit_in_doubt_is_made_again)
{
    struct ss_faulty_plan plan = {
        .fail_at = 1, .fail_after = true, .fail_status = SS_EAGAIN};
    inline_over(ss_store_faulty_new(world_open(0), &plan));
    submit_row(1, "t", 1, "one");
    expect(1, SS_OK);
    submit_row(2, "t", 2, "two");
    expect(2, SS_OK);
}
END_TEST

START_TEST(doubt_that_stays_is_told)
{
    struct ss_faulty_plan plan = {.fail_at = 1,
        .fail_count = SS_STORE_TRIES_MAX,
        .fail_status = SS_EAGAIN};
    inline_over(ss_store_faulty_new(world_open(0), &plan));
    submit_row(1, "t", 1, "one");
    expect(1, SS_EAGAIN);
    submit_row(2, "t", 1, "one");
    expect(2, SS_OK);
}
END_TEST

START_TEST(an_error_of_the_whole_is_every_units)
{
    struct ss_faulty_plan plan = {.fail_at = 1, .fail_status = SS_EIO};
    inline_over(ss_store_faulty_new(world_open(0), &plan));
    submit_row(1, "t", 1, "one");
    struct ss_job *job = await();
    ck_assert_int_eq(job->status, SS_EIO);
    ck_assert_int_eq(job->unit.result, SS_EIO);
    ck_assert_str_eq(
        job->error.message, "store: apply 1 fails by plan (before)");
    ss_job_destroy(&job);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("store_actor");
    TCase *t = tcase_create("actor");
    tcase_set_timeout(t, 600);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, an_answer_makes_the_descriptor_readable);
    tcase_add_test(t, a_job_owns_what_it_was_given);
    tcase_add_test(t, what_queued_up_becomes_one_commit);
    tcase_add_test(t, one_commit_is_not_larger_than_its_limit);
    tcase_add_test(t, the_guilty_unit_stands_alone);
    tcase_add_test(t, a_refused_unit_says_so_and_harms_nobody);
    tcase_add_test(t, reads_see_what_was_submitted_before_them_and_no_more);
    tcase_add_test(t, commits_overtake_reads_of_other_threads);
    tcase_add_test(t, scans_see_all_that_was_put_before_them);
    tcase_add_test(t, stopping_finishes_what_is_queued);
    tcase_add_test(t, what_it_waits_for_is_told);
    tcase_add_test(t, the_times_of_its_last_writes_are_told);
    tcase_add_test(t, a_store_that_goes_on_trying_says_why);
    tcase_add_test(t, what_failed_is_waited_for_until_something_is_answered);
    tcase_add_test(t, one_that_waits_is_not_waited_for_longer_than_that);
    tcase_add_test(t, inline_jobs_are_done_when_they_are_submitted);
    tcase_add_test(t, a_commit_in_doubt_is_made_again);
    tcase_add_test(t, doubt_that_stays_is_told);
    tcase_add_test(t, an_error_of_the_whole_is_every_units);
    suite_add_tcase(s, t);
    return s;
}

int main(void)
{
    return suite_main(suite());
}

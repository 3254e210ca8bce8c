// Several actors as one: who does what, and what waits for what. The stores are
// made up: each has a gate, and tells what it did, in order.
#include "coordinator/store/store_actors.h"

#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/app/clock.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "coordinator/store/store_impl.h"
#include "tests/contract/store_world.h"

enum { COUNT = 3 };

// --- the stores -------------------------------------------------------------

struct told_store {
    struct ss_store base;
    int index;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_shut[COUNT];
static int answers[COUNT]; // to parts and units, of each store
static struct ss_buf told;

static void tell(const struct ss_store *base, const char *what, const char *who)
{
    ss_buf_addf(&told, " %d:%s%s%s", ((const struct told_store *)base)->index,
        what, *who ? "-" : "", who);
}

static int pass(struct ss_store *base, const char *what, const char *who)
{
    int index = ((struct told_store *)base)->index;
    pthread_mutex_lock(&mutex);
    while (is_shut[index]) {
        pthread_cond_wait(&changed, &mutex);
    }
    tell(base, what, who);
    int status = answers[index];
    pthread_mutex_unlock(&mutex);
    return status;
}

static int told_apply(
    struct ss_store *base, struct ss_store_batch *batch, struct ss_error *error)
{
    (void)error;
    for (size_t i = 0; i < batch->units_count; i++) {
        struct ss_store_unit *unit = &batch->units[i];
        char what[32] = "put";
        if (unit->rows_count > 0) {
            snprintf(what, sizeof(what), "%u", (unsigned)unit->rows[0].seq);
        }
        unit->result =
            pass(base, what, unit->thread ? unit->thread : unit->puts[0].key);
    }
    return SS_OK;
}

static int told_scan(struct ss_store *base, const struct ss_entry_query *query,
    ss_store_entry_fn *entry, void *ctx, struct ss_error *error)
{
    (void)query;
    (void)entry;
    (void)ctx;
    (void)error;
    return pass(base, "scan", "");
}

static int told_hand(struct ss_store *base, const struct ss_member *self,
    const struct ss_shards *shards, const char *to, struct ss_error *error)
{
    char count[32];
    (void)self;
    snprintf(count, sizeof(count), "%zu", ss_shards_count(shards));
    int status = pass(base, "hand", count);
    return status == SS_OK ? SS_OK : ss_error_set(error, status, "to %s", to);
}

static int told_end(
    struct ss_store *base, const struct ss_member *self, struct ss_error *error)
{
    (void)self;
    (void)error;
    return pass(base, "end", "");
}

static void told_close(struct ss_store *base)
{
    ss_free(base);
}

static struct ss_store *told_new(int index)
{
    static const struct ss_store_cluster_ops cluster = {
        .hand = told_hand, .end = told_end};
    static const struct ss_store_ops ops = {.apply = told_apply,
        .scan = told_scan,
        .cluster = &cluster,
        .close = told_close};
    struct told_store *it = ss_zalloc(1, sizeof(*it));
    it->base.ops = &ops;
    it->base.name = ss_strdup("told");
    it->index = index;
    return &it->base;
}

static void shut(size_t index, bool how)
{
    pthread_mutex_lock(&mutex);
    is_shut[index] = how;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

// What was done so far. Borrowed until the next call.
static const char *deeds(void)
{
    static char text[4096];
    pthread_mutex_lock(&mutex);
    snprintf(text, sizeof(text), "%s", ss_buf_str(&told));
    pthread_mutex_unlock(&mutex);
    return text;
}

// --- the actors -------------------------------------------------------------

static struct ss_store_actors *actors;

static void setup(void)
{
    struct ss_store *stores[COUNT];
    ss_buf_init(&told, 64 * 1024);
    ss_buf_add_str(&told, "");
    for (int i = 0; i < COUNT; i++) {
        stores[i] = told_new(i);
        is_shut[i] = false;
        answers[i] = SS_OK;
    }
    ck_assert_int_eq(
        ss_store_actors_start(stores, COUNT, &actors, &world_error), SS_OK);
}

static void teardown(void)
{
    ss_store_actors_stop(&actors);
    ss_buf_fini(&told);
}

// The `number`th name of a thread that is actor `index`'s. Borrowed until the
// next call but three.
static const char *thread_of(size_t index, int number)
{
    static char names[4][16];
    static unsigned next;
    char *name = names[next++ % 4];
    for (int i = 0;; i++) {
        snprintf(name, sizeof(names[0]), "t%d", i);
        if (ss_shard_of(name) % COUNT == index && number-- == 0) {
            return name;
        }
    }
}

static void submit_row(uint64_t tag, const char *thread, uint64_t seq)
{
    struct ss_store_row row = row_of(thread, seq, "x");
    struct ss_store_unit unit = {
        .thread = thread, .rows = &row, .rows_count = 1};
    ss_store_actors_submit(actors, ss_job_apply(tag, &unit));
}

static void submit_put(
    uint64_t tag, enum ss_store_table table, const char *key, const char *index)
{
    struct ss_store_put put = {.table = table,
        .key = key,
        .index = index,
        .value = "v",
        .value_size = 1};
    struct ss_store_unit unit = {.puts = &put, .puts_count = 1};
    ss_store_actors_submit(actors, ss_job_apply(tag, &unit));
}

static void submit(uint64_t tag, enum ss_job_type type)
{
    struct ss_job *job = ss_job_new(type, tag);
    job->table = SS_TABLE_RUNS;
    snprintf(job->member.name, sizeof(job->member.name), "me");
    for (uint16_t i = 0; type == SS_JOB_HAND && i < SS_SHARDS; i++) {
        ss_shards_add(&job->shards, i);
    }
    ss_store_actors_submit(actors, job);
}

static struct ss_job *await(void)
{
    int fds[SS_STORE_ACTORS_MAX];
    struct ss_job *job;
    size_t count = ss_store_actors_fds(actors, fds);
    ck_assert_uint_eq(count, COUNT);
    while (!(job = ss_store_actors_take(actors))) {
        struct pollfd polled[SS_STORE_ACTORS_MAX];
        for (size_t i = 0; i < count; i++) {
            polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
        }
        ck_assert_int_ge(poll(polled, (nfds_t)count, 60000), 1);
    }
    return job;
}

static void expect(uint64_t tag, int status)
{
    struct ss_job *job = await();
    ck_assert_uint_eq(job->tag, tag);
    ck_assert_int_eq(job->status, status);
    ss_job_destroy(&job);
}

// --- who does what ----------------------------------------------------------

START_TEST(a_threads_units_go_to_one_actor_in_order)
{
    enum { THREADS = 30, ROWS = 5 };
    for (uint64_t seq = 1; seq <= ROWS; seq++) {
        for (int i = 0; i < THREADS; i++) {
            submit_row(seq, thread_of((size_t)i % COUNT, i / COUNT), seq);
        }
    }
    for (int i = 0; i < THREADS * ROWS; i++) {
        struct ss_job *job = await();
        ck_assert_int_eq(job->status, SS_OK);
        ss_job_destroy(&job);
    }
    for (int i = 0; i < THREADS; i++) {
        const char *at = deeds();
        for (int seq = 1; seq <= ROWS; seq++) {
            char deed[40];
            snprintf(deed, sizeof(deed), " %d:%d-%s", i % COUNT, seq,
                thread_of((size_t)i % COUNT, i / COUNT));
            at = strstr(at, deed);
            ck_assert_msg(at != NULL, "%s is not in its place", deed);
        }
    }
    ck_assert_uint_eq(ss_store_actors_stats(actors).units, THREADS * ROWS);
    ck_assert_uint_eq(ss_store_actors_stats(actors).queued, 0);
}
END_TEST

START_TEST(a_commit_does_not_wait_for_anothers)
{
    shut(0, true);
    submit_row(1, thread_of(0, 0), 1);
    submit_row(2, thread_of(1, 0), 1);
    expect(2, SS_OK);
    shut(0, false);
    expect(1, SS_OK);
}
END_TEST

START_TEST(records_of_a_thread_go_where_its_rows_go)
{
    submit_put(1, SS_TABLE_RUNS, "run", thread_of(1, 0));
    expect(1, SS_OK);
    submit_put(2, SS_TABLE_THREADS, thread_of(2, 0), NULL);
    expect(2, SS_OK);
    char *text = ss_format(" 1:put-run 2:put-%s", thread_of(2, 0));
    ck_assert_str_eq(deeds(), text);
    ss_free(text);
}
END_TEST

START_TEST(what_is_of_no_thread_is_durable_before_whatever_follows_anywhere)
{
    for (size_t i = 0; i < COUNT; i++) {
        shut(i, true);
    }
    submit_put(1, SS_TABLE_GRAPHS, "g", NULL);
    for (size_t i = 0; i < COUNT; i++) {
        submit_row(2 + i, thread_of(i, 0), 1);
    }
    // One after the other: its last part is the graph's answer.
    for (size_t i = 0; i < COUNT; i++) {
        shut(i, false);
        if (i + 1 == COUNT) {
            expect(1, SS_OK);
        }
        expect(2 + i, SS_OK);
        char *graph = ss_format(" %zu:put-g", i);
        char *row = ss_format(" %zu:1-%s", i, thread_of(i, 0));
        ck_assert(strstr(deeds(), graph) < strstr(deeds(), row));
        ss_free(graph);
        ss_free(row);
    }
}
END_TEST

START_TEST(a_part_that_is_refused_refuses_the_whole)
{
    answers[1] = SS_EREFUSED;
    submit_put(1, SS_TABLE_GRAPHS, "g", NULL);
    expect(1, SS_EREFUSED);
    answers[2] = SS_EFENCED;
    submit_put(2, SS_TABLE_GRAPHS, "g", NULL);
    expect(2, SS_EFENCED);
}
END_TEST

// --- what waits -------------------------------------------------------------

START_TEST(who_looks_at_all_threads_sees_what_was_submitted_before)
{
    shut(1, true);
    submit_row(1, thread_of(1, 0), 1);
    submit(2, SS_JOB_SCAN);
    submit(3, SS_JOB_SCAN);
    submit_row(4, thread_of(0, 0), 1); // what follows is not held up
    expect(4, SS_OK);
    ck_assert_ptr_null(ss_store_actors_take(actors));
    ck_assert_ptr_null(strstr(deeds(), "scan"));
    shut(1, false);
    expect(1, SS_OK);
    expect(2, SS_OK);
    expect(3, SS_OK);
}
END_TEST

START_TEST(a_lease_ends_behind_all_units)
{
    shut(2, true);
    submit_row(1, thread_of(2, 0), 1);
    submit(2, SS_JOB_END);
    submit_row(3, thread_of(0, 0), 1); // whoever ends leases is not busy
    expect(3, SS_OK);
    ck_assert_ptr_null(ss_store_actors_take(actors));
    ck_assert_ptr_null(strstr(deeds(), "end"));
    shut(2, false);
    expect(1, SS_OK);
    expect(2, SS_OK);
    ck_assert_str_eq(strstr(deeds(), " 0:end"), " 0:end");
}
END_TEST

START_TEST(shards_are_handed_over_by_whoever_appends_behind_its_appends)
{
    shut(1, true);
    submit_row(1, thread_of(1, 0), 1);
    submit(2, SS_JOB_HAND);
    shut(1, false);
    expect(1, SS_OK);
    expect(2, SS_OK);
    char *row = ss_format(" 1:1-%s", thread_of(1, 0));
    const char *handed = strstr(deeds(), " 1:hand-341");
    ck_assert_ptr_nonnull(handed);
    ck_assert(strstr(deeds(), row) < handed);
    ck_assert_ptr_nonnull(strstr(deeds(), " 0:hand-342"));
    ck_assert_ptr_nonnull(strstr(deeds(), " 2:hand-341"));
    ss_free(row);
}
END_TEST

START_TEST(a_hand_over_that_was_fenced_says_so)
{
    answers[0] = SS_EAGAIN;
    answers[2] = SS_EFENCED;
    submit(1, SS_JOB_HAND);
    expect(1, SS_EFENCED);
}
END_TEST

// Nobody asks this part of the store again: others are the proof that it is
// back.
START_TEST(what_failed_is_not_waited_for_when_the_store_answers_others)
{
    struct ss_store_wait wait;
    answers[0] = SS_EIO;
    submit(1, SS_JOB_END);
    expect(1, SS_EIO);
    ck_assert(ss_store_actors_wait(actors, 0, &wait));
    ck_assert_int_gt(wait.failed_ms, 0);
    ck_assert(ss_store_actors_wait(actors, wait.failed_ms, &wait));
    ck_assert(!ss_store_actors_wait(actors, wait.failed_ms + 1, &wait));
    shut(0, true);
    submit(2, SS_JOB_END); // it is asked again
    ck_assert(ss_store_actors_wait(actors, 0, &wait));
    shut(0, false);
    expect(2, SS_EIO);
}
END_TEST

// Else the log would say that the store answers again, and behind it that it
// has not answered since it went away.
START_TEST(what_is_asked_when_the_store_is_back_waits_since_it_was_asked)
{
    struct ss_store_wait wait;
    answers[0] = SS_EIO;
    submit(1, SS_JOB_END);
    expect(1, SS_EIO);
    ck_assert(ss_store_actors_wait(actors, 0, &wait));
    int64_t failed_ms = wait.failed_ms;
    while (ss_clock_ms() <= failed_ms) {
    }
    shut(0, true);
    submit(2, SS_JOB_END);
    while (!ss_store_actors_wait(actors, failed_ms + 1, &wait)) {
    }
    ck_assert_int_gt(wait.since_ms, failed_ms);
    ck_assert_str_eq(wait.why, "");
    shut(0, false);
    expect(2, SS_EIO);
}
END_TEST

START_TEST(what_was_handed_to_them_is_finished_when_they_stop)
{
    for (uint64_t i = 0; i < COUNT; i++) {
        submit_row(1, thread_of(i, 0), 1);
    }
    submit_put(2, SS_TABLE_GRAPHS, "g", NULL);
    submit(3, SS_JOB_SCAN); // nobody will hear its answer
    ss_store_actors_stop(&actors);
    for (size_t i = 0; i < COUNT; i++) {
        char *row = ss_format(" %zu:1-%s", i, thread_of(i, 0));
        ck_assert_ptr_nonnull(strstr(deeds(), row));
        ss_free(row);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("store_actors");
    TCase *c = tcase_create("several");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, a_threads_units_go_to_one_actor_in_order);
    tcase_add_test(c, a_commit_does_not_wait_for_anothers);
    tcase_add_test(c, records_of_a_thread_go_where_its_rows_go);
    tcase_add_test(
        c, what_is_of_no_thread_is_durable_before_whatever_follows_anywhere);
    tcase_add_test(c, a_part_that_is_refused_refuses_the_whole);
    tcase_add_test(c, who_looks_at_all_threads_sees_what_was_submitted_before);
    tcase_add_test(c, a_lease_ends_behind_all_units);
    tcase_add_test(
        c, shards_are_handed_over_by_whoever_appends_behind_its_appends);
    tcase_add_test(c, a_hand_over_that_was_fenced_says_so);
    tcase_add_test(
        c, what_failed_is_not_waited_for_when_the_store_answers_others);
    tcase_add_test(
        c, what_is_asked_when_the_store_is_back_waits_since_it_was_asked);
    tcase_add_test(c, what_was_handed_to_them_is_finished_when_they_stop);
    suite_add_tcase(s, c);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

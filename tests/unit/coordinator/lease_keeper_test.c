// The lease while the loop is at work. The test is the loop: it takes what the
// actor of leases has done, and may be late.
#include "coordinator/lease_keeper.h"

#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "common/app/clock.h"
#include "coordinator/store/store.h"
#include "coordinator/store/store_impl.h"
#include "tests/suite.h"

enum { LEASE_MS = 200, TURN_MS_MAX = 60000, A_WHILE_MS = 150 };

// What the linker puts in place of pthread_create() (tests.cmake).
static bool has_no_thread;

int really_create(pthread_t *ret_thread, const pthread_attr_t *how,
    void *(*work)(void *), void *ctx) __asm__("__real_pthread_create");
int create_or_not(pthread_t *ret_thread, const pthread_attr_t *how,
    void *(*work)(void *), void *ctx) __asm__("__wrap_pthread_create");

int create_or_not(pthread_t *ret_thread, const pthread_attr_t *how,
    void *(*work)(void *), void *ctx)
{
    return has_no_thread ? EAGAIN : really_create(ret_thread, how, work, ctx);
}

static struct ss_store_actor *leases;
static struct ss_lease_keeper *keeper;
static struct ss_error failure;

// A store that renews leases, or does not answer until it may.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static bool is_away, was_asked;

static int renew(struct ss_store *store, const struct ss_member *self,
    int64_t lease_ms, struct ss_error *error)
{
    (void)store;
    (void)self;
    (void)lease_ms;
    (void)error;
    pthread_mutex_lock(&lock);
    was_asked = true;
    pthread_cond_broadcast(&moved);
    while (is_away)
        pthread_cond_wait(&moved, &lock);
    pthread_mutex_unlock(&lock);
    return SS_OK;
}

static void set_away(bool is_so)
{
    pthread_mutex_lock(&lock);
    is_away = is_so;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

static void wait_until_asked(void)
{
    pthread_mutex_lock(&lock);
    while (!was_asked)
        pthread_cond_wait(&moved, &lock);
    pthread_mutex_unlock(&lock);
}

static void set_up(void)
{
    static const struct ss_store_cluster_ops cluster = {.renew = renew};
    static struct ss_store_ops ops;
    struct ss_store *store = NULL;
    ck_assert_int_eq(ss_store_open("memory:", &store, &failure), SS_OK);
    ops = *store->ops;
    ops.cluster = &cluster;
    store->ops = &ops;
    ck_assert_int_eq(ss_store_actor_start(store, &leases, &failure), SS_OK);
    ck_assert_int_eq(
        ss_lease_keeper_start(leases, TURN_MS_MAX, &keeper, &failure), SS_OK);
}

static void tear_down(void)
{
    ss_lease_keeper_stop(&keeper);
    ck_assert_ptr_null(keeper);
    ss_store_actor_stop(&leases);
}

// The loop asked for a renewal so long ago.
static void renewed(int64_t ago_ms)
{
    struct ss_job *job = ss_job_new(SS_JOB_RENEW, 0);
    memcpy(job->member.name, "ada", sizeof("ada"));
    job->member.epoch = 7;
    job->lease.ms = LEASE_MS;
    job->begun_us = (ss_clock_ms() - ago_ms) * 1000;
    ss_lease_keeper_note(keeper, job);
    ss_job_destroy(&job);
}

// What the keeper had done, within that time; NULL: nothing.
static struct ss_job *kept_within(int timeout_ms)
{
    struct pollfd wait = {.fd = ss_store_actor_fd(leases), .events = POLLIN};
    (void)poll(&wait, 1, timeout_ms);
    struct ss_job *job = ss_store_actor_take(leases);
    if (job)
        ss_lease_keeper_took(keeper, job);
    return job;
}

static void expect_nothing(void)
{
    ck_assert_ptr_null(kept_within(A_WHILE_MS));
    ck_assert_uint_eq(ss_lease_keeper_out(keeper), 0);
}

START_TEST(a_renewal_that_is_too_old_is_made_again_and_again)
{
    int64_t begin_ms = ss_clock_ms(), before_us = 0;
    renewed(LEASE_MS);
    for (int i = 0; i < 3; i++) {
        struct ss_job *job = kept_within(-1);
        ck_assert(job->lease.kept);
        ck_assert_int_eq((int)job->type, (int)SS_JOB_RENEW);
        ck_assert_str_eq(job->member.name, "ada");
        ck_assert_uint_eq(job->member.epoch, 7);
        ck_assert_int_eq(job->lease.ms, LEASE_MS);
        ck_assert_int_ge(job->begun_us, begin_ms * 1000);
        ck_assert_int_gt(job->begun_us, before_us);
        before_us = job->begun_us;
        ss_job_destroy(&job);
    }
}
END_TEST

START_TEST(before_the_loop_has_a_lease_there_is_nothing_to_keep)
{
    struct ss_job *look = ss_job_new(SS_JOB_LOOK, 0);
    ss_lease_keeper_note(keeper, look);
    ss_job_destroy(&look);
    expect_nothing();
}
END_TEST

START_TEST(a_loop_that_hangs_keeps_no_lease)
{
    ss_lease_keeper_turn(keeper, ss_clock_ms() - TURN_MS_MAX - 1);
    renewed(LEASE_MS);
    expect_nothing();
    ss_lease_keeper_turn(keeper, ss_clock_ms()); // it was only slow
    struct ss_job *job = kept_within(-1);
    ck_assert_ptr_nonnull(job);
    ss_job_destroy(&job);
}
END_TEST

START_TEST(a_store_that_does_not_answer_is_not_asked_again_and_again)
{
    set_away(true);
    renewed(LEASE_MS);
    wait_until_asked();
    ck_assert_ptr_null(kept_within(2 * LEASE_MS));
    ck_assert_uint_eq(ss_lease_keeper_out(keeper), 1);
    set_away(false);
    for (int i = 0; i < 2; i++) { // it goes on when there is an answer
        struct ss_job *job = kept_within(-1);
        ck_assert_ptr_nonnull(job);
        ck_assert_int_eq(job->status, SS_OK);
        ss_job_destroy(&job);
    }
}
END_TEST

START_TEST(who_leaves_renews_no_more)
{
    ss_lease_keeper_rest(keeper);
    renewed(LEASE_MS);
    expect_nothing();
}
END_TEST

START_TEST(what_is_on_its_way_is_counted_until_it_is_taken)
{
    renewed(LEASE_MS);
    struct pollfd wait = {.fd = ss_store_actor_fd(leases), .events = POLLIN};
    (void)poll(&wait, 1, -1);
    ss_lease_keeper_rest(keeper);
    size_t out = ss_lease_keeper_out(keeper);
    ck_assert_uint_ge(out, 1);
    while (out-- > 0) {
        struct ss_job *job = kept_within(-1);
        ck_assert_ptr_nonnull(job);
        ss_job_destroy(&job);
        ck_assert_uint_eq(ss_lease_keeper_out(keeper), out);
    }
}
END_TEST

// The coordinator does not start without it, and its actor goes as ever.
START_TEST(without_a_thread_there_is_no_keeper)
{
    struct ss_lease_keeper *none = NULL;
    struct ss_error error = {0};
    has_no_thread = true;
    ck_assert_int_eq(
        ss_lease_keeper_start(leases, TURN_MS_MAX, &none, &error), SS_EIO);
    has_no_thread = false;
    ck_assert_ptr_null(none);
    ck_assert_str_eq(error.message,
        "no thread for leases: Resource temporarily unavailable");
    renewed(LEASE_MS); // the one that there is keeps on
    ss_job_destroy(&(struct ss_job *){kept_within(-1)});
}
END_TEST

START_TEST(a_store_of_ours_alone_has_no_keeper)
{
    struct ss_job *job = ss_job_new(SS_JOB_RENEW, 0);
    ss_lease_keeper_note(NULL, job);
    ss_lease_keeper_turn(NULL, 1);
    ss_lease_keeper_took(NULL, job);
    ss_lease_keeper_rest(NULL);
    ck_assert_uint_eq(ss_lease_keeper_out(NULL), 0);
    ss_job_destroy(&job);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lease_keeper");
    TCase *tcase = tcase_create("lease_keeper");
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, a_renewal_that_is_too_old_is_made_again_and_again);
    tcase_add_test(tcase, before_the_loop_has_a_lease_there_is_nothing_to_keep);
    tcase_add_test(tcase, a_loop_that_hangs_keeps_no_lease);
    tcase_add_test(
        tcase, a_store_that_does_not_answer_is_not_asked_again_and_again);
    tcase_add_test(tcase, who_leaves_renews_no_more);
    tcase_add_test(tcase, what_is_on_its_way_is_counted_until_it_is_taken);
    tcase_add_test(tcase, without_a_thread_there_is_no_keeper);
    tcase_add_test(tcase, a_store_of_ours_alone_has_no_keeper);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

// lead_test.c - a loop that two threads take turns with.
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "common/base/check.h"
#include "tests/suite.h"
#include "worker/lead.h"
#include "worker/limits.h"

enum { PATIENCE_S = 20 };

static struct ss_lead *lead;
static atomic_int turns;    // of whoever has the loop
static atomic_int inside;   // threads in a turn that have the loop
static atomic_int stand_in; // turns of this test's thread
static int bodies;
static int rounds; // how often a body blocks until this thread has the loop

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int opened; // so many bodies may end

static void open_gate(int count)
{
    pthread_mutex_lock(&mutex);
    opened = count;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&mutex);
}

// A loop that nobody takes over never opens it.
static void wait_at_gate(int number)
{
    struct timespec until;
    ss_check(clock_gettime(CLOCK_REALTIME, &until) == 0);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&mutex);
    while (opened < number)
        ss_check(pthread_cond_timedwait(&moved, &mutex, &until) == 0);
    pthread_mutex_unlock(&mutex);
}

static void setup(void)
{
    lead = ss_lead_new();
    atomic_store(&turns, 0);
    atomic_store(&inside, 0);
    atomic_store(&stand_in, 0);
    bodies = rounds = opened = 0;
}

static void teardown(void)
{
    ss_lead_destroy(&lead);
}

static void come(void)
{
    ck_assert_int_eq(atomic_fetch_add(&inside, 1), 0);
    atomic_fetch_add(&turns, 1);
}

static void go(void)
{
    ck_assert_int_eq(atomic_fetch_sub(&inside, 1), 1);
}

// A turn with a body in it. True: this thread has the loop still.
static bool run_body(void (*body)(int number), int number)
{
    struct ss_lead *mine = lead; // which another thread may destroy by then
    go();
    ss_lead_enter(mine);
    body(number);
    if (!ss_lead_leave(mine))
        return false;
    ck_assert_int_eq(atomic_fetch_add(&inside, 1), 0);
    return true;
}

static void be_quick(int number)
{
    (void)number;
}

enum { MANY = 20000 };

static enum ss_lead_turn many_quick_ones(void *ctx)
{
    int *done = ctx;
    come();
    ++*done; // the loop's own, without a lock
    if (ss_lead_may_run(lead) && !run_body(be_quick, 0))
        return SS_LEAD_LOST;
    bool is_over = *done >= MANY;
    go();
    return is_over ? SS_LEAD_OVER : SS_LEAD_ON;
}

START_TEST(quick_bodies_run_in_the_loop_and_one_thread_has_it_at_a_time)
{
    int done = 0;
    ss_lead_run(lead, many_quick_ones, &done);
    ck_assert_int_ge(done, MANY);
    ck_assert_int_eq(done, atomic_load(&turns));
}
END_TEST

// Each body ends when the other thread has had the loop meanwhile.
static enum ss_lead_turn blocked_ones(void *ctx)
{
    (void)ctx;
    come();
    if (!ss_lead_may_run(lead)) {
        atomic_fetch_add(&stand_in, 1);
        open_gate(bodies);
        go();
        return SS_LEAD_ON;
    }
    if (bodies == rounds) {
        go();
        return SS_LEAD_OVER;
    }
    bodies++;
    bool has_loop = run_body(wait_at_gate, bodies);
    ck_assert(!has_loop);
    return SS_LEAD_LOST;
}

START_TEST(a_body_that_blocks_does_not_block_the_loop)
{
    rounds = 20;
    ss_lead_run(lead, blocked_ones, NULL);
    ck_assert_int_eq(bodies, 20);
    ck_assert_int_ge(atomic_load(&stand_in), 20);
}
END_TEST

// Nobody looks any more when none has run for a while: the next one says so.
static enum ss_lead_turn rest_before(void *ctx)
{
    struct pollfd nothing = {.fd = -1};
    if (ss_lead_may_run(lead) && bodies < rounds)
        (void)poll(&nothing, 1, 2 * SS_LEAD_LOOKS * SS_LEAD_LOOK_MS);
    return blocked_ones(ctx);
}

START_TEST(a_body_that_blocks_after_a_quiet_time_does_not_block_it_either)
{
    rounds = 2;
    ss_lead_run(lead, rest_before, NULL);
    ck_assert_int_ge(atomic_load(&stand_in), 2);
}
END_TEST

// The loop ends in the thread that stands in.
static enum ss_lead_turn end_beside(void *ctx)
{
    (void)ctx;
    if (!ss_lead_may_run(lead))
        return SS_LEAD_OVER;
    come();
    ck_assert(!run_body(wait_at_gate, 1));
    return SS_LEAD_LOST;
}

START_TEST(a_loop_ends_while_a_body_goes_on)
{
    ss_lead_run(lead, end_beside, NULL);
    open_gate(1); // and its thread is joined
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lead");
    TCase *tcase = tcase_create("lead");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(
        tcase, quick_bodies_run_in_the_loop_and_one_thread_has_it_at_a_time);
    tcase_add_test(tcase, a_body_that_blocks_does_not_block_the_loop);
    tcase_add_test(
        tcase, a_body_that_blocks_after_a_quiet_time_does_not_block_it_either);
    tcase_add_test(tcase, a_loop_ends_while_a_body_goes_on);
    suite_add_tcase(suite, tcase);
    return suite_main(suite);
}

// lease_keeper.c - a thread that looks at the clock.
#include "coordinator/lease_keeper.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "common/app/clock.h"
#include "common/base/check.h"
#include "common/base/mem.h"

enum {
    // The core renews after a quarter of a lease; it is late an eighth behind
    // that. The keeper looks as often.
    LATE_PART = 8,
    LATE_PARTS = 3,
    LOOK_MS_MIN = 5,
    US = 1000, // in a millisecond
};

struct ss_lease_keeper {
    struct ss_store_actor *leases;
    int64_t turn_ms_max;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    // under the mutex
    bool is_stopping, is_resting;
    struct ss_member member; // of the last renewal
    int64_t lease_ms;        // the same; 0: there was none
    int64_t sent_ms;         // when it was asked for
    int64_t turn_since_ms;
    size_t out;
};

static void keeper_lock(struct ss_lease_keeper *keeper)
{
    ss_check(pthread_mutex_lock(&keeper->mutex) == 0);
}

static void keeper_unlock(struct ss_lease_keeper *keeper)
{
    ss_check(pthread_mutex_unlock(&keeper->mutex) == 0);
}

// A database that does not answer is not asked once more: what is asked would
// only pile up. One that has failed is.
static bool keeper_is_free(const struct ss_lease_keeper *keeper)
{
    struct ss_store_wait wait;
    return !ss_store_actor_waits(keeper->leases, 0, &wait) ||
           wait.failed_ms > 0;
}

// Under the mutex.
static bool keeper_is_due(const struct ss_lease_keeper *keeper, int64_t now_ms)
{
    bool hangs = keeper->turn_since_ms > 0 &&
                 now_ms - keeper->turn_since_ms > keeper->turn_ms_max;
    return !keeper->is_resting && keeper->lease_ms > 0 && !hangs &&
           now_ms - keeper->sent_ms >=
               keeper->lease_ms / LATE_PART * LATE_PARTS &&
           keeper_is_free(keeper);
}

static void keeper_renew(struct ss_lease_keeper *keeper, int64_t now_ms)
{
    struct ss_job *job = ss_job_new(SS_JOB_RENEW, 0);
    job->member = keeper->member;
    job->lease.ms = keeper->lease_ms;
    job->begun_us = now_ms * US;
    job->lease.kept = true;
    keeper->sent_ms = now_ms;
    keeper->out++;
    ss_store_actor_submit(keeper->leases, job);
}

static struct timespec keeper_wake_at(const struct ss_lease_keeper *keeper)
{
    int64_t ms = keeper->lease_ms / LATE_PART;
    struct timespec at;
    if (ms < LOOK_MS_MIN)
        ms = LOOK_MS_MIN;
    ss_check(clock_gettime(CLOCK_MONOTONIC, &at) == 0);
    at.tv_nsec += (long)(ms % US) * US * US;
    at.tv_sec += (time_t)(ms / US) + at.tv_nsec / (US * US * US);
    at.tv_nsec %= US * US * US;
    return at;
}

static void *keeper_run(void *ctx)
{
    struct ss_lease_keeper *keeper = ctx;
    keeper_lock(keeper);
    while (!keeper->is_stopping) {
        int64_t now_ms = ss_clock_ms();
        if (keeper_is_due(keeper, now_ms))
            keeper_renew(keeper, now_ms);
        struct timespec at = keeper_wake_at(keeper);
        if (keeper->lease_ms == 0)
            pthread_cond_wait(&keeper->wake, &keeper->mutex);
        else
            pthread_cond_timedwait(&keeper->wake, &keeper->mutex, &at);
    }
    keeper_unlock(keeper);
    return NULL;
}

int ss_lease_keeper_start(struct ss_store_actor *leases, int64_t turn_ms_max,
    struct ss_lease_keeper **ret_keeper, struct ss_error *error)
{
    struct ss_lease_keeper *keeper = ss_zalloc(1, sizeof(*keeper));
    pthread_condattr_t clock;
    keeper->leases = leases;
    keeper->turn_ms_max = turn_ms_max;
    ss_check(pthread_mutex_init(&keeper->mutex, NULL) == 0);
    ss_check(pthread_condattr_init(&clock) == 0);
    ss_check(pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0);
    ss_check(pthread_cond_init(&keeper->wake, &clock) == 0);
    ss_check(pthread_condattr_destroy(&clock) == 0);
    int failed = pthread_create(&keeper->thread, NULL, keeper_run, keeper);
    if (failed == 0) {
        *ret_keeper = keeper;
        return SS_OK;
    }
    ss_check(pthread_cond_destroy(&keeper->wake) == 0);
    ss_check(pthread_mutex_destroy(&keeper->mutex) == 0);
    ss_free(keeper);
    return ss_error_set(
        error, SS_EIO, "no thread for leases: %s", strerror(failed));
}

void ss_lease_keeper_note(
    struct ss_lease_keeper *keeper, const struct ss_job *job)
{
    if (!keeper || job->type != SS_JOB_RENEW)
        return;
    keeper_lock(keeper);
    keeper->member = job->member;
    keeper->lease_ms = job->lease.ms;
    keeper->sent_ms = job->begun_us / US;
    pthread_cond_signal(&keeper->wake);
    keeper_unlock(keeper);
}

void ss_lease_keeper_turn(struct ss_lease_keeper *keeper, int64_t since_ms)
{
    if (!keeper)
        return;
    keeper_lock(keeper);
    keeper->turn_since_ms = since_ms;
    keeper_unlock(keeper);
}

void ss_lease_keeper_rest(struct ss_lease_keeper *keeper)
{
    if (!keeper)
        return;
    keeper_lock(keeper);
    keeper->is_resting = true;
    keeper_unlock(keeper);
}

size_t ss_lease_keeper_out(struct ss_lease_keeper *keeper)
{
    if (!keeper)
        return 0;
    keeper_lock(keeper);
    size_t out = keeper->out;
    keeper_unlock(keeper);
    return out;
}

void ss_lease_keeper_took(
    struct ss_lease_keeper *keeper, const struct ss_job *job)
{
    if (!keeper || !job->lease.kept)
        return;
    keeper_lock(keeper);
    ss_check(keeper->out > 0);
    keeper->out--;
    keeper_unlock(keeper);
}

void ss_lease_keeper_stop(struct ss_lease_keeper **keeper)
{
    struct ss_lease_keeper *it = *keeper;
    if (!it)
        return;
    *keeper = NULL;
    keeper_lock(it);
    it->is_stopping = true;
    pthread_cond_signal(&it->wake);
    keeper_unlock(it);
    ss_check(pthread_join(it->thread, NULL) == 0);
    ss_check(pthread_cond_destroy(&it->wake) == 0);
    ss_check(pthread_mutex_destroy(&it->mutex) == 0);
    ss_free(it);
}

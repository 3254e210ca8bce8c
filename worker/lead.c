// lead.c - the loop goes from one thread to the other and back.
#include "worker/lead.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "common/app/log.h"
#include "common/app/signals.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "worker/limits.h"

// Where the first thread is, below a count of the bodies that it began: two
// looks that find the same word have found the same body.
enum place { IN_LOOP, IN_BODY, WITHOUT, PLACES };

struct ss_lead {
    enum ss_lead_turn (*turn)(void *ctx);
    void *ctx;
    atomic_uint_fast64_t word; // count * PLACES + place
    atomic_bool sleeps;        // the other one, until it is woken
    atomic_bool is_back;       // the first one wants the loop again
    pthread_t first;
    bool has_first;
    pthread_mutex_t mutex;
    pthread_cond_t looks; // for the other one: awake, or the end
    pthread_cond_t given; // for the first one: the loop, or the end
    bool has_loop;        // the first one; under the mutex
    bool is_over;         // under the mutex
};

struct ss_lead *ss_lead_new(void)
{
    struct ss_lead *lead = ss_zalloc(1, sizeof(*lead));
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&lead->mutex, NULL);
    pthread_cond_init(&lead->looks, &monotonic);
    pthread_cond_init(&lead->given, NULL);
    pthread_condattr_destroy(&monotonic);
    atomic_init(&lead->word, (uint_fast64_t)IN_LOOP);
    atomic_init(&lead->sleeps, false);
    atomic_init(&lead->is_back, false);
    return lead;
}

// ------------------------------------------------ the first thread

bool ss_lead_may_run(const struct ss_lead *lead)
{
    return lead->has_first && pthread_equal(pthread_self(), lead->first);
}

void ss_lead_enter(struct ss_lead *lead)
{
    uint_fast64_t count = atomic_load(&lead->word) / PLACES;
    atomic_store(&lead->word, (count + 1) * PLACES + IN_BODY);
    if (!atomic_load(&lead->sleeps))
        return;
    pthread_mutex_lock(&lead->mutex);
    atomic_store(&lead->sleeps, false);
    pthread_cond_signal(&lead->looks);
    pthread_mutex_unlock(&lead->mutex);
}

bool ss_lead_leave(struct ss_lead *lead)
{
    uint_fast64_t word = atomic_load(&lead->word);
    uint_fast64_t in_loop = word / PLACES * PLACES + IN_LOOP;
    if (word % PLACES == IN_BODY &&
        atomic_compare_exchange_strong(&lead->word, &word, in_loop))
        return true;
    atomic_store(&lead->is_back, true);
    return false;
}

// False: it is over.
static bool wait_for_loop(struct ss_lead *lead)
{
    pthread_mutex_lock(&lead->mutex);
    while (!lead->has_loop && !lead->is_over)
        pthread_cond_wait(&lead->given, &lead->mutex);
    bool is_over = lead->is_over;
    pthread_mutex_unlock(&lead->mutex);
    return !is_over;
}

static void end(struct ss_lead *lead)
{
    pthread_mutex_lock(&lead->mutex);
    lead->is_over = true;
    pthread_cond_signal(&lead->looks);
    pthread_cond_signal(&lead->given);
    pthread_mutex_unlock(&lead->mutex);
}

static void *first_main(void *ctx)
{
    struct ss_lead *lead = ctx;
    enum ss_lead_turn what = SS_LEAD_LOST;
    while (what != SS_LEAD_OVER && wait_for_loop(lead))
        do
            what = lead->turn(lead->ctx);
        while (what == SS_LEAD_ON);
    if (what == SS_LEAD_OVER)
        end(lead);
    return NULL;
}

static bool start_first(struct ss_lead *lead)
{
    sigset_t before;
    ss_signals_block(&before);
    int rc = pthread_create(&lead->first, NULL, first_main, lead);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    lead->has_first = rc == 0;
    if (rc != 0)
        ss_log_say(SS_LOG_WARNING, "no thread for the worker's loop: %s",
            strerror(rc));
    else
        pthread_setname_np(lead->first, "ss-loop");
    return rc == 0;
}

// ------------------------------------------------ the other one

static void give(struct ss_lead *lead)
{
    uint_fast64_t count = atomic_load(&lead->word) / PLACES;
    atomic_store(&lead->is_back, false);
    atomic_store(&lead->word, count * PLACES + IN_LOOP);
    pthread_mutex_lock(&lead->mutex);
    lead->has_loop = true;
    pthread_cond_signal(&lead->given);
    pthread_mutex_unlock(&lead->mutex);
}

// Until a body begins. Under the mutex.
static void sleep_until_woken(struct ss_lead *lead)
{
    atomic_store(&lead->sleeps, true);
    // It looks whether we sleep behind its word; we look at that behind ours.
    bool has_begun = atomic_load(&lead->word) % PLACES == IN_BODY;
    while (!has_begun && atomic_load(&lead->sleeps) && !lead->is_over)
        pthread_cond_wait(&lead->looks, &lead->mutex);
    atomic_store(&lead->sleeps, false);
}

// Under the mutex.
static void rest(struct ss_lead *lead)
{
    enum { MS_NS = 1000000, S_NS = 1000000000 };
    struct timespec at;
    ss_check(clock_gettime(CLOCK_MONOTONIC, &at) == 0);
    at.tv_nsec += (long)SS_LEAD_LOOK_MS * MS_NS;
    at.tv_sec += at.tv_nsec / S_NS;
    at.tv_nsec %= S_NS;
    while (!lead->is_over &&
           pthread_cond_timedwait(&lead->looks, &lead->mutex, &at) == 0)
        continue;
}

// A body that two looks have found: the loop is ours, unless it comes back just
// now.
static bool take(struct ss_lead *lead, uint_fast64_t word)
{
    return word % PLACES == IN_BODY &&
           atomic_compare_exchange_strong(
               &lead->word, &word, word - IN_BODY + WITHOUT);
}

// True: the loop was taken over; false: it has ended.
static bool look_on(struct ss_lead *lead)
{
    uint_fast64_t seen = 0;
    unsigned quiet = SS_LEAD_LOOKS;
    bool is_taken = false;
    pthread_mutex_lock(&lead->mutex);
    while (!lead->is_over && !is_taken) {
        if (quiet >= SS_LEAD_LOOKS)
            sleep_until_woken(lead);
        uint_fast64_t word = atomic_load(&lead->word);
        is_taken = word == seen && take(lead, word);
        quiet = word == seen ? quiet + 1 : 0;
        seen = word;
        if (!is_taken)
            rest(lead);
    }
    if (is_taken)
        lead->has_loop = false;
    pthread_mutex_unlock(&lead->mutex);
    return is_taken;
}

// True: until it is over; false: the first one is back.
static bool stand_in(struct ss_lead *lead)
{
    while (lead->turn(lead->ctx) == SS_LEAD_ON)
        if (atomic_load(&lead->is_back))
            return false;
    return true;
}

static void join_first(struct ss_lead *lead)
{
    if (lead->has_first)
        pthread_join(lead->first, NULL);
    lead->has_first = false;
}

void ss_lead_run(
    struct ss_lead *lead, enum ss_lead_turn (*turn)(void *ctx), void *ctx)
{
    lead->turn = turn;
    lead->ctx = ctx;
    if (!start_first(lead)) {
        (void)stand_in(lead);
        return;
    }
    bool is_taken;
    do {
        give(lead);
        is_taken = look_on(lead);
    } while (is_taken && !stand_in(lead));
    end(lead);
    if (!is_taken)
        join_first(lead); // it has ended the loop itself
}

void ss_lead_destroy(struct ss_lead **lead)
{
    struct ss_lead *old = *lead;
    if (!old)
        return;
    *lead = NULL;
    join_first(old);
    pthread_cond_destroy(&old->given);
    pthread_cond_destroy(&old->looks);
    pthread_mutex_destroy(&old->mutex);
    ss_free(old);
}

// store_actor.c - one thread, two lists, one mutex.
//
//   submit -> queued -> [thread: gather, apply | read | scan | get] -> done ->
//   take
//
// The pipe holds one byte while `done` is not empty, and none else: both change
// under the mutex, so its read end is a level to wait for.
//
// A unit that is alone needs no second thread: the caller sends it, waits for
// its answer at the server's own descriptor beside all else that it waits for,
// and takes it. Meanwhile the store is lent to the caller, and the thread
// rests. What does not go well comes to the thread, like any other job:
//
//   lay, go -> [begun by the caller] -> take
//                      | undecided, or nobody is left to wait for it
//                      v
//                    queued
#include "coordinator/store/store_actor.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/store/job_run.h"

struct job_list {
    struct ss_job *first;
    struct ss_job **end;
};

struct ss_store_actor {
    struct ss_store *store; // the thread's alone while it runs
    bool is_inline;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_cond_t ended;
    bool is_joined; // the caller's
    int pipe[2];
    // under the mutex
    struct job_list queued;
    struct job_list done;
    bool stopping;
    bool is_laid;        // what is queued waits for ss_store_actor_go()
    bool is_resting;     // the thread, without a job
    struct ss_job *lent; // that the caller has begun; NULL: none
    bool is_begun;       // the first of `queued`: by the caller
    int lent_fd;
    uint64_t epoch;
    struct ss_store_actor_stats stats;
    bool has_ended;             // the thread has finished all its jobs
    const struct ss_job *doing; // NULL: nothing; lives until it is done
    int64_t doing_since_ms;
    int64_t failing_since_ms; // 0: the last call was answered
    int64_t failed_ms;        // when the last one was not
    int64_t troubled_ms;      // when the store said why
    int64_t answered_ms;
    int64_t took_ms[SS_STORE_PACE]; // the last writes, the newest first
    size_t took_count;
    int64_t wrote_ms;              // when the last one ended
    char what[SS_STORE_WHAT_SIZE]; // failed last
    char why[SS_ERROR_SIZE];
};

// --- lists ------------------------------------------------------------------

static void list_init(struct job_list *list)
{
    list->first = NULL;
    list->end = &list->first;
}

static void list_add(struct job_list *list, struct ss_job *job)
{
    job->next = NULL;
    *list->end = job;
    list->end = &job->next;
}

static void list_add_first(struct job_list *list, struct ss_job *job)
{
    job->next = list->first;
    if (!list->first) {
        list->end = &job->next;
    }
    list->first = job;
}

static struct ss_job *list_take(struct job_list *list)
{
    struct ss_job *job = list->first;
    if (job) {
        list->first = job->next;
        job->next = NULL;
        if (!list->first) {
            list->end = &list->first;
        }
    }
    return job;
}

static void list_fini(struct job_list *list)
{
    struct ss_job *job;
    while ((job = list_take(list))) {
        ss_job_destroy(&job);
    }
}

// --- locks and the pipe, which cannot fail but by our own mistake -----------

static void lock(struct ss_store_actor *actor)
{
    ss_check(pthread_mutex_lock(&actor->mutex) == 0);
}

static void unlock(struct ss_store_actor *actor)
{
    ss_check(pthread_mutex_unlock(&actor->mutex) == 0);
}

static void byte_put(struct ss_store_actor *actor)
{
    ssize_t size;
    do {
        size = write(actor->pipe[1], "", 1);
    } while (size < 0 && errno == EINTR);
    ss_check(size == 1);
}

static void byte_take(struct ss_store_actor *actor)
{
    char byte;
    ssize_t size;
    do {
        size = read(actor->pipe[0], &byte, 1);
    } while (size < 0 && errno == EINTR);
    ss_check(size == 1);
}

static void done_add(struct ss_store_actor *actor, struct ss_job *jobs)
{
    bool was_empty = !actor->done.first;
    while (jobs) {
        struct ss_job *next = jobs->next;
        list_add(&actor->done, jobs);
        jobs = next;
    }
    if (was_empty && actor->done.first && !actor->is_inline) {
        byte_put(actor);
    }
}

// --- what is waited for -----------------------------------------------------

static int64_t now_ms(void)
{
    struct timespec now;
    ss_check(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *what_text(enum ss_job_type type)
{
    switch (type) {
    case SS_JOB_APPLY:
        return "to write";
    case SS_JOB_READ:
        return "to read";
    case SS_JOB_SCAN:
    case SS_JOB_GET:
    case SS_JOB_FIND:
        return "to read records";
    case SS_JOB_TELL:
        return "to tell old records their times";
    case SS_JOB_RENEW:
        return "to renew the lease";
    case SS_JOB_LOOK:
        return "to look who is there";
    case SS_JOB_CLAIM:
    case SS_JOB_TAKE:
        return "to take shards over";
    case SS_JOB_HAND:
        return "to hand shards over";
    case SS_JOB_END:
        return "to end the lease";
    }
    ss_unreachable();
}

static void what_of(const struct ss_job *job, char ret[SS_STORE_WHAT_SIZE])
{
    const char *thread =
        job->type == SS_JOB_APPLY ? job->unit.thread : job->thread;
    (void)snprintf(ret, SS_STORE_WHAT_SIZE, "%s%s%.100s", what_text(job->type),
        thread ? " thread " : "", thread ? thread : "");
}

static void note_failure(struct ss_store_actor *actor, const char *why)
{
    if (!actor->failing_since_ms) {
        actor->failing_since_ms = actor->doing_since_ms;
    }
    actor->troubled_ms = now_ms();
    what_of(actor->doing, actor->what);
    (void)snprintf(actor->why, sizeof(actor->why), "%s", why);
}

// Called by the store while it goes on trying.
static void on_trouble(void *ctx, const char *why)
{
    struct ss_store_actor *actor = ctx;
    lock(actor);
    note_failure(actor, why);
    unlock(actor);
}

// Does this job's status mean that the store is away? Not a refusal, and not
// what another coordinator did.
static bool is_away(const struct ss_job *job)
{
    bool asks_for_shards =
        job->type == SS_JOB_CLAIM || job->type == SS_JOB_TAKE;
    return job->status == SS_EIO || job->status == SS_EFULL ||
           (job->status == SS_EAGAIN && !asks_for_shards);
}

static bool is_write(const struct ss_job *job)
{
    return job->type == SS_JOB_APPLY || job->type == SS_JOB_RENEW ||
           job->type == SS_JOB_CLAIM || job->type == SS_JOB_TAKE ||
           job->type == SS_JOB_HAND || job->type == SS_JOB_END;
}

static void note_pace(struct ss_store_actor *actor)
{
    memmove(actor->took_ms + 1, actor->took_ms,
        (SS_STORE_PACE - 1) * sizeof(*actor->took_ms));
    actor->took_ms[0] = actor->answered_ms - actor->doing_since_ms;
    actor->wrote_ms = actor->answered_ms;
    actor->took_count += actor->took_count < SS_STORE_PACE;
}

static void note_end(
    struct ss_store_actor *actor, const struct ss_job *finished)
{
    const struct ss_job *last = finished;
    while (last->next) {
        last = last->next;
    }
    if (is_away(last)) {
        note_failure(actor, last->error.message);
        actor->failed_ms = now_ms();
    } else {
        actor->failing_since_ms = 0;
        actor->answered_ms = now_ms();
        if (is_write(last)) {
            note_pace(actor);
        }
    }
    actor->doing = NULL;
}

bool ss_store_actor_pace(const struct ss_store_actor *actor, int64_t since_ms,
    int64_t ret_ms[SS_STORE_PACE])
{
    // To look takes the lock, too.
    struct ss_store_actor *it = (struct ss_store_actor *)actor;
    lock(it);
    bool is_known = it->took_count == SS_STORE_PACE && it->wrote_ms >= since_ms;
    if (is_known) {
        memcpy(ret_ms, it->took_ms, sizeof(it->took_ms));
    }
    unlock(it);
    return is_known;
}

bool ss_store_actor_waits(const struct ss_store_actor *actor,
    int64_t answered_ms, struct ss_store_wait *ret_wait)
{
    // To look takes the lock, too.
    struct ss_store_actor *it = (struct ss_store_actor *)actor;
    lock(it);
    bool is_failing =
        it->failing_since_ms != 0 && it->troubled_ms >= answered_ms;
    bool waits = is_failing || it->doing;
    if (waits) {
        ret_wait->since_ms =
            is_failing ? it->failing_since_ms : it->doing_since_ms;
        if (is_failing) {
            memcpy(ret_wait->what, it->what, sizeof(it->what));
        } else {
            what_of(it->doing, ret_wait->what);
        }
        (void)snprintf(ret_wait->why, sizeof(ret_wait->why), "%s",
            is_failing ? it->why : "");
        ret_wait->failed_ms = it->doing ? 0 : it->failed_ms;
    }
    unlock(it);
    return waits;
}

int64_t ss_store_actor_answered_ms(const struct ss_store_actor *actor)
{
    // To look takes the lock, too.
    struct ss_store_actor *it = (struct ss_store_actor *)actor;
    lock(it);
    int64_t answered_ms = it->answered_ms;
    unlock(it);
    return answered_ms;
}

// --- the thread -------------------------------------------------------------

static void stats_add(
    struct ss_store_actor_stats *to, const struct ss_jobs_stats *more)
{
    to->commits += more->commits;
    to->units += more->units;
    if (more->units_max > to->units_max) {
        to->units_max = more->units_max;
    }
}

static void settle_begun(struct ss_store_actor_stats *stats, struct ss_job *job)
{
    const struct ss_jobs_stats one = {.commits = 1, .units = 1, .units_max = 1};
    job->status = job->unit.result = SS_OK;
    stats_add(stats, &one);
}

// Wait for what the caller had begun, the first of *jobs. It stays there if it
// is to be applied.
static void end_begun(struct ss_store_actor *actor, struct ss_job **jobs)
{
    struct ss_job *job = *jobs;
    lock(actor);
    actor->doing = job;
    unlock(actor);
    if (ss_store_begun(actor->store, true) != SS_STORE_DURABLE) {
        return;
    }
    *jobs = job->next;
    job->next = NULL;
    lock(actor);
    settle_begun(&actor->stats, job);
    note_end(actor, job);
    done_add(actor, job);
    unlock(actor);
}

static void *work(void *ctx)
{
    struct ss_store_actor *actor = ctx;
    lock(actor);
    while (actor->queued.first || actor->lent || !actor->stopping) {
        if (!actor->queued.first || actor->lent) {
            actor->is_resting = true;
            ss_check(pthread_cond_wait(&actor->wake, &actor->mutex) == 0);
            actor->is_resting = false;
            continue;
        }
        struct ss_job *jobs = actor->queued.first;
        uint64_t epoch = actor->epoch;
        bool is_begun = actor->is_begun;
        actor->is_begun = actor->is_laid = false;
        list_init(&actor->queued);
        unlock(actor);
        if (is_begun) {
            end_begun(actor, &jobs);
        }
        // A commit's jobs are handed back as soon as it is made.
        while (jobs) {
            struct ss_jobs_stats stats = {0};
            lock(actor);
            actor->doing = jobs;
            actor->doing_since_ms = now_ms();
            unlock(actor);
            struct ss_job *finished =
                ss_jobs_run_some(actor->store, epoch, &jobs, &stats);
            lock(actor);
            stats_add(&actor->stats, &stats);
            note_end(actor, finished);
            done_add(actor, finished);
            unlock(actor);
        }
        lock(actor);
    }
    actor->has_ended = true;
    ss_check(pthread_cond_signal(&actor->ended) == 0);
    unlock(actor);
    return NULL;
}

// --- start and stop ---------------------------------------------------------

static int pipe_open(struct ss_store_actor *actor, struct ss_error *error)
{
    if (pipe(actor->pipe) != 0) {
        return ss_error_set(error, SS_EIO,
            "store: cannot start its thread: no more open files allowed");
    }
    for (int i = 0; i < 2; i++) {
        ss_check(fcntl(actor->pipe[i], F_SETFD, FD_CLOEXEC) == 0);
        ss_check(fcntl(actor->pipe[i], F_SETFL, O_NONBLOCK) == 0);
    }
    return SS_OK;
}

static void actor_free(struct ss_store_actor *actor)
{
    list_fini(&actor->queued);
    list_fini(&actor->done);
    for (int i = 0; i < 2 && !actor->is_inline; i++) {
        (void)close(actor->pipe[i]);
    }
    ss_check(pthread_mutex_destroy(&actor->mutex) == 0);
    ss_check(pthread_cond_destroy(&actor->wake) == 0);
    ss_check(pthread_cond_destroy(&actor->ended) == 0);
    ss_free(actor);
}

// Times of its waits are monotonic, as the caller's are.
static void ended_init(pthread_cond_t *ended)
{
    pthread_condattr_t how;
    ss_check(pthread_condattr_init(&how) == 0);
    ss_check(pthread_condattr_setclock(&how, CLOCK_MONOTONIC) == 0);
    ss_check(pthread_cond_init(ended, &how) == 0);
    ss_check(pthread_condattr_destroy(&how) == 0);
}

void ss_store_actor_start_inline(
    struct ss_store *store, struct ss_store_actor **ret_actor)
{
    struct ss_store_actor *actor = ss_zalloc(1, sizeof(*actor));
    actor->store = store;
    actor->is_inline = true;
    actor->pipe[0] = actor->pipe[1] = -1;
    list_init(&actor->queued);
    list_init(&actor->done);
    ss_check(pthread_mutex_init(&actor->mutex, NULL) == 0);
    ss_check(pthread_cond_init(&actor->wake, NULL) == 0);
    ended_init(&actor->ended);
    *ret_actor = actor;
}

int ss_store_actor_start(struct ss_store *store,
    struct ss_store_actor **ret_actor, struct ss_error *error)
{
    struct ss_store_actor *actor = NULL;
    ss_store_actor_start_inline(store, &actor);
    int status = pipe_open(actor, error);
    if (status != SS_OK) {
        actor_free(actor);
        return status;
    }
    actor->is_inline = false;
    ss_store_listen(store, on_trouble, actor);
    // Signals are the main thread's.
    sigset_t all, before;
    ss_check(sigfillset(&all) == 0);
    ss_check(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
    int failed = pthread_create(&actor->thread, NULL, work, actor);
    ss_check(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
    if (failed) {
        actor_free(actor);
        return ss_error_set(error, SS_EIO,
            "store: cannot start its thread: no more threads allowed");
    }
    *ret_actor = actor;
    return SS_OK;
}

// What is lent is the thread's again, the first of all that it has to do.
// Under the mutex.
static void give_back(struct ss_store_actor *actor, bool is_begun)
{
    list_add_first(&actor->queued, actor->lent);
    actor->lent = NULL;
    actor->is_begun = is_begun;
    ss_check(pthread_cond_signal(&actor->wake) == 0);
}

static void tell_to_finish(struct ss_store_actor *actor)
{
    lock(actor);
    actor->stopping = true;
    if (actor->lent) {
        give_back(actor, true);
    }
    ss_check(pthread_cond_signal(&actor->wake) == 0);
    unlock(actor);
}

void ss_store_actor_finish(struct ss_store_actor *actor)
{
    if (actor->is_inline || actor->is_joined) {
        return;
    }
    tell_to_finish(actor);
    ss_check(pthread_join(actor->thread, NULL) == 0);
    actor->is_joined = true;
}

bool ss_store_actor_finish_until(struct ss_store_actor *actor, int64_t until_ms)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ms / 1000),
        .tv_nsec = (long)(until_ms % 1000) * 1000000};
    if (actor->is_inline || actor->is_joined) {
        return true;
    }
    tell_to_finish(actor);
    int failed = 0;
    lock(actor);
    while (!actor->has_ended && failed == 0) {
        failed = pthread_cond_timedwait(&actor->ended, &actor->mutex, &until);
        ss_check(failed == 0 || failed == ETIMEDOUT);
    }
    bool has_ended = actor->has_ended;
    unlock(actor);
    if (has_ended) {
        ss_store_actor_finish(actor);
    }
    return has_ended;
}

void ss_store_actor_stop(struct ss_store_actor **actor)
{
    struct ss_store_actor *it = *actor;
    if (!it) {
        return;
    }
    *actor = NULL;
    ss_store_actor_finish(it);
    ss_store_close(&it->store);
    actor_free(it);
}

// --- the caller's side ------------------------------------------------------

void ss_store_actor_fence(struct ss_store_actor *actor, uint64_t epoch)
{
    lock(actor);
    actor->epoch = epoch;
    unlock(actor);
}

// Under the mutex. Nothing to wake while the store is lent.
static void wake(struct ss_store_actor *actor)
{
    actor->is_laid = false;
    if (actor->queued.first && !actor->lent) {
        ss_check(pthread_cond_signal(&actor->wake) == 0);
    }
}

static void submit_inline(struct ss_store_actor *actor, struct ss_job *job)
{
    struct ss_jobs_stats stats = {0};
    struct ss_job *jobs = job;
    job->next = NULL;
    job = ss_jobs_run_some(actor->store, actor->epoch, &jobs, &stats);
    lock(actor);
    actor->stats.queued++;
    stats_add(&actor->stats, &stats);
    done_add(actor, job);
    unlock(actor);
}

void ss_store_actor_submit(struct ss_store_actor *actor, struct ss_job *job)
{
    ss_store_actor_lay(actor, job);
    if (!actor->is_inline) {
        lock(actor);
        wake(actor);
        unlock(actor);
    }
}

void ss_store_actor_lay(struct ss_store_actor *actor, struct ss_job *job)
{
    if (actor->is_inline) {
        submit_inline(actor, job);
        return;
    }
    lock(actor);
    bool is_first = !actor->queued.first;
    list_add(&actor->queued, job);
    actor->stats.queued++;
    actor->is_laid = is_first;
    if (!is_first) {
        wake(actor);
    }
    unlock(actor);
}

int ss_store_actor_apply(struct ss_store_actor *actor,
    struct ss_store_unit *unit, struct ss_error *error)
{
    struct ss_jobs_stats stats = {0};
    ss_check(actor->is_inline);
    int status = ss_unit_run(actor->store, actor->epoch, unit, &stats, error);
    stats_add(&actor->stats, &stats);
    return status;
}

// A unit that is all that there is to do. Under the mutex.
static bool may_lend(const struct ss_store_actor *actor)
{
    const struct ss_job *job = actor->queued.first;
    return actor->is_resting && !actor->lent && !actor->done.first && job &&
           !job->next && job->type == SS_JOB_APPLY;
}

static void lend(struct ss_store_actor *actor)
{
    actor->lent = list_take(&actor->queued);
    actor->doing = actor->lent;
    actor->doing_since_ms = now_ms();
}

// Begin what is lent.
static void begin(struct ss_store_actor *actor)
{
    const struct ss_store_batch batch = {
        .epoch = actor->epoch, .units = &actor->lent->unit, .units_count = 1};
    bool is_begun = ss_store_begin(actor->store, &batch, &actor->lent_fd);
    if (!is_begun || actor->lent_fd < 0) {
        lock(actor);
        give_back(actor, is_begun);
        unlock(actor);
    }
}

void ss_store_actor_go(struct ss_store_actor *actor)
{
    if (actor->is_inline) {
        return;
    }
    lock(actor);
    bool lends = actor->is_laid && may_lend(actor);
    if (lends) {
        actor->is_laid = false;
        lend(actor);
    } else if (actor->is_laid) {
        wake(actor);
    }
    unlock(actor);
    if (lends) {
        begin(actor);
    }
}

// Under the mutex.
static void note_taken(struct ss_store_actor *actor, const struct ss_job *job)
{
    ss_check(!job || actor->stats.queued > 0);
    actor->stats.queued -= job != NULL;
}

// What is lent, if it has ended. One that waits behind it goes the same way.
static struct ss_job *lent_take(struct ss_store_actor *actor)
{
    enum ss_store_begun how = ss_store_begun(actor->store, false);
    struct ss_job *job = actor->lent;
    if (how == SS_STORE_UNDER_WAY) {
        return NULL;
    }
    lock(actor);
    if (how == SS_STORE_UNDECIDED) {
        give_back(actor, false);
        job = NULL;
    } else {
        settle_begun(&actor->stats, job);
        note_end(actor, job);
        note_taken(actor, job);
        actor->lent = NULL;
        actor->is_laid = actor->queued.first && !actor->queued.first->next;
        if (!actor->is_laid) {
            wake(actor);
        }
    }
    unlock(actor);
    return job;
}

struct ss_job *ss_store_actor_take(struct ss_store_actor *actor)
{
    lock(actor);
    struct ss_job *job = list_take(&actor->done);
    if (job && !actor->done.first && !actor->is_inline) {
        byte_take(actor);
    }
    note_taken(actor, job);
    // The caller alone lends, and looks at it.
    bool is_lent = actor->lent;
    unlock(actor);
    return !job && is_lent ? lent_take(actor) : job;
}

int ss_store_actor_fd(const struct ss_store_actor *actor)
{
    return actor->lent ? actor->lent_fd : actor->pipe[0];
}

struct ss_store_actor_stats ss_store_actor_stats(
    const struct ss_store_actor *actor)
{
    // To look takes the lock, too.
    struct ss_store_actor *it = (struct ss_store_actor *)actor;
    lock(it);
    struct ss_store_actor_stats stats = it->stats;
    unlock(it);
    return stats;
}

// host.c - threads, a queue of orders, and what the bodies report.
#include "worker/host.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/log.h"
#include "common/app/stop.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/execute.h"
#include "worker/limits.h"
#include "worker/session/session.h"

// One order, from the queue to its outcome.
struct body {
    struct ss_host *host;
    struct ss_assignment *order;
    struct body *next; // in the queue, or among those that run
    atomic_bool stops;
    int64_t begin_by_ms;
    int64_t deadline_ms;
    bool signed_progress; // reported and not yet taken; under the mutex
    bool signed_heartbeat;
};

struct ss_host {
    const struct ss_application *application;
    unsigned threads_max;
    int fds[2];
    pthread_mutex_t mutex;
    pthread_cond_t work;  // there is something to run, or the end
    pthread_cond_t space; // reports were taken
    // under the mutex
    struct body *first, *last; // waiting
    struct body *running;
    pthread_t *threads;
    unsigned threads_count;
    unsigned idle_count;   // threads that wait, or were woken just now
    unsigned queued_count; // bodies that wait
    bool ends;
    bool has_byte; // in the pipe
    struct ss_host_reports reports;
};

// ------------------------------------------------------------------ reports

// Wake the loop. Under the mutex.
static void ring(struct ss_host *host)
{
    if (host->has_byte)
        return;
    host->has_byte = true;
    ssize_t written;
    do
        written = write(host->fds[1], "", 1);
    while (written < 0 && errno == EINTR);
}

static void on_live(void *ctx, const struct ss_assignment *order,
    enum ss_live_kind kind, json_t *item)
{
    struct body *body = ctx;
    struct ss_host *host = body->host;
    // As text: the item is the author's, and shared with what comes next.
    char *text = ss_json_text(item);
    struct ss_value *value = ss_value_from_text(text, strlen(text));
    ss_free(text);
    pthread_mutex_lock(&host->mutex);
    while (host->reports.items_count >= SS_HOST_ITEMS_MAX && !host->ends)
        pthread_cond_wait(&host->space, &host->mutex);
    struct ss_host_reports *to = &host->reports;
    to->items = ss_vec_grow(to->items, &to->items_capacity, to->items_count + 1,
        sizeof(*to->items));
    to->items[to->items_count++] = (struct ss_host_item){
        .attempt = order->attempt, .kind = kind, .value = value};
    ring(host);
    pthread_mutex_unlock(&host->mutex);
}

static void on_progress(
    void *ctx, const struct ss_assignment *order, bool is_heartbeat)
{
    struct body *body = ctx;
    struct ss_host *host = body->host;
    if (order->idle_timeout_ms == 0)
        return;
    pthread_mutex_lock(&host->mutex);
    bool *is_signed =
        is_heartbeat ? &body->signed_heartbeat : &body->signed_progress;
    if (!*is_signed) {
        struct ss_host_reports *to = &host->reports;
        *is_signed = true;
        to->signs = ss_vec_grow(to->signs, &to->signs_capacity,
            to->signs_count + 1, sizeof(*to->signs));
        to->signs[to->signs_count++] = (struct ss_host_sign){
            .attempt = order->attempt, .is_heartbeat = is_heartbeat};
        ring(host);
    }
    pthread_mutex_unlock(&host->mutex);
}

static bool on_cancelled(void *ctx, const struct ss_assignment *order)
{
    struct body *body = ctx;
    (void)order;
    return atomic_load(&body->stops);
}

static int64_t on_left_ms(void *ctx, const struct ss_assignment *order)
{
    const struct body *body = ctx;
    if (order->run_timeout_ms == 0)
        return INT64_MAX;
    int64_t left = body->deadline_ms - ss_clock_ms();
    return left > 0 ? left : 0;
}

static void on_log(
    void *ctx, const struct ss_assignment *order, const char *text)
{
    (void)ctx;
    const struct ss_log_subject subject = {.thread = order->thread,
        .run = order->run,
        .task = order->task_id,
        .epoch = order->attempt.epoch};
    ss_log_about(SS_LOG_INFO, &subject,
        "%s (thread %s, task %.8s, attempt %u): %s", order->node, order->thread,
        order->task_id, (unsigned)order->attempt_number, text);
}

// ------------------------------------------------------------------ threads

static bool on_may_begin(void *ctx, const struct ss_assignment *order)
{
    const struct body *body = ctx;
    (void)order;
    ss_stop_at(SS_STOP_WORKER_BEGINS);
    return ss_session_may_begin(body->begin_by_ms, ss_clock_ms());
}

// NULL: it was too late to begin.
static struct ss_outcome *run(struct body *body)
{
    struct ss_execute_hooks hooks = {.may_begin = on_may_begin,
        .live = on_live,
        .progress = on_progress,
        .cancelled = on_cancelled,
        .left_ms = on_left_ms,
        .log = on_log,
        .ctx = body};
    int64_t from_us = ss_clock_us();
    body->deadline_ms = from_us / 1000 + body->order->run_timeout_ms;
    struct ss_outcome *outcome =
        ss_execute(body->host->application, body->order, &hooks);
    if (!outcome)
        return NULL;
    outcome->ran_us = ss_clock_us() - from_us;
    // Encoded by the threads, which are many, not by the loop, which is one.
    for (size_t i = 0; i < outcome->writes.count; i++)
        ss_value_text(outcome->writes.items[i].value, NULL);
    return outcome;
}

static void unlink_running(struct ss_host *host, const struct body *body)
{
    struct body **at = &host->running;
    while (*at != body)
        at = &(*at)->next;
    *at = body->next;
}

static struct body *next_body(struct ss_host *host)
{
    while (!host->first && !host->ends) {
        host->idle_count++;
        pthread_cond_wait(&host->work, &host->mutex);
        host->idle_count--;
    }
    struct body *body = host->first;
    if (host->ends || !body)
        return NULL;
    host->first = body->next;
    if (!host->first)
        host->last = NULL;
    host->queued_count--;
    body->next = host->running;
    host->running = body;
    return body;
}

static void free_body(struct body *body)
{
    ss_assignment_destroy(&body->order);
    ss_free(body);
}

static void report_outcome(
    struct ss_host_reports *to, struct ss_outcome *outcome)
{
    to->outcomes = ss_vec_grow(to->outcomes, &to->outcomes_capacity,
        to->outcomes_count + 1, sizeof(struct ss_outcome *));
    to->outcomes[to->outcomes_count++] = outcome;
}

static void report_unbegun(
    struct ss_host_reports *to, struct ss_assignment *order)
{
    to->unbegun = ss_vec_grow(to->unbegun, &to->unbegun_capacity,
        to->unbegun_count + 1, sizeof(struct ss_assignment *));
    to->unbegun[to->unbegun_count++] = order;
}

static void *thread_main(void *ctx)
{
    struct ss_host *host = ctx;
    pthread_mutex_lock(&host->mutex);
    struct body *body;
    while ((body = next_body(host)) != NULL) {
        pthread_mutex_unlock(&host->mutex);
        struct ss_outcome *outcome = run(body);
        struct ss_assignment *unbegun = NULL;
        pthread_mutex_lock(&host->mutex);
        unlink_running(host, body);
        pthread_mutex_unlock(&host->mutex);
        if (!outcome) {
            unbegun = body->order;
            body->order = NULL;
        }
        // Before the outcome is handed over: they share values, and a value is
        // not for two threads.
        free_body(body);
        pthread_mutex_lock(&host->mutex);
        if (unbegun)
            report_unbegun(&host->reports, unbegun);
        else
            report_outcome(&host->reports, outcome);
        ring(host);
    }
    pthread_mutex_unlock(&host->mutex);
    return NULL;
}

// One more thread, with all signals left to the loop's. Under the mutex.
static void add_thread(struct ss_host *host)
{
    sigset_t all, before;
    pthread_t thread;
    char name[16];
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int rc = pthread_create(&thread, NULL, thread_main, host);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        ss_log_say(SS_LOG_WARNING, "no more than %u threads: %s",
            host->threads_count, strerror(rc));
        ss_check(host->threads_count > 0);
        return;
    }
    snprintf(name, sizeof(name), "ss-body-%u", host->threads_count + 1);
    pthread_setname_np(thread, name);
    host->threads[host->threads_count++] = thread;
}

// ------------------------------------------------------------------ the loop's
// side

static int open_pipe(int fds[2], struct ss_error *error)
{
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        return ss_error_set(
            error, SS_EIO, "cannot make a pipe: %s", strerror(errno));
    return SS_OK;
}

int ss_host_new(const struct ss_host_options *options,
    struct ss_host **ret_host, struct ss_error *error)
{
    int fds[2];
    ss_check(options->threads > 0);
    int status = open_pipe(fds, error);
    if (status != SS_OK)
        return status;
    struct ss_host *host = ss_zalloc(1, sizeof(*host));
    host->application = options->application;
    host->threads_max = options->threads;
    host->threads = ss_zalloc(options->threads, sizeof(*host->threads));
    memcpy(host->fds, fds, sizeof(host->fds));
    pthread_mutex_init(&host->mutex, NULL);
    pthread_cond_init(&host->work, NULL);
    pthread_cond_init(&host->space, NULL);
    *ret_host = host;
    return SS_OK;
}

bool ss_host_destroy(struct ss_host **host)
{
    struct ss_host *old = *host;
    if (!old)
        return true;
    *host = NULL;
    pthread_mutex_lock(&old->mutex);
    old->ends = true;
    for (struct body *body = old->running; body; body = body->next)
        atomic_store(&body->stops, true);
    bool is_busy = old->running != NULL;
    pthread_cond_broadcast(&old->work);
    pthread_cond_broadcast(&old->space);
    pthread_mutex_unlock(&old->mutex);
    if (is_busy)
        return false;
    for (unsigned i = 0; i < old->threads_count; i++)
        pthread_join(old->threads[i], NULL);
    while (old->first) {
        struct body *next = old->first->next;
        free_body(old->first);
        old->first = next;
    }
    ss_host_reports_fini(&old->reports);
    pthread_cond_destroy(&old->space);
    pthread_cond_destroy(&old->work);
    pthread_mutex_destroy(&old->mutex);
    close(old->fds[0]);
    close(old->fds[1]);
    ss_free(old->threads);
    ss_free(old);
    return true;
}

int ss_host_fd(const struct ss_host *host)
{
    return host->fds[0];
}

void ss_host_start(
    struct ss_host *host, struct ss_assignment *order, int64_t begin_by_ms)
{
    struct body *body = ss_zalloc(1, sizeof(*body));
    body->host = host;
    body->order = order;
    body->begin_by_ms = begin_by_ms;
    atomic_init(&body->stops, false);
    pthread_mutex_lock(&host->mutex);
    if (host->last)
        host->last->next = body;
    else
        host->first = body;
    host->last = body;
    // A thread that was woken counts as idle until it runs, so more bodies than
    // idle threads need more threads.
    host->queued_count++;
    if (host->queued_count > host->idle_count &&
        host->threads_count < host->threads_max)
        add_thread(host);
    pthread_cond_signal(&host->work);
    pthread_mutex_unlock(&host->mutex);
}

static bool stop_among(struct body *body, struct ss_attempt attempt)
{
    for (; body; body = body->next) {
        const struct ss_attempt *name = &body->order->attempt;
        if (name->epoch != attempt.epoch || name->dispatch != attempt.dispatch)
            continue;
        atomic_store(&body->stops, true);
        return true;
    }
    return false;
}

void ss_host_stop_body(struct ss_host *host, struct ss_attempt attempt)
{
    pthread_mutex_lock(&host->mutex);
    if (!stop_among(host->running, attempt))
        stop_among(host->first, attempt);
    pthread_mutex_unlock(&host->mutex);
}

bool ss_host_take(struct ss_host *host, struct ss_host_reports *ret_reports)
{
    char bytes[16];
    pthread_mutex_lock(&host->mutex);
    bool has_any = host->has_byte;
    if (has_any) {
        while (read(host->fds[0], bytes, sizeof(bytes)) > 0)
            continue;
        host->has_byte = false;
        *ret_reports = host->reports;
        host->reports = (struct ss_host_reports){0};
        for (struct body *body = host->running; body; body = body->next)
            body->signed_progress = body->signed_heartbeat = false;
        pthread_cond_broadcast(&host->space);
    }
    pthread_mutex_unlock(&host->mutex);
    return has_any;
}

void ss_host_reports_fini(struct ss_host_reports *reports)
{
    for (size_t i = 0; i < reports->items_count; i++)
        ss_value_unref(reports->items[i].value);
    for (size_t i = 0; i < reports->outcomes_count; i++)
        ss_outcome_destroy(&reports->outcomes[i]);
    for (size_t i = 0; i < reports->unbegun_count; i++)
        ss_assignment_destroy(&reports->unbegun[i]);
    ss_free(reports->signs);
    ss_free(reports->items);
    ss_free(reports->outcomes);
    ss_free(reports->unbegun);
    *reports = (struct ss_host_reports){0};
}

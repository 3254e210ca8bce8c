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
#include "common/app/signals.h"
#include "common/app/stop.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"
#include "worker/body_log.h"
#include "worker/execute.h"
#include "worker/limits.h"
#include "worker/paces.h"
#include "worker/session/session.h"

// One order, from the queue to its outcome.
struct body {
    struct ss_host *host;
    struct ss_assignment *order;
    struct ss_attempt attempt; // the order's
    struct body *next;         // in the queue, or among those that run
    atomic_bool stops;
    int64_t begin_by_ms;
    int64_t deadline_ms;
    unsigned place;       // of its node, among paces
    bool is_quick;        // by its pace, when it began; under the mutex
    bool is_own;          // in the loop's thread: none of ours has it
    int64_t began_ms;     // under the mutex
    bool signed_progress; // reported and not yet taken; under the mutex
    bool signed_heartbeat;
};

struct ss_host {
    const struct ss_application *application;
    int fds[2];
    pthread_mutex_t mutex;
    pthread_cond_t work;  // there is something to run, or the end
    pthread_cond_t space; // reports were taken
    // the loop's alone: not handed over yet
    struct body *started, **started_end;
    bool has_own; // `started` is one body that stays
    // under the mutex
    struct body *first, *last; // waiting
    struct body *running;
    unsigned running_count;
    struct ss_paces paces;
    unsigned quick_running; // bodies that will soon be over
    bool is_late;           // somebody waits behind one that was to be quick
    pthread_t *threads;
    unsigned threads_count, threads_max;
    int64_t scarce_until_ms; // the machine had no more; 0: it never said so
    unsigned idle_count;     // threads that wait, or were woken just now
    unsigned woken_count;    // of these
    unsigned queued_count;   // bodies that wait
    bool is_watched;         // the loop will look soon, whatever happens
    bool ends;
    bool has_byte;     // in the pipe
    unsigned bytes;    // in the pipe, or on their way there
    int64_t untold_us; // since when outcomes wait for others; 0: none do
    struct ss_host_reports reports;
    struct ss_body_log_limit failures; // under the mutex
};

// ------------------------------------------------------------------ reports

// The loop is to wake up. True: by the caller's ring(). Under the mutex.
static bool is_to_ring(struct ss_host *host)
{
    bool is_first = !host->has_byte;
    host->untold_us = 0;
    host->has_byte = true;
    host->bytes += is_first;
    return is_first;
}

// Best without the mutex: the loop wants it first of all.
static void ring(struct ss_host *host)
{
    ssize_t written;
    do
        written = write(host->fds[1], "", 1);
    while (written < 0 && errno == EINTR);
}

static void ring_now(struct ss_host *host)
{
    if (is_to_ring(host))
        ring(host);
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
    ss_host_report_item(&host->reports,
        (struct ss_host_item){
            .attempt = order->attempt, .kind = kind, .value = value});
    ring_now(host);
    pthread_mutex_unlock(&host->mutex);
}

static void on_progress(
    void *ctx, const struct ss_assignment *order, bool is_heartbeat)
{
    struct body *body = ctx;
    struct ss_host *host = body->host;
    if (order->timeouts.idle_ms == 0)
        return;
    pthread_mutex_lock(&host->mutex);
    bool *is_signed =
        is_heartbeat ? &body->signed_heartbeat : &body->signed_progress;
    if (!*is_signed) {
        *is_signed = true;
        ss_host_report_sign(
            &host->reports, (struct ss_host_sign){.attempt = order->attempt,
                                .is_heartbeat = is_heartbeat});
        ring_now(host);
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
    if (order->timeouts.run_ms == 0)
        return INT64_MAX;
    int64_t left = body->deadline_ms - ss_clock_ms();
    return left > 0 ? left : 0;
}

static void on_log(
    void *ctx, const struct ss_assignment *order, const char *text)
{
    (void)ctx;
    ss_body_log_text(order, text);
}

static void tell_failure(struct ss_host *host,
    const struct ss_assignment *order, const struct ss_outcome *outcome)
{
    unsigned left_out;
    pthread_mutex_lock(&host->mutex);
    bool is_told =
        ss_body_log_is_room(&host->failures, ss_clock_ms(), &left_out);
    pthread_mutex_unlock(&host->mutex);
    if (is_told)
        ss_body_log_failure(order, outcome, left_out);
}

// ------------------------------------------------------------------ threads

static bool on_may_begin(void *ctx, const struct ss_assignment *order)
{
    const struct body *body = ctx;
    (void)order;
    ss_stop_at(SS_STOP_WORKER_BEGINS);
    return ss_session_may_begin(body->begin_by_ms, ss_clock_ms());
}

// NULL: it was too late to begin the body.
static struct ss_outcome *run(struct body *body, int64_t from_us)
{
    struct ss_execute_hooks hooks = {.may_begin = on_may_begin,
        .live = on_live,
        .progress = on_progress,
        .cancelled = on_cancelled,
        .left_ms = on_left_ms,
        .log = on_log,
        .ctx = body};
    body->deadline_ms = from_us / 1000 + body->order->timeouts.run_ms;
    struct ss_outcome *outcome =
        ss_execute(body->host->application, body->order, &hooks);
    // Encoded here, as there are many threads and only one loop.
    for (size_t i = 0; outcome && i < outcome->writes.count; i++)
        ss_value_text(outcome->writes.items[i].value, NULL);
    return outcome;
}

static void unlink_running(struct ss_host *host, const struct body *body)
{
    struct body **at = &host->running;
    while (*at != body)
        at = &(*at)->next;
    *at = body->next;
    host->running_count -= !body->is_own;
}

static void link_running(struct ss_host *host, struct body *body)
{
    body->began_ms = ss_clock_ms();
    body->next = host->running;
    host->running = body;
    host->running_count += !body->is_own;
}

static void *thread_main(void *ctx);

// Start one more thread, which blocks signals: the loop's thread takes them.
// Under the mutex.
static void add_thread(struct ss_host *host)
{
    sigset_t before;
    pthread_t thread;
    char name[16];
    ss_signals_block(&before);
    int rc = pthread_create(&thread, NULL, thread_main, host);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        ss_log_say(SS_LOG_WARNING, "no more than %u threads: %s",
            host->threads_count, strerror(rc));
        ss_check(host->threads_count > 0);
        host->scarce_until_ms = ss_clock_ms() + SS_HOST_SCARCE_MS;
        return;
    }
    snprintf(name, sizeof(name), "ss-body-%u", host->threads_count + 1);
    pthread_setname_np(thread, name);
    host->threads[host->threads_count++] = thread;
    // It comes as one that was woken does.
    host->idle_count++;
    host->woken_count++;
}

static bool may_grow(const struct ss_host *host)
{
    return host->threads_count < host->threads_max &&
           (host->scarce_until_ms == 0 ||
               ss_clock_ms() >= host->scarce_until_ms);
}

// One more thread for what waits, if there is one. True: by a signal, best
// without the mutex, which the thread wants first of all. Under the mutex.
static bool is_to_wake(struct ss_host *host)
{
    bool is_idle = host->idle_count > host->woken_count;
    host->woken_count += is_idle;
    if (!is_idle && may_grow(host))
        add_thread(host);
    return is_idle;
}

static void wake_one(struct ss_host *host)
{
    if (is_to_wake(host))
        pthread_cond_signal(&host->work);
}

// A thread that will soon look at the queue. Under the mutex.
static bool is_somebody_coming(const struct ss_host *host)
{
    return host->quick_running + host->woken_count > 0;
}

// Nobody waits for what is not quick: neither bodies nor, where it gives true
// (by the caller's ring()), outcomes. Under the mutex.
static bool sort_by_pace(struct ss_host *host, struct body *body)
{
    body->is_quick =
        !host->is_late && ss_paces_is_quick(&host->paces, body->place);
    if (body->is_quick) {
        host->quick_running++;
        return false;
    }
    if (host->first && !is_somebody_coming(host))
        wake_one(host);
    return host->untold_us > 0 && is_to_ring(host);
}

// The next one that waits, or NULL. Under the mutex.
static struct body *take_body(struct ss_host *host, bool *rings)
{
    struct body *body = host->first;
    if (host->ends || !body)
        return NULL;
    host->first = body->next;
    if (!host->first)
        host->last = NULL;
    host->queued_count--;
    if (sort_by_pace(host, body))
        *rings = true;
    link_running(host, body);
    return body;
}

static void comes(struct ss_host *host)
{
    host->idle_count--;
    if (host->woken_count > 0)
        host->woken_count--;
}

static void wait_for_work(struct ss_host *host)
{
    host->idle_count++;
    pthread_cond_wait(&host->work, &host->mutex);
    comes(host);
}

static void free_bodies(struct body *body)
{
    for (struct body *next; body; body = next) {
        next = body->next;
        ss_assignment_destroy(&body->order);
        ss_free(body);
    }
}

static void not_quick(struct ss_host *host, struct body *body)
{
    host->quick_running -= body->is_quick;
    body->is_quick = false;
}

// The loop hears of it at once where nobody else is to report soon, or the
// first one has waited for that. True: by the caller's ring(). Under the mutex.
static bool tell(struct ss_host *host, bool was_quick, int64_t now_us)
{
    if (host->untold_us == 0)
        host->untold_us = now_us;
    bool may_wait = was_quick && host->first && host->is_watched &&
                    now_us - host->untold_us < SS_HOST_SILENT_US;
    return !may_wait && is_to_ring(host);
}

// Its order is gone before the outcome is handed over: they share values, and a
// value is not for two threads. `lead`: this thread has the loop, and
// *ret_leads still (NULL: it is one of ours). Takes the mutex; as tell().
static bool run_and_report(struct ss_host *host, struct body *body,
    struct ss_lead *lead, bool *ret_leads)
{
    int64_t from_us = ss_clock_us();
    struct ss_outcome *outcome = run(body, from_us);
    int64_t now_us = ss_clock_us();
    struct ss_assignment *unbegun = outcome ? NULL : body->order;
    *ret_leads = lead && ss_lead_leave(lead);
    if (outcome) {
        outcome->ran_us = now_us - from_us;
        if (outcome->kind == SS_OUTCOME_FAILED)
            tell_failure(host, body->order, outcome);
        ss_assignment_destroy(&body->order);
    }
    pthread_mutex_lock(&host->mutex);
    bool was_quick = body->is_quick;
    not_quick(host, body);
    unlink_running(host, body);
    if (outcome) {
        ss_paces_learn(&host->paces, body->place, now_us - from_us);
        ss_host_report_outcome(&host->reports, outcome);
    } else {
        ss_host_report_unbegun(&host->reports, unbegun);
    }
    ss_free(body);
    if (!*ret_leads)
        return tell(host, was_quick, now_us);
    host->untold_us = now_us; // it is taken at once
    return false;
}

static void *thread_main(void *ctx)
{
    struct ss_host *host = ctx;
    bool rings = false, leads;
    pthread_mutex_lock(&host->mutex);
    comes(host);
    while (!host->ends) {
        struct body *body = take_body(host, &rings);
        if (!body && !rings) {
            wait_for_work(host);
            continue;
        }
        pthread_mutex_unlock(&host->mutex);
        if (rings)
            ring(host);
        rings = false;
        if (body)
            rings = run_and_report(host, body, NULL, &leads);
        else
            pthread_mutex_lock(&host->mutex);
    }
    pthread_mutex_unlock(&host->mutex);
    return NULL;
}

// ------------------------------------------------ the loop's side

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
    host->started_end = &host->started;
    ss_paces_init(&host->paces);
    pthread_mutex_init(&host->mutex, NULL);
    pthread_cond_init(&host->work, NULL);
    pthread_cond_init(&host->space, NULL);
    *ret_host = host;
    return SS_OK;
}

bool ss_host_end(struct ss_host *host)
{
    pthread_mutex_lock(&host->mutex);
    host->ends = true;
    for (struct body *body = host->running; body; body = body->next)
        atomic_store(&body->stops, true);
    bool is_busy = host->running != NULL;
    pthread_cond_broadcast(&host->work);
    pthread_cond_broadcast(&host->space);
    pthread_mutex_unlock(&host->mutex);
    return !is_busy;
}

bool ss_host_destroy(struct ss_host **host)
{
    struct ss_host *old = *host;
    if (!old)
        return true;
    *host = NULL;
    if (!ss_host_end(old))
        return false;
    for (unsigned i = 0; i < old->threads_count; i++)
        pthread_join(old->threads[i], NULL);
    free_bodies(old->first);
    free_bodies(old->started);
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
    body->attempt = order->attempt;
    body->begin_by_ms = begin_by_ms;
    body->place = ss_paces_place(order);
    atomic_init(&body->stops, false);
    *host->started_end = body;
    host->started_end = &body->next;
}

// How many threads the bodies from `body` on are worth. Under the mutex.
static unsigned threads_for(const struct ss_host *host, const struct body *body)
{
    unsigned count = 0;
    uint64_t quick_us = 0;
    for (; body; body = body->next)
        if (host->is_late || !ss_paces_is_quick(&host->paces, body->place))
            count++;
        else
            quick_us += host->paces.us[body->place] + 1;
    count += (unsigned)(quick_us / SS_HOST_SHARE_US);
    return count == 0 && !is_somebody_coming(host) ? 1 : count;
}

// A quick body that nobody else is to run before, or beside. Under the mutex.
static bool is_alone(const struct ss_host *host, const struct body *list)
{
    return !list->next && !host->first && !host->running && !host->ends &&
           ss_paces_is_quick(&host->paces, list->place);
}

bool ss_host_go(struct ss_host *host, bool keeps)
{
    struct body *list = host->started;
    if (!list || (host->has_own && !list->next))
        return false;
    pthread_mutex_lock(&host->mutex);
    host->has_own = keeps && is_alone(host, list);
    if (host->has_own) {
        pthread_mutex_unlock(&host->mutex);
        return true;
    }
    if (host->last)
        host->last->next = list;
    else
        host->first = list;
    host->queued_count++;
    for (host->last = list; host->last->next; host->last = host->last->next)
        host->queued_count++;
    unsigned signals = 0;
    for (unsigned i = threads_for(host, list); i > 0; i--)
        signals += is_to_wake(host);
    pthread_mutex_unlock(&host->mutex);
    while (signals-- > 0)
        pthread_cond_signal(&host->work);
    host->started = NULL;
    host->started_end = &host->started;
    return true;
}

bool ss_host_has_own(const struct ss_host *host)
{
    return host->has_own;
}

bool ss_host_run_own(struct ss_host *host, struct ss_lead *lead)
{
    struct body *body = host->started;
    bool leads;
    ss_check(host->has_own);
    host->has_own = false;
    host->started = NULL;
    host->started_end = &host->started;
    body->is_own = true;
    pthread_mutex_lock(&host->mutex);
    link_running(host, body);
    pthread_mutex_unlock(&host->mutex);
    ss_lead_enter(lead);
    bool rings = run_and_report(host, body, lead, &leads);
    pthread_mutex_unlock(&host->mutex);
    if (rings)
        ring(host);
    return leads;
}

// Under the mutex.
static void find_late(struct ss_host *host, int64_t now_ms)
{
    host->is_late = host->is_late && host->first;
    for (struct body *body = host->running; body; body = body->next)
        if (body->is_quick && now_ms - body->began_ms > SS_HOST_LATE_MS) {
            not_quick(host, body);
            host->is_late = host->first != NULL;
        }
}

int64_t ss_host_watch(struct ss_host *host, int64_t now_ms)
{
    pthread_mutex_lock(&host->mutex);
    find_late(host, now_ms);
    if (host->first && !is_somebody_coming(host))
        wake_one(host);
    // Woken threads take one each.
    bool waits = host->queued_count > host->woken_count;
    bool is_watched = host->untold_us > 0 ||
                      (waits && (host->running_count < host->threads_count ||
                                    may_grow(host)));
    int64_t wake_ms = INT64_MAX;
    if (is_watched)
        wake_ms = now_ms + SS_HOST_LATE_MS;
    else if (waits && host->threads_count < host->threads_max)
        wake_ms = host->scarce_until_ms;
    host->is_watched = is_watched;
    pthread_mutex_unlock(&host->mutex);
    return wake_ms;
}

static bool stop_among(struct body *body, struct ss_attempt attempt)
{
    for (; body; body = body->next) {
        const struct ss_attempt *name = &body->attempt;
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
    if (!stop_among(host->running, attempt) &&
        !stop_among(host->first, attempt))
        stop_among(host->started, attempt);
    pthread_mutex_unlock(&host->mutex);
}

bool ss_host_take(struct ss_host *host, struct ss_host_reports *ret_reports)
{
    char bytes[16];
    pthread_mutex_lock(&host->mutex);
    // A byte may come behind what it tells of, which is taken by then; more
    // than a few are never there.
    ssize_t count =
        host->bytes > 0 ? read(host->fds[0], bytes, sizeof(bytes)) : 0;
    ss_check(count >= 0 || errno == EAGAIN || errno == EINTR);
    host->bytes -= count > 0 ? (unsigned)count : 0;
    bool has_any = host->has_byte || host->untold_us > 0;
    if (has_any) {
        host->has_byte = false;
        host->untold_us = 0;
        *ret_reports = host->reports;
        host->reports = (struct ss_host_reports){0};
        for (struct body *body = host->running; body; body = body->next)
            body->signed_progress = body->signed_heartbeat = false;
        pthread_cond_broadcast(&host->space);
    }
    pthread_mutex_unlock(&host->mutex);
    return has_any;
}

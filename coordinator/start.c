// start.c - one thread opens the coordinator, another watches how long that
// takes.
#include "coordinator/start.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/app/clock.h"
#include "common/app/metrics.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

struct start {
    struct ss_coordinator_options options;
    pthread_t thread;
    int done[2]; // a pipe; its end tells that the thread has ended
    _Atomic(const char *) what; // what the store is asked for; NULL: nothing
    atomic_llong since_ms;      // it is asked
    pthread_mutex_t mutex;      // of `why`
    char why[sizeof((struct ss_error){0}.message)]; // it failed; "": it did not
    // Of the thread that opens, until it has ended.
    struct ss_coordinator *shell;
    int status;
    struct ss_error error;
    // Of the thread that watches.
    int64_t told_ms;          // in the log, last; 0: it was not told
    int64_t asked_to_stop_ms; // 0: it was not
};

// ------------------------------------------------ the thread that opens

static void failed(struct start *start, const char *why)
{
    ss_check(pthread_mutex_lock(&start->mutex) == 0);
    snprintf(start->why, sizeof(start->why), "%s", why);
    ss_check(pthread_mutex_unlock(&start->mutex) == 0);
}

static void asks(void *ctx, const char *what)
{
    struct start *start = ctx;
    failed(start, "");
    atomic_store(&start->since_ms, ss_clock_ms());
    atomic_store(&start->what, what);
}

static void asks_again(void *ctx, const char *why)
{
    failed(ctx, why);
}

static void *open_all(void *ctx)
{
    struct start *start = ctx;
    start->status =
        ss_coordinator_open(&start->options, &start->shell, &start->error);
    close(start->done[1]);
    return NULL;
}

// ------------------------------------------------ the one that looks

static bool has_failed(struct start *start)
{
    ss_check(pthread_mutex_lock(&start->mutex) == 0);
    bool has = start->why[0] != '\0';
    ss_check(pthread_mutex_unlock(&start->mutex) == 0);
    return has;
}

// 0: the store is not asked, or answers in time.
static int64_t silence_ms(struct start *start, int64_t now_ms)
{
    int64_t ms = now_ms - atomic_load(&start->since_ms);
    int64_t allowed_ms =
        has_failed(start) ? SS_STORE_FAILING_MS : SS_STORE_SILENT_MS;
    return atomic_load(&start->what) && ms >= allowed_ms ? ms : 0;
}

static void describe(struct start *start, int64_t ms, char *text, size_t size)
{
    const char *what = atomic_load(&start->what);
    ss_check(pthread_mutex_lock(&start->mutex) == 0);
    snprintf(text, size,
        "starting: the store has not answered for %lld s: it is to %s%s%s",
        (long long)ss_clock_seconds(ms), what ? what : "answer",
        start->why[0] ? ": " : "", start->why);
    ss_check(pthread_mutex_unlock(&start->mutex) == 0);
}

static void answers(struct start *start)
{
    if (start->told_ms == 0)
        return;
    start->told_ms = 0;
    ss_log_say(SS_LOG_INFO, "the store answers again");
    ss_metric_set(SS_METRIC_STORE_SILENT, 0);
}

static void look(struct start *start)
{
    char text[SS_HEALTH_SIZE];
    int64_t now_ms = ss_clock_ms();
    int64_t ms = silence_ms(start, now_ms);
    if (ms == 0) {
        answers(start);
        return;
    }
    describe(start, ms, text, sizeof(text));
    ss_health_set(text);
    ss_metric_set(SS_METRIC_STORE_SILENT, ms / 1000);
    if (start->told_ms != 0 && now_ms < start->told_ms + SS_STORE_TELL_MS)
        return;
    start->told_ms = now_ms;
    ss_log_say(SS_LOG_WARNING, "%s", text);
}

// A store that is only slow gets the time to answer: the loop takes the signal
// then, and ends as it always does.
static bool gives_up(const struct start *start, int64_t silence)
{
    return start->asked_to_stop_ms != 0 &&
           (silence > 0 ||
               ss_clock_ms() >= start->asked_to_stop_ms + SS_LEAVE_MS);
}

static bool has_ended(struct start *start, int signal_fd)
{
    struct pollfd fds[] = {{.fd = start->done[0], .events = POLLIN},
        {.fd = start->asked_to_stop_ms ? -1 : signal_fd, .events = POLLIN}};
    (void)poll(fds, 2, SS_STORE_FAILING_MS);
    if (fds[1].revents)
        start->asked_to_stop_ms = ss_clock_ms();
    return fds[0].revents != 0;
}

// False: opening was given up.
static bool wait_for(struct start *start, int signal_fd)
{
    while (!has_ended(start, signal_fd)) {
        look(start);
        if (gives_up(start, silence_ms(start, ss_clock_ms())))
            return false;
    }
    answers(start);
    return true;
}

static int given_up(struct start *start, struct ss_error *error)
{
    char text[SS_HEALTH_SIZE];
    describe(start, ss_clock_ms() - atomic_load(&start->since_ms), text,
        sizeof(text));
    return ss_error_set(error, SS_ETIMEOUT,
        "%s. It was asked to stop, and does not wait on", text);
}

static int begin(struct start *start, struct ss_error *error)
{
    if (pipe(start->done) != 0)
        return ss_error_set(error, SS_EIO, "pipe: %s", strerror(errno));
    int failed = pthread_create(&start->thread, NULL, open_all, start);
    if (failed == 0)
        return SS_OK;
    close(start->done[0]);
    close(start->done[1]);
    return ss_error_set(
        error, SS_EIO, "no thread to start on: %s", strerror(failed));
}

static int finish(struct start *start, struct ss_coordinator **ret_coordinator,
    struct ss_error *error)
{
    ss_check(pthread_join(start->thread, NULL) == 0);
    int status = start->status;
    *ret_coordinator = start->shell;
    if (status == SS_OK) {
        start->shell->measured_ms = 0; // whatever the last measurement said
        ss_shell_measure(start->shell);
    } else if (error) {
        *error = start->error;
    }
    close(start->done[0]);
    ss_check(pthread_mutex_destroy(&start->mutex) == 0);
    ss_free(start);
    return status;
}

int ss_start_open(const struct ss_coordinator_options *options, int signal_fd,
    struct ss_coordinator **ret_coordinator, bool *ret_has_ended,
    struct ss_error *error)
{
    struct start *start = ss_zalloc(1, sizeof(*start));
    start->options = *options;
    start->options.asks = asks;
    start->options.asks_again = asks_again;
    start->options.asks_ctx = start;
    *ret_has_ended = true;
    ss_check(pthread_mutex_init(&start->mutex, NULL) == 0);
    int status = begin(start, error);
    if (status != SS_OK) {
        ss_check(pthread_mutex_destroy(&start->mutex) == 0);
        ss_free(start);
        return status;
    }
    if (wait_for(start, signal_fd))
        return finish(start, ret_coordinator, error);
    *ret_has_ended = false;
    return given_up(start, error); // the thread keeps what it uses
}

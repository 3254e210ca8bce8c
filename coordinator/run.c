// run.c - a coordinator from its start to its end: open, wait for the first
// shards, step until asked to stop, drain, leave, close.
#include <signal.h>

#include "common/app/clock.h"
#include "common/app/notify.h"
#include "common/app/signals.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"
#include "coordinator/start.h"

static bool run_is_to_stop(void)
{
    int number = ss_signals_take();
    if (number != 0)
        ss_log_say(SS_LOG_INFO, "stopping: %s",
            number == SIGINT ? "interrupted" : "terminated");
    return number != 0;
}

// Wait for the first shards, which come within two or three questions to the
// database: peers that ask before would be sent away. False: the coordinator
// failed, or is to stop before.
static bool run_settle(struct ss_coordinator *shell, int signal_fd,
    int *ret_status, struct ss_error *error)
{
    int64_t until_ms = ss_clock_ms() + SS_SETTLE_MS;
    *ret_status = SS_OK;
    while (*ret_status == SS_OK && !ss_core_is_settled(shell->core) &&
           ss_clock_ms() < until_ms) {
        if (run_is_to_stop())
            return false;
        *ret_status =
            ss_coordinator_step(shell, signal_fd, SS_SETTLE_MS, error);
    }
    return *ret_status == SS_OK;
}

static void run_listen(
    struct ss_coordinator *shell, const struct ss_coordinator_options *options)
{
    shell->is_listening = true;
    shell->measured_ms = 0; // a peer that learns that we listen may ask at once
    ss_shell_measure(shell);
    if (options->ready)
        options->ready(options->ready_ctx, shell);
}

static int run_step_until_asked(
    struct ss_coordinator *shell, int signal_fd, struct ss_error *error)
{
    int status = SS_OK;
    while (status == SS_OK && !run_is_to_stop())
        status = ss_coordinator_step(shell, signal_fd, -1, error);
    return status;
}

// Step until `is_done`, a signal, or the end of the time; SS_OK in each case.
static int run_step_until(struct ss_coordinator *shell, int signal_fd,
    int64_t until_ms, bool (*is_done)(const struct ss_coordinator *shell),
    struct ss_error *error)
{
    int status = SS_OK;
    while (status == SS_OK && !is_done(shell) && ss_signals_take() == 0) {
        int64_t left_ms = until_ms - ss_clock_ms();
        if (left_ms <= 0)
            break;
        status = ss_coordinator_step(shell, signal_fd, (int)left_ms, error);
    }
    return status;
}

// A start may give up a silent store: what it acknowledged, of the shards that
// it has already, is durable.
static bool run_is_given_up(const struct ss_coordinator *shell)
{
    return !shell->is_listening && ss_watch_trouble(shell);
}

static bool run_is_drained(const struct ss_coordinator *shell)
{
    return ss_core_is_quiet(shell->core) || run_is_given_up(shell);
}

static bool run_has_left(const struct ss_coordinator *shell)
{
    return ss_core_has_left(shell->core) || run_is_given_up(shell);
}

static bool run_keeps_no_lease(const struct ss_coordinator *shell)
{
    return ss_shell_leases_rest(shell) || run_is_given_up(shell);
}

static int run_drain(
    struct ss_coordinator *shell, int signal_fd, struct ss_error *error)
{
    int64_t until_ms = ss_clock_ms() + shell->drain_ms;
    shell->is_leaving = true;
    ss_notify_stopping();
    ss_shell_feed(shell, &(struct ss_core_event){.type = SS_CORE_DRAIN});
    int status =
        run_step_until(shell, signal_fd, until_ms, run_is_drained, error);
    if (status != SS_OK)
        return status;
    if (!ss_core_is_quiet(shell->core))
        ss_log_say(SS_LOG_WARNING, "stopping with tasks under way");
    shell->stop_by_ms = ss_clock_ms() + SS_LEAVE_MS;
    // A renewal behind the end of the lease would make us a member again.
    status = run_step_until(
        shell, signal_fd, shell->stop_by_ms, run_keeps_no_lease, error);
    if (status != SS_OK)
        return status;
    ss_shell_feed(shell, &(struct ss_core_event){.type = SS_CORE_LEAVE});
    status = run_step_until(
        shell, signal_fd, shell->stop_by_ms, run_has_left, error);
    if (run_is_given_up(shell))
        shell->stop_by_ms = ss_clock_ms();
    return status;
}

// Jobs that were given to the store are finished, if it answers in time.
// Otherwise the store's threads are left as they are.
static bool run_end(
    struct ss_coordinator **coordinator, int *status, struct ss_error *error)
{
    struct ss_coordinator *shell = *coordinator;
    struct ss_error silence = {0};
    if (shell->stop_by_ms == 0)
        shell->stop_by_ms = ss_clock_ms() + SS_LEAVE_MS;
    if (ss_watch_finish(shell, &silence)) {
        ss_coordinator_close(coordinator);
        return true;
    }
    if (*status != SS_OK) {
        ss_log_say(SS_LOG_WARNING, "%s", silence.message);
        return false;
    }
    *status = silence.status;
    if (error)
        *error = silence;
    return false;
}

int ss_coordinator_run(const struct ss_coordinator_options *options,
    bool *ret_has_ended, struct ss_error *error)
{
    static const int signals[] = {SIGTERM, SIGINT};
    struct ss_coordinator *shell = NULL;
    int fd = -1;
    int status = ss_signals_open(signals, 2, &fd, error);
    *ret_has_ended = true;
    if (status != SS_OK)
        return status;
    status = ss_start_open(options, fd, &shell, ret_has_ended, error);
    if (status == SS_OK) {
        if (options->open)
            options->open(options->open_ctx, shell);
        if (run_settle(shell, fd, &status, error)) {
            run_listen(shell, options);
            status = run_step_until_asked(shell, fd, error);
        }
        if (status == SS_OK)
            status = run_drain(shell, fd, error);
        *ret_has_ended = run_end(&shell, &status, error);
    }
    ss_signals_close();
    return status;
}

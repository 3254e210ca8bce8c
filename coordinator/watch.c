// watch.c - whether the store answers: reported in the log, by /health and
// doctor.
//
//   answers --- silent for SS_STORE_SILENT_MS, or it says that it fails and
//      ^         tries again for SS_STORE_FAILING_MS ---> does not answer
//      +------------------ an answer ---------------------+
//
// The loop goes on meanwhile, so requests about it are answered; what has to be
// durable waits. A stop does not wait for ever: a thread that waits for a lock
// or a disk cannot be called back, so the process ends without it. Nothing of
// its work was acknowledged.
#include <stdio.h>

#include "common/app/clock.h"
#include "common/app/metrics.h"
#include "coordinator/limits.h"
#include "coordinator/shell_impl.h"

static bool longest_wait(
    const struct ss_coordinator *shell, struct ss_store_wait *ret_wait)
{
    struct ss_store_wait lease;
    int64_t answered_ms =
        shell->leases ? ss_store_actor_answered_ms(shell->leases) : 0;
    bool waits = ss_store_actors_wait(shell->actors, answered_ms, ret_wait);
    if (!shell->leases || !ss_store_actor_waits(shell->leases, 0, &lease) ||
        (waits && ret_wait->since_ms <= lease.since_ms))
        return waits;
    *ret_wait = lease;
    return true;
}

static void describe(struct ss_shell_watch *watch,
    const struct ss_store_wait *wait, int64_t now_ms)
{
    snprintf(watch->text, sizeof(watch->text),
        "the store has not answered for %lld s: %s%s",
        (long long)ss_clock_seconds(now_ms - wait->since_ms),
        wait->why[0] ? "" : "it is ", wait->why[0] ? wait->why : wait->what);
}

static bool is_silence(const struct ss_store_wait *wait, int64_t now_ms)
{
    if (!wait)
        return false;
    int64_t least_ms = wait->why[0] ? SS_STORE_FAILING_MS : SS_STORE_SILENT_MS;
    return now_ms - wait->since_ms >= least_ms;
}

// A silence began with the first who waited in it, whoever is answered first.
static enum ss_watch_news silent(struct ss_shell_watch *watch,
    const struct ss_store_wait *wait, int64_t now_ms)
{
    bool is_new = watch->since_ms == 0;
    if (is_new || wait->since_ms < watch->since_ms)
        watch->since_ms = wait->since_ms;
    // Who is asked nothing says nothing: a read finds out.
    bool is_stale =
        wait->failed_ms > 0 && now_ms >= wait->failed_ms + SS_STORE_STALE_MS;
    watch->is_away = wait->why[0] != '\0' && !is_stale;
    describe(watch, wait, now_ms);
    if (!is_new && now_ms < watch->told_ms + SS_STORE_TELL_MS)
        return SS_WATCH_NOTHING;
    watch->told_ms = now_ms;
    return SS_WATCH_SILENT;
}

static enum ss_watch_news answers(struct ss_shell_watch *watch, int64_t now_ms)
{
    if (watch->since_ms == 0)
        return SS_WATCH_NOTHING;
    watch->lasted_ms = now_ms - watch->since_ms;
    watch->since_ms = 0;
    watch->text[0] = '\0';
    return SS_WATCH_ANSWERS;
}

enum ss_watch_news ss_watch_see(struct ss_shell_watch *watch,
    const struct ss_store_wait *wait, int64_t now_ms)
{
    watch->look_at_ms = INT64_MAX;
    if (wait) // a store that fails says so on its own thread, which does not
              // wake the loop
        watch->look_at_ms = now_ms - wait->since_ms < SS_STORE_FAILING_MS
                                ? wait->since_ms + SS_STORE_FAILING_MS
                                : now_ms + SS_STORE_LOOK_MS;
    return is_silence(wait, now_ms) ? silent(watch, wait, now_ms)
                                    : answers(watch, now_ms);
}

static void tell(const struct ss_coordinator *shell, enum ss_watch_news news)
{
    const struct ss_shell_watch *watch = &shell->watch;
    if (news == SS_WATCH_SILENT)
        ss_log_say(SS_LOG_WARNING, "%s (%s)", watch->text, shell->store_name);
    if (news == SS_WATCH_ANSWERS)
        ss_log_say(SS_LOG_INFO, "the store answers again, after %lld s",
            (long long)ss_clock_seconds(watch->lasted_ms));
}

void ss_watch_turn(struct ss_coordinator *shell)
{
    int64_t now_ms = ss_clock_ms();
    struct ss_store_wait wait = {.since_ms = now_ms};
    shell->watch.look_at_ms = INT64_MAX;
    if (shell->is_opening)
        return; // start.c looks
    bool waits = longest_wait(shell, &wait);
    tell(shell, ss_watch_see(&shell->watch, waits ? &wait : NULL, now_ms));
    if (shell->is_measured)
        ss_metric_set(SS_METRIC_STORE_SILENT,
            ss_watch_trouble(shell) ? (now_ms - wait.since_ms) / 1000 : 0);
}

int64_t ss_watch_wake_at_ms(const struct ss_coordinator *shell)
{
    return shell->watch.look_at_ms;
}

const char *ss_watch_trouble(const struct ss_coordinator *shell)
{
    return shell->watch.since_ms ? shell->watch.text : NULL;
}

static bool all_are_slow(const int64_t ms[SS_STORE_PACE])
{
    for (size_t i = 0; i < SS_STORE_PACE; i++)
        if (ms[i] < SS_STORE_SLOW_MS)
            return false;
    return true;
}

const char *ss_watch_slow(struct ss_coordinator *shell)
{
    int64_t ms[SS_STORE_PACE];
    int64_t since_ms = ss_clock_ms() - SS_STORE_SLOW_KEPT_MS;
    bool is_slow = !shell->is_opening &&
                   ss_store_actors_pace(shell->actors, since_ms, ms) &&
                   all_are_slow(ms);
    if (!is_slow && shell->leases)
        is_slow = ss_store_actor_pace(shell->leases, since_ms, ms) &&
                  all_are_slow(ms);
    if (!is_slow)
        return NULL;
    snprintf(shell->watch.slow, sizeof(shell->watch.slow),
        "the store is slow: its last writes took %.1f s, %.1f s and %.1f s",
        (double)ms[2] / 1000, (double)ms[1] / 1000, (double)ms[0] / 1000);
    return shell->watch.slow;
}

const char *ss_watch_away(const struct ss_coordinator *shell)
{
    return shell->watch.is_away ? ss_watch_trouble(shell) : NULL;
}

bool ss_watch_finish(struct ss_coordinator *shell, struct ss_error *ret_error)
{
    struct ss_store_wait wait = {.since_ms = ss_clock_ms()};
    (void)ss_shell_leases_rest(shell);
    bool all = ss_store_actors_finish_until(shell->actors, shell->stop_by_ms);
    if (shell->leases)
        all &= ss_store_actor_finish_until(shell->leases, shell->stop_by_ms);
    if (shell->reader)
        all &= ss_store_actor_finish_until(shell->reader, shell->stop_by_ms);
    if (all)
        return true;
    size_t unhanded = ss_core_unhanded(shell->core);
    if (longest_wait(shell, &wait))
        describe(&shell->watch, &wait, ss_clock_ms());
    ss_error_set(ret_error, SS_ETIMEOUT,
        unhanded > 0 ? "%s. What was acknowledged is kept; %zu shards are "
                       "still ours until the lease ends"
                     : "%s. What was acknowledged is kept",
        shell->watch.text, unhanded);
    return false;
}

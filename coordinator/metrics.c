// metrics.c - a coordinator's numbers (common/app/metrics.def).
#include "common/app/metrics.h"

#include <stdio.h>

#include "common/app/clock.h"
#include "common/app/notify.h"
#include "common/model/value.h"
#include "coordinator/shell_impl.h"

// Measure at most so often: scrapers come every few seconds. And so many
// limits: their names are what graphs and operators say.
enum { MEASURE_EVERY_MS = 100, LIMITS_MAX = 100 };

static void measure_limits(const struct ss_engine *engine)
{
    static const struct {
        enum ss_metric metric;
        const char *key;
    } numbers[] = {{SS_METRIC_LIMIT_MAX, "tasks_max"},
        {SS_METRIC_LIMIT_PARTS, "here"}, {SS_METRIC_LIMIT_OUT, "out"},
        {SS_METRIC_LIMIT_HELD, "held"}, {SS_METRIC_LIMIT_WAITING, "stopped"}};
    json_t *limits = ss_engine_limits(engine, LIMITS_MAX);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        json_t *all = json_object(), *limit;
        size_t k;
        json_array_foreach (limits, k, limit)
            json_object_set_new(all, ss_json_str(limit, "limit", ""),
                json_integer(ss_json_int(limit, numbers[i].key, 0)));
        ss_metric_set_limits(numbers[i].metric, all);
    }
    json_decref(limits);
}

static void measure_engine(const struct ss_coordinator *shell)
{
    struct ss_engine_counts counts;
    ss_engine_count(ss_core_engine(shell->core), &counts);
    ss_metric_set(SS_METRIC_RUNS_STARTED, counts.runs_started);
    ss_metric_set(SS_METRIC_RUNS_DONE, counts.runs_done);
    ss_metric_set(SS_METRIC_RUNS_FAILED, counts.runs_failed);
    ss_metric_set(SS_METRIC_RUNS_ACTIVE, counts.runs_active);
    ss_metric_set(SS_METRIC_RUNS_QUEUED, counts.runs_queued);
    ss_metric_set(SS_METRIC_SUPERSTEPS, counts.supersteps);
    ss_metric_set(SS_METRIC_TASKS_SENT, counts.attempts_sent);
    ss_metric_set(SS_METRIC_TASKS_READY, counts.tasks_ready);
    ss_metric_set(SS_METRIC_TASKS_RUNNING, counts.tasks_running);
    ss_metric_set(SS_METRIC_ATTEMPTS_FAILED, counts.attempts_failed);
    ss_metric_set(SS_METRIC_ATTEMPTS_LOST, counts.attempts_lost);
    ss_metric_set(SS_METRIC_THREADS_LOADED, counts.threads);
    ss_metric_set(SS_METRIC_WORKERS, counts.workers);
    ss_metric_set(SS_METRIC_CAPACITY, counts.capacity);
    ss_metric_set(SS_METRIC_SHARDS, counts.shards);
    ss_metric_set(SS_METRIC_PAUSES, counts.pauses);
    measure_limits(ss_core_engine(shell->core));
}

static void measure_store(struct ss_coordinator *shell)
{
    struct ss_store_actor_stats stats = ss_store_actors_stats(shell->actors);
    ss_metric_set(SS_METRIC_STORE_BATCHES, (int64_t)stats.commits);
    ss_metric_set(SS_METRIC_STORE_UNITS, (int64_t)stats.units);
}

static void measure_link(const struct ss_coordinator *shell)
{
    struct ss_link_counts counts;
    ss_link_counts(shell->link, &counts);
    ss_metric_set(SS_METRIC_CONNECTIONS, (int64_t)counts.connections);
    ss_metric_set(SS_METRIC_CONNECTIONS_ACCEPTED, (int64_t)counts.accepted);
    ss_metric_set(SS_METRIC_CONNECTIONS_REFUSED,
        (int64_t)(counts.refused_full + counts.refused_rate));
    ss_metric_set(SS_METRIC_FLOODS, (int64_t)counts.floods);
    ss_metric_set(SS_METRIC_KEYS_REFUSED, (int64_t)counts.refused_key);
    ss_metric_set(SS_METRIC_HANDSHAKES_DELAYED, (int64_t)counts.delayed);
    ss_metric_set(SS_METRIC_HANDSHAKES_TIMED_OUT, (int64_t)counts.timed_out);
    ss_metric_set(SS_METRIC_UNREAD, (int64_t)counts.unread);
    ss_metric_set(SS_METRIC_HEAVY, (int64_t)counts.heavy);
    ss_metric_set(SS_METRIC_MESSAGES_DROPPED, (int64_t)counts.dropped);
    ss_metric_set(SS_METRIC_LOG_SILENCED, (int64_t)shell->complaints.silenced);
}

const char *ss_shell_trouble(struct ss_coordinator *shell)
{
    const char *store = ss_watch_trouble(shell);
    const char *own = store ? NULL : ss_core_trouble(shell->core);
    const char *slow = own ? ss_watch_slow(shell) : NULL;
    if (!slow)
        return store ? store : own;
    // A lease ends before a write that would renew it does.
    snprintf(shell->watch.lost, sizeof(shell->watch.lost), "%.100s: %.600s",
        own, slow);
    return shell->watch.lost;
}

void ss_shell_measure(struct ss_coordinator *shell)
{
    int64_t now_ms = ss_clock_ms();
    ss_live_set(0); // it is the last of a turn
    if (!shell->is_measured || shell->is_opening)
        return;
    // Changes of this turn are measured soon, even if no other turn comes.
    if (now_ms < shell->measured_ms + MEASURE_EVERY_MS) {
        shell->measure_at_ms = shell->measured_ms + MEASURE_EVERY_MS;
        return;
    }
    shell->measured_ms = now_ms;
    measure_engine(shell);
    measure_store(shell);
    measure_link(shell);
    const char *why = ss_shell_trouble(shell);
    if (!why && shell->is_leaving)
        why = "it leaves: others take over";
    ss_health_set(why);
    if (!why && !shell->is_listening)
        why = "it starts";
    shell->measure_at_ms = ss_notify_turn(now_ms, why);
}

void ss_shell_measure_job(const struct ss_job *job)
{
    if (job->type == SS_JOB_APPLY && job->begun_us > 0)
        ss_metric_took(SS_METRIC_STORE_TIMES, ss_clock_us() - job->begun_us);
}

// run_log.c - what becomes of runs, as lines of the log.
#include <string.h>

#include "common/app/clock.h"
#include "coordinator/shell_impl.h"

// What fails, fails often: a graph is named once in a while.
static void tell_failed(struct ss_coordinator *shell,
    const struct ss_log_subject *subject, const char *graph)
{
    if (ss_log_limit_due(&shell->complaints, "failed", graph, ss_clock_ms()))
        ss_log_about(SS_LOG_INFO, subject,
            "run %s of graph %s on thread %s failed: superstep explain says "
            "why. Others of this graph are not told for ten minutes",
            subject->run, graph, subject->thread);
}

static void tell_record(struct ss_coordinator *shell, const json_t *record)
{
    const struct ss_log_subject subject = {
        .thread = ss_json_str(record, "thread", "?"),
        .run = ss_json_str(record, "run", "?")};
    const char *status = ss_json_str(record, "status", "?");
    const char *graph = ss_json_str(record, "graph", "?");
    if (strcmp(status, "failed") == 0)
        tell_failed(shell, &subject, graph);
    else if (strcmp(status, "quarantined") == 0)
        ss_log_about(SS_LOG_WARNING, &subject,
            "run %s of graph %s on thread %s is quarantined: coordinators "
            "ended while they had it; superstep explain, then superstep "
            "release",
            subject.run, graph, subject.thread);
    else
        ss_log_about(SS_LOG_DEBUG, &subject, "run %s of graph %s: %s",
            subject.run, graph, status);
}

// `record` NULL: what has that key goes on.
static void tell_pause(const char *key, const json_t *record)
{
    const char *colon = strchr(key, ':'); // "graph:NAME", "all"
    const char *reason = ss_json_str(record, "reason", NULL);
    const char *by = ss_json_str(record, "by", NULL);
    ss_log_say(SS_LOG_INFO, "%s%s %s%s%s%s%s", colon ? "graph " : "everything",
        colon ? colon + 1 : "", record ? "is paused" : "goes on",
        by ? " by " : "", by ? by : "", reason ? ": " : "",
        reason ? reason : "");
}

void ss_run_log_tell(
    struct ss_coordinator *shell, const struct ss_command *command)
{
    for (size_t i = 0; i < command->puts_count; i++) {
        const struct ss_command_put *put = &command->puts[i];
        if (put->table == SS_RECORD_RUN && json_is_object(put->value))
            tell_record(shell, put->value);
        if (put->table == SS_RECORD_PAUSE)
            tell_pause(put->key, put->value);
    }
}

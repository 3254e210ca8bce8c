// run_log.c - what becomes of runs, as lines of the log.
#include <string.h>

#include "common/base/mem.h"
#include "common/model/json_late.h"
#include "common/model/run_status.h"
#include "coordinator/core/core_impl.h"

// A graph that fails, fails often: it is logged once in a while.
static void run_log_failed(struct ss_core *core,
    const struct ss_core_subject *subject, const char *graph)
{
    ss_core_say_seldom(core, SS_CORE_INFO, subject, "failed", graph,
        "run %s of graph %s on thread %s failed: superstep explain says "
        "why. Others of this graph are not told for ten minutes",
        subject->run, graph, subject->thread);
}

// "node "greet": give me a name". Gives; NULL where nothing is said.
static char *run_log_error(const json_t *error)
{
    const char *why = ss_json_str(error, "message", NULL);
    const char *node = ss_json_str(error, "node", NULL);
    if (!why || !node)
        return ss_strdup(why);
    char *named = ss_format("node \"%s\"", node);
    char *line =
        strstr(why, named) ? ss_strdup(why) : ss_format("%s: %s", named, why);
    ss_free(named);
    return line;
}

// What the run ended with, where these rows end it; else NULL. Gives.
static char *run_log_why(const struct ss_command *command, const char *run)
{
    for (size_t i = 0; i < command->rows_count; i++) {
        const struct ss_row *row = command->rows[i];
        if (row->end && strcmp(ss_json_str(row->end, "run", ""), run) == 0)
            return run_log_error(json_object_get(row->end, "error"));
    }
    return NULL;
}

// Nobody who looks at the log reads every run's record.
static bool run_log_tells(const struct ss_core *core, enum ss_run_status status)
{
    return status == SS_RUN_FAILED || status == SS_RUN_QUARANTINED ||
           core->options.says_debug;
}

static void run_log_record(struct ss_core *core,
    const struct ss_command *command, const json_t *record)
{
    const struct ss_core_subject subject = {
        .thread = ss_json_str(record, "thread", "?"),
        .run = ss_json_str(record, "run", "?")};
    enum ss_run_status status = ss_run_status_of(record);
    const char *graph = ss_json_str(record, "graph", "?");
    char *why = status == SS_RUN_FAILED && core->options.says_failures
                    ? run_log_why(command, subject.run)
                    : NULL;
    if (why)
        ss_core_say_about(core, SS_CORE_INFO, &subject,
            "run %s of graph %s on thread %s failed: %s", subject.run, graph,
            subject.thread, why);
    else if (status == SS_RUN_FAILED)
        run_log_failed(core, &subject, graph);
    else if (status == SS_RUN_QUARANTINED)
        ss_core_say_about(core, SS_CORE_WARNING, &subject,
            "run %s of graph %s on thread %s is quarantined: coordinators "
            "ended while they had it; superstep explain, then superstep "
            "release",
            subject.run, graph, subject.thread);
    else
        ss_core_say_about(core, SS_CORE_DEBUG, &subject,
            "run %s of graph %s: %s", subject.run, graph,
            ss_json_str(record, "status", "?"));
    ss_free(why);
}

// `record` NULL: the graph or version of that key goes on.
static void run_log_pause(
    struct ss_core *core, const char *key, const json_t *record)
{
    const char *colon = strchr(key, ':'); // "graph:NAME", "all"
    const char *reason = ss_json_str(record, "reason", NULL);
    const char *by = ss_json_str(record, "by", NULL);
    ss_core_say(core, SS_CORE_INFO, "%s%s %s%s%s%s%s",
        colon ? "graph " : "everything", colon ? colon + 1 : "",
        record ? "is paused" : "goes on", by ? " by " : "", by ? by : "",
        reason ? ": " : "", reason ? reason : "");
}

// Gives; NULL: it is deleted, or as large as a request that waits may be.
static json_t *run_log_read(const struct ss_command_put *put)
{
    struct ss_error error;
    json_t *record = NULL;
    char *made = put->late ? ss_json_late_text(put->late) : NULL;
    const char *text = made ? made : put->value;
    if (text && ss_json_parse(text, strlen(text), &record, &error) != SS_OK)
        record = NULL;
    ss_free(made);
    return record;
}

void ss_core_run_log(struct ss_core *core, const struct ss_command *command)
{
    for (size_t i = 0; i < command->puts_count; i++) {
        const struct ss_command_put *put = &command->puts[i];
        bool is_run = put->table == SS_RECORD_RUN &&
                      (put->value || put->late) &&
                      run_log_tells(core, put->status);
        if (!is_run && put->table != SS_RECORD_PAUSE)
            continue;
        json_t *record = run_log_read(put);
        if (is_run && record)
            run_log_record(core, command, record);
        else if (!is_run)
            run_log_pause(core, put->key, record);
        json_decref(record);
    }
}

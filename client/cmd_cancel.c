// cmd_cancel.c - superstep cancel RUN, or all that are under way.
#include <stdio.h>

#include "client/cli/bulk.h"
#include "client/commands.h"
#include "common/model/run_status.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *thread, *graph, *reason;
static bool rollback;

const struct ss_arg ss_cmd_cancel_options[] = {SS_CLI_WORDS(words, "RUN", 0, 1),
    SS_CLI_THREAD_OF_RUN(thread),
    SS_CLI_GRAPH(graph, "without RUN: those of this graph that are under way"),
    SS_CLI_FLAG("rollback", 0, rollback,
        "take back what it did: as if it had never been asked for"),
    SS_CLI_TEXT("reason", 0, reason, "TEXT", "why, which its error tells"),
    SS_CLI_ALL(ss_bulk_query.all), SS_WHICH_SINCE(ss_bulk_query.which),
    SS_WHICH_UNTIL(ss_bulk_query.which), SS_WHICH_META(ss_bulk_query.which),
    SS_WHICH_PREFIX(ss_bulk_query.which), SS_CLI_YES(ss_bulk_query.yes),
    SS_CLI_OPTIONS};

static void say(const char *id, const json_t *answer)
{
    const char *status = ss_json_str(answer, "status", "?");
    if (ss_cli_options.json)
        printf("{\"status\": \"%s\"}\n", status);
    else if (ss_run_status_by_name(status) != SS_RUN_CANCELLED)
        ss_cli_line(stdout, "run %s had already ended: %s", id, status);
    else if (rollback)
        ss_cli_line(stdout, "run %s is taken back", id);
    else
        ss_cli_line(stdout,
            "run %s is cancelled; what its finished supersteps wrote is "
            "kept",
            id);
}

// A status of the client's; gives the answer where it is 0.
static int cancel(struct ss_client *client, const char *of, const char *run,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    json_t *body = json_pack("{s:s, s:s*, s:s*, s:s*}", "run", run, "thread",
        of, "action", rollback ? "rollback" : NULL, "reason", reason);
    return ss_client_ask(client, "cancel", body, NULL, ret_answer, ret_error);
}

static int cancel_any(struct ss_client *client, const json_t *run, void *ctx,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    json_t *answer = NULL;
    (void)ctx;
    (void)ret_answer; // it is the same run
    int status = cancel(client, ss_json_str(run, "thread", NULL),
        ss_json_str(run, "run", ""), &answer, ret_error);
    json_decref(answer);
    return status;
}

int ss_cmd_cancel(struct ss_client *client)
{
    const struct ss_bulk all = {.list = "runs",
        .states = {ss_run_status_name(SS_RUN_QUEUED),
            ss_run_status_name(SS_RUN_RUNNING)},
        .graph = graph,
        .what = "run",
        .verb = rollback ? "take back" : "cancel",
        .done = rollback ? "is taken back" : "is cancelled",
        .act = cancel_any};
    int status;
    if (ss_bulk_takes(client, &words, thread, &all, &status))
        return status;
    const char *id = words.items[0];
    struct ss_client_error error;
    json_t *answer = NULL;
    if (cancel(client, thread, id, &answer, &error) != 0)
        status = ss_cli_client_fail(client, &error, NULL, thread);
    else
        say(id, answer);
    json_decref(answer);
    return status;
}

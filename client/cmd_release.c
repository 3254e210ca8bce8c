// cmd_release.c - superstep release RUN, or all that are quarantined.
#include <stdio.h>

#include "client/cli/bulk.h"
#include "client/commands.h"
#include "common/model/run_status.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *thread, *graph;

const struct ss_arg ss_cmd_release_options[] = {
    SS_CLI_WORDS(words, "RUN", 0, 1), SS_CLI_THREAD_OF_RUN(thread),
    SS_CLI_GRAPH(graph, "without RUN: those of this graph"),
    SS_CLI_ALL(ss_bulk_query.all), SS_WHICH_SINCE(ss_bulk_query.which),
    SS_WHICH_UNTIL(ss_bulk_query.which), SS_WHICH_META(ss_bulk_query.which),
    SS_WHICH_PREFIX(ss_bulk_query.which), SS_CLI_YES(ss_bulk_query.yes),
    SS_CLI_OPTIONS};

static int release_any(struct ss_client *client, const json_t *run, void *ctx,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    (void)ctx;
    (void)ret_answer; // it is the same run
    return ss_client_release_on(client, ss_json_str(run, "thread", NULL),
        ss_json_str(run, "run", ""), ret_error);
}

int ss_cmd_release(struct ss_client *client)
{
    const struct ss_bulk all = {.act = release_any,
        .list = "runs",
        .states = {ss_run_status_name(SS_RUN_QUARANTINED)},
        .graph = graph,
        .what = "quarantined run",
        .verb = "let go on",
        .done = "goes on"};
    int status;
    if (ss_bulk_takes(client, &words, thread, &all, &status))
        return status;
    const char *id = words.items[0];
    struct ss_client_error error;
    if (ss_client_release_on(client, thread, id, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    if (ss_cli_options.json)
        printf("{\"status\": \"running\"}\n");
    else
        ss_cli_line(stdout,
            "run %s goes on; it was quarantined for ending its coordinator",
            id);
    return SS_CLI_DONE;
}

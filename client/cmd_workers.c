// cmd_workers.c - superstep workers: who runs the nodes.
#include "client/cli/list.h"
#include "client/commands.h"

static bool names;

static const struct ss_arg options[] = {
    {.name = "names",
        .kind = SS_ARG_FLAG,
        .to = &names,
        .help = "the names only, one a line"},
    SS_CLI_OPTIONS};

static const struct ss_list_column columns[] = {
    {"WORKER", "worker", SS_LIST_TEXT, false},
    {"GRAPHS", "graphs", SS_LIST_GRAPHS, true},
    {"RUNNING", "running", SS_LIST_NUMBER, false},
    {"CAPACITY", "capacity", SS_LIST_NUMBER, false},
    {"ATTEMPTS", "attempts", SS_LIST_NUMBER, false},
    {"LOST", "lost", SS_LIST_NUMBER, false},
    {"LAST SEEN", "seen_ms", SS_LIST_AGO, false},
};

static int run(struct ss_client *client)
{
    json_t *workers;
    struct ss_client_error error;
    if (ss_client_workers(client, &workers, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, NULL);
    if (names)
        ss_cli_print_names(workers, "worker");
    else
        ss_cli_print_list(workers, columns,
            sizeof(columns) / sizeof(columns[0]),
            "No worker is there. Start one: superstep-worker --app APP.so");
    json_decref(workers);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_workers = {
    .name = "workers",
    .usage = "[--names]",
    .summary = "list the workers and what they do",
    .options = options,
    .run = run,
};

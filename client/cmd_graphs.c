// cmd_graphs.c - superstep graphs: what can be run.
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
    {"GRAPH", "name", SS_LIST_TEXT, false},
    {"VERSION", "version", SS_LIST_VERSION, false},
    {"NODES", "nodes", SS_LIST_NUMBER, false},
    {"WORKERS", "workers", SS_LIST_NUMBER, false},
};

static int run(struct ss_client *client)
{
    json_t *graphs;
    struct ss_client_error error;
    if (ss_client_graphs(client, &graphs, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, NULL);
    if (names)
        ss_cli_print_names(graphs, "name");
    else
        ss_cli_print_list(graphs, columns, sizeof(columns) / sizeof(columns[0]),
            "No graph is known yet. Start a worker: superstep-worker --app "
            "APP.so");
    json_decref(graphs);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_graphs = {
    .name = "graphs",
    .usage = "[--names]",
    .summary = "list the graphs that workers serve",
    .options = options,
    .run = run,
};

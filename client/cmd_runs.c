// cmd_runs.c - superstep runs: what runs, and what ran.
#include "client/cli/list.h"
#include "client/cli/paused.h"
#include "client/commands.h"

static const char *thread;
static const char *after;
static int64_t limit;
static bool names;

static const struct ss_arg options[] = {{.name = "thread",
                                            .letter = 't',
                                            .kind = SS_ARG_TEXT,
                                            .to = &thread,
                                            .value = "THREAD",
                                            .help = "those of this thread"},
    {.name = "limit",
        .letter = 'n',
        .kind = SS_ARG_INT,
        .to = &limit,
        .value = "N",
        .min = 1,
        .max = 1000000,
        .help = "so many at most"},
    {.name = "after",
        .kind = SS_ARG_TEXT,
        .to = &after,
        .value = "RUN|KEY",
        .help = "those that follow all of this name, or, with the \"key\"\n"
                "that --json shows of one, that one"},
    {.name = "names",
        .kind = SS_ARG_FLAG,
        .to = &names,
        .help = "the ids only, one a line"},
    SS_CLI_OPTIONS};

static const struct ss_list_column columns[] = {
    {"RUN", "run", SS_LIST_ID, false},
    {"THREAD", "thread", SS_LIST_TEXT, true},
    {"GRAPH", "graph", SS_LIST_TEXT, false},
    {"STATUS", "status", SS_LIST_TEXT, false},
    {"CREATED", "created_at", SS_LIST_TIME, false},
};

static int run(struct ss_client *client)
{
    json_t *runs;
    struct ss_client_error error;
    json_t *more = json_object();
    if (thread)
        json_object_set_new(more, "thread", json_string(thread));
    if (limit)
        json_object_set_new(more, "limit", json_integer(limit));
    if (after)
        json_object_set_new(more, "after", json_string(after));
    if (ss_client_runs(client, more, &runs, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    if (!ss_cli_options.json)
        ss_paused_mark(runs);
    if (names)
        ss_cli_print_names(runs, "run");
    else
        ss_cli_print_list(runs, columns, sizeof(columns) / sizeof(columns[0]),
            "There is no run yet.");
    json_decref(runs);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_runs = {
    .name = "runs",
    .usage = "[options]",
    .summary = "list the runs",
    .options = options,
    .run = run,
};

// cmd_threads.c - superstep threads: what has state.
#include "client/cli/list.h"
#include "client/commands.h"

static int64_t limit;
static const char *after;
static bool names;

static const struct ss_arg options[] = {{.name = "limit",
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
        .value = "THREAD",
        .help = "those that follow this one"},
    {.name = "names",
        .kind = SS_ARG_FLAG,
        .to = &names,
        .help = "the names only, one a line"},
    SS_CLI_OPTIONS};

static const struct ss_list_column columns[] = {
    {"THREAD", "thread", SS_LIST_TEXT, true},
    {"GRAPH", "graph", SS_LIST_TEXT, false},
    {"CREATED", "created_at", SS_LIST_TIME, false},
};

static int run(struct ss_client *client)
{
    json_t *threads;
    struct ss_client_error error;
    json_t *more = json_object();
    if (limit)
        json_object_set_new(more, "limit", json_integer(limit));
    if (after)
        json_object_set_new(more, "after", json_string(after));
    if (ss_client_threads(client, more, &threads, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, NULL);
    if (names)
        ss_cli_print_names(threads, "thread");
    else
        ss_cli_print_list(threads, columns,
            sizeof(columns) / sizeof(columns[0]),
            "There is no thread yet. Begin one: superstep run GRAPH --input "
            "JSON");
    json_decref(threads);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_threads = {
    .name = "threads",
    .usage = "[options]",
    .summary = "list the threads",
    .options = options,
    .run = run,
};

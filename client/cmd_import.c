// cmd_import.c - superstep import langgraph: threads from LangGraph's tables.
#include <string.h>

#include "client/cli/list.h"
#include "client/cli/move.h"
#include "client/commands.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *thread;
static const char *name;
static const char *graph;

static const struct ss_arg options[] = {
    {.name = "langgraph",
        .kind = SS_ARG_REST,
        .to = &words,
        .value = "langgraph and DSN|FILE",
        .min = 2,
        .max = 2},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .help = "only this one; default: all"},
    {.name = "as",
        .kind = SS_ARG_TEXT,
        .to = &name,
        .value = "NAME",
        .help = "its name here, with --thread"},
    {.name = "graph",
        .letter = 'g',
        .kind = SS_ARG_TEXT,
        .to = &graph,
        .value = "GRAPH",
        .help = "the graph that they are of; default: who runs them says it"},
    SS_CLI_OPTIONS};

static const struct ss_list_column columns[] = {
    {"THREAD", "thread", SS_LIST_TEXT, true},
    {"CHECKPOINTS", "checkpoints", SS_LIST_NUMBER, false},
    {"ROWS", "rows", SS_LIST_NUMBER, false},
};

static int import(struct ss_client *client, struct ss_saver *saver,
    const char *from, const char *to, json_t *reports)
{
    struct ss_error error;
    json_t *report = NULL;
    if (ss_move_in(client, saver, from, to, graph, &report, &error) != SS_OK)
        return ss_cli_fail("thread %s: %s", from, error.message);
    json_array_append_new(reports, report);
    return SS_CLI_DONE;
}

// One that cannot be imported does not keep the others from it.
static int import_all(
    struct ss_client *client, struct ss_saver *saver, json_t *reports)
{
    struct ss_error error;
    json_t *list = NULL, *item;
    int status = SS_CLI_DONE;
    size_t i;
    if (ss_saver_threads(saver, &list, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    json_array_foreach (list, i, item) {
        const char *one = json_string_value(item);
        if (import(client, saver, one, one, reports) != SS_CLI_DONE)
            status = SS_CLI_FAILED;
    }
    json_decref(list);
    return status;
}

static int run(struct ss_client *client)
{
    struct ss_saver *saver = NULL;
    struct ss_error error;
    if (strcmp(words.items[0], "langgraph") != 0)
        return ss_cli_usage(
            "\"%s\" is not known; what is: langgraph", words.items[0]);
    if (name && !thread)
        return ss_cli_usage("--as needs --thread");
    if (ss_saver_open(words.items[1], false, &saver, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    json_t *reports = json_array();
    int status = thread ? import(client, saver, thread, name ? name : thread,
                              reports)
                        : import_all(client, saver, reports);
    if (status == SS_CLI_DONE || json_array_size(reports) > 0)
        ss_cli_print_list(reports, columns,
            sizeof(columns) / sizeof(columns[0]), "There is no thread.");
    json_decref(reports);
    ss_saver_close(&saver);
    return status;
}

const struct ss_cli_command ss_cmd_import = {
    .name = "import",
    .usage = "langgraph DSN|FILE [options]",
    .summary = "take over threads from LangGraph's tables",
    .about = "DSN: postgres://..., as LangGraph's PostgresSaver takes it. FILE:"
             " of its SqliteSaver.\nThreads come with their history and what is"
             " pending; nothing there is changed.",
    .options = options,
    .word = SS_CLI_WORD_FILE,
    .run = run,
};

// cmd_import.c - superstep import langgraph: threads from LangGraph's tables.
#include "client/cli/find.h"
#include "client/cli/foreign.h"
#include "client/cli/move.h"
#include "client/commands.h"

static const char *graph;

const struct ss_arg ss_cmd_import_options[] = {
    SS_CLI_GRAPH(
        graph, "the graph they belong to; default: the first run names it"),
    SS_FOREIGN_OPTIONS};

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

// A thread that cannot be imported does not stop the others.
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

int ss_cmd_import(struct ss_client *client)
{
    static const struct ss_foreign how = {
        .columns = {{"THREAD", "thread", SS_LIST_TEXT, true},
            {"CHECKPOINTS", "checkpoints", SS_LIST_NUMBER, false},
            {"ROWS", "rows", SS_LIST_NUMBER, false}},
        .one = import,
        .all = import_all};
    // A thread keeps the graph that it came in with.
    if (graph)
        ss_cli_warn_unknown(client, graph, NULL);
    return ss_foreign_run(&how, client);
}

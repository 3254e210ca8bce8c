// cmd_history.c - superstep history THREAD: its checkpoints, newest first.
#include "client/cli/find.h"
#include "client/cli/snapshot.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *ns;
static const char *graph;
static int64_t limit;

const struct ss_arg ss_cmd_history_options[] = {SS_CLI_WORD(words, "THREAD"),
    SS_CLI_LIMIT(limit, "at most this many"), SS_CLI_NS(ns),
    SS_CLI_GRAPH_OF_THREAD(graph), SS_CLI_OPTIONS};

static void print(const json_t *history)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    size_t more = limit && json_array_size(history) > (size_t)limit;
    struct ss_screen screen = ss_cli_screen();
    ss_history_write(history, more, &screen, &buf);
    ss_cli_print_buf(&buf);
}

int ss_cmd_history(struct ss_client *client)
{
    const char *thread = words.items[0];
    json_t *history;
    struct ss_client_error error;
    // One more than is shown: the last one shown is compared with it.
    int64_t count = limit && !ss_cli_options.json ? limit + 1 : limit;
    json_t *more = json_pack("{s:o*, s:s*, s:s*}", "limit",
        ss_cli_number(count), "checkpoint_ns", ns, "graph", graph);
    if (ss_client_history(client, thread, more, &history, &error) != 0)
        return ss_cli_state_fail(client, &error, graph, thread);
    int status = SS_CLI_DONE;
    if (ss_cli_options.json)
        ss_cli_print_json(history);
    else if (json_array_size(history) > 0)
        print(history);
    else
        status = ss_cli_no_state(client, thread, ns);
    json_decref(history);
    return status;
}

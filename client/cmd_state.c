// cmd_state.c - superstep state THREAD: what a thread holds, and what is next.
#include <stdio.h>

#include "client/cli/advice.h"
#include "client/cli/find.h"
#include "client/cli/ids.h"
#include "client/cli/readable.h"
#include "client/cli/snapshot.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static bool all;
static const char *checkpoint;
static const char *ns;
static const char *graph;
static bool subgraphs;

const struct ss_arg ss_cmd_state_options[] = {SS_CLI_WORD(words, "THREAD"),
    SS_CLI_AT(checkpoint, "as it was there"), SS_CLI_NS(ns),
    SS_CLI_GRAPH_OF_THREAD(graph),
    SS_CLI_FLAG("subgraphs", 0, subgraphs, "what inner graphs hold too"),
    SS_CLI_FLAG("all", 0, all, "all of it on a terminal too"), SS_CLI_OPTIONS};

static json_t *request(const char *at)
{
    return json_pack("{s:s*, s:s*, s:s*, s:o*}", "checkpoint_id", at,
        "checkpoint_ns", ns, "graph", graph, "subgraphs",
        ss_cli_flag(subgraphs));
}

static void print(const json_t *state)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    struct ss_screen screen = ss_cli_screen();
    json_t *readable = ss_readable(state);
    bool is_cut = ss_snapshot_write(readable, &screen, all, &buf);
    json_decref(readable);
    ss_cli_print_buf(&buf);
    if (is_cut) {
        const char *at = ss_snapshot_id(state);
        ss_cli_tell_all(words.items[0], checkpoint ? at : NULL, ns);
    }
    json_t *interrupts = json_object_get(state, "interrupts");
    if (json_array_size(interrupts) > 0 && !checkpoint) {
        puts("");
        ss_cli_advise(NULL, words.items[0], interrupts, stdout);
    }
}

int ss_cmd_state(struct ss_client *client)
{
    const char *thread = words.items[0];
    char *at = NULL;
    if (checkpoint) {
        int status =
            ss_cli_find_checkpoint(client, thread, ns, checkpoint, &at);
        if (status != SS_CLI_DONE)
            return status;
    }
    json_t *state;
    struct ss_client_error error;
    int status = ss_client_state(client, thread, request(at), &state, &error);
    if (status != 0) {
        ss_free(at);
        return ss_cli_state_fail(client, &error, graph, thread);
    }
    status = SS_CLI_DONE;
    if (ss_cli_options.json)
        ss_cli_print_json(state);
    else if (ss_snapshot_is_there(state))
        print(state);
    else if (json_object_get(state, "facts"))
        ss_cli_line(stdout,
            "thread %s: nothing has run on it yet. superstep thread %s "
            "tells what is said of it",
            thread, thread);
    else
        status = at ? ss_cli_fail("thread %s has no checkpoint %s. superstep "
                                  "history %s lists them",
                          thread, at, thread)
                    : ss_cli_no_state(client, thread, ns);
    json_decref(state);
    ss_free(at);
    return status;
}

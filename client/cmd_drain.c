// cmd_drain.c - superstep drain WORKER.
#include <stdio.h>

#include "client/commands.h"

static struct ss_arg_list words;

const struct ss_arg ss_cmd_drain_options[] = {
    SS_CLI_WORD(words, "WORKER"), SS_CLI_OPTIONS};

int ss_cmd_drain(struct ss_client *client)
{
    json_t *answer = NULL;
    const char *name = words.items[0];
    int status = ss_cli_ask(
        client, "drain", json_pack("{s:s}", "worker", name), NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    if (ss_cli_options.json)
        printf("{\"status\": \"draining\"}\n");
    else
        ss_cli_line(stdout,
            "worker %s leaves: it finishes what it runs, and hands back "
            "what it has not begun",
            name);
    json_decref(answer);
    return SS_CLI_DONE;
}

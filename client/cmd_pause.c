// cmd_pause.c - superstep pause GRAPH: send no more tasks of its runs.
#include <stdio.h>
#include <stdlib.h>

#include "client/cli/scope.h"
#include "client/commands.h"
#include "common/base/mem.h"

static const char *reason;

const struct ss_arg ss_cmd_pause_options[] = {
    SS_CLI_TEXT("reason", 'r', reason, "TEXT", "why: who waits for it is told"),
    SS_SCOPE_OPTIONS};

int ss_cmd_pause(struct ss_client *client)
{
    json_t *answer = NULL;
    const char *user = getenv("USER"); // may be any bytes
    json_t *more = json_pack("{s:s*, s:o*}", "reason", reason, "by",
        user ? json_string(user) : NULL);
    int status = ss_scope_ask(client, "pause", more, &answer);
    if (status != SS_CLI_DONE)
        return status;
    const char *graph = ss_scope_graph();
    char *scope = ss_scope_text();
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else
        printf("%s is paused: no new task of it is sent, what runs ends. "
               "superstep unpause %s lets it go on\n",
            scope, graph ? graph : "--all");
    ss_free(scope);
    json_decref(answer);
    return SS_CLI_DONE;
}

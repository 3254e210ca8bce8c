// cmd_release.c - superstep release RUN.
#include <stdio.h>

#include "client/commands.h"

static struct ss_arg_list words;
static const char *thread;

const struct ss_arg ss_cmd_release_options[] = {
    SS_CLI_WORD(words, "RUN"), SS_CLI_THREAD_OF_RUN(thread), SS_CLI_OPTIONS};

int ss_cmd_release(struct ss_client *client)
{
    const char *id = words.items[0];
    struct ss_client_error error;
    if (ss_client_release_on(client, thread, id, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    if (ss_cli_options.json)
        printf("{\"status\": \"running\"}\n");
    else
        printf(
            "run %s goes on; it was quarantined for ending its coordinator\n",
            id);
    return SS_CLI_DONE;
}

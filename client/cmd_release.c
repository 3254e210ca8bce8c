// cmd_release.c - superstep release RUN.
#include <stdio.h>

#include "client/cli/find.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;

const struct ss_arg ss_cmd_release_options[] = {
    SS_CLI_WORD(words, "RUN"), SS_CLI_THREAD_OF_RUN(thread), SS_CLI_OPTIONS};

int ss_cmd_release(struct ss_client *client)
{
    char *id;
    int status = ss_cli_find_run(client, thread, words.items[0], &id);
    if (status != SS_CLI_DONE)
        return status;
    struct ss_client_error error;
    if (ss_client_release_on(client, thread, id, &error) != 0)
        status = ss_cli_client_fail(client, &error, NULL, thread);
    else if (ss_cli_options.json)
        printf("{\"status\": \"running\"}\n");
    else
        printf(
            "run %s goes on; it was quarantined for ending its coordinator\n",
            id);
    ss_free(id);
    return status;
}

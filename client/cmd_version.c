// cmd_version.c - superstep version.
#include <stdio.h>

#include "client/commands.h"
#include "common/app/version.h"

const struct ss_arg ss_cmd_version_options[] = {SS_CLI_OPTIONS};

int ss_cmd_version(struct ss_client *client)
{
    (void)client;
    if (ss_cli_options.json)
        printf("{\"version\": \"%s\"}\n", SS_VERSION_TEXT);
    else
        printf("superstep %s\n", SS_VERSION_TEXT);
    return SS_CLI_DONE;
}

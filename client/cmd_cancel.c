// cmd_cancel.c - superstep cancel RUN.
#include <stdio.h>

#include "client/commands.h"
#include "common/model/run_status.h"

static struct ss_arg_list words;
static const char *thread;
static bool rollback;

const struct ss_arg ss_cmd_cancel_options[] = {SS_CLI_WORD(words, "RUN"),
    SS_CLI_THREAD_OF_RUN(thread),
    SS_CLI_FLAG("rollback", 0, rollback,
        "take back what it did: as if it had never been asked for"),
    SS_CLI_OPTIONS};

static void say(const char *id, const json_t *how)
{
    const char *status = json_is_string(how) ? json_string_value(how) : "?";
    if (ss_cli_options.json)
        printf("{\"status\": \"%s\"}\n", status);
    else if (ss_run_status_by_name(status) != SS_RUN_CANCELLED)
        printf("run %s had already ended: %s\n", id, status);
    else if (rollback)
        printf("run %s is taken back\n", id);
    else
        printf("run %s is cancelled; what its finished supersteps wrote is "
               "kept\n",
            id);
}

int ss_cmd_cancel(struct ss_client *client)
{
    const char *id = words.items[0];
    struct ss_client_error error;
    json_t *how = NULL;
    int status = SS_CLI_DONE;
    if (ss_client_cancel_on(client, thread, id, rollback, &how, &error) != 0)
        status = ss_cli_client_fail(client, &error, NULL, thread);
    else
        say(id, how);
    json_decref(how);
    return status;
}

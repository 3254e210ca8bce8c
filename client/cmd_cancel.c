// cmd_cancel.c - superstep cancel RUN.
#include <stdio.h>
#include <string.h>

#include "client/cli/find.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;
static bool rollback;

static const struct ss_arg options[] = {{.name = "RUN",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "RUN",
                                            .min = 1,
                                            .max = 1},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .help = "the run of this thread: others may have one of that name"},
    {.name = "rollback",
        .kind = SS_ARG_FLAG,
        .to = &rollback,
        .help = "take back what it did: as if it had never been asked for"},
    SS_CLI_OPTIONS};

static void say(const char *id, const char *status)
{
    if (ss_cli_options.json)
        printf("{\"status\": \"%s\"}\n", status);
    else if (strcmp(status, "cancelled") != 0)
        printf("run %s had ended before: %s\n", id, status);
    else if (rollback)
        printf("run %s is taken back\n", id);
    else
        printf("run %s is cancelled; what its finished supersteps wrote is "
               "kept\n",
            id);
}

static int run(struct ss_client *client)
{
    char *id;
    int status = ss_cli_find_run(client, thread, words.items[0], &id);
    if (status != SS_CLI_DONE)
        return status;
    struct ss_client_error error;
    json_t *how = NULL;
    if (ss_client_cancel_on(
            client, thread, id, rollback, &how, &error) != 0)
        status = ss_cli_client_fail(client, &error, NULL, thread);
    else
        say(id, json_is_string(how) ? json_string_value(how) : "?");
    json_decref(how);
    ss_free(id);
    return status;
}

const struct ss_cli_command ss_cmd_cancel = {
    .name = "cancel",
    .usage = "RUN [options]",
    .summary = "stop a run",
    .options = options,
    .word = SS_CLI_WORD_RUN,
    .run = run,
};

// cmd_delete.c - superstep delete THREAD: a thread and all its past.
#include <stdio.h>

#include "client/commands.h"

static struct ss_arg_list words;

static const struct ss_arg options[] = {{.name = "THREAD",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "THREAD",
                                            .min = 1,
                                            .max = 1},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    int64_t rows;
    struct ss_client_error error;
    if (ss_client_delete(client, words.items[0], &rows, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, words.items[0]);
    printf(ss_cli_options.json ? "{\"rows\": %lld}\n" : "%lld rows deleted\n",
        (long long)rows);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_delete = {
    .name = "delete",
    .usage = "THREAD",
    .summary = "delete a thread and all its past",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

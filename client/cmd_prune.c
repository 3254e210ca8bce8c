// cmd_prune.c - superstep prune THREAD: forget what nothing needs any more.
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
    if (ss_client_prune(client, words.items[0], &rows, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, words.items[0]);
    printf(ss_cli_options.json ? "{\"rows\": %lld}\n" : "%lld rows pruned\n",
        (long long)rows);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_prune = {
    .name = "prune",
    .usage = "THREAD",
    .summary = "forget the past of a thread, keep its state",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

// cmd_copy.c - superstep copy THREAD TO: a thread with all its past.
#include <stdio.h>

#include "client/cli/find.h"
#include "client/commands.h"

static struct ss_arg_list words;

static const struct ss_arg options[] = {{.name = "THREAD",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "THREAD and TO",
                                            .min = 2,
                                            .max = 2},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    int64_t rows;
    struct ss_client_error error;
    if (ss_client_copy(client, words.items[0], words.items[1], &rows, &error) !=
        0)
        return ss_cli_client_fail(client, &error, NULL, words.items[0]);
    if (rows == 0)
        return ss_cli_no_thread(client, words.items[0]);
    printf(ss_cli_options.json ? "{\"rows\": %lld}\n" : "%lld rows copied\n",
        (long long)rows);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_copy = {
    .name = "copy",
    .usage = "THREAD TO",
    .summary = "copy a thread with all its past",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

// cmd_release.c - superstep release RUN.
#include <stdio.h>

#include "client/cli/find.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;

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
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
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
        printf("run %s goes on; it was quarantined for ending its coordinator\n",
            id);
    ss_free(id);
    return status;
}

const struct ss_cli_command ss_cmd_release = {
    .name = "release",
    .usage = "RUN [options]",
    .summary = "let a quarantined run go on",
    .options = options,
    .word = SS_CLI_WORD_RUN,
    .run = run,
};

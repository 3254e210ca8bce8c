// cmd_drain.c - superstep drain WORKER.
#include <stdio.h>

#include "client/commands.h"

static struct ss_arg_list words;

static const struct ss_arg options[] = {{.name = "WORKER",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "WORKER",
                                            .min = 1,
                                            .max = 1},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    json_t *answer = NULL;
    const char *name = words.items[0];
    int status = ss_cli_ask(client, "drain",
        json_pack("{s:s}", "worker", name), NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    if (ss_cli_options.json)
        printf("{\"status\": \"draining\"}\n");
    else
        printf("worker %s leaves: it ends what it runs, and hands back what it "
               "has not begun\n",
            name);
    json_decref(answer);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_drain = {
    .name = "drain",
    .usage = "WORKER [options]",
    .summary = "let a worker finish what it runs, and end",
    .about = "It is given no more tasks from now on, and ends by itself with exit "
             "status\n0, as on SIGTERM. What it has not begun goes to others. "
             "What starts workers\nagain (systemd, a container's restart policy) "
             "starts this one again, too.",
    .options = options,
    .word = SS_CLI_WORD_WORKER,
    .run = run,
};

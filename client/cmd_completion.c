// cmd_completion.c - superstep completion bash.
#include <stdio.h>
#include <string.h>

#include "client/cli/completion.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;

static const struct ss_arg options[] = {{.name = "SHELL",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "SHELL",
                                            .min = 1,
                                            .max = 1},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    (void)client;
    if (strcmp(words.items[0], "bash") != 0)
        return ss_cli_usage(
            "there is no completion for \"%s\", only for bash", words.items[0]);
    char *script = ss_cli_completion_bash();
    fputs(script, stdout);
    ss_free(script);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_completion = {
    .name = "completion",
    .usage = "bash",
    .summary = "print the completion for bash",
    .about = "Try it:  source <(superstep completion bash)",
    .options = options,
    .is_offline = true,
    .run = run,
};

// cmd_completion.c - superstep completion SHELL, and what its script asks.
#include <stdio.h>

#include "client/cli/completion.h"
#include "client/commands.h"
#include "common/base/mem.h"

enum { WORDS_MAX = 10000 };

static struct ss_arg_list words;

const struct ss_arg ss_cmd_completion_options[] = {
    {.name = "SHELL",
        .kind = SS_ARG_REST,
        .to = &words,
        .value = "SHELL",
        .min = 1,
        .max = WORDS_MAX,
        .choices = "bash zsh fish"},
    SS_CLI_OPTIONS};

int ss_cmd_completion(struct ss_client *client)
{
    (void)client;
    const char *shell = words.items[0];
    if (ss_cli_completion_asks(shell)) {
        ss_cli_complete(words.items + 1, words.count - 1);
        return SS_CLI_DONE;
    }
    if (words.count > 1)
        return ss_cli_usage("\"%s\" is one word too many", words.items[1]);
    char *script = ss_cli_completion_script(shell);
    if (!script)
        return ss_cli_usage("there is no completion for \"%s\", only for "
                            "bash, zsh and fish",
            shell);
    fputs(script, stdout);
    ss_free(script);
    return SS_CLI_DONE;
}

// cmd_completion.c - superstep completion bash.
#include <stdio.h>
#include <string.h>

#include "client/cli/completion.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;

const struct ss_arg ss_cmd_completion_options[] = {
    SS_CLI_WORD(words, "SHELL"), SS_CLI_OPTIONS};

static const struct {
    const char *name;
    char *(*script)(void); // gives
} shells[] = {{"bash", ss_cli_completion_bash}};

int ss_cmd_completion(struct ss_client *client)
{
    (void)client;
    for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
        if (strcmp(shells[i].name, words.items[0]) != 0)
            continue;
        char *script = shells[i].script();
        fputs(script, stdout);
        ss_free(script);
        return SS_CLI_DONE;
    }
    return ss_cli_usage(
        "there is no completion for \"%s\", only for bash", words.items[0]);
}

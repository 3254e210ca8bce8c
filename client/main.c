// main.c - the `superstep` command.
#include "client/commands.h"

int main(int argc, char **argv)
{
    static const struct ss_cli_command commands[] = {
#define X(name_, group_, asks, completes, usage_, summary_, about_)            \
    {.name = #name_,                                                           \
        .group = SS_CLI_GROUP_##group_,                                        \
        .usage = usage_,                                                       \
        .summary = summary_,                                                   \
        .about = about_,                                                       \
        .options = ss_cmd_##name_##_options,                                   \
        .word = SS_CLI_WORD_##completes,                                       \
        .is_offline = SS_CLI_IS_##asks,                                        \
        .run = ss_cmd_##name_},
#include "client/commands.def"
#undef X
        {.name = NULL}};
    return ss_cli_main(commands, argc, argv);
}

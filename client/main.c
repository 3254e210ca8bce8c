// main.c - the `superstep` command.
#include "client/commands.h"

int main(int argc, char **argv)
{
    static const struct ss_cli_command *const commands[] = {
#define X(name) &ss_cmd_##name,
#include "client/commands.def"
#undef X
        NULL};
    return ss_cli_main(commands, argc, argv);
}

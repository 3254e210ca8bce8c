// commands.h - the table of subcommands that commands.def makes.
#ifndef SS_CLIENT_COMMANDS_H
#define SS_CLIENT_COMMANDS_H

#include "client/cli/cli.h"

#define X(name) extern const struct ss_cli_command ss_cmd_##name;
#include "client/commands.def"
#undef X

#endif

// completion.h - completion for bash, made from the table of commands.
#ifndef SS_CLI_COMPLETION_H
#define SS_CLI_COMPLETION_H

#include "client/cli/cli.h"

// Set the table of commands; borrowed.
void ss_cli_completion_commands(const struct ss_cli_command *commands);
// The script. Gives (ss_free).
char *ss_cli_completion_bash(void);

#endif

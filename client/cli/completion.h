// completion.h - what may stand where the cursor is, and the scripts by which
// shells ask for it. Both come from the tables of commands and options.
#ifndef SS_CLI_COMPLETION_H
#define SS_CLI_COMPLETION_H

#include "client/cli/cli.h"

// Set the table of commands; borrowed.
void ss_cli_completion_commands(const struct ss_cli_command *commands);
// The script for a shell: bash, zsh or fish; NULL for another. Gives (ss_free).
char *ss_cli_completion_script(const char *shell);

// Whether it is a script that asks, in place of a person who names a shell.
bool ss_cli_completion_asks(const char *shell);
// Print, one a line, what the last of the words behind `superstep` may become;
// ":files" stands for the names of files. Names come from the coordinator, if
// one answers.
void ss_cli_complete(const char *const *words, size_t count);

#endif

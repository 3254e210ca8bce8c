// commands.h - what commands.def names: each command's function and options.
#ifndef SS_CLIENT_COMMANDS_H
#define SS_CLIENT_COMMANDS_H

#include "client/cli/options.h"

// The function is called when the options were parsed, with NULL where the
// command asks no coordinator. Returns the exit status.
#define X(name, group, asks, completes, usage, summary, about)                 \
    extern const struct ss_arg ss_cmd_##name##_options[];                      \
    int ss_cmd_##name(struct ss_client *client);
#include "client/commands.def"
#undef X

#endif

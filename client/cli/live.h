// live.h - something that is shown again and again: top, and lists with
// --watch.
//
// On a terminal it stands in its place, and no row of it scrolls away;
// elsewhere each look follows the one before. Ctrl-C ends it, and on a terminal
// the key q.
#ifndef SS_CLI_LIVE_H
#define SS_CLI_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/cli/cli.h"

struct ss_live {
    int64_t interval_ms;
    bool is_once;
    // Append what is to be seen now. An exit status: any but SS_CLI_DONE ends
    // it, and the error was printed.
    int (*look)(struct ss_client *client, void *ctx,
        const struct ss_screen *screen, struct ss_buf *buf);
    void (*key)(void *ctx, char key); // one that was typed; or NULL
    void *ctx;
};

// Returns an exit status.
int ss_cli_live(struct ss_client *client, const struct ss_live *live);

#endif

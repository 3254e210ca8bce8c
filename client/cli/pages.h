// pages.h - every thread or run there is, page by page.
#ifndef SS_CLI_PAGES_H
#define SS_CLI_PAGES_H

#include "client/cli/cli.h"

// One of them, lent. Returns an exit status: what is not SS_CLI_DONE ends it.
typedef int ss_cli_item_fn(
    struct ss_client *client, const json_t *item, void *ctx);

// Call `each` for each item of the list `op` ("threads" or "runs"), and ask for the
// next page when a page is done: what comes meanwhile may be missed. Returns the
// first status that is not SS_CLI_DONE, or that of a page that did not come, which
// was said.
int ss_cli_each(struct ss_client *client, const char *op, ss_cli_item_fn *each,
    void *ctx);

#endif

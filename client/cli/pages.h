// pages.h - every thread or run there is, page by page.
//
// A page may hold fewer items than were asked for although others follow: only
// an empty page is the end, if it does not say where the next one begins.
#ifndef SS_CLI_PAGES_H
#define SS_CLI_PAGES_H

#include "client/cli/cli.h"

// Called with each item, lent. Returns an exit status: any but SS_CLI_DONE ends
// the loop.
typedef int ss_cli_item_fn(
    struct ss_client *client, const json_t *item, void *ctx);

// Call `each` for each item of the list `op` ("threads" or "runs"), and ask for
// the next page when a page is done: items that appear meanwhile may be missed.
// Returns the first status that is not SS_CLI_DONE, or that of a page that did
// not come, or came again, which was printed.
int ss_cli_each(
    struct ss_client *client, const char *op, ss_cli_item_fn *each, void *ctx);
enum ss_cli_order {
    SS_CLI_BY_KEY, // as the pages come
    // By the time when a run was made or a thread was changed, the newest
    // first.
    SS_CLI_NEWEST,
};

// The list `op` as a whole, or as many of its items as the `limit` of the
// request (`body`, taken; NULL: a word of it was not UTF-8) says: the first in
// that order. Gives it; or a status of the client's.
int ss_cli_list(struct ss_client *client, const char *op,
    enum ss_cli_order order, json_t *body, json_t **ret_list,
    struct ss_client_error *ret_error);

#endif

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
// The list `op` by key as a whole, or as many of its items as the `limit` of
// the request (`body`, taken; NULL: a word of it was not UTF-8) says. Gives it;
// or a status of the client's.
int ss_cli_list(struct ss_client *client, const char *op, json_t *body,
    json_t **ret_list, struct ss_client_error *ret_error);

// Items by the time when a run was made or a thread was changed, the newest
// first.
struct ss_cli_found {
    json_t *list;
    char
        *next; // what goes on behind it, as `after` of a request; NULL: nothing
    bool lacks; // some are not in that order yet, and so not in the list
    int64_t unsearched; // so many have metadata that is too long to be searched
};

// As ss_cli_list(), but the newest. A coordinator of an older version is asked
// for all of them; the list does not go on then. Gives.
int ss_cli_find(struct ss_client *client, const char *op, json_t *body,
    struct ss_cli_found *ret, struct ss_client_error *ret_error);
// Say so, if it lacks some.
void ss_cli_note_lacking(const struct ss_cli_found *found);
void ss_cli_found_fini(struct ss_cli_found *found);

#endif

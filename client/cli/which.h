// which.h - which threads or runs are meant: the options that lists share with
// what is done to many (bulk.h).
#ifndef SS_CLI_WHICH_H
#define SS_CLI_WHICH_H

#include <jansson.h>
#include <stdbool.h>

#include "client/cli/cli.h"
#include "client/cli/options.h"

// What the options say; NULL: nothing.
struct ss_which {
    const char *status, *graph, *since, *until, *prefix;
    struct ss_arg_list meta; // K=V
};

// Whether anything is said of which are meant.
bool ss_which_is_said(const struct ss_which *which);
// The keys of a request (common/model/requests.def) for them. Gives. Returns an
// exit status, after printing the error.
int ss_which_ask(const struct ss_which *which, json_t **ret_body);
// "KEY=VALUE" as an object: a value that is no JSON is a text. Gives; NULL:
// *ret_error says what is wrong.
json_t *ss_which_pairs(
    const struct ss_arg_list *pairs, struct ss_error *ret_error);

#endif

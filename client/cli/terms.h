// terms.h - the terms of a run: options that `superstep run` and `superstep
// resume` put into the request as they are.
#ifndef SS_CLI_TERMS_H
#define SS_CLI_TERMS_H

#include <jansson.h>

#include "client/cli/options.h"

// Ends the table of options of both.
extern const struct ss_arg ss_terms_options[];
#define SS_TERMS_OPTIONS SS_CLI_MORE(ss_terms_options)

// Those that were given, as keys of the request. Gives *ret_more. Returns an
// exit status, after printing the error.
int ss_terms_read(json_t **ret_more);

#endif

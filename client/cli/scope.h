// scope.h - what `superstep pause` and `superstep unpause` are about: a graph,
// one version of it, or all graphs; their words and options, and the request.
#ifndef SS_CLI_SCOPE_H
#define SS_CLI_SCOPE_H

#include <jansson.h>

#include "client/cli/options.h"

// Ends the table of options of both: GRAPH, --all and --of-version.
extern const struct ss_arg ss_scope_options[];
#define SS_SCOPE_OPTIONS SS_CLI_MORE(ss_scope_options)

// The graph that was named, borrowed; NULL: all of them.
const char *ss_scope_graph(void);
// "graph digest" or "everything", for people. Gives (ss_free).
char *ss_scope_text(void);
// Send the request `op` for that scope, with the fields of `more` (taken).
// Returns an exit status; on SS_CLI_DONE gives *ret_answer, otherwise the error
// was printed.
int ss_scope_ask(struct ss_client *client, const char *op, json_t *more,
    json_t **ret_answer);

#endif

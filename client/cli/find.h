// find.h - the graph of a thread, and what there is in place of what is not.
#ifndef SS_CLI_FIND_H
#define SS_CLI_FIND_H

#include "client/cli/cli.h"

// Check that the checkpoint that the body of a request names is there. Returns
// an exit status, after printing that it is not.
int ss_cli_look(struct ss_client *client, const json_t *body);
// The graph that ran on a thread last; NULL if none did: then the coordinator
// knows the graph (or says that it does not). Gives (ss_free).
int ss_cli_find_graph(
    struct ss_client *client, const char *thread, char **ret_graph);
// Print "there is no thread ...", with the nearest one. SS_CLI_FAILED.
int ss_cli_no_thread(struct ss_client *client, const char *thread);
// Whether the coordinator knows it, with runs or without.
bool ss_cli_has_thread(struct ss_client *client, const char *thread);
// What was asked of this graph, or thread, found nothing: warn where none is
// called so, with the nearest one ("Did you mean"). NULL: none was named.
void ss_cli_warn_unknown(
    struct ss_client *client, const char *graph, const char *thread);
// Print why there is no state: there is no such thread; it has no checkpoints
// yet; or it lacks the namespace `ns` (NULL: its own), with those that it has.
// SS_CLI_FAILED.
int ss_cli_no_state(
    struct ss_client *client, const char *thread, const char *ns);
// Print the error of a request for the state of a thread, as
// ss_cli_client_fail() does, or as above. An exit status.
int ss_cli_state_fail(struct ss_client *client,
    const struct ss_client_error *error, const char *graph, const char *thread);

#endif

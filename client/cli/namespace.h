// namespace.h - which inner graph of a thread is meant.
//
// The namespace of an inner graph names the node and its task, as in
// "review:1f0a...", and so on inside of that: "review:1f0a...|check:1f0b...".
// Nobody types the ids of tasks: as much of each may be left out as nothing
// else of the thread begins so.
#ifndef SS_CLI_NAMESPACE_H
#define SS_CLI_NAMESPACE_H

#include "client/cli/cli.h"

// The namespaces of the thread that `typed` may mean, as keys: it alone, where
// it is there as it stands. Where the coordinator does not tell, they are not
// all: the request that comes behind says why. Gives.
json_t *ss_cli_namespaces(
    struct ss_client *client, const char *thread, const char *typed);

#endif

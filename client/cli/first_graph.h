// first_graph.h - a cluster that has just started: its first graph is announced
// by its first worker, a moment later.
#ifndef SS_CLI_FIRST_GRAPH_H
#define SS_CLI_FIRST_GRAPH_H

#include <stdbool.h>
#include <superstep/client.h>

enum ss_first_graph {
    SS_FIRST_GRAPH_CAME,    // none was known, and one is now: ask again
    SS_FIRST_GRAPH_KNOWN,   // some are known: what was asked for is not there
    SS_FIRST_GRAPH_NONE,    // none came in time, or nobody says
    SS_FIRST_GRAPH_STOPPED, // `stop_fd` became readable
};

// Whoever was told that a graph is not known waits here while none is, a few
// seconds, and tells people so. `stop_fd`: what ss_signals_open() gave.
enum ss_first_graph ss_first_graph_await(struct ss_client *client, int stop_fd);

#endif

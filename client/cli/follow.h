// follow.h - a run as a person at a terminal sees it: one line a superstep
// while it goes on, then its result.
#ifndef SS_CLI_FOLLOW_H
#define SS_CLI_FOLLOW_H

#include <jansson.h>
#include <stdbool.h>
#include <superstep/client.h>

struct ss_follow {
    const char *op;     // "run" or "attach"
    json_t *body;       // taken; NULL: a word of it is not text
    const char *graph;  // for advice; or NULL
    const char *thread; // or NULL: the coordinator makes one up
    const char *stream; // modes to show on stdout; or NULL: the result only
    bool progress;      // show supersteps also where nobody watches
};

// Ask, show, wait. Returns the exit status.
int ss_cli_follow(struct ss_client *client, const struct ss_follow *follow);

#endif

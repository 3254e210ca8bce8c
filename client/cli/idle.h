// idle.h - why nothing happens: a run waits silently when no worker serves its
// graph, or its version of the graph. Whoever waits for the run is told so,
// once.
#ifndef SS_CLI_IDLE_H
#define SS_CLI_IDLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <superstep/client.h>

struct ss_idle {
    struct ss_client *client;
    const char *graph; // NULL: not known
    // Borrowed; NULL: not known yet; without a graph and a run nothing is
    // reported.
    const char *run;
    const char *thread; // of the run; or NULL
    int64_t since_ms;
    bool is_told;
    struct ss_client_call *call; // that asks why
};

// Borrows both.
void ss_idle_init(struct ss_idle *idle, struct ss_client *client,
    const char *graph, int64_t now_ms);
void ss_idle_fini(struct ss_idle *idle);
// Something happened.
void ss_idle_reset(struct ss_idle *idle, int64_t now_ms);
// Ask, if it is time, why nothing happens. Gives a sentence (ss_free) once
// there is something to report, otherwise NULL.
char *ss_idle_look(struct ss_idle *idle, int64_t now_ms);

// The sentence about a run that no worker serves, from the answer to `explain`
// (requests.md). Gives; NULL: some worker does.
char *ss_idle_explained(const json_t *explained);

#endif

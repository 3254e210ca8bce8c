// bulk.h - the same for many runs or threads: superstep retry, cancel, resume
// and release without a name.
//
// What is meant is looked up and counted first; then the person says yes, or
// --yes did. Each one is told with what came of it.
#ifndef SS_CLI_BULK_H
#define SS_CLI_BULK_H

#include <jansson.h>
#include <stdbool.h>

#include "client/cli/cli.h"
#include "client/cli/options.h"
#include "client/cli/which.h"

// What the options of such a command say.
struct ss_bulk_query {
    bool all, yes;
    struct ss_which which; // but for status and graph
};
extern struct ss_bulk_query ss_bulk_query;

struct ss_bulk {
    const char *list;      // "runs" or "threads"
    const char *states[2]; // those that stand so, or so (NULL: only the first)
    const char *graph;     // only of this one; NULL: of any
    const char *what;      // "run": what is counted
    const char *plural;    // NULL: with an s
    const char *verb;      // "try again"
    const char *done;      // "is tried again"
    // Whether this item is one; NULL: each is.
    bool (*is_meant)(const json_t *item);
    // Do it. A status of the client's, with *ret_error; with it done,
    // *ret_answer may be given, and its "run" is the run that does it.
    int (*act)(struct ss_client *client, const json_t *item, void *ctx,
        json_t **ret_answer, struct ss_client_error *ret_error);
    void *ctx;
    bool knows_last; // --thread alone means the last run there, and not many
};

// Whether many are meant: no word says which one (`what`), and an option says
// which. `graph`: the command's own option, or NULL. Returns an exit status,
// after printing the error.
int ss_bulk_is_meant(const struct ss_arg_list *words, const char *what,
    const char *graph, bool *ret_meant);
// Whether many runs are meant, or it is not said which; *ret_status is then as
// ss_bulk() returns it. `thread`: of the option that stands beside a run; NULL.
bool ss_bulk_takes(struct ss_client *client, const struct ss_arg_list *words,
    const char *thread, const struct ss_bulk *bulk, int *ret_status);
// Returns an exit status: SS_CLI_FAILED where it could not be done to one of
// them, or nobody said yes.
int ss_bulk(struct ss_client *client, const struct ss_bulk *bulk);

#endif

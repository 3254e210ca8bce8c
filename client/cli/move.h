// move.h - whole threads between a coordinator and LangGraph's tables.
#ifndef SS_CLI_MOVE_H
#define SS_CLI_MOVE_H

#include "client/saver/saver.h"
#include <superstep/client.h>

// Read `thread` from the tables, and import it as `name`. `graph` may be NULL.
// *ret_report: {"thread", "checkpoints", "rows"}; given. `error` says what is
// wrong, in the tables or here.
int ss_move_in(struct ss_client *client, struct ss_saver *saver,
    const char *thread, const char *name, const char *graph,
    json_t **ret_report, struct ss_error *error) SS_MUST_USE;

struct ss_move_out {
    const char *thread;
    const char *name; // there
    bool replace;     // rows that it has there are deleted
    struct ss_ext_allowed allowed;
    json_t *missing; // an object; names of classes are added
};

// Write a thread into the tables, in one transaction. *ret_report: {"thread",
// "checkpoints", "writes"}; given. SS_ENOTFOUND: it has no checkpoint.
// SS_EDENIED: it holds objects of classes that are not allowed; all of them are
// in `missing` then.
int ss_move_out(struct ss_client *client, struct ss_saver *saver,
    const struct ss_move_out *what, json_t **ret_report,
    struct ss_error *error) SS_MUST_USE;

#endif

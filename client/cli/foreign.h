// foreign.h - what `superstep import` and `superstep export` share: their words
// and options, and the loop over one thread or all of them.
#ifndef SS_CLI_FOREIGN_H
#define SS_CLI_FOREIGN_H

#include "client/cli/list.h"
#include "client/cli/options.h"
#include "client/saver/saver.h"

// Ends the table of options of both: "langgraph" and where its tables are,
// which thread, and its name on the other side.
extern const struct ss_arg ss_foreign_options[];
#define SS_FOREIGN_OPTIONS SS_CLI_MORE(ss_foreign_options)

struct ss_foreign {
    bool writes;                      // to the tables
    struct ss_list_column columns[3]; // of the report on each thread
    // Move the thread `from`, which is named `to` on the other side; append to
    // the report. Returns an exit status.
    int (*one)(struct ss_client *client, struct ss_saver *saver,
        const char *from, const char *to, json_t *reports);
    int (*all)(
        struct ss_client *client, struct ss_saver *saver, json_t *reports);
};

// Do what the options say. Returns the exit status.
int ss_foreign_run(const struct ss_foreign *how, struct ss_client *client);

#endif

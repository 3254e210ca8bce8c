// ids.h - the whole id of what a person typed a part of.
//
// An id that was made up (a UUID) may be typed as far as nothing else begins
// so, and any id as a table shows it, cut in the middle. A name that a person
// gave is taken as it is: what deletes "job-1" must not mean "job-12".
#ifndef SS_CLI_IDS_H
#define SS_CLI_IDS_H

#include "client/cli/cli.h"

// Each gives *ret_id (ss_free): the one that `typed` may mean, or `typed` where
// nothing begins so, and then the request says that there is none. Returns an
// exit status, after printing the error: several begin so, with their ids.
int ss_cli_find_thread(
    struct ss_client *client, const char *typed, char **ret_id);
// `thread` NULL: of whatever thread.
int ss_cli_find_run(struct ss_client *client, const char *thread,
    const char *typed, char **ret_id);
// The run of a thread that is under way, or that began last.
int ss_cli_last_run(
    struct ss_client *client, const char *thread, char **ret_run);
// `ns`: of this inner graph; NULL: the thread's own.
int ss_cli_find_checkpoint(struct ss_client *client, const char *thread,
    const char *ns, const char *typed, char **ret_id);
// Put whole ids of a thread's interrupts into an object of answers by id.
int ss_cli_find_interrupts(
    struct ss_client *client, const char *thread, json_t **answers);

// Put whole ids into the words of a command (its first), and into its options
// --thread and --ns, if they are threads, runs or namespaces. They stay until
// the process ends.
int ss_cli_find_words(
    struct ss_client *client, const struct ss_cli_command *command);
void ss_cli_find_words_fini(void);

#endif

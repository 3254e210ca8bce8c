// cmd_rows.c - superstep copy, delete and prune: threads with all their past.
// They report how many rows they changed.
#include <stdio.h>

#include "client/cli/find.h"
#include "client/commands.h"

static struct ss_arg_list words;

const struct ss_arg ss_cmd_copy_options[] = {
    SS_CLI_WORDS(words, "THREAD and TO", 2, 2), SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_delete_options[] = {
    SS_CLI_WORD(words, "THREAD"), SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_prune_options[] = {
    SS_CLI_WORD(words, "THREAD"), SS_CLI_OPTIONS};

static int tell(int64_t rows, const char *done)
{
    if (ss_cli_options.json)
        printf("{\"rows\": %lld}\n", (long long)rows);
    else
        printf("%lld rows %s\n", (long long)rows, done);
    return SS_CLI_DONE;
}

int ss_cmd_copy(struct ss_client *client)
{
    const char *from = words.items[0];
    struct ss_client_error error;
    int64_t rows;
    if (ss_client_copy(client, from, words.items[1], &rows, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, from);
    return rows > 0 ? tell(rows, "copied") : ss_cli_no_thread(client, from);
}

typedef int shrink_fn(struct ss_client *client, const char *thread,
    int64_t *ret_rows, struct ss_client_error *ret_error);

static int shrink(struct ss_client *client, shrink_fn *how, int64_t *ret_rows)
{
    struct ss_client_error error;
    return how(client, words.items[0], ret_rows, &error) == 0
               ? SS_CLI_DONE
               : ss_cli_client_fail(client, &error, NULL, words.items[0]);
}

// A thread has a row at least.
int ss_cmd_delete(struct ss_client *client)
{
    int64_t rows = 0;
    int code = shrink(client, ss_client_delete, &rows);
    if (code != SS_CLI_DONE)
        return code;
    return rows > 0 ? tell(rows, "deleted")
                    : ss_cli_no_thread(client, words.items[0]);
}

// One that was pruned before has nothing to forget; one that is not known is a
// mistake.
int ss_cmd_prune(struct ss_client *client)
{
    int64_t rows = 0;
    int code = shrink(client, ss_client_prune, &rows);
    if (code != SS_CLI_DONE)
        return code;
    return rows > 0 || ss_cli_has_thread(client, words.items[0])
               ? tell(rows, "pruned")
               : ss_cli_no_thread(client, words.items[0]);
}

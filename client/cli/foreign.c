// foreign.c - threads between a coordinator and the tables of another runtime.
#include "client/cli/foreign.h"

#include <string.h>

static struct ss_arg_list words;
static const char *thread;
static const char *name;

const struct ss_arg ss_foreign_options[] = {
    SS_CLI_WORDS_FROM(words, "langgraph and DSN|FILE", 1, 2, "langgraph"),
    SS_CLI_THREAD(thread, "only this one; default: all"),
    SS_CLI_TEXT(
        "as", 0, name, "NAME", "its name where it goes to, with --thread"),
    SS_CLI_OPTIONS};

int ss_foreign_run(const struct ss_foreign *how, struct ss_client *client)
{
    struct ss_saver *saver = NULL;
    struct ss_error error;
    if (strcmp(words.items[0], "langgraph") != 0)
        return ss_cli_usage(
            "\"%s\" is not known; known: langgraph, with DSN or "
            "FILE behind it",
            words.items[0]);
    if (words.count < 2)
        return ss_cli_usage("DSN|FILE is missing: which database?");
    if (name && !thread)
        return ss_cli_usage("--as needs --thread");
    if (ss_saver_open(words.items[1], how->writes, &saver, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    json_t *reports = json_array();
    int status =
        thread ? how->one(client, saver, thread, name ? name : thread, reports)
               : how->all(client, saver, reports);
    if (status == SS_CLI_DONE || json_array_size(reports) > 0)
        ss_cli_print_list(reports, how->columns,
            sizeof(how->columns) / sizeof(how->columns[0]),
            "There are no threads.");
    json_decref(reports);
    ss_saver_close(&saver);
    return status;
}

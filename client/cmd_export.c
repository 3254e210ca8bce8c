// cmd_export.c - superstep export langgraph: threads into LangGraph's tables.
#include <string.h>

#include "client/cli/list.h"
#include "client/cli/move.h"
#include "client/commands.h"
#include "client/limits.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static struct ss_arg_list classes;
static const char *thread;
static const char *name;
static bool replace;

static const struct ss_arg options[] = {
    {.name = "langgraph",
        .kind = SS_ARG_REST,
        .to = &words,
        .value = "langgraph and DSN|FILE",
        .min = 2,
        .max = 2},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .help = "only this one; default: all"},
    {.name = "as",
        .kind = SS_ARG_TEXT,
        .to = &name,
        .value = "NAME",
        .help = "its name there, with --thread"},
    {.name = "replace",
        .kind = SS_ARG_FLAG,
        .to = &replace,
        .help = "what a thread has there goes; default: it is refused"},
    {.name = "class",
        .kind = SS_ARG_LIST,
        .to = &classes,
        .value = "MODULE.CLASS",
        .help = "may be written, though Python imports and calls it when it\n"
                "reads the row; may be given several times, \"*\" is all"},
    SS_CLI_OPTIONS};

static const struct ss_list_column columns[] = {
    {"THREAD", "thread", SS_LIST_TEXT, true},
    {"CHECKPOINTS", "checkpoints", SS_LIST_NUMBER, false},
    {"WRITES", "writes", SS_LIST_NUMBER, false},
};

// `all`: a thread without checkpoints is no mistake.
static int export(struct ss_client *client, struct ss_saver *saver,
    const char *from, const char *to, bool all, json_t *reports)
{
    const struct ss_move_out what = {.thread = from,
        .name = to,
        .replace = replace,
        .allowed = {.classes = classes.items, .count = classes.count}};
    struct ss_error error;
    json_t *report = NULL;
    int status = ss_move_out(client, saver, &what, &report, &error);
    if (status == SS_ENOTFOUND && all)
        return SS_CLI_DONE;
    if (status != SS_OK)
        return ss_cli_fail("thread %s: %s", from, error.message);
    json_array_append_new(reports, report);
    return SS_CLI_DONE;
}

static int export_page(struct ss_client *client, struct ss_saver *saver,
    const json_t *page, json_t *reports)
{
    int status = SS_CLI_DONE;
    size_t i;
    json_t *item;
    json_array_foreach (page, i, item) {
        const char *one = ss_json_str(item, "thread", "");
        if (export(client, saver, one, one, true, reports) != SS_CLI_DONE)
            status = SS_CLI_FAILED;
    }
    return status;
}

static int export_all(
    struct ss_client *client, struct ss_saver *saver, json_t *reports)
{
    struct ss_client_error why;
    char *after = NULL;
    int status = SS_CLI_DONE;
    for (;;) {
        json_t *page = NULL;
        json_t *more = json_pack(
            "{s:i, s:s*}", "limit", SS_MOVE_COUNT_MAX, "after", after);
        if (ss_client_threads(client, more, &page, &why) != 0) {
            ss_free(after);
            return ss_cli_client_fail(client, &why, NULL, NULL);
        }
        size_t count = json_array_size(page);
        if (export_page(client, saver, page, reports) != SS_CLI_DONE)
            status = SS_CLI_FAILED;
        ss_free(after);
        after = count ? ss_strdup(ss_json_str(
                            json_array_get(page, count - 1), "thread", ""))
                      : NULL;
        json_decref(page);
        if (!after)
            return status;
    }
}

static int run(struct ss_client *client)
{
    struct ss_saver *saver = NULL;
    struct ss_error error;
    if (strcmp(words.items[0], "langgraph") != 0)
        return ss_cli_usage(
            "\"%s\" is not known; what is: langgraph", words.items[0]);
    if (name && !thread)
        return ss_cli_usage("--as needs --thread");
    if (ss_saver_open(words.items[1], true, &saver, &error) != SS_OK)
        return ss_cli_fail("%s", error.message);
    json_t *reports = json_array();
    int status = thread ? export(client, saver, thread, name ? name : thread,
                              false, reports)
                        : export_all(client, saver, reports);
    if (status == SS_CLI_DONE || json_array_size(reports) > 0)
        ss_cli_print_list(reports, columns,
            sizeof(columns) / sizeof(columns[0]), "There is no thread.");
    json_decref(reports);
    ss_saver_close(&saver);
    return status;
}

const struct ss_cli_command ss_cmd_export = {
    .name = "export",
    .usage = "langgraph DSN|FILE [options]",
    .summary = "write threads into LangGraph's tables",
    .about = "DSN: postgres://..., as LangGraph's PostgresSaver takes it. FILE:"
             " for its SqliteSaver.\nTables that are not there are made. Each"
             " thread is written in one transaction.",
    .options = options,
    .word = SS_CLI_WORD_FILE,
    .run = run,
};

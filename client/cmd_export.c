// cmd_export.c - superstep export langgraph: threads into LangGraph's tables.
#include "client/cli/foreign.h"
#include "client/cli/move.h"
#include "client/commands.h"
#include "client/limits.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list classes;
static bool replace;

static const struct ss_arg options[] = {
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
    SS_FOREIGN_OPTIONS};

// Nothing is said of an error. SS_ENOTFOUND: it has no checkpoint.
static int move(struct ss_client *client, struct ss_saver *saver,
    const char *from, const char *to, json_t *reports, struct ss_error *error)
{
    const struct ss_move_out what = {.thread = from,
        .name = to,
        .replace = replace,
        .allowed = {.classes = classes.items, .count = classes.count}};
    json_t *report = NULL;
    int status = ss_move_out(client, saver, &what, &report, error);
    if (status == SS_OK)
        json_array_append_new(reports, report);
    return status;
}

static int export(struct ss_client *client, struct ss_saver *saver,
    const char *from, const char *to, json_t *reports)
{
    struct ss_error error;
    if (move(client, saver, from, to, reports, &error) != SS_OK)
        return ss_cli_fail("thread %s: %s", from, error.message);
    return SS_CLI_DONE;
}

// Of all: one without checkpoints is no mistake.
static int export_any(struct ss_client *client, struct ss_saver *saver,
    const char *from, json_t *reports)
{
    struct ss_error error;
    int status = move(client, saver, from, from, reports, &error);
    if (status != SS_OK && status != SS_ENOTFOUND)
        return ss_cli_fail("thread %s: %s", from, error.message);
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
        if (export_any(client, saver, one, reports) != SS_CLI_DONE)
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
    static const struct ss_foreign how = {.writes = true,
        .columns = {{"THREAD", "thread", SS_LIST_TEXT, true},
            {"CHECKPOINTS", "checkpoints", SS_LIST_NUMBER, false},
            {"WRITES", "writes", SS_LIST_NUMBER, false}},
        .one = export,
        .all = export_all};
    return ss_foreign_run(&how, client);
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

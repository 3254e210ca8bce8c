// cmd_export.c - superstep export langgraph: threads into LangGraph's tables.
#include "client/cli/find.h"
#include "client/cli/foreign.h"
#include "client/cli/move.h"
#include "client/cli/pages.h"
#include "client/commands.h"
#include "common/model/value.h"

static struct ss_arg_list classes;
static bool replace;
static json_t *missing; // classes that would have to be allowed

const struct ss_arg ss_cmd_export_options[] = {
    SS_CLI_FLAG("replace", 0, replace,
        "replace what a thread has there; default: refuse"),
    SS_CLI_LIST("class", classes, "MODULE.CLASS",
        "may be written, though Python imports and calls it when it "
        "reads the row; may be given several times, \"*\" is all"),
    SS_FOREIGN_OPTIONS};

// An error is not printed. SS_ENOTFOUND: the thread has no checkpoint.
static int move(struct ss_client *client, struct ss_saver *saver,
    const char *from, const char *to, json_t *reports, struct ss_error *error)
{
    const struct ss_move_out what = {.thread = from,
        .name = to,
        .replace = replace,
        .allowed = {.classes = classes.items, .count = classes.count},
        .missing = missing};
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
    int status = move(client, saver, from, to, reports, &error);
    if (status == SS_ENOTFOUND && !ss_cli_has_thread(client, from))
        return ss_cli_no_thread(client, from);
    if (status != SS_OK)
        return ss_cli_fail("thread %s: %s", from, error.message);
    return SS_CLI_DONE;
}

struct all {
    struct ss_saver *saver;
    json_t *reports;
    int status;
};

// When all threads are exported, one without checkpoints is not an error, and
// one that cannot be written does not stop the others.
static int export_any(struct ss_client *client, const json_t *item, void *ctx)
{
    struct all *all = ctx;
    struct ss_error error;
    const char *one = ss_json_str(item, "thread", "");
    int status = move(client, all->saver, one, one, all->reports, &error);
    if (status != SS_OK && status != SS_ENOTFOUND)
        all->status = ss_cli_fail("thread %s: %s", one, error.message);
    return SS_CLI_DONE;
}

static int export_all(
    struct ss_client *client, struct ss_saver *saver, json_t *reports)
{
    struct all all = {saver, reports, SS_CLI_DONE};
    int status = ss_cli_each(client, "threads", export_any, &all);
    return status == SS_CLI_DONE ? all.status : status;
}

// All classes that were missing, in one message.
static int tell_missing(int status)
{
    struct ss_buf names;
    const char *name;
    json_t *value;
    ss_buf_init(&names, SS_CLI_PAGE_SIZE_MAX);
    json_object_foreach (missing, name, value)
        ss_buf_addf(&names, " --class %s", name);
    if (names.size > 0)
        status = ss_cli_fail("who reads such objects in Python may import and "
                             "call their classes; if all of these are yours, "
                             "say%s",
            ss_buf_str(&names));
    ss_buf_fini(&names);
    json_decref(missing);
    return status;
}

int ss_cmd_export(struct ss_client *client)
{
    static const struct ss_foreign how = {.writes = true,
        .columns = {{"THREAD", "thread", SS_LIST_TEXT, true},
            {"CHECKPOINTS", "checkpoints", SS_LIST_NUMBER, false},
            {"WRITES", "writes", SS_LIST_NUMBER, false}},
        .one = export,
        .all = export_all};
    missing = json_object();
    return tell_missing(ss_foreign_run(&how, client));
}

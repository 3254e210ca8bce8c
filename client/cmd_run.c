// cmd_run.c - superstep run GRAPH: begin a run, or go on with a thread.
#include <string.h>

#include "client/cli/find.h"
#include "client/cli/follow.h"
#include "client/cli/input.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *input;
static const char *thread;
static const char *stream;
static const char *checkpoint;
static const char *durability;
static const char *run_id;
static const char *before;
static const char *after;
static const char *context;
static const char *if_busy;
static int64_t recursion_limit;
static int64_t priority;
static bool subgraphs;
static bool detach;
static bool progress;

const struct ss_arg ss_cmd_run_options[] = {SS_CLI_WORD(words, "GRAPH"),
    SS_CLI_TEXT("input", 'i', input, "JSON|@FILE|-",
        "the input; without it the thread goes on as it is"),
    SS_CLI_THREAD(thread, "a new one by default"),
    SS_CLI_STREAM(stream,
        "print events: values,updates,custom,messages,tasks,\n"
        "checkpoints,debug,progress"),
    SS_CLI_SUBGRAPHS(subgraphs),
    SS_CLI_AT(checkpoint, "go on from there, as a fork; as `history` shows it"),
    SS_CLI_TEXT("durability", 0, durability, "sync|async|exit",
        "when checkpoints are stored; default: sync"),
    SS_CLI_INT("recursion-limit", 0, recursion_limit, "N", 1, 1000000000,
        "supersteps before the run fails"),
    SS_CLI_INT("priority", 0, priority, "N", -100, 100,
        "its tasks go before those of runs with less; default: 0"),
    SS_CLI_TEXT(
        "interrupt-before", 0, before, "NODES", "stop before these (a,b or *)"),
    SS_CLI_TEXT("interrupt-after", 0, after, "NODES", "stop after these"),
    SS_CLI_TEXT(
        "context", 0, context, "JSON|@FILE", "what the nodes get as context"),
    SS_CLI_RUN_ID(run_id),
    SS_CLI_TEXT("if-busy", 0, if_busy, "STRATEGY",
        "where a run is under way on the thread: reject (default),\n"
        "enqueue behind it, interrupt it, or rollback what it did"),
    SS_CLI_DETACH(detach), SS_CLI_PROGRESS(progress), SS_CLI_OPTIONS};

// Options that are put into the request as they are.
static int more_options(json_t **ret_more)
{
    json_t *value = NULL;
    struct ss_error error;
    if (context && ss_cli_input("--context", context, &value, &error) != SS_OK)
        return ss_cli_usage("%s", error.message);
    *ret_more = json_pack("{s:s*, s:o*, s:o*, s:o*, s:o*, s:o*}", "durability",
        durability, "recursion_limit", ss_cli_number(recursion_limit),
        "priority", ss_cli_number(priority), "interrupt_before",
        before ? ss_cli_input_list(before) : NULL, "interrupt_after",
        after ? ss_cli_input_list(after) : NULL, "context", value);
    return SS_CLI_DONE;
}

int ss_cmd_run(struct ss_client *client)
{
    json_t *more = NULL;
    json_t *value = NULL;
    char *at = NULL;
    struct ss_error error;
    int status = more_options(&more);
    if (status != SS_CLI_DONE)
        return status;
    if (input && ss_cli_input("--input", input, &value, &error) != SS_OK)
        status = ss_cli_usage("%s", error.message);
    else if (checkpoint && !thread)
        status = ss_cli_usage("--at needs --thread");
    else if (checkpoint)
        status = ss_cli_find_checkpoint(client, thread, checkpoint, &at);
    if (status != SS_CLI_DONE) {
        json_decref(more);
        json_decref(value);
        return status;
    }
    const struct ss_client_run request = {.thread = thread,
        .input = value,
        .checkpoint_id = at,
        .subgraphs = subgraphs,
        .run = run_id,
        .if_busy = if_busy,
        .detach = detach,
        .more = more};
    const struct ss_follow follow = {.op = "run",
        .body = ss_client_run_body(words.items[0], &request),
        .graph = words.items[0],
        .thread = thread,
        .stream = stream,
        .progress = progress};
    if (!follow.body)
        status = ss_cli_usage("a word of the command is not text in UTF-8");
    else if (at)
        status = ss_cli_look(client, follow.body);
    if (status == SS_CLI_DONE)
        status = ss_cli_follow(client, &follow);
    else
        json_decref(follow.body);
    ss_free(at);
    return status;
}

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

static const struct ss_arg options[] = {{.name = "GRAPH",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "GRAPH",
                                            .min = 1,
                                            .max = 1},
    {.name = "input",
        .letter = 'i',
        .kind = SS_ARG_TEXT,
        .to = &input,
        .value = "JSON|@FILE|-",
        .help = "the input; without it the thread goes on as it is"},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .help = "a new one by default"},
    {.name = "stream",
        .kind = SS_ARG_TEXT,
        .to = &stream,
        .value = "MODES",
        .help = "print events: values,updates,custom,messages,tasks,\n"
                "checkpoints,debug,progress"},
    {.name = "subgraphs",
        .kind = SS_ARG_FLAG,
        .to = &subgraphs,
        .help = "events of inner graphs too"},
    {.name = "at",
        .kind = SS_ARG_TEXT,
        .to = &checkpoint,
        .value = "CHECKPOINT",
        .help = "go on from there, as a fork; as `history` shows it"},
    {.name = "durability",
        .kind = SS_ARG_TEXT,
        .to = &durability,
        .value = "sync|async|exit",
        .help = "when checkpoints are stored; default: sync"},
    {.name = "recursion-limit",
        .kind = SS_ARG_INT,
        .to = &recursion_limit,
        .value = "N",
        .min = 1,
        .max = 1000000000,
        .help = "supersteps before the run fails"},
    {.name = "priority",
        .kind = SS_ARG_INT,
        .to = &priority,
        .value = "N",
        .min = -100,
        .max = 100,
        .help = "its tasks go before those of runs with less; default: 0"},
    {.name = "interrupt-before",
        .kind = SS_ARG_TEXT,
        .to = &before,
        .value = "NODES",
        .help = "stop before these (a,b or *)"},
    {.name = "interrupt-after",
        .kind = SS_ARG_TEXT,
        .to = &after,
        .value = "NODES",
        .help = "stop after these"},
    {.name = "context",
        .kind = SS_ARG_TEXT,
        .to = &context,
        .value = "JSON|@FILE",
        .help = "what the nodes get as context"},
    {.name = "run",
        .kind = SS_ARG_TEXT,
        .to = &run_id,
        .value = "ID",
        .help = "a name for the run: asked twice, it runs once"},
    {.name = "if-busy",
        .kind = SS_ARG_TEXT,
        .to = &if_busy,
        .value = "STRATEGY",
        .help = "where a run is under way on the thread: reject (default),\n"
                "enqueue behind it, interrupt it, or rollback what it did"},
    {.name = "detach",
        .letter = 'd',
        .kind = SS_ARG_FLAG,
        .to = &detach,
        .help = "do not wait for the end"},
    {.name = "progress",
        .kind = SS_ARG_FLAG,
        .to = &progress,
        .help = "show supersteps on stderr also where it is no terminal"},
    SS_CLI_OPTIONS};

// Options that stand in the request as they are.
static int more_options(json_t **ret_more)
{
    json_t *more = json_object();
    if (durability)
        json_object_set_new(more, "durability", json_string(durability));
    if (recursion_limit)
        json_object_set_new(
            more, "recursion_limit", json_integer(recursion_limit));
    if (priority)
        json_object_set_new(more, "priority", json_integer(priority));
    if (before)
        json_object_set_new(
            more, "interrupt_before", ss_cli_input_list(before));
    if (after)
        json_object_set_new(more, "interrupt_after", ss_cli_input_list(after));
    json_t *value = NULL;
    struct ss_error error;
    if (context &&
        ss_cli_input("--context", context, &value, &error) != SS_OK) {
        json_decref(more);
        return ss_cli_usage("%s", error.message);
    }
    if (value)
        json_object_set_new(more, "context", value);
    *ret_more = more;
    return SS_CLI_DONE;
}

static int run(struct ss_client *client)
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
        status = ss_cli_usage("a word of it is no text in UTF-8");
    else if (at)
        status = ss_cli_look(client, follow.body);
    if (status == SS_CLI_DONE)
        status = ss_cli_follow(client, &follow);
    else
        json_decref(follow.body);
    ss_free(at);
    return status;
}

const struct ss_cli_command ss_cmd_run = {
    .name = "run",
    .usage = "GRAPH [options]",
    .summary = "run a graph and wait for its result",
    .about = "On a terminal each superstep shows as a line while the run goes "
             "on;\nthe result is printed on standard output. With --stream "
             "events are\nprinted in its place, one a line.",
    .options = options,
    .word = SS_CLI_WORD_GRAPH,
    .run = run,
};

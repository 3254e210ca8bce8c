// cmd_run.c - superstep run GRAPH: begin a run, or go on with a thread.
#include <string.h>

#include "client/cli/find.h"
#include "client/cli/follow.h"
#include "client/cli/ids.h"
#include "client/cli/input.h"
#include "client/cli/terms.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *input;
static const char *thread, *if_absent;
static const char *stream;
static const char *checkpoint;
static const char *ns;
static const char *map;
static const char *command;
static const char *run_id;
static bool subgraphs;
static bool detach;
static bool progress;

const struct ss_arg ss_cmd_run_options[] = {SS_CLI_WORD(words, "GRAPH"),
    SS_CLI_TEXT("input", 'i', input, "JSON|@FILE|-",
        "the input; without it the thread goes on as it is"),
    SS_CLI_THREAD(thread, "a new one by default"),
    SS_CLI_CHOICE("if-absent", if_absent, "make|refuse", "make refuse",
        "where there is no such thread yet; default: make it"),
    SS_CLI_STREAM(stream,
        "print events: values,updates,custom,messages,tasks,\n"
        "checkpoints,debug,progress"),
    SS_CLI_SUBGRAPHS(subgraphs),
    SS_CLI_AT(checkpoint, "go on from there, as a fork; as `history` shows it"),
    SS_CLI_TEXT("ns", 0, ns, "NAMESPACE", "with --at: of an inner graph"),
    SS_CLI_TEXT("map", 0, map, "JSON|@FILE",
        "with --ns: the checkpoints of the graphs around it,\n"
        "as `history` gives them (checkpoint_map)"),
    SS_CLI_TEXT("command", 0, command, "JSON|@FILE",
        "in place of an input: {\"update\", \"goto\", \"resume\"}"),
    SS_CLI_RUN_ID(run_id), SS_CLI_DETACH(detach), SS_CLI_PROGRESS(progress),
    SS_TERMS_OPTIONS};

// Put what an option holds into the request.
static int add(
    json_t *more, const char *key, const char *option, const char *text)
{
    struct ss_error error;
    json_t *value;
    if (!text)
        return SS_CLI_DONE;
    if (ss_cli_input(option, text, &value, &error) != SS_OK)
        return ss_cli_usage("%s", error.message);
    json_object_set_new(more, key, value);
    return SS_CLI_DONE;
}

// LangGraph's way to say the thread: taken as it stands, the run would be on
// another one.
static int check_thread_id(const json_t *more)
{
    const json_t *configurable =
        json_object_get(json_object_get(more, "config"), "configurable");
    const char *id = ss_json_str(configurable, "thread_id", NULL);
    return !id || (thread && strcmp(id, thread) == 0)
               ? SS_CLI_DONE
               : ss_cli_usage("--config: \"thread_id\" is an option of its "
                              "own: --thread %s",
                     id);
}

static int read_more(json_t *more)
{
    int status = add(more, "input", "--input", input);
    if (status == SS_CLI_DONE)
        status = add(more, "command", "--command", command);
    if (status == SS_CLI_DONE)
        status = add(more, "checkpoint_map", "--map", map);
    if (status == SS_CLI_DONE && ns &&
        json_object_set_new(more, "checkpoint_ns", json_string(ns)) != 0)
        status = ss_cli_usage("--ns is not text in UTF-8");
    if (status == SS_CLI_DONE)
        status = check_thread_id(more);
    if (status == SS_CLI_DONE && checkpoint && !thread)
        status = ss_cli_usage("--at needs --thread");
    if (status == SS_CLI_DONE && if_absent && !thread)
        status = ss_cli_usage("--if-absent needs --thread");
    if (if_absent)
        json_object_set_new(more, "if_absent", json_string(if_absent));
    if (status == SS_CLI_DONE && (ns || map) && !checkpoint)
        status = ss_cli_usage("--ns and --map need --at");
    return status;
}

int ss_cmd_run(struct ss_client *client)
{
    json_t *more = NULL;
    char *at = NULL;
    int status = ss_terms_read(&more);
    if (status == SS_CLI_DONE)
        status = read_more(more);
    if (status == SS_CLI_DONE && checkpoint)
        status = ss_cli_find_checkpoint(client, thread, ns, checkpoint, &at);
    if (status != SS_CLI_DONE) {
        json_decref(more);
        return status;
    }
    const struct ss_client_run request = {.thread = thread,
        .checkpoint_id = at,
        .subgraphs = subgraphs,
        .run = run_id,
        .detach = detach,
        .more = more};
    const struct ss_follow follow = {.op = "run",
        .body = ss_client_run_body(words.items[0], &request),
        .graph = words.items[0],
        .thread = thread,
        .stream = stream,
        .progress = progress};
    if (follow.body && at)
        status = ss_cli_look(client, follow.body);
    if (status == SS_CLI_DONE)
        status = ss_cli_follow(client, &follow);
    else
        json_decref(follow.body);
    ss_free(at);
    return status;
}

// cmd_resume.c - superstep resume THREAD: answer what a run asked, and go on.
#include "client/cli/find.h"
#include "client/cli/follow.h"
#include "client/cli/input.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static struct ss_arg_list answers;
static const char *value;
static const char *graph;
static const char *stream;
static const char *run_id;
static bool subgraphs;
static bool detach;
static bool progress;

static const struct ss_arg options[] = {{.name = "THREAD",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "THREAD",
                                            .min = 1,
                                            .max = 1},
    {.name = "value",
        .kind = SS_ARG_TEXT,
        .to = &value,
        .value = "JSON|@FILE|-",
        .help = "the answer to the one question"},
    {.name = "answer",
        .kind = SS_ARG_LIST,
        .to = &answers,
        .value = "ID=JSON",
        .help = "the answer to one of several; may be given often"},
    {.name = "graph",
        .letter = 'g',
        .kind = SS_ARG_TEXT,
        .to = &graph,
        .value = "GRAPH",
        .help = "default: the one that ran there last"},
    {.name = "stream",
        .kind = SS_ARG_TEXT,
        .to = &stream,
        .value = "MODES",
        .help = "print events, as `run` does"},
    {.name = "subgraphs",
        .kind = SS_ARG_FLAG,
        .to = &subgraphs,
        .help = "events of inner graphs too"},
    {.name = "run",
        .kind = SS_ARG_TEXT,
        .to = &run_id,
        .value = "ID",
        .help = "a name for the run: asked twice, it runs once"},
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

// The answer in *ret_resume; NULL where none is given (go on behind a
// breakpoint).
static int read_answer(json_t **ret_resume)
{
    struct ss_error error;
    int status = SS_OK;
    *ret_resume = NULL;
    if (value && answers.count > 0)
        return ss_cli_usage("--value or --answer, not both");
    if (value)
        status = ss_cli_input("--value", value, ret_resume, &error);
    else if (answers.count > 0)
        status = ss_cli_input_pairs(
            "--answer", answers.items, answers.count, ret_resume, &error);
    return status == SS_OK ? SS_CLI_DONE : ss_cli_usage("%s", error.message);
}

static int run(struct ss_client *client)
{
    json_t *resume;
    int status = read_answer(&resume);
    if (status != SS_CLI_DONE)
        return status;
    char *found = ss_strdup(graph);
    if (!found && (status = ss_cli_find_graph(
                       client, words.items[0], &found)) != SS_CLI_DONE) {
        json_decref(resume);
        return status;
    }
    const struct ss_client_run request = {.thread = words.items[0],
        .resume = resume,
        .subgraphs = subgraphs,
        .run = run_id,
        .detach = detach};
    const struct ss_follow follow = {.op = "run",
        .body = ss_client_run_body(found, &request),
        .graph = found,
        .thread = words.items[0],
        .stream = stream,
        .progress = progress};
    status = follow.body ? ss_cli_follow(client, &follow)
                         : ss_cli_usage("a word of it is no text in UTF-8");
    ss_free(found);
    return status;
}

const struct ss_cli_command ss_cmd_resume = {
    .name = "resume",
    .usage = "THREAD [--value JSON | --answer ID=JSON...] [options]",
    .summary = "answer what a run asked, and go on",
    .about = "Without an answer the thread goes on behind a breakpoint.",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

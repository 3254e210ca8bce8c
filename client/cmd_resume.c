// cmd_resume.c - superstep resume THREAD: answer what a run asked, and go on.
#include "client/cli/find.h"
#include "client/cli/follow.h"
#include "client/cli/ids.h"
#include "client/cli/input.h"
#include "client/cli/terms.h"
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

const struct ss_arg ss_cmd_resume_options[] = {SS_CLI_WORD(words, "THREAD"),
    SS_CLI_TEXT(
        "value", 0, value, "JSON|@FILE|-", "the answer to the one question"),
    SS_CLI_LIST("answer", answers, "ID=JSON",
        "the answer to one of several; may be given often"),
    SS_CLI_GRAPH(graph, "default: the one that ran there last"),
    SS_CLI_STREAM(stream, "print events, as `run` does"),
    SS_CLI_SUBGRAPHS(subgraphs), SS_CLI_RUN_ID(run_id), SS_CLI_DETACH(detach),
    SS_CLI_PROGRESS(progress), SS_TERMS_OPTIONS};

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

int ss_cmd_resume(struct ss_client *client)
{
    json_t *resume = NULL, *more = NULL;
    int status = read_answer(&resume);
    if (status == SS_CLI_DONE)
        status = ss_terms_read(&more);
    if (status == SS_CLI_DONE && answers.count > 0)
        status = ss_cli_find_interrupts(client, words.items[0], &resume);
    if (status != SS_CLI_DONE) {
        json_decref(resume);
        json_decref(more);
        return status;
    }
    char *found = ss_strdup(graph);
    if (!found && (status = ss_cli_find_graph(
                       client, words.items[0], &found)) != SS_CLI_DONE) {
        json_decref(resume);
        json_decref(more);
        return status;
    }
    const struct ss_client_run request = {.thread = words.items[0],
        .resume = resume,
        .subgraphs = subgraphs,
        .run = run_id,
        .detach = detach,
        .more = more};
    const struct ss_follow follow = {.op = "run",
        .body = ss_client_run_body(found, &request),
        .graph = found,
        .thread = words.items[0],
        .stream = stream,
        .progress = progress};
    status = follow.body ? ss_cli_follow(client, &follow)
                         : ss_cli_usage("a word of the command is not text in "
                                        "UTF-8");
    ss_free(found);
    return status;
}

// cmd_resume.c - superstep resume THREAD: answer what a run asked, and go on;
// or give all that ask the same answer.
#include "client/cli/bulk.h"
#include "client/cli/find.h"
#include "client/cli/follow.h"
#include "client/cli/ids.h"
#include "client/cli/input.h"
#include "client/cli/terms.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static struct ss_arg_list answers;
static const char *value;
static const char *graph;
static const char *stream;
static const char *run_id;
static bool subgraphs;
static bool detach;
static bool progress;

const struct ss_arg ss_cmd_resume_options[] = {
    SS_CLI_WORDS(words, "THREAD", 0, 1),
    SS_CLI_TEXT(
        "value", 0, value, "JSON|@FILE|-", "the answer to the one question"),
    SS_CLI_LIST("answer", answers, "ID=JSON",
        "the answer to one of several; may be given often"),
    SS_CLI_GRAPH(graph, "default: the one that ran there last; without THREAD: "
                        "what this graph asks"),
    SS_CLI_ALL(ss_bulk_query.all), SS_WHICH_SINCE(ss_bulk_query.which),
    SS_WHICH_UNTIL(ss_bulk_query.which), SS_WHICH_META(ss_bulk_query.which),
    SS_WHICH_PREFIX(ss_bulk_query.which), SS_CLI_YES(ss_bulk_query.yes),
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

static bool asks(const json_t *thread)
{
    return json_object_size(json_object_get(thread, "interrupts")) > 0;
}

struct answer {
    json_t *value, *more;
};

// The same answer to each of its questions.
static int resume_any(struct ss_client *client, const json_t *thread, void *ctx,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    const struct answer *answer = ctx;
    json_t *all = json_object(), *list, *question;
    const char *task;
    size_t i;
    json_object_foreach (json_object_get(thread, "interrupts"), task, list)
        json_array_foreach (list, i, question)
            json_object_set(
                all, ss_json_str(question, "id", "?"), answer->value);
    const struct ss_client_run request = {
        .thread = ss_json_str(thread, "thread", NULL),
        .resume = all,
        .detach = true,
        .more = json_deep_copy(answer->more)};
    return ss_client_run(client, ss_json_str(thread, "graph", ""), &request,
        ret_answer, ret_error);
}

static int resume_all(struct ss_client *client)
{
    struct answer answer = {0};
    const struct ss_bulk all = {.list = "threads",
        .states = {SS_THREAD_INTERRUPTED},
        .graph = graph,
        .what = "thread that asks",
        .plural = "threads that ask",
        .verb = "answer",
        .done = "goes on",
        .is_meant = asks,
        .act = resume_any,
        .ctx = &answer};
    if (!value || answers.count > 0 || run_id)
        return ss_cli_usage("without THREAD give --value JSON, the one answer, "
                            "and no --answer and no --run");
    int status = read_answer(&answer.value);
    if (status == SS_CLI_DONE)
        status = ss_terms_read(&answer.more);
    if (status == SS_CLI_DONE)
        status = ss_bulk(client, &all);
    json_decref(answer.value);
    json_decref(answer.more);
    return status;
}

int ss_cmd_resume(struct ss_client *client)
{
    json_t *resume = NULL, *more = NULL;
    bool is_many;
    int status = ss_bulk_is_meant(
        &words, "THREAD", words.count > 0 ? NULL : graph, &is_many);
    if (status != SS_CLI_DONE || is_many)
        return status != SS_CLI_DONE ? status : resume_all(client);
    status = read_answer(&resume);
    if (status == SS_CLI_DONE)
        status = ss_terms_read(&more);
    if (status == SS_CLI_DONE && answers.count > 0)
        status = ss_cli_find_interrupts(client, words.items[0], &resume);
    char *found = ss_strdup(graph);
    if (status == SS_CLI_DONE && !found)
        status = ss_cli_find_graph(client, words.items[0], &found);
    if (status != SS_CLI_DONE) {
        ss_free(found);
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
    status = ss_cli_follow(client, &follow);
    ss_free(found);
    return status;
}

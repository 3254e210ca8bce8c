// cmd_retry.c - superstep retry RUN: go on where a run that failed stopped; or
// where all those stopped that failed.
//
// What its supersteps finished stays; only what failed runs again. It is a new
// run without input, so the failed one has to be the last of its thread: behind
// another one the thread stands elsewhere. It has the terms of the failed one:
// without its context a node would fail for that, and without its metadata
// nobody would find it by them.
#include <string.h>

#include "client/cli/bulk.h"
#include "client/cli/follow.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *of_thread, *graph;
static const char *events;
static bool is_detached, is_watched;

const struct ss_arg ss_cmd_retry_options[] = {SS_CLI_WORDS(words, "RUN", 0, 1),
    SS_CLI_THREAD(of_thread,
        "the run of this thread: others may have one of that name; "
        "without RUN its last one"),
    SS_CLI_FLAG("failed", 0, ss_bulk_query.all,
        "without RUN: the last run of each thread, where that failed"),
    SS_CLI_GRAPH(graph, "without RUN: those that this graph failed on"),
    SS_CLI_STREAM(events, "print events, as `run` does"),
    SS_CLI_DETACH(is_detached), SS_CLI_PROGRESS(is_watched),
    SS_WHICH_SINCE(ss_bulk_query.which), SS_WHICH_UNTIL(ss_bulk_query.which),
    SS_WHICH_META(ss_bulk_query.which), SS_WHICH_PREFIX(ss_bulk_query.which),
    SS_CLI_YES(ss_bulk_query.yes), SS_CLI_OPTIONS};

// A run as `explain` tells of it; `run` NULL: the last one of the thread. Gives
// *ret_told. Returns an exit status, after printing the error.
static int look(struct ss_client *client, const char *run, const char *thread,
    json_t **ret_told)
{
    struct ss_client_error error;
    json_t *answer;
    json_t *body = json_pack("{s:s*, s:s*}", "run", run, "thread", thread);
    if (ss_client_ask(client, "explain", body, NULL, &answer, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    *ret_told = json_incref(json_object_get(answer, "explain"));
    json_decref(answer);
    return SS_CLI_DONE;
}

// What was asked with the failed run, but for its input and who listened.
// Gives; of a pruned run: nothing.
static json_t *terms_of(const json_t *told)
{
    static const char *const keys[] = {"context", "config", "recursion_limit",
        "max_concurrency", "priority", "durability", "interrupt_before",
        "interrupt_after", "output_keys"};
    const json_t *request = json_object_get(told, "request");
    json_t *terms = json_object();
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        json_t *value = json_object_get(request, keys[i]);
        if (value)
            json_object_set(terms, keys[i], value);
    }
    return terms;
}

// Whether it failed, and nothing ran on its thread since. Returns an exit
// status, after printing why not.
static int check(struct ss_client *client, const char *run, const char *thread,
    const json_t *told)
{
    json_t *last = NULL;
    enum ss_run_status how = ss_run_status_of(told);
    if (how != SS_RUN_FAILED)
        return ss_cli_fail("run %s did not fail, it is %s: nothing is tried "
                           "again. superstep explain %s tells what happened",
            run, ss_json_str(told, "status", "?"), run);
    int status = look(client, NULL, thread, &last);
    const char *name = ss_json_str(last, "run", run);
    if (status == SS_CLI_DONE && strcmp(name, run) != 0)
        status = ss_cli_fail(
            "run %s is not the last one of thread %s: run %s came after it, "
            "and the thread stands where that one left it",
            run, thread, name);
    json_decref(last);
    return status;
}

static int retry_any(struct ss_client *client, const json_t *thread, void *ctx,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    const char *name = ss_json_str(thread, "thread", NULL);
    json_t *answer = NULL;
    json_t *body = json_pack("{s:s*, s:s*}", "run",
        ss_json_str(thread, "run", NULL), "thread", name);
    (void)ctx;
    int status =
        ss_client_ask(client, "explain", body, NULL, &answer, ret_error);
    if (status != 0)
        return status;
    const struct ss_client_run request = {.thread = name,
        .detach = true,
        .more = terms_of(json_object_get(answer, "explain"))};
    json_decref(answer);
    return ss_client_run(client, ss_json_str(thread, "graph", ""), &request,
        ret_answer, ret_error);
}

int ss_cmd_retry(struct ss_client *client)
{
    const struct ss_bulk all = {.list = "threads",
        .states = {SS_THREAD_FAILED},
        .graph = graph,
        .what = "failed run",
        .verb = "try again",
        .done = "is tried again",
        .knows_last = true,
        .act = retry_any};
    int status;
    if (ss_bulk_takes(client, &words, of_thread, &all, &status))
        return status;
    const char *run = words.count > 0 ? words.items[0] : NULL;
    json_t *told = NULL;
    status = look(client, run, of_thread, &told);
    if (!run)
        run = ss_json_str(told, "run", "");
    const char *thread = ss_json_str(told, "thread", of_thread);
    if (status == SS_CLI_DONE)
        status = check(client, run, thread, told);
    if (status == SS_CLI_DONE) {
        graph = ss_json_str(told, "graph", "");
        const struct ss_client_run request = {
            .thread = thread, .detach = is_detached, .more = terms_of(told)};
        const struct ss_follow follow = {.op = "run",
            .body = ss_client_run_body(graph, &request),
            .graph = graph,
            .thread = thread,
            .stream = events,
            .progress = is_watched};
        status = ss_cli_follow(client, &follow);
    }
    json_decref(told);
    return status;
}

// bulk.c - the same for many runs or threads, counted and confirmed.
#include "client/cli/bulk.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/find.h"
#include "client/cli/pages.h"
#include "client/cli/text.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/value.h"

struct ss_bulk_query ss_bulk_query;

static bool is_said(const char *graph)
{
    return ss_bulk_query.all || graph || ss_which_is_said(&ss_bulk_query.which);
}

int ss_bulk_is_meant(const struct ss_arg_list *words, const char *what,
    const char *graph, bool *ret_meant)
{
    *ret_meant = is_said(graph);
    if (words->count > 0 && *ret_meant)
        return ss_cli_usage(
            "%s or --graph, --since, --meta, --all: one or others, not both",
            what);
    if (words->count == 0 && !*ret_meant)
        return ss_cli_usage(
            "say which %s, or --graph, --since, --meta, --all", what);
    return SS_CLI_DONE;
}

// Add those that stand so. Returns an exit status, after printing the error.
static int add(struct ss_client *client, const struct ss_bulk *bulk,
    const char *state, json_t *found)
{
    struct ss_client_error error;
    struct ss_cli_found page;
    struct ss_which which = ss_bulk_query.which;
    json_t *body = NULL, *item;
    size_t i;
    which.status = state;
    which.graph = bulk->graph;
    int status = ss_which_ask(&which, &body);
    if (status != SS_CLI_DONE)
        return status;
    if (ss_cli_find(client, bulk->list, body, &page, &error) != 0)
        return ss_cli_client_fail(client, &error, bulk->graph, NULL);
    json_array_foreach (page.list, i, item)
        if (!bulk->is_meant || bulk->is_meant(item))
            json_array_append(found, item);
    ss_cli_note_lacking(&page);
    ss_cli_found_fini(&page);
    return SS_CLI_DONE;
}

// "12 runs". Gives.
static char *count_of(const struct ss_bulk *bulk, size_t count)
{
    return count == 1 || !bulk->plural
               ? ss_text_count((int64_t)count, bulk->what)
               : ss_format("%zu %s", count, bulk->plural);
}

static int confirm(const struct ss_bulk *bulk, size_t count)
{
    char answer[8] = "";
    char *many = count_of(bulk, count);
    int status = SS_CLI_DONE;
    if (!ss_bulk_query.yes &&
        !(isatty(STDIN_FILENO) && isatty(STDERR_FILENO))) {
        status = ss_cli_usage(
            "this is to %s: %s. Nobody is there to be asked; --yes does it",
            bulk->verb, many);
    } else if (!ss_bulk_query.yes) {
        fprintf(stderr, "%s: %s? [y/N] ", many, bulk->verb);
        if (!fgets(answer, sizeof(answer), stdin) ||
            (answer[0] != 'y' && answer[0] != 'Y'))
            status = ss_cli_fail("nothing was done");
    }
    ss_free(many);
    return status;
}

// True: it was done.
static bool act(
    struct ss_client *client, const struct ss_bulk *bulk, const json_t *item)
{
    struct ss_client_error error = {0};
    const char *thread = ss_json_str(item, "thread", "?");
    const char *run = ss_json_str(item, "run", NULL);
    json_t *answer = NULL;
    int status = bulk->act(client, item, bulk->ctx, &answer, &error);
    const char *made = ss_json_str(answer, "run", NULL);
    if (made && run && strcmp(made, run) == 0)
        made = NULL; // it is the same one
    if (ss_cli_options.json) {
        json_t *told = json_pack("{s:s, s:s*, s:b, s:s*}", "thread", thread,
            "run", run, "done", status == 0, "new_run", made);
        if (status != 0)
            json_object_set_new(told, "error",
                json_pack("{s:s, s:s}", "code", error.code, "message",
                    error.message));
        ss_cli_print_json(told);
        json_decref(told);
    } else if (status == 0) {
        ss_cli_line(stdout, "thread %s  %s%s%s%s%s%s", thread,
            run ? "run " : "", run ? run : "", run ? " " : "", bulk->done,
            made ? ", as run " : "", made ? made : "");
    } else {
        ss_cli_note("thread %s: %s", thread, error.message);
    }
    json_decref(answer);
    return status == 0;
}

static int act_on_all(
    struct ss_client *client, const struct ss_bulk *bulk, const json_t *found)
{
    size_t i, done = 0, count = json_array_size(found);
    json_t *item;
    json_array_foreach (found, i, item)
        done += act(client, bulk, item);
    ss_check(done <= count);
    if (done == count)
        return SS_CLI_DONE;
    char *many = count_of(bulk, count);
    int status =
        ss_cli_fail("%zu of %s: it could not be done", count - done, many);
    ss_free(many);
    return status;
}

int ss_bulk(struct ss_client *client, const struct ss_bulk *bulk)
{
    json_t *found = json_array();
    int status = add(client, bulk, bulk->states[0], found);
    if (status == SS_CLI_DONE && bulk->states[1])
        status = add(client, bulk, bulk->states[1], found);
    size_t count = json_array_size(found);
    if (status == SS_CLI_DONE && count == 0) {
        ss_cli_note("there is no such %s: nothing is to be done", bulk->what);
        ss_cli_warn_unknown(client, bulk->graph, NULL);
    } else if (status == SS_CLI_DONE) {
        status = confirm(bulk, count);
    }
    if (status == SS_CLI_DONE)
        status = act_on_all(client, bulk, found);
    json_decref(found);
    return status;
}

bool ss_bulk_takes(struct ss_client *client, const struct ss_arg_list *words,
    const char *thread, const struct ss_bulk *bulk, int *ret_status)
{
    bool is_many = is_said(bulk->graph);
    bool is_alone = thread && words->count == 0;
    *ret_status = SS_CLI_DONE;
    if (is_alone && !is_many && bulk->knows_last)
        return false;
    if (is_alone && !is_many)
        *ret_status = ss_cli_usage(
            "--thread says whose run it is, and not which: superstep runs "
            "--thread %s lists them",
            thread);
    // Passed over, it would be done to all others, too.
    else if (is_alone && is_many)
        *ret_status = ss_cli_usage(
            "--thread is for one run; threads whose names begin so: --prefix");
    else
        *ret_status = ss_bulk_is_meant(words, "RUN", bulk->graph, &is_many);
    if (*ret_status == SS_CLI_DONE && is_many)
        *ret_status = ss_bulk(client, bulk);
    return is_many || *ret_status != SS_CLI_DONE;
}

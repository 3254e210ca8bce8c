// cmd_migrate.c - superstep migrate: move runs to another version of their graph.
#include <stdio.h>
#include <string.h>

#include "client/cli/find.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { PAGE = 1000 };

static struct ss_arg_list words;
static const char *thread;
static const char *graph;
static const char *from;
static const char *to;

static const struct ss_arg options[] = {{.name = "RUN",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "RUN",
                                            .min = 0,
                                            .max = 1},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .help = "the run of this thread: others may have one of that name"},
    {.name = "graph",
        .letter = 'g',
        .kind = SS_ARG_TEXT,
        .to = &graph,
        .value = "GRAPH",
        .help = "all runs of this graph that have not ended"},
    {.name = "from",
        .kind = SS_ARG_TEXT,
        .to = &from,
        .value = "VERSION",
        .help = "only those of this version (its first letters do)"},
    {.name = "to",
        .kind = SS_ARG_TEXT,
        .to = &to,
        .value = "VERSION",
        .help = "the new version; the newest by default"},
    SS_CLI_OPTIONS};

// `of` NULL: whatever thread has a run of that name.
static int move(struct ss_client *client, const char *of, const char *run)
{
    json_t *answer = NULL;
    json_t *body = json_pack(
        "{s:s, s:s*, s:s*}", "run", run, "thread", of, "to", to);
    int status = ss_cli_ask(client, "migrate", body, NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    const char *old = ss_json_str(answer, "from", "?");
    const char *new = ss_json_str(answer, "to", "?");
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else if (strcmp(old, new) == 0)
        printf("run %s is of version %.8s already\n", run, old);
    else
        printf("run %s moves from version %.8s to %.8s\n", run, old, new);
    json_decref(answer);
    return SS_CLI_DONE;
}

static bool is_meant(const json_t *run)
{
    const char *status = ss_json_str(run, "status", "");
    bool open = strcmp(status, "running") == 0 ||
                strcmp(status, "queued") == 0;
    return open && strcmp(ss_json_str(run, "graph", ""), graph) == 0 &&
           (!from || strncmp(ss_json_str(run, "version", ""), from,
                         strlen(from)) == 0);
}

// A page of runs behind the place `after`, which is that of the last one then.
static int move_page(
    struct ss_client *client, char **after, size_t *moved, bool *ret_more)
{
    struct ss_client_error error;
    json_t *runs = NULL, *run;
    size_t i;
    json_t *more = json_pack(
        "{s:i, s:s*}", "limit", PAGE, "after", *after ? *after : NULL);
    if (ss_client_runs(client, more, &runs, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, NULL);
    int status = SS_CLI_DONE;
    json_array_foreach (runs, i, run) {
        const char *name = ss_json_str(run, "run", "");
        ss_free(*after);
        *after = ss_strdup(ss_json_str(run, "key", name));
        if (status == SS_CLI_DONE && is_meant(run)) {
            status = move(client, ss_json_str(run, "thread", NULL), name);
            (*moved)++;
        }
    }
    *ret_more = json_array_size(runs) == PAGE;
    json_decref(runs);
    return status;
}

static int move_all(struct ss_client *client)
{
    char *after = NULL;
    size_t moved = 0;
    bool more = true;
    int status = SS_CLI_DONE;
    while (more && status == SS_CLI_DONE)
        status = move_page(client, &after, &moved, &more);
    if (status == SS_CLI_DONE && moved == 0 && !ss_cli_options.json)
        printf("no run of graph %s%s%s is under way\n", graph,
            from ? " version " : "", from ? from : "");
    ss_free(after);
    return status;
}

static int run(struct ss_client *client)
{
    if ((words.count == 1) == (graph != NULL) || (from && !graph)
        || (thread && graph))
        return ss_cli_usage("say which RUN, or --graph GRAPH [--from VERSION]");
    if (graph)
        return move_all(client);
    char *id;
    int status = ss_cli_find_run(client, thread, words.items[0], &id);
    if (status != SS_CLI_DONE)
        return status;
    status = move(client, thread, id);
    ss_free(id);
    return status;
}

const struct ss_cli_command ss_cmd_migrate = {
    .name = "migrate",
    .usage = "RUN | --graph GRAPH [options]",
    .summary = "move runs to another version of their graph",
    .about = "A run stays on the version that it began with, also when newer "
             "workers\nare there; this moves it. What it has finished stays; "
             "tasks that are out\nbegin again on the new version.",
    .options = options,
    .word = SS_CLI_WORD_RUN,
    .run = run,
};

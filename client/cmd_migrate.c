// cmd_migrate.c - superstep migrate: move runs to another version of their
// graph.
#include <stdio.h>
#include <string.h>

#include "client/cli/find.h"
#include "client/cli/pages.h"
#include "client/commands.h"
#include "common/model/run_status.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *thread;
static const char *graph;
static const char *from;
static const char *to;

const struct ss_arg ss_cmd_migrate_options[] = {
    SS_CLI_WORDS(words, "RUN", 0, 1), SS_CLI_THREAD_OF_RUN(thread),
    SS_CLI_GRAPH(graph, "all runs of this graph that have not ended"),
    SS_CLI_TEXT("from", 0, from, "VERSION",
        "only those of this version (its first letters do)"),
    SS_CLI_TEXT(
        "to", 0, to, "VERSION", "the new version; the newest by default"),
    SS_CLI_OPTIONS};

// `of`: the run's thread; NULL: any thread with a run of that name.
static int move(struct ss_client *client, const char *of, const char *run)
{
    json_t *answer = NULL;
    json_t *body =
        json_pack("{s:s, s:s*, s:s*}", "run", run, "thread", of, "to", to);
    int status = ss_cli_ask(client, "migrate", body, NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    const char *old = ss_json_str(answer, "from", "?");
    const char *new = ss_json_str(answer, "to", "?");
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else if (strcmp(old, new) == 0)
        ss_cli_line(stdout, "run %s is of version %.8s already", run, old);
    else
        ss_cli_line(
            stdout, "run %s moves from version %.8s to %.8s", run, old, new);
    json_decref(answer);
    return SS_CLI_DONE;
}

static bool is_meant(const json_t *run)
{
    return ss_run_is_under_way(run) &&
           strcmp(ss_json_str(run, "graph", ""), graph) == 0 &&
           (!from || strncmp(ss_json_str(run, "version", ""), from,
                         strlen(from)) == 0);
}

static int move_any(struct ss_client *client, const json_t *run, void *ctx)
{
    size_t *moved = ctx;
    if (!is_meant(run))
        return SS_CLI_DONE;
    (*moved)++;
    return move(
        client, ss_json_str(run, "thread", NULL), ss_json_str(run, "run", ""));
}

static int move_all(struct ss_client *client)
{
    size_t moved = 0;
    int status = ss_cli_each(client, "runs", move_any, &moved);
    if (status == SS_CLI_DONE && moved == 0 && !ss_cli_options.json)
        printf("no run of graph %s%s%s is under way\n", graph,
            from ? " version " : "", from ? from : "");
    if (status == SS_CLI_DONE && moved == 0)
        ss_cli_warn_unknown(client, graph, NULL);
    return status;
}

int ss_cmd_migrate(struct ss_client *client)
{
    if ((words.count == 1) == (graph != NULL) || (from && !graph) ||
        (thread && graph))
        return ss_cli_usage("say which RUN, or --graph GRAPH [--from VERSION]");
    if (graph)
        return move_all(client);
    return move(client, thread, words.items[0]);
}

// cmd_pause.c - superstep pause GRAPH: send no more tasks of its runs.
#include <stdio.h>
#include <stdlib.h>

#include "client/commands.h"

static struct ss_arg_list words;
static bool all;
static const char *version;
static const char *reason;

static const struct ss_arg options[] = {{.name = "GRAPH",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "GRAPH",
                                            .min = 0,
                                            .max = 1},
    {.name = "all",
        .kind = SS_ARG_FLAG,
        .to = &all,
        .help = "every graph, also those that come"},
    {.name = "of-version",
        .kind = SS_ARG_TEXT,
        .to = &version,
        .value = "VERSION",
        .help = "only this version of the graph (its first letters do)"},
    {.name = "reason",
        .letter = 'r',
        .kind = SS_ARG_TEXT,
        .to = &reason,
        .value = "TEXT",
        .help = "why: who waits for it is told"},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    json_t *answer;
    struct ss_client_error error;
    const char *graph = words.count > 0 ? words.items[0] : NULL;
    if (all == (graph != NULL))
        return ss_cli_usage("say which graph, or --all");
    json_t *body = json_pack("{s:s*, s:s*, s:s*, s:s*}", "graph", graph,
        "version", version, "reason", reason, "by", getenv("USER"));
    if (all)
        json_object_set_new(body, "all", json_true());
    if (ss_client_ask(client, "pause", body, NULL, &answer, &error) != 0)
        return ss_cli_client_fail(client, &error, graph, NULL);
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else
        printf("%s%s is paused: no new task of it is sent, what runs ends. "
               "superstep unpause %s lets it go on\n",
            graph ? "graph " : "", graph ? graph : "everything",
            graph ? graph : "--all");
    json_decref(answer);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_pause = {
    .name = "pause",
    .usage = "GRAPH | --all [options]",
    .summary = "send no more tasks of a graph's runs",
    .about = "Attempts that run end, and are stored. New runs are acknowledged, "
             "and wait with\nthe others until superstep unpause, whatever "
             "restarts meanwhile. superstep show\npauses lists what is paused.",
    .options = options,
    .word = SS_CLI_WORD_GRAPH,
    .run = run,
};

// cmd_unpause.c - superstep unpause GRAPH: its runs go on.
#include <stdio.h>

#include "client/cli/paused.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static bool all;
static const char *version;

static const struct ss_arg options[] = {{.name = "GRAPH",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "GRAPH",
                                            .min = 0,
                                            .max = 1},
    {.name = "all",
        .kind = SS_ARG_FLAG,
        .to = &all,
        .help = "take back pause --all; what was paused by name stays so"},
    {.name = "of-version",
        .kind = SS_ARG_TEXT,
        .to = &version,
        .value = "VERSION",
        .help = "take back the pause of this version (its first letters do)"},
    SS_CLI_OPTIONS};

static void print(const json_t *answer, const char *graph)
{
    size_t i;
    json_t *record;
    const json_t *still = json_object_get(answer, "still");
    printf("%s%s %s%s\n", graph ? "graph " : "", graph ? graph : "everything",
        !ss_json_bool(answer, "was_paused", true) ? "was not paused"
        : json_array_size(still) > 0              ? "was unpaused"
                                                  : "goes on",
        json_array_size(still) > 0 ? "; but:" : "");
    json_array_foreach ((json_t *)still, i, record) {
        char *text = ss_paused_text(record);
        printf("%s\n", text);
        ss_free(text);
    }
}

static int run(struct ss_client *client)
{
    json_t *answer;
    struct ss_client_error error;
    const char *graph = words.count > 0 ? words.items[0] : NULL;
    if (all == (graph != NULL))
        return ss_cli_usage("say which graph, or --all");
    json_t *body =
        json_pack("{s:s*, s:s*}", "graph", graph, "version", version);
    if (all)
        json_object_set_new(body, "all", json_true());
    if (ss_client_ask(client, "unpause", body, NULL, &answer, &error) != 0)
        return ss_cli_client_fail(client, &error, graph, NULL);
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else
        print(answer, graph);
    json_decref(answer);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_unpause = {
    .name = "unpause",
    .usage = "GRAPH | --all [options]",
    .summary = "let a paused graph's runs go on",
    .options = options,
    .word = SS_CLI_WORD_GRAPH,
    .run = run,
};

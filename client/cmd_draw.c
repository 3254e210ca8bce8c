// cmd_draw.c - superstep draw GRAPH: the graph as Mermaid.
#include <stdio.h>

#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static bool xray;

static const struct ss_arg options[] = {{.name = "GRAPH",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "GRAPH",
                                            .min = 1,
                                            .max = 1},
    {.name = "xray",
        .kind = SS_ARG_FLAG,
        .to = &xray,
        .help = "the nodes of inner graphs too"},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    char *text;
    struct ss_client_error error;
    json_t *more = json_object();
    if (xray)
        json_object_set_new(more, "xray", json_true());
    if (ss_client_draw(client, words.items[0], more, &text, &error) != 0)
        return ss_cli_client_fail(client, &error, words.items[0], NULL);
    if (ss_cli_options.json) {
        json_t *answer = json_object();
        json_object_set_new(answer, "mermaid", json_string(text));
        ss_cli_print_json(answer);
        json_decref(answer);
    } else {
        fputs(text, stdout);
    }
    ss_free(text);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_draw = {
    .name = "draw",
    .usage = "GRAPH [--xray]",
    .summary = "draw a graph (Mermaid)",
    .options = options,
    .word = SS_CLI_WORD_GRAPH,
    .run = run,
};

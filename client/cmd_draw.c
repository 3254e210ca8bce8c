// cmd_draw.c - superstep draw GRAPH: the graph as Mermaid.
#include <stdio.h>

#include "client/commands.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static bool xray;

const struct ss_arg ss_cmd_draw_options[] = {SS_CLI_WORD(words, "GRAPH"),
    SS_CLI_FLAG("xray", 0, xray, "the nodes of inner graphs too"),
    SS_CLI_OPTIONS};

static void print(const json_t *answer)
{
    size_t i;
    json_t *node;
    fputs(ss_json_str(answer, "mermaid", ""), stdout);
    json_array_foreach (json_object_get(answer, "unmapped"), i, node)
        ss_cli_note("node \"%s\" has a router without a map: where it may lead "
                    "is not drawn. A .map of ss_branch() says it",
            json_string_value(node));
}

int ss_cmd_draw(struct ss_client *client)
{
    json_t *answer;
    json_t *body = json_pack(
        "{s:o*, s:s}", "xray", ss_cli_flag(xray), "graph", words.items[0]);
    int status = ss_cli_ask(client, "draw", body, words.items[0], &answer);
    if (status != SS_CLI_DONE)
        return status;
    return ss_cli_print_answer(answer, print);
}

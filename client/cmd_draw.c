// cmd_draw.c - superstep draw GRAPH: the graph as Mermaid.
#include <stdio.h>

#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static bool xray;

const struct ss_arg ss_cmd_draw_options[] = {SS_CLI_WORD(words, "GRAPH"),
    SS_CLI_FLAG("xray", 0, xray, "the nodes of inner graphs too"),
    SS_CLI_OPTIONS};

static void print(const json_t *answer)
{
    fputs(ss_json_str(answer, "mermaid", ""), stdout);
}

int ss_cmd_draw(struct ss_client *client)
{
    char *text;
    struct ss_client_error error;
    json_t *more = json_pack("{s:o*}", "xray", ss_cli_flag(xray));
    if (ss_client_draw(client, words.items[0], more, &text, &error) != 0)
        return ss_cli_client_fail(client, &error, words.items[0], NULL);
    json_t *answer = json_pack("{s:s}", "mermaid", text);
    ss_free(text);
    return ss_cli_print_answer(answer, print);
}

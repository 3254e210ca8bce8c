// cmd_update.c - superstep update THREAD: write to its state from outside.
#include <stdio.h>

#include "client/cli/find.h"
#include "client/cli/ids.h"
#include "client/cli/input.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *values;
static const char *as_node;
static const char *checkpoint;
static const char *graph;
static const char *ns;

const struct ss_arg ss_cmd_update_options[] = {SS_CLI_WORD(words, "THREAD"),
    SS_CLI_TEXT("values", 0, values, "JSON|@FILE|-", "what to write"),
    SS_CLI_TEXT("as", 0, as_node, "NODE",
        "as if this node had written it; default: the last one\n"
        "that did"),
    SS_CLI_AT(checkpoint, "on top of this one, as a fork"),
    SS_CLI_GRAPH_OF_THREAD(graph), SS_CLI_NS(ns), SS_CLI_OPTIONS};

int ss_cmd_update(struct ss_client *client)
{
    json_t *update;
    struct ss_error error;
    char *at = NULL;
    if (!values)
        return ss_cli_usage("--values is missing");
    if (ss_cli_input("--values", values, &update, &error) != SS_OK)
        return ss_cli_usage("%s", error.message);
    int status = checkpoint ? ss_cli_find_checkpoint(
                                  client, words.items[0], ns, checkpoint, &at)
                            : SS_CLI_DONE;
    if (status != SS_CLI_DONE) {
        json_decref(update);
        return status;
    }
    json_t *answer,
        *body = json_pack("{s:s, s:s*, s:s*, s:s*}", "thread", words.items[0],
            "checkpoint_id", at, "graph", graph, "checkpoint_ns", ns);
    json_t *steps =
        json_pack("[[{s:o, s:s*}]]", "values", update, "as_node", as_node);
    ss_free(at);
    if (!body || !steps)
        status = ss_cli_usage("a word of the command is not text in UTF-8");
    else
        status = ss_cli_look(client, body);
    if (status != SS_CLI_DONE) {
        json_decref(steps);
        json_decref(body);
        return status;
    }
    json_object_set_new(body, "supersteps", steps);
    struct ss_client_error why;
    if (ss_client_ask(client, "update", body, NULL, &answer, &why) != 0)
        return ss_cli_client_fail(client, &why, graph, words.items[0]);
    json_t *config = json_object_get(answer, "config");
    ss_cli_warn_all(answer);
    if (ss_cli_options.json)
        ss_cli_print_json(config);
    else
        printf("checkpoint %s\n", ss_json_str(config, "checkpoint_id", "?"));
    json_decref(answer);
    return SS_CLI_DONE;
}

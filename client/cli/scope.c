// scope.c - GRAPH, --all and --of-version.
#include "client/cli/scope.h"

#include "common/base/check.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static bool all;
static const char *version;

const struct ss_arg ss_scope_options[] = {SS_CLI_WORDS(words, "GRAPH", 0, 1),
    SS_CLI_FLAG("all", 0, all, "every graph, also those that come"),
    SS_CLI_TEXT("of-version", 0, version, "VERSION",
        "only this version of the graph (its first letters do)"),
    SS_CLI_OPTIONS};

const char *ss_scope_graph(void)
{
    return words.count > 0 ? words.items[0] : NULL;
}

char *ss_scope_text(void)
{
    const char *graph = ss_scope_graph();
    return graph ? ss_format("graph %s", graph) : ss_strdup("everything");
}

int ss_scope_ask(
    struct ss_client *client, const char *op, json_t *more, json_t **ret_answer)
{
    const char *graph = ss_scope_graph();
    if (all == (graph != NULL)) {
        json_decref(more);
        return all ? ss_cli_usage("%s or --all: give one of them", graph)
                   : ss_cli_usage("say which graph, or --all");
    }
    json_t *body = json_pack("{s:s*, s:s*, s:o*}", "graph", graph, "version",
        version, "all", all ? json_true() : NULL);
    int status = json_object_update(body, more);
    ss_check(status == 0);
    json_decref(more);
    return ss_cli_ask(client, op, body, graph, ret_answer);
}

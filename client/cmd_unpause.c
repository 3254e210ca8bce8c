// cmd_unpause.c - superstep unpause GRAPH: its runs go on.
#include <stdio.h>

#include "client/cli/paused.h"
#include "client/cli/scope.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static const struct ss_arg options[] = {SS_SCOPE_OPTIONS};

static void print(const json_t *answer)
{
    size_t i;
    json_t *record;
    const json_t *still = json_object_get(answer, "still");
    char *scope = ss_scope_text();
    printf("%s %s%s\n", scope,
        !ss_json_bool(answer, "was_paused", true) ? "was not paused"
        : json_array_size(still) > 0              ? "was unpaused"
                                                  : "goes on",
        json_array_size(still) > 0 ? "; but:" : "");
    ss_free(scope);
    json_array_foreach ((json_t *)still, i, record) {
        char *text = ss_paused_text(record);
        printf("%s\n", text);
        ss_free(text);
    }
}

static int run(struct ss_client *client)
{
    json_t *answer = NULL;
    int status = ss_scope_ask(client, "unpause", json_object(), &answer);
    if (status != SS_CLI_DONE)
        return status;
    if (ss_cli_options.json)
        ss_cli_print_json(answer);
    else
        print(answer);
    json_decref(answer);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_unpause = {
    .name = "unpause",
    .usage = "GRAPH | --all [options]",
    .summary = "let a paused graph's runs go on",
    .about = "Each pause is taken back as it was made: --all leaves what was "
             "paused by name, or\nin one version, and says what is held all the "
             "same.",
    .options = options,
    .word = SS_CLI_WORD_GRAPH,
    .run = run,
};

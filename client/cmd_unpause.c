// cmd_unpause.c - superstep unpause GRAPH: its runs go on.
#include <stdio.h>

#include "client/cli/paused.h"
#include "client/cli/scope.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

const struct ss_arg ss_cmd_unpause_options[] = {SS_SCOPE_OPTIONS};

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

int ss_cmd_unpause(struct ss_client *client)
{
    json_t *answer = NULL;
    int status = ss_scope_ask(client, "unpause", json_object(), &answer);
    if (status != SS_CLI_DONE)
        return status;
    return ss_cli_print_answer(answer, print);
}

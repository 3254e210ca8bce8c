// between.c - asks a coordinator what is out.
#include "client/cli/between.h"

#include <superstep/client.h>

#include "client/cli/cli.h"
#include "common/model/value.h"

enum { QUIET_MS = 2000 };

static bool ask_status(
    const char *endpoint, int64_t *ret_runs, int64_t *ret_attempts)
{
    const struct ss_client_options options = {.endpoints = endpoint,
        .keys = ss_cli_options.keys,
        .connect_ms = SS_BETWEEN_LOOK_MS,
        .patience_ms = SS_BETWEEN_LOOK_MS};
    const struct ss_client_ask quickly = {.timeout_ms = SS_BETWEEN_LOOK_MS};
    struct ss_client *client;
    json_t *answer = NULL;
    if (ss_client_open(&options, &client, NULL) != 0)
        return false;
    bool is_told =
        ss_client_ask(client, "status", NULL, &quickly, &answer, NULL) == 0;
    *ret_runs = ss_json_int(answer, "runs", 0);
    *ret_attempts = ss_json_int(answer, "attempts", 0);
    json_decref(answer);
    ss_client_close(&client);
    return is_told;
}

bool ss_between_runs(
    const char *endpoint, int64_t *quiet_since_ms, int64_t now_ms)
{
    int64_t runs, attempts;
    if (!ask_status(endpoint, &runs, &attempts))
        return false;
    if (attempts > 0)
        *quiet_since_ms = 0;
    else if (*quiet_since_ms == 0)
        *quiet_since_ms = now_ms;
    return runs == 0 || (attempts == 0 && now_ms >= *quiet_since_ms + QUIET_MS);
}

// which.c - options become the keys of a request.
#include "client/cli/which.h"

#include <string.h>

#include "client/cli/input.h"
#include "common/base/mem.h"
#include "common/model/value.h"

bool ss_which_is_said(const struct ss_which *which)
{
    return which->status || which->graph || which->since || which->until ||
           which->prefix || which->meta.count > 0;
}

json_t *ss_which_pairs(
    const struct ss_arg_list *pairs, struct ss_error *ret_error)
{
    json_t *all = json_object();
    for (size_t i = 0; i < pairs->count; i++) {
        const char *equals = strchr(pairs->items[i], '=');
        json_t *value = NULL;
        struct ss_error none;
        if (!equals || equals == pairs->items[i]) {
            ss_error_set(ret_error, SS_EINVAL,
                "--meta takes KEY=VALUE, not \"%.100s\"", pairs->items[i]);
            json_decref(all);
            return NULL;
        }
        if (ss_json_parse(equals + 1, strlen(equals + 1), &value, &none) !=
            SS_OK)
            value = json_string(equals + 1);
        char *key =
            ss_memdup(pairs->items[i], (size_t)(equals - pairs->items[i]));
        bool is_text = value && json_object_set_new(all, key, value) == 0;
        ss_free(key);
        if (!is_text) {
            ss_error_set(
                ret_error, SS_EINVAL, "--meta: a pair is not text in UTF-8");
            json_decref(all);
            return NULL;
        }
    }
    return all;
}

int ss_which_ask(const struct ss_which *which, json_t **ret_body)
{
    int64_t since_ms, until_ms;
    struct ss_error error;
    json_t *pairs = NULL;
    if (!ss_cli_age("since", which->since, &since_ms) ||
        !ss_cli_age("until", which->until, &until_ms))
        return SS_CLI_USAGE;
    if (which->meta.count > 0 &&
        (pairs = ss_which_pairs(&which->meta, &error)) == NULL)
        return ss_cli_usage("%s", error.message);
    json_t *body = json_pack("{s:s*, s:s*, s:o*, s:o*, s:s*, s:o*}", "status",
        which->status, "graph", which->graph, "age_ms", ss_cli_number(since_ms),
        "age_min_ms", ss_cli_number(until_ms), "prefix", which->prefix,
        "metadata", pairs);
    if (!body)
        return ss_cli_usage("a word of this command is not text in UTF-8");
    *ret_body = body;
    return SS_CLI_DONE;
}

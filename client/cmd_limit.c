// cmd_limit.c - superstep limit [NAME]: how many tasks of one name may be out,
// as graphs say it, and as an operator does.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/input.h"
#include "client/cli/limited.h"
#include "client/commands.h"
#include "common/model/limits.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static int64_t tasks, begun;
static const char *per, *each;
static bool clear;

const struct ss_arg ss_cmd_limit_options[] = {SS_CLI_WORDS(words, "NAME", 0, 2),
    SS_CLI_INT("tasks", 'n', tasks, "N", 1, 1 << 30,
        "so many may be out at once, whatever graphs say"),
    SS_CLI_INT("begun", 0, begun, "N", 1, 1 << 30,
        "so many may begin in the time that --per says"),
    SS_CLI_TEXT("per", 0, per, "TIME", "10s, 5m: an hour at most"),
    SS_CLI_TEXT("each", 0, each, "KEY",
        "so many for each value of this key of the state, or of meta:KEY"),
    SS_CLI_FLAG("clear", 0, clear, "what graphs say holds again"),
    SS_CLI_OPTIONS};

// ------------------------------------------------ showing

static int show(struct ss_client *client, const char *name)
{
    json_t *answer = NULL;
    int status = ss_cli_ask(client, "limits", json_object(), NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    bool is_known = ss_limited_print(answer, name);
    json_decref(answer);
    return is_known ? SS_CLI_DONE
                    : ss_cli_fail_as("not_found",
                          "no limit \"%s\" is known there. superstep limit "
                          "lists them",
                          name);
}

// ------------------------------------------------ setting

static void print(const json_t *answer)
{
    const char *name = words.items[0];
    bool was_set = ss_json_bool(answer, "was_set", false);
    if (clear && was_set)
        printf("limit %s is as graphs say it again\n", name);
    else if (!clear)
        printf("limit %s: %lld task%s%s%s may %s%s, whatever graphs say. "
               "superstep limit %s --clear takes that back\n",
            name, (long long)(tasks > 0 ? tasks : begun),
            tasks == 1 || begun == 1 ? "" : "s", each ? " for each " : "",
            each ? each : "", tasks > 0 ? "be out" : "begin in ",
            tasks > 0 ? "" : per, name);
}

// What was not set may be mistyped.
static int tell_not_set(struct ss_client *client, const char *name)
{
    json_t *answer = NULL, *limit;
    struct ss_hint hint;
    size_t i;
    bool is_known = false;
    int status = ss_cli_ask(client, "limits", json_object(), NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    ss_hint_init(&hint, name);
    json_array_foreach (json_object_get(answer, "limits"), i, limit) {
        const char *other = ss_json_str(limit, "limit", "");
        is_known = is_known || strcmp(other, name) == 0;
        ss_hint_offer(&hint, other);
    }
    const char *near = is_known ? "" : ss_hint_text(&hint);
    printf("limit %s was not set%s%s\n", name, *near ? "." : "", near);
    json_decref(answer);
    return SS_CLI_DONE;
}

static int set(struct ss_client *client, const char *name, int64_t per_ms)
{
    json_t *answer = NULL;
    const char *user = getenv("USER"); // may be any bytes
    json_t *body = json_pack("{s:s, s:o*, s:o*, s:o*, s:s*, s:o*}", "name",
        name, "tasks_max", ss_cli_number(tasks), "begun_max",
        ss_cli_number(begun), "per_ms", ss_cli_number(per_ms), "each", each,
        "by", user ? json_string(user) : NULL);
    int status = ss_cli_ask(client, "limit", body, NULL, &answer);
    if (status != SS_CLI_DONE)
        return status;
    bool is_moot = clear && !ss_json_bool(answer, "was_set", false);
    ss_cli_print_answer(answer, print);
    return is_moot && !ss_cli_options.json ? tell_not_set(client, name)
                                           : SS_CLI_DONE;
}

int ss_cmd_limit(struct ss_client *client)
{
    const char *name = words.count > 0 ? words.items[0] : NULL;
    int64_t per_ms = 0;
    if (words.count > 1)
        return ss_cli_usage("\"%s\" is one word too many. How many is said so: "
                            "superstep limit %s --tasks N",
            words.items[1], name);
    if (!ss_cli_age("per", per, &per_ms))
        return SS_CLI_USAGE;
    if (per_ms > SS_LIMIT_PER_MS_MAX)
        return ss_cli_usage("--per %s: an hour is the most", per);
    if ((begun > 0) != (per_ms > 0))
        return ss_cli_usage("--begun and --per: give both of them");
    if ((tasks > 0) + (begun > 0) + clear > 1)
        return ss_cli_usage("--tasks, --begun and --clear: give one of them");
    if (each && tasks == 0 && begun == 0)
        return ss_cli_usage("--each: say how many, by --tasks or --begun");
    bool sets = tasks > 0 || begun > 0 || clear;
    if (!name && sets)
        return ss_cli_usage("say which limit");
    return sets ? set(client, name, per_ms) : show(client, name);
}

// cmd_limit.c - superstep limit [NAME]: how many tasks of one name may be out,
// as graphs say it, and as an operator does.
#include <stdio.h>
#include <stdlib.h>

#include "client/cli/limited.h"
#include "client/commands.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static int64_t tasks;
static bool clear;

const struct ss_arg ss_cmd_limit_options[] = {SS_CLI_WORDS(words, "NAME", 0, 1),
    SS_CLI_INT("tasks", 'n', tasks, "N", 1, 1 << 30,
        "so many may be out at once, whatever graphs say"),
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
    if (tasks > 0)
        printf("limit %s: %lld tasks may be out, whatever graphs say. "
               "superstep limit %s --clear takes that back\n",
            name, (long long)tasks, name);
    else
        printf("limit %s %s\n", name,
            was_set ? "is as graphs say it again" : "was not set");
}

static int set(struct ss_client *client, const char *name)
{
    json_t *answer = NULL;
    const char *user = getenv("USER"); // may be any bytes
    json_t *body = json_pack("{s:s, s:o*, s:o*}", "name", name, "tasks_max",
        ss_cli_number(tasks), "by", user ? json_string(user) : NULL);
    int status = ss_cli_ask(client, "limit", body, NULL, &answer);
    return status == SS_CLI_DONE ? ss_cli_print_answer(answer, print) : status;
}

int ss_cmd_limit(struct ss_client *client)
{
    const char *name = words.count > 0 ? words.items[0] : NULL;
    if (tasks > 0 && clear)
        return ss_cli_usage("--tasks and --clear: give one of them");
    if (!name && (tasks > 0 || clear))
        return ss_cli_usage("say which limit");
    return tasks > 0 || clear ? set(client, name) : show(client, name);
}

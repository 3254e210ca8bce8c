// cmd_explain.c - superstep explain RUN|THREAD: what happened, and why it waits.
#include <stdio.h>
#include <string.h>

#include "client/cli/explain.h"
#include "client/cli/find.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;
static bool is_thread; // RUN is one: -t stands behind it, as it once did

static const struct ss_arg options[] = {{.name = "RUN",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "RUN or THREAD",
                                            .min = 0,
                                            .max = 1},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .bare = &is_thread,
        .help = "the run of this thread; without RUN the one that began last\n"
                "(behind a word and by itself: the word is the thread)"},
    SS_CLI_OPTIONS};

static void print(const json_t *explained)
{
    enum { EXPLAIN_SIZE_MAX = 16 * 1024 * 1024 };
    struct ss_buf buf;
    ss_buf_init(&buf, EXPLAIN_SIZE_MAX);
    ss_explain_write(explained, &buf);
    fputs(ss_buf_str(&buf), stdout);
    ss_buf_fini(&buf);
}

static int ask(struct ss_client *client, const char *run, const char *of,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    json_t *body = json_object();
    if (run)
        json_object_set_new(body, "run", json_string(run));
    if (of)
        json_object_set_new(body, "thread", json_string(of));
    return ss_client_ask(
        client, "explain", body, NULL, ret_answer, ret_error);
}

// What is no run may be a thread: people know those by name.
static int ask_of_either(struct ss_client *client, const char *id,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    struct ss_client_error ignored;
    int status = ask(client, id, NULL, ret_answer, ret_error);
    if (status != 0 && strcmp(ret_error->code, "not_found") == 0 &&
        ask(client, NULL, id, ret_answer, &ignored) == 0)
        status = 0;
    return status;
}

static int run(struct ss_client *client)
{
    char *id = NULL;
    int status = SS_CLI_DONE;
    if (is_thread && words.count == 0)
        return ss_cli_usage("--thread wants a value: --thread THREAD");
    if (is_thread)
        thread = words.items[0];
    if (words.count == 0 && !thread)
        return ss_cli_usage("say which RUN, or --thread THREAD");
    if (words.count > 0 && !is_thread)
        status = ss_cli_find_run(client, thread, words.items[0], &id);
    if (status != SS_CLI_DONE)
        return status;
    json_t *answer;
    struct ss_client_error error;
    status = thread ? ask(client, id, thread, &answer, &error)
                    : ask_of_either(client, id, &answer, &error);
    ss_free(id);
    if (status != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    const json_t *explained = json_object_get(answer, "explain");
    if (ss_cli_options.json)
        ss_cli_print_json(explained);
    else
        print(explained);
    json_decref(answer);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_explain = {
    .name = "explain",
    .usage = "[RUN|THREAD] [options]",
    .summary = "tell what happened to a run, and why it waits",
    .options = options,
    .word = SS_CLI_WORD_RUN,
    .run = run,
};

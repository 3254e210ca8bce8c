// cmd_explain.c - superstep explain RUN|THREAD: what happened, and why it
// waits.
#include "client/cli/explain.h"
#include "client/cli/ids.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;
static bool is_thread; // the word RUN is a thread: -t stands behind it, as in
                       // older versions

const struct ss_arg ss_cmd_explain_options[] = {
    SS_CLI_WORDS(words, "RUN or THREAD", 0, 1),
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .bare = &is_thread,
        .help = "the run of this thread; without RUN the one that began last "
                "(behind a word and by itself: the word is the thread)"},
    SS_CLI_OPTIONS};

static void print(const json_t *explained)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    ss_explain_write(explained, &buf);
    ss_cli_print_buf(&buf);
}

static int ask(struct ss_client *client, const char *run, const char *of,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    json_t *body = json_pack("{s:s*, s:s*}", "run", run, "thread", of);
    return ss_client_ask(client, "explain", body, NULL, ret_answer, ret_error);
}

// A word that is not a run may be a thread: people know threads by name.
static int ask_of_either(struct ss_client *client, const char *id,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    struct ss_client_error ignored;
    int status = ask(client, id, NULL, ret_answer, ret_error);
    char *of = NULL;
    if (status != 0 && ss_cli_status(ret_error) == SS_ENOTFOUND &&
        ss_cli_find_thread(client, id, &of) == SS_CLI_DONE &&
        ask(client, NULL, of, ret_answer, &ignored) == 0)
        status = 0;
    ss_free(of);
    return status;
}

int ss_cmd_explain(struct ss_client *client)
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
    json_t *explained = json_incref(json_object_get(answer, "explain"));
    json_decref(answer);
    return ss_cli_print_answer(explained, print);
}

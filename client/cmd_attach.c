// cmd_attach.c - superstep attach RUN: follow a run that goes on by itself.
#include "client/cli/follow.h"
#include "client/cli/ids.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;
static const char *stream;
static const char *after;
static bool subgraphs;
static bool progress;

const struct ss_arg ss_cmd_attach_options[] = {SS_CLI_WORDS(words, "RUN", 0, 1),
    SS_CLI_THREAD(thread,
        "the run of this thread: others may have one of that name; "
        "without RUN the one that began last"),
    SS_CLI_STREAM(stream, "print events, as `run` does"),
    SS_CLI_SUBGRAPHS(subgraphs),
    SS_CLI_TEXT(
        "after", 0, after, "SEQ", "events after this one, by its \"seq\""),
    SS_CLI_PROGRESS(progress), SS_CLI_OPTIONS};

int ss_cmd_attach(struct ss_client *client)
{
    char *last = NULL;
    if (words.count == 0 && !thread)
        return ss_cli_usage("say which RUN, or --thread THREAD");
    int status =
        words.count == 0 ? ss_cli_last_run(client, thread, &last) : SS_CLI_DONE;
    if (status != SS_CLI_DONE)
        return status;
    json_t *body = json_pack("{s:s, s:s*, s:s*, s:o*}", "run",
        last ? last : words.items[0], "thread", thread, "after", after,
        "subgraphs", ss_cli_flag(subgraphs));
    const struct ss_follow follow = {
        .op = "attach", .body = body, .stream = stream, .progress = progress};
    status = ss_cli_follow(client, &follow);
    ss_free(last);
    return status;
}

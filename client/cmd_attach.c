// cmd_attach.c - superstep attach RUN: follow a run that goes on by itself.
#include "client/cli/follow.h"
#include "client/commands.h"

static struct ss_arg_list words;
static const char *thread;
static const char *stream;
static const char *after;
static bool subgraphs;
static bool progress;

const struct ss_arg ss_cmd_attach_options[] = {SS_CLI_WORD(words, "RUN"),
    SS_CLI_THREAD_OF_RUN(thread),
    SS_CLI_STREAM(stream, "print events, as `run` does"),
    SS_CLI_SUBGRAPHS(subgraphs),
    SS_CLI_TEXT(
        "after", 0, after, "SEQ", "events after this one, by its \"seq\""),
    SS_CLI_PROGRESS(progress), SS_CLI_OPTIONS};

int ss_cmd_attach(struct ss_client *client)
{
    json_t *body = json_pack("{s:s, s:s*, s:s*, s:o*}", "run", words.items[0],
        "thread", thread, "after", after, "subgraphs", ss_cli_flag(subgraphs));
    const struct ss_follow follow = {
        .op = "attach", .body = body, .stream = stream, .progress = progress};
    return ss_cli_follow(client, &follow);
}

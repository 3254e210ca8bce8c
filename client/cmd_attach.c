// cmd_attach.c - superstep attach RUN: follow a run that goes on by itself.
#include "client/cli/find.h"
#include "client/cli/follow.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *thread;
static const char *stream;
static const char *after;
static bool subgraphs;
static bool progress;

static const struct ss_arg options[] = {{.name = "RUN",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "RUN",
                                            .min = 1,
                                            .max = 1},
    {.name = "thread",
        .letter = 't',
        .kind = SS_ARG_TEXT,
        .to = &thread,
        .value = "THREAD",
        .help = "the run of this thread: others may have one of that name"},
    {.name = "stream",
        .kind = SS_ARG_TEXT,
        .to = &stream,
        .value = "MODES",
        .help = "print events, as `run` does"},
    {.name = "subgraphs",
        .kind = SS_ARG_FLAG,
        .to = &subgraphs,
        .help = "events of inner graphs too"},
    {.name = "after",
        .kind = SS_ARG_TEXT,
        .to = &after,
        .value = "SEQ",
        .help = "events after this one, by its \"seq\""},
    {.name = "progress",
        .kind = SS_ARG_FLAG,
        .to = &progress,
        .help = "show supersteps on stderr also where it is no terminal"},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    char *id;
    int status = ss_cli_find_run(client, thread, words.items[0], &id);
    if (status != SS_CLI_DONE)
        return status;
    json_t *body = json_object();
    json_object_set_new(body, "run", json_string(id));
    if (thread)
        json_object_set_new(body, "thread", json_string(thread));
    if (after)
        json_object_set_new(body, "after", json_string(after));
    if (subgraphs)
        json_object_set_new(body, "subgraphs", json_true());
    const struct ss_follow follow = {
        .op = "attach", .body = body, .stream = stream, .progress = progress};
    status = ss_cli_follow(client, &follow);
    ss_free(id);
    return status;
}

const struct ss_cli_command ss_cmd_attach = {
    .name = "attach",
    .usage = "RUN [options]",
    .summary = "follow a run, or fetch how it ended",
    .options = options,
    .word = SS_CLI_WORD_RUN,
    .run = run,
};

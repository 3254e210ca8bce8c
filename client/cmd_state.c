// cmd_state.c - superstep state THREAD: what a thread holds, and what is next.
#include <stdio.h>

#include "client/cli/advice.h"
#include "client/cli/find.h"
#include "client/cli/snapshot.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static const char *checkpoint;
static const char *ns;
static const char *graph;
static bool subgraphs;

static const struct ss_arg options[] = {{.name = "THREAD",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "THREAD",
                                            .min = 1,
                                            .max = 1},
    {.name = "at",
        .kind = SS_ARG_TEXT,
        .to = &checkpoint,
        .value = "CHECKPOINT",
        .help = "as it was there"},
    {.name = "ns",
        .kind = SS_ARG_TEXT,
        .to = &ns,
        .value = "NAMESPACE",
        .help = "of an inner graph"},
    {.name = "graph",
        .letter = 'g',
        .kind = SS_ARG_TEXT,
        .to = &graph,
        .value = "GRAPH",
        .help = "default: the one of the thread"},
    {.name = "subgraphs",
        .kind = SS_ARG_FLAG,
        .to = &subgraphs,
        .help = "what inner graphs hold too"},
    SS_CLI_OPTIONS};

static json_t *request(const char *at)
{
    json_t *more = json_object();
    if (at)
        json_object_set_new(more, "checkpoint_id", json_string(at));
    if (ns)
        json_object_set_new(more, "checkpoint_ns", json_string(ns));
    if (graph)
        json_object_set_new(more, "graph", json_string(graph));
    if (subgraphs)
        json_object_set_new(more, "subgraphs", json_true());
    return more;
}

static void print(const json_t *state)
{
    enum { STATE_SIZE_MAX = 256 * 1024 * 1024 };
    struct ss_buf buf;
    ss_buf_init(&buf, STATE_SIZE_MAX);
    ss_snapshot_write(state, ss_cli_width(), &buf);
    fputs(ss_buf_str(&buf), stdout);
    ss_buf_fini(&buf);
    json_t *interrupts = json_object_get(state, "interrupts");
    if (json_array_size(interrupts) > 0 && !checkpoint) {
        puts("");
        ss_cli_advise(NULL, words.items[0], interrupts, stdout);
    }
}

static int run(struct ss_client *client)
{
    const char *thread = words.items[0];
    char *at = NULL;
    if (checkpoint) {
        int status = ss_cli_find_checkpoint(client, thread, checkpoint, &at);
        if (status != SS_CLI_DONE)
            return status;
    }
    json_t *state;
    struct ss_client_error error;
    int status = ss_client_state(client, thread, request(at), &state, &error);
    if (status != 0) {
        ss_free(at);
        return ss_cli_state_fail(client, &error, graph, thread);
    }
    status = SS_CLI_DONE;
    if (ss_cli_options.json)
        ss_cli_print_json(state);
    else if (ss_snapshot_is_there(state))
        print(state);
    else
        status = at ? ss_cli_fail("thread %s has no checkpoint %s. superstep "
                                  "history %s lists them",
                          thread, at, thread)
                    : ss_cli_no_state(client, thread, ns);
    json_decref(state);
    ss_free(at);
    return status;
}

const struct ss_cli_command ss_cmd_state = {
    .name = "state",
    .usage = "THREAD [options]",
    .summary = "show what a thread holds, and what is next",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

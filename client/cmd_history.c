// cmd_history.c - superstep history THREAD: its checkpoints, newest first.
#include <stdio.h>

#include "client/cli/find.h"
#include "client/cli/snapshot.h"
#include "client/commands.h"
#include "common/base/mem.h"

static struct ss_arg_list words;
static const char *ns;
static const char *graph;
static int64_t limit;

static const struct ss_arg options[] = {{.name = "THREAD",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "THREAD",
                                            .min = 1,
                                            .max = 1},
    {.name = "limit",
        .letter = 'n',
        .kind = SS_ARG_INT,
        .to = &limit,
        .value = "N",
        .min = 1,
        .max = 1000000,
        .help = "so many at most"},
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
    SS_CLI_OPTIONS};

static struct ss_id_form id_form(const json_t *history)
{
    SS_VEC(const char *) ids = {0};
    size_t i;
    json_t *snapshot;
    if (ss_cli_width() > 0)
        json_array_foreach (history, i, snapshot)
            SS_VEC_PUSH(&ids, ss_snapshot_id(snapshot));
    struct ss_id_form form = {0, 0};
    if (ids.count > 0)
        form = ss_text_id_form(ids.items, ids.count);
    SS_VEC_FINI(&ids);
    return form;
}

static void print(const json_t *history)
{
    enum { HISTORY_SIZE_MAX = 256 * 1024 * 1024 };
    struct ss_buf buf;
    ss_buf_init(&buf, HISTORY_SIZE_MAX);
    size_t more = limit && json_array_size(history) > (size_t)limit;
    ss_history_write(history, more, id_form(history), ss_cli_width(), &buf);
    fputs(ss_buf_str(&buf), stdout);
    ss_buf_fini(&buf);
}

static int run(struct ss_client *client)
{
    const char *thread = words.items[0];
    json_t *history;
    struct ss_client_error error;
    json_t *more = json_object();
    // One more than is shown: it tells what the last one changed.
    if (limit)
        json_object_set_new(more, "limit",
            json_integer(ss_cli_options.json ? limit : limit + 1));
    if (ns)
        json_object_set_new(more, "checkpoint_ns", json_string(ns));
    if (graph)
        json_object_set_new(more, "graph", json_string(graph));
    if (ss_client_history(client, thread, more, &history, &error) != 0)
        return ss_cli_state_fail(client, &error, graph, thread);
    int status = SS_CLI_DONE;
    if (ss_cli_options.json)
        ss_cli_print_json(history);
    else if (json_array_size(history) > 0)
        print(history);
    else
        status = ss_cli_no_state(client, thread, ns);
    json_decref(history);
    return status;
}

const struct ss_cli_command ss_cmd_history = {
    .name = "history",
    .usage = "THREAD [options]",
    .summary = "list the checkpoints of a thread, newest first",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

// cmd_journal.c - superstep journal THREAD: the rows that its life is made of.
#include "client/cli/list.h"
#include "client/commands.h"

static struct ss_arg_list words;
static int64_t from;
static int64_t limit;

static const struct ss_arg options[] = {{.name = "THREAD",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "THREAD",
                                            .min = 1,
                                            .max = 1},
    {.name = "from",
        .kind = SS_ARG_INT,
        .to = &from,
        .value = "SEQ",
        .min = 1,
        .max = INT64_MAX,
        .help = "from this row on"},
    {.name = "limit",
        .letter = 'n',
        .kind = SS_ARG_INT,
        .to = &limit,
        .value = "N",
        .min = 1,
        .max = 1000000,
        .help = "so many at most"},
    SS_CLI_OPTIONS};

static int run(struct ss_client *client)
{
    json_t *rows;
    struct ss_client_error error;
    json_t *more = json_object();
    if (from)
        json_object_set_new(more, "from", json_integer(from));
    if (limit)
        json_object_set_new(more, "limit", json_integer(limit));
    if (ss_client_journal(client, words.items[0], more, &rows, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, words.items[0]);
    // What a row holds depends on its kind: one JSON value a line.
    size_t i;
    json_t *row;
    if (ss_cli_options.json)
        ss_cli_print_json(rows);
    else
        json_array_foreach (rows, i, row)
            ss_cli_print_json(row);
    json_decref(rows);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_journal = {
    .name = "journal",
    .usage = "THREAD [options]",
    .summary = "show the rows of a thread's journal",
    .about = "One row a line, as JSON.",
    .options = options,
    .word = SS_CLI_WORD_THREAD,
    .run = run,
};

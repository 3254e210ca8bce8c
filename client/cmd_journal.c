// cmd_journal.c - superstep journal THREAD: the rows that its life is made of.
#include "client/cli/find.h"
#include "client/cli/list.h"
#include "client/commands.h"
#include "common/model/value.h"

static struct ss_arg_list words;
static int64_t from;
static int64_t limit;

const struct ss_arg ss_cmd_journal_options[] = {SS_CLI_WORD(words, "THREAD"),
    SS_CLI_INT("from", 0, from, "SEQ", 1, INT64_MAX, "from this row on"),
    SS_CLI_LIMIT(limit, "at most this many"), SS_CLI_OPTIONS};

static const struct ss_list_column columns[] = {
    {"SEQ", "seq", SS_LIST_NUMBER, false},
    {"KIND", "kind", SS_LIST_TEXT, false},
    {"STEP", "step", SS_LIST_NUMBER, false},
    {"TIME", "time", SS_LIST_TIME, false},
    {"BYTES", "size", SS_LIST_NUMBER, false},
    {"CHECKPOINT", "checkpoint_id", SS_LIST_ID, false},
    {"WRITES", "channels_written", SS_LIST_TEXT, true},
};

// The channels that a row writes, each once, as one more word of the row.
static void add_channels(json_t *row)
{
    json_t *names = json_array();
    json_t *seen = json_object();
    size_t i;
    json_t *write;
    json_array_foreach (json_object_get(row, "writes"), i, write) {
        const char *channel = ss_json_str(write, "channel", "?");
        if (json_object_get(seen, channel))
            continue;
        json_object_set_new(seen, channel, json_true());
        json_array_append_new(names, json_string(channel));
    }
    json_decref(seen);
    json_object_set_new(row, "channels_written", names);
}

static void print(const json_t *rows)
{
    json_t *shown = json_array();
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row) {
        json_t *copy = json_copy(row);
        add_channels(copy);
        json_array_append_new(shown, copy);
    }
    ss_cli_print_list(shown, columns, sizeof(columns) / sizeof(columns[0]),
        "There are no rows.");
    json_decref(shown);
}

int ss_cmd_journal(struct ss_client *client)
{
    json_t *rows;
    struct ss_client_error error;
    json_t *more = json_pack("{s:o*, s:o*}", "from", ss_cli_number(from),
        "limit", ss_cli_number(limit));
    if (ss_client_journal(client, words.items[0], more, &rows, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, words.items[0]);
    if (json_array_size(rows) == 0 &&
        !ss_cli_has_thread(client, words.items[0])) {
        json_decref(rows);
        return ss_cli_no_thread(client, words.items[0]);
    }
    return ss_cli_print_answer(rows, print);
}

// cmd_show.c - superstep show WHAT: a console for operators.
#include <string.h>

#include "client/cli/list.h"
#include "client/cli/paused.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/hint.h"
#include "common/model/value.h"

enum { COLUMNS_MAX = 8 };

static struct ss_arg_list words;
static int64_t limit;

static const struct ss_arg options[] = {{.name = "WHAT",
                                            .kind = SS_ARG_REST,
                                            .to = &words,
                                            .value = "WHAT",
                                            .min = 1,
                                            .max = 1},
    {.name = "limit",
        .letter = 'n',
        .kind = SS_ARG_INT,
        .to = &limit,
        .value = "N",
        .min = 1,
        .max = 1000000,
        .help = "so many at most, of runs, threads and tasks"},
    SS_CLI_OPTIONS};

// What can be shown: the request, the list in its answer, and its columns.
static const struct subject {
    const char *what;
    const char *op;   // NULL: `show`
    bool has_limit;
    const char *none;
    struct ss_list_column columns[COLUMNS_MAX];
} subjects[] = {
    {"runs", "runs", true, "There is no run yet.",
        {{"RUN", "run", SS_LIST_ID, false},
            {"THREAD", "thread", SS_LIST_TEXT, true},
            {"GRAPH", "graph", SS_LIST_TEXT, false},
            {"STATUS", "status", SS_LIST_TEXT, false},
            {"CREATED", "created_at", SS_LIST_TIME, false}}},
    {"threads", "threads", true, "There is no thread yet.",
        {{"THREAD", "thread", SS_LIST_TEXT, true},
            {"GRAPH", "graph", SS_LIST_TEXT, false},
            {"CREATED", "created_at", SS_LIST_TIME, false}}},
    {"graphs", "graphs", false, "No graph is known yet.",
        {{"GRAPH", "name", SS_LIST_TEXT, true},
            {"VERSION", "version", SS_LIST_VERSION, false},
            {"NODES", "nodes", SS_LIST_NUMBER, false},
            {"WORKERS", "workers", SS_LIST_NUMBER, false}}},
    {"tasks", "tasks", true, "No task is out, and none waits.",
        {{"STATE", "state", SS_LIST_TEXT, false},
            {"NODE", "node", SS_LIST_TEXT, false},
            {"THREAD", "thread", SS_LIST_TEXT, true},
            {"RUN", "run", SS_LIST_ID, false},
            {"ATTEMPT", "attempt", SS_LIST_NUMBER, false},
            {"WORKER", "worker", SS_LIST_TEXT, true},
            {"SINCE", "since_ms", SS_LIST_AGO, false}}},
    {"workers", "workers", false, "No worker is there.",
        {{"WORKER", "worker", SS_LIST_TEXT, false},
            {"GRAPHS", "graphs", SS_LIST_GRAPHS, true},
            {"RUNNING", "running", SS_LIST_NUMBER, false},
            {"CAPACITY", "capacity", SS_LIST_NUMBER, false},
            {"ATTEMPTS", "attempts", SS_LIST_NUMBER, false},
            {"LOST", "lost", SS_LIST_NUMBER, false},
            {"LAST SEEN", "seen_ms", SS_LIST_AGO, false}}},
    {"pauses", "pauses", false, "Nothing is paused.",
        {{"GRAPH", "graph", SS_LIST_TEXT, true},
            {"VERSION", "version", SS_LIST_VERSION, false},
            {"SINCE", "since_at", SS_LIST_TIME, false},
            {"BY", "by", SS_LIST_TEXT, false},
            {"REASON", "reason", SS_LIST_TEXT, true}}},
    {"leases", "workers", false, "Nobody has a lease.",
        {{"WORKER", "worker", SS_LIST_TEXT, true},
            {"RUNNING", "running", SS_LIST_NUMBER, false},
            {"LAST SEEN", "seen_ms", SS_LIST_AGO, false},
            {"LEFT", "lease_left_ms", SS_LIST_AGO, false}}},
    {"coordinators", NULL, false, "",
        {{"COORDINATOR", "endpoint", SS_LIST_TEXT, true},
            {"SHARDS", "shards", SS_LIST_NUMBER, false},
            {"THIS ONE", "self", SS_LIST_TEXT, false}}},
    {"limits", NULL, false, "",
        {{"LIMIT", "name", SS_LIST_TEXT, true},
            {"AT MOST", "limit", SS_LIST_NUMBER, false},
            {"NOW", "now", SS_LIST_NUMBER, false}}},
    {"config", NULL, false, "",
        {{"OF", "of", SS_LIST_TEXT, false},
            {"OPTION", "name", SS_LIST_TEXT, false},
            {"VALUE", "value", SS_LIST_TEXT, true},
            {"UNIT", "unit", SS_LIST_TEXT, false},
            {"FROM", "from", SS_LIST_TEXT, false},
            {"AT", "at", SS_LIST_TEXT, true}}},
};

enum { SUBJECTS_COUNT = sizeof(subjects) / sizeof(*subjects) };

static const struct subject *find(const char *what)
{
    struct ss_hint hint;
    ss_hint_init(&hint, what);
    for (size_t i = 0; i < SUBJECTS_COUNT; i++) {
        if (strcmp(subjects[i].what, what) == 0)
            return &subjects[i];
        ss_hint_offer(&hint, subjects[i].what);
    }
    ss_cli_usage("there is no \"%s\" to show.%s", what, ss_hint_text(&hint));
    return NULL;
}

// The list of that name in the answer to that request. Gives.
static int ask(struct ss_client *client, const struct subject *subject,
    json_t **ret_list, struct ss_client_error *error)
{
    json_t *answer, *body = json_object();
    const char *op = subject->op ? subject->op : "show";
    if (!subject->op)
        json_object_set_new(body, "what", json_string(subject->what));
    if (subject->has_limit && limit)
        json_object_set_new(body, "limit", json_integer(limit));
    int status = ss_client_ask(client, op, body, NULL, &answer, error);
    if (status != 0)
        return status;
    *ret_list = json_incref(
        json_object_get(answer, subject->op ? subject->op : subject->what));
    json_decref(answer);
    return 0;
}

static int64_t option_of(const json_t *config, const char *name)
{
    size_t i;
    json_t *item;
    json_array_foreach (config, i, item)
        if (strcmp(ss_json_str(item, "name", ""), name) == 0)
            return ss_json_int(item, "value", 0);
    return 0;
}

// A worker's lease runs from its last sign.
static int add_leases(
    struct ss_client *client, json_t *workers, struct ss_client_error *error)
{
    json_t *config, *worker;
    size_t i;
    const struct subject subject = {.what = "config"};
    int status = ask(client, &subject, &config, error);
    if (status != 0)
        return status;
    int64_t lease_ms = option_of(config, "lease-ms");
    json_array_foreach (workers, i, worker) {
        int64_t left_ms = lease_ms - ss_json_int(worker, "seen_ms", 0);
        json_object_set_new(worker, "lease_left_ms",
            json_integer(left_ms > 0 ? left_ms : 0));
    }
    json_decref(config);
    return 0;
}

static void add_of(json_t *list, const char *of, const json_t *settings)
{
    size_t i;
    json_t *item;
    json_array_foreach (settings, i, item) {
        json_t *row = json_pack("{s:s}", "of", of);
        if (json_is_object(item))
            json_object_update(row, item);
        json_array_append_new(list, row);
    }
}

// The coordinator's, and behind them those of its workers.
static int add_workers(
    struct ss_client *client, json_t **list, struct ss_client_error *error)
{
    json_t *answer, *worker, *all = json_array();
    size_t i;
    int status = ss_client_ask(
        client, "settings", json_object(), NULL, &answer, error);
    add_of(all, "coordinator", *list);
    json_decref(*list);
    *list = all;
    if (status != 0)
        return status;
    json_array_foreach (json_object_get(answer, "settings"), i, worker)
        add_of(all, ss_json_str(worker, "worker", "?"),
            json_object_get(worker, "settings"));
    json_decref(answer);
    return 0;
}

// What a table says for people.
static void add_words(const struct subject *subject, json_t *list)
{
    size_t i;
    json_t *item;
    if (strcmp(subject->what, "runs") == 0)
        ss_paused_mark(list);
    if (strcmp(subject->what, "pauses") == 0)
        json_array_foreach (list, i, item)
            if (!json_object_get(item, "graph"))
                json_object_set_new(
                    item, "graph", json_string("(everything)"));
}

static int run(struct ss_client *client)
{
    struct ss_client_error error;
    json_t *list = NULL;
    size_t count = 0;
    const struct subject *subject = find(words.items[0]);
    if (!subject)
        return SS_CLI_USAGE;
    int status = ask(client, subject, &list, &error);
    if (status == 0 && strcmp(subject->what, "leases") == 0)
        status = add_leases(client, list, &error);
    if (status == 0 && strcmp(subject->what, "config") == 0)
        status = add_workers(client, &list, &error);
    if (status != 0) {
        json_decref(list);
        return ss_cli_client_fail(client, &error, NULL, NULL);
    }
    if (!ss_cli_options.json)
        add_words(subject, list);
    while (count < COLUMNS_MAX && subject->columns[count].title)
        count++;
    ss_cli_print_list(list, subject->columns, count, subject->none);
    json_decref(list);
    return SS_CLI_DONE;
}

const struct ss_cli_command ss_cmd_show = {
    .name = "show",
    .usage = "WHAT [options]",
    .summary = "what a coordinator knows, as lists",
    .about = "WHAT: runs, threads, graphs, tasks, workers, pauses, leases, "
             "coordinators, limits,\nconfig. The last three, and leases, are "
             "for operators.",
    .options = options,
    .run = run,
};

// cmd_lists.c - lists of what a coordinator knows: superstep graphs, threads,
// runs and workers, and superstep show WHAT, a console for operators. One table
// has all lists; each command prints one of them.
#include <stdio.h>
#include <string.h>

#include "client/cli/input.h"
#include "client/cli/list.h"
#include "client/cli/live.h"
#include "client/cli/pages.h"
#include "client/cli/paused.h"
#include "client/cli/waiting.h"
#include "client/client_impl.h"
#include "client/commands.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

enum { COLUMNS_MAX = 8 };

static struct ss_arg_list words;
static const char *thread;
static const char *after;
static int64_t limit;
static bool names;
static bool watched;
static struct { // which runs are wanted
    const char *status, *graph, *since;
    bool failed;
} only;

const struct ss_arg ss_cmd_graphs_options[] = {
    SS_CLI_NAMES(names, "the names only, one a line"), SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_workers_options[] = {
    SS_CLI_NAMES(names, "the names only, one a line"), SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_threads_options[] = {
    SS_CLI_LIMIT(limit, "at most this many"),
    SS_CLI_TEXT("after", 0, after, "THREAD", "only those behind this one"),
    SS_CLI_NAMES(names, "the names only, one a line"), SS_CLI_WATCH(watched),
    SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_runs_options[] = {
    SS_CLI_THREAD(thread, "those of this thread"),
    SS_CLI_FLAG("failed", 0, only.failed, "those that failed"),
    SS_CLI_CHOICE("status", only.status, "STATUS",
        "queued running quarantined done interrupted failed drained cancelled",
        "those of this status: queued, running, quarantined, done,\n"
        "interrupted, failed, drained, cancelled"),
    SS_CLI_GRAPH(only.graph, "those of this graph"),
    SS_CLI_TEXT("since", 0, only.since, "AGE",
        "those that began at most this long ago: 90s, 15m, 12h, 30d"),
    SS_CLI_LIMIT(limit, "at most this many, the newest"),
    SS_CLI_TEXT("after", 0, after, "RUN|KEY",
        "by key in place of time: those that follow all of this\n"
        "name, or, with the \"key\" that --json shows of one, that\n"
        "one; \"\" for the first"),
    SS_CLI_NAMES(names, "the ids only, one a line"), SS_CLI_WATCH(watched),
    SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_show_options[] = {
    SS_CLI_WORD_OF(words, "WHAT",
        "runs threads graphs tasks workers pauses leases coordinators limits "
        "config"),
    SS_CLI_LIMIT(limit, "at most this many, of runs, threads and tasks"),
    SS_CLI_WATCH(watched), SS_CLI_OPTIONS};

typedef json_t *rows_fn(const json_t *answer);

// What can be shown.
struct subject {
    const char *what;
    const char *op; // the request, and the list in its answer; NULL: `show`
    bool has_limit;
    bool is_paged;    // the list may be longer than one answer
    bool is_timed;    // the newest first, unless --after says where to begin
    const char *none; // what stands in place of an empty list
    const char
        *advice;      // printed behind that by the list's own command; or NULL
    const char *name; // the key of what --names lists
    // Adds what more requests tell to the list, or replaces it.
    int (*fill)(
        struct ss_client *client, json_t **list, struct ss_client_error *error);
    // For people: the list is made from the answer; or its words are changed.
    rows_fn *rows;
    void (*word)(json_t *list);
    struct ss_list_column columns[COLUMNS_MAX];
};

static int add_leases(
    struct ss_client *client, json_t **list, struct ss_client_error *error);
static int add_workers(
    struct ss_client *client, json_t **list, struct ss_client_error *error);
static void name_everything(json_t *pauses);

static const struct subject subjects[] = {
    {.what = "runs",
        .op = "runs",
        .has_limit = true,
        .is_paged = true,
        .is_timed = true,
        .none = "There are no runs yet.",
        .name = "run",
        .word = ss_paused_mark,
        .columns = {{"RUN", "run", SS_LIST_ID, false},
            {"THREAD", "thread", SS_LIST_ID, false},
            {"GRAPH", "graph", SS_LIST_TEXT, true},
            {"STATUS", "status", SS_LIST_STATUS, false},
            {"CREATED", "created_at", SS_LIST_TIME, false}}},
    {.what = "threads",
        .op = "threads",
        .has_limit = true,
        .is_paged = true,
        .none = "There are no threads yet.",
        .name = "thread",
        .advice = " Begin one: superstep run GRAPH --input JSON",
        .columns = {{"THREAD", "thread", SS_LIST_ID, false},
            {"GRAPH", "graph", SS_LIST_TEXT, false},
            {"CREATED", "created_at", SS_LIST_TIME, false}}},
    {.what = "graphs",
        .op = "graphs",
        .none = "No graph is known yet.",
        .name = "name",
        .advice = " Start a worker: superstep-worker --app APP.so",
        .columns = {{"GRAPH", "name", SS_LIST_TEXT, false},
            {"VERSION", "version", SS_LIST_VERSION, false},
            {"NODES", "nodes", SS_LIST_NUMBER, false},
            {"WORKERS", "workers", SS_LIST_NUMBER, false}}},
    {.what = "tasks",
        .op = "tasks",
        .has_limit = true,
        .none = "No task is out, and none waits.",
        .rows = ss_waiting_rows,
        .columns = SS_WAITING_COLUMNS},
    {.what = "workers",
        .op = "workers",
        .none = "No worker is connected.",
        .name = "worker",
        .advice = " Start one: superstep-worker --app APP.so",
        .columns = {{"WORKER", "worker", SS_LIST_TEXT, false},
            {"GRAPHS", "graphs", SS_LIST_GRAPHS, true},
            {"RUNNING", "running", SS_LIST_NUMBER, false},
            {"CAPACITY", "capacity", SS_LIST_NUMBER, false},
            {"ATTEMPTS", "attempts", SS_LIST_NUMBER, false},
            {"LOST", "lost", SS_LIST_NUMBER, false},
            {"LAST SEEN", "seen_ms", SS_LIST_AGO, false}}},
    {.what = "pauses",
        .op = "pauses",
        .none = "Nothing is paused.",
        .word = name_everything,
        .columns = {{"GRAPH", "graph", SS_LIST_TEXT, true},
            {"VERSION", "version", SS_LIST_VERSION, false},
            {"SINCE", "since_at", SS_LIST_TIME, false},
            {"BY", "by", SS_LIST_TEXT, false},
            {"REASON", "reason", SS_LIST_TEXT, true}}},
    {.what = "leases",
        .op = "workers",
        .none = "Nobody has a lease.",
        .fill = add_leases,
        .columns = {{"WORKER", "worker", SS_LIST_TEXT, true},
            {"RUNNING", "running", SS_LIST_NUMBER, false},
            {"LAST SEEN", "seen_ms", SS_LIST_AGO, false},
            {"LEFT", "lease_left_ms", SS_LIST_DURATION, false}}},
    {.what = "coordinators",
        .none = "",
        .columns = {{"COORDINATOR", "endpoint", SS_LIST_TEXT, true},
            {"SHARDS", "shards", SS_LIST_NUMBER, false},
            {"THIS ONE", "self", SS_LIST_TEXT, false}}},
    {.what = "limits",
        .none = "",
        .columns = {{"LIMIT", "name", SS_LIST_TEXT, true},
            {"AT MOST", "limit", SS_LIST_NUMBER, false},
            {"NOW", "now", SS_LIST_NUMBER, false}}},
    {.what = "config",
        .none = "",
        .fill = add_workers,
        .columns = {{"OF", "of", SS_LIST_TEXT, false},
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

// The list `key` in the answer to `op` (`body` taken), or what `rows` makes of
// the answer. Gives.
static int fetch(struct ss_client *client, const char *op, json_t *body,
    const char *key, rows_fn *rows, json_t **ret_list,
    struct ss_client_error *error)
{
    json_t *answer;
    int status = ss_client_ask(client, op, body, NULL, &answer, error);
    if (status != 0)
        return status;
    json_t *list =
        rows ? rows(answer) : json_incref(json_object_get(answer, key));
    json_decref(answer);
    if (list) {
        *ret_list = list;
        return 0;
    }
    struct ss_error lacks;
    ss_error_set(&lacks, SS_EFORMAT,
        "the coordinator's answer to \"%s\" has no \"%s\"", op, key);
    return ss_client_error_fill(&lacks, error);
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
    struct ss_client *client, json_t **list, struct ss_client_error *error)
{
    json_t *config, *worker;
    size_t i;
    int status = fetch(client, "show", json_pack("{s:s}", "what", "config"),
        "config", NULL, &config, error);
    if (status != 0)
        return status;
    int64_t lease_ms = option_of(config, "lease-ms");
    json_array_foreach (*list, i, worker) {
        int64_t left_ms = lease_ms - ss_json_int(worker, "seen_ms", 0);
        json_object_set_new(
            worker, "lease_left_ms", json_integer(left_ms > 0 ? left_ms : 0));
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
    json_t *settings, *worker, *all;
    size_t i;
    int status =
        fetch(client, "settings", NULL, "settings", NULL, &settings, error);
    if (status != 0)
        return status;
    all = json_array();
    add_of(all, "coordinator", *list);
    json_array_foreach (settings, i, worker)
        add_of(all, ss_json_str(worker, "worker", "?"),
            json_object_get(worker, "settings"));
    json_decref(settings);
    json_decref(*list);
    *list = all;
    return 0;
}

static void name_everything(json_t *pauses)
{
    size_t i;
    json_t *item;
    json_array_foreach (pauses, i, item)
        if (!json_object_get(item, "graph"))
            json_object_set_new(item, "graph", json_string("(everything)"));
}

// What is asked, and how it is shown.
struct view {
    const struct subject *subject;
    json_t *body;
    const char *of;   // the thread that was named, or NULL
    const char *none; // in place of an empty list
};

// Gives *ret_list. An exit status, after printing the error.
static int ask_for(
    struct ss_client *client, const struct view *view, json_t **ret_list)
{
    const struct subject *subject = view->subject;
    struct ss_client_error error;
    json_t *found = NULL;
    json_t *body = json_copy(view->body);
    enum ss_cli_order order =
        subject->is_timed && !after ? SS_CLI_NEWEST : SS_CLI_BY_KEY;
    int status =
        subject->is_paged
            ? ss_cli_list(client, subject->op, order, body, &found, &error)
            : fetch(client, subject->op ? subject->op : "show", body,
                  subject->op ? subject->op : subject->what,
                  ss_cli_options.json ? NULL : subject->rows, &found, &error);
    if (status == 0 && subject->fill)
        status = subject->fill(client, &found, &error);
    if (status != 0) {
        json_decref(found);
        return ss_cli_client_fail(client, &error, NULL, view->of);
    }
    *ret_list = found;
    return SS_CLI_DONE;
}

static int look(struct ss_client *client, void *ctx,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    const struct view *view = ctx;
    const struct subject *subject = view->subject;
    json_t *found = NULL;
    size_t count = 0;
    int status = ask_for(client, view, &found);
    if (status != SS_CLI_DONE)
        return status;
    if (!ss_cli_options.json && subject->word)
        subject->word(found);
    while (count < COLUMNS_MAX && subject->columns[count].title)
        count++;
    if (ss_cli_options.json)
        ss_cli_json_line(found, buf);
    else
        ss_cli_list_write(
            found, subject->columns, count, view->none, screen, buf);
    json_decref(found);
    return SS_CLI_DONE;
}

static int look_once(struct ss_client *client, struct view *view)
{
    const struct ss_screen screen = ss_cli_screen();
    struct ss_buf buf;
    json_t *found;
    int status;
    if (names) {
        status = ask_for(client, view, &found);
        if (status == SS_CLI_DONE) {
            ss_cli_print_names(found, view->subject->name);
            json_decref(found);
        }
        return status;
    }
    ss_buf_init(&buf, SS_CLI_PAGE_SIZE_MAX);
    status = look(client, view, &screen, &buf);
    ss_cli_print_buf(&buf);
    return status;
}

// Ask for a list (`body` taken), and print it, or `none` where it is empty:
// once, or again and again. `of`: the thread that was named, or NULL.
static int list(struct ss_client *client, const struct subject *subject,
    json_t *body, const char *of, const char *none)
{
    enum { WATCH_MS = 2000 };
    struct view view = {subject, body, of, none};
    const struct ss_live live = {
        .interval_ms = WATCH_MS, .look = look, .ctx = &view};
    int status =
        watched ? ss_cli_live(client, &live) : look_once(client, &view);
    json_decref(body);
    return status;
}

// A list that has a command of its own: the command has the list's name.
static int list_of(struct ss_client *client, const char *what)
{
    const struct subject *subject = find(what);
    int64_t age_ms;
    if (only.failed && only.status)
        return ss_cli_usage("--failed or --status, not both");
    if (!ss_cli_age("since", only.since, &age_ms))
        return SS_CLI_USAGE;
    if (only.failed)
        only.status = ss_run_status_name(SS_RUN_FAILED);
    json_t *body = json_pack("{s:s*, s:o*, s:s*, s:s*, s:s*, s:o*}", "thread",
        thread, "limit", ss_cli_number(limit), "after", after, "status",
        only.status, "graph", only.graph, "age_ms", ss_cli_number(age_ms));
    bool has_filter = only.status || only.graph || only.since;
    char *none = has_filter ? ss_strdup("There are no such runs.")
                            : ss_format("%s%s", subject->none,
                                  subject->advice ? subject->advice : "");
    int status = list(client, subject, body, thread, none);
    ss_free(none);
    return status;
}

int ss_cmd_graphs(struct ss_client *client)
{
    return list_of(client, "graphs");
}

int ss_cmd_workers(struct ss_client *client)
{
    return list_of(client, "workers");
}

int ss_cmd_threads(struct ss_client *client)
{
    return list_of(client, "threads");
}

int ss_cmd_runs(struct ss_client *client)
{
    return list_of(client, "runs");
}

int ss_cmd_show(struct ss_client *client)
{
    if (words.count == 0) {
        for (size_t i = 0; i < SUBJECTS_COUNT; i++)
            puts(subjects[i].what);
        return SS_CLI_DONE;
    }
    const struct subject *subject = find(words.items[0]);
    if (!subject)
        return SS_CLI_USAGE;
    json_t *body =
        json_pack("{s:s*, s:o*}", "what", subject->op ? NULL : subject->what,
            "limit", ss_cli_number(subject->has_limit ? limit : 0));
    return list(client, subject, body, NULL, subject->none);
}

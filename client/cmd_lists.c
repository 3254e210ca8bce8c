// cmd_lists.c - lists of what a coordinator knows: superstep graphs, threads,
// inbox, runs and workers, and superstep show WHAT, a console for operators.
// One table has all lists; each command prints one of them.
#include <stdio.h>
#include <string.h>

#include "client/cli/advice.h"
#include "client/cli/find.h"
#include "client/cli/list.h"
#include "client/cli/live.h"
#include "client/cli/pages.h"
#include "client/cli/paused.h"
#include "client/cli/waiting.h"
#include "client/cli/which.h"
#include "client/client_impl.h"
#include "client/commands.h"
#include "common/app/clock.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/suggest.h"
#include "common/model/thread_status.h"
#include "common/model/value.h"

enum { COLUMNS_MAX = 8, HEALTH_MS = 1000 };

static struct ss_arg_list words;
static const char *thread;
static const char *after;
static int64_t limit;
static bool names;
static bool watched;
static const char *place;
static struct ss_which only; // which runs are wanted
static bool is_failed;

const struct ss_arg ss_cmd_graphs_options[] = {
    SS_CLI_NAMES(names, "the names only, one a line"), SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_workers_options[] = {
    SS_CLI_NAMES(names, "the names only, one a line"), SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_inbox_options[] = {
    SS_CLI_GRAPH(only.graph, "those that this graph ran on last"),
    SS_WHICH_SINCE(only), SS_WHICH_UNTIL(only), SS_WHICH_META(only),
    SS_WHICH_PREFIX(only),
    SS_CLI_LIMIT(limit, "at most this many threads, those that changed last"),
    SS_CLI_PAGE(place),
    SS_CLI_TEXT("after", 0, after, "THREAD",
        "by name in place of time: those behind this one; \"\" for "
        "the first"),
    SS_CLI_WATCH(watched), SS_CLI_OPTIONS};
#define SS_CMD_INBOX_OPTIONS SS_CLI_MORE(ss_cmd_inbox_options)
const struct ss_arg ss_cmd_threads_options[] = {
    SS_CLI_CHOICE("status", only.status, "STATUS",
        "idle running interrupted failed",
        "those that stand so: idle, running, interrupted, failed"),
    SS_CLI_NAMES(names, "the names only, one a line"), SS_CMD_INBOX_OPTIONS};
const struct ss_arg ss_cmd_runs_options[] = {
    SS_CLI_THREAD(thread, "those of this thread"),
    SS_CLI_FLAG("failed", 0, is_failed, "those that failed"),
    SS_CLI_CHOICE("status", only.status, "STATUS",
        "queued running quarantined done interrupted failed drained cancelled",
        "those of this status: queued, running, quarantined, done, "
        "interrupted, failed, drained, cancelled"),
    SS_CLI_GRAPH(only.graph, "those of this graph"), SS_WHICH_SINCE(only),
    SS_WHICH_UNTIL(only), SS_WHICH_META(only), SS_WHICH_PREFIX(only),
    SS_CLI_LIMIT(limit, "at most this many, the newest"), SS_CLI_PAGE(place),
    SS_CLI_TEXT("after", 0, after, "RUN|KEY",
        "by key in place of time: those that follow all of this "
        "name, or, with the \"key\" that --json shows of one, that "
        "one; \"\" for the first"),
    SS_CLI_NAMES(names, "the ids only, one a line"), SS_CLI_WATCH(watched),
    SS_CLI_OPTIONS};
const struct ss_arg ss_cmd_show_options[] = {
    SS_CLI_WORD_OF(words, "WHAT",
        "runs threads inbox graphs tasks workers pauses leases coordinators "
        "limits "
        "config"),
    SS_CLI_LIMIT(limit, "at most this many, of runs, threads and tasks"),
    SS_CLI_WATCH(watched), SS_CLI_OPTIONS};

typedef json_t *rows_fn(const json_t *answer);

// What can be shown.
struct subject {
    const char *what;
    const char *op; // the request, and the list in its answer; NULL: `show`
    bool has_limit;
    bool is_paged; // the list may be longer than one answer
    bool is_timed; // the newest first, unless --after says where to begin
    // Of several coordinators each knows its own: says what this one leaves out
    void (*tell)(struct ss_client *client);
    const char *status; // only what stands so; NULL: all, or what was said
    const char *none;   // what stands in place of an empty list
    const char *others; // what may have been meant instead; or NULL
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
    const char *optional; // the key of the last one, if it may have no cell, or
                          // say no in all
};

static int add_leases(
    struct ss_client *client, json_t **list, struct ss_client_error *error);
static int add_workers(
    struct ss_client *client, json_t **list, struct ss_client_error *error);
static int to_questions(
    struct ss_client *client, json_t **list, struct ss_client_error *error);
static void tell_scope(struct ss_client *client);
static void tell_trouble(struct ss_client *client);
static void tell_tasks(struct ss_client *client);
static void tell_runs(json_t *runs);
static void name_long(json_t *rows);
static void name_everything(json_t *pauses);

#define COLUMN(title, key, form)                                               \
    {                                                                          \
        title, key, SS_LIST_##form, false                                      \
    }
#define WIDE(title, key, form)                                                 \
    {                                                                          \
        title, key, SS_LIST_##form, true                                       \
    } // or less

static const struct subject subjects[] = {
    {.what = "runs",
        .op = "runs",
        .has_limit = true,
        .is_paged = true,
        .is_timed = true,
        .none = "There are no runs yet.",
        .name = "run",
        .word = tell_runs,
        .columns = {COLUMN("RUN", "run", ID), COLUMN("THREAD", "thread", ID),
            WIDE("GRAPH", "graph", TEXT), COLUMN("STATUS", "status", STATUS),
            COLUMN("CREATED", "created_at", TIME),
            WIDE("ERROR", "error", TEXT)},
        .optional = "error"},
    {.what = "threads",
        .op = "threads",
        .has_limit = true,
        .is_paged = true,
        .is_timed = true,
        .none = "There are no threads yet.",
        .name = "thread",
        .advice = " Begin one: superstep run GRAPH --input JSON",
        .columns = {COLUMN("THREAD", "thread", ID),
            COLUMN("GRAPH", "graph", TEXT), COLUMN("STATUS", "status", STATUS),
            COLUMN("CREATED", "created_at", TIME),
            COLUMN("CHANGED", "updated_at", TIME),
            WIDE("METADATA", "metadata", JSON)},
        .optional = "metadata"},
    {.what = "inbox",
        .op = "threads",
        .has_limit = true,
        .is_paged = true,
        .is_timed = true,
        .status = SS_THREAD_INTERRUPTED,
        .none = "No question waits for an answer.",
        .fill = to_questions,
        .word = name_long,
        .columns = {COLUMN("WAITS", "waits_ms", AGO),
            COLUMN("THREAD", "thread", ID), COLUMN("GRAPH", "graph", TEXT),
            COLUMN("NODE", "node", TEXT), WIDE("QUESTION", "value", JSON),
            COLUMN("ANSWER", "answer", TEXT)}},
    {.what = "graphs",
        .op = "graphs",
        .none = "No graph is known yet.",
        .name = "name",
        .advice = " Start a worker: superstep-worker --app APP.so",
        .columns = {COLUMN("GRAPH", "name", TEXT),
            COLUMN("VERSION", "version", VERSION),
            COLUMN("NODES", "nodes", NUMBER),
            COLUMN("WORKERS", "workers", NUMBER)}},
    {.what = "tasks",
        .op = "tasks",
        .tell = tell_tasks,
        .has_limit = true,
        .none = "No task is out, and none waits.",
        .rows = ss_waiting_rows,
        .columns = SS_WAITING_COLUMNS},
    {.what = "workers",
        .op = "workers",
        .tell = tell_scope,
        .none = "No worker is connected.",
        .name = "worker",
        .advice = " Start one: superstep-worker --app APP.so",
        .columns = {COLUMN("WORKER", "worker", TEXT),
            WIDE("GRAPHS", "graphs", GRAPHS),
            COLUMN("RUNNING", "running", NUMBER),
            COLUMN("CAPACITY", "capacity", NUMBER),
            COLUMN("ATTEMPTS", "attempts", NUMBER),
            COLUMN("LOST", "lost", NUMBER), COLUMN("LAST SEEN", "seen_ms", AGO),
            COLUMN("DRAINS", "drains", TEXT)},
        .optional = "drains"},
    {.what = "pauses",
        .op = "pauses",
        .none = "Nothing is paused.",
        .word = name_everything,
        .columns = {WIDE("GRAPH", "graph", TEXT),
            COLUMN("VERSION", "version", VERSION),
            COLUMN("SINCE", "since_at", TIME), COLUMN("BY", "by", TEXT),
            WIDE("REASON", "reason", TEXT)}},
    {.what = "leases",
        .op = "workers",
        .tell = tell_scope,
        .none = "Nobody has a lease.",
        .fill = add_leases,
        .columns = {WIDE("WORKER", "worker", TEXT),
            COLUMN("RUNNING", "running", NUMBER),
            COLUMN("LAST SEEN", "seen_ms", AGO),
            COLUMN("LEFT", "lease_left_ms", DURATION)}},
    {.what = "coordinators",
        .tell = tell_trouble,
        .none = "",
        .columns = {WIDE("COORDINATOR", "endpoint", TEXT),
            COLUMN("SHARDS", "shards", NUMBER),
            COLUMN("THIS ONE", "self", TEXT), COLUMN("AS OF", "seen_ms", AGO)},
        .optional = "seen_ms"},
    {.what = "limits",
        .none = "",
        .others = "these are of connections; those of nodes, graphs and keys"
                  " are told by superstep limit",
        .columns = {WIDE("LIMIT", "name", TEXT),
            COLUMN("AT MOST", "limit", NUMBER), COLUMN("NOW", "now", NUMBER)}},
    {.what = "config",
        .none = "",
        .fill = add_workers,
        .columns = {COLUMN("OF", "of", TEXT), COLUMN("OPTION", "name", TEXT),
            WIDE("VALUE", "value", TEXT), COLUMN("UNIT", "unit", TEXT),
            COLUMN("FROM", "from", TEXT), WIDE("AT", "at", TEXT)}},
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

// What is paused, and which node failed with what.
static void tell_runs(json_t *runs)
{
    size_t i;
    json_t *run;
    ss_paused_mark(runs);
    json_array_foreach (runs, i, run) {
        const json_t *error = json_object_get(run, "error");
        const char *node = ss_json_str(error, "node", NULL);
        if (error)
            json_object_set_new(run, "error",
                json_sprintf("%s%s%s", node ? node : "", node ? ": " : "",
                    ss_json_str(error, "message", "?")));
    }
}

// The questions of a thread, as rows of the list.
static void add_questions(json_t *rows, const json_t *asker, int64_t now_us)
{
    json_t *all = json_array(), *list, *question;
    const char *task;
    size_t i;
    json_object_foreach (json_object_get(asker, "interrupts"), task, list)
        json_array_extend(all, list);
    const char *name = ss_json_str(asker, "thread", "?");
    char *answer = ss_cli_answer(name, all);
    // What was said of the thread since, or that it was imported, is no matter.
    int64_t us = now_us - ss_json_int(asker, "state_us",
                              ss_json_int(asker, "updated_us", now_us));
    json_array_foreach (all, i, question) {
        json_t *row = json_pack("{s:s, s:O*, s:O*, s:O*, s:I, s:s}", "thread",
            name, "graph", json_object_get(asker, "graph"), "run",
            json_object_get(asker, "run"), "updated_at",
            json_object_get(asker, "updated_at"), "waits_ms",
            (json_int_t)(us > 0 ? us / 1000 : 0), "answer", answer);
        json_object_update(row, question);
        json_array_append_new(rows, row);
    }
    ss_free(answer);
    json_decref(all);
}

static void name_long(json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row)
        if (json_object_get(row, "is_long"))
            json_object_set_new(
                row, "value", json_string("long: superstep state shows it"));
}

// A row for each question of those threads that wait for an answer, and not
// behind a breakpoint.
static int to_questions(
    struct ss_client *client, json_t **list, struct ss_client_error *error)
{
    json_t *rows = json_array(), *asker;
    size_t i;
    (void)client;
    (void)error;
    json_array_foreach (*list, i, asker)
        add_questions(rows, asker, ss_clock_wall_us());
    json_decref(*list);
    *list = rows;
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

// How a list goes on, and what it lacks, for people.
static void tell_page(const struct ss_cli_found *found)
{
    ss_cli_note_lacking(found);
    if (found->next && !watched)
        ss_cli_note("there are more: --page '%s' goes on", found->next);
}

static void tell_scope(struct ss_client *client)
{
    size_t count = 0;
    while (ss_client_coordinator(client, count))
        count++;
    if (count > 1)
        ss_cli_note("this is what %s knows, one of %zu coordinators: "
                    "--coordinator asks another one",
            ss_client_endpoint(client), count);
}

// One that cannot work lets go of its threads.
static void tell_trouble(struct ss_client *client)
{
    json_t *answer = NULL;
    const struct ss_client_ask quickly = {.timeout_ms = HEALTH_MS};
    (void)ss_client_ask(client, "health", NULL, &quickly, &answer, NULL);
    const char *why =
        ss_json_str(json_object_get(answer, "health"), "reason", NULL);
    if (why)
        ss_cli_note("%s", why);
    json_decref(answer);
}

static void tell_tasks(struct ss_client *client)
{
    tell_scope(client);
    tell_trouble(client);
}

// The same for programs, which read a list of objects: the last one has it.
static void add_page(json_t *list, const struct ss_cli_found *found)
{
    size_t count = json_array_size(list);
    ss_check(count > 0 && found);
    if (found->next || found->lacks || found->unsearched > 0)
        json_object_set_new(json_array_get(list, count - 1), "page",
            json_pack("{s:s*, s:o*, s:o*}", "next", found->next, "lacks",
                ss_cli_flag(found->lacks), "unsearched",
                ss_cli_number(found->unsearched)));
}

// Gives found->list. An exit status, after printing the error.
static int ask_for(struct ss_client *client, const struct view *view,
    struct ss_cli_found *found)
{
    const struct subject *subject = view->subject;
    struct ss_client_error error;
    json_t *body = json_copy(view->body);
    *found = (struct ss_cli_found){0};
    int status =
        subject->is_timed && !after
            ? ss_cli_find(client, subject->op, body, found, &error)
        : subject->is_paged
            ? ss_cli_list(client, subject->op, body, &found->list, &error)
            : fetch(client, subject->op ? subject->op : "show", body,
                  subject->op ? subject->op : subject->what,
                  ss_cli_options.json ? NULL : subject->rows, &found->list,
                  &error);
    if (status == 0 && subject->fill)
        status = subject->fill(client, &found->list, &error);
    if (status != 0) {
        ss_cli_found_fini(found);
        return ss_cli_client_fail(client, &error, NULL, view->of);
    }
    tell_page(found);
    if (subject->tell && !watched && !names && !ss_cli_options.json)
        subject->tell(client);
    if (json_array_size(found->list) == 0 && !watched)
        ss_cli_warn_unknown(
            client, ss_json_str(view->body, "graph", NULL), view->of);
    if (ss_cli_options.json && json_array_size(found->list) > 0)
        add_page(found->list, found);
    return SS_CLI_DONE;
}

static bool says(const json_t *item, const char *key)
{
    const json_t *cell = json_object_get(item, key);
    return cell && !json_is_false(cell);
}

// A column that would be empty does not stand there.
static size_t count_columns(const struct subject *subject, const json_t *list)
{
    size_t count = 0, i;
    bool has_optional = !subject->optional;
    json_t *item;
    while (count < COLUMNS_MAX && subject->columns[count].title)
        count++;
    json_array_foreach ((json_t *)list, i, item)
        has_optional = has_optional || says(item, subject->optional);
    ss_check(count > 0);
    return has_optional ? count : count - 1;
}

static int look(struct ss_client *client, void *ctx,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    const struct view *view = ctx;
    const struct subject *subject = view->subject;
    struct ss_cli_found found;
    int status = ask_for(client, view, &found);
    if (status != SS_CLI_DONE)
        return status;
    if (!ss_cli_options.json && subject->word)
        subject->word(found.list);
    if (ss_cli_options.json)
        ss_cli_json_line(found.list, buf);
    else
        ss_cli_list_write(found.list, subject->columns,
            count_columns(subject, found.list), view->none, screen, buf);
    ss_cli_found_fini(&found);
    return SS_CLI_DONE;
}

static int look_once(struct ss_client *client, struct view *view)
{
    const struct ss_screen screen = ss_cli_screen();
    struct ss_cli_found found;
    struct ss_buf buf;
    int status;
    if (names) {
        status = ask_for(client, view, &found);
        if (status == SS_CLI_DONE) {
            ss_cli_print_names(found.list, view->subject->name);
            ss_cli_found_fini(&found);
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
    json_t *body, *which;
    if (is_failed && only.status)
        return ss_cli_usage("--failed or --status, not both");
    if (place && after)
        return ss_cli_usage("--page or --after, not both");
    if (is_failed)
        only.status = ss_run_status_name(SS_RUN_FAILED);
    bool has_filter = ss_which_is_said(&only) || thread || place ||
                      (after && *after); // not all there are
    if (subject->status)
        only.status = subject->status;
    int status = ss_which_ask(&only, &which);
    if (status != SS_CLI_DONE)
        return status;
    body = json_pack("{s:s*, s:o*, s:s*}", "thread", thread, "limit",
        ss_cli_number(limit), "after", place ? place : after);
    if (body)
        json_object_update(body, which);
    json_decref(which);
    char *none = has_filter ? ss_format("There are no such %s.",
                                  subject->status ? "questions" : what)
                            : ss_format("%s%s", subject->none,
                                  subject->advice ? subject->advice : "");
    status = list(client, subject, body, thread, none);
    ss_free(none);
    return status;
}

#define LIST(name)                                                             \
    int ss_cmd_##name(struct ss_client *client)                                \
    {                                                                          \
        return list_of(client, #name);                                         \
    }
LIST(graphs)
LIST(workers)
LIST(threads)
LIST(inbox)
LIST(runs)

static void print_subjects(void)
{
    json_t *all = json_array();
    for (size_t i = 0; i < SUBJECTS_COUNT; i++)
        json_array_append_new(all, json_string(subjects[i].what));
    if (ss_cli_options.json)
        ss_cli_print_json(all);
    for (size_t i = 0; i < SUBJECTS_COUNT && !ss_cli_options.json; i++)
        puts(subjects[i].what);
    json_decref(all);
}

int ss_cmd_show(struct ss_client *client)
{
    if (words.count == 0) {
        print_subjects();
        return SS_CLI_DONE;
    }
    const struct subject *subject = find(words.items[0]);
    if (!subject)
        return SS_CLI_USAGE;
    json_t *body = json_pack("{s:s*, s:o*, s:s*}", "what",
        subject->op ? NULL : subject->what, "limit",
        ss_cli_number(subject->has_limit ? limit : 0), "status",
        subject->status);
    if (subject->others)
        ss_cli_note("%s", subject->others);
    return list(client, subject, body, NULL, subject->none);
}

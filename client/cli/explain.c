// explain.c - sentences from the facts that a coordinator gives.
#include "client/cli/explain.h"

#include <string.h>

#include <stdbool.h>

#include "client/cli/advice.h"
#include "client/cli/paused.h"
#include "client/cli/text.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/run_status.h"
#include "common/model/value.h"
#include "common/model/wait_reason.h"

enum { VALUE_WIDTH = 120, VERSION_WIDTH = 8 };

static void add_json(struct ss_buf *buf, const char *before, const json_t *json)
{
    char *text = ss_text_json(json, VALUE_WIDTH);
    ss_buf_addf(buf, "%s%s", before, text);
    ss_free(text);
}

static void add_plain(struct ss_buf *buf, const char *before, const char *text)
{
    char *plain = ss_text_plain(text);
    ss_buf_addf(buf, "%s%s", before, plain);
    ss_free(plain);
}

// "12 ms", between two times that are known.
static void add_duration(
    struct ss_buf *buf, const char *before, int64_t from, int64_t to)
{
    if (from < 0 || to < from)
        return;
    char *text = ss_text_duration(to - from);
    ss_buf_addf(buf, "%s%s", before, text);
    ss_free(text);
}

// ------------------------------------------------ how it began

static void write_entry(struct ss_buf *buf, const json_t *request)
{
    const json_t *command = json_object_get(request, "command");
    const json_t *input = json_object_get(request, "input");
    if (command && json_object_get(command, "resume"))
        add_json(buf, ", with the answer ", json_object_get(command, "resume"));
    else if (command)
        add_json(buf, ", with the command ", command);
    else if (input && !json_is_null(input))
        add_json(buf, ", with the input ", input);
    else
        ss_buf_add_str(buf, ", to go on with what was there");
    const char *at = ss_json_str(request, "checkpoint_id", NULL);
    if (at)
        add_plain(buf, ", from checkpoint ", at);
}

static void write_begin(struct ss_buf *buf, const json_t *explained)
{
    const char *version = ss_json_str(explained, "version", "");
    add_plain(buf, "Run ", ss_json_str(explained, "run", "?"));
    if (ss_json_bool(explained, "never_began", false)) {
        add_plain(buf, " on thread ", ss_json_str(explained, "thread", "?"));
        ss_buf_add_str(buf, " waited for its turn, and never began.\n");
        return;
    }
    add_plain(buf, " of graph ", ss_json_str(explained, "graph", "?"));
    if (*version)
        ss_buf_addf(buf, " (version %.*s)", VERSION_WIDTH, version);
    add_plain(buf, " on thread ", ss_json_str(explained, "thread", "?"));
    ss_buf_add_str(buf, " began");
    int64_t from = ss_json_int(explained, "created_us", -1);
    int64_t now = ss_json_int(explained, "now_us", -1);
    if (from >= 0 && now >= from) {
        char *ago = ss_text_ago((now - from) / 1000);
        ss_buf_addf(buf, " %s", ago);
        ss_free(ago);
    }
    if (!ss_json_bool(
            explained, "pruned", false)) // else its input is pruned, too
        write_entry(buf, json_object_get(explained, "request"));
    ss_buf_add_str(buf, ".\n");
}

// ------------------------------------------------ its supersteps

// "greet", "left and right", "measure (12 tasks)".
static void write_names(struct ss_buf *buf, const json_t *tasks)
{
    json_t *counts = json_object(), *task, *count;
    size_t i, shown = 0;
    const char *name;
    json_array_foreach ((json_t *)tasks, i, task)
        ss_text_tally(counts, ss_json_str(task, "name", "?"));
    json_object_foreach (counts, name, count) {
        bool is_last = ++shown == json_object_size(counts);
        add_plain(buf, shown == 1 ? " " : is_last ? " and " : ", ", name);
        if (json_integer_value(count) > 1)
            ss_buf_addf(
                buf, " (%lld tasks)", (long long)json_integer_value(count));
    }
    json_decref(counts);
}

// Tasks of a node that failed, and were tried again.
struct retried {
    size_t count;
    int64_t most; // times
    const char *error;
};

static void add_retried(struct ss_map *nodes, const json_t *task)
{
    const char *name = ss_json_str(task, "name", "?");
    int64_t times = ss_json_int(task, "failed_before", 0);
    struct retried *node = ss_map_get(nodes, name);
    if (times == 0)
        return;
    if (!node) {
        node = ss_zalloc(1, sizeof(*node));
        ss_map_put(nodes, name, node);
    }
    node->count++;
    if (times <= node->most)
        return;
    node->most = times;
    node->error = ss_json_str(task, "last_error", "");
}

static void write_retried(struct ss_buf *buf, const json_t *tasks)
{
    struct ss_map nodes = {0};
    size_t i;
    json_t *task;
    json_array_foreach ((json_t *)tasks, i, task)
        add_retried(&nodes, task);
    for (const struct ss_map_entry *e = nodes.first; e; e = e->next) {
        const struct retried *node = e->value;
        bool many = node->count > 1;
        ss_buf_add_str(buf, "    ");
        if (many)
            ss_buf_addf(buf, "%zu tasks of ", node->count);
        add_plain(buf, "", e->key);
        ss_buf_addf(buf, " failed before, %lld %s%s", (long long)node->most,
            node->most > 1 ? "times" : "time", many ? " at most" : "");
        if (*node->error)
            add_plain(buf, ", last: ", node->error);
        ss_buf_add_str(buf, "\n");
    }
    ss_map_fini(&nodes, ss_free);
}

// A superstep that is over has no failure that stayed: an error handler ran in
// its place, or a later try, or another run, did what this one could not.
static void write_error(struct ss_buf *buf, const json_t *task, size_t count,
    const char *error, bool is_over)
{
    bool is_handled = ss_json_bool(task, "has_handler", false);
    ss_buf_add_str(buf, "    ");
    if (count > 1)
        ss_buf_addf(buf, "%zu tasks of ", count);
    add_plain(buf, "", ss_json_str(task, "name", "?"));
    add_plain(
        buf, is_over && !is_handled ? " failed before: " : " failed: ", error);
    if (is_over && is_handled)
        ss_buf_add_str(buf, "; its error handler ran");
    ss_buf_add_str(buf, "\n");
}

// Tasks of one node that failed with the same error: a line for all.
struct failed {
    const json_t *first;
    size_t count;
};

static void write_errors(struct ss_buf *buf, const json_t *tasks, bool is_over)
{
    struct ss_map alike = {0};
    size_t i;
    json_t *task;
    json_array_foreach ((json_t *)tasks, i, task) {
        const char *error = ss_json_str(task, "error", NULL);
        if (!error)
            continue;
        char *key = ss_format("%s\n%s", ss_json_str(task, "name", "?"), error);
        struct failed *failed = ss_map_get(&alike, key);
        if (!failed) {
            failed = ss_zalloc(1, sizeof(*failed));
            failed->first = task;
            ss_map_put(&alike, key, failed);
        }
        failed->count++;
        ss_free(key);
    }
    for (const struct ss_map_entry *e = alike.first; e; e = e->next) {
        const struct failed *failed = e->value;
        write_error(buf, failed->first, failed->count,
            ss_json_str(failed->first, "error", ""), is_over);
    }
    ss_map_fini(&alike, ss_free);
}

// `is_over`: another superstep followed.
static void write_troubles(
    struct ss_buf *buf, const json_t *tasks, bool is_over)
{
    size_t i, k;
    json_t *task, *asked;
    write_errors(buf, tasks, is_over);
    json_array_foreach ((json_t *)tasks, i, task) {
        const char *name = ss_json_str(task, "name", "?");
        json_array_foreach (json_object_get(task, "interrupts"), k, asked) {
            add_plain(buf, "    ", name);
            add_json(buf, " asks ", json_object_get(asked, "value"));
            ss_buf_add_str(buf, "\n");
        }
    }
}

// A step that takes an input in runs no node, whichever number it has.
// `next`: the checkpoint that this one's tasks led to; NULL: none yet.
static void write_step(struct ss_buf *buf, const json_t *explained,
    const json_t *step, const json_t *next)
{
    const json_t *tasks = json_object_get(step, "tasks");
    bool is_input = ss_json_int(step, "step", 0) < 0 ||
                    strcmp(ss_json_str(step, "source", ""), "input") == 0;
    if (json_array_size(tasks) == 0 || is_input)
        return;
    ss_buf_addf(
        buf, "Superstep %lld", (long long)ss_json_int(step, "step", 0) + 1);
    bool is_over = next || ss_json_str(explained, "ended_at", NULL);
    ss_buf_add_str(buf, is_over ? " ran" : " is under way:");
    write_names(buf, tasks);
    if (next)
        add_duration(buf, ", in ", ss_json_int(step, "made_us", -1),
            ss_json_int(next, "made_us", -1));
    ss_buf_add_str(buf, ".\n");
    if (is_over) // what waits says it of its tasks
        write_retried(buf, tasks);
    write_troubles(buf, tasks, next != NULL);
}

static bool tells_tasks(const json_t *steps)
{
    size_t i;
    json_t *step;
    json_array_foreach ((json_t *)steps, i, step)
        if (json_array_size(json_object_get(step, "tasks")) > 0)
            return true;
    return false;
}

// Of one whose record alone is left the end says so.
static void write_pruned(struct ss_buf *buf, const json_t *explained)
{
    if (!ss_json_bool(explained, "steps_pruned", false) ||
        ss_json_bool(explained, "pruned", false))
        return;
    ss_buf_addf(buf, "Its thread was pruned: its supersteps are gone, %s.\n",
        tells_tasks(json_object_get(explained, "steps"))
            ? "but for what follows"
            : "and how it ended is left");
}

static void write_steps(struct ss_buf *buf, const json_t *explained)
{
    const json_t *steps = json_object_get(explained, "steps");
    long long before = ss_json_int(explained, "steps_before", 0);
    size_t count = json_array_size(steps);
    write_pruned(buf, explained);
    if (before > 0)
        ss_buf_addf(
            buf, "%lld of its checkpoints were before those here.\n", before);
    for (size_t i = 0; i < count; i++)
        write_step(buf, explained, json_array_get(steps, i),
            i + 1 < count ? json_array_get(steps, i + 1) : NULL);
    if (!ss_json_bool(explained, "graph_known", true) &&
        !ss_json_bool(explained, "never_began", false))
        ss_buf_add_str(buf, "Its graph is not known here, so its tasks are not "
                            "named: no worker has announced it.\n");
}

// ------------------------------------------------ what it waits for

static void write_subject(struct ss_buf *buf, const json_t *wait)
{
    long long count = ss_json_int(wait, "count", 1);
    if (count > 1)
        ss_buf_addf(buf, "%lld tasks of ", count);
    add_plain(buf, "", ss_json_str(wait, "node", "?"));
}

static void write_running(struct ss_buf *buf, const json_t *wait, bool many)
{
    char *took = ss_text_duration(ss_json_int(wait, "for_ms", 0) * 1000);
    add_plain(buf, many ? " run on worker " : " runs on worker ",
        ss_json_str(wait, "worker", "?"));
    ss_buf_addf(buf, " (attempt %lld), for %s",
        (long long)ss_json_int(wait, "attempt", 1), took);
    ss_free(took);
}

static void write_backoff(struct ss_buf *buf, const json_t *wait, bool many)
{
    int64_t next_ms = ss_json_int(wait, "in_ms", 0);
    int64_t last_ms = ss_json_int(wait, "in_ms_last", next_ms);
    ss_buf_addf(buf, " failed (%lld %sso far",
        (long long)ss_json_int(wait, "failures", 1), many ? "at most " : "");
    if (*ss_json_str(wait, "error", ""))
        add_plain(buf, ", last: ", ss_json_str(wait, "error", ""));
    ss_buf_add_str(buf, ") and will be tried again");
    add_duration(buf, " in ", 0, next_ms * 1000);
    if (last_ms > next_ms)
        add_duration(buf, " to ", 0, last_ms * 1000);
}

// False: there is no more to say than for each value of what.
static bool write_limit_each(struct ss_buf *buf, const json_t *wait)
{
    const char *each = ss_json_str(wait, "limit_each", NULL);
    const char *value = ss_json_str(wait, "limit_value", NULL);
    if (!each)
        return true;
    each += strncmp(each, "meta:", 5) == 0 ? 5 : 0;
    add_plain(buf, value ? " for " : " for each ", each);
    if (value)
        add_plain(buf, " ", *value ? value : "(none)");
    if (json_object_get(wait, "limit_values"))
        ss_buf_addf(buf,
            ": %lld of these have tasks, and no more are counted at once",
            (long long)ss_json_int(wait, "limit_values", 0));
    return value != NULL;
}

static void write_limit(struct ss_buf *buf, const json_t *wait)
{
    long long most = ss_json_int(wait, "limit_max", 0);
    long long here = ss_json_int(wait, "limit_here", most);
    long long out = ss_json_int(wait, "limit_out", 0);
    long long lingering = ss_json_int(wait, "limit_lingering", 0);
    add_plain(buf, " for the limit ", ss_json_str(wait, "limit", "?"));
    ss_buf_addf(buf, " of %lld", most);
    if (ss_json_int(wait, "limit_per_ms", 0) > 0)
        add_duration(
            buf, " in ", 0, ss_json_int(wait, "limit_per_ms", 0) * 1000);
    if (!write_limit_each(buf, wait))
        return;
    if (here < most)
        ss_buf_addf(buf, ", of which its coordinator has %lld", here);
    if (ss_json_int(wait, "limit_per_ms", 0) > 0)
        ss_buf_addf(buf, ": %lld began",
            (long long)ss_json_int(wait, "limit_begun", 0));
    else
        ss_buf_addf(buf, ": %lld %s out", out, out == 1 ? "is" : "are");
    if (lingering > 0)
        ss_buf_addf(buf, ", and %lld more may go on at a worker", lingering);
    if (ss_json_bool(wait, "limit_looks_back", false))
        ss_buf_add_str(buf, ", and those are looked for that were out before "
                            "the coordinator began");
}

static void write_reason(
    struct ss_buf *buf, const json_t *explained, const json_t *wait, bool many)
{
    const char *graph = ss_json_str(explained, "graph", "?");
    const char *verb = many ? " wait" : " waits";
    switch (ss_wait_reason_of(wait)) {
    case SS_WAIT_RUNNING:
        write_running(buf, wait, many);
        break;
    case SS_WAIT_BACKOFF:
        write_backoff(buf, wait, many);
        break;
    case SS_WAIT_NO_WORKER:
        ss_buf_addf(buf, "%s: no worker serves this version of graph ", verb);
        add_plain(buf, "", graph);
        ss_buf_add_str(buf,
            ". Start one: superstep-worker --app its application; or "
            "move the run to another version: superstep migrate");
        break;
    case SS_WAIT_NO_LABEL:
        ss_buf_addf(buf, "%s: no worker of graph ", verb);
        add_plain(buf, "", graph);
        add_plain(buf, " offers ", ss_json_str(wait, "labels", "?"));
        ss_buf_add_str(buf, ". Start one with --label");
        break;
    case SS_WAIT_WORKERS_BUSY:
        ss_buf_addf(buf, "%s for room: all workers that may take %s are busy",
            verb, many ? "them" : "it");
        break;
    case SS_WAIT_MAX_CONCURRENCY:
        ss_buf_addf(buf,
            "%s: the run has as many tasks out as its "
            "max_concurrency allows",
            verb);
        break;
    case SS_WAIT_LIMIT:
        ss_buf_add_str(buf, verb);
        write_limit(buf, wait);
        break;
    case SS_WAIT_STORE:
        ss_buf_addf(buf, "%s for the store: rows before %s are not durable yet",
            verb, many ? "them" : "it");
        break;
    case SS_WAIT_PAUSED:
        ss_buf_addf(
            buf, "%s: %s graph is paused", verb, many ? "their" : "its");
        break;
    case SS_WAIT_ANSWER:
        ss_buf_addf(buf, "%s for an answer", verb);
        break;
    case SS_WAIT_PLANNED:
    case SS_WAIT_CACHE:
    case SS_WAIT_OTHER:
        ss_buf_addf(buf, "%s (%s)", verb, ss_json_str(wait, "why", ""));
    }
}

static void write_wait(
    struct ss_buf *buf, const json_t *explained, const json_t *wait)
{
    bool many = ss_json_int(wait, "count", 1) > 1;
    write_subject(buf, wait);
    write_reason(buf, explained, wait, many);
    long long lost = ss_json_int(wait, "workers_lost", 0);
    if (lost > 0)
        ss_buf_addf(buf, "; %lld %s lost with %s", lost,
            lost > 1 ? "workers were" : "worker was",
            many ? "one of them" : "it");
    long long fails_at = ss_json_int(wait, "fails_at", 0);
    if (lost > 0 && fails_at > 0)
        ss_buf_addf(buf, ", and %lld make it fail", fails_at);
    const char *how = ss_json_str(wait, "lost_how", NULL);
    if (how)
        add_plain(buf, "; the last time it ", how);
    if (json_is_true(json_object_get(wait, "alone")))
        ss_buf_add_str(buf, "; it gets a worker to itself");
    ss_buf_add_str(buf, ".\n");
}

// ------------------------------------------------ how it stands

// Each question has its own answer: the command names them all, as the inbox
// does.
static void write_answer(struct ss_buf *buf, const json_t *explained)
{
    const json_t *steps = json_object_get(explained, "steps");
    size_t count = json_array_size(steps), i;
    json_t *task, *all = json_array();
    const json_t *tasks =
        count > 0 ? json_object_get(json_array_get(steps, count - 1), "tasks")
                  : NULL;
    json_array_foreach ((json_t *)tasks, i, task)
        json_array_extend(all, json_object_get(task, "interrupts"));
    if (json_array_size(all) > 0) {
        char *answer =
            ss_cli_answer(ss_json_str(explained, "thread", "THREAD"), all);
        add_plain(buf, "It stopped, and waits for an answer: ", answer);
        ss_free(answer);
    } else {
        add_plain(buf, "It stopped, and goes on with: superstep resume ",
            ss_json_str(explained, "thread", "THREAD"));
    }
    ss_buf_add_str(buf, "\n");
    json_decref(all);
}

static void write_end(struct ss_buf *buf, const json_t *explained)
{
    const char *status = ss_json_str(explained, "status", "?");
    const json_t *error =
        json_object_get(json_object_get(explained, "end"), "error");
    int64_t from = ss_json_int(explained, "created_us", -1);
    int64_t to = ss_json_int(explained, "ended_us", -1);
    if (ss_json_bool(explained, "pruned", false))
        ss_buf_add_str(buf, "Its thread was pruned: what it did is gone, and "
                            "its record is left.\n");
    if (ss_run_status_by_name(status) == SS_RUN_INTERRUPTED) {
        write_answer(buf, explained);
        return;
    }
    add_plain(buf, "It is ", status);
    add_duration(buf, ", after ", from, to);
    if (error)
        add_plain(buf, ": ", ss_json_str(error, "message", "?"));
    ss_buf_add_str(buf, ".\n");
}

static void write_queued(struct ss_buf *buf, const json_t *explained)
{
    long long before = ss_json_int(explained, "before", 0);
    add_plain(buf, "It is queued: its thread is busy with ",
        ss_json_str(explained, "busy_with", "another run"));
    if (before > 0)
        ss_buf_addf(buf, ", and %lld more %s before it", before,
            before == 1 ? "is" : "are");
    ss_buf_add_str(buf, ".\n");
}

static void write_paused(struct ss_buf *buf, const json_t *explained)
{
    const json_t *record = json_object_get(explained, "paused");
    const char *graph = ss_json_str(record, "graph", NULL);
    if (!record)
        return;
    char *text = ss_paused_text(record);
    ss_buf_addf(buf, "It waits: %s. superstep unpause ", text);
    add_plain(buf, "", graph ? graph : "--all");
    if (json_object_get(record, "version"))
        ss_buf_addf(buf, " --of-version %.*s", VERSION_WIDTH,
            ss_json_str(record, "version", ""));
    ss_buf_add_str(buf, " lets it go on.\n");
    ss_free(text);
}

void ss_explain_write(const json_t *explained, struct ss_buf *buf)
{
    size_t i;
    json_t *wait;
    write_begin(buf, explained);
    write_steps(buf, explained);
    json_array_foreach (json_object_get(explained, "waits"), i, wait)
        write_wait(buf, explained, wait);
    write_paused(buf, explained);
    long long rows = ss_json_int(explained, "rows_on_their_way", 0);
    if (rows > 0)
        ss_buf_addf(buf, "%lld %s on the way to the store.\n", rows,
            rows == 1 ? "row is" : "rows are");
    enum ss_run_status status = ss_run_status_of(explained);
    if (ss_json_str(explained, "ended_at", NULL))
        write_end(buf, explained);
    else if (status == SS_RUN_QUEUED)
        write_queued(buf, explained);
    else if (status == SS_RUN_WAITING)
        ss_buf_add_str(buf,
            "It has not been taken up again since the "
            "coordinator started: no worker has announced its graph. It is "
            "not lost.\n");
}

// snapshot.c - snapshots of a thread for people.
#include "client/cli/snapshot.h"

#include <string.h>

#include "client/cli/pretty.h"
#include "client/cli/table.h"
#include "client/cli/text.h"
#include "client/cli/waiting.h"
#include "common/base/mem.h"
#include "common/model/value.h"

enum { TEXT_SIZE_MAX = 64 * 1024 };

const char *ss_snapshot_id(const json_t *snapshot)
{
    return ss_json_str(
        json_object_get(snapshot, "config"), "checkpoint_id", "");
}

bool ss_snapshot_is_there(const json_t *snapshot)
{
    return *ss_snapshot_id(snapshot) != '\0' &&
           json_is_object(json_object_get(snapshot, "metadata"));
}

// "a, b \xc3\x97200"; NULL for an empty list. Gives.
static char *names(const json_t *list)
{
    json_t *counts = json_object(), *item, *count;
    struct ss_buf buf;
    const char *name;
    size_t i;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    json_array_foreach (list, i, item)
        ss_text_tally(
            counts, json_is_string(item) ? json_string_value(item) : "?");
    json_object_foreach (counts, name, count) {
        ss_buf_addf(&buf, "%s%s", buf.size ? ", " : "", name);
        if (json_integer_value(count) > 1)
            ss_buf_addf(
                &buf, " \xc3\x97%lld", (long long)json_integer_value(count));
    }
    json_decref(counts);
    char *text = buf.size ? ss_strdup(ss_buf_str(&buf)) : NULL;
    ss_buf_fini(&buf);
    return text;
}

static void write_head(const json_t *snapshot, struct ss_buf *buf)
{
    json_t *config = json_object_get(snapshot, "config");
    char *thread = ss_text_plain(ss_json_str(config, "thread_id", "?"));
    char *time = ss_text_time(ss_json_str(snapshot, "created_at", "-"));
    char *next = names(json_object_get(snapshot, "next"));
    const char *nothing = json_object_get(snapshot, "asks_elsewhere")
                              ? "nothing"
                              : "nothing, it is done";
    json_t *metadata = json_object_get(snapshot, "metadata");
    ss_buf_addf(
        buf, "thread %s  checkpoint %s\n", thread, ss_snapshot_id(snapshot));
    const char *ns = ss_json_str(config, "checkpoint_ns", "");
    if (*ns)
        ss_buf_addf(buf, "in %s\n", ns);
    ss_buf_addf(buf, "step %lld  %s  %s  next: %s\n",
        (long long)ss_json_int(metadata, "step", 0),
        ss_json_str(metadata, "source", "-"), time, next ? next : nothing);
    char *elsewhere = names(json_object_get(snapshot, "asks_elsewhere"));
    if (elsewhere)
        ss_buf_addf(buf,
            "asks in %s, which this version of the graph does not have\n",
            elsewhere);
    ss_free(elsewhere);
    json_t *facts = json_object_get(snapshot, "facts");
    char *said = facts ? ss_text_json(facts, 0) : NULL;
    if (said)
        ss_buf_addf(buf, "facts %s\n", said);
    ss_free(said);
    ss_free(thread);
    ss_free(time);
    ss_free(next);
}

static void write_all_values(const json_t *values, struct ss_buf *buf)
{
    static const struct ss_screen none = {0};
    static const struct ss_table_column columns[] = {
        {"KEY", false, false, 0}, {"VALUE", false, true, 0}};
    if (!json_is_object(values)) {
        char *text = ss_text_json(values, 0);
        ss_buf_addf(buf, "%s\n", text);
        ss_free(text);
        return;
    }
    struct ss_table *table = ss_table_new(columns, 2);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)values, key, value) {
        char *text = ss_text_json(value, 0);
        ss_table_add(table, (const char *const[]){key, text});
        ss_free(text);
    }
    if (ss_table_count(table) == 0)
        ss_buf_add_str(buf, "no values\n");
    else
        ss_table_write(table, &none, buf);
    ss_table_destroy(&table);
}

// Returns whether something is missing.
static bool write_values(const json_t *values, const struct ss_screen *screen,
    bool is_whole, struct ss_buf *buf)
{
    ss_buf_add_str(buf, "\n");
    if (screen->width > 0 && json_object_size(values) > 0)
        return ss_pretty_write(
            values, screen->width, is_whole ? 0 : ss_pretty_rows(screen), buf);
    write_all_values(values, buf);
    return false;
}

// Of a task that has not ended. Gives.
static char *pending_state(const json_t *task)
{
    const json_t *wait = json_object_get(task, "wait");
    const json_t *tries = json_object_get(task, "tries");
    if (wait)
        return ss_waiting_text(wait);
    if (!tries)
        return ss_strdup("to be run");
    char *error = ss_text_plain(ss_json_str(tries, "last_error", "?"));
    char *text = ss_format("to be run; failed before: %s", error);
    ss_free(error);
    return text;
}

// The state of a task whose writes were not applied yet. Gives.
static char *task_state(const json_t *task)
{
    const json_t *error = json_object_get(task, "error");
    const json_t *result = json_object_get(task, "result");
    const json_t *interrupts = json_object_get(task, "interrupts");
    char *text;
    char *state;
    if (json_array_size(interrupts) > 0) {
        text = ss_text_json(
            json_object_get(json_array_get(interrupts, 0), "value"), 0);
        state = ss_format("asks %s", text);
    } else if (error && !json_is_null(error)) {
        const char *message = ss_json_str(error, "message", NULL);
        text = json_is_string(error) ? ss_strdup(json_string_value(error))
               : message             ? ss_text_plain(message)
                                     : ss_text_json(error, 0);
        state = ss_format("failed: %s", text);
    } else if (result && !json_is_null(result)) {
        text = ss_text_json(result, 0);
        state = ss_format("done: %s", text);
    } else {
        return pending_state(task);
    }
    ss_free(text);
    return state;
}

// Returns whether tasks are missing.
static bool write_tasks(const json_t *tasks, const struct ss_screen *screen,
    bool is_whole, struct ss_buf *buf)
{
    static const struct ss_table_column columns[] = {
        {"TASK", false, false, SS_TABLE_ID}, {"NODE", false, false, 0},
        {"STATE", false, true, SS_TABLE_STATUS}};
    size_t i, count = json_array_size(tasks), shown = count;
    if (count == 0)
        return false;
    if (screen->width > 0 && !is_whole && count > ss_pretty_rows(screen))
        shown = ss_pretty_rows(screen) - 1;
    struct ss_table *table = ss_table_new(columns, 3);
    for (i = 0; i < shown; i++) {
        const json_t *task = json_array_get(tasks, i);
        char *state = task_state(task);
        ss_table_add(table, (const char *const[]){ss_json_str(task, "id", "-"),
                                ss_json_str(task, "name", "-"), state});
        ss_free(state);
    }
    ss_buf_add_str(buf, "\n");
    ss_table_write(table, screen, buf);
    if (shown < count)
        ss_buf_addf(buf, "\xe2\x80\xa6 %zu more\n", count - shown);
    ss_table_destroy(&table);
    return shown < count;
}

bool ss_snapshot_write(const json_t *snapshot, const struct ss_screen *screen,
    bool is_whole, struct ss_buf *buf)
{
    write_head(snapshot, buf);
    bool is_cut = write_values(
        json_object_get(snapshot, "values"), screen, is_whole, buf);
    const json_t *tasks = json_object_get(snapshot, "tasks");
    is_cut = write_tasks(tasks, screen, is_whole, buf) || is_cut;
    // Graphs inside: with --subgraphs a task holds the snapshot of its own
    // graph.
    size_t i;
    json_t *task;
    json_array_foreach (tasks, i, task) {
        const json_t *inner = json_object_get(task, "state");
        if (!json_object_get(inner, "values"))
            continue;
        ss_buf_add_str(buf, "\n");
        is_cut = ss_snapshot_write(inner, screen, is_whole, buf) || is_cut;
    }
    return is_cut;
}

// --------------------------------------------------------------------- history

static const char *source_of(const json_t *snapshot)
{
    return ss_json_str(json_object_get(snapshot, "metadata"), "source", "-");
}

// The names of the keys that differ from `before` (NULL: not known), with
// commas. Gives.
static char *changed_since(const json_t *snapshot, const json_t *before)
{
    // An input stands in __start__ until the next superstep takes it.
    if (strcmp(source_of(snapshot), "input") == 0)
        return ss_strdup("__start__");
    struct ss_buf buf;
    ss_buf_init(&buf, TEXT_SIZE_MAX);
    json_t *values = json_object_get(snapshot, "values");
    json_t *old = json_object_get(before, "values");
    const char *key;
    json_t *value;
    json_object_foreach (values, key, value) {
        json_t *was = json_object_get(old, key);
        if (!was || !json_equal(was, value))
            ss_buf_addf(&buf, "%s%s", buf.size ? ", " : "", key);
    }
    char *text = ss_strdup(ss_buf_str(&buf));
    ss_buf_fini(&buf);
    return text;
}

// The snapshot that this one was made from, if it is among them. Where the
// parent is not named, the next older one.
static const json_t *parent_of(const json_t *history, size_t index)
{
    const json_t *snapshot = json_array_get(history, index);
    const char *id = ss_json_str(
        json_object_get(snapshot, "parent_config"), "checkpoint_id", NULL);
    for (size_t i = 0; id && i < json_array_size(history); i++) {
        const json_t *other = json_array_get(history, i);
        if (strcmp(ss_snapshot_id(other), id) == 0)
            return other;
    }
    return NULL;
}

static void add_snapshot(
    struct ss_table *table, const json_t *history, size_t index)
{
    const json_t *snapshot = json_array_get(history, index);
    const json_t *parent = parent_of(history, index);
    const json_t *parent_config = json_object_get(snapshot, "parent_config");
    bool is_known = parent || !parent_config || json_is_null(parent_config);
    char *changed = is_known ? changed_since(snapshot, parent) : ss_strdup("?");
    char *next = names(json_object_get(snapshot, "next"));
    char *step = ss_format(
        "%lld", (long long)ss_json_int(
                    json_object_get(snapshot, "metadata"), "step", 0));
    ss_table_add(table, (const char *const[]){ss_snapshot_id(snapshot), step,
                            source_of(snapshot), next, changed});
    ss_free(changed);
    ss_free(next);
    ss_free(step);
}

void ss_history_write(const json_t *history, size_t more,
    const struct ss_screen *screen, struct ss_buf *buf)
{
    static const struct ss_table_column columns[] = {
        {"CHECKPOINT", false, false, SS_TABLE_ID}, {"STEP", true, false, 0},
        {"SOURCE", false, false, 0}, {"NEXT", false, true, 0},
        {"CHANGED", false, true, 0}};
    struct ss_table *table = ss_table_new(columns, 5);
    for (size_t i = 0; i + more < json_array_size(history); i++)
        add_snapshot(table, history, i);
    ss_table_write(table, screen, buf);
    ss_table_destroy(&table);
}

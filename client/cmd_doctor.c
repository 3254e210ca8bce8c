// cmd_doctor.c - superstep doctor: what is wrong, and what to do about it.
//
// Without words it asks the running coordinator, and asks each other
// coordinator that this one names what it found damaged. Behind "--" stand the
// options of a coordinator that is to start: superstep-coordinator --check
// looks at them, at the keys and the store, and prints a line of JSON for each
// finding.
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "client/cli/child.h"
#include "client/cli/paused.h"
#include "client/cli/text.h"
#include "client/cli/waiting.h"
#include "client/client_impl.h"
#include "client/commands.h"
#include "client/session/session.h"
#include "common/app/clock.h"
#include "common/app/startup_warnings.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "common/model/finding.h"
#include "common/model/value.h"
#include "common/model/wait_reason.h"

enum { WORDS_MAX = 64 };
enum { CLOCKS_US = 10000000 }; // more than an answer may take, and people see
enum { ANSWER_MS = 2000 };     // the coordinator has it in memory
enum { ROLES = SS_ROLE_CLIENT | SS_ROLE_OPERATOR };

static struct ss_arg_list words;
static int64_t busy_count; // tasks that wait for room, which is nothing wrong

const struct ss_arg ss_cmd_doctor_options[] = {
    SS_CLI_WORDS(words, "OPTION", 0, WORDS_MAX), SS_CLI_OPTIONS};

static void add(void *ctx, enum ss_finding finding, const char *text)
{
    json_array_append_new((json_t *)ctx,
        json_pack("{s:s, s:s, s:s}", "finding", ss_finding_name(finding),
            "text", text, "remedy", ss_finding_remedy(finding)));
}

// ------------------------------------------------------------------ a start

static void take_lines(struct ss_child *child, json_t *found)
{
    char line[SS_CHILD_LINE_SIZE];
    while (ss_child_read(child, line)) {
        json_t *item = NULL;
        if (ss_json_parse(line, strlen(line), &item, NULL) == SS_OK &&
            json_is_object(item))
            json_array_append(found, item);
        json_decref(item);
    }
}

// The child shares our standard error, where it reports a wrong option.
static int look_at_start(json_t *found)
{
    enum { LOOK_MS = 5 };
    const char *argv[WORDS_MAX + 3];
    size_t count = 0;
    struct ss_child child = {.out_fd = -1};
    struct ss_error error = {0};
    char *program = ss_child_program("superstep-coordinator");
    int status = 0;
    argv[count++] = program;
    argv[count++] = "--check";
    for (size_t i = 0; i < words.count; i++)
        argv[count++] = words.items[i];
    argv[count] = NULL;
    if (ss_child_start(&child, argv, &error) != SS_OK) {
        ss_free(program);
        return ss_cli_fail("%s", error.message);
    }
    // Read to the end of its output, then wait for its end.
    while (child.out_fd >= 0) {
        struct pollfd item = {.fd = child.out_fd, .events = POLLIN};
        poll(&item, 1, -1);
        take_lines(&child, found);
    }
    struct pollfd nothing = {.fd = -1};
    while (!ss_child_ended(&child, &status))
        poll(&nothing, 1, LOOK_MS);
    ss_free(program);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= 1)
        return SS_CLI_DONE;
    char *how = ss_child_status_text(status);
    int code = ss_cli_fail("superstep-coordinator --check %s", how);
    ss_free(how);
    return code;
}

// ------------------------------------------------------------------ what runs

static void look_at_keys(json_t *found)
{
    struct ss_key key;
    struct ss_error error = {0};
    const char *keys = ss_cli_options.keys;
    if (!keys || !*keys)
        return;
    if (ss_keys_own(keys, ROLES, &key, &error) == SS_OK)
        ss_key_forget(&key);
    else
        add(found, SS_FINDING_KEY, error.message);
}

// A finding of the coordinator `who`; NULL: of the one that is asked
// everything. Takes `text`.
static void add_of(
    json_t *found, enum ss_finding finding, const char *who, char *text)
{
    char *whole = ss_format("%s%s%s", who ? who : "", who ? ": " : "", text);
    add(found, finding, whole);
    ss_free(whole);
    ss_free(text);
}

// Those that wait for a worker of the same version are one finding, whichever
// their nodes are: that of the first.
static void add_unserved(
    json_t *found, const char *who, const json_t *waits, size_t at)
{
    const json_t *wait = json_array_get(waits, at), *other;
    const char *graph = ss_json_str(wait, "graph", "?");
    const char *version = ss_json_str(wait, "version", "?");
    int64_t count = 0;
    for (size_t i = 0; i < json_array_size(waits); i++) {
        other = json_array_get(waits, i);
        if (ss_wait_reason_of(other) != SS_WAIT_NO_WORKER ||
            strcmp(ss_json_str(other, "graph", "?"), graph) != 0 ||
            strcmp(ss_json_str(other, "version", "?"), version) != 0)
            continue;
        if (i < at)
            return;
        count += ss_json_int(other, "count", 1);
    }
    char *tasks = ss_text_count(count, "task");
    add_of(found, SS_FINDING_NOT_SERVED, who,
        ss_format(
            "no worker serves version %.8s of the graph %.200s: %s wait%s",
            version, graph, tasks, count == 1 ? "s" : ""));
    ss_free(tasks);
}

static void add_wait(
    json_t *found, const char *who, const json_t *wait, enum ss_finding finding)
{
    char *why = ss_waiting_text(wait);
    char *tasks = ss_text_count(ss_json_int(wait, "count", 1), "task");
    add_of(found, finding, who,
        ss_format("%s of node %.200s of the graph %.200s: %s", tasks,
            ss_json_str(wait, "node", "?"), ss_json_str(wait, "graph", "?"),
            why));
    ss_free(tasks);
    ss_free(why);
}

// What its engine holds, and what that waits for, grouped.
static void look_at_waits(
    struct ss_client *client, const char *who, json_t *found)
{
    enum { OFTEN = 3 };
    const struct ss_client_ask quickly = {.timeout_ms = ANSWER_MS};
    json_t *answer = NULL, *wait;
    size_t i;
    if (ss_client_ask(client, "tasks", json_pack("{s:i}", "limit", 1), &quickly,
            &answer, NULL) != 0)
        return;
    json_t *waits = json_object_get(answer, "waits");
    if (!waits)
        fputs("superstep: a coordinator of an older version does not say what "
              "waits\n",
            stderr);
    json_array_foreach (waits, i, wait) {
        enum ss_wait_reason why = ss_wait_reason_of(wait);
        if (why == SS_WAIT_NO_WORKER)
            add_unserved(found, who, waits, i);
        if (why == SS_WAIT_NO_LABEL)
            add_wait(found, who, wait, SS_FINDING_NO_LABEL);
        if (why == SS_WAIT_WORKERS_BUSY)
            busy_count += ss_json_int(wait, "count", 1);
        if (why == SS_WAIT_BACKOFF && ss_json_int(wait, "failures", 0) >= OFTEN)
            add_wait(found, who, wait, SS_FINDING_RETRYING);
    }
    json_decref(answer);
}

// Processes that end again and again.
static void look_at_crashes(const json_t *answer, json_t *found)
{
    const json_t *crashes = json_object_get(answer, "crashes");
    size_t count = json_array_size(crashes);
    if (count < 2)
        return;
    const json_t *last = json_array_get(crashes, count - 1);
    char *ago = ss_text_ago(ss_json_int(last, "ago_ms", 0));
    add_of(found, SS_FINDING_CRASHING, NULL,
        ss_format(
            "%zu processes of workers ended within ten minutes; the last, "
            "of %.100s, %.160s, %s",
            count, ss_json_str(last, "worker", "?"),
            ss_json_str(last, "how", "?"), ago));
    ss_free(ago);
}

// Those whose threads are all kept by bodies that did not end in time.
static void look_at_stuck(const json_t *workers, json_t *found)
{
    json_t *worker;
    size_t i;
    json_array_foreach (workers, i, worker) {
        if (!ss_json_bool(worker, "stuck", false))
            continue;
        char *threads =
            ss_text_count(ss_json_int(worker, "capacity", 0), "thread");
        add_of(found, SS_FINDING_STUCK, NULL,
            ss_format("the worker %.100s takes no tasks: bodies that did not "
                      "end in time, and go on, have its %s",
                ss_json_str(worker, "worker", "?"), threads));
        ss_free(threads);
    }
}

// `served`: graph -> the version ("name@version") that a worker serves.
static void look_at_versions(const json_t *workers, json_t *found)
{
    json_t *served = json_object(), *worker, *graph;
    size_t i, j;
    json_array_foreach (workers, i, worker)
        json_array_foreach (json_object_get(worker, "graphs"), j, graph) {
            const char *key = json_string_value(graph);
            const char *at = key ? strrchr(key, '@') : NULL;
            if (!at)
                continue;
            char *name = ss_format("%.*s", (int)(at - key), key);
            const char *other = ss_json_str(served, name, NULL);
            if (!other)
                json_object_set(served, name, graph);
            else if (*other && strcmp(other, key) != 0) {
                add_of(found, SS_FINDING_TWO_VERSIONS, NULL,
                    ss_format("workers serve the graph %.200s in version %.8s "
                              "and in version %.8s",
                        name, strrchr(other, '@') + 1, at + 1));
                json_object_set_new(served, name, json_string(""));
            }
            ss_free(name);
        }
    json_decref(served);
}

static void look_at_pauses(const json_t *answer, json_t *found)
{
    size_t i;
    json_t *record;
    json_array_foreach (json_object_get(answer, "pauses"), i, record) {
        char *text = ss_paused_text(record);
        add(found, SS_FINDING_PAUSED, text);
        ss_free(text);
    }
}

// Several coordinators may report the same damage: it is shown once.
static void add_damaged(json_t *found, const char *text)
{
    size_t i;
    json_t *item;
    json_array_foreach (found, i, item)
        if (strcmp(ss_json_str(item, "text", ""), text) == 0)
            return;
    add(found, SS_FINDING_DAMAGED, text);
}

// Ages in lists, and what `retain` deletes, go by the coordinator's time. One
// of an older version does not say which that is.
static void take_time(const json_t *health, const char *who, json_t *found)
{
    int64_t now_us = ss_json_int(health, "now_us", 0);
    int64_t ahead_us = now_us - ss_clock_wall_us();
    if (now_us <= 0 || (ahead_us < CLOCKS_US && ahead_us > -CLOCKS_US))
        return;
    char *by = ss_text_duration(ahead_us > 0 ? ahead_us : -ahead_us);
    add_of(found, SS_FINDING_CLOCK, who,
        ss_format("the clock of the coordinator is %s %s that of this machine",
            by, ahead_us > 0 ? "ahead of" : "behind"));
    ss_free(by);
}

// Whether the store of a coordinator answers. `who`: its endpoint; NULL: the
// coordinator that is asked everything else, too.
static void take_health(const json_t *answer, const char *who, json_t *found)
{
    const json_t *health = json_object_get(answer, "health");
    const char *why = ss_json_str(health, "reason", NULL);
    const char *slow = ss_json_str(health, "slow", NULL);
    bool is_threadless = why && ss_json_bool(health, "threadless", false);
    json_t *item;
    size_t i;
    if (why && !is_threadless)
        add_of(found, SS_FINDING_STORE_SILENT, who, ss_strdup(why));
    if (slow) // where it has no lease by that, this comes of it
        add_of(found, SS_FINDING_STORE_SLOW, who,
            ss_strdup(is_threadless ? why : slow));
    else if (is_threadless)
        add_of(found, SS_FINDING_NOT_READY, who, ss_strdup(why));
    const char *disk = ss_json_str(health, "disk", NULL);
    if (disk)
        add_of(found, SS_FINDING_DISK, who, ss_strdup(disk));
    take_time(health, who, found);
    json_array_foreach (json_object_get(health, "damaged"), i, item)
        add_damaged(found, ss_json_str(item, "text", "?"));
}

static int ask_health(struct ss_client *client, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    const struct ss_client_ask quickly = {.timeout_ms = ANSWER_MS};
    return ss_client_ask(
        client, "health", NULL, &quickly, ret_answer, ret_error);
}

// One of an older version does not say.
static void look_at_health(struct ss_client *client, json_t *found)
{
    json_t *answer = NULL;
    if (ask_health(client, &answer, NULL) == 0)
        take_health(answer, NULL, found);
    json_decref(answer);
}

// One of an older version does not know the request.
static void look_at_member(const char *endpoint, json_t *found)
{
    struct ss_client *client = NULL;
    struct ss_client_error error;
    json_t *answer = NULL;
    const struct ss_client_options options = {
        .endpoints = endpoint, .keys = ss_cli_options.keys};
    int status = ss_client_open(&options, &client, &error);
    if (status == 0)
        status = ask_health(client, &answer, &error);
    if (status == 0) {
        take_health(answer, endpoint, found);
        look_at_waits(client, endpoint, found);
    } else if (ss_cli_status(&error) != SS_EINVAL) {
        bool is_reached = ss_cli_status(&error) != SS_ETIMEOUT &&
                          ss_cli_status(&error) != SS_ECLOSED;
        // Others run: to start one is no advice.
        const char *advice = strstr(error.message, SS_TALK_ADVICE);
        size_t size =
            advice ? (size_t)(advice - error.message) : strlen(error.message);
        add_of(found, SS_FINDING_MEMBER, NULL,
            ss_format("the coordinator %s %s: %.*s", endpoint,
                is_reached ? "does not say how it is" : "was not reached",
                (int)size, error.message));
    }
    json_decref(answer);
    ss_client_close(&client);
}

// Each coordinator knows only what it found damaged itself.
static void look_at_members(const struct ss_client *client, json_t *found)
{
    const char *home = ss_client_endpoint(client);
    const char *endpoint;
    for (size_t i = 0; (endpoint = ss_client_coordinator(client, i)); i++)
        if (strcmp(endpoint, home) != 0)
            look_at_member(endpoint, found);
}

static void look_at_workers(const json_t *answer, json_t *found)
{
    const json_t *workers = json_object_get(answer, "workers");
    if (json_array_size(workers) == 0)
        add(found, SS_FINDING_NO_WORKER, "no worker is connected");
    look_at_versions(workers, found);
    look_at_stuck(workers, found);
    look_at_crashes(answer, found);
}

static int look_at_cluster(json_t *found)
{
    struct ss_client *client = NULL;
    struct ss_client_error error;
    json_t *workers = NULL, *pauses = NULL;
    const struct ss_client_options client_options = {
        .endpoints = ss_cli_options.endpoints, .keys = ss_cli_options.keys};
    int status = ss_client_open(&client_options, &client, &error);
    if (status == 0)
        status = ss_client_ask(client, "workers", NULL, NULL, &workers, &error);
    if (status == 0 && // a coordinator of an older version has none
        ss_client_ask(client, "pauses", NULL, NULL, &pauses, NULL) == 0)
        look_at_pauses(pauses, found);
    if (status == 0) {
        look_at_workers(workers, found);
        look_at_health(client, found);
        look_at_waits(client, NULL, found);
        look_at_members(client, found);
    } else if (json_array_size(found) == 0) {
        add(found, SS_FINDING_SILENT, error.message);
    }
    json_decref(workers);
    json_decref(pauses);
    ss_client_close(&client);
    return SS_CLI_DONE;
}

// ------------------------------------------------ the command

static void print(const json_t *found)
{
    size_t i;
    json_t *item;
    json_array_foreach (found, i, item)
        printf("%s: %s\n    %s\n", ss_json_str(item, "finding", "?"),
            ss_json_str(item, "text", "?"), ss_json_str(item, "remedy", ""));
    if (json_array_size(found) == 0)
        puts("Nothing is wrong.");
    if (busy_count > 0)
        printf("%lld %s for room on a worker: superstep top shows which.\n",
            (long long)busy_count,
            busy_count == 1 ? "task waits" : "tasks wait");
}

int ss_cmd_doctor(struct ss_client *client)
{
    (void)client;
    json_t *found = json_array();
    if (words.count == 0)
        look_at_keys(found);
    int status =
        words.count > 0 ? look_at_start(found) : look_at_cluster(found);
    if (words.count == 0) {
        ss_startup_warnings_exposed(
            &ss_cli_settings, ss_cli_options.keys, ROLES, add, found);
        ss_startup_warnings_variables(add, found);
    }
    if (status == SS_CLI_DONE && ss_cli_options.json)
        ss_cli_print_json(found);
    else if (status == SS_CLI_DONE)
        print(found);
    if (status == SS_CLI_DONE && json_array_size(found) > 0)
        status = SS_CLI_FAILED;
    json_decref(found);
    return status;
}

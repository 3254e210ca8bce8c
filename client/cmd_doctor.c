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
#include "client/client_impl.h"
#include "client/commands.h"
#include "common/app/startup_warnings.h"
#include "common/base/mem.h"
#include "common/link/keys.h"
#include "common/model/finding.h"
#include "common/model/run_status.h"
#include "common/model/value.h"

enum { WORDS_MAX = 64, TEXT_SIZE = 1024, RUNS_LOOKED_AT = 1000 };
// How long an answer may take that the coordinator has in memory, and a list
// that it has to read.
enum { ANSWER_MS = 2000, RUNS_MS = 5000 };
enum { ROLES = SS_ROLE_CLIENT | SS_ROLE_OPERATOR };

static struct ss_arg_list words;

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

static size_t open_runs_of(const json_t *runs, const char *graph)
{
    size_t count = 0, i;
    json_t *run;
    json_array_foreach (runs, i, run) {
        if (strcmp(ss_json_str(run, "graph", ""), graph) == 0 &&
            ss_run_is_under_way(run))
            count++;
    }
    return count;
}

static void look_at_graphs(
    const json_t *graphs, const json_t *runs, json_t *found)
{
    bool is_cut = json_array_size(runs) >= RUNS_LOOKED_AT;
    size_t i;
    json_t *graph;
    char text[TEXT_SIZE];
    json_array_foreach (graphs, i, graph) {
        const char *name = ss_json_str(graph, "name", "?");
        size_t count = open_runs_of(runs, name);
        if (ss_json_int(graph, "workers", 1) > 0)
            continue;
        snprintf(text, sizeof(text),
            "no worker serves the graph %.200s, and %zu of its runs wait%s",
            name, count, is_cut ? ", or more" : "");
        if (count > 0)
            add(found, SS_FINDING_NOT_SERVED, text);
        else if (is_cut)
            fprintf(stderr,
                "superstep: no worker serves the graph %s; only %d runs were "
                "looked at, none of them of that graph and open\n",
                name, RUNS_LOOKED_AT);
    }
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

// Whether the store of a coordinator answers. `who`: its endpoint; NULL: the
// coordinator that is asked everything else, too.
static bool take_health(const json_t *answer, const char *who, json_t *found)
{
    const json_t *health = json_object_get(answer, "health");
    const char *why = ss_json_str(health, "reason", NULL);
    json_t *item;
    size_t i;
    if (why) {
        char *text = ss_format("%s%s%s", who ? who : "", who ? ": " : "", why);
        add(found, SS_FINDING_STORE_SILENT, text);
        ss_free(text);
    }
    json_array_foreach (json_object_get(health, "damaged"), i, item)
        add_damaged(found, ss_json_str(item, "text", "?"));
    return !why;
}

static int ask_health(struct ss_client *client, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    const struct ss_client_ask quickly = {.timeout_ms = ANSWER_MS};
    return ss_client_ask(
        client, "health", NULL, &quickly, ret_answer, ret_error);
}

// True also for a coordinator of an older version, which does not say. Requests
// that go through a silent store would wait with it.
static bool look_at_health(struct ss_client *client, json_t *found)
{
    json_t *answer = NULL;
    if (ask_health(client, &answer, NULL) != 0)
        return true;
    bool answers = take_health(answer, NULL, found);
    json_decref(answer);
    return answers;
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
    } else if (ss_cli_status(&error) != SS_EINVAL) {
        bool is_reached = ss_cli_status(&error) != SS_ETIMEOUT &&
                          ss_cli_status(&error) != SS_ECLOSED;
        char *text = ss_format("the coordinator %s %s: %s", endpoint,
            is_reached ? "does not say how it is" : "was not reached",
            error.message);
        add(found, SS_FINDING_MEMBER, text);
        ss_free(text);
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

// This goes through the store, which may fall silent just now.
static void look_at_runs(
    struct ss_client *client, const json_t *graphs, json_t *found)
{
    json_t *answer = NULL;
    struct ss_client_error error;
    const struct ss_client_ask in_time = {.timeout_ms = RUNS_MS};
    if (ss_client_ask(client, "runs",
            json_pack("{s:i}", "limit", RUNS_LOOKED_AT), &in_time, &answer,
            &error) != 0) {
        bool is_late = ss_cli_status(&error) == SS_ETIMEOUT;
        if (look_at_health(client, found))
            add(found, is_late ? SS_FINDING_STORE_SILENT : SS_FINDING_SILENT,
                error.message);
        return;
    }
    look_at_graphs(graphs, json_object_get(answer, "runs"), found);
    json_decref(answer);
}

static int look_at_cluster(json_t *found)
{
    struct ss_client *client = NULL;
    struct ss_client_error error;
    json_t *graphs = NULL, *workers = NULL, *pauses = NULL;
    const struct ss_client_options client_options = {
        .endpoints = ss_cli_options.endpoints, .keys = ss_cli_options.keys};
    int status = ss_client_open(&client_options, &client, &error);
    if (status == 0)
        status = ss_client_workers(client, &workers, &error);
    if (status == 0)
        status = ss_client_graphs(client, &graphs, &error);
    if (status == 0 && // a coordinator of an older version has none
        ss_client_ask(client, "pauses", NULL, NULL, &pauses, NULL) == 0)
        look_at_pauses(pauses, found);
    if (status != 0 && json_array_size(found) == 0)
        add(found, SS_FINDING_SILENT, error.message);
    if (status == 0 && json_array_size(workers) == 0)
        add(found, SS_FINDING_NO_WORKER, "no worker is connected");
    if (status == 0 && look_at_health(client, found))
        look_at_runs(client, graphs, found);
    if (status == 0)
        look_at_members(client, found);
    json_decref(graphs);
    json_decref(workers);
    json_decref(pauses);
    ss_client_close(&client);
    return SS_CLI_DONE;
}

// ------------------------------------------------------------------ the
// command

static void print(const json_t *found)
{
    size_t i;
    json_t *item;
    json_array_foreach (found, i, item)
        printf("%s: %s\n    %s\n", ss_json_str(item, "finding", "?"),
            ss_json_str(item, "text", "?"), ss_json_str(item, "remedy", ""));
    if (json_array_size(found) == 0)
        puts("Nothing is wrong.");
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

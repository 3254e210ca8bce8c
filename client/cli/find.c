// find.c - the graph of a thread, and what there is in place of what is not.
#include "client/cli/find.h"

#include <stdio.h>
#include <string.h>

#include "client/cli/ids.h"
#include "client/cli/pages.h"
#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/model/name_before.h"
#include "common/model/suggest.h"
#include "common/model/value.h"

// How many checkpoints are searched for namespaces, and how many of these a
// sentence names.
enum { LOOKED_AT = 200, TOLD_MAX = 20 };

int ss_cli_look(struct ss_client *client, const json_t *body)
{
    const char *thread = ss_json_str(body, "thread", "");
    struct ss_client_error error;
    if (ss_client_look(client, body, &error) == 0)
        return SS_CLI_DONE;
    if (ss_cli_status(&error) == SS_ENOTFOUND)
        return ss_cli_fail(
            "%s. superstep history %s lists them", error.message, thread);
    return ss_cli_client_fail(
        client, &error, ss_json_str(body, "graph", NULL), thread);
}

int ss_cli_no_thread(struct ss_client *client, const char *thread)
{
    struct ss_client_error error = {.code = "not_found"};
    snprintf(error.message, sizeof(error.message), "there is no thread \"%s\"",
        thread);
    return ss_cli_client_fail(client, &error, NULL, thread);
}

// The list may be long: the one is asked for.
static bool is_listed(struct ss_client *client, const char *thread)
{
    json_t *threads = NULL;
    char *before = ss_name_before(thread);
    json_t *body = json_pack("{s:s, s:i}", "after", before, "limit", 1);
    int status = body ? ss_client_threads(client, body, &threads, NULL) : -1;
    const json_t *first = json_array_get(threads, 0);
    bool is_there =
        status == 0 && strcmp(ss_json_str(first, "thread", ""), thread) == 0;
    json_decref(threads);
    ss_free(before);
    return is_there;
}

// A thread without runs here has checkpoints if it was imported or copied.
// One of them is asked for. -1: nobody says.
static int some_checkpoints(struct ss_client *client, const char *thread)
{
    json_t *answer = NULL;
    json_t *body = json_object();
    json_object_set_new(body, "thread", json_string(thread));
    json_object_set_new(body, "limit", json_integer(1));
    if (ss_client_ask(client, "checkpoints", body, NULL, &answer, NULL) != 0)
        return -1;
    int some = json_array_size(json_object_get(answer, "checkpoints")) > 0;
    json_decref(answer);
    return some;
}

static bool has_checkpoints(struct ss_client *client, const char *thread)
{
    return some_checkpoints(client, thread) > 0;
}

bool ss_cli_has_thread(struct ss_client *client, const char *thread)
{
    return is_listed(client, thread) || has_checkpoints(client, thread);
}

// Warn if it is not in this list (`op`), whose items have their name as `key`.
static void warn_unlisted(struct ss_client *client, const char *op,
    const char *key, const char *noun, const char *wanted)
{
    size_t i;
    json_t *answer, *item;
    struct ss_hint hint;
    bool is_there = false;
    if (ss_client_ask(client, op, NULL, NULL, &answer, NULL) != 0)
        return;
    ss_hint_init(&hint, wanted);
    json_array_foreach (json_object_get(answer, op), i, item) {
        const char *name = ss_json_str(item, key, "");
        is_there |= strcmp(name, wanted) == 0;
        ss_hint_offer(&hint, name);
    }
    if (!is_there)
        ss_cli_warn(
            "no %s is called \"%s\".%s", noun, wanted, ss_hint_text(&hint));
    json_decref(answer);
}

void ss_cli_warn_unknown(
    struct ss_client *client, const char *graph, const char *thread)
{
    if (graph)
        warn_unlisted(client, "graphs", "name", "graph", graph);
    if (thread && !ss_cli_has_thread(client, thread))
        warn_unlisted(client, "threads", "thread", "thread", thread);
}

// Collect the namespaces of a page of checkpoints. False: the page is empty.
static bool namespaces_of(struct ss_client *client, const char *thread,
    const char *wanted, struct ss_buf *ret_list, char ret_hint[SS_HINT_SIZE])
{
    json_t *answer = NULL, *saved, *seen = json_object();
    size_t i;
    struct ss_hint hint;
    const char *ns;
    void *next;
    ss_hint_init(&hint, wanted);
    if (ss_client_ask(client, "checkpoints",
            json_pack("{s:s, s:i}", "thread", thread, "limit", LOOKED_AT), NULL,
            &answer, NULL) != 0)
        answer = NULL;
    json_array_foreach (json_object_get(answer, "checkpoints"), i, saved)
        json_object_set_new(seen, ss_json_str(saved, "ns", ""), json_true());
    json_object_foreach_safe(seen, next, ns, saved)
    {
        if (!*ns)
            continue; // the thread's own
        ss_hint_offer(&hint, ns);
        if (json_object_size(seen) <= TOLD_MAX)
            ss_buf_addf(ret_list, "%s%s", ret_list->size > 0 ? ", " : "", ns);
    }
    snprintf(ret_hint, SS_HINT_SIZE, "%s", ss_hint_text(&hint));
    bool any = json_object_size(seen) > 0;
    json_decref(seen);
    json_decref(answer);
    return any;
}

static void tell_empty(const char *thread)
{
    ss_cli_fail("thread %s has no checkpoints yet. superstep explain --thread "
                "%s says what its run waits for",
        thread, thread);
}

int ss_cli_no_state(
    struct ss_client *client, const char *thread, const char *ns)
{
    enum { LIST_SIZE_MAX = 4096 };
    char hint[SS_HINT_SIZE] = "";
    struct ss_buf list;
    if (!is_listed(client, thread))
        return ss_cli_no_thread(client, thread);
    ss_buf_init(&list, LIST_SIZE_MAX);
    if (!namespaces_of(client, thread, ns ? ns : "", &list, hint))
        tell_empty(thread);
    else if (list.size > 0)
        ss_cli_fail("thread %s has no namespace \"%s\".%s It has: %s", thread,
            ns ? ns : "", hint, ss_buf_str(&list));
    else
        ss_cli_fail("thread %s has no namespace \"%s\".%s", thread,
            ns ? ns : "", *hint ? hint : " It has none but its own.");
    ss_buf_fini(&list);
    return SS_CLI_FAILED;
}

int ss_cli_state_fail(struct ss_client *client,
    const struct ss_client_error *error, const char *graph, const char *thread)
{
    // Without rows nothing tells the thread's graph, and what is missing is
    // said in many words: whether there are any is asked.
    if (ss_cli_status(error) != SS_ENOTFOUND || graph ||
        some_checkpoints(client, thread) != 0)
        return ss_cli_client_fail(client, error, graph, thread);
    if (!is_listed(client, thread))
        return ss_cli_no_thread(client, thread);
    tell_empty(thread);
    return SS_CLI_FAILED;
}

// Its graph is asked for by who writes, and to write waits for a store that is
// away, where to read does not.
static int last_run(struct ss_client *client, const char *thread,
    json_t **ret_run, struct ss_client_error *ret_error)
{
    enum { AWAY_EACH_MS = 200 };
    bool is_told = false;
    for (;;) {
        json_t *body = json_object();
        struct ss_cli_found found;
        json_object_set_new(body, "thread", json_string(thread));
        json_object_set_new(body, "limit", json_integer(1));
        int status = ss_cli_find(client, "runs", body, &found, ret_error);
        if (status == 0) {
            *ret_run = json_incref(json_array_get(found.list, 0));
            ss_cli_found_fini(&found);
        }
        if (status == 0 || ss_cli_status(ret_error) != SS_EAWAY)
            return status;
        if (!is_told)
            ss_cli_note("it waits: %s", ret_error->message);
        is_told = true;
        ss_client_wait(client, -1, AWAY_EACH_MS);
    }
}

int ss_cli_find_graph(
    struct ss_client *client, const char *thread, char **ret_graph)
{
    json_t *run;
    struct ss_client_error error;
    if (last_run(client, thread, &run, &error) != 0)
        return ss_cli_client_fail(client, &error, NULL, thread);
    const char *graph = ss_json_str(run, "graph", NULL);
    int status = SS_CLI_DONE;
    if (!graph && !has_checkpoints(client, thread))
        status = ss_cli_no_thread(client, thread);
    else
        *ret_graph = ss_strdup(graph);
    json_decref(run);
    return status;
}

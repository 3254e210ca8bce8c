// requests.c - the requests of client.h as bodies, and answers as results.
#include <superstep/client.h>

#include <stdlib.h>
#include <string.h>

#include "client/client_impl.h"
#include "common/base/mem.h"
#include "common/model/value.h"

// An object of its own to add to. Takes `more` (NULL: nothing).
static json_t *body_from(json_t *more)
{
    json_t *body = more ? json_copy(more) : NULL;
    json_decref(more);
    return body ? body : json_object();
}

static void set_text(json_t *body, const char *key, const char *text)
{
    if (text)
        json_object_set_new(body, key, json_string(text));
}

// "values,updates" as a list; Takes nothing, gives.
static json_t *list_from(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t size = strcspn(text, ",");
        if (size > 0)
            json_array_append_new(list, json_stringn(text, size));
        text += size + (text[size] == ',');
    }
    return list;
}

// Ask, and give what stands under `key` of the answer.
static int fetch(struct ss_client *client, const char *op, json_t *body,
    const char *key, json_t **ret_part, struct ss_client_error *ret_error)
{
    json_t *answer;
    int status = ss_client_ask(client, op, body, NULL, &answer, ret_error);
    if (status != SS_OK)
        return status;
    json_t *part = json_object_get(answer, key);
    if (part && ret_part)
        *ret_part = json_incref(part);
    json_decref(answer);
    if (part)
        return SS_OK;
    struct ss_error error;
    ss_error_set(&error, SS_EFORMAT,
        "the coordinator's answer to \"%s\" has no \"%s\"", op, key);
    return ss_client_error_fill(&error, ret_error);
}

static int fetch_rows(struct ss_client *client, const char *op, json_t *body,
    int64_t *ret_rows, struct ss_client_error *ret_error)
{
    json_t *rows;
    int status = fetch(client, op, body, "rows", &rows, ret_error);
    if (status != SS_OK)
        return status;
    if (ret_rows)
        *ret_rows = json_integer_value(rows);
    json_decref(rows);
    return SS_OK;
}

static json_t *thread_body(const char *thread, json_t *more)
{
    json_t *body = body_from(more);
    set_text(body, "thread", thread);
    return body;
}

// ------------------------------------------------------------------------ runs

json_t *ss_client_run_body(const char *graph, const struct ss_client_run *run)
{
    json_t *body = body_from(run->more);
    set_text(body, "graph", graph);
    set_text(body, "thread", run->thread);
    set_text(body, "checkpoint_id", run->checkpoint_id);
    set_text(body, "run", run->run);
    set_text(body, "if_busy", run->if_busy);
    if (run->input)
        json_object_set_new(body, "input", run->input);
    if (run->resume || run->command) {
        json_t *command = body_from(run->command);
        if (run->resume)
            json_object_set_new(command, "resume", run->resume);
        json_object_set_new(body, "command", command);
    }
    if (run->stream)
        json_object_set_new(body, "stream", list_from(run->stream));
    if (run->subgraphs)
        json_object_set_new(body, "subgraphs", json_true());
    if (run->detach)
        json_object_set_new(body, "detach", json_true());
    return body;
}

int ss_client_run(struct ss_client *client, const char *graph,
    const struct ss_client_run *run, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    static const struct ss_client_run nothing;
    if (!run)
        run = &nothing;
    const struct ss_client_ask ask = {.timeout_ms = run->timeout_ms,
        .on_item = run->on_item,
        .ctx = run->ctx};
    return ss_client_ask(client, "run", ss_client_run_body(graph, run), &ask,
        ret_answer, ret_error);
}

int ss_client_attach(struct ss_client *client, const char *run,
    const struct ss_client_attach *options, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    static const struct ss_client_attach defaults;
    if (!options)
        options = &defaults;
    json_t *body = json_object();
    set_text(body, "run", run);
    set_text(body, "after", options->after);
    if (options->stream)
        json_object_set_new(body, "stream", list_from(options->stream));
    if (options->subgraphs)
        json_object_set_new(body, "subgraphs", json_true());
    const struct ss_client_ask ask = {.timeout_ms = options->timeout_ms,
        .on_item = options->on_item,
        .ctx = options->ctx};
    return ss_client_ask(client, "attach", body, &ask, ret_answer, ret_error);
}

int ss_client_cancel(struct ss_client *client, const char *run, bool rollback,
    json_t **ret_status, struct ss_client_error *ret_error)
{
    json_t *body = json_object();
    set_text(body, "run", run);
    if (rollback)
        set_text(body, "action", "rollback");
    return fetch(client, "cancel", body, "status", ret_status, ret_error);
}

int ss_client_release(struct ss_client *client, const char *run,
    struct ss_client_error *ret_error)
{
    json_t *body = json_object();
    set_text(body, "run", run);
    return fetch(client, "release", body, "status", NULL, ret_error);
}

// --------------------------------------------------------------------- threads

int ss_client_state(struct ss_client *client, const char *thread, json_t *more,
    json_t **ret_state, struct ss_client_error *ret_error)
{
    return fetch(client, "state", thread_body(thread, more), "state", ret_state,
        ret_error);
}

int ss_client_history(struct ss_client *client, const char *thread,
    json_t *more, json_t **ret_history, struct ss_client_error *ret_error)
{
    return fetch(client, "history", thread_body(thread, more), "history",
        ret_history, ret_error);
}

int ss_client_update(struct ss_client *client, const char *thread,
    const struct ss_client_update *update, json_t **ret_config,
    struct ss_client_error *ret_error)
{
    json_t *one = json_object();
    json_object_set_new(
        one, "values", update->values ? update->values : json_null());
    set_text(one, "as_node", update->as_node);
    return ss_client_bulk_update(client, thread, json_pack("[[o]]", one),
        update->more, ret_config, ret_error);
}

int ss_client_bulk_update(struct ss_client *client, const char *thread,
    json_t *supersteps, json_t *more, json_t **ret_config,
    struct ss_client_error *ret_error)
{
    json_t *body = thread_body(thread, more);
    json_object_set_new(body, "supersteps", supersteps);
    return fetch(client, "update", body, "config", ret_config, ret_error);
}

int ss_client_checkpoints(struct ss_client *client, const char *thread,
    json_t **ret_checkpoints, struct ss_client_error *ret_error)
{
    return fetch(client, "checkpoints", thread_body(thread, NULL),
        "checkpoints", ret_checkpoints, ret_error);
}

int ss_client_journal(struct ss_client *client, const char *thread,
    json_t *more, json_t **ret_rows, struct ss_client_error *ret_error)
{
    return fetch(client, "journal", thread_body(thread, more), "rows", ret_rows,
        ret_error);
}

int ss_client_copy(struct ss_client *client, const char *thread, const char *to,
    int64_t *ret_rows, struct ss_client_error *ret_error)
{
    json_t *body = thread_body(thread, NULL);
    set_text(body, "to", to);
    return fetch_rows(client, "copy", body, ret_rows, ret_error);
}

int ss_client_delete(struct ss_client *client, const char *thread,
    int64_t *ret_rows, struct ss_client_error *ret_error)
{
    return fetch_rows(
        client, "delete", thread_body(thread, NULL), ret_rows, ret_error);
}

int ss_client_prune(struct ss_client *client, const char *thread,
    int64_t *ret_rows, struct ss_client_error *ret_error)
{
    return fetch_rows(
        client, "prune", thread_body(thread, NULL), ret_rows, ret_error);
}

// ----------------------------------------------------------------------- lists

int ss_client_threads(struct ss_client *client, json_t *more,
    json_t **ret_threads, struct ss_client_error *ret_error)
{
    return fetch(
        client, "threads", body_from(more), "threads", ret_threads, ret_error);
}

int ss_client_runs(struct ss_client *client, json_t *more, json_t **ret_runs,
    struct ss_client_error *ret_error)
{
    return fetch(client, "runs", body_from(more), "runs", ret_runs, ret_error);
}

int ss_client_graphs(struct ss_client *client, json_t **ret_graphs,
    struct ss_client_error *ret_error)
{
    return fetch(
        client, "graphs", json_object(), "graphs", ret_graphs, ret_error);
}

int ss_client_workers(struct ss_client *client, json_t **ret_workers,
    struct ss_client_error *ret_error)
{
    return fetch(
        client, "workers", json_object(), "workers", ret_workers, ret_error);
}

int ss_client_draw(struct ss_client *client, const char *graph, json_t *more,
    char **ret_mermaid, struct ss_client_error *ret_error)
{
    json_t *body = body_from(more);
    set_text(body, "graph", graph);
    json_t *text;
    int status = fetch(client, "draw", body, "mermaid", &text, ret_error);
    if (status != SS_OK)
        return status;
    const char *mermaid = json_string_value(text);
    *ret_mermaid = ss_strdup(mermaid ? mermaid : "");
    json_decref(text);
    return SS_OK;
}

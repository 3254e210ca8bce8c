// requests.c - the requests of client.h as bodies, and answers as results.
#include <superstep/client.h>

#include <string.h>

#include "client/client_impl.h"
#include "common/base/mem.h"
#include "common/model/value.h"

// A request that is being made: an error in it is reported when it is sent.
struct body {
    json_t *json;
    const char *wrong; // the key that is wrong; NULL: none
    const char *why;
};

static void blame(struct body *body, const char *key, const char *why)
{
    if (!body->wrong) {
        body->wrong = key;
        body->why = why;
    }
}

// An object of its own to add to. Takes `more` (NULL: nothing).
static struct body body_from(json_t *more)
{
    struct body body = {
        .json = json_is_object(more) ? json_copy(more) : json_object()};
    if (more && !json_is_object(more))
        blame(&body, "more", "not an object");
    json_decref(more);
    return body;
}

// Takes `value`; NULL: a text that is not UTF-8; silently left out, the request
// would mean another thread.
static void set(struct body *body, const char *key, json_t *value)
{
    if (json_object_set_new(body->json, key, value) != 0)
        blame(body, key, "not text in UTF-8");
}

static void set_text(struct body *body, const char *key, const char *text)
{
    if (text)
        set(body, key, json_string(text));
}

// "values,updates" as a list, under `key`.
static void set_list(struct body *body, const char *key, const char *text)
{
    if (!text)
        return;
    json_t *list = json_array();
    while (*text) {
        size_t size = strcspn(text, ",");
        if (size > 0 && json_array_append_new(list, json_stringn(text, size)))
            blame(body, key, "not text in UTF-8");
        text += size + (text[size] == ',');
    }
    set(body, key, list);
}

static int ask(struct ss_client *client, const char *op,
    const struct body *body, const struct ss_client_ask *options,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    if (!body->wrong)
        return ss_client_ask(
            client, op, body->json, options, ret_answer, ret_error);
    struct ss_error error;
    ss_error_set(&error, SS_EINVAL, "the request \"%s\": \"%s\" is %s", op,
        body->wrong, body->why);
    json_decref(body->json);
    return ss_client_error_fill(&error, ret_error);
}

static int lacks(
    const char *op, const char *key, struct ss_client_error *ret_error)
{
    struct ss_error error;
    ss_error_set(&error, SS_EFORMAT,
        "the coordinator's answer to \"%s\" has no \"%s\"", op, key);
    return ss_client_error_fill(&error, ret_error);
}

// Ask, and give the value of `key` of the answer.
static int fetch(struct ss_client *client, const char *op, struct body body,
    const char *key, json_t **ret_part, struct ss_client_error *ret_error)
{
    json_t *answer;
    int status = ask(client, op, &body, NULL, &answer, ret_error);
    if (status != SS_OK)
        return status;
    json_t *part = json_object_get(answer, key);
    if (part && ret_part)
        *ret_part = json_incref(part);
    json_decref(answer);
    return part ? SS_OK : lacks(op, key, ret_error);
}

// A list that does not fit into one answer is asked for piece by piece.
struct list {
    const char *op;
    const char *key;    // of the answer
    const char *behind; // of the request: the item to go on behind
    // Where to go on behind an item. Gives.
    json_t *(*place)(const json_t *item);
};

static int fetch_list(struct ss_client *client, const struct list *list,
    struct body body, json_t **ret_list, struct ss_client_error *ret_error)
{
    json_t *all = NULL;
    bool is_limited = json_object_get(body.json, "limit") != NULL;
    int64_t limit = ss_json_int(body.json, "limit", 0);
    for (bool more = true; more;) {
        struct body piece = {json_copy(body.json), body.wrong, body.why};
        json_t *answer = NULL;
        int status = ask(client, list->op, &piece, NULL, &answer, ret_error);
        json_t *items = json_object_get(answer, list->key);
        size_t count = json_array_size(items);
        if (status == SS_OK && !items)
            status = lacks(list->op, list->key, ret_error);
        if (status != SS_OK) {
            json_decref(answer);
            json_decref(all);
            json_decref(body.json);
            return status;
        }
        more = ss_json_bool(answer, "more", false) && count > 0;
        if (more)
            set(&body, list->behind,
                list->place(json_array_get(items, count - 1)));
        if (all)
            json_array_extend(all, items);
        else
            all = json_incref(items);
        json_decref(answer);
        int64_t left = limit - (int64_t)json_array_size(all);
        if (is_limited && left <= 0)
            more = false;
        else if (is_limited)
            set(&body, "limit", json_integer(left));
    }
    json_decref(body.json);
    *ret_list = all;
    return SS_OK;
}

static int fetch_rows(struct ss_client *client, const char *op,
    struct body body, int64_t *ret_rows, struct ss_client_error *ret_error)
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

static struct body thread_body(const char *thread, json_t *more)
{
    struct body body = body_from(more);
    set_text(&body, "thread", thread);
    return body;
}

static struct body run_body(const char *thread, const char *run)
{
    struct body body = body_from(NULL);
    set_text(&body, "run", run);
    set_text(&body, "thread", thread);
    return body;
}

// ------------------------------------------------------------------------ runs

static struct body body_of(const char *graph, const struct ss_client_run *run)
{
    struct body body = body_from(run->more);
    set_text(&body, "graph", graph);
    set_text(&body, "thread", run->thread);
    set_text(&body, "checkpoint_id", run->checkpoint_id);
    set_text(&body, "run", run->run);
    set_text(&body, "if_busy", run->if_busy);
    if (run->input)
        set(&body, "input", run->input);
    if (run->facts)
        set(&body, "facts", run->facts);
    if (run->resume || run->command) {
        struct body command = body_from(run->command);
        if (run->resume)
            set(&command, "resume", run->resume);
        set(&body, "command", command.json);
        if (command.wrong)
            blame(&body, "command", command.why);
    }
    set_list(&body, "stream", run->stream);
    if (run->subgraphs)
        set(&body, "subgraphs", json_true());
    if (run->detach)
        set(&body, "detach", json_true());
    return body;
}

json_t *ss_client_run_body(const char *graph, const struct ss_client_run *run)
{
    struct body body = body_of(graph, run);
    if (!body.wrong)
        return body.json;
    json_decref(body.json);
    return NULL;
}

// Whether the thread has a run of that id: look page by page, to the empty one.
static int run_is_known(struct ss_client *client, const json_t *body,
    bool *ret_is_known, struct ss_client_error *ret_error)
{
    const char *run = ss_json_str(body, "run", NULL);
    json_t *after = NULL;
    int status = SS_OK;
    *ret_is_known = false;
    for (bool more = run != NULL; more && status == SS_OK;) {
        json_t *runs = NULL, *one = NULL, *place;
        size_t i;
        status = ss_client_runs(client,
            json_pack("{s:O, s:O*}", "thread", json_object_get(body, "thread"),
                "after", after),
            &runs, ret_error);
        json_array_foreach (runs, i, one)
            if (strcmp(ss_json_str(one, "run", ""), run) == 0)
                *ret_is_known = true;
        place = json_object_get(
            json_array_get(runs, json_array_size(runs) - 1), "key");
        more = !*ret_is_known && place && !json_equal(place, after);
        json_decref(after);
        after = json_incref(place);
        json_decref(runs);
    }
    json_decref(after);
    return status;
}

int ss_client_look(struct ss_client *client, const json_t *body,
    struct ss_client_error *ret_error)
{
    const char *thread = ss_json_str(body, "thread", NULL);
    const char *id = ss_json_str(body, "checkpoint_id", NULL);
    json_t *state = NULL;
    bool is_known = false;
    if (!thread || !id)
        return SS_OK;
    json_t *more = json_pack("{s:s, s:O*, s:O*}", "checkpoint_id", id, "graph",
        json_object_get(body, "graph"), "checkpoint_ns",
        json_object_get(body, "checkpoint_ns"));
    int status = ss_client_state(client, thread, more, &state, ret_error);
    bool is_there = json_is_object(json_object_get(state, "metadata"));
    json_decref(state);
    if (status == SS_OK && !is_there)
        status = run_is_known(client, body, &is_known, ret_error);
    if (status != SS_OK || is_there || is_known)
        return status;
    struct ss_error error;
    ss_error_set(
        &error, SS_ENOTFOUND, "thread %s has no checkpoint %s", thread, id);
    return ss_client_error_fill(&error, ret_error);
}

int ss_client_run(struct ss_client *client, const char *graph,
    const struct ss_client_run *run, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    static const struct ss_client_run nothing;
    if (!run)
        run = &nothing;
    const struct ss_client_ask options = {.timeout_ms = run->timeout_ms,
        .on_item = run->on_item,
        .ctx = run->ctx};
    struct body body = body_of(graph, run);
    int status =
        body.wrong ? SS_OK : ss_client_look(client, body.json, ret_error);
    if (status == SS_OK)
        return ask(client, "run", &body, &options, ret_answer, ret_error);
    json_decref(body.json);
    return status;
}

int ss_client_attach_on(struct ss_client *client, const char *thread,
    const char *run, const struct ss_client_attach *options,
    json_t **ret_answer, struct ss_client_error *ret_error)
{
    static const struct ss_client_attach defaults;
    if (!options)
        options = &defaults;
    struct body body = run_body(thread, run);
    set_text(&body, "after", options->after);
    set_list(&body, "stream", options->stream);
    if (options->subgraphs)
        set(&body, "subgraphs", json_true());
    const struct ss_client_ask follow = {.timeout_ms = options->timeout_ms,
        .on_item = options->on_item,
        .ctx = options->ctx};
    return ask(client, "attach", &body, &follow, ret_answer, ret_error);
}

int ss_client_attach(struct ss_client *client, const char *run,
    const struct ss_client_attach *options, json_t **ret_answer,
    struct ss_client_error *ret_error)
{
    return ss_client_attach_on(
        client, NULL, run, options, ret_answer, ret_error);
}

int ss_client_cancel_on(struct ss_client *client, const char *thread,
    const char *run, bool rollback, json_t **ret_status,
    struct ss_client_error *ret_error)
{
    struct body body = run_body(thread, run);
    if (rollback)
        set_text(&body, "action", "rollback");
    return fetch(client, "cancel", body, "status", ret_status, ret_error);
}

int ss_client_cancel(struct ss_client *client, const char *run, bool rollback,
    json_t **ret_status, struct ss_client_error *ret_error)
{
    return ss_client_cancel_on(
        client, NULL, run, rollback, ret_status, ret_error);
}

int ss_client_release_on(struct ss_client *client, const char *thread,
    const char *run, struct ss_client_error *ret_error)
{
    return fetch(
        client, "release", run_body(thread, run), "status", NULL, ret_error);
}

int ss_client_release(struct ss_client *client, const char *run,
    struct ss_client_error *ret_error)
{
    return ss_client_release_on(client, NULL, run, ret_error);
}

// --------------------------------------------------------------------- threads

int ss_client_state(struct ss_client *client, const char *thread, json_t *more,
    json_t **ret_state, struct ss_client_error *ret_error)
{
    return fetch(client, "state", thread_body(thread, more), "state", ret_state,
        ret_error);
}

static json_t *place_of_snapshot(const json_t *item)
{
    return json_string(
        ss_json_str(json_object_get(item, "config"), "checkpoint_id", ""));
}

static json_t *place_of_saved(const json_t *item)
{
    return json_string(ss_json_str(item, "id", ""));
}

static json_t *place_of_row(const json_t *item)
{
    return json_integer((json_int_t)ss_json_int(item, "seq", 0) + 1);
}

int ss_client_history(struct ss_client *client, const char *thread,
    json_t *more, json_t **ret_history, struct ss_client_error *ret_error)
{
    static const struct list list = {
        "history", "history", "before", place_of_snapshot};
    return fetch_list(
        client, &list, thread_body(thread, more), ret_history, ret_error);
}

int ss_client_update(struct ss_client *client, const char *thread,
    const struct ss_client_update *update, json_t **ret_config,
    struct ss_client_error *ret_error)
{
    struct body one = body_from(NULL);
    struct body body = thread_body(thread, update->more);
    set(&one, "values", update->values ? update->values : json_null());
    set_text(&one, "as_node", update->as_node);
    set(&body, "supersteps", json_pack("[[o]]", one.json));
    if (one.wrong)
        blame(&body, one.wrong, one.why);
    return fetch(client, "update", body, "config", ret_config, ret_error);
}

int ss_client_bulk_update(struct ss_client *client, const char *thread,
    json_t *supersteps, json_t *more, json_t **ret_config,
    struct ss_client_error *ret_error)
{
    struct body body = thread_body(thread, more);
    set(&body, "supersteps", supersteps);
    return fetch(client, "update", body, "config", ret_config, ret_error);
}

int ss_client_checkpoints(struct ss_client *client, const char *thread,
    json_t **ret_checkpoints, struct ss_client_error *ret_error)
{
    static const struct list list = {
        "checkpoints", "checkpoints", "after", place_of_saved};
    return fetch_list(
        client, &list, thread_body(thread, NULL), ret_checkpoints, ret_error);
}

int ss_client_journal(struct ss_client *client, const char *thread,
    json_t *more, json_t **ret_rows, struct ss_client_error *ret_error)
{
    static const struct list list = {"journal", "rows", "from", place_of_row};
    return fetch_list(
        client, &list, thread_body(thread, more), ret_rows, ret_error);
}

int ss_client_copy(struct ss_client *client, const char *thread, const char *to,
    int64_t *ret_rows, struct ss_client_error *ret_error)
{
    struct body body = thread_body(thread, NULL);
    set_text(&body, "to", to);
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
        client, "graphs", body_from(NULL), "graphs", ret_graphs, ret_error);
}

int ss_client_workers(struct ss_client *client, json_t **ret_workers,
    struct ss_client_error *ret_error)
{
    return fetch(
        client, "workers", body_from(NULL), "workers", ret_workers, ret_error);
}

int ss_client_draw(struct ss_client *client, const char *graph, json_t *more,
    char **ret_mermaid, struct ss_client_error *ret_error)
{
    struct body body = body_from(more);
    set_text(&body, "graph", graph);
    json_t *text;
    int status = fetch(client, "draw", body, "mermaid", &text, ret_error);
    if (status != SS_OK)
        return status;
    const char *mermaid = json_string_value(text);
    *ret_mermaid = ss_strdup(mermaid ? mermaid : "");
    json_decref(text);
    return SS_OK;
}

// play.c - a scenario's calls as requests, and their answers.
#include "tests/conformance/play.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/graph.h"
#include "common/model/reserved.h"
#include "tests/conformance/app/counters.h"
#include "tests/conformance/app/describe.h"
#include "tests/conformance/app/expression.h"
#include "tests/conformance/names.h"
#include "tests/conformance/order.h"
#include "tests/conformance/shape.h"

struct player {
    json_t *scenario;
    json_t *graphs; // of the scenario
    const struct backend_type *type;
    struct backend *backend;
    const char *counters;
    struct names names;
    json_t *learned;  // "graph thread ns id" of checkpoints whose tasks we know
    json_t *compiled; // graph -> the answer to `compile`
    struct saved saved; // of the call's thread
};

// One call on its way.
struct call {
    json_t *json;
    const char *graph;
    const char *thread;
};

static json_t *ask(
    struct player *player, const char *op, json_t *body, json_t *events)
{
    return player->type->ask(player->backend, op, body, events);
}

static json_t *error_answer(const char *name)
{
    return json_pack("{s:s}", "error", name);
}

// {"error": name} if the answer is an error, else NULL. Gives.
static json_t *as_error(json_t *answer)
{
    const char *name = shape_error_name(answer);
    return name ? error_answer(name) : NULL;
}

// An expression of a call, which sees an empty input. Gives.
static json_t *evaluate(json_t *expression)
{
    if (!expression)
        return json_null();
    struct scope scope;
    scope_init(&scope, NULL);
    json_t *value = expression_value(&scope, expression);
    scope_fini(&scope);
    return value ? value : json_null();
}

// ------------------------------------------------------------------ saved

static json_t *fetch_rows(struct player *player, const char *thread)
{
    json_t *answer =
        ask(player, "checkpoints", json_pack("{s:s}", "thread", thread), NULL);
    json_t *rows = json_object_get(answer, "checkpoints");
    rows = rows ? json_incref(rows) : json_array();
    json_decref(answer);
    return rows;
}

static void load_saved(struct player *player, const struct call *call)
{
    saved_fini(&player->saved);
    saved_init(&player->saved, fetch_rows(player, call->thread));
}

static void learn_tasks(
    struct player *player, const struct call *call, json_t *row)
{
    const char *ns = json_string_value(json_object_get(row, "ns"));
    const char *id = json_string_value(json_object_get(row, "id"));
    char *key = ss_format("%s %s %s %s", call->graph, call->thread, ns, id);
    bool known = json_object_get(player->learned, key);
    if (!known) {
        json_object_set_new(player->learned, key, json_true());
        json_t *answer = ask(player, "state",
            json_pack("{s:s, s:s, s:s, s:s}", "thread", call->thread, "graph",
                call->graph, "checkpoint_ns", ns, "checkpoint_id", id),
            NULL);
        json_t *tasks =
            json_object_get(json_object_get(answer, "state"), "tasks");
        for (size_t i = 0; i < json_array_size(tasks); i++)
            names_learn_task(&player->names, json_array_get(tasks, i));
        json_decref(answer);
    }
    ss_free(key);
}

static void learn_asked(struct player *player, json_t *row)
{
    const char *ns = json_string_value(json_object_get(row, "ns"));
    json_t *writes = json_object_get(row, "pending_writes");
    for (size_t i = 0; i < json_array_size(writes); i++) {
        json_t *write = json_array_get(writes, i);
        const char *channel =
            json_string_value(json_object_get(write, "channel"));
        const char *id = json_string_value(json_object_get(write, "task_id"));
        if (strcmp(channel, SS_NAME_INTERRUPT) == 0)
            names_learn_interrupts(
                &player->names, ns, id, json_object_get(write, "value"));
    }
}

static int depth_of(json_t *row)
{
    const char *ns = json_string_value(json_object_get(row, "ns"));
    int depth = *ns != '\0';
    for (; *ns; ns++)
        depth += *ns == '|';
    return depth;
}

// Learn from all that the thread has: tasks from the outermost graphs inwards,
// interrupts, which bear the name of their innermost task, outwards.
static void refresh(struct player *player, const struct call *call)
{
    load_saved(player, call);
    json_t *rows = player->saved.rows;
    int deepest = 0;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        int depth = depth_of(json_array_get(rows, i));
        deepest = depth > deepest ? depth : deepest;
    }
    for (int depth = 0; depth <= deepest; depth++)
        for (size_t i = 0; i < json_array_size(rows); i++)
            if (depth_of(json_array_get(rows, i)) == depth)
                learn_tasks(player, call, json_array_get(rows, i));
    for (int depth = deepest; depth >= 0; depth--)
        for (size_t i = json_array_size(rows); i-- > 0;)
            if (depth_of(json_array_get(rows, i)) == depth)
                learn_asked(player, json_array_get(rows, i));
}

// ------------------------------------------------------------------ bodies

// The id of the k-th checkpoint of a thread's root namespace. Borrowed from
// player->saved, which is of the call's thread.
static const char *root_id(const struct player *player, json_int_t index)
{
    json_t *rows = player->saved.rows;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *ns = json_string_value(json_object_get(row, "ns"));
        if (!*ns && index-- == 0)
            return json_string_value(json_object_get(row, "id"));
    }
    return NULL;
}

// The youngest namespace of that name, or the name itself. Borrowed.
static char *raw_ns(const struct player *player, const char *wanted)
{
    const char *found = NULL, *birth = "";
    const char *ns;
    json_t *ids;
    json_object_foreach (player->saved.places, ns, ids) {
        char *name = names_ns(&player->names, ns);
        const char *oldest = json_object_iter_key(json_object_iter(ids));
        if (strcmp(name, wanted) == 0 && strcmp(oldest, birth) > 0) {
            found = ns;
            birth = oldest;
        }
        ss_free(name);
    }
    return ss_strdup(found ? found : wanted);
}

static void copy_keys(json_t *to, json_t *from, const char *const *keys)
{
    for (size_t i = 0; keys[i]; i++) {
        json_t *value = json_object_get(from, keys[i]);
        if (value)
            json_object_set(to, keys[i], value);
    }
}

// {"thread", "graph", "checkpoint_id"?, "checkpoint_ns"?} of a call. Gives;
// NULL if it points at a checkpoint that is not there.
static json_t *config_of(struct player *player, const struct call *call)
{
    json_t *at = json_object_get(call->json, "at");
    const char *ns = json_string_value(json_object_get(call->json, "ns"));
    json_t *body =
        json_pack("{s:s, s:s}", "thread", call->thread, "graph", call->graph);
    if (at) {
        const char *id =
            root_id(player, json_integer_value(json_object_get(at, "index")));
        if (!id) {
            json_decref(body);
            return NULL;
        }
        json_object_set_new(body, "checkpoint_id", json_string(id));
        json_object_set_new(body, "checkpoint_ns", json_string(""));
    }
    if (ns) {
        char *raw = raw_ns(player, ns);
        json_object_set_new(body, "checkpoint_ns", json_string(raw));
        ss_free(raw);
    }
    return body;
}

// ------------------------------------------------------------------ runs

// The ids of the interrupts that stand for their names in a map of answers.
static json_t *interrupt_ids(struct player *player, const struct call *call)
{
    json_t *ids = json_object();
    const char *id;
    json_t *name;
    json_object_foreach (player->names.interrupts, id, name)
        json_object_set_new(ids, json_string_value(name), json_string(id));
    json_t *body = config_of(player, call);
    json_t *answer = body ? ask(player, "state", body, NULL) : NULL;
    json_t *asked =
        json_object_get(json_object_get(answer, "state"), "interrupts");
    for (size_t i = 0; i < json_array_size(asked); i++) {
        json_t *pending = json_object_get(json_array_get(asked, i), "id");
        const char *known =
            names_interrupt(&player->names, json_string_value(pending));
        if (known)
            json_object_set(ids, known, pending);
    }
    json_decref(answer);
    return ids;
}

// A resume value with ids in place of the names of interrupts. Takes, gives.
static json_t *unname(
    struct player *player, const struct call *call, json_t *resume)
{
    if (!json_is_object(resume))
        return resume;
    json_t *ids = interrupt_ids(player, call);
    json_t *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach (resume, key, value) {
        const char *id = json_string_value(json_object_get(ids, key));
        json_object_set(result, id ? id : key, value);
    }
    json_decref(ids);
    json_decref(resume);
    return result;
}

static json_t *command_of(struct player *player, const struct call *call)
{
    static const char *const parts[] = {"resume", "update", "goto"};
    json_t *given = json_object_get(call->json, "command");
    json_t *command = json_object();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        json_t *expression = json_object_get(given, parts[i]);
        if (!expression)
            continue;
        json_t *value = evaluate(expression);
        if (i == 0)
            value = unname(player, call, value);
        json_object_set_new(command, parts[i], value);
    }
    return command;
}

static json_t *stream_modes(const struct call *call, bool *ret_values)
{
    json_t *given = json_object_get(call->json, "stream");
    json_t *modes =
        given ? json_copy(given) : json_pack("[s, s]", "values", "updates");
    *ret_values = false;
    for (size_t i = 0; i < json_array_size(modes); i++)
        *ret_values |=
            strcmp(json_string_value(json_array_get(modes, i)), "values") == 0;
    json_array_append_new(modes, json_string("debug"));
    return modes;
}

static json_t *run_body(
    struct player *player, const struct call *call, json_t *modes)
{
    static const char *const same[] = {"interrupt_before", "interrupt_after",
        "durability", "output_keys", "recursion_limit", "max_concurrency",
        "strict_resume", NULL};
    json_t *body = config_of(player, call);
    if (!body)
        return NULL;
    copy_keys(body, call->json, same);
    if (json_object_get(call->json, "command"))
        json_object_set_new(body, "command", command_of(player, call));
    else
        json_object_set_new(
            body, "input", evaluate(json_object_get(call->json, "input")));
    json_object_set(body, "stream", modes);
    json_object_set_new(body, "subgraphs", json_true());
    return body;
}

// Learn from debug events, and leave the others in `events`.
static void take_debug(struct player *player, json_t *events)
{
    size_t kept = 0;
    for (size_t i = 0; i < json_array_size(events); i++) {
        json_t *event = json_array_get(events, i);
        const char *mode = json_string_value(json_object_get(event, "mode"));
        if (mode && strcmp(mode, "debug") == 0) {
            json_t *ns = json_object_get(event, "ns");
            char *joined = ss_strdup("");
            for (size_t k = 0; k < json_array_size(ns); k++) {
                char *longer = ss_format("%s%s%s", joined, k ? "|" : "",
                    json_string_value(json_array_get(ns, k)));
                ss_free(joined);
                joined = longer;
            }
            names_learn_event(
                &player->names, joined, json_object_get(event, "data"));
            ss_free(joined);
        } else if (mode && strcmp(mode, "restarted") != 0) { // ours alone
            json_array_set(events, kept++, event);
        }
    }
    while (json_array_size(events) > kept)
        json_array_remove(events, kept);
}

// The last values of the root, without its interrupts. Gives.
static json_t *output_of(json_t *seen)
{
    json_t *output = NULL;
    for (size_t i = 0; i < json_array_size(seen); i++) {
        json_t *event = json_array_get(seen, i);
        const char *mode = json_string_value(json_array_get(event, 0));
        const char *ns = json_string_value(json_array_get(event, 1));
        if (strcmp(mode, "values") == 0 && !*ns)
            output = json_array_get(event, 2);
    }
    if (!json_object_get(output, SS_NAME_INTERRUPT))
        return output ? json_incref(output) : json_null();
    output = json_copy(output);
    json_object_del(output, SS_NAME_INTERRUPT);
    return output;
}

static json_t *call_run(struct player *player, const struct call *call)
{
    bool values;
    json_t *modes = stream_modes(call, &values);
    json_t *body = run_body(player, call, modes);
    json_decref(modes);
    if (!body)
        return error_answer("IndexError");
    json_t *events = json_array();
    names_begin(&player->names);
    json_t *answer = ask(player, "run", body, events);
    take_debug(player, events);
    refresh(player, call);
    json_t *seen = json_array();
    for (size_t i = 0; i < json_array_size(events); i++)
        json_array_append_new(
            seen, shape_event(&player->names, json_array_get(events, i)));
    json_t *result = json_pack("{s:o}", "events", order_events(seen));
    if (values)
        json_object_set_new(result, "output", output_of(seen));
    const char *error = shape_error_name(answer);
    if (error)
        json_object_set_new(result, "error", json_string(error));
    json_decref(seen);
    json_decref(events);
    json_decref(answer);
    return result;
}

// What the graph gives out: names, or one name.
static json_t *output_keys(struct player *player, const char *name)
{
    json_t *graph = json_object_get(player->graphs, name);
    json_t *given = json_object_get(graph, "output");
    if (given)
        return json_incref(given);
    json_t *keys = json_array();
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(graph, "state"), key, value)
        if (!json_object_get(value, "managed"))
            json_array_append_new(keys, json_string(key));
    return keys;
}

static json_t *call_invoke(struct player *player, const struct call *call)
{
    json_t *json = json_copy(call->json);
    json_object_set_new(json, "stream", json_pack("[s]", "values"));
    json_object_set_new(json, "output_keys", output_keys(player, call->graph));
    struct call run = *call;
    run.json = json;
    json_t *result = call_run(player, &run);
    json_object_del(result, "events");
    json_decref(json);
    return result;
}

// ------------------------------------------------------------------ state

static json_t *call_state(struct player *player, const struct call *call)
{
    json_t *body = config_of(player, call);
    if (!body)
        return error_answer("IndexError");
    json_t *subgraphs = json_object_get(call->json, "subgraphs");
    if (subgraphs)
        json_object_set(body, "subgraphs", subgraphs);
    json_t *answer = ask(player, "state", body, NULL);
    json_t *result = as_error(answer);
    if (!result)
        result = json_pack("{s:o}", "state",
            shape_snapshot(&player->names, &player->saved,
                json_object_get(answer, "state")));
    json_decref(answer);
    return result;
}

static json_t *call_history(struct player *player, const struct call *call)
{
    static const char *const same[] = {"limit", "filter", NULL};
    json_t *body = config_of(player, call);
    json_t *before = json_object_get(call->json, "before");
    const char *id =
        before ? root_id(player,
                     json_integer_value(json_object_get(before, "index")))
               : NULL;
    if (!body || (before && !id)) {
        json_decref(body);
        return error_answer("IndexError");
    }
    copy_keys(body, call->json, same);
    if (id)
        json_object_set_new(body, "before", json_string(id));
    json_t *answer = ask(player, "history", body, NULL);
    json_t *result = as_error(answer);
    if (!result) {
        json_t *list = json_array();
        json_t *given = json_object_get(answer, "history");
        for (size_t i = 0; i < json_array_size(given); i++)
            json_array_append_new(
                list, shape_snapshot(&player->names, &player->saved,
                          json_array_get(given, i)));
        result = json_pack("{s:o}", "history", list);
    }
    json_decref(answer);
    return result;
}

// The updates that a copy brings along are pairs there: values, as_node
// (R9.18). Takes and gives.
static json_t *unpaired(json_t *values)
{
    json_t *updates = json_array();
    for (size_t i = 0; i < json_array_size(values); i++) {
        json_t *pair = json_array_get(values, i), *update = json_null();
        if (json_array_size(pair) >= 2)
            update = json_pack("{s:O}", "values", json_array_get(pair, 0));
        if (json_is_string(json_array_get(pair, 1)))
            json_object_set(update, "as_node", json_array_get(pair, 1));
        json_array_append_new(updates, update);
    }
    json_decref(values);
    return updates;
}

static json_t *one_update(json_t *given)
{
    json_t *values = evaluate(json_object_get(given, "values"));
    const char *as_node = json_string_value(json_object_get(given, "as_node"));
    if (as_node && strcmp(as_node, "__copy__") == 0 && json_is_array(values))
        values = unpaired(values);
    json_t *update = json_pack("{s:o}", "values", values);
    if (as_node)
        json_object_set_new(update, "as_node", json_string(as_node));
    return update;
}

// Takes `supersteps`.
static json_t *send_update(
    struct player *player, const struct call *call, json_t *supersteps)
{
    json_t *body = config_of(player, call);
    if (!body) {
        json_decref(supersteps);
        return error_answer("IndexError");
    }
    json_object_set_new(body, "supersteps", supersteps);
    json_t *answer = ask(player, "update", body, NULL);
    json_t *result = as_error(answer);
    refresh(player, call);
    json_decref(answer);
    return result ? result : json_pack("{s:b}", "ok", 1);
}

static json_t *call_update(struct player *player, const struct call *call)
{
    return send_update(
        player, call, json_pack("[[o]]", one_update(call->json)));
}

static json_t *call_bulk_update(struct player *player, const struct call *call)
{
    json_t *supersteps = json_array();
    json_t *given = json_object_get(call->json, "supersteps");
    for (size_t i = 0; i < json_array_size(given); i++) {
        json_t *updates = json_array();
        json_t *step = json_array_get(given, i);
        for (size_t k = 0; k < json_array_size(step); k++)
            json_array_append_new(updates, one_update(json_array_get(step, k)));
        json_array_append_new(supersteps, updates);
    }
    return send_update(player, call, supersteps);
}

static json_t *call_checkpoints(struct player *player, const struct call *call)
{
    (void)call;
    return json_pack("{s:o}", "checkpoints",
        shape_checkpoints(&player->names, &player->saved));
}

static json_t *call_counts(struct player *player, const struct call *call)
{
    (void)call;
    return json_pack("{s:o}", "counts", counters_read(player->counters));
}

static json_t *call_compile(struct player *player, const struct call *call)
{
    (void)player;
    (void)call;
    return json_pack("{s:b}", "ok", 1);
}

// ------------------------------------------------------------------ all

static const struct {
    const char *op;
    json_t *(*play)(struct player *player, const struct call *call);
} calls[] = {
    {"run", call_run},
    {"invoke", call_invoke},
    {"state", call_state},
    {"history", call_history},
    {"update", call_update},
    {"bulk_update", call_bulk_update},
    {"checkpoints", call_checkpoints},
    {"counts", call_counts},
    {"compile", call_compile},
};

// {"error": name} if the graph cannot be built, else NULL. Gives.
static json_t *refusal(struct player *player, const char *graph)
{
    json_t *answer = json_object_get(player->compiled, graph);
    if (!answer) {
        json_t *description = describe(player->graphs, graph);
        if (!description)
            return error_answer("unknown_route"); // a KeyError
        answer = ask(player, "compile",
            json_pack("{s:o}", "description", description), NULL);
        json_object_set_new(player->compiled, graph, answer);
    }
    return as_error(answer);
}

static json_t *play_call(struct player *player, json_t *json)
{
    const char *op = json_string_value(json_object_get(json, "op"));
    const char *graph = json_string_value(json_object_get(json, "graph"));
    const char *thread = json_string_value(json_object_get(json, "thread"));
    struct call call = {.json = json,
        .graph = graph ? graph : "main",
        .thread = thread ? thread : "t"};
    bool needs_graph =
        strcmp(op, "counts") != 0 && strcmp(op, "checkpoints") != 0;
    json_t *refused = needs_graph ? refusal(player, call.graph) : NULL;
    if (refused)
        return refused;
    load_saved(player, &call);
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (strcmp(calls[i].op, op) == 0)
            return calls[i].play(player, &call);
    return error_answer("this player does not know the operation");
}

json_t *play_graphs(json_t *scenario)
{
    json_t *all = json_object_get(scenario, "graphs");
    json_t *good = json_object();
    const char *name;
    json_t *graph;
    json_object_foreach (all, name, graph) {
        struct ss_error error;
        struct ss_graph *compiled;
        json_t *description = describe(all, name);
        if (description &&
            ss_graph_compile(description, &compiled, &error) == SS_OK) {
            ss_graph_unref(compiled);
            json_object_set(good, name, graph);
        }
        json_decref(description);
    }
    return good;
}

json_t *play(json_t *scenario, const struct backend_type *type,
    struct backend *backend, const char *counters)
{
    struct player player = {.scenario = scenario,
        .graphs = json_object_get(scenario, "graphs"),
        .type = type,
        .backend = backend,
        .counters = counters,
        .learned = json_object(),
        .compiled = json_object()};
    names_init(&player.names);
    json_t *answers = json_array();
    json_t *given = json_object_get(scenario, "calls");
    for (size_t i = 0; i < json_array_size(given); i++)
        json_array_append_new(
            answers, play_call(&player, json_array_get(given, i)));
    names_fini(&player.names);
    saved_fini(&player.saved);
    json_decref(player.learned);
    json_decref(player.compiled);
    json_t *numbered = order_number(answers);
    json_decref(answers);
    return numbered;
}

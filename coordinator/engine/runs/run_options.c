// run_options.c - what a request says of its run, read once: the same for a run
// that is found after a crash (docs/reference/requests.md).
#include <inttypes.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/limits.h"
#include "common/model/request.h"
#include "common/model/suggest.h"
#include "common/model/value.h"
#include "coordinator/engine/levels/run.h"
#include "coordinator/engine/limits.h"
#include "coordinator/engine/runs/runs.h"
#include "coordinator/engine/runs/under_way.h"
#include "coordinator/engine/step/state.h"

static int parse_names(const json_t *names, const char *key,
    struct ss_names *ret, struct ss_error *error)
{
    size_t i;
    json_t *name;
    if (!names || json_is_null(names))
        return SS_OK;
    if (json_is_string(names) && strcmp(json_string_value(names), "*") == 0) {
        ret->all = true;
        return SS_OK;
    }
    if (!json_is_array(names))
        return ss_error_set(
            error, SS_EINVAL, "%s: give a list of nodes, or \"*\"", key);
    ret->items = ss_zalloc(json_array_size(names) + 1, sizeof(char *));
    json_array_foreach ((json_t *)names, i, name) {
        if (!json_is_string(name))
            return ss_error_set(
                error, SS_EINVAL, "%s: item %zu is not a name", key, i);
        ret->items[ret->count++] = ss_strdup(json_string_value(name));
    }
    return SS_OK;
}

static int unknown_key(
    const struct ss_graph *graph, const char *key, struct ss_error *error)
{
    struct ss_hint hint;
    ss_hint_init(&hint, key);
    for (size_t i = 0; i < graph->channels_count; i++)
        if (graph->channels[i].is_state_key || !graph->is_state)
            ss_hint_offer(&hint, graph->channels[i].name);
    return ss_error_set(error, SS_EINVAL,
        "output_keys: graph %s has no key \"%.200s\".%s", graph->name, key,
        ss_hint_text(&hint));
}

static int parse_output_keys(const struct ss_graph *graph, const json_t *keys,
    struct run_options *options, struct ss_error *error)
{
    struct ss_keys *out = &options->output_keys;
    if (!keys || json_is_null(keys))
        return SS_OK;
    options->has_output_keys = true;
    out->scalar = json_is_string(keys);
    size_t count = json_is_string(keys) ? 1 : json_array_size(keys);
    out->items = ss_zalloc(count + 1, sizeof(char *));
    for (size_t i = 0; i < count; i++) {
        const char *key = json_string_value(
            json_is_string(keys) ? keys : json_array_get(keys, i));
        if (!key || ss_graph_channel(graph, key) == SS_NONE)
            return unknown_key(graph, key ? key : "?", error);
        out->items[out->count++] = ss_strdup(key);
    }
    return SS_OK;
}

static int parse_durability(
    const char *name, enum durability *ret, struct ss_error *error)
{
    static const char *const all[] = {"sync", "async", "exit"};
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(name, all[i]) == 0) {
            *ret = (enum durability)i;
            return SS_OK;
        }
    }
    return ss_error_set(error, SS_EINVAL,
        "durability \"%s\" is none: say sync, async or exit", name);
}

// R1.6: what the run's configuration adds to its checkpoints' metadata.
static json_t *make_meta(const json_t *config)
{
    static const char *const kept_out[] = {"thread_id", "checkpoint_id",
        "checkpoint_ns", "checkpoint_map", "langgraph_step", "langgraph_node",
        "langgraph_triggers", "langgraph_path", "langgraph_checkpoint_ns"};
    json_t *meta = json_object();
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(config, "metadata"), key, value)
        json_object_set(meta, key, value);
    json_object_foreach (json_object_get(config, "configurable"), key, value) {
        bool out = (key[0] == '_' && key[1] == '_') ||
                   json_object_get(meta, key) || json_is_object(value) ||
                   json_is_array(value) || json_is_null(value);
        for (size_t i = 0; i < sizeof(kept_out) / sizeof(*kept_out); i++)
            out = out || strcmp(key, kept_out[i]) == 0;
        if (!out)
            json_object_set(meta, key, value);
    }
    json_object_del(meta, "source");
    json_object_del(meta, "step");
    json_object_set_new(meta, "parents", json_object());
    return meta;
}

// What is out of bounds, or contradicts itself.
static int check_options(const struct run_options *options, const json_t *input,
    struct ss_error *error)
{
    if (options->priority < -SS_PRIORITY_MAX ||
        options->priority > SS_PRIORITY_MAX)
        return ss_error_set(error, SS_EINVAL,
            "priority: %" PRId64 " is not between %d and %d", options->priority,
            -SS_PRIORITY_MAX, SS_PRIORITY_MAX);
    if (options->recursion_limit < 1)
        return ss_error_set(error, SS_EINVAL,
            "recursion_limit: %" PRId64 " is less than 1",
            options->recursion_limit);
    if (options->command && !json_is_object(options->command))
        return ss_error_set(error, SS_EINVAL,
            "command: give an object of update, goto, resume");
    if (options->command && input && !json_is_null(input))
        return ss_error_set(
            error, SS_EINVAL, "give an input or a command, not both");
    return SS_OK;
}

// Those that are taken as they are.
static void take_options(struct engine *engine,
    const struct ss_request *request, struct run_options *options)
{
    int64_t limit =
        ss_request_int(request->recursion_limit, SS_RECURSION_LIMIT_DEFAULT);
    options->command =
        json_is_null(request->command) ? NULL : json_incref(request->command);
    options->checkpoint_map = json_incref(request->checkpoint_map);
    options->metadata =
        json_incref(json_object_get(request->config, "metadata"));
    json_t **plain = &engine->runs->plain_meta;
    if (!*plain)
        *plain = make_meta(NULL);
    options->meta = json_object_size(request->config) > 0
                        ? make_meta(request->config)
                        : json_incref(*plain);
    if (json_is_object(request->config)) // what orders carry
        options->config = ss_value_new(json_incref(request->config));
    if (request->context)
        options->context = ss_value_new(json_incref(request->context));
    options->strict_resume = request->strict_resume;
    options->max_concurrency = ss_request_int(request->max_concurrency, 0);
    options->priority = ss_request_int(request->priority, 0);
    options->recursion_limit =
        limit < SS_RECURSION_LIMIT_MAX ? limit : SS_RECURSION_LIMIT_MAX;
}

int ss_run_parse(
    struct run *run, const struct ss_request *request, struct ss_error *error)
{
    struct run_options options = {0};
    take_options(ss_run_facts(run)->engine, request, &options);
    int status = check_options(&options, request->input, error);
    if (status == SS_OK)
        status =
            parse_durability(request->durability ? request->durability : "sync",
                &options.durability, error);
    if (status == SS_OK)
        status = parse_names(request->interrupt_before, "interrupt_before",
            &options.before, error);
    if (status == SS_OK)
        status = parse_names(
            request->interrupt_after, "interrupt_after", &options.after, error);
    if (status == SS_OK)
        status = parse_output_keys(
            ss_run_facts(run)->graph, request->output_keys, &options, error);
    ss_run_asked(run, request, &options);
    return status;
}

int ss_run_parse_stored(
    struct run *run, const json_t *body, struct ss_error *error)
{
    json_t *said =
        json_is_object(body) ? json_incref((json_t *)body) : json_object();
    struct ss_request *request = ss_request_new(SS_OP_RUN, NULL, 0, NULL, said);
    int status = ss_run_parse(run, request, error);
    ss_request_unref(request);
    json_decref(said);
    return status;
}

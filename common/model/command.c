// command.c - what a run is started with becomes writes: a Command, or input
// (spec/engine.md R8.2, R8.4).
#include <string.h>

#include "common/model/compare.h"
#include "common/model/reserved.h"
#include "common/model/tag.h"
#include "common/model/writers.h"

static void add(struct ss_writes *writes, const char *channel, json_t *value)
{
    ss_writes_add(writes, channel, ss_value_new(json_incref(value)));
}

static int write_target(
    struct ss_writes *writes, json_t *to, struct ss_error *error)
{
    if (ss_tag_get(to, "$send")) {
        add(writes, SS_NAME_TASKS, to);
        return SS_OK;
    }
    if (!json_is_string(to))
        return ss_error_set(error, SS_EINVAL,
            "command: goto takes names and sends, not %s", ss_type_text(to));
    char *channel = ss_format("%s%s", SS_NAME_BRANCH, json_string_value(to));
    ss_writes_add(writes, channel, ss_value_new(json_string(SS_NAME_START)));
    ss_free(channel);
    return SS_OK;
}

static int write_goto(
    struct ss_writes *writes, json_t *to, struct ss_error *error)
{
    if (!to || json_is_null(to))
        return SS_OK;
    if (!json_is_array(to))
        return write_target(writes, to, error);
    int status = SS_OK;
    for (size_t i = 0; i < json_array_size(to) && status == SS_OK; i++)
        status = write_target(writes, json_array_get(to, i), error);
    return status;
}

static bool is_pairs(const json_t *update)
{
    for (size_t i = 0; i < json_array_size(update); i++) {
        const json_t *pair = json_array_get(update, i);
        if (json_array_size(pair) != 2 ||
            !json_is_string(json_array_get(pair, 0)))
            return false;
    }
    return json_is_array(update);
}

static void write_update(struct ss_writes *writes, json_t *update)
{
    if (!update || json_is_null(update))
        return;
    if (json_is_object(update)) {
        for (void *at = json_object_iter(update); at;
             at = json_object_iter_next(update, at))
            add(writes, json_object_iter_key(at), json_object_iter_value(at));
    } else if (is_pairs(update)) {
        for (size_t i = 0; i < json_array_size(update); i++) {
            const json_t *pair = json_array_get(update, i);
            add(writes, json_string_value(json_array_get(pair, 0)),
                json_array_get(pair, 1));
        }
    } else {
        add(writes, SS_NAME_ROOT, update);
    }
}

int ss_writers_command(
    json_t *command, struct ss_writes *writes, struct ss_error *error)
{
    json_t *marked = ss_tag_get(command, "$command");
    if (marked)
        command = marked;
    if (!json_is_object(command))
        return ss_error_set(error, SS_EINVAL,
            "a command must be a map of update, goto and resume, not %s",
            ss_type_text(command));
    if (strcmp(ss_json_str(command, "graph", ""), SS_NAME_PARENT) == 0)
        return ss_error_set(error, SS_EUPDATE,
            "command: there is no parent graph that it could go to");
    struct ss_writes made = {0};
    int status = write_goto(&made, json_object_get(command, "goto"), error);
    if (status != SS_OK) {
        ss_writes_fini(&made);
        return status;
    }
    json_t *resume = json_object_get(command, "resume");
    if (resume && !json_is_null(resume))
        add(&made, SS_NAME_RESUME, resume);
    write_update(&made, json_object_get(command, "update"));
    for (size_t i = 0; i < made.count; i++)
        SS_VEC_PUSH(writes, made.items[i]);
    SS_VEC_FINI(&made);
    return SS_OK;
}

static size_t count_unknown(const struct ss_keys *known, json_t *input)
{
    size_t count = 0;
    for (void *at = json_object_iter(input); at;
         at = json_object_iter_next(input, at))
        count += !ss_keys_have(known, json_object_iter_key(at));
    return count;
}

int ss_writers_input(const struct ss_graph *graph, json_t *input,
    struct ss_writes *writes, size_t *ret_unknown, struct ss_error *error)
{
    size_t unknown = 0;
    if (json_is_null(input)) {
        // Nothing given, nothing written.
    } else if (graph->input.scalar) {
        add(writes, graph->input.items[0], input);
        if (graph->is_state && !graph->root_state)
            unknown = count_unknown(&graph->input_keys, input);
    } else if (!json_is_object(input)) {
        return ss_error_set(error, SS_EINVAL,
            "graph \"%s\": its input must be a map of channels, not %s",
            graph->name, ss_type_text(input));
    } else {
        for (void *at = json_object_iter(input); at;
             at = json_object_iter_next(input, at))
            if (ss_keys_have(&graph->input, json_object_iter_key(at)))
                add(writes, json_object_iter_key(at),
                    json_object_iter_value(at));
        unknown = count_unknown(&graph->input, input);
    }
    if (ret_unknown)
        *ret_unknown = unknown;
    return SS_OK;
}

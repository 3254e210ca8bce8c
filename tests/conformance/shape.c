// shape.c - what FORMAT.md calls making answers comparable, piece by piece.
#include "tests/conformance/shape.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "tests/conformance/order.h"

void saved_init(struct saved *saved, json_t *rows)
{
    *saved = (struct saved){.rows = rows, .places = json_object()};
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        const char *ns = json_string_value(json_object_get(row, "ns"));
        const char *id = json_string_value(json_object_get(row, "id"));
        json_t *ids = json_object_get(saved->places, ns);
        if (!ids) {
            ids = json_object();
            json_object_set_new(saved->places, ns, ids);
        }
        json_object_set_new(
            ids, id, json_integer((json_int_t)json_object_size(ids)));
    }
}

void saved_fini(struct saved *saved)
{
    json_decref(saved->rows);
    json_decref(saved->places);
    *saved = (struct saved){0};
}

// ------------------------------------------------------------------ values

static json_t *plain_interrupt(json_t *interrupt)
{
    json_t *result = json_pack("{s:o, s:O}", "interrupt",
        shape_plain(json_object_get(interrupt, "value")), "id",
        json_object_get(interrupt, "id"));
    json_t *schema = json_object_get(interrupt, "response_schema");
    if (schema && !json_is_null(schema))
        json_object_set_new(result, "response_schema", shape_plain(schema));
    return result;
}

// A list of interrupts as the objects that they are in the reference.
static json_t *plain_interrupts(json_t *list)
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(list); i++)
        json_array_append_new(result, plain_interrupt(json_array_get(list, i)));
    return result;
}

// A message as a reducer makes it, which may hold more than answers show.
static bool is_message(json_t *map)
{
    return json_is_string(json_object_get(map, "type")) &&
           json_object_get(map, "content") && json_object_get(map, "id");
}

static void drop_unshown(json_t *message)
{
    static const char *const unshown[] = {
        "additional_kwargs", "response_metadata"};
    for (size_t i = 0; i < sizeof(unshown) / sizeof(*unshown); i++)
        json_object_del(message, unshown[i]);
}

static json_t *plain_map(json_t *map)
{
    json_t *send = json_object_get(map, "$send");
    json_t *overwrite = json_object_get(map, SS_NAME_OVERWRITE);
    if (json_object_size(map) == 1 && json_object_get(send, "node"))
        return json_pack("{s:[O, o]}", "$send", json_object_get(send, "node"),
            shape_plain(json_object_get(send, "arg")));
    if (json_object_size(map) == 1 && overwrite)
        return json_pack("{s:o}", "$overwrite", shape_plain(overwrite));
    json_t *result = json_object();
    bool asks = json_object_size(map) == 3 && json_object_get(map, "value") &&
                json_object_get(map, "id") &&
                json_is_null(json_object_get(map, "response_schema"));
    const char *key;
    json_t *item;
    json_object_foreach (map, key, item)
        if (!asks || strcmp(key, "response_schema") != 0)
            json_object_set_new(result, key, shape_plain(item));
    if (is_message(map))
        drop_unshown(result);
    return result;
}

json_t *shape_plain(json_t *value)
{
    if (!value)
        return json_null();
    if (json_is_object(value))
        return plain_map(value);
    if (!json_is_array(value))
        return json_incref(value);
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(value); i++)
        json_array_append_new(result, shape_plain(json_array_get(value, i)));
    return result;
}

// A script that Python's rules stop fails with the name of the error alone.
static const char *name_of(const char *code, const char *message)
{
    static const char *const by_script[] = {
        "invalid_argument", "unknown_route"};
    if (strcmp(code, "node_failed") != 0)
        return code;
    for (size_t i = 0; i < sizeof(by_script) / sizeof(*by_script); i++)
        if (message && strcmp(message, by_script[i]) == 0)
            return by_script[i];
    return code;
}

json_t *shape_failure(json_t *error)
{
    if (!error || json_is_null(error))
        return NULL;
    const char *code = json_string_value(json_object_get(error, "code"));
    json_t *message = json_object_get(error, "message");
    if (!code)
        return json_incref(error);
    if (strcmp(code, "node_failed") == 0 && message)
        return json_incref(message);
    return json_string(code);
}

const char *shape_error_name(json_t *answer)
{
    json_t *error = json_object_get(answer, "error");
    const char *code = json_string_value(json_object_get(error, "code"));
    return code ? name_of(code,
                      json_string_value(json_object_get(error, "message")))
                : NULL;
}

static json_t *metadata(json_t *given)
{
    static const char *const shown[] = {"source", "step"};
    json_t *result = json_object();
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
        json_t *value = json_object_get(given, shown[i]);
        if (value)
            json_object_set(result, shown[i], value);
    }
    return result;
}

static bool is_given(json_t *value)
{
    return value && !json_is_null(value) &&
           !(json_is_array(value) && json_array_size(value) == 0);
}

static void set_name(json_t *object, const char *key, char *name)
{
    json_object_set_new(object, key, json_string(name));
    ss_free(name);
}

// ------------------------------------------------------------------ events

static json_t *sorted_names(json_t *list)
{
    json_t *result = json_copy(list);
    order_by_text(result);
    return result;
}

static json_t *tasks_payload(const struct names *names, json_t *data)
{
    json_t *result = shape_plain(data);
    const char *id = json_string_value(json_object_get(data, "id"));
    json_t *triggers = json_object_get(result, "triggers");
    set_name(result, "id", names_task(names, id ? id : ""));
    json_object_del(result, "metadata");
    if (triggers)
        json_object_set_new(result, "triggers", sorted_names(triggers));
    json_t *error = json_object_get(data, "error");
    if (error && !json_is_null(error))
        json_object_set_new(result, "error", shape_failure(error));
    return result;
}

static json_t *checkpoint_task(json_t *task)
{
    static const char *const shown[] = {"name", "result", "interrupts"};
    json_t *result = json_object();
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
        json_t *value = json_object_get(task, shown[i]);
        if (is_given(value))
            json_object_set_new(result, shown[i], shape_plain(value));
    }
    json_t *error = json_object_get(task, "error");
    if (is_given(error))
        json_object_set_new(result, "error", shape_failure(error));
    return result;
}

static json_t *checkpoints_payload(json_t *data)
{
    json_t *tasks = json_array();
    json_t *given = json_object_get(data, "tasks");
    for (size_t i = 0; i < json_array_size(given); i++)
        json_array_append_new(tasks, checkpoint_task(json_array_get(given, i)));
    return json_pack("{s:o, s:o, s:o, s:o}", "values",
        shape_plain(json_object_get(data, "values")), "next",
        shape_plain(json_object_get(data, "next")), "metadata",
        metadata(json_object_get(data, "metadata")), "tasks", tasks);
}

static json_t *messages_payload(json_t *data)
{
    static const char *const shown[] = {
        "langgraph_node", "langgraph_path", "langgraph_step"};
    json_t *about = json_array_get(data, 1);
    json_t *kept = json_object();
    for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
        json_t *value = json_object_get(about, shown[i]);
        if (value)
            json_object_set(kept, shown[i], value);
    }
    json_t *triggers = json_object_get(about, "langgraph_triggers");
    if (triggers)
        json_object_set_new(kept, "langgraph_triggers", sorted_names(triggers));
    return json_pack("[o, o]", shape_plain(json_array_get(data, 0)), kept);
}

// Values and updates show interrupts under a key of their own.
static json_t *state_payload(json_t *data)
{
    json_t *result = shape_plain(data);
    json_t *asked = json_object_get(data, SS_NAME_INTERRUPT);
    if (json_is_array(asked))
        json_object_set_new(result, SS_NAME_INTERRUPT, plain_interrupts(asked));
    return result;
}

static char *joined(json_t *ns)
{
    char *result = ss_strdup("");
    for (size_t i = 0; i < json_array_size(ns); i++) {
        char *longer = ss_format("%s%s%s", result, i ? "|" : "",
            json_string_value(json_array_get(ns, i)));
        ss_free(result);
        result = longer;
    }
    return result;
}

static json_t *payload_of(
    const struct names *names, const char *mode, json_t *data)
{
    if (strcmp(mode, "tasks") == 0)
        return tasks_payload(names, data);
    if (strcmp(mode, "checkpoints") == 0)
        return checkpoints_payload(data);
    if (strcmp(mode, "messages") == 0)
        return messages_payload(data);
    if (strcmp(mode, "custom") == 0)
        return shape_plain(data);
    return state_payload(data);
}

json_t *shape_event(const struct names *names, json_t *event)
{
    const char *mode = json_string_value(json_object_get(event, "mode"));
    char *ns = joined(json_object_get(event, "ns"));
    char *name = names_ns(names, ns);
    json_t *payload = payload_of(names, mode, json_object_get(event, "data"));
    json_t *result =
        json_pack("[s, s, o]", mode, name, names_scrub(names, payload));
    json_decref(payload);
    ss_free(name);
    ss_free(ns);
    return result;
}

// ------------------------------------------------------------------ snapshots

static json_t *checkpoint_name(const struct names *names,
    const struct saved *saved, const char *ns, const char *id)
{
    json_t *index =
        id ? json_object_get(json_object_get(saved->places, ns), id) : NULL;
    if (!index)
        return json_null();
    char *name = names_ns(names, ns);
    json_t *result =
        json_sprintf("%s#%lld", name, (long long)json_integer_value(index));
    ss_free(name);
    return result;
}

static json_t *config_name(
    const struct names *names, const struct saved *saved, json_t *config)
{
    const char *ns =
        json_string_value(json_object_get(config, "checkpoint_ns"));
    return checkpoint_name(names, saved, ns ? ns : "",
        json_string_value(json_object_get(config, "checkpoint_id")));
}

static json_t *raw_snapshot(
    const struct names *names, const struct saved *saved, json_t *snapshot);

static json_t *snapshot_task(
    const struct names *names, const struct saved *saved, json_t *task)
{
    const char *id = json_string_value(json_object_get(task, "id"));
    json_t *result = json_pack("{s:O*}", "name", json_object_get(task, "name"));
    set_name(result, "id", names_task(names, id ? id : ""));
    json_t *part = json_object_get(task, "error");
    if (part && !json_is_null(part))
        json_object_set_new(result, "error", shape_failure(part));
    part = json_object_get(task, "interrupts");
    if (json_array_size(part) > 0)
        json_object_set_new(result, "interrupts", plain_interrupts(part));
    part = json_object_get(task, "result");
    if (part && !json_is_null(part))
        json_object_set_new(result, "result", shape_plain(part));
    part = json_object_get(task, "state");
    if (json_object_get(part, "tasks"))
        json_object_set_new(result, "state", raw_snapshot(names, saved, part));
    return result;
}

static json_t *raw_snapshot(
    const struct names *names, const struct saved *saved, json_t *snapshot)
{
    json_t *tasks = json_array();
    json_t *given = json_object_get(snapshot, "tasks");
    for (size_t i = 0; i < json_array_size(given); i++)
        json_array_append_new(
            tasks, snapshot_task(names, saved, json_array_get(given, i)));
    json_t *result = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "values",
        shape_plain(json_object_get(snapshot, "values")), "next",
        shape_plain(json_object_get(snapshot, "next")), "tasks", tasks,
        "metadata", metadata(json_object_get(snapshot, "metadata")),
        "checkpoint",
        config_name(names, saved, json_object_get(snapshot, "config")),
        "parent",
        config_name(names, saved, json_object_get(snapshot, "parent_config")));
    json_t *asked = json_object_get(snapshot, "interrupts");
    if (json_array_size(asked) > 0)
        json_object_set_new(result, "interrupts", plain_interrupts(asked));
    return result;
}

json_t *shape_snapshot(
    const struct names *names, const struct saved *saved, json_t *snapshot)
{
    json_t *raw = raw_snapshot(names, saved, snapshot);
    json_t *result = names_scrub(names, raw);
    json_decref(raw);
    return result;
}

// ------------------------------------------------------------------ saved

static json_t *write_value(const char *channel, json_t *value)
{
    if (strcmp(channel, SS_NAME_INTERRUPT) == 0)
        return plain_interrupts(value);
    if (strcmp(channel, SS_NAME_ERROR) == 0) {
        json_t *failure = shape_failure(value);
        return failure ? failure : json_null();
    }
    return shape_plain(value);
}

static json_t *pending_writes(const struct names *names, json_t *given)
{
    json_t *result = json_array();
    for (size_t i = 0; i < json_array_size(given); i++) {
        json_t *write = json_array_get(given, i);
        const char *channel =
            json_string_value(json_object_get(write, "channel"));
        const char *id = json_string_value(json_object_get(write, "task_id"));
        char *task = names_task(names, id ? id : "");
        bool taken =
            strcmp(task, "-") == 0 && strcmp(channel, SS_NAME_RESUME) == 0;
        if (!taken)
            json_array_append_new(result,
                json_pack("[s, s, o]", task, channel,
                    write_value(channel, json_object_get(write, "value"))));
        ss_free(task);
    }
    order_by_text(result);
    return result;
}

static json_t *saved_row(
    const struct names *names, const struct saved *saved, json_t *row)
{
    const char *ns = json_string_value(json_object_get(row, "ns"));
    const char *id = json_string_value(json_object_get(row, "id"));
    const char *parent = json_string_value(json_object_get(row, "parent_id"));
    json_t *updated = json_object_get(row, "updated_channels");
    return json_pack("{s:o, s:o, s:o, s:o, s:O*, s:O*, s:o, s:o}", "checkpoint",
        checkpoint_name(names, saved, ns, id), "parent",
        checkpoint_name(names, saved, ns, parent), "metadata", metadata(row),
        "channel_values", shape_plain(json_object_get(row, "channel_values")),
        "channel_versions", json_object_get(row, "channel_versions"),
        "versions_seen", json_object_get(row, "versions_seen"),
        "updated_channels", shape_plain(updated), "pending_writes",
        pending_writes(names, json_object_get(row, "pending_writes")));
}

// Namespaces by their name, those of one name by their age; rows keep their
// order within each.
static json_t *namespaces_by_name(
    const struct names *names, const struct saved *saved)
{
    json_t *keyed = json_array();
    const char *ns;
    json_t *ids;
    json_object_foreach (saved->places, ns, ids) {
        char *name = names_ns(names, ns);
        const char *oldest = json_object_iter_key(json_object_iter(ids));
        size_t place = json_array_size(keyed);
        for (; place > 0; place--) {
            json_t *other = json_array_get(keyed, place - 1);
            int order =
                strcmp(json_string_value(json_array_get(other, 0)), name);
            if (order == 0)
                order =
                    strcmp(json_string_value(json_array_get(other, 1)), oldest);
            if (order <= 0)
                break;
        }
        json_array_insert_new(
            keyed, place, json_pack("[s, s, s]", name, oldest, ns));
        ss_free(name);
    }
    return keyed;
}

json_t *shape_checkpoints(const struct names *names, const struct saved *saved)
{
    json_t *result = json_array();
    json_t *namespaces = namespaces_by_name(names, saved);
    for (size_t n = 0; n < json_array_size(namespaces); n++) {
        json_t *ns = json_array_get(json_array_get(namespaces, n), 2);
        for (size_t i = 0; i < json_array_size(saved->rows); i++) {
            json_t *row = json_array_get(saved->rows, i);
            if (json_equal(json_object_get(row, "ns"), ns))
                json_array_append_new(result, saved_row(names, saved, row));
        }
    }
    json_decref(namespaces);
    json_t *scrubbed = names_scrub(names, result);
    json_decref(result);
    return scrubbed;
}

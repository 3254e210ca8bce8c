// messages.c - the messages that a node returned, for those who stream
// "messages" (spec/engine.md R10.13).
//
// A message object is a map with "type" (human, ai, system, tool, function,
// remove), "content" and "id" (null: one is made up). It is found as the
// returned value itself, in the returned list, as a field of the returned map,
// and in a list that is a field; the same in a Command's update and in each
// item of a list. No deeper, and never in an Overwrite, nor in a Command to the
// parent.
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/model/reserved.h"
#include "common/model/value.h"
#include "worker/task.h"

struct collector {
    const char *task_id;
    json_t *messages;
    size_t made_up; // ids so far
};

static bool is_message(const json_t *json)
{
    static const char *const types[] = {
        "human", "ai", "system", "tool", "function", "remove"};
    const char *type = ss_json_str(json, "type", NULL);
    const json_t *id = json_object_get(json, "id");
    if (!type || !json_object_get(json, "content") ||
        !(!id || json_is_string(id) || json_is_null(id)))
        return false;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(types[i], type) == 0)
            return true;
    return false;
}

// An id that is the same on every attempt: made from the task and the place.
static json_t *made_id(struct collector *collector)
{
    char name[SS_UUID_SIZE + 40];
    char id[SS_UUID_SIZE];
    size_t place = collector->made_up++;
    int size = snprintf(
        name, sizeof(name), "%s/message/%zu", collector->task_id, place);
    uint64_t high = ss_hash64(name, (size_t)size);
    name[0] = (char)(name[0] ^ 1);
    ss_uuid4(high, ss_hash64(name, (size_t)size), id);
    return json_string(id);
}

static json_t *take(struct collector *collector, json_t *message)
{
    json_t *given = json_incref(message);
    if (!json_is_string(json_object_get(message, "id"))) {
        json_decref(given);
        given = json_copy(message);
        json_object_set_new(given, "id", made_id(collector));
    }
    json_array_append(collector->messages, given);
    return given;
}

// The item, or its message with an id. Gives.
static json_t *take_item(struct collector *collector, json_t *item)
{
    return is_message(item) ? take(collector, item) : json_incref(item);
}

static json_t *take_list(struct collector *collector, json_t *list)
{
    json_t *given = json_array();
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item)
        json_array_append_new(given, take_item(collector, item));
    return given;
}

static json_t *take_field(struct collector *collector, json_t *value)
{
    return json_is_array(value) ? take_list(collector, value)
                                : take_item(collector, value);
}

// A map, a list, or a message: what a body returns that is not a mark.
static json_t *take_value(struct collector *collector, json_t *value)
{
    if (json_is_array(value))
        return take_list(collector, value);
    if (!json_is_object(value) || is_message(value))
        return take_item(collector, value);
    json_t *given = json_object();
    const char *key;
    json_t *field;
    json_object_foreach (value, key, field)
        json_object_set_new(given, key, take_field(collector, field));
    return given;
}

// An update of a command: a map, or a list of [key, value].
static json_t *take_update(struct collector *collector, json_t *update)
{
    if (!json_is_array(update))
        return take_value(collector, update);
    json_t *given = json_array();
    size_t index;
    json_t *pair;
    json_array_foreach (update, index, pair) {
        if (!json_is_array(pair) || json_array_size(pair) != 2) {
            json_array_append_new(given, take_item(collector, pair));
            continue;
        }
        json_array_append_new(
            given, json_pack("[O, o]", json_array_get(pair, 0),
                       take_field(collector, json_array_get(pair, 1))));
    }
    return given;
}

static json_t *take_command(struct collector *collector, json_t *command)
{
    json_t *update = json_object_get(command, "update");
    const char *graph = ss_json_str(command, "graph", NULL);
    if (!update || (graph && strcmp(graph, SS_NAME_PARENT) == 0))
        return json_incref(command);
    json_t *given = json_copy(command);
    json_object_set_new(given, "update", take_update(collector, update));
    return given;
}

// The content of the mark `key`, if `value` is that mark. Borrowed.
static json_t *mark(const json_t *value, const char *key)
{
    return json_object_size(value) == 1 ? json_object_get(value, key) : NULL;
}

static json_t *take_returned(struct collector *collector, json_t *returned)
{
    json_t *inside = mark(returned, "$command");
    if (inside)
        return json_pack("{s:o}", "$command", take_command(collector, inside));
    inside = mark(returned, "$quote");
    if (inside)
        return json_pack("{s:o}", "$quote", take_value(collector, inside));
    if (mark(returned, "$send"))
        return json_incref(returned);
    return take_value(collector, returned);
}

json_t *ss_messages_collect(
    const char *task_id, json_t *returned, json_t **ret_messages)
{
    struct collector collector = {.task_id = task_id, .messages = json_array()};
    json_t *items = mark(returned, "$list");
    json_t *given;
    if (items) {
        json_t *list = json_array();
        size_t index;
        json_t *item;
        json_array_foreach (items, index, item)
            json_array_append_new(list, take_returned(&collector, item));
        given = json_pack("{s:o}", "$list", list);
    } else {
        given = take_returned(&collector, returned);
    }
    *ret_messages = collector.messages;
    return given;
}

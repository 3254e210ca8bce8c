// message.c - a message in any form as the map that answers show.
#include <string.h>

#include "expression.h"
#include "python.h"

static const char *const types[][2] = {
    {"user", "human"},
    {"human", "human"},
    {"assistant", "ai"},
    {"ai", "ai"},
    {"system", "system"},
    {"developer", "system"},
    {"tool", "tool"},
    {"function", "function"},
    {"remove", "remove"},
};

static const char *type_of(const json_t *role)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (json_is_string(role) &&
            strcmp(types[i][0], json_string_value(role)) == 0)
            return types[i][1];
    return NULL;
}

static json_t *tool_calls(const json_t *given)
{
    json_t *calls = json_array();
    for (size_t i = 0; i < json_array_size(given); i++) {
        json_t *call = json_array_get(given, i);
        json_t *id = json_object_get(call, "id");
        json_array_append_new(
            calls, json_pack("{s:O*, s:O*, s:O, s:s}", "name",
                       json_object_get(call, "name"), "args",
                       json_object_get(call, "args"), "id",
                       id ? id : json_null(), "type", "tool_call"));
    }
    return calls;
}

static json_t *plain_message(const char *type, json_t *content)
{
    return json_pack("{s:s, s:O, s:n}", "type", type, "content", content, "id");
}

json_t *message_map(json_t *like)
{
    if (json_is_string(like))
        return plain_message("human", like);
    if (json_is_array(like) && json_array_size(like) == 2) {
        const char *type = type_of(json_array_get(like, 0));
        return type ? plain_message(type, json_array_get(like, 1)) : NULL;
    }
    json_t *role = json_object_get(like, "role");
    const char *type = type_of(role ? role : json_object_get(like, "type"));
    json_t *content = json_object_get(like, "content");
    if (!type || (!content && strcmp(type, "remove") != 0))
        return NULL;
    json_t *empty = json_string("");
    json_t *message =
        plain_message(type, !content || strcmp(type, "remove") == 0 ? empty
                            : json_is_null(content)                 ? empty
                                                                    : content);
    json_decref(empty);
    json_t *id = json_object_get(like, "id");
    if (id)
        json_object_set(message, "id", id);
    static const char *const more[] = {"name", "tool_call_id", "artifact"};
    for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
        json_t *value = json_object_get(like, more[i]);
        bool zero = python_is_number(value); // 0 is kept; "", [] and {} are not
        if (value && (zero || python_true(value)))
            json_object_set(message, more[i], value);
    }
    json_t *calls = json_object_get(like, "tool_calls");
    if (json_array_size(calls) > 0)
        json_object_set_new(message, "tool_calls", tool_calls(calls));
    json_t *status = json_object_get(like, "status");
    if (json_is_string(status) && strcmp(type, "tool") == 0 &&
        strcmp(json_string_value(status), "success") != 0)
        json_object_set(message, "status", status);
    return message;
}

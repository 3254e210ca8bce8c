// json.c - JSON text is read strictly and under limits; what is decoded is
// asked with defaults. json_write.c writes.
#include <math.h>
#include <stddef.h>

#include "common/model/limits.h"
#include "common/model/value.h"

int ss_json_depth(const char *text, size_t size)
{
    int depth = 0, deepest = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if (in_string) {
            if (c == '\\')
                i++;
            else if (c == '"')
                in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest)
                deepest = depth;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return deepest;
}

int ss_json_parse(
    const char *text, size_t size, json_t **ret_json, struct ss_error *error)
{
    if (size > SS_VALUE_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "JSON of %zu bytes; the limit is %u", size, SS_VALUE_SIZE_MAX);
    if (size == 0) // text may be NULL then
        return ss_error_set(
            error, SS_EFORMAT, "JSON is malformed: it is empty");
    if (ss_json_depth(text, size) > SS_VALUE_DEPTH_MAX)
        return ss_error_set(error, SS_EFORMAT,
            "JSON is nested deeper than %d levels", SS_VALUE_DEPTH_MAX);
    json_error_t at;
    json_t *json =
        json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &at);
    if (!json)
        return ss_error_set(error, SS_EFORMAT,
            "JSON is malformed at line %d, column %d: %s", at.line, at.column,
            at.text);
    *ret_json = json;
    return SS_OK;
}

const char *ss_json_str(
    const json_t *object, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : otherwise;
}

json_int_t ss_json_int(
    const json_t *object, const char *key, json_int_t otherwise)
{
    const json_t *member = json_object_get(object, key);
    return json_is_integer(member) ? json_integer_value(member) : otherwise;
}

bool ss_json_bool(const json_t *object, const char *key, bool otherwise)
{
    const json_t *member = json_object_get(object, key);
    return json_is_boolean(member) ? json_is_true(member) : otherwise;
}

bool ss_json_truthy(const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return json_object_size(json) > 0;
    case JSON_ARRAY:
        return json_array_size(json) > 0;
    case JSON_STRING:
        return json_string_length(json) > 0;
    case JSON_INTEGER:
        return json_integer_value(json) != 0;
    case JSON_REAL:
        return fabs(json_real_value(json)) > 0;
    case JSON_TRUE:
        return true;
    case JSON_FALSE:
    case JSON_NULL:
        return false;
    }
    return false;
}

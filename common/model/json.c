// json.c - JSON text: strict reading under limits, compact writing.
//
// Writing is our own for two reasons: a number with a fraction gets the
// shortest text that reads back as itself, and jansson's dump looks for loops
// with a table for each container.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
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

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

// Most strings hold nothing to be escaped. False: this one does, or there is no
// room.
static bool add_plain_string(struct ss_buf *buf, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!is_plain((unsigned char)text[i]))
            return false;
    char *room = size < SIZE_MAX / 4 ? ss_buf_room(buf, size + 2) : NULL;
    if (!room)
        return false;
    *room = '"';
    if (size > 0)
        memcpy(room + 1, text, size);
    room[size + 1] = '"';
    return true;
}

void ss_json_add_string(struct ss_buf *buf, const char *text, size_t size)
{
    if (add_plain_string(buf, text, size))
        return;
    ss_buf_add(buf, "\"", 1);
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if (is_plain(c))
            continue;
        ss_buf_add(buf, text + from, i - from);
        from = i + 1;
        switch (c) {
        case '"':
            ss_buf_add(buf, "\\\"", 2);
            break;
        case '\\':
            ss_buf_add(buf, "\\\\", 2);
            break;
        case '\n':
            ss_buf_add(buf, "\\n", 2);
            break;
        case '\r':
            ss_buf_add(buf, "\\r", 2);
            break;
        case '\t':
            ss_buf_add(buf, "\\t", 2);
            break;
        default:
            ss_buf_addf(buf, "\\u%04x", c);
        }
    }
    ss_buf_add(buf, text + from, size - from);
    ss_buf_add(buf, "\"", 1);
}

static void add_char(struct ss_buf *buf, char c)
{
    char *room = ss_buf_room(buf, 1);
    if (room)
        *room = c;
}

static void emit_real(struct ss_buf *buf, double number)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (digits == 17 || fabs(strtod(text, NULL) - number) <= 0)
            break;
    }
    // Whatever the locale says: JSON has a point.
    for (char *c = text; *c; c++)
        if (*c == ',')
            *c = '.';
    ss_buf_add_str(buf, text);
    if (!strpbrk(text, ".eE"))
        ss_buf_add(buf, ".0", 2);
}

static void emit_integer(struct ss_buf *buf, json_int_t number)
{
    char text[SS_NUMBER_SIZE];
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t size = ss_number_text(rest, text);
    if (number < 0)
        add_char(buf, '-');
    ss_buf_add(buf, text, size);
}

static void emit(struct ss_buf *buf, const json_t *json, bool is_sorted);

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void emit_member(struct ss_buf *buf, const char *key,
    const json_t *member, bool is_sorted, bool is_first)
{
    if (!is_first)
        add_char(buf, ',');
    ss_json_add_string(buf, key, strlen(key));
    add_char(buf, ':');
    emit(buf, member, is_sorted);
}

static void emit_sorted(struct ss_buf *buf, json_t *object)
{
    size_t count = json_object_size(object), i = 0;
    const char **keys = ss_zalloc(count + 1, sizeof(*keys));
    for (void *at = json_object_iter(object); at;
         at = json_object_iter_next(object, at))
        keys[i++] = json_object_iter_key(at);
    qsort(keys, count, sizeof(*keys), compare_keys);
    for (i = 0; i < count; i++)
        emit_member(
            buf, keys[i], json_object_get(object, keys[i]), true, i == 0);
    ss_free(keys);
}

static void emit_object(struct ss_buf *buf, json_t *object, bool is_sorted)
{
    add_char(buf, '{');
    if (is_sorted && json_object_size(object) > 1) {
        emit_sorted(buf, object);
    } else {
        bool is_first = true;
        for (void *at = json_object_iter(object); at;
             at = json_object_iter_next(object, at)) {
            emit_member(buf, json_object_iter_key(at),
                json_object_iter_value(at), is_sorted, is_first);
            is_first = false;
        }
    }
    add_char(buf, '}');
}

static void emit(struct ss_buf *buf, const json_t *json, bool is_sorted)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        emit_object(buf, (json_t *)json, is_sorted);
        break;
    case JSON_ARRAY:
        add_char(buf, '[');
        for (size_t i = 0; i < json_array_size(json); i++) {
            if (i > 0)
                add_char(buf, ',');
            emit(buf, json_array_get(json, i), is_sorted);
        }
        add_char(buf, ']');
        break;
    case JSON_STRING:
        ss_json_add_string(
            buf, json_string_value(json), json_string_length(json));
        break;
    case JSON_INTEGER:
        emit_integer(buf, json_integer_value(json));
        break;
    case JSON_REAL:
        emit_real(buf, json_real_value(json));
        break;
    case JSON_TRUE:
        ss_buf_add(buf, "true", 4);
        break;
    case JSON_FALSE:
        ss_buf_add(buf, "false", 5);
        break;
    case JSON_NULL:
        ss_buf_add(buf, "null", 4);
        break;
    }
}

static char *text_of(const json_t *json, bool is_sorted)
{
    struct ss_buf buf;
    ss_buf_init(&buf, SIZE_MAX);
    emit(&buf, json, is_sorted);
    return ss_buf_steal(&buf, NULL);
}

char *ss_json_text(const json_t *json)
{
    return text_of(json, false);
}

char *ss_json_canonical(const json_t *json)
{
    return text_of(json, true);
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

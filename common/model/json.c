// json.c - parts of JSON text without reading it; what is decoded is asked with
// defaults. json_read.c reads, json_write.c writes.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "common/base/text.h"
#include "common/model/value.h"

// ------------------------------------------------ the parts of a text

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
    while (at < size && strchr(" \n\t\r", text[at]) && text[at])
        at++;
    return at;
}

// Behind the string whose quote stands at `at`; 0: it has no end.
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size; at++) {
        at += ss_text_plain_size(text + at, size - at);
        if (at < size && text[at] == '"')
            return at + 1;
        at += at < size && text[at] == '\\';
    }
    return 0;
}

int ss_json_depth(const char *text, size_t size)
{
    int depth = 0, deepest = 0;
    for (size_t at = 0; at < size; at++) {
        char c = text[at];
        if (c == '"') {
            at = skip_string(text, size, at);
            if (at-- == 0)
                break; // it has no end
        } else if (c == '[' || c == '{') {
            if (++depth > deepest)
                deepest = depth;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return deepest;
}

// Behind the value at `at`, blanks in front of what follows included; 0: it has
// no end, or there is none.
static size_t skip_value(const char *text, size_t size, size_t at)
{
    size_t from = at;
    int depth = 0;
    while (at < size) {
        char c = text[at];
        if (c == '"') {
            at = skip_string(text, size, at);
            if (at == 0)
                return 0;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}'))
            return at > from ? at : 0;
        depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        at++;
    }
    return 0;
}

bool ss_json_members(
    const char *text, size_t size, ss_json_member_fn *visit, void *ctx)
{
    size_t at = skip_blanks(text, size, 0);
    if (at == size || text[at] != '{')
        return false;
    at = skip_blanks(text, size, at + 1);
    bool is_empty = at < size && text[at] == '}';
    while (!is_empty) {
        size_t key = at + 1;
        at = at < size && text[at] == '"' ? skip_string(text, size, at) : 0;
        if (at == 0 || memchr(text + key, '\\', at - 1 - key))
            return false;
        size_t key_size = at - 1 - key;
        at = skip_blanks(text, size, at);
        if (at == size || text[at] != ':')
            return false;
        size_t from = skip_blanks(text, size, at + 1);
        at = skip_value(text, size, from);
        if (at == 0 ||
            !visit(ctx, text + key, key_size, text + from, at - from))
            return false;
        if (text[at] == '}')
            break;
        at = skip_blanks(text, size, at + 1);
    }
    return skip_blanks(text, size, at + 1) == size;
}

// ------------------------------------------------ members with defaults

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

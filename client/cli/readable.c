// readable.c - what to show of values of classes.
#include "client/cli/readable.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/base64.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/value.h"

static int part(const json_t *list, size_t index)
{
    return (int)json_integer_value(json_array_get(list, index));
}

static json_t *fraction_of(const char *text, int us)
{
    return us ? json_sprintf("%s.%06d", text, us) : json_string(text);
}

static json_t *clock_of(const json_t *fields)
{
    char *text =
        ss_format("%02d:%02d:%02d", (int)ss_json_int(fields, "hour", 0),
            (int)ss_json_int(fields, "minute", 0),
            (int)ss_json_int(fields, "second", 0));
    json_t *clock =
        fraction_of(text, (int)ss_json_int(fields, "microsecond", 0));
    ss_free(text);
    return clock;
}

// As Python writes it: 1 day, 0:00:02.
static json_t *span_of(const json_t *parts)
{
    int days = part(parts, 0), seconds = part(parts, 1);
    char *before =
        days ? ss_format("%d day%s, ", days, abs(days) == 1 ? "" : "s")
             : ss_strdup("");
    char *text = ss_format("%s%d:%02d:%02d", before, seconds / 3600,
        seconds / 60 % 60, seconds % 60);
    json_t *span = fraction_of(text, part(parts, 2));
    ss_free(before);
    ss_free(text);
    return span;
}

static json_t *uuid_of(const char *hex)
{
    return strlen(hex) != 32 ? json_string(hex)
                             : json_sprintf("%.8s-%.4s-%.4s-%.4s-%s", hex,
                                   hex + 8, hex + 12, hex + 16, hex + 20);
}

static json_t *dict_of(const json_t *pairs)
{
    json_t *map = json_object(), *pair;
    size_t i;
    json_array_foreach (pairs, i, pair) {
        json_t *key = ss_readable(json_array_get(pair, 0));
        char *text = json_is_string(key) ? ss_strdup(json_string_value(key))
                                         : ss_json_text(key);
        json_object_set_new(map, text, ss_readable(json_array_get(pair, 1)));
        ss_free(text);
        json_decref(key);
    }
    return map;
}

static bool is_class(
    const struct ss_typed *typed, const char *module, const char *name)
{
    return strcmp(typed->module, module) == 0 && strcmp(typed->name, name) == 0;
}

static json_t *typed_of(const struct ss_typed *typed)
{
    const char *text = json_string_value(typed->arg);
    if (is_class(typed, "uuid", "UUID") && text)
        return uuid_of(text);
    if (is_class(typed, "datetime", "date") && json_array_size(typed->arg) == 3)
        return json_sprintf("%04d-%02d-%02d", part(typed->arg, 0),
            part(typed->arg, 1), part(typed->arg, 2));
    if (is_class(typed, "datetime", "time") && json_is_object(typed->arg))
        return clock_of(typed->arg);
    if (is_class(typed, "datetime", "timedelta") &&
        json_array_size(typed->arg) == 3)
        return span_of(typed->arg);
    if (is_class(typed, "builtins", "dict"))
        return dict_of(typed->arg);
    json_t *inside = ss_readable(typed->arg);
    bool has_fields = json_is_object(inside);
    if (!has_fields && (typed->code == 0 || typed->method))
        return inside;
    char *name = ss_format("%s.%s", typed->module, typed->name);
    json_t *object = json_pack("{s:o}", name, inside);
    ss_free(name);
    return object;
}

static json_t *opaque_of(const json_t *value, const char *name)
{
    const json_t *inside = json_object_get(value, SS_NAME_OPAQUE);
    const json_t *data = json_object_get(inside, "data");
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (ss_base64_bytes(
            json_string_value(data), json_string_length(data), &bytes, &size))
        ss_free(bytes);
    return strncmp(name, "byte", 4) == 0
               ? json_sprintf("%s %zu", name, size)
               : json_sprintf("%s, %zu bytes", name, size);
}

json_t *ss_readable(const json_t *value)
{
    struct ss_typed typed;
    const char *name = ss_opaque_class(value), *key;
    json_t *copy, *item;
    size_t i;
    if (name)
        return opaque_of(value, name);
    if (ss_typed_open(value, &typed))
        return typed_of(&typed);
    if (json_is_array(value)) {
        copy = json_array();
        json_array_foreach (value, i, item)
            json_array_append_new(copy, ss_readable(item));
        return copy;
    }
    if (!json_is_object(value))
        return json_incref((json_t *)value);
    copy = json_object();
    json_object_foreach ((json_t *)value, key, item)
        json_object_set_new(copy, key, ss_readable(item));
    return copy;
}

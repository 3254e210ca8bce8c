// revive.c - objects that JSON only describes.
#include "client/langgraph/revive.h"

#include <string.h>

#include "client/langgraph/item.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/value.h"

static json_t *typed(enum ss_ext_code code, const char *module,
    const char *name, json_t *arg, json_t *method)
{
    return json_pack("{s:[i, s, s, O, O*]}", SS_NAME_TYPED, (int)code, module,
        name, arg, json_is_string(method) ? method : NULL);
}

// The map as pairs: a plain one could not be told from a mark.
static json_t *dict_of(const json_t *map)
{
    json_t *pairs = json_array(), *value;
    const char *key;
    json_object_foreach ((json_t *)map, key, value)
        json_array_append_new(pairs, json_pack("[s, O]", key, value));
    json_t *dict = typed(SS_EXT_ARG, "builtins", "dict", pairs, NULL);
    json_decref(pairs);
    return dict;
}

static json_t *bytes_of(const json_t *list)
{
    size_t count = json_array_size(list);
    uint8_t *bytes = ss_alloc(count + 1);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)json_integer_value(json_array_get(list, i));
    json_t *mark = ss_item_mark("bytes", "bytes", bytes, count);
    ss_free(bytes);
    return mark;
}

static bool are_pairs(const json_t *list)
{
    size_t i;
    json_t *pair;
    json_array_foreach (list, i, pair)
        if (json_array_size(pair) != 2)
            return false;
    return json_is_array(list);
}

// An object of JavaScript's own, by the name of its class alone; NULL: the map
// says it well enough.
static json_t *script_object(const char *name, json_t *arg)
{
    if (strcmp(name, "Set") == 0 && json_is_array(arg))
        return typed(SS_EXT_ARG, "builtins", "set", arg, NULL);
    if (strcmp(name, "Map") == 0 && are_pairs(arg))
        return typed(SS_EXT_ARG, "builtins", "dict", arg, NULL);
    if (strcmp(name, "Uint8Array") == 0 && json_is_array(arg))
        return bytes_of(arg);
    return NULL;
}

static char *module_of(const json_t *id)
{
    struct ss_buf text;
    ss_buf_init(&text, SS_LANGGRAPH_CLASS_MAX);
    for (size_t i = 0; i + 1 < json_array_size(id); i++) {
        const char *part = json_string_value(json_array_get(id, i));
        ss_buf_add_str(&text, i > 0 ? "." : "");
        ss_buf_add_str(&text, part ? part : "?");
    }
    char *module = ss_strdup(ss_buf_str(&text));
    ss_buf_fini(&text);
    return module;
}

// An object of Python's: by its fields, one argument, or several.
static json_t *python_object(
    const json_t *record, const char *module, const char *name)
{
    json_t *args = json_object_get(record, "args");
    json_t *fields = json_object_get(record, "kwargs");
    json_t *method = json_object_get(record, "method");
    if (!ss_ext_is_name(module) || !ss_ext_is_name(name))
        return NULL;
    if (json_object_size(fields) > 0)
        return typed(SS_EXT_FIELDS, module, name, fields, NULL);
    if (json_array_size(args) == 1)
        return typed(json_is_string(method) ? SS_EXT_METHOD : SS_EXT_ARG,
            module, name, json_array_get(args, 0), method);
    return json_is_array(args) ? typed(SS_EXT_ARGS, module, name, args, NULL)
                               : NULL;
}

static json_t *object_of(const json_t *record, json_int_t lc)
{
    const char *type = ss_json_str(record, "type", "");
    const json_t *id = json_object_get(record, "id");
    size_t count = json_array_size(id);
    const char *name =
        count > 0 ? json_string_value(json_array_get(id, count - 1)) : NULL;
    if (lc == 2 && strcmp(type, "undefined") == 0)
        return json_null();
    if (lc == 2 && strcmp(type, "delta_snapshot") == 0)
        return json_incref(json_object_get(record, "value"));
    if (strcmp(type, "constructor") != 0 || !name)
        return NULL;
    if (lc == 1)
        return ss_item_message(NULL, name, json_object_get(record, "kwargs"));
    if (count == 1)
        return script_object(
            name, json_array_get(json_object_get(record, "args"), 0));
    char *module = module_of(id);
    json_t *object = python_object(record, module, name);
    ss_free(module);
    return object;
}

static json_t *revive_map(const json_t *json)
{
    json_t *map = json_object(), *value;
    const char *key;
    json_object_foreach ((json_t *)json, key, value)
        json_object_set_new(map, key, ss_revive(value));
    json_int_t lc = ss_json_int(map, "lc", 0);
    json_t *other = lc == 1 || lc == 2 ? object_of(map, lc) : NULL;
    if (!other && (json_object_get(map, SS_NAME_OPAQUE) ||
                      json_object_get(map, SS_NAME_TYPED)))
        other = dict_of(map);
    if (!other)
        return map;
    json_decref(map);
    return other;
}

json_t *ss_revive(const json_t *json)
{
    if (json_is_object(json))
        return revive_map(json);
    if (!json_is_array(json))
        return json_incref((json_t *)json);
    json_t *list = json_array(), *item;
    size_t i;
    json_array_foreach (json, i, item)
        json_array_append_new(list, ss_revive(item));
    return list;
}

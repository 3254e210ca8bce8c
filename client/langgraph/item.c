// item.c - plain data both ways, and marks of what is none.
#include "client/langgraph/item.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/base64.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/reducer.h"
#include "common/model/value.h"

#define BUILTINS "builtins"
#define MESSAGES "langchain_core.messages."
#define VALIDATE "model_validate_json"
#define DICT     "dict"
#define INT      "int"
#define FLOAT    "float"

// ------------------------------------------------------------------ marks

json_t *ss_item_mark(
    const char *class_name, const char *tag, const void *bytes, size_t size)
{
    char *data = ss_base64_text(bytes, size);
    json_t *mark = json_pack("{s:{s:s, s:s, s:s}}", SS_NAME_OPAQUE, "class",
        class_name, "tag", tag, "data", data);
    ss_free(data);
    ss_check(mark);
    return mark;
}

int ss_item_mark_open(const json_t *mark, const char **ret_tag,
    uint8_t **ret_bytes, size_t *ret_size, struct ss_error *error)
{
    const json_t *inside = json_object_get(mark, SS_NAME_OPAQUE);
    const json_t *data = json_object_get(inside, "data");
    if (!json_is_string(data) ||
        !ss_base64_bytes(json_string_value(data), json_string_length(data),
            ret_bytes, ret_size))
        return ss_error_set(error, SS_EFORMAT,
            "a %.200s: its data is not base64", ss_opaque_class(mark));
    *ret_tag = ss_json_str(inside, "tag", "");
    return SS_OK;
}

static bool is_message(const json_t *json);

// ------------------------------------------------------------------ decoding

// Where an item stands.
struct place {
    int depth;
    bool is_inside; // of an extension: messages keep all of their fields
};

static struct place below(struct place place)
{
    place.depth++;
    return place;
}

static int decode(struct ss_msgpack_reader *reader, struct place place,
    json_t **ret_json, struct ss_error *error);

// From `begin` to where the reader is.
static json_t *mark_of(const struct ss_msgpack_reader *reader,
    const uint8_t *begin, const struct ss_msgpack_item *item)
{
    char name[SS_LANGGRAPH_CLASS_MAX];
    ss_ext_class(item, name);
    return ss_item_mark(name, "msgpack", begin, (size_t)(reader->at - begin));
}

// A value of Python's that is written without an extension. Takes `arg`.
static json_t *builtin(const char *name, json_t *arg)
{
    return json_pack(
        "{s:[i, s, s, o]}", SS_NAME_TYPED, SS_EXT_ARG, BUILTINS, name, arg);
}

static int decode_text(const struct ss_msgpack_item *item, json_t **ret_json,
    struct ss_error *error)
{
    json_t *text = json_stringn((const char *)item->bytes, item->size);
    if (!text)
        return ss_error_set(
            error, SS_EFORMAT, "msgpack: a text that is not UTF-8");
    *ret_json = text;
    return SS_OK;
}

static int decode_list(struct ss_msgpack_reader *reader, size_t count,
    struct place place, json_t **ret_json, struct ss_error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *item = NULL;
        int status = decode(reader, below(place), &item, error);
        if (status != SS_OK) {
            json_decref(list);
            return status;
        }
        json_array_append_new(list, item);
    }
    *ret_json = list;
    return SS_OK;
}

// Put one pair into `map`. False in *ret_plain: JSON cannot have its key (not
// text, with a NUL, or a duplicate).
static int decode_pair(struct ss_msgpack_reader *reader, struct place place,
    json_t *map, bool *ret_plain, struct ss_error *error)
{
    struct ss_msgpack_item key;
    json_t *value = NULL;
    int status = ss_msgpack_read(reader, &key, error);
    *ret_plain = false;
    if (status != SS_OK || key.type != SS_MSGPACK_STR ||
        (key.size > 0 && memchr(key.bytes, '\0', key.size)))
        return status;
    char *name = ss_memdup(key.bytes, key.size);
    bool is_new = json_object_get(map, name) == NULL;
    if (is_new)
        status = decode(reader, below(place), &value, error);
    if (value && json_object_set_new(map, name, value) != 0)
        status =
            ss_error_set(error, SS_EFORMAT, "msgpack: a key that is not UTF-8");
    ss_free(name);
    *ret_plain = is_new && status == SS_OK;
    return status;
}

// The pairs of a map that JSON cannot have.
static int decode_pairs(struct ss_msgpack_reader *reader, size_t count,
    struct place place, json_t **ret_json, struct ss_error *error)
{
    json_t *pairs = json_array();
    int status = SS_OK;
    for (size_t i = 0; i < count && status == SS_OK; i++) {
        json_t *pair = NULL;
        status = decode_list(reader, 2, below(place), &pair, error);
        if (status == SS_OK)
            json_array_append_new(pairs, pair);
    }
    if (status == SS_OK)
        *ret_json = builtin(DICT, pairs);
    else
        json_decref(pairs);
    return status;
}

// Would the map be read as something else than a map?
static bool misleads(const json_t *map, struct place place)
{
    return json_object_get(map, SS_NAME_OPAQUE) ||
           json_object_get(map, SS_NAME_TYPED) ||
           (place.is_inside && is_message(map));
}

static int decode_map(struct ss_msgpack_reader *reader, size_t count,
    struct place place, json_t **ret_json, struct ss_error *error)
{
    const struct ss_msgpack_reader begin = *reader;
    json_t *map = json_object();
    bool plain = true;
    int status = SS_OK;
    for (size_t i = 0; i < count && plain && status == SS_OK; i++)
        status = decode_pair(reader, place, map, &plain, error);
    if (status == SS_OK && plain && !misleads(map, place)) {
        *ret_json = map;
        return SS_OK;
    }
    json_decref(map);
    if (status != SS_OK)
        return status;
    *reader = begin;
    return decode_pairs(reader, count, place, ret_json, error);
}

// ------------------------------------------------------------------ messages

static const struct message {
    const char *type;
    const char *module;
    const char *name;
} messages[] = {
#define X(type, module, name) {type, module, name},
#include "client/langgraph/messages.def"
#undef X
};
enum { MESSAGES_COUNT = sizeof(messages) / sizeof(messages[0]) };

// Does a field hold the default that Python fills in?
static bool is_default(const char *key, const json_t *value)
{
    static const char *const nulls[] = {
        "name", "usage_metadata", "artifact", "response_metadata", NULL};
    static const char *const empties[] = {"additional_kwargs",
        "response_metadata", "tool_calls", "invalid_tool_calls", NULL};
    bool is_empty = (json_is_array(value) && json_array_size(value) == 0) ||
                    (json_is_object(value) && json_object_size(value) == 0);
    for (size_t i = 0; json_is_null(value) && nulls[i]; i++)
        if (strcmp(nulls[i], key) == 0)
            return true;
    for (size_t i = 0; is_empty && empties[i]; i++)
        if (strcmp(empties[i], key) == 0)
            return true;
    return (strcmp(key, "example") == 0 && json_is_false(value)) ||
           (strcmp(key, "status") == 0 && json_is_string(value) &&
               strcmp(json_string_value(value), "success") == 0);
}

// Our messages never hold a default of their class; a map with all fields of a
// message is just a map.
static bool is_message(const json_t *json)
{
    const char *key;
    json_t *value;
    bool is_one = ss_message_is_whole(json);
    if (is_one) {
        json_object_foreach ((json_t *)json, key, value)
            is_one = is_one && !is_default(key, value);
    }
    return is_one;
}

json_t *ss_item_message(
    const char *module, const char *name, const json_t *fields)
{
    const struct message *known = NULL;
    const char *key;
    json_t *value;
    for (size_t i = 0; i < MESSAGES_COUNT; i++)
        if ((!module || strcmp(messages[i].module, module) == 0) &&
            strcmp(messages[i].name, name) == 0)
            known = &messages[i];
    if (!known)
        return NULL;
    json_t *message = json_object();
    json_object_foreach ((json_t *)fields, key, value) {
        if (!is_default(key, value))
            json_object_set(message, key, value);
    }
    if (!module)
        json_object_set_new(message, "type", json_string(known->type));
    if (ss_message_is_whole(message) &&
        strcmp(ss_json_str(message, "type", ""), known->type) == 0)
        return message;
    if (!module)
        return json_pack("{s:[i, s, s, o, s]}", SS_NAME_TYPED, SS_EXT_MODEL,
            known->module, known->name, message, VALIDATE);
    json_decref(message);
    return NULL;
}

// NULL: it is not a message of the table, or has more than a map can hold.
static json_t *message_of(
    const struct ss_msgpack_item *item, struct place place)
{
    struct ss_ext ext;
    json_t *fields = NULL;
    if (place.is_inside || !ss_ext_open(item, &ext) ||
        ext.code != SS_EXT_MODEL ||
        strncmp(ext.module, MESSAGES, sizeof(MESSAGES) - 1) != 0 ||
        decode(&ext.held, below(place), &fields, NULL) != SS_OK)
        return NULL;
    json_t *message = ss_item_message(ext.module, ext.name, fields);
    json_decref(fields);
    return message;
}

// ---------------------------------------------------------------- extensions

// NULL: its payload is not of the shape that it should have, or is no data.
static json_t *typed_of(const struct ss_msgpack_item *item, struct place place)
{
    struct ss_ext ext;
    struct ss_msgpack_item method = {.type = SS_MSGPACK_NIL};
    struct ss_typed held;
    json_t *arg = NULL, *name = NULL;
    if (!ss_ext_open(item, &ext) || ext.count > 4)
        return NULL;
    // what a Send or a Command carries is read like any value
    place.is_inside =
        place.is_inside || strcmp(ext.module, "langgraph.types") != 0;
    int status = decode(&ext.held, below(place), &arg, NULL);
    if (status == SS_OK && ext.count == 4) {
        status = ss_msgpack_read(&ext.held, &method, NULL);
        if (status == SS_OK && method.type == SS_MSGPACK_STR)
            name = json_stringn((const char *)method.bytes, method.size);
        if (!name)
            status = SS_EFORMAT;
    }
    json_t *typed = NULL;
    if (status == SS_OK && ss_msgpack_done(&ext.held))
        typed = json_pack("{s:[i, s, s, O, O*]}", SS_NAME_TYPED, (int)ext.code,
            ext.module, ext.name, arg, name);
    json_decref(arg);
    json_decref(name);
    if (typed && ss_typed_open(typed, &held))
        return typed;
    json_decref(typed); // a method with a NUL in its name
    return NULL;
}

static json_t *float_of(double number)
{
    static const uint64_t nan_bits = 0x7ff8000000000000;
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    if (isfinite(number))
        return json_real(number);
    if (isnan(number) && bits != nan_bits)
        return NULL;
    return builtin(FLOAT, json_string(isnan(number) ? "nan"
                                      : number > 0  ? "inf"
                                                    : "-inf"));
}

static json_t *scalar_of(const struct ss_msgpack_item *item)
{
    if (item->type == SS_MSGPACK_NIL)
        return json_null();
    if (item->type == SS_MSGPACK_BOOL)
        return json_boolean(item->truth);
    if (item->type == SS_MSGPACK_INT)
        return json_integer(item->integer);
    if (item->type == SS_MSGPACK_UINT)
        return builtin(INT, json_sprintf("%" PRIu64, item->natural));
    if (item->type == SS_MSGPACK_BIN)
        return ss_item_mark("bytes", "bytes", item->bytes, item->size);
    return float_of(item->number);
}

static int decode(struct ss_msgpack_reader *reader, struct place place,
    json_t **ret_json, struct ss_error *error)
{
    const uint8_t *begin = reader->at;
    struct ss_msgpack_item item;
    if (place.depth > SS_LANGGRAPH_DEPTH_MAX)
        return ss_error_set(error, SS_ELIMIT, "a value is over %d levels deep",
            SS_LANGGRAPH_DEPTH_MAX);
    int status = ss_msgpack_read(reader, &item, error);
    if (status != SS_OK)
        return status;
    if (item.type == SS_MSGPACK_STR)
        return decode_text(&item, ret_json, error);
    if (item.type == SS_MSGPACK_ARRAY)
        return decode_list(reader, item.count, place, ret_json, error);
    if (item.type == SS_MSGPACK_MAP)
        return decode_map(reader, item.count, place, ret_json, error);
    if (item.type != SS_MSGPACK_EXT)
        *ret_json = scalar_of(&item);
    else if (!(*ret_json = message_of(&item, place)))
        *ret_json = typed_of(&item, place);
    if (!*ret_json)
        *ret_json = mark_of(reader, begin, &item);
    return SS_OK;
}

int ss_item_decode(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    return decode(reader, (struct place){0}, ret_json, error);
}

// ------------------------------------------------------------------ encoding

struct encoder {
    const struct ss_ext_allowed *allowed;
    struct ss_buf *buf;
    struct ss_error *error;
};

static int encode(struct encoder *encoder, const json_t *json, int depth);

static int encode_mark(struct encoder *encoder, const json_t *mark)
{
    const char *tag;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int status = ss_item_mark_open(mark, &tag, &bytes, &size, encoder->error);
    if (status != SS_OK)
        return status;
    if (strcmp(tag, "msgpack") == 0) {
        status = ss_ext_check(bytes, size, encoder->allowed, encoder->error);
        if (status == SS_OK)
            ss_buf_add(encoder->buf, bytes, size);
    } else if (strcmp(tag, "bytes") == 0 || strcmp(tag, "bytearray") == 0) {
        ss_msgpack_bin(encoder->buf, bytes, size);
    } else {
        status = ss_error_set(encoder->error, SS_EINVAL,
            "a value stored as \"%.100s\" cannot stand inside another", tag);
    }
    ss_free(bytes);
    return status;
}

static int encode_map(struct encoder *encoder, const json_t *map, int depth);

static int not_data(const struct encoder *encoder, const char *name)
{
    return ss_error_set(encoder->error, SS_EFORMAT,
        "a $typed builtins.%s does not hold what it should", name);
}

static int encode_pairs(struct encoder *encoder, const json_t *pairs, int depth)
{
    size_t i;
    json_t *pair;
    int status = json_is_array(pairs) ? SS_OK : not_data(encoder, DICT);
    ss_msgpack_map(encoder->buf, json_array_size(pairs));
    json_array_foreach (pairs, i, pair) {
        if (status == SS_OK && json_array_size(pair) != 2)
            status = not_data(encoder, DICT);
        for (size_t side = 0; side < 2 && status == SS_OK; side++)
            status = encode(encoder, json_array_get(pair, side), depth + 1);
    }
    return status;
}

static int encode_number(struct encoder *encoder, const struct ss_typed *typed)
{
    const char *text = json_string_value(typed->arg);
    char *end = NULL;
    errno = 0;
    if (text && text[0] && strcmp(typed->name, FLOAT) == 0)
        ss_msgpack_float(encoder->buf, strtod(text, &end));
    else if (text && text[0] >= '0' && text[0] <= '9')
        ss_msgpack_uint(encoder->buf, strtoull(text, &end, 10));
    return end && !*end && errno == 0 ? SS_OK : not_data(encoder, typed->name);
}

// The argument's own members are fields: they are not messages.
static int encode_arg(struct encoder *encoder, const json_t *arg, int depth)
{
    return json_is_object(arg) && !ss_mark_is(arg)
               ? encode_map(encoder, arg, depth)
               : encode(encoder, arg, depth);
}

static int encode_ext(
    struct encoder *outer, const struct ss_typed *typed, int depth)
{
    struct ss_buf payload;
    struct encoder encoder = *outer;
    if (!ss_ext_is_name(typed->module) || !ss_ext_is_name(typed->name))
        return ss_error_set(outer->error, SS_EFORMAT,
            "\"%.100s.%.100s\" is not a name of a class", typed->module,
            typed->name);
    char *name = ss_format("%s.%s", typed->module, typed->name);
    int status = ss_ext_check_class(name, outer->allowed, outer->error);
    ss_free(name);
    ss_buf_init(&payload, SS_LANGGRAPH_VALUE_MAX);
    encoder.buf = &payload;
    ss_msgpack_array(&payload, typed->method ? 4 : 3);
    ss_msgpack_text(&payload, typed->module);
    ss_msgpack_text(&payload, typed->name);
    if (status == SS_OK)
        status = encode_arg(&encoder, typed->arg, depth + 1);
    if (typed->method)
        ss_msgpack_text(&payload, typed->method);
    if (status == SS_OK && payload.status != SS_OK)
        status = ss_error_set(
            outer->error, SS_ELIMIT, "an object is larger than a value may be");
    if (status == SS_OK)
        ss_msgpack_ext(
            outer->buf, (int8_t)typed->code, payload.data, payload.size);
    ss_buf_fini(&payload);
    return status;
}

static int encode_typed(
    struct encoder *encoder, const struct ss_typed *typed, int depth)
{
    if (strcmp(typed->module, BUILTINS) == 0) {
        if (strcmp(typed->name, DICT) == 0)
            return encode_pairs(encoder, typed->arg, depth);
        if (strcmp(typed->name, INT) == 0 || strcmp(typed->name, FLOAT) == 0)
            return encode_number(encoder, typed);
    }
    return encode_ext(encoder, typed, depth);
}

static int encode_map(struct encoder *encoder, const json_t *map, int depth)
{
    const char *key;
    json_t *value;
    ss_msgpack_map(encoder->buf, json_object_size(map));
    json_object_foreach ((json_t *)map, key, value) {
        ss_msgpack_text(encoder->buf, key);
        int status = encode(encoder, value, depth + 1);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static int encode_message(struct encoder *outer, const json_t *json, int depth)
{
    const char *type = ss_json_str(json, "type", "");
    const struct message *known = NULL;
    for (size_t i = 0; i < MESSAGES_COUNT; i++)
        if (strcmp(messages[i].type, type) == 0)
            known = &messages[i];
    ss_check(known);
    struct ss_buf payload;
    ss_buf_init(&payload, SS_LANGGRAPH_VALUE_MAX);
    struct encoder encoder = *outer;
    encoder.buf = &payload;
    ss_msgpack_array(&payload, 4);
    ss_msgpack_text(&payload, known->module);
    ss_msgpack_text(&payload, known->name);
    int status = encode_map(&encoder, json, depth + 1);
    ss_msgpack_text(&payload, VALIDATE);
    if (status == SS_OK && payload.status != SS_OK)
        status = ss_error_set(
            outer->error, SS_ELIMIT, "a message is larger than a value may be");
    if (status == SS_OK)
        ss_msgpack_ext(outer->buf, SS_EXT_MODEL, payload.data, payload.size);
    ss_buf_fini(&payload);
    return status;
}

static int encode_object(struct encoder *encoder, const json_t *json, int depth)
{
    struct ss_typed typed;
    if (ss_typed_open(json, &typed))
        return encode_typed(encoder, &typed, depth);
    if (ss_opaque_class(json))
        return encode_mark(encoder, json);
    if (is_message(json))
        return encode_message(encoder, json, depth);
    return encode_map(encoder, json, depth);
}

static int encode_array(struct encoder *encoder, const json_t *json, int depth)
{
    size_t i;
    json_t *item;
    ss_msgpack_array(encoder->buf, json_array_size(json));
    json_array_foreach (json, i, item) {
        int status = encode(encoder, item, depth + 1);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

static int encode(struct encoder *encoder, const json_t *json, int depth)
{
    if (depth > SS_LANGGRAPH_DEPTH_MAX)
        return ss_error_set(encoder->error, SS_ELIMIT,
            "a value is over %d levels deep", SS_LANGGRAPH_DEPTH_MAX);
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return encode_object(encoder, json, depth);
    case JSON_ARRAY:
        return encode_array(encoder, json, depth);
    case JSON_STRING:
        ss_msgpack_str(
            encoder->buf, json_string_value(json), json_string_length(json));
        return SS_OK;
    case JSON_INTEGER:
        ss_msgpack_int(encoder->buf, json_integer_value(json));
        return SS_OK;
    case JSON_REAL:
        ss_msgpack_float(encoder->buf, json_real_value(json));
        return SS_OK;
    case JSON_TRUE:
    case JSON_FALSE:
        ss_msgpack_bool(encoder->buf, json_is_true(json));
        return SS_OK;
    case JSON_NULL:
        break;
    }
    ss_msgpack_nil(encoder->buf);
    return SS_OK;
}

int ss_item_encode(const json_t *json, const struct ss_ext_allowed *allowed,
    struct ss_buf *buf, struct ss_error *error)
{
    struct encoder encoder = {.allowed = allowed, .buf = buf, .error = error};
    int status = encode(&encoder, json, 0);
    if (status == SS_OK && buf->status != SS_OK)
        status = ss_error_set(error, SS_ELIMIT,
            "a value takes more than %zu bytes", buf->size_max);
    return status;
}

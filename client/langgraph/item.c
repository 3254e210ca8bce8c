// item.c - plain data both ways; other values stay bytes.
#include "client/langgraph/item.h"

#include <math.h>
#include <string.h>

#include "common/base/base64.h"
#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/reducer.h"
#include "common/model/value.h"

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

// ------------------------------------------------------------------ decoding

static int decode(struct ss_msgpack_reader *reader, int depth,
    json_t **ret_json, struct ss_error *error);

// From `begin` to where the reader is.
static json_t *mark_of(const struct ss_msgpack_reader *reader,
    const uint8_t *begin, const struct ss_msgpack_item *item)
{
    char name[SS_LANGGRAPH_CLASS_MAX];
    ss_ext_class(item, name);
    return ss_item_mark(name, "msgpack", begin, (size_t)(reader->at - begin));
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
    int depth, json_t **ret_json, struct ss_error *error)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *item = NULL;
        int status = decode(reader, depth + 1, &item, error);
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
static int decode_pair(struct ss_msgpack_reader *reader, int depth, json_t *map,
    bool *ret_plain, struct ss_error *error)
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
        status = decode(reader, depth + 1, &value, error);
    if (value && json_object_set_new(map, name, value) != 0)
        status =
            ss_error_set(error, SS_EFORMAT, "msgpack: a key that is not UTF-8");
    ss_free(name);
    *ret_plain = is_new && status == SS_OK;
    return status;
}

// A map with keys other than text is kept as bytes, and so is one that would
// read as one of our marks.
static int decode_map(struct ss_msgpack_reader *reader, const uint8_t *begin,
    const struct ss_msgpack_item *item, int depth, json_t **ret_json,
    struct ss_error *error)
{
    json_t *map = json_object();
    bool plain = true;
    int status = SS_OK;
    for (size_t i = 0; i < item->count && plain && status == SS_OK; i++)
        status = decode_pair(reader, depth, map, &plain, error);
    if (status == SS_OK && plain && !json_object_get(map, SS_NAME_OPAQUE)) {
        *ret_json = map;
        return SS_OK;
    }
    json_decref(map);
    if (status != SS_OK)
        return status;
    reader->at = begin;
    status = ss_msgpack_skip(reader, error);
    if (status == SS_OK)
        *ret_json = mark_of(reader, begin, item);
    return status;
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

// The fields of a message as the map that add_messages knows; NULL: it is not a
// message of the table, or has more than that map can hold. Gives.
static json_t *message_of(const struct ss_msgpack_item *item, int depth)
{
    struct ss_ext ext;
    const struct message *known = NULL;
    json_t *fields = NULL;
    if (!ss_ext_open(item, &ext) || ext.code != SS_EXT_MODEL)
        return NULL;
    for (size_t i = 0; i < MESSAGES_COUNT; i++)
        if (strcmp(messages[i].module, ext.module) == 0 &&
            strcmp(messages[i].name, ext.name) == 0)
            known = &messages[i];
    if (!known || decode(&ext.held, depth + 1, &fields, NULL) != SS_OK)
        return NULL;
    json_t *message = json_object();
    const char *key;
    json_t *value;
    json_object_foreach (fields, key, value) {
        if (!is_default(key, value))
            json_object_set(message, key, value);
    }
    json_decref(fields);
    if (ss_message_is_whole(message) &&
        strcmp(ss_json_str(message, "type", ""), known->type) == 0)
        return message;
    json_decref(message);
    return NULL;
}

static int decode_scalar(struct ss_msgpack_reader *reader, const uint8_t *begin,
    const struct ss_msgpack_item *item, json_t **ret_json)
{
    if (item->type == SS_MSGPACK_NIL)
        *ret_json = json_null();
    else if (item->type == SS_MSGPACK_BOOL)
        *ret_json = json_boolean(item->truth);
    else if (item->type == SS_MSGPACK_INT)
        *ret_json = json_integer(item->integer);
    else if (item->type == SS_MSGPACK_FLOAT && isfinite(item->number))
        *ret_json = json_real(item->number);
    else
        *ret_json = mark_of(reader, begin, item);
    return SS_OK;
}

static int decode(struct ss_msgpack_reader *reader, int depth,
    json_t **ret_json, struct ss_error *error)
{
    const uint8_t *begin = reader->at;
    struct ss_msgpack_item item;
    if (depth > SS_LANGGRAPH_DEPTH_MAX)
        return ss_error_set(error, SS_ELIMIT, "a value is over %d levels deep",
            SS_LANGGRAPH_DEPTH_MAX);
    int status = ss_msgpack_read(reader, &item, error);
    if (status != SS_OK)
        return status;
    switch (item.type) {
    case SS_MSGPACK_STR:
        return decode_text(&item, ret_json, error);
    case SS_MSGPACK_ARRAY:
        return decode_list(reader, item.count, depth, ret_json, error);
    case SS_MSGPACK_MAP:
        return decode_map(reader, begin, &item, depth, ret_json, error);
    case SS_MSGPACK_EXT:
        *ret_json = message_of(&item, depth);
        if (!*ret_json)
            *ret_json = mark_of(reader, begin, &item);
        return SS_OK;
    case SS_MSGPACK_NIL:
    case SS_MSGPACK_BOOL:
    case SS_MSGPACK_INT:
    case SS_MSGPACK_UINT:
    case SS_MSGPACK_FLOAT:
    case SS_MSGPACK_BIN:
        break;
    }
    return decode_scalar(reader, begin, &item, ret_json);
}

int ss_item_decode(
    struct ss_msgpack_reader *reader, json_t **ret_json, struct ss_error *error)
{
    return decode(reader, 0, ret_json, error);
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

static void encode_text(struct encoder *encoder, const char *text)
{
    ss_msgpack_str(encoder->buf, text, strlen(text));
}

static int encode_map(struct encoder *encoder, const json_t *map, int depth)
{
    const char *key;
    json_t *value;
    ss_msgpack_map(encoder->buf, json_object_size(map));
    json_object_foreach ((json_t *)map, key, value) {
        encode_text(encoder, key);
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
    encode_text(&encoder, known->module);
    encode_text(&encoder, known->name);
    int status = encode_map(&encoder, json, depth + 1);
    encode_text(&encoder, "model_validate_json");
    if (status == SS_OK && payload.status != SS_OK)
        status = ss_error_set(
            outer->error, SS_ELIMIT, "a message is larger than a value may be");
    if (status == SS_OK)
        ss_msgpack_ext(outer->buf, SS_EXT_MODEL, payload.data, payload.size);
    ss_buf_fini(&payload);
    return status;
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

static int encode_object(struct encoder *encoder, const json_t *json, int depth)
{
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

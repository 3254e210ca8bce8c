// fields.c - texts, JSON and values in messages.
#include "common/wire/fields.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/wire/limits.h"

void ss_packer_init(struct ss_packer *packer, struct ss_error *error)
{
    ss_budget_init(&packer->budget, SIZE_MAX);
    packer->status = SS_OK;
    packer->error = error;
}

void ss_packer_fini(struct ss_packer *packer)
{
    ss_budget_fini(&packer->budget);
}

bool ss_pack_message(
    const ProtobufCMessage *message, size_t size, struct ss_buf *ret)
{
    char *to = ss_buf_room(ret, size);
    if (!to)
        return false;
    ss_check(protobuf_c_message_pack(message, (uint8_t *)to) == size);
    return true;
}

void *ss_pack_alloc(struct ss_packer *packer, size_t count, size_t size)
{
    return ss_budget_zalloc(&packer->budget, count, size);
}

char *ss_pack_text(const char *text)
{
    return (char *)(text ? text : "");
}

char *ss_pack_prose(struct ss_packer *packer, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text);
    if (size <= SS_WIRE_TEXT_SIZE_MAX && ss_text_ok(text, size))
        return (char *)text;
    if (size > SS_WIRE_TEXT_SIZE_MAX)
        size = SS_WIRE_TEXT_SIZE_MAX;
    char *copy = ss_pack_alloc(packer, size + 1, 1);
    const unsigned char *from = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        size_t width = ss_text_character(from + i, from + size);
        if (width == 0) {
            copy[i++] = '?';
            continue;
        }
        memcpy(copy + i, text + i, width);
        i += width;
    }
    return copy;
}

char **ss_pack_texts(struct ss_packer *packer, char *const *texts, size_t count)
{
    char **packed = ss_pack_alloc(packer, count, sizeof(*packed));
    for (size_t i = 0; i < count; i++)
        packed[i] = ss_pack_text(texts[i]);
    return packed;
}

int ss_take_texts(char *const *packed, size_t count, size_t limit,
    const char *what, char ***ret_texts, size_t *ret_count,
    struct ss_error *error)
{
    if (count > limit)
        return ss_error_set(error, SS_ELIMIT,
            "a message with %zu %s; the limit is %zu", count, what, limit);
    char **texts = ss_zalloc(count, sizeof(*texts));
    for (size_t i = 0; i < count; i++)
        texts[i] = ss_strdup(packed[i]);
    *ret_texts = texts;
    *ret_count = count;
    return SS_OK;
}

void ss_texts_free(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ss_free(texts[i]);
    ss_free(texts);
}

static bool is_fine(struct ss_packer *packer, struct ss_value *value)
{
    if (packer->status == SS_OK)
        packer->status = ss_value_valid(value, packer->error);
    return packer->status == SS_OK;
}

void ss_pack_json(struct ss_packer *packer, json_t *json,
    protobuf_c_boolean *ret_has, ProtobufCBinaryData *ret_data)
{
    if (!json)
        return;
    struct ss_value *value = ss_value_new(json_incref(json));
    ProtobufCBinaryData data = ss_pack_bytes(packer, value);
    ret_data->len = data.len;
    ret_data->data = ss_pack_alloc(packer, data.len + 1, 1);
    if (data.len > 0) // not where it failed
        memcpy(ret_data->data, data.data, data.len);
    *ret_has = 1;
    ss_value_unref(value);
}

ProtobufCBinaryData ss_pack_bytes(
    struct ss_packer *packer, struct ss_value *value)
{
    ProtobufCBinaryData data = {0, NULL};
    if (!is_fine(packer, value))
        return data;
    data.data = (uint8_t *)ss_value_text(value, &data.len);
    if (data.len > (size_t)SS_VALUE_SIZE_MAX)
        packer->status = ss_error_set(packer->error, SS_ELIMIT,
            "a value of %zu bytes; the limit is %u", data.len,
            SS_VALUE_SIZE_MAX);
    return data;
}

Superstep__V1__Value *ss_pack_value(
    struct ss_packer *packer, struct ss_value *value)
{
    if (!value)
        return NULL;
    Superstep__V1__Value *packed = ss_pack_alloc(packer, 1, sizeof(*packed));
    superstep__v1__value__init(packed);
    int tag = (int)ss_value_tag(value);
    packed->has_tag = tag != SUPERSTEP__V1__VALUE_TAG__JSON;
    packed->tag = (Superstep__V1__ValueTag)tag;
    packed->data = ss_pack_bytes(packer, value);
    return packed;
}

static int unwanted(
    enum ss_json_want want, const char *what, struct ss_error *error)
{
    return ss_error_set(error, SS_EFORMAT, "%s: JSON, but not %s", what,
        want == SS_WANT_ARRAY ? "an array" : "an object");
}

// What most orders carry needs no parser.
static json_t *empty_json(ProtobufCBinaryData data)
{
    if (data.len != 2)
        return NULL;
    if (memcmp(data.data, "[]", 2) == 0)
        return json_array();
    return memcmp(data.data, "{}", 2) == 0 ? json_object() : NULL;
}

int ss_take_json(protobuf_c_boolean has, ProtobufCBinaryData data,
    enum ss_json_want want, const char *what, json_t **ret_json,
    struct ss_error *error)
{
    if (!has)
        return SS_OK;
    json_t *json = empty_json(data);
    int status = SS_OK;
    if (!json)
        status = ss_json_parse((const char *)data.data, data.len, &json, error);
    if (status != SS_OK) {
        ss_error_wrap(error, "%s", what);
        return status;
    }
    if ((want == SS_WANT_ARRAY && !json_is_array(json)) ||
        (want == SS_WANT_OBJECT && !json_is_object(json))) {
        json_decref(json);
        return unwanted(want, what, error);
    }
    json_decref(*ret_json);
    *ret_json = json;
    return SS_OK;
}

// Of JSON text that is well-formed the first letter tells what it is.
int ss_take_text(protobuf_c_boolean has, ProtobufCBinaryData data,
    enum ss_json_want want, const char *what, struct ss_value **ret_value,
    struct ss_error *error)
{
    if (!has)
        return SS_OK;
    int status = ss_take_bytes(SS_VALUE_JSON, data, what, ret_value, error);
    if (status != SS_OK || want == SS_WANT_ANY)
        return status;
    const char *text = (const char *)data.data;
    size_t blanks = 0;
    while (blanks < data.len && strchr(" \t\r\n", text[blanks]))
        blanks++;
    if (text[blanks] == (want == SS_WANT_ARRAY ? '[' : '{'))
        return SS_OK;
    return unwanted(want, what, error);
}

int ss_take_bytes(int tag, ProtobufCBinaryData data, const char *what,
    struct ss_value **ret_value, struct ss_error *error)
{
    if (tag < SS_VALUE_JSON || tag > SS_VALUE_MSGPACK)
        return ss_error_set(
            error, SS_EFORMAT, "%s: unknown tag %d of a value", what, tag);
    if (data.len > (size_t)SS_VALUE_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "%s: a value of %zu bytes; the limit is %u", what, data.len,
            SS_VALUE_SIZE_MAX);
    struct ss_value *value;
    if (tag == SS_VALUE_JSON) {
        value = ss_value_from_text((const char *)data.data, data.len);
        int status = ss_json_check((const char *)data.data, data.len)
                         ? SS_OK
                         : ss_value_valid(value, error);
        if (status != SS_OK) {
            ss_value_unref(value);
            ss_error_wrap(error, "%s", what);
            return status;
        }
    } else {
        value = ss_value_opaque((enum ss_value_tag)tag, data.data, data.len);
    }
    *ret_value = value;
    return SS_OK;
}

int ss_take_value(const Superstep__V1__Value *packed, const char *what,
    struct ss_value **ret_value, struct ss_error *error)
{
    if (!packed)
        return SS_OK;
    return ss_take_bytes(
        (int)packed->tag, packed->data, what, ret_value, error);
}

int ss_take_id(
    const char *text, const char *what, char *ret_id, struct ss_error *error)
{
    size_t size = strlen(text);
    if (size >= SS_UUID_SIZE)
        return ss_error_set(error, SS_EFORMAT,
            "%s: an id of %zu bytes; the limit is %d", what, size,
            SS_UUID_SIZE - 1);
    memcpy(ret_id, text, size + 1);
    return SS_OK;
}

int ss_take_enum(int number, int count, const char *what, int *ret_number,
    struct ss_error *error)
{
    if (number < 0 || number >= count)
        return ss_error_set(
            error, SS_EFORMAT, "%s: unknown number %d", what, number);
    *ret_number = number;
    return SS_OK;
}

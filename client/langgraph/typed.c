// typed.c - values with their type tags, as rows have them.
#include <string.h>

#include "client/langgraph/form.h"
#include "client/langgraph/revive.h"
#include "common/base/mem.h"
#include "common/model/opaque.h"
#include "common/model/value.h"

static int decode_json(const char *channel, bool is_write, const void *bytes,
    size_t size, json_t **ret_json, struct ss_error *error)
{
    json_t *json = NULL;
    int status = ss_json_parse(bytes, size, &json, error);
    if (status != SS_OK)
        return status;
    json_t *revived = ss_revive(json);
    json_decref(json);
    return ss_form_read(channel, is_write, revived, ret_json, error);
}

static int decode_msgpack(const char *channel, bool is_write, const void *bytes,
    size_t size, json_t **ret_json, struct ss_error *error)
{
    struct ss_msgpack_reader reader;
    json_t *json = NULL;
    ss_msgpack_init(&reader, bytes, size);
    int status = ss_form_decode(channel, is_write, &reader, &json, error);
    if (status == SS_OK)
        status = ss_msgpack_end(&reader, error);
    if (status == SS_OK)
        *ret_json = json;
    else
        json_decref(json);
    return status;
}

// Keep the value as it is, under whatever tag it has.
static int decode_other(const char *tag, const void *bytes, size_t size,
    json_t **ret_json, struct ss_error *error)
{
    json_t *name = json_string(tag);
    bool is_text = name != NULL;
    json_decref(name);
    if (!is_text || !tag[0] || strlen(tag) >= SS_LANGGRAPH_CLASS_MAX)
        return ss_error_set(error, SS_EFORMAT,
            "its type tag is missing, too long, or not UTF-8");
    *ret_json = ss_item_mark(tag, tag, size ? bytes : "", size);
    return SS_OK;
}

int ss_typed_decode(const char *channel, bool is_write, const char *tag,
    const void *bytes, size_t size, json_t **ret_json, struct ss_error *error)
{
    if (size > SS_LANGGRAPH_VALUE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "a value of %zu bytes; %zu are the most", size,
            SS_LANGGRAPH_VALUE_MAX);
    if (strcmp(tag, "msgpack") == 0)
        return decode_msgpack(channel, is_write, bytes, size, ret_json, error);
    if (strcmp(tag, "json") == 0)
        return decode_json(
            channel, is_write, size ? bytes : "", size, ret_json, error);
    if (ss_form_is_known(channel, is_write))
        return ss_error_set(error, SS_EINVAL,
            "it is stored as \"%.100s\", which cannot be looked into", tag);
    if (strcmp(tag, "null") == 0) {
        *ret_json = json_null();
        return SS_OK;
    }
    return decode_other(tag, bytes, size, ret_json, error);
}

// A value that was stored under another tag than msgpack goes back under that
// tag.
static int encode_tagged(const json_t *mark,
    const struct ss_ext_allowed *allowed, char **ret_tag, struct ss_buf *buf,
    struct ss_error *error)
{
    const char *tag = NULL;
    uint8_t *bytes = NULL;
    size_t size = 0;
    int status = ss_item_mark_open(mark, &tag, &bytes, &size, error);
    if (status != SS_OK)
        return status;
    if (strcmp(tag, "bytes") != 0 && strcmp(tag, "bytearray") != 0)
        status = ss_ext_check_class(tag, allowed, error);
    if (status == SS_OK && size > 0)
        status = ss_buf_add(buf, bytes, size);
    if (status == SS_OK)
        *ret_tag = ss_strdup(tag);
    ss_free(bytes);
    return status;
}

int ss_typed_encode(const char *channel, bool is_write, const json_t *json,
    const struct ss_ext_allowed *allowed, char **ret_tag, struct ss_buf *buf,
    struct ss_error *error)
{
    const json_t *inside = json_object_get(json, SS_NAME_OPAQUE);
    const char *tag = ss_json_str(inside, "tag", "msgpack");
    bool has_form = ss_form_is_known(channel, is_write);
    if (!has_form && json_is_null(json)) {
        *ret_tag = ss_strdup("null");
        return SS_OK;
    }
    if (!has_form && ss_opaque_class(json) && strcmp(tag, "msgpack") != 0)
        return encode_tagged(json, allowed, ret_tag, buf, error);
    int status = ss_form_encode(channel, is_write, json, allowed, buf, error);
    if (status == SS_OK)
        *ret_tag = ss_strdup("msgpack");
    return status;
}

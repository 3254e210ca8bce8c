// put.c - parts of an order or of an outcome.
#include "common/wire/put.h"

#include <string.h>

#include "common/wire/limits.h"

bool ss_put_is_doubtful(const char *at, const char *end)
{
    uint64_t letters, any = 0;
    for (; end - at >= 8; at += 8) {
        memcpy(&letters, at, sizeof(letters));
        any |= letters;
    }
    for (; at < end; at++)
        any |= (uint8_t)*at;
    return any & UINT64_C(0x8080808080808080);
}

void ss_put_text(
    struct ss_wire_writer *writer, unsigned field, const char *text)
{
    text = text ? text : "";
    size_t size = strlen(text);
    char *end = ss_tail_ahead(writer->tail, size + SS_BACK_HEAD_MAX);
    if (!end)
        return;
    if (ss_put_is_doubtful(text, text + size) || size > SS_WIRE_TEXT_SIZE_MAX)
        writer->is_doubtful = true;
    ss_tail_reach(writer->tail, ss_back_data(end, field, text, size));
}

void ss_put_prose(
    struct ss_wire_writer *writer, unsigned field, const char *text)
{
    struct ss_packer packer;
    if (!text)
        return;
    ss_packer_init(&packer, writer->error);
    text = ss_pack_prose(&packer, text);
    ss_tail_text(writer->tail, field, text);
    ss_packer_fini(&packer);
}

void ss_put_bytes(
    struct ss_wire_writer *writer, unsigned field, struct ss_value *value)
{
    size_t size = 0;
    if (writer->status == SS_OK)
        writer->status = ss_value_valid(value, writer->error);
    if (writer->status != SS_OK)
        return;
    const char *bytes = ss_value_text(value, &size);
    if (size > (size_t)SS_VALUE_SIZE_MAX)
        writer->status = ss_error_set(writer->error, SS_ELIMIT,
            "a value of %zu bytes; the limit is %u", size, SS_VALUE_SIZE_MAX);
    else
        ss_tail_data(writer->tail, field, bytes, size);
}

void ss_put_value(
    struct ss_wire_writer *writer, unsigned field, struct ss_value *value)
{
    size_t from = writer->tail->size;
    if (!value)
        return;
    ss_put_bytes(writer, 2, value);
    if (ss_value_tag(value) != SS_VALUE_JSON)
        ss_tail_number(writer->tail, 1, (uint64_t)ss_value_tag(value));
    ss_tail_message(writer->tail, field, from);
}

void ss_put_json(struct ss_wire_writer *writer, unsigned field, json_t *json)
{
    if (!json)
        return;
    bool is_list = json_is_array(json);
    if ((is_list ? json_array_size(json) : json_object_size(json)) == 0 &&
        (is_list || json_is_object(json))) {
        ss_tail_data(writer->tail, field, is_list ? "[]" : "{}", 2);
        return;
    }
    struct ss_value *value = ss_value_new(json_incref(json));
    ss_put_bytes(writer, field, value);
    ss_value_unref(value);
}

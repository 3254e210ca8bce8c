// json_object.c - an object of JSON as text, member by member.
#include "common/model/json_object.h"

#include <stddef.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/value.h"

void ss_json_open(struct ss_buf *buf)
{
    ss_buf_add(buf, "{", 1);
}

void ss_json_close(struct ss_buf *buf)
{
    ss_buf_add(buf, "}", 1);
}

static void add_key(struct ss_buf *buf, const char *key)
{
    size_t size = strlen(key);
    ss_check(buf->size > 0 && size > 0); // an object was opened
    bool is_first = buf->size > 0 && buf->data[buf->size - 1] == '{';
    char *room = ss_buf_room(buf, size + 4 - is_first);
    if (!room)
        return;
    if (!is_first)
        *room++ = ',';
    *room++ = '"';
    memcpy(room, key, size);
    memcpy(room + size, "\":", 2);
}

void ss_json_begin(struct ss_buf *buf, const char *key)
{
    add_key(buf, key);
    ss_json_open(buf);
}

void ss_json_add_text(struct ss_buf *buf, const char *key, const char *text)
{
    if (!text)
        return;
    add_key(buf, key);
    ss_json_add_string(buf, text, strlen(text));
}

void ss_json_add_int(struct ss_buf *buf, const char *key, int64_t number)
{
    char text[1 + SS_NUMBER_SIZE] = "-";
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t sign = number < 0;
    add_key(buf, key);
    ss_buf_add(buf, text, sign + ss_number_text(rest, text + sign));
}

void ss_json_add_json(struct ss_buf *buf, const char *key, const json_t *json)
{
    if (!json)
        return;
    char *text = ss_json_text(json);
    add_key(buf, key);
    ss_buf_add_str(buf, text);
    ss_free(text);
}

void ss_json_add_members(struct ss_buf *buf, const char *members)
{
    bool is_first = buf->size > 0 && buf->data[buf->size - 1] == '{';
    if (!members)
        return;
    if (!is_first)
        ss_buf_add(buf, ",", 1);
    ss_buf_add_str(buf, members);
}

// json_object.c - an object of JSON as text, member by member.
#include "common/model/json_object.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/model/value.h"

void ss_json_open(struct ss_buf *buf)
{
    ss_buf_add(buf, "{", 1);
}

void ss_json_close(struct ss_buf *buf)
{
    ss_buf_add(buf, "}", 1);
}

// Gives where they end.
static char *put(char *to, const char *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

// The key of another member is written, and there is room for the `size` bytes
// of its value, which gives. NULL: the buffer says at its end why not.
static char *member_room(struct ss_buf *buf, const char *key, size_t size)
{
    size_t key_size = strlen(key);
    ss_check(buf->size > 0 && key_size > 0); // an object was opened
    bool is_first = buf->data[buf->size - 1] == '{';
    char *room = size < SIZE_MAX / 4
                     ? ss_buf_room(buf, key_size + 4 - is_first + size)
                     : NULL;
    if (!room)
        return NULL;
    if (!is_first)
        *room++ = ',';
    *room++ = '"';
    room = put(room, key, key_size);
    return put(room, "\":", 2);
}

static void add_key(struct ss_buf *buf, const char *key)
{
    (void)member_room(buf, key, 0);
}

void ss_json_begin(struct ss_buf *buf, const char *key)
{
    add_key(buf, key);
    ss_json_open(buf);
}

void ss_json_add_text(struct ss_buf *buf, const char *key, const char *text)
{
    size_t size = text ? strlen(text) : 0;
    if (!text)
        return;
    if (ss_text_plain_size(text, size) < size) {
        add_key(buf, key);
        ss_json_add_string(buf, text, size);
        return;
    }
    char *room = member_room(buf, key, size + 2);
    if (!room)
        return;
    *room++ = '"';
    *put(room, text, size) = '"';
}

void ss_json_add_int(struct ss_buf *buf, const char *key, int64_t number)
{
    char text[1 + SS_NUMBER_SIZE] = "-";
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    size_t sign = number < 0;
    size_t size = sign + ss_number_text(rest, text + sign);
    char *room = member_room(buf, key, size);
    if (room)
        put(room, text, size);
}

void ss_json_add_raw(struct ss_buf *buf, const char *key, const char *raw)
{
    size_t size = strlen(raw);
    char *room = member_room(buf, key, size);
    if (room)
        put(room, raw, size);
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

// buf.c - a growing byte buffer with a maximum.
#include "common/base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { CAPACITY_FIRST = 64 };

void ss_buf_init(struct ss_buf *buf, size_t size_max)
{
    // So that no sum or doubling of sizes can overflow.
    if (size_max > SIZE_MAX / 4)
        size_max = SIZE_MAX / 4;
    *buf = (struct ss_buf){.size_max = size_max};
}

void ss_buf_fini(struct ss_buf *buf)
{
    ss_free(buf->data);
    ss_buf_init(buf, buf->size_max);
}

void ss_buf_reset(struct ss_buf *buf)
{
    buf->size = 0;
    buf->status = SS_OK;
    if (buf->data)
        buf->data[0] = '\0';
}

static int grow(struct ss_buf *buf, size_t size)
{
    ss_check(buf->size <= buf->size_max);
    if (buf->status != SS_OK)
        return buf->status;
    if (size > buf->size_max - buf->size) {
        buf->status = SS_ELIMIT;
        return SS_ELIMIT;
    }
    size_t needed = buf->size + size + 1;
    if (needed <= buf->capacity)
        return SS_OK;
    size_t capacity = buf->capacity ? buf->capacity : CAPACITY_FIRST;
    while (capacity < needed)
        capacity *= 2;
    buf->data = ss_realloc(buf->data, capacity);
    buf->capacity = capacity;
    return SS_OK;
}

// Room for `size` more bytes and a NUL, or SS_ELIMIT. Most often it is there.
static inline int reserve(struct ss_buf *buf, size_t size)
{
    bool is_there = size < buf->capacity - buf->size &&
                    size <= buf->size_max - buf->size && buf->status == SS_OK;
    return is_there ? SS_OK : grow(buf, size);
}

void ss_buf_expect(struct ss_buf *buf, size_t size)
{
    size_t least = buf->size_max - buf->size;
    (void)reserve(buf, size < least ? size : least);
}

char *ss_buf_room(struct ss_buf *buf, size_t size)
{
    if (reserve(buf, size) != SS_OK)
        return NULL;
    char *room = buf->data + buf->size;
    buf->size += size;
    buf->data[buf->size] = '\0';
    return room;
}

int ss_buf_add(struct ss_buf *buf, const void *bytes, size_t size)
{
    char *room = ss_buf_room(buf, size);
    if (!room)
        return buf->status;
    if (size > 0)
        memcpy(room, bytes, size);
    return SS_OK;
}

int ss_buf_add_str(struct ss_buf *buf, const char *text)
{
    return ss_buf_add(buf, text, strlen(text));
}

int ss_buf_addf(struct ss_buf *buf, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    ss_check(size >= 0);
    int status = reserve(buf, (size_t)size);
    if (status == SS_OK) {
        vsnprintf(buf->data + buf->size, (size_t)size + 1, format, again);
        buf->size += (size_t)size;
    }
    va_end(again);
    return status;
}

const char *ss_buf_str(const struct ss_buf *buf)
{
    return buf->data ? buf->data : "";
}

char *ss_buf_steal(struct ss_buf *buf, size_t *ret_size)
{
    char *data = buf->data ? buf->data : ss_memdup("", 0);
    if (ret_size)
        *ret_size = buf->size;
    ss_buf_init(buf, buf->size_max);
    return data;
}

// tail.c - bytes before bytes.
#include "common/wire/tail.h"

#include "common/base/mem.h"

void ss_tail_fini(struct ss_tail *tail)
{
    ss_free(tail->data);
    tail->data = NULL;
}

void ss_tail_reset(struct ss_tail *tail, size_t kept)
{
    if (tail->size > tail->size_max || tail->capacity > kept) {
        ss_tail_fini(tail);
        ss_tail_init(tail, tail->size_max);
    }
    tail->size = 0;
}

static char *tail_grow(struct ss_tail *tail, size_t size)
{
    size_t capacity = tail->capacity;
    tail->size += size;
    if (tail->size > tail->size_max) {
        tail->capacity = tail->size; // nothing has room any more
        return NULL;
    }
    while (capacity < tail->size)
        capacity *= 2;
    char *data = ss_alloc(capacity), *end = data + capacity;
    size_t before = tail->size - size;
    memcpy(end - before, tail->end - before, before);
    ss_free(tail->data);
    tail->data = data;
    tail->end = end;
    tail->capacity = capacity;
    return end - tail->size;
}

char *ss_tail_room(struct ss_tail *tail, size_t size)
{
    if (size > tail->capacity - tail->size)
        return tail_grow(tail, size);
    tail->size += size;
    return tail->end - tail->size;
}

static size_t count_digits(uint64_t number)
{
    size_t digits = 1;
    for (; number > 127; number >>= 7)
        digits++;
    return digits;
}

static char *put_number(char *at, uint64_t number)
{
    for (; number > 127; number >>= 7)
        *at++ = (char)(number | 128);
    *at++ = (char)number;
    return at;
}

static void put_field(struct ss_tail *tail, unsigned key, uint64_t number,
    const void *bytes, size_t size)
{
    char *at =
        ss_tail_room(tail, count_digits(key) + count_digits(number) + size);
    if (!at)
        return;
    at = put_number(put_number(at, key), number);
    if (size > 0)
        memcpy(at, bytes, size);
}

void ss_tail_field(struct ss_tail *tail, unsigned key, uint64_t number,
    const void *bytes, size_t size)
{
    if ((key | number) > 127 || size + 2 > tail->capacity - tail->size) {
        put_field(tail, key, number, bytes, size);
        return;
    }
    tail->size += size + 2;
    char *at = tail->end - tail->size;
    at[0] = (char)key;
    at[1] = (char)number;
    if (size > 0)
        memcpy(at + 2, bytes, size);
}

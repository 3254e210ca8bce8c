// back.h - fields written from their end, where there is room: each call writes
// in front of `at`, and says where that begins.
//
// For parts whose size has a bound beforehand (ss_tail_ahead()). Fields are put
// in falling order.
#ifndef SS_WIRE_BACK_H
#define SS_WIRE_BACK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Our fields have keys of two bytes at most; a size or a number takes ten.
enum { SS_BACK_HEAD_MAX = 2 + 10 };

static inline char *ss_back_number_alone(char *at, uint64_t number)
{
    size_t digits = 1;
    for (uint64_t rest = number; rest > 127; rest >>= 7)
        digits++;
    at -= digits;
    for (size_t i = 0; i + 1 < digits; i++, number >>= 7)
        at[i] = (char)(number | 128);
    at[digits - 1] = (char)number;
    return at;
}

static inline char *ss_back_key(char *at, unsigned key)
{
    if (key < 128) {
        *--at = (char)key;
        return at;
    }
    at -= 2;
    at[0] = (char)(key | 128);
    at[1] = (char)(key >> 7);
    return at;
}

static inline char *ss_back_head(
    char *at, unsigned field, unsigned wire, uint64_t number)
{
    if (number < 128)
        *--at = (char)number;
    else
        at = ss_back_number_alone(at, number);
    return ss_back_key(at, field << 3 | wire);
}

static inline char *ss_back_number(char *at, unsigned field, uint64_t number)
{
    return ss_back_head(at, field, 0, number);
}

static inline char *ss_back_signed(char *at, unsigned field, int64_t number)
{
    uint64_t twice = (uint64_t)number << 1;
    return ss_back_number(at, field, number < 0 ? ~twice : twice);
}

static inline char *ss_back_data(
    char *at, unsigned field, const void *bytes, size_t size)
{
    at -= size;
    if (size > 0)
        memcpy(at, bytes, size);
    return ss_back_head(at, field, 2, size);
}

// What stands from `at` to `end` is a message in that field.
static inline char *ss_back_message(char *at, unsigned field, const char *end)
{
    return ss_back_head(at, field, 2, (uint64_t)(end - at));
}

#endif

// read.h - fields of a message, one after the other, out of bytes from
// outside.
#ifndef SS_WIRE_READ_H
#define SS_WIRE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ss_wire_type {
    SS_WIRE_VARINT = 0,
    SS_WIRE_64BIT = 1,
    SS_WIRE_LENGTH = 2,
    SS_WIRE_32BIT = 5,
};

struct ss_wire_bytes {
    const unsigned char *at;
    const unsigned char *end;
};

struct ss_wire_field {
    uint32_t number;
    enum ss_wire_type wire;
    uint64_t value;             // varint
    const unsigned char *bytes; // of the others
    size_t size;                // length-delimited
};

// A varint has so many bytes at most: a number, a key, the size of a part.
enum { SS_VARINT_SIZE_MAX = 10, SS_VARINT_KEY_SIZE_MAX = 5 };

// False, here and below: cut short or garbled.
bool ss_wire_varint_long(
    struct ss_wire_bytes *cursor, unsigned size_max, uint64_t *ret_value);

static inline bool ss_wire_varint(
    struct ss_wire_bytes *cursor, unsigned size_max, uint64_t *ret_value)
{
    if (cursor->at == cursor->end || *cursor->at >= 0x80)
        return ss_wire_varint_long(cursor, size_max, ret_value);
    *ret_value = *cursor->at++;
    return true;
}

static inline bool ss_wire_skip(struct ss_wire_bytes *cursor, uint64_t size)
{
    if (size > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->at += size;
    return true;
}

static inline bool ss_wire_next(
    struct ss_wire_bytes *cursor, struct ss_wire_field *field)
{
    uint64_t key, size;
    if (!ss_wire_varint(cursor, SS_VARINT_KEY_SIZE_MAX, &key) ||
        key >> 3 == 0 || key > UINT32_MAX)
        return false;
    field->number = (uint32_t)(key >> 3);
    field->wire = (enum ss_wire_type)(key & 7);
    switch (key & 7) {
    case SS_WIRE_VARINT:
        return ss_wire_varint(cursor, SS_VARINT_SIZE_MAX, &field->value);
    case SS_WIRE_LENGTH:
        if (!ss_wire_varint(cursor, SS_VARINT_KEY_SIZE_MAX, &size))
            return false;
        field->bytes = cursor->at;
        field->size = (size_t)size;
        return ss_wire_skip(cursor, size);
    case SS_WIRE_64BIT:
        field->bytes = cursor->at;
        return ss_wire_skip(cursor, 8);
    case SS_WIRE_32BIT:
        field->bytes = cursor->at;
        return ss_wire_skip(cursor, 4);
    default: // groups are not part of our schemas
        return false;
    }
}

#endif

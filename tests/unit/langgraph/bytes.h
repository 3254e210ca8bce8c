// bytes.h - bytes from hex, and what LangGraph's own serializer made.
#ifndef SS_TESTS_UNIT_LANGGRAPH_BYTES_H
#define SS_TESTS_UNIT_LANGGRAPH_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "tests/unit/model/help.h"

struct vector {
    const char *name;
    const char *channel;
    int is_write;
    const char *tag;
    const char *hex;
    const char *json; // or "=" and the class of what is kept as it is
};

static const struct vector vectors[] = {
#define X(name, channel, is_write, tag, hex, json)                             \
    {name, channel, is_write, tag, hex, json},
#include "tests/unit/langgraph/vectors.def"
#undef X
};
enum { VECTORS_COUNT = sizeof(vectors) / sizeof(vectors[0]) };

// Gives (ss_free).
static inline uint8_t *bytes_of(const char *hex, size_t *ret_size)
{
    static const char digits[] = "0123456789abcdef";
    size_t size = strlen(hex) / 2;
    uint8_t *bytes = ss_alloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((strchr(digits, hex[2 * i]) - digits) * 16 +
                             (strchr(digits, hex[2 * i + 1]) - digits));
    *ret_size = size;
    return bytes;
}

// Gives (ss_free).
static inline char *hex_of(const void *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *hex = ss_alloc(size * 2 + 1);
    for (size_t i = 0; i < size; i++) {
        hex[2 * i] = digits[((const uint8_t *)bytes)[i] >> 4];
        hex[2 * i + 1] = digits[((const uint8_t *)bytes)[i] & 15];
    }
    hex[size * 2] = '\0';
    return hex;
}

#endif

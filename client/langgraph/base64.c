// base64.c - four letters for three bytes.
#include "client/langgraph/base64.h"

#include <string.h>

#include "common/base/mem.h"

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *ss_base64_text(const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    char *text = ss_alloc((size + 2) / 3 * 4 + 1), *to = text;
    for (size_t i = 0; i < size; i += 3) {
        size_t some = size - i < 3 ? size - i : 3;
        uint32_t group = (uint32_t)from[i] << 16;
        if (some > 1)
            group |= (uint32_t)from[i + 1] << 8;
        if (some > 2)
            group |= from[i + 2];
        *to++ = letters[group >> 18];
        *to++ = letters[group >> 12 & 63];
        *to++ = some > 1 ? letters[group >> 6 & 63] : '=';
        *to++ = some > 2 ? letters[group & 63] : '=';
    }
    *to = '\0';
    return text;
}

// The letter's value, or 64.
static uint32_t value_of(char letter)
{
    const char *at = letter ? strchr(letters, letter) : NULL;
    return at ? (uint32_t)(at - letters) : 64;
}

bool ss_base64_bytes(
    const char *text, size_t size, uint8_t **ret_bytes, size_t *ret_size)
{
    size_t pads = 0;
    if (size % 4 != 0)
        return false;
    while (pads < 2 && pads < size && text[size - 1 - pads] == '=')
        pads++;
    uint8_t *bytes = ss_alloc(size / 4 * 3 + 1);
    size_t count = 0;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t group = 0;
        for (size_t k = i; k < i + 4; k++) {
            uint32_t value = k >= size - pads ? 0 : value_of(text[k]);
            if (value == 64) {
                ss_free(bytes);
                return false;
            }
            group = group << 6 | value;
        }
        bytes[count++] = (uint8_t)(group >> 16);
        bytes[count++] = (uint8_t)(group >> 8);
        bytes[count++] = (uint8_t)group;
    }
    *ret_bytes = bytes;
    *ret_size = count - pads;
    return true;
}

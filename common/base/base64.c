// base64.c - bytes as text and back.
#include "common/base/base64.h"

#include <nettle/base64.h>

#include "common/base/mem.h"

char *ss_base64_text(const void *bytes, size_t size)
{
    char *text = ss_alloc(BASE64_ENCODE_RAW_LENGTH(size) + 1);
    base64_encode_raw(text, size, bytes);
    text[BASE64_ENCODE_RAW_LENGTH(size)] = '\0';
    return text;
}

// nettle passes over white space.
static bool has_space(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r'))
            return true;
    }
    return false;
}

bool ss_base64_bytes(
    const char *text, size_t size, uint8_t **ret_bytes, size_t *ret_size)
{
    struct base64_decode_ctx decode;
    if (has_space(text, size))
        return false;
    uint8_t *bytes = ss_alloc(BASE64_DECODE_LENGTH(size) + 1);
    size_t count = BASE64_DECODE_LENGTH(size) + 1;
    base64_decode_init(&decode);
    if (!base64_decode_update(&decode, &count, bytes, size, text) ||
        !base64_decode_final(&decode)) {
        ss_free(bytes);
        return false;
    }
    *ret_bytes = bytes;
    *ret_size = count;
    return true;
}

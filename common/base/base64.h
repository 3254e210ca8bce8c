// base64.h - bytes as text, RFC 4648 with padding (nettle's, held strictly).
#ifndef SS_BASE_BASE64_H
#define SS_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Gives (ss_free).
char *ss_base64_text(const void *bytes, size_t size);
// Gives the bytes (ss_free). False: the text is not base64, or has white space
// in it, which RFC 4648 forbids.
bool ss_base64_bytes(
    const char *text, size_t size, uint8_t **ret_bytes, size_t *ret_size);

#endif

// sha1.c - SHA-1 (FIPS 180-4, section 6.1).
#include "common/base/sha1.h"

#include <string.h>

static uint32_t rotate(uint32_t word, unsigned bits)
{
    return word << bits | word >> (32 - bits);
}

static void mix_block(struct ss_sha1 *sha1)
{
    uint32_t w[80];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *p = sha1->block + 4 * i;
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
               (uint32_t)p[2] << 8 | (uint32_t)p[3];
    }
    for (size_t i = 16; i < 80; i++)
        w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);

    uint32_t a = sha1->state[0], b = sha1->state[1], c = sha1->state[2];
    uint32_t d = sha1->state[3], e = sha1->state[4];
    for (size_t i = 0; i < 80; i++) {
        uint32_t f, k;
        if (i < 20)
            f = (b & c) | (~b & d), k = 0x5a827999u;
        else if (i < 40)
            f = b ^ c ^ d, k = 0x6ed9eba1u;
        else if (i < 60)
            f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdcu;
        else
            f = b ^ c ^ d, k = 0xca62c1d6u;
        uint32_t next = rotate(a, 5) + f + e + k + w[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    sha1->state[0] += a;
    sha1->state[1] += b;
    sha1->state[2] += c;
    sha1->state[3] += d;
    sha1->state[4] += e;
}

void ss_sha1_init(struct ss_sha1 *sha1)
{
    *sha1 = (struct ss_sha1){.state = {0x67452301u, 0xefcdab89u, 0x98badcfeu,
                                 0x10325476u, 0xc3d2e1f0u}};
}

void ss_sha1_add(struct ss_sha1 *sha1, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        size_t at = (size_t)(sha1->size % 64);
        size_t part = size < 64 - at ? size : 64 - at;
        memcpy(sha1->block + at, from, part);
        sha1->size += part;
        from += part;
        size -= part;
        if (at + part == 64)
            mix_block(sha1);
    }
}

void ss_sha1_end(struct ss_sha1 *sha1, uint8_t ret_digest[SS_SHA1_SIZE])
{
    static const uint8_t padding[64] = {0x80};
    uint64_t bits = sha1->size * 8;
    uint8_t size[8];
    for (size_t i = 0; i < 8; i++)
        size[i] = (uint8_t)(bits >> (56 - 8 * i));
    size_t at = (size_t)(sha1->size % 64);
    ss_sha1_add(sha1, padding, at < 56 ? 56 - at : 120 - at);
    ss_sha1_add(sha1, size, sizeof(size));
    for (size_t i = 0; i < SS_SHA1_SIZE; i++)
        ret_digest[i] = (uint8_t)(sha1->state[i / 4] >> (24 - 8 * (i % 4)));
}

// sha1.h - SHA-1, for names in UUIDs of version 5 only. It protects nothing.
#ifndef SS_BASE_SHA1_H
#define SS_BASE_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SS_SHA1_SIZE = 20 };

struct ss_sha1 {
    uint32_t state[5];
    uint64_t size;
    uint8_t block[64];
};

void ss_sha1_init(struct ss_sha1 *sha1);
void ss_sha1_add(struct ss_sha1 *sha1, const void *bytes, size_t size);
// The digest. The state is used up: init before the next use.
void ss_sha1_end(struct ss_sha1 *sha1, uint8_t ret_digest[SS_SHA1_SIZE]);

#endif

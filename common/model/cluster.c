// cluster.c - sets of shards, and a look at who has which.
#include "common/model/cluster.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/model/journal.h"

uint16_t ss_shard_of(const char *thread)
{
    return (uint16_t)(ss_hash64(thread, strlen(thread)) % SS_SHARDS);
}

bool ss_shards_have(const struct ss_shards *shards, uint16_t shard)
{
    ss_check(shard < SS_SHARDS);
    return (shards->bits[shard / 64] >> (shard % 64)) & 1;
}

void ss_shards_add(struct ss_shards *shards, uint16_t shard)
{
    ss_check(shard < SS_SHARDS);
    shards->bits[shard / 64] |= UINT64_C(1) << (shard % 64);
}

void ss_shards_fill(struct ss_shards *shards)
{
    memset(shards->bits, 0xff, sizeof(shards->bits));
}

// Count bits by twos, fours and eights; the product adds all bytes up in the
// highest one.
static size_t bits_of(uint64_t word)
{
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) +
           ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (size_t)((word * UINT64_C(0x0101010101010101)) >> 56);
}

size_t ss_shards_count(const struct ss_shards *shards)
{
    size_t count = 0;
    for (size_t i = 0; i < SS_SHARDS / 64; i++)
        count += bits_of(shards->bits[i]);
    return count;
}

void ss_shards_join(struct ss_shards *to, const struct ss_shards *more)
{
    for (size_t i = 0; i < SS_SHARDS / 64; i++)
        to->bits[i] |= more->bits[i];
}

void ss_shards_leave(struct ss_shards *from, const struct ss_shards *less)
{
    for (size_t i = 0; i < SS_SHARDS / 64; i++)
        from->bits[i] &= ~less->bits[i];
}

void ss_cluster_fini(struct ss_cluster *cluster)
{
    ss_free(cluster->members);
    cluster->members = NULL;
    cluster->members_count = 0;
}

uint16_t ss_cluster_find(const struct ss_cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->members_count; i++)
        if (strcmp(cluster->members[i].name, name) == 0)
            return (uint16_t)i;
    return SS_NOBODY;
}

int32_t ss_cluster_row_format(const struct ss_cluster *cluster)
{
    int32_t format =
        cluster->members_count > 0 ? SS_ROW_FORMAT : SS_ROW_FORMAT_1;
    for (size_t i = 0; i < cluster->members_count; i++)
        if (cluster->members[i].row_format < format)
            format = cluster->members[i].row_format;
    return format < SS_ROW_FORMAT_1 ? SS_ROW_FORMAT_1 : format;
}

struct ss_shards ss_cluster_shards(
    const struct ss_cluster *cluster, uint16_t owner)
{
    struct ss_shards shards;
    for (size_t i = 0; i < SS_SHARDS / 64; i++) {
        const uint16_t *owners = &cluster->owners[i * 64];
        uint64_t word = 0;
        for (size_t bit = 64; bit-- > 0;)
            word = word << 1 | (owners[bit] == owner);
        shards.bits[i] = word;
    }
    return shards;
}

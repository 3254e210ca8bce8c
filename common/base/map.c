// map.c - a chained hash table whose entries also form a list.
//
//     buckets ->  [0] -> entry -> entry      bucket_next: same bucket
//                 [1]
//     first -> entry <-> entry <-> entry     next, prev: order of insertion
//
// A map of a few entries is the list alone.
#include "common/base/map.h"

#include <stdbool.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"

// Up to so many entries are walked in their order, without buckets: most maps
// never have more.
enum { WALKED_MAX = 4 };

enum { BUCKETS_FIRST = 8 }; // a power of two, as every later count

static struct ss_map_entry **slot_of(
    const struct ss_map *map, unsigned long long hash)
{
    return &map->buckets[hash & (map->bucket_count - 1)];
}

// Numbers that differ have other hashes, as its factor is odd.
static unsigned long long hash_of(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

// The entry has that key (NULL: the number with that hash).
static bool is_of(
    const struct ss_map_entry *entry, const char *key, unsigned long long hash)
{
    return entry->hash == hash && (!key || strcmp(entry->key, key) == 0);
}

static struct ss_map_entry *find(
    const struct ss_map *map, const char *key, unsigned long long hash)
{
    bool has_buckets = map->bucket_count > 0;
    struct ss_map_entry *entry = has_buckets ? *slot_of(map, hash) : map->first;
    while (entry && !is_of(entry, key, hash))
        entry = has_buckets ? entry->bucket_next : entry->next;
    return entry;
}

static void *get(
    const struct ss_map *map, const char *key, unsigned long long hash)
{
    struct ss_map_entry *entry = find(map, key, hash);
    return entry ? entry->value : NULL;
}

static void into_bucket(struct ss_map *map, struct ss_map_entry *entry)
{
    struct ss_map_entry **slot = slot_of(map, entry->hash);
    entry->bucket_next = *slot;
    *slot = entry;
}

static void grow(struct ss_map *map)
{
    uint32_t count = map->bucket_count ? map->bucket_count * 2 : BUCKETS_FIRST;
    ss_check(count > map->bucket_count);
    ss_free(map->buckets);
    map->buckets = ss_zalloc(count, sizeof(struct ss_map_entry *));
    map->bucket_count = count;
    for (struct ss_map_entry *entry = map->first; entry; entry = entry->next)
        into_bucket(map, entry);
}

static void out_of_bucket(
    const struct ss_map *map, const struct ss_map_entry *entry)
{
    struct ss_map_entry **link = slot_of(map, entry->hash);
    while (*link && *link != entry)
        link = &(*link)->bucket_next;
    ss_check(*link); // it stands in the bucket of its hash
    *link = entry->bucket_next;
}

void *ss_map_get(const struct ss_map *map, const char *key)
{
    return map->count ? get(map, key, ss_hash64(key, strlen(key))) : NULL;
}

void *ss_map_get_number(const struct ss_map *map, uint64_t key)
{
    return map->count ? get(map, NULL, hash_of(key)) : NULL;
}

// `size` bytes of the key are kept.
static void *put(struct ss_map *map, const char *key, size_t size,
    unsigned long long hash, void *value)
{
    struct ss_map_entry *entry = find(map, key, hash);
    if (entry) {
        void *old = entry->value;
        entry->value = value;
        return old;
    }
    if (map->count >= (map->bucket_count ? map->bucket_count : WALKED_MAX))
        grow(map);
    entry = ss_alloc(sizeof(*entry) + size);
    entry->key = key ? memcpy(entry + 1, key, size) : NULL;
    entry->value = value;
    entry->hash = hash;
    entry->prev = map->last;
    entry->next = entry->bucket_next = NULL;
    if (map->last)
        map->last->next = entry;
    else
        map->first = entry;
    map->last = entry;
    if (map->bucket_count > 0)
        into_bucket(map, entry);
    map->count++;
    return NULL;
}

void *ss_map_put(struct ss_map *map, const char *key, void *value)
{
    size_t size = strlen(key);
    return put(map, key, size + 1, ss_hash64(key, size), value);
}

void *ss_map_put_number(struct ss_map *map, uint64_t key, void *value)
{
    return put(map, NULL, 0, hash_of(key), value);
}

static void *take_out(
    struct ss_map *map, const char *key, unsigned long long hash)
{
    struct ss_map_entry *entry = find(map, key, hash);
    if (!entry)
        return NULL;
    if (map->bucket_count > 0)
        out_of_bucket(map, entry);
    if (entry->prev)
        entry->prev->next = entry->next;
    else
        map->first = entry->next;
    if (entry->next)
        entry->next->prev = entry->prev;
    else
        map->last = entry->prev;
    ss_check(map->count > 0);
    map->count--;
    void *value = entry->value;
    ss_free(entry);
    return value;
}

void *ss_map_remove(struct ss_map *map, const char *key)
{
    return map->count ? take_out(map, key, ss_hash64(key, strlen(key))) : NULL;
}

void *ss_map_remove_number(struct ss_map *map, uint64_t key)
{
    return map->count ? take_out(map, NULL, hash_of(key)) : NULL;
}

void ss_map_fini(struct ss_map *map, void (*free_value)(void *value))
{
    struct ss_map_entry *next;
    for (struct ss_map_entry *entry = map->first; entry; entry = next) {
        next = entry->next;
        if (free_value)
            free_value(entry->value);
        ss_free(entry);
    }
    ss_free(map->buckets);
    *map = (struct ss_map){0};
}

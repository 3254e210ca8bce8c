// map.c - a chained hash table whose entries also form a list.
//
//     buckets ->  [0] -> entry -> entry      bucket_next: same bucket
//                 [1]
//     first -> entry <-> entry <-> entry     next, prev: order of insertion
#include "common/base/map.h"

#include <string.h>

#include "common/base/ids.h"
#include "common/base/mem.h"

enum { BUCKETS_FIRST = 8 }; // a power of two, as every later count

static struct ss_map_entry **slot_of(
    const struct ss_map *map, unsigned long long hash)
{
    return &map->buckets[hash & (map->bucket_count - 1)];
}

static void grow(struct ss_map *map)
{
    size_t count = map->bucket_count ? map->bucket_count * 2 : BUCKETS_FIRST;
    ss_free(map->buckets);
    map->buckets = ss_zalloc(count, sizeof(struct ss_map_entry *));
    map->bucket_count = count;
    for (struct ss_map_entry *entry = map->first; entry; entry = entry->next) {
        struct ss_map_entry **slot = slot_of(map, entry->hash);
        entry->bucket_next = *slot;
        *slot = entry;
    }
}

// Numbers that differ have other hashes, as its factor is odd.
static unsigned long long hash_of(uint64_t number)
{
    return number * UINT64_C(0x9e3779b97f4a7c15);
}

// The pointer that points at the entry of `key` (NULL: the number with that
// hash), or at the end of its bucket.
static struct ss_map_entry **find(
    const struct ss_map *map, const char *key, unsigned long long hash)
{
    struct ss_map_entry **link = slot_of(map, hash);
    while (*link &&
           ((*link)->hash != hash || (key && strcmp((*link)->key, key) != 0)))
        link = &(*link)->bucket_next;
    return link;
}

static void *get(
    const struct ss_map *map, const char *key, unsigned long long hash)
{
    struct ss_map_entry *entry = *find(map, key, hash);
    return entry ? entry->value : NULL;
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
    if (map->count >= map->bucket_count)
        grow(map);
    struct ss_map_entry **link = find(map, key, hash);
    struct ss_map_entry *entry = *link;
    if (entry) {
        void *old = entry->value;
        entry->value = value;
        return old;
    }
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
    *link = entry;
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
    struct ss_map_entry **link = find(map, key, hash);
    struct ss_map_entry *entry = *link;
    if (!entry)
        return NULL;
    *link = entry->bucket_next;
    if (entry->prev)
        entry->prev->next = entry->next;
    else
        map->first = entry->next;
    if (entry->next)
        entry->next->prev = entry->prev;
    else
        map->last = entry->prev;
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

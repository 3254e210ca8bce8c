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

// The pointer that points at the entry of `key`, or at the end of its bucket.
static struct ss_map_entry **find(
    const struct ss_map *map, const char *key, unsigned long long hash)
{
    struct ss_map_entry **link = slot_of(map, hash);
    while (*link && ((*link)->hash != hash || strcmp((*link)->key, key) != 0))
        link = &(*link)->bucket_next;
    return link;
}

void *ss_map_get(const struct ss_map *map, const char *key)
{
    if (map->count == 0)
        return NULL;
    struct ss_map_entry *entry = *find(map, key, ss_hash64(key, strlen(key)));
    return entry ? entry->value : NULL;
}

void *ss_map_put(struct ss_map *map, const char *key, void *value)
{
    if (map->count >= map->bucket_count)
        grow(map);
    size_t size = strlen(key);
    unsigned long long hash = ss_hash64(key, size);
    struct ss_map_entry **link = find(map, key, hash);
    struct ss_map_entry *entry = *link;
    if (entry) {
        void *old = entry->value;
        entry->value = value;
        return old;
    }
    entry = ss_alloc(sizeof(*entry) + size + 1);
    entry->key = memcpy(entry + 1, key, size + 1);
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

void *ss_map_remove(struct ss_map *map, const char *key)
{
    if (map->count == 0)
        return NULL;
    struct ss_map_entry **link = find(map, key, ss_hash64(key, strlen(key)));
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

// map.h - text -> pointer, remembering the order of insertion.
//
// The one hash table of the project, by hand: those of glib and czmq forget the
// order, and a decision that follows an order must be the same for the same
// seed; uthash keeps it, but is a part of each struct that it holds.
#ifndef SS_BASE_MAP_H
#define SS_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct ss_map_entry {
    const char *key; // behind the entry; NULL: it is a number
    void *value;
    struct ss_map_entry *next; // in order of insertion
    struct ss_map_entry *prev;
    struct ss_map_entry *bucket_next;
    unsigned long long hash;
};

// Zero bytes are an empty map.
struct ss_map {
    struct ss_map_entry *first;
    struct ss_map_entry *last;
    struct ss_map_entry **buckets;
    uint32_t bucket_count;
    uint32_t count;
};

// The value, or NULL. Borrows.
void *ss_map_get(const struct ss_map *map, const char *key);
// Set; gives back the value that stood there, or NULL. The key is copied.
void *ss_map_put(struct ss_map *map, const char *key, void *value);
// Take out; gives the value, or NULL.
void *ss_map_remove(struct ss_map *map, const char *key);
// The same by number: a map has numbers as its keys, or texts.
void *ss_map_get_number(const struct ss_map *map, uint64_t key);
void *ss_map_put_number(struct ss_map *map, uint64_t key, void *value);
void *ss_map_remove_number(struct ss_map *map, uint64_t key);
// Free the map, and each value with `free_value` (may be NULL).
void ss_map_fini(struct ss_map *map, void (*free_value)(void *value));

// for (struct ss_map_entry *e = map.first; e; e = e->next) walks in order.

#endif

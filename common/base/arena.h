// arena.h - memory of one superstep: cut from chunks, given back all at once.
#ifndef SS_BASE_ARENA_H
#define SS_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct ss_arena_chunk;

// Zero bytes are an empty arena. Nothing is freed alone. Small on purpose: each
// row and each loop has some.
struct ss_arena {
    struct ss_arena_chunk *now; // the newest; older ones hang on it
    uint32_t used;              // of `now`
    uint32_t first;             // bytes of the first chunk; 0: 1,008
};

// An empty arena begins with memory of its owner's, `size` bytes at `bytes`
// (aligned for everything), which it never frees.
void ss_arena_lend(struct ss_arena *arena, void *bytes, size_t size);
// So many bytes, not cleared, aligned for everything. Borrowed from the arena.
void *ss_arena_take(struct ss_arena *arena, size_t size);
// `count` items of `size` bytes, all zero. Borrowed, too.
void *ss_arena_zalloc(struct ss_arena *arena, size_t count, size_t size);
// A copy of a text, or NULL for NULL. Borrowed, too.
char *ss_arena_text(struct ss_arena *arena, const char *text);
// Room for `count` items of `size` bytes in a list that lies in the arena:
// `items`, or another place that they were copied to.
void *ss_arena_grow(struct ss_arena *arena, void *items, size_t *capacity,
    size_t count, size_t size);
// All that was taken is given back; a first chunk stays for what comes, unless
// it is large.
void ss_arena_reset(struct ss_arena *arena);
void ss_arena_fini(struct ss_arena *arena);

#endif

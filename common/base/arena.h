// arena.h - memory of one superstep: cut from chunks, given back all at once.
#ifndef SS_BASE_ARENA_H
#define SS_BASE_ARENA_H

#include <stddef.h>

struct ss_arena_chunk;

// Zero bytes are an empty arena. Nothing is freed alone.
struct ss_arena {
    struct ss_arena_chunk *now; // the newest; older ones hang on it
    size_t used;                // of `now`
};

// So many bytes, not cleared, aligned for everything. Borrowed from the arena.
void *ss_arena_take(struct ss_arena *arena, size_t size);
void ss_arena_fini(struct ss_arena *arena);

#endif

// arena.c - memory of one superstep.
#include "common/base/arena.h"

#include "common/base/mem.h"

struct ss_arena_chunk {
    struct ss_arena_chunk *older;
    size_t size;
    _Alignas(16) char bytes[];
};

enum { CHUNK_SIZE_MIN = 1024 };

static void *take_chunk(struct ss_arena *arena, size_t size)
{
    size_t room = arena->now ? 2 * arena->now->size : CHUNK_SIZE_MIN;
    room = room < size ? size : room;
    struct ss_arena_chunk *chunk = ss_alloc(sizeof(*chunk) + room);
    chunk->older = arena->now;
    chunk->size = room;
    arena->now = chunk;
    arena->used = size;
    return chunk->bytes;
}

void *ss_arena_take(struct ss_arena *arena, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (!arena->now || arena->now->size - arena->used < size)
        return take_chunk(arena, size);
    void *memory = arena->now->bytes + arena->used;
    arena->used += size;
    return memory;
}

void ss_arena_fini(struct ss_arena *arena)
{
    for (struct ss_arena_chunk *chunk = arena->now, *older; chunk;
         chunk = older) {
        older = chunk->older;
        ss_free(chunk);
    }
    *arena = (struct ss_arena){0};
}

// arena.c - memory of one superstep.
#include "common/base/arena.h"

#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

struct ss_arena_chunk {
    struct ss_arena_chunk *older;
    size_t size;
    _Alignas(16) char bytes[];
};

enum {
    CHUNK_SIZE_FIRST = 1024,
    CHUNK_KEPT_MAX = 64 * 1024,
    CHUNK_GROWN_MAX = 1 << 30, // what is larger was asked for at once
};

static void *take_chunk(struct ss_arena *arena, size_t size)
{
    size_t first = arena->first ? arena->first : CHUNK_SIZE_FIRST;
    size_t room = !arena->now         ? first
                  : arena->now->older ? 2 * arena->now->size
                                      : arena->now->size;
    room = room > CHUNK_GROWN_MAX ? CHUNK_GROWN_MAX : room;
    room = room < size ? size : room;
    ss_check(room <= UINT32_MAX);
    struct ss_arena_chunk *chunk = ss_alloc(sizeof(*chunk) + room);
    chunk->older = arena->now;
    chunk->size = room;
    arena->now = chunk;
    arena->used = (uint32_t)size;
    return chunk->bytes;
}

static void *take_at(struct ss_arena *arena, size_t at, size_t size)
{
    if (!arena->now || at > arena->now->size || arena->now->size - at < size)
        return take_chunk(arena, size);
    arena->used = (uint32_t)(at + size);
    return arena->now->bytes + at;
}

void *ss_arena_take(struct ss_arena *arena, size_t size)
{
    return take_at(arena, ((size_t)arena->used + 15) & ~(size_t)15, size);
}

void *ss_arena_zalloc(struct ss_arena *arena, size_t count, size_t size)
{
    ss_check(size == 0 || count <= SIZE_MAX / 2 / size);
    return memset(ss_arena_take(arena, count * size), 0, count * size);
}

char *ss_arena_text(struct ss_arena *arena, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(take_at(arena, arena->used, size), text, size);
}

void *ss_arena_grow(struct ss_arena *arena, void *items, size_t *capacity,
    size_t count, size_t size)
{
    if (count <= *capacity)
        return items;
    size_t fewest = size >= 64 ? 2 : 4; // what is large is often alone
    size_t wanted = *capacity ? 2 * *capacity : fewest;
    wanted = wanted < count ? count : wanted;
    ss_check(wanted <= SIZE_MAX / 2 / size);
    void *grown = ss_arena_take(arena, wanted * size);
    if (*capacity)
        memcpy(grown, items, *capacity * size);
    *capacity = wanted;
    return grown;
}

void ss_arena_reset(struct ss_arena *arena)
{
    const struct ss_arena_chunk *now = arena->now;
    if (now && (now->older || now->size > CHUNK_KEPT_MAX))
        ss_arena_fini(arena);
    arena->used = 0;
}

void ss_arena_fini(struct ss_arena *arena)
{
    for (struct ss_arena_chunk *chunk = arena->now, *older; chunk;
         chunk = older) {
        older = chunk->older;
        ss_free(chunk);
    }
    arena->now = NULL;
    arena->used = 0;
}

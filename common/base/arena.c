// arena.c - memory of one superstep.
#include "common/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

struct ss_arena_chunk {
    struct ss_arena_chunk *older; // itself: it is lent, and the first
    size_t size;
    _Alignas(16) char bytes[];
};

enum {
    CHUNK_SIZE_FIRST = 1008, // with its head, what small blocks of malloc are
    CHUNK_KEPT_MAX = 64 * 1024,
    CHUNK_GROWN_MAX = 1 << 30, // what is larger was asked for at once
};

void ss_arena_lend(struct ss_arena *arena, void *bytes, size_t size)
{
    struct ss_arena_chunk *chunk = bytes;
    ss_check(!arena->now && size > sizeof(*chunk));
    chunk->older = chunk;
    chunk->size = size - sizeof(*chunk);
    arena->now = chunk;
    arena->used = 0;
}

static bool is_first(const struct ss_arena_chunk *chunk)
{
    return !chunk->older || chunk->older == chunk;
}

static void *take_chunk(struct ss_arena *arena, size_t size)
{
    size_t first = arena->first ? arena->first : CHUNK_SIZE_FIRST;
    size_t room = !arena->now            ? first
                  : is_first(arena->now) ? arena->now->size
                                         : 2 * arena->now->size;
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
    if (now && (!is_first(now) || now->size > CHUNK_KEPT_MAX))
        ss_arena_fini(arena);
    arena->used = 0;
}

void ss_arena_fini(struct ss_arena *arena)
{
    for (struct ss_arena_chunk *chunk = arena->now, *older; chunk;
         chunk = older) {
        older = chunk->older == chunk ? NULL : chunk->older;
        if (chunk->older != chunk)
            ss_free(chunk);
    }
    arena->now = NULL;
    arena->used = 0;
}

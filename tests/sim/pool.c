// pool.c - the simulator's memory: malloc and free of this program.
//
// A seed makes and drops millions of small blocks, in one thread. So there is
// no lock and nothing is ever joined: a block has the size of its class, and
// goes back to the free ones of its class. Not with sanitizers, which have
// their own.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    STEP = 16,            // small classes are so far apart
    SMALL = 64,           // and there are so many of them
    LARGE = 40,           // then each is twice as large as the one before
    CHUNK_SIZE = 1 << 20, // is asked of the system at once, at least
};

// Before each block, which is aligned as malloc aligns it.
struct header {
    _Alignas(16) size_t class; // NO_CLASS: it is never used again
};

struct freed {
    struct freed *next;
};

static const size_t no_class = SIZE_MAX;
static struct freed *freed[SMALL + LARGE];
static char *chunk;
static size_t chunk_left;

static size_t size_of(size_t class)
{
    return class < SMALL ? (class + 1) * STEP
                         : (size_t)SMALL * STEP << (class - SMALL + 1);
}

static size_t class_of(size_t size)
{
    size_t class = SMALL;
    if (size <= (size_t)SMALL * STEP)
        return size == 0 ? 0 : (size - 1) / STEP;
    while (class < SMALL + LARGE && size_of(class) < size)
        class ++;
    return class;
}

// NULL: the system has no more.
static void *carve(size_t size)
{
    if (size > chunk_left) {
        size_t wanted = size > CHUNK_SIZE ? size : CHUNK_SIZE;
        void *more = mmap(NULL, wanted, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (more == MAP_FAILED)
            return NULL;
        chunk = more;
        chunk_left = wanted;
    }
    void *block = chunk;
    chunk += size;
    chunk_left -= size;
    return block;
}

static struct header *header_of(void *block)
{
    return (struct header *)block - 1;
}

static void *take(size_t size)
{
    size_t class = class_of(size);
    struct freed *again = class < SMALL + LARGE ? freed[class] : NULL;
    if (again) {
        freed[class] = again->next;
        __builtin_prefetch(again->next); // it is read when it is taken
        return again;
    }
    struct header *header =
        class < SMALL + LARGE ? carve(sizeof(*header) + size_of(class)) : NULL;
    if (!header) {
        errno = ENOMEM;
        return NULL;
    }
    header->class = class;
    return header + 1;
}

static void give_back(void *block)
{
    struct freed *it = block;
    struct freed **list = &freed[header_of(block)->class];
    it->next = *list;
    *list = it;
}

// ------------------------------------------------------------------ outside

void *malloc(size_t size)
{
    return take(size);
}

void free(void *block)
{
    if (block && header_of(block)->class != no_class)
        give_back(block);
}

void *calloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    void *block = take(count * size);
    if (block)
        memset(block, 0, count * size);
    return block;
}

void *realloc(void *block, size_t size)
{
    if (!block)
        return take(size);
    size_t room = malloc_usable_size(block);
    if (size <= room)
        return block;
    void *moved = take(size);
    if (moved) {
        memcpy(moved, block, room);
        free(block);
    }
    return moved;
}

size_t malloc_usable_size(void *block)
{
    size_t class = block ? header_of(block)->class : no_class;
    return class == no_class ? 0 : size_of(class);
}

// Nobody in a simulation asks for this; what asks before main() keeps it.
void *aligned_alloc(size_t alignment, size_t size)
{
    if (alignment <= STEP)
        return take(size);
    char *room = carve(size + alignment + 2 * sizeof(struct header));
    if (!room)
        return NULL;
    uintptr_t at = (uintptr_t)room + sizeof(struct header);
    at = (at + alignment - 1) / alignment * alignment;
    struct header *header = header_of((void *)at);
    header->class = no_class;
    return header + 1;
}

int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    void *block = aligned_alloc(alignment, size);
    if (!block)
        return ENOMEM;
    *ret_block = block;
    return 0;
}

void *memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

// mem.h - memory. Running out of it is a crash, and a crash is safe.
//
// No function here returns NULL: when the system has no memory left the process
// stops (docs/decisions/0001), as in any crash, and its runs go on elsewhere
// from the journal. What comes from outside is bounded before it is allocated.
#ifndef SS_BASE_MEM_H
#define SS_BASE_MEM_H

#include <stddef.h>

// `size` bytes, not cleared. Gives: free with ss_free(). Size 0 is fine.
void *ss_alloc(size_t size);
// `count` items of `size` bytes, all zero. Gives.
void *ss_zalloc(size_t count, size_t size);
// Grow or shrink. Takes `block` (may be NULL), gives the new one.
void *ss_realloc(void *block, size_t size);
// Free; not NULL.
void ss_free_block(void *block);
// Free; NULL is fine, and most often there.
static inline void ss_free(void *block)
{
    if (block)
        ss_free_block(block);
}
// A copy of a string, or NULL for NULL. Gives.
char *ss_strdup(const char *text);
// A copy of `size` bytes with a NUL behind. Gives.
char *ss_memdup(const void *bytes, size_t size);
// printf into a new string. Gives.
char *ss_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// A vector: declare with SS_VEC(type), start from zero bytes, free with
// SS_VEC_FINI. Items may move on a push.
#define SS_VEC(type)                                                           \
    struct {                                                                   \
        type *items;                                                           \
        size_t count;                                                          \
        size_t capacity;                                                       \
    }

// Room for one more item; the macros below use it.
void *ss_vec_grow(void *items, size_t *capacity, size_t count, size_t size);

#define SS_VEC_PUSH(vec, ...)                                                  \
    do {                                                                       \
        if ((vec)->count >= (vec)->capacity)                                   \
            (vec)->items = ss_vec_grow((vec)->items, &(vec)->capacity,         \
                (vec)->count + 1, sizeof(*(vec)->items));                      \
        (vec)->items[(vec)->count++] = (__VA_ARGS__);                          \
    } while (0)

#define SS_VEC_FINI(vec)                                                       \
    do {                                                                       \
        ss_free((vec)->items);                                                 \
        (vec)->items = NULL;                                                   \
        (vec)->count = (vec)->capacity = 0;                                    \
    } while (0)

// Take out item `index`, keeping the order of the others.
#define SS_VEC_REMOVE(vec, index)                                              \
    ss_vec_close_gap(                                                          \
        (vec)->items, &(vec)->count, (index), sizeof(*(vec)->items))
void ss_vec_close_gap(void *items, size_t *count, size_t index, size_t size);

// For torture tests: called before each allocation when set; if it returns
// non-zero the allocation fails (and the process with it). NULL switches off.
extern int (*ss_mem_hook)(size_t size);

#endif

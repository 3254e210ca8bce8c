// mem.c - memory, or the end of the process.
#include "common/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"

int (*ss_mem_hook)(size_t size);

_Noreturn static void out_of_memory(size_t size)
{
    // No formatting of floats and no buffer: fprintf to stderr needs no memory.
    fprintf(stderr,
        "superstep: out of memory (%zu bytes asked for); what was "
        "acknowledged is durable\n",
        size);
    abort();
}

// Each allocation of at least a byte.
static inline size_t asked(size_t size)
{
    size = size == 0 ? 1 : size;
    if (ss_mem_hook && ss_mem_hook(size) != 0)
        out_of_memory(size);
    return size;
}

void *ss_alloc(size_t size)
{
    void *memory = malloc(asked(size));
    if (!memory)
        out_of_memory(size);
    return memory;
}

void *ss_zalloc(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        out_of_memory(SIZE_MAX);
    return memset(ss_alloc(count * size), 0, count * size);
}

void *ss_realloc(void *block, size_t size)
{
    void *memory = realloc(block, asked(size));
    if (!memory)
        out_of_memory(size);
    return memory;
}

void ss_free_block(void *block)
{
    free(block);
}

char *ss_strdup(const char *text)
{
    return text ? ss_memdup(text, strlen(text)) : NULL;
}

char *ss_memdup(const void *bytes, size_t size)
{
    ss_check(size < SIZE_MAX);
    char *copy = ss_alloc(size + 1);
    if (size > 0)
        memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

char *ss_format(const char *format, ...)
{
    char most[128]; // are not longer, and are written once
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(most, sizeof(most), format, args);
    va_end(args);
    ss_check(size >= 0);
    char *text = ss_alloc((size_t)size + 1);
    if ((size_t)size < sizeof(most))
        memcpy(text, most, (size_t)size + 1);
    else
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

void *ss_vec_grow(void *items, size_t *capacity, size_t count, size_t size)
{
    if (count <= *capacity)
        return items;
    // What is large is often alone: a row's event, a subscriber.
    size_t first = size >= 64 ? 1 : size >= 32 ? 2 : 4;
    size_t wanted = *capacity ? *capacity : first;
    while (wanted < count) {
        if (wanted > SIZE_MAX / 2)
            out_of_memory(SIZE_MAX);
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / size)
        out_of_memory(SIZE_MAX);
    items = ss_realloc(items, wanted * size);
    *capacity = wanted;
    return items;
}

void ss_vec_close_gap(void *items, size_t *count, size_t index, size_t size)
{
    ss_check(index < *count);
    char *gap = (char *)items + index * size;
    memmove(gap, gap + size, (*count - index - 1) * size);
    --*count;
}

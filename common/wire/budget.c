// budget.c - blocks that double, cut from the front.
#include "common/wire/budget.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { FIRST_BLOCK_SIZE = 2048, BLOCK_SIZE_MAX = 256 * 1024 };

struct ss_budget_block {
    struct ss_budget_block *next;
    size_t used;
    size_t size;
    alignas(max_align_t) char bytes[];
};

static void *take(void *data, size_t size)
{
    return ss_budget_alloc(data, size);
}

static void give_back(void *data, void *pointer)
{
    (void)data;
    (void)pointer;
}

void ss_budget_init(struct ss_budget *budget, size_t size_max)
{
    *budget = (struct ss_budget){.left = size_max};
    budget->allocator = (ProtobufCAllocator){take, give_back, budget};
}

void ss_budget_fini(struct ss_budget *budget)
{
    while (budget->blocks) {
        struct ss_budget_block *next = budget->blocks->next;
        ss_free(budget->blocks);
        budget->blocks = next;
    }
}

static struct ss_budget_block *add_block(struct ss_budget *budget, size_t size)
{
    size_t capacity = FIRST_BLOCK_SIZE;
    if (budget->blocks) {
        capacity = budget->blocks->size * 2;
        if (capacity > BLOCK_SIZE_MAX)
            capacity = BLOCK_SIZE_MAX;
    }
    if (capacity < size)
        capacity = size;
    struct ss_budget_block *block = ss_alloc(sizeof(*block) + capacity);
    block->next = budget->blocks;
    block->used = 0;
    block->size = capacity;
    budget->blocks = block;
    return block;
}

void *ss_budget_alloc(struct ss_budget *budget, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (size > budget->left || size > SIZE_MAX / 2) {
        budget->is_spent = true;
        return NULL;
    }
    size_t rounded = (size + align - 1) / align * align;
    budget->left -= rounded < budget->left ? rounded : budget->left;
    struct ss_budget_block *block = budget->blocks;
    if (!block || block->size - block->used < rounded)
        block = add_block(budget, rounded);
    void *memory = block->bytes + block->used;
    block->used += rounded;
    return memory;
}

void *ss_budget_zalloc(struct ss_budget *budget, size_t count, size_t size)
{
    ss_check(size == 0 || count <= SIZE_MAX / 2 / size);
    void *memory = ss_budget_alloc(budget, count * size);
    ss_check(memory != NULL);
    return memset(memory, 0, count * size);
}

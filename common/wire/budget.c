// budget.c - blocks that double, cut from the front; the first is the budget's
// own.
#include "common/wire/budget.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { BLOCK_SIZE_MAX = 256 * 1024 };

struct ss_budget_block {
    struct ss_budget_block *next;
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

// Does not clear `first`.
void ss_budget_init(struct ss_budget *budget, size_t size_max)
{
    budget->blocks = NULL;
    budget->at = budget->first;
    budget->end = budget->first + sizeof(budget->first);
    budget->left = size_max;
    budget->block_size = 2 * sizeof(budget->first);
    budget->is_spent = false;
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

void ss_budget_expect(struct ss_budget *budget, size_t size)
{
    if (size > BLOCK_SIZE_MAX)
        size = BLOCK_SIZE_MAX;
    if (size > budget->block_size)
        budget->block_size = size;
}

static void add_block(struct ss_budget *budget, size_t size)
{
    size_t capacity = budget->block_size;
    ss_budget_expect(budget, 2 * capacity);
    if (capacity < size)
        capacity = size;
    struct ss_budget_block *block = ss_alloc(sizeof(*block) + capacity);
    block->next = budget->blocks;
    block->size = capacity;
    budget->blocks = block;
    budget->at = block->bytes;
    budget->end = block->bytes + capacity;
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
    if ((size_t)(budget->end - budget->at) < rounded)
        add_block(budget, rounded);
    void *memory = budget->at;
    budget->at += rounded;
    return memory;
}

void *ss_budget_zalloc(struct ss_budget *budget, size_t count, size_t size)
{
    ss_check(size == 0 || count <= SIZE_MAX / 2 / size);
    void *memory = ss_budget_alloc(budget, count * size);
    ss_check(memory != NULL);
    return memset(memory, 0, count * size);
}

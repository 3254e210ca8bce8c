// budget.h - memory for one message, with a ceiling, freed as a whole.
//
// Unpacking allocates what bytes from outside ask for; from a budget it gets no
// more than was set aside for a message of that size.
#ifndef SS_WIRE_BUDGET_H
#define SS_WIRE_BUDGET_H

#include <protobuf-c/protobuf-c.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>

// Most messages take no more: they cost no allocation.
enum { SS_BUDGET_FIRST_SIZE = 2048 };

struct ss_budget_block;

struct ss_budget {
    struct ss_budget_block *blocks; // the newest first; NULL: `first` is enough
    char *at, *end;                 // what is free in the newest, or in `first`
    size_t left;                    // of the ceiling, in bytes
    size_t block_size;              // of the next block, at least
    bool is_spent;                  // something did not get its memory
    ProtobufCAllocator allocator;   // takes from this budget; free does nothing
    _Alignas(max_align_t) char first[SS_BUDGET_FIRST_SIZE];
};

// `budget` must stay where it is until it is freed.
void ss_budget_init(struct ss_budget *budget, size_t size_max);
void ss_budget_fini(struct ss_budget *budget);
// About so much will be needed: what `first` does not hold comes in one block.
void ss_budget_expect(struct ss_budget *budget, size_t size);
// Aligned memory, not cleared; NULL when the budget is spent.
void *ss_budget_alloc(struct ss_budget *budget, size_t size);

// The same, where it mostly is there.
static inline void *ss_budget_take(struct ss_budget *budget, size_t size)
{
    const size_t align = alignof(max_align_t);
    size_t rounded = (size + align - 1) & ~(align - 1);
    if (rounded < size || rounded > budget->left ||
        rounded > (size_t)(budget->end - budget->at))
        return ss_budget_alloc(budget, size);
    void *memory = budget->at;
    budget->at += rounded;
    budget->left -= rounded;
    return memory;
}

// Cleared; for our own packing, where the ceiling is SIZE_MAX.
void *ss_budget_zalloc(struct ss_budget *budget, size_t count, size_t size);

#endif

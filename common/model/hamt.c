// hamt.c - a hash trie with shared nodes (Bagwell, Ideal Hash Trees, 2001).
#include "common/model/hamt.h"

#include <stddef.h>

#include "common/base/check.h"
#include "common/base/mem.h"

enum { BITS = 5, BRANCHES = 1 << BITS };

struct entry {
    uint64_t hash; // of a number; a child has none
    uint64_t number;
    struct ss_hamt *child; // or NULL
};

struct ss_hamt {
    unsigned refs;
    uint32_t taken; // which of the 32 branches have an entry
    struct entry entries[];
};

static unsigned branch_of(uint64_t hash, unsigned level)
{
    unsigned shift = BITS * level;
    ss_check(shift < 64); // two different hashes have parted by then
    return (unsigned)(hash >> shift) & (BRANCHES - 1);
}

// How many bits are set: added up in pairs, fours, bytes.
static unsigned count_of(uint32_t taken)
{
    taken -= taken >> 1 & 0x55555555;
    taken = (taken & 0x33333333) + (taken >> 2 & 0x33333333);
    taken = (taken + (taken >> 4)) & 0x0f0f0f0f;
    return taken * UINT32_C(0x01010101) >> 24;
}

// Where the entry of `branch` stands, or would stand.
static unsigned place_of(const struct ss_hamt *node, unsigned branch)
{
    return count_of(node->taken & ((UINT32_C(1) << branch) - 1));
}

static bool has(const struct ss_hamt *node, unsigned branch)
{
    return (node->taken >> branch & 1) != 0;
}

static struct ss_hamt *node_new(uint32_t taken)
{
    struct ss_hamt *node =
        ss_zalloc(1, sizeof(*node) + count_of(taken) * sizeof(struct entry));
    node->refs = 1;
    node->taken = taken;
    return node;
}

struct ss_hamt *ss_hamt_ref(struct ss_hamt *index)
{
    if (index)
        index->refs++;
    return index;
}

void ss_hamt_unref(struct ss_hamt *index)
{
    if (!index || --index->refs > 0)
        return;
    for (unsigned i = 0; i < count_of(index->taken); i++)
        ss_hamt_unref(index->entries[i].child);
    ss_free(index);
}

bool ss_hamt_get(
    const struct ss_hamt *index, uint64_t hash, uint64_t *ret_number)
{
    for (unsigned level = 0; index; level++) {
        unsigned branch = branch_of(hash, level);
        if (!has(index, branch))
            return false;
        const struct entry *entry = &index->entries[place_of(index, branch)];
        if (!entry->child) {
            *ret_number = entry->number;
            return entry->hash == hash;
        }
        index = entry->child;
    }
    return false;
}

// A node that nobody else holds, with the branches `taken`; it keeps the
// entries of those that `node` (taken) has, too. The node itself where it fits.
static struct ss_hamt *reshape(struct ss_hamt *node, uint32_t taken)
{
    if (node->refs == 1 && node->taken == taken)
        return node;
    struct ss_hamt *copy = node_new(taken);
    for (unsigned b = 0; b < BRANCHES; b++)
        if (has(node, b) && has(copy, b)) {
            struct entry *entry = &copy->entries[place_of(copy, b)];
            *entry = node->entries[place_of(node, b)];
            ss_hamt_ref(entry->child);
        }
    ss_hamt_unref(node);
    return copy;
}

static struct ss_hamt *put(
    struct ss_hamt *node, unsigned level, uint64_t hash, uint64_t number)
{
    unsigned branch = branch_of(hash, level);
    if (!node)
        node = node_new(0);
    bool was_there = has(node, branch);
    node = reshape(node, node->taken | UINT32_C(1) << branch);
    struct entry *entry = &node->entries[place_of(node, branch)];
    if (entry->child) {
        entry->child = put(entry->child, level + 1, hash, number);
    } else if (was_there && entry->hash != hash) {
        // Two in one branch: they go on below, where they part.
        struct ss_hamt *below =
            put(NULL, level + 1, entry->hash, entry->number);
        *entry = (struct entry){.child = put(below, level + 1, hash, number)};
    } else {
        *entry = (struct entry){.hash = hash, .number = number};
    }
    return node;
}

struct ss_hamt *ss_hamt_put(
    struct ss_hamt *index, uint64_t hash, uint64_t number)
{
    return put(index, 0, hash, number);
}

static struct ss_hamt *drop(struct ss_hamt *node, unsigned level, uint64_t hash)
{
    unsigned branch = branch_of(hash, level);
    ss_check(has(node, branch));
    node = reshape(node, node->taken);
    struct entry *entry = &node->entries[place_of(node, branch)];
    ss_check(entry->child || entry->hash == hash);
    if (entry->child) {
        entry->child = drop(entry->child, level + 1, hash);
        if (entry->child)
            return node;
    }
    node = reshape(node, node->taken & ~(UINT32_C(1) << branch));
    if (node->taken)
        return node;
    ss_hamt_unref(node);
    return NULL;
}

struct ss_hamt *ss_hamt_drop(struct ss_hamt *index, uint64_t hash)
{
    return drop(index, 0, hash);
}

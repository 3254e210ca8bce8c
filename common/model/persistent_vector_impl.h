// persistent_vector_impl.h - the nodes of lists (persistent_vector.c and
// persistent_vector_edit.c).
#ifndef SS_MODEL_PERSISTENT_VECTOR_IMPL_H
#define SS_MODEL_PERSISTENT_VECTOR_IMPL_H

#include "common/model/persistent_vector.h"

enum { SS_LIST_BITS = 5, SS_LIST_WIDTH = 1 << SS_LIST_BITS };

struct ss_list_node;

union ss_list_place {
    struct ss_list_node *child; // above level 0; NULL: holes only
    struct ss_value *item;      // at level 0; NULL: a hole
};

// It is summed up when it is asked for: what stays in one process is never
// asked.
#define SS_LIST_DEPTH_UNKNOWN (-1)

struct ss_list_node {
    unsigned refs;
    int depth;    // how deep the items below nest, or SS_LIST_DEPTH_UNKNOWN
    size_t count; // items below, without holes
    size_t about; // what they weigh, once somebody asked; 0: nobody did since
    union ss_list_place places[SS_LIST_WIDTH];
};

struct ss_list {
    unsigned refs;
    unsigned level;            // of the root; leaves are level 0
    struct ss_list_node *root; // NULL: no item
    uint64_t next;
    struct ss_hamt *index;
    uint64_t indexed; // the index knows the items of lower numbers
};

// The place at `level` under which `number` is found.
static inline unsigned ss_list_place(uint64_t number, unsigned level)
{
    return (unsigned)(number >> (SS_LIST_BITS * level)) & (SS_LIST_WIDTH - 1);
}

static inline size_t ss_list_place_count(
    const union ss_list_place *place, unsigned level)
{
    if (level == 0)
        return place->item != NULL;
    return place->child ? place->child->count : 0;
}

#endif

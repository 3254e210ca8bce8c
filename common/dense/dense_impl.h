// dense_impl.h - the state of a dense machine, and what only its files share.
#ifndef SS_DENSE_IMPL_H
#define SS_DENSE_IMPL_H

#include "common/base/mem.h"
#include "common/dense/arena.h"
#include "common/dense/dense.h"

// ------------------------------------------------ sets of ids

static inline bool bit_has(const uint64_t *bits, uint32_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

static inline void bit_put(uint64_t *bits, uint32_t i, bool is_on)
{
    uint64_t bit = UINT64_C(1) << (i & 63);
    bits[i >> 6] = is_on ? bits[i >> 6] | bit : bits[i >> 6] & ~bit;
}

// Asked in one load, walked without a look at those that are not in it.
struct ss_rank_set {
    uint64_t *bits;
    uint32_t *items;
    uint32_t count;
};

static inline void rank_set_add(struct ss_rank_set *set, uint32_t i)
{
    if (bit_has(set->bits, i))
        return;
    bit_put(set->bits, i, true);
    set->items[set->count++] = i;
}

static inline void rank_set_clear(struct ss_rank_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        bit_put(set->bits, set->items[i], false);
    set->count = 0;
}

// ------------------------------------------------ the state

// What somebody has seen that has no slot: pseudo nodes, and nodes and channels
// of another version of the graph.
struct ss_dense_stranger {
    char *node;
    char *channel; // NULL: the entry itself
    int64_t version;
    bool moved; // since the last row
};

// A channel that the graph lacks and the journal has.
struct ss_dense_foreign {
    char *name;
    int64_t version;
    struct ss_handle value;
};

struct ss_dense_machine {
    struct ss_dense_graph *graph;
    int64_t version_max;
    bool updated_known, candidates_known;
    bool changed_since_break, changed_since_break_known;
    bool has_breaks, breaks_entered; // __interrupt__ has an entry; it is new
    size_t whole_bytes;
    // by channel
    struct ss_handle *values;
    int64_t *versions;
    int64_t *breaks;        // what __interrupt__ has seen; 0: nothing
    uint64_t *finished;     // bits
    uint64_t *words;        // who has arrived at barriers
    uint32_t *stored;       // items of a list that rows have, or SS_RANK_NONE
    struct ss_value **told; // of a VALUE: what rows have; or NULL
    size_t *told_bytes;     // about what that weighs
    uint32_t *touched;      // its place in an update under way, from 1
    int64_t *seen;          // by slot
    uint64_t *entered;      // bits by node: it has an entry
    struct ss_rank_set updated, updated_last, versioned, self_changing;
    struct ss_rank_set moved, breaks_moved;       // channels
    struct ss_rank_set candidates, entries_moved; // nodes
    struct ss_rank_set seen_moved;                // slots
    SS_VEC(struct ss_dense_stranger) strangers;
    SS_VEC(struct ss_dense_foreign) foreign;
    struct ss_dense_task *tasks; // of the last plan, in the arena
    uint32_t tasks_count;
    struct ss_arena planned; // until the next plan
    struct ss_arena work;    // of an update
};

// ------------------------------------------------ kinds.c

// What one channel holds: in the machine, or aside.
struct ss_dense_held {
    struct ss_handle value;
    uint64_t *words;
    bool finished;
    bool is_other; // not what it was, grown: rows have nothing of it
};

// A write on its way into a channel, and the next one.
struct ss_dense_given {
    struct ss_handle value; // borrowed
    const char *owner;
    struct ss_dense_given *next;
};

bool ss_held_available(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held);
bool ss_held_self_changing(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held);
bool ss_held_consume(
    const struct ss_dense_channel *channel, struct ss_dense_held *held);
bool ss_held_finish(
    const struct ss_dense_channel *channel, struct ss_dense_held *held);
// A step passes without a write.
bool ss_held_tick(
    const struct ss_dense_channel *channel, struct ss_dense_held *held);
// On an error it may hold some of the writes.
int ss_held_update(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, const struct ss_dense_given *first,
    bool *ret_changed) SS_MUST_USE;
// The stored form. Gives; MISSING: none.
struct ss_handle ss_held_store(
    const struct ss_dense_channel *channel, const struct ss_dense_held *held);
// From the stored form (borrowed; NULL: none). SS_ECORRUPT.
int ss_held_restore(const struct ss_dense_channel *channel,
    struct ss_dense_held *held, struct ss_value *stored) SS_MUST_USE;
// What the application folded (borrowed) is the value.
void ss_held_fold(struct ss_dense_held *held, struct ss_handle fold);
// Takes `value`.
void ss_held_put(struct ss_dense_held *held, struct ss_handle value);

// ------------------------------------------------ machine.c

struct ss_dense_held ss_dense_hold(
    const struct ss_dense_machine *machine, uint32_t channel);
// The value is another one: the channel may change by itself, and its nodes may
// be triggered.
void ss_dense_stir(struct ss_dense_machine *machine, uint32_t channel);
void ss_dense_see_node(struct ss_dense_machine *machine, uint32_t node);
void ss_dense_see_slot(
    struct ss_dense_machine *machine, uint32_t slot, int64_t version);
// Set what was seen. A NULL channel makes the empty entry; `node` may be
// SS_RANK_NONE.
void ss_dense_see(struct ss_dense_machine *machine, uint32_t node,
    const char *name, const char *channel, int64_t version);

// ------------------------------------------------ part.c

// About what a channel takes that holds it (or NULL).
size_t ss_dense_weight(struct ss_value *value);

#endif

// pregel_impl.h - the state of a machine, and what only its files share.
#ifndef SS_PREGEL_PREGEL_IMPL_H
#define SS_PREGEL_PREGEL_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/channel.h"
#include "common/model/graph.h"
#include "common/model/journal.h"
#include "common/pregel/pending.h"

struct ss_pendings;

enum { SLOT_BYTES = 24 }; // about what a channel takes besides its value

// ------------------------------------------------ sets

// Some of the channels, nodes or slots of a graph, by index: asked for in one
// load, and walked without a look at the others.
struct index_set {
    uint64_t *bits;
    uint32_t *items;
    uint32_t count;
};

static inline bool bit_has(const uint64_t *bits, size_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

static inline void bit_put(uint64_t *bits, size_t i, bool is_on)
{
    uint64_t bit = UINT64_C(1) << (i & 63);
    bits[i >> 6] = is_on ? bits[i >> 6] | bit : bits[i >> 6] & ~bit;
}

static inline bool index_set_has(const struct index_set *set, size_t i)
{
    return bit_has(set->bits, i);
}

static inline void index_set_add(struct index_set *set, size_t i)
{
    if (bit_has(set->bits, i))
        return;
    bit_put(set->bits, i, true);
    set->items[set->count++] = (uint32_t)i;
}

static inline void index_set_clear(struct index_set *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        bit_put(set->bits, set->items[i], false);
    set->count = 0;
}

// ------------------------------------------------ the state

// Who has seen something that has no slot: a pseudo node, or a node of another
// version of the graph; and a node of this one that saw channels of another.
struct stranger {
    bool is_node;      // its entry is among those of nodes
    struct ss_map saw; // channel -> int64_t *
};

// What changed of that.
struct seen_change {
    char *node;
    char *channel; // NULL: the entry itself
    int64_t version;
};

// A superstep looks at what moved, never at all of a graph: hence the sets. All
// arrays lie in one block, behind the struct.
struct ss_machine {
    struct ss_graph *graph; // own reference
    int64_t version_max;    // over all channels, unknown ones too
    size_t whole_bytes;
    bool updated_known;
    bool candidates_known; // else any node may be one
    bool changed_since_break,
        changed_since_break_known; // something moved since the last breakpoint
    bool has_breaks;               // __interrupt__ has an entry
    // by channel
    struct ss_channel *channels;
    int64_t *versions;        // 0: none
    int64_t *breaks;          // what __interrupt__ has seen; 0: nothing
    struct ss_value **stored; // what the journal holds
    size_t *stored_size;      // its bytes, about
    uint32_t *touched;        // of a call under way; else 0
    // by slot: the version of its channel that its node has seen; 0: none
    int64_t *seen;
    uint64_t *entered; // bits by node: it has an entry
    struct index_set updated;
    struct index_set updated_last; // those that the last update updated
    struct index_set versioned;    // channels that have a version
    struct index_set
        self_changing; // channels that change though nobody writes them
    struct index_set candidates; // nodes: all that are triggered are among them
    // for the next row: what moved since the last
    struct index_set moved;        // channels
    struct index_set moved_seen;   // slots; behind them nodes with a new entry
    struct index_set moved_breaks; // channels
    SS_VEC(struct seen_change) moved_strangers;
    struct ss_map strangers; // node -> struct stranger *
    // channels that the graph lacks and the journal has
    SS_VEC(struct ss_row_channel) foreign;
};

// ------------------------------------------------ update.c

// The channel's value is another one: it may change by itself now.
void ss_machine_stir(struct ss_machine *machine, size_t channel);

// ------------------------------------------------ seen.c

// Set; a NULL channel makes the empty entry.
void ss_seen_set(struct ss_machine *machine, const char *node,
    const char *channel, int64_t version);
// A node has seen its triggers as they are.
void ss_seen_triggers(struct ss_machine *machine, size_t node);
// A node has an entry, if it saw nothing.
void ss_seen_entry(struct ss_machine *machine, size_t node);
// Each that there is, of nodes and breakpoints, whose names are the graph's or
// ours, then of strangers. A NULL channel is the entry, version 0.
typedef void ss_seen_visit(
    void *ctx, const char *node, const char *channel, int64_t version);
void ss_seen_each(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx);
// Each of the two alone.
void ss_seen_each_known(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx);
void ss_seen_each_stranger(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx);
// The same of what moved since the last row; an entry comes before its
// versions.
void ss_seen_each_known_moved(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx);
void ss_seen_each_stranger_moved(
    const struct ss_machine *machine, ss_seen_visit *visit, void *ctx);
void ss_seen_drop_moved(struct ss_machine *machine);
void ss_seen_fini(struct ss_machine *machine);

// ------------------------------------------------ plan.c

// path_str of PUSH index (R3.14). Borrowed from `memory`.
char *ss_path_push(struct ss_arena *memory, size_t index);
// A channel that triggers it is newer than what it has seen (R3.5).
bool ss_plan_triggers(const struct ss_machine *machine, size_t node);

// ------------------------------------------------ pending.c

// How a task without output ended in this run, after row `since`: FAILURE,
// QUESTION, or NOTHING: it did not.
enum ss_found ss_pendings_ended(
    const struct ss_pendings *pending, const char *task_id, uint64_t since);

#endif

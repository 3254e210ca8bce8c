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

struct index_list {
    size_t *items;
    size_t count;
    size_t capacity;
};

// Some of the channels or nodes of a graph, by index: asked for, and walked
// without a look at the others.
struct index_set {
    bool *has; // of each
    struct index_list list;
};

static inline void index_set_init(struct index_set *set, size_t size)
{
    *set = (struct index_set){.has = ss_zalloc(size, sizeof(*set->has))};
}

static inline void index_set_fini(struct index_set *set)
{
    ss_free(set->has);
    SS_VEC_FINI(&set->list);
}

static inline void index_set_add(struct index_set *set, size_t index)
{
    if (set->has[index])
        return;
    set->has[index] = true;
    SS_VEC_PUSH(&set->list, index);
}

static inline void index_set_clear(struct index_set *set)
{
    for (size_t i = 0; i < set->list.count; i++)
        set->has[set->list.items[i]] = false;
    set->list.count = 0;
}

// ------------------------------------------------ the state

struct seen_change {
    char *node;
    char *channel; // NULL: the entry itself
    int64_t version;
};

// A superstep looks at what moved, never at all of a graph: hence the sets.
struct ss_machine {
    struct ss_graph *graph; // own reference
    int64_t *versions;      // by channel index; 0: none
    int64_t version_max;    // over all channels, unknown ones too
    struct ss_map seen;     // node -> struct ss_map * (channel -> int64_t *)
    struct ss_channel *channels; // by channel index
    bool updated_known;
    struct index_set updated;      // channels
    struct index_set updated_last; // those that the last update updated
    struct index_set versioned;    // channels that have a version
    struct index_set
        self_changing; // channels that change though nobody writes them
    struct index_set candidates; // nodes: all that are triggered are among them
    bool candidates_known;       // else any may be
    bool changed_since_break,
        changed_since_break_known; // something moved since the last breakpoint
    size_t *slots; // by channel index, of an update under way; else 0
    // for the next row: what moved since the last
    struct index_set moved;   // channels
    struct ss_value **stored; // by channel index: what the journal holds
    size_t *stored_size;      // its bytes, about
    size_t whole_bytes;
    SS_VEC(struct seen_change) seen_moved;
    // channels that the graph lacks and the journal has
    SS_VEC(struct ss_row_channel) foreign;
#ifdef SS_SHADOW
    struct ss_dense_graph *dense_graph; // shadow.h; or NULL
    struct ss_dense_machine *shadow;
#endif
};

// ------------------------------------------------ update.c

// The channel's value is another one: it may change by itself now.
void ss_machine_stir(struct ss_machine *machine, size_t channel);

// ------------------------------------------------ seen.c

// The node has an entry.
bool ss_seen_has(const struct ss_machine *machine, const char *node);
// The version that `node` has seen of `channel`; false: no entry at all. *ret
// is 0 where the entry lacks the channel.
bool ss_seen_get(const struct ss_machine *machine, const char *node,
    const char *channel, int64_t *ret);
// Set; a NULL channel makes the empty entry.
void ss_seen_set(struct ss_machine *machine, const char *node,
    const char *channel, int64_t version);

// ------------------------------------------------ plan.c

// path_str of PULL node, PUSH index (R3.14). Give.
char *ss_path_pull(const char *node);
char *ss_path_push(size_t index);
// A channel that triggers it is newer than what it has seen (R3.5).
bool ss_plan_triggers(
    const struct ss_machine *machine, const struct ss_node *node);

// ------------------------------------------------ pending.c

// How a task without output ended in this run, after row `since`: FAILURE,
// QUESTION, or NOTHING: it did not.
enum ss_found ss_pendings_ended(
    const struct ss_pendings *pending, const char *task_id, uint64_t since);

#endif

// fold.c - from deltas to a checkpoint in full.
//
//   whole row <- delta <- delta <- mark        walk left, then apply rightwards
//
// The last folded checkpoint of a namespace is kept. If nobody else holds it, a
// newer one is made from it in place: folding the head after each superstep
// costs what the superstep changed, not what the state holds.
#include <inttypes.h>
#include <string.h>

#include "common/base/check.h"
#include "common/model/checkpoint.h"
#include "common/model/journal_impl.h"
#include "common/model/persistent_vector.h"

// --- applying a delta -------------------------------------------------------

static void list_push(void *list, uint64_t number, struct ss_value *item)
{
    struct ss_list **to = list;
    (void)number;
    *to = ss_list_push(*to, item);
}

// Appending to a list costs what is appended: the new list shares its past
// (persistent_vector.h).
static int list_apply(
    struct ss_slot *slot, const struct ss_row_channel *channel)
{
    struct ss_list *list = slot->value ? ss_value_list(slot->value) : NULL;
    const struct ss_list *added =
        channel->op == SS_DELTA_APPEND ? ss_value_list(channel->value) : NULL;
    if (!list || (channel->op == SS_DELTA_APPEND && !added)) {
        return SS_ECORRUPT;
    }
    list = ss_list_ref(list);
    ss_value_unref(slot->value); // nobody else may hold it: it grows in place
    slot->value = NULL;
    int status = SS_OK;
    if (added) {
        ss_list_each(added, list_push, &list);
    } else {
        status = ss_list_edit(list, channel->value, &list);
    }
    if (status == SS_OK) {
        slot->value = ss_value_of_list(list);
    }
    return status;
}

static int channel_apply(
    struct ss_checkpoint *into, const struct ss_row_channel *channel)
{
    struct ss_slot *slot = ss_checkpoint_slot(into, channel->name);
    slot->version = channel->version;
    if (channel->op == SS_DELTA_APPEND || channel->op == SS_DELTA_EDIT) {
        return list_apply(slot, channel);
    }
    ss_value_unref(slot->value);
    slot->value = ss_value_ref(channel->value);
    return SS_OK;
}

static void updated_set(
    struct ss_checkpoint *into, const struct ss_row_checkpoint *delta)
{
    ss_checkpoint_forget_updated(into);
    into->updated_known = delta->updated_known;
    into->updated = ss_zalloc(delta->updated_count + 1, sizeof(char *));
    for (size_t i = 0; i < delta->updated_count; i++) {
        into->updated[i] = ss_strdup(delta->updated[i]);
    }
    into->updated_count = delta->updated_count;
}

static int delta_apply(struct ss_checkpoint *into, const struct ss_row *row,
    struct ss_error *error)
{
    const struct ss_row_checkpoint *delta = &row->checkpoint;
    for (size_t i = 0; i < delta->channels_count; i++) {
        if (channel_apply(into, &delta->channels[i]) != SS_OK) {
            return ss_error_set(error, SS_ECORRUPT,
                "journal: row %" PRIu64 ": channel %s: what is added is not a "
                "list, or does not fit what"
                " it is added to",
                row->seq, delta->channels[i].name);
        }
    }
    for (size_t i = 0; i < delta->seen_count; i++) {
        const struct ss_row_seen *seen = &delta->seen[i];
        struct ss_map *of = ss_checkpoint_seen(into, seen->node);
        if (seen->channel) {
            ss_checkpoint_saw(of, seen->channel, seen->version);
        }
    }
    updated_set(into, delta);
    return SS_OK;
}

// --- walking the chain ------------------------------------------------------

struct chain {
    const struct ss_row **items;
    size_t count;
    size_t capacity;
};

// The rows to apply, newest first, down to a whole one or to what is cached.
static int chain_collect(const struct ss_namespace *space,
    struct ss_checkpoint_entry *mark, struct chain *chain, bool *ret_cached,
    struct ss_error *error)
{
    for (struct ss_checkpoint_entry *at = mark; at; at = at->parent) {
        if (at == space->folded_mark) {
            *ret_cached = true;
            return SS_OK;
        }
        SS_VEC_PUSH(chain, at->whole ? at->whole : at->row);
        if (at->whole) {
            return SS_OK;
        }
        if (!at->parent && at->row->parent_seq != 0) {
            return ss_error_set(error, SS_ECORRUPT,
                "journal: row %" PRIu64
                ": checkpoint %s: its parent %s is gone",
                at->row->seq, at->row->checkpoint_id, at->row->parent_id);
        }
    }
    return SS_OK;
}

static int chain_apply(const struct chain *chain, struct ss_checkpoint *into,
    struct ss_error *error)
{
    int status = SS_OK;
    for (size_t i = chain->count; i > 0 && status == SS_OK; i--) {
        status = delta_apply(into, chain->items[i - 1], error);
    }
    return status;
}

// The checkpoint that the chain is applied to: the cached one itself if nobody
// else holds it.
static struct ss_checkpoint *base_take(struct ss_namespace *space)
{
    struct ss_checkpoint *cached = space->folded;
    if (cached->refs > 1) {
        return ss_checkpoint_copy(cached);
    }
    space->folded = NULL;
    space->folded_mark = NULL;
    return cached;
}

// Reading an old checkpoint does not push the head out of the cache.
static void cache_offer(struct ss_namespace *space,
    struct ss_checkpoint_entry *mark, struct ss_checkpoint *checkpoint)
{
    if (space->folded_mark && space->folded_mark->order > mark->order) {
        return;
    }
    ss_checkpoint_unref(space->folded);
    space->folded = ss_checkpoint_ref(checkpoint);
    space->folded_mark = mark;
}

int ss_namespace_fold(struct ss_namespace *space,
    struct ss_checkpoint_entry *mark, struct ss_checkpoint **ret_checkpoint,
    struct ss_error *error)
{
    if (mark == space->folded_mark) {
        *ret_checkpoint = ss_checkpoint_ref(space->folded);
        return SS_OK;
    }
    ss_check(mark);
    struct chain chain = {0};
    bool cached = false;
    struct ss_checkpoint *into = NULL;
    int status = chain_collect(space, mark, &chain, &cached, error);
    if (status == SS_OK) {
        into = cached ? base_take(space) : ss_checkpoint_new();
        ss_id_copy(into->id, mark->row->checkpoint_id);
        status = chain_apply(&chain, into, error);
    }
    SS_VEC_FINI(&chain);
    if (status != SS_OK) {
        ss_checkpoint_unref(into);
        return status;
    }
    cache_offer(space, mark, into);
    *ret_checkpoint = into;
    return SS_OK;
}

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
#include "common/model/journal_impl.h"
#include "common/model/persistent_vector.h"

// --- a checkpoint's memory --------------------------------------------------

static void slot_free(void *slot)
{
    ss_value_unref(((struct ss_slot *)slot)->value);
    ss_free(slot);
}

static void seen_free(void *seen)
{
    ss_map_fini(seen, ss_free);
    ss_free(seen);
}

static void updated_free(struct ss_checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->updated_count; i++) {
        ss_free(checkpoint->updated[i]);
    }
    ss_free(checkpoint->updated);
    checkpoint->updated = NULL;
    checkpoint->updated_count = 0;
}

struct ss_checkpoint *ss_checkpoint_ref(struct ss_checkpoint *checkpoint)
{
    checkpoint->refs++;
    return checkpoint;
}

void ss_checkpoint_unref(struct ss_checkpoint *checkpoint)
{
    if (!checkpoint) {
        return;
    }
    ss_check(checkpoint->refs > 0);
    if (--checkpoint->refs > 0) {
        return;
    }
    ss_map_fini(&checkpoint->channels, slot_free);
    ss_map_fini(&checkpoint->seen, seen_free);
    updated_free(checkpoint);
    ss_free(checkpoint);
}

static struct ss_checkpoint *checkpoint_new(void)
{
    struct ss_checkpoint *checkpoint = ss_zalloc(1, sizeof(*checkpoint));
    checkpoint->refs = 1;
    return checkpoint;
}

static struct ss_slot *slot_of(
    struct ss_checkpoint *checkpoint, const char *name)
{
    struct ss_slot *slot = ss_map_get(&checkpoint->channels, name);
    if (!slot) {
        slot = ss_zalloc(1, sizeof(*slot));
        ss_map_put(&checkpoint->channels, name, slot);
    }
    return slot;
}

static struct ss_map *seen_of(
    struct ss_checkpoint *checkpoint, const char *node)
{
    struct ss_map *seen = ss_map_get(&checkpoint->seen, node);
    if (!seen) {
        seen = ss_zalloc(1, sizeof(*seen));
        ss_map_put(&checkpoint->seen, node, seen);
    }
    return seen;
}

static void seen_set(struct ss_map *seen, const char *channel, int64_t version)
{
    int64_t *stored = ss_map_get(seen, channel);
    if (!stored) {
        stored = ss_alloc(sizeof(*stored));
        ss_map_put(seen, channel, stored);
    }
    *stored = version;
}

// A copy of channels and seen versions; the rest comes with the next delta.
static struct ss_checkpoint *checkpoint_copy(const struct ss_checkpoint *from)
{
    struct ss_checkpoint *copy = checkpoint_new();
    for (struct ss_map_entry *e = from->channels.first; e; e = e->next) {
        const struct ss_slot *slot = e->value;
        struct ss_slot *to = slot_of(copy, e->key);
        to->version = slot->version;
        to->value = ss_value_ref(slot->value);
    }
    for (struct ss_map_entry *e = from->seen.first; e; e = e->next) {
        struct ss_map *to = seen_of(copy, e->key);
        const struct ss_map *seen = e->value;
        for (struct ss_map_entry *v = seen->first; v; v = v->next) {
            seen_set(to, v->key, *(const int64_t *)v->value);
        }
    }
    return copy;
}

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
    struct ss_slot *slot = slot_of(into, channel->name);
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
    updated_free(into);
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
        struct ss_map *of = seen_of(into, seen->node);
        if (seen->channel) {
            seen_set(of, seen->channel, seen->version);
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
                at->row->seq, at->id, at->parent_id);
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
        return checkpoint_copy(cached);
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
        into = cached ? base_take(space) : checkpoint_new();
        memcpy(into->id, mark->id, sizeof(into->id));
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

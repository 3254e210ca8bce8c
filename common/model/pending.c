// pending.c - the pending writes of a checkpoint. A wide superstep has a
// hundred thousand tasks, so they are found by a hash table (open addressing).
#include "common/model/pending.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"

// ------------------------------------------------ whose they are

enum { LOOKED_THROUGH_MAX = 8 };

static const char *task_of(const struct ss_pendings *pending, size_t index)
{
    return pending->items[index].write.task_id;
}

static uint32_t *bucket(const struct ss_pendings *pending, const char *task_id)
{
    size_t mask = pending->index_size - 1;
    size_t at = ss_hash64(task_id, strlen(task_id)) & mask;
    while (pending->index[at] &&
           strcmp(task_of(pending, pending->index[at] - 1), task_id) != 0)
        at = (at + 1) & mask;
    return &pending->index[at];
}

const struct ss_pending *ss_pendings_next(const struct ss_pendings *pending,
    const char *task_id, const struct ss_pending *last)
{
    if (pending->index_size > 0) {
        uint32_t place = last ? last->next : *bucket(pending, task_id);
        return place ? &pending->items[place - 1] : NULL;
    }
    size_t i = last ? (size_t)(last - pending->items) + 1 : 0;
    while (i < pending->count && strcmp(task_of(pending, i), task_id) != 0)
        i++;
    return i < pending->count ? &pending->items[i] : NULL;
}

// What was in it is another list now: its places are looked up anew.
static void index_all(struct ss_pendings *pending)
{
    size_t size = 4 * LOOKED_THROUGH_MAX;
    if (pending->count <= LOOKED_THROUGH_MAX) {
        ss_free(pending->index);
        pending->index = NULL;
        pending->index_size = 0;
        return;
    }
    while (size < 2 * pending->count)
        size *= 2;
    if (size > pending->index_size)
        pending->index =
            ss_realloc(pending->index, size * sizeof(*pending->index));
    else
        size = pending->index_size;
    pending->index_size = size;
    memset(pending->index, 0, size * sizeof(*pending->index));
    for (size_t i = pending->count; i-- > 0;) {
        uint32_t *place = bucket(pending, task_of(pending, i));
        pending->items[i].next = *place;
        *place = (uint32_t)i + 1;
    }
}

// The newest is the last of its task.
static void index_newest(struct ss_pendings *pending)
{
    struct ss_pending *newest = &pending->items[pending->count - 1];
    if (pending->count <= LOOKED_THROUGH_MAX ||
        2 * pending->count > pending->index_size) {
        index_all(pending);
        return;
    }
    uint32_t *place = bucket(pending, newest->write.task_id);
    if (strcmp(newest[-1].write.task_id, newest->write.task_id) == 0)
        place = &newest[-1].next; // most often a task's come together
    while (*place)
        place = &pending->items[*place - 1].next;
    *place = (uint32_t)pending->count;
}

// ------------------------------------------------ adding and dropping

void ss_pendings_add(struct ss_pendings *pending,
    const struct ss_row_write *write, bool of_this_run, uint64_t seq)
{
    enum { FEWEST = 4 };
    const struct ss_row_write *before =
        pending->count > 0 ? &pending->items[pending->count - 1].write : NULL;
    struct ss_pending entry = {
        .write = *write, .of_this_run = of_this_run, .seq = seq};
    const char *path = write->path ? write->path : "";
    entry.write.path = before && strcmp(before->path, path) == 0
                           ? before->path
                           : ss_arena_text(&pending->memory, path);
    entry.write.channel = ss_arena_text(&pending->memory, write->channel);
    entry.write.value = ss_value_ref(write->value);
    ss_check(pending->count < UINT32_MAX / 4);
    if (pending->count == pending->capacity)
        pending->items = ss_vec_grow(pending->items, &pending->capacity,
            pending->count + (pending->count ? 1 : FEWEST),
            sizeof(*pending->items));
    pending->items[pending->count++] = entry;
    index_newest(pending);
}

static void take_out(struct ss_pendings *pending, size_t index)
{
    ss_value_unref(pending->items[index].write.value);
    SS_VEC_REMOVE(pending, index);
}

void ss_pendings_remove(struct ss_pendings *pending, size_t index)
{
    take_out(pending, index);
    index_all(pending);
}

// NULL: of all channels.
static void drop(
    struct ss_pendings *pending, const char *task_id, const char *channel)
{
    if (!ss_pendings_next(pending, task_id, NULL))
        return; // of the many of a wide superstep, most write once
    for (size_t i = pending->count; i-- > 0;)
        if (strcmp(task_of(pending, i), task_id) == 0 &&
            (!channel || strcmp(pending->items[i].write.channel, channel) == 0))
            take_out(pending, i);
    index_all(pending);
}

void ss_pendings_drop(struct ss_pendings *pending, const char *task_id)
{
    drop(pending, task_id, NULL);
}

void ss_pendings_drop_write(
    struct ss_pendings *pending, const char *task_id, const char *channel)
{
    drop(pending, task_id, channel);
}

bool ss_pendings_clear(struct ss_pendings *pending)
{
    enum { KEPT_MAX = 2 * LOOKED_THROUGH_MAX };
    if (pending->index || pending->capacity == 0 ||
        pending->capacity > KEPT_MAX) {
        ss_pendings_fini(pending);
        return false;
    }
    for (size_t i = 0; i < pending->count; i++)
        ss_value_unref(pending->items[i].write.value);
    pending->count = 0;
    ss_arena_reset(&pending->memory);
    ss_check(pending->capacity > 0 && pending->index_size == 0);
    return true;
}

void ss_pendings_fini(struct ss_pendings *pending)
{
    for (size_t i = 0; i < pending->count; i++)
        ss_value_unref(pending->items[i].write.value);
    ss_free(pending->items);
    ss_free(pending->index);
    ss_arena_fini(&pending->memory);
    *pending = (struct ss_pendings){0};
}

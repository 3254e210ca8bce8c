// checkpoint.c - a checkpoint in full: made, copied, and told as a row's part.
#include "common/model/checkpoint.h"

#include "common/base/check.h"
#include "common/base/mem.h"

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

void ss_checkpoint_forget_updated(struct ss_checkpoint *checkpoint)
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
    ss_checkpoint_forget_updated(checkpoint);
    ss_free(checkpoint);
}

struct ss_checkpoint *ss_checkpoint_new(void)
{
    struct ss_checkpoint *checkpoint = ss_zalloc(1, sizeof(*checkpoint));
    checkpoint->refs = 1;
    return checkpoint;
}

struct ss_slot *ss_checkpoint_slot(
    struct ss_checkpoint *checkpoint, const char *name)
{
    struct ss_slot *slot = ss_map_get(&checkpoint->channels, name);
    if (!slot) {
        slot = ss_zalloc(1, sizeof(*slot));
        ss_map_put(&checkpoint->channels, name, slot);
    }
    return slot;
}

struct ss_map *ss_checkpoint_seen(
    struct ss_checkpoint *checkpoint, const char *node)
{
    struct ss_map *seen = ss_map_get(&checkpoint->seen, node);
    if (!seen) {
        seen = ss_zalloc(1, sizeof(*seen));
        ss_map_put(&checkpoint->seen, node, seen);
    }
    return seen;
}

void ss_checkpoint_saw(
    struct ss_map *seen, const char *channel, int64_t version)
{
    int64_t *stored = ss_map_get(seen, channel);
    if (!stored) {
        stored = ss_alloc(sizeof(*stored));
        ss_map_put(seen, channel, stored);
    }
    *stored = version;
}

struct ss_checkpoint *ss_checkpoint_copy(const struct ss_checkpoint *from)
{
    struct ss_checkpoint *copy = ss_checkpoint_new();
    for (struct ss_map_entry *e = from->channels.first; e; e = e->next) {
        const struct ss_slot *slot = e->value;
        struct ss_slot *to = ss_checkpoint_slot(copy, e->key);
        to->version = slot->version;
        to->value = ss_value_ref(slot->value);
    }
    for (struct ss_map_entry *e = from->seen.first; e; e = e->next) {
        struct ss_map *to = ss_checkpoint_seen(copy, e->key);
        const struct ss_map *seen = e->value;
        for (struct ss_map_entry *v = seen->first; v; v = v->next) {
            ss_checkpoint_saw(to, v->key, *(const int64_t *)v->value);
        }
    }
    return copy;
}

// ------------------------------------------------ as a row's part

// What was added at the end of a list, if that is all; else NULL. Gives.
static json_t *tail_of(json_t *before, json_t *after)
{
    size_t count = json_array_size(before);
    if (!json_is_array(before) || !json_is_array(after) || count == 0 ||
        json_array_size(after) < count)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (!json_equal(json_array_get(before, i), json_array_get(after, i)))
            return NULL;
    json_t *tail = json_array();
    for (size_t i = count; i < json_array_size(after); i++)
        json_array_append(tail, json_array_get(after, i));
    return tail;
}

static void channel_tell(struct ss_row *row, const char *name,
    const struct ss_slot *slot, const struct ss_slot *base)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    json_t *before = base && base->value ? ss_value_json(base->value) : NULL;
    json_t *value = base && slot->value ? ss_value_json(slot->value) : NULL;
    if (base && base->version == slot->version && !before == !value &&
        (!value || json_equal(before, value)))
        return; // as it was
    json_t *tail = before && value ? tail_of(before, value) : NULL;
    part->channels[part->channels_count++] =
        (struct ss_row_channel){.name = ss_arena_text(&row->memory, name),
            .version = slot->version,
            .op = !slot->value ? SS_DELTA_CLEAR
                  : tail       ? SS_DELTA_APPEND
                               : SS_DELTA_SET,
            .value = tail ? ss_value_new(tail) : ss_value_ref(slot->value)};
}

static void seen_tell(struct ss_row *row, size_t *capacity, const char *node,
    const struct ss_map *seen, const struct ss_map *base)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    char *name = ss_arena_text(&row->memory, node);
    part->seen = ss_arena_grow(&row->memory, part->seen, capacity,
        part->seen_count + seen->count + 1, sizeof(*part->seen));
    if (!base)
        part->seen[part->seen_count++] = (struct ss_row_seen){name, NULL, 0};
    for (const struct ss_map_entry *e = seen->first; e; e = e->next) {
        const int64_t *version = e->value;
        const int64_t *known = base ? ss_map_get(base, e->key) : NULL;
        if (!known || *known != *version)
            part->seen[part->seen_count++] = (struct ss_row_seen){
                name, ss_arena_text(&row->memory, e->key), *version};
    }
}

void ss_checkpoint_tell(const struct ss_checkpoint *full,
    const struct ss_checkpoint *base, struct ss_row *row)
{
    struct ss_row_checkpoint *part = &row->checkpoint;
    size_t capacity = 0;
    part->whole = !base;
    part->channels = ss_arena_take(
        &row->memory, full->channels.count * sizeof(*part->channels));
    for (const struct ss_map_entry *e = full->channels.first; e; e = e->next)
        channel_tell(row, e->key, e->value,
            base ? ss_map_get(&base->channels, e->key) : NULL);
    for (const struct ss_map_entry *e = full->seen.first; e; e = e->next)
        seen_tell(row, &capacity, e->key, e->value,
            base ? ss_map_get(&base->seen, e->key) : NULL);
    part->updated_known = full->updated_known;
    part->updated =
        ss_arena_take(&row->memory, full->updated_count * sizeof(char *));
    for (size_t i = 0; i < full->updated_count; i++)
        part->updated[part->updated_count++] =
            ss_arena_text(&row->memory, full->updated[i]);
}

static bool has_all(const struct ss_map *map, const struct ss_map *of)
{
    for (const struct ss_map_entry *e = of->first; e; e = e->next)
        if (!ss_map_get(map, e->key))
            return false;
    return true;
}

bool ss_checkpoint_keeps(
    const struct ss_checkpoint *full, const struct ss_checkpoint *base)
{
    if (!has_all(&full->channels, &base->channels) ||
        !has_all(&full->seen, &base->seen))
        return false;
    for (const struct ss_map_entry *e = base->seen.first; e; e = e->next)
        if (!has_all(ss_map_get(&full->seen, e->key), e->value))
            return false;
    return true;
}

// messages.c - add_messages: merge by id (spec/graph.md 3).
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/reducer.h"
#include "common/model/value.h"

#define REMOVE_ALL "__remove_all__"

// What is known of an id that the right side names.
struct slot {
    size_t place; // index in the merged list + 1; 0: not there
    bool is_removed;
};

struct merge {
    const char *owner;
    size_t position;
    bool clears; // all that was there is gone
    char made_owner[SS_HEX128_SIZE];
    struct ss_error *error;
};

void ss_message_id(
    const char *owner, size_t position, size_t index, char ret_id[SS_UUID_SIZE])
{
    char *text = ss_format("%s|%zu|%zu", owner, position, index);
    size_t size = strlen(text);
    uint64_t high = ss_hash64(text, size);
    text[size] = '#'; // in place of the NUL: another hash of the same name
    ss_uuid4(high, ss_hash64(text, size + 1), ret_id);
    ss_free(text);
}

static void give_id(
    const struct merge *merge, json_t *message, bool is_left, size_t index)
{
    char id[SS_UUID_SIZE];
    char *owner = is_left ? ss_format("%s|left", merge->owner) : NULL;
    ss_message_id(owner ? owner : merge->owner, merge->position, index, id);
    ss_free(owner);
    json_object_set_new(message, "id", json_string(id));
}

static const char *id_of(const json_t *message)
{
    return json_string_value(json_object_get(message, "id"));
}

static bool is_removal(const json_t *message)
{
    return strcmp(ss_json_str(message, "type", ""), "remove") == 0;
}

// All of a side as messages with ids, one alone as a list of it. Gives.
static int coerce_side(
    const struct merge *merge, json_t *side, bool is_left, json_t **ret_list)
{
    json_t *list = json_array();
    bool is_list = json_is_array(side);
    size_t count = is_list ? json_array_size(side) : 1;
    for (size_t i = 0; i < count; i++) {
        json_t *like = is_list ? json_array_get(side, i) : side, *message;
        if (is_left && ss_message_is_whole(like)) {
            json_array_append(list, like);
            continue;
        }
        int status = ss_message_coerce(like, &message, merge->error);
        if (status != SS_OK) {
            json_decref(list);
            return status;
        }
        if (!id_of(message))
            give_id(merge, message, is_left, i);
        json_array_append_new(list, message);
    }
    *ret_list = list;
    return SS_OK;
}

// Where the right side begins to count: behind its last removal of all.
static size_t tail_of(struct merge *merge, const json_t *right)
{
    for (size_t i = json_array_size(right); i-- > 0;) {
        const json_t *message = json_array_get(right, i);
        if (is_removal(message) && strcmp(id_of(message), REMOVE_ALL) == 0) {
            merge->clears = true;
            return i + 1;
        }
    }
    return 0;
}

static struct slot *slot_of(struct ss_map *slots, const json_t *message)
{
    return ss_map_get(slots, id_of(message));
}

static void add_slots(struct ss_map *slots, const json_t *right, size_t from)
{
    for (size_t i = from; i < json_array_size(right); i++) {
        const json_t *message = json_array_get(right, i);
        if (!slot_of(slots, message))
            ss_map_put(
                slots, id_of(message), ss_zalloc(1, sizeof(struct slot)));
    }
}

static int merge_one(const struct merge *merge, struct ss_map *slots,
    json_t *merged, json_t *message)
{
    struct slot *slot = slot_of(slots, message);
    if (is_removal(message)) {
        // Who was removed with all others may be removed again.
        if (slot->place == 0 && merge->clears)
            return SS_OK;
        if (slot->place == 0)
            return ss_error_set(merge->error, SS_EINVAL,
                "there is no message \"%s\" to remove", id_of(message));
        slot->is_removed = true;
    } else if (slot->place > 0) {
        json_array_set(merged, slot->place - 1, message);
        slot->is_removed = false;
    } else {
        json_array_append(merged, message);
        slot->place = json_array_size(merged);
    }
    return SS_OK;
}

static void drop_removed(struct ss_map *slots, json_t *merged)
{
    bool has_any = false;
    for (struct ss_map_entry *e = slots->first; e && !has_any; e = e->next)
        has_any = ((struct slot *)e->value)->is_removed;
    if (!has_any)
        return;
    // From behind, so that what is in front keeps its place.
    for (size_t i = json_array_size(merged); i-- > 0;) {
        const struct slot *slot = slot_of(slots, json_array_get(merged, i));
        if (slot && slot->is_removed)
            json_array_remove(merged, i);
    }
}

static int merge_lists(
    const struct merge *merge, json_t *merged, const json_t *right, size_t from)
{
    struct ss_map slots = {0};
    add_slots(&slots, right, from);
    // Of an id that stands twice, the later place counts.
    for (size_t i = 0; i < json_array_size(merged) && slots.count > 0; i++) {
        struct slot *slot = slot_of(&slots, json_array_get(merged, i));
        if (slot)
            slot->place = i + 1;
    }
    int status = SS_OK;
    for (size_t i = from; i < json_array_size(right) && status == SS_OK; i++)
        status = merge_one(merge, &slots, merged, json_array_get(right, i));
    if (status == SS_OK)
        drop_removed(&slots, merged);
    ss_map_fini(&slots, ss_free);
    return status;
}

// Without a name for the write: its contents and what they go into.
static void make_owner(struct merge *merge, json_t *left, json_t *right)
{
    json_t *both = json_pack("[O, O]", left, right);
    char *text = ss_json_canonical(both);
    ss_hash_hex(text, strlen(text), merge->made_owner);
    merge->owner = merge->made_owner;
    ss_free(text);
    json_decref(both);
}

int ss_messages_merge(json_t *left, json_t *right, const char *owner,
    size_t position, json_t **ret_json, struct ss_error *error)
{
    struct merge merge = {.owner = owner, .position = position, .error = error};
    json_t *merged, *added;
    if (json_is_null(left) || json_is_null(right))
        return ss_error_set(error, SS_EINVAL,
            "add_messages takes messages, and %s is null",
            json_is_null(left) ? "what is there" : "what was written");
    if (!owner)
        make_owner(&merge, left, right);
    int status = coerce_side(&merge, left, true, &merged);
    if (status != SS_OK)
        return status;
    status = coerce_side(&merge, right, false, &added);
    if (status != SS_OK) {
        json_decref(merged);
        return status;
    }
    size_t from = tail_of(&merge, added);
    if (merge.clears)
        json_array_clear(merged);
    status = merge_lists(&merge, merged, added, from);
    json_decref(added);
    if (status == SS_OK)
        *ret_json = merged;
    else
        json_decref(merged);
    return status;
}

int ss_messages_given(json_t *written, const char *task_id, const char *channel,
    size_t position, json_t **ret_list, struct ss_error *error)
{
    char *owner = ss_format("%s|%s", task_id, channel);
    struct merge merge = {.owner = owner, .position = position, .error = error};
    int status = json_is_null(written)
                     ? ss_error_set(error, SS_EINVAL, "null is no message")
                     : coerce_side(&merge, written, false, ret_list);
    ss_free(owner);
    return status;
}

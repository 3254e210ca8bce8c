// messages.c - add_messages: merge by id (spec/graph.md 3).
//
// A conversation is a list with an index of its ids that grows along with it:
// merging costs what is written. Where that is not possible (messages that came
// in by another way are not whole, or two share an id) both sides are merged in
// full.
#include <stdint.h>
#include <string.h>

#include "common/base/ids.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/hamt.h"
#include "common/model/reducer.h"
#include "common/model/value.h"

#define REMOVE_ALL "__remove_all__"

// What is known about an id that the right side names.
struct slot {
    uint64_t place; // index (in a list: number) in the result + 1; 0: none
    bool is_removed;
};

struct merge {
    const char *owner;
    size_t position;
    bool clears; // all earlier messages are removed
    char made_owner[SS_HEX128_SIZE];
    struct ss_error *error;
};

// The id made up for item `index` of a write without one: a UUID v4 in form, a
// function of its arguments. A channel's owner is "task id|channel".
static void message_id_new(
    const char *owner, size_t position, size_t index, char ret_id[SS_UUID_SIZE])
{
    enum { SHORT = 128 }; // are most owners
    char few[SHORT + 2 * SS_NUMBER_SIZE + 3];
    size_t size = strlen(owner);
    char *text = size < SHORT ? few : ss_alloc(size + sizeof(few));
    memcpy(text, owner, size);
    text[size++] = '|';
    size += ss_number_text(position, text + size);
    text[size++] = '|';
    size += ss_number_text(index, text + size);
    uint64_t high = ss_hash64(text, size);
    text[size] = '#'; // in place of the NUL: another hash of the same name
    ss_uuid4(high, ss_hash64(text, size + 1), ret_id);
    if (text != few)
        ss_free(text);
}

static void give_id(
    const struct merge *merge, json_t *message, bool is_left, size_t index)
{
    char id[SS_UUID_SIZE];
    char *owner = is_left ? ss_format("%s|left", merge->owner) : NULL;
    message_id_new(owner ? owner : merge->owner, merge->position, index, id);
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

// All of one side as messages with ids; a single message becomes a list. Gives.
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

// The first item of the right side that counts: the one behind its last removal
// of all messages.
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

static int remove_one(
    const struct merge *merge, struct slot *slot, const json_t *message)
{
    // A message that was removed with all others may be removed again.
    if (slot->place == 0 && !merge->clears)
        return ss_error_set(merge->error, SS_EINVAL,
            "there is no message \"%s\" to remove", id_of(message));
    slot->is_removed = slot->place > 0;
    return SS_OK;
}

static int merge_one(const struct merge *merge, struct ss_map *slots,
    json_t *merged, json_t *message)
{
    struct slot *slot = slot_of(slots, message);
    if (is_removal(message))
        return remove_one(merge, slot, message);
    if (slot->place > 0) {
        json_array_set(merged, (size_t)slot->place - 1, message);
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

// The owner of a write without one: a hash of its contents and of what they go
// into.
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

// ------------------------------------------------ on a list with its index

static uint64_t hash_of(const json_t *message)
{
    const char *id = id_of(message);
    return ss_hash64(id, strlen(id));
}

// False: the item of that number is no whole message, or has the id of another.
static bool index_item(
    struct ss_hamt **index, const struct ss_list *list, uint64_t number)
{
    struct ss_value *item = ss_list_get(list, number);
    const json_t *message = item ? ss_value_json(item) : NULL;
    uint64_t other;
    if (!item)
        return true;
    if (!ss_message_is_whole(message) ||
        ss_hamt_get(*index, hash_of(message), &other))
        return false;
    *index = ss_hamt_put(*index, hash_of(message), number);
    return true;
}

// The list's index knows all of it. False: not all items are whole messages
// with different ids.
static bool has_index(struct ss_list *list)
{
    uint64_t number, next = ss_list_next(list);
    struct ss_hamt *index = ss_hamt_ref(ss_list_index(list, &number));
    if (number == next || ss_list_count(list) == 0) {
        ss_hamt_unref(index);
        return true;
    }
    while (number < next && index_item(&index, list, number))
        number++;
    if (number < next)
        ss_hamt_unref(index);
    else
        ss_list_set_index(list, index);
    return number == next;
}

// Where the messages of the slots are. False: two ids have one hash.
static bool find_slots(const struct ss_map *slots, const struct ss_list *list,
    const struct ss_hamt *index)
{
    struct ss_hamt *seen = NULL;
    bool is_plain = true;
    for (struct ss_map_entry *e = slots->first; e && is_plain; e = e->next) {
        struct slot *slot = e->value;
        uint64_t hash = ss_hash64(e->key, strlen(e->key)), number;
        is_plain = !ss_hamt_get(seen, hash, &number);
        if (is_plain)
            seen = ss_hamt_put(seen, hash, 0);
        if (!ss_hamt_get(index, hash, &number))
            continue;
        slot->place = number + 1;
        const json_t *there = ss_value_json(ss_list_get(list, number));
        is_plain = is_plain && strcmp(id_of(there), e->key) == 0;
    }
    ss_hamt_unref(seen);
    return is_plain;
}

// A conversation that is being changed, and its index.
struct conversation {
    struct ss_list *list;
    struct ss_hamt *index;
};

static void converse(struct conversation *c, struct slot *slot, json_t *message)
{
    struct ss_value *item = ss_value_new(json_incref(message));
    slot->is_removed = false;
    if (slot->place == 0) {
        c->list = ss_list_push(c->list, item);
        slot->place = ss_list_next(c->list);
        c->index = ss_hamt_put(c->index, hash_of(message), slot->place - 1);
    } else {
        // An equal message is not a change: a subgraph returns all of its
        // messages.
        struct ss_value *there = ss_list_get(c->list, slot->place - 1);
        if (!json_equal(ss_value_json(there), message))
            c->list = ss_list_put(c->list, slot->place - 1, item);
    }
    ss_value_unref(item);
}

static int converse_all(const struct merge *merge, struct conversation *c,
    struct ss_map *slots, const json_t *right, size_t from)
{
    for (size_t i = from; i < json_array_size(right); i++) {
        json_t *message = json_array_get(right, i);
        struct slot *slot = slot_of(slots, message);
        int status = SS_OK;
        if (is_removal(message))
            status = remove_one(merge, slot, message);
        else
            converse(c, slot, message);
        if (status != SS_OK)
            return status;
    }
    for (struct ss_map_entry *e = slots->first; e; e = e->next) {
        const struct slot *slot = e->value;
        if (!slot->is_removed)
            continue;
        c->list = ss_list_drop(c->list, slot->place - 1);
        c->index = ss_hamt_drop(c->index, ss_hash64(e->key, strlen(e->key)));
    }
    return SS_OK;
}

int ss_messages_add(struct ss_list **list, json_t *right, const char *owner,
    size_t position, struct ss_error *error)
{
    struct merge merge = {.owner = owner, .position = position, .error = error};
    struct ss_map slots = {0};
    json_t *added;
    // Ids that are made from the contents need all of them.
    if (!owner || json_is_null(right) || !has_index(*list))
        return SS_EAGAIN;
    int status = coerce_side(&merge, right, false, &added);
    if (status != SS_OK)
        return status;
    size_t from = tail_of(&merge, added);
    struct conversation c = {.list = ss_list_new()};
    if (!merge.clears) {
        ss_list_unref(c.list);
        c.list = ss_list_ref(*list);
        c.index = ss_hamt_ref(ss_list_index(*list, &(uint64_t){0}));
    }
    add_slots(&slots, added, from);
    status = find_slots(&slots, c.list, c.index)
                 ? converse_all(&merge, &c, &slots, added, from)
                 : SS_EAGAIN;
    if (status == SS_OK) {
        struct ss_list *old = *list;
        *list = c.list;
        c.list = old;
        ss_list_set_index(*list, c.index);
    } else {
        ss_hamt_unref(c.index);
    }
    ss_list_unref(c.list);
    ss_map_fini(&slots, ss_free);
    json_decref(added);
    return status;
}

// persistent_vector_edit.c - how one list became another: find the edits,
// encode them, apply them.

#include "common/base/mem.h"
#include "common/model/persistent_vector_impl.h"
#include "common/model/value.h"

// ------------------------------------------------ comparing

struct comparison {
    struct ss_list_edits *edits;
    size_t position; // in the older list
    size_t dropped;  // so far
    size_t dropped_max;
    uint64_t next; // numbers below were the older list's own
    bool is_other; // given up: the lists are not related
};

static void note(struct comparison *c, bool is_dropped, struct ss_value *added)
{
    struct ss_list_edit *last = NULL;
    if (c->edits->edits.count > 0)
        last = &c->edits->edits.items[c->edits->edits.count - 1];
    if (!last || last->at + last->dropped != c->position) {
        SS_VEC_PUSH(&c->edits->edits, (struct ss_list_edit){.at = c->position});
        last = &c->edits->edits.items[c->edits->edits.count - 1];
    }
    if (is_dropped) {
        last->dropped++;
        c->position++;
        c->is_other = c->is_other || ++c->dropped > c->dropped_max;
    }
    if (added) {
        last->added++;
        SS_VEC_PUSH(&c->edits->items, added);
    }
}

static void compare_items(struct comparison *c, uint64_t number,
    struct ss_value *older, struct ss_value *newer)
{
    if (older == newer) {
        c->position += older != NULL;
        return;
    }
    // Where the older one has a hole its own children have none.
    if (!older && number < c->next)
        c->is_other = true;
    else
        note(c, older != NULL, newer);
}

// Place `i` of a node of level `at`, seen from `level`: a lower tree stands at
// the first place of a higher one.
static struct ss_list_node *child_of(
    struct ss_list_node *node, unsigned at, unsigned level, unsigned i)
{
    if (!node || at == level)
        return node ? node->places[i].child : NULL;
    return i == 0 ? node : NULL;
}

struct side {
    struct ss_list_node *node;
    unsigned level; // its own
};

static struct side below(struct side side, unsigned level, unsigned i)
{
    struct side child = {child_of(side.node, side.level, level, i), side.level};
    if (side.level == level)
        child.level = level - 1;
    return child;
}

static void compare_nodes(struct comparison *c, uint64_t number, unsigned level,
    struct side older, struct side newer)
{
    if (c->is_other)
        return;
    if (older.node == newer.node) {
        c->position += older.node ? older.node->count : 0;
        return;
    }
    for (unsigned i = 0; i < SS_LIST_WIDTH && !c->is_other; i++) {
        uint64_t at = number << SS_LIST_BITS | i;
        if (level > 0)
            compare_nodes(c, at, level - 1, below(older, level, i),
                below(newer, level, i));
        else
            compare_items(c, at, older.node ? older.node->places[i].item : NULL,
                newer.node ? newer.node->places[i].item : NULL);
    }
}

bool ss_list_compare(const struct ss_list *older, const struct ss_list *newer,
    struct ss_list_edits *ret)
{
    *ret = (struct ss_list_edits){0};
    struct comparison c = {.edits = ret,
        .dropped_max = ss_list_count(older) / 2,
        .next = older->next,
        .is_other = newer->next < older->next};
    unsigned level = older->level > newer->level ? older->level : newer->level;
    compare_nodes(&c, 0, level, (struct side){older->root, older->level},
        (struct side){newer->root, newer->level});
    if (c.is_other)
        ss_list_edits_fini(ret);
    return !c.is_other;
}

void ss_list_edits_fini(struct ss_list_edits *edits)
{
    SS_VEC_FINI(&edits->edits);
    SS_VEC_FINI(&edits->items);
}

bool ss_list_edits_append(
    const struct ss_list_edits *edits, const struct ss_list *older)
{
    if (edits->edits.count != 1)
        return edits->edits.count == 0;
    const struct ss_list_edit *only = &edits->edits.items[0];
    return only->dropped == 0 && only->at == ss_list_count(older);
}

// ------------------------------------------------ telling

static struct ss_list *push_number(struct ss_list *list, size_t number)
{
    struct ss_value *item = ss_value_new(json_integer((json_int_t)number));
    list = ss_list_push(list, item);
    ss_value_unref(item);
    return list;
}

// Built from the items, not copied: an item that was encoded is not encoded
// again.
struct ss_value *ss_list_edits_value(const struct ss_list_edits *edits)
{
    struct ss_list *all = ss_list_new();
    size_t next = 0;
    for (size_t i = 0; i < edits->edits.count; i++) {
        const struct ss_list_edit *edit = &edits->edits.items[i];
        struct ss_list *one = push_number(ss_list_new(), edit->at);
        one = push_number(one, edit->dropped);
        for (size_t k = 0; k < edit->added; k++)
            one = ss_list_push(one, edits->items.items[next++]);
        struct ss_value *told = ss_value_of_list(one);
        all = ss_list_push(all, told);
        ss_value_unref(told);
    }
    return ss_value_of_list(all);
}

// A small one is told in full.
struct ss_value *ss_list_delta(
    struct ss_value *old, struct ss_value *now, bool edits, bool *ret_edits)
{
    struct ss_list_edits made;
    if (!old || !now || !ss_value_listed(old) || !ss_value_listed(now) ||
        ss_value_count(old) < 2)
        return NULL;
    const struct ss_list *before = ss_value_list(old);
    if (!ss_list_compare(before, ss_value_list(now), &made))
        return NULL;
    struct ss_value *delta = NULL;
    *ret_edits = !ss_list_edits_append(&made, before);
    if (!*ret_edits) {
        struct ss_list *added = ss_list_new();
        for (size_t i = 0; i < made.items.count; i++)
            added = ss_list_push(added, made.items.items[i]);
        delta = ss_value_of_list(added);
    } else if (edits) {
        delta = ss_list_edits_value(&made);
    }
    ss_list_edits_fini(&made);
    return delta;
}

// ------------------------------------------------ doing

static bool read_edit(const json_t *json, struct ss_list_edit *ret)
{
    json_t *at = json_array_get(json, 0), *dropped = json_array_get(json, 1);
    if (!json_is_integer(at) || !json_is_integer(dropped) ||
        json_integer_value(at) < 0 || json_integer_value(dropped) < 0)
        return false;
    *ret = (struct ss_list_edit){(size_t)json_integer_value(at),
        (size_t)json_integer_value(dropped), json_array_size(json) - 2};
    return true;
}

// The edits ascend, do not overlap, stay within a list of `count` items, and
// add more items than they drop only at its end.
static bool edits_fit(const json_t *all, size_t count)
{
    struct ss_list_edit edit;
    size_t end = 0;
    for (size_t i = 0; i < json_array_size(all); i++) {
        if (!read_edit(json_array_get(all, i), &edit) ||
            (i > 0 && edit.at <= end) || edit.at > count ||
            edit.dropped > count - edit.at)
            return false;
        end = edit.at + edit.dropped;
        if (edit.added > edit.dropped && end != count)
            return false;
    }
    return json_is_array(all);
}

// Position `at` is that of the older list: what comes behind was not changed
// yet.
static struct ss_list *edit_one(
    struct ss_list *list, const struct ss_list_edit *edit, const json_t *json)
{
    for (size_t i = edit->dropped; i-- > 0;) {
        uint64_t number = ss_list_number(list, edit->at + i);
        if (i >= edit->added) {
            list = ss_list_drop(list, number);
            continue;
        }
        struct ss_value *item =
            ss_value_new(json_incref(json_array_get(json, i + 2)));
        list = ss_list_put(list, number, item);
        ss_value_unref(item);
    }
    for (size_t i = edit->dropped; i < edit->added; i++) {
        struct ss_value *item =
            ss_value_new(json_incref(json_array_get(json, i + 2)));
        list = ss_list_push(list, item);
        ss_value_unref(item);
    }
    return list;
}

int ss_list_edit(
    struct ss_list *list, struct ss_value *edits, struct ss_list **ret_list)
{
    json_t *all = ss_value_json(edits);
    struct ss_list_edit edit;
    if (!edits_fit(all, ss_list_count(list))) {
        ss_list_unref(list);
        return SS_ECORRUPT;
    }
    // From behind, so that what is in front keeps its position.
    for (size_t i = json_array_size(all); i-- > 0;)
        if (read_edit(json_array_get(all, i), &edit))
            list = edit_one(list, &edit, json_array_get(all, i));
    *ret_list = list;
    return SS_OK;
}

static void edit_array(
    json_t *array, const struct ss_list_edit *edit, const json_t *json)
{
    for (size_t i = edit->dropped; i-- > 0;) {
        if (i >= edit->added)
            json_array_remove(array, edit->at + i);
        else
            json_array_set(array, edit->at + i, json_array_get(json, i + 2));
    }
    for (size_t i = edit->dropped; i < edit->added; i++)
        json_array_append(array, json_array_get(json, i + 2));
}

int ss_array_edit(json_t **array, struct ss_value *edits)
{
    const json_t *all = ss_value_json(edits);
    struct ss_list_edit edit;
    if (!edits_fit(all, json_array_size(*array)))
        return SS_ECORRUPT;
    if (json_array_size(all) > 0 && ss_json_is_shared(*array)) {
        json_t *copy = json_copy(*array);
        json_decref(*array);
        *array = copy;
    }
    for (size_t i = json_array_size(all); i-- > 0;)
        if (read_edit(json_array_get(all, i), &edit))
            edit_array(*array, &edit, json_array_get(all, i));
    return SS_OK;
}

// ------------------------------------------------ lists from elsewhere

// Make the items of *list those of `items`, position by position. False: more
// than half of them differ.
static bool adapt(struct ss_list **list, const json_t *items)
{
    size_t count = json_array_size(items), others = 0;
    size_t held = ss_list_count(*list);
    while (ss_list_count(*list) > count)
        *list = ss_list_drop(
            *list, ss_list_number(*list, ss_list_count(*list) - 1));
    for (size_t i = 0; i < count && 2 * others <= held; i++) {
        json_t *item = json_array_get(items, i);
        uint64_t number = i < held ? ss_list_number(*list, i) : 0;
        if (i < held &&
            json_equal(ss_value_json(ss_list_get(*list, number)), item))
            continue;
        struct ss_value *value = ss_value_new(json_incref(item));
        *list = i < held ? ss_list_put(*list, number, value)
                         : ss_list_push(*list, value);
        ss_value_unref(value);
        others += i < held;
    }
    return 2 * others <= held;
}

struct ss_value *ss_list_share(struct ss_value *old, struct ss_value *now)
{
    struct ss_list *list = old ? ss_value_list(old) : NULL;
    if (!list || ss_value_tag(now) != SS_VALUE_JSON || ss_value_listed(now) ||
        !json_is_array(ss_value_json(now)))
        return NULL;
    ss_list_ref(list);
    if (adapt(&list, ss_value_json(now)))
        return ss_value_of_list(list);
    ss_list_unref(list);
    return NULL;
}

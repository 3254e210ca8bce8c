// persistent_vector.c - the tree under a list: nodes of 32 places, changed
// along one path.
#include "common/model/persistent_vector.h"

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/hamt.h"
#include "common/model/persistent_vector_impl.h"
#include "common/model/value.h"

// ------------------------------------------------ nodes

static struct ss_list_node *node_ref(struct ss_list_node *node)
{
    if (node)
        node->refs++;
    return node;
}

static void node_unref(struct ss_list_node *node, unsigned level)
{
    if (!node || --node->refs > 0)
        return;
    for (unsigned i = 0; i < SS_LIST_WIDTH; i++) {
        if (level == 0)
            ss_value_unref(node->places[i].item);
        else
            node_unref(node->places[i].child, level - 1);
    }
    ss_free(node);
}

static struct ss_list_node *node_new(void)
{
    struct ss_list_node *node = ss_zalloc(1, sizeof(*node));
    node->refs = 1;
    return node;
}

// The node itself if nobody else holds it, otherwise a copy. Takes the
// reference.
static struct ss_list_node *node_own(struct ss_list_node *node, unsigned level)
{
    if (!node)
        return node_new();
    if (node->refs == 1)
        return node;
    struct ss_list_node *copy = node_new();
    copy->count = node->count;
    copy->depth = node->depth;
    for (unsigned i = 0; i < SS_LIST_WIDTH; i++) {
        if (level == 0)
            copy->places[i].item = ss_value_ref(node->places[i].item);
        else
            copy->places[i].child = node_ref(node->places[i].child);
    }
    node_unref(node, level);
    return copy;
}

// Sum up the count from the 32 places below.
static void node_sum(struct ss_list_node *node, unsigned level)
{
    node->count = 0;
    node->depth = SS_LIST_DEPTH_UNKNOWN;
    node->about = 0;
    for (unsigned i = 0; i < SS_LIST_WIDTH; i++) {
        const union ss_list_place *place = &node->places[i];
        bool is_there = level == 0 ? place->item != NULL : place->child != NULL;
        if (is_there)
            node->count += level == 0 ? 1 : place->child->count;
    }
}

static int node_depth(struct ss_list_node *node, unsigned level)
{
    int deepest = 0;
    if (node->depth != SS_LIST_DEPTH_UNKNOWN)
        return node->depth;
    for (unsigned i = 0; i < SS_LIST_WIDTH; i++) {
        const union ss_list_place *place = &node->places[i];
        bool is_there = level == 0 ? place->item != NULL : place->child != NULL;
        if (!is_there)
            continue;
        int depth = level == 0 ? ss_value_depth(place->item)
                               : node_depth(place->child, level - 1);
        deepest = depth > deepest ? depth : deepest;
    }
    node->depth = deepest;
    return deepest;
}

// Put an item at a free place. Takes the node; gives the new one.
static struct ss_list_node *node_add(struct ss_list_node *node, unsigned level,
    uint64_t number, struct ss_value *item)
{
    union ss_list_place *place;
    node = node_own(node, level);
    node->count++;
    node->about = 0;
    node->depth = SS_LIST_DEPTH_UNKNOWN;
    place = &node->places[ss_list_place(number, level)];
    if (level == 0)
        place->item = ss_value_ref(item);
    else
        place->child = node_add(place->child, level - 1, number, item);
    return node;
}

// Set the item that stands there to `item` (NULL: a hole). Takes the node;
// gives the new one, or NULL where nothing is left in it.
static struct ss_list_node *node_set(struct ss_list_node *node, unsigned level,
    uint64_t number, struct ss_value *item)
{
    union ss_list_place *place;
    node = node_own(node, level);
    place = &node->places[ss_list_place(number, level)];
    if (level == 0) {
        struct ss_value *old = place->item;
        place->item = ss_value_ref(item);
        ss_value_unref(old);
    } else {
        place->child = node_set(place->child, level - 1, number, item);
    }
    node_sum(node, level);
    if (node->count > 0)
        return node;
    node_unref(node, level);
    return NULL;
}

// ------------------------------------------------ lists

struct ss_list *ss_list_new(void)
{
    struct ss_list *list = ss_zalloc(1, sizeof(*list));
    list->refs = 1;
    return list;
}

struct ss_list *ss_list_ref(struct ss_list *list)
{
    list->refs++;
    return list;
}

void ss_list_unref(struct ss_list *list)
{
    if (!list)
        return;
    ss_check(list->refs > 0);
    if (--list->refs > 0)
        return;
    node_unref(list->root, list->level);
    ss_hamt_unref(list->index);
    ss_free(list);
}

size_t ss_list_count(const struct ss_list *list)
{
    return list->root ? list->root->count : 0;
}

int ss_list_depth(const struct ss_list *list)
{
    return list->root ? node_depth(list->root, list->level) : 0;
}

uint64_t ss_list_next(const struct ss_list *list)
{
    return list->next;
}

struct ss_value *ss_list_get(const struct ss_list *list, uint64_t number)
{
    const struct ss_list_node *node = list->root;
    if (number >= list->next)
        return NULL;
    for (unsigned level = list->level; node && level > 0; level--)
        node = node->places[ss_list_place(number, level)].child;
    return node ? node->places[ss_list_place(number, 0)].item : NULL;
}

uint64_t ss_list_number(const struct ss_list *list, size_t position)
{
    const struct ss_list_node *node = list->root;
    uint64_t number = 0;
    ss_check(position < ss_list_count(list));
    for (unsigned level = list->level;; level--) {
        unsigned i = 0;
        for (;; i++) {
            size_t count = ss_list_place_count(&node->places[i], level);
            if (position < count)
                break;
            position -= count;
        }
        number = number << SS_LIST_BITS | i;
        if (level == 0)
            return number;
        node = node->places[i].child;
    }
}

static void each(const struct ss_list_node *node, unsigned level,
    uint64_t number, ss_list_visit *visit, void *ctx)
{
    for (unsigned i = 0; node && i < SS_LIST_WIDTH; i++) {
        const union ss_list_place *place = &node->places[i];
        uint64_t at = number << SS_LIST_BITS | i;
        if (level > 0)
            each(place->child, level - 1, at, visit, ctx);
        else if (place->item)
            visit(ctx, at, place->item);
    }
}

void ss_list_each(const struct ss_list *list, ss_list_visit *visit, void *ctx)
{
    each(list->root, list->level, 0, visit, ctx);
}

// Asked again of a list that has grown, only what is new is looked at.
static size_t size_about(struct ss_list_node *node, unsigned level)
{
    if (!node || node->about > 0)
        return node ? node->about : 0;
    for (unsigned i = 0; i < SS_LIST_WIDTH; i++) {
        const union ss_list_place *place = &node->places[i];
        if (level > 0)
            node->about += size_about(place->child, level - 1);
        else if (place->item)
            node->about += ss_value_size_about(place->item) + 1; // a comma
    }
    return node->about;
}

size_t ss_list_size_about(const struct ss_list *list)
{
    return size_about(list->root, list->level);
}

// ------------------------------------------------ changes

// The list itself if nobody else holds it, else one that shares its nodes.
static struct ss_list *list_own(struct ss_list *list)
{
    if (list->refs > 1) {
        struct ss_list *copy = ss_list_new();
        copy->root = node_ref(list->root);
        copy->level = list->level;
        copy->next = list->next;
        copy->index = ss_hamt_ref(list->index);
        copy->indexed = list->indexed;
        ss_list_unref(list);
        list = copy;
    }
    return list;
}

static bool is_full(const struct ss_list *list)
{
    unsigned bits = SS_LIST_BITS * (list->level + 1);
    return bits < 64 && list->next >> bits != 0;
}

struct ss_list *ss_list_push(struct ss_list *list, struct ss_value *item)
{
    list = list_own(list);
    if (is_full(list)) {
        // Add a level; a tree that has only holes needs no root above it.
        struct ss_list_node *above = list->root ? node_new() : NULL;
        if (above) {
            above->places[0].child = list->root;
            node_sum(above, list->level + 1);
        }
        list->root = above;
        list->level++;
    }
    list->root = node_add(list->root, list->level, list->next++, item);
    return list;
}

// The last few values of JSON that others hold, too. Borrowed: they are in the
// list.
enum { KNOWN = 8 };
struct known {
    size_t count; // of all that there were
    const json_t *json[KNOWN];
    struct ss_value *values[KNOWN];
};

static struct ss_value *known_value(
    const struct known *known, const json_t *json)
{
    size_t count = known->count < KNOWN ? known->count : KNOWN;
    for (size_t i = 0; i < count; i++)
        if (known->json[i] == json)
            return known->values[i];
    return NULL;
}

struct ss_list *ss_list_push_json(struct ss_list *list, const json_t *array)
{
    struct known known = {0};
    size_t count = json_array_size(array);
    for (size_t i = 0; i < count; i++) {
        json_t *json = json_array_get(array, i);
        bool is_shared = ss_json_is_shared(json);
        struct ss_value *item = is_shared ? known_value(&known, json) : NULL;
        if (item) {
            list = ss_list_push(list, item);
            continue;
        }
        item = ss_value_new(json_incref(json));
        list = ss_list_push(list, item);
        if (is_shared) {
            known.json[known.count % KNOWN] = json;
            known.values[known.count++ % KNOWN] = item;
        }
        ss_value_unref(item);
    }
    return list;
}

struct ss_list *ss_list_put(
    struct ss_list *list, uint64_t number, struct ss_value *item)
{
    ss_check(item && ss_list_get(list, number));
    list = list_own(list);
    ss_list_set_index(list, NULL);
    list->root = node_set(list->root, list->level, number, item);
    return list;
}

struct ss_list *ss_list_drop(struct ss_list *list, uint64_t number)
{
    ss_check(ss_list_get(list, number));
    list = list_own(list);
    ss_list_set_index(list, NULL);
    list->root = node_set(list->root, list->level, number, NULL);
    return list;
}

struct ss_hamt *ss_list_index(const struct ss_list *list, uint64_t *ret_end)
{
    *ret_end = list->index ? list->indexed : 0;
    return list->index;
}

void ss_list_set_index(struct ss_list *list, struct ss_hamt *index)
{
    struct ss_hamt *old = list->index;
    list->index = index;
    list->indexed = list->next;
    ss_hamt_unref(old);
}

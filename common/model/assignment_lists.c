// assignment_lists.c - lists in an order that go as edits of what the worker
// holds.
#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/task.h"
#include "common/model/value.h"

void ss_assignment_lists_fini(struct ss_assignment *order)
{
    for (size_t i = 0; i < order->lists.count; i++) {
        ss_free(order->lists.items[i].name);
        ss_value_unref(order->lists.items[i].delta);
    }
    SS_VEC_FINI(&order->lists);
}

struct ss_value **ss_assignment_part(
    struct ss_assignment *order, enum ss_assignment_part part)
{
    switch (part) {
    case SS_PART_INPUT:
        return &order->input;
    case SS_PART_FRESH:
        return &order->fresh.channels;
    case SS_PART_FOLD:
        return &order->fold.value;
    }
    ss_unreachable();
}

// ------------------------------------------------ without them

static bool is_left_out(const struct ss_assignment *order,
    enum ss_assignment_part part, const char *name)
{
    for (size_t i = 0; i < order->lists.count; i++) {
        const struct ss_assignment_list *list = &order->lists.items[i];
        bool is_it =
            name ? list->name && strcmp(list->name, name) == 0 : !list->name;
        if (list->part == part && is_it)
            return true;
    }
    return false;
}

struct ss_value *ss_assignment_rest(
    const struct ss_assignment *order, enum ss_assignment_part part)
{
    struct ss_value *all =
        *ss_assignment_part((struct ss_assignment *)order, part);
    size_t count, kept = 0;
    if (!all || is_left_out(order, part, NULL))
        return NULL;
    const struct ss_field *fields = ss_value_fields(all, &count);
    if (order->lists.count == 0 || count == 0)
        return ss_value_ref(all);
    struct ss_field *rest = ss_zalloc(count, sizeof(*rest));
    for (size_t i = 0; i < count; i++)
        if (!is_left_out(order, part, fields[i].name))
            rest[kept++] = fields[i];
    struct ss_value *value =
        kept < count ? ss_value_of_fields(rest, kept) : ss_value_ref(all);
    ss_free(rest);
    return value;
}

// ------------------------------------------------ with them again

// The members of an object, put together anew. Another thread runs the task: it
// gets values of its own.
struct members {
    struct ss_field *items;
    size_t count;
};

static void members_begin(
    struct members *members, struct ss_value *came, size_t more)
{
    size_t count = 0;
    const struct ss_field *fields =
        came ? ss_value_members(came, &count) : NULL;
    json_t *json = came && !fields ? ss_value_json(came) : NULL;
    members->count = 0;
    members->items = ss_zalloc(
        count + json_object_size(json) + more, sizeof(*members->items));
    for (size_t i = 0; i < count; i++)
        members->items[members->count++] =
            (struct ss_field){fields[i].name, ss_value_ref(fields[i].value)};
    for (void *at = json_object_iter(json); at;
         at = json_object_iter_next(json, at))
        members->items[members->count++] =
            (struct ss_field){json_object_iter_key(at),
                ss_value_new(json_incref(json_object_iter_value(at)))};
}

static void members_insert(
    struct members *members, size_t at, const char *name, json_t *array)
{
    for (size_t i = members->count++; i > at; i--)
        members->items[i] = members->items[i - 1];
    members->items[at] =
        (struct ss_field){name, ss_value_new(json_incref(array))};
}

static struct ss_value *members_end(struct members *members)
{
    struct ss_value *all = ss_value_of_fields(members->items, members->count);
    for (size_t i = 0; i < members->count; i++)
        ss_value_unref(members->items[i].value);
    ss_free(members->items);
    return all;
}

// Some of the members of the part: each at its place, in ascending order.
static int complete_members(struct ss_assignment *order,
    enum ss_assignment_part part, json_t *const *whole)
{
    struct ss_value **place = ss_assignment_part(order, part);
    struct members members;
    bool fits = true;
    members_begin(&members, *place, order->lists.count);
    for (size_t i = 0; i < order->lists.count && fits; i++) {
        const struct ss_assignment_list *list = &order->lists.items[i];
        if (list->part != part)
            continue;
        fits = list->name && list->at <= members.count;
        if (fits)
            members_insert(&members, list->at, list->name, whole[i]);
    }
    struct ss_value *object = members_end(&members);
    ss_value_unref(*place);
    *place = object;
    return fits ? SS_OK : SS_EFORMAT;
}

static int complete_part(struct ss_assignment *order,
    enum ss_assignment_part part, json_t *const *whole)
{
    struct ss_value **place = ss_assignment_part(order, part);
    const struct ss_assignment_list *first = NULL;
    size_t at = 0, count = 0;
    for (size_t i = 0; i < order->lists.count; i++) {
        if (order->lists.items[i].part != part)
            continue;
        first = count++ == 0 ? &order->lists.items[at = i] : first;
    }
    if (!first)
        return SS_OK;
    if (first->name)
        return complete_members(order, part, whole);
    if (count > 1 || *place)
        return SS_EFORMAT;
    *place = ss_value_new(json_incref(whole[at]));
    return SS_OK;
}

int ss_assignment_complete(struct ss_assignment *order, json_t *const *whole)
{
    int status = SS_OK;
    for (int part = 0; part < SS_PARTS_COUNT && status == SS_OK; part++)
        status = complete_part(order, (enum ss_assignment_part)part, whole);
    ss_assignment_lists_fini(order);
    return status;
}

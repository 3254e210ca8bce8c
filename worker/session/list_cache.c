// list_cache.c - lists that a coordinator sent, kept so that it need not send
// them again: an order brings only what was added since.
//
// They are kept as bodies read them, decoded, and orders hold the same arrays:
// a long list costs what is added to it. Bodies are on other threads, which
// read and never change; an array that one of them holds is copied before it is
// changed here (its items are shared), and who holds one last frees it.
//
// Each list is in the slot that the coordinator chose, under its last stamp. A
// list that an order builds on must be there under that very stamp; otherwise
// the coordinator is told that we lack it. Slots and stamps are of one epoch.
// The least used ones go first when there are too many.
#include <stdio.h>

#include "common/model/persistent_vector.h"
#include "common/model/value.h"
#include "worker/session/limits.h"
#include "worker/session/state.h"

#ifndef JANSSON_THREAD_SAFE_REFCOUNT
#error "references to JSON must be counted by atomic operations"
#endif

enum { SLOT_SIZE = 24 };

struct kept {
    uint64_t stamp;
    json_t *array;
    size_t size; // of all that was sent for it, in bytes
};

static void forget(struct contact *contact, const char *slot)
{
    struct kept *kept = ss_map_remove(&contact->lists, slot);
    if (!kept)
        return;
    contact->lists_size -= kept->size;
    json_decref(kept->array);
    ss_free(kept);
}

void ss_list_cache_forget(struct contact *contact)
{
    while (contact->lists.first)
        forget(contact, contact->lists.first->key);
    ss_map_fini(&contact->lists, NULL);
}

// The list that `sent` means, made of the array in its slot (NULL: the slot is
// empty). Gives; NULL: we lack the list that it builds on.
static json_t *build(const struct ss_assignment_list *sent, struct kept *kept)
{
    if (sent->base == 0) {
        json_t *array = ss_value_json(sent->delta);
        return json_is_array(array) ? json_incref(array) : NULL;
    }
    if (!kept || kept->stamp != sent->base ||
        ss_array_edit(&kept->array, sent->delta) != SS_OK)
        return NULL;
    return json_incref(kept->array);
}

// Takes `array`.
static void keep(struct contact *contact, const char *slot,
    const struct ss_assignment_list *sent, json_t *array)
{
    size_t size = 0;
    struct kept *kept = ss_map_remove(&contact->lists, slot);
    if (!kept)
        kept = ss_zalloc(1, sizeof(*kept));
    contact->lists_size -= kept->size;
    if (kept->stamp != sent->stamp) {
        ss_value_text(sent->delta, &size);
        kept->size = sent->base ? kept->size + size : size;
    }
    contact->lists_size += kept->size;
    kept->stamp = sent->stamp;
    json_decref(kept->array);
    kept->array = array;
    ss_map_put(&contact->lists, slot, kept); // the last used one is the last
    while (contact->lists.count > 1 &&
           (contact->lists.count > SS_SESSION_LISTS_MAX ||
               contact->lists_size > SS_SESSION_LISTS_SIZE_MAX))
        forget(contact, contact->lists.first->key);
}

bool ss_list_cache_complete(
    struct contact *contact, struct ss_assignment *order)
{
    size_t count = order->lists.count, built = 0;
    json_t **lists = ss_zalloc(count + 1, sizeof(*lists));
    for (; built < count; built++) {
        char slot[SLOT_SIZE];
        const struct ss_assignment_list *sent = &order->lists.items[built];
        snprintf(slot, sizeof(slot), "%llu", (unsigned long long)sent->slot);
        lists[built] = build(sent, ss_map_get(&contact->lists, slot));
        if (!lists[built])
            break;
        keep(contact, slot, sent, json_incref(lists[built]));
    }
    bool is_whole =
        built == count && ss_assignment_complete(order, lists) == SS_OK;
    for (size_t i = 0; i < built; i++)
        json_decref(lists[i]);
    ss_free(lists);
    return is_whole;
}

// persistent_vector.h - a list of values that shares its past.
//
//   number   0 1 2 ... 31   32 ... 63   64 ...       a node has 32 places
//                |             |          |
//             (leaf)        (leaf)     (leaf)
//                  \           |       /
//                   +------ (root) ---+
//
// An item keeps its number: what is appended gets the next one, and what is
// dropped leaves a hole. Positions change with that, numbers do not. A change
// copies the nodes on its path that somebody else holds too, 13 of 32 places at
// most, and shares the rest: a conversation and all of its earlier versions
// take about the memory of one. Two lists are compared node by node; a node
// that both share is not looked into.
//
// Counted, and immutable for whoever holds a reference beside others: a change
// takes the list and gives the changed one, which is the same object where
// nobody else held it. Not for two threads at once.
#ifndef SS_MODEL_PERSISTENT_VECTOR_H
#define SS_MODEL_PERSISTENT_VECTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"

struct ss_value;
struct ss_hamt;
struct ss_list;

struct ss_list *ss_list_new(void);
struct ss_list *ss_list_ref(struct ss_list *list);
void ss_list_unref(struct ss_list *list); // NULL is fine

size_t ss_list_count(const struct ss_list *list);
// How deep its items nest: the deepest counts.
int ss_list_depth(const struct ss_list *list);
// About how many bytes its items and the commas take, encoded.
size_t ss_list_size_about(const struct ss_list *list);
// The number that the next item gets.
uint64_t ss_list_next(const struct ss_list *list);
// The item of that number, borrowed; NULL: there is none (any more).
struct ss_value *ss_list_get(const struct ss_list *list, uint64_t number);
// The number of the item at `position` < count.
uint64_t ss_list_number(const struct ss_list *list, size_t position);
// Each item in its order. Nothing may change meanwhile.
typedef void ss_list_visit(void *ctx, uint64_t number, struct ss_value *item);
void ss_list_each(const struct ss_list *list, ss_list_visit *visit, void *ctx);

// Changes: take `list` and give the changed one. They borrow `item`. `number`
// is one that has an item.
struct ss_list *ss_list_push(struct ss_list *list, struct ss_value *item);
// The items of a JSON array. One that stands there several times, the same
// object in memory, becomes one value: it is looked into and encoded once.
struct ss_list *ss_list_push_json(struct ss_list *list, const json_t *array);
struct ss_list *ss_list_put(
    struct ss_list *list, uint64_t number, struct ss_value *item);
struct ss_list *ss_list_drop(struct ss_list *list, uint64_t number);

// What the owner of a list keeps with it: an index of the items whose numbers
// are below *ret_end (messages.c). It stays when items are pushed, which it
// does not know yet, also to a list that is made from this one; every other
// change drops it. `index` is taken, and knows all items that there are.
struct ss_hamt *ss_list_index(
    const struct ss_list *list, uint64_t *ret_end); // borrowed, or NULL
void ss_list_set_index(struct ss_list *list, struct ss_hamt *index);

// Item for item the same objects from `at` to `at + dropped` in the old list
// were replaced by `added` others.
struct ss_list_edit {
    size_t at, dropped, added;
};

// How an older list became a newer one. `items` are those added by all edits,
// in order, borrowed from the newer list.
struct ss_list_edits {
    struct {
        struct ss_list_edit *items;
        size_t count, capacity;
    } edits;
    struct {
        struct ss_value **items;
        size_t count, capacity;
    } items;
};

// Compares; costs what the two do not share. False: the newer list was not made
// from the older one, or keeps less than half of it (and *ret is empty).
bool ss_list_compare(const struct ss_list *older, const struct ss_list *newer,
    struct ss_list_edits *ret);
void ss_list_edits_fini(struct ss_list_edits *edits);
// Only appended, if anything.
bool ss_list_edits_append(
    const struct ss_list_edits *edits, const struct ss_list *older);

// Edits as a value, for the journal and the wire: a list of [at, dropped,
// item...], positions in the older list, ascending. Gives.
struct ss_value *ss_list_edits_value(const struct ss_list_edits *edits);
// What became of a list of values, as the journal holds it: what was added, or
// (*ret_edits; where all can read them) its edits. Gives; NULL: it is told in
// full, as it shares too little with the old one (or NULL).
struct ss_value *ss_list_delta(
    struct ss_value *old, struct ss_value *now, bool edits, bool *ret_edits);
// The plain list `now` as a list that shares with `old` (or NULL) the items
// that are equal at the same place. Gives; NULL: most of them are not.
struct ss_value *ss_list_share(struct ss_value *old, struct ss_value *now);
// Apply edits. Takes `list`, also on an error, and gives *ret_list.
// SS_ECORRUPT: the edits do not fit that list; items are only appended, or
// replace others.
int ss_list_edit(struct ss_list *list, struct ss_value *edits,
    struct ss_list **ret_list) SS_MUST_USE;
// The same on an array of JSON: it is changed as it is where nobody else holds
// it, so that what is added costs what it is; else *array becomes one that
// shares its items. On an error it stays.
int ss_array_edit(json_t **array, struct ss_value *edits) SS_MUST_USE;

#endif

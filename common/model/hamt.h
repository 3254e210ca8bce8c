// hamt.h - from a hash to a number, sharing its past: where in a list the
// message of an id is.
//
// A trie over the bits of the hash, nodes as large as what they hold; a change
// copies the nodes on its way that somebody else holds too. Counted; a change
// takes the index (NULL: empty) and gives the changed one. Two things of one
// hash have no place here: who puts one in asks first.
#ifndef SS_MODEL_HAMT_H
#define SS_MODEL_HAMT_H

#include <stdbool.h>
#include <stdint.h>

struct ss_hamt;

struct ss_hamt *ss_hamt_ref(struct ss_hamt *index); // NULL stays NULL
void ss_hamt_unref(struct ss_hamt *index);          // NULL is fine
bool ss_hamt_get(
    const struct ss_hamt *index, uint64_t hash, uint64_t *ret_number);
struct ss_hamt *ss_hamt_put(
    struct ss_hamt *index, uint64_t hash, uint64_t number);
// `hash` is in it. Gives NULL where nothing is left.
struct ss_hamt *ss_hamt_drop(struct ss_hamt *index, uint64_t hash);

#endif

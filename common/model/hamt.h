// hamt.h - from a hash to a number, sharing its past: it finds the position of
// a message in a list by the hash of its id.
//
// A trie over the bits of the hash, nodes as large as what they hold; a change
// copies the nodes on its way that somebody else holds too. Counted; a change
// takes the index (NULL: empty) and gives the changed one. It holds one entry
// for a hash: whoever puts one in first looks whether there is one.
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
// `hash` must be in the index. Gives NULL where nothing is left.
struct ss_hamt *ss_hamt_drop(struct ss_hamt *index, uint64_t hash);

#endif

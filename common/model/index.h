// index.h - from a hash to a number, sharing its past: where in a list the
// message of an id is.
//
// A trie over the bits of the hash, nodes as large as what they hold; a change
// copies the nodes on its way that somebody else holds too. Counted; a change
// takes the index (NULL: empty) and gives the changed one. Two things of one
// hash have no place here: who puts one in asks first.
#ifndef SS_MODEL_INDEX_H
#define SS_MODEL_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct ss_index;

struct ss_index *ss_index_ref(struct ss_index *index); // NULL stays NULL
void ss_index_unref(struct ss_index *index);           // NULL is fine
bool ss_index_get(
    const struct ss_index *index, uint64_t hash, uint64_t *ret_number);
struct ss_index *ss_index_put(
    struct ss_index *index, uint64_t hash, uint64_t number);
// `hash` is in it. Gives NULL where nothing is left.
struct ss_index *ss_index_drop(struct ss_index *index, uint64_t hash);

#endif

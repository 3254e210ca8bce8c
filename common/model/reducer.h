// reducer.h - the built-in reducers: state and one write -> state.
#ifndef SS_MODEL_REDUCER_H
#define SS_MODEL_REDUCER_H

#include <jansson.h>
#include <stdbool.h>

#include "common/base/ids.h"
#include "common/base/status.h"
#include "common/model/graph.h"
#include "common/model/persistent_vector.h"
#include "common/model/value.h"

// left and right are borrowed and never modified. Gives *ret_json, which may
// share with them. `owner` and `position` name the write, for made-up ids.
// Errors: SS_EINVAL, with both types in the message.
int ss_reduce(enum ss_reducer reducer, json_t *left, json_t *right,
    const char *owner, size_t position, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;

// The same for lists that grow (add, append, add_messages): *list becomes one
// with `right` added, which shares with what it was; costs what is added.
// SS_EAGAIN: *list is unchanged, and has to be folded by ss_reduce(). After
// another error it may hold some of `right`.
int ss_reduce_list(enum ss_reducer reducer, struct ss_list **list,
    struct ss_value *right, const char *owner, size_t position,
    struct ss_error *error) SS_MUST_USE;

// What a state key is declared to hold; in the order of their words (key.c).
enum ss_type {
    SS_TYPE_ANY,
    SS_TYPE_INT,
    SS_TYPE_FLOAT,
    SS_TYPE_STR,
    SS_TYPE_LIST,
    SS_TYPE_DICT,
    SS_TYPE_BOOL,
};

// The zero value of a declared type (0, [] ...), or NULL: none. Gives.
json_t *ss_zero(enum ss_type type);
// The reducer of that name, or SS_REDUCER_NONE.
enum ss_reducer ss_reducer_by_name(const char *name);

// add_messages (spec/graph.md 3): coerce, give ids, merge by id, remove.
int ss_messages_merge(json_t *left, json_t *right, const char *owner,
    size_t position, json_t **ret_json, struct ss_error *error) SS_MUST_USE;
// The same for a list, as ss_reduce_list(). SS_EAGAIN: not all items of the
// list are whole messages with different ids.
int ss_messages_add(struct ss_list **list, json_t *right, const char *owner,
    size_t position, struct ss_error *error) SS_MUST_USE;
// A message from any of its forms ({type, content, id, ...}). Borrows. Gives;
// the id is null if there was none.
int ss_message_coerce(
    json_t *like, json_t **ret_message, struct ss_error *error) SS_MUST_USE;
// True if `json` needs no coercion: a message with all that it must have.
bool ss_message_is_whole(const json_t *json);

#endif

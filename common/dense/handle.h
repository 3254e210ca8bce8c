// handle.h - a value in sixteen bytes: nothing, a small thing itself, or a
// counted block of encoded bytes that nobody here decodes.
//
//   MISSING | NULL | INT 42 | SMALL "abc" | BLOB -> bytes | LIST -> items |
//   VALUE -> the model's
//
// A list is a block of handles and a count: who holds fewer items than the
// block has sees its own past. It grows in place while nobody went further, and
// is copied where somebody did. A list that changes inside is the model's: that
// shares what did not change (persistent_vector.h). Not for two threads at
// once.
#ifndef SS_DENSE_HANDLE_H
#define SS_DENSE_HANDLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/model/value.h"

enum ss_handle_kind {
    SS_HANDLE_MISSING, // nothing is held; a stored null is SS_HANDLE_NULL
    SS_HANDLE_NULL,
    SS_HANDLE_INT,   // its digits are made when it is written
    SS_HANDLE_SMALL, // JSON text of at most 8 bytes
    SS_HANDLE_BLOB,  // JSON text, or bytes under another tag
    SS_HANDLE_LIST,
    SS_HANDLE_VALUE, // the model's, with the faces that it has
};

// What a BLOB points to. Counted.
struct ss_handle_blob {
    uint32_t refs;
    uint32_t tag; // enum ss_value_tag
    size_t size;
    char bytes[];
};

struct ss_handle_list;

struct ss_handle {
    uint8_t kind;   // enum ss_handle_kind
    uint8_t size;   // SMALL: of its text
    uint32_t count; // LIST: how many of the block's items are its own
    union {
        int64_t number;
        char text[8];
        struct ss_handle_blob *blob;
        struct ss_handle_list *list;
        struct ss_value *value;
    } as;
};

static inline struct ss_handle ss_handle_null(void)
{
    return (struct ss_handle){.kind = SS_HANDLE_NULL};
}

static inline struct ss_handle ss_handle_int(int64_t number)
{
    return (struct ss_handle){.kind = SS_HANDLE_INT, .as = {.number = number}};
}

static inline bool ss_handle_is_held(struct ss_handle handle)
{
    return handle.kind != SS_HANDLE_MISSING;
}

struct ss_handle ss_handle_ref(struct ss_handle handle);
void ss_handle_unref(struct ss_handle handle);
// JSON text as it came: null and whole numbers become what they are. Copies.
// Gives.
struct ss_handle ss_handle_text(const char *text, size_t size);

// An empty list with room for so many items. Gives.
struct ss_handle ss_handle_list(uint32_t capacity);
// Takes `item`. Where the block has no room, or somebody else went further, the
// list moves into a block of its own.
void ss_handle_push(struct ss_handle *list, struct ss_handle item);
// Items of the block beyond `count` go: nobody was told of them.
void ss_handle_cut(struct ss_handle *list, uint32_t count);
// Both see one block.
bool ss_handle_shares(struct ss_handle a, struct ss_handle b);
// Item `index` < count, borrowed.
struct ss_handle ss_handle_item(struct ss_handle list, uint32_t index);
// The value as a list: itself, or its text cut apart, one level. Gives. False:
// it is not a list.
bool ss_handle_split(struct ss_handle handle, struct ss_handle *ret_list);
// The member of an object. Gives. False: it has none, or is no object.
bool ss_handle_member(
    struct ss_handle handle, const char *name, struct ss_handle *ret);
// A string's characters. Gives (ss_free); NULL: it is not a string.
char *ss_handle_string(struct ss_handle handle);
// What an Overwrite (R1.7) holds. Gives. False: it is not one.
bool ss_handle_overwrites(struct ss_handle handle, struct ss_handle *ret);

// Append its compact text. Not of a MISSING one.
void ss_handle_add(struct ss_buf *buf, struct ss_handle handle);
// Decoded, and from there. Give. What is decoded may be somebody else's too:
// never modify it.
json_t *ss_handle_json(struct ss_handle handle);
struct ss_handle ss_handle_of_json(const json_t *json);
// The same value to or from the model's form. Borrow and give; NULL is MISSING.
struct ss_handle ss_handle_of_value(struct ss_value *value);
struct ss_value *ss_handle_value(struct ss_handle handle);
// The model's value as it is, kept for its faces. Borrows and gives.
struct ss_handle ss_handle_keep(struct ss_value *value);

#endif

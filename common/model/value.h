// value.h - a value with lazy faces: encoded bytes, the decoded thing, and, of
// a list or an object, the values that it is put together from.
//
// Immutable and counted. What nobody looks into is never decoded; encoding
// happens once, for the wire or the journal; a list that grows
// (persistent_vector.h) and an object of such lists are neither decoded nor
// encoded whole until somebody wants all of them. Not for two threads at once.
// Tags are an allow-list: nothing that comes from a database or a socket can
// name code to run.
//
// JSON is read (json_read.c) and written (json_write.c) by hand, as jansson's
// trees. Reading is for speed; jansson has the last word. A number is written
// as the shortest text that reads back as itself, where jansson writes
// seventeen digits, and the same value has the same bytes in each version of
// jansson, as hashes of them are kept.
#ifndef SS_MODEL_VALUE_H
#define SS_MODEL_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/status.h"

enum ss_value_tag {
    SS_VALUE_JSON = 0,    // JSON text (null included)
    SS_VALUE_BYTES = 1,   // a byte string
    SS_VALUE_MSGPACK = 2, // one msgpack document, kept as it came
};

struct ss_value;
struct ss_list;

// A member of an object that is put together from values.
struct ss_field {
    const char *name;
    struct ss_value *value;
};

// Set jansson's allocator (ss_alloc) and a fixed object seed. Call once, first.
void ss_value_setup(void);

// Takes the reference of `json` (not NULL). Gives a value.
struct ss_value *ss_value_new(json_t *json);
// JSON text as it came; decoded when somebody looks. Copies. Gives.
struct ss_value *ss_value_from_text(const char *text, size_t size);
// Bytes under another tag. Copies. Gives.
struct ss_value *ss_value_opaque(
    enum ss_value_tag tag, const void *bytes, size_t size);
// A list of values. Takes the reference of `list`. Gives.
struct ss_value *ss_value_of_list(struct ss_list *list);
// An object of values, in that order; of a name that stands twice the first one
// counts. Borrows. Gives.
struct ss_value *ss_value_of_fields(
    const struct ss_field *fields, size_t count);
// The value null. Gives.
struct ss_value *ss_value_null(void);
struct ss_value *ss_value_ref(struct ss_value *value); // NULL stays NULL
void ss_value_unref(struct ss_value *value);           // NULL is fine

enum ss_value_tag ss_value_tag(const struct ss_value *value);
// The decoded JSON, borrowed; never modify it. An opaque value, or text that is
// no JSON, reads as null: check ss_value_valid() where it came from outside.
json_t *ss_value_json(struct ss_value *value);
// The value as a list of values, borrowed: made of its JSON once, and kept.
// NULL: it is not a list.
struct ss_list *ss_value_list(struct ss_value *value);
// Whether it is one, which its text's first letter tells: nothing is decoded.
bool ss_value_is_list(const struct ss_value *value);
// True if it is a list that was put together, or taken apart, from values.
bool ss_value_listed(const struct ss_value *value);
// The members that it was put together from, borrowed; NULL: it was not.
const struct ss_field *ss_value_fields(
    const struct ss_value *value, size_t *ret_count);
// A value of the same bytes that shares nothing: for another thread. Gives.
struct ss_value *ss_value_alone(struct ss_value *value);
// The members of an object, borrowed: those that it was put together from, or
// the parts of its text, which nobody decodes. NULL: it has none, or it must be
// decoded to know them (a key twice, one with an escape, no text).
const struct ss_field *ss_value_members(
    struct ss_value *value, size_t *ret_count);
// A member of an object, or NULL: it has none. Gives.
struct ss_value *ss_value_member(struct ss_value *value, const char *name);
// The same decoded, borrowed. Of a long text nothing else is decoded.
json_t *ss_value_member_json(struct ss_value *value, const char *name);
// How many items a list has; 0: none, or it is not a list.
size_t ss_value_count(struct ss_value *value);
// How deep it nests: 0 for a scalar, 1 for a list of scalars.
int ss_value_depth(struct ss_value *value);
// The encoded bytes, borrowed: compact JSON text, or the opaque bytes.
const char *ss_value_text(struct ss_value *value, size_t *ret_size);
// The size of the encoded bytes, and these bytes into that much room. A list
// that is put together from values is written from its items: whoever needs its
// text once need not have it kept.
size_t ss_value_text_size(struct ss_value *value);
void ss_value_write(struct ss_value *value, char *to);
// About how many they are, as they are where somebody had them written: it
// encodes nothing.
size_t ss_value_size_about(struct ss_value *value);
bool ss_value_is_null(struct ss_value *value);
// True if somebody looked already (or it was made from JSON).
bool ss_value_decoded(const struct ss_value *value);
// SS_EFORMAT with a message that shows where, for text that is not JSON (depth
// over SS_VALUE_DEPTH_MAX included).
int ss_value_valid(struct ss_value *value, struct ss_error *error) SS_MUST_USE;

// Parse text from outside. No bytes may be NULL. Gives *ret_json. SS_EFORMAT
// names line and column.
int ss_json_parse(const char *text, size_t size, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;
// Is this text JSON? Without a tree, so what nobody looks into is not decoded.
// True is certain: ss_json_parse() takes it. False means: ask ss_json_parse(),
// which also says what is wrong.
bool ss_json_check(const char *text, size_t size);
// Somebody else holds it, too. What one thread reads others may hold or let go.
static inline bool ss_json_is_shared(const json_t *json)
{
    return __atomic_load_n(&json->refcount, __ATOMIC_ACQUIRE) > 1;
}
// A member of the text of an object: its key without quotes, and the text of
// its value. False ends the walk.
typedef bool ss_json_member_fn(
    void *ctx, const char *key, size_t key_size, const char *text, size_t size);
// Each member of an object, in its order, undecoded. False: the walk was ended,
// or the text is not that of an object whose keys have no escapes. The values
// are not looked into: text that is no JSON may pass.
bool ss_json_members(
    const char *text, size_t size, ss_json_member_fn *visit, void *ctx);
// How deep the brackets of a text nest; what is inside of strings is none.
int ss_json_depth(const char *text, size_t size);
// A string with its quotes and escapes.
void ss_json_add_string(struct ss_buf *buf, const char *text, size_t size);
// Compact text, keys in their order. Gives (ss_free).
char *ss_json_text(const json_t *json);
char *ss_json_text_sized(const json_t *json, size_t *ret_size);
// The same with sorted keys: for hashes and cache keys.
char *ss_json_canonical(const json_t *json);
// Text, number or null of a key of an object, with defaults.
const char *ss_json_str(
    const json_t *object, const char *key, const char *otherwise);
json_int_t ss_json_int(
    const json_t *object, const char *key, json_int_t otherwise);
bool ss_json_bool(const json_t *object, const char *key, bool otherwise);
// Python's idea of true: not null, false, 0, "", [] or {}.
bool ss_json_truthy(const json_t *json);

#endif

// value.h - a value with two lazy faces: encoded bytes, and the decoded thing.
//
// Immutable and counted. What nobody looks into is never decoded; encoding
// happens once, for the wire or the journal. Not for two threads at once.
// Tags are an allow-list: nothing that comes from a database or a socket can
// name code to run.
#ifndef SS_MODEL_VALUE_H
#define SS_MODEL_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/base/status.h"

enum ss_value_tag {
    SS_VALUE_JSON = 0,    // JSON text (null included)
    SS_VALUE_BYTES = 1,   // a byte string
    SS_VALUE_MSGPACK = 2, // one msgpack document, kept as it came
};

struct ss_value;

// Set jansson's allocator (ss_alloc) and a fixed object seed. Call once, first.
void ss_value_setup(void);

// Takes the reference of `json` (not NULL). Gives a value.
struct ss_value *ss_value_new(json_t *json);
// JSON text as it came; decoded when somebody looks. Copies. Gives.
struct ss_value *ss_value_from_text(const char *text, size_t size);
// Bytes under another tag. Copies. Gives.
struct ss_value *ss_value_opaque(
    enum ss_value_tag tag, const void *bytes, size_t size);
// The value null. Gives.
struct ss_value *ss_value_null(void);
struct ss_value *ss_value_ref(struct ss_value *value); // NULL stays NULL
void ss_value_unref(struct ss_value *value);           // NULL is fine

enum ss_value_tag ss_value_tag(const struct ss_value *value);
// The decoded JSON, borrowed; never modify it. An opaque value, or text that is
// no JSON, reads as null: check ss_value_valid() where it came from outside.
json_t *ss_value_json(struct ss_value *value);
// The encoded bytes, borrowed: compact JSON text, or the opaque bytes.
const char *ss_value_text(struct ss_value *value, size_t *ret_size);
bool ss_value_is_null(struct ss_value *value);
// True if somebody looked already (or it was made from JSON).
bool ss_value_decoded(const struct ss_value *value);
// SS_EFORMAT with a message that shows where, for text that is no JSON (depth
// over SS_VALUE_DEPTH_MAX included).
int ss_value_valid(struct ss_value *value, struct ss_error *error) SS_MUST_USE;
bool ss_value_equal(struct ss_value *a, struct ss_value *b);

// Parse text from outside. No bytes may be NULL. Gives *ret_json. SS_EFORMAT names
// line and column.
int ss_json_parse(const char *text, size_t size, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;
// Compact text, keys in their order. Gives (ss_free).
char *ss_json_text(const json_t *json);
// The same with sorted keys: for hashes and cache keys.
char *ss_json_canonical(const json_t *json);
// Text, number or null of a key of an object, with defaults.
const char *ss_json_str(const json_t *object, const char *key,
    const char *otherwise);
json_int_t ss_json_int(const json_t *object, const char *key,
    json_int_t otherwise);
bool ss_json_bool(const json_t *object, const char *key, bool otherwise);
// Python's idea of true: not null, false, 0, "", [] or {}.
bool ss_json_truthy(const json_t *json);

#endif

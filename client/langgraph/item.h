// item.h - one msgpack item as JSON, and back.
//
// Plain data (null, booleans, integers of 64 bits, finite floats, text, lists,
// maps with text as keys) becomes JSON. Messages of langchain_core become the
// maps that add_messages knows, without the fields that hold their defaults.
// Everything else becomes a mark (common/model/opaque.h) that makes the same
// bytes again:
//
//   an extension of a class              $typed [code, module, class, arg, ...]
//   a map with keys that are no text,    $typed [0, "builtins", "dict", pairs]
//   or that would read as a mark
//   an integer beyond 64 bits            $typed [0, "builtins", "int", text]
//   NaN, infinities                      $typed [0, "builtins", "float", text]
//   bytes                                $opaque of tag "bytes"
//   arrays, other extensions             $opaque of tag "msgpack"
#ifndef SS_LANGGRAPH_ITEM_H
#define SS_LANGGRAPH_ITEM_H

#include <jansson.h>

#include "client/langgraph/ext.h"
#include "client/langgraph/msgpack.h"

// The next item of `reader`, whole. Gives *ret_json. SS_EFORMAT: malformed, or
// text that is not UTF-8. SS_ELIMIT: over SS_LANGGRAPH_DEPTH_MAX deep.
int ss_item_decode(struct ss_msgpack_reader *reader, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;
// Append the item. SS_EDENIED: an extension that `allowed` does not have.
// SS_EFORMAT: a mark whose bytes are not msgpack. SS_ELIMIT: too deep, or `buf`
// is full.
int ss_item_encode(const json_t *json, const struct ss_ext_allowed *allowed,
    struct ss_buf *buf, struct ss_error *error) SS_MUST_USE;

// The fields of a message as the map that add_messages knows, without those
// that hold their defaults. NULL: it is not of the class, or has more than that
// map can hold. `module` NULL: a message of LangGraph.js, whose fields do not
// say its type; what such a map cannot hold is a $typed mark then. Gives.
json_t *ss_item_message(
    const char *module, const char *name, const json_t *fields);

// A mark of these bytes; the names are UTF-8. Gives.
json_t *ss_item_mark(
    const char *class_name, const char *tag, const void *bytes, size_t size);
// The bytes and tag (borrowed) of a mark. Gives *ret_bytes. SS_EFORMAT: its
// data is not base64.
int ss_item_mark_open(const json_t *mark, const char **ret_tag,
    uint8_t **ret_bytes, size_t *ret_size, struct ss_error *error) SS_MUST_USE;

#endif

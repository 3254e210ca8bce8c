// form.h - stored values of channels and pending writes, in the forms of both
// sides (spec/engine.md R13.23, R13.25).
//
//   what                    there                        here
//   __pregel_tasks          Sends                        [{"$send": ...}]
//   join:a+b:c              set, or [set, finished]      sorted list, or [list,
//   finished]
//   __interrupt__           Interrupts                   [{"value", "id", ...}]
//   __error__               text                         {"code", "message"}
//   a write of Overwrite    Overwrite                    {"__overwrite__":
//   value} a delta channel         snapshot                     the value all
//   else                as item.h says
//
// A value that must be looked into, and has another form, is refused by its
// name.
#ifndef SS_LANGGRAPH_FORM_H
#define SS_LANGGRAPH_FORM_H

#include "client/langgraph/item.h"

// True if the engine looks into the value: then it is read and written in a
// form of its own.
bool ss_form_is_known(const char *channel, bool is_write);
// The channel's stored value, or (is_write) one write to it. Gives.
int ss_form_decode(const char *channel, bool is_write,
    struct ss_msgpack_reader *reader, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;
// The same of what is JSON already: ss_revive()'s. Takes `from`.
int ss_form_read(const char *channel, bool is_write, json_t *from,
    json_t **ret_json, struct ss_error *error) SS_MUST_USE;
int ss_form_encode(const char *channel, bool is_write, const json_t *json,
    const struct ss_ext_allowed *allowed, struct ss_buf *buf,
    struct ss_error *error) SS_MUST_USE;

// A typed value of a row: its tag and its bytes (both borrowed; bytes NULL and
// size 0 for none). Unknown tags are kept as they are. Gives. SS_EFORMAT,
// SS_ELIMIT, SS_EINVAL say what is wrong; the caller says where.
int ss_typed_decode(const char *channel, bool is_write, const char *tag,
    const void *bytes, size_t size, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;
// Appends the bytes to `buf`, gives the tag in *ret_tag (ss_free).
int ss_typed_encode(const char *channel, bool is_write, const json_t *json,
    const struct ss_ext_allowed *allowed, char **ret_tag, struct ss_buf *buf,
    struct ss_error *error) SS_MUST_USE;

#endif

// unpack.h - from bytes to an unpacked message, safely.
//
// First the bytes are scanned against the schema, without any memory: lengths,
// text, depth and counts under the limits of limits.h. Only then protobuf-c
// unpacks them, from a budget.
#ifndef SS_WIRE_UNPACK_H
#define SS_WIRE_UNPACK_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/wire/budget.h"

// The bytes of the well-formed UTF-8 character at `at` (before `end`); 0: none.
size_t ss_wire_character(const unsigned char *at, const unsigned char *end);
// UTF-8 (no surrogates, nothing overlong, up to U+10FFFF) without NUL.
bool ss_wire_text_ok(const void *bytes, size_t size);

// SS_EFORMAT, SS_ELIMIT: what is wrong, with the name of the field.
int ss_wire_scan(const ProtobufCMessageDescriptor *descriptor,
    const void *bytes, size_t size, struct ss_error *error) SS_MUST_USE;

// Scan, init `budget` for a message of this size, and unpack: *ret_message
// lives until ss_budget_fini(). On an error the budget is freed already.
int ss_wire_unpack(const ProtobufCMessageDescriptor *descriptor,
    const void *bytes, size_t size, struct ss_budget *budget,
    ProtobufCMessage **ret_message, struct ss_error *error) SS_MUST_USE;

// Field `number` of the outermost message, a varint. False: it is not there, or
// the bytes are malformed before it.
bool ss_wire_peek(
    const void *bytes, size_t size, uint32_t number, uint64_t *ret_value);

#endif

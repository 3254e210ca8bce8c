// unpack.h - from bytes to an unpacked message, safely.
//
// One pass over the bytes looks at each part under the limits of limits.h
// (lengths, text, depth, counts), and puts it into protobuf-c's structs, which
// are cut from a budget. What no writer of ours writes (a message in two
// pieces, a field that the schema does not know) makes it leave the structs to
// protobuf-c, once the pass has found nothing to refuse.
#ifndef SS_WIRE_UNPACK_H
#define SS_WIRE_UNPACK_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/wire/budget.h"

// Look only. SS_EFORMAT, SS_ELIMIT: what is wrong, with the name of the field.
int ss_wire_scan(const ProtobufCMessageDescriptor *message, const void *bytes,
    size_t size, struct ss_error *error) SS_MUST_USE;

// Init `budget` for a message of this size, look, and unpack. *ret_message
// lives until ss_budget_fini(), and borrows from `bytes` what is of type bytes
// in it. On an error the budget is freed already.
int ss_wire_unpack(const ProtobufCMessageDescriptor *message, const void *bytes,
    size_t size, struct ss_budget *budget, ProtobufCMessage **ret_message,
    struct ss_error *error) SS_MUST_USE;

// Field `number` of the outermost message, a varint. False: it is not there, or
// the bytes are malformed before it.
bool ss_wire_peek(
    const void *bytes, size_t size, uint32_t number, uint64_t *ret_value);

#endif

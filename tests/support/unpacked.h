// unpacked.h - what ss_wire_unpack() makes of bytes, beside what protobuf-c's
// own unpacking makes of them.
#ifndef SS_TEST_SUPPORT_UNPACKED_H
#define SS_TEST_SUPPORT_UNPACKED_H

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/wire/unpack.h"

// Of the generated code, which only its room sees.
extern const ProtobufCMessageDescriptor superstep__v1__envelope__descriptor;

static inline bool unpacked_the_same(
    const ProtobufCMessage *a, const ProtobufCMessage *b)
{
    size_t size = protobuf_c_message_get_packed_size(a);
    if (protobuf_c_message_get_packed_size(b) != size)
        return false;
    uint8_t *bytes = ss_alloc(2 * size);
    protobuf_c_message_pack(a, bytes);
    protobuf_c_message_pack(b, bytes + size);
    bool is_same = size == 0 || memcmp(bytes, bytes + size, size) == 0;
    ss_free(bytes);
    return is_same;
}

// An envelope: both make the same message of it, or both none. What is over a
// limit protobuf-c does not know. True: there is a message.
static inline bool unpacked_alike(const void *bytes, size_t size)
{
    const ProtobufCMessageDescriptor *envelope =
        &superstep__v1__envelope__descriptor;
    struct ss_budget budget;
    struct ss_error error = {0};
    ProtobufCMessage *ours = NULL;
    int status = ss_wire_unpack(envelope, bytes, size, &budget, &ours, &error);
    if (ss_wire_scan(envelope, bytes, size, NULL) != SS_OK) {
        ss_check(status != SS_OK);
        return false;
    }
    ProtobufCMessage *theirs =
        protobuf_c_message_unpack(envelope, NULL, size, bytes);
    ss_check(status == SS_ELIMIT || (status == SS_OK) == (theirs != NULL));
    if (status == SS_OK) {
        ss_check(unpacked_the_same(ours, theirs));
        ss_budget_fini(&budget);
    }
    if (theirs)
        protobuf_c_message_free_unpacked(theirs, NULL);
    return status == SS_OK;
}

#endif

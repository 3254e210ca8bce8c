// fields.h - texts, JSON and values between our structs and unpacked messages.
//
// pack_*: what they need lives in the packer (or in the value itself) until the
// message is packed. take_*: give owned data; `what` names the field in errors.
#ifndef SS_WIRE_FIELDS_H
#define SS_WIRE_FIELDS_H

#include <jansson.h>

#include "common/base/buf.h"
#include "common/base/status.h"
#include "common/model/value.h"
#include "common/wire/budget.h"
#include "superstep/v1/messages.pb-c.h"

struct ss_packer {
    struct ss_budget budget;
    int status; // the first failure: the message could not be decoded
    struct ss_error *error;
};

void ss_packer_init(struct ss_packer *packer, struct ss_error *error);
void ss_packer_fini(struct ss_packer *packer);
// Append the message, which has `size` bytes packed. False: no room in `ret`.
bool ss_pack_message(const ProtobufCMessage *message, size_t size,
    struct ss_buf *ret) SS_MUST_USE;
// Cleared memory.
void *ss_pack_alloc(struct ss_packer *packer, size_t count, size_t size);
// NULL packs as "".
char *ss_pack_text(const char *text);
// Text made for people: cut at its limit, and what is not UTF-8 becomes
// '?'. NULL stays NULL.
char *ss_pack_prose(struct ss_packer *packer, const char *text);
// NULL leaves the field absent.
void ss_pack_json(struct ss_packer *packer, json_t *json,
    protobuf_c_boolean *ret_has, ProtobufCBinaryData *ret_data);
Superstep__V1__Value *ss_pack_value(
    struct ss_packer *packer, struct ss_value *value);
ProtobufCBinaryData ss_pack_bytes(
    struct ss_packer *packer, struct ss_value *value);

// Texts stay their owner's.
char **ss_pack_texts(
    struct ss_packer *packer, char *const *texts, size_t count);

enum ss_json_want { SS_WANT_ANY, SS_WANT_ARRAY, SS_WANT_OBJECT };

// Absent: *ret_json stays as it is.
int ss_take_json(protobuf_c_boolean has, ProtobufCBinaryData data,
    enum ss_json_want want, const char *what, json_t **ret_json,
    struct ss_error *error) SS_MUST_USE;
// The same as a value, of which nothing is decoded before somebody looks.
int ss_take_text(protobuf_c_boolean has, ProtobufCBinaryData data,
    enum ss_json_want want, const char *what, struct ss_value **ret_value,
    struct ss_error *error) SS_MUST_USE;
int ss_take_bytes(int tag, ProtobufCBinaryData data, const char *what,
    struct ss_value **ret_value, struct ss_error *error) SS_MUST_USE;
int ss_take_value(const Superstep__V1__Value *packed, const char *what,
    struct ss_value **ret_value, struct ss_error *error) SS_MUST_USE;
// At most `limit` texts, copied. Gives.
int ss_take_texts(char *const *packed, size_t count, size_t limit,
    const char *what, char ***ret_texts, size_t *ret_count,
    struct ss_error *error) SS_MUST_USE;
void ss_texts_free(char **texts, size_t count);
// An id of fewer than SS_UUID_SIZE bytes.
int ss_take_id(const char *text, const char *what, char *ret_id,
    struct ss_error *error) SS_MUST_USE;
// An enum's number, 0 <= number < count.
int ss_take_enum(int number, int count, const char *what, int *ret_number,
    struct ss_error *error) SS_MUST_USE;

#endif

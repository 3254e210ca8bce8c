// batch.c - pieces of list messages, and the envelope around them.
//
// In each list message the list is field 1, and the number of a message's field
// in the envelope is that of its type plus one: tests hold the schema to both.
#include "common/wire/batch.h"

#include "common/base/check.h"
#include "common/wire/limits.h"
#include "common/wire/unpack.h"
#include "common/wire/work.h"

enum { VARINT_SIZE_MAX = 10, TAG_LENGTH_DELIMITED = 2, FIELD_LIST = 1 };

static size_t put_varint(unsigned char *to, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7)
        to[size++] = (unsigned char)(value | 0x80);
    to[size++] = (unsigned char)value;
    return size;
}

static size_t put_head(unsigned char *to, uint32_t field, size_t size)
{
    size_t used = put_varint(to, (uint64_t)field << 3 | TAG_LENGTH_DELIMITED);
    return used + put_varint(to + used, size);
}

// The same bound as the whole message's, with room for its envelope.
static int check_room(
    const struct ss_buf *pieces, size_t size, struct ss_error *error)
{
    if (pieces->size + size + 3 * VARINT_SIZE_MAX > SS_MESSAGE_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT, "a message of more than %u bytes",
            SS_MESSAGE_SIZE_MAX);
    return SS_OK;
}

static int add_piece(struct ss_buf *pieces, const ProtobufCMessage *message,
    struct ss_error *error)
{
    unsigned char head[2 * VARINT_SIZE_MAX];
    size_t size = protobuf_c_message_get_packed_size(message);
    size_t head_size = put_head(head, FIELD_LIST, size);
    size_t before = pieces->size;
    int status = check_room(pieces, head_size + size, error);
    if (status != SS_OK)
        return status;
    ss_buf_add(pieces, head, head_size);
    ss_check(ss_pack_message(message, size, pieces));
    status = ss_wire_scan(
        message->descriptor, pieces->data + before + head_size, size, error);
    if (status != SS_OK)
        pieces->size = before;
    return status;
}

static int finish(struct ss_packer *packer, struct ss_buf *pieces,
    const ProtobufCMessage *message, struct ss_error *error)
{
    int status = packer->status;
    if (status == SS_OK)
        status = add_piece(pieces, message, error);
    ss_packer_fini(packer);
    return status;
}

// What was written from its end, of `status`: it is an item of the list.
static int add_tail(struct ss_buf *pieces, struct ss_tail *tail, int status,
    const ProtobufCMessageDescriptor *doubtful, struct ss_error *error)
{
    size_t size = tail->size;
    ss_tail_message(tail, FIELD_LIST, 0);
    if (status == SS_OK)
        status = check_room(pieces, tail->size, error);
    if (status == SS_OK && doubtful)
        status = ss_wire_scan(doubtful, tail->end - size, size, error);
    if (status == SS_OK)
        ss_buf_add(pieces, tail->end - tail->size, tail->size);
    ss_tail_fini(tail);
    return status;
}

int ss_batch_add_order(struct ss_buf *pieces, const struct ss_assignment *order,
    struct ss_error *error)
{
    struct ss_tail tail;
    bool is_doubtful;
    ss_tail_init(&tail, SS_MESSAGE_SIZE_MAX);
    int status = ss_pack_order(&tail, order, &is_doubtful, error);
    return add_tail(pieces, &tail, status,
        is_doubtful ? &superstep__v1__order__descriptor : NULL, error);
}

int ss_batch_add_outcome(struct ss_buf *pieces,
    const struct ss_outcome *outcome, struct ss_error *error)
{
    struct ss_tail tail;
    bool is_doubtful;
    ss_tail_init(&tail, SS_MESSAGE_SIZE_MAX);
    int status = ss_pack_outcome(&tail, outcome, &is_doubtful, error);
    return add_tail(pieces, &tail, status,
        is_doubtful ? &superstep__v1__outcome__descriptor : NULL, error);
}

int ss_batch_add_live(struct ss_buf *pieces, const struct ss_live_item *item,
    struct ss_error *error)
{
    struct ss_packer packer;
    ss_packer_init(&packer, error);
    return finish(&packer, pieces, &ss_pack_live(&packer, item)->base, error);
}

int ss_batch_add_attempt(
    struct ss_buf *pieces, struct ss_attempt attempt, struct ss_error *error)
{
    Superstep__V1__Attempt packed = SUPERSTEP__V1__ATTEMPT__INIT;
    packed.epoch = attempt.epoch;
    packed.dispatch = attempt.dispatch;
    return add_piece(pieces, &packed.base, error);
}

int ss_batch_encode(enum ss_message_type type, const struct ss_buf *pieces,
    struct ss_buf *ret, struct ss_error *error)
{
    unsigned char head[4 * VARINT_SIZE_MAX];
    size_t size = put_varint(head, 1 << 3); // Envelope.protocol
    size += put_varint(head + size, SS_PROTOCOL_VERSION);
    size += put_head(head + size, (uint32_t)type + 1, pieces->size);
    ss_buf_reset(ret);
    ss_buf_add(ret, head, size);
    if (ss_buf_add(ret, pieces->data, pieces->size) == SS_OK)
        return SS_OK;
    ss_buf_reset(ret);
    return ss_error_set(error, SS_ELIMIT, "%s: a message of %zu bytes",
        ss_message_name(type), pieces->size);
}

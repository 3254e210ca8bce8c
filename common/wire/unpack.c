// unpack.c - scan, then unpack.
#include "common/wire/unpack.h"

#include <string.h>

#include "common/wire/limits.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_64BIT = 1,
    WIRE_LENGTH = 2,
    WIRE_32BIT = 5,
};

struct cursor {
    const unsigned char *at;
    const unsigned char *end;
};

// Counts over the whole message, however deep.
struct scan {
    size_t items;
    size_t unknown;
    struct ss_error *error;
};

struct field {
    uint32_t number;
    enum wire_type wire;
    uint64_t value;             // varint
    const unsigned char *bytes; // length-delimited
    size_t size;
};

static size_t wide_character(const unsigned char *at, const unsigned char *end)
{
    unsigned c = *at;
    size_t size = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
    if (c < 0xc2 || c > 0xf4 || (size_t)(end - at) < size)
        return 0;
    // What may follow these four is narrower: overlong, surrogates, end.
    unsigned low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    unsigned high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < size; i++)
        if (at[i] < 0x80 || at[i] > 0xbf)
            return 0;
    return size;
}

static inline size_t character(
    const unsigned char *at, const unsigned char *end)
{
    return *at < 0x80 ? 1 : wide_character(at, end);
}

size_t ss_wire_character(const unsigned char *at, const unsigned char *end)
{
    return character(at, end);
}

// Eight letters of ASCII at once: none has its high bit, and none is NUL, from
// which alone the subtraction borrows its way into a high bit.
static bool is_plain(const unsigned char *at)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t letters;
    memcpy(&letters, at, sizeof(letters));
    return ((letters | (letters - ones)) & ones << 7) == 0;
}

bool ss_wire_text_ok(const void *bytes, size_t size)
{
    const unsigned char *at = bytes, *end = at + size;
    while (at < end) {
        if (end - at >= 8 && is_plain(at)) {
            at += 8;
            continue;
        }
        size_t width = *at == 0 ? 0 : character(at, end);
        if (width == 0)
            return false;
        at += width;
    }
    return true;
}

static bool read_varint_long(struct cursor *cursor, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (cursor->at == cursor->end)
            return false;
        unsigned char byte = *cursor->at++;
        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret_value = value;
            return true;
        }
    }
    return false;
}

static inline bool read_varint(struct cursor *cursor, uint64_t *ret_value)
{
    if (cursor->at == cursor->end || *cursor->at >= 0x80)
        return read_varint_long(cursor, ret_value);
    *ret_value = *cursor->at++;
    return true;
}

static bool skip(struct cursor *cursor, uint64_t size)
{
    if (size > (uint64_t)(cursor->end - cursor->at))
        return false;
    cursor->at += size;
    return true;
}

static bool read_field(struct cursor *cursor, struct field *field)
{
    uint64_t key, size;
    if (!read_varint(cursor, &key) || key >> 3 == 0 || key > UINT32_MAX)
        return false;
    field->number = (uint32_t)(key >> 3);
    switch (key & 7) {
    case WIRE_VARINT:
        field->wire = WIRE_VARINT;
        return read_varint(cursor, &field->value);
    case WIRE_64BIT:
        field->wire = WIRE_64BIT;
        return skip(cursor, 8);
    case WIRE_32BIT:
        field->wire = WIRE_32BIT;
        return skip(cursor, 4);
    case WIRE_LENGTH:
        field->wire = WIRE_LENGTH;
        if (!read_varint(cursor, &size))
            return false;
        field->bytes = cursor->at;
        field->size = (size_t)size;
        return skip(cursor, size);
    default: // groups are not part of our schemas
        return false;
    }
}

static enum wire_type wire_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return WIRE_LENGTH;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return WIRE_64BIT;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return WIRE_32BIT;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_BOOL:
    case PROTOBUF_C_TYPE_ENUM:
        break;
    }
    return WIRE_VARINT;
}

// Fields mostly come in the order of the schema: *at is where the one after the
// last may stand.
static const ProtobufCFieldDescriptor *find_field(
    const ProtobufCMessageDescriptor *descriptor, uint32_t number, unsigned *at)
{
    const ProtobufCFieldDescriptor *fields = descriptor->fields;
    for (unsigned next = *at; next < descriptor->n_fields; next++) {
        if (fields[next].id > number)
            break;
        if (fields[next].id == number) {
            *at = next;
            return &fields[next];
        }
    }
    return protobuf_c_message_descriptor_get_field(descriptor, number);
}

static int bad_text(struct scan *scan, const char *message, const char *name)
{
    return ss_error_set(scan->error, SS_EFORMAT,
        "%s.%s is not UTF-8 without NUL", message, name);
}

// One known field. Non-zero: refused. A repeated number may come packed, in a
// length-delimited field: each byte of it may be an element.
static int scan_known(struct scan *scan,
    const ProtobufCMessageDescriptor *descriptor,
    const ProtobufCFieldDescriptor *known, const struct field *field)
{
    const char *name = descriptor->short_name;
    bool is_repeated = known->label == PROTOBUF_C_LABEL_REPEATED;
    bool is_packed = is_repeated && field->wire == WIRE_LENGTH &&
                     wire_of(known) != WIRE_LENGTH;
    if (field->wire != wire_of(known) && !is_packed)
        return ss_error_set(scan->error, SS_EFORMAT,
            "%s.%s has another type on the wire", name, known->name);
    if (is_packed)
        scan->items += field->size;
    else if (is_repeated || known->type == PROTOBUF_C_TYPE_MESSAGE)
        scan->items++;
    if (scan->items > SS_WIRE_ITEMS_MAX)
        return ss_error_set(scan->error, SS_ELIMIT,
            "a message of more than %d parts", SS_WIRE_ITEMS_MAX);
    if (known->type == PROTOBUF_C_TYPE_STRING) {
        if (field->size > SS_WIRE_TEXT_SIZE_MAX)
            return ss_error_set(scan->error, SS_ELIMIT,
                "%s.%s has %zu bytes; the limit of a text is %d", name,
                known->name, field->size, SS_WIRE_TEXT_SIZE_MAX);
        if (!ss_wire_text_ok(field->bytes, field->size))
            return bad_text(scan, name, known->name);
    }
    return SS_OK;
}

static int scan_message(struct scan *scan,
    const ProtobufCMessageDescriptor *descriptor, struct cursor cursor,
    int depth)
{
    if (depth > SS_WIRE_DEPTH_MAX)
        return ss_error_set(scan->error, SS_ELIMIT,
            "messages in messages, deeper than %d", SS_WIRE_DEPTH_MAX);
    unsigned at = 0;
    while (cursor.at < cursor.end) {
        struct field field;
        if (!read_field(&cursor, &field))
            return ss_error_set(scan->error, SS_EFORMAT,
                "%s is cut short or garbled", descriptor->short_name);
        const ProtobufCFieldDescriptor *known =
            find_field(descriptor, field.number, &at);
        if (!known) {
            if (++scan->unknown > SS_WIRE_UNKNOWN_MAX)
                return ss_error_set(scan->error, SS_ELIMIT,
                    "a message with more than %d unknown fields",
                    SS_WIRE_UNKNOWN_MAX);
            continue;
        }
        int status = scan_known(scan, descriptor, known, &field);
        if (status == SS_OK && known->type == PROTOBUF_C_TYPE_MESSAGE)
            status = scan_message(scan, known->descriptor,
                (struct cursor){field.bytes, field.bytes + field.size},
                depth + 1);
        if (status != SS_OK)
            return status;
    }
    return SS_OK;
}

int ss_wire_scan(const ProtobufCMessageDescriptor *descriptor,
    const void *bytes, size_t size, struct ss_error *error)
{
    if (size == 0) // bytes may be NULL then
        return SS_OK;
    struct scan scan = {.error = error};
    struct cursor cursor = {bytes, (const unsigned char *)bytes + size};
    return scan_message(&scan, descriptor, cursor, 1);
}

int ss_wire_unpack(const ProtobufCMessageDescriptor *descriptor,
    const void *bytes, size_t size, struct ss_budget *budget,
    ProtobufCMessage **ret_message, struct ss_error *error)
{
    int status = ss_wire_scan(descriptor, bytes, size, error);
    if (status != SS_OK)
        return status;
    ss_budget_init(
        budget, SS_WIRE_BUDGET_BASE + size * (size_t)SS_WIRE_BUDGET_FACTOR);
    ProtobufCMessage *message =
        protobuf_c_message_unpack(descriptor, &budget->allocator, size, bytes);
    if (message) {
        *ret_message = message;
        return SS_OK;
    }
    bool is_spent = budget->is_spent;
    ss_budget_fini(budget);
    if (is_spent)
        return ss_error_set(error, SS_ELIMIT,
            "a message of %zu bytes takes too much memory", size);
    return ss_error_set(error, SS_EFORMAT,
        "%s lacks a field that must be there", descriptor->short_name);
}

bool ss_wire_peek(
    const void *bytes, size_t size, uint32_t number, uint64_t *ret_value)
{
    if (size == 0) // bytes may be NULL then
        return false;
    struct cursor cursor = {bytes, (const unsigned char *)bytes + size};
    while (cursor.at < cursor.end) {
        struct field field;
        if (!read_field(&cursor, &field))
            return false;
        if (field.number == number && field.wire == WIRE_VARINT) {
            *ret_value = field.value;
            return true;
        }
    }
    return false;
}

// unpack.c - one pass: look at each field, and put it where it belongs.
#include "common/wire/unpack.h"

#include <string.h>

#include "common/base/text.h"
#include "common/wire/limits.h"
#include "common/wire/read.h"

typedef ProtobufCMessageDescriptor descriptor;
typedef ProtobufCFieldDescriptor descriptor_field;

// Fields of a message: as many as there are bits to know which were seen.
enum { FIELDS_MAX = 64 };

// Of the whole message, however deep.
struct pass {
    size_t items;
    size_t unknown;
    struct ss_budget *budget; // NULL: look only
    bool lacks;               // a field that must be there
    bool is_protobufs; // it is not for us to unpack this, or not any more
    struct ss_error *error;
};

// Fields of one number that stand together in a message, and have their place.
struct run {
    const descriptor_field *known;
    size_t left;
};

bool ss_wire_varint_long(
    struct ss_wire_bytes *cursor, unsigned size_max, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * size_max; shift += 7) {
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

// ------------------------------------------------ look

static enum ss_wire_type wire_of(const descriptor_field *field)
{
    static const uint8_t wires[] = {
        [PROTOBUF_C_TYPE_INT32] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_SINT32] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_SFIXED32] = SS_WIRE_32BIT,
        [PROTOBUF_C_TYPE_INT64] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_SINT64] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_SFIXED64] = SS_WIRE_64BIT,
        [PROTOBUF_C_TYPE_UINT32] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_FIXED32] = SS_WIRE_32BIT,
        [PROTOBUF_C_TYPE_UINT64] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_FIXED64] = SS_WIRE_64BIT,
        [PROTOBUF_C_TYPE_FLOAT] = SS_WIRE_32BIT,
        [PROTOBUF_C_TYPE_DOUBLE] = SS_WIRE_64BIT,
        [PROTOBUF_C_TYPE_BOOL] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_ENUM] = SS_WIRE_VARINT,
        [PROTOBUF_C_TYPE_STRING] = SS_WIRE_LENGTH,
        [PROTOBUF_C_TYPE_BYTES] = SS_WIRE_LENGTH,
        [PROTOBUF_C_TYPE_MESSAGE] = SS_WIRE_LENGTH,
    };
    return (enum ss_wire_type)wires[field->type];
}

// Which field of the message it is; n_fields: none. Numbers mostly leave no
// gap: then the number says where its field stands.
static unsigned find_field(const descriptor *message, uint32_t number)
{
    const descriptor_field *fields = message->fields, *known;
    if (!fields) // there are none
        return message->n_fields;
    uint32_t at = number - fields[0].id;
    if (at < message->n_fields && fields[at].id == number)
        return at;
    known = protobuf_c_message_descriptor_get_field(message, number);
    return known ? (unsigned)(known - fields) : message->n_fields;
}

static int bad_text(struct pass *pass, const char *message, const char *name)
{
    return ss_error_set(pass->error, SS_EFORMAT,
        "%s.%s is not UTF-8 without NUL", message, name);
}

// One known field. Non-zero: refused. A repeated number may come packed, in a
// length-delimited field: each byte of it may be an element.
static int look_at(struct pass *pass, const descriptor *message,
    const descriptor_field *known, const struct ss_wire_field *field)
{
    const char *name = message->short_name;
    bool is_repeated = known->label == PROTOBUF_C_LABEL_REPEATED;
    bool is_packed = is_repeated && field->wire == SS_WIRE_LENGTH &&
                     wire_of(known) != SS_WIRE_LENGTH;
    if (field->wire != wire_of(known) && !is_packed)
        return ss_error_set(pass->error, SS_EFORMAT,
            "%s.%s has another type on the wire", name, known->name);
    if (is_packed)
        pass->items += field->size;
    else if (is_repeated || known->type == PROTOBUF_C_TYPE_MESSAGE)
        pass->items++;
    if (pass->items > SS_WIRE_ITEMS_MAX)
        return ss_error_set(pass->error, SS_ELIMIT,
            "a message of more than %d parts", SS_WIRE_ITEMS_MAX);
    if (known->type == PROTOBUF_C_TYPE_STRING) {
        if (field->size > SS_WIRE_TEXT_SIZE_MAX)
            return ss_error_set(pass->error, SS_ELIMIT,
                "%s.%s has %zu bytes; the limit of a text is %d", name,
                known->name, field->size, SS_WIRE_TEXT_SIZE_MAX);
        if (!ss_text_ok(field->bytes, field->size))
            return bad_text(pass, name, known->name);
    }
    return SS_OK;
}

static int look_at_unknown(struct pass *pass)
{
    pass->is_protobufs = true;
    if (++pass->unknown > SS_WIRE_UNKNOWN_MAX)
        return ss_error_set(pass->error, SS_ELIMIT,
            "a message with more than %d unknown fields", SS_WIRE_UNKNOWN_MAX);
    return SS_OK;
}

// ------------------------------------------------ put in place

static size_t budget_of(size_t size)
{
    return SS_WIRE_BUDGET_BASE + size * (size_t)SS_WIRE_BUDGET_FACTOR;
}

// NULL: nothing more is put anywhere.
static void *leave(struct pass *pass)
{
    pass->is_protobufs = true;
    return NULL;
}

static void *take(struct pass *pass, size_t size)
{
    void *memory = ss_budget_take(pass->budget, size);
    return memory ? memory : leave(pass);
}

static char *start_message(struct pass *pass, const descriptor *message)
{
    char *memory = message->n_fields <= FIELDS_MAX
                       ? take(pass, message->sizeof_message)
                       : leave(pass);
    if (memory)
        protobuf_c_message_init(message, memory);
    return memory;
}

// How many fields with the key of the one that ends here, it included, stand
// together.
static size_t count_together(
    const struct ss_wire_field *field, struct ss_wire_bytes cursor)
{
    const uint64_t same = (uint64_t)field->number << 3 | SS_WIRE_LENGTH;
    uint64_t key, size;
    size_t count = 1;
    while (ss_wire_varint(&cursor, SS_VARINT_KEY_SIZE_MAX, &key) &&
           key == same &&
           ss_wire_varint(&cursor, SS_VARINT_KEY_SIZE_MAX, &size) &&
           ss_wire_skip(&cursor, size))
        count++;
    return count;
}

// The place of one more of a repeated field. Numbers are left to protobuf-c.
static void *place_repeated(struct pass *pass, struct run *run,
    const descriptor_field *known, const struct ss_wire_field *field,
    const struct ss_wire_bytes *cursor, char *to)
{
    char **items = (void *)(to + known->offset);
    size_t *count = (void *)(to + known->quantifier_offset);
    size_t size = known->type == PROTOBUF_C_TYPE_BYTES
                      ? sizeof(ProtobufCBinaryData)
                      : sizeof(void *);
    if (wire_of(known) != SS_WIRE_LENGTH)
        return leave(pass);
    if (run->known != known || run->left == 0) {
        run->known = known;
        run->left = count_together(field, *cursor);
        if (*count > 0 || run->left > SS_WIRE_ITEMS_MAX)
            return leave(pass);
        *items = take(pass, run->left * size);
        if (!*items)
            return NULL;
    }
    run->left--;
    return *items + size * (*count)++;
}

// Where a field that is not repeated stands.
static void *place_single(
    struct pass *pass, const descriptor_field *known, char *to)
{
    void *place = to + known->offset;
    if (known->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        uint32_t *which = (void *)(to + known->quantifier_offset);
        if (*which != 0)
            return leave(pass);
        *which = known->id;
    } else if (known->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (*(void **)place)
            return leave(pass); // two pieces become one message
    } else if (known->label == PROTOBUF_C_LABEL_OPTIONAL &&
               known->quantifier_offset != 0) {
        *(protobuf_c_boolean *)(void *)(to + known->quantifier_offset) = 1;
    }
    return place;
}

static void put_text(
    struct pass *pass, const struct ss_wire_field *field, char **place)
{
    char *text = take(pass, field->size + 1);
    if (!text)
        return;
    memcpy(text, field->bytes, field->size);
    text[field->size] = '\0';
    *place = text;
}

static uint64_t fixed64(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (size_t i = 8; i > 0; i--)
        number = number << 8 | bytes[i - 1];
    return number;
}

static void put(struct pass *pass, const descriptor_field *known,
    const struct ss_wire_field *field, void *place)
{
    uint64_t value = field->value;
    switch (known->type) {
    case PROTOBUF_C_TYPE_STRING:
        put_text(pass, field, place);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        *(ProtobufCBinaryData *)place = (ProtobufCBinaryData){
            field->size, field->size > 0 ? (uint8_t *)field->bytes : NULL};
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
        *(uint64_t *)place = value;
        break;
    case PROTOBUF_C_TYPE_SINT64:
        *(uint64_t *)place = value >> 1 ^ (0 - (value & 1));
        break;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_ENUM:
        *(uint32_t *)place = (uint32_t)value;
        break;
    case PROTOBUF_C_TYPE_BOOL:
        *(protobuf_c_boolean *)place = value != 0;
        break;
    case PROTOBUF_C_TYPE_FIXED64:
        *(uint64_t *)place = fixed64(field->bytes);
        break;
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_MESSAGE:
        leave(pass); // none of our messages has the others
        break;
    }
}

// Put the field into `to`. A message is only begun: gives its memory; else
// NULL.
static char *put_in_place(struct pass *pass, struct run *run,
    const descriptor_field *known, const struct ss_wire_field *field,
    const struct ss_wire_bytes *cursor, char *to)
{
    void *place = known->label == PROTOBUF_C_LABEL_REPEATED
                      ? place_repeated(pass, run, known, field, cursor, to)
                      : place_single(pass, known, to);
    if (!place)
        return NULL;
    if (known->type != PROTOBUF_C_TYPE_MESSAGE) {
        put(pass, known, field, place);
        return NULL;
    }
    char *part = start_message(pass, known->descriptor);
    *(char **)place = part;
    return part;
}

static bool lacks_field(const descriptor *message, uint64_t seen)
{
    uint64_t unseen = ~seen;
    if (message->n_fields < FIELDS_MAX)
        unseen &= (UINT64_C(1) << message->n_fields) - 1;
    for (; unseen != 0; unseen &= unseen - 1) {
        int lowest = __builtin_ctzll(unseen);
        if (message->fields[lowest].label == PROTOBUF_C_LABEL_REQUIRED)
            return true;
    }
    return false;
}

// ------------------------------------------------ the pass

// Put the message into `to`; NULL: nowhere.
static int read_message(struct pass *pass, const descriptor *message,
    struct ss_wire_bytes cursor, int depth, char *to)
{
    uint64_t seen = 0;
    struct run run = {.left = 0};
    if (depth > SS_WIRE_DEPTH_MAX)
        return ss_error_set(pass->error, SS_ELIMIT,
            "messages in messages, deeper than %d", SS_WIRE_DEPTH_MAX);
    while (cursor.at < cursor.end) {
        struct ss_wire_field field;
        char *part = NULL;
        if (!ss_wire_next(&cursor, &field))
            return ss_error_set(pass->error, SS_EFORMAT,
                "%s is cut short or garbled", message->short_name);
        unsigned at = find_field(message, field.number);
        const descriptor_field *known =
            at < message->n_fields ? &message->fields[at] : NULL;
        int status = known ? look_at(pass, message, known, &field)
                           : look_at_unknown(pass);
        if (status == SS_OK && known && to && !pass->is_protobufs) {
            part = put_in_place(pass, &run, known, &field, &cursor, to);
            seen |= UINT64_C(1) << at;
        }
        if (status == SS_OK && known && known->type == PROTOBUF_C_TYPE_MESSAGE)
            status = read_message(pass, known->descriptor,
                (struct ss_wire_bytes){field.bytes, field.bytes + field.size},
                depth + 1, part);
        if (status != SS_OK)
            return status;
    }
    if (to && lacks_field(message, seen))
        pass->lacks = true;
    return SS_OK;
}

static int read_all(struct pass *pass, const descriptor *message,
    const void *bytes, size_t size, char *to)
{
    static const unsigned char none[1]; // no bytes may be NULL
    const unsigned char *at = size > 0 ? bytes : none;
    return read_message(
        pass, message, (struct ss_wire_bytes){at, at + size}, 1, to);
}

int ss_wire_scan(const descriptor *message, const void *bytes, size_t size,
    struct ss_error *error)
{
    struct pass pass = {.error = error};
    return read_all(&pass, message, bytes, size, NULL);
}

// By protobuf-c, which gets all of the budget.
static ProtobufCMessage *unpack_again(const descriptor *message,
    const void *bytes, size_t size, struct ss_budget *budget)
{
    ss_budget_fini(budget);
    ss_budget_init(budget, budget_of(size));
    return protobuf_c_message_unpack(message, &budget->allocator, size, bytes);
}

int ss_wire_unpack(const descriptor *message, const void *bytes, size_t size,
    struct ss_budget *budget, ProtobufCMessage **ret_message,
    struct ss_error *error)
{
    enum {
        TIMES = 6
    }; // outcomes and orders take four to six times their bytes
    struct pass pass = {.budget = budget, .error = error};
    ss_budget_init(budget, budget_of(size));
    ss_budget_expect(budget, size * TIMES);
    char *memory = start_message(&pass, message);
    int status = read_all(&pass, message, bytes, size, memory);
    ProtobufCMessage *unpacked = (ProtobufCMessage *)memory;
    if (status == SS_OK && pass.is_protobufs && !budget->is_spent)
        unpacked = unpack_again(message, bytes, size, budget);
    else if (pass.is_protobufs || pass.lacks)
        unpacked = NULL;
    if (status == SS_OK && unpacked) {
        *ret_message = unpacked;
        return SS_OK;
    }
    bool is_spent = budget->is_spent;
    ss_budget_fini(budget);
    if (status != SS_OK)
        return status;
    if (is_spent)
        return ss_error_set(error, SS_ELIMIT,
            "a message of %zu bytes takes too much memory", size);
    return ss_error_set(error, SS_EFORMAT,
        "%s lacks a field that must be there", message->short_name);
}

bool ss_wire_peek(
    const void *bytes, size_t size, uint32_t number, uint64_t *ret_value)
{
    if (size == 0) // bytes may be NULL then
        return false;
    struct ss_wire_bytes cursor = {bytes, (const unsigned char *)bytes + size};
    while (cursor.at < cursor.end) {
        struct ss_wire_field field;
        if (!ss_wire_next(&cursor, &field))
            return false;
        if (field.number == number && field.wire == SS_WIRE_VARINT) {
            *ret_value = field.value;
            return true;
        }
    }
    return false;
}

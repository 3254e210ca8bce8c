// msgpack.c - MessagePack: the heads of the format, and the data behind them.
#include "client/langgraph/msgpack.h"

#include "common/base/check.h"

#include <string.h>

// ------------------------------------------------------------------ reading

void ss_msgpack_init(
    struct ss_msgpack_reader *reader, const void *bytes, size_t size)
{
    static const uint8_t nothing[1] = {0};
    reader->begin = reader->at = size > 0 ? bytes : nothing;
    reader->end = reader->at + size;
}

bool ss_msgpack_done(const struct ss_msgpack_reader *reader)
{
    return reader->at == reader->end;
}

static size_t left(const struct ss_msgpack_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

static int malformed(const struct ss_msgpack_reader *reader, const char *what,
    struct ss_error *error)
{
    return ss_error_set(error, SS_EFORMAT, "msgpack: byte %zu: %s",
        (size_t)(reader->at - reader->begin), what);
}

int ss_msgpack_end(
    const struct ss_msgpack_reader *reader, struct ss_error *error)
{
    return ss_msgpack_done(reader)
               ? SS_OK
               : malformed(reader, "bytes behind the document", error);
}

// A number of `size` bytes, the most significant first.
static int take(struct ss_msgpack_reader *reader, size_t size,
    uint64_t *ret_number, struct ss_error *error)
{
    uint64_t number = 0;
    if (left(reader) < size)
        return malformed(reader, "it ends too early", error);
    for (size_t i = 0; i < size; i++)
        number = number << 8 | reader->at[i];
    reader->at += size;
    *ret_number = number;
    return SS_OK;
}

static int64_t as_signed(uint64_t number, size_t size)
{
    ss_check(size > 0 && size <= 8);
    int64_t integer;
    unsigned shift = (unsigned)(64 - 8 * size);
    uint64_t sign = (uint64_t)1 << 63;
    number <<= shift;
    uint64_t wide = number >> shift;
    if (shift > 0 && (number & sign) != 0)
        wide |= ~(uint64_t)0 << (64 - shift);
    memcpy(&integer, &wide, sizeof(integer));
    return integer;
}

static void set_integer(struct ss_msgpack_item *item, int64_t integer)
{
    item->type = SS_MSGPACK_INT;
    item->integer = integer;
}

static void set_natural(struct ss_msgpack_item *item, uint64_t number)
{
    item->type = number > INT64_MAX ? SS_MSGPACK_UINT : SS_MSGPACK_INT;
    item->natural = number;
    item->integer = number > INT64_MAX ? 0 : (int64_t)number;
}

static int take_bytes(struct ss_msgpack_reader *reader,
    enum ss_msgpack_type type, uint64_t size, struct ss_msgpack_item *item,
    struct ss_error *error)
{
    if (size > left(reader))
        return malformed(reader, "it ends too early", error);
    item->type = type;
    item->bytes = reader->at;
    item->size = (size_t)size;
    reader->at += item->size;
    return SS_OK;
}

// Each item takes a byte at least.
static int take_count(struct ss_msgpack_reader *reader,
    enum ss_msgpack_type type, uint64_t count, struct ss_msgpack_item *item,
    struct ss_error *error)
{
    uint64_t room = left(reader);
    if (count > (type == SS_MSGPACK_MAP ? room / 2 : room))
        return malformed(reader, "more items than bytes", error);
    item->type = type;
    item->count = (size_t)count;
    return SS_OK;
}

static int take_ext(struct ss_msgpack_reader *reader, uint64_t size,
    struct ss_msgpack_item *item, struct ss_error *error)
{
    uint64_t code = 0;
    int status = take(reader, 1, &code, error);
    item->code = (int8_t)as_signed(code, 1);
    return status == SS_OK
               ? take_bytes(reader, SS_MSGPACK_EXT, size, item, error)
               : status;
}

static void set_float(struct ss_msgpack_item *item, uint64_t bits, size_t size)
{
    item->type = SS_MSGPACK_FLOAT;
    if (size == 4) {
        uint32_t narrow = (uint32_t)bits;
        float number;
        memcpy(&number, &narrow, sizeof(number));
        item->number = (double)number;
    } else {
        memcpy(&item->number, &bits, sizeof(item->number));
    }
}

// The heads 0xc0 to 0xdf: what follows, and how many bytes its size takes.
static const struct {
    enum ss_msgpack_type type;
    uint8_t bytes;
} heads[32] = {
    [0x00] = {SS_MSGPACK_NIL, 0},
    [0x02] = {SS_MSGPACK_BOOL, 0},
    [0x03] = {SS_MSGPACK_BOOL, 0},
    [0x04] = {SS_MSGPACK_BIN, 1},
    [0x05] = {SS_MSGPACK_BIN, 2},
    [0x06] = {SS_MSGPACK_BIN, 4},
    [0x07] = {SS_MSGPACK_EXT, 1},
    [0x08] = {SS_MSGPACK_EXT, 2},
    [0x09] = {SS_MSGPACK_EXT, 4},
    [0x0a] = {SS_MSGPACK_FLOAT, 4},
    [0x0b] = {SS_MSGPACK_FLOAT, 8},
    [0x0c] = {SS_MSGPACK_UINT, 1},
    [0x0d] = {SS_MSGPACK_UINT, 2},
    [0x0e] = {SS_MSGPACK_UINT, 4},
    [0x0f] = {SS_MSGPACK_UINT, 8},
    [0x10] = {SS_MSGPACK_INT, 1},
    [0x11] = {SS_MSGPACK_INT, 2},
    [0x12] = {SS_MSGPACK_INT, 4},
    [0x13] = {SS_MSGPACK_INT, 8},
    [0x14] = {SS_MSGPACK_EXT, 0},
    [0x15] = {SS_MSGPACK_EXT, 0},
    [0x16] = {SS_MSGPACK_EXT, 0},
    [0x17] = {SS_MSGPACK_EXT, 0},
    [0x18] = {SS_MSGPACK_EXT, 0},
    [0x19] = {SS_MSGPACK_STR, 1},
    [0x1a] = {SS_MSGPACK_STR, 2},
    [0x1b] = {SS_MSGPACK_STR, 4},
    [0x1c] = {SS_MSGPACK_ARRAY, 2},
    [0x1d] = {SS_MSGPACK_ARRAY, 4},
    [0x1e] = {SS_MSGPACK_MAP, 2},
    [0x1f] = {SS_MSGPACK_MAP, 4},
};

static int take_headed(struct ss_msgpack_reader *reader, uint8_t head,
    struct ss_msgpack_item *item, struct ss_error *error)
{
    enum ss_msgpack_type type = heads[head - 0xc0].type;
    size_t bytes = heads[head - 0xc0].bytes;
    uint64_t number = 0;
    int status = take(reader, bytes, &number, error);
    if (status != SS_OK)
        return status;
    switch (type) {
    case SS_MSGPACK_NIL:
    case SS_MSGPACK_BOOL:
        item->type = type;
        item->truth = head == 0xc3;
        return SS_OK;
    case SS_MSGPACK_INT:
        set_integer(item, as_signed(number, bytes));
        return SS_OK;
    case SS_MSGPACK_UINT:
        set_natural(item, number);
        return SS_OK;
    case SS_MSGPACK_FLOAT:
        set_float(item, number, bytes);
        return SS_OK;
    case SS_MSGPACK_STR:
    case SS_MSGPACK_BIN:
        return take_bytes(reader, type, number, item, error);
    case SS_MSGPACK_EXT: // d4..d8: 1, 2, 4, 8, 16 bytes
        return take_ext(reader,
            bytes > 0 ? number : (uint64_t)1 << (head - 0xd4), item, error);
    case SS_MSGPACK_ARRAY:
    case SS_MSGPACK_MAP:
        return take_count(reader, type, number, item, error);
    }
    return malformed(reader, "an unknown head", error);
}

int ss_msgpack_read(struct ss_msgpack_reader *reader,
    struct ss_msgpack_item *ret_item, struct ss_error *error)
{
    struct ss_msgpack_item item = {.type = SS_MSGPACK_NIL};
    int status = SS_OK;
    if (left(reader) == 0)
        return malformed(reader, "it ends too early", error);
    uint8_t head = *reader->at;
    if (head == 0xc1)
        return malformed(reader, "c1 begins nothing", error);
    reader->at++;
    if (head < 0x80)
        set_integer(&item, head);
    else if (head < 0x90)
        status = take_count(reader, SS_MSGPACK_MAP, head & 0x0f, &item, error);
    else if (head < 0xa0)
        status =
            take_count(reader, SS_MSGPACK_ARRAY, head & 0x0f, &item, error);
    else if (head < 0xc0)
        status = take_bytes(reader, SS_MSGPACK_STR, head & 0x1f, &item, error);
    else if (head < 0xe0)
        status = take_headed(reader, head, &item, error);
    else
        set_integer(&item, (int64_t)head - 256);
    if (status == SS_OK)
        *ret_item = item;
    return status;
}

int ss_msgpack_skip(struct ss_msgpack_reader *reader, struct ss_error *error)
{
    // Never more than the input has bytes: each count was checked.
    size_t open = 1;
    while (open > 0) {
        struct ss_msgpack_item item;
        int status = ss_msgpack_read(reader, &item, error);
        if (status != SS_OK)
            return status;
        open--;
        if (item.type == SS_MSGPACK_ARRAY)
            open += item.count;
        if (item.type == SS_MSGPACK_MAP)
            open += item.count * 2;
        if (open > left(reader))
            return malformed(reader, "it ends too early", error);
    }
    return SS_OK;
}

// ------------------------------------------------------------------ writing

static void head(struct ss_buf *buf, uint8_t first, uint64_t number, int size)
{
    uint8_t bytes[9] = {first};
    for (int i = 0; i < size; i++)
        bytes[1 + i] = (uint8_t)(number >> (8 * (size - 1 - i)));
    ss_buf_add(buf, bytes, (size_t)size + 1);
}

void ss_msgpack_nil(struct ss_buf *buf)
{
    head(buf, 0xc0, 0, 0);
}

void ss_msgpack_bool(struct ss_buf *buf, bool truth)
{
    head(buf, truth ? 0xc3 : 0xc2, 0, 0);
}

static void negative(struct ss_buf *buf, int64_t integer)
{
    uint64_t bits;
    memcpy(&bits, &integer, sizeof(bits));
    if (integer >= -32)
        head(buf, (uint8_t)bits, 0, 0);
    else if (integer >= INT8_MIN)
        head(buf, 0xd0, bits, 1);
    else if (integer >= INT16_MIN)
        head(buf, 0xd1, bits, 2);
    else if (integer >= INT32_MIN)
        head(buf, 0xd2, bits, 4);
    else
        head(buf, 0xd3, bits, 8);
}

void ss_msgpack_int(struct ss_buf *buf, int64_t integer)
{
    if (integer < 0)
        negative(buf, integer);
    else
        ss_msgpack_uint(buf, (uint64_t)integer);
}

void ss_msgpack_uint(struct ss_buf *buf, uint64_t number)
{
    if (number < 0x80)
        head(buf, (uint8_t)number, 0, 0);
    else if (number <= UINT8_MAX)
        head(buf, 0xcc, number, 1);
    else if (number <= UINT16_MAX)
        head(buf, 0xcd, number, 2);
    else if (number <= UINT32_MAX)
        head(buf, 0xce, number, 4);
    else
        head(buf, 0xcf, number, 8);
}

void ss_msgpack_float(struct ss_buf *buf, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    head(buf, 0xcb, bits, 8);
}

// The head of what has a size: `small` (with room for `room`, or 0), else the
// heads `first` (0: there is none), `first` + 1 and + 2 for 1, 2, 4 bytes.
static void sized(struct ss_buf *buf, size_t size, uint8_t small, size_t room,
    uint8_t one, uint8_t two)
{
    if (size < room)
        head(buf, (uint8_t)(small + size), 0, 0);
    else if (one && size <= UINT8_MAX)
        head(buf, one, size, 1);
    else if (size <= UINT16_MAX)
        head(buf, two, size, 2);
    else
        head(buf, (uint8_t)(two + 1), size, 4);
}

// A size that no head can hold (over 4 GB) is beyond the maximum of every
// buffer, too.
static void body(struct ss_buf *buf, const void *bytes, size_t size)
{
    if (size > 0)
        ss_buf_add(buf, bytes, size);
}

void ss_msgpack_str(struct ss_buf *buf, const char *text, size_t size)
{
    sized(buf, size, 0xa0, 32, 0xd9, 0xda);
    body(buf, text, size);
}

void ss_msgpack_text(struct ss_buf *buf, const char *text)
{
    ss_msgpack_str(buf, text, strlen(text));
}

void ss_msgpack_bin(struct ss_buf *buf, const void *bytes, size_t size)
{
    sized(buf, size, 0, 0, 0xc4, 0xc5);
    body(buf, bytes, size);
}

void ss_msgpack_array(struct ss_buf *buf, size_t count)
{
    sized(buf, count, 0x90, 16, 0, 0xdc);
}

void ss_msgpack_map(struct ss_buf *buf, size_t count)
{
    sized(buf, count, 0x80, 16, 0, 0xde);
}

void ss_msgpack_ext(
    struct ss_buf *buf, int8_t code, const void *payload, size_t size)
{
    uint8_t byte = (uint8_t)code;
    int fixed = size == 1    ? 0
                : size == 2  ? 1
                : size == 4  ? 2
                : size == 8  ? 3
                : size == 16 ? 4
                             : -1;
    if (fixed >= 0)
        head(buf, (uint8_t)(0xd4 + fixed), 0, 0);
    else
        sized(buf, size, 0, 0, 0xc7, 0xc8);
    ss_buf_add(buf, &byte, 1);
    body(buf, payload, size);
}

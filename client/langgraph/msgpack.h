// msgpack.h - MessagePack, one token at a time.
//
// Reads every form of the format; writes the shortest of integers, texts and
// containers and eight bytes for floats, as Python's saver does, so that its
// documents are written again byte for byte (spec/engine.md R13.10).
//
// By hand, because libraries build a tree, bounded only by memory, and choose
// forms of their own; here the data of a foreign database is read in place,
// under the limits of limits.h.
#ifndef SS_LANGGRAPH_MSGPACK_H
#define SS_LANGGRAPH_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/buf.h"
#include "common/base/status.h"

enum ss_msgpack_type {
    SS_MSGPACK_NIL,
    SS_MSGPACK_BOOL,
    SS_MSGPACK_INT,  // fits into int64_t
    SS_MSGPACK_UINT, // beyond that
    SS_MSGPACK_FLOAT,
    SS_MSGPACK_STR,   // bytes and size; any bytes, perhaps not UTF-8
    SS_MSGPACK_BIN,   // bytes and size
    SS_MSGPACK_EXT,   // bytes, size and code
    SS_MSGPACK_ARRAY, // count items follow
    SS_MSGPACK_MAP,   // count pairs of items follow
};

struct ss_msgpack_item {
    enum ss_msgpack_type type;
    bool truth;
    int64_t integer;
    uint64_t natural;
    double number;
    const uint8_t *bytes; // borrowed from what is read
    size_t size;
    size_t count;
    int8_t code;
};

struct ss_msgpack_reader {
    const uint8_t *at;
    const uint8_t *end;
    const uint8_t *begin;
};

// Borrows `bytes` (may be NULL where size is 0).
void ss_msgpack_init(
    struct ss_msgpack_reader *reader, const void *bytes, size_t size);
// The next token. SS_EFORMAT, with the offset: cut short, a byte that begins
// nothing, or more items than bytes are left.
int ss_msgpack_read(struct ss_msgpack_reader *reader,
    struct ss_msgpack_item *ret_item, struct ss_error *error) SS_MUST_USE;
// Skip one whole item with everything inside, without recursion.
int ss_msgpack_skip(
    struct ss_msgpack_reader *reader, struct ss_error *error) SS_MUST_USE;
// True if nothing is left.
bool ss_msgpack_done(const struct ss_msgpack_reader *reader);
// SS_EFORMAT if bytes are left: a stored value is one document, and no reader
// in Python takes one with more behind it.
int ss_msgpack_end(
    const struct ss_msgpack_reader *reader, struct ss_error *error) SS_MUST_USE;

// Append; the buffer's status says whether all fitted.
void ss_msgpack_nil(struct ss_buf *buf);
void ss_msgpack_bool(struct ss_buf *buf, bool truth);
void ss_msgpack_int(struct ss_buf *buf, int64_t integer);
void ss_msgpack_uint(struct ss_buf *buf, uint64_t number);
void ss_msgpack_float(struct ss_buf *buf, double number);
void ss_msgpack_str(struct ss_buf *buf, const char *text, size_t size);
void ss_msgpack_text(struct ss_buf *buf, const char *text);
void ss_msgpack_bin(struct ss_buf *buf, const void *bytes, size_t size);
void ss_msgpack_array(struct ss_buf *buf, size_t count);
void ss_msgpack_map(struct ss_buf *buf, size_t count);
void ss_msgpack_ext(
    struct ss_buf *buf, int8_t code, const void *payload, size_t size);

#endif

// tail.h - a message written from its end: a part's size stands before it, and
// is known once the part is written.
//
// So there is no message in memory, only its bytes, which are those that
// protobuf-c would write if the fields are put in falling order.
#ifndef SS_WIRE_TAIL_H
#define SS_WIRE_TAIL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SS_TAIL_FIRST_SIZE = 1024 };
enum { SS_TAIL_VARINT = 0, SS_TAIL_FIXED64 = 1, SS_TAIL_BYTES = 2 };

struct ss_tail {
    char *end;       // behind the last byte
    size_t size;     // written; what is beyond `size_max` is only counted
    size_t size_max; // of the message
    size_t capacity; // bytes there are before `end`
    char *data;      // NULL: `first` is enough
    char first[SS_TAIL_FIRST_SIZE];
};

// Does not clear `first`.
static inline void ss_tail_init(struct ss_tail *tail, size_t size_max)
{
    tail->end = tail->first + sizeof(tail->first);
    tail->size = 0;
    tail->size_max = size_max;
    tail->capacity = sizeof(tail->first);
    tail->data = NULL;
}

void ss_tail_fini(struct ss_tail *tail);
// Make it empty; memory of over `kept` bytes is given back.
void ss_tail_reset(struct ss_tail *tail, size_t kept);
// Room for `size` bytes more, before the others; NULL: too large.
char *ss_tail_room(struct ss_tail *tail, size_t size);

// So many bytes at most come next, written down from where this points
// (back.h); ss_tail_reach() says how far they came. NULL: too large.
static inline char *ss_tail_ahead(struct ss_tail *tail, size_t size)
{
    if (size > tail->capacity - tail->size) {
        if (!ss_tail_room(tail, size))
            return NULL;
        tail->size -= size;
    }
    return tail->end - tail->size;
}

static inline void ss_tail_reach(struct ss_tail *tail, const char *at)
{
    tail->size = (size_t)(tail->end - at);
}

// A field: its key, a number, and `size` bytes.
void ss_tail_field(struct ss_tail *tail, unsigned key, uint64_t number,
    const void *bytes, size_t size);

static inline void ss_tail_number(
    struct ss_tail *tail, unsigned field, uint64_t number)
{
    ss_tail_field(tail, field << 3 | SS_TAIL_VARINT, number, NULL, 0);
}

static inline void ss_tail_data(
    struct ss_tail *tail, unsigned field, const void *bytes, size_t size)
{
    ss_tail_field(tail, field << 3 | SS_TAIL_BYTES, size, bytes, size);
}

// NULL: a text of no letters.
static inline void ss_tail_text(
    struct ss_tail *tail, unsigned field, const char *text)
{
    ss_tail_data(tail, field, text, text ? strlen(text) : 0);
}

// What was written since there were `from` bytes is a message in that field.
static inline void ss_tail_message(
    struct ss_tail *tail, unsigned field, size_t from)
{
    ss_tail_field(tail, field << 3 | SS_TAIL_BYTES, tail->size - from, NULL, 0);
}

#endif

// repeats.h - bytes without what they repeat.
//
//   text    {"name":"Ada"}  ["hello","Ada"]
//   pieces  {"name":"Ada"}  [ 6 of their own, then 5 that stand 17 back ...
//
// A text is told as pieces: bytes of its own, and stretches that stand already,
// in the text itself, in the texts before it that both sides have, or in a
// dictionary of what rows of the journal say again and again.
//
//   piece    number n, even: n / 2 + 1 bytes follow
//            number n, odd:   n / 2 + 4 bytes are those that stand
//                             (number) + 1 bytes back, one after the other
//   number   seven bits a byte, the lowest first, as protobuf has it
#ifndef SS_WIRE_REPEATS_H
#define SS_WIRE_REPEATS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/status.h"

// A text that stands before. Borrowed.
struct ss_stretch {
    const void *bytes;
    size_t size;
};

// Where the bytes of the dictionary stand, and memory for a search: kept from
// one text to the next.
struct ss_shortener;
struct ss_shortener *ss_shortener_new(void);
void ss_shortener_destroy(struct ss_shortener **shortener);

// Append the pieces of `text` to `ret`. False: they would not be fewer bytes
// than `size_max`; nothing was added. The texts before and `text` are together
// shorter than 4 GB.
bool ss_repeats_shorten(struct ss_shortener *shortener,
    const struct ss_stretch *before, size_t count,
    const struct ss_stretch *text, size_t size_max, struct ss_buf *ret);
// Append the `size` bytes that the pieces in `told` tell to `ret`, with the
// same texts before. SS_ECORRUPT: they tell others, or none; nothing was added.
int ss_repeats_restore(const struct ss_stretch *before, size_t count,
    const struct ss_stretch *told, size_t size, struct ss_buf *ret) SS_MUST_USE;

#endif

// text.h - what is text on the wire, and what is none.
#ifndef SS_WIRE_TEXT_H
#define SS_WIRE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

// The bytes of the well-formed UTF-8 character at `at` (before `end`); 0: none.
size_t ss_wire_character(const unsigned char *at, const unsigned char *end);
// UTF-8 (no surrogates, nothing overlong, up to U+10FFFF) without NUL.
bool ss_wire_text_ok(const void *bytes, size_t size);

#endif

// text.h - what is text, and which of it needs a second look.
#ifndef SS_BASE_TEXT_H
#define SS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// The bytes of the well-formed UTF-8 character at `at` (before `end`); 0: none.
size_t ss_text_character(const unsigned char *at, const unsigned char *end);
// UTF-8 (no surrogates, nothing overlong, up to U+10FFFF) without NUL.
bool ss_text_ok(const void *bytes, size_t size);
// How many bytes from the start stand in a string of JSON as they are: no
// quote, no backslash, nothing below a space. Whether they are UTF-8 is not
// looked at.
size_t ss_text_plain_size(const char *text, size_t size);
// They are the same; most often both are empty, or differ in their first byte.
static inline bool ss_text_same(const char *left, const char *right)
{
    return *left == *right && (*left == '\0' || strcmp(left, right) == 0);
}
// The order of two texts by their bytes, as qsort() of an array of them asks.
int ss_text_order(const void *left, const void *right);

#endif

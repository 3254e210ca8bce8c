// text.c - UTF-8 without NUL, and what JSON writes as it is: many bytes at
// once.
#include "common/base/text.h"

#include <stdint.h>
#include <string.h>

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

size_t ss_text_character(const unsigned char *at, const unsigned char *end)
{
    return character(at, end);
}

// ------------------------------------------------ text

static uint64_t letters_at(const unsigned char *at)
{
    uint64_t letters;
    memcpy(&letters, at, sizeof(letters));
    return letters;
}

// Eight letters of ASCII at once: none has its high bit, and none is NUL, from
// which alone the subtraction borrows its way into a high bit.
static bool is_plain(uint64_t letters)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return ((letters | (letters - ones)) & ones << 7) == 0;
}

// Fewer than eight letters.
static bool is_plain_and_short(const unsigned char *at, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (at[i] == 0 || at[i] >= 0x80)
            return false;
    return true;
}

// Most texts are ASCII. The last eight letters may be looked at twice.
static bool is_all_plain(const unsigned char *at, size_t size)
{
    if (size < 8)
        return is_plain_and_short(at, size);
    for (size_t i = 0; i + 8 < size; i += 8)
        if (!is_plain(letters_at(at + i)))
            return false;
    return is_plain(letters_at(at + size - 8));
}

bool ss_text_ok(const void *bytes, size_t size)
{
    const unsigned char *at = bytes, *end = at + size;
    if (is_all_plain(at, size))
        return true;
    while (at < end) {
        if (end - at >= 8 && is_plain(letters_at(at))) {
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

// ------------------------------------------------ what JSON writes as it is

enum { WORD = 8, BLOCK = 32 };

static bool is_unescaped(unsigned char c)
{
    return c >= 0x20 && c != '"' && c != '\\';
}

// The high bit of each byte of `word` that is below `limit` (at most 128), of
// the first such byte at least.
static uint64_t below(uint64_t word, uint64_t limit)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    return (word - ones * limit) & ~word & (ones << 7);
}

static bool is_unescaped_word(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, text, sizeof(word));
    return (below(word, 0x20) | below(word ^ (ones * '"'), 1) |
               below(word ^ (ones * '\\'), 1)) == 0;
}

// A compiler makes a few instructions of it: there is no branch in it.
static bool is_unescaped_block(const char *text)
{
    unsigned char special = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        unsigned char c = (unsigned char)text[i];
        special |= (unsigned char)((c < 0x20) | (c == '"') | (c == '\\'));
    }
    return special == 0;
}

size_t ss_text_plain_size(const char *text, size_t size)
{
    size_t i = 0;
    while (size - i >= BLOCK && is_unescaped_block(text + i))
        i += BLOCK;
    while (size - i >= WORD && is_unescaped_word(text + i))
        i += WORD;
    // The last word overlaps what was looked at.
    if (size >= WORD && size - i < WORD &&
        is_unescaped_word(text + size - WORD))
        return size;
    while (i < size && is_unescaped((unsigned char)text[i]))
        i++;
    return i;
}

int ss_text_order(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

// json_check.c - one pass over the text; a bit for each open bracket.
//
//   begin:  a scalar | [ | { key :         go_on:  ] } ... and then , or , key
//   :
//
// A text is begin, and go_on where a value is complete, until nothing is open.
#include "common/wire/json_check.h"

#include <stdint.h>
#include <string.h>

#include "common/model/limits.h"
#include "common/wire/text.h"

enum {
    INTEGER_DIGITS_MAX = 18, // always fits into 64 bits
    NUMBER_SIZE_MAX = 200,   // with a fraction, without an exponent: a double
};

struct text {
    const unsigned char *at;
    const unsigned char *end;
    int depth;
    uint8_t is_object[SS_VALUE_DEPTH_MAX / 8 + 1]; // of each open bracket
};

static int peek(const struct text *text)
{
    return text->at < text->end ? *text->at : -1;
}

static void skip_blanks(struct text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n' ||
                                       *text->at == '\t' || *text->at == '\r'))
        text->at++;
}

static bool skip(struct text *text, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(text->end - text->at) < size ||
        memcmp(text->at, word, size) != 0)
        return false;
    text->at += size;
    return true;
}

static size_t skip_digits(struct text *text)
{
    const unsigned char *from = text->at;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9')
        text->at++;
    return (size_t)(text->at - from);
}

// [-] (0 | 1-9 digits) [. digits]
static bool number(struct text *text)
{
    const unsigned char *from = text->at;
    if (peek(text) == '-')
        text->at++;
    bool is_zero = peek(text) == '0';
    size_t digits = skip_digits(text);
    if (digits == 0 || (is_zero && digits > 1))
        return false;
    if (peek(text) == 'e' || peek(text) == 'E')
        return false;
    if (peek(text) != '.')
        return digits <= INTEGER_DIGITS_MAX;
    text->at++;
    return skip_digits(text) > 0 && text->at - from <= NUMBER_SIZE_MAX &&
           peek(text) != 'e' && peek(text) != 'E';
}

static bool string(struct text *text)
{
    if (peek(text) != '"')
        return false;
    text->at++;
    while (text->at < text->end) {
        unsigned c = *text->at;
        size_t width = ss_wire_character(text->at, text->end);
        if (width == 0)
            return false;
        text->at += width;
        if (c == '"')
            return true;
        if (c < 0x20)
            return false;
        if (c == '\\' && (text->at == text->end || *text->at == '\0' ||
                             !strchr("\"\\/bfnrt", *text->at++)))
            return false;
    }
    return false;
}

static bool open_bracket(struct text *text, bool is_object)
{
    if (text->depth >= SS_VALUE_DEPTH_MAX)
        return false;
    uint8_t bit = (uint8_t)(1 << (text->depth % 8));
    uint8_t *bits = &text->is_object[text->depth / 8];
    *bits = (uint8_t)(is_object ? *bits | bit : *bits & ~bit);
    text->depth++;
    text->at++;
    return true;
}

static bool in_object(const struct text *text)
{
    int last = text->depth - 1;
    return text->is_object[last / 8] >> (last % 8) & 1;
}

static bool key(struct text *text)
{
    skip_blanks(text);
    if (!string(text))
        return false;
    skip_blanks(text);
    return skip(text, ":");
}

// A scalar, or the opening of a container with its first key. *ret_complete: no
// value has to follow (an empty container is left to go_on()).
static bool begin(struct text *text, bool *ret_complete)
{
    skip_blanks(text);
    int c = peek(text);
    *ret_complete = true;
    if (c == '"')
        return string(text);
    if (c == 't')
        return skip(text, "true");
    if (c == 'f')
        return skip(text, "false");
    if (c == 'n')
        return skip(text, "null");
    if (c != '[' && c != '{')
        return number(text);
    if (!open_bracket(text, c == '{'))
        return false;
    skip_blanks(text);
    if (peek(text) == (c == '{' ? '}' : ']'))
        return true;
    *ret_complete = false;
    return c == '[' || key(text);
}

// Behind a complete value: close what ends here. *ret_more: a comma came, and
// with it the next key where one belongs.
static bool go_on(struct text *text, bool *ret_more)
{
    *ret_more = false;
    for (;;) {
        skip_blanks(text);
        if (text->depth == 0)
            return text->at == text->end;
        bool is_object = in_object(text);
        int c = peek(text);
        if (c == ',') {
            text->at++;
            *ret_more = true;
            return !is_object || key(text);
        }
        if (c != (is_object ? '}' : ']'))
            return false;
        text->at++;
        text->depth--;
    }
}

bool ss_json_check(const char *bytes, size_t size)
{
    if (size == 0 || size > (size_t)SS_VALUE_SIZE_MAX)
        return false; // no bytes may be NULL: no pointer is made of it
    struct text text = {.at = (const unsigned char *)bytes,
        .end = (const unsigned char *)bytes + size};
    for (;;) {
        bool is_complete, has_more = true;
        if (!begin(&text, &is_complete))
            return false;
        if (is_complete && !go_on(&text, &has_more))
            return false;
        if (!has_more)
            return true;
    }
}

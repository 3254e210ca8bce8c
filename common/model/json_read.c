// json_read.c - JSON text at the speed of its bytes.
//
// jansson reads a character at a time; half of what a long message costs a
// worker was that. Here a string is looked at many bytes at once and copied in
// one piece. The trees are jansson's, and what is not read here is left to it:
// whatever is malformed, which jansson names the place of; numbers of many
// digits or with an exponent; U+0000. So what is JSON, and what it means, is
// said by jansson in the end, and tests hold both side by side.
#include <float.h>
#include <stdint.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/model/limits.h"
#include "common/model/value.h"

enum {
    INTEGER_DIGITS_MAX = 18,  // always fits into 64 bits
    FRACTION_DIGITS_MAX = 15, // digits and power of ten are doubles exactly
};

struct reader {
    const char *at, *end;
    bool builds;       // trees, or it only looks
    struct ss_buf own; // a string that does not stand in the text as it is
};

// A string, in the text or in reader.own, until the next one is read.
struct span {
    const char *text;
    size_t size;
};

static bool read_value(struct reader *reader, int left, json_t **ret);

static int peek(const struct reader *reader)
{
    return reader->at < reader->end ? (unsigned char)*reader->at : -1;
}

static void skip_blanks(struct reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' ||
               *reader->at == '\r'))
        reader->at++;
}

static bool skip(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (peek(reader) != c)
        return false;
    reader->at++;
    return true;
}

// ------------------------------------------------ strings

static int hex(const struct reader *reader, size_t from)
{
    int code = 0;
    if (reader->end - reader->at < (ptrdiff_t)(from + 4))
        return -1;
    for (size_t i = from; i < from + 4; i++) {
        int c = (unsigned char)reader->at[i], letter = c | 0x20;
        if (c >= '0' && c <= '9')
            code = code * 16 + c - '0';
        else if (letter >= 'a' && letter <= 'f')
            code = code * 16 + letter - 'a' + 10;
        else
            return -1;
    }
    return code;
}

// The character of \uXXXX, or of two that are a pair, at its first digit; 0: it
// is none, or U+0000.
static unsigned read_code(struct reader *reader)
{
    int high = hex(reader, 0);
    if (high <= 0 || (high >= 0xdc00 && high <= 0xdfff))
        return 0;
    if (high < 0xd800 || high > 0xdbff) {
        reader->at += 4;
        return (unsigned)high;
    }
    int low = hex(reader, 6);
    if (low < 0xdc00 || low > 0xdfff || memcmp(reader->at + 4, "\\u", 2) != 0)
        return 0;
    reader->at += 10;
    return 0x10000 + ((unsigned)(high - 0xd800) << 10) +
           (unsigned)(low - 0xdc00);
}

static size_t write_utf8(unsigned code, char *to)
{
    size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (size == 1) {
        *to = (char)code;
        return 1;
    }
    for (size_t i = size; i-- > 1; code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)(0xf0u << (4 - size) | code);
    return size;
}

// What stands behind a backslash.
static bool read_escape(struct reader *reader)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char bytes[4];
    size_t size = 1;
    int c = peek(reader);
    if (c <= 0)
        return false;
    reader->at++;
    const char *name = strchr(names, c);
    if (name) {
        bytes[0] = meant[name - names];
    } else {
        unsigned code = c == 'u' ? read_code(reader) : 0;
        if (code == 0)
            return false;
        size = write_utf8(code, bytes);
    }
    if (reader->builds)
        ss_buf_add(&reader->own, bytes, size);
    return true;
}

static bool skip_quote(struct reader *reader)
{
    bool is_one = peek(reader) == '"';
    reader->at += is_one;
    return is_one;
}

// The rest of a string in which an escape stands at `at`.
static bool read_escaped(
    struct reader *reader, const char *from, struct span *ret)
{
    ss_buf_reset(&reader->own);
    for (;;) {
        size_t size =
            ss_text_plain_size(reader->at, (size_t)(reader->end - reader->at));
        reader->at += size;
        if (!ss_text_ok(from, (size_t)(reader->at - from)))
            return false;
        if (reader->builds)
            ss_buf_add(&reader->own, from, (size_t)(reader->at - from));
        if (skip_quote(reader)) {
            *ret = (struct span){ss_buf_str(&reader->own), reader->own.size};
            return true;
        }
        if (peek(reader) != '\\')
            return false;
        reader->at++;
        if (!read_escape(reader))
            return false;
        from = reader->at;
    }
}

static bool read_span(struct reader *reader, struct span *ret)
{
    if (!skip(reader, '"'))
        return false;
    const char *from = reader->at;
    size_t size = ss_text_plain_size(from, (size_t)(reader->end - reader->at));
    reader->at += size;
    if (!skip_quote(reader))
        return read_escaped(reader, from, ret);
    *ret = (struct span){from, size};
    return ss_text_ok(from, size);
}

static bool read_string(struct reader *reader, json_t **ret)
{
    struct span span;
    if (!read_span(reader, &span))
        return false;
    if (reader->builds)
        *ret = json_stringn_nocheck(span.text, span.size);
    return true;
}

// ------------------------------------------------ other scalars

// By jansson: its digits up to the last one that may belong to it.
static bool read_rare_number(
    struct reader *reader, const char *from, json_t **ret)
{
    while (peek(reader) > 0 && strchr("0123456789+-.eE", *reader->at))
        reader->at++;
    json_t *number =
        json_loadb(from, (size_t)(reader->at - from), JSON_DECODE_ANY, NULL);
    if (reader->builds)
        *ret = number;
    else
        json_decref(number);
    return number != NULL;
}

static size_t read_digits(struct reader *reader, uint64_t *number)
{
    const char *from = reader->at;
    for (int c; c = peek(reader), c >= '0' && c <= '9'; reader->at++)
        *number = *number * 10 + (uint64_t)(c - '0');
    return (size_t)(reader->at - from);
}

// Both are doubles exactly, so the quotient is the nearest one.
static double shifted(uint64_t digits, size_t places)
{
    static const double tens[FRACTION_DIGITS_MAX + 1] = {1, 1e1, 1e2, 1e3, 1e4,
        1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    return (double)digits / tens[places];
}

// [-] (0 | 1-9 digits) [. digits]; more than that is rare.
static bool read_number(struct reader *reader, json_t **ret)
{
    const char *from = reader->at;
    uint64_t number = 0;
    bool is_negative = peek(reader) == '-';
    reader->at += is_negative;
    bool is_zero = peek(reader) == '0';
    size_t digits = read_digits(reader, &number), places = 0;
    if (digits == 0 || (is_zero && digits > 1))
        return false;
    bool has_fraction = peek(reader) == '.';
    if (has_fraction) {
        reader->at++;
        places = read_digits(reader, &number);
        if (places == 0)
            return false;
    }
    bool is_rare = peek(reader) == 'e' || peek(reader) == 'E' ||
                   (has_fraction ? digits + places > FRACTION_DIGITS_MAX ||
                                       FLT_EVAL_METHOD != 0
                                 : digits > INTEGER_DIGITS_MAX);
    if (is_rare)
        return read_rare_number(reader, from, ret);
    if (!reader->builds)
        return true;
    if (has_fraction) {
        double real = shifted(number, places);
        *ret = json_real(is_negative ? -real : real);
    } else {
        *ret = json_integer(
            is_negative ? -(json_int_t)number : (json_int_t)number);
    }
    return true;
}

static bool read_word(
    struct reader *reader, const char *word, json_t *meant, json_t **ret)
{
    size_t size = strlen(word);
    if ((size_t)(reader->end - reader->at) < size ||
        memcmp(reader->at, word, size) != 0)
        return false;
    reader->at += size;
    *ret = reader->builds ? meant : NULL;
    return true;
}

// ------------------------------------------------ containers

// Both take what they made back where they end early.
static bool read_list(struct reader *reader, int left, json_t **ret)
{
    json_t *list = reader->builds ? json_array() : NULL;
    reader->at++;
    bool is_over = skip(reader, ']'), is_good = true;
    while (!is_over && is_good) {
        json_t *item = NULL;
        is_good = read_value(reader, left, &item) &&
                  (!list || json_array_append_new(list, item) == 0);
        if (is_good && !skip(reader, ','))
            is_good = is_over = skip(reader, ']');
    }
    *ret = list;
    return is_good;
}

// U+0000 in a key never gets here: it is left to jansson, which refuses it.
static bool read_member(struct reader *reader, int left, json_t *object)
{
    struct span key;
    enum { SHORT = 64 };
    char near[SHORT], *name = near;
    json_t *member = NULL;
    if (!read_span(reader, &key))
        return false;
    if (!object)
        return skip(reader, ':') && read_value(reader, left, &member);
    if (key.size >= SHORT)
        name = ss_alloc(key.size + 1);
    memcpy(name, key.text, key.size);
    name[key.size] = '\0';
    bool is_good = skip(reader, ':') && read_value(reader, left, &member) &&
                   json_object_set_new_nocheck(object, name, member) == 0;
    if (name != near)
        ss_free(name);
    return is_good;
}

static bool read_object(struct reader *reader, int left, json_t **ret)
{
    json_t *object = reader->builds ? json_object() : NULL;
    reader->at++;
    bool is_over = skip(reader, '}'), is_good = true;
    while (!is_over && is_good) {
        is_good = read_member(reader, left, object);
        if (is_good && !skip(reader, ','))
            is_good = is_over = skip(reader, '}');
    }
    *ret = object;
    return is_good;
}

// `left`: so many brackets may still be opened. *ret may be a tree that is to
// be thrown away where this is false.
static bool read_value(struct reader *reader, int left, json_t **ret)
{
    skip_blanks(reader);
    bool is_good = false;
    switch (peek(reader)) {
    case '"':
        return read_string(reader, ret);
    case '[':
        is_good = left > 0 && read_list(reader, left - 1, ret);
        break;
    case '{':
        is_good = left > 0 && read_object(reader, left - 1, ret);
        break;
    case 't':
        return read_word(reader, "true", json_true(), ret);
    case 'f':
        return read_word(reader, "false", json_false(), ret);
    case 'n':
        return read_word(reader, "null", json_null(), ret);
    default:
        return read_number(reader, ret);
    }
    if (!is_good) {
        json_decref(*ret);
        *ret = NULL;
    }
    return is_good;
}

static bool read_all(struct reader *reader, json_t **ret)
{
    ss_buf_init(&reader->own, SS_VALUE_SIZE_MAX);
    bool is_good = read_value(reader, SS_VALUE_DEPTH_MAX, ret);
    skip_blanks(reader);
    if (is_good && reader->at < reader->end) {
        json_decref(*ret);
        *ret = NULL;
        is_good = false;
    }
    ss_buf_fini(&reader->own);
    return is_good;
}

bool ss_json_check(const char *text, size_t size)
{
    json_t *none = NULL;
    if (size == 0 || size > (size_t)SS_VALUE_SIZE_MAX)
        return false; // no bytes may be NULL: no pointer is made of it
    struct reader reader = {.at = text, .end = text + size};
    return read_all(&reader, &none);
}

// Says why not.
static int parse_by_jansson(
    const char *text, size_t size, json_t **ret_json, struct ss_error *error)
{
    if (ss_json_depth(text, size) > SS_VALUE_DEPTH_MAX)
        return ss_error_set(error, SS_EFORMAT,
            "JSON is nested deeper than %d levels", SS_VALUE_DEPTH_MAX);
    json_error_t at;
    json_t *json =
        json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &at);
    if (!json)
        return ss_error_set(error, SS_EFORMAT,
            "JSON is malformed at line %d, column %d: %s", at.line, at.column,
            at.text);
    *ret_json = json;
    return SS_OK;
}

int ss_json_parse(
    const char *text, size_t size, json_t **ret_json, struct ss_error *error)
{
    if (size > SS_VALUE_SIZE_MAX)
        return ss_error_set(error, SS_ELIMIT,
            "JSON of %zu bytes; the limit is %u", size, SS_VALUE_SIZE_MAX);
    if (size == 0) // text may be NULL then
        return ss_error_set(
            error, SS_EFORMAT, "JSON is malformed: it is empty");
    struct reader reader = {.at = text, .end = text + size, .builds = true};
    json_t *json = NULL;
    if (!read_all(&reader, &json))
        return parse_by_jansson(text, size, ret_json, error);
    *ret_json = json;
    return SS_OK;
}

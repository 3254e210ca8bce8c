// python.c - values as Python shows, compares and orders them.
#include "python.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_add(struct text *text, const char *bytes, size_t size)
{
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = (text->size + size + 1) * 2;
        char *data = realloc(text->data, capacity);
        if (!data)
            abort();
        text->data = data;
        text->capacity = capacity;
    }
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_str(struct text *text, const char *bytes)
{
    text_add(text, bytes, strlen(bytes));
}

void python_float(double value, char ret_text[40])
{
    char digits[40];
    int precision = 1;
    do {
        snprintf(digits, sizeof(digits), "%.*e", precision - 1, value);
    } while (strtod(digits, NULL) != value && ++precision <= 17);
    long exponent = strtol(strchr(digits, 'e') + 1, NULL, 10);
    if (exponent < -4 || exponent >= 16) {
        // Python writes 1e-07 and 1.5e+300, as C does.
        snprintf(ret_text, 40, "%s", digits);
        return;
    }
    int decimals = precision - 1 - (int)exponent;
    snprintf(ret_text, 40, "%.*f", decimals > 1 ? decimals : 1, value);
}

static void add_number(struct text *text, const json_t *value)
{
    char number[40];
    if (json_is_integer(value))
        snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
            json_integer_value(value));
    else
        python_float(json_real_value(value), number);
    text_str(text, number);
}

// The code point at *at, which moves behind it. jansson sees to valid UTF-8.
static uint32_t next_code(const unsigned char **at)
{
    const unsigned char *c = *at;
    int more = *c < 0x80 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
    uint32_t code = more == 0 ? *c : (uint32_t)(*c & (0x3f >> more));
    for (int i = 1; i <= more; i++)
        code = (code << 6) | (uint32_t)(c[i] & 0x3f);
    *at = c + more + 1;
    return code;
}

static void dump_code(struct text *text, uint32_t code)
{
    static const char *const short_forms[] = {['"'] = "\\\"",
        ['\\'] = "\\\\",
        ['\n'] = "\\n",
        ['\r'] = "\\r",
        ['\t'] = "\\t",
        ['\f'] = "\\f",
        ['\b'] = "\\b"};
    char form[16];
    if (code < sizeof(short_forms) / sizeof(*short_forms) && short_forms[code])
        snprintf(form, sizeof(form), "%s", short_forms[code]);
    else if (code >= 0x20 && code < 0x7f)
        snprintf(form, sizeof(form), "%c", (char)code);
    else if (code == 0x7f)
        snprintf(form, sizeof(form), "\x7f");
    else if (code < 0x10000)
        snprintf(form, sizeof(form), "\\u%04x", (unsigned)code);
    else
        snprintf(form, sizeof(form), "\\u%04x\\u%04x",
            (unsigned)(0xd800 + ((code - 0x10000) >> 10)),
            (unsigned)(0xdc00 + ((code - 0x10000) & 0x3ff)));
    text_str(text, form);
}

static void dump_str(struct text *text, const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + size;
    text_str(text, "\"");
    while (at < end)
        dump_code(text, next_code(&at));
    text_str(text, "\"");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The keys of an object, sorted. UTF-8 sorts as code points do. Gives (free).
static const char **sorted_keys(const json_t *object, size_t *ret_count)
{
    size_t count = 0;
    const char **keys = calloc(json_object_size(object) + 1, sizeof(*keys));
    if (!keys)
        abort();
    const char *key;
    json_t *item;
    json_object_foreach ((json_t *)object, key, item)
        keys[count++] = key;
    qsort(keys, count, sizeof(*keys), by_text);
    *ret_count = count;
    return keys;
}

static void dump(struct text *text, const json_t *value)
{
    if (json_is_object(value)) {
        size_t count;
        const char **keys = sorted_keys(value, &count);
        text_str(text, "{");
        for (size_t i = 0; i < count; i++) {
            text_str(text, i ? ", " : "");
            dump_str(text, keys[i], strlen(keys[i]));
            text_str(text, ": ");
            dump(text, json_object_get(value, keys[i]));
        }
        text_str(text, "}");
        free(keys);
    } else if (json_is_array(value)) {
        text_str(text, "[");
        for (size_t i = 0; i < json_array_size(value); i++) {
            text_str(text, i ? ", " : "");
            dump(text, json_array_get(value, i));
        }
        text_str(text, "]");
    } else if (json_is_string(value)) {
        dump_str(text, json_string_value(value), json_string_length(value));
    } else if (json_is_number(value)) {
        add_number(text, value);
    } else {
        text_str(text, json_is_true(value)    ? "true"
                       : json_is_false(value) ? "false"
                                              : "null");
    }
}

char *python_dumps(const json_t *value)
{
    struct text text = {0};
    dump(&text, value);
    return text.data;
}

static void repr_str(struct text *text, const char *bytes, size_t size)
{
    const unsigned char *at = (const unsigned char *)bytes;
    const unsigned char *end = at + size;
    char quote = strchr(bytes, '\'') && !strchr(bytes, '"') ? '"' : '\'';
    text_add(text, &quote, 1);
    while (at < end) {
        const unsigned char *from = at;
        uint32_t code = next_code(&at);
        char form[16];
        if (code == (unsigned char)quote || code == '\\')
            snprintf(form, sizeof(form), "\\%c", (char)code);
        else if (code == '\n' || code == '\r' || code == '\t')
            snprintf(form, sizeof(form), "\\%c",
                code == '\n'   ? 'n'
                : code == '\r' ? 'r'
                               : 't');
        else if (code < 0x20 || (code >= 0x7f && code <= 0xa0))
            snprintf(form, sizeof(form), "\\x%02x", (unsigned)code);
        else {
            text_add(text, (const char *)from, (size_t)(at - from));
            continue;
        }
        text_str(text, form);
    }
    text_add(text, &quote, 1);
}

void python_repr(struct text *text, const json_t *value)
{
    if (json_is_string(value)) {
        repr_str(text, json_string_value(value), json_string_length(value));
    } else if (json_is_array(value)) {
        text_str(text, "[");
        for (size_t i = 0; i < json_array_size(value); i++) {
            text_str(text, i ? ", " : "");
            python_repr(text, json_array_get(value, i));
        }
        text_str(text, "]");
    } else if (json_is_object(value)) {
        const char *key;
        json_t *item;
        const char *comma = "";
        text_str(text, "{");
        json_object_foreach ((json_t *)value, key, item) {
            text_str(text, comma);
            repr_str(text, key, strlen(key));
            text_str(text, ": ");
            python_repr(text, item);
            comma = ", ";
        }
        text_str(text, "}");
    } else if (json_is_number(value)) {
        add_number(text, value);
    } else {
        text_str(text, json_is_true(value)    ? "True"
                       : json_is_false(value) ? "False"
                                              : "None");
    }
}

void python_str(struct text *text, const json_t *value)
{
    if (json_is_string(value))
        text_add(text, json_string_value(value), json_string_length(value));
    else
        python_repr(text, value);
}

bool python_is_int(const json_t *value)
{
    return json_is_integer(value) || json_is_boolean(value);
}

bool python_is_number(const json_t *value)
{
    return python_is_int(value) || json_is_real(value);
}

json_int_t python_int(const json_t *value)
{
    return json_is_boolean(value) ? json_is_true(value)
                                  : json_integer_value(value);
}

double python_number(const json_t *value)
{
    return json_is_real(value) ? json_real_value(value)
                               : (double)python_int(value);
}

static bool equal_lists(const json_t *a, const json_t *b)
{
    if (json_array_size(a) != json_array_size(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++)
        if (!python_equal(json_array_get(a, i), json_array_get(b, i)))
            return false;
    return true;
}

static bool equal_maps(const json_t *a, const json_t *b)
{
    if (json_object_size(a) != json_object_size(b))
        return false;
    const char *key;
    json_t *item;
    json_object_foreach ((json_t *)a, key, item) {
        const json_t *other = json_object_get(b, key);
        if (!other || !python_equal(item, other))
            return false;
    }
    return true;
}

bool python_equal(const json_t *a, const json_t *b)
{
    if (python_is_int(a) && python_is_int(b))
        return python_int(a) == python_int(b);
    if (python_is_number(a) && python_is_number(b))
        return !(python_number(a) < python_number(b)) &&
               !(python_number(b) < python_number(a));
    if (json_is_array(a) && json_is_array(b))
        return equal_lists(a, b);
    if (json_is_object(a) && json_is_object(b))
        return equal_maps(a, b);
    return json_equal(a, b);
}

bool python_true(const json_t *value)
{
    if (json_is_string(value))
        return json_string_length(value) > 0;
    if (json_is_array(value))
        return json_array_size(value) > 0;
    if (json_is_object(value))
        return json_object_size(value) > 0;
    if (json_is_real(value))
        return json_real_value(value) < 0 || json_real_value(value) > 0;
    return python_is_int(value) && python_int(value) != 0;
}

static int sign(bool greater, bool less)
{
    return greater ? 1 : less ? -1 : 0;
}

bool python_compare(const json_t *a, const json_t *b, int *ret_order)
{
    if (python_is_int(a) && python_is_int(b)) {
        *ret_order =
            sign(python_int(a) > python_int(b), python_int(a) < python_int(b));
    } else if (python_is_number(a) && python_is_number(b)) {
        *ret_order = sign(python_number(a) > python_number(b),
            python_number(a) < python_number(b));
    } else if (json_is_string(a) && json_is_string(b)) {
        int order = strcmp(json_string_value(a), json_string_value(b));
        *ret_order = sign(order > 0, order < 0);
    } else if (json_is_array(a) && json_is_array(b)) {
        size_t in_a = json_array_size(a), in_b = json_array_size(b);
        for (size_t i = 0; i < in_a && i < in_b; i++) {
            const json_t *x = json_array_get(a, i);
            const json_t *y = json_array_get(b, i);
            if (!python_equal(x, y))
                return python_compare(x, y, ret_order);
        }
        *ret_order = sign(in_a > in_b, in_a < in_b);
    } else {
        return false;
    }
    return true;
}

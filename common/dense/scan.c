// scan.c - a look into JSON text without decoding it.
#include "common/dense/scan.h"

#include <jansson.h>
#include <string.h>

#include "common/base/mem.h"

static const char *skip_blanks(const char *at, const char *end)
{
    while (
        at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

// Behind the quote that ends the string which begins at `at`.
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\' && at + 1 < end)
            at++;
    return at < end ? at + 1 : end;
}

static const char *value_end(const char *at, const char *end)
{
    size_t depth = 0;
    if (at < end && *at == '"')
        return string_end(at, end);
    while (at < end) {
        if (*at == '"') {
            at = string_end(at, end);
            continue;
        }
        if (*at == '[' || *at == '{')
            depth++;
        else if ((*at == ']' || *at == '}') && depth == 0)
            return at;
        else if (*at == ']' || *at == '}')
            depth--;
        else if (depth == 0 && strchr(", \n\t\r", *at))
            return at;
        at++;
        if (depth == 0 && (at[-1] == ']' || at[-1] == '}'))
            return at;
    }
    return end;
}

bool ss_scan_begin(
    struct ss_scan *scan, char bracket, const char *text, size_t size)
{
    const char *end = text + size, *at = skip_blanks(text, end);
    if (at == end || *at != bracket)
        return false;
    *scan = (struct ss_scan){at + 1, end, bracket == '{'};
    return true;
}

bool ss_scan_next(struct ss_scan *scan, struct ss_scan_part *ret_key,
    struct ss_scan_part *ret_value)
{
    const char *end = scan->end, *at = skip_blanks(scan->at, end);
    if (at < end && *at == ',')
        at = skip_blanks(at + 1, end);
    if (at == end || *at == ']' || *at == '}')
        return false;
    if (scan->is_object) {
        const char *behind = value_end(at, end);
        if (*at != '"' || behind - at < 2)
            return false;
        *ret_key = (struct ss_scan_part){at + 1, (size_t)(behind - at) - 2};
        at = skip_blanks(behind, end);
        if (at < end && *at == ':')
            at = skip_blanks(at + 1, end);
    }
    scan->at = value_end(at, end);
    *ret_value = (struct ss_scan_part){at, (size_t)(scan->at - at)};
    return scan->at > at;
}

char *ss_scan_string(const struct ss_scan_part *part)
{
    if (part->size < 2 || part->text[0] != '"')
        return NULL;
    if (!memchr(part->text, '\\', part->size))
        return ss_memdup(part->text + 1, part->size - 2);
    json_t *json = json_loadb(
        part->text, part->size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    char *text = ss_strdup(json_string_value(json));
    json_decref(json);
    return text;
}

// The text between the quotes is that name.
static bool scan_key_is(const struct ss_scan_part *key, const char *name)
{
    if (!memchr(key->text, '\\', key->size))
        return strlen(name) == key->size &&
               memcmp(key->text, name, key->size) == 0;
    struct ss_scan_part quoted = {key->text - 1, key->size + 2};
    char *text = ss_scan_string(&quoted);
    bool is = text && strcmp(text, name) == 0;
    ss_free(text);
    return is;
}

bool ss_scan_member(
    const char *text, size_t size, const char *name, struct ss_scan_part *ret)
{
    struct ss_scan scan;
    struct ss_scan_part key, value;
    bool found = false;
    if (!ss_scan_begin(&scan, '{', text, size))
        return false;
    while (ss_scan_next(&scan, &key, &value))
        if (scan_key_is(&key, name)) {
            *ret = value;
            found = true;
        }
    return found;
}

size_t ss_scan_members(const char *text, size_t size)
{
    struct ss_scan scan;
    struct ss_scan_part key, value;
    size_t count = 0;
    if (ss_scan_begin(&scan, '{', text, size))
        while (ss_scan_next(&scan, &key, &value))
            count++;
    return count;
}

bool ss_scan_integer(const char *text, size_t size, int64_t *ret)
{
    enum { DIGITS_MAX = 18 }; // these always fit
    size_t at = size > 0 && text[0] == '-';
    int64_t number = 0;
    if (at == size || size - at > DIGITS_MAX || (text[at] == '0' && size > 1))
        return false;
    for (size_t i = at; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        number = number * 10 + (text[i] - '0');
    }
    *ret = at ? -number : number;
    return true;
}

// json_write.c - compact JSON text.
//
// Writing is our own for three reasons: a number with a fraction gets the
// shortest text that reads back as itself, jansson's dump looks for loops with
// a table for each container, and it hands every few bytes to a function.
//
// In one process values share what they are made of: a list may hold one
// object a thousand times. What stands in the text already is copied from
// there.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/check.h"
#include "common/base/ids.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/model/value.h"

enum { ESCAPED = 6 }; // the longest form of one byte

// ------------------------------------------------ where it goes

// What was written of a container that others hold, too.
struct passage {
    const json_t *json;
    size_t from, size;
};

enum { PASSAGES = 32 }; // that are remembered; a newer one takes the place

// The buffer's free room, so that what is added is a store and no call.
struct pen {
    struct ss_buf *buf;
    char *at, *end;
    bool is_sorted;
    bool remembers; // a passage was put down
    struct passage passages[PASSAGES];
};

static size_t pen_size(const struct pen *pen)
{
    return pen->buf->data ? (size_t)(pen->at - pen->buf->data) : 0;
}

static void pen_grow(struct pen *pen, size_t size)
{
    struct ss_buf *buf = pen->buf;
    buf->size = pen_size(pen);
    char *room = ss_buf_room(buf, size);
    ss_check(room != NULL); // it has no limit
    buf->size -= size;
    pen->at = buf->data + buf->size;
    pen->end = buf->data + buf->capacity - 1;
}

// Room for `size` bytes, and always one for a NUL.
static inline void pen_need(struct pen *pen, size_t size)
{
    if ((size_t)(pen->end - pen->at) < size)
        pen_grow(pen, size);
}

static inline void pen_char(struct pen *pen, char c)
{
    pen_need(pen, 1);
    *pen->at++ = c;
}

static inline void pen_text(struct pen *pen, const char *text, size_t size)
{
    pen_need(pen, size);
    memcpy(pen->at, text, size);
    pen->at += size;
}

// ------------------------------------------------ strings

// Returns the size of what stands for `c`.
static size_t escape(unsigned char c, char ret_text[ESCAPED])
{
    static const char digits[] = "0123456789abcdef";
    static const char shorts[] = "\"\"\\\\\nn\rr\tt";
    for (size_t i = 0; i < sizeof(shorts) - 1; i += 2) {
        if (c != (unsigned char)shorts[i])
            continue;
        ret_text[0] = '\\';
        ret_text[1] = shorts[i + 1];
        return 2;
    }
    memcpy(ret_text, "\\u00", 4);
    ret_text[4] = digits[c >> 4];
    ret_text[5] = digits[c & 15];
    return ESCAPED;
}

static void write_string(struct pen *pen, const char *text, size_t size)
{
    pen_need(pen, size + 2);
    *pen->at++ = '"';
    for (;;) {
        size_t plain = ss_text_plain_size(text, size);
        if (plain > 0)
            memcpy(pen->at, text, plain);
        pen->at += plain;
        if (plain == size)
            break;
        pen_need(pen, size - plain + ESCAPED + 1);
        pen->at += escape((unsigned char)text[plain], pen->at);
        text += plain + 1;
        size -= plain + 1;
    }
    *pen->at++ = '"';
}

static void add_plain_string(struct ss_buf *buf, const char *text, size_t size)
{
    char *room = size < SIZE_MAX / 4 ? ss_buf_room(buf, size + 2) : NULL;
    if (!room)
        return; // the buffer says so at its end
    *room = '"';
    if (size > 0)
        memcpy(room + 1, text, size);
    room[size + 1] = '"';
}

// Most strings hold nothing to be escaped.
void ss_json_add_string(struct ss_buf *buf, const char *text, size_t size)
{
    char escaped[ESCAPED];
    size_t plain = ss_text_plain_size(text, size);
    if (plain == size) {
        add_plain_string(buf, text, size);
        return;
    }
    ss_buf_add(buf, "\"", 1);
    while (plain < size) {
        ss_buf_add(buf, text, plain);
        ss_buf_add(buf, escaped, escape((unsigned char)text[plain], escaped));
        text += plain + 1;
        size -= plain + 1;
        plain = ss_text_plain_size(text, size);
    }
    ss_buf_add(buf, text, size);
    ss_buf_add(buf, "\"", 1);
}

// ------------------------------------------------ numbers

static void write_integer(struct pen *pen, json_int_t number)
{
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    pen_need(pen, SS_NUMBER_SIZE + 1);
    if (number < 0)
        *pen->at++ = '-';
    pen->at += ss_number_text(rest, pen->at);
}

// A number of few digits: "-12.5" is 125 with one digit behind the point. Up to
// fifteen digits survive the way into a double and back: where their quotient
// is the number again, no other digits are as short. False: it needs more.
static bool write_short(struct pen *pen, double number)
{
    enum { BEHIND_MAX = 6 };
    static const double smallest = 1e-4, most = 1e15;
    double size = fabs(number), scale = 1, digits = 0;
    bool is_found = false;
    for (int behind = 0; behind <= BEHIND_MAX && !is_found; behind++) {
        scale = behind > 0 ? scale * 10 : 1;
        digits = rint(size * scale);
        if (!(size >= smallest && digits < most))
            return false;
        is_found = fabs(digits / scale - size) <= 0;
    }
    if (!is_found)
        return false;
    uint64_t all = (uint64_t)digits, base = (uint64_t)scale;
    char rest[SS_NUMBER_SIZE]; // a digit in front keeps the zeros behind it
    size_t behind = ss_number_text(all % base + base, rest) - 1;
    pen_need(pen, 2 * SS_NUMBER_SIZE);
    if (number < 0)
        *pen->at++ = '-';
    pen->at += ss_number_text(all / base, pen->at);
    *pen->at++ = '.';
    if (behind == 0)
        rest[++behind] = '0';
    memcpy(pen->at, rest + 1, behind);
    pen->at += behind;
    return true;
}

static void write_real(struct pen *pen, double number)
{
    char text[40];
    if (write_short(pen, number))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (digits == 17 || fabs(strtod(text, NULL) - number) <= 0)
            break;
    }
    // Whatever the locale says: JSON has a point.
    for (char *c = text; *c; c++)
        if (*c == ',')
            *c = '.';
    pen_text(pen, text, strlen(text));
    if (!strpbrk(text, ".eE"))
        pen_text(pen, ".0", 2);
}

// ------------------------------------------------ containers

static void write_json(struct pen *pen, const json_t *json);

static void write_member(struct pen *pen, const char *key, const json_t *member)
{
    write_string(pen, key, strlen(key));
    pen_char(pen, ':');
    write_json(pen, member);
    pen_char(pen, ',');
}

static void write_sorted(struct pen *pen, json_t *object)
{
    size_t count = json_object_size(object), i = 0;
    const char **keys = ss_zalloc(count + 1, sizeof(*keys));
    for (void *at = json_object_iter(object); at;
         at = json_object_iter_next(object, at))
        keys[i++] = json_object_iter_key(at);
    qsort(keys, count, sizeof(*keys), ss_text_order);
    for (i = 0; i < count; i++)
        write_member(pen, keys[i], json_object_get(object, keys[i]));
    ss_free(keys);
}

// What is inside of a container ends in a comma, which its bracket replaces.
static void write_object(struct pen *pen, json_t *object)
{
    pen_need(pen, 2);
    *pen->at++ = '{';
    if (pen->is_sorted && json_object_size(object) > 1)
        write_sorted(pen, object);
    else
        for (void *at = json_object_iter(object); at;
             at = json_object_iter_next(object, at))
            write_member(
                pen, json_object_iter_key(at), json_object_iter_value(at));
    if (json_object_size(object) > 0)
        pen->at[-1] = '}';
    else
        *pen->at++ = '}';
}

static void write_array(struct pen *pen, const json_t *array)
{
    size_t count = json_array_size(array);
    pen_need(pen, 2);
    *pen->at++ = '[';
    for (size_t i = 0; i < count; i++) {
        write_json(pen, json_array_get(array, i));
        pen_char(pen, ',');
    }
    if (count > 0)
        pen->at[-1] = ']';
    else
        *pen->at++ = ']';
}

static struct passage *passage_of(struct pen *pen, const json_t *json)
{
    uintptr_t place = (uintptr_t)json / sizeof(void *);
    return &pen->passages[(place ^ place >> 5) % PASSAGES];
}

static bool write_again(struct pen *pen, const json_t *json)
{
    const struct passage *passage = passage_of(pen, json);
    if (!pen->remembers || passage->json != json)
        return false;
    pen_need(pen, passage->size);
    memcpy(pen->at, pen->buf->data + passage->from, passage->size);
    pen->at += passage->size;
    return true;
}

static void write_container(struct pen *pen, const json_t *json)
{
    // Who else holds it may be this text.
    bool is_shared = ss_json_is_shared(json);
    if (is_shared && write_again(pen, json))
        return;
    size_t from = pen_size(pen);
    if (json_is_array(json))
        write_array(pen, json);
    else
        write_object(pen, (json_t *)json);
    if (!is_shared)
        return;
    if (!pen->remembers)
        memset(pen->passages, 0, sizeof(pen->passages));
    pen->remembers = true;
    *passage_of(pen, json) = (struct passage){json, from, pen_size(pen) - from};
}

static void write_json(struct pen *pen, const json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        write_container(pen, json);
        break;
    case JSON_STRING:
        write_string(pen, json_string_value(json), json_string_length(json));
        break;
    case JSON_INTEGER:
        write_integer(pen, json_integer_value(json));
        break;
    case JSON_REAL:
        write_real(pen, json_real_value(json));
        break;
    case JSON_TRUE:
        pen_text(pen, "true", 4);
        break;
    case JSON_FALSE:
        pen_text(pen, "false", 5);
        break;
    case JSON_NULL:
        pen_text(pen, "null", 4);
        break;
    }
}

// ------------------------------------------------ whole texts

static char *text_of(const json_t *json, bool is_sorted, size_t *ret_size)
{
    struct ss_buf buf;
    struct pen pen;
    ss_buf_init(&buf, SIZE_MAX);
    // The passages are left as they are until there is one.
    pen.buf = &buf;
    pen.at = pen.end = NULL;
    pen.is_sorted = is_sorted;
    pen.remembers = false;
    pen_grow(&pen, 1);
    write_json(&pen, json);
    *pen.at = '\0';
    buf.size = pen_size(&pen);
    return ss_buf_steal(&buf, ret_size);
}

char *ss_json_text(const json_t *json)
{
    return text_of(json, false, NULL);
}

char *ss_json_text_sized(const json_t *json, size_t *ret_size)
{
    return text_of(json, false, ret_size);
}

char *ss_json_canonical(const json_t *json)
{
    return text_of(json, true, NULL);
}

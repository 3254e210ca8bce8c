// value.c - values: bytes, JSON and what they are put together from, each made
// from another when needed.
#include "common/model/value.h"

#include <stdint.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/limits.h"
#include "common/model/persistent_vector.h"

enum { DEPTH_UNKNOWN = -1 };
// A shorter text is decoded as soon as it is taken apart.
enum { APART_SIZE_MIN = 512 };
// A part that is as long, and at least half of all, is not copied. It keeps all
// of the text, which is at most twice its own size.
enum { PART_SIZE_MIN = 4096, PART_KEEPS_MAX = 2 };

// The members of an object, their names behind them.
struct fields {
    size_t count;
    struct ss_field items[];
};

// A text that some values have parts of. What one thread reads others may let
// go.
struct shared_text {
    unsigned refs;
    size_t size;
    char *text;
};

// At least one of its faces is there.
struct ss_value {
    unsigned refs;
    enum ss_value_tag tag;
    bool is_damaged; // text that is not JSON
    bool is_apart;   // `fields` are the parts of `text`
    bool is_whole;   // it has no parts: looked for once
    int depth;       // or DEPTH_UNKNOWN
    json_t *json;    // decoded, or NULL
    char *text;      // encoded, or NULL
    size_t size;     // of `text`; without one about what it would be, or 0
    struct shared_text *shared; // that `text` is (of), or NULL: it is its own
    struct ss_list *list;       // taken apart, or NULL
    struct fields *fields;      // put together from, or NULL
};

// The value that most writes have. It is everybody's and never counted.
static struct ss_value null_value = {
    .refs = 1, .tag = SS_VALUE_JSON, .text = (char[]){"null"}, .size = 4};

void ss_value_setup(void)
{
    json_set_alloc_funcs(ss_alloc, ss_free);
    json_object_seed(0x53757065);
}

static struct ss_value *value_new(void)
{
    struct ss_value *value = ss_zalloc(1, sizeof(*value));
    value->refs = 1;
    value->depth = DEPTH_UNKNOWN;
    return value;
}

struct ss_value *ss_value_new(json_t *json)
{
    ss_check(json != NULL);
    if (json_is_null(json))
        return &null_value;
    struct ss_value *value = value_new();
    value->json = json;
    return value;
}

struct ss_value *ss_value_from_text(const char *text, size_t size)
{
    if (size == 4 && memcmp(text, "null", 4) == 0)
        return &null_value;
    return ss_value_opaque(SS_VALUE_JSON, text, size);
}

struct ss_value *ss_value_opaque(
    enum ss_value_tag tag, const void *bytes, size_t size)
{
    struct ss_value *value = value_new();
    value->tag = tag;
    value->text = ss_memdup(bytes, size);
    value->size = size;
    return value;
}

static void shared_unref(struct shared_text *shared)
{
    if (__atomic_sub_fetch(&shared->refs, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    ss_free(shared->text);
    ss_free(shared);
}

// The part of its text, which it may keep. Gives.
static struct ss_value *value_of_part(
    struct ss_value *whole, const char *text, size_t size)
{
    size_t keeps = whole->shared ? whole->shared->size : whole->size;
    if (size < PART_SIZE_MIN || size < keeps / PART_KEEPS_MAX)
        return ss_value_from_text(text, size);
    if (!whole->shared) {
        whole->shared = ss_alloc(sizeof(*whole->shared));
        *whole->shared = (struct shared_text){
            .refs = 1, .size = whole->size, .text = whole->text};
    }
    struct ss_value *value = value_new();
    value->text = whole->text + (text - whole->text); // not const
    value->size = size;
    value->shared = whole->shared;
    __atomic_add_fetch(&value->shared->refs, 1, __ATOMIC_RELAXED);
    return value;
}

struct ss_value *ss_value_of_list(struct ss_list *list)
{
    struct ss_value *value = value_new();
    value->list = list;
    return value;
}

// The fields without those whose name stood there before. Gives.
static struct ss_field *different(
    const struct ss_field *fields, size_t count, size_t *ret_count)
{
    struct ss_field *all = ss_zalloc(count + 1, sizeof(*all));
    struct ss_map names = {0};
    *ret_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!ss_map_put(&names, fields[i].name, &names))
            all[(*ret_count)++] = fields[i];
    ss_map_fini(&names, NULL);
    return all;
}

static bool repeats(const struct ss_field *fields, size_t count)
{
    enum { FEW = 16 }; // are compared with each other
    if (count > FEW) {
        size_t others;
        ss_free(different(fields, count, &others));
        return others < count;
    }
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(fields[i].name, fields[k].name) == 0)
                return true;
    return false;
}

static size_t fields_size(const struct ss_field *from, size_t count)
{
    size_t size = sizeof(struct fields) + count * sizeof(struct ss_field);
    for (size_t i = 0; i < count; i++)
        size += strlen(from[i].name) + 1;
    return size;
}

// To memory of fields_size().
static struct fields *fields_put(
    struct fields *fields, const struct ss_field *from, size_t count)
{
    char *to = (char *)&fields->items[count];
    fields->count = count;
    for (size_t i = 0; i < count; i++) {
        size_t name = strlen(from[i].name) + 1;
        memcpy(to, from[i].name, name);
        fields->items[i] = (struct ss_field){to, ss_value_ref(from[i].value)};
        to += name;
    }
    return fields;
}

// No name stands twice. A value and its fields are one block.
static struct ss_value *value_of_fields(
    const struct ss_field *fields, size_t count)
{
    struct ss_value *value =
        ss_alloc(sizeof(*value) + fields_size(fields, count));
    *value = (struct ss_value){.refs = 1, .depth = DEPTH_UNKNOWN};
    value->fields = fields_put((struct fields *)(value + 1), fields, count);
    return value;
}

struct ss_value *ss_value_of_fields(const struct ss_field *fields, size_t count)
{
    if (!repeats(fields, count))
        return value_of_fields(fields, count);
    struct ss_field *own = different(fields, count, &count);
    struct ss_value *value = value_of_fields(own, count);
    ss_free(own);
    return value;
}

struct ss_value *ss_value_null(void)
{
    return &null_value;
}

struct ss_value *ss_value_ref(struct ss_value *value)
{
    if (value && value != &null_value)
        value->refs++;
    return value;
}

static void fields_free(struct ss_value *value)
{
    struct fields *fields = value->fields;
    for (size_t i = 0; fields && i < fields->count; i++)
        ss_value_unref(fields->items[i].value);
    if (fields != (struct fields *)(value + 1))
        ss_free(fields);
}

void ss_value_unref(struct ss_value *value)
{
    if (!value || value == &null_value)
        return;
    ss_check(value->refs > 0);
    if (--value->refs > 0)
        return;
    json_decref(value->json);
    if (value->shared)
        shared_unref(value->shared);
    else
        ss_free(value->text);
    ss_list_unref(value->list);
    fields_free(value);
    ss_free(value);
}

enum ss_value_tag ss_value_tag(const struct ss_value *value)
{
    return value->tag;
}

// ------------------------------------------------ decoded

static void add_item(void *list, uint64_t number, struct ss_value *item)
{
    (void)number;
    json_array_append(list, ss_value_json(item));
}

static void put_together(struct ss_value *value)
{
    if (value->list) {
        value->json = json_array();
        ss_list_each(value->list, add_item, value->json);
        return;
    }
    value->json = json_object();
    for (size_t i = 0; i < value->fields->count; i++) {
        const struct ss_field *field = &value->fields->items[i];
        json_object_set(value->json, field->name, ss_value_json(field->value));
    }
}

json_t *ss_value_json(struct ss_value *value)
{
    if (value == &null_value || value->tag != SS_VALUE_JSON)
        return json_null();
    if (!value->json && (value->list || value->fields)) {
        put_together(value);
    } else if (!value->json && !value->is_damaged) {
        int status =
            ss_json_parse(value->text, value->size, &value->json, NULL);
        value->is_damaged = status != SS_OK;
    }
    return value->json ? value->json : json_null();
}

struct ss_list *ss_value_list(struct ss_value *value)
{
    if (value->list)
        return value->list;
    const json_t *json = value->fields ? NULL : ss_value_json(value);
    if (!json_is_array(json))
        return NULL;
    value->list = ss_list_push_json(ss_list_new(), json);
    return value->list;
}

bool ss_value_is_list(const struct ss_value *value)
{
    if (value->list || value->fields || value->json)
        return value->list || (!value->fields && json_is_array(value->json));
    size_t blanks = 0;
    while (blanks < value->size && strchr(" \t\r\n", value->text[blanks]))
        blanks++;
    return value->tag == SS_VALUE_JSON && blanks < value->size &&
           value->text[blanks] == '[';
}

bool ss_value_listed(const struct ss_value *value)
{
    return value->list != NULL;
}

const struct ss_field *ss_value_fields(
    const struct ss_value *value, size_t *ret_count)
{
    *ret_count = value->fields ? value->fields->count : 0;
    return value->fields ? value->fields->items : NULL;
}

struct parts {
    struct ss_value *whole;
    struct ss_field *items;
    size_t count, capacity;
};

static bool add_part(
    void *ctx, const char *key, size_t key_size, const char *text, size_t size)
{
    struct parts *parts = ctx;
    SS_VEC_PUSH(parts, (struct ss_field){ss_memdup(key, key_size),
                           value_of_part(parts->whole, text, size)});
    return true;
}

// Of a key that stands twice the last one counts in JSON: then it is decoded.
static void take_apart(struct ss_value *value)
{
    struct parts parts = {.whole = value};
    if (ss_json_members(value->text, value->size, add_part, &parts) &&
        !repeats(parts.items, parts.count)) {
        value->fields =
            fields_put(ss_alloc(fields_size(parts.items, parts.count)),
                parts.items, parts.count);
        value->is_apart = true;
    }
    value->is_whole = !value->is_apart;
    for (size_t i = 0; i < parts.count; i++) {
        ss_free((char *)parts.items[i].name);
        ss_value_unref(parts.items[i].value);
    }
    SS_VEC_FINI(&parts);
}

const struct ss_field *ss_value_members(
    struct ss_value *value, size_t *ret_count)
{
    if (!ss_value_decoded(value) && value->tag == SS_VALUE_JSON &&
        !value->is_whole)
        take_apart(value);
    return ss_value_fields(value, ret_count);
}

// The member's value, borrowed, if it is known without decoding the others.
static struct ss_value *known_member(struct ss_value *value, const char *name)
{
    size_t count;
    if (value->text && value->size >= APART_SIZE_MIN)
        (void)ss_value_members(value, &count);
    for (size_t i = 0; value->fields && i < value->fields->count; i++)
        if (strcmp(value->fields->items[i].name, name) == 0)
            return value->fields->items[i].value;
    return NULL;
}

json_t *ss_value_member_json(struct ss_value *value, const char *name)
{
    struct ss_value *member = value->json ? NULL : known_member(value, name);
    if (member || (value->fields && !value->json))
        return member ? ss_value_json(member) : NULL;
    return json_object_get(ss_value_json(value), name);
}

struct ss_value *ss_value_member(struct ss_value *value, const char *name)
{
    struct ss_value *member = known_member(value, name);
    if (member || value->fields)
        return ss_value_ref(member);
    json_t *json = json_object_get(ss_value_json(value), name);
    return json ? ss_value_new(json_incref(json)) : NULL;
}

size_t ss_value_count(struct ss_value *value)
{
    if (value->list)
        return ss_list_count(value->list);
    return value->fields ? 0 : json_array_size(ss_value_json(value));
}

// ------------------------------------------------ encoded

enum {
    SIZE_NUMBER = 8,
    SIZE_QUOTES = 2,
    SIZE_MEMBER = SIZE_QUOTES + 2,
    WEIGHED_MAX = 8, // items of an array; the others are taken to be like them
};

// What it is inside of another text.
static const char *inner_text(struct ss_value *value, size_t *ret_size)
{
    if (value->tag == SS_VALUE_JSON)
        return ss_value_text(value, ret_size);
    *ret_size = 4;
    return "null";
}

static void count_item(void *size, uint64_t number, struct ss_value *item)
{
    size_t more;
    (void)number;
    (void)inner_text(item, &more);
    *(size_t *)size += more + 1;
}

static void write_item(void *ctx, uint64_t number, struct ss_value *item)
{
    char **to = ctx;
    size_t size;
    (void)number;
    const char *text = inner_text(item, &size);
    memcpy(*to, text, size);
    *to += size;
    *(*to)++ = ',';
}

static size_t list_size(const struct ss_list *list)
{
    size_t size = 1;
    ss_list_each(list, count_item, &size);
    return size == 1 ? 2 : size;
}

// Each item ends in a comma, the last one's becomes the bracket.
static void write_list(const struct ss_list *list, char *to)
{
    *to++ = '[';
    if (ss_list_count(list) == 0)
        to++;
    else
        ss_list_each(list, write_item, &to);
    to[-1] = ']';
}

// Of what splice_fields() writes, if no name has an escape.
static size_t spliced_size(const struct fields *fields)
{
    size_t size = SIZE_QUOTES;
    for (size_t i = 0; i < fields->count; i++) {
        size_t more;
        (void)inner_text(fields->items[i].value, &more);
        size += strlen(fields->items[i].name) + SIZE_MEMBER + more;
    }
    return size;
}

static void splice_fields(struct ss_buf *buf, const struct fields *fields)
{
    ss_buf_add_str(buf, "{");
    for (size_t i = 0; i < fields->count; i++) {
        const struct ss_field *field = &fields->items[i];
        if (i > 0)
            ss_buf_add_str(buf, ",");
        ss_json_add_string(buf, field->name, strlen(field->name));
        ss_buf_add_str(buf, ":");
        size_t size;
        const char *text = inner_text(field->value, &size);
        ss_buf_add(buf, text, size);
    }
    ss_buf_add_str(buf, "}");
}

static void splice(struct ss_value *value)
{
    struct ss_buf buf;
    if (value->list) {
        value->size = list_size(value->list);
        value->text = ss_alloc(value->size + 1);
        write_list(value->list, value->text);
        value->text[value->size] = '\0';
        return;
    }
    ss_buf_init(&buf, SIZE_MAX);
    ss_buf_expect(&buf, spliced_size(value->fields));
    splice_fields(&buf, value->fields);
    value->text = ss_buf_steal(&buf, &value->size);
}

size_t ss_value_text_size(struct ss_value *value)
{
    size_t size;
    if (!value->text && value->list)
        return list_size(value->list);
    (void)ss_value_text(value, &size);
    return size;
}

static size_t json_size_about(const json_t *json);

// Of a long one some are looked at, from its beginning to its end: bodies that
// hand a long list on would else pay for all of it each time.
static size_t array_size_about(const json_t *array)
{
    size_t count = json_array_size(array), size = 0;
    size_t weighed = count < WEIGHED_MAX ? count : WEIGHED_MAX;
    for (size_t i = 0; i < weighed; i++)
        size += json_size_about(json_array_get(array, i * count / weighed)) + 1;
    return weighed < count ? size / weighed * count : size;
}

static size_t json_size_about(const json_t *json)
{
    size_t size = SIZE_QUOTES;
    if (json_is_string(json))
        return size + json_string_length(json);
    if (json_is_array(json))
        return size + array_size_about(json);
    if (!json_is_object(json))
        return SIZE_NUMBER;
    json_t *object = (json_t *)json;
    for (void *at = json_object_iter(object); at;
         at = json_object_iter_next(object, at))
        size += strlen(json_object_iter_key(at)) + SIZE_MEMBER +
                json_size_about(json_object_iter_value(at));
    return size;
}

static size_t size_about(const struct ss_value *value)
{
    size_t size = SIZE_QUOTES;
    if (value->json)
        return json_size_about(value->json);
    if (value->list)
        size += ss_list_size_about(value->list);
    for (size_t i = 0; value->fields && i < value->fields->count; i++)
        size += strlen(value->fields->items[i].name) + SIZE_MEMBER +
                ss_value_size_about(value->fields->items[i].value);
    return size;
}

// A value does not change: it is weighed once. Without a text `size` says it.
size_t ss_value_size_about(struct ss_value *value)
{
    if (!value->text && value->size == 0)
        value->size = size_about(value);
    return value->size;
}

void ss_value_write(struct ss_value *value, char *to)
{
    size_t size;
    if (!value->text && value->list) {
        write_list(value->list, to);
        return;
    }
    const char *text = ss_value_text(value, &size);
    memcpy(to, text, size);
}

struct ss_value *ss_value_alone(struct ss_value *value)
{
    if (value == &null_value)
        return value;
    struct ss_value *alone = value_new();
    const char *text = ss_value_text(value, &alone->size);
    alone->tag = value->tag;
    alone->text = ss_memdup(text, alone->size);
    return alone;
}

const char *ss_value_text(struct ss_value *value, size_t *ret_size)
{
    if (!value->text && value->json) {
        value->text = ss_json_text_sized(value->json, &value->size);
    } else if (!value->text) {
        splice(value);
    }
    if (ret_size)
        *ret_size = value->size;
    return value->text;
}

// ------------------------------------------------ what holds of it

bool ss_value_is_null(struct ss_value *value)
{
    if (value == &null_value)
        return true;
    if (value->list || value->fields)
        return false;
    // Longer text is only null with blanks around it: not worth a look.
    if (value->tag != SS_VALUE_JSON || (!value->json && value->size > 64))
        return false;
    return json_is_null(ss_value_json(value)) && !value->is_damaged;
}

bool ss_value_decoded(const struct ss_value *value)
{
    return value->json || value->list || value->fields || value == &null_value;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int json_depth(const json_t *json, int left);

// What a scalar adds is known without a call.
static int deeper(int depth, const json_t *member, int left)
{
    bool is_scalar = !json_is_array(member) && !json_is_object(member);
    return is_scalar ? depth : larger(depth, json_depth(member, left - 1));
}

// How deep it nests; where that is more than `left` levels, some depth beyond.
static int json_depth(const json_t *json, int left)
{
    int depth = 0;
    if (left < 0)
        return 0;
    if (json_is_array(json)) {
        size_t count = json_array_size(json);
        for (size_t i = 0; i < count && depth <= left; i++)
            depth = deeper(depth, json_array_get(json, i), left);
        return depth + 1;
    }
    if (!json_is_object(json))
        return 0;
    json_t *object = (json_t *)json;
    for (void *at = json_object_iter(object); at && depth <= left;
         at = json_object_iter_next(object, at))
        depth = deeper(depth, json_object_iter_value(at), left);
    return depth + 1;
}

int ss_value_depth(struct ss_value *value)
{
    if (value == &null_value || value->tag != SS_VALUE_JSON)
        return 0;
    if (value->list)
        return 1 + ss_list_depth(value->list);
    if (value->depth != DEPTH_UNKNOWN)
        return value->depth;
    if (value->fields) {
        value->depth = 1;
        for (size_t i = 0; i < value->fields->count; i++)
            value->depth = larger(value->depth,
                1 + ss_value_depth(value->fields->items[i].value));
    } else if (value->json) {
        value->depth = json_depth(value->json, SS_VALUE_DEPTH_MAX);
    } else {
        value->depth = ss_json_depth(value->text, value->size);
    }
    return value->depth;
}

int ss_value_valid(struct ss_value *value, struct ss_error *error)
{
    if (value == &null_value || value->tag != SS_VALUE_JSON)
        return SS_OK;
    bool is_decoded =
        value->json || value->list || (value->fields && !value->is_apart);
    if (is_decoded && ss_value_depth(value) > SS_VALUE_DEPTH_MAX)
        return ss_error_set(error, SS_EFORMAT,
            "a value is nested deeper than %d levels", SS_VALUE_DEPTH_MAX);
    if (is_decoded)
        return SS_OK;
    int status = ss_json_parse(value->text, value->size, &value->json, error);
    value->is_damaged = status != SS_OK;
    return status;
}

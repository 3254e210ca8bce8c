// value.c - values: bytes and JSON, each made from the other when needed.
#include "common/model/value.h"

#include <string.h>

#include "common/base/check.h"
#include "common/base/mem.h"
#include "common/model/limits.h"

struct ss_value {
    unsigned refs;
    enum ss_value_tag tag;
    bool is_damaged; // text that is no JSON
    json_t *json;    // decoded, or NULL
    char *text;      // encoded, or NULL
    size_t size;
};

// The value that most writes have. It is everybody's and never counted.
static struct ss_value null_value = {
    .refs = 1, .tag = SS_VALUE_JSON, .text = (char[]){"null"}, .size = 4};

void ss_value_setup(void)
{
    json_set_alloc_funcs(ss_alloc, ss_free);
    json_object_seed(0x53757065);
}

struct ss_value *ss_value_new(json_t *json)
{
    ss_check(json != NULL);
    if (json_is_null(json))
        return &null_value;
    struct ss_value *value = ss_zalloc(1, sizeof(*value));
    value->refs = 1;
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
    struct ss_value *value = ss_zalloc(1, sizeof(*value));
    value->refs = 1;
    value->tag = tag;
    value->text = ss_memdup(bytes, size);
    value->size = size;
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

void ss_value_unref(struct ss_value *value)
{
    if (!value || value == &null_value)
        return;
    ss_check(value->refs > 0);
    if (--value->refs > 0)
        return;
    json_decref(value->json);
    ss_free(value->text);
    ss_free(value);
}

enum ss_value_tag ss_value_tag(const struct ss_value *value)
{
    return value->tag;
}

json_t *ss_value_json(struct ss_value *value)
{
    if (value == &null_value || value->tag != SS_VALUE_JSON)
        return json_null();
    if (!value->json && !value->is_damaged) {
        int status =
            ss_json_parse(value->text, value->size, &value->json, NULL);
        value->is_damaged = status != SS_OK;
    }
    return value->json ? value->json : json_null();
}

const char *ss_value_text(struct ss_value *value, size_t *ret_size)
{
    if (!value->text) {
        value->text = ss_json_text(value->json);
        value->size = strlen(value->text);
    }
    if (ret_size)
        *ret_size = value->size;
    return value->text;
}

bool ss_value_is_null(struct ss_value *value)
{
    if (value == &null_value)
        return true;
    // Longer text is only null with blanks around it: not worth a look.
    if (value->tag != SS_VALUE_JSON || (!value->json && value->size > 64))
        return false;
    return json_is_null(ss_value_json(value)) && !value->is_damaged;
}

bool ss_value_decoded(const struct ss_value *value)
{
    return value->json != NULL || value == &null_value;
}

// Is `json` nested deeper than `left` levels?
static bool too_deep(const json_t *json, int left)
{
    if (json_is_array(json)) {
        for (size_t i = 0; i < json_array_size(json); i++)
            if (left <= 0 || too_deep(json_array_get(json, i), left - 1))
                return true;
        return left <= 0;
    }
    if (json_is_object(json)) {
        json_t *object = (json_t *)json;
        for (void *at = json_object_iter(object); at;
             at = json_object_iter_next(object, at))
            if (left <= 0 || too_deep(json_object_iter_value(at), left - 1))
                return true;
        return left <= 0;
    }
    return false;
}

int ss_value_valid(struct ss_value *value, struct ss_error *error)
{
    if (value == &null_value || value->tag != SS_VALUE_JSON)
        return SS_OK;
    if (value->json && too_deep(value->json, SS_VALUE_DEPTH_MAX))
        return ss_error_set(error, SS_EFORMAT,
            "a value is nested deeper than %d levels", SS_VALUE_DEPTH_MAX);
    if (value->json)
        return SS_OK;
    int status = ss_json_parse(value->text, value->size, &value->json, error);
    value->is_damaged = status != SS_OK;
    return status;
}

bool ss_value_equal(struct ss_value *a, struct ss_value *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->tag != b->tag)
        return false;
    if (a->text && b->text && a->size == b->size &&
        memcmp(a->text, b->text, a->size) == 0)
        return true;
    if (a->tag != SS_VALUE_JSON)
        return false;
    return json_equal(ss_value_json(a), ss_value_json(b)) != 0 &&
           !a->is_damaged && !b->is_damaged;
}

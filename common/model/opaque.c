// opaque.c - marks of values that Superstep does not look into.
#include "common/model/opaque.h"

#include <string.h>

#include "common/base/mem.h"

enum { CODE_MAX = 5, PARTS = 4 };

// NULL: no text, or one that would end before its last letter.
static const char *word_at(const json_t *list, size_t index)
{
    const json_t *item = json_array_get(list, index);
    const char *word = json_string_value(item);
    return word && strlen(word) == json_string_length(item) ? word : NULL;
}

bool ss_typed_open(const json_t *json, struct ss_typed *ret_typed)
{
    const json_t *list = json_object_get(json, SS_NAME_TYPED);
    const json_t *code = json_array_get(list, 0);
    size_t count = json_array_size(list);
    struct ss_typed typed = {.code = (int)json_integer_value(code),
        .module = word_at(list, 1),
        .name = word_at(list, 2),
        .arg = json_array_get(list, 3),
        .method = word_at(list, PARTS)};
    if (json_object_size(json) != 1 || count < PARTS || count > PARTS + 1 ||
        !json_is_integer(code) || json_integer_value(code) < 0 ||
        json_integer_value(code) > CODE_MAX || !typed.module || !typed.name ||
        (count > PARTS && !typed.method))
        return false;
    *ret_typed = typed;
    return true;
}

const char *ss_opaque_class(const json_t *json)
{
    const json_t *inside = json_object_get(json, SS_NAME_OPAQUE);
    const char *name = json_string_value(json_object_get(inside, "class"));
    if (json_object_size(json) != 1 || json_object_size(inside) != 3 ||
        !json_is_string(json_object_get(inside, "tag")) ||
        !json_is_string(json_object_get(inside, "data")))
        return NULL;
    return name;
}

bool ss_mark_is(const json_t *json)
{
    struct ss_typed typed;
    return ss_opaque_class(json) || ss_typed_open(json, &typed);
}

char *ss_mark_class(const json_t *json)
{
    struct ss_typed typed;
    if (ss_typed_open(json, &typed))
        return ss_format("%s.%s", typed.module, typed.name);
    return ss_strdup(ss_opaque_class(json));
}

int ss_opaque_refuse(
    const json_t *json, const char *what, struct ss_error *error)
{
    char *name = json_is_object(json) ? ss_mark_class(json) : NULL;
    if (!name)
        return SS_OK;
    int status = ss_error_set(error, SS_EINVAL,
        "%s: a %.200s was imported as it is, and cannot be looked into", what,
        name);
    ss_free(name);
    return status;
}

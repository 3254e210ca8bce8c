// opaque.c - marks of values that Superstep does not look into.
#include "common/model/opaque.h"

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

int ss_opaque_refuse(
    const json_t *json, const char *what, struct ss_error *error)
{
    const char *name = ss_opaque_class(json);
    if (!name)
        return SS_OK;
    return ss_error_set(error, SS_EINVAL,
        "%s: a %.200s was imported as it is, and cannot be looked into", what,
        name);
}

// tag.c - recognising tags.
#include "common/model/tag.h"

#include <string.h>

json_t *ss_tag_get(const json_t *json, const char *tag)
{
    if (json_object_size(json) != 1)
        return NULL;
    void *only = json_object_iter((json_t *)json);
    return strcmp(json_object_iter_key(only), tag) == 0
               ? json_object_iter_value(only)
               : NULL;
}

// tag.c - recognising tags.
#include "common/model/tag.h"

json_t *ss_tag_get(const json_t *json, const char *tag)
{
    return json_object_size(json) == 1 ? json_object_get(json, tag) : NULL;
}

// mark.c - recognising marks.
#include "common/model/tag.h"

json_t *ss_tag_get(const json_t *json, const char *mark)
{
    return json_object_size(json) == 1 ? json_object_get(json, mark) : NULL;
}

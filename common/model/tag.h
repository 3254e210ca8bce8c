// tag.h - the tags of writers.h: objects with exactly one key.
#ifndef SS_MODEL_TAG_H
#define SS_MODEL_TAG_H

#include <jansson.h>

// What stands under `tag` ("$send", ...) if `json` is that tag, else NULL.
// Borrows; NULL is not a tag.
json_t *ss_tag_get(const json_t *json, const char *tag);

#endif

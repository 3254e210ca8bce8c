// mark.h - the marks of writers.h: objects with exactly one key.
#ifndef SS_MODEL_TAG_H
#define SS_MODEL_TAG_H

#include <jansson.h>

// What stands under `mark` ("$send", ...) if `json` is that mark, else NULL.
// Borrows; NULL is not a mark.
json_t *ss_tag_get(const json_t *json, const char *mark);

#endif

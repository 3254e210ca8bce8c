// readable.h - values of classes (common/model/opaque.h), for people.
#ifndef SS_CLI_READABLE_H
#define SS_CLI_READABLE_H

#include <jansson.h>

// A copy with something to read in place of each mark: a datetime is its text,
// a set its items, an object {"shop.Order": fields}, and bytes are "bytes 12".
// Gives.
json_t *ss_readable(const json_t *value);

#endif

// opaque.h - a value of another system that is not plain data, kept as bytes.
//
//   {"$opaque": {"class": "decimal.Decimal", "tag": "msgpack", "data": base64}}
//
// Such a mark is carried wherever a value goes, and never looked into: code
// that has to look into a value refuses the mark and names its class
// (spec/engine.md R13.25). An import makes marks; an export makes the same
// bytes from them again.
#ifndef SS_MODEL_OPAQUE_H
#define SS_MODEL_OPAQUE_H

#include <jansson.h>

#include "common/base/status.h"

#define SS_NAME_OPAQUE "$opaque"

// The class of a mark, borrowed; NULL: it is not one.
const char *ss_opaque_class(const json_t *json);
// SS_EINVAL, "WHAT: a decimal.Decimal of ... cannot be looked into", if `json`
// is a mark.
int ss_opaque_refuse(
    const json_t *json, const char *what, struct ss_error *error) SS_MUST_USE;

#endif
